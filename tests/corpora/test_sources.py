"""Several sources in one corpus: what they tell of one another, corpus.toml that lists them, archives, many errors."""

from __future__ import annotations

import gzip
import json
import shutil
import time
from pathlib import Path

import numpy as np
import pytest

from metaeval.corpora.read import read_sources
from metaeval.corpora.text_files import unpacked
from metaeval.corpora.write_native import write_neutral
from tests.support import corpus as neutral
from tests.support import examples
from tests.support.reports import told


def lines(path: Path, *rows: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")
    return path


def test_documents_that_the_texts_do_not_tell(tmp_path):
    texts = lines(tmp_path / "t.tsv", "segment\tsystem\ttext", "1\tA\tone", "2\tA\ttwo")
    scores = lines(
        tmp_path / "s.tsv", "document\tsegment\tsystem\tcriterion\tscore", "d1\t1\tA\tc\t3", "d2\t1\tA\tc\t4"
    )
    corpus, problems = read_sources([texts, scores])
    assert corpus is None
    assert "s.tsv: names 2 documents ('d1', 'd2'), but the texts have none" in told(problems, "error")
    lines(scores, "document\tsegment\tsystem\tcriterion\tscore", "d1\t1\tA\tc\t3", "d1\t2\tA\tc\t4")
    corpus, _ = read_sources([texts, scores])
    assert corpus.judgments.segment.tolist() == [0, 1]


def test_a_converted_corpus_takes_its_own_assessments(tmp_path):
    texts, table = examples.sgml(tmp_path / "texts")
    first, _ = read_sources([texts, table], examples.SGML_FORMATS)
    alone, _ = read_sources([texts])
    write_neutral(alone, tmp_path / "converted")
    again, problems = read_sources([tmp_path / "converted", table], ["", examples.SGML_FORMATS[1]])
    assert again is not None, problems.errors
    assert sorted(again.judgments.score) == sorted(first.judgments.score)
    assert again.segment_ids == first.segment_ids == ("d1:1", "d1:2", "d2:1", "d2:2")
    table.write_text(table.read_text().replace("d1,1,A", "d1,9,A", 1))
    _, problems = read_sources([tmp_path / "converted", table], ["", examples.SGML_FORMATS[1]])
    assert "Known segments: 'd1:1', 'd1:2'" in told(problems, "error")


UNJUDGED = "has no judgments: metric scores can be computed, but not correlated with human judgments."


def test_that_judgments_are_missing_is_told_where_no_source_has_them(tmp_path):
    root = neutral.write(tmp_path / "tiny", judgments=None)
    head = "line\tsystem\tjudge\tcriterion\tscore"
    scores = lines(tmp_path / "s.tsv", head, "1\tA\teve\tadequacy\t5")
    more = lines(tmp_path / "t.tsv", "segment\tsystem\ttext", "1\tD\tone")
    for paths in ([root, scores], [scores, root]):
        corpus, problems = read_sources(paths)
        assert len(corpus.judgments) == 1
        assert UNJUDGED not in told(problems, "note")
    for paths in ([root], [root, more]):
        corpus, problems = read_sources(paths)
        assert len(corpus.judgments) == 0
        assert f"{root}: {UNJUDGED}" in told(problems, "note")
    # Whether a table that cannot be read has judgments is not known.
    lines(scores, head.replace("line", "number"), "1\tA\teve\tadequacy\t5")
    _, problems = read_sources([root, scores], ["", "table"])
    assert "s.tsv:1: has no column segment" in told(problems, "error")
    assert UNJUDGED not in told(problems, "note")


def test_one_of_a_kind_is_told_in_the_singular(tmp_path):
    root = neutral.write(
        tmp_path / "tiny",
        judgments=None,
        missing_outputs="system\tsegment\nB\t1\n",
        **{f"systems__{name}": "\n" for name in "ABC"},
        **{f"references__ref{n}": "\n" for n in (1, 2)},
    )
    _, problems = read_sources([root])
    assert "B.txt: has no output for 1 of 1 segment: '1'." in told(problems, "note")
    assert "ref1.txt: has no reference for 1 of 1 segment (empty lines)." in told(problems, "note")
    lines(tmp_path / "one.tsv", "name", "1\tA")
    _, problems = read_sources([tmp_path / "one.tsv"], ["table"])
    assert told(problems, "error") == f"{tmp_path}/one.tsv:2: must have 1 column, as the first line, 'name'; got 2."
    (directory,) = examples.mtme(tmp_path / "set")
    path = next((directory / "references").iterdir())
    path.write_text("one\n")
    _, problems = read_sources([directory])
    assert f"{path}: has 1 line but must have 4, as " in told(problems, "error")


@pytest.mark.parametrize(("n", "more"), [(1, ""), (2, " and in 1 more line"), (3, " and in 2 more lines")])
def test_lines_with_a_suspect_character_are_counted(n, more, tmp_path):
    root = neutral.write(tmp_path / "tiny")
    lines(root / "systems/A.txt", *["a\x0b"] * n, *["a"] * (4 - n))
    _, problems = read_sources([root])
    assert f"{root}/systems/A.txt:1: contains a vertical tab (U+000B){more}; the text" in told(problems, "warning")


def test_criteria_that_sources_declare_differently(tmp_path):
    (table,) = examples.mqm(tmp_path)
    (directory,) = examples.mtme(tmp_path / "set")
    _, problems = read_sources([table, directory], [examples.MQM_FORMAT, ""])
    assert (
        f"has another 'mqm' than {table}: -inf to inf, higher is better, and there 0 to inf, lower is better"
        in told(problems, "error")
    )


def test_scores_of_the_same_name(tmp_path):
    (directory,) = examples.mtme(tmp_path / "set")
    scores = directory / "metric-scores/de-en/BLEU-refA.seg.score"
    shutil.copy(scores, scores.with_name("BLEU-refA.seg.score.gz"))
    _, problems = read_sources([directory])
    assert "has scores named 'BLEU-refA' for each segment, as" in told(problems, "error")


def test_a_name_of_a_system_and_a_reference(tmp_path):
    systems = lines(tmp_path / "s.tsv", "segment\tsystem\ttext", "1\tA\tone")
    references = lines(tmp_path / "r.tsv", "segment\treference\ttext", "1\tA\tone")
    _, problems = read_sources([systems, references])
    assert told(problems, "error") == f"{tmp_path}: has systems and references of the same name: 'A'."


def test_ids_that_become_the_same(tmp_path):
    rows = ["a:b\t1\tA\tx", "a\tb:1\tA\ty", "c\t1\tA\tz"]
    texts = lines(tmp_path / "t.tsv", "document\tsegment\tsystem\ttext", *rows)
    _, problems = read_sources([texts])
    assert told(problems, "error") == f"{tmp_path}: has segments of the same id: 'a:b:1'."


def test_scores_of_a_neutral_corpus_beside_another_source(tmp_path):
    root = neutral.write(tmp_path / "tiny", documents="segment\tdocument\n1\tx\n2\tx\n3\ty\n4\ty\n")
    lines(root / "metrics/m.tsv", "system\tsegment\tscore", "B\t4\t0.5", "B\t1\t-1")
    lines(root / "human/h.document.tsv", "system\tdocument\tscore", "A\ty\t7")
    lines(root / "human/h.system.tsv", "system\tscore", "C\t3", "A\t2")
    more = lines(tmp_path / "more.tsv", "line\tsystem\tjudge\tcriterion\tscore", "1\tA\teve\tadequacy\t5")
    corpus, problems = read_sources([root, more])
    assert told(problems, "error") == ""
    assert len(corpus.judgments) == 49
    found = {(one.name, one.origin, one.level): (one.systems, one.units, one.values.tolist()) for one in corpus.scores}
    nan = pytest.approx(float("nan"), nan_ok=True)
    assert found == {
        ("m", "metric", "segment"): (("B",), ("1", "2", "3", "4"), [[-1, nan, nan, 0.5]]),
        ("h", "human", "document"): (("A",), ("x", "y"), [[nan, 7]]),
        ("h", "human", "system"): (("A", "C"), (), [[2], [3]]),
    }


def test_a_neutral_corpus_behind_another_source(tmp_path):
    """Lines of its tables are those of its own files, whatever segments are known before."""
    more = lines(tmp_path / "more.tsv", "segment\tsystem\ttext", "4\tD\tfour", "9\tD\tnine")
    root = neutral.write(tmp_path / "tiny", missing_outputs="system\tsegment\nB\t3\n")
    lines(root / "metrics/m.tsv", "system\tsegment\tscore", "B\t1\t0.5")
    corpus, problems = read_sources([more, root])
    assert told(problems, "error") == ""
    assert corpus.segment_ids == ("4", "9", "1", "2", "3")
    assert corpus.candidates[0] == ("we go home", None, "the cat sat on the mat", "a dog barked", "it rains today")
    assert corpus.candidates[3] == ("four", "nine", None, None, None)
    # Each of the four segments has twelve judgments: of three systems by two judges on two criteria.
    assert [corpus.judgments.segment.tolist().count(segment) for segment in range(5)] == [12, 0, 12, 12, 12]
    (scores,) = corpus.scores
    np.testing.assert_array_equal(scores.values, [[np.nan, np.nan, 0.5, np.nan, np.nan]])
    # A segment that its list of missing outputs names is no surprise; one that it has no line for is.
    warned = told(problems, "warning")
    assert "has no output of 'B' for 1 of 5 segments" in warned
    assert "has no output of 'D' for 3 of 5 segments" in warned


UNREADABLE = pytest.mark.skipif(
    not Path("/proc/self/mem").exists(), reason="no file is there that anybody may open and nobody read"
)


@UNREADABLE
@pytest.mark.parametrize("suffix", [".tsv", ".jsonl", ".parquet", ".arrow", ".xlsx"])
@pytest.mark.parametrize("format_", ["", "table"])
def test_a_file_that_cannot_be_read(suffix, format_, tmp_path):
    if suffix in (".parquet", ".arrow"):
        pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    path = tmp_path / f"t{suffix}"
    path.symlink_to("/proc/self/mem")
    corpus, problems = read_sources([path], [format_])
    assert corpus is None
    assert told(problems, "error") == f"{path}: cannot be read: Input/output error."


@UNREADABLE
@pytest.mark.parametrize("format_", ["", "sgml"])
def test_a_directory_with_a_file_that_cannot_be_read(format_, tmp_path):
    paths = examples.sgml(tmp_path / "texts")
    (tmp_path / "texts/x.sgm").symlink_to("/proc/self/mem")
    corpus, problems = read_sources(paths, [format_, examples.SGML_FORMATS[1]])
    assert corpus is None
    assert f"{tmp_path}/texts: cannot be read: Input/output error." in told(problems, "error")


class TestListedFiles:
    TOML = 'criteria = [{ name = "adequacy", low = 0, high = 50, direction = "higher" }]\n'

    def write(self, root: Path, more: str = "", path: str = "judgments.tsv") -> Path:
        examples.table(root)
        files = "".join(f'[[files]]\npath = "{name}"\n' for name in ("texts.tsv", path))
        lines(root / "corpus.toml", more + self.TOML + files)
        return root

    def test_the_name_is_that_of_the_directory(self, tmp_path):
        corpus, _ = read_sources([self.write(tmp_path / "mine")])
        assert (corpus.name, corpus.criteria[0].high) == ("mine", 50)

    def test_the_digest_tells_corpus_toml(self, tmp_path):
        first, _ = read_sources([self.write(tmp_path / "a")])
        same, _ = read_sources([self.write(tmp_path / "b")])
        other, _ = read_sources([self.write(tmp_path / "c", 'title = "x"\n')])
        assert first.digest == same.digest != other.digest

    @pytest.mark.parametrize(
        ("more", "path", "message"),
        [
            ("", "absent.tsv", "absent.tsv: does not exist"),
            ("", ".", "corpus.toml: lists '.', whose own corpus.toml lists files"),
            ('names = {a = "b"}\n', "judgments.tsv", "corpus.toml: `names` is for files in the neutral layout"),
        ],
    )
    def test_what_is_wrong_is_told(self, more, path, message, tmp_path):
        corpus, problems = read_sources([self.write(tmp_path / "mine", more, path)])
        assert corpus is None
        assert message in told(problems, "error")

    def test_wrong_criteria_and_formats_are_told(self, tmp_path):
        root = self.write(tmp_path / "mine")
        lines(root / "corpus.toml", self.TOML.replace("50", "-1"), '[[files]]\npath = "texts.tsv"\nformat = "tabel"')
        _, problems = read_sources([root])
        found = told(problems, "error")
        assert "criterion 'adequacy': `low` must be less than `high`; got 0 and -1" in found
        assert "corpus.toml: 'texts.tsv': unknown format 'tabel'; did you mean 'table'?" in found

    def test_in_an_archive_and_beside_other_sources(self, tmp_path):
        root = self.write(tmp_path / "mine")
        archive = Path(shutil.make_archive(str(tmp_path / "packed"), "zip", root))
        corpus, _ = read_sources([archive])
        assert (corpus.name, len(corpus.judgments), corpus.criteria[0].high) == ("packed", 16, 50)
        more = lines(tmp_path / "more.tsv", "line\tsystem\tjudge\tcriterion\tscore", "1\tA\teve\tadequacy\t7")
        corpus, _ = read_sources([root, more])
        assert (corpus.name, len(corpus.judgments)) == ("mine", 17)

    def test_paths_stay_in_the_archive(self, tmp_path):
        root = self.write(tmp_path / "mine", path="../secret.tsv")
        archive = Path(shutil.make_archive(str(tmp_path / "packed"), "zip", root))
        _, problems = read_sources([archive])
        place = f"{archive}/corpus.toml"
        assert told(problems, "error") == f"{place}: lists '../secret.tsv', which lies outside the archive."


def test_a_neutral_corpus_in_an_archive(tmp_path):
    root = neutral.write(tmp_path / "tiny", corpus=neutral.TOML.replace('name = "tiny"\n', ""))
    archive = Path(shutil.make_archive(str(tmp_path / "packed"), "gztar", root))
    corpus, _ = read_sources([archive])
    assert corpus.name == "packed"
    (root / "systems" / "A.txt").write_text("x\n")
    archive = Path(shutil.make_archive(str(tmp_path / "packed"), "gztar", root))
    _, problems = read_sources([archive])
    assert f"{archive}/systems/A.txt: has 1 line but must have 4" in told(problems, "error")
    assert "/tmp/metaeval-" not in told(problems, "error")


def test_ranges_are_told_without_a_corpus_toml_that_is_not_there(tmp_path):
    texts, scores = examples.wmt_xml(tmp_path)
    _, problems = read_sources([texts, scores], ["", 'wmt(prefix="tiny.")'])
    assert not problems.errors
    (directory,) = examples.summeval(tmp_path / "s")
    path = next(directory.iterdir())
    path.write_text(path.read_text(encoding="utf-8").replace('"coherence": 1', '"coherence": 9', 1), encoding="utf-8")
    _, problems = read_sources([directory])
    assert told(problems, "error").endswith("the score 9 is outside the range of 'coherence', 1 to 5.")


N = 30_000
MAX_SECONDS = 10.0  # of the processor, where it takes one; were each error to look at all segments, it would be many


class TestManyErrors:
    """Thirty thousand errors of one kind are all told, and soon."""

    def timed(self, paths, formats=()):
        start = time.process_time()
        corpus, problems = read_sources(paths, formats)
        assert time.process_time() - start < MAX_SECONDS
        assert corpus is None
        return problems.errors

    def texts(self, root: Path, rows) -> Path:
        return lines(root / "t.tsv", "document\tsegment\tsystem\ttext", *rows)

    def scores(self, root: Path, rows) -> Path:
        return lines(root / "s.tsv", "segment\tsystem\tcriterion\tscore", *rows)

    def test_unknown_segments_and_systems(self, tmp_path):
        texts = self.texts(tmp_path, (f"d\tk{n}\tA\ttext" for n in range(N)))
        scores = self.scores(tmp_path, (f"u{n}\tS{n}\tc\t1" for n in range(N)))
        assert len(self.timed([texts, scores])) == 2 * N

    def test_rows_of_another_width(self, tmp_path):
        # One error for all, where the first stands.
        path = lines(tmp_path / "t.tsv", "segment\tsystem\ttext", *("k\tA\tx" + "\ty" * (n % 3) for n in range(N)))
        assert list(map(str, self.timed([path]))) == [
            f"{path}:3: must have 3 columns, as the first line, 'segment', 'system', 'text'; got 4. (20000 lines in "
            "all, of 4 to 5 columns)"
        ]

    def test_ambiguous_segments(self, tmp_path):
        texts = self.texts(tmp_path, (f"{d}\tk{n}\tA\ttext" for d in "de" for n in range(N // 2)))
        scores = self.scores(tmp_path, (f"k{n}\tA\tc\t1" for n in range(N // 2)))
        assert len(self.timed([texts, scores])) == N // 2

    def test_texts_that_differ(self, tmp_path):
        texts = self.texts(tmp_path, (f"d\tk{n}\tA\t{text}" for n in range(N) for text in ("one", "two")))
        (found,) = self.timed([texts])
        assert str(found) == (
            f"{texts}:3: gives a segment another system 'A' than before: 'k0', 'two', and in line 2 'one'. Rows of one "
            f"segment must agree; are its ids unique only in a document or a language pair? ({N} lines in all)"
        )

    def test_objects_of_summeval(self, tmp_path):
        row = {"decoded": "x", "expert_annotations": [{"c": 9}]}
        path = lines(tmp_path / "s.jsonl", *(json.dumps({"id": str(n), "model_id": "A", **row}) for n in range(20_000)))
        assert len(self.timed([path])) == 1

    def test_a_neutral_table(self, tmp_path):
        rows = [*neutral.judgments()[:1], *(f"{'9' * 5000 if not n else n + 9}\tS{n}\tj\tc\t1" for n in range(N))]
        root = neutral.write(tmp_path, judgments="\n".join(rows))
        assert len(self.timed([root])) == 2 * N + 1


def test_gzip_of_many_members_takes_time_that_grows_with_their_number():
    members = gzip.compress(b"a", mtime=0) * 200_000
    start = time.process_time()
    assert unpacked(members) == b"a" * 200_000
    assert time.process_time() - start < MAX_SECONDS / 2


@pytest.mark.parametrize(
    ("at", "cause"), [(2, "Unknown compression method"), (22, "Error -3 while decompressing data")]
)
def test_a_gzip_file_that_is_damaged(at, cause, tmp_path):
    content = bytearray(gzip.compress(bytes(range(256)) * 10, mtime=0))
    content[at] ^= 0xFF
    path = tmp_path / "t.tsv.gz"
    path.write_bytes(content)
    corpus, problems = read_sources([path])
    assert corpus is None
    assert told(problems, "error").startswith(f"{path}: cannot be unpacked with gzip: {cause}")


def test_gzip_may_end_in_zeros():
    packed = gzip.compress(b"one") + bytes(3)
    assert unpacked(packed) == b"one"
    assert unpacked(packed + gzip.compress(b"two")) == b"onetwo"


def test_gzip_has_an_absolute_limit(monkeypatch):
    content = gzip.compress(bytes(range(256)) * 1000)
    assert len(unpacked(content)) == 256_000
    monkeypatch.setattr("metaeval.corpora.text_files._MAX_UNPACKED_BYTES", 100_000)
    with pytest.raises(ValueError, match="it grows beyond 100000 bytes"):
        unpacked(content)


class TestNeutral:
    def read(self, tmp_path, **files):
        corpus, problems = read_sources([neutral.write(tmp_path, **files)])
        assert (corpus is None) == bool(problems.errors)
        return problems

    def test_unknown_entries_and_columns(self, tmp_path):
        segments = "segment\tid\tcomment\n" + "".join(f"{n}\ti{n}\tx\n" for n in range(1, 5))
        (tmp_path / "reference").mkdir()
        (tmp_path / "judgements.tsv").write_text("")
        notes = told(self.read(tmp_path, segments=segments), "note")
        for name in ("reference", "judgements.tsv"):
            assert f"{tmp_path}/{name}: is not read: no part of a corpus has this name." in notes

    def test_further_columns_are_facts_of_the_segments(self, tmp_path):
        segments = "segment\tid\tcomment\n" + "".join(f"{n}\ti{n}\tx{n}\n" for n in range(1, 5))
        corpus, _ = read_sources([neutral.write(tmp_path, segments=segments)])
        assert corpus.segment_facts == {"comment": ("x1", "x2", "x3", "x4")}

    def test_a_file_beside_its_packed_one(self, tmp_path):
        (tmp_path / "judgments.tsv.gz").write_bytes(b"")
        warnings = told(self.read(tmp_path), "warning")
        assert "judgments.tsv.gz: is not read, because judgments.tsv is there too." in warnings

    def test_names_without_files(self, tmp_path):
        warnings = told(self.read(tmp_path, corpus=neutral.TOML + '\n[names]\nZ = "zed"\n'), "warning")
        assert "corpus.toml: `names` names files that are not there: 'Z'." in warnings

    def test_a_system_and_a_reference_of_one_name(self, tmp_path):
        errors = told(self.read(tmp_path, references__A="a\nb\nc\nd\n"), "error")
        assert "has systems and references of the same name: 'A'." in errors

    def test_scores_of_one_real_name(self, tmp_path):
        (tmp_path / "metrics").mkdir()
        for name in "mn":
            (tmp_path / f"metrics/{name}.tsv").write_text("system\tsegment\tscore\nA\t1\t1\n")
        errors = told(self.read(tmp_path, corpus=neutral.TOML + '\n[names]\nm = "n"\n'), "error")
        assert f"metrics/n.tsv: has scores named 'n' for each segment, as {tmp_path}/metrics/m.tsv has" in errors

    def test_a_judge_without_a_name(self, tmp_path):
        rows = neutral.judgments()
        rows[1] = rows[1].replace("ann", "")
        assert "judgments.tsv:2: the judge has no name." in told(
            self.read(tmp_path, judgments="\n".join(rows)), "error"
        )
