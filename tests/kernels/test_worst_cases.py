"""The worst input that may come: very long segments, very many references, and a user who has had enough."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import pytest

from metaeval import _kernels

pytestmark = pytest.mark.skipif(_kernels.COMPILED is None, reason="nothing was compiled")

METRICS = [
    "bleu", "nist", "wer", "per", "gtm(exponent=1)", "gtm(exponent=2)", "rouge-l", "rouge-w",
    "rouge-w(program='1.5.5')", "rouge-s", "rouge-s(skip=4)", "ter",
]  # fmt: skip

MEASURE = """
import random, resource, sys
import numpy as np
from metaeval.metrics import get_metric
from metaeval.metrics.contract import measure
from metaeval.text.conditions import get_condition
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
encoded = encode(get_condition("case"), texts)
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print("start", flush=True)
values = measure(metric, encoded[:1], encoded[1:]).values
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024, np.isfinite(values).all())
"""


def start(metric: str, kind: str) -> subprocess.Popen[str]:
    environment = {**os.environ, "METAEVAL_REQUIRE_KERNELS": "1"}
    command = [sys.executable, "-c", MEASURE, metric, kind]
    return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


# What 20,000 x 20,000 cells of one byte would need is 400 MB. The quadratic times are those of the definitions.
@pytest.mark.parametrize("metric", [name for name in METRICS if name not in ("ter", "gtm(exponent=2)")])
@pytest.mark.parametrize("kind", ["long", "references"])
def test_memory_does_not_grow_with_the_square(metric, kind):
    process = start(metric, kind)
    out, error = process.communicate(timeout=300)
    assert process.returncode == 0, error
    peak, finite = out.split()[1:]
    assert float(peak) < 200
    assert finite == "True"


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("kind", ["long", "repeated"])
def test_ctrl_c_ends_within_a_second(metric, kind):
    process = start(metric, kind)
    assert process.stdout.readline() == "start\n"
    time.sleep(0.3)
    process.send_signal(signal.SIGINT)
    begun = time.monotonic()
    _, error = process.communicate(timeout=300)
    took = time.monotonic() - begun
    assert took < 2.5  # a second for the kernel, the rest for the interpreter to end on a busy machine
    # A quick metric is done before it can be stopped.
    assert process.returncode == 0 or "KeyboardInterrupt" in error
