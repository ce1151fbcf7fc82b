"""Small texts that show how a metric deals with what is rare in sentences and common in data.

Sixteen segments, three candidates and up to three references. Nobody has judged them.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

from metaeval.records import Corpus

_COMBINING = "Le cafe\u0301 est fermé"
_COMPOSED = "Le café est fermé"
_FAMILY = "\U0001f468\u200d\U0001f469\u200d\U0001f467"
_SENTENCES = (
    "the council met again on {day} to speak about the {thing} near the old harbour ,",
    "and a member of the {thing} group said that the plan of last {day} was still too dear ;",
    "nobody in the hall wanted to wait until {day} for an answer on the {thing} .",
)
_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday")
_THINGS = ("bridge", "school", "market", "station", "park", "library")


def _long(*changes: tuple[str, str]) -> str:
    """Return a segment of about 300 tokens, with some words replaced."""
    pairs = zip(_DAYS, _THINGS, strict=True)
    text = " ".join(line.format(day=day, thing=thing) for day, thing in pairs for line in _SENTENCES)
    for old, new in changes:
        text = text.replace(old, new)
    return text


# Label, source, three candidates (near, middling, far), references.
_Row = tuple[str, str, tuple[str, str, str], tuple[str | None, str | None, str | None]]
_ROWS: tuple[_Row, ...] = (
    (
        "plain",
        "Der Zug nach Norden fuhr wegen des Sturms zwei Stunden später ab.",
        (
            "The train to the north left two hours late because of the storm.",
            "Because of storm the north train has departed after two hours.",
            "The weather was bad and the people of the station waited.",
        ),
        (
            "The train to the north left two hours later because of the storm.",
            "Because of the storm, the northbound train departed two hours late.",
            "Owing to the storm the train going north left with a delay of two hours.",
        ),
    ),
    (
        "identical",
        "Sie gab ihm das Buch zurück, ohne ein Wort zu sagen.",
        (
            "She gave him back the book without saying a word.",
            "She gave back the book to him and said not a word.",
            "He took a book and she was speaking with many words.",
        ),
        (
            "She gave him back the book without saying a word.",
            "Without a word she returned the book to him.",
            "She handed the book back to him and said nothing.",
        ),
    ),
    (
        "no overlap",
        "Bitte schließen Sie das Fenster.",
        ("Please shut the window.", "Do close that window now.", "Gray elephants dance quietly tonight"),
        ("Please close the window.", "Could you please close the window?", "Please shut the window."),
    ),
    (
        "empty candidate",
        "Niemand wusste, wo der Schlüssel war.",
        ("Nobody knew where the key was.", "", "The key knew nobody."),
        ("Nobody knew where the key was.", "No one knew where the key was.", "Nobody knew the whereabouts of the key."),
    ),
    ("one token", "Ja", ("Yes", "Indeed", "No"), ("Yes", "Yeah", "Sure")),
    (
        "repeated tokens",
        "Die Katze liegt auf der Matte.",
        ("the cat is on the mat", "the the cat cat on on mat mat", "the the the the the the the"),
        ("the cat is on the mat", "there is a cat on the mat", "on the mat the cat lies"),
    ),
    (
        "numbers",
        "2003 stiegen die Kosten um 1,5 % auf 1.664.000 Euro.",
        (
            "In 2003 costs rose by 1.5 % to 1,664,000 euros.",
            "In 2003 the costs climbed 1.5% to 1664000 euro.",
            "In 2030 costs fell by 15 % to 1,664 euros.",
        ),
        (
            "In 2003, costs rose by 1.5 % to 1,664,000 euros.",
            "Costs went up 1.5% in 2003, to 1,664,000 euros.",
            "In 2003 costs increased by 1.5 percent to 1,664,000 euros.",
        ),
    ),
    (
        "punctuation",
        "\u201eHalt!\u201c \u2026 (rief er) \u2026 \u201eWer da?\u201c",
        (
            '"Stop!" ... (he called) ... "Who\'s there?"',
            "Stop ! ( he called ) Who is there ?",
            "?! ... ; : - -- () \"\" ''",
        ),
        (
            '"Stop!" ... (he shouted) ... "Who\'s there?"',
            "\u201cHalt!\u201d \u2026 (he called out) \u2026 \u201cWho goes there?\u201d",
            '"Stop!" (he cried); "who is there?"',
        ),
    ),
    (
        "combining marks",
        "The café is closed until tomorrow.",
        (
            f"{_COMBINING} jusqu'à demain.",
            "Le cafe est ferme jusqu'a demain.",
            "La naïveté coûte très cher aujourd'hui.",
        ),
        (f"{_COMPOSED} jusqu'à demain.", "Le café reste fermé jusqu'à demain.", "Jusqu'à demain, le café est fermé."),
    ),
    (
        "emoji",
        f"Tolle Feier \U0001f389 mit der ganzen Familie {_FAMILY}",
        (
            f"Great party \U0001f389 with the whole family {_FAMILY}",
            "Great party \U0001f38a with all the family \U0001f468 \U0001f469 \U0001f467",
            "\U0001f44d\U0001f3fd \U0001f44d\U0001f3fd \U0001f600",
        ),
        (
            f"Great party \U0001f389 with the whole family {_FAMILY}",
            f"A great party with the whole family \U0001f389 {_FAMILY}",
            "Wonderful party \U0001f389 with all of the family",
        ),
    ),
    (
        "right to left",
        "The boy reads a new book in the garden.",
        ("الولد يقرأ كتابا جديدا في الحديقة .", "ولد يقرأ الكتاب الجديد في حديقة .", "הילד אכל תפוח בבית ."),
        (
            "الولد يقرأ كتابا جديدا في الحديقة .",
            "يقرأ الولد كتابا جديدا في الحديقة .",
            "الصبي يقرأ كتابا جديدا في الحديقة .",
        ),
    ),
    (
        "no blanks",
        "We are going to the library tomorrow.",
        ("我们明天去图书馆。", "明天我们会去那图书馆。", "他昨天吃了很多苹果。"),
        ("我们明天去图书馆。", "明天我们要去图书馆。", "我们明天到图书馆去。"),
    ),
    (
        "absent reference",
        "Der Arzt riet ihr, mehr zu schlafen.",
        (
            "The doctor advised her to sleep more.",
            "The doctor has advised that she sleeps longer.",
            "A doctor was asleep and had no advice.",
        ),
        ("The doctor advised her to sleep more.", None, "The physician told her to get more sleep."),
    ),
    (
        "equal references",
        "Wir kamen am Abend an, als es schon dunkel war.",
        (
            "We arrived in the evening when it was dark already.",
            "We came at evening as it was already dark.",
            "It was a dark evening and they went away.",
        ),
        (
            "We arrived in the evening, when it was already dark.",
            "It was already dark when we arrived in the evening.",
            "It was already dark when we arrived in the evening.",
        ),
    ),
    ("empty reference", "Äh", ("Uh", "", "Um , well"), ("", None, None)),
    (
        "300 tokens",
        "Der Rat tagte wieder, und niemand wollte warten.",
        (
            _long(("too dear", "too expensive")),
            _long(("nobody in the hall", "no one in the hall"), ("still ", ""), ("answer on", "answer about")),
            # No word of the references: many matches in other places take some programs half a minute.
            " ".join(f"Punkt {i} fehlt noch in dieser Liste :" for i in range(1, 39)),
        ),
        (
            _long(),
            _long(("the old harbour", "the harbour"), ("nobody in the hall", "no one there")),
            _long(("the council met again", "the council came together again")),
        ),
    ),
)
SYSTEMS = ("near", "middling", "far")
LABELS = tuple(row[0] for row in _ROWS)
# A metric may refuse these; the others are texts like any.
EMPTY_OR_SHORT = ("empty candidate", "one token", "empty reference")


def example_corpus() -> Corpus:
    """Return the texts, with labels as the ids of the segments, and sources."""
    candidates = {name: [row[2][k] for row in _ROWS] for k, name in enumerate(SYSTEMS)}
    references: Mapping[str, list[str | None]] = {f"ref{k + 1}": [row[3][k] for row in _ROWS] for k in range(3)}
    corpus = Corpus.of_texts(candidates, references)
    return dataclasses.replace(
        corpus, name="examples", sources=tuple(row[1] for row in _ROWS), segment_ids=tuple(label for label in LABELS)
    )
