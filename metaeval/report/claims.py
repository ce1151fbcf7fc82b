"""The claims of a paper as text for a terminal: what it says, what was found, and what decided."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from metaeval.report.letter_widths import in_lines
from metaeval.report.phrases import grouped
from metaeval.report.tables import on_one_line
from metaeval.results.rows import Claim

_INDENT = " " * 5
# In the order in which they are counted.
VERDICTS = ("holds", "fails", "undecided", "not applicable")
_SCOPE_WORDS = {"everywhere": "everywhere", "somewhere": "at some place", "average": "on average"}
_QUANTITY_WORDS = {"nist-share": "shares of the NIST score: ", "top-cluster": "intervals that overlap with the best: "}
_AGREEMENT_VERBS = ("agrees with", "agree with")
_CONTRADICTION_VERBS = ("contradicts", "contradict")


def claims_text(rows: Sequence[Claim], width: int = 100, *, counted: bool = True) -> str:
    """Return the verdicts on the claims of a paper.

    Parameters
    ----------
    rows : sequence of rows
        As `metaeval.papers.claims.judge_claims` gives them.
    width : int
        Of a line.
    counted : bool
        Whether a count of the verdicts stands above.

    Returns
    -------
    str
        For each corpus a count of the verdicts, and for each claim the words of the paper, the statement that stands
        for them, the verdict, and the comparison that decided it with its difference and its interval. Nothing for no
        rows. A corpus that is simulated is labelled so at its end.
    """
    sections = []
    for (corpus, claims), words in zip(grouped(rows, lambda row: row.corpus).items(), verdicts_of(rows), strict=True):
        lines = [*([words] if counted else []), *(_entry(row, width) for row in claims)]
        labels = dict.fromkeys(row.label for row in claims if row.label)
        lines += [f"{corpus}: {label}." for label in labels]
        sections.append("\n\n".join(lines))
    return "\n\n".join(sections)


def verdicts_of(rows: Sequence[Claim]) -> list[str]:
    """Return for each corpus how many claims of the paper hold, fail and are undecided."""
    lines = []
    for corpus, claims in grouped(rows, lambda row: row.corpus).items():
        counts = Counter(row.verdict for row in claims)
        # One holds, several hold.
        verdicts = ", ".join(
            f"{n} {name if n == 1 else name.removesuffix('s')}" for name in VERDICTS if (n := counts[name])
        )
        lines.append(f"{corpus}: {len(claims)} claim{'' if len(claims) == 1 else 's'} of the paper; {verdicts}")
    return lines


def statement_of(row: Claim) -> str:
    """Return the condition under which a claim holds, in our words."""
    reading = " (our reading)" if row.reading else ""
    margin = f", margin {row.margin:g}" if row.margin else ""
    statement = f"{_QUANTITY_WORDS.get(row.quantity, '')}{row.statement}, {_SCOPE_WORDS[row.over]}{margin}{reading}"
    return f"{statement}; {row.chosen}" if row.chosen else statement


def _entry(row: Claim, width: int) -> str:
    parts = (
        (row.paper, f"{row.claim:>3}  ", _INDENT),
        (statement_of(row), _INDENT, _INDENT + "  "),
        (f"{row.verdict.upper()}: {decision_of(row)}", _INDENT, _INDENT + "  "),
    )
    # A config may break a text anywhere.
    lines = [line for text, *indents in parts for line in in_lines(on_one_line(text), width, *indents)]
    return "\n".join(lines)


def decision_of(row: Claim) -> str:
    """Return why a claim has its verdict.

    That is the comparison that decided it, what its interval comes from, notes, and how many comparisons agree with the
    claim and contradict it; or why it is not applicable.
    """
    if row.verdict == "not applicable":
        return row.why
    parts = [row.why]
    if row.evidence != "none":
        parts.append("range over the systems" if row.evidence == "systems" else f"interval from {row.evidence}")
    # Quantities other than correlations are compared as numbers: none has an interval that could be missed.
    elif row.quantity == "correlation":
        parts.append("without an interval")
    parts += [row.notes] if row.notes else []
    if row.n_comparisons > 1:
        agreeing = _comparisons_in_words(row.n_for, *_AGREEMENT_VERBS)
        contradicting = _comparisons_in_words(row.n_against, *_CONTRADICTION_VERBS)
        parts.append(f"of {row.n_comparisons} comparisons {agreeing} the claim and {contradicting} it")
    return "; ".join(parts)


def _comparisons_in_words(count: int, verb: str, plural: str) -> str:
    return f"{count or 'none'} {verb if count < 2 else plural}"
