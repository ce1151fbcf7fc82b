"""The public verbs of metaeval.

The command line calls these and nothing else.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from metaeval import parameters

if TYPE_CHECKING:
    from metaeval.corpora.catalogue import check_corpus, convert_corpus, fetch_corpus, list_corpora, load_corpus
    from metaeval.experiments.agreement import Agreement, agreement
    from metaeval.experiments.results import Estimate, Results
    from metaeval.experiments.run import Run
    from metaeval.experiments.score import Scores
    from metaeval.records import Corpus

__all__ = [
    "Agreement",
    "Corpus",
    "Estimate",
    "Results",
    "Run",
    "Scores",
    "agreement",
    "check_corpus",
    "cite",
    "convert_corpus",
    "correlate",
    "describe_corpus",
    "describe_format",
    "describe_metric",
    "fetch_corpus",
    "list_corpora",
    "list_formats",
    "list_metrics",
    "load_corpus",
    "preset_lengths",
    "run",
    "score",
    "score_files",
    "simulate_corpus",
]


# What is public here and stands elsewhere. Each verb imports what it needs when it is called, because scoring a text
# must not wait for what an experiment needs.
_ELSEWHERE = {
    "Agreement": "metaeval.experiments.agreement",
    "Corpus": "metaeval.records",
    "Estimate": "metaeval.experiments.results",
    "Results": "metaeval.experiments.results",
    "Run": "metaeval.experiments.run",
    "Scores": "metaeval.experiments.score",
    "agreement": "metaeval.experiments.agreement",
    "check_corpus": "metaeval.corpora.catalogue",
    "convert_corpus": "metaeval.corpora.catalogue",
    "fetch_corpus": "metaeval.corpora.catalogue",
    "list_corpora": "metaeval.corpora.catalogue",
    "load_corpus": "metaeval.corpora.catalogue",
}


def __getattr__(name: str) -> object:
    if name in _ELSEWHERE:
        return getattr(importlib.import_module(_ELSEWHERE[name]), name)
    raise AttributeError(f"module 'metaeval.api' has no attribute {name!r}")


def run(
    config: str | Path,
    *,
    corpora: Sequence[str | Path] = (),
    overrides: Sequence[str] = (),
    output: str | Path | None = None,
    jobs: int = 1,
    progress: Callable[[str], None] = lambda line: None,
) -> Run:
    """Run an experiment.

    Parameters
    ----------
    config : str or Path
        The name of a config that ships, such as ``turian2003-chinese``, or a TOML file.
    corpora : sequence of str or Path
        Names or directories of corpora to use instead of those of the config.
    overrides : sequence of str
        Other values for keys of the config: ``"documents.count=200"``.
    output : str or Path, optional
        The directory to write; ``runs/NAME`` of the config if none is given. An earlier run there is replaced.
    jobs : int, default 1
        How many measure at once. The results are the same bits for any number.
    progress : callable, optional
        Told a line at the beginning of each stage.

    Returns
    -------
    Run
        Tables as data frames, and the directory that holds them with the figures.

    Raises
    ------
    UsageError
        If a name, key or value is wrong, or the experiment cannot be run on the corpus.
    CorpusError
        If the files of a corpus are wrong.
    """
    from metaeval.experiments.config import load_config
    from metaeval.experiments.run import run_experiment

    loaded = load_config(config, overrides=_listed(overrides), corpora=[str(corpus) for corpus in _listed(corpora)])
    directory = Path(output) if output is not None else Path("runs") / loaded.name
    return run_experiment(loaded, directory, jobs=jobs, progress=progress)


def correlate(
    corpora: str | Path | Sequence[str | Path],
    metrics: str | Sequence[str],
    *,
    jobs: int = 1,
    progress: Callable[[str], None] = lambda line: None,
    **settings: Any,
) -> Results:
    """Relate metrics to people, without writing a run.

    Parameters
    ----------
    corpora : str or Path, or a sequence of them
        Names or directories.
    metrics : str or sequence of str
        Names with parameters: ``["bleu", "gtm(exponent=2)"]``.
    jobs : int, default 1
        How many measure or resample at once. The results are the same bits for any number.
    progress : callable, optional
        Told a line at the beginning of each stage.
    **settings
        Any other keys of a config, tables as mappings: ``criteria=["adequacy"]``, ``documents={"kind": "segments"}``,
        ``tests=[{"method": "bootstrap"}]``. What is not given is as in the config ``system-level``: the whole test set,
        Pearson and Spearman, limits from a bootstrap over segments; or else the default of the key.

    Returns
    -------
    Results
        Tables as data frames, and each number as a record with its replicates.

    Raises
    ------
    UsageError
        If a name, key or value is wrong, or the experiment cannot be run on the corpus.
    CorpusError
        If the files of a corpus are wrong.
    """
    from metaeval.experiments.compute import compute_experiment
    from metaeval.experiments.config import Experiment
    from metaeval.experiments.results import Results

    names = [str(corpus) for corpus in _listed(corpora)]
    content: dict[str, Any] = {"title": "Correlation", "corpora": names, "metrics": list(_listed(metrics))}
    defaults: dict[str, dict[str, Any]] = {
        "documents": {"kind": "all"},
        "correlation": {"coefficients": ["pearson", "spearman"]},
        "uncertainty": {"method": "bootstrap"},
    }
    for name, table in defaults.items():
        given = settings.get(name, {})
        settings[name] = {**table, **given} if isinstance(given, Mapping) else given
    experiment = parameters.build(Experiment, content | settings, subject="correlate", noun="key")
    return Results(**Results.fields_of(compute_experiment(experiment, jobs=jobs, progress=progress)))


def score(
    metrics: Sequence[str],
    candidates: Mapping[str, Sequence[str]],
    references: Mapping[str, Sequence[str | None]],
    *,
    condition: str = "case",
    level: str = "corpus",
) -> list[Scores]:
    """Score texts.

    Parameters
    ----------
    metrics : sequence of str
        Names with parameters: ``["bleu", "gtm(exponent=2)"]``.
    candidates : mapping of str to sequence of str
        The segments of each text to score, by name.
    references : mapping of str to sequence of (str or None)
        The segments of each reference, by name; None is an absent reference, "" an empty one.
    condition : str, default "case"
        The treatment of the texts: ``nocase``, ``case(tokenizer="13a")``.
    level : "corpus" or "segment"

    Returns
    -------
    list of Scores
        One for each metric: values (candidates, units), statistics (candidates, units, statistics), signature.

    Raises
    ------
    UsageError
        If a metric or condition is unknown, or the texts have different numbers of segments.

    Examples
    --------
    >>> (bleu,) = score(["bleu(order=1)"], {"mine": ["a b c d"]}, {"ref": ["a b x d"]})
    >>> bleu.values
    array([[0.75]])
    """
    from metaeval.experiments.score import score_texts
    from metaeval.text.conditions import get_condition

    return score_texts(_listed(metrics), candidates, references, get_condition(condition), level)


def score_files(
    metrics: Sequence[str],
    candidates: Sequence[str | Path],
    references: Sequence[str | Path],
    *,
    tokenizer: str = "none",
    lowercase: bool = False,
    stem: bool = False,
    level: str = "corpus",
    progress: Callable[[str], None] = lambda line: None,
) -> list[Scores]:
    """Score text files with one segment a line.

    Parameters
    ----------
    metrics : sequence of str
        Names with parameters.
    candidates : sequence of str or Path
        Files to score.
    references : sequence of str or Path
        Files, or directories of .txt files. An empty line is an empty reference.
    tokenizer : str, default "none"
        How lines are cut into tokens; ``none`` splits at white space.
    lowercase, stem : bool
        Lower-case; lower-case and stem with Porter's algorithm.
    level : "corpus" or "segment"
    progress : callable, optional
        Told what is remarkable in the files.

    Returns
    -------
    list of Scores
        As from :func:`score`.

    Raises
    ------
    UsageError
        If a metric or tokenizer is unknown.
    CorpusError
        If a file cannot be read, or the numbers of lines differ.
    """
    from metaeval import _kernels as kernels
    from metaeval.corpora.plain import read_plain
    from metaeval.experiments.measure import named_metrics
    from metaeval.experiments.score import score_texts
    from metaeval.text.conditions import make_condition

    condition = make_condition(tokenizer=tokenizer, lowercase=lowercase, stem=stem)
    named_metrics(_listed(metrics))  # a misspelt metric is told before large files are read
    texts, reference_texts, messages = read_plain(_listed(candidates), _listed(references))
    for message in (*filter(None, [kernels.missing()]), *messages):
        progress(message)
    return score_texts(_listed(metrics), texts, reference_texts, condition, level)


def _listed(items: Any) -> Any:
    """Return a list; one text or path alone is a list of one, never of its letters."""
    return [items] if isinstance(items, str | Path) else items


def simulate_corpus(
    preset: str,
    directory: str | Path,
    *,
    seed: int = 1,
    systems: int | None = None,
    segments: int | None = None,
    references: int | None = None,
    judges: int | None = None,
    closeness: float | None = None,
    progress: Callable[[str], None] = lambda line: None,
) -> dict[str, tuple[float, float, int, int]]:
    """Make a simulated corpus whose truth is known.

    Parameters
    ----------
    preset : str
        The shape of a paper's corpus: ``mtc-chinese``, ``mtc-arabic``, ``mtc-arabic-2003``, ``nist2003-chinese`` or
        ``btec``.
    directory : str or Path
        A directory that does not exist yet, or is empty.
    seed : int, default 1
        The same seed gives the same bytes.
    systems, segments, references, judges : int, optional
        Other sizes than the preset's.
    closeness : float, optional
        How near the systems lie to one another; 1 in most presets.
    progress : callable, optional
        Told a line every thousand segments.

    Returns
    -------
    dict of str to (mean, s.d., shortest, longest)
        Lengths in words of ``references`` and ``candidates``.

    Raises
    ------
    UsageError
        If the preset is unknown, a size is impossible, or the directory holds something.
    """
    from metaeval.corpora.simulation.presets import get_preset
    from metaeval.corpora.simulation.write import simulate

    sizes = {"systems": systems, "segments": segments, "references": references, "judges": judges}
    shape = get_preset(preset).with_sizes(**sizes, closeness=closeness)
    return simulate(shape, Path(directory), seed, progress)


def preset_lengths(preset: str) -> tuple[float, float, int, int]:
    """Return the lengths of references that a preset is fitted to, in words: mean, s.d., shortest, longest."""
    from metaeval.corpora.simulation.presets import get_preset

    lengths = get_preset(preset).lengths
    return lengths.mean, lengths.sd, lengths.shortest, lengths.longest


def list_formats() -> list[dict[str, Any]]:
    """Return a row for each format that can be read: name, what it is, what it looks like, parameters."""
    from metaeval.corpora.formats import READERS
    from metaeval.corpora.read import NEUTRAL, NEUTRAL_EXPECTS, NEUTRAL_TITLE

    rows = [{"name": NEUTRAL, "title": NEUTRAL_TITLE, "looks_like": NEUTRAL_EXPECTS, "parameters": ""}]
    for name, reader in READERS.items():
        names = ", ".join(item.name for item in parameters.describe(reader))
        rows.append({"name": name, "title": reader.title, "looks_like": reader.expects, "parameters": names})
    return rows


def describe_format(name: str) -> tuple[dict[str, str], list[dict[str, Any]]]:
    """Return what there is to know of a format, and a row for each parameter.

    Raises
    ------
    UsageError
        If the format is unknown.
    """
    from metaeval.corpora.formats import READERS
    from metaeval.errors import UsageError, unknown

    rows = {row["name"]: row for row in list_formats()}
    if name not in rows:
        raise UsageError(unknown("format", name, rows))
    facts = {"format": rows[name]["title"], "looks like": rows[name]["looks_like"]}
    described = parameters.describe(READERS[name]) if name in READERS else ()
    return facts, [{"parameter": item.name, "meaning": item.doc, "default": repr(item.default)} for item in described]


def describe_corpus(corpus: Corpus) -> tuple[dict[str, str], list[dict[str, Any]]]:
    """Return the facts of a corpus, and a row for each of its criteria."""
    from metaeval.corpora import describe

    return describe.facts(corpus), describe.criteria(corpus)


def cite(names: Sequence[str] = (), *, form: str = "text") -> str:
    """Return how to cite metaeval, and what was used with it.

    Parameters
    ----------
    names : sequence of str
        Metrics, conditions, tokenizers, corpora, configs, and directories of runs: ``["bleu", "runs/mine"]``.
    form : "text" or "bibtex"
        One source a paragraph, with what it is cited for; or a file of BibTeX.

    Raises
    ------
    UsageError
        If a name is none of these, or the format is another.
    CorpusError
        If the files of a corpus are wrong.
    """
    from metaeval.experiments.cite import citations, formatted

    return formatted(citations(_listed(names)), form)


def list_metrics() -> list[dict[str, Any]]:
    """Return a row for each metric: name, title, direction, parameters."""
    from metaeval.metrics import METRICS

    return [
        {
            "name": name,
            "title": metric.title,
            "better": "higher" if metric.higher_is_better else "lower",
            "parameters": ", ".join(item.name for item in parameters.describe(metric)),
        }
        for name, metric in METRICS.items()
    ]


def describe_metric(name: str) -> tuple[dict[str, str], list[dict[str, Any]]]:
    """Return what there is to know of a metric, and a row for each parameter.

    Parameters
    ----------
    name : str
        With parameters or without: ``bleu``, ``bleu(order=2)``.

    Raises
    ------
    UsageError
        If the metric or a parameter is unknown.
    """
    from metaeval.bibliography import find_source
    from metaeval.metrics import get_metric

    metric = get_metric(name)
    facts = {
        "metric": metric.title,
        "is": (type(metric).__doc__ or "").strip(),
        "better": "higher" if metric.higher_is_better else "lower",
        "signature": str(metric.signature),
        "statistics": ", ".join(metric.statistic_names),
        "computed": metric.described,
        "source": "; ".join(str(find_source(key)).rstrip(".") for key in metric.sources),
    }
    rows = [
        {
            "parameter": item.name,
            "default": repr(item.default),
            "allowed": ", ".join(map(str, item.choices or ())),
            "meaning": item.doc,
        }
        for item in parameters.describe(type(metric))
    ]
    return facts, rows
