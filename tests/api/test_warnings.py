"""What a result says beside its numbers: Python warnings of the line that called, attributes, and text."""

from __future__ import annotations

import re
import warnings

import pandas as pd
import pytest

import metaeval

QUICK = {"criteria": ["adequacy"], "n_resamples": 60, "ceiling": 0}
ANNOTATORS = 'table(judges=["Anna","Ben"],criteria=["adequacy"])'


def broken(candidate: str) -> float:
    raise ZeroDivisionError("no words")


def ratings() -> pd.DataFrame:
    """Return ratings of three systems by Anna and Ben, a column each."""
    texts = {"A": "the cat sat", "B": "a cat sat", "C": "cat the on"}
    return pd.DataFrame(
        [
            {
                "segment": segment,
                "system": system,
                "text": f"{text} {segment}",
                "reference": f"the cat sat {segment}",
                "Anna": len(text) - segment % 3,
                "Ben": len(text) - segment % 2,
            }
            for segment in range(1, 13)
            for system, text in texts.items()
        ]
    )


def run_of(metrics, tmp_path):
    settings = {"uncertainty": {"n_resamples": 60}, "figures": [], "criteria": ["adequacy"]}
    return metaeval.run("system-level", overrides={"metrics": metrics, **settings}, output=tmp_path / "run")


VERBS = {
    "compare": lambda metrics, path: metaeval.compare("demo", metrics, **QUICK),
    "correlate": lambda metrics, path: metaeval.correlate(
        "demo", metrics, criteria=["adequacy"], uncertainty={"n_resamples": 60}
    ),
    "agreement": lambda metrics, path: metaeval.agreement(
        "demo", metrics=metrics, criteria="adequacy", n_resamples=20, n_draws=2
    ),
    "run": run_of,
    "score": lambda metrics, path: metaeval.score(metrics, ["a b c"], ["a b d"]),
}


@pytest.mark.parametrize("verb", VERBS)
def test_a_metric_that_fails_is_a_warning_an_attribute_and_in_what_is_shown(verb, tmp_path):
    with pytest.warns(metaeval.MetaevalWarning, match="left out: metric 'broken'.*ZeroDivisionError: no words"):
        found = VERBS[verb]([broken, "ter"], tmp_path)
    (failure,) = found.failures
    assert "ZeroDivisionError: no words" in failure
    assert failure in found.warnings
    assert f"note: {failure}" in str(found)
    assert "ZeroDivisionError: no words" in found._repr_html_()


def test_a_warning_is_of_the_line_that_called():
    with pytest.warns(metaeval.MetaevalWarning) as caught:
        metaeval.score([broken, "ter"], ["a b c"], ["a b d"])
    assert {warning.filename for warning in caught} == {__file__}


def test_a_result_without_notes_warns_of_nothing():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = metaeval.compare("demo", ["ter"], **QUICK)
    assert found.warnings == found.failures == ()
    assert "note:" not in str(found)


def test_notes_of_one_kind_are_folded_and_one_alone_keeps_its_remedy():
    table = ratings()
    with pytest.warns(metaeval.MetaevalWarning, match=re.escape("if they are judges, type source_formats='table(")):
        found = metaeval.compare(table, ["ter"], n_resamples=60, ceiling=0)
    assert {name.lower() for name in found.to_frame()["criterion"]} == {"anna", "ben"}


@pytest.mark.parametrize("form", [ANNOTATORS, [ANNOTATORS]])
def test_a_data_frame_is_read_in_the_format_that_is_given(form):
    table = ratings()
    found = metaeval.compare(table, ["ter"], source_formats=form, n_resamples=60, ceiling=0)
    assert found.to_frame()["criterion"].tolist() == ["adequacy"]
    assert set(metaeval.agreement(table, source_formats=form, n_resamples=20).judgments["judge"]) == {"Anna", "Ben"}
    quick = {"uncertainty": {"n_resamples": 60}}
    two = metaeval.correlate([table, "demo"], ["ter"], source_formats=[ANNOTATORS, "neutral"], **quick)
    assert set(two.correlations["corpus"]) == {"corpus", "demo"}


@pytest.mark.parametrize(
    ("form", "message"),
    [
        ("mqm", "`source_formats` must be table, or table(...) with parameters; got 'mqm'"),
        ("nonsense(foo=1)", "unknown format 'nonsense'"),
    ],
)
def test_a_format_that_no_data_frame_has_is_refused(form, message):
    for verb in (metaeval.compare, metaeval.correlate):
        with pytest.raises(metaeval.UsageError, match=re.escape(message)):
            verb(ratings(), ["ter"], source_formats=form)
    with pytest.raises(metaeval.UsageError, match=re.escape(message)):
        metaeval.agreement(ratings(), source_formats=form)


def test_a_format_of_a_corpus_that_was_read_is_refused():
    message = "`corpora[1]`, a Corpus, which was read before. Give it where the corpus is made"
    with pytest.raises(metaeval.UsageError, match=re.escape(message)):
        metaeval.compare(["demo", metaeval.load_corpus("demo")], ["ter"], source_formats=["neutral", "mqm"])


def test_making_a_corpus_warns_of_what_is_probably_a_mistake_and_keeps_the_rest():
    with pytest.warns(metaeval.MetaevalWarning, match="that were taken for criteria") as caught:
        made = metaeval.corpus(ratings())
    assert len(caught) == len(made.warnings) == 1
    assert any("does not declare the range" in note for note in made.notes)


def test_messages_in_python_name_no_option_of_the_terminal():
    demo, option = metaeval.load_corpus("demo"), re.compile(r"(?<!-)--[a-z]")
    wrong = [
        lambda: metaeval.compare(demo, ["ter"], criteria=["nothing"]),
        lambda: metaeval.compare(demo, ["ter"], filter=["nothing"]),
        lambda: metaeval.compare(demo, ["ter"], resample="documents(x)"),
        lambda: metaeval.run("system-level", overrides=["seed=x"]),
        lambda: metaeval.compare(demo, ["ter"], judges=["nobody"]),
        lambda: metaeval.compare(demo, ["ter"], labels="missing.toml"),
    ]
    for call in wrong:
        with pytest.raises(metaeval.UsageError) as error:
            call()
        assert not option.search(str(error.value))
