"""Writes files as people have them: exports of the tools in which outputs of systems are judged.

``make(directory)`` writes all of them and returns what is in each. `README.md` beside this file lists them.
"""

from __future__ import annotations

import csv
import hashlib
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

from tests.corpora.strangers.content import (
    JUDGES,
    REFERENCES,
    SCALES,
    SEGMENTS,
    SOURCES,
    SYSTEMS,
    Comparison,
    Rating,
    Span,
    Truth,
    adequacy,
    comparisons,
    fluency,
    items,
    mean_points,
    output,
    points,
    preference,
    ratings,
    reference,
    source,
)
from tests.corpora.strangers.write import (
    new_workbook,
    write_csv,
    write_json,
    write_json_lines,
    write_ods,
    write_text,
)


@dataclass(frozen=True)
class SampleFile:
    """A file, or a folder of files, that some tool or person wrote.

    `write` writes it to a path and returns what is in it.
    """

    name: str
    tool: str
    documentation: str
    special: str
    write: Callable[[Path], Truth]


FILES: list[SampleFile] = []


def make(directory: Path) -> dict[str, Truth]:
    """Write all files into a directory, and return what is in each by its name."""
    return {file.name: file.write(directory / file.name) for file in FILES}


def sample(
    name: str, tool: str, special: str, documentation: str = ""
) -> Callable[[Callable[[Path], Truth]], Callable[[Path], Truth]]:
    """List the function that follows among `FILES`."""

    def listed(write: Callable[[Path], Truth]) -> Callable[[Path], Truth]:
        FILES.append(SampleFile(name, tool, documentation, special, write))
        return write

    return listed


def scores_of_both(segment: int, system: str) -> Iterator[tuple[str, str, int]]:
    """Yield judge, criterion and score: adequacy and fluency by both judges."""
    return ((judge, name, scale(segment, system, judge)) for judge in JUDGES for name, scale in SCALES.items())


def both_scales(**judges: str) -> tuple[Rating, ...]:
    """Return the ratings of adequacy and of fluency; `judges` are their names in the file."""
    return (*ratings("adequacy", adequacy, judges or None), *ratings("fluency", fluency, judges or None))


def errors(segment: int, system: str, judge: str) -> list[tuple[int, int]]:
    """Return where a judge marked an error: the first word of texts with fewer than 60 points."""
    return [(0, output(segment, system).index(" "))] if points(segment, system, judge) < 60 else []


def error_spans(label: str, **judges: str) -> tuple[Span, ...]:
    return tuple(
        Span(segment, system, name, start, end, label)
        for segment, system in items()
        for judge, name in judges.items()
        for start, end in errors(segment, system, judge)
    )


def number_of(*words: object) -> int:
    """Return an identifier such as tools give: many digits, the same in every run."""
    return int(hashlib.sha256(repr(words).encode()).hexdigest()[:8], 16)


def uuid_of(*words: object) -> str:
    digits = hashlib.sha256(repr(words).encode()).hexdigest()
    return "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:32]))


# Tables that somebody typed or a script of theirs wrote.


@sample(
    "01_german.csv",
    "Excel, German",
    "byte order mark, semicolons, decimal commas, German column names, CRLF; one judge, not named",
)
def german(path: Path) -> Truth:
    rows: list[tuple[object, ...]] = [("Segment", "System", "Übersetzung", "Referenz", "Quelle", "Bewertung")]
    rows += [
        (segment, system, output(segment, system), reference(segment), source(segment),
         f"{points(segment, system) / 20:.2f}".replace(".", ","))
        for segment, system in items()
    ]  # fmt: skip
    write_csv(path, rows, delimiter=";", line_end="\r\n", encoding="utf-8-sig")
    score = ratings("Bewertung", lambda *item: points(*item) / 20, {"anna": "anna"})
    return Truth(score, missing=("judge",))


@sample(
    "02_wide_systems.csv",
    "own script",
    "a row a segment; for each system a column of texts and a column of scores; one judge, not named",
)
def wide_systems(path: Path) -> Truth:
    columns = [name for system in SYSTEMS for name in (system, f"{system}_score")]
    rows: list[list[object]] = [["id", "source", "reference", *columns]]
    for segment in SEGMENTS:
        cells = [cell for system in SYSTEMS for cell in (output(segment, system), points(segment, system))]
        rows.append([segment, source(segment), reference(segment), *cells])
    write_csv(path, rows)
    return Truth(ratings("score", points, {"anna": "anna"}), missing=("judge",))


@sample("03_score_matrix.csv", "own script", "scores alone: a row a segment, a column a system")
def score_matrix(path: Path) -> Truth:
    rows: list[list[object]] = [["segment", *SYSTEMS]]
    rows += [[segment, *(points(segment, system) for system in SYSTEMS)] for segment in SEGMENTS]
    write_csv(path, rows)
    missing = ("judge", "criterion", "source", "reference", "output")
    return Truth(ratings("score", points, {"anna": "anna"}), missing=missing)


@sample(
    "04_llm_judge.json", "own script", "a list of objects; the score of an automatic judge, with its reason, is nested"
)
def llm_judge(path: Path) -> Truth:
    rows = [
        {
            "id": f"seg{segment}",
            "model": system,
            "source": source(segment),
            "response": output(segment, system),
            "reference": reference(segment),
            "judge": "gpt-5-2026",
            "evaluation": {"score": adequacy(segment, system), "explanation": "Mostly right,\nbut see the first word."},
        }
        for segment, system in items()
    ]
    write_json(path, rows, indent=1)
    return Truth(ratings("score", adequacy, {"anna": "gpt-5-2026"}))


@sample("05_llm_judge.jsonl", "own script", "an object `scores` with a key for each criterion")
def llm_judge_criteria(path: Path) -> Truth:
    rows = [
        {
            "segment_id": segment,
            "system": system,
            "hypothesis": output(segment, system),
            "reference": reference(segment),
            "annotator": "claude-opus-5",
            "scores": {name: scale(segment, system, "anna") for name, scale in SCALES.items()},
        }
        for segment, system in items()
    ]
    write_json_lines(path, rows)
    return Truth(both_scales(anna="claude-opus-5"), missing=("source",))


@sample("06_arena.jsonl", "own script", "preferences: two models, their responses and a winner, or tie")
def arena(path: Path) -> Truth:
    names = {"anna": "u0", "ben": "u1"}
    rows = [
        {
            "prompt_id": segment,
            "prompt": source(segment),
            "model_a": first,
            "model_b": second,
            "response_a": output(segment, first),
            "response_b": output(segment, second),
            "winner": {"first": "model_a", "second": "model_b", "tie": "tie"}[
                preference(segment, first, second, judge)
            ],
            "judge": name,
        }
        for segment in SEGMENTS
        for first, second in combinations(SYSTEMS, 2)
        for judge, name in names.items()
    ]
    write_json_lines(path, rows)
    return Truth(comparisons=comparisons(names), missing=("reference",))


# Sheets, folders, and other tables of people.


