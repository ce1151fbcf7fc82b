"""The verbs that correlate metrics with human judgments."""

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from metaeval.api.objects import config_of, corpus_names, loaded_config, metric_names
from metaeval.api.shared import (
    Corpora,
    Criteria,
    Filter,
    Formats,
    Jobs,
    Judges,
    Labels,
    Memory,
    MetricOver,
    Metrics,
    Names,
    Paths,
    Preprocessing,
    Require,
    Scheduler,
    Seed,
    Steps,
    executor_of,
    setting,
    with_warnings,
)
from metaeval.api.verbs import Argument, verb
from metaeval.components.registries import DEFAULT_PREPROCESSING
from metaeval.errors import UsageError, unknown
from metaeval.parameters.arguments import names, path_of, whole_number
from metaeval.runtime.byte_sizes import DEFAULT_MEMORY
from metaeval.runtime.progress import Progress, silent

if TYPE_CHECKING:
    from metaeval.comparison.comparison import Compared
    from metaeval.experiment.config_file import LoadedConfig
    from metaeval.report.results import Results, Run
    from metaeval.runtime.parallel import Executor

# What editors complete and type checkers allow; a test compares them with the registry and the schema.
Resampled = Literal["text", "segments", "documents", "systems", "both"]
IntervalName = Literal["normal", "percentile", "bca", "fisher", "denoised", "t", "standard-error", "jackknife", "none"]


@verb
def run(
    config: Annotated[str | Path | Mapping[str, Any], Argument("CONFIG", complete="configs toml_files")],
    *,
    corpora: Annotated[Paths | object, Argument("NAME|DIR", "--corpus", "corpora paths", repeated=True)] = (),
    source_formats: Formats = (),
    judges: Judges = (),
    require: Require = None,
    metric_over: MetricOver = None,
    filter: Filter = (),  # noqa: A002  # the name of the key
    overrides: Annotated[Names | Mapping[str, Any], Argument("KEY=VALUE", "--set", "config_keys", repeated=True)] = (),
    jobs: Jobs = 1,
    scheduler: Scheduler = None,
    memory: Memory = DEFAULT_MEMORY,
    output: Annotated[str | Path | None, Argument("DIR", complete="directories")] = None,
    progress: Steps = silent,
) -> "Run":
    """Run an experiment.

    Parameters
    ----------
    config
        A config that ships, such as turian2003-chinese, or a TOML file; in Python also a mapping of its keys.
    corpora
        A corpus, by name or directory; those of the config unless given.
    overrides
        Another value for a key of the config, in TOML, such as documents.count=200 or 'criteria=["fluency"]'; in Python
        also a mapping of keys, of which None takes one away.
    output
        The directory of the run, runs/NAME unless given. An earlier run there is replaced.

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
        If every metric fails; if some do, the others go on, and `failures` lists them.

    Examples
    --------
    >>> quick = {"metrics": ["ter"], "uncertainty": {"n_resamples": 60}}
    >>> made = run("system-level", overrides=quick, output="runs/mine")
    >>> (made.directory / "correlations.tsv").is_file()
    True
    """
    loaded = loaded_config(config, corpora, source_formats, judges, require, metric_over, filter, overrides)
    directory = path_of("output", output) if output is not None else Path("runs") / loaded.name
    with executor_of(jobs, memory, scheduler) as executor:
        from metaeval.runs.run import run_experiment

        results = run_experiment(loaded, directory, printed=loaded.printed, executor=executor, progress=progress)
    return with_warnings(results)


@verb
def correlate(
    corpora: Corpora,
    metrics: Metrics,
    *,
    jobs: Jobs = 1,
    scheduler: Scheduler = None,
    memory: Memory = DEFAULT_MEMORY,
    progress: Steps = silent,
    **settings: Any,
) -> "Results":
    """Correlate metrics with human judgments, without writing a run.

    Unless asked otherwise, whole systems are correlated, by Pearson and Spearman, with 95 % confidence intervals and
    tests of these systems on other test sets of this size.

    Parameters
    ----------
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
        If every metric fails; if some do, the others go on, and `failures` lists them.

    Examples
    --------
    >>> results = correlate("demo", ["bleu", "ter"], criteria=["adequacy"], preprocessing=["nocase"])
    >>> [round(estimate.value, 3) for estimate in results.estimates if estimate.coefficient == "pearson"]
    [0.966, 0.937]
    """
    from metaeval.experiment.config_file import given_config

    defaults = {
        "title": "Correlation",
        "documents": {"kind": "all"},
        "correlation": {"coefficients": ["pearson", "spearman"]},
    }
    config = given_config("correlate", defaults, _content(correlate, corpora, metrics, settings))
    with executor_of(jobs, memory, scheduler) as executor:
        results = _results(config, executor, progress)
    return with_warnings(results)


