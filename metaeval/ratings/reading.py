"""Read ratings from a table file, from a data frame, or from the judgments of a corpus.

Layouts that are recognised, by the names of columns (:mod:`metaeval.ratings.recognition`):

- long: a row a rating, with columns for the item, the rater and the value;
- wide: a row an item, with a column for each rater;
- mixed: long, with a column of a judge that repeats its answer on every row of an item;
- pairs: an item is a pair of outputs, and an answer says which is better; in one order or in both.

What cannot be known is not guessed: the error says what to type.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from metaeval.corpora.exports import EXPORTS
from metaeval.corpora.problems import Problems
from metaeval.corpora.tables.checks import without_checks
from metaeval.corpora.tables.delimited import Frame, read_delimited
from metaeval.corpora.tables.headers import fits_any
from metaeval.corpora.tables.json_rows import AROUND
from metaeval.corpora.tables.load import FRAMES, PartLine, Wanted, text_frame
from metaeval.corpora.text_files import Files, packed_or_not
from metaeval.datamodel.columns import columns_of
from metaeval.datamodel.corpus import Corpus
from metaeval.errors import CorpusError, UsageError, as_typed, counted, listing, unknown
from metaeval.judgments.groups import choose_judges
from metaeval.parameters.calls import spelt_as
from metaeval.ratings.cell_values import Answers, Cell, Swapped, order_shown, oriented, read_answers, read_preferences
from metaeval.ratings.exports import EXPORTS_OF_RATINGS
from metaeval.ratings.joining import join_tables
from metaeval.ratings.lengths import Facts, lengths_of_items
from metaeval.ratings.recognition import (
    CHOSEN,
    Columns,
    check_named,
    is_automatic,
    is_called,
    is_crowd,
    no_answers,
    recognise,
    recognise_in_part,
)
from metaeval.ratings.sheets import frames_of_book, with_items
from metaeval.ratings.table import LENGTHS, RaterKind, Ratings

# What the better output is called as a rater, where a table names it by its columns.
TRUTH_OF_PAIRS = CHOSEN
# Files that may hold several sheets.
_BOOK_SUFFIXES = (".xlsx", ".xls", ".ods")
_EXPORTS = (*EXPORTS, *EXPORTS_OF_RATINGS)
# Notes on a corpus that say what of it is no rating.
_LEFT_OUT = re.compile(r"left out|scored several times|the last counts")


@dataclass(frozen=True)
class Asked:
    """Options for reading a table of ratings; those left at their defaults are inferred from the table.

    Attributes
    ----------
    judges, people : tuple of str
        Names or patterns of raters, or of the columns with their answers.
    truth : str
        The rater that is right by definition; "" for none.
    columns : tuple of str
        What columns hold, as ``item=COLUMN``.
    document : str
        The column with the document of an item; "" for none.
    criterion : str
        What was asked, of several; "" for the only one.
    order : tuple of str
        Words that are grades, from the lowest on.
    swapped : {"outputs", "places"}, optional
        What answers name where the two outputs were exchanged.
    """

    judges: tuple[str, ...] = ()
    people: tuple[str, ...] = ()
    truth: str = ""
    columns: tuple[str, ...] = ()
    document: str = ""
    criterion: str = ""
    order: tuple[str, ...] = ()
    swapped: Swapped | None = None

    @property
    def persons(self) -> tuple[str, ...]:
        """The people that were named; with a truth this alone is compared."""
        return (self.truth,) if self.truth else self.people


def read_tables(paths: Sequence[Path], asked: Asked) -> Ratings:
    """Return the ratings of files: TSV, CSV, JSON, JSON Lines, Excel, OpenDocument, Parquet or Arrow.

    Of several, rows on the same item belong together, as where people and a judge have a file each.

    Raises
    ------
    UsageError
        If a name is unknown, or what must be known is not said.
    CorpusError
        If a file is no table of ratings, or files contradict each other.
    """
    problems = Problems()
    frames = list[Frame]()
    for path in paths:
        files = Files(path.parent, problems)
        if packed_or_not(path).suffix.lower() in _BOOK_SUFFIXES:
            parts = frames_of_book(path, files, lambda frame: _recognised(frame, asked))
        else:
            parts = [frame for frame in (_frame_of(path, files),) if frame is not None]
        problems.raise_errors()
        frames += [_with_items(frame, files, asked) for frame in parts]
    return _read_together(frames, asked, problems)


def _with_items(frame: Frame, files: Files, asked: Asked) -> Frame:
    """Return a table, or that of an export, in which each row has an item; what was left out is noted."""
    table = _read_export(frame, files)
    table, notes = with_items(table, _recognised(table, asked))
    for note in notes:
        files.note(table.location, f"{note}.")
    return table


def _read_together(frames: Sequence[Frame], asked: Asked, problems: Problems) -> Ratings:
    """Return the ratings of one table, or of several on the same items."""
    for frame in frames:
        if not len(frame):
            raise CorpusError(f"{frame.location}: must have a row for each rating or item; it has none.")
    if len(frames) == 1:
        return _read_frame(frames[0], asked, _messages(problems))
    frame, columns, notes = join_tables(
        frames, judges=asked.judges, people=asked.persons, columns=asked.columns, document=asked.document
    )
    notes += [f"in {problem.location}: {problem.message}" for problem in problems.entries]
    return _read_frame(frame, replace(asked, columns=columns), notes)


def _recognised(frame: Frame, asked: Asked) -> Columns:
    """Recognise the columns of one of several tables."""
    return recognise_in_part(
        frame, judges=asked.judges, people=asked.persons, columns=asked.columns, document=asked.document
    )


def read_frame(table: Any, asked: Asked, name: str = "table") -> Ratings:
    """Return the ratings of a table of Python, such as a data frame, a list of dicts or a dict of columns."""
    return read_frames([table], asked, [name])


def read_frames(tables: Sequence[Any], asked: Asked, names: Sequence[str] = ()) -> Ratings:
    """Return the ratings of tables of Python; of several, rows on the same item belong together.

    Parameters
    ----------
    tables : sequence of table
    asked : Asked
    names : sequence of str
        What the tables are called in messages; by default table 1, table 2 and so on.
    """
    problems = Problems()
    frames = list[Frame]()
    for name, table in zip(names or [f"table {at + 1}" for at in range(len(tables))], tables, strict=True):
        files = Files(Path(name), problems)
        frame = text_frame(files, name, columns_of(name, table), wanted=lambda _: None)
        problems.raise_errors()
        assert frame is not None
        frames.append(_with_items(frame, files, asked))
    return _read_together(frames, asked, problems)


def column_names(table: Path | object) -> list[str]:
    """Return the names of the columns of a file or a table of Python; of an export, those of the table it stands for.

    Raises
    ------
    CorpusError
        If the file cannot be read.
    """
    problems = Problems()
    if isinstance(table, Path):
        files = Files(table.parent, problems)
        frame = _frame_of(table, files)
    else:
        files = Files(Path("table"), problems)
        frame = text_frame(files, "table", columns_of("table", table), wanted=lambda _: None)
    problems.raise_errors()
    assert frame is not None
    return [*_read_export(frame, files).columns]


def _messages(problems: Problems) -> list[str]:
    """Return the messages about a file from loading it."""
    return [problem.message for problem in problems.entries]


def _frame_of(path: Path, files: Files) -> Frame | None:
    """Read a file; values inside others are kept, as exports of tools have them."""
    read = FRAMES.get(packed_or_not(path).suffix.lower())
    if read is not None:
        return read(path, files, Wanted(lambda _: None, keeps_values=_are_of_an_export))
    text, location, problems = files.opened(path)
    names = (text or "").partition("\n")[0].rstrip("\r").split("\t")
    is_quoted = _are_of_an_export([name.strip('"') for name in names])
    return read_delimited(text, location, problems, quoting=is_quoted or None, fits=fits_any, guess=True)


def _are_of_an_export(names: Collection[str]) -> bool:
    """Return whether columns of these names are those of a tool's export."""
    return any(export.fits_names(names) for export in _EXPORTS)