@sample(
    "12_merged_header.xlsx",
    "Excel",
    "a title above a header of two rows with merged cells, a column for each judge and criterion, one cell `n/a`, "
    "a last row of means",
)
def merged_header(path: Path) -> Truth:
    workbook = new_workbook(path)
    sheet = workbook.add_worksheet("Ratings")
    sheet.merge_range(0, 0, 0, 7, "MT evaluation campaign, spring 2026")
    sheet.write_row(1, 0, ["Segment", "Source", "System", "Output"])
    for place, judge in enumerate(("Annotator 1", "Annotator 2")):
        sheet.merge_range(1, 4 + 2 * place, 1, 5 + 2 * place, judge)
    sheet.write_row(2, 4, ["Adequacy", "Fluency"] * 2)
    names = {"anna": "Annotator 1", "ben": "Annotator 2"}
    found = []
    row = 3
    for segment, system in items():
        sheet.write_row(row, 0, [segment, source(segment), system, output(segment, system)])
        for column, (judge, name, score) in enumerate(scores_of_both(segment, system), start=4):
            if (segment, system, judge, name) == (4, "opus-mt", "ben", "fluency"):
                sheet.write(row, column, "n/a")
                continue
            sheet.write(row, column, score)
            found.append(Rating(segment, system, names[judge], name.capitalize(), score))
        row += 1
    sheet.write(row, 0, "Mean")
    for column in "EFGH":
        scores = [one.score for one in found if (one.judge, one.criterion) == _judge_and_criterion(column)]
        sheet.write_formula(f"{column}{row + 1}", f"=AVERAGE({column}4:{column}{row})", None, sum(scores) / len(scores))
    workbook.close()
    return Truth(tuple(found), missing=("reference",))


def _judge_and_criterion(column: str) -> tuple[str, str]:
    return {
        "E": ("Annotator 1", "Adequacy"),
        "F": ("Annotator 1", "Fluency"),
        "G": ("Annotator 2", "Adequacy"),
        "H": ("Annotator 2", "Fluency"),
    }[column]


@sample("13_sheet_per_system.xlsx", "Excel", "a sheet a system, which no column names; one judge, not named")
def sheet_per_system(path: Path) -> Truth:
    workbook = new_workbook(path)
    for system in SYSTEMS:
        sheet = workbook.add_worksheet(system)
        sheet.write_row(0, 0, ["id", "source", "translation", "reference", "score (0-100)"])
        for segment in SEGMENTS:
            cells = [source(segment), output(segment, system), reference(segment), points(segment, system)]
            sheet.write_row(segment, 0, [segment, *cells])
    workbook.close()
    return Truth(ratings("score (0-100)", points, {"anna": "anna"}), missing=("judge",))


@sample("14_cp1252.csv", "Excel, saved as CSV", "Windows-1252, CRLF, texts with quotation marks and line ends")
def windows_encoding(path: Path) -> Truth:
    rows: list[tuple[object, ...]] = [("seg", "sys", "mt", "ref", "DA")]
    rows += [
        (segment, system, f"{output(segment, system)}\nThe “naïve” café.", f"{reference(segment)}\nThe café.",
         points(segment, system))
        for segment, system in items()
    ]  # fmt: skip
    write_csv(path, rows, line_end="\r\n", encoding="cp1252")
    return Truth(ratings("DA", points, {"anna": "anna"}), missing=("judge", "source"))


@sample(
    "15_folder",
    "own folder",
    "a file of lines for each system in `outputs/`, `src.txt`, `ref.txt` (CRLF), and a table of ratings without texts",
)
def folder(path: Path) -> Truth:
    def lines(name: str, texts: list[str]) -> None:
        write_text(path / name, "".join(f"{text}\r\n" for text in texts))

    lines("src.txt", [*SOURCES])
    lines("ref.txt", [*REFERENCES])
    for system in SYSTEMS:
        lines(f"outputs/{system}.de-en.txt", [output(segment, system) for segment in SEGMENTS])
    rows: list[tuple[object, ...]] = [("line", "system", "rater", "adequacy")]
    rows += [
        (segment, system, judge, adequacy(segment, system, judge)) for segment, system in items() for judge in JUDGES
    ]
    write_csv(path / "ratings.csv", rows)
    return Truth(ratings("adequacy"))


@sample(
    "16_hf_lists.jsonl",
    "Hugging Face datasets, as SummEval there",
    "a row a segment; outputs and mean scores are lists over systems, which have no names; `text` is the source",
    "https://huggingface.co/datasets/mteb/summeval",
)
def hugging_face_lists(path: Path) -> Truth:
    names = {"adequacy": "relevance", "fluency": "fluency"}
    rows = [
        {
            "id": f"d{segment}",
            "text": source(segment),
            "human_summaries": [reference(segment), reference(segment).lower()],
            "machine_summaries": [output(segment, system) for system in SYSTEMS],
            **{
                names[name]: [
                    sum(scale(segment, system, judge) for judge in JUDGES) / len(JUDGES) for system in SYSTEMS
                ]
                for name, scale in SCALES.items()
            },
        }
        for segment in SEGMENTS
    ]
    write_json_lines(path, rows)
    found = tuple(
        Rating(
            segment, system, "mean", names[name], sum(scale(segment, system, judge) for judge in JUDGES) / len(JUDGES)
        )
        for segment, system in items()
        for name, scale in SCALES.items()
    )
    return Truth(found, missing=("system", "judge"))


@sample("17_by_system.json", "own script", "objects by system and then by segment; one judge, not named")
def by_system(path: Path) -> Truth:
    rows = {
        system: {
            str(segment): {"output": output(segment, system), "human": points(segment, system)} for segment in SEGMENTS
        }
        for system in SYSTEMS
    }
    write_json(path, rows)
    return Truth(ratings("human", points, {"anna": "anna"}), missing=("judge", "source", "reference"))


@sample(
    "39_sheet_per_judge.ods",
    "LibreOffice Calc",
    "a sheet a judge, which no column names",
    "https://docs.oasis-open.org/office/OpenDocument/v1.3/",
)
def sheet_per_judge(path: Path) -> Truth:
    header = ("Segment", "Source", "System", "Translation", "Adequacy", "Fluency")
    sheets = {
        judge: [
            header,
            *(
                (segment, source(segment), system, output(segment, system),
                 adequacy(segment, system, judge), fluency(segment, system, judge))
                for segment, system in items()
            ),
        ]
        for judge in JUDGES
    }  # fmt: skip
    write_ods(path, sheets)
    return Truth((*ratings("Adequacy"), *ratings("Fluency", fluency)), missing=("reference",))


# Tools of annotation.


def _label_studio_results(segment: int, system: str, judge: str) -> list[dict[str, object]]:
    """Return what an annotator did, as Label Studio stores it."""
    results: list[dict[str, object]] = [
        {
            "id": uuid_of(segment, system, judge, name)[:10],
            "type": "rating",
            "from_name": name,
            "to_name": "mt",
            "origin": "manual",
            "value": {"rating": scale(segment, system, judge)},
        }
        for name, scale in SCALES.items()
    ]
    results += [
        {
            "id": uuid_of(segment, system, judge, start)[:10],
            "type": "labels",
            "from_name": "errors",
            "to_name": "mt",
            "origin": "manual",
            "value": {"start": start, "end": end, "text": output(segment, system)[start:end], "labels": ["major"]},
        }
        for start, end in errors(segment, system, judge)
    ]
    return results


