"""Recognise what the columns of a table of ratings hold: ids of items, names of raters, answers, facts."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase

from metaeval.corpora.judgment_columns import NUMBER, is_written_number
from metaeval.corpora.tables.delimited import Frame
from metaeval.errors import CorpusError, UsageError, as_typed, listing, unknown
from metaeval.ratings.cell_values import are_preferences
from metaeval.ratings.table import LENGTHS

# The names by which columns are found, whatever their capitals and signs between words; the first that is there counts.
ROLES: Mapping[str, tuple[str, ...]] = {
    "item": (
        "item", "itemid", "questionid", "exampleid", "sampleid", "instanceid", "promptid", "qid", "idx", "id", "key",
        "instance", "example", "traceid", "runid",
    ),
    "segment": ("segment", "segmentid", "segid", "line", "lineid"),
    "document": ("document", "documentid", "doc", "docid"),
    "turn": ("turn", "epoch"),
    "system": ("system", "systemid", "model", "modelid", "generator"),
    "system_a": ("systema", "modela", "system1", "model1", "generator1", "a"),
    "system_b": ("systemb", "modelb", "system2", "model2", "generator2", "b"),
    "rater": (
        "rater", "raterid", "annotator", "annotatorid", "annotatorindex", "worker", "workerid", "person", "user",
        "userid", "login", "evaluator", "judge", "judgeid", "sourceid",
    ),
    "value": ("value", "score", "rating", "grade", "label", "winner", "preference", "verdict", "vote"),
    "criterion": ("criterion", "aspect", "dimension", "attribute", "assessmentname"),
    "first": ("shownfirst", "firstshown"),
    "length": (
        "length", "outputlength", "responselength", "answerlength", "textlength", "nwords", "numwords", "wordcount",
        "nchars", "numchars", "charcount", "ntokens", "numtokens", "tokencount",
    ),
    "length_a": ("lengtha", "length1", "nwordsa", "ncharsa", "ntokensa"),
    "length_b": ("lengthb", "length2", "nwordsb", "ncharsb", "ntokensb"),
}  # fmt: skip
# Texts that tell items apart where no column has ids: what was asked, and what was answered.
QUESTION_COLUMNS = ("question", "instruction", "prompt", "input", "userinput", "source")
ANSWER_COLUMNS = (
    "output1",
    "output2",
    "response1",
    "response2",
    "response",
    "output",
    "actualoutput",
    "answer",
    "text",
)
# Texts whose length is that of what was rated, where no column has it as a number.
_LENGTH_COLUMNS = (
    "output",
    "response",
    "answer",
    "actualoutput",
    "completion",
    "candidate",
    "translation",
    "summary",
    "text",
)
# Texts of two outputs side by side, where no column names their systems.
_OUTPUT_COLUMN_PAIRS = (
    ("chosen", "rejected"), ("textchosen", "textrejected"),
    ("response1", "response2"), ("responsea", "responseb"), ("output1", "output2"),
    ("outputa", "outputb"), ("answera", "answerb"), ("answer1", "answer2"), ("completiona", "completionb"),
)  # fmt: skip
CHOSEN = "chosen"
# What the column is called in which RewardBench says whether a judge prefers the chosen output.
_RESULTS = "results"
# What a column of answers for the exchanged order is called, by what that of the first order is called.
_ORDER_SUFFIXES = (("_ab", "_ba"), ("", "_swapped"), ("", "_reversed"), ("_original", "_swapped"))
_AUTOMATIC_NAME = re.compile(
    r"gpt|llm|claude|gemini|gemma|mistral|mixtral|llama|qwen|deepseek|pandalm|prometheus|gemba|comet|metricx|geval|"
    r"^auto|bot$",
    re.IGNORECASE,
)
# A column that is called judge holds the answers of an automatic one; a rater of that name may be a person.
_JUDGE_COLUMN = re.compile(r"^judge|[-_. ]judge", re.IGNORECASE)
_PERSON_WORDS = r"human|person|annotator|rater|expert|crowd|worker|evaluator|coder|author"
_RATING_WORDS = r"label|score|rating|grade|judge?ment|verdict|preference|annotation|vote|choice|winner"
_PERSON_NAME = re.compile(
    rf"(?:\w+\.)?(?:(?:{_PERSON_WORDS})s?[-_. ]*(?:\d+|[a-z])?[-_. ]*(?:{_RATING_WORDS})?s?|[hr]\d+|h|human[-_. ]\w+)",
    re.IGNORECASE,
)
_CROWD_NAME = re.compile(
    r"crowd[-_. ]?\d+|(?:1st|2nd|3rd|first|second|third)[-_. ](?:worker|rater|annotator)", re.IGNORECASE
)
# Words in the name of a column that holds no answers, though it may be named after a judge.
_NON_ANSWER_WORDS = frozenset({
    "reason", "reasoning", "rationale", "explanation", "comment", "comments", "critique", "feedback",
    "output", "outputs", "response", "text", "prompt", "completion", "model", "name",
    "time", "cost", "tokens", "latency", "confidence", "version", "temperature", "seed",
    "id",
})  # fmt: skip
# A column with more different words, or with a longer one, holds no answers.
_MAX_WORDS = 20
_MAX_WORD_LETTERS = 40


def plain(name: str) -> str:
    """Return a name without capitals, and without signs between its words."""
    return re.sub(r"[\W_]", "", name.lower())


def is_called(name: str, pattern: str) -> bool:
    """Return whether a name is one that was asked for, or fits it as a pattern: ``G-Eval [correct]``, ``gpt*``."""
    return name == pattern or fnmatchcase(name, pattern)


def is_automatic(name: str, *, is_column: bool = False) -> bool:
    """Return whether the name of a rater, or of the column with its answers, is that of an automatic judge."""
    is_named = _AUTOMATIC_NAME.search(name) or (is_column and _JUDGE_COLUMN.search(name))
    return not _PERSON_NAME.fullmatch(name) and bool(is_named)


def is_crowd(name: str) -> bool:
    """Return whether the name of a rater is that of a place in a crowd."""
    return bool(_CROWD_NAME.fullmatch(name))


@dataclass(frozen=True)
class Columns:
    """Roles of the columns of a table of ratings.

    Attributes
    ----------
    roles : mapping of str to str
        The column with the ids of items, the names of raters and so on, by `ROLES`.
    keys : tuple of str
        The columns that together tell items apart; none where each row is an item.
    answers : mapping of str to tuple of (str, int)
        The columns with the answers of a rater, by its name: each with 1 where what the table has first was shown
        first, -1 where it was shown second, 0 where that is not said.
    values : tuple of (str, int)
        Of a table with a column of raters: the columns with their answers, in the same way.
    people, judges, unused : tuple of str
        Names in `answers`, and the columns that are none of all this.
    is_pairs : bool
        Whether the items are pairs of outputs: their systems or texts have columns, or answers in both orders have.
    is_chosen : bool
        Whether the first output is always the better one, as where columns are called chosen and rejected.
    by_scores : mapping of str to (str, str)
        The columns with the scores that a judge gave the two outputs of a pair, by the name of the judge.
    not_answers : mapping of str to str
        Columns that are called like a rater and hold no ratings, and why.
    automatic : tuple of str
        Raters that the table itself says are automatic, whatever they are called, as the export of a tool does.
    """

    roles: Mapping[str, str]
    keys: tuple[str, ...]
    answers: Mapping[str, tuple[tuple[str, int], ...]] = field(default_factory=dict)
    values: tuple[tuple[str, int], ...] = ()
    people: tuple[str, ...] = ()
    judges: tuple[str, ...] = ()
    unused: tuple[str, ...] = ()
    is_pairs: bool = False
    is_chosen: bool = False
    by_scores: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    automatic: tuple[str, ...] = ()
    not_answers: Mapping[str, str] = field(default_factory=dict)

    @property
    def is_long(self) -> bool:
        """True if each row holds the answer of one rater, whose name is in a column of its own."""
        return bool(self.values)


def recognise(
    frame: Frame,
    *,
    judges: Sequence[str],
    people: Sequence[str],
    columns: Sequence[str],
    document: str,
    is_pairs: bool = False,
) -> Columns:
    """Recognise the columns of a table by their names, and by their cells where these leave it open.

    Parameters
    ----------
    frame : Frame
    judges, people : sequence of str
        Names or patterns of columns or raters, as a user gave them.
    columns : sequence of str
        What some columns hold, as a user gave it: ``item=Nr``.
    document : str
        The column with documents; "" where a user named none.
    is_pairs : bool
        Whether the items are known to be pairs of outputs.

    Raises
    ------
    UsageError
        If a column is unknown.
    CorpusError
        If the table has no answers that can be recognised.
    """
    names = [name for name in frame.columns if name]
    named_roles = _roles_asked_for(columns, document, names, frame.location)
    asked_for = {name for name in names if any(is_called(name, pattern) for pattern in (*judges, *people))}
    taken = asked_for.union(named_roles.values())
    by_plain = {plain(name): name for name in reversed(names)}
    roles = _roles_by_name(named_roles, by_plain, taken)
    pair = _pair_of_texts(by_plain)
    is_chosen = pair is not None and plain(pair[0]).endswith(CHOSEN)
    has_systems = {"system_a", "system_b"} <= roles.keys()
    is_pairs = is_pairs or has_systems or pair is not None
    if not has_systems:
        roles = {role: name for role, name in roles.items() if role not in ("system_a", "system_b")}
    values = _value_columns(roles, names, frame, named_roles)
    is_long = "rater" in roles and bool(values) and _names_raters(frame, roles["rater"], values[0][0], named_roles)
    unnamed = {} if is_long else _unnamed_judge(frame, values, asked_for)
    if not is_long:
        roles = {role: name for role, name in roles.items() if role not in ("rater", "value")}
        values = ()
    roles = _without_clashes(roles, named_roles)
    roles = _with_lengths(roles, named_roles, frame, by_plain, taken, pair, is_pairs=is_pairs)
    by_scores = _scores_of_pairs(names, frame, pair) if is_pairs else {}
    used: set[str] = set().union(
        roles.values(), (column for column, _ in values), pair or (), *by_scores.values(),
        (column for of_judge in unnamed.values() for column, _ in of_judge),
    )  # fmt: skip
    has_results = is_chosen and not by_scores and _RESULTS in names
    said_judges = [*frame.settings.get("judges", ()), *unnamed, *([_RESULTS] if has_results else [])]
    said_raters = {*said_judges, *frame.settings.get("people", ())} - used
    automatic = [name for name in said_judges if not _PERSON_NAME.fullmatch(name)]
    wide = _wide_columns(frame, names, used, [*judges, *people], said_raters, is_long=is_long)
    answers = _columns_by_rater(wide) | unnamed
    person_raters, judge_raters = _people_and_judges(answers, by_scores, judges, people, automatic)
    answers = {name: of_rater for name, of_rater in answers.items() if name in {*person_raters, *judge_raters}}
    if not is_pairs and _have_both_orders(frame, answers, values):
        return recognise(frame, judges=judges, people=people, columns=columns, document=document, is_pairs=True)
    keys = _item_columns(roles, by_plain, names, is_long=is_long, wide=wide)
    recognised = {*used, *keys, *(column for of_rater in answers.values() for column, _ in of_rater)}
    unused = tuple(name for name in names if name not in recognised)
    return Columns(
        roles,
        keys,
        answers=answers,
        values=values,
        people=tuple(person_raters),
        judges=tuple(judge_raters),
        unused=unused,
        is_pairs=is_pairs,
        is_chosen=is_chosen,
        by_scores=by_scores,
        automatic=tuple(automatic),
        not_answers=_without_answers(frame, unused, is_long=is_long),
    )


def recognise_in_part(
    frame: Frame, *, judges: Sequence[str], people: Sequence[str], columns: Sequence[str], document: str
) -> Columns:
    """Recognise the columns of one of several tables; those that a user named may be in another one."""
    return recognise(
        frame,
        judges=judges,
        people=people,
        columns=[entry for entry in columns if entry.partition("=")[2] in frame.columns],
        document=document if document in frame.columns else "",
    )


def _roles_by_name(given: Mapping[str, str], by_plain: Mapping[str, str], taken: Collection[str]) -> dict[str, str]:
    """Return the columns of all roles: those that a user named, and others by their names."""
    roles = dict(given)
    for role, short_names in ROLES.items():
        candidates = [by_plain[short] for short in short_names if short in by_plain and by_plain[short] not in taken]
        if role not in roles and candidates:
            roles[role] = candidates[0]
    return roles


def _roles_asked_for(columns: Sequence[str], document: str, names: Sequence[str], location: str) -> dict[str, str]:
    """Return the columns whose roles a user has named."""
    roles = {"document": document} if document else {}
    for entry in columns:
        role, sign, column = entry.partition("=")
        if role not in ROLES or not sign or not column:
            called = as_typed(terminal="--columns", python="`columns`")
            raise UsageError(f"{called} must hold ROLE=COLUMN with a role of {', '.join(ROLES)}; got {entry!r}.")
        roles[role] = column
    for column in roles.values():
        if column not in names:
            raise UsageError(f"{location}: {unknown('column', column, names)}")
    return roles


def _pair_of_texts(by_plain: Mapping[str, str]) -> tuple[str, str] | None:
    """Return the columns with the texts of two outputs, if a table has them."""
    for first, second in _OUTPUT_COLUMN_PAIRS:
        if first in by_plain and second in by_plain:
            return by_plain[first], by_plain[second]
    return None


def _value_columns(
    roles: Mapping[str, str], names: Sequence[str], frame: Frame, given: Mapping[str, str]
) -> tuple[tuple[str, int], ...]:
    """Return the columns with answers of a table with a column of raters, one for each order of a pair."""
    if {"g1_winner", "g2_winner"} <= set(names) and "value" not in given:
        # Beside them, a vote stands in its own column where a table of people was put together with that of a judge.
        votes = ((roles["value"], 0),) if "value" in roles else ()
        return (("g1_winner", 1), ("g2_winner", -1), *votes)
    criteria = frame.settings.get("criteria", ())
    value = given.get("value") or (criteria[0] if criteria else roles.get("value"))
    if value is None:
        return ()
    return next(
        (
            ((value, 1), (value.removesuffix(first) + second, -1))
            for first, second in _ORDER_SUFFIXES
            if value.endswith(first) and value.removesuffix(first) + second in names
        ),
        ((value, 0),),
    )


def _unnamed_judge(
    frame: Frame, values: Sequence[tuple[str, int]], asked: Collection[str]
) -> dict[str, tuple[tuple[str, int], ...]]:
    """Return the judge of a table without names of raters that has its answers in both orders.

    It is called as the column of the first order is, such as ``winner`` beside ``winner_swapped``.
    """
    both = tuple((column, order) for column, order in values if order)
    if any(column in asked for column, _ in both) or not _have_both_orders(frame, {}, both):
        return {}
    first = both[0][0]
    name = next((first.removesuffix(end) for end, _ in _ORDER_SUFFIXES if end and first.endswith(end)), first)
    return {name: both}


def _have_both_orders(
    frame: Frame, answers: Mapping[str, Sequence[tuple[str, int]]], values: Sequence[tuple[str, int]]
) -> bool:
    """Return whether a rater has answers in both orders that are preferences, and not grades or labels."""
    for columns in (*answers.values(), values):
        if {order for _, order in columns} >= {1, -1}:
            cells = [cell for column, order in columns if order for cell in frame.columns[column]]
            if are_preferences(cells):
                return True
    return False


def _names_raters(frame: Frame, rater: str, value: str, given: Mapping[str, str]) -> bool:
    """Return whether a column has the names of raters, and not answers: a column `judge` may have either."""
    if "rater" in given or rater == value:
        return rater != value
    if plain(rater) not in ("judge", "evaluator", "annotator"):
        return True
    cells = {cell.strip() for cell in frame.columns[rater] if cell.strip()}
    answers = {cell.strip() for cell in frame.columns[value] if cell.strip()}
    is_of_numbers = plain(rater) != "annotator" and all(NUMBER.fullmatch(cell) for cell in cells)
    return bool(cells) and not is_of_numbers and not cells <= answers


def _without_clashes(roles: Mapping[str, str], given: Mapping[str, str]) -> dict[str, str]:
    """Return the roles with each column once: what a user named, else the first."""
    distinct = dict(given)
    for role, name in roles.items():
        if name not in distinct.values():
            distinct.setdefault(role, name)
    return distinct


def _with_lengths(
    roles: Mapping[str, str],
    given: Mapping[str, str],
    frame: Frame,
    by_plain: Mapping[str, str],
    taken: Collection[str],
    pair: tuple[str, str] | None,
    *,
    is_pairs: bool,
) -> dict[str, str]:
    """Return the roles with columns of lengths: what a user named, else numbers, else texts."""
    without = {role: name for role, name in roles.items() if role not in LENGTHS}
    asked = {role: name for role, name in roles.items() if role in LENGTHS and role in given}
    wanted = ("length_a", "length_b") if is_pairs else ("length",)
    if asked:
        if {*asked} != {*wanted}:
            outputs = "the two outputs of a pair have" if is_pairs else "an item has"
            raise UsageError(f"{frame.location}: {outputs} {' and '.join(wanted)}; got {', '.join(asked)}.")
        return without | asked
    numbers = {role: roles[role] for role in wanted if role in roles and _holds_numbers(frame.columns[roles[role]])}
    if len(numbers) == len(wanted):
        return without | numbers
    names = [by_plain[short] for short in _LENGTH_COLUMNS if short in by_plain]
    texts = [pair] if pair else [] if is_pairs else [(name,) for name in names]
    used = {*without.values(), *taken}
    for columns in texts:
        if not used.intersection(columns) and not any(_may_hold_answers(frame.columns[name]) for name in columns):
            return without | dict(zip(wanted, columns, strict=True))
    return without


def _holds_numbers(cells: Sequence[str]) -> bool:
    """Return whether all cells that are not empty are numbers, of which two differ."""
    distinct = {cell.strip() for cell in cells if cell.strip()}
    return len(distinct) > 1 and all(NUMBER.fullmatch(cell) for cell in distinct)


def _scores_of_pairs(names: Sequence[str], frame: Frame, pair: tuple[str, str] | None) -> dict[str, tuple[str, str]]:
    """Return the columns with scores of the chosen and the rejected output: ``score_chosen``, ``rm_rejected``.

    Columns called chosen and rejected may hold the scores themselves, as RewardBench writes them without texts.
    """
    if pair is not None and plain(pair[0]) == CHOSEN and _are_numbers(frame, pair):
        return {"judge": pair}
    score_columns = dict[str, tuple[str, str]]()
    for name in names:
        if pair is not None and name in pair:
            continue
        if name.endswith(f"_{CHOSEN}") and (other := f"{name.removesuffix(CHOSEN)}rejected") in names:
            judge = name.removesuffix(f"_{CHOSEN}")
            score_columns["judge" if judge in ("score", "scores", "reward") else judge] = (name, other)
    return score_columns


def _without_answers(frame: Frame, names: Sequence[str], *, is_long: bool) -> dict[str, str]:
    """Find the unused columns that are called like a rater, and the reason why they hold no ratings."""
    reasons = dict[str, str]()
    for name in names:
        words = {*re.split(r"[\W_]+", name.rpartition(".")[2].lower())}
        is_person = not is_long and bool(_PERSON_NAME.fullmatch(name))
        if words & _NON_ANSWER_WORDS or not (is_person or is_automatic(name, is_column=True)):
            continue
        distinct = {cell.strip() for cell in frame.columns[name] if cell.strip()}
        if not distinct:
            reasons[name] = "it is empty"
        elif not _may_hold_answers(frame.columns[name]):
            reasons[name] = "it holds texts, and no ratings"
    return reasons


def _are_numbers(frame: Frame, names: Sequence[str]) -> bool:
    return all(NUMBER.fullmatch(cell.strip()) for name in names for cell in frame.columns[name])


def _wide_columns(
    frame: Frame,
    names: Sequence[str],
    used: Collection[str],
    asked: Sequence[str],
    said: Collection[str],
    *,
    is_long: bool,
) -> list[str]:
    """Return the columns with the answers of one rater each: those asked for, those said to be, and by their names."""

    def is_wide(name: str) -> bool:
        if any(is_called(name, pattern) for pattern in asked):
            return name not in used
        base = next(
            (name.removesuffix(end) for pair in _ORDER_SUFFIXES for end in pair if end and name.endswith(end)), ""
        )
        if name in said or (base and any(is_called(base, pattern) for pattern in asked)):
            return True
        if name in used or _NON_ANSWER_WORDS.intersection(re.split(r"[\W_]+", name.rpartition(".")[2].lower())):
            return False
        named = is_automatic(name, is_column=True) or (not is_long and bool(_PERSON_NAME.fullmatch(name)))
        return named and _may_hold_answers(frame.columns[name])

    return [name for name in names if is_wide(name)]


def _may_hold_answers(cells: Sequence[str]) -> bool:
    """Return whether cells are numbers, or a few short words."""
    distinct = {cell.strip() for cell in cells if cell.strip()}
    if not distinct:
        return False
    words = [cell for cell in distinct if not is_written_number(cell)]
    return len(words) <= _MAX_WORDS and max(map(len, words), default=0) <= _MAX_WORD_LETTERS


def _columns_by_rater(wide: Sequence[str]) -> dict[str, tuple[tuple[str, int], ...]]:
    """Return the columns of each rater by its name: two where it was asked in both orders."""
    columns_of = dict[str, tuple[tuple[str, int], ...]]()
    taken = set[str]()
    for name in wide:
        for first, second in _ORDER_SUFFIXES:
            base = name.removesuffix(first) if first else name
            if name.endswith(first) and name != base + second and base + second in wide and name not in taken:
                columns_of[base] = ((name, 1), (base + second, -1))
                taken |= {name, base + second}
    columns_of |= {name: ((name, 0),) for name in wide if name not in taken}
    return dict(sorted(columns_of.items(), key=lambda item: wide.index(item[1][0][0])))


def _people_and_judges(
    answers: Mapping[str, tuple[tuple[str, int], ...]],
    by_scores: Mapping[str, object],
    judges: Sequence[str],
    people: Sequence[str],
    automatic: Collection[str],
) -> tuple[list[str], list[str]]:
    """Divide the raters with columns of their own into people and judges."""

    def is_judge(name: str) -> bool:
        return name in automatic or is_automatic(name, is_column=True)

    def is_one_of(name: str, asked: Sequence[str]) -> bool:
        of = [name, *(column for column, _ in answers.get(name, ()))]
        return any(is_called(column_or_rater, pattern) for column_or_rater in of for pattern in asked)

    of_judges = [name for name in [*answers, *by_scores] if is_one_of(name, judges)]
    of_judges = of_judges or [
        name for name in [*answers, *by_scores]
        if (is_judge(name) or name in by_scores) and not is_one_of(name, people)
    ]  # fmt: skip
    of_people = [name for name in answers if is_one_of(name, people)]
    if not people:
        of_people = [name for name in answers if name not in of_judges and not is_judge(name)]
    return of_people, of_judges


def _item_columns(
    roles: Mapping[str, str],
    by_plain: Mapping[str, str],
    names: Sequence[str],
    *,
    is_long: bool,
    wide: Collection[str],
) -> tuple[str, ...]:
    """Return the columns that tell items apart; those of texts where a table has the answer of one rater a row."""
    ids = [roles[role] for role in ("item", "segment") if role in roles]
    others = [roles[role] for role in ("turn", "system") if role in roles]
    if ids:
        return (*ids, *others)
    if not is_long:
        return ()
    texts = [by_plain[short] for short in (*QUESTION_COLUMNS, *ANSWER_COLUMNS) if short in by_plain]
    free = [name for name in texts if name not in wide and name not in roles.values()]
    return (*free, *others) if free else ()


def check_named(
    given: Mapping[str, Sequence[str]], known: Collection[str], location: str, unused: Sequence[str] = ()
) -> None:
    """Refuse names of judges and people that no column and no rater has.

    Raises
    ------
    UsageError
        If there is one.
    """
    for noun, patterns in given.items():
        for pattern in patterns:
            if not any(is_called(name, pattern) for name in known):
                raise UsageError(f"{location}: {unknown(noun, pattern, [*known, *unused], 'raters and columns')}")


def no_answers(frame: Frame) -> CorpusError:
    """Return the error for a table in which nobody's answers were recognised."""
    of_people = as_typed(terminal="--people COLUMN ...", python='people=["COLUMN", ...]')
    of_judges = as_typed(terminal="--judge COLUMN", python='judges=["COLUMN"]')
    others = [name for name in frame.names if name not in frame.columns]
    lists = f" What {listing(others, 4)} hold are lists or objects: write a column for each rating." if others else ""
    return CorpusError(
        f"{frame.location}: must have ratings: a column for each rater, called like human, "
        f"annotator1 or gpt4, or a column of raters beside one of scores. The columns are {listing(frame.columns)}."
        f"{lists} Where some columns hold ratings, name these: {of_people}, and {of_judges} for those of a model."
    )
