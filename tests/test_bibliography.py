"""The one list of what to cite, and how it is written as text and as BibTeX."""

from __future__ import annotations

import itertools
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metaeval.bibliography import OWN, Source, as_bibtex, bibliography, find_source
from metaeval.components.registries import COEFFICIENTS, CORRECTIONS, INTERVALS, METRICS, TESTS
from metaeval.experiment.config_file import shipped_configs
from metaeval.papers.config import load_config
from metaeval.text.preprocessing import get_preprocessing
from metaeval.text.tokenizers import TOKENIZERS, tokenizer_sources
from tests.metrics.test_descriptions import combinations

STATISTICS = [kind() for registry in (COEFFICIENTS, TESTS, INTERVALS, CORRECTIONS) for kind in registry.values()]
KEY = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")


def test_entries_are_whole():
    for key, source in bibliography().items():
        assert KEY.fullmatch(key)
        assert source.key == key
        assert source.authors, key
        assert source.title or source.note, key
        if source.kind in ("paper", "article"):
            assert source.venue, key
            assert str(source.year) in key
            assert key.startswith(re.sub("[^a-z]", "", source.authors[0].split(",")[0].lower().replace("ß", "ss")))
        assert re.fullmatch(r"(\d+-\d+)?", source.pages), key
        assert re.fullmatch(r"(10\.\d{4,}/\S+)?", source.doi), key


def test_every_entry_is_cited_by_something():
    used = {OWN}
    for name in METRICS:
        for arguments, metric in combinations(name):
            assert len({*metric.sources}) == len(metric.sources) > 0, (name, arguments)
            used.update(metric.sources)
    used |= {key for name in TOKENIZERS for key in tokenizer_sources(name)}
    used |= {key for name in ("case", "nocase", "stem") for key in get_preprocessing(name).sources}
    used |= {load_config(name).experiment.source for name in shipped_configs()} - {""}
    used |= set().union(*named_in_docstrings("correlation").values())
    used |= {key for kind in STATISTICS for key in kind.sources}
    used |= set().union(*named_in_docstrings("ratings/agreement").values())
    used |= set().union(*named_in_docstrings("ratings").values())
    assert used == set(bibliography())


def test_sources_of_statistics_are_known():
    without = {kind.name for kind in STATISTICS if not kind.sources}
    assert without == {"pearson", "normal", "none"}


def named_in_docstrings(stage: str) -> dict[str, set[str]]:
    """Return the keys that the docstring of each module of a stage names."""
    found = {}
    for path in (Path(__file__).parents[1] / "metaeval" / stage).glob("*.py"):
        head = path.read_text(encoding="utf-8").partition("from __future__")[0]
        if "`bibliography.toml`:" in head:
            found[path.stem] = set(re.findall(r"\b[a-z]+\d{4}\b", head.partition("`bibliography.toml`:")[2]))
    return found


@pytest.mark.parametrize(
    ("stage", "modules"),
    [
        ("metrics", {"bleu", "gtm", "nist", "wer", "per", "ter", "rouge", "rouge_l", "rouge_w", "rouge_s"}),
        ("ratings/agreement", {"krippendorff", "raters"}),
        ("ratings", {"means"}),
        ("correlation", {"williams", "fisher_intervals", "multiple_tests", "influence", "ceiling"}),
    ],
)
def test_docstrings_name_known_keys(stage, modules):
    found = named_in_docstrings(stage)
    assert set(found) >= modules
    assert all(keys and keys <= set(bibliography()) for keys in found.values())


def test_a_source_as_text():
    assert str(bibliography()["porter1980"]) == (
        "Martin F. Porter (1980): An algorithm for suffix stripping. Program, 14(3), pages 130-137. "
        "doi:10.1108/eb046814"
    )
    assert str(bibliography()["finch2004"]).startswith("Andrew Finch, Yasuhiro Akiba, Eiichiro Sumita (2004): How does")
    assert "increases? Proceedings" in str(bibliography()["finch2004"])
    assert str(find_source("Doe (2024):\n  A metric.")) == "Doe (2024): A metric."


def test_a_source_as_bibtex():
    assert bibliography()["lin2004"].bibtex("rouge") == (
        "@inproceedings{rouge,\n"
        "  author = {Lin, Chin-Yew},\n"
        "  title = {{ROUGE:} a package for automatic evaluation of summaries},\n"
        "  year = {2004},\n"
        "  booktitle = {Text Summarization Branches Out},\n"
        "  pages = {74--81}\n"
        "}"
    )
    porter = bibliography()["porter1980"].bibtex("porter1980").splitlines()
    assert porter[0] == "@article{porter1980,"
    assert porter[4:] == [
        "  journal = {Program},", "  volume = {14},", "  number = {3},", "  pages = {130--137},",
        "  doi = {10.1108/eb046814}", "}"
    ]  # fmt: skip
    lin_och = bibliography()["linoch2004"].bibtex("linoch2004")
    assert "author = {Lin, Chin-Yew and Och, Franz Josef}" in lin_och
    # A group is no person with a family name, and `and` in its name separates no authors.
    mteval = bibliography()["mteval"].bibtex("mteval")
    assert "author = {{National Institute of Standards and Technology}}" in mteval


def test_special_characters_are_escaped_but_not_in_a_doi():
    text = Source(title="50% of C_1 & {D}", note="~#$^\\", doi="10.1162/tacl_a_00474").bibtex("x")
    assert r"title = {50\% of {C\_1} \& {\textbraceleft{}D\textbraceright{}}}" in text
    assert r"note = {\textasciitilde{}\#\$\textasciicircum{}\textbackslash{}}" in text
    assert "doi = {10.1162/tacl_a_00474}" in text


def depth(text: str) -> list[int]:
    """Return how deep in braces each character stands, as BibTeX counts: a backslash does not matter."""
    return list(itertools.accumulate({"{": 1, "}": -1}.get(character, 0) for character in text))


@given(st.lists(st.text(st.characters(codec="utf-8", exclude_categories=["Cc"]), min_size=1, max_size=30), max_size=6))
def test_any_words_give_entries_with_unique_keys_and_balanced_braces(texts):
    sources = [find_source(text) for text in [*texts, *texts[:1]]] + list(bibliography().values())
    written = as_bibtex(sources)
    keys = re.findall(r"^@[a-z]+\{([^,\n]+),$", written, re.MULTILINE)

    assert len(keys) == len(sources) == len(set(keys))
    assert all(KEY.fullmatch(key) for key in keys)
    depths = depth(written)
    assert min(depths) == 0
    assert depths[-1] == 0
    # Every entry begins outside all braces.
    assert all(depths[match.start()] == 0 for match in re.finditer(r"^@", written, re.MULTILINE))
