"""Compare metrics by their correlation with human judgments: one table and one sentence for each criterion."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from metaeval.components.registries import COEFFICIENTS, DOCUMENTS, INTERVALS, METHODS, READERS, TESTS
from metaeval.config.bands import bands_at, check_all_used
from metaeval.config.defaults import ALPHA
from metaeval.corpora.formats.table import Table, columns_of_numbers
from metaeval.corpora.tables.headers import is_one_judge, names_metric, names_rating
from metaeval.corpora.text_files import typed_formats
from metaeval.errors import UsageError, as_typed, counted, unknown
from metaeval.experiment.config_file import LoadedConfig, given_config
from metaeval.metrics import is_metric
from metaeval.parameters.calls import parse_call, with_prefix
from metaeval.parameters.fields import build, merged, parameter
from metaeval.parameters.named_objects import Held
from metaeval.report.bands import band_tables
from metaeval.report.comparison_tables import ComparisonTable, exact_rows
from metaeval.report.comparison_views import brief_text, tables_for_people
from metaeval.report.display_names import labelled
from metaeval.report.drawable import Drawable
from metaeval.report.figures.run_frames import FigureData
from metaeval.report.methods import methods_of
from metaeval.report.methods.paragraph import HasMethods, Methods
from metaeval.report.phrases import short_name
from metaeval.report.results import Results
from metaeval.report.tables import SummaryTable, formatted
from metaeval.report.tabular import Noted
from metaeval.sampling.documents import Pseudo, Single, Whole

if TYPE_CHECKING:
    import pandas as pd

# Drawn of whole systems, where there are many.
_BEST_SYSTEMS = {"kind": "best-systems", "from_systems": 12}
LEVELS = ("system", "segment", "documents")
# The default coefficient of each level: those that the field uses.
DEFAULT_COEFFICIENTS = {"system": "pearson", "segment": 'pairwise-accuracy(epsilon="auto")', "documents": "pearson"}


@dataclass(frozen=True)
class _PseudoDocuments:
    length: int = parameter(10, doc="segments in a document", minimum=1, maximum=1_000_000)
    count: int = parameter(1000, doc="documents", minimum=2, maximum=1_000_000)


@dataclass(frozen=True, eq=False, repr=False)
class Compared(Noted, Drawable, HasMethods):
    """A comparison of metrics.

    Attributes
    ----------
    tables : tuple of ComparisonTable
        One for each level, corpus, preprocessing, reference subset, criterion and coefficient.
    results : Results
        All behind them; a Run if they were written to a directory.
    """

    tables: tuple[ComparisonTable, ...]
    results: Results

    @property
    def warnings(self) -> tuple[str, ...]:
        """Warnings about the numbers."""
        return self.results.warnings

    @property
    def failures(self) -> tuple[str, ...]:
        """Failures that left something out, such as a metric; also among the warnings."""
        return self.results.failures

    @property
    def notes(self) -> tuple[str, ...]:
        """The warnings, and what in the data of a table misleads: failures first, then what can change a conclusion."""
        several = len(self.tables) > 1
        of_tables = [
            f"{table.label}: {warning}" if several else warning for table in self.tables for warning in table.warnings
        ]
        # The table says which metrics have no interval, and gives the same reason.
        reasons = {row.no_interval_because for row in self.results.data.tables.correlations} - {""}
        said = [f"have no confidence interval: {reason}" for reason in reasons]
        others = [warning for warning in self.warnings if not any(reason in warning for reason in said)]
        return self._in_order([*of_tables, *others])

    def _names(self) -> set[str]:
        return self.results._names()

    def _for_people(self, messages: Iterable[str]) -> list[str]:
        return self.results._for_people(messages)

    def _figure_data(self, labels: Mapping[str, str]) -> Iterator[tuple[str, FigureData]]:
        return self.results._figure_data(labels)

    def to_frame(self) -> pd.DataFrame:
        """Return all tables as one new data frame with the numbers, a row for each metric of a table.

        Returns
        -------
        DataFrame
            ``corpus``, ``preprocessing``, ``subset``, ``criterion`` (text); ``simulated`` (bool), which says that
            nothing here is evidence; ``documents``, their kind (text), with ``length`` in segments (Int64) and
            ``average_by`` (text); ``metric``, ``coefficient`` (text); ``value`` with ``lower`` and ``upper``;
            ``best_minus_this``, the difference to the best metric of the table, with ``difference_lower`` and
            ``difference_upper``, and ``adjusted_lower`` and ``adjusted_upper`` at the level of ``p_corrected``; ``p``
            and ``p_corrected``, for all pairs, of that difference; ``rank`` (Int64); ``star`` (bool), whether the
            metric is not significantly worse than the best, and ``p_worse``, that no other metric is better, on which
            the star rests; ``needs_resamples`` (Int64), how many replicates it takes where too few leave it undecided;
            ``cluster`` (Int64, from 1); ``fraction_of_ceiling``; ``ties``, the share of pairs of systems with equal
            scores; ``n_undefined`` (Int64); of each band, such as ``best_8``, the coefficient with ``best_8_lower`` and
            ``best_8_upper``, and ``best_8_range_alone`` with ``best_8_range_alone_lower`` and ``_upper``; ``signature``
            (text). Numbers are floats unless noted.
        """
        import pandas as pd  # what is only printed must not wait for it

        return pd.DataFrame(exact_rows(self.results.data)).astype(
            dict.fromkeys(("length", "rank", "needs_resamples", "cluster", "n_undefined"), "Int64")
        )

    def text(self, kind: str = "table", width: int | None = None, *, verbose: bool = False) -> str:
        """Return all tables as text.

        Parameters
        ----------
        kind : {"table", "tsv", "json", "md", "latex"}, default "table"
            For programs, ``tsv`` and ``json``, all are one table with exact numbers, as :meth:`to_frame` has it.
        width : int, optional
            Letters of a line of ``table``, in brief, as the command line shows it: answers first, what has no room left
            out, warnings folded, and from three criteria on one table of all. Everything unless given.
        verbose : bool, default False
            Whether lines of a width have everything too.

        Returns
        -------
        str
            The tables.
        """
        if kind in ("tsv", "json"):
            return formatted(exact_rows(self.results.data), kind)
        if kind == "table" and width is not None:
            return brief_text(labelled(self.results.data), self.tables, width, verbose=verbose)
        return self._text_in(kind)

    def _methods(self) -> Methods:
        return methods_of(self.results.data)

    def _tables_for_people(self) -> list[SummaryTable]:
        run = labelled(self.results.data)
        return [*tables_for_people(run, self.tables), *band_tables(run)]

    def __repr__(self) -> str:
        return f"Compared({len(self.tables)} tables, {self.results!r})"


@dataclass(frozen=True)
class _Part:
    """A level and coefficients that one experiment can compute together."""

    level: str
    coefficients: tuple[str, ...]

    @property
    def takes_grid(self) -> bool:
        """True if its only coefficient takes a grid."""
        return COEFFICIENTS.named(self.coefficients[0]).takes_grid

    @property
    def title(self) -> str:
        """The title of its panel."""
        return f"{self.level}, {', '.join(map(short_name, self.coefficients))}"


def comparison_config(
    content: Mapping[str, Any],
    levels: Sequence[str],
    *,
    coefficients: Sequence[str],
    resample: str,
    n_resamples: int | None,
    interval: str | None,
    test: str | None,
    ceiling: int,
) -> LoadedConfig:
    """Return the experiment that compares metrics, with a panel for each level where there are several.

    Parameters
    ----------
    content : mapping
        Keys of a config: corpora, metrics and other settings that a comparison does not choose.
    levels : sequence of str
        ``system``: the system level; ``segment``: single segments; ``documents(length=10)``: pseudo-documents, of which
        ``count`` are drawn.
    coefficients : sequence of str
        How metric and human scores are correlated at each level; ``segment:NAME`` at the level ``segment`` alone. A
        level without any has the default, acc_eq for single segments and Pearson for others.
    resample : {"text", "segments", "documents", "systems", "both"}
        What intervals and tests generalise to.
    n_resamples : int, optional
        Replicates.
    interval : str, optional
        Of each coefficient.
    test : str, optional
        Between every two metrics. A permutation exchanges what is resampled; any other has its first axis.
    ceiling : int
        Splits of the judgments for the noise ceiling; 0 for none.

    Returns
    -------
    LoadedConfig
        As if read from a file.

    Raises
    ------
    UsageError
        If a name or value is wrong.
    """
    _check_tests(content.get("tests"))
    _check_metrics(content)
    parts = _parts(levels, coefficients)
    uncertainty: dict[str, Any] = {"resample": resample}
    if n_resamples is not None:
        uncertainty["n_resamples"] = n_resamples
    if interval is not None:
        method = next((name for name, kinds in METHODS.items() if interval in kinds), "")
        if not method:
            raise UsageError(unknown("interval", interval, tuple(INTERVALS)))
        uncertainty |= {"method": method, **({"limits": interval} if len(METHODS[method]) > 1 else {})}
    tables = [_settings_of(part, content, uncertainty, test, ceiling) for part in parts]
    check_all_used(content.get("bands"), [table.get("bands") for table in tables])
    levels_in_words = dict.fromkeys(_level_words(part.level) for part in parts)
    title = {"title": f"Comparison of metrics, {', '.join(levels_in_words)}"}
    if len(parts) == 1:
        return given_config("compare", {**title, **tables[0]}, content)
    shared = {key: value for key, value in content.items() if key not in tables[0]}
    titles = [part.title for part in parts]
    panels = [
        # Two functions of one name are told apart by their files or parameters.
        {"title": title if titles.count(title) == 1 else f"{part.level}, {', '.join(part.coefficients)}", **table}
        for title, part, table in zip(titles, parts, tables, strict=True)
    ]
    return given_config("compare", {**title, "panels": panels}, shared)


def _check_metrics(content: Mapping[str, Any]) -> None:
    """Check that no metric is called as a column of a corpus, whose scores have another name or were read otherwise."""
    unknown_names = [name for name in content.get("metrics") or () if isinstance(name, str) and not is_metric(name)]
    corpora = content.get("corpora") or ()
    if not unknown_names or isinstance(corpora, str):
        return
    formats = content.get("source_formats") or [""]
    formats = [formats] if isinstance(formats, str) else [*formats]
    for number, corpus in enumerate(corpora):
        for name in unknown_names:
            if isinstance(corpus, Held):
                _check_column_of_corpus(corpus.item, name)
            elif Path(corpus).is_file():
                _check_column_of_file(Path(corpus), name, formats[number if len(formats) == len(corpora) else 0])


def _check_column_of_corpus(corpus: object, name: str) -> None:
    """Check that a metric is not called as scores or a criterion of a corpus in Python."""
    subject = f"metric {name!r}: there is no metric of this name, but"
    if name in [scores.name for scores in getattr(corpus, "scores", ())]:
        raise UsageError(f"{subject} the corpus has scores of that name, which are called precomputed:{name}.")
    if name in [criterion.name for criterion in getattr(corpus, "criteria", ())]:
        raise UsageError(
            f"{subject} the column {name!r} of the table was read as human judgments on a criterion. If it holds "
            "scores of a metric, give them as such: metaeval.corpus(judgments, scores=..., outputs=...), where the "
            f"metric is called precomputed:{name}."
        )


def _check_column_of_file(path: Path, name: str, format_: str) -> None:
    """Check that a metric is not called as a column of a file, which has this format, "" for one that is found."""
    reader = READERS.named(format_) if format_ else Table()
    columns = columns_of_numbers(path) if isinstance(reader, Table) else []
    if not isinstance(reader, Table) or name not in columns:
        return
    subject = f"metric {name!r}: there is no metric of this name, but {path} has a column {name!r}"
    judged = (*reader.criteria, *reader.judges)
    if name in reader.metrics or (names_metric(name) and name not in judged):
        computed = f"; {name.lower()} is computed from texts" if is_metric(name.lower()) else ""
        raise UsageError(f"{subject} of its scores, which are called precomputed:{name}{computed}.")
    judges = tuple(column for column in columns if is_one_judge(column))
    criteria = tuple(column for column in columns if names_rating(column) and column not in judges)
    people = {} if judged else {"judges": judges} if judges else {"criteria": criteria or ("...",)}
    typed = typed_formats([reader.written(metrics=(*reader.metrics, name), **people)])
    raise UsageError(
        f"{subject}, which is not read as scores of a metric. If it holds such, type {typed}, and name the metric "
        f"precomputed:{name}."
    )


def _check_tests(tests: object) -> None:
    """Check that there is a single test, at the default level, which the text of a comparison assumes."""
    settings = tests if isinstance(tests, Sequence) and not isinstance(tests, str) else []
    has_alpha = any(isinstance(table, Mapping) and "alpha" in table for table in settings)
    if len(settings) > 1 or has_alpha:
        experiment = as_typed(terminal="`metaeval run`", python="`metaeval.correlate`")
        raise UsageError(
            f"a comparison has one test, at 0.05; got {tests!r}. For others, run an experiment: {experiment}."
        )


def _parts(levels: Sequence[str], coefficients: Sequence[str]) -> list[_Part]:
    """Return the parts of a comparison: each level with its coefficients; those with other intervals are separate."""
    names = [parse_call(level).name for level in levels]
    of_level: dict[str, list[str]] = {level: [] for level in levels}
    if len(of_level) < len(levels) or not levels:
        raise UsageError(f"`level` must name at least one, each once; got {list(levels)!r}.")
    for text in coefficients:
        only_level, name = with_prefix(text, LEVELS)
        if only_level and only_level not in names:
            raise UsageError(
                f"the coefficient {text!r} is for the level {only_level!r}, which is not among {list(levels)!r}."
            )
        for level, call in zip(levels, names, strict=True):
            named = [COEFFICIENTS.named(coefficient) for coefficient in of_level[level]]
            if only_level in ("", call) and COEFFICIENTS.named(name) not in named:
                of_level[level].append(name)
    parts = []
    for level, chosen_for_level in of_level.items():
        _documents_of(level)
        chosen = chosen_for_level or [DEFAULT_COEFFICIENTS[parse_call(level).name]]
        kinds = [COEFFICIENTS.named(coefficient) for coefficient in chosen]
        are_separate = [kind.takes_grid or kind.changes_with_scale for kind in kinds]
        others = tuple(
            coefficient for coefficient, is_separate in zip(chosen, are_separate, strict=True) if not is_separate
        )
        parts += [_Part(level, others)] if others else []
        parts += [
            _Part(level, (coefficient,))
            for coefficient, is_separate in zip(chosen, are_separate, strict=True)
            if is_separate
        ]
    return parts


def _settings_of(
    part: _Part, content: Mapping[str, Any], uncertainty: Mapping[str, Any], test: str | None, ceiling: int
) -> dict[str, Any]:
    """Return the keys of a config for a part, those of the content among them."""
    settings = _documents_of(part.level)
    units = DOCUMENTS[settings["documents"]["kind"]]
    test_kind = None if test is None else TESTS.named(test)
    of_one = test_kind.name if test_kind is not None and test_kind.of_one_document else ""
    if of_one and not units.is_whole:
        raise UsageError(f"the test {of_one!r} is for the level 'system'; got the level {part.level!r}.")
    if part.takes_grid:
        # Soft accuracy compares whole systems by their segments; the others compare segments.
        of_systems = COEFFICIENTS.named(part.coefficients[0]).needs_all_cells
        if units.is_drawn or (units.is_whole and not of_systems):
            levels = "levels 'system' and 'segment'" if of_systems else "level 'segment'"
            raise UsageError(
                f"the coefficient {part.coefficients[0]!r} is for the {levels}; got the level {part.level!r}."
            )
        if of_one:
            raise UsageError(f"the test {of_one!r} does not take the coefficient {part.coefficients[0]!r}.")
        # It compares systems by the scores of their segments, and has no ceiling.
        settings = {"documents": {"kind": Single.name}}
        ceiling = 0
    settings |= {
        "judgments": {"ceiling": ceiling},
        "correlation": {"coefficients": list(part.coefficients)},
        "uncertainty": dict(uncertainty),
        "figures": [{"kind": "intervals"}, *([_BEST_SYSTEMS] if units.is_whole and not part.takes_grid else [])],
    }
    settings["tests"] = [_over_resampled(merged(settings, content), test)] if "tests" not in content else []
    given = {key: value for key, value in content.items() if key in settings}
    if "bands" in content:
        kind = DOCUMENTS[settings["documents"]["kind"]]
        given["bands"] = bands_at(content["bands"], kind, part.coefficients)
    return merged(settings, given)


def _over_resampled(content: Mapping[str, Any], text: str | None) -> dict[str, Any]:
    """Return a test, over what is resampled where it can choose.

    Raises
    ------
    UsageError
        If it cannot be over that, on such documents.
    """
    if text is None:
        return {"alpha": ALPHA}
    test = TESTS.named(text)
    uncertainty = content["uncertainty"]
    documents = content["documents"]
    resampled = uncertainty.get("resample") if isinstance(uncertainty, Mapping) else None
    settings = {"method": text, "alpha": ALPHA}
    resampled = "segments" if resampled == "text" else resampled
    if not test.exchanges or resampled not in test.axes:
        return settings
    kind = documents.get("kind") if isinstance(documents, Mapping) else None
    is_drawn = isinstance(kind, str) and kind in DOCUMENTS and DOCUMENTS[kind].is_drawn
    if is_drawn and resampled != "systems":
        raise UsageError(
            f"the test {text!r} over {resampled} exchanges scores document by document, and pseudo-documents share "
            "segments; choose to resample 'systems', or the test 'bootstrap'."
        )
    return {**settings, "over": resampled}


def _level_words(level: str) -> str:
    """Return a level in words: ``system level``, ``pseudo-documents of 10 segments``."""
    documents = _documents_of(level)["documents"]
    if "lengths" not in documents:
        return f"{level} level"
    return f"{Pseudo.title} of {counted(documents['lengths'][0], 'segment')}"


def _documents_of(level: str) -> dict[str, Any]:
    call = parse_call(level)
    if call.name not in LEVELS or (call.arguments and call.name != "documents"):
        raise UsageError(unknown("level", level, (*LEVELS[:2], "documents(length=10)")))
    if call.name != "documents":
        return {"documents": {"kind": (Whole if call.name == "system" else Single).name}}
    drawn = build(_PseudoDocuments, call.arguments, subject="level 'documents'")
    return {"documents": {"kind": Pseudo.name, "lengths": [drawn.length], "count": drawn.count}}