@verb
def compare(
    corpora: Corpora,
    metrics: Metrics,
    *,
    source_formats: Formats = (),
    criteria: Criteria = "all",
    judges: Judges = (),
    references: Annotated[Names | Mapping[str, Any], Argument("SUBSET", "--references -r")] = (),
    preprocessing: Preprocessing = DEFAULT_PREPROCESSING,
    require: Require = None,
    metric_over: MetricOver = None,
    filter: Filter = (),  # noqa: A002  # the name of the key
    level: Annotated[Names, Argument("LEVEL", complete="levels")] = "system",
    coefficient: Annotated[Names | object, Argument("NAME", complete="coefficients")] = (),
    resample: Annotated[Resampled, setting("uncertainty.resample")] = "text",
    interval: Annotated[IntervalName | None, Argument("NAME")] = None,
    test: Annotated[str | None, Argument("NAME", complete="tests")] = None,
    bands: Annotated[int | Iterable[int], Argument("K")] = (),
    pairs_within: Annotated[float | None, Argument("X")] = None,
    segments_above: Annotated[float | None, Argument("X")] = None,
    ceiling: Annotated[int, setting("judgments.ceiling")] = 100,
    n_resamples: Annotated[int | None, setting("uncertainty.n_resamples", flags="--resamples")] = None,
    labels: Labels = (),
    seed: Seed = 1,
    jobs: Jobs = 1,
    scheduler: Scheduler = None,
    memory: Memory = DEFAULT_MEMORY,
    output: Annotated[str | Path | None, Argument("DIR", complete="directories")] = None,
    progress: Steps = silent,
    **settings: Any,
) -> "Compared":
    """Compare metrics: which one correlates best with human judgments, with confidence intervals and tests.

    Parameters
    ----------
    references : str or iterable of str, or mapping
        Subsets of the references such as ref1 or ref1+ref2, a table of results for each; all together unless given.
    level
        Whole systems (system), single segments (segment), or pseudo-documents, as "documents(length=10)"; or several,
        each compared by itself.
    coefficient
        Correlation coefficients such as pearson, spearman, kendall, acc_eq or soft-pairwise-accuracy, each at every
        level, or at one of them: "segment:kendall"; unless given, acc_eq for single segments, else pearson. Or a
        function of two arrays, the scores of a metric and those of people: my.py:ccc, or in Python the function.
    resample
        What intervals and tests generalise to: other segments or documents, for these systems (by default documents
        where the corpus names them, else segments); other systems, on these texts; or both.
    interval
        The interval of each coefficient, by default one that keeps its coverage (docs/calibration.md): denoised, for
        whole systems; t, for means over segments; jackknife, over systems; else standard-error.
    test
        The test between every two metrics, by default one that keeps its error rate: denoised, t or standard-error, as
        the interval, and williams over systems. Also bootstrap; or permutation, over what is resampled, which for whole
        systems takes only metrics that are means of segment scores, and not acc_eq.
    bands
        Quality bands: also compare the metrics among the best systems by human judgments, such as the best 8 and 6; at
        least 5. Each coefficient is shown with what to expect from the narrower range alone, and a sentence says where
        the order of two metrics changes (docs/quality-bands.md). None unless given.
    pairs_within
        Also count only pairs of systems whose human scores differ by at most this much; for pairwise-accuracy. All
        pairs unless given.
    segments_above
        At segment level, also take only segments of systems whose human score is better than this. All segments unless
        given.
    n_resamples
        Replicates; 2000 unless given, or 100 for pseudo-documents.
    output
        Also write a run into this directory: tables, figures, and the data behind them.
    **settings
        Any other keys of a config, tables as mappings: ``documents={"kind": "segments"}``.

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
        If every metric fails; if some do, the others go on, and `failures` lists them.

    Examples
    --------
    >>> settings = {"level": "segment", "coefficient": "pearson"}
    >>> compared = compare("demo", ["nist", "ter"], criteria=["adequacy"], **settings)
    >>> compared.tables[0].sentence.partition("): ")[2]
    'NIST is the best, with 0.54 [0.49, 0.60]; TER is significantly worse than NIST.'
    """
    from metaeval.comparison.comparison import Compared, comparison_config
    from metaeval.report.comparison_tables import comparison_tables
    from metaeval.report.display_names import known_names, labels_given
    from metaeval.user_code.coefficients import coefficient_names

    settings_of_call: dict[str, Any] = {"seed": seed, "criteria": criteria, "preprocessing": preprocessing}
    if source_formats:
        settings_of_call["source_formats"] = source_formats
    judgments = {"judges": names("judges", judges) or None, "require": require, "metric_over": metric_over}
    if given_judgments := {key: value for key, value in judgments.items() if value is not None}:
        settings_of_call["judgments"] = given_judgments
    if filter:
        settings_of_call["filter"] = filter
    if labels:
        settings_of_call["labels"] = labels_given(labels)
    if output is None:
        settings_of_call["figures"] = []  # which nobody would see
    band_settings = _bands(bands, pairs_within, segments_above)
    if given_bands := {key: value for key, value in band_settings.items() if value is not None}:
        settings_of_call["bands"] = given_bands
    if references:
        given = isinstance(references, Mapping)
        settings_of_call["references"] = references if given else {"subsets": names("references", references)}
    config = comparison_config(
        _content(compare, corpora, metrics, settings, **settings_of_call),
        names("level", level),
        coefficients=coefficient_names(coefficient),
        resample=resample,
        n_resamples=n_resamples,
        interval=interval,
        test=test,
        ceiling=ceiling,
    )
    with executor_of(jobs, memory, scheduler) as executor:
        results = _results(config, executor, progress, output)
    known = known_names(results.data)
    wrong = [unknown("name", name, known) for name in settings_of_call.get("labels", ()) if name not in known]
    results.data.warnings += [f"`labels`: {message}" for message in wrong]
    return with_warnings(Compared(tuple(comparison_tables(results.data)), results))


