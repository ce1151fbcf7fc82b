"""The page of judges beside people: one file of HTML without a script, in the look of the page of a run."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from typing import TYPE_CHECKING

from metaeval.errors import counted
from metaeval.ratings.judge_comparison import MIN_PEOPLE, JudgeFindings
from metaeval.ratings.sentences import MAX_JUDGES, measured, unit
from metaeval.ratings.table import Ratings
from metaeval.report.methods.paragraph import Methods
from metaeval.report.page import EmbeddedPicture, content_digest, page_style
from metaeval.report.phrases import named_in_sentence
from metaeval.report.tables import SummaryTable, laid_out
from metaeval.version import VERSION

if TYPE_CHECKING:
    from metaeval.report.figures.picture import Picture

# What stands above the tables, in their order on the page, and what they are called in its contents.
_TITLES = {
    "judges": ("Judges beside one person and the constant answer", "Table"),
    "labels": ("How each answer is used", "Answers"),
    "position": ("Pairs that were shown in both orders", "Position"),
    "dependence": ("Length and own system: what a judge gives that people do not", "Length"),
    "people": ("Each person: judge and person, both compared with the other people", "People"),
    "pairs": ("Judges in pairs", "Pairs"),
    "severity": ("How much higher than people each judge is, by system", "Systems"),
}
# Tables that are closed until a reader opens them.
_FOLDED = frozenset({"people", "pairs", "severity"})
# With more rows than this, so is the table of answers.
_MAX_ROWS = 12
# Columns that hold words; all others hold numbers.
_WORDS = frozenset({"rater", "judge", "person", "less", "system", "gives", "answer", "in both orders"})


@dataclass(frozen=True)
class _PageTable:
    """A table as the page shows it: heads, rows, and which columns are numbers."""

    name: str
    title: str
    short_title: str
    heads: Sequence[str]
    rows: Sequence[Sequence[str]]
    is_number: Sequence[bool]
    notes: Sequence[str]
    is_folded: bool


def render_judges(
    findings: JudgeFindings,
    ratings: Ratings,
    *,
    answer: str,
    reading: str,
    tables: Mapping[str, SummaryTable],
    notes: Sequence[str],
    methods: Methods,
    figure: Picture,
    truth: str,
    margin: float | None,
) -> str:
    """Return the page; the same findings give the same text.

    Parameters
    ----------
    findings : JudgeFindings
    ratings : Ratings
    answer, reading : str
        The answer, a sentence a line, and how the table was read.
    tables : mapping of str to SummaryTable
        By their names, the one of judges first.
    notes : sequence of str
        What can mislead a reader.
    methods : Methods
        The paragraph for a paper.
    figure : Picture
        Judges beside people.
    truth : str
        The rater that is right by definition; "" for none.
    margin : float or None
        The margin that was named.
    """
    import jinja2
    from markupsafe import Markup

    from metaeval.report.figures.drawing import figure_bytes
    from metaeval.report.figures.settings import Look

    source = resources.files("metaeval.ratings").joinpath("page.html.jinja").read_text(encoding="utf-8")
    template = jinja2.Environment(
        autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True
    ).from_string(source)
    style = page_style()
    picture = EmbeddedPicture(
        "judges.svg", "image/svg+xml", figure_bytes(figure, "svg", Look(width="page")), caption=figure.caption,
        numbers=figure.numbers,
    )  # fmt: skip
    return template.render(
        question=_question(findings, truth),
        source=ratings.source,
        answers=answer.splitlines(),
        reading=reading,
        facts=_facts(findings, ratings, truth, margin),
        tables=[_page_table(name, tables[name], truth) for name in _TITLES if name in tables],
        picture=picture,
        notes=notes,
        limits=limits(findings, truth=truth, margin=margin),
        methods=methods,
        version=VERSION,
        # The template sets it between its tags as it is, so that its digest holds.
        style=Markup(style),
        style_digest=content_digest(style),
    )


def _question(findings: JudgeFindings, truth: str) -> str:
    names = [judged.judge for judged in findings.judges]
    whom = named_in_sentence(names) if len(names) <= MAX_JUDGES else f"these {len(names)} judges"
    be = "Is" if len(names) == 1 else "Are"
    if truth:
        return f"How often {be.lower()} {whom} right?"
    return f"{be} {whom} as good as a person?"


def _facts(findings: JudgeFindings, ratings: Ratings, truth: str, margin: float | None) -> list[tuple[str, str]]:
    """Return the facts beside the answer: what is compared, over what intervals are, and the margin."""
    first = findings.compared_judge
    alike = "minus the distance of two ratings" if ratings.is_ordered else "1 where two answers are equal, else 0"
    if truth:
        compared = (
            f"Each judge with {truth}, which is taken for right: {alike}; and the best constant answer beside it."
        )
    else:
        compared = (
            f"Each judge with single persons, and single persons with one another: {alike}, over all items. The best "
            "constant answer stands beside both."
        )
    noun = ratings.cluster_noun
    items = counted(first.items, "item")
    drawn = (
        f"None: {first.agreement.missing_because}."
        if first.agreement.missing_because
        else f"Of 95 %, over {items}"
        + ("." if noun == "item" else f" in {counted(first.clusters, noun)}, drawn whole.")
    )
    facts = [("What is compared", compared), ("Intervals", drawn)]
    if margin is not None:
        facts.append(("Margin", f"A loss of {measured(margin, ratings)} {unit(ratings)} was named as acceptable."))
    return facts


def _page_table(name: str, table: SummaryTable, truth: str) -> _PageTable:
    heads, rows, _ = laid_out(table.rows, table.columns)
    title, short_title = _TITLES[name]
    if name == "judges" and truth:
        title = "Judges beside the constant answer"
    is_number = [head not in _WORDS for head in heads]
    is_folded = name in _FOLDED or (name == "labels" and len(rows) > _MAX_ROWS)
    return _PageTable(name, title, short_title, heads, rows, is_number, table.note.splitlines(), is_folded)


def limits(findings: JudgeFindings, *, truth: str, margin: float | None) -> list[str]:
    """Explain what these results cannot say, in sentences.

    Parameters
    ----------
    findings : JudgeFindings
    truth : str
        The rater that is right by definition; "" for none.
    margin : float or None
        The margin that was named.
    """
    first = findings.compared_judge
    chosen = "all figures are for items like these. If they were chosen, as hard ones or those on which raters disagree"
    sentences = [f"Other items: {chosen}, the figures are for such items alone."]
    if truth:
        sentences.insert(
            0, f"Whether {truth} is right, and whether a person would do better: there is no other person."
        )
    else:
        people = f"Other people than these {first.people}"
        if first.population.has_ends:
            sentences.insert(0, f"{people}: the line for people like these says it; all other intervals do not.")
        else:
            why = "their answers may differ from these by as much as these differ from one another"
            few = f"; from {MIN_PEOPLE} people on there is an interval for it" if first.people < MIN_PEOPLE else ""
            sentences.insert(0, f"{people}: {why}{few}.")
        sentences.append(
            "Whether people are right. Errors that judges and people share, such as a liking for long answers, count "
            "as agreement."
        )
    if any(judged.nothing_to_validate for judged in findings.judges):
        sentences.append("Whether the judge is good: on items on which people hardly agree, no judge can be validated.")
    named = "" if margin is not None or truth else " A margin that is chosen after this was read has no level."
    sentences.append(f"A second look: levels hold for one look at the table.{named}")
    judges_by_reason = dict[str, list[str]]()
    for judged in findings.judges:
        if math.isnan(judged.equivalents.value) and judged.equivalents.missing_because and not truth:
            judges_by_reason.setdefault(judged.equivalents.missing_because, []).append(judged.judge)
    for why, judges in judges_by_reason.items():
        be = "is" if len(judges) == 1 else "are"
        sentences.append(f"How many persons {named_in_sentence(judges)} {be} worth: {why}.")
    return sentences
