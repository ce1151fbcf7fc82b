"""The notebooks run as they stand, say what the API says, and the .ipynb files beside them are of these cells."""

from __future__ import annotations

import base64
import io
import json
import re
from collections import Counter
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pytest
from PIL import Image
from scipy import stats

import metaeval
from tests.support.gold import of_others
from tests.support.scores import human_means
from tests.support.scripts import load_script

ROOT = Path(__file__).parents[1]
NAMES = ("a_public_corpus", "compare_a_new_metric", "how_sure_can_we_be", "reproduce_turian")
make_notebooks = load_script("make_notebooks")


def source_cells(name):
    return make_notebooks.cells((ROOT / "notebooks" / f"{name}.py").read_text(encoding="utf-8"))


def executed_cells(name):
    return json.loads((ROOT / "notebooks" / f"{name}.ipynb").read_text(encoding="utf-8"))["cells"]


@pytest.fixture
def play(tmp_path, monkeypatch, capsys):
    """Give a function that runs a notebook cell by cell: its variables, and what each code cell printed."""
    monkeypatch.chdir(tmp_path)
    before = plt.get_backend()
    plt.switch_backend("Agg")

    def run(name):
        variables, printed = {"__name__": "__main__"}, []
        capsys.readouterr()
        for number, (kind, text) in enumerate(source_cells(name), start=1):
            if kind == "code":
                exec(compile(text, f"{name}, cell {number}", "exec", dont_inherit=True), variables)
                printed.append(capsys.readouterr().out)
        return variables, printed

    yield run
    plt.close("all")
    plt.switch_backend(before)


def words_and_numbers(text):
    """Return a text without its numbers and white space, and the numbers."""
    number = r"(?<![\w.])[+-]?\d+(?:\.\d+)?"
    return re.sub(r"\s+", " ", re.sub(number, "#", text)), [float(found) for found in re.findall(number, text)]


def assert_as_executed(name, printed):
    """Check that the .ipynb holds what the cells print now, up to the last digit."""
    code = [cell for cell in executed_cells(name) if cell["cell_type"] == "code"]
    for cell, text in zip(code, printed, strict=True):
        told = "".join(line for output in cell["outputs"] for line in output.get("text", ()))
        words, numbers = words_and_numbers(text)
        words_then, numbers_then = words_and_numbers(told)
        assert words.strip() == words_then.strip()
        assert numbers == pytest.approx(numbers_then, abs=2e-3, rel=2e-3)


def test_there_are_no_others():
    assert tuple(sorted(path.stem for path in (ROOT / "notebooks").glob("*.py"))) == NAMES


def recorded(name):
    """Return what each code cell of an .ipynb says: what it printed, and then its value as text."""
    found = []
    for cell in executed_cells(name):
        if cell["cell_type"] == "code":
            printed = "".join("".join(output.get("text", ())) for output in cell["outputs"])
            values = "".join("".join(output.get("data", {}).get("text/plain", ())) for output in cell["outputs"])
            found.append(printed + values)
    return found


@pytest.mark.parametrize("name", NAMES)
def test_the_executed_file_has_the_same_cells_and_nothing_of_the_machine(name):
    path = ROOT / "notebooks" / f"{name}.ipynb"
    notebook = json.loads(path.read_text(encoding="utf-8"))
    found = [(cell["cell_type"], "".join(cell["source"])) for cell in notebook["cells"]]
    assert found == source_cells(name)
    assert path.stat().st_size < make_notebooks.LARGEST
    assert notebook["metadata"] == make_notebooks.METADATA
    assert all(cell["metadata"] == {} for cell in notebook["cells"])
    outputs = [output for cell in notebook["cells"] for output in cell.get("outputs", ())]
    assert {output["output_type"] for output in outputs} <= {"stream", "display_data", "execute_result"}
    assert {output.get("name") for output in outputs} <= {"stdout", None}
    assert not re.search(r"/(home|root|tmp|work|Users|usr)\b", json.dumps(found + [o.get("text") for o in outputs]))


