"""TER against tercom 0.8.0 and sacreBLEU 2.6.0 (README of the gold): edits exact, rates to 1e-9.

The two programs agree on these texts. What tercom does to them before it scores is a preprocessing; only its removal of
punctuation is none.
"""

from __future__ import annotations

import re
from functools import cache

import numpy as np
import pytest

from metaeval import kernels
from metaeval.datamodel.corpus import FloatArray, Segments
from metaeval.metrics import ter
from metaeval.metrics.ter import Ter
from metaeval.metrics.ter_shifts import EditCount, ShiftSearch
from metaeval.text.preprocessing import get_preprocessing
from tests.support.gold import encode, gold, lines, rows

N_TERCOM_ROWS = {"edge1": 225, "edge2": 375, "seg60": 2400}
N_SACREBLEU_ROWS = {"edge1": 90, "edge2": 100, "seg60": 960}
KINDS = {"ins": "insertions", "del": "deletions", "sub": "substitutions", "shifts": "shifts"}
NORMALISED = 'case(tokenizer="tercom")'
# Tercom's options: the preprocessing, whether it removes punctuation, the metric.
OPTIONS = {
    "case-sens": ("case", False, Ter()),
    "lowercased": ("nocase", False, Ter()),
    "normalized+case-sens": (NORMALISED, False, Ter()),
    "normalized+nopunct+case-sens": (NORMALISED, True, Ter()),
    "case-sens+maxshiftdist5": ("case", False, Ter(shift_distance=5)),
}
SACREBLEU = {
    "sacrebleu TER case=yes norm=no punct=yes asian=no": "case-sens",
    "sacrebleu TER case=yes norm=yes punct=yes asian=no": "normalized+case-sens",
}


class RememberingSearch(ShiftSearch):
    """A search that makes the edits of a pair of texts once: the tables have most pairs several times."""

    def count(self, candidate, reference):
        return counted(ShiftSearch(**vars(self)), tuple(candidate), tuple(reference))


@cache
def counted(search: ShiftSearch, candidate: tuple[int, ...], reference: tuple[int, ...]) -> EditCount:
    return search.count(candidate, reference)


@pytest.fixture(autouse=True)
def _remember(monkeypatch):
    monkeypatch.setattr(ter, "ShiftSearch", RememberingSearch)


@cache
def texts(name: str, candidate: str, references: str, option: str) -> tuple[Segments, ...]:
    """Return the candidate and the references of an input set as a program with that option sees them."""
    preprocessing, unpunctuated, _ = OPTIONS[option]
    names = [f"hyp.{candidate}.txt", *(f"ref.{reference}.txt" for reference in references.split("+"))]
    files = [lines(gold(f"inputs/{name}/{file}")) for file in names]
    if not unpunctuated:
        return tuple(encode(*files, preprocessing=preprocessing))
    return tuple(
        encode(*([without_punctuation(words) for words in get_preprocessing(preprocessing).tokens(f)] for f in files))
    )


def without_punctuation(words: list[str]) -> str:
    """Return a text as tercom sees it: an empty word remains, here <>, where it began with what was removed."""
    bare = re.sub(r'[.,?:;!"()]', "", " ".join(words))
    return f"<> {bare}" if bare.startswith(" ") else bare


@cache
def statistics(name: str, candidate: str, references: str, option: str, metric: Ter | None = None) -> FloatArray:
    first, *others = texts(name, candidate, references, option)
    metric = metric or OPTIONS[option][-1]
    return metric.statistics(first, metric.prepare(others))


def measured(table: list[dict[str, str]]) -> list[dict[str, str]]:
    """Return the rows that are compared: without kernels, when all take half a minute, those of one system."""
    return [row for row in table if kernels.COMPILED is not None or row["hyp"] == "sys0"]


def column(values: FloatArray, name: str) -> float:
    return float(values[..., Ter(weighting="candidate").statistic_names.index(name)])


@pytest.mark.parametrize("name", N_TERCOM_ROWS)
def test_segments_equal_tercom_in_every_kind_of_edit(name):
    table = rows(f"ter/{name}.tercom080.segment.tsv")
    assert len(table) == N_TERCOM_ROWS[name]
    for row in measured(table):
        own = statistics(name, row["hyp"], row["refs"], row["options"])[int(row["seg"]) - 1]
        assert {key: int(row[key]) for key in KINDS} == {key: column(own, kind) for key, kind in KINDS.items()}, row
        assert int(row["words_shifted"]) == column(own, "words_shifted")
        assert float(row["edits"]) == column(own, "edits")
        assert float(row["avg_ref_words"]) == pytest.approx(column(own, "reference_length"), abs=1e-9)
        assert float(row["TER"]) == pytest.approx(float(Ter().score(own)), abs=1e-9)
        assert column(own, "stopped") == 0


@pytest.mark.parametrize("name", N_TERCOM_ROWS)
def test_corpora_equal_tercom(name):
    table = rows(f"ter/{name}.tercom080.corpus.tsv")
    assert {row["options"] for row in table} == set(OPTIONS)
    for row in measured(table):
        pooled = statistics(name, row["hyp"], row["refs"], row["options"]).sum(axis=0)
        assert float(row["edits"]) == column(pooled, "edits")
        assert float(row["avg_ref_words_sum"]) == pytest.approx(column(pooled, "reference_length"), abs=1e-9)
        assert float(row["TER"]) == pytest.approx(float(Ter().score(pooled)), abs=1e-9)
        assert float(row["printed_total_TER"]) == pytest.approx(float(Ter().score(pooled)), abs=1e-9)