LABEL_STUDIO = {"anna": "7", "ben": "9"}
LABEL_STUDIO_TIMES = {"created_at": "2026-03-02T09:15:22.120451Z", "updated_at": "2026-03-02T09:15:22.120479Z"}


def _label_studio_data(segment: int, system: str) -> dict[str, object]:
    return {"segment": segment, "source": source(segment), "mt": output(segment, system), "system": system}


def _label_studio_task(segment: int, system: str) -> int:
    return 100 + len(SYSTEMS) * segment + SYSTEMS.index(system)


@sample(
    "08_label_studio.json",
    "Label Studio, JSON",
    "tasks with annotations of several people; ratings and marked errors are results of an annotation",
    "https://labelstud.io/guide/task_format.html",
)
def label_studio(path: Path) -> Truth:
    tasks = [
        {
            "id": _label_studio_task(segment, system),
            "annotations": [
                {
                    "id": number_of(segment, system, judge) % 10**6,
                    "completed_by": int(name),
                    "result": _label_studio_results(segment, system, judge),
                    "was_cancelled": False,
                    "ground_truth": False,
                    **LABEL_STUDIO_TIMES,
                    "lead_time": 12.304,
                    "task": _label_studio_task(segment, system),
                }
                for judge, name in LABEL_STUDIO.items()
            ],
            "predictions": [],
            "data": _label_studio_data(segment, system),
            "meta": {},
            **LABEL_STUDIO_TIMES,
            "project": 3,
        }
        for segment, system in items()
    ]
    write_json(path, tasks)
    return Truth(both_scales(**LABEL_STUDIO), spans=error_spans("major", **LABEL_STUDIO), missing=("reference",))


def _label_studio_rows() -> Iterator[dict[str, object]]:
    """Yield a row an annotation, with its results by the name of their control."""
    for segment, system in items():
        for judge, name in LABEL_STUDIO.items():
            controls: dict[str, list[object]] = {}
            for result in _label_studio_results(segment, system, judge):
                controls.setdefault(str(result["from_name"]), []).append(result["value"])
            yield {
                **_label_studio_data(segment, system),
                "id": _label_studio_task(segment, system),
                **controls,
                "annotator": int(name),
                "annotation_id": number_of(segment, system, judge) % 10**6,
                **LABEL_STUDIO_TIMES,
                "lead_time": 12.304,
            }


@sample(
    "09_label_studio.csv",
    "Label Studio, CSV",
    'a row an annotation; a rating is JSON in a cell, `[{"rating":4}]`; columns in order of the alphabet',
    "https://github.com/HumanSignal/label-studio-sdk/blob/master/src/label_studio_sdk/converter/exports/csv2.py",
)
def label_studio_csv(path: Path) -> Truth:
    rows = [*_label_studio_rows()]
    columns = sorted({name for row in rows for name in row})

    def cell(value: object) -> object:
        return json.dumps(value, separators=(",", ":")) if isinstance(value, list) else value

    table: list[list[object]] = [[*columns], *([cell(row.get(name, "")) for name in columns] for row in rows)]
    write_csv(path, table, line_end="\r\n", quoting=csv.QUOTE_NONNUMERIC)
    return Truth(both_scales(**LABEL_STUDIO), spans=error_spans("major", **LABEL_STUDIO), missing=("reference",))


@sample(
    "21_label_studio_min.json",
    "Label Studio, JSON-MIN",
    "a list of flat objects, one an annotation; a rating is a list of one object",
    "https://github.com/HumanSignal/label-studio-sdk/blob/master/src/label_studio_sdk/converter/converter.py",
)
def label_studio_min(path: Path) -> Truth:
    write_json(path, [*_label_studio_rows()], indent=2)
    return Truth(both_scales(**LABEL_STUDIO), spans=error_spans("major", **LABEL_STUDIO), missing=("reference",))


@sample(
    "10_potato.tsv",
    "Potato before version 2, annotated_instances.tsv",
    "a column for each scale point, `adequacy:::4`, filled where it was chosen; the system is in the identifier alone",
    "https://github.com/davidjurgens/potato",
)
def potato(path: Path) -> Truth:
    columns = [f"{name}:::{score}" for name in SCALES for score in range(1, 6)]
    rows: list[list[object]] = [["user", "instance_id", "displayed_text", *columns]]
    for judge in JUDGES:
        for segment, system in items():
            chosen = {f"{name}:::{scale(segment, system, judge)}" for name, scale in SCALES.items()}
            cells = [column.partition(":::")[2] if column in chosen else "" for column in columns]
            rows.append([judge, f"{system}__{segment}", output(segment, system), *cells])
    write_csv(path, rows, delimiter="\t")
    return Truth(both_scales(), missing=("source", "reference"))


@sample(
    "10b_potato.jsonl",
    "Potato before version 2, annotated_instances.jsonl",
    'a choice is a key, `{"adequacy": {"4": "true"}}`; who chose is not said; the system is in the identifier alone',
    "https://github.com/davidjurgens/potato",
)
def potato_json_lines(path: Path) -> Truth:
    rows = [
        {
            "id": f"{system}__{segment}",
            "displayed_text": output(segment, system),
            "label_annotations": {name: {str(scale(segment, system, judge)): "true"} for name, scale in SCALES.items()},
            "span_annotations": [],
            "behavioral_data": {"time_string": "Time spent: 0d 0h 0m 13s "},
        }
        for judge in JUDGES
        for segment, system in items()
    ]
    write_json_lines(path, rows)
    return Truth(both_scales(), missing=("judge", "source", "reference"))


@sample(
    "10c_potato_2.jsonl",
    "Potato 2, exports/jsonl/annotations.jsonl",
    'a choice is a key, `{"adequacy": {"4": "4"}}`; texts are in another file; the system is in the identifier alone',
    "https://github.com/davidjurgens/potato/blob/master/potato/export/tabular_exporter.py",
)
def potato_2(path: Path) -> Truth:
    rows = [
        {
            "instance_id": f"{system}__{segment}",
            "user_id": judge,
            "labels": {
                name: {str(scale(segment, system, judge)): str(scale(segment, system, judge))}
                for name, scale in SCALES.items()
            },
            "spans": {},
            "links": {},
        }
        for judge in JUDGES
        for segment, system in items()
    ]
    write_json_lines(path, rows)
    return Truth(both_scales(), missing=("source", "reference", "output"))


@sample(
    "18_doccano.jsonl",
    "Doccano, sequence labelling",
    "marked errors `[start, end, label]` alone, no ratings; who marked is not said",
    "https://github.com/doccano/doccano/tree/master/backend/data_export/pipeline",
)
def doccano(path: Path) -> Truth:
    rows = [
        {
            "id": number,
            "text": output(segment, system),
            "segment": segment,
            "source": source(segment),
            "system": system,
            "label": [[start, end, "Major/Accuracy"] for start, end in errors(segment, system, "anna")],
            "Comments": [],
        }
        for number, (segment, system) in enumerate(items(), start=1)
    ]
    write_json_lines(path, rows)
    return Truth(spans=error_spans("Major/Accuracy", anna="anna"), missing=("judge", "criterion", "reference"))