# The inches that the cell asks for, 100 pixels each; where it asks for none, those of the figure by default.
@pytest.mark.parametrize(
    ("name", "width"),
    [
        ("a_public_corpus", 600),
        ("compare_a_new_metric", 255),
        ("how_sure_can_we_be", 500),
        ("reproduce_turian", 657),
    ],
)
def test_the_picture_of_a_notebook_is_as_wide_as_it_says(name, width):
    outputs = [output for cell in executed_cells(name) for output in cell.get("outputs", ())]
    (output,) = [one for one in outputs if "image/png" in one.get("data", {})]
    image = Image.open(io.BytesIO(base64.b64decode(output["data"]["image/png"])))
    told = re.match(r"<Picture size ([\d.]+)x([\d.]+) with", "".join(output["data"]["text/plain"]))
    assert image.size == tuple(int(float(pixels)) for pixels in told.groups())
    assert image.width == width
    # White, black and the colours of lines.
    assert len(image.convert("RGB").getcolors(maxcolors=1 << 16)) > 10


def test_the_recorded_run_of_the_public_corpus_has_the_numbers_of_other_programs():
    first, agreement, compared, _ = recorded("a_public_corpus")
    # Fabbri et al. (2021): 100 articles, 17 systems, the original summary and ten others.
    assert first.startswith("17 systems, 100 texts, 11 references\n")
    # Krippendorff's alpha by coincidence matrices of our own, of the three experts: fluency 0.709, 0.565 and 0.380,
    # relevance 0.458, 0.400 and 0.115.
    table = [line.split()[1:4] for line in agreement.splitlines() if "interval" in line or "nal" in line]
    assert [(criterion, scale) for criterion, scale, _ in table] == [
        (criterion, scale) for criterion in ("fluency", "relevance") for scale in ("interval", "ordinal", "nominal")
    ]
    alphas = [float(alpha) for *_, alpha in table]
    assert alphas == pytest.approx([0.709, 0.565, 0.380, 0.458, 0.400, 0.115], abs=0.0051)
    # sacreBLEU 2.6.0, chrF and BLEU without smoothing against eleven references, and scipy's Pearson with the means of
    # the experts: relevance 0.5831 and 0.5440, fluency 0.6098 and 0.5375.
    rows = [line.split() for line in compared.splitlines() if re.match(r"\d ", line)]
    values = {(criterion, metric): float(value) for _, criterion, metric, value, *_ in rows}
    assert [values[place, "chrf"] for place in ("relevance", "fluency")] == [0.58, 0.61]
    assert [values[place, "bleu"] for place in ("relevance", "fluency")] == [0.54, 0.54]
    relevance, fluency = (line for line in compared.splitlines() if line.startswith(("relevance: ", "fluency: ")))
    # All but TER are in the first cluster, and TER alone is worse.
    assert re.fullmatch(r"relevance: ROUGE-L.*, chrF and BLEU .*; TER is significantly worse than .*\.", relevance)
    assert fluency.startswith("fluency: no metric is shown to agree with people: ")
    assert "chrF" in fluency
    assert "0.61" in fluency


def test_the_recorded_values_of_a_new_metric_are_computed_from_the_texts():
    corpus = metaeval.load_corpus("demo")

    def share(candidate, references):
        """Return the share of the words of a candidate that are in the reference that has most of them."""
        words = set(candidate.split())
        return max(len(words & set(text.split())) for text in references) / max(len(words), 1)

    texts = list(zip(*corpus.references.values(), strict=True))
    scores = np.array([[share(*pair) for pair in zip(row, texts, strict=True)] for row in corpus.candidates])
    human = human_means(corpus, "adequacy")
    systems = stats.pearsonr(scores.mean(axis=1), np.nanmean(human, axis=1)).statistic
    segments = np.mean([stats.pearsonr(a, b).statistic for a, b in zip(scores.T, human.T, strict=True)])
    printed = recorded("compare_a_new_metric")
    for text, value in ((printed[2], systems), (printed[5], segments)):
        assert re.search(r"^words +([\d.]+) \[", text, re.MULTILINE).group(1) == f"{value:.3f}"
    # Four of the five words.
    assert printed[1] == "0.8\n"


def test_the_recorded_counts_of_the_demonstration_corpus():
    corpus = metaeval.load_corpus("demo")
    # Of the corpus as it ships: 8 files of systems with 120 lines, 4 of references.
    assert "\n8 systems, 120 segments, 4 references\n" in recorded("reproduce_turian")[0]
    rows = zip(corpus.judgments.system, corpus.judgments.segment, corpus.judgments.criterion, strict=True)
    items = Counter((system, segment) for system, segment, criterion in rows if criterion == 0)
    twice, thrice = (Counter(items.values())[n] for n in (2, 3))
    assert twice + thrice == 8 * 120
    told = f"judgments of a translation: 2 ({twice}), 3 ({thrice})\n"
    assert any(text.startswith(told) for text in recorded("how_sure_can_we_be"))
    # Two criteria, five lengths, and four metrics and the judges.
    assert "50 of 50 correlations moved" in recorded("reproduce_turian")[5]


