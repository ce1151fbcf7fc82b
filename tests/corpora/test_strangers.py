"""The files of `strangers` hold what `make` says: each is read by the library that its users would take."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from tests.corpora.strangers.content import OUTPUTS, REFERENCES, SOURCES, SYSTEMS, Truth
from tests.corpora.strangers.make import FILES, make

pytest.importorskip("pyarrow", reason="pyarrow is not installed")
pytest.importorskip("xlsxwriter", reason="xlsxwriter is not installed")

README = Path(__file__).parent / "strangers" / "README.md"
NAMES = [file.name for file in FILES]
WITH_RATINGS = {
    # A score for each of 4 systems and 8 segments is 32; by two judges 64; on two criteria as well 128.
    **dict.fromkeys(("01_german.csv", "02_wide_systems.csv", "03_score_matrix.csv", "04_llm_judge.json"), 32),
    **dict.fromkeys(("13_sheet_per_system.xlsx", "14_cp1252.csv", "17_by_system.json", "27_sagemaker.manifest"), 32),
    **dict.fromkeys(("35_inspect",), 32),
    **dict.fromkeys(("05_llm_judge.jsonl", "07_qualtrics.csv", "07b_qualtrics_text.csv"), 64),
    **dict.fromkeys(("11_wmt25.jsonl", "15_folder"), 64),
    **dict.fromkeys(("16_hf_lists.jsonl", "26_appen.csv", "29_google_forms.csv", "30_surveymonkey.csv"), 64),
    **dict.fromkeys(("34_geval.json", "36_promptfoo.json", "37_comet_da.csv"), 64),
    **dict.fromkeys(("08_label_studio.json", "09_label_studio.csv", "21_label_studio_min.json"), 128),
    **dict.fromkeys(("10_potato.tsv", "10b_potato.jsonl", "25_toloka.tsv", "38_save_to_disk"), 128),
    **dict.fromkeys(("39_sheet_per_judge.ods", "10c_potato_2.jsonl"), 128),
    "12_merged_header.xlsx": 127,  # one cell says n/a
    "22_argilla.jsonl": 126,  # one discarded response, of two criteria
    "23_prodigy.jsonl": 63,  # one task ignored
    "24_mturk.csv": 126,  # one assignment rejected, with two criteria
    "28_limesurvey.csv": 68,  # four answers of somebody who did not finish
    "31_mt_bench_single.jsonl": 31,  # one answer of the judge without a score
}
WITH_COMPARISONS = {
    # Six pairs of systems, eight segments, two judges.
    **dict.fromkeys(("06_arena.jsonl", "20_wmt14_ranking.csv", "33_mt_bench_human.parquet"), 96),
    "19_best_worst.csv": 40,  # the best against three, two against the worst, eight segments
    "32_alpaca_eval.json": 24,  # three systems against the first
}
# Anna has 14 texts with fewer than 60 points, six of madlad-400 and all of opus-mt, and so has Ben.
WITH_SPANS = {
    "08_label_studio.json": 28,
    "09_label_studio.csv": 28,
    "11_wmt25.jsonl": 28,
    "18_doccano.jsonl": 14,
    "21_label_studio_min.json": 28,
}


@pytest.fixture(scope="module")
def made(tmp_path_factory) -> tuple[Path, dict[str, Truth]]:
    directory = tmp_path_factory.mktemp("strangers")
    return directory, make(directory)


def files_in(path: Path) -> list[Path]:
    return sorted(one for one in path.rglob("*") if one.is_file()) if path.is_dir() else [path]


def json_lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def load(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def table(path: Path, **options: Any) -> pd.DataFrame:
    return pd.read_csv(path, **options)


def sheets(path: Path, **options: Any) -> dict[str, pd.DataFrame]:
    return pd.read_excel(path, sheet_name=None, engine="calamine", **options)


def numbers(columns: pd.DataFrame) -> list[float]:
    return columns.to_numpy().ravel().tolist()


def arrow(path: Path) -> pd.DataFrame:
    import pyarrow as pa

    with pa.OSFile(str(path / load(path / "state.json")["_data_files"][0]["filename"])) as file:
        return pa.ipc.open_stream(file).read_all().to_pandas()


def label_studio(path: Path) -> Iterator[tuple[str, Any]]:
    for task in load(path):
        for annotation in task["annotations"]:
            yield from ((result["type"], result["value"]) for result in annotation["result"])


def ratings_in_cells(rows: Iterable[dict[str, Any]]) -> list[float]:
    return [rating["rating"] for row in rows for name in ("adequacy", "fluency") for rating in row[name]]


def label_studio_csv(path: Path) -> list[dict[str, Any]]:
    columns = ("adequacy", "fluency", "errors")
    rows = table(path, keep_default_na=False).to_dict("records")
    return [{name: json.loads(row[name]) if row[name] else [] for name in columns} for row in rows]


def merged_header(path: Path) -> pd.Series:
    (frame,) = sheets(path, header=[1, 2]).values()
    return frame.iloc[:-1, 4:8].melt()["value"].dropna()  # the last row are means, and n/a is nothing


def argilla(path: Path) -> list[float]:
    return [
        value
        for row in json_lines(path)
        for name in ("adequacy", "fluency")
        for value, status in zip(row[f"{name}.responses"], row[f"{name}.responses.status"], strict=True)
        if status == "submitted"
    ]


def mturk(path: Path) -> list[float]:
    found: list[float] = []
    for row in table(path).to_dict("records"):
        if row["AssignmentStatus"] == "Approved":
            (answer,) = json.loads(row["Answer.taskAnswers"])
            found += [*(float(score) for score, chosen in answer["adequacy"].items() if chosen), answer["fluency"]]
    return found


def qualtrics(path: Path) -> list[float]:
    frame = table(path, skiprows=[1, 2])
    return numbers(frame[frame["Status"] == 0].filter(regex=r"^Q\d+_\d+$"))


def qualtrics_text(path: Path) -> list[float]:
    frame = table(path, skiprows=[1, 2])
    words = ["Very bad", "Bad", "Fair", "Good", "Very good"]
    answers = numbers(frame[frame["Status"] == "IP Address"].filter(regex=r"^Q\d+_\d+$"))
    return [1.0 + words.index(str(answer)) for answer in answers]


def limesurvey(path: Path) -> list[float]:
    codes = table(path, encoding="utf-8-sig").filter(like="[SQ").to_numpy().ravel()
    return [float(code[1:]) for code in codes if isinstance(code, str)]


def surveymonkey(path: Path) -> list[float]:
    answers = table(path, header=None, skiprows=2).iloc[:, 9:]
    return [float(answer.partition(" - ")[0]) for answer in answers.to_numpy().ravel()]


def toloka(path: Path) -> list[float]:
    frame = table(path, sep="\t")
    return numbers(frame[frame["GOLDEN:adequacy"].isna()][["OUTPUT:adequacy", "OUTPUT:fluency"]])


def inspect_logs(path: Path) -> list[float]:
    return [
        score["value"]
        for one in files_in(path)
        for sample in load(one)["samples"]
        for score in sample["scores"].values()
    ]


SCORES: dict[str, Callable[[Path], Iterable[float]]] = {
    "01_german.csv": lambda path: table(path, sep=";", decimal=",", encoding="utf-8-sig")["Bewertung"],
    "02_wide_systems.csv": lambda path: numbers(table(path)[[f"{system}_score" for system in SYSTEMS]]),
    "03_score_matrix.csv": lambda path: numbers(table(path)[[*SYSTEMS]]),
    "04_llm_judge.json": lambda path: pd.json_normalize(load(path))["evaluation.score"],
    "05_llm_judge.jsonl": lambda path: [score for row in json_lines(path) for score in row["scores"].values()],
    "07_qualtrics.csv": qualtrics,
    "07b_qualtrics_text.csv": qualtrics_text,
    "08_label_studio.json": lambda path: [value["rating"] for kind, value in label_studio(path) if kind == "rating"],
    "09_label_studio.csv": lambda path: ratings_in_cells(label_studio_csv(path)),
    "10_potato.tsv": lambda path: table(path, sep="\t").filter(like=":::").melt()["value"].dropna(),
    "10b_potato.jsonl": lambda path: [
        float(key) for row in json_lines(path) for chosen in row["label_annotations"].values() for key in chosen
    ],
    "10c_potato_2.jsonl": lambda path: [
        float(value) for row in json_lines(path) for chosen in row["labels"].values() for value in chosen.values()
    ],
    "11_wmt25.jsonl": lambda path: [
        one["score"] for row in json_lines(path) for by_judge in row["scores"].values() for one in by_judge
    ],
    "12_merged_header.xlsx": merged_header,
    "13_sheet_per_system.xlsx": lambda path: pd.concat(sheets(path))["score (0-100)"],
    "14_cp1252.csv": lambda path: table(path, encoding="cp1252")["DA"],
    "15_folder": lambda path: table(path / "ratings.csv")["adequacy"],
    "16_hf_lists.jsonl": lambda path: [
        score for row in json_lines(path) for name in ("relevance", "fluency") for score in row[name]
    ],
    "17_by_system.json": lambda path: [one["human"] for rows in load(path).values() for one in rows.values()],
    "21_label_studio_min.json": lambda path: ratings_in_cells(load(path)),
    "22_argilla.jsonl": argilla,
    "23_prodigy.jsonl": lambda path: [row["accept"][0] for row in json_lines(path) if row["answer"] == "accept"],
    "24_mturk.csv": mturk,
    "25_toloka.tsv": toloka,
    "26_appen.csv": lambda path: numbers(table(path)[["adequacy", "fluency"]]),
    "27_sagemaker.manifest": lambda path: [float(row["adequacy-metadata"]["class-name"]) for row in json_lines(path)],
    "28_limesurvey.csv": limesurvey,
    "29_google_forms.csv": lambda path: numbers(table(path).filter(regex=r"\]$")),
    "30_surveymonkey.csv": surveymonkey,
    "31_mt_bench_single.jsonl": lambda path: [row["score"] for row in json_lines(path) if row["score"] != -1],
    "34_geval.json": lambda path: [score for row in load(path) for score in row["scores"].values()],
    "35_inspect": inspect_logs,
    "36_promptfoo.json": lambda path: [
        score for row in load(path)["results"]["results"] for score in row["namedScores"].values()
    ],
    "37_comet_da.csv": lambda path: numbers(table(path)[["score", "raw"]]),
    "38_save_to_disk": lambda path: numbers(arrow(path)[["adequacy", "fluency"]]),
    "39_sheet_per_judge.ods": lambda path: numbers(pd.concat(sheets(path))[["Adequacy", "Fluency"]]),
}
SPANS: dict[str, Callable[[Path], int]] = {
    "08_label_studio.json": lambda path: sum(kind == "labels" for kind, _ in label_studio(path)),
    "09_label_studio.csv": lambda path: sum(len(row["errors"]) for row in label_studio_csv(path)),
    "11_wmt25.jsonl": lambda path: sum(
        len(one["errors"]) for row in json_lines(path) for by_judge in row["scores"].values() for one in by_judge
    ),
    "18_doccano.jsonl": lambda path: sum(len(row["label"]) for row in json_lines(path)),
    "21_label_studio_min.json": lambda path: sum(len(row.get("errors", [])) for row in load(path)),
}
WINNER = {"model_a": "first", "model_b": "second", "tie": "tie"}
OUTCOMES: dict[str, Callable[[Path], Iterable[str]]] = {
    "06_arena.jsonl": lambda path: [WINNER[row["winner"]] for row in json_lines(path)],
    "33_mt_bench_human.parquet": lambda path: [WINNER[winner] for winner in pd.read_parquet(path)["winner"]],
    "32_alpaca_eval.json": lambda path: ["second" if row["preference"] > 1.5 else "first" for row in load(path)],
}


def text_of(path: Path) -> str:
    """Return all texts of a file or folder, with the names of sheets."""
    if path.suffix in (".xlsx", ".ods"):
        return "\n".join(f"{name}\n{frame.to_csv()}" for name, frame in sheets(path).items())
    if path.suffix == ".parquet":
        return str(pd.read_parquet(path).to_dict("records"))
    if path.name == "38_save_to_disk":
        return arrow(path).to_csv()
    encoding = "cp1252" if "cp1252" in path.name else "utf-8"
    return "\n".join(one.read_text(encoding=encoding) for one in files_in(path))


def test_all_are_listed_and_counted(made):
    _, truths = made
    assert len(NAMES) == len(set(NAMES)) == 42
    assert {name: len(truth.ratings) for name, truth in truths.items() if truth.ratings} == WITH_RATINGS
    assert {name: len(truth.comparisons) for name, truth in truths.items() if truth.comparisons} == WITH_COMPARISONS
    assert {name: len(truth.spans) for name, truth in truths.items() if truth.spans} == WITH_SPANS
    assert {*WITH_RATINGS, *WITH_COMPARISONS, *WITH_SPANS} == {*NAMES}
    assert {*SCORES} == {*WITH_RATINGS}
    assert {*SPANS} == {*WITH_SPANS}


def test_the_same_files_are_made_each_time(made, tmp_path):
    directory, truths = made
    assert make(tmp_path) == truths
    for path in files_in(directory):
        assert path.read_bytes() == (tmp_path / path.relative_to(directory)).read_bytes(), path.name


@pytest.mark.parametrize("name", SCORES)
def test_the_scores_are_those_that_it_says(made, name):
    directory, truths = made
    found = Counter(float(score) for score in SCORES[name](directory / name))
    assert found == Counter(float(rating.score) for rating in truths[name].ratings)


@pytest.mark.parametrize("name", SPANS)
def test_the_spans_are_those_that_it_says(made, name):
    directory, truths = made
    assert SPANS[name](directory / name) == len(truths[name].spans)


@pytest.mark.parametrize("name", OUTCOMES)
def test_the_preferences_are_those_that_it_says(made, name):
    directory, truths = made
    assert [*OUTCOMES[name](directory / name)] == [one.outcome for one in truths[name].comparisons]


def test_the_ranks_are_those_that_it_says(made):
    directory, truths = made
    rows = table(directory / "20_wmt14_ranking.csv").to_dict("records")
    ranks = {
        (row["segmentId"], row["judgeId"], row[f"system{place}Id"]): row[f"system{place}rank"]
        for row in rows
        for place in range(1, 5)
    }
    for one in truths["20_wmt14_ranking.csv"].comparisons:
        first, second = (ranks[one.segment, one.judge, system] for system in (one.first, one.second))
        assert one.outcome == ("first" if first < second else "second" if first > second else "tie")
    best = table(directory / "19_best_worst.csv").set_index("item")
    for one in truths["19_best_worst.csv"].comparisons:
        assert one.first == best.loc[one.segment, "best"] or one.second == best.loc[one.segment, "worst"]


@pytest.mark.parametrize("name", NAMES)
def test_what_is_missing_is_not_in_it_and_all_else_is(made, name):
    directory, truths = made
    truth = truths[name]
    text = text_of(directory / name)
    systems = {one.system for one in (*truth.ratings, *truth.spans)}
    judges = {one.judge for one in (*truth.ratings, *truth.comparisons, *truth.spans)}
    first_texts = {
        "source": {SOURCES[0]},
        "reference": {REFERENCES[0]},
        "output": {texts[0] for texts in OUTPUTS.values()},
        "system": systems or {*SYSTEMS},
        "judge": judges,
    }
    for field, expected in first_texts.items():
        present = {one for one in expected if one in text}
        assert present == (set() if field in truth.missing else expected), field


def test_the_readme_lists_each_file(made):
    rows = re.findall(r"^\| `(\S+)` \| (.*?) \| (.*) \|$", README.read_text(encoding="utf-8"), re.MULTILINE)
    assert [name for name, _, _ in rows] == NAMES
    for file, (_, tool, special) in zip(FILES, rows, strict=True):
        assert tool == (f"[{file.tool}]({file.documentation})" if file.documentation else file.tool)
        assert special == file.special
