"""The verb that asks whether an automatic judge is as good as a person."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from metaeval.api.shared import Names, Paths, with_warnings
from metaeval.api.verbs import Argument, verb
from metaeval.errors import UsageError, as_typed, unknown
from metaeval.parameters.arguments import names, shown

if TYPE_CHECKING:
    from metaeval.ratings.report import JudgeReport
    from metaeval.ratings.table import Ratings

RULES = ("alt-test",)
SWAPPED = ("outputs", "places")


@verb
def judge(
    ratings: Annotated[Paths | object, Argument("TABLE|CORPUS", complete="paths corpora")],
    *,
    judges: Annotated[Names, Argument("NAME", "--judge")] = (),
    people: Annotated[Names, Argument("NAME", "--people")] = (),
    truth: Annotated[str | None, Argument("NAME")] = None,
    document: Annotated[str | None, Argument("COLUMN")] = None,
    criterion: Annotated[str | None, Argument("NAME")] = None,
    columns: Annotated[Names, Argument("ROLE=COLUMN", "--columns")] = (),
    order: Annotated[Names, Argument("WORD", "--order")] = (),
    swapped: Annotated[Literal["outputs", "places"] | None, Argument()] = None,
    margin: Annotated[float | None, Argument()] = None,
    rule: Annotated[Literal["alt-test"] | None, Argument()] = None,
    epsilon: Annotated[float | None, Argument()] = None,
    own: Annotated[Names | Mapping[str, Names], Argument("JUDGE=SYSTEM", "--own")] = (),
    same_scale: Annotated[bool, Argument()] = False,
) -> "JudgeReport":
    """Compare automatic judges with people: say whether a judge is as good as a person.

    How well does the judge agree with a person, how well do people agree with one another, and how well would the best
    constant answer agree with them? The result is the difference of the first two, with its confidence interval.

    Parameters
    ----------
    ratings
        A table of ratings: a file (TSV, CSV, JSON, JSON Lines, Excel, Parquet), or several with rows on the same items;
        in Python also data frames, a list of dicts or a dict of columns; or a corpus, whose judgments are taken.
    judges
        The automatic judges: names or patterns of raters, or of columns with their answers; by default those whose name
        is that of a model or a judge.
    people
        The people, named in the same way; by default all other raters, and columns called human, annotator1 and so on.
    truth
        The rater who is right by definition, instead of people; none unless given.
    document
        The column with documents, articles or dialogues: items of the same one are not independent; by default a
        column called document or doc.
    criterion
        The criterion to use, of several; by default the only one.
    columns
        What columns hold, as item=Nr, rater=Name, or length=Words; by default what their names say.
    order
        Words that are grades, from the lowest to the highest; by default words are labels without an order.
    swapped
        What an answer names when two outputs were shown in swapped order: the outputs, or the places where they stood;
        by default as the words say, such as first.
    margin
        Non-inferiority margin: the acceptable loss of agreement, chosen before the result is seen: 0.05 for 5 points,
        or grades. None unless given.
    rule
        Also give the result of a published rule: alt-test, the alternative annotator test. None unless given.
    epsilon
        Parameter of the alternative annotator test: how much worse than a person the judge may be; by default there
        is none, so it must be given with the rule.
    own
        A judge's own system, as gpt=gpt-4, to measure self-preference: whether the judge rates it higher than people
        do. None unless given.
    same_scale
        Assume that people and judges use the scale in the same way. Needed to measure length bias and self-preference
        if each item has only one person.

    Returns
    -------
    JudgeReport
        The answer, tables and frames; it prints as text.

    Raises
    ------
    UsageError
        If a name is unknown, or something must be known that the table does not say.
    CorpusError
        If the table or corpus is wrong.

    Examples
    --------
    Ben differs from Anna on each ninth item, and the judge from both on each seventh:

    >>> rows = [
    ...     {"item": i, "anna": i % 2, "ben": (i + (i % 9 == 0)) % 2, "gpt": (i + (i % 7 == 1)) % 2} for i in range(100)
    ... ]
    >>> report = judge(rows, people=["anna", "ben"])
    >>> report.answer  # doctest: +NORMALIZE_WHITESPACE
    'No significant difference between gpt and a person: -7.0 points [-15.8, +0.2];
    it is as good to within 14.2 points (one-sided).'
    """
    from metaeval.ratings.judge_comparison import judge_findings
    from metaeval.ratings.report import JudgeReport

    _check_rule(rule, epsilon)
    _check_margin(margin, truth)
    if truth is not None and people:
        raise UsageError(f"{_called('truth')} names who is right by definition: leave {_called('people')} out.")
    table = ratings_of(
        ratings,
        judges=tuple(names("judges", judges)),
        people=tuple(names("people", people)),
        truth=truth or "",
        document=document or "",
        criterion=criterion or "",
        columns=tuple(names("columns", columns, noun="ROLE=COLUMN")),
        order=tuple(names("order", order, noun="a word")),
        swapped=checked_swapped(swapped),
    )
    if margin is not None and not table.is_ordered and margin >= 1:
        share = f"{margin / 100:g} for {margin:g} points"
        raise UsageError(f"{_called('margin')} must be a share of items, such as {share}; got {margin:g}.")
    from metaeval.ratings.reading import TRUTH_OF_PAIRS

    right = truth or (TRUTH_OF_PAIRS if table.people == (TRUTH_OF_PAIRS,) else "")
    findings = judge_findings(
        table, truth=right, rule=rule, epsilon=epsilon or 0.0, own=_own_systems(own, table), same_scale=same_scale
    )
    return with_warnings(JudgeReport(table, findings, right, margin, findings.warnings))


def _own_systems(given: Names | Mapping[str, Names], table: "Ratings") -> dict[str, tuple[str, ...]]:
    """Return the own systems of judges, all of which the table has."""
    pairs = list[tuple[str, str]]()
    if isinstance(given, Mapping):
        pairs = [(judge, system) for judge, of_judge in given.items() for system in names("own", of_judge)]
    else:
        for entry in names("own", given, noun="JUDGE=SYSTEM"):
            judge, sign, system = entry.partition("=")
            if not sign or not system:
                raise UsageError(f"{_called('own')} must be JUDGE=SYSTEM, such as gpt=gpt-4; got {entry!r}.")
            pairs.append((judge, system))
    columns = ("system_a", "system_b") if table.kind == "preference" else ("system",)
    systems = {name for column in columns for name in table.facts.get(column, ()) if name}
    systems_of_judges: dict[str, tuple[str, ...]] = {}
    for judge, system in pairs:
        if judge not in table.judges:
            raise UsageError(f"{table.source}: {unknown('judge', judge, table.judges)}")
        if not systems:
            typed = as_typed(terminal="--columns system=COLUMN", python='columns=["system=COLUMN"]')
            raise UsageError(
                f"{table.source}: must say which system each item is of, where {_called('own')} names the system of a "
                f"judge; it has no column called system or model. Name it: {typed}."
            )
        if system not in systems:
            raise UsageError(f"{table.source}: {unknown('system', system, sorted(systems))}")
        systems_of_judges[judge] = (*systems_of_judges.get(judge, ()), system)
    return systems_of_judges


def _called(name: str) -> str:
    """Name an argument as it is called where the message is read."""
    return as_typed(terminal=f"--{name}", python=f"`{name}`")


def _check_rule(rule: str | None, epsilon: float | None) -> None:
    if rule is not None and rule not in RULES:
        raise UsageError(f"{_called('rule')} must be {' or '.join(RULES)}; got {rule!r}.")
    if rule is not None and epsilon is None:
        typed = as_typed(terminal="--epsilon 0.2", python="epsilon=0.2")
        raise UsageError(
            f"{_called('epsilon')} is missing: how much worse than a person the judge may be by the alternative "
            f"annotator test. Its authors take 0.2 for experts, 0.15 for skilled people and 0.1 for crowds: {typed}."
        )
    if rule is None and epsilon is not None:
        typed = as_typed(terminal="--rule alt-test", python='rule="alt-test"')
        raise UsageError(f"{_called('epsilon')} belongs to a rule, and none was named: {typed}.")


def _check_margin(margin: float | None, truth: str | None) -> None:
    if margin is not None and not margin > 0:
        raise UsageError(f"{_called('margin')} must be a number above 0; got {margin:g}.")
    if margin is not None and truth is not None:
        why = "is what a judge may lose against a person, and with a truth there is no other person"
        raise UsageError(f"{_called('margin')} {why}: leave it or {_called('truth')} out.")


def checked_swapped(given: str | None) -> Any:
    """Check the value of `swapped`: what answers in the exchanged order name."""
    if given is not None and given not in SWAPPED:
        raise UsageError(f"{_called('swapped')} must be {' or '.join(SWAPPED)}; got {given!r}.")
    return given


def ratings_of(given: Any, **asked: Any) -> "Ratings":
    """Return the ratings of a table, a corpus or a record."""
    from metaeval.corpora.catalogue import read_corpus
    from metaeval.corpora.formats import recognise
    from metaeval.corpora.formats.base import Glimpse
    from metaeval.corpora.formats.table import Table
    from metaeval.corpora.tables.load import FRAMES
    from metaeval.datamodel.columns import is_frame
    from metaeval.datamodel.corpus import Corpus
    from metaeval.ratings.reading import Asked, ratings_of_corpus, read_frame, read_frames, read_tables
    from metaeval.ratings.table import Ratings

    if isinstance(given, Ratings):
        if any(asked.values()):
            raise UsageError("Ratings were read already: what is a judge or a column is said where they are made.")
        return given
    how = Asked(**asked)
    if isinstance(given, Corpus):
        return ratings_of_corpus(given, how)
    named = isinstance(given, str | Path) or (
        isinstance(given, list | tuple) and bool(given) and all(isinstance(path, str | Path) for path in given)
    )
    if not named:
        if isinstance(given, list | tuple) and given and all(map(is_frame, given)):
            return read_frames(given, how)
        if is_frame(given) or isinstance(given, list | dict):
            return read_frame(given, how)
        must = "a table of ratings, or a corpus, by its path or name"
        raise UsageError(f"`ratings` must be {must}; got {shown(given)}.")
    paths = [file for name in names("ratings", given, path=True) for file in _files_of(Path(name))]
    formats = [recognise(Glimpse.from_path(path)) if path.is_file() else None for path in paths]
    are_tables = [isinstance(format_, Table) for format_ in formats]
    if all(are_tables):
        return read_tables(paths, how)
    missing = next((path for path in paths if not path.exists() and path.suffix in (*FRAMES, ".csv", ".tsv")), None)
    if missing is not None:
        raise UsageError(f"there is no file {str(missing)!r}: a table of ratings, or a corpus, must be named.")
    unknown = next((path for path, format_ in zip(paths, formats, strict=True) if path.is_file() and not format_), None)
    if unknown is not None:
        raise UsageError(
            f"{unknown}: must be a table of ratings: a file of CSV, TSV, JSON, JSON Lines, Excel, OpenDocument, "
            "Parquet or Arrow, with the names of columns in its first line; or a corpus. It looks like none of them."
        )
    if len(paths) > 1:
        wrong = next((path for path in paths if not path.exists()), None)
        if wrong is not None:
            raise UsageError(f"several tables of ratings must be files, of which {str(wrong)!r} is none.")
    corpus, _ = read_corpus(paths if len(paths) > 1 else paths[0], [])
    return ratings_of_corpus(corpus, how)


def _files_of(path: Path) -> list[Path]:
    """Return the logs of Inspect in a directory, a file each, or any other path as it is."""
    from metaeval.corpora.formats.base import Glimpse
    from metaeval.corpora.formats.table import how_to_unpack, logs_in, packed_logs

    if not path.exists():
        return [path]
    if packed := packed_logs(path):
        raise UsageError(f"{packed[0]} {how_to_unpack(path)}")
    logs = logs_in(Glimpse.from_path(path)) if path.is_dir() else []
    return [path / name for name in logs] or [path]