@pytest.mark.parametrize("name", NAMES)
def test_only_the_public_face_is_used(name):
    code = "\n".join(text for kind, text in source_cells(name) if kind == "code")
    imported = re.findall(r"^(?:from|import) (\S+)", code, re.MULTILINE)
    assert set(imported) <= {"metaeval", "warnings"}
    assert set(re.findall(r"\bmetaeval\.(\w+)", code)) <= set(metaeval.__all__)
    assert len(source_cells(name)) <= 13


def test_cells_of_the_percent_format():
    text = "# %% [markdown]\n# # Title\n#\n# Words\n\n# %%\na = 1\n\n# %%\nb = 2\n"
    assert make_notebooks.cells(text) == [("markdown", "# Title\n\nWords"), ("code", "a = 1"), ("code", "b = 2")]
    with pytest.raises(SystemExit, match="a cell begins with"):
        make_notebooks.cells("# %% a title\n")


def test_reproduce_turian(play):
    variables, printed = play("reproduce_turian")
    run = variables["run"]
    at_50 = run.correlations.query("criterion == 'adequacy' and length == 50")
    for row in at_50.to_dict("records"):
        assert re.search(rf"{re.escape(row['metric'])} +{row['mean']:.3f} +{row['lower']:.3f}", printed[3])
    claim = run.claims.to_dict("records")[0]
    assert f"Verdict:   {claim['verdict']}\n" in printed[4]
    assert f"Difference: {claim['difference']:+.3f}" in printed[4]
    # What the text says a verdict means.
    side = "holds" if claim["lower"] > 0 else "fails" if claim["upper"] < 0 else "undecided"
    assert claim["verdict"] == side
    assert "simulation: no evidence" in printed[4]
    means = run.correlations.pivot_table(index=["criterion", "metric"], columns="length", values="mean")
    assert (means[50] > means[1]).all()
    assert (at_50["mean"] - at_50["lower"] > at_50["upper"] - at_50["mean"]).all()
    moved = variables["differences"].numbers
    assert f"{len(moved)} of {variables['differences'].n_compared} correlations moved" in printed[5]
    assert variables["differences"].n_compared == len(run.correlations) == 50
    size = moved.assign(size=moved["change"].abs().astype(float)).groupby("length")["size"].mean()
    assert size.idxmax() == 1
    # No verdict changes, and the first claim is open with both seeds, as the text says.
    verdicts = [list(variables[name].claims["verdict"]) for name in ("run", "again")]
    assert verdicts[0] == verdicts[1]
    assert verdicts[0][0] == "undecided"
    assert f"0 of {len(verdicts[0])} verdicts changed." in printed[5]
    assert "Turian" in metaeval.cite(["turian2003-chinese"])
    assert_as_executed("reproduce_turian", printed)


def test_compare_a_new_metric(play):
    variables, printed = play("compare_a_new_metric")
    assert float(printed[1]) == 4 / 5
    for name, text in (("result", printed[2]), ("segments", printed[5])):
        for one in variables[name].results.estimates:
            assert f"{one.value:.3f} [{one.lower:.3f}, {one.upper:.3f}]" in text
    # On whole systems nothing can be shown, for other text or other systems; on segments it can.
    assert all(variables["result"].results.tests["p_corrected"] > 0.05)
    assert all(variables["systems"].results.tests["p_corrected"] > 0.05)
    assert printed[4] == f"{variables['systems'].tables[0].sentence}\n"
    segments = variables["segments"].results
    assert (segments.tests["p_corrected"] < 0.05).sum() == 2
    best = max(one.value for one in segments.estimates)
    assert best < min(one.value for one in variables["result"].results.estimates)
    # The metric has the number of lines that the text says.
    definition = source_cells("compare_a_new_metric")[1][1].partition("def words")[2].partition("\n\n")[0]
    assert len(definition.splitlines()) == 4
    text = "\n".join(text for kind, text in source_cells("compare_a_new_metric") if kind == "markdown")
    assert "in four lines" in text
    assert "## Four lines" in text
    # Bleu is undefined on some segments; the difference is of those where both are defined.
    (ahead,) = (
        row["difference"]
        for row in segments.tests.to_dict("records")
        if {row["metric_a"], row["metric_b"]} == {"bleu", "gtm"}
    )
    values = {one.metric: one for one in segments.estimates}
    assert {name for name, one in values.items() if one.n_undefined} == {"bleu"}
    assert abs(values["gtm"].value - values["bleu"].value - abs(ahead)) > 1e-3
    assert_as_executed("compare_a_new_metric", printed)