def _read_export(frame: Frame, files: Files) -> Frame:
    """Return the table of what people and models said, where a table is the export of a tool."""
    export = next((candidate for candidate in _EXPORTS if candidate.fits(frame)), None) if len(frame) else None
    if export is None:
        return frame.without(AROUND)
    files.note(frame.location, f"read as an export of {export.tool}.")
    table = (export.ratings or export.table)(frame, files)
    files.problems.raise_errors()
    assert table is not None
    return table


def _read_frame(frame: Frame, asked: Asked, messages: Sequence[str]) -> Ratings:
    """Return the ratings of one table."""
    columns = recognise(
        frame, judges=asked.judges, people=asked.persons, columns=asked.columns, document=asked.document
    )
    for name in (*asked.judges, *asked.persons):
        if name in frame.columns and not any(map(str.strip, frame.columns[name])):
            raise CorpusError(f"{frame.location}: the column {name!r} must have ratings; it is empty.")
    if not columns.is_long and not columns.answers and not columns.by_scores:
        raise no_answers(frame)
    rows, criterion, notes_on_criterion = _rows_of_criterion(frame, columns, asked)
    of_items = [columns.roles[role] for role in ("item", "segment", "document", "system") if role in columns.roles]
    rows, notes_on_checks = without_checks(frame, rows, of_items)
    answers, facts = _answers(frame, columns, rows, asked)
    lengths, notes_on_lengths = lengths_of_items(
        frame, columns.roles, rows, _item_names(frame, columns, rows),
        {row: _systems(frame, columns, row) for row in rows}, answers.systems,
        is_asked=any(entry.startswith(LENGTHS) for entry in asked.columns),
    )  # fmt: skip
    if not len(answers.value):
        raise CorpusError(f"{frame.location}: no cell of {listing([*columns.answers])} holds a rating.")
    notes = [message.rstrip(".") for message in messages]
    notes += [*notes_on_criterion, *notes_on_checks, *notes_on_lengths]
    notes += [f"{name!r} is called like a rater and not used, for {why}" for name, why in columns.not_answers.items()]
    notes += answers.notes
    unused = [name for name in columns.unused if name not in (asked.truth, AROUND, *columns.not_answers)]
    notes += [f"columns that are not used: {listing(unused, 8)}"] if unused else []
    return _build_ratings(answers, facts | lengths, columns, asked, frame.location, criterion, notes)


