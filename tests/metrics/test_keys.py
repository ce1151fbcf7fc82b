"""What several metrics count: statistics of one key are the same numbers, whichever metric counts them."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metaeval import kernels
from metaeval.metrics import get_metric
from metaeval.metrics.contract import measure
from metaeval.metrics.keys import StatisticKey
from metaeval.metrics.ngram_metric import JointCounter
from tests.support.kernels import as_segments


def calls(name, **choices):
    """Return a metric with each choice of its parameters."""
    each = [[f"{key}={value!r}" for value in values] for key, values in choices.items()]
    return [f"{name}({','.join(chosen)})" for chosen in itertools.product(*each)]


LENGTHS = ["closest", "shortest", "average"]
NGRAMS = [
    *calls("bleu", order=[1, 4, 9], length=LENGTHS),
    *calls("bleu", orders=[[3, 1], [2, 29]], mean=["arithmetic"]),
    *calls("bleu", smooth=["exp"], effective_order=[True]),
    *calls("nist", order=[1, 5, 12], information=[True, False]),
    *calls("nist", brevity=[False]),
]
OTHERS = [
    *calls("gtm", exponent=[1, 2], mean=["f", "precision", "recall"]),
    *calls("gtm", cap=["whole"], mean=["f", "recall"]),
    *calls("gtm", exponent=[2], search=["exact"], mean=["f", "recall"]),
    *calls("wer", normalise=["average", "closest", "shortest", "longest"]),
    *calls("wer", normalise=["reference"], references=["minimum", "lowest-rate"], ties=["lowest", "first"]),
    *calls("per", normalise=["reference", "average"]),
]

tokens = st.lists(st.sampled_from([1, 2, 3, 90]), max_size=40)
texts = st.integers(1, 4).flatmap(
    lambda n: st.lists(st.lists(tokens | st.none(), min_size=n, max_size=n), min_size=4, max_size=5)
)


def check_that_equal_keys_are_equal_numbers(names, candidates, references):
    seen: dict = {}
    for name in names:
        metric = get_metric(name)
        values = measure(metric, candidates, references).values
        assert len(metric.statistic_keys) == len(metric.statistic_names) == values.shape[-1]
        for key, column in zip(metric.statistic_keys, np.moveaxis(values, -1, 0), strict=True):
            np.testing.assert_array_equal(column, seen.setdefault(key, column), err_msg=f"{name}: {key}")
    return seen


@settings(max_examples=10)
@given(texts, st.data())
@pytest.mark.parametrize("compiled", [True, False])
def test_statistics_of_one_key_are_the_same_numbers(compiled, texts, data):
    *candidates, first, second = map(as_segments, texts)
    with pytest.MonkeyPatch.context() as patch:
        if not compiled:
            patch.setattr(kernels, "COMPILED", None)
        counted = check_that_equal_keys_are_equal_numbers(NGRAMS, candidates, [first, second])
        check_that_equal_keys_are_equal_numbers([*OTHERS, *NGRAMS[:1]], candidates, [first, second])
        # What counts for several of them, any of them, counts the same.
        keys = tuple(data.draw(st.lists(st.sampled_from([*counted]), min_size=1, unique=True)))
        together = np.moveaxis(measure(JointCounter(keys), candidates, [first, second]).values, -1, 0)
    for key, column in zip(keys, together, strict=True):
        np.testing.assert_array_equal(column, counted[key], err_msg=str(key))


def test_keys_of_metrics_by_hand():
    lengths = [("candidate_length", ""), ("reference_length", "closest")]
    assert [*get_metric("bleu(order=2)").statistic_keys] == [
        ("matches", 1), ("matches", 2), ("totals", 1), ("totals", 2), *lengths,
    ]  # fmt: skip
    assert [*map(str, get_metric("nist(order=1)").statistic_keys)] == [
        "information_1", "totals_1", "candidate_length", "reference_length(average)",
    ]  # fmt: skip
    # Precision, recall and F of the same matching; another exponent has another one.
    f, recall, squared = (get_metric(f"gtm({one})") for one in ("", 'mean="recall"', "exponent=2"))
    assert f.statistic_keys == recall.statistic_keys
    assert f.statistic_keys[0] != squared.statistic_keys[0]
    assert f.statistic_keys[1:] == squared.statistic_keys[1:] == get_metric("nist").statistic_keys[-2:]
    # The fewest edits, whatever they are divided by; those of the lowest rate may be others, and PER counts others.
    edits = [get_metric(name).statistic_keys[0] for name in ("wer", "wer(normalise='closest')")]
    others = [get_metric(name).statistic_keys[0] for name in ("wer(references='lowest-rate')", "per")]
    assert len({*edits}) == 1
    assert len({*edits, *others}) == 3
    # A metric that says nothing shares nothing.
    assert get_metric("rouge-l").statistic_keys[0] == StatisticKey("score_sum", get_metric("rouge-l"))
    assert get_metric("rouge-l").statistic_keys != get_metric("rouge-l(beta=2)").statistic_keys
