"""Make data/demo: a small simulated corpus, so that everything runs without a licence or a download.

A segment is a meaning: who did what, when, where, why. A reference says it with words and an order chosen at random. A
system says it too, but damages meaning (wrong or missing parts) and form (articles, inflection, order) at its own two
rates. Judges see the damage through their own severity and some noise. Nothing in it is evidence about any metric.

Usage: python scripts/make_demo_corpus.py [DIRECTORY]; the same bytes on every machine.
"""

from __future__ import annotations

import sys
from pathlib import Path
from random import Random

SEED = 20031
N_SEGMENTS = 120
N_REFERENCES = 4
# Name: probability that a part of the meaning is damaged, and that a place of the form is damaged.
SYSTEMS = {
    "alder": (0.05, 0.05),
    "birch": (0.09, 0.20),
    "cedar": (0.16, 0.08),
    "elm": (0.20, 0.16),
    "hazel": (0.26, 0.10),
    "larch": (0.24, 0.30),
    "maple": (0.36, 0.20),
    "rowan": (0.42, 0.38),
}
# Name: severity on the five-point scale.
JUDGES = {"judge1": -0.5, "judge2": -0.2, "judge3": 0.0, "judge4": 0.3, "judge5": 0.5}

# Each concept is a list of ways to say it.
WHO = [
    ["the minister", "the cabinet member"],
    ["the two companies", "both firms"],
    ["the local farmers", "the farmers of the region"],
    ["the city council", "the municipal council"],
    ["the rescue team", "the rescuers"],
    ["a group of students", "several students"],
    ["the central bank", "the country's central bank"],
    ["the national museum", "the museum of the nation"],
    ["the engineers", "the technical staff"],
    ["the head of the delegation", "the delegation leader"],
]
DID = [
    ["announced", "made public"],
    ["rejected", "turned down"],
    ["supported", "backed"],
    ["postponed", "put off"],
    ["discussed", "talked about"],
    ["repaired", "fixed"],
    ["criticised", "found fault with"],
    ["visited", "paid a visit to"],
    ["completed", "finished"],
    ["described", "gave an account of"],
]
WHAT = [
    ["the new trade agreement", "the recent trade deal"],
    ["the old bridge over the river", "the ancient river bridge"],
    ["the plan to build a school", "the school building plan"],
    ["the results of the survey", "the findings of the poll"],
    ["the rise in food prices", "the increase of the price of food"],
    ["the damaged power station", "the electric plant that had been damaged"],
    ["the exhibition of modern art", "the show of contemporary art"],
    ["the reform of the tax law", "the new law on taxes"],
    ["the flood in the southern provinces", "the southern floods"],
    ["the first railway line", "the first train line"],
]
WHEN = [
    ["yesterday", "the day before today"],
    ["last week", "in the past week"],
    ["on Monday morning", "early on Monday"],
    ["after the meeting", "once the meeting was over"],
    ["at the end of the year", "as the year ended"],
    ["for the third time", "a third time"],
    ["in spite of the rain", "although it rained"],
    ["before the election", "ahead of the vote"],
]
WHERE = [
    ["in the capital", "in the capital city"],
    ["near the border", "close to the frontier"],
    ["at a press conference", "in front of reporters"],
    ["in the north of the country", "in the northern part of the country"],
    ["in a small village", "in a little village"],
    ["outside the parliament", "in front of the parliament building"],
]
WHY = [
    ["to calm the public", "in order to reassure people"],
    ["because the costs were too high", "since it would have cost too much"],
    ["so that the work could go on", "in order that work might continue"],
    ["under pressure from the opposition", "as the opposition had demanded"],
    ["as was agreed in the spring", "as had been agreed in spring"],
    ["without giving any reason", "but gave no reason"],
]
PARTS = [WHO, DID, WHAT, WHEN, WHERE, WHY]
OPTIONAL_FROM = 3

FOREIGN = ["shuo", "bingqie", "zhongyang", "jianshe", "huiyi", "jiage"]


def pick(rng: Random, items: list) -> object:
    """Choose an item by a uniform number alone, which every version of Python draws alike."""
    return items[int(rng.random() * len(items))]


def make_meaning(rng: Random) -> list[int | None]:
    """Return the concept of each part; the optional ones may be absent."""
    concepts: list[int | None] = [int(rng.random() * len(part)) for part in PARTS]
    for position in range(OPTIONAL_FROM, len(PARTS)):
        if rng.random() < 0.35:
            concepts[position] = None
    return concepts


