"""Score texts in a new process, in which texts have other hashes and sets another order."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys

from metaeval.conformance.scoring import CheckedMetric, Scores
from metaeval.datamodel.corpus import Corpus
from metaeval.metrics import get_metric
from metaeval.text.preprocessing import get_preprocessing

_TIMEOUT_SECONDS = 1800.0
_CHILD_PROGRAM = """
import pickle, sys
path, parent, request = pickle.load(sys.stdin.buffer)
sys.path[:] = path
from metaeval.runtime.shutdown import die_with_parent
die_with_parent(parent)
from metaeval.conformance.new_process import answer
answer(request)
"""


def score_in_new_process(checked: CheckedMetric, corpus: Corpus) -> Scores | str:
    """Return the scores that a new process gives, or why it gives none."""
    try:
        sent: bytes | None = pickle.dumps(checked.metric)
    except Exception:
        sent = None  # the process makes it by its name
    request = pickle.dumps((checked.name, sent, checked.preprocessing.written, corpus))
    try:
        process = subprocess.run(
            [sys.executable, "-P", "-c", _CHILD_PROGRAM],
            input=pickle.dumps(([os.path.abspath(entry) for entry in sys.path], os.getpid(), request)),
            capture_output=True,
            env={**os.environ, "PYTHONHASHSEED": "2" if os.environ.get("PYTHONHASHSEED") == "1" else "1"},
            timeout=_TIMEOUT_SECONDS,
        )
    except subprocess.TimeoutExpired:
        return f"it took more than {_TIMEOUT_SECONDS:g} seconds"
    if process.stdout:
        scores: Scores | str = pickle.loads(process.stdout)
        return scores
    lines = process.stderr.decode("utf-8", "backslashreplace").split("\n")
    return next((line for line in reversed(lines) if line.strip()), f"exit code {process.returncode}")


def answer(request: bytes) -> None:
    """Score what another process asks for, and write the scores to stdout; what the metric prints goes to stderr."""
    out = os.dup(1)
    os.dup2(2, 1)
    name, sent, preprocessing, corpus = pickle.loads(request)
    scores: Scores | str
    try:
        metric = get_metric(name) if sent is None else pickle.loads(sent)
        scores = CheckedMetric(name, metric, get_preprocessing(preprocessing)).score_texts(corpus)
    except Exception as error:
        scores = f"{type(error).__name__}: {error}"
    with os.fdopen(out, "wb") as file:
        pickle.dump(scores, file)