def _answers(frame: Frame, columns: Columns, rows: Sequence[int], asked: Asked) -> tuple[Answers, Facts]:
    """Return what raters said in some rows, and the facts of the items."""
    cells, facts = _cells(frame, columns, rows)
    if asked.swapped is not None and not (columns.is_pairs and any(cell.shown < 0 for cell in cells)):
        option = as_typed(terminal="--swapped", python="`swapped`")
        raise UsageError(
            f"{frame.location}: {option} says what preferences in swapped order name, and the table has none. They "
            "must stand in a column of their own, such as gpt_swapped beside gpt, or g2_winner beside g1_winner; the "
            f"columns are {listing(frame.columns, 8)}. Rename the column, or leave {option} out."
        )
    if words := frame.settings.get("words"):
        cells = [cell._replace(text=words.get(cell.text.strip().lower(), cell.text)) for cell in cells]
    if not columns.is_pairs:
        return read_answers(cells, asked.order, frame.location), facts
    answers = read_preferences(cells, frame.location, swapped=asked.swapped, is_chosen=columns.is_chosen)
    if columns.is_chosen:
        answers = _with_chosen(answers, _scored_pairs(frame, columns, rows))
    answers = oriented(answers)
    if any(map(any, answers.systems.values())):
        facts["system_a"] = {item: first for item, (first, _) in answers.systems.items()}
        facts["system_b"] = {item: second for item, (_, second) in answers.systems.items()}
    return answers, facts


