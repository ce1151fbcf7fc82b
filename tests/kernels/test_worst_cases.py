"""The worst input that may come: very long segments, very many references, and a user who has had enough."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from metaeval import kernels
from tests.support.processes import HANGS

pytestmark = pytest.mark.skipif(kernels.COMPILED is None, reason="nothing was compiled")

METRICS = [
    "bleu", "nist", "wer", "per", "gtm(exponent=1)", "gtm(exponent=2)", "rouge-l", "rouge-w",
    "rouge-w(program='1.5.5')", "rouge-s", "rouge-s(skip=4)", "ter",
]  # fmt: skip

MEASURE = """
import random, resource, signal, sys, time
import numpy as np
from metaeval.metrics import get_metric
from metaeval.metrics.contract import measure
from metaeval.text.preprocessing import get_preprocessing
from metaeval.text.encoding import encode

metric, kind = get_metric(sys.argv[1]), sys.argv[2]
rng = random.Random(1)
words = [f"w{n}" for n in range(3000)]
if kind == "long":
    texts = [[" ".join(rng.choices(words, k=20000))] for _ in range(2)]
elif kind == "repeated":
    texts = [["a " * 20000], ["a " * 19990]]
else:
    texts = [[" ".join(rng.choices(words[:50], k=12)) for _ in range(3)] for _ in range(1001)]
encoded = encode(get_preprocessing("case"), texts)
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
if len(sys.argv) > 3:
    # A signal that comes after so much CPU time and interrupts as Ctrl-C does: a busy machine changes nothing.
    after = float(sys.argv[3])
    signal.signal(signal.SIGPROF, signal.default_int_handler)
    signal.setitimer(signal.ITIMER_PROF, after)
begun = time.process_time()
try:
    values = measure(metric, encoded[:1], encoded[1:]).values
except KeyboardInterrupt:
    print("interrupted", time.process_time() - begun - after)
else:
    signal.setitimer(signal.ITIMER_PROF, 0)
    print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024, np.isfinite(values).all())
"""


def measured(metric: str, kind: str, *after: str) -> list[str]:
    """Return the words that MEASURE prints."""
    command = [sys.executable, "-c", MEASURE, metric, kind, *after]
    environment = {**os.environ, "METAEVAL_REQUIRE_KERNELS": "1"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=HANGS, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.split()


# What 20,000 x 20,000 cells of one byte would need is 400 MB. The quadratic times are those of the definitions.
@pytest.mark.parametrize("metric", [name for name in METRICS if name not in ("ter", "gtm(exponent=2)")])
@pytest.mark.parametrize("kind", ["long", "references"])
def test_memory_does_not_grow_with_the_square(metric, kind):
    peak, finite = measured(metric, kind)
    assert float(peak) < 200
    assert finite == "True"


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("kind", ["long", "repeated"])
def test_ctrl_c_ends_within_a_second(metric, kind):
    told, took = measured(metric, kind, "0.002")
    # Linear metrics may be done before they can be stopped; a call of a quadratic kernel takes far longer than that.
    assert told == "interrupted" or metric not in ("rouge-w", "rouge-w(program='1.5.5')")
    assert told != "interrupted" or float(took) < 1