@sample(
    "22_argilla.jsonl",
    "Argilla, to a Hugging Face dataset",
    "`adequacy.responses` is a list beside `….users` and `….status`; a suggestion of a model and a discarded draft are "
    "no ratings of people",
    "https://github.com/argilla-io/argilla/blob/develop/argilla/src/argilla/records/_io/_generic.py",
)
def argilla(path: Path) -> Truth:
    users = {judge: uuid_of("argilla", judge) for judge in JUDGES}
    dropped = (3, "gpt-5", "ben")  # discarded by the annotator
    rows = []
    for segment, system in items():
        row: dict[str, object] = {
            "id": uuid_of("record", segment, system),
            "status": "completed",
            "_server_id": uuid_of("server", segment, system),
            "source": source(segment),
            "translation": output(segment, system),
            "segment": segment,
            "system": system,
        }
        for name, scale in SCALES.items():
            row[f"{name}.responses"] = [scale(segment, system, judge) for judge in JUDGES]
            row[f"{name}.responses.users"] = [*users.values()]
            row[f"{name}.responses.status"] = [
                "discarded" if (segment, system, judge) == dropped else "submitted" for judge in JUDGES
            ]
        row |= {"adequacy.suggestion": 3, "adequacy.suggestion.score": None, "adequacy.suggestion.agent": "gpt-4o"}
        rows.append(row)
    write_json_lines(path, rows)
    found = tuple(
        one for one in both_scales(**users) if (one.segment, one.system, one.judge) != (3, "gpt-5", users["ben"])
    )
    return Truth(found, missing=("reference",))


@sample(
    "23_prodigy.jsonl",
    "Prodigy, db-out of a choice task",
    "the rating is the one element of `accept`; system and segment are in `meta`; one task was ignored",
    "https://prodi.gy/docs/api-interfaces",
)
def prodigy(path: Path) -> Truth:
    ignored = (5, "opus-mt", "ben")
    rows = []
    for judge in JUDGES:
        for segment, system in items():
            skipped = (segment, system, judge) == ignored
            rows.append(
                {
                    "text": output(segment, system),
                    "meta": {"segment": segment, "system": system, "source": source(segment)},
                    "options": [{"id": score, "text": f"{score}"} for score in range(1, 6)],
                    "_input_hash": number_of("input", segment, system) - 2**31,
                    "_task_hash": number_of("task", segment, system) - 2**31,
                    "_view_id": "choice",
                    "config": {"choice_style": "single"},
                    "accept": [] if skipped else [adequacy(segment, system, judge)],
                    "answer": "ignore" if skipped else "accept",
                    "_timestamp": 1772442922 + 13 * len(rows),
                    "_annotator_id": f"mt_adequacy-{judge}",
                    "_session_id": f"mt_adequacy-{judge}",
                }
            )
    write_json_lines(path, rows)
    named = {judge: f"mt_adequacy-{judge}" for judge in JUDGES}
    found = ratings("accept", adequacy, named)
    kept = tuple(one for one in found if (one.segment, one.system, one.judge) != (5, "opus-mt", named["ben"]))
    return Truth(kept, missing=("criterion", "reference"))


MTURK_COLUMNS = (
    "HITId", "HITTypeId", "Title", "Description", "Keywords", "Reward", "CreationTime", "MaxAssignments",
    "RequesterAnnotation", "AssignmentDurationInSeconds", "AutoApprovalDelayInSeconds", "Expiration",
    "NumberOfSimilarHITs", "LifetimeInSeconds", "AssignmentId", "WorkerId", "AssignmentStatus", "AcceptTime",
    "SubmitTime", "AutoApprovalTime", "ApprovalTime", "RejectionTime", "RequesterFeedback", "WorkTimeInSeconds",
    "LifetimeApprovalRate", "Last30DaysApprovalRate", "Last7DaysApprovalRate",
)  # fmt: skip


@sample(
    "24_mturk.csv",
    "Amazon Mechanical Turk, batch results",
    'all answers are JSON in the cell `Answer.taskAnswers`, a choice as `{"1":false, …, "4":true}`; one assignment was '
    "rejected",
    "https://docs.aws.amazon.com/AWSMechTurk/latest/AWSMturkAPI/ApiReference_HTMLCustomElementsArticle.html",
)
def mturk(path: Path) -> Truth:
    workers = {"anna": "A1B2C3D4E5F6G7", "ben": "A7G6F5E4D3C2B1"}
    rejected = (8, "nllb-3.3b", "ben")
    inputs = ("Input.segment", "Input.system", "Input.source", "Input.translation")
    rows: list[list[object]] = [[*MTURK_COLUMNS, *inputs, "Answer.taskAnswers", "Approve", "Reject"]]
    for segment, system in items():
        for judge, worker in workers.items():
            is_rejected = (segment, system, judge) == rejected
            choice = adequacy(segment, system, judge)
            answer = {
                "adequacy": {str(score): score == choice for score in range(1, 6)},
                "comment": "",
                "fluency": fluency(segment, system, judge),
            }
            facts: dict[str, object] = {
                "HITId": f"3{number_of('hit', segment, system):026d}",
                "HITTypeId": "3NNZ4F9TMJN1Z0XGV1L2X5QJVYK2TQ",
                "Title": "Rate a translation",
                "Description": "Read a sentence and rate its translation",
                "Keywords": "translation, rating",
                "Reward": "$0.12",
                "CreationTime": "Mon Mar 02 09:15:22 PST 2026",
                "MaxAssignments": 2,
                "RequesterAnnotation": "BatchId:412345;OriginalHitTemplateId:920937337;",
                "AssignmentDurationInSeconds": 3600,
                "AutoApprovalDelayInSeconds": 259200,
                "Expiration": "Mon Mar 09 09:15:22 PST 2026",
                "LifetimeInSeconds": "",
                "AssignmentId": f"3{number_of('assignment', segment, system, judge):029d}",
                "WorkerId": worker,
                "AssignmentStatus": "Rejected" if is_rejected else "Approved",
                "AcceptTime": "Mon Mar 02 10:00:01 PST 2026",
                "SubmitTime": "Mon Mar 02 10:00:41 PST 2026",
                "WorkTimeInSeconds": 40,
                "LifetimeApprovalRate": "98% (63/64)",
                "Last30DaysApprovalRate": "98% (63/64)",
                "Last7DaysApprovalRate": "98% (63/64)",
            }
            known = [facts.get(name, "") for name in MTURK_COLUMNS]
            task = [segment, system, source(segment), output(segment, system)]
            rows.append([*known, *task, json.dumps([answer], separators=(",", ":")), "", ""])
    write_csv(path, rows, line_end="\n", quoting=csv.QUOTE_ALL)
    named = (8, "nllb-3.3b", workers["ben"])
    found = tuple(one for one in both_scales(**workers) if (one.segment, one.system, one.judge) != named)
    return Truth(found, missing=("reference",))


