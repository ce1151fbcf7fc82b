"""Base classes of results: they can be shown as tables, with their notes below."""

from __future__ import annotations

import html
from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from metaeval.errors import ReadingNote, UsageError, unknown
from metaeval.parameters import arguments
from metaeval.report.folded_messages import brief, folded, order, tells_of_something_left_out
from metaeval.report.latex import tables_latex
from metaeval.report.tables import SummaryTable


def table_name(given: object, reasons: Mapping[str, str], tables: Collection[str]) -> str:
    """Return the name of a table that a caller asks for.

    Parameters
    ----------
    given : object
        What the caller gave.
    reasons : mapping of str to str
        The tables that there can be, and why each may be missing.
    tables : collection of str
        Those that there are.

    Raises
    ------
    UsageError
        If it is no name of a table, or there is none of this name.
    """
    name = arguments.text("table", given)
    if name not in reasons:
        raise UsageError(unknown("table", name, reasons))
    if name not in tables:
        raise UsageError(f"there is no table {name!r}, because {reasons[name]}.")
    return name


class Tabular(ABC):
    """A record that gives its tables for papers and for notebooks."""

    @abstractmethod
    def _tables_for_people(self) -> Sequence[SummaryTable]:
        """Return the tables that show the record."""

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes that stand below the tables; none unless a record has some."""
        return ()

    def to_latex(self) -> str:
        """Return the tables for LaTeX.

        Returns
        -------
        str
            A `table` environment for each table, with rules of the package booktabs, and notes as comments. It compiles
            as it is in a document that has the packages that a comment names. Numbers are rounded.
        """
        notes = (f"note: {note}" for note in self.notes)
        return tables_latex(self._tables_for_people(), notes).rstrip("\n")

    def to_markdown(self) -> str:
        """Return the tables as Markdown.

        Returns
        -------
        str
            Each table with its heading above and its notes below. Numbers are rounded.
        """
        tables = (table.to_markdown() for table in self._tables_for_people())
        return "\n\n".join([*tables, *(f"Note: {note}" for note in self.notes)])

    def _text_in(self, form: str) -> str:
        """Return the tables in a form for people: ``table``, ``md`` or ``latex``."""
        return {"md": self.to_markdown, "latex": self.to_latex}.get(form, self.__str__)()

    def __str__(self) -> str:
        notes = (f"note: {note}" for note in brief(self.notes))
        return "\n\n".join([*map(str, self._tables_for_people()), *notes])

    def _repr_html_(self) -> str:
        tables = (table.to_html() for table in self._tables_for_people())
        notes = (f"<p><strong>Note:</strong> {html.escape(note)}</p>" for note in brief(self.notes))
        return "".join([*tables, *notes])


class Noted(Tabular):
    """A result of a verb: its notes stand below its tables, and are Python warnings."""

    if TYPE_CHECKING:  # fields of most results, properties of others

        @property
        def warnings(self) -> tuple[str, ...]:
            """Warnings about the numbers."""

        @property
        def failures(self) -> tuple[str, ...]:
            """Failures that left something out, such as a metric; also among the warnings."""

    def _names(self) -> Iterable[str]:
        """Return names of corpora, criteria and metrics: notes that differ only in these are of one kind."""
        return ()

    @property
    def notes(self) -> tuple[str, ...]:
        """The warnings: on reading, failures, what can change a conclusion, others; of one kind folded into one."""
        return self._in_order(self.warnings)

    def _in_order(self, messages: Iterable[str]) -> tuple[str, ...]:
        others = [message for message in messages if message not in self.failures]
        others.sort(key=order)
        notes = folded(others, self._names())
        reading = [note for note in notes if isinstance(note, ReadingNote)]
        return tuple(self._for_people([*reading, *self.failures, *notes[len(reading) :]]))

    @property
    def all_notes(self) -> tuple[str, ...]:
        """The warnings as people read them, each whole, in the order of the notes."""
        return tuple(self._for_people(sorted(self.warnings, key=order)))

    @property
    def left_out_notes(self) -> tuple[str, ...]:
        """The failures, and the warnings that something was left out, as people read them, each whole."""
        left_out = filter(tells_of_something_left_out, self.warnings)
        return tuple(dict.fromkeys(self._for_people([*self.failures, *left_out])))

    def _for_people(self, messages: Iterable[str]) -> Iterable[str]:
        """Return messages as people read them; a record with names for metrics has these in them."""
        return messages
