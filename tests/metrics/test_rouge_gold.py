"""ROUGE against ROUGE-1.5.5, rouge-metric 1.0.1, rouge-score 0.1.2 and an oracle of the paper's formulas.

Origin of the figures: README of the gold. ROUGE-1.5.5 rounds recall and precision to five decimals and computes F from
these, so its figures are compared to 1.5e-5; all others to 1e-9. In its rows called ``mapped`` every token is a code,
so that the script's own treatment of texts changes nothing.
"""

from __future__ import annotations

import re
from functools import cache

import numpy as np
import pytest

from metaeval.datamodel.corpus import FloatArray
from metaeval.metrics import get_metric
from tests.support.gold import inputs, rows

MEANS = {"R": "recall", "P": "precision", "F": "f"}
# Figures (R, P and F) of ROUGE-L, W and S compared in each set, so that a table that went missing cannot pass.
N_SEGMENT_FIGURES = {"edge1": 1080, "edge2": 2400, "seg60": 17280}
N_CORPUS_FIGURES = {"edge1": 24, "edge2": 96, "seg60": 72}
N_ORACLE_FIGURES = {"edge1": (945, 0), "edge2": (525 + 525, 525), "seg60": (10080, 5040)}


def name_of(measure: str, program: str, **parameters: object) -> str | None:
    """Return the name of the metric of a measure such as ROUGE-SU4; None for the n-gram measures."""
    family = re.fullmatch(r"rouge-(l|w-(?P<weight>.+)|s(?P<unigram>u?)(?P<skip>\*|\d+))", measure.lower())
    if not family:
        return None
    letter = measure[6].lower()
    if letter == "w":
        parameters |= {"weight": float(family["weight"]), "program": program}
    if letter == "s":
        parameters["skip"] = None if family["skip"] == "*" else int(family["skip"])
        if family["unigram"]:
            parameters |= {"unigram": True, "program": program}
    return f"rouge-{letter}({','.join(f'{key}={value!r}' for key, value in parameters.items())})"


@cache
def statistics(set_name: str, candidate: str, references: str, metric: str) -> FloatArray:
    candidates, known = inputs(set_name)
    one = get_metric(metric)
    return one.statistics(candidates[candidate], one.prepare([known[reference] for reference in references.split("+")]))


@cache
def segment_scores(
    set_name: str, candidate: str, references: str, measure: str, program: str, formula: str, mean: str
) -> FloatArray:
    """Return the scores of all segments, from counts that recall, precision and F share."""
    counts = name_of(measure, program, formula=formula, pooling="counts")
    metric = get_metric(name_of(measure, program, formula=formula, pooling="counts", mean=mean))
    return metric.score(statistics(set_name, candidate, references, counts))


@pytest.mark.parametrize("set_name", N_SEGMENT_FIGURES)
def test_segments_equal_the_script(set_name):
    compared = 0
    for row in rows(f"rouge/{set_name}.rouge155.segment.tsv"):
        for column, mean in MEANS.items():
            if row["text"] == "mapped" and name_of(row["measure"], "1.5.5"):
                key = row["measure"], "1.5.5", row["formula"], mean
                own = segment_scores(set_name, row["hyp"], row["refs"], *key)[int(row["seg"]) - 1]
                assert float(row[column]) == pytest.approx(own, abs=1.5e-5), (row, column)
                compared += 1
    assert compared == N_SEGMENT_FIGURES[set_name]


@pytest.mark.parametrize("set_name", N_CORPUS_FIGURES)
def test_the_score_of_a_document_is_the_mean_of_the_scripts_segments(set_name):
    compared = 0
    for row in rows(f"rouge/{set_name}.rouge155.corpus.tsv"):
        metric = name_of(row["measure"], "1.5.5", formula=row["formula"], mean=MEANS[row["which"]])
        if row["text"] == "mapped" and row["hyp"] == "sys0" and metric:
            pooled = statistics(set_name, row["hyp"], row["refs"], metric).sum(axis=0)
            expected = pytest.approx(float(get_metric(metric).score(pooled)), abs=1.5e-5)
            assert float(row["plain_mean_of_segments"]) == expected, (row, metric)
            compared += 1
    assert compared == N_CORPUS_FIGURES[set_name]