@sample(
    "25_toloka.tsv",
    "Toloka",
    "columns with prefixes, `INPUT:mt`, `OUTPUT:adequacy`, `GOLDEN:adequacy`; two rows are control tasks, of no system",
    "https://github.com/Toloka/docs/blob/main/en/guide/concepts/result-of-eval.md",
)
def toloka(path: Path) -> Truth:
    workers = {judge: uuid_of("toloka", judge).replace("-", "") for judge in JUDGES}
    rows: list[tuple[object, ...]] = [
        (
            "INPUT:segment", "INPUT:system", "INPUT:source", "INPUT:mt", "OUTPUT:adequacy", "OUTPUT:fluency",
            "GOLDEN:adequacy", "HINT:text", "ASSIGNMENT:link", "ASSIGNMENT:assignment_id", "ASSIGNMENT:worker_id",
            "ASSIGNMENT:status", "ASSIGNMENT:started",
        )
    ]  # fmt: skip
    for judge, worker in workers.items():
        for segment, system in items():
            assignment = f"{number_of('suite', segment, judge):010x}"
            rows.append(
                (segment, system, source(segment), output(segment, system), adequacy(segment, system, judge),
                 fluency(segment, system, judge), "", "", f"https://platform.toloka.ai/task/1/{assignment}", assignment,
                 worker, "APPROVED", "2026-03-02T09:15:22.120")
            )  # fmt: skip
        rows.append(
            ("", "", "Guten Morgen!", "Banana.", 1, 1, 1, "", "https://platform.toloka.ai/task/1/c", "c", worker,
             "APPROVED", "2026-03-02T09:15:22.120")
        )  # fmt: skip
    write_csv(path, rows, delimiter="\t")
    return Truth(both_scales(**workers), missing=("reference",))


@sample(
    "26_appen.csv",
    "Appen (Figure Eight), aggregated report",
    "one row an item: the most frequent answer with `:confidence`, or a mean with `:variance`; gold columns are empty",
    "https://success.figure-eight.com/hc/en-us/articles/202703075-Get-Results-Guide-to-Reports-Page-and-Settings-Page",
)
def appen(path: Path) -> Truth:
    rows: list[tuple[object, ...]] = [
        (
            "_unit_id", "_golden", "_unit_state", "_trusted_judgments", "_last_judgment_at", "adequacy",
            "adequacy:confidence", "fluency", "fluency:variance", "adequacy_gold", "fluency_gold", "segment", "source",
            "system", "translation",
        )
    ]  # fmt: skip
    found = []
    for segment, system in items():
        best = adequacy(segment, system, "anna")
        confidence = 1.0 if best == adequacy(segment, system, "ben") else 0.5122
        both = [fluency(segment, system, judge) for judge in JUDGES]
        mean = sum(both) / 2
        variance = (both[0] - both[1]) ** 2 / 4
        rows.append(
            (2500000000 + number_of(segment, system) % 10**6, "false", "finalized", 2, "3/2/2026 09:15:22", best,
             confidence, mean, variance, "", "", segment, source(segment), system, output(segment, system))
        )  # fmt: skip
        found += [
            Rating(segment, system, "aggregated", "adequacy", best),
            Rating(segment, system, "aggregated", "fluency", mean),
        ]
    write_csv(path, rows)
    return Truth(tuple(found), missing=("judge", "reference"))


@sample(
    "27_sagemaker.manifest",
    "Amazon SageMaker Ground Truth, output manifest",
    "JSON Lines named .manifest; `source` is the text that was judged; the label is the place of a class, from 0, and "
    "its name is the rating",
    "https://docs.aws.amazon.com/sagemaker/latest/dg/sms-data-output.html",
)
def sagemaker(path: Path) -> Truth:
    rows = [
        {
            "source": output(segment, system),
            "segment": segment,
            "system": system,
            "adequacy": adequacy(segment, system) - 1,
            "adequacy-metadata": {
                "class-name": str(adequacy(segment, system)),
                "job-name": "labeling-job/mt-adequacy",
                "confidence": 0.93 if adequacy(segment, system) == adequacy(segment, system, "ben") else 0.51,
                "type": "groundtruth/text-classification",
                "human-annotated": "yes",
                "creation-date": "2026-03-02T09:15:22.120451",
            },
        }
        for segment, system in items()
    ]
    write_json_lines(path, rows)
    return Truth(ratings("adequacy", adequacy, {"anna": "consolidated"}), missing=("judge", "source", "reference"))


# Surveys: a row a participant.


QUALTRICS = (
    "https://www.qualtrics.com/support/survey-platform/data-and-analysis-module/data/download-data/"
    "understanding-your-dataset/"
)


def _write_qualtrics(path: Path, answer: Callable[[int], object], preview: object, sent: object, done: object) -> Truth:
    """Write what three people answered, of whom the first is the author who looks at the survey."""
    facts = {
        "StartDate": "Start Date", "EndDate": "End Date", "Status": "Response Type", "Progress": "Progress",
        "Duration (in seconds)": "Duration (in seconds)", "Finished": "Finished", "RecordedDate": "Recorded Date",
        "ResponseId": "Response ID", "DistributionChannel": "Distribution Channel", "UserLanguage": "User Language",
        "PROLIFIC_PID": "PROLIFIC_PID",
    }  # fmt: skip
    codes = [f"Q{segment + 1}_{1 + SYSTEMS.index(system)}" for segment, system in items()]
    questions = [f"How good are these translations of: {source(segment)} - {system}" for segment, system in items()]
    participants = {"anna": "5f1c0a7be2d94c0001a3b2c1", "ben": "60d2e8f1a4b35d0002c4d3e2"}
    rows: list[list[object]] = [
        [*facts, *codes],
        [*facts.values(), *questions],
        [
            *(json.dumps({"ImportId": name}) for name in facts),
            *(json.dumps({"ImportId": f"QID{code[1:]}"}) for code in codes),
        ],
    ]
    for status, judge, participant in ((preview, "anna", ""), *((sent, *one) for one in participants.items())):
        known = [
            "2026-03-02 09:15:22", "2026-03-02 09:31:40", status, 100, 978, done, "2026-03-02 09:31:41",
            f"R_{uuid_of(status, judge)[:15].replace('-', '')}", "anonymous", "EN", participant,
        ]  # fmt: skip
        rows.append([*known, *(answer(adequacy(segment, system, judge)) for segment, system in items())])
    write_csv(path, rows)
    found = ratings("How good are these translations of", adequacy, participants)
    return Truth(found, missing=("reference", "output"))


@sample(
    "07_qualtrics.csv",
    "Qualtrics, with participants of Prolific",
    "three header rows: code, question with the system, JSON; a row a participant, a column an item; one row is a "
    "preview by the author",
    QUALTRICS,
)
def qualtrics(path: Path) -> Truth:
    return _write_qualtrics(path, lambda score: score, preview=1, sent=0, done=1)


@sample(
    "07b_qualtrics_text.csv",
    "Qualtrics, choice text",
    "as the one before, with the words of the answers, `Very bad` to `Very good`, in place of numbers",
    QUALTRICS,
)
def qualtrics_text(path: Path) -> Truth:
    words = ("Very bad", "Bad", "Fair", "Good", "Very good")
    return _write_qualtrics(
        path, lambda score: words[score - 1], preview="Survey Preview", sent="IP Address", done="True"
    )