def test_a_public_corpus(play, tmp_path, monkeypatch):
    # Without the files of its owners, only the recorded run is looked at, above.
    raw = of_others("raw")
    monkeypatch.setenv("METAEVAL_CACHE", str(tmp_path / "cache"))
    metaeval.fetch_corpus("summeval", raw)
    variables, printed = play("a_public_corpus")
    relevance, fluency = variables["result"].tables
    assert printed[2] == f"{relevance.sentence}\n{fluency.sentence}\n"
    # What the text says.
    table = variables["result"].to_frame().set_index(["criterion", "metric"])
    assert (table.loc["relevance", "cluster"] == 1).drop("ter").all()
    assert table.loc[("relevance", "ter"), "lower"] < 0 < table.loc[("relevance", "ter"), "upper"]
    assert fluency.sentence.startswith("fluency: no metric is shown to agree with people: ")
    assert table.loc["fluency", "value"].max() > 0.6
    assert_as_executed("a_public_corpus", printed)


def test_what_is_said_of_calibration_stands_there():
    text = " ".join((ROOT / "docs" / "calibration.md").read_text(encoding="utf-8").split())
    assert "the paired bootstrap over segments (12 to 14 %)" in text
    assert "Williams' test controls the Type I error" in text
    assert "56 to 81 % of the corpora at 5 %" in text
    tables = (ROOT / "docs" / "calibration-tables.md").read_text(encoding="utf-8")
    rows = re.findall(r"\| percentile over systems \| unlimited systems, 200 segments \| \*\*([\d.]+)\*\*", tables)
    assert [round(float(share)) for share in rows] == [82, 84]


def test_how_sure_can_we_be(play):
    variables, printed = play("how_sure_can_we_be")
    widths = []
    for size, test in variables["by_size"].items():
        interval = f"[{test['lower']:+.3f}, {test['upper']:+.3f}]"
        assert f"{size} segments: gtm minus bleu {test['difference']:+.3f} {interval}" in printed[1]
        widths.append(test["upper"] - test["lower"])
    assert widths[1] < widths[0] / 2
    assert widths[2] < widths[1] / 2
    assert variables["by_size"][50]["lower"] < 0 < variables["by_size"][800]["lower"]
    for number, (test, limits) in variables["by_systems"].items():
        lower, upper = limits["bleu"]
        assert f"{number} systems: bleu [{lower:.2f}, {upper:.2f}]" in printed[3]
        assert f"p = {test['p']:.3f}" in printed[3]
    # Five systems say little, and the interval says so.
    spans = {number: limits["bleu"][1] - limits["bleu"][0] for number, (_, limits) in variables["by_systems"].items()}
    assert spans[5] > 2 * spans[10] > 2 * spans[20]
    assert variables["by_systems"][5][0]["p"] > 0.05 > variables["by_systems"][20][0]["p"]
    drawn, mean = ({one.metric: one.value for one in variables["by_rule"][rule].estimates} for rule in ("draw", "mean"))
    assert all(drawn[metric] < mean[metric] for metric in variables["metrics"])
    assert all(f"{metric} {value:.2f}" in printed[4] for values in (drawn, mean) for metric, value in values.items())
    shares = variables["by_rule"]["mean"].ceiling.query("kind == 'fraction of ceiling'").set_index("metric")["value"]
    assert all(f"{metric} reaches {shares[metric]:.0%}" in printed[5] for metric in variables["metrics"])
    ceiling = variables["by_rule"]["mean"].ceiling.set_index("kind")["value"]["ceiling"]
    assert mean["gtm"] / ceiling == pytest.approx(shares["gtm"], abs=0.01)
    assert_as_executed("how_sure_can_we_be", printed)
