"""The verb that asks how far raters agree with one another."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from metaeval.api.objects import metric_names, one_corpus
from metaeval.api.ratings import SWAPPED, checked_swapped, ratings_of
from metaeval.api.shared import Criteria, Filter, Formats, Names, Paths, Seed, Steps, with_warnings
from metaeval.api.verbs import Argument, verb
from metaeval.errors import CorpusError, UsageError, as_typed
from metaeval.parameters.arguments import names
from metaeval.runtime.progress import silent

if TYPE_CHECKING:
    from metaeval.ratings.agreement.corpus_agreement import Agreement
    from metaeval.ratings.agreement.table_report import RatersReport
    from metaeval.ratings.table import Ratings
    from metaeval.results.agreement import AgreementSettings

# What arguments are called in a terminal, where it is not their name.
_FLAGS = {
    "metrics": "--metric",
    "source_formats": "--source-format",
    "criteria": "--criterion",
    "n_draws": "--draws",
    "n_resamples": "--resamples",
}


@verb
def agreement(
    corpus: Annotated[Paths | object, Argument("TABLE|CORPUS", complete="corpora paths")],
    *,
    metrics: Annotated[Names | object, Argument("METRIC", "-m --metric", "metrics own_metrics")] = (),
    source_formats: Formats = (),
    criteria: Criteria = (),
    judges: Annotated[Names, Argument("NAME", "--judges --judge", "judge_groups")] = (),
    people: Annotated[Names, Argument("NAME", "--people")] = (),
    document: Annotated[str | None, Argument("COLUMN")] = None,
    columns: Annotated[Names, Argument("ROLE=COLUMN", "--columns")] = (),
    order: Annotated[Names, Argument("WORD", "--order")] = (),
    categories: Annotated[Names, Argument("WORD", "--categories")] = (),
    swapped: Annotated[str | None, Argument(choices=SWAPPED)] = None,
    filter: Filter = (),  # noqa: A002  # the name of the key
    min_shared: Annotated[int, Argument(minimum=2)] = 10,
    n_draws: Annotated[int, Argument(flags="--draws", minimum=1)] = 100,
    n_resamples: Annotated[int, Argument(flags="--resamples", minimum=2)] = 1000,
    confidence_level: Annotated[float, Argument(flags="--confidence")] = 0.95,
    seed: Seed = 1,
    progress: Steps = silent,
) -> "Agreement | RatersReport":
    """Measure how far raters agree: people and automatic judges of a table of ratings, or the judges of a corpus.

    A table of ratings needs no systems and no texts: it has items, raters, and what these said, as labels, grades,
    numbers or preferences. A table that says of which system each row is, and has numbers, is a corpus.

    Parameters
    ----------
    corpus
        A table of ratings: a file (TSV, CSV, JSON, JSON Lines, Excel, Parquet), or several with rows on the same items;
        in Python also a data frame, a list of dicts, a dict of columns, or the ratings of another result. Or a corpus,
        by name (`metaeval corpus list` shows the names) or directory; in Python also a Corpus.
    metrics
        Of a corpus: also show how far the order of these metrics depends on single judges; none unless given.
    judges
        Of a corpus: who takes part, a judge group, names or patterns such as expert*, or all; by default the default
        group of the corpus, and all judges where it has none. Of a table of ratings: the automatic judges; by
        default raters and columns whose name is that of a model or a judge.
    people
        Of a table of ratings: the people, names or patterns of raters, or of columns with their answers; by
        default all other raters, and columns called human, annotator1 and so on.
    document
        Of a table of ratings: the column with documents, articles or dialogues, whose items are not independent; by
        default a column called document or doc.
    columns
        Of a table of ratings: what columns hold, as item=Nr or rater=Name; by default what their names say.
    order
        Of a table of ratings: words that are grades, from the lowest to the highest; by default words are labels
        without an order.
    categories
        Of a table of ratings: all labels or grades that could be given; by default those that were. One that nobody
        gave moves AC1 and the coefficient of Brennan and Prediger.
    swapped
        Of a table of ratings: what an answer names when two outputs were shown in swapped order, the outputs, or the
        places where they stood; by default as the words say, such as first.
    min_shared
        Items that two raters must share to be compared.
    n_draws
        Of a corpus: random splits of the judgments of each item, for the noise ceiling.
    n_resamples
        Of a corpus: bootstrap replicates of the segments, for alpha of more than 1,000 segments.
    confidence_level
        Level of the confidence intervals, between 0 and 1.

    Returns
    -------
    Agreement or RatersReport
        Of a corpus, or of a table of ratings: tables, by their names, and the warnings that belong to them.

    Raises
    ------
    UsageError
        If a name is unknown, a metric is named twice, a number is out of range, or there is nothing to compare.
    CorpusError
        If the table or the files of the corpus are wrong.
    MetricError
        If every metric fails; if some do, the others go on, and `failures` lists them.

    Examples
    --------
    Of a corpus:

    >>> report = agreement("demo", criteria="adequacy", n_resamples=200)
    >>> report.to_frame("alpha")[["level", "alpha"]].round(2).values.tolist()
    [['interval', 0.54], ['ordinal', 0.51], ['nominal', 0.18]]

    Of a table of ratings, where Ben differs from Anna on each ninth of a hundred items:

    >>> rows = [{"item": i, "anna": "yn"[i % 2], "ben": "yn"[(i + (i % 9 == 0)) % 2]} for i in range(100)]
    >>> report = agreement(rows, people=["anna", "ben"])
    >>> report.to_frame("pairs")[["rater_a", "rater_b", "raw", "kappa"]].round(2).values.tolist()
    [['anna', 'ben', 0.88, 0.76]]
    """
    from metaeval.config.filters import FilterSettings, filter_of
    from metaeval.parameters.fields import build
    from metaeval.ratings.agreement import corpus_agreement
    from metaeval.results.agreement import AgreementSettings

    named = metric_names(metrics)
    formats = names("source_formats", source_formats)
    settings = AgreementSettings(
        n_resamples=n_resamples,
        n_draws=n_draws,
        min_shared=min_shared,
        confidence_level=confidence_level,
        seed=seed,
    )
    stated = tuple(names("categories", categories, noun="a word"))
    of_tables = {
        "people": tuple(names("people", people)),
        "document": document or "",
        "columns": tuple(names("columns", columns, noun="ROLE=COLUMN")),
        "order": tuple(names("order", order, noun="a word")),
        "swapped": checked_swapped(swapped),
    }
    for_tables = [name for name, value in {**of_tables, "categories": stated}.items() if value]
    given = {"metrics": named, "source_formats": formats, "filter": filter}
    for_corpora = [name for name, value in given.items() if value]
    if for_tables and for_corpora:
        raise UsageError(
            f"{_called(for_tables)} must not be given together with {_called(for_corpora)}: the former say how a table "
            "of ratings is read, the latter belong to a corpus."
        )
    why_no_ratings = None
    if not for_corpora:
        asked = {**of_tables, "judges": tuple(names("judges", judges)), "criterion": tuple(names("criteria", criteria))}
        ratings, why_no_ratings = _ratings_unless_corpus(corpus, asked, is_table=bool(for_tables))
        if ratings is not None:
            return with_warnings(_raters_report(ratings, settings, stated))
    try:
        result = corpus_agreement.agreement(
            one_corpus(corpus, source_format="".join(formats[:1])),
            settings,
            criteria=criteria,
            judges=judges,
            metrics=named,
            source_formats=formats,
            chosen=build(FilterSettings, filter_of(filter), subject="agreement: `filter`", noun="key"),
            progress=progress,
        )
    except CorpusError:
        if why_no_ratings is None:
            raise
        raise why_no_ratings from None
    return with_warnings(result)


def _called(arguments: Sequence[str]) -> str:
    """Name arguments as they are called where the message is read."""
    return ", ".join(as_typed(terminal=_FLAGS.get(name, f"--{name}"), python=f"`{name}`") for name in arguments)


def _ratings_unless_corpus(
    given: Any, asked: dict[str, Any], *, is_table: bool
) -> "tuple[Ratings | None, Exception | None]":
    """Return the ratings of a table, or None where it is a corpus.

    A table that says of which system each row is, and has numbers, is a corpus; and so is all that is no table.

    Parameters
    ----------
    given : object
        What a caller gave.
    asked : dict
        How ratings are read.
    is_table : bool
        Whether the caller said how ratings are read, so that it is no corpus.

    Returns
    -------
    Ratings or None
    Exception or None
        Where a table without systems is none of ratings, why; it is what is wrong with it if it is no corpus either.
    """
    from metaeval.corpora.tables.headers import columns_for
    from metaeval.datamodel.columns import is_frame
    from metaeval.ratings.reading import column_names
    from metaeval.ratings.table import Ratings

    several = given if isinstance(given, list | tuple) else []
    are_paths = len(several) > 1 and all(isinstance(item, str | Path) for item in several)
    if is_table or are_paths or isinstance(given, Ratings):
        return _read(given, asked), None
    files = _files_of_tables(given)
    is_object = is_frame(given) or isinstance(given, dict) or (isinstance(given, list) and not files)
    if not files and (not is_object or any(isinstance(item, str | Path) for item in several)):
        return None, None
    has_systems = bool(columns_for("system", column_names(files[0] if files else given)))
    try:
        ratings = _read(given, asked)
    except (CorpusError, UsageError) as error:
        return None, None if has_systems else error
    has_words = bool(ratings.categories) and set(ratings.categories) != {"0", "1"}
    return (None if has_systems and not has_words else ratings), None


def _files_of_tables(given: Any) -> list[Path]:
    """Return the files of tables that a caller named; none where it is anything else."""
    from metaeval.corpora.formats.base import Glimpse
    from metaeval.corpora.formats.table import Table

    several = given if isinstance(given, list | tuple) else [given]
    if not all(isinstance(path, str | Path) for path in several):
        return []
    paths = [Path(path) for path in several]
    return paths if all(path.is_file() and Table.recognises(Glimpse.from_path(path)) for path in paths) else []


def _read(given: Any, asked: dict[str, Any]) -> "Ratings":
    """Return the ratings on one criterion."""
    criteria = asked["criterion"]
    if len(criteria) > 1:
        raise UsageError(f"{_called(['criteria'])} must be one criterion of a table of ratings; got {len(criteria)}.")
    return ratings_of(given, **{**asked, "criterion": "".join(criteria)})


def _raters_report(ratings: "Ratings", settings: "AgreementSettings", categories: tuple[str, ...]) -> "RatersReport":
    """Return the agreement of the raters of a table."""
    from metaeval.ratings.agreement.raters_of_table import agreement_of_raters
    from metaeval.ratings.agreement.table_report import RatersReport
    from metaeval.results.agreement import AgreementSettings

    defaults = AgreementSettings()
    for name in ("n_draws", "n_resamples", "seed"):
        if getattr(settings, name) != getattr(defaults, name):
            raise UsageError(f"{_called([name])} must be left out for a table of ratings: nothing is drawn there.")
    findings = agreement_of_raters(
        ratings, categories=categories, min_shared=settings.min_shared, confidence_level=settings.confidence_level
    )
    return RatersReport(ratings, findings, settings.confidence_level, findings.warnings)