@sample(
    "28_limesurvey.csv",
    "LimeSurvey, question codes and answer codes",
    "`adequacy1[SQ002]` is segment 1, second system, which is not named; answers are codes, `A4`; one survey was not "
    "finished",
    "https://www.limesurvey.org/manual/Exporting_results",
)
def limesurvey(path: Path) -> Truth:
    codes = [f"adequacy{segment}[SQ00{1 + SYSTEMS.index(system)}]" for segment, system in items()]
    rows: list[list[object]] = [["id", "submitdate", "lastpage", "startlanguage", "seed", "token", *codes]]
    for number, judge in enumerate(JUDGES, start=1):
        answers = [f"A{adequacy(segment, system, judge)}" for segment, system in items()]
        rows.append([number, "2026-03-02 09:31:40", 8, "en", number_of(judge), judge, *answers])
    rows.append([3, "", 1, "en", number_of("carl"), "carl", "A3", "A3", "A3", "A3", *[""] * (len(codes) - 4)])
    write_csv(path, rows, encoding="utf-8-sig", quoting=csv.QUOTE_ALL)
    unfinished = tuple(Rating(1, system, "carl", "adequacy", 3) for system in SYSTEMS)
    return Truth((*ratings("adequacy"), *unfinished), missing=("system", "source", "reference", "output"))


@sample(
    "29_google_forms.csv",
    "Google Forms, responses of the sheet",
    "a grid a segment: `1. How good are the translations of “…”? [text]`; the row is the translation, its system is "
    "not named; a judge is an e-mail address",
    "https://support.google.com/docs/answer/2917686",
)
def google_forms(path: Path) -> Truth:
    people = {judge: f"{judge}@example.org" for judge in JUDGES}
    columns = [
        f"{segment}. How good are the translations of “{source(segment)}”? [{output(segment, system)}]"
        for segment, system in items()
    ]
    rows: list[list[object]] = [["Timestamp", "Email Address", *columns, "Anything else?"]]
    for judge, address in people.items():
        answers = [adequacy(segment, system, judge) for segment, system in items()]
        rows.append(["3/2/2026 9:31:40", address, *answers, ""])
    write_csv(path, rows, line_end="\r\n")
    return Truth(ratings("How good are the translations", adequacy, people), missing=("system", "reference"))


@sample(
    "30_surveymonkey.csv",
    "SurveyMonkey, all responses",
    "two header rows, the question over the first of its columns alone; systems are `System A` to `D`; answers have a "
    "word, `4 - good`",
    "https://github.com/mattroumaya/doubleheadr",
)
def surveymonkey(path: Path) -> Truth:
    words = {1: "1 - bad", 2: "2 - poor", 3: "3 - fair", 4: "4 - good", 5: "5 - excellent"}
    letters = {system: f"System {letter}" for system, letter in zip(SYSTEMS, "ABCD", strict=True)}
    facts = (
        "Respondent ID", "Collector ID", "Start Date", "End Date", "IP Address", "Email Address", "First Name",
        "Last Name", "Custom Data 1",
    )  # fmt: skip
    questions = [
        f"How good are these translations of: {source(segment)}" if system == SYSTEMS[0] else ""
        for segment, system in items()
    ]
    rows: list[list[object]] = [[*facts, *questions], [""] * len(facts) + [letters[system] for _, system in items()]]
    respondents = {judge: str(118000000000 + number_of("monkey", judge) % 10**9) for judge in JUDGES}
    for judge, number in respondents.items():
        known = [number, 434000001, "03/02/2026 09:15:22 AM", "03/02/2026 09:31:40 AM", "", "", "", "", ""]
        rows.append([*known, *(words[adequacy(segment, system, judge)] for segment, system in items())])
    write_csv(path, rows)
    criterion = "How good are these translations of"
    found = tuple(
        Rating(segment, letters[system], number, criterion, adequacy(segment, system, judge))
        for segment, system in items()
        for judge, number in respondents.items()
    )
    return Truth(found, missing=("reference", "output"))


# Preferences and ranks.


@sample("19_best_worst.csv", "own script", "best-worst scaling: four options, the best and the worst; one judge")
def best_worst(path: Path) -> Truth:
    rows: list[list[object]] = [["item", "annotator", *(f"option{place}" for place in range(1, 5)), "best", "worst"]]
    found = []
    for segment in SEGMENTS:
        order = sorted(SYSTEMS, key=lambda system: -points(segment, system))
        best, worst = order[0], order[-1]
        rows.append([segment, "anna", *SYSTEMS, best, worst])
        found += [Comparison(segment, best, other, "anna", "first") for other in order[1:]]
        found += [Comparison(segment, other, worst, "anna", "first") for other in order[1:-1]]
    write_csv(path, rows)
    return Truth(comparisons=tuple(found), missing=("criterion", "source", "reference", "output"))


@sample(
    "20_wmt14_ranking.csv",
    "Appraise, relative ranking of WMT14",
    "ranks of up to five systems, 1 the best, equal ranks allowed, the fifth place empty (-1); no texts",
    "https://github.com/cfedermann/Appraise",
)
def wmt14_ranking(path: Path) -> Truth:
    places = range(1, 6)
    rows: list[list[object]] = [
        [
            "srclang", "trglang", "srcIndex", "documentId", "segmentId", "judgeId",
            *(name for place in places for name in (f"system{place}Number", f"system{place}Id")),
            *(f"system{place}rank" for place in places),
        ]
    ]  # fmt: skip
    found = []
    for segment in SEGMENTS:
        for judge in JUDGES:
            # One rank for each level of adequacy, so that equal systems are tied.
            levels = sorted({adequacy(segment, system, judge) for system in SYSTEMS}, reverse=True)
            ranks = {system: 1 + levels.index(adequacy(segment, system, judge)) for system in SYSTEMS}
            shown = [cell for number, system in enumerate(SYSTEMS, start=1) for cell in (number, system)]
            rows.append(["deu", "eng", segment, "doc", segment, judge, *shown, -1, "", *ranks.values(), -1])
            for first, second in combinations(SYSTEMS, 2):
                more = ranks[second] - ranks[first]
                outcome = "tie" if not more else "first" if more > 0 else "second"
                found.append(Comparison(segment, first, second, judge, outcome))
    write_csv(path, rows)
    return Truth(comparisons=tuple(found), missing=("criterion", "source", "reference", "output"))


@sample(
    "32_alpaca_eval.json",
    "AlpacaEval, annotations.json",
    "preferences from 1 (the first output) to 2 (the second), here with weights of log-probabilities; both outputs, no "
    "number of the instruction",
    "https://github.com/tatsu-lab/alpaca_eval",
)
def alpaca_eval(path: Path) -> Truth:
    baseline = SYSTEMS[0]
    judge = "weighted_alpaca_eval_gpt4_turbo"
    rows = []
    found = []
    for segment in SEGMENTS:
        for system in SYSTEMS[1:]:
            more = points(segment, system) - points(segment, baseline)
            probability = 0.5 + max(-0.49, min(0.49, more / 100))
            rows.append(
                {
                    "instruction": f"Translate into English: {source(segment)}",
                    "output_1": output(segment, baseline),
                    "generator_1": baseline,
                    "dataset": "translation",
                    "output_2": output(segment, system),
                    "generator_2": system,
                    "datasplit": "eval",
                    "annotator": judge,
                    "preference": round(1 + probability, 4),
                    "price_per_example": 0.01,
                    "time_per_example": 0.18,
                    "raw_completion": None,
                }
            )
            outcome = "second" if probability > 0.5 else "first" if probability < 0.5 else "tie"
            found.append(Comparison(segment, baseline, system, judge, outcome))
    write_json(path, rows, indent=2)
    return Truth(comparisons=tuple(found), missing=("segment", "criterion", "reference"))


