"""ESA campaigns: logs of Pearmut, and JSON Lines of WMT's metrics tasks since 2024."""

from __future__ import annotations

import json

import numpy as np
import pytest

from metaeval.corpora.read import read_sources
from tests.support import examples
from tests.support.gold import of_others
from tests.support.reports import told


def read(path, format_=""):
    corpus, problems = read_sources([path], [format_] if format_ else ())
    assert corpus is not None, problems.errors
    return corpus, problems


def spans_of(corpus):
    """Return the spans of a corpus: name, segment, judge, start, end, severity."""
    spans = corpus.spans
    columns = (spans.text, spans.segment, spans.judge, spans.start, spans.end, spans.severity)
    return [
        (spans.names[t], int(g), spans.judges[j], int(a), int(b), spans.severities[s])
        for t, g, j, a, b, s in zip(*columns, strict=True)
    ]


def lines(path, *rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def test_a_log_gives_the_figures_of_its_own_programs():
    """Pearmut counts the last annotation of an item, WMT26's program the mean of each; characters end inclusively."""
    corpus, problems = read(of_others("gold/tasks/inputs/pearmut/annotations.jsonl"))
    rows = [line.split("\t") for line in of_others("gold/tasks/expected/pearmut.tsv").read_text().splitlines()[1:]]
    judgments, spans = corpus.judgments, corpus.spans
    for model, n_items, n, last, mean, minor, major, characters in rows:
        mine = judgments.where(judgments.system == corpus.systems.index(model))
        scores: dict[int, list[float]] = {}
        for segment, score in zip(mine.segment.tolist(), mine.score.tolist(), strict=True):
            scores.setdefault(segment, []).append(score)
        assert (len(scores), len(mine)) == (int(n_items), int(n))
        assert np.mean([one[-1] for one in scores.values()]) == pytest.approx(float(last), abs=1e-8)
        assert np.mean([np.mean(one) for one in scores.values()]) == pytest.approx(float(mean), abs=1e-8)
        own = spans.text == spans.names.index(model)
        severities = np.array(spans.severities)[spans.severity[own]].tolist()
        assert (severities.count("minor"), severities.count("major")) == (int(minor), int(major))
        assert (spans.end - spans.start)[own].sum() == int(characters)
    # The log is invented: it shows other texts of an item to the second person.
    assert "shows 12 texts otherwise than before" in told(problems, "warning")


def test_what_a_log_says_beside_its_data_is_counted(tmp_path):
    (path,) = examples.pearmut(tmp_path)
    corpus, problems = read(path, 'pearmut(references=["refA", "refB"])')
    assert set(told(problems, "note").split("\n")) >= {
        f"{path}: left out: 1 items that are tutorials or checks.",
        f"{path}: left out: 2 items taken back.",
        f"{path}: left out: 2 items skipped.",
    }
    assert corpus.segment_facts == {"domain": ("news",) * 4}
    # The end of a span is its last character, and the empty output of A has no first one: something is missing there.
    expected = [(name, g, "ann", 0, 1, "minor") for name in ("A", "B") for g in range(4)]
    expected[expected.index(("A", 2, "ann", 0, 1, "minor"))] = ("A", 2, "ann", -1, -1, "minor")
    assert sorted(spans_of(corpus)) == sorted(expected)


def test_of_two_annotations_by_one_person_the_last_counts(tmp_path):
    item = {"item_id": "d_###_1", "src": "x", "tgt": {"A": "y"}}
    page = {"user_id": "ann", "item_i": 0, "item": [item], "actions": []}
    path = lines(tmp_path / "log.jsonl", *({**page, "annotation": [{"A": {"score": score}}]} for score in (10, 30)))
    corpus, problems = read(path)
    assert corpus.judgments.score.tolist() == [30.0]
    assert "left out: 1 annotations given again by the same person" in told(problems, "note")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"item": ["x"]}, "'item' must be a list of objects with an 'item_id'."),
        ({"annotation": []}, "'annotation' must be a list of 1, one for each item."),
        ({"annotation": [{"A": 5}]}, "an annotation must be an object of objects by system, or null."),
        ({"annotation": [{"A": {"score": "good"}}]}, "the score must be a finite number; got 'good'."),
        ({"annotation": [{"A": {"score": 1, "error_spans": [3]}}]}, "the errors must be a list of objects; got '[3]'"),
        (
            {"annotation": [{"A": {"score": 1, "error_spans": [{"start_i": 0.5, "end_i": 1}]}}]},
            "'start_i', 'end_i' of an error must be whole numbers; got 0.5 and 1.",
        ),
    ],
)
def test_what_is_wrong_in_a_log_is_told_with_its_line(change, message, tmp_path):
    item = {"item_id": "d_###_1", "src": "x", "tgt": {"A": "y"}}
    page = {"user_id": "ann", "item_i": 0, "item": [item], "annotation": [{"A": {"score": 1}}]}
    path = lines(tmp_path / "log.jsonl", page, page | change)
    _, problems = read_sources([path])
    assert f"{path}:2: {message}" in told(problems, "error")