def _bands(best: object, pairs_within: float | None, segments_above: float | None) -> dict[str, Any]:
    """Return the keys of [bands] that a caller of `compare` gave; None for one that was not given."""
    if isinstance(best, Mapping):  # the table of a config
        return dict(best)
    given = list(best) if isinstance(best, Iterable) and not isinstance(best, str | bytes) else [best]
    numbers = [whole_number("bands", number) for number in given]
    return {"best": numbers or None, "pairs_within": pairs_within, "segments_above": segments_above}


def _content(
    called: Callable[..., object], corpora: object, metrics: object, settings: Mapping[str, Any], **content_of_verb: Any
) -> dict[str, Any]:
    """Return the keys of a config that a caller of a verb gave, those of `settings` last; names become lists."""
    from metaeval.config.filters import filter_of
    from metaeval.parameters.fields import merged

    _check_keywords(called, settings)
    given = merged({"metrics": metric_names(metrics), **content_of_verb}, settings)
    formats = names("source_formats", given.get("source_formats") or ())
    content = config_of({"corpora": corpus_names(corpora, source_formats=formats), **given})
    if "filter" in content:
        content["filter"] = filter_of(content["filter"])
    for key in ("criteria", "preprocessing", "source_formats"):
        if key in content and not (key == "criteria" and isinstance(content[key], str) and content[key] == "all"):
            content[key] = names(key, content[key])
    return content


def _check_keywords(called: Callable[..., object], settings: Mapping[str, object]) -> None:
    """Refuse a keyword that is neither a parameter of a verb nor a key of a config, before anything long begins."""
    from metaeval.config.schema import Experiment
    from metaeval.parameters import fields as parameters

    options = [name for name, argument in called.arguments.items() if argument.flags and not argument.is_required]  # type: ignore[attr-defined]
    keys = [item.name for item in parameters.describe(Experiment) if item.name not in ("corpora", "metrics")]
    keys.append("by_corpus")
    for name in settings:
        if name not in keys:
            known = dict.fromkeys([*options, *keys])
            where = f"`help(metaeval.{called.__name__})` and docs/experiments.md"
            raise UsageError(f"{called.__name__}: {unknown('keyword', name, known, whole_list=where)}")


def _results(
    config: "LoadedConfig", executor: "Executor", progress: Progress, output: str | Path | None = None
) -> "Results":
    """Return the results of an experiment, written as a run if there is a directory for it."""
    from metaeval.experiment.panels import compute_panels
    from metaeval.experiment.run_facts import facts_of
    from metaeval.report.results import Results

    if output is not None:
        from metaeval.runs.run import run_experiment

        return run_experiment(config, path_of("output", output), executor=executor, progress=progress)
    run_data = compute_panels(config.panels, executor=executor, progress=progress)
    run_data.facts = facts_of(config)
    run_data.labels = config.experiment.labels
    return Results(run_data)
