"""Turn what stands in the cells of a table into ratings: numbers, grades, labels or preferences between two outputs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from typing import Literal, NamedTuple

import numpy as np

from metaeval.corpora.judgment_columns import DECIMAL_COMMA, NUMBER, PERCENT, numbers_of_points
from metaeval.datamodel.corpus import FloatArray, IntArray
from metaeval.errors import CorpusError, UsageError, as_typed, counted, listing
from metaeval.ratings.table import ScaleKind

MISSING = frozenset({"", "none", "na", "n/a", "#n/a", "n.a.", "nan", "null"})
# Missing where all others are numbers; among words these may be answers.
_MISSING_NUMBERS = frozenset({"-", "--", "?"})
# No more different whole numbers than this are grades.
_MAX_GRADES = 10
# Grades that are often numbers of preferences: the first, the second, and neither.
_NUMBERS_OF_PREFERENCES = ({1.0, 2.0}, {0.0, 1.0, 2.0}, {-1.0, 0.0, 1.0})
_FIRST_PLACE_WORDS = frozenset({"first", "left"})
_SECOND_PLACE_WORDS = frozenset({"second", "right"})
# Names of the columns of the two outputs: these are outputs, wherever they stood.
_OUTPUT_NOUNS = ("model", "system", "output", "response")
_FIRST_OUTPUT_WORDS = frozenset(f"{part}_{sign}" for part in _OUTPUT_NOUNS for sign in ("a", "1"))
_SECOND_OUTPUT_WORDS = frozenset(f"{part}_{sign}" for part in _OUTPUT_NOUNS for sign in ("b", "2"))
_FIRST_WORDS = _FIRST_OUTPUT_WORDS | {
    "a",
    "1",
    "1.0",
    "[[a]]",
    "win",
    "chosen",
    "assistant_a",
    "assistant a",
    "output (a)",
}
_SECOND_WORDS = _SECOND_OUTPUT_WORDS | {
    "b",
    "2",
    "2.0",
    "[[b]]",
    "lose",
    "rejected",
    "assistant_b",
    "assistant b",
    "output (b)",
}
_NEITHER_WORDS = frozenset(
    {"tie", "tied", "ties", "draw", "same", "equal", "both", "neither", "c", "[[c]]", "0", "0.0", "1.5"}
)
_NEITHER_WORDS |= {"tie (bothbad)", "tie (both bad)", "both_bad", "bothbad", "both bad"}
_PREFERENCE_WORDS = _FIRST_WORDS | _SECOND_WORDS | _NEITHER_WORDS | _FIRST_PLACE_WORDS | _SECOND_PLACE_WORDS
_FAILURE_WORDS = frozenset({"error", "-1", "-1.0"})
# A label that stands so often may be what one that stands once was meant to be, if they are as alike as this.
_MANY_ANSWERS = 5
_MIN_LIKENESS = 0.8
# Words that mean 1 and 0 where others of the same answers are 1 and 0, or true and false.
_YES_WORDS = frozenset({"true", "yes", "correct", "pass", "passed"})
_NO_WORDS = frozenset({"false", "no", "incorrect", "fail", "failed"})
_TRUTH_WORDS = frozenset({"true", "false"})
Swapped = Literal["outputs", "places"]


class Cell(NamedTuple):
    """An answer as it stands in a table.

    Attributes
    ----------
    item, rater : str
    text : str
    line : int
        Where it stands.
    shown : int
        1 where the first output was shown first, -1 where it was shown second, 0 where that is not said.
    systems : tuple of (str, str)
        The two systems, where the table names them.
    """

    item: str
    rater: str
    text: str
    line: int
    shown: int = 0
    systems: tuple[str, str] = ("", "")


@dataclass
class Answers:
    """Ratings that were read.

    Attributes
    ----------
    cells : list of Cell
        Those that have a value.
    value : (cells,) float array
    kind : {"number", "grade", "label", "preference"}
    categories : tuple of str
    notes : list of str
        What was left out, and what was taken for what.
    shown : (cells,) int array
        Of preferences, after `oriented`: 1 where the first system was shown first, -1 where it was shown second, 0
        where that is not said. Empty of others.
    systems : dict of str to (str, str)
        Of preferences, after `oriented`: the first and the second system of each item.
    """

    cells: list[Cell]
    value: FloatArray
    kind: ScaleKind
    categories: tuple[str, ...] = ()
    notes: list[str] = field(default_factory=list)
    shown: IntArray = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    systems: dict[str, tuple[str, str]] = field(default_factory=dict)


def without_missing(cells: Sequence[Cell], extra: frozenset[str] = frozenset()) -> tuple[list[Cell], list[str]]:
    """Return the cells that hold an answer, and what to say of the others."""
    missing = MISSING | extra
    present = [cell for cell in cells if cell.text.strip().lower() not in missing]
    words = Counter(cell.text.strip() for cell in cells if cell.text.strip().lower() in missing)
    n_blank = words.pop("", 0)
    notes = []
    if n_blank == 1:
        notes.append("1 blank cell is a missing rating")
    elif n_blank:
        notes.append(f"{counted(n_blank, 'blank cell')} are missing ratings")
    notes += [f"{counted(n, 'cell')} {word!r} taken for a missing rating" for word, n in words.items()]
    return present, notes


def read_answers(cells: Sequence[Cell], order: Sequence[str], location: str) -> Answers:
    """Return answers that are numbers, grades or labels, as they look.

    Words are labels unless `order` names them from the lowest on. 0 and 1 are labels, up to ten different whole numbers
    grades, and others numbers.

    Raises
    ------
    CorpusError
        If words stand among numbers, or `order` lacks one.
    """
    present, notes = without_missing(cells)
    if order:
        return _ordered(present, [cell.text.strip() for cell in present], order, location, notes)
    texts, notes_on_numbers = _written_as_numbers(present, location)
    answered, notes_on_signs = without_missing(present, _MISSING_NUMBERS)
    if answered and len(answered) < len(present):
        numbers, notes_on_answered = _written_as_numbers(answered, location)
        if all(NUMBER.fullmatch(number) for number in numbers):
            present, texts, notes_on_numbers = answered, numbers, [*notes_on_answered, *notes_on_signs]
    notes += notes_on_numbers
    texts, more_notes = _yes_and_no_as_numbers(texts)
    notes += more_notes
    is_number = [bool(NUMBER.fullmatch(text)) for text in texts]
    if any(is_number) and not all(is_number) and 2 * sum(is_number) >= len(texts):
        unreadable = [cell for cell in answered if not NUMBER.fullmatch(cell.text.strip())]
        several = f" ({len(unreadable)} cells in all)" if len(unreadable) > 1 else ""
        raise CorpusError(
            f"{location}:{unreadable[0].line}: a rating of {unreadable[0].rater!r} must be a number, as most others "
            f"are; got {unreadable[0].text[:40]!r}{several}. Leave the cell empty where there is no rating."
        )
    if texts and all(is_number):
        value = np.array([float(text) for text in texts])
        distinct = set(value.tolist())
        if distinct <= {0.0, 1.0}:
            return Answers(present, value, "label", ("0", "1"), notes)
        is_grade = len(distinct) <= _MAX_GRADES and bool(np.all(value == np.round(value)))
        if is_grade and distinct in _NUMBERS_OF_PREFERENCES:
            numbers = [f"{number:g}" for number in sorted(distinct)]
            those = f"{', '.join(numbers[:-1])} and {numbers[-1]}"
            notes.append(f"if {those} are labels without an order, write words for them, such as a, b and tie")
        return Answers(present, value, "grade" if is_grade else "number", (), notes)
    spellings = dict[str, str]()
    for text in texts:
        spellings.setdefault(text.lower(), text)
    if len(set(texts)) > len(spellings):
        notes.append("labels that differ in capitals alone are taken for the same")
    notes += _misspelt(present, texts)
    categories = tuple(sorted(spellings.values()))
    places = {text.lower(): at for at, text in enumerate(categories)}
    return Answers(present, np.array([float(places[text.lower()]) for text in texts]), "label", categories, notes)


def _written_as_numbers(cells: Sequence[Cell], location: str) -> tuple[list[str], list[str]]:
    """Return answers with numbers as programs write them, and what to say of it: 3,5 is 3.5, 80 % is 80, 4/5 is 4."""
    texts = [cell.text.strip() for cell in cells]
    notes = []
    commas = [bool(DECIMAL_COMMA.fullmatch(text)) for text in texts]
    if any(commas) and all(comma or NUMBER.fullmatch(text) for comma, text in zip(commas, texts, strict=True)):
        notes.append("commas in numbers are read as decimal points")
        texts = [text.replace(",", ".") for text in texts]
    texts, notes_on_percent = _without_percent(cells, texts, location)
    notes += notes_on_percent
    if points := numbers_of_points(texts):
        texts, example = points
        notes.append(example)
    return texts, notes


def _misspelt(cells: Sequence[Cell], texts: Sequence[str]) -> list[str]:
    """Return a note for each label that stands once and is nearly spelt as one that stands often."""
    counts = Counter(text.lower() for text in texts)
    often = [word for word, count in counts.items() if count >= _MANY_ANSWERS]
    notes = []
    for cell, text in zip(cells, texts, strict=True):
        close = get_close_matches(text.lower(), often, 1, _MIN_LIKENESS) if counts[text.lower()] == 1 else []
        if close:
            notes.append(f"the label {text!r} stands once, in line {cell.line}, and may be meant as {close[0]!r}")
    return notes


def _without_percent(cells: Sequence[Cell], texts: list[str], location: str) -> tuple[list[str], list[str]]:
    """Return answers without signs of percent, and what to say of them; beside shares up to 1, percent are shares.

    Raises
    ------
    CorpusError
        If other numbers are neither.
    """
    percent = [PERCENT.fullmatch(text) for text in texts]
    if any(percent):
        texts = [text.replace(",", ".") if DECIMAL_COMMA.fullmatch(text) else text for text in texts]
    others = [(cell, text) for cell, text, match in zip(cells, texts, percent, strict=True) if not match]
    if len(others) == len(texts) or not all(NUMBER.fullmatch(text) for _, text in others):
        return texts, []
    beyond = [cell for cell, text in others if not 0 <= float(text) <= 1]
    if beyond:
        raise CorpusError(
            f"{location}:{beyond[0].line}: a rating of {beyond[0].rater!r} must be in percent, as others are, or a "
            f"share from 0 to 1; got {beyond[0].text.strip()!r}. Write all ratings in the same way."
        )
    numbers = [match[1].replace(",", ".") if match else text for match, text in zip(percent, texts, strict=True)]
    if not others:
        return numbers, ["ratings are in percent"]
    shares = [
        f"{float(number) / 100:.10g}" if match else number for match, number in zip(percent, numbers, strict=True)
    ]
    return shares, ["ratings in percent are read as shares from 0 to 1, as others are written"]


def _yes_and_no_as_numbers(texts: list[str]) -> tuple[list[str], list[str]]:
    """Return answers with 1 and 0 for words such as true and no, where others are written so, and what to say of it."""
    words = {text.lower() for text in texts}
    numbers = {word for word in words if NUMBER.fullmatch(word)}
    rest = words - numbers
    has_numbers = bool(numbers) and {float(word) for word in numbers} <= {0.0, 1.0}
    has_truth_and_others = not numbers and bool(rest & _TRUTH_WORDS) and bool(rest - _TRUTH_WORDS)
    if not rest or not rest <= _YES_WORDS | _NO_WORDS or not (has_numbers or has_truth_and_others):
        return texts, []
    spelt = sorted({text for text in texts if text.lower() in rest}, key=str.lower)
    read = ", ".join(f"{text!r} is read as {int(text.lower() in _YES_WORDS)}" for text in spelt)
    numbered = [str(int(text.lower() in _YES_WORDS)) if text.lower() in rest else text for text in texts]
    return numbered, [read]


def _ordered(cells: list[Cell], texts: Sequence[str], order: Sequence[str], location: str, notes: list[str]) -> Answers:
    """Return grades that are words, by their order from the lowest on."""
    places = {word.lower(): at for at, word in enumerate(order)}
    wrong = [cell for cell, text in zip(cells, texts, strict=True) if text.lower() not in places]
    if wrong:
        others = listing(dict.fromkeys(cell.text.strip() for cell in wrong), 5)
        raise CorpusError(
            f"{location}:{wrong[0].line}: the rating {wrong[0].text.strip()!r} is not among {listing(order)}, which "
            f"were given as all grades from the lowest on. Those that are not: {others}."
        )
    return Answers(cells, np.array([float(places[text.lower()]) for text in texts]), "grade", tuple(order), notes)


def are_preferences(texts: Sequence[str]) -> bool:
    """Return whether most answers are words or numbers for one of two outputs, and none is a grade beyond 2."""
    words = [text.strip().lower() for text in texts if text.strip().lower() not in MISSING]
    if any(NUMBER.fullmatch(word) and not -1 <= float(word) <= 2 for word in words):
        return False
    n_preferences = sum(word in _PREFERENCE_WORDS for word in words)
    return n_preferences > 0 and 2 * n_preferences >= len(words)


def read_preferences(cells: Sequence[Cell], location: str, *, swapped: Swapped | None, is_chosen: bool) -> Answers:
    """Return preferences: 1 for the first output of the table's row, -1 for the second, 0 for neither.

    Answers are names of the two systems, words such as a, b and tie, or 1, 2 and 0 for neither; or first and second,
    which are places, unless `swapped` says otherwise, and are turned back where the outputs were exchanged.

    Raises
    ------
    CorpusError
        If a word is unknown, or it cannot be known which output it means.
    """
    present, notes = without_missing(cells)
    texts = [cell.text.strip().lower() for cell in present]
    words = set(texts)
    if is_chosen:
        return _chosen(present, texts, location, notes)
    failed = _FAILURE_WORDS & words if "2" in words or not words <= {"-1", "0", "1", "-1.0", "0.0", "1.0"} else set()
    if failed:
        n = sum(word in failed for word in texts)
        notes.append(f"{counted(n, 'answer')} ({', '.join(sorted(failed))}) taken for no verdict")
        answered = [at for at, word in enumerate(texts) if word not in failed]
        present, texts = [present[at] for at in answered], [texts[at] for at in answered]
        words -= failed
    if words and words <= {"0", "1", "0.0", "1.0"}:
        raise CorpusError(
            f"{location}: in pairs of outputs, 0 and 1 may stand for the second and the first, or for the first and "
            "the second, or 0 for neither. Write a, b and tie, or 1, 2 and 0 for neither."
        )
    value = np.zeros(len(present))
    between = 0
    for at, (cell, word) in enumerate(zip(present, texts, strict=True)):
        value[at], is_between = _preference(cell, word, words, location)
        between += is_between
    if between:
        notes.append(f"{counted(between, 'answer')} between 1 and 2 taken for the output that is nearer")
    value = _turned_back(present, texts, value, location, swapped)
    present = _with_places(present, texts)
    return Answers(present, value, "preference", (), notes)


def _preference(cell: Cell, word: str, words: set[str], location: str) -> tuple[float, bool]:
    """Return the preference that an answer means, and whether it is a number between 1 and 2."""
    systems = [name.strip().lower() for name in cell.systems]
    if word in systems and systems[0] != systems[1]:
        return (1.0, False) if word == systems[0] else (-1.0, False)
    if word in _NEITHER_WORDS:
        return 0.0, False
    if word in _FIRST_WORDS or word in _FIRST_PLACE_WORDS:
        return 1.0, False
    if word in _SECOND_WORDS or word in _SECOND_PLACE_WORDS or ("2" not in words and word in ("-1", "-1.0")):
        return -1.0, False
    if NUMBER.fullmatch(word) and 1 < float(word) < 2:
        return (1.0 if float(word) < 1.5 else -1.0), True
    raise CorpusError(
        f"{location}:{cell.line}: a preference of {cell.rater!r} must be the name of one of the two systems, a, b or "
        f"tie, 1, 2 or 0, or first or second; got {cell.text[:40]!r}."
    )


def _turned_back(
    cells: Sequence[Cell], low: Sequence[str], value: FloatArray, location: str, swapped: Swapped | None
) -> FloatArray:
    """Return preferences for outputs, where some answers are places and the outputs were exchanged."""
    is_place = np.array([word in _FIRST_PLACE_WORDS | _SECOND_PLACE_WORDS for word in low], dtype=bool)
    exchanged = np.array([cell.shown < 0 for cell in cells], dtype=bool)
    named = np.array(
        [
            word in _FIRST_OUTPUT_WORDS | _SECOND_OUTPUT_WORDS
            or word in {name.strip().lower() for name in cell.systems}
            for cell, word in zip(cells, low, strict=True)
        ],
        dtype=bool,
    )
    unclear = exchanged & ~is_place & ~named & (value != 0)
    if unclear.any() and swapped is None:
        cell = cells[int(np.flatnonzero(unclear)[0])]
        outputs = as_typed(terminal="--swapped outputs", python='swapped="outputs"')
        places = as_typed(terminal="--swapped places", python='swapped="places"')
        raise UsageError(
            f"{location}:{cell.line}: {cell.rater!r} was shown the outputs in exchanged order, and its answer there, "
            f"{cell.text!r}, may name an output or a place. Type {outputs} if it names the same output as in the "
            f"first order, as in data that was turned back, or {places} if it names what stood in that place."
        )
    turned = exchanged & (is_place if swapped is None else (is_place | unclear) & (swapped == "places"))
    return np.where(turned, -value, value)


def _with_places(cells: Sequence[Cell], low: Sequence[str]) -> list[Cell]:
    """Return cells with the order shown: where all that a rater prefers are places, they are those of the table."""
    is_place = [word in _FIRST_PLACE_WORDS | _SECOND_PLACE_WORDS for word in low]
    others = {
        cell.rater for cell, word, of in zip(cells, low, is_place, strict=True) if not of and word not in _NEITHER_WORDS
    }
    named = {cell.rater for cell, of in zip(cells, is_place, strict=True) if of} - others
    return [cell._replace(shown=cell.shown or 1) if cell.rater in named else cell for cell in cells]


def order_shown(text: str, systems: tuple[str, str], location: str) -> int:
    """Return 1 where the first output of a row was shown first, -1 where the second was, 0 where that is not said.

    Raises
    ------
    CorpusError
        If a text names neither output.
    """
    word = text.strip().lower()
    names = [name.strip().lower() for name in systems]
    if word in MISSING:
        return 0
    if word in names and names[0] != names[1]:
        return 1 if word == names[0] else -1
    if word in _FIRST_WORDS | _FIRST_PLACE_WORDS:
        return 1
    if word in _SECOND_WORDS | _SECOND_PLACE_WORDS:
        return -1
    must = "what was shown first must be the name of one of the two systems, or a or b"
    raise CorpusError(f"{location}: {must}; got {text[:40]!r}.")


def _chosen(cells: list[Cell], low: Sequence[str], location: str, notes: list[str]) -> Answers:
    """Return preferences of a table whose first output is the better one: 1 agrees with that, 0 does not."""
    values = {
        "1": 1.0, "1.0": 1.0, "true": 1.0, "chosen": 1.0,
        "0": -1.0, "0.0": -1.0, "false": -1.0, "rejected": -1.0,
        "0.5": 0.0, "tie": 0.0,
    }  # fmt: skip
    for cell, word in zip(cells, low, strict=True):
        if word not in values:
            raise CorpusError(
                f"{location}:{cell.line}: beside columns called chosen and rejected, an answer of {cell.rater!r} must "
                f"be 1, 0 or 0.5, or chosen, rejected or tie; got {cell.text[:40]!r}."
            )
    return Answers(cells, np.array([values[word] for word in low]), "preference", (), notes)


def oriented(answers: Answers) -> Answers:
    """Return preferences with the order shown for one orientation of each pair, and its systems.

    Rows of one item may name its systems in either order. The first of them decides which is the first system. Where
    the same rater has both orders, these are the orders in which the outputs were shown.
    """
    first = dict[str, tuple[str, str]]()
    for cell in answers.cells:
        first.setdefault(cell.item, cell.systems)
    is_turned = np.array([cell.systems != first[cell.item] for cell in answers.cells], dtype=bool)
    value = np.where(is_turned, -answers.value, answers.value)
    shown = np.array([cell.shown for cell in answers.cells], dtype=np.int64)
    orders: dict[tuple[str, str], set[bool]] = {}
    for cell, turned in zip(answers.cells, is_turned.tolist(), strict=True):
        orders.setdefault((cell.item, cell.rater), set()).add(turned)
    has_both_orders = np.array([len(orders[cell.item, cell.rater]) == 2 for cell in answers.cells], dtype=bool)
    by_row = np.where(is_turned, -1, 1)
    shown = np.where(shown != 0, np.where(is_turned, -shown, shown), np.where(has_both_orders, by_row, 0))
    return replace(answers, value=value, shown=shown, systems=first)
