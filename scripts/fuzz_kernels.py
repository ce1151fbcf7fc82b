"""Random and hostile input for the compiled kernels, against the plain definitions, for as long as one likes.

    python scripts/fuzz_kernels.py --minutes 30

Each round measures random texts with a metric by its kernels and by its plain definition, which must agree, and then
calls the same kernels again with spoilt arrays, which must be refused with an error or give something, but never touch
memory that is not theirs: `make sanitize-fuzz` runs this under AddressSanitizer and UBSan, which would tell.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any

import numpy as np

from metaeval import kernels
from metaeval.correlation.ceiling import draw_parts
from metaeval.correlation.coefficients import Spearman
from metaeval.correlation.pair_counts import count_pairs
from metaeval.correlation.pairwise_accuracy import calibrated_means
from metaeval.correlation.soft_pairwise_accuracy import SoftOfSystems, twice_counted
from metaeval.datamodel.corpus import Corpus, Documents
from metaeval.datamodel.pooling import JudgedValues, mean_of_sums, pool, settle
from metaeval.judgments.combining import pool_judgments
from metaeval.metrics import get_metric
from metaeval.metrics.chrf import Chrf
from metaeval.metrics.contract import measure
from metaeval.text.encoding import encode
from metaeval.text.preprocessing import get_preprocessing

METRICS = (
    "bleu", "bleu(order=12)", "bleu(orders=[2,3],length='average')", "nist", "nist(order=2)", "nist(information=False)",
    "wer", "wer(normalise='closest')", "per", "gtm", "gtm(exponent=2)", "gtm(exponent=3,cap='whole')",
    "gtm(exponent=1.5)",
    "rouge-l", "rouge-l(formula='B')", "rouge-w", "rouge-w(program='1.5.5')", "rouge-w(weighting='linear')", "rouge-s",
    "rouge-s(skip=0)", "rouge-s(skip=4,unigram=True)", "rouge-s(skip=9,unigram=True,program='1.5.5')", "ter",
    "ter(shifts='aligned',shift_size=None,shift_distance=None,beam=None)", "ter(shift_size=2,shift_distance=3,beam=2)",
    "ter(shift_choices=5)", "ter(beam=None)", "ter(shift_size=None,beam=5)", "ter(beam=1)", "ter(normalise='closest')",
)  # fmt: skip
LENGTHS = (0, 0, 1, 2, 3, 5, 8, 12, 20, 31, 63, 64, 65, 80, 127, 128, 129, 150)


@contextmanager
def compiled_kernels(replacement: object) -> Iterator[None]:
    """Let all wrappers use a replacement of the compiled module, or nothing."""
    before, kernels.COMPILED = kernels.COMPILED, replacement
    try:
        yield
    finally:
        kernels.COMPILED = before


class Recorder:
    """Stands for the compiled module and keeps the calls."""

    def __init__(self, module: ModuleType) -> None:
        self._module = module
        self.calls: list[tuple[str, tuple[Any, ...]]] = []

    def __getattr__(self, name: str) -> Any:
        def call(*arguments: Any) -> Any:
            kept = tuple(one.copy() if isinstance(one, np.ndarray) else one for one in arguments)
            self.calls.append((name, kept))
            return getattr(self._module, name)(*arguments)

        return call


def texts(rng: random.Random) -> tuple[list[list[str | None]], list[list[str | None]]]:
    """Return candidates and references: few words or many, repeated ones, empty and absent segments."""
    words = [f"w{number}" for number in range(rng.choice((1, 2, 3, 6, 30, 1000)))]
    segments = rng.randint(1, 5)

    def text(absent: bool) -> list[str | None]:
        lines: list[str | None] = []
        for _ in range(segments):
            length = rng.choice(LENGTHS[: rng.choice((6, 10, len(LENGTHS)))])
            line = rng.choices(words, k=length)
            if rng.random() < 0.3 and line:
                line = (line[: rng.randint(1, len(line))] * 5)[:length]
            lines.append(None if absent and rng.random() < 0.15 else " ".join(line))
        return lines

    candidates, references = (
        [text(False) for _ in range(rng.randint(1, 3))],
        [text(True) for _ in range(rng.randint(1, 4))],
    )
    for lines in (*candidates, *references[1:]):
        for place in range(segments):
            model = references[0][place]
            if rng.random() < 0.4 and model:  # near a reference: swaps, losses and shifts of a block
                line = model.split()
                for _ in range(rng.randint(0, 4)):
                    if line:
                        at, end, to = rng.randrange(len(line)), rng.randint(1, 9), rng.randrange(len(line))
                        block = line[at : at + end]
                        del line[at : at + end]
                        if rng.random() < 0.7:
                            line[to:to] = block
                lines[place] = " ".join(line)
    return candidates, references


def agree(rng: random.Random, recorder: Recorder) -> str:
    """Measure one random set of texts both ways."""
    name = rng.choice(METRICS)
    candidates, references = texts(rng)
    preprocessing, metric = get_preprocessing("case"), get_metric(name)
    with compiled_kernels(recorder):
        encoded = encode(preprocessing, [*candidates, *references])
        fast = measure(metric, encoded[: len(candidates)], encoded[len(candidates) :]).values
    with compiled_kernels(None):
        plain = encode(preprocessing, [*candidates, *references])
        slow = measure(metric, plain[: len(candidates)], plain[len(candidates) :]).values
    for one, other in zip(encoded, plain, strict=True):
        assert np.array_equal(one.ids, other.ids), (candidates, references)
        assert np.array_equal(one.offsets, other.offsets), (candidates, references)
    np.testing.assert_allclose(fast, slow, rtol=1e-12, atol=1e-12, err_msg=f"{name} {candidates} {references}")
    return name.partition("(")[0]


def agree_on_characters(rng: random.Random, recorder: Recorder) -> str:
    """Count n-grams of characters and words of one random set of texts both ways."""
    candidates, references = texts(rng)
    marks = str.maketrans({"w": rng.choice("w(a é"), "1": rng.choice("1.,İ"), "2": rng.choice("2\U0001f600 \u3000")})
    parts = [
        {str(number): [text and text.translate(marks)[:300] for text in lines] for number, lines in enumerate(part)}
        for part in (candidates, references)
    ]
    corpus, names = Corpus.of_texts(*parts), tuple(parts[1])
    metric = Chrf(rng.choice((1, 6, 9)), rng.choice((0, 1, 2)), 2, *(rng.random() < 0.5 for _ in range(3)))
    with compiled_kernels(recorder):
        fast = metric.measure(corpus, names)
    with compiled_kernels(None):
        np.testing.assert_array_equal(fast, metric.measure(corpus, names), err_msg=f"{metric} {parts}")
    return "chrf"


def agree_on_replicates(rng: random.Random, recorder: Recorder) -> str:
    """Calibrate ties in random replicates both ways."""
    numbers, shape = np.random.default_rng(rng.getrandbits(32)), (rng.randint(1, 12), rng.randint(1, 9))
    metric, human = numbers.integers(0, 9, shape) / 8, numbers.integers(0, 4, shape)
    present, counts = numbers.random(shape) < 0.9, numbers.integers(0, 4, (rng.randint(0, 20), shape[0]))
    with compiled_kernels(recorder):
        fast = calibrated_means(metric, human, counts, where=present)
    with compiled_kernels(None):
        slow = calibrated_means(metric, human, counts, where=present)
    np.testing.assert_array_equal(fast, slow, err_msg=f"{metric} {human} {present} {counts}")
    return "replicates"


def agree_on_systems(rng: random.Random, recorder: Recorder) -> str:
    """Compare systems by the normal distribution both ways."""
    numbers, systems = np.random.default_rng(rng.getrandbits(32)), rng.randint(2, 8)
    lines, rows, n_pairs = rng.randint(1, 3), rng.randint(0, 9), systems * (systems - 1) // 2
    metrics, human = numbers.normal(size=(lines, rows, systems)) * 9, numbers.normal(size=(rows, systems))
    errors = numbers.random((lines, n_pairs)) * (numbers.random((lines, n_pairs)) < 0.8)
    kinds = [SoftOfSystems(one, errors[0]) for one in errors]
    with compiled_kernels(recorder):
        fast = kinds[0].correlate_metrics(kinds, metrics, human)
    with compiled_kernels(None):
        slow = kinds[0].correlate_metrics(kinds, metrics, human)
    np.testing.assert_allclose(fast, slow, rtol=0, atol=1e-12, err_msg=f"{metrics} {human} {errors}")
    sums, bounds = numbers.integers(0, 3, (lines, systems, rows)) * 1.0, numbers.integers(-2, 2, (lines, systems))
    for exchanged in (None, (sums, *numbers.integers(0, lines, (2, lines)))):
        given = sums, bounds * 1.0, bounds * 0.0, "wmt", exchanged
        with compiled_kernels(recorder):
            counts = twice_counted(*given)
        with compiled_kernels(None):
            np.testing.assert_array_equal(counts, twice_counted(*given))
    return "systems"


def agree_on_documents(rng: random.Random, recorder: Recorder) -> str:
    """Draw, add, round, rank and count pairs both ways."""
    numbers, systems = np.random.default_rng(rng.getrandbits(32)), rng.randint(2, 70)
    segments, documents, length, two = rng.randint(1, 9), rng.randint(1, 20), rng.randint(1, 12), rng.random() < 0.5
    counts = numbers.integers(int(two), 4, (systems, segments))
    starts = np.concatenate([[0], np.cumsum(counts)[:-1]]).reshape(counts.shape)
    judged = JudgedValues(numbers.normal(size=counts.sum()).round(1), starts, counts)
    repeats = rng.randint(1, 3)
    held = numbers.integers(0, segments, (repeats * documents, length), dtype=np.int32)
    values = numbers.integers(0, 9, (systems, segments, rng.randint(1, 11))) / 8
    tie, seed = rng.choice(("average", "uncorrected", "ordinal")), rng.getrandbits(32)
    epsilon, gap = rng.choice((0.0, 0.5)), rng.choice((0.0, 0.25))
    long = numbers.integers(-9, 9, (2, rng.randint(1, 2000))).astype(np.float64)
    long = np.ldexp(long, numbers.integers(-rng.choice((0, 9, 999)), 1, long.shape))

    def found() -> list[np.ndarray[Any, Any]]:
        streams = [[(part, system) for system in range(systems)] for part in range(repeats)]
        human = mean_of_sums(pool_judgments(judged, held, seed, streams, two=two)[0], 3.0)
        pooled = settle(pool(values, Documents(indices=held))[..., 0], 0.0 if two else 9.0)
        parts = draw_parts(judged, repeats, np.random.default_rng(seed))
        pairs = vars(count_pairs(pooled, np.nan_to_num(human), epsilon=epsilon, gap=gap))
        ranks = [Spearman(tie)(pooled, np.nan_to_num(human)), Spearman("ordinal").prepare(long)]
        return [pooled, human, *ranks, *parts.values(), *pairs.values()]

    with compiled_kernels(recorder):
        fast = found()
    with compiled_kernels(None):
        slow = found()
    for one, other in zip(fast, slow, strict=True):
        assert one.tobytes() == other.tobytes(), (judged, held, values, tie, seed, epsilon, gap, long)
    return "documents"


def spoil(rng: random.Random, recorder: Recorder, module: ModuleType) -> str:
    """Call a kernel again with one argument spoilt; an error or a result are both right."""
    name, arguments = rng.choice(recorder.calls)
    spoilt = [one.copy() if isinstance(one, np.ndarray) else one for one in arguments]
    place = rng.randrange(len(spoilt))
    value = spoilt[place]
    if isinstance(value, np.ndarray):
        kind = rng.randrange(7)
        if kind == 0 and value.size:
            extreme = rng.choice((0, 1, -1, 2**31 - 1, 2**40, -(2**63), rng.randint(0, 50)))
            with np.errstate(all="ignore"):
                value.reshape(-1)[rng.randrange(value.size)] = np.array(extreme).astype(value.dtype)
        elif kind == 1:
            spoilt[place] = value.reshape(-1)[: rng.randint(0, value.size)].copy()
        elif kind == 2:
            spoilt[place] = np.concatenate([value.reshape(-1), value.reshape(-1)[:3]])
        elif kind == 3:
            with np.errstate(all="ignore"):
                spoilt[place] = value.astype(
                    rng.choice((np.int8, np.int32, np.int64, np.float32, np.float64, np.uint32))
                )
        elif kind == 4:
            spoilt[place] = np.repeat(value.reshape(-1), 2)[::2]
        elif kind == 5:
            # The memory of another array, or a part of it.
            memory = rng.choice([one for one in spoilt if isinstance(one, np.ndarray)]).reshape(-1).view(np.uint8)
            start = rng.choice((0, 0, 8, 16))
            if memory.nbytes >= start + value.nbytes:
                spoilt[place] = memory[start : start + value.nbytes].view(value.dtype).reshape(value.shape)
        else:
            spoilt[place] = rng.choice((None, b"", "text", [1, 2], 3.5))
    elif isinstance(value, bytes):
        spoilt[place] = value[: rng.randint(0, len(value))]
    elif isinstance(value, int):
        spoilt[place] = rng.choice((0, 1, -1, value + 1, value - 1, 33, 2**31, 2**62, -(2**63), 2**70))
    elif isinstance(value, float):
        spoilt[place] = rng.choice((0.0, -1.0, float("nan"), float("inf"), 1e308))
    try:
        getattr(module, name)(*spoilt)
    except (TypeError, ValueError, BufferError, OverflowError, MemoryError):
        return "refused"
    return "taken"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=1.0)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    module = kernels.COMPILED
    if module is None:
        sys.exit("the kernels are not compiled")
    rng, counts, end = random.Random(options.seed), Counter[str](), time.monotonic() + 60 * options.minutes
    while time.monotonic() < end:
        recorder = Recorder(module)
        counts[agree(rng, recorder)] += 1
        counts[agree_on_characters(rng, recorder)] += 1
        counts[agree_on_replicates(rng, recorder)] += 1
        counts[agree_on_systems(rng, recorder)] += 1
        counts[agree_on_documents(rng, recorder)] += 1
        for _ in range(20):
            counts[spoil(rng, recorder, module)] += 1
    print(
        f"seed {options.seed}, {options.minutes:g} minutes: "
        + ", ".join(f"{n} {name}" for name, n in sorted(counts.items()))
    )


if __name__ == "__main__":
    main()