def test_segments_equal_the_script_with_weight_2():
    table = rows("rouge/edge1.rouge155_w2.segment.tsv")
    assert len(table) == 45
    for row in table:
        for column, mean in MEANS.items():
            own = segment_scores("edge1", row["hyp"], "0", row["measure"], "1.5.5", "A", mean)[int(row["seg"]) - 1]
            assert float(row[column]) == pytest.approx(own, abs=1.5e-5), row


@pytest.mark.parametrize("set_name", N_ORACLE_FIGURES)
def test_segments_equal_the_papers_formulas_with_and_without_jackknife(set_name):
    compared = jackknifed = 0
    for row in rows(f"rouge/{set_name}.paper_definition_oracle.segment.tsv"):
        segment = int(row["seg"]) - 1
        references = row["refs"].split("+")
        for column, mean in MEANS.items():
            key = row["measure"], "paper", "paper", mean
            own = segment_scores(set_name, row["hyp"], row["refs"], *key)[segment]
            assert float(row[column]) == pytest.approx(own, abs=1e-9), (row, column)
            compared += 1
            if row[f"jackknife_{column}"]:
                subsets = ["+".join(name for name in references if name != left_out) for left_out in references]
                each = [segment_scores(set_name, row["hyp"], subset, *key)[segment] for subset in subsets]
                assert float(row[f"jackknife_{column}"]) == pytest.approx(np.mean(each), abs=1e-9), (row, column)
                jackknifed += 1
    assert (compared, jackknifed) == N_ORACLE_FIGURES[set_name]


@pytest.mark.parametrize("set_name", N_ORACLE_FIGURES)
def test_corpora_equal_the_papers_formulas(set_name):
    table = rows(f"rouge/{set_name}.paper_definition_oracle.corpus_mean.tsv")
    assert len(table) == {"edge1": 7, "edge2": 14, "seg60": 56}[set_name]
    for row in table:
        for column, mean in MEANS.items():
            metric = name_of(row["measure"], "paper", mean=mean)
            pooled = statistics(set_name, row["hyp"], row["refs"], metric).sum(axis=0)
            assert pooled[1] == int(row["n_segments"])
            assert float(row[column]) == pytest.approx(float(get_metric(metric).score(pooled)), abs=1e-9), row


# How the programs that do not round call the formulas. rouge-score's score_multi takes the reference with the best F,
# which no formula here does.
FORMULAS = {"rouge-score ws-tokenizer": "paper", "multi_ref_mode=average": "A", "multi_ref_mode=best": "B"}


@pytest.mark.parametrize("program", FORMULAS)
def test_segments_equal_programs_that_do_not_round(program):
    compared = 0
    for row in rows("rouge/seg60.sys0.libraries.segment.tsv"):
        formula = FORMULAS[program]
        if program not in row["program"] or "score_multi" in row["program"]:
            continue
        if "-w-" in row["measure"] and formula == "B" and row["refs"] != "0":
            continue  # rouge-metric chooses the reference after the second weighting, the script before it
        for column, mean in MEANS.items():
            if name_of(row["measure"], "1.5.5"):
                key = row["measure"], "1.5.5", formula, mean
                own = segment_scores("seg60", "sys0", row["refs"], *key)[int(row["seg"]) - 1]
                assert float(row[column]) == pytest.approx(own, abs=1e-9), (row, column)
                compared += 1
    # 60 segments, R, P and F; L, W, S and SU at two distances and twice the references, less those left out.
    assert compared == 180 * {"paper": 1, "A": 16, "B": 14}[FORMULAS[program]]