def _rows_of_criterion(frame: Frame, columns: Columns, asked: Asked) -> tuple[list[int], str, list[str]]:
    """Return the rows on the criterion that was asked for, or on the only one, and its name."""
    rows = [*range(len(frame))]
    column = columns.roles.get("criterion")
    criteria = frame.settings.get("criteria", ()) if columns.is_long else ()
    names = [*dict.fromkeys(filter(None, map(str.strip, frame.columns[column])))] if column else [*criteria]
    if not names:
        if asked.criterion:
            raise UsageError(
                f"{frame.location}: has no column of criteria, so that {asked.criterion!r} is none of them."
            )
        return rows, "", []
    if asked.criterion:
        name = spelt_as(asked.criterion, names)
        if name not in names:
            raise UsageError(f"{frame.location}: {unknown('criterion', asked.criterion, names, 'criteria')}")
    elif len(names) == 1:
        name = names[0]
    else:
        typed = as_typed(terminal=f"--criterion {names[0]!r}", python=f"criterion={names[0]!r}")
        raise UsageError(f"{frame.location}: has ratings on {listing(names)}; choose one of them, such as {typed}.")
    if column is None:
        return rows, name, []
    cells = [cell.strip() for cell in frame.columns[column]]
    n_blank = cells.count("")
    notes = [f"{counted(n_blank, 'row')} without a criterion taken for {name!r}"] if n_blank else []
    return [row for row in rows if cells[row] in (name, "")], name, notes


def _item_names(frame: Frame, columns: Columns, rows: Sequence[int]) -> dict[int, str]:
    """Return the name of the item of each row; of a pair of systems in either order it is the same."""
    if not columns.keys and not columns.is_long:
        # JSON may have all of its rows in one line.
        are_lines = len({*frame.lines}) == len(frame)
        return {row: str(frame.lines[row] if are_lines else row + 1) for row in rows}
    pairs = [columns.roles[role] for role in ("system_a", "system_b") if role in columns.roles]
    item_names = {}
    for row in rows:
        parts = [frame.columns[name][row].strip() for name in columns.keys if name not in pairs]
        parts += sorted(frame.columns[name][row].strip() for name in pairs)
        item_names[row] = " / ".join(parts)
    return item_names


def _cells(frame: Frame, columns: Columns, rows: Sequence[int]) -> tuple[list[Cell], Facts]:
    """Return all answers as they stand in the table, and the facts of their items."""
    names = _item_names(frame, columns, rows)
    if not columns.keys and (columns.is_long or any(isinstance(line, PartLine) for line in frame.lines)):
        raise CorpusError(_without_items(frame, columns))
    # First, because items of different documents that share an id are not the same item twice.
    facts = _facts(frame, columns, names)
    cells = list[Cell]()
    first_row = dict[str, int]()
    row_of = dict[tuple[str, str], int]()
    for row in rows:
        item = names[row]
        cells += _long_cells(frame, columns, row, item)
        # A pair that stands there with its systems exchanged was asked about in both orders.
        is_exchanged = (
            not columns.is_long
            and item in first_row
            and _systems(frame, columns, row) != _systems(frame, columns, first_row[item])
        )
        for cell, column in _wide_cells(frame, columns, row, item):
            if (item, column) not in row_of or is_exchanged:
                cells.append(cell)
            else:
                _check_again(frame, columns, row_of[item, column], row, cell, column)
            row_of.setdefault((item, column), row)
        first_row.setdefault(item, row)
    for rater in (*columns.people, *columns.judges):
        for column, shown in columns.answers.get(rater, ()):
            missing = (item for item in first_row if (item, column) not in row_of)
            cells += [Cell(item, rater, "", frame.lines[first_row[item]], shown) for item in missing]
    return cells, facts


def _facts(frame: Frame, columns: Columns, item_names: Mapping[int, str]) -> Facts:
    """Return the facts of items, by the name of the item in each row; an item has the same in all of its rows."""
    facts: Facts = {role: {} for role in ("system", "segment", "document") if role in columns.roles}
    for row, item in item_names.items():
        for role, of_items in facts.items():
            value = frame.columns[columns.roles[role]][row].strip()
            known = of_items.setdefault(item, value) or value
            of_items[item] = known
            if value and known != value:
                raise CorpusError(
                    f"{frame.location_of(row)}: the item {item!r} must have one {role}; got {value!r}, and {known!r} "
                    "above."
                )
    if "segment" not in facts and "item" in columns.roles:
        ids = {item: frame.columns[columns.roles["item"]][row].strip() for row, item in item_names.items()}
        if len(ids) > len(set(ids.values())):
            facts["segment"] = ids  # several outputs, or pairs of them, answer one question
    return facts


