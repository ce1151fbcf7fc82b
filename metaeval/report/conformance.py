"""Results of the checks of a metric, as text, tables and a data frame."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

from metaeval.conformance.finding import OUTCOMES, Finding
from metaeval.report.letter_widths import in_lines
from metaeval.report.tables import SummaryTable, formatted
from metaeval.report.tabular import Tabular


@dataclass(frozen=True, repr=False)
class MetricReport(Tabular):
    """Report on the checks of a metric.

    Attributes
    ----------
    metric : str
        As the user wrote it.
    signature : str
        All that determines its scores.
    better : {"higher", "lower"}
        As the metric declares it.
    findings : tuple of Finding
        What each check found.
    """

    metric: str
    signature: str
    better: str
    findings: tuple[Finding, ...]

    @property
    def rows(self) -> list[dict[str, str]]:
        """A row for each finding: metric, check, texts, outcome, finding, example."""
        return [{"metric": self.metric, **vars(finding)} for finding in self.findings]

    @property
    def failures(self) -> tuple[Finding, ...]:
        """The findings that say that the metric must be mended."""
        return tuple(finding for finding in self.findings if finding.outcome == "fails")

    def text(self, kind: str = "table") -> str:
        """Return the report as text.

        Parameters
        ----------
        kind : {"table", "tsv", "json", "md", "latex"}, default "table"
            For people, with words around it; or the rows in one of the other formats.

        Returns
        -------
        str
            The report.
        """
        if kind != "table":
            return formatted(self.rows, kind)
        lines = [f"{self.metric}: {self.better} is better", f"signature {self.signature}"]
        width = max(len(finding.check) for finding in self.findings)
        indent = " " * (width + 9)
        for texts in dict.fromkeys(finding.texts for finding in self.findings):
            lines += ["", {"": "the metric itself", "examples": "on examples"}.get(texts, f"on {texts}")]
            for finding in self.findings:
                if finding.texts == texts:
                    head = f"{finding.outcome:<5}  {finding.check:<{width}}  "
                    lines += in_lines(head + finding.finding, 120, rest=indent)
                    if finding.example:
                        lines += in_lines(f"e.g. {finding.example}", 120, indent, indent + "     ")
        counts = {name: sum(finding.outcome == name for finding in self.findings) for name in OUTCOMES}
        return "\n".join([*lines, "", f"{counts['ok']} ok, {counts['note']} to note, {counts['fails']} failed"])

    def to_frame(self) -> pd.DataFrame:
        """Return the findings as a new data frame, a row each.

        Returns
        -------
        DataFrame
            ``metric``, ``check``, ``texts``, ``outcome``, ``finding`` and ``example``, all text.
        """
        return pd.DataFrame(self.rows)

    def _tables_for_people(self) -> list[SummaryTable]:
        rows = [{name: row[name] for name in ("check", "texts", "outcome", "finding")} for row in self.rows]
        return [SummaryTable(f"{self.metric}: {self.better} is better; {self.signature}", rows)]

    def __str__(self) -> str:
        return self.text()

    def __repr__(self) -> str:
        return f"MetricReport({self.metric!r}, {len(self.findings)} findings, {len(self.failures)} failures)"