@sample(
    "33_mt_bench_human.parquet",
    "MT-Bench, human judgments at Hugging Face",
    "preferences; both conversations as lists of messages; Parquet",
    "https://huggingface.co/datasets/lmsys/mt_bench_human_judgments",
)
def mt_bench_human(path: Path) -> Truth:
    import pyarrow as pa
    from pyarrow import parquet

    names = {"anna": "expert_0", "ben": "expert_1"}

    def conversation(segment: int, system: str) -> list[dict[str, str]]:
        said = f"Translate into English: {source(segment)}"
        return [{"content": said, "role": "user"}, {"content": output(segment, system), "role": "assistant"}]

    rows = [
        {
            "question_id": 80 + segment,
            "model_a": first,
            "model_b": second,
            "winner": {"first": "model_a", "second": "model_b", "tie": "tie"}[
                preference(segment, first, second, judge)
            ],
            "judge": name,
            "conversation_a": conversation(segment, first),
            "conversation_b": conversation(segment, second),
            "turn": 1,
        }
        for segment in SEGMENTS
        for first, second in combinations(SYSTEMS, 2)
        for judge, name in names.items()
    ]
    path.parent.mkdir(parents=True, exist_ok=True)
    parquet.write_table(pa.Table.from_pylist(rows), path)
    return Truth(comparisons=comparisons(names), missing=("criterion", "reference"))


# Automatic judges, and frameworks for evaluation.


@sample(
    "31_mt_bench_single.jsonl",
    "FastChat, MT-Bench gpt-4_single.jsonl",
    "a score a turn, so that a segment is a question and a turn; texts stand within the prompt alone; `judge` is a "
    "list; -1 where no score was found in the answer",
    "https://github.com/lm-sys/FastChat/blob/main/fastchat/llm_judge/common.py",
)
def mt_bench_single(path: Path) -> Truth:
    failed = (6, "madlad-400")
    rows = []
    found = []
    for segment, system in items():
        question, turn = 80 + (segment + 1) // 2, 2 - segment % 2
        score = -1 if (segment, system) == failed else 1 + points(segment, system) // 10
        prompt = "single-v1" if turn == 1 else "single-v1-multi-turn"
        rows.append(
            {
                "question_id": question,
                "model": system,
                "judge": ["gpt-4", prompt],
                "user_prompt": f"[Question]\n{source(segment)}\n\n[The Start of Assistant's Answer]\n"
                f"{output(segment, system)}\n[The End of Assistant's Answer]",
                "judgment": "I cannot say." if score < 0 else f"The translation is fair. Rating: [[{score}]]",
                "score": score,
                "turn": turn,
                "tstamp": 1772442922.1204 + segment,
            }
        )
        if score >= 0:
            found.append(Rating(segment, system, "gpt-4", "score", score))
    write_json_lines(path, rows)
    return Truth(tuple(found), missing=("criterion", "reference"))


@sample(
    "34_geval.json",
    "G-Eval, on SummEval",
    "human means in `scores`, by criterion; the judge's twenty answers as texts in `all_responses`, which are no "
    "ratings of people",
    "https://github.com/nlpyang/geval/blob/main/gpt4_eval.py",
)
def geval(path: Path) -> Truth:
    names = {"adequacy": "relevance", "fluency": "fluency"}
    rows = []
    found = []
    for segment, system in items():
        means = {
            names[name]: sum(scale(segment, system, judge) for judge in JUDGES) / len(JUDGES)
            for name, scale in SCALES.items()
        }
        answer = adequacy(segment, system)
        rows.append(
            {
                "doc_id": f"dm-test-{number_of('article', segment):08x}",
                "system_id": system,
                "source": source(segment),
                "reference": reference(segment),
                "system_output": output(segment, system),
                "scores": means,
                "prompt": f"You will be given one summary.\n\n{output(segment, system)}\n\nRelevance:",
                "all_responses": [f"{answer}"] * 13 + [f"{max(1, answer - 1)}"] * 6 + ["I think"],
            }
        )
        found += [Rating(segment, system, "mean", name, mean) for name, mean in means.items()]
    write_json(path, rows, indent=4)
    return Truth(tuple(found), missing=("judge",))


@sample(
    "35_inspect",
    "Inspect (inspect_ai), logs of eval",
    "a log a model; the score is in `samples[].scores`, the output in `samples[].output.choices[0].message.content`",
    "https://inspect.aisi.org.uk/eval-logs.html",
)
def inspect_logs(path: Path) -> Truth:
    judge = "anthropic/claude-opus-5"
    for number, system in enumerate(SYSTEMS):
        samples = []
        for segment in SEGMENTS:
            asked = f"Translate into English: {source(segment)}"
            message = {"content": output(segment, system), "source": "generate", "role": "assistant"}
            samples.append(
                {
                    "id": segment,
                    "epoch": 1,
                    "input": asked,
                    "target": reference(segment),
                    "messages": [{"content": asked, "source": "input", "role": "user"}, message],
                    "output": {
                        "model": system,
                        "choices": [{"message": message, "stop_reason": "stop"}],
                        "usage": {"input_tokens": 20, "output_tokens": 12, "total_tokens": 32},
                    },
                    "scores": {
                        "translation_quality": {
                            "value": adequacy(segment, system),
                            "answer": output(segment, system),
                            "explanation": "Mostly right.\n\nGRADE: " + str(adequacy(segment, system)),
                            "metadata": {"grader": judge},
                        }
                    },
                    "metadata": {"domain": "news"},
                    "store": {},
                }
            )
        mean = sum(adequacy(segment, system) for segment in SEGMENTS) / len(SEGMENTS)
        log = {
            "version": 2,
            "status": "success",
            "eval": {
                "run_id": uuid_of("run")[:22],
                "created": f"2026-03-02T09:15:2{number}-04:00",
                "task": "translation",
                "task_id": uuid_of("task")[:22],
                "dataset": {"name": "news", "samples": len(SEGMENTS), "shuffled": False},
                "model": f"openrouter/{system}",
                "config": {},
                "packages": {"inspect_ai": "0.3.180"},
            },
            "plan": {"name": "plan", "steps": [{"solver": "generate", "params": {}}], "config": {}},
            "results": {
                "total_samples": len(SEGMENTS),
                "completed_samples": len(SEGMENTS),
                "scores": [
                    {
                        "name": "translation_quality",
                        "scorer": "translation_quality",
                        "params": {},
                        "metrics": {"mean": {"name": "mean", "value": mean, "options": {}}},
                    }
                ],
            },
            "stats": {"started_at": "2026-03-02T09:15:22-04:00", "completed_at": "2026-03-02T09:16:22-04:00"},
            "samples": samples,
        }
        write_json(path / f"2026-03-02T09-15-2{number}-04-00_translation_{uuid_of(system)[:8]}.json", log, indent=2)
    found = tuple(
        Rating(segment, f"openrouter/{system}", judge, "translation_quality", adequacy(segment, system))
        for segment, system in items()
    )
    return Truth(found)