def _long_cells(frame: Frame, columns: Columns, row: int, item: str) -> Iterator[Cell]:
    """Yield the answers of the rater whose name stands in a row."""
    systems = _systems(frame, columns, row)
    first = _order_shown(frame, columns, row)
    for column, shown in columns.values:
        rater = frame.columns[columns.roles["rater"]][row].strip()
        text = frame.columns[column][row]
        is_elsewhere = not text.strip() and any(frame.columns[other][row].strip() for other, _ in columns.values)
        if (rater or text.strip()) and not is_elsewhere:
            yield Cell(item, rater or "unnamed", text, frame.lines[row], shown or first, systems)


def _wide_cells(frame: Frame, columns: Columns, row: int, item: str) -> Iterator[tuple[Cell, str]]:
    """Yield the answers in a row of the raters that have columns of their own, each with its column."""
    systems = _systems(frame, columns, row)
    first = _order_shown(frame, columns, row)
    for rater in (*columns.people, *columns.judges):
        for column, shown in columns.answers.get(rater, ()):
            text = frame.columns[column][row]
            if text.strip():
                yield Cell(item, rater, text, frame.lines[row], shown or first, systems), column


def _order_shown(frame: Frame, columns: Columns, row: int) -> int:
    """Find the output of a row that was shown first, by a column that says so: 1 or -1; 0 where none does."""
    if not columns.is_pairs or "first" not in columns.roles:
        return 0
    systems = _systems(frame, columns, row)
    return order_shown(frame.columns[columns.roles["first"]][row], systems, frame.location_of(row))


def _systems(frame: Frame, columns: Columns, row: int) -> tuple[str, str]:
    """Return the two systems of a pair; "" where the table does not name them."""
    if not columns.is_pairs:
        return "", ""
    first, second = columns.roles.get("system_a"), columns.roles.get("system_b")
    if first is None or second is None:
        return "", ""
    return frame.columns[first][row].strip(), frame.columns[second][row].strip()


def _check_again(frame: Frame, columns: Columns, first: int, row: int, cell: Cell, column: str) -> None:
    """Refuse another answer in a column that is read once an item; where rows are ratings it may be repeated."""
    before = frame.columns[column][first].strip()
    where = f"{frame.location_of(row)}: the item {cell.item!r} stands in line {frame.lines[first]} already"
    if columns.is_long:
        if before != cell.text.strip():
            answers = f"{before!r} there, {cell.text.strip()!r} here"
            raise CorpusError(f"{where}, with another answer of {cell.rater!r}: {answers}.")
        return
    typed = as_typed(terminal="--columns item=COLUMN", python='columns=["item=COLUMN"]')
    raise CorpusError(
        f"{where}. Where each rater has a column, an item has one row. If {listing(columns.keys)} does not tell items "
        f"apart, name the column that does, {typed}; if rows are ratings of several people, call the column with their "
        "names rater, and that with the ratings score."
    )


def _without_items(frame: Frame, columns: Columns) -> str:
    free = listing([name for name in frame.columns if name not in columns.roles.values()])
    typed = as_typed(terminal="--columns item=COLUMN", python='columns=["item=COLUMN"]')
    return (
        f"{frame.location}: must say which item each rating is of, so that ratings of the same item can be compared; "
        f"it has no column called item, id or segment. Other columns are {free}; name the one with the ids: {typed}."
    )


def _scored_pairs(frame: Frame, columns: Columns, rows: Sequence[int]) -> list[tuple[Cell, float]]:
    """Return the preferences of judges that gave each of the two outputs a score."""
    names = _item_names(frame, columns, rows)
    scored = list[tuple[Cell, float]]()
    for judge, pair in columns.by_scores.items():
        for row in rows:
            texts = [frame.columns[name][row].strip() for name in pair]
            if all(texts):
                try:
                    first, second = map(float, texts)
                except ValueError as error:
                    must = f"the scores of {judge!r} must be numbers"
                    raise CorpusError(f"{frame.location_of(row)}: {must}; got {listing(texts)}.") from error
                cell = Cell(names[row], judge, "", frame.lines[row], 0, _systems(frame, columns, row))
                scored.append((cell, float(np.sign(first - second))))
    return scored


