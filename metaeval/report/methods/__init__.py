"""A paragraph for the methods section of a paper: what a run did, in sentences with their numbers and citations."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from metaeval.bibliography import OWN, Source
from metaeval.report.methods.data import sentences_on_data
from metaeval.report.methods.described_run import DescribedRun
from metaeval.report.methods.paragraph import Methods, Sentence, citation_of
from metaeval.report.methods.statistics import sentences_on_statistics
from metaeval.report.methods.tasks import sentences_on_tasks
from metaeval.report.phrases import joined_names
from metaeval.results.model import RunData

_PACKAGE_NAMES = {"numpy": "NumPy", "scipy": "SciPy", "sacrebleu": "sacreBLEU", "snowballstemmer": "snowballstemmer"}
# What is cited for what a package does.
_CITED_PACKAGES = {"sacrebleu": "post2018", "snowballstemmer": "porter1980"}


def methods_of(run: RunData) -> Methods:
    """Describe a run, live or loaded: only by its tables, settings and facts.

    Parameters
    ----------
    run : RunData
        With the names of its config; labels are taken from it.
    """
    described = DescribedRun(run)
    statistics = sentences_on_tasks(described) if run.tables.tasks else sentences_on_statistics(described)
    methods = Methods((*sentences_on_data(described), *statistics), described.signatures)
    return replace(methods, sentences=(*methods.sentences, *_version_sentences(run, methods.sources)))


def _version_sentences(run: RunData, cited: Iterable[Source]) -> Iterator[Sentence]:
    """Name the software that computed the numbers, and the seed; some packages only where what they do is cited."""
    facts = run.facts
    keys = {source.key for source in cited}
    if "metaeval" not in facts:
        return
    versions = [f"Python {facts['python']}"] if "python" in facts else []
    for name, version in facts.get("packages", {}).items():
        if name in _PACKAGE_NAMES and (name not in _CITED_PACKAGES or _CITED_PACKAGES[name] in keys):
            versions.append(f"{_PACKAGE_NAMES[name]} {version}")
    with_others = f" under {joined_names(versions)}" if versions else ""
    seed = f"; the random seed is {facts['seed']}" if "seed" in facts else ""
    yield (f"All numbers were computed with metaeval {facts['metaeval']}", *citation_of(OWN), f"{with_others}{seed}")