def say(rng: Random, meaning: list[int | None]) -> list[str]:
    """Return the parts of a sentence in an order that English allows."""
    words = [
        str(pick(rng, part[concept])) if concept is not None else ""
        for part, concept in zip(PARTS, meaning, strict=True)
    ]
    who, did, what, when, where, why = words
    if when and rng.random() < 0.4:
        return [when + " ,", who, did, what, where, why]
    return [who, did, what, where, when, why] if rng.random() < 0.5 else [who, did, what, when, where, why]


def as_sentence(parts: list[str]) -> str:
    """Join parts, with a capital letter and a full stop."""
    text = " ".join(part for part in parts if part).replace(" ,", ",")
    return text[:1].upper() + text[1:] + "." if text else ""


def damage_meaning(rng: Random, meaning: list[int | None], rate: float) -> tuple[list[int | None], list[str], int]:
    """Return a meaning with parts lost or wrong, words left untranslated, and the number of damages."""
    damaged, foreign, count = list(meaning), [], 0
    for position, concept in enumerate(meaning):
        if concept is None or rng.random() >= rate:
            continue
        count += 1
        kind = rng.random()
        if kind < 0.4 and position > 0:
            damaged[position] = None
        elif kind < 0.8:
            damaged[position] = int(rng.random() * len(PARTS[position]))
        else:
            foreign.append(str(pick(rng, FOREIGN)))
    return damaged, foreign, count


def damage_form(rng: Random, parts: list[str], rate: float) -> tuple[list[str], int]:
    """Return parts with articles, inflections and order damaged, and the number of damages."""
    count, result = 0, []
    for part in parts:
        words = []
        for word in part.split():
            if rng.random() >= rate:
                words.append(word)
            elif word in ("the", "a", "of", "to"):
                count += 1
            elif word.endswith("ed"):
                words.append(word[:-2])
                count += 1
            elif word.endswith("s") and len(word) > 3:
                words.append(word[:-1])
                count += 1
            else:
                words.append(word)
        result.append(" ".join(words))
    if rng.random() < rate:
        place = int(rng.random() * (len(result) - 1))
        result[place], result[place + 1] = result[place + 1], result[place]
        count += 1
    return result, count


def grade(rng: Random, damages: float, judge: str) -> int:
    """Return a grade from 1 to 5."""
    noise = sum(rng.random() for _ in range(3)) - 1.5
    return max(1, min(5, round(5.0 - damages + JUDGES[judge] + 1.4 * noise)))


def main(directory: Path) -> None:
    rng = Random(SEED)
    meanings = [make_meaning(rng) for _ in range(N_SEGMENTS)]
    files: dict[str, list[str]] = {}
    for number in range(1, N_REFERENCES + 1):
        files[f"references/ref{number}.txt"] = [as_sentence(say(rng, meaning)) for meaning in meanings]
    judgments = ["segment\tsystem\tjudge\tcriterion\tscore"]
    judges = list(JUDGES)
    for system, (meaning_rate, form_rate) in SYSTEMS.items():
        lines = []
        for segment, meaning in enumerate(meanings, start=1):
            damaged, foreign, lost = damage_meaning(rng, meaning, meaning_rate)
            parts, broken = damage_form(rng, say(rng, damaged) + foreign, form_rate)
            lines.append(as_sentence(parts))
            start, n_judges = int(rng.random() * len(judges)), 2 + int(rng.random() * 2)
            for judge in sorted(judges[(start + step) % len(judges)] for step in range(n_judges)):
                for criterion, damages in (("adequacy", 1.3 * lost + 0.2 * broken), ("fluency", 0.9 * broken)):
                    judgments.append(f"{segment}\t{system}\t{judge}\t{criterion}\t{grade(rng, damages, judge)}")
        files[f"systems/{system}.txt"] = lines
    files["judgments.tsv"] = judgments
    files["corpus.toml"] = [
        'name = "demo"',
        'title = "Demonstration corpus: simulated translations and judgments"',
        'language = "en"',
        'license = "MIT, as metaeval itself"',
        'source = "scripts/make_demo_corpus.py"',
        'notes = "Simulated from the first word to the last judgment; no evidence about any claim or metric."',
    ]
    for criterion in ("adequacy", "fluency"):
        files["corpus.toml"] += ["", "[[criteria]]", f'name = "{criterion}"', "low = 1", "high = 5"]
        files["corpus.toml"] += ['direction = "higher"']
    for name, lines in files.items():
        path = directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(("\n".join(lines) + "\n").encode())


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parents[1] / "data" / "demo")