def _with_chosen(answers: Answers, scored: Sequence[tuple[Cell, float]]) -> Answers:
    """Return preferences with those of scores, and with what the table calls the better output of each pair."""
    cells = [*answers.cells, *(cell for cell, _ in scored)]
    first = {cell.item: cell for cell in reversed(cells)}
    truth = [cell._replace(rater=TRUTH_OF_PAIRS, text=CHOSEN, shown=0) for cell in first.values()]
    value = np.concatenate([answers.value, [sign for _, sign in scored], np.ones(len(truth))])
    return replace(answers, cells=[*cells, *truth], value=value)


def _build_ratings(
    answers: Answers,
    facts: Facts,
    columns: Columns,
    asked: Asked,
    location: str,
    criterion: str,
    notes: Sequence[str],
) -> Ratings:
    """Return the record of what was read, with the kind of each rater."""
    items = {name: index for index, name in enumerate(dict.fromkeys(cell.item for cell in answers.cells))}
    raters = {name: index for index, name in enumerate(dict.fromkeys(cell.rater for cell in answers.cells))}
    names_of_columns = [column for columns_of_rater in columns.answers.values() for column, _ in columns_of_rater]
    known = dict.fromkeys([*raters, *names_of_columns])
    check_named({"judge": asked.judges, "person": asked.persons}, known, location, columns.unused)
    kinds = [_kind(name, columns, asked) for name in raters]
    ratings = Ratings(
        items=tuple(items),
        raters=tuple(raters),
        rater_kinds=tuple(kind or "person" for kind in kinds),
        item=np.array([items[cell.item] for cell in answers.cells], dtype=np.int64),
        rater=np.array([raters[cell.rater] for cell in answers.cells], dtype=np.int64),
        value=answers.value,
        kind=answers.kind,
        categories=answers.categories,
        shown=answers.shown,
        criterion=criterion,
        facts={role: tuple(of_items.get(item, "") for item in items) for role, of_items in facts.items()},
        source=location,
        notes=tuple(notes),
    )
    return _without_raters(ratings, [name for name, kind in zip(raters, kinds, strict=True) if kind is None])


def _kind(name: str, columns: Columns, asked: Asked) -> RaterKind | None:
    """Return the kind of a rater; None where others were named and it is none of them."""
    names = [name, *(column for column, _ in columns.answers.get(name, ()))]

    def is_named(patterns: Sequence[str]) -> bool:
        return any(is_called(column_or_rater, pattern) for column_or_rater in names for pattern in patterns)

    if is_named(asked.judges) or name in columns.judges:
        return "automatic"
    if is_named(asked.persons) or name in columns.people or name == TRUTH_OF_PAIRS:
        return "crowd" if is_crowd(name) else "person"
    if is_automatic(name) or name in columns.automatic:
        return None if asked.judges else "automatic"
    if asked.persons:
        return None
    return "crowd" if is_crowd(name) else "person"


def _without_raters(ratings: Ratings, left_out: Sequence[str]) -> Ratings:
    """Return ratings without some raters, with a note, and without the items that nobody else rated."""
    if not left_out:
        return ratings
    is_kept = np.array([name not in left_out for name in ratings.raters], dtype=bool)
    rows = is_kept[ratings.rater]
    items = np.unique(ratings.item[rows])
    new_item = np.full(len(ratings.items), -1)
    new_rater = np.cumsum(is_kept) - 1
    new_item[items] = np.arange(len(items))
    return replace(
        ratings,
        items=tuple(ratings.items[at] for at in items.tolist()),
        raters=tuple(name for name in ratings.raters if name not in left_out),
        rater_kinds=tuple(kind for kind, stays in zip(ratings.rater_kinds, is_kept.tolist(), strict=True) if stays),
        item=new_item[ratings.item[rows]],
        rater=new_rater[ratings.rater[rows]],
        value=ratings.value[rows],
        shown=ratings.shown[rows],
        facts={name: tuple(of[at] for at in items.tolist()) for name, of in ratings.facts.items()},
        notes=(*ratings.notes, f"raters that were not named are left out: {listing(left_out, 8)}"),
    )