def test_the_files_of_2024_have_an_object_for_each_output(tmp_path):
    row = {"langs": "en-de", "doc_id": "d", "line_id": 3, "src": "x", "esa_score": 70}
    spans = [{"start_i": 0, "end_i": 2, "severity": "major"}, {"start_i": "missing", "end_i": "missing"}]
    rows = [row | {"system": name, "tgt": f"{name} text", "esa_spans": spans * (name == "A")} for name in ("A", "B")]
    corpus, _ = read(lines(tmp_path / "esa.jsonl", *rows))
    assert (corpus.systems, corpus.candidates) == (("A", "B"), (("A text",), ("B text",)))
    assert corpus.judgments.score.tolist() == [70, 70]
    # Ends lie behind the last character there.
    assert spans_of(corpus) == [("A", 0, "esa", 0, 2, "major"), ("A", 0, "esa", -1, -1, "")]


def test_the_files_of_2026_have_texts_and_predictions(tmp_path):
    row = {
        "item_id": "official_###_eng_###_deu_###_news_###_d7_###_0",
        "src": "a\nb",
        "ref": {"text": "r", "type": "p"},
    }
    row |= {"hyps": {"A": "one\n\ntwo", "B": "x"}, "task2_pred": {"A": 80.5, "B": 3}}
    row |= {"task1_pred": {"A": {"errors": [{"start": 1, "end": 4, "severity": "minor"}], "omission": False}}}
    corpus, problems = read(lines(tmp_path / "mine.jsonl", row))
    assert corpus.candidates == (("one\n\ntwo",), ("x",))
    assert (corpus.references, corpus.sources) == ({"ref": ("r",)}, ("a\nb",))
    assert corpus.segment_facts == {"domain": ("news",)}
    (scores,) = corpus.scores
    assert (scores.name, scores.level, scores.values.tolist()) == ("mine", "segment", [[80.5], [3.0]])
    assert spans_of(corpus) == [("A", 0, "mine", 1, 4, "minor")]
    assert "has line feeds inside 2 texts; they are kept." in told(problems, "note")


def test_a_file_of_several_language_pairs_needs_one(tmp_path):
    rows = [{"doc_id": f"{pair}_#_news_#_o_#_1", "tgt_text": {"A": pair}} for pair in ("en-de", "en-cs")]
    path = lines(tmp_path / "humeval.jsonl", *rows)
    _, problems = read_sources([path])
    assert "has the language pairs 'en-cs', 'en-de'; name one in the format, as in wmt-json(pair=\"en-cs\")." in told(
        problems, "error"
    )
    corpus, _ = read(path, 'wmt-json(pair="en-de")')
    assert corpus.candidates == (("en-de",),)
    _, problems = read_sources([path], ['wmt-json(pair="de-en")'])
    assert "has no language pair 'de-en'; it has 'en-cs', 'en-de'." in told(problems, "error")