@pytest.mark.parametrize("name", N_SACREBLEU_ROWS)
def test_segments_and_corpora_equal_sacrebleu(name):
    table = rows(f"ter/{name}.sacrebleu.segment.tsv")
    assert len(table) == N_SACREBLEU_ROWS[name]
    for row in measured([*table, *rows(f"ter/{name}.sacrebleu.corpus.tsv")]):
        own = statistics(name, row["hyp"], row["refs"], SACREBLEU[row["program"]])
        own = own[int(row["seg"]) - 1] if "seg" in row else own.sum(axis=0)
        assert float(row["edits"]) == column(own, "edits")
        assert float(row["ref_len"]) == pytest.approx(column(own, "reference_length"), abs=1e-9)
        assert float(row["TER_x100"]) == pytest.approx(100 * float(Ter().score(own)), abs=1e-7)


def tercom_rows(references: str) -> list[dict[str, str]]:
    """Return tercom's rows of the first system of seg60 against some references."""
    table = rows("ter/seg60.tercom080.segment.tsv")
    chosen = {"hyp": "sys0", "refs": references, "options": "case-sens"}
    return [row for row in table if all(row[key] == value for key, value in chosen.items())]


def rate_of_choice(metric: Ter) -> float:
    return float(metric.score(statistics("seg60", "sys0", "0+1+2+3", "case-sens", metric).sum(axis=0)))


def test_other_divisors_are_arithmetic_on_tercoms_edits():
    single = [tercom_rows(reference) for reference in "0123"]
    together = tercom_rows("0+1+2+3")
    candidate = texts("seg60", "sys0", "0", "case-sens")[0]
    closest, fewest, lowest = [], [], []
    for segment, length in enumerate(candidate.lengths.tolist()):
        pairs = [(float(own[segment]["edits"]), float(own[segment]["avg_ref_words"])) for own in single]
        lengths = [own_length for _, own_length in pairs]
        closest.append(min(lengths, key=lambda own_length, length=length: (abs(own_length - length), own_length)))
        fewest.append(min(pairs, key=lambda pair: (pair[0], -pair[1])))
        lowest.append(min(pairs, key=lambda pair: (pair[0] / pair[1], pair[0])))
    edits = sum(float(row["edits"]) for row in together)

    assert rate_of_choice(Ter(normalise="closest")) == pytest.approx(edits / sum(closest), abs=1e-9)
    for metric, pairs in [
        (Ter(normalise="reference"), fewest),
        (Ter(normalise="reference", references="lowest-rate"), lowest),
    ]:
        above, below = (sum(values) for values in zip(*pairs, strict=True))
        assert rate_of_choice(metric) == pytest.approx(above / below, abs=1e-9)


def test_morgenroths_weighting_is_arithmetic_on_tercoms_rates():
    weights = texts("seg60", "sys0", "0", "case-sens")[0].lengths
    rates = np.array([float(row["TER"]) for row in tercom_rows("0+1+2+3")])
    expected = float((weights * rates).sum() / weights.sum())
    assert rate_of_choice(Ter(weighting="candidate")) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize(
    ("metric", "rate"),
    # The definitions print the size of the choice for this system and these four references.
    [
        (Ter(), 0.5811),
        (Ter(normalise="closest"), 0.6109),
        (Ter(normalise="reference", references="lowest-rate"), 0.5936),
        (Ter(weighting="candidate"), 0.5867),
    ],
)
def test_size_of_the_choice(metric, rate):
    assert rate_of_choice(metric) == pytest.approx(rate, abs=5e-5)


@pytest.mark.parametrize(
    ("metric", "edits"),
    # Morgenroth (2011): 6 edits without shifts and 5 by her definition, which sets no limits; tercom finds 4.
    [
        (Ter(), 4),
        (Ter(shifts="aligned"), 5),
        (Ter(shifts="aligned", shift_size=None, shift_distance=None, beam=None, shift_choices=None), 5),
        (Ter(shift_size=0), 6),
        (Ter(shift_distance=0), 6),
    ],
)
def test_morgenroths_example(metric, edits):
    index = lines(gold("inputs/edge1/ids.txt")).index("morgenroth_TER")
    row = statistics("edge1", "sys0", "0", "case-sens", metric)[index]
    assert [edits, 9] == row[:2].tolist()


def test_a_block_of_twelve_words_takes_two_shifts_of_at_most_ten():
    # b1..b12 a1..a12 against a1..a12 b1..b12: one shift moves all twelve where no limit is set.
    index = lines(gold("inputs/edge1/ids.txt")).index("ter_long_block_12")
    limited = statistics("edge1", "sys0", "0", "case-sens")[index]
    free = statistics("edge1", "sys0", "0", "case-sens", Ter(shift_size=None))[index]

    assert [column(limited, "edits"), column(limited, "shifts")] == [2, 2]
    assert [column(free, "edits"), column(free, "words_shifted")] == [1, 12]


def test_statistics_of_any_partition_add_up_to_the_corpus():
    whole = statistics("seg60", "sys0", "0+1+2+3", "case-sens")
    parts = np.split(whole, [7, 20, 21])
    assert whole.sum(axis=0).tolist() == sum(part.sum(axis=0) for part in parts).tolist()
