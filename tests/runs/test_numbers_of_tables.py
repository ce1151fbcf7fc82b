"""Each number of tables.tex is in numbers.tex, under a key of its row: both are read here as a paper reads them."""

from __future__ import annotations

import re

import pytest

import metaeval
from metaeval.report.display_names import labels_of

pytestmark = pytest.mark.filterwarnings("ignore::metaeval.MetaevalWarning")
FEW = {"n_resamples": 60, "ceiling": 0}
TASKS = {
    "title": "Two tasks",
    "corpora": ["demo"],
    "metrics": ["ter", "bleu", "wer"],
    "criteria": ["adequacy"],
    "uncertainty": {"n_resamples": 60},
    "ranking": {"permutations": 60, "baselines": ["w*"]},
    "tasks": [{"coefficient": "pearson"}, {"level": "segment", "coefficient": "kendall", "average_by": "item"}],
}
# Columns in which a digit is part of a name.
NAMES = {"metric", "criterion", "preprocessing", "claim", "statement", "verdict", "example", "quantity", "coefficient"}
NUMBER = re.compile(r"-?\d+\.\d+")


def compared(output, **settings):
    criteria = settings.pop("criteria", ["adequacy"])
    metaeval.compare("demo", ["bleu", "ter", "chrf"], criteria=criteria, output=output, **FEW, **settings)


def ran(output, config, **overrides):
    metaeval.run(config, output=output, overrides=[f"{key}={value}" for key, value in overrides.items()])


RUNS = {
    "system level": compared,
    "two criteria": lambda output: compared(output, criteria=["adequacy", "fluency"], resample="systems"),
    "segments with ties": lambda output: compared(output, level="segment"),
    "three levels": lambda output: compared(output, level=["system", "segment", "documents(length=10)"]),
    "best systems": lambda output: compared(output, bands=[6]),
    "tasks": lambda output: ran(output, TASKS),
    "a paper": lambda output: ran(output, "turian2003-chinese", **{"documents.count": 20}),
    "system level of four settings": lambda output: ran(
        output, "system-level", **{"uncertainty.n_resamples": 60, "metrics": '["ter", "bleu(order=1)"]'}
    ),
}


def cells_of(text):
    """Yield heads and cells of each row of the tables, without TeX."""
    for table in re.findall(r"\\begin\{tabular\}.*?\\end\{tabular\}", text, re.DOTALL):
        head, body = table.split("\\midrule\n")
        heads = [row.removesuffix(r" \\").split(" & ") for row in head.splitlines() if row.endswith(r"\\")]
        names = [" ".join(filter(None, column)) for column in zip(*heads, strict=True)]
        for row in body.splitlines():
            if row.endswith(r"\\"):
                plain = re.sub(
                    r"\\(?:phantom|textsuperscript|rlap)\{(?:[^{}]|\{[^{}]*\})*\}", "", row.removesuffix(r" \\")
                )
                plain = re.sub(r"\\ensuremath\{(-[\d.]+)\}", r"\1", plain)
                plain = re.sub(r"\\(?:textbf|underline)\{([^{}]*)\}", r"\1", plain).replace(r"\char34{}", '"')
                yield dict(zip(names, plain.split(" & "), strict=True))


@pytest.mark.parametrize("kind", RUNS)
def test_each_number_of_the_tables_has_a_key_of_its_metric(kind, tmp_path):
    RUNS[kind](tmp_path / "run")
    texts = {name: (tmp_path / "run" / name).read_text("utf-8") for name in ("tables.tex", "numbers.tex")}
    numbers = dict(re.findall(r"^\\metaevalnumber\{(.*?)\}\{(.*)\}$", texts["numbers.tex"], re.MULTILINE))
    run = metaeval.load_run(tmp_path / "run")
    metrics = [*run.correlations["metric"], *run.averages.get("metric", ())]
    # Keys have no quotes.
    names = {label: name.replace('"', "") for name, label in labels_of(metrics, run.data.labels).items()}
    n_numbers = 0
    for row in cells_of(texts["tables.tex"]):
        if "claim" in row:
            part = f"claim/mtc-chinese/{row['claim'].rstrip('*')}"
        elif "example" in row:
            part = f"example/{row['example']}"
        else:
            part = names.get(row["metric"], row["metric"])
        under_key = {
            number
            for key, value in numbers.items()
            if part in key.split("/") or f"{key}/".startswith(f"{part}/")
            for number in NUMBER.findall(value)
        }
        for name, cell in row.items():
            shown = [] if name in NAMES else NUMBER.findall(cell)
            assert {*shown} <= under_key, (kind, name, row)
            n_numbers += len(shown)
    assert n_numbers > 5
