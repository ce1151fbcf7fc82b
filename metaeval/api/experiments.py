"""The verbs that relate metrics to people."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from metaeval import parameters
from metaeval.arguments import listener, names, path_of, text, whole_number
from metaeval.errors import UsageError, unknown
from metaeval.progress import Progress, silent

if TYPE_CHECKING:
    from metaeval.comparison.comparison import Compared
    from metaeval.report.frames import Results, Run


def run(
    config: str | Path,
    *,
    corpora: str | Path | Iterable[str | Path] = (),
    judges: str | Iterable[str] = (),
    source_formats: str | Iterable[str] = (),
    overrides: str | Iterable[str] = (),
    output: str | Path | None = None,
    jobs: int = 1,
    progress: Progress = silent,
) -> Run:
    """Run an experiment.

    Parameters
    ----------
    config : str or Path
        The name of a config that ships, such as ``turian2003-chinese``, or a TOML file.
    corpora : str or Path, or iterable of them
        Names or directories of corpora to use instead of those of the config.
    judges : str or iterable of str
        A judge group, names, patterns such as ``expert*``, or ``all``, instead of those of the config.
    source_formats : str or iterable of str
        The formats of the corpora, one for all or one for each, if they are not to be recognised.
    overrides : str or iterable of str
        Other values for keys of the config, in TOML: ``"documents.count=200"``.
    output : str or Path, optional
        The directory to write; ``runs/NAME`` of the config if none is given. An earlier run there is replaced.
    jobs : int, default 1
        How many measure at once. The results are the same bits for any number.
    progress : callable, optional
        Told a :class:`Step` at the beginning of each stage and as its work is done; ``print`` shows them.

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
    MetricError
        If every metric fails; if some do, the others go on, and `failures` tells of them.

    Examples
    --------
    >>> found = run("system-level", overrides=['metrics=["ter"]', "uncertainty.n_resamples=20"], output="runs/mine")
    >>> (found.directory / "correlations.tsv").is_file()
    True
    """
    from metaeval.experiment.executor import Executor
    from metaeval.papers.config import load_config
    from metaeval.runs.run import run_experiment

    loaded = load_config(
        path_of("config", config, must="the name of a config, or a TOML file"),
        overrides=[
            *names("overrides", overrides),
            *_override("judgments.judges", names("judges", judges)),
            *_override("source_formats", names("source_formats", source_formats)),
        ],
        corpora=names("corpora", corpora, path=True),
    )
    directory = path_of("output", output) if output is not None else Path("runs") / loaded.name
    return run_experiment(
        loaded,
        directory,
        printed=loaded.printed,
        executor=Executor(whole_number("jobs", jobs, least=1)),
        progress=listener(progress),
    )


def _override(key: str, values: Sequence[str]) -> list[str]:
    """Return names as another value for a key of a config; nothing where there are none."""
    return [f"{key}={json.dumps(list(values), ensure_ascii=False)}"] if values else []


def correlate(
    corpora: str | Path | Iterable[str | Path],
    metrics: str | Iterable[str],
    *,
    jobs: int = 1,
    progress: Progress = silent,
    **settings: Any,
) -> Results:
    """Relate metrics to people, without writing a run.

    Unless told otherwise, whole systems are correlated, by Pearson and Spearman, with 95 % limits from a bootstrap over
    segments, as in Lin and Och's (2004) table.

    Parameters
    ----------
    corpora : str or Path, or iterable of them
        Names or directories.
    metrics : str or iterable of str
        Names with parameters: ``["bleu", "gtm(exponent=2)"]``.
    jobs : int, default 1
        How many measure or resample at once. The results are the same bits for any number.
    progress : callable, optional
        Told a :class:`Step` at the beginning of each stage and as its work is done; ``print`` shows them.
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
    MetricError
        If every metric fails; if some do, the others go on, and `failures` tells of them.

    References
    ----------
    Chin-Yew Lin and Franz Josef Och (2004), Automatic evaluation of machine translation quality using longest common
    subsequence and skip-bigram statistics, table 1.

    Examples
    --------
    >>> found = correlate("demo", ["bleu", "ter"], criteria=["adequacy"], preprocessing=["nocase"])
    >>> [round(one.value, 3) for one in found.estimates if one.coefficient == "pearson"]
    [0.966, 0.937]
    """
    from metaeval.experiment.execute import compute_experiment
    from metaeval.experiment.executor import Executor
    from metaeval.report.frames import Results
    from metaeval.schema import Experiment

    _check_keywords(correlate, settings)

    content: dict[str, Any] = {
        "title": "Correlation",
        "corpora": _corpora(corpora),
        "metrics": names("metrics", metrics),
    }
    defaults: dict[str, dict[str, Any]] = {
        "documents": {"kind": "all"},
        "correlation": {"coefficients": ["pearson", "spearman"]},
        "uncertainty": {"method": "bootstrap"},
    }
    for name in ("criteria", "preprocessing"):
        if name in settings and not (name == "criteria" and _is_all(settings[name])):
            settings[name] = names(name, settings[name])
    for name, table in defaults.items():
        given = settings.get(name, {})
        settings[name] = {**table, **given} if isinstance(given, Mapping) else given
    experiment = parameters.build(Experiment, content | settings, subject="correlate", noun="key")
    return Results(
        compute_experiment(
            experiment, executor=Executor(whole_number("jobs", jobs, least=1)), progress=listener(progress)
        )
    )


def compare(
    corpora: str | Path | Iterable[str | Path],
    metrics: str | Iterable[str],
    *,
    criteria: str | Iterable[str] = "all",
    judges: str | Iterable[str] = (),
    preprocessing: str = 'case(tokenizer="13a")',
    level: str = "system",
    coefficient: str = "pearson",
    resample: str = "segments",
    n_resamples: int | None = None,
    test: str = "bootstrap",
    ceiling: int = 100,
    seed: int = 1,
    jobs: int = 1,
    output: str | Path | None = None,
    progress: Progress = silent,
    **settings: Any,
) -> Compared:
    """Tell which metric agrees best with people, and how sure that is.

    Parameters
    ----------
    corpora : str or Path, or iterable of them
        Names or directories.
    metrics : str or iterable of str
        Names with parameters, files of your own (``my_metric.py:function``), or scores (``scores:FILE``).
    criteria : "all", or str, or iterable of str
        What was judged.
    judges : str or iterable of str
        A judge group, names, patterns such as ``expert*``, or ``all``; without any the default group of the corpus, and
        all where it has none.
    preprocessing : str, default 'case(tokenizer="13a")'
        The treatment of texts; metrics that read texts have their own.
    level : str, default "system"
        ``system``, ``segment`` or ``documents(length=10)``: whole systems, single segments, or pseudo-documents.
    coefficient : str, default "pearson"
        ``pearson``, ``spearman``, ``kendall``, ``pairwise-accuracy``, ...
    resample : {"segments", "systems", "both"}, default "segments"
        What is drawn anew for the intervals and for the p of a bootstrap, and exchanged for that of a permutation:
        they speak about other segments, other systems, or both. A permutation of both speaks about other segments.
    n_resamples : int, optional
        Replicates; 10,000 unless given, 1000 for pseudo-documents.
    test : str, default "bootstrap"
        ``bootstrap``; ``permutation``, over what is resampled; or, for whole systems, ``williams``, which speaks about
        other systems whatever is resampled. Over segments, a permutation of whole systems takes only metrics that are
        means of segment scores. The note under a table says what limits and p speak about.
    ceiling : int, default 100
        Splits of the judgments for the noise ceiling; 0 for none.
    seed : int, default 1
        All chance comes from it.
    jobs : int, default 1
        How many measure or resample at once. The results are the same bits for any number.
    output : str or Path, optional
        A directory to write, as of any run; nothing is written if none is given.
    progress : callable, optional
        Told a :class:`Step` at the beginning of each stage and as its work is done; ``print`` shows them.
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
    MetricError
        If every metric fails; if some do, the others go on, and `failures` of the results tells of them.

    Examples
    --------
    >>> found = compare("demo", ["nist", "ter"], criteria=["adequacy"], level="segment", n_resamples=500)
    >>> print(found.tables[0].sentence)
    nist agrees better with adequacy than ter (0.54 against 0.42, p <= 0.004). Simulated: no evidence.
    """
    from metaeval.comparison.comparison import Compared, comparison_config
    from metaeval.comparison.table import comparison_tables
    from metaeval.experiment.execute import compute_experiment
    from metaeval.experiment.executor import Executor
    from metaeval.report.frames import Results
    from metaeval.runs.run import run_experiment

    _check_keywords(compare, settings)

    content: dict[str, Any] = {
        "corpora": _corpora(corpora),
        "metrics": names("metrics", metrics),
        "seed": whole_number("seed", seed, least=0),
        "criteria": "all" if _is_all(criteria) else names("criteria", criteria),
        "preprocessing": [text("preprocessing", preprocessing)],
    }
    if whose := names("judges", judges):
        content["judgments"] = {"judges": whose}
    config = comparison_config(
        content | settings,
        text("level", level),
        coefficient=text("coefficient", coefficient),
        resample=text("resample", resample),
        n_resamples=None if n_resamples is None else whole_number("n_resamples", n_resamples, least=2),
        test=text("test", test),
        ceiling=whole_number("ceiling", ceiling, least=0),
    )
    executor, progress = Executor(whole_number("jobs", jobs, least=1)), listener(progress)
    results: Results
    if output is not None:
        results = run_experiment(config, path_of("output", output), executor=executor, progress=progress)
    else:
        results = Results(compute_experiment(config.experiment, executor=executor, progress=progress))
    return Compared(tuple(comparison_tables(results.data)), results)


def _is_all(criteria: object) -> bool:
    return isinstance(criteria, str) and criteria == "all"


def _corpora(given: object) -> list[str]:
    from metaeval.records import Corpus

    if isinstance(given, Corpus):
        raise UsageError(
            f"`corpora` must be names or directories, which every result tells; got the corpus {given.name!r} itself. "
            "Write what you gave to load_corpus."
        )
    return names("corpora", given, path=True)


def _check_keywords(verb: Callable[..., object], settings: Mapping[str, object]) -> None:
    """Refuse a keyword that is neither a parameter of a verb nor a key of a config, before anything long begins."""
    from metaeval.schema import Experiment

    own = [name for name, one in inspect.signature(verb).parameters.items() if one.kind is one.KEYWORD_ONLY]
    keys = [item.name for item in parameters.describe(Experiment) if item.name not in ("corpora", "metrics")]
    for name in settings:
        if name not in keys:
            known = dict.fromkeys([*own, *keys])
            raise UsageError(f"{verb.__name__}: {unknown('keyword', name, known, limit=len(known))}")
