"""What the records of results have in common: they can be shown as tables."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

from metaeval.report.tables import SummaryTable


class Tabular(ABC):
    """A record that gives its tables for papers and for notebooks."""

    @abstractmethod
    def _tables_for_people(self) -> Sequence[SummaryTable]:
        """Return the tables that show the record."""

    def to_latex(self) -> str:
        r"""Return the tables for LaTeX.

        Returns
        -------
        str
            A ``tabular`` for each table, with rules of the package booktabs, and its heading and notes as comments. It
            compiles as it is, in a document that has ``\usepackage{booktabs}``. Numbers are rounded.
        """
        return "\n\n".join(table.to_latex() for table in self._tables_for_people())

    def to_markdown(self) -> str:
        """Return the tables as Markdown.

        Returns
        -------
        str
            Each table with its heading above and its notes below. Numbers are rounded.
        """
        return "\n\n".join(table.to_markdown() for table in self._tables_for_people())

    def _text_in(self, form: str) -> str:
        """Return the tables in a form for people: ``table``, ``md`` or ``latex``."""
        return {"md": self.to_markdown, "latex": self.to_latex}.get(form, self.__str__)()

    def __str__(self) -> str:
        return "\n\n".join(map(str, self._tables_for_people()))

    def _repr_html_(self) -> str:
        return "".join(table.to_html() for table in self._tables_for_people())
