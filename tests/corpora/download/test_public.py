from __future__ import annotations

import csv
import subprocess
import sys
import tomllib

import pytest

from metaeval.corpora.download.public import PublicCorpus, public_corpora, read_entry
from metaeval.errors import UsageError
from tests.support.gold import of_others

NAMES = ["summeval", "webnlg2020-en", "wmt21-ted-zhen"]

GOOD = """\
name = "tiny"
title = "Two files"
language = "en"
license = "none"
source = "nowhere"
citation = "nobody"
notes = "nothing"
format = "plain"
systems = 2
segments = 3
references = 1
judges = 1
judgments = 6

[[criteria]]
name = "grade"
low = 1
high = 5
direction = "higher"

[[files]]
repository = "owner/repo"
commit = "0123456789abcdef0123456789abcdef01234567"
path = "a/b (c).txt"
bytes = 5
sha256 = "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824"
"""


def test_the_public_corpora_are_listed_by_name():
    assert list(public_corpora()) == NAMES == [corpus.name for corpus in public_corpora().values()]
    assert all(isinstance(corpus, PublicCorpus) for corpus in public_corpora().values())


def test_an_entry_is_read_as_it_stands(tmp_path):
    path = tmp_path / "tiny.toml"
    path.write_text(GOOD)
    corpus = read_entry(path)

    assert (corpus.name, corpus.systems, corpus.source_language) == ("tiny", 2, "")
    assert (corpus.criteria[0].name, corpus.criteria[0].low, corpus.criteria[0].direction) == ("grade", 1.0, "higher")
    assert corpus.files[0].name == "owner/repo/a/b (c).txt"
    assert corpus.bytes == 5


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("name", "nam", "tiny.toml: the entry: unknown key 'nam'; did you mean 'name'?"),
        ('title = "Two files"\n', "", "tiny.toml: the entry: `title` is missing (a title of one line)."),
        ("systems = 2", "systems = 0", "tiny.toml: the entry: `systems` must be at least 1; got 0."),
        ("owner/repo", "owner", "tiny.toml: a repository must be OWNER/NAME; got 'owner'."),
        ("owner/repo", "owner/..", "tiny.toml: a repository must be OWNER/NAME; got 'owner/..'."),
        ("0123456789ab", "main", "tiny.toml: a commit must be 40 hexadecimal digits; got 'main"),
        ("2cf24", "", "tiny.toml: a SHA-256 must be 64 hexadecimal digits; got 'dba5"),
        ("a/b", "../b", "tiny.toml: a path must lie inside the repository, with '/' between its parts; got '../b (c)"),
        ("a/b", "a/../../b", "tiny.toml: a path must lie inside the repository"),
        ("a/b", "/b", "tiny.toml: a path must lie inside the repository"),
        ("a/b", "a//b", "tiny.toml: a path must lie inside the repository"),
        ("a/b", "a\\\\\\\\b", "tiny.toml: a path must lie inside the repository"),
        (
            '"higher"',
            '"up"',
            "tiny.toml: the entry: `criteria[0].direction` must be one of 'higher', 'lower'; got 'up'",
        ),
    ],
)
def test_what_is_wrong_in_an_entry_is_told(tmp_path, old, new, message):
    path = tmp_path / "tiny.toml"
    path.write_text(GOOD.replace(old, new, 1))
    with pytest.raises(UsageError) as caught:
        read_entry(path)
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize("name", NAMES)
def test_no_two_files_of_a_corpus_lie_at_the_same_place(name):
    names = [file.name.casefold() for file in public_corpora()[name].files]
    assert len(set(names)) == len(names) > 0


def test_the_files_are_those_that_the_owners_publish():
    with of_others("raw/sources.tsv").open(encoding="utf-8", newline="\n") as table:
        expected = {tuple(row.values()) for row in csv.DictReader(table, delimiter="\t", quoting=csv.QUOTE_NONE)}
    found = {
        (corpus.name, file.repository, file.commit, file.path, str(file.bytes), file.sha256)
        for corpus in public_corpora().values()
        for file in corpus.files
    }
    assert found == expected
    assert len(found) > 30


@pytest.mark.parametrize("name", NAMES)
def test_the_numbers_are_those_of_the_corpus_that_is_made_from_the_files(name):
    corpus, directory = public_corpora()[name], of_others("corpora") / name
    rows = [line.split("\t") for line in (directory / "judgments.tsv").read_text("utf-8").split("\n")[1:-1]]
    systems = sorted((directory / "systems").iterdir())
    described = tomllib.loads((directory / "corpus.toml").read_text("utf-8"))

    assert corpus.systems == len(systems)
    assert {path.read_bytes().count(b"\n") for path in systems} == {corpus.segments}
    assert corpus.references == len(list((directory / "references").iterdir()))
    assert corpus.judgments == len(rows)
    assert corpus.judges == len({row[2] for row in rows})
    assert {one.name for one in corpus.criteria} == {row[3] for row in rows}
    assert [vars(one) for one in corpus.criteria] == described["criteria"]
    assert corpus.language == described["language"]
    assert corpus.source_language == described.get("source_language", "")


def test_the_catalogue_is_read_without_what_only_a_download_needs():
    code = """if True:
        import sys
        from metaeval.corpora.download import fetch, unpack
        from metaeval.corpora.download.public import public_corpora
        public_corpora()
        print(sorted({"pooch", "requests", "tqdm", "urllib3"} & set(sys.modules)))
    """
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
