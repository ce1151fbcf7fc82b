"""What all of the files hold: four systems, eight segments, two judges, and what is true of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations

SYSTEMS = ("gpt-5", "nllb-3.3b", "madlad-400", "opus-mt")
JUDGES = ("anna", "ben")
SEGMENTS = range(1, 9)
SOURCES = (
    "Der Hund schläft im Garten.",
    "Die Sitzung wurde verschoben, weil der Minister krank war.",
    "Bitte öffnen Sie das Fenster!",
    "Das kostet 1.234,50 Euro.",
    "Sie sagte: „Ich komme morgen.“",
    "Wir haben keine Zeit mehr, aber genug Geld.",
    "Der Zug nach München fährt um 8:15 Uhr ab.",
    "Warum hast du mir nicht geholfen?",
)
REFERENCES = (
    "The dog is sleeping in the garden.",
    "The meeting was postponed because the minister was ill.",
    "Please open the window!",
    "That costs 1,234.50 euros.",
    'She said, "I will come tomorrow."',
    "We have no time left, but enough money.",
    "The train to Munich leaves at 8:15.",
    "Why didn't you help me?",
)
OUTPUTS: Mapping[str, tuple[str, ...]] = {
    "gpt-5": (
        "The dog is asleep in the garden.",
        "The meeting was postponed because the minister was sick.",
        "Please open the window.",
        "It costs 1,234.50 euros.",
        'She said, "I\'m coming tomorrow."',
        "We've run out of time, but we have enough money.",
        "The train to Munich departs at 8:15.",
        "Why did you not help me?",
    ),
    "nllb-3.3b": (
        "The dog sleeps in the garden.",
        "The session was postponed because the minister was sick.",
        "Open the window, please!",
        "This costs 1,234.50 euros.",
        'She said: "I will come tomorrow".',
        "We have no more time, but enough money.",
        "The train to Munich leaves at 8:15 o'clock.",
        "Why haven't you helped me?",
    ),
    "madlad-400": (
        "The dog sleeps in garden.",
        "The session has been moved because the minister was sick.",
        "Please, you open the window!",
        "This costs 1.234,50 Euro.",
        "She said 'I come tomorrow'.",
        "We have no time more, but money enough.",
        "The train to Munich drives at 8:15 off.",
        "Why have you me not helped?",
    ),
    "opus-mt": (
        "Dog sleeps at the garden.",
        "The session was delayed, because sick was the minister.",
        "Please open you the windows!",
        "The costs 1,234 euro.",
        'She told: "I come morning."',
        "We have money, but no enough time.",
        "The move to Munich leaves at 8:15.",
        "Why did you not me help?",
    ),
}
# By system and judge, from 0 to 100 for each segment.
POINTS: Mapping[str, Mapping[str, tuple[int, ...]]] = {
    "gpt-5": {"anna": (95, 90, 88, 97, 92, 85, 94, 90), "ben": (92, 86, 91, 99, 70, 78, 95, 84)},
    "nllb-3.3b": {"anna": (84, 76, 86, 89, 90, 82, 73, 79), "ben": (80, 81, 75, 93, 82, 77, 66, 85)},
    "madlad-400": {"anna": (62, 71, 55, 41, 58, 47, 35, 50), "ben": (57, 64, 61, 38, 43, 52, 39, 44)},
    "opus-mt": {"anna": (48, 44, 39, 22, 17, 25, 54, 33), "ben": (51, 37, 30, 26, 14, 19, 42, 36)},
}
FIELDS = ("segment", "system", "judge", "criterion", "source", "reference", "output")


@dataclass(frozen=True)
class Rating:
    """What a judge said of a system's text for a segment (from 1) on a criterion, in the units of the file."""

    segment: int
    system: str
    judge: str
    criterion: str
    score: float


@dataclass(frozen=True)
class Comparison:
    """Which of two systems a judge preferred: the ``first``, the ``second``, or neither (``tie``)."""

    segment: int
    first: str
    second: str
    judge: str
    outcome: str


@dataclass(frozen=True)
class Span:
    """What a judge marked in a system's text: from `start` up to, but not including, `end`."""

    segment: int
    system: str
    judge: str
    start: int
    end: int
    label: str


@dataclass(frozen=True)
class Truth:
    """What is in a file.

    Judges and systems have the names that the file gives them, and those of `content` where it gives none; `missing`
    says which of `FIELDS` that are.
    """

    ratings: tuple[Rating, ...] = ()
    comparisons: tuple[Comparison, ...] = ()
    spans: tuple[Span, ...] = ()
    missing: tuple[str, ...] = ()


def items() -> Iterator[tuple[int, str]]:
    """Yield each segment with each system."""
    return ((segment, system) for segment in SEGMENTS for system in SYSTEMS)


def source(segment: int) -> str:
    return SOURCES[segment - 1]


def reference(segment: int) -> str:
    return REFERENCES[segment - 1]


def output(segment: int, system: str) -> str:
    return OUTPUTS[system][segment - 1]


def points(segment: int, system: str, judge: str = "anna") -> int:
    """Return a score from 0 to 100."""
    return POINTS[system][judge][segment - 1]


def adequacy(segment: int, system: str, judge: str = "anna") -> int:
    """Return a score from 1 to 5."""
    return 1 + points(segment, system, judge) // 20


def fluency(segment: int, system: str, judge: str = "anna") -> int:
    """Return another score from 1 to 5: the adequacy three segments on."""
    return adequacy(1 + (segment + 2) % len(SEGMENTS), system, judge)


SCALES: Mapping[str, Callable[[int, str, str], int]] = {"adequacy": adequacy, "fluency": fluency}


def mean_points(segment: int, system: str) -> float:
    """Return what both judges gave on average."""
    return sum(points(segment, system, judge) for judge in JUDGES) / len(JUDGES)


def ratings(
    criterion: str,
    scale: Callable[[int, str, str], float] = adequacy,
    judges: Mapping[str, str] | None = None,
) -> tuple[Rating, ...]:
    """Return all ratings on a criterion; `judges` says what the file calls the judges that it has."""
    called = {judge: judge for judge in JUDGES} if judges is None else judges
    return tuple(
        Rating(segment, system, name, criterion, scale(segment, system, judge))
        for segment, system in items()
        for judge, name in called.items()
    )


def preference(segment: int, first: str, second: str, judge: str) -> str:
    """Return which of two systems has more points, by more than three."""
    more = points(segment, first, judge) - points(segment, second, judge)
    return "tie" if abs(more) <= 3 else "first" if more > 0 else "second"


def comparisons(judges: Mapping[str, str]) -> tuple[Comparison, ...]:
    """Return how each pair of systems compares, by the judges of a file."""
    return tuple(
        Comparison(segment, first, second, name, preference(segment, first, second, judge))
        for segment in SEGMENTS
        for first, second in combinations(SYSTEMS, 2)
        for judge, name in judges.items()
    )
