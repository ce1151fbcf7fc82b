"""Corpora in formats of others, named by ``--source-format`` on every verb that reads one."""

from __future__ import annotations

import pytest

import metaeval
from metaeval.cli import main
from metaeval.errors import UsageError

VERBS = {
    "show": ["corpus", "show", "{}"],
    "check": ["corpus", "check", "{}"],
    "compare": ["compare", "--corpus", "{}", "-m", "bleu", "ter", "--resamples", "20", "--quiet"],
    "agreement": ["agreement", "--corpus", "{}", "--resamples", "20", "--quiet"],
    "score": ["score", "--corpus", "{}", "-m", "bleu"],
    "run": ["run", "system-level", "--corpus", "{}", "--set", "uncertainty.n_resamples=20", "--quiet"],
}


@pytest.mark.parametrize("verb", VERBS)
def test_a_named_format_is_the_one_that_reads(verb, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    given = [word.format("demo") for word in VERBS[verb]]
    assert main([*given, "--source-format", "neutral"]) == 0
    right = capsys.readouterr().out
    assert main(given) == 0
    assert capsys.readouterr().out == right
    # Another format looks for other files, and says so.
    assert main([*given, "--source-format", "sgml"]) in (2, 3)
    told = capsys.readouterr()
    assert "<srcset>" in told.err + told.out


@pytest.mark.parametrize("verb", VERBS)
def test_an_unknown_format(verb, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main([word.format("demo") for word in VERBS[verb]] + ["--source-format", "neutrl"]) == 2
    assert "unknown format 'neutrl'; did you mean 'neutral'?" in capsys.readouterr().err


def test_one_for_all_corpora_or_one_for_each():
    with pytest.raises(UsageError, match="one format for all 1 corpora or one for each; got 2"):
        metaeval.correlate("demo", "bleu", source_formats=["neutral", "sgml"])


def test_files_have_no_format():
    with pytest.raises(UsageError, match="`source_formats` belong to `corpus`"):
        metaeval.score_files("bleu", "a.txt", "b.txt", source_formats="sgml")
    with pytest.raises(UsageError, match="give one of the two"):
        metaeval.score_files("bleu", "a.txt", corpus="demo")


def test_a_corpus_is_scored_as_by_the_function_for_texts():
    by_name = metaeval.score_files(["bleu", "ter"], references=["ref2"], corpus="demo", tokenizer="13a")
    corpus = metaeval.load_corpus("demo")
    loaded = metaeval.score(["bleu", "ter"], corpus, ["ref2"], preprocessing='case(tokenizer="13a")')
    assert by_name.to_frame().equals(loaded.to_frame())
