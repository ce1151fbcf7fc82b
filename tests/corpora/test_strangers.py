"""The files of `strangers` are counted, the same each time, and hold what `make` says (see test_strangers_are_read)."""

from __future__ import annotations

import json
import re
from pathlib import Path

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


def arrow(path: Path) -> pd.DataFrame:
    import pyarrow as pa

    state = json.loads((path / "state.json").read_text(encoding="utf-8"))
    with pa.OSFile(str(path / state["_data_files"][0]["filename"])) as file:
        return pa.ipc.open_stream(file).read_all().to_pandas()


def text_of(path: Path) -> str:
    """Return all texts of a file or folder, with the names of sheets."""
    if path.suffix in (".xlsx", ".ods"):
        sheets = pd.read_excel(path, sheet_name=None, engine="calamine")
        return "\n".join(f"{name}\n{frame.to_csv()}" for name, frame in sheets.items())
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


def test_the_same_files_are_made_each_time(made, tmp_path):
    directory, truths = made
    assert make(tmp_path) == truths
    for path in files_in(directory):
        assert path.read_bytes() == (tmp_path / path.relative_to(directory)).read_bytes(), path.name


def test_what_is_missing_is_not_in_it_and_all_else_is(made):
    directory, truths = made
    for name, truth in truths.items():
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
            assert present == (set() if field in truth.missing else expected), (name, field)


def test_the_readme_lists_each_file(made):
    rows = re.findall(r"^\| `(\S+)` \| (.*?) \| (.*) \|$", README.read_text(encoding="utf-8"), re.MULTILINE)
    assert [name for name, _, _ in rows] == NAMES
    for file, (_, tool, special) in zip(FILES, rows, strict=True):
        assert tool == (f"[{file.tool}]({file.documentation})" if file.documentation else file.tool)
        assert special == file.special
