"""A corpus that is simulated says so wherever people read its numbers."""

from __future__ import annotations

import pytest

import metaeval
from tests.support.corpus import write

WORDS = "simulated data"
KINDS = ("intervals", "heat-table", "scatter", "judges", "agreement", "nist-share")
OVERRIDES = [
    'metrics=["nist(order=1)", "nist(order=2)"]',
    "uncertainty.n_resamples=20",
    "figures=[" + ", ".join(f'{{kind="{kind}", formats=["svg"]}}' for kind in KINDS) + "]",
]


@pytest.mark.parametrize("simulated", [True, False])
def test_tables_figures_and_page_of_a_run_say_so(tmp_path, simulated):
    corpus = "demo" if simulated else write(tmp_path / "corpus")
    run = metaeval.run("system-level", corpora=corpus, overrides=OVERRIDES, output=tmp_path / "run")
    pictures = sorted((run.directory / "figures").glob("*.t*"))  # their captions, as text and LaTeX
    files = [*(run.directory / name for name in ("report.html", "tables.md", "tables.tex", "numbers.tex")), *pictures]

    assert {path.stem.partition("_")[0] for path in pictures} == set(KINDS)
    said = {path.name: WORDS in path.read_text() for path in files}
    assert said == dict.fromkeys(said, simulated)


def test_agreement_says_so(tmp_path):
    made, real = (metaeval.agreement(corpus, n_resamples=20) for corpus in ("demo", write(tmp_path / "corpus")))

    assert "\nSimulated data: no evidence about real judges.\n" in made.text()
    assert "imulated" not in real.text()
    assert made.to_frame("design")["simulated"].tolist() == [True, True]
    assert not real.to_frame("design")["simulated"].any()
    assert f"demo ({WORDS}). Who judged what." in made.to_markdown()


def test_scores_say_so(tmp_path):
    corpora = (metaeval.load_corpus("demo"), metaeval.load_corpus(write(tmp_path / "corpus")))
    made, real = (metaeval.score("bleu", corpus) for corpus in corpora)

    assert f"Scores of demo ({WORDS}), level " in made.to_markdown()
    assert "Scores of tiny, level " in real.to_markdown()