def ratings_of_corpus(corpus: Corpus, asked: Asked) -> Ratings:
    """Return the judgments of a corpus on one criterion as ratings: an item is a segment of a system.

    Raises
    ------
    UsageError
        If a name is unknown, or the corpus has judgments on several criteria and none was chosen.
    """
    location = f"corpus {corpus.name}"
    criterion = _criterion_of(corpus, asked, location)
    judgments = corpus.judgments
    chosen = judgments.where(judgments.criterion == criterion)
    present = np.unique(chosen.judge)
    raters = tuple(judgments.judges[judge] for judge in present.tolist())
    check_named({"judge": asked.judges, "person": asked.persons}, raters, location)
    slots = choose_judges(corpus, "all").slots
    kinds = [_kind(rater, Columns({}, ()), asked) for rater in raters]
    is_slot = [rater in slots and kind == "person" for rater, kind in zip(raters, kinds, strict=True)]
    n_segments = len(corpus.segment_ids)
    keys, item = np.unique(chosen.system.astype(np.int64) * n_segments + chosen.segment, return_inverse=True)
    system, segment = np.divmod(keys, n_segments)
    facts = _facts_of_corpus(corpus, system.tolist(), segment.tolist())
    answers = read_answers([Cell("", "", repr(score), 0) for score in chosen.score.tolist()], (), location)
    ratings = Ratings(
        items=tuple(f"{name} / {number}" for name, number in zip(facts["system"], facts["segment"], strict=True)),
        raters=raters,
        rater_kinds=tuple("crowd" if slot else kind or "person" for slot, kind in zip(is_slot, kinds, strict=True)),
        item=item.astype(np.int64),
        rater=np.searchsorted(present, chosen.judge).astype(np.int64),
        value=answers.value,
        kind=answers.kind,
        categories=answers.categories,
        criterion=corpus.criteria[criterion].name,
        facts=facts,
        source=location,
        notes=tuple(f"in {note.rstrip('.')}" for note in corpus.notes if _LEFT_OUT.search(note)),
    )
    return _without_raters(ratings, [name for name, kind in zip(raters, kinds, strict=True) if kind is None])


def _criterion_of(corpus: Corpus, asked: Asked, location: str) -> int:
    """Return the criterion of a corpus that was asked for, or the only one that was judged, by its place."""
    for name in ("columns", "document", "order", "swapped"):
        if getattr(asked, name):
            called = as_typed(terminal=f"--{name}", python=f"`{name}`")
            raise UsageError(f"{called} says how a table of ratings is read, and {location} is none: leave it out.")
    criteria = [criterion.name for criterion in corpus.criteria]
    judged = [criteria[at] for at in np.unique(corpus.judgments.criterion).tolist()]
    if not judged:
        raise UsageError(f"{location}: must have judgments of systems; it has none.")
    if not asked.criterion and len(judged) > 1:
        typed = as_typed(terminal=f"--criterion {judged[0]!r}", python=f"criterion={judged[0]!r}")
        raise UsageError(f"{location}: has judgments on {listing(judged)}; choose one of them, such as {typed}.")
    name = spelt_as(asked.criterion, judged) if asked.criterion else judged[0]
    if name not in judged:
        raise UsageError(f"{location}: {unknown('criterion', asked.criterion, judged, 'criteria')}")
    return criteria.index(name)


def _facts_of_corpus(corpus: Corpus, systems: Sequence[int], segments: Sequence[int]) -> dict[str, tuple[str, ...]]:
    """Return the facts of items, each a segment of a system: their names, documents and lengths in characters."""
    facts = {
        "system": tuple(corpus.systems[system] for system in systems),
        "segment": tuple(f"{segment + 1}" for segment in segments),
    }
    if corpus.documents is not None:
        facts["document"] = tuple(corpus.documents[segment] for segment in segments)
    texts = [corpus.candidates[system][segment] for system, segment in zip(systems, segments, strict=True)]
    if any(texts):
        facts["length"] = tuple(str(len(text)) if text else "" for text in texts)
    return facts
