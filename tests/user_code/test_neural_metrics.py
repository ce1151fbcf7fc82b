"""The page on neural metrics: its very code runs, with stand-ins that have the interfaces of the packages it calls."""

from __future__ import annotations

import shlex
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from metaeval.cli import main
from metaeval.datamodel.corpus import Corpus
from metaeval.errors import MetricError
from metaeval.metrics import get_metric
from tests.docs.pages import ROOT, blocks, commands
from tests.support.plugins import in_a_directory_of_its_own, measured, module

__all__ = ["in_a_directory_of_its_own"]

PAGE = (ROOT / "docs" / "neural-metrics.md").read_text(encoding="utf-8")
COMMANDS = commands(PAGE)

# `predict` takes a list of dicts, and returns an object with `scores`.
COMET = """
from types import SimpleNamespace
def download_model(name): return "/models/" + name
class Model:
    def __init__(self, path): self.path = path
    def predict(self, samples, batch_size=16, gpus=1, mc_dropout=False, progress_bar=True):
        with open("calls", "a") as file: file.write(f"{self.path} {len(samples)} {gpus}\\n")
        scores = [len(one["src"]) + 10 * len(one["mt"]) + 100 * len(one.get("ref", "")) for one in samples]
        return SimpleNamespace(scores=scores, system_score=sum(scores) / len(scores))
def load_from_checkpoint(path): return Model(path)
"""
# Positional arguments are refused; each candidate has one reference.
BLEURT = """
class BleurtScorer:
    def __init__(self, checkpoint=None): assert checkpoint == "BLEURT-20"
    def score(self, *args, references=(), candidates=(), batch_size=None):
        assert not args and len(references) == len(candidates)
        return [len(one) * 10 + len(other) for one, other in zip(references, candidates)]
"""
# Of a list of references, the best; three tensors are returned.
BERTSCORE = """
import numpy as np
class BERTScorer:
    def __init__(self, model_type=None, lang=None): assert lang == "en"
    def score(self, cands, refs, verbose=False, batch_size=64, return_hash=False):
        found = np.array([max(len(ref) for ref in of) + len(cand) / 10 for cand, of in zip(cands, refs)])
        return 0 * found, 0 * found, found
"""
METRICX = """
import argparse, json
parser = argparse.ArgumentParser()
for name in ("tokenizer", "model_name_or_path", "input_file", "output_file"):
    parser.add_argument(f"--{name}", required=True)
for name in ("max_input_length", "batch_size"):
    parser.add_argument(f"--{name}", required=True, type=int)
args = parser.parse_args()
with open(args.input_file) as given, open(args.output_file, "w") as out:
    for line in given:
        row = json.loads(line)
        size = len("source: " + row["source"] + " candidate: " + row["hypothesis"] + " reference: " + row["reference"])
        out.write(json.dumps({**row, "prediction": float(size)}) + "\\n")
"""
OPENAI = """
from types import SimpleNamespace
class OpenAI:
    def __init__(self): self.chat = SimpleNamespace(completions=self)
    def create(self, *, model, messages, temperature):
        (message,) = messages
        mt = message["content"].rpartition("Translation: ")[2]
        content = "I cannot." if mt == "refuse" else f" {10 * len(mt)}.5"
        return SimpleNamespace(choices=[SimpleNamespace(message=SimpleNamespace(content=content))])
"""


@pytest.fixture(autouse=True)
def _written(in_a_directory_of_its_own):
    for block in blocks(PAGE):
        if block.file is not None:
            block.write()
    stand_ins = {
        "comet/__init__.py": COMET,
        "bleurt/__init__.py": "",
        "bleurt/score.py": BLEURT,
        "bert_score/__init__.py": BERTSCORE,
        "metricx24/__init__.py": "",
        "metricx24/predict.py": METRICX,
        "openai/__init__.py": OPENAI,
    }
    for name, code in stand_ins.items():
        module(code, name)


# The second segment lacks the second reference.
TEXTS = replace(
    Corpus.of_texts({"A": ["ab", "c"], "B": ["abc", "d"]}, {"r": ["x", "yy"], "q": ["xxx", None]}), sources=("s", "tt")
)

# In comments: the first segment of A with r and with q, and its second one with r, by the formulas of the stand-ins.
SCORES = [
    ("comet_metric.py:comet", [[221, 212], [231, 212]]),  # 1 + 20 + 100 and + 300, mean; 2 + 10 + 200
    ("comet_metric.py:kiwi(gpus=0)", [[21, 12], [31, 12]]),  # 1 + 20; 2 + 10
    ("bleurt_metric.py:bleurt", [[32, 21], [33, 21]]),  # 10 + 2 and 30 + 2, the largest; 20 + 1
    ("bertscore_metric.py:bertscore", [[3.2, 2.1], [3.3, 2.1]]),  # 3 + 0.2; 2 + 0.1
    # The labels have 8 + 12 + 12 characters; 1 + 2 + 1 and 1 + 2 + 3, mean; 2 + 1 + 2.
    ("metricx_metric.py:metricx", [[37, 37], [38, 37]]),
    ("llm_metric.py:judge", [[20.5, 10.5], [30.5, 10.5]]),
]


@pytest.mark.parametrize(("metric", "expected"), SCORES)
def test_scores(metric, expected):
    assert measured(metric, TEXTS) == [pytest.approx(scores) for scores in expected]


def test_every_function_of_the_page_is_scored():
    files = [block.file for block in blocks(PAGE) if block.file is not None]
    assert {name.partition(":")[0] for name, _ in SCORES} == set(files)
    assert len(COMMANDS) == len(files)


def test_the_model_is_asked_once_for_all_systems_references_and_subsets():
    metric = get_metric("comet_metric.py:comet")
    subsets = [("r",), ("q",), ("r", "q")]
    of_r, of_q, both = (found[..., 0].tolist() for found in metric.measure_subsets(TEXTS, subsets))
    assert of_r == [[121, 212], [131, 212]]
    assert of_q == [[321, pytest.approx(float("nan"), nan_ok=True)], [331, pytest.approx(float("nan"), nan_ok=True)]]
    assert both == [[221, 212], [231, 212]]
    # Two systems of two segments with r, and of one with q.
    assert Path("calls").read_text() == "/models/Unbabel/wmt22-comet-da 6 1\n"


def test_an_answer_without_a_number_is_shown():
    refused = replace(TEXTS, candidates=(("ab", "refuse"), ("a", "b")))
    with pytest.raises(
        MetricError, match=r"^metric 'llm_metric.py:judge': ValueError: the model answered 'I cannot.', not"
    ):
        measured("llm_metric.py:judge", refused)


@pytest.mark.parametrize("command", COMMANDS)
def test_commands_of_the_page(command, capsys):
    shutil.copytree(ROOT / "data" / "demo", "my-corpus")
    n_segments = len(Path("my-corpus/systems/sys1.txt").read_text().splitlines())
    Path("my-corpus/source.txt").write_text("".join(f"sentence {number}\n" for number in range(n_segments)))
    words = shlex.split(command)[1:]
    assert main([*words, "--resamples", "50", "--ceiling", "0", "--quiet"]) == 0
    out, err = capsys.readouterr()
    assert all(get_metric(name).title in out for name in words[words.index("-m") + 2 :])
    assert "left out" not in err
