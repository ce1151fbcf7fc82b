"""The verbs that relate metrics to people."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from metaeval import parameters
from metaeval.api.arguments import listed

if TYPE_CHECKING:
    from metaeval.experiments.compare import Compared
    from metaeval.experiments.results import Results
    from metaeval.experiments.run import Run


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
    from metaeval.experiments.load import load_config
    from metaeval.experiments.run import run_experiment

    loaded = load_config(config, overrides=listed(overrides), corpora=[str(corpus) for corpus in listed(corpora)])
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

    Unless told otherwise, whole systems are correlated, by Pearson and Spearman, with 95 % limits from a bootstrap over
    segments, as in Lin and Och's (2004) table.

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
        ``tests=[{"method": "bootstrap"}]``. What is not given is as said above, or else the default of the key.

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

    Examples
    --------
    >>> found = correlate("demo", ["bleu", "ter"], criteria=["adequacy"], conditions=["nocase"])
    >>> [round(one.value, 3) for one in found.estimates if one.coefficient == "pearson"]
    [0.966, 0.937]
    """
    from metaeval.experiments.compute import compute_experiment
    from metaeval.experiments.config import Experiment
    from metaeval.experiments.results import Results

    names = [str(corpus) for corpus in listed(corpora)]
    content: dict[str, Any] = {"title": "Correlation", "corpora": names, "metrics": list(listed(metrics))}
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


def compare(
    corpora: str | Path | Sequence[str | Path],
    metrics: str | Sequence[str],
    *,
    criteria: str | Sequence[str] = "all",
    condition: str = 'case(tokenizer="13a")',
    level: str = "system",
    coefficient: str = "pearson",
    resample: str = "segments",
    n_resamples: int | None = None,
    test: str = "bootstrap",
    ceiling: int = 100,
    seed: int = 1,
    jobs: int = 1,
    output: str | Path | None = None,
    progress: Callable[[str], None] = lambda line: None,
    **settings: Any,
) -> Compared:
    """Tell which metric agrees best with people, and how sure that is.

    Parameters
    ----------
    corpora : str or Path, or a sequence of them
        Names or directories.
    metrics : str or sequence of str
        Names with parameters, files of your own (``my_metric.py:function``), or scores (``scores:FILE``).
    criteria : "all", or sequence of str
        What was judged.
    condition : str
        The treatment of texts; metrics that read texts have their own.
    level : str
        ``system``, ``segment`` or ``documents(length=10)``.
    coefficient : str
        ``pearson``, ``spearman``, ``kendall``, ``pairwise-accuracy``, ...
    resample : "segments", "systems" or "both"
        What the intervals and p-values speak about.
    n_resamples : int, optional
        Replicates; 10,000 unless given, 1000 for random documents.
    test : str
        ``bootstrap``; for whole systems ``williams`` or ``permutation``, which speak about other systems.
    ceiling : int
        Splits of the judgments for the noise ceiling; 0 for none.
    seed : int
        All chance comes from it.
    jobs : int
        How many measure or resample at once. The results are the same bits for any number.
    output : str or Path, optional
        A directory to write, as of any run; nothing is written if none is given.
    progress : callable, optional
        Told a line at the beginning of each stage.
    **settings
        Any other keys of a config: ``references={"subsets": ["ref1"]}``.

    Returns
    -------
    Compared
        Tables with sentences, and the results behind them; it prints as text.

    Raises
    ------
    UsageError
        If a name, key or value is wrong, or the metrics cannot be compared on the corpus.
    CorpusError
        If the files of a corpus are wrong.

    Examples
    --------
    >>> found = compare("demo", ["nist", "ter"], criteria=["adequacy"], level="segment", n_resamples=500)
    >>> print(found.tables[0].sentence)
    nist agrees better with adequacy than ter (0.54 against 0.42, p = 0.004).
    """
    from metaeval.experiments.compare import compare_metrics

    content = {"corpora": [str(corpus) for corpus in listed(corpora)], "metrics": list(listed(metrics)), "seed": seed}
    content |= {"criteria": criteria if criteria == "all" else list(listed(criteria)), "conditions": [condition]}
    return compare_metrics(
        content | settings,
        level,
        coefficient=coefficient,
        resample=resample,
        n_resamples=n_resamples,
        test=test,
        ceiling=ceiling,
        output=None if output is None else Path(output),
        jobs=jobs,
        progress=progress,
    )


def export_run(
    run: str | Path | Run,
    *,
    what: str = "scores",
    metrics: Sequence[str] = (),
    criteria: Sequence[str] = (),
    lengths: Sequence[int] = (),
    form: str = "tsv",
    output: str | Path | None = None,
) -> None:
    """Write everything behind the figures of a run as a tidy table.

    Parameters
    ----------
    run : str, Path or Run
        The directory of a run.
    what : "scores" or "coefficients"
        A row for each document, system and metric, with the human score; or for each coefficient of a document.
    metrics, criteria : sequence of str
        Only these; all unless given.
    lengths : sequence of int
        Only documents of so many segments; all unless given.
    form : "tsv" or "jsonl"
        Numbers read back to the same bits.
    output : str or Path, optional
        A file to write; standard output unless given.

    Raises
    ------
    UsageError
        If the directory holds no run, or a name is none of the run.
    CorpusError
        If the files of the run do not belong together.
    """
    import sys

    from metaeval.experiments.export import export_rows
    from metaeval.report.tables import row_writer

    directory = Path(run) if isinstance(run, str | Path) else run.directory
    rows = export_rows(directory, what, metrics=listed(metrics), criteria=listed(criteria), lengths=lengths)
    write = row_writer(form)
    if output is None:
        write(rows, sys.stdout)
        return
    with Path(output).open("w", encoding="utf-8", newline="\n") as file:
        write(rows, file)