@sample(
    "36_promptfoo.json",
    "promptfoo, eval --output results.json",
    "results are at `results.results`; the system is `provider.id`; named scores from 0 to 1 of a rubric, beside a "
    "weighted `score`",
    "https://www.promptfoo.dev/docs/configuration/outputs/",
)
def promptfoo(path: Path) -> Truth:
    def share(scale: Callable[[int, str, str], int], segment: int, system: str) -> float:
        return (scale(segment, system, "anna") - 1) / 4

    results = []
    for segment, system in items():
        scores = {name: share(scale, segment, system) for name, scale in SCALES.items()}
        mean = sum(scores.values()) / len(scores)
        graded = [
            {
                "pass": score >= 0.5,
                "score": score,
                "reason": "The translation says what the source says.",
                "assertion": {"type": "llm-rubric", "value": f"Rate the {name}.", "metric": name},
            }
            for name, score in scores.items()
        ]
        test_variables = {"source": source(segment), "reference": reference(segment)}
        results.append(
            {
                "cost": 0.0000081,
                "gradingResult": {
                    "pass": mean >= 0.5,
                    "score": mean,
                    "reason": "All assertions passed",
                    "namedScores": scores,
                    "componentResults": graded,
                },
                "id": uuid_of("promptfoo", segment, system),
                "latencyMs": 1352,
                "namedScores": scores,
                "prompt": {"raw": f"Translate: {source(segment)}", "label": "Translate: {{source}}"},
                "promptId": uuid_of("prompt").replace("-", ""),
                "promptIdx": SYSTEMS.index(system),
                "provider": {"id": f"openrouter:{system}", "label": ""},
                "response": {"output": output(segment, system), "cached": False, "finishReason": "stop"},
                "score": mean,
                "success": mean >= 0.5,
                "testCase": {"vars": test_variables, "options": {}, "metadata": {}},
                "testIdx": segment - 1,
                "vars": test_variables,
                "failureReason": 0,
            }
        )
    evaluation = {
        "evalId": "eval-gwz-2026-03-02T09:15:22",
        "results": {
            "version": 3,
            "timestamp": "2026-03-02T09:15:22.886Z",
            "prompts": [
                {"raw": "Translate: {{source}}", "label": "Translate: {{source}}", "provider": f"openrouter:{system}"}
                for system in SYSTEMS
            ],
            "results": results,
            "stats": {"successes": sum(one["success"] is True for one in results), "errors": 0},
        },
        "config": {"defaultTest": {"options": {"provider": "openai:gpt-5"}}},
        "metadata": {"promptfooVersion": "0.120.16"},
    }
    write_json(path, evaluation, indent=2)
    found = tuple(
        Rating(segment, f"openrouter:{system}", "openai:gpt-5", name, share(scale, segment, system))
        for segment, system in items()
        for name, scale in SCALES.items()
    )
    return Truth(found)


# Corpora of the field.


@sample(
    "11_wmt25.jsonl",
    "WMT25, human scores",
    "texts with line ends, an object of outputs with the reference among them, scores and errors of several judges",
    "https://github.com/wmt-conference/wmt25-general-mt",
)
def wmt25(path: Path) -> Truth:
    names = {"anna": "esa1", "ben": "esa2"}
    rows = [
        {
            "doc_id": f"de-en_#_news_#_d{(segment + 3) // 4}_#_{segment}",
            "src_text": f"{source(segment)}\nEine zweite Zeile.",
            "tgt_text": {
                **{system: f"{output(segment, system)}\nA second line." for system in SYSTEMS},
                "refA": f"{reference(segment)}\nA second line.",
            },
            "scores": {
                system: [
                    {
                        "annotator": name,
                        "score": points(segment, system, judge),
                        "errors": [
                            {"start_i": start, "end_i": end, "severity": "major"}
                            for start, end in errors(segment, system, judge)
                        ],
                    }
                    for judge, name in names.items()
                ]
                for system in SYSTEMS
            },
        }
        for segment in SEGMENTS
    ]
    write_json_lines(path, rows)
    return Truth(ratings("score", points, names), spans=error_spans("major", **names))


@sample(
    "37_comet_da.csv",
    "COMET, training data (direct assessments of WMT)",
    "`raw` is the mean of several people, `score` its z-score; the system is not named",
    "https://huggingface.co/datasets/RicardoRei/wmt-da-human-evaluation",
)
def comet_da(path: Path) -> Truth:
    raw = [mean_points(segment, system) for segment, system in items()]
    mean = sum(raw) / len(raw)
    deviation = (sum((one - mean) ** 2 for one in raw) / len(raw)) ** 0.5
    rows: list[tuple[object, ...]] = [("lp", "src", "mt", "ref", "score", "raw", "annotators", "domain", "year")]
    found = []
    for (segment, system), value in zip(items(), raw, strict=True):
        z = round((value - mean) / deviation, 6)
        texts = (source(segment), output(segment, system), reference(segment))
        rows.append(("de-en", *texts, z, value, 2, "news", 2026))
        found += [
            Rating(segment, system, "mean", "raw", value),
            Rating(segment, system, "mean", "score", z),
        ]
    write_csv(path, rows)
    return Truth(tuple(found), missing=("segment", "system", "judge"))


@sample(
    "38_save_to_disk",
    "Hugging Face datasets, save_to_disk",
    "a folder with an Arrow stream, `dataset_info.json` and `state.json`",
    "https://huggingface.co/docs/datasets/process#save",
)
def save_to_disk(path: Path) -> Truth:
    import pyarrow as pa

    rows = [
        {
            "segment": segment,
            "source": source(segment),
            "reference": reference(segment),
            "system": system,
            "translation": output(segment, system),
            "annotator": judge,
            "adequacy": adequacy(segment, system, judge),
            "fluency": fluency(segment, system, judge),
        }
        for segment, system in items()
        for judge in JUDGES
    ]
    kinds = {name: "int64" if isinstance(value, int) else "string" for name, value in rows[0].items()}
    features = {name: {"dtype": kind, "_type": "Value"} for name, kind in kinds.items()}
    table = pa.Table.from_pylist(rows)
    table = table.replace_schema_metadata({"huggingface": json.dumps({"info": {"features": features}})})
    path.mkdir(parents=True, exist_ok=True)
    with (
        pa.OSFile(str(path / "data-00000-of-00001.arrow"), "wb") as file,
        pa.ipc.new_stream(file, table.schema) as stream,
    ):
        stream.write_table(table)
    write_json(
        path / "dataset_info.json",
        {"citation": "", "description": "", "features": features, "homepage": "", "license": ""},
        2,
    )
    state = {
        "_data_files": [{"filename": "data-00000-of-00001.arrow"}],
        "_fingerprint": f"{number_of('state'):016x}",
        "_format_columns": None,
        "_format_kwargs": {},
        "_format_type": None,
        "_output_all_columns": False,
        "_split": None,
    }
    write_json(path / "state.json", state, indent=2)
    return Truth(both_scales())


FILES.sort(key=lambda file: file.name)
