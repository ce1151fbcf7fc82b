"""Tables as people have them: each is written to a directory, with what a user types and what must come of it.

All have the same small test set: three systems, four segments, two judges. ``SCORES`` says what each reader must find.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

SOURCES = ("der Hund schläft", "es regnet im Norden", "sie liest ein Buch", "wir gehen nach Hause")
REFERENCE = ("the dog sleeps", "it rains in the north", "she reads a book", "we go home now")
OTHER = ("the dog is asleep", "there is rain up north", "she is reading a book", "we are going home")
TEXTS = {
    "A": ("the dog sleeps", "it rains in the north", "she reads books", "we go home"),
    "B": ("the dog is sleep", "rain is in the north", "she read a book", "go we home"),
    "C": ("dog sleeping the", "north rain", "book she read", "home house"),
}
# By system: for each segment the scores of anna and ben.
SCORES = {
    "A": ((5, 4), (4, 4), (5, 5), (3, 4)),
    "B": ((3, 3), (4, 2), (2, 3), (3, 2)),
    "C": ((2, 1), (1, 2), (2, 2), (1, 1)),
}
JUDGES = ("anna", "ben")
Row = dict[str, object]
Judged = set[tuple[int, str, str, str, float]]


def judged(
    criterion: str = "score", judges: Sequence[str] = JUDGES, change: Callable[[float], float] = float
) -> Judged:
    """Return all judgments: segment from 0, system, judge, criterion, score."""
    return {
        (segment, system, judges[place], criterion, change(score))
        for system, by_segment in SCORES.items()
        for segment, both in enumerate(by_segment)
        for place, score in enumerate(both[: len(judges)])
    }


def rows(judges: Sequence[str] = JUDGES, **more: Callable[[str, int, int], object]) -> list[Row]:
    """Return a row for each system, segment and judge; `more` gives further columns by system, segment and score."""
    return [
        {
            "segment": str(segment + 1),
            "source": SOURCES[segment],
            "reference": REFERENCE[segment],
            "system": system,
            "mt": TEXTS[system][segment],
            "judge": judge,
            "score": score,
        }
        | {name: make(system, segment, score) for name, make in more.items()}
        for system, by_segment in SCORES.items()
        for segment, both in enumerate(by_segment)
        for judge, score in zip(judges, both, strict=False)
    ]


def renamed(table: Sequence[Row], **names: str) -> list[Row]:
    """Return some columns of a table by other names."""
    return [{names[name]: row[name] for name in names} for row in table]


def delimited(table: Sequence[Row], sign: str = ",", end: str = "\n") -> str:
    """Return a table as Python writes it, with quotation marks where they are needed."""
    out = io.StringIO()
    writer = csv.DictWriter(out, list(table[0]), delimiter=sign, lineterminator=end)
    writer.writeheader()
    writer.writerows(table)
    return out.getvalue()


def texts(directory: Path) -> Path:
    """Write the texts as files of lines, as a corpus without judgments."""
    directory.mkdir(parents=True, exist_ok=True)
    for place, names in (("systems", TEXTS), ("references", {"reference": REFERENCE})):
        (directory / place).mkdir(exist_ok=True)
        for name, lines in names.items():
            (directory / place / f"{name}.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (directory / "source.txt").write_text("\n".join(SOURCES) + "\n", encoding="utf-8")
    (directory / "corpus.toml").write_text('name = "mine"\n')
    return directory


@dataclass(frozen=True)
class Everyday:
    """One file, or a file beside texts.

    Attributes
    ----------
    what : str
        What it is.
    file : str
        Its name.
    write : callable
        Writes it to a path.
    beside_texts : bool
        Whether the texts are in a directory beside it.
    refused : str
        What the first command says, if it does not do; a line to type is among it, but where `ends` is set.
    edit : mapping
        What the user replaces in the line to type.
    ends : bool
        Whether nothing can be typed to read it as it is.
    expected : set
        The judgments that must be found.
    systems, references : mapping of str to sequence of str
        The texts that must be found.
    says : sequence of str
        What must be said where it is read.
    """

    what: str
    file: str
    write: Callable[[Path], object]
    expected: frozenset[tuple[int, str, str, str, float]] | Judged = frozenset()
    beside_texts: bool = False
    refused: str = ""
    edit: Mapping[str, str] | None = None
    ends: bool = False
    systems: Mapping[str, Sequence[str]] | None = None
    references: Mapping[str, Sequence[str]] | None = None
    says: Sequence[str] = ()


def _plain(text: str, encoding: str = "utf-8") -> Callable[[Path], object]:
    return lambda path: path.write_bytes(text.encode(encoding))


def _frame(table: Sequence[Row]) -> object:
    import pandas as pd

    return pd.DataFrame(table)


def _sheets(**sheets: Sequence[Row]) -> Callable[[Path], object]:
    def write(path: Path) -> None:
        import pandas as pd

        with pd.ExcelWriter(path, engine="xlsxwriter") as book:
            for name, table in sheets.items():
                pd.DataFrame(table).to_excel(book, sheet_name=name, index=False)

    return write


def _scores(**columns: Callable[[str, int, int], object]) -> list[Row]:
    """Return the judgments alone."""
    made = rows(**columns)
    return [
        {name: row[name] for name in row if name not in ("source", "reference", "mt")}
        | {name: row[name] for name in columns}
        for row in made
    ]


def _wide(names: Mapping[str, int]) -> list[Row]:
    """Return texts with a column for each judge."""
    return [
        {"segment_id": n + 1, "source": SOURCES[n], "reference": REFERENCE[n], "system": system, "translation": text}
        | {name: SCORES[system][n][place] for name, place in names.items()}
        for system, lines in TEXTS.items()
        for n, text in enumerate(lines)
    ]


FULL = rows()
FULL_NAMES = {"segment": "seg_id", "source": "src", "reference": "ref", "system": "model", "mt": "mt"}
ONE_JUDGE = renamed(rows(JUDGES[:1]), **FULL_NAMES, score="score")
WORDS = {1: "poor", 2: "fair", 3: "fine", 4: "good", 5: "great"}
COMET = [
    {"lp": "de-en", "src": SOURCES[n], "mt": TEXTS[system][n], "ref": REFERENCE[n], "score": SCORES[system][n][0] / 4}
    | {"raw": SCORES[system][n][0] * 20, "annotators": 2, "domain": "news"}
    for system in TEXTS
    for n in range(4)
]
COMET_JUDGED = {(n, "unnamed", "unnamed", "score", float(str(row["score"]))) for n, row in enumerate(COMET)}
COMET_SYSTEMS = {"unnamed": [str(row["mt"]) for row in COMET]}
TWICE = [*_scores(), {**_scores()[0], "score": 3}]
ONE = ("unnamed",)

FILES = [
    Everyday(
        "Excel: semicolons, byte order mark, capitals",
        "scores.csv",
        _plain(
            delimited(
                renamed(_scores(), segment="Segment", system="System", judge="Judge", score="Adequacy (1-5)"),
                ";",
                "\r\n",
            ),
            "utf-8-sig",
        ),
        judged("Adequacy"),
        beside_texts=True,
        says=["segment = 'Segment'", "criterion 'Adequacy' = column 'Adequacy (1-5)'"],
    ),
    Everyday(
        "Excel: Unicode text (UTF-16, tabs)",
        "unicode.txt",
        _plain(delimited(FULL, "\t", "\r\n"), "utf-16"),
        judged(),
        says=["is UTF-16, and was read as such"],
    ),
    Everyday(
        "Excel: empty columns at the end",
        "ends.csv",
        _plain(delimited(_scores(), ";").replace("\n", ";;\n")),
        judged(),
        beside_texts=True,
    ),
    Everyday(
        "decimal comma",
        "comma.csv",
        _plain(delimited(_scores(score=lambda system, segment, score: f"{score},5"), ";")),
        judged(change=lambda score: score + 0.5),
        beside_texts=True,
        refused="Where decimals have a comma, type --source-format",
    ),
    Everyday(
        "n/a and -",
        "na.csv",
        _plain(
            delimited(_scores(score=lambda system, n, score: {("A", 0): "n/a", ("B", 0): "-"}.get((system, n), score)))
        ),
        {one for one in judged() if one[:2] not in ((0, "A"), (0, "B"))},
        beside_texts=True,
        says=["has 4 missing scores, in lines 2, 3, 10, 11."],
    ),
    Everyday(
        "a word for missing scores",
        "skipped.csv",
        _plain(delimited(_scores(score=lambda system, n, score: "skipped" if (system, n) == ("A", 0) else score))),
        {one for one in judged() if one[:2] != (0, "A")},
        beside_texts=True,
        refused="Where it is a missing score, type --source-format",
    ),
    Everyday(
        "4 - good",
        "numbered.csv",
        _plain(delimited(_scores(score=lambda system, n, score: f"{score} - {WORDS[score]}"))),
        judged(),
        beside_texts=True,
        says=["has scores with words, which were read as numbers: '5 - great' as 5"],
    ),
    Everyday(
        "words for scores",
        "words.csv",
        _plain(delimited(_scores(score=lambda system, n, score: WORDS[score]))),
        judged(),
        beside_texts=True,
        refused="Where these words stand for numbers, type --source-format",
        edit={f"{word}=?": f"{word}={score}" for score, word in WORDS.items()},
    ),
    Everyday(
        "rows twice",
        "twice.csv",
        _plain(delimited(TWICE)),
        {one for one in judged() if one[:3] != (0, "A", "anna")} | {(0, "A", "anna", "score", 4.0)},  # of 5 and 3
        beside_texts=True,
        refused="judge 'anna' judged 'A', segment 1, on 'score' already in line 2",
    ),
    Everyday(
        "judges in columns, by number",
        "raters.csv",
        _plain(delimited(_wide({"rater1": 0, "rater2": 1}))),
        judged(judges=("rater1", "rater2")),
        says=["the scores of judges = 'rater1', 'rater2'"],
    ),
    Everyday(
        "judges in columns, by name",
        "people.csv",
        _plain(delimited(_wide({"Anna": 0, "Ben": 1}))),
        judged("Anna", ONE)
        | {(n, system, "unnamed", "Ben", float(SCORES[system][n][1])) for system in SCORES for n in range(4)},
        says=["if they are judges, type --source-format"],
    ),
    Everyday(
        "source, reference, system, translation and score in a row",
        "full.csv",
        _plain(delimited(renamed(FULL, **{**FULL_NAMES, "mt": "translation"}, judge="worker", score="rating"))),
        judged("rating"),
    ),
    Everyday(
        "the same in Excel",
        "full.xlsx",
        _sheets(Data=renamed(FULL, **FULL_NAMES, judge="Rater", score="Score")),
        judged("Score"),
    ),
    Everyday(
        "Excel with two sheets",
        "sheets.xlsx",
        _sheets(Readme=[{"Note": "scores are in the other sheet"}], Data=FULL),
        judged(),
        refused="Of the sheets 'Readme', 'Data', 'Readme' was read; --source-format",
    ),
    Everyday(
        "the same as Parquet",
        "full.parquet",
        lambda path: _frame(renamed(FULL, **FULL_NAMES, judge="annotator", score="score")).to_parquet(path),
        judged(),
    ),
    Everyday("the same as Feather", "full.feather", lambda path: _frame(FULL).to_feather(path), judged()),
    Everyday(
        "the same as JSON Lines",
        "full.jsonl",
        _plain("".join(json.dumps(row) + "\n" for row in renamed(FULL, **FULL_NAMES, judge="rater", score="score"))),
        judged(),
    ),
    Everyday(
        "COMET's DA data: no system, no segment",
        "da.csv",
        _plain(delimited(COMET)),
        COMET_JUDGED,
        systems=COMET_SYSTEMS,
        references={"reference": REFERENCE * 3},
        says=["each row is a segment of its own", "has columns that are not used: 'raw', 'annotators'"],
    ),
    Everyday(
        "no segment, but sources",
        "sources.csv",
        _plain(delimited(renamed(FULL, source="src", system="system", mt="mt", judge="judge", score="score"))),
        judged(),
        references={},
        says=["the rows of one source are one segment"],
    ),
    Everyday(
        "capitals and other names",
        "capitals.tsv",
        _plain(delimited(renamed(_scores(), segment="SegID", system="SysID", judge="Assessor", score="Fluency"), "\t")),
        judged("Fluency"),
        beside_texts=True,
    ),
    Everyday(
        "the names of LDC, with documents",
        "assessments.csv",
        _plain(
            delimited(
                [
                    {"docid": "d1", "segid": row["segment"], "sysid": row["system"], "assessor": row["judge"]}
                    | {"adequacy": row["score"], "src": row["source"], "ref": row["reference"], "hyp": row["mt"]}
                    for row in FULL
                ]
            )
        ),
        judged("adequacy"),
    ),
    Everyday(
        "WMT's segment scores: blanks between columns",
        "DA-seglevel.txt",
        _plain(
            "SYS SID RAW.SCR Z.SCR N\n"
            + "".join(
                f"{system}  {n + 1}   {SCORES[system][n][0] * 10} 0.25 1\n" for system in SCORES for n in range(4)
            )
        ),
        judged("RAW.SCR", ONE, lambda score: score * 10.0),
        beside_texts=True,
        says=["segment = 'SID'", "has columns that are not used: 'Z.SCR', 'N'"],
    ),
    Everyday(
        "lines counted from 0",
        "zero.csv",
        _plain(delimited([{"line": n, **row} for row in _scores() for n in [int(str(row.pop("segment"))) - 1]])),
        judged(),
        beside_texts=True,
        refused="If they are counted from 0, type --source-format",
    ),
    Everyday(
        "segments counted from 0",
        "zeros.csv",
        _plain(delimited(_scores(segment=lambda system, segment, score: segment))),
        judged(),
        beside_texts=True,
        refused="If they are counted from 0, type --source-format",
    ),
    Everyday(
        "quality estimation: no reference",
        "qe.tsv",
        _plain(
            delimited(
                renamed(FULL, segment="id", source="source", system="sys", mt="hyp", judge="rater", score="DA"), "\t"
            )
        ),
        judged("DA"),
        references={},
    ),
    Everyday(
        "several references",
        "two.csv",
        _plain(
            delimited(
                [
                    {**one, "ref1": one["ref"], "ref2": OTHER[int(str(one["seg_id"])) - 1], "ref": ""}
                    for one in ONE_JUDGE
                ]
            )
        ),
        judged(judges=ONE),
        references={"ref1": REFERENCE, "ref2": OTHER},
    ),
    Everyday(
        "line feeds inside cells",
        "paragraphs.csv",
        _plain(delimited([{**row, "mt": f"{row['mt']}\nand more"} for row in FULL])),
        judged(),
        systems={name: [f"{line}\nand more" for line in lines] for name, lines in TEXTS.items()},
    ),
    Everyday(
        "written by pandas, with its index",
        "index.csv",
        lambda path: _frame(ONE_JUDGE).to_csv(path),
        judged(judges=ONE),
    ),
    Everyday(
        "vertical bars, and what was judged in a column",
        "bars.txt",
        _plain(delimited([{**row, "Dimension": "fluency"} for row in FULL], "|")),
        judged("fluency"),
    ),
    Everyday(
        "two language pairs that count alike",
        "pairs.csv",
        _plain(delimited([*({"lp": "de-en", **row} for row in FULL), {"lp": "de-fr", **FULL[0], "mt": "le chien"}])),
        judged() | {(4, "A", "anna", "score", 5.0)},
        refused="Where each language pair counts its segments, type --source-format",
        systems={**{name: [*lines, None] for name, lines in TEXTS.items()}, "A": [*TEXTS["A"], "le chien"]},
        references={"reference": [*REFERENCE, REFERENCE[0]]},
        says=["has no output of 'B' for 1 of 5 segments"],
    ),
    Everyday(
        "two columns that may be the segment",
        "ambiguous.csv",
        _plain(delimited([{**row, "sid": 7} for row in ONE_JUDGE])),
        judged(judges=ONE),
        refused="may have the segment in the columns 'seg_id', 'sid'. Say which is meant: --source-format",
    ),
    Everyday(
        "Windows-1252",
        "windows.csv",
        _plain(delimited(FULL), "cp1252"),
        refused="iconv -f WINDOWS-1252 -t UTF-8 windows.csv > utf8-windows.csv",
        ends=True,
    ),
    Everyday(
        "scores without texts",
        "alone.csv",
        _plain(delimited(_scores())),
        refused="holds no texts of systems. Name the texts beside the judgments, as in `metaeval corpus convert TEXTS",
        ends=True,
    ),
    Everyday(
        "100,000 columns",
        "broad.tsv",
        lambda path: path.write_text(
            "\t".join(f"c{n}" for n in range(100_000)) + "\n" + "\t".join(["1"] * 100_000) + "\n"
        ),
        refused="broad.tsv:1: has 100000 columns; a table has at most 2000.",
        ends=True,
    ),
    Everyday(
        "200,000 ragged rows",
        "ragged.csv",
        lambda path: path.write_text(
            "segment,system,text\n" + "".join("1" + ",A" * (n % 7) + "\n" for n in range(200_000))
        ),
        refused="ragged.csv:2: must have 3 columns, as the first line, 'segment', 'system', 'text'; got 1. (171428 "
        "lines in all, of 1 to 7 columns)",
        ends=True,
    ),
    Everyday(
        "JSON whose objects have keys of their own",
        "keys.jsonl",
        lambda path: path.write_text("".join(json.dumps({f"k{n}": 1}) + "\n" for n in range(5_000))),
        refused="keys.jsonl:2001: has 2001 columns; a table has at most 2000.",
        ends=True,
    ),
]
