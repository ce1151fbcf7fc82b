"""The claims of a paper as text for a terminal: what it says, what was found, and what decided."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from metaeval.report.claim_words import choice_words, statement_words
from metaeval.report.letter_widths import in_lines
from metaeval.report.phrases import SIMULATED, SIMULATED_DATA, grouped
from metaeval.report.tables import on_one_line
from metaeval.report.terminal_table import wrapped
from metaeval.results.rows import Claim

_INDENT = " " * 5
# In the order in which they are counted.
VERDICTS = ("holds", "fails", "undecided", "not applicable")
_SCOPE_WORDS = {"everywhere": "everywhere", "somewhere": "at some place", "average": "on average"}
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
        rows. A corpus that is simulated is labelled so: by the count, or at its end where there is none.
    """
    sections = []
    for (corpus, claims), words in zip(grouped(rows, lambda row: row.corpus).items(), verdicts_of(rows), strict=True):
        lines = [*([wrapped(words, width, "  ")] if counted else []), *(_entry(row, width) for row in claims)]
        labels = labels_of_claims(claims, without_evidence=not counted)
        lines += [wrapped(f"{corpus}: {label}.", width, "  ") for label in labels]
        sections.append("\n\n".join(lines))
    return "\n\n".join(sections)


def verdicts_of(rows: Sequence[Claim]) -> list[str]:
    """Return for each corpus how many claims of the paper hold, fail and are undecided, and whether it is simulated."""
    lines = []
    for corpus, claims in grouped(rows, lambda row: row.corpus).items():
        counts = Counter(row.verdict for row in claims)
        # One holds, several hold.
        verdicts = ", ".join(
            f"{n} {name if n == 1 else name.removesuffix('s')}" for name in VERDICTS if (n := counts[name])
        )
        simulated = f" ({SIMULATED})" if any(row.simulated for row in claims) else ""
        lines.append(
            f"{corpus}{simulated}: {len(claims)} claim{'' if len(claims) == 1 else 's'} of the paper; {verdicts}"
        )
    return lines


def labels_of_claims(claims: Sequence[Claim], *, without_evidence: bool = True) -> list[str]:
    """Return what is said of all verdicts on a corpus: that they are no evidence, and which names were read as others.

    Parameters
    ----------
    claims : sequence of rows
        Of one corpus.
    without_evidence : bool
        Whether to say of a simulated corpus that it is one.
    """
    simulated = without_evidence and any(row.simulated for row in claims)
    names_read = dict.fromkeys(name for row in claims for name in row.names_read)
    return [*([f"{SIMULATED_DATA}, no evidence about the claims"] if simulated else []), *names_read]


def statement_of(row: Claim) -> str:
    """Return the condition under which a claim holds, in our words."""
    reading = " (our reading)" if row.reading else ""
    statement = f"{statement_words(row)}, {_SCOPE_WORDS[row.over]}{reading}"
    return "; ".join(filter(None, [statement, choice_words(row)]))


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
