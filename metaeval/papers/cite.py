"""Citations for metrics, preprocessing, corpora, experiments and finished runs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from metaeval.bibliography import OWN, Source, as_bibtex, corpus_source, find_source
from metaeval.components.registries import COEFFICIENTS, CORRECTIONS, INTERVALS, METRICS, PREPROCESSING, TESTS
from metaeval.config.schema import Experiment
from metaeval.corpora.catalogue import describe_source, known_corpora
from metaeval.errors import UsageError, unknown
from metaeval.experiment.config_file import LoadedConfig, shipped_configs
from metaeval.metrics import get_metric, is_metric
from metaeval.papers.config import load_config
from metaeval.report.methods import methods_of
from metaeval.results.store import CONFIG, read_run
from metaeval.runtime.atomic_directory import MANIFEST
from metaeval.text.preprocessing import get_preprocessing
from metaeval.text.tokenizers import TOKENIZERS, tokenizer_sources

FORMATS = ("text", "bibtex")
_STATISTICS_REGISTRIES = (COEFFICIENTS, TESTS, INTERVALS, CORRECTIONS)
Used = Iterator[tuple[str, Source]]


@dataclass(frozen=True)
class Citation:
    """A source, and what it is cited for, each as the user wrote it."""

    source: Source
    used_for: tuple[str, ...]


def citations(names: Sequence[str]) -> list[Citation]:
    """Return the citations: metaeval itself, then the sources of each name, every source once.

    Parameters
    ----------
    names : sequence of str
        Metrics, preprocessing, tokenizers, coefficients, tests, intervals, corrections, corpora, configs (by name or
        TOML file) and directories of runs.

    Raises
    ------
    UsageError
        If a name is none of these, or what it names cannot be read.
    CorpusError
        If the files of a corpus are wrong.
    """
    used_for: dict[Source, list[str]] = {find_source(OWN): [OWN]}
    for name in names:
        for use, source in _sources(name):
            uses = used_for.setdefault(source, [])
            if use not in uses:
                uses.append(use)
    return [Citation(source, tuple(uses)) for source, uses in used_for.items()]


def formatted(citations: Sequence[Citation], form: str) -> str:
    """Return citations as text, each with what it is for, or as a file of BibTeX.

    Raises
    ------
    UsageError
        If the format is neither ``text`` nor ``bibtex``.
    """
    if form not in FORMATS:
        raise UsageError(unknown("format", form, FORMATS))
    if form == "bibtex":
        return as_bibtex([item.source for item in citations])
    return "\n\n".join(f"{item.source}\n    for {', '.join(item.used_for)}" for item in citations)


def _sources(name: str) -> Used:
    """Yield the parts of one name, and the sources of each; known names go before paths."""
    path = Path(name)
    if name in known_corpora():
        yield _corpus(name)
    elif name in TOKENIZERS:
        yield from ((name, find_source(key)) for key in tokenizer_sources(name))
    elif name in shipped_configs():
        yield from _config(name)
    elif is_metric(name) or _head(name) in PREPROCESSING:
        yield from _metric_or_preprocessing(name)
    elif any(registry.knows(_head(name)) for registry in _STATISTICS_REGISTRIES):
        kind = next(registry for registry in _STATISTICS_REGISTRIES if registry.knows(_head(name))).named(name)
        yield from ((" ".join(name.split()), find_source(key)) for key in kind.sources)
    elif (path / MANIFEST).exists():
        yield from _run(path)
    elif path.is_file() and path.suffix == ".toml":
        yield from _config(name)
    elif path.exists():
        yield _corpus(name)
    else:
        statistics = (statistic for registry in _STATISTICS_REGISTRIES for statistic in (*registry, *registry.synonyms))
        known = (*METRICS, *PREPROCESSING, *TOKENIZERS[1:], *statistics, *shipped_configs(), *known_corpora())
        raise UsageError(f"{unknown('name', name, known)} There is no run, config or corpus at that path either.")


def _head(name: str) -> str:
    """Return the name before the parameters; nothing for a path."""
    return name.partition("(")[0].strip()


def _metric_or_preprocessing(name: str) -> Used:
    keys = get_metric(name).sources if is_metric(name) else get_preprocessing(name).sources
    yield from ((" ".join(name.split()), find_source(key)) for key in keys)


def _corpus(name: str) -> tuple[str, Source]:
    description = describe_source(name)
    return f"corpus {description.name}", corpus_source(
        description.name, description.title, description.source, description.citation
    )


def _config(name: str) -> Used:
    loaded = load_config(name)
    treatments = [treatment.written for experiment in _experiments(loaded) for treatment in experiment.preprocessing]
    yield from _experiment(loaded.name, loaded, treatments)
    for corpus in dict.fromkeys(name for panel in loaded.panels for name, _, _ in panel.corpora):
        yield _corpus(corpus)


def _experiments(loaded: LoadedConfig) -> Iterator[Experiment]:
    """Yield the experiments of each panel: several where corpora have settings of their own."""
    for panel in loaded.panels:
        yield from panel.experiments


def _experiment(name: str, loaded: LoadedConfig, treatments: Iterable[str]) -> Used:
    if loaded.experiment.source:
        yield f"experiment {name}", find_source(loaded.experiment.source)
    metrics = (metric.written for experiment in _experiments(loaded) for metric in experiment.metrics)
    for written in dict.fromkeys((*metrics, *treatments)):
        yield from _metric_or_preprocessing(written)


def _run(directory: Path) -> Used:
    """Yield the parts of a finished run; its manifest names the corpora, which need not be there any more.

    Its tables name the preprocessing, which its config may leave to the default of its time.
    """
    run = read_run(directory)
    treatments = (row.key.preprocessing for row in run.tables.correlations)
    loaded = load_config(directory / CONFIG)
    used = [*_experiment(str(run.facts["config"]), loaded, filter(None, treatments))]
    used += [
        (f"corpus {corpus.name}", corpus_source(corpus.name, corpus.title, corpus.source, corpus.citation))
        for corpus in run.corpora
    ]
    yield from used
    known = {find_source(OWN), *(source for _, source in used)}
    # Statistics, and what else methods.tex cites.
    yield from (("methods of the run", source) for source in methods_of(run).sources if source not in known)
