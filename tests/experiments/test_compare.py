"""The comparison of metrics: every number by scipy from the texts and judgments themselves, on several corpora."""

from __future__ import annotations

import json

import numpy as np
import pytest
from scipy import stats

import metaeval
from metaeval.cli import main
from metaeval.errors import UsageError
from tests.support.corpus import write
from tests.support.gold import CORPORA

METRICS = ["bleu(order=2)", "ter", "rouge-l"]
CONDITION = 'case(tokenizer="13a")'
LEVELS = ["system", "segment", "documents(length=5,count=40)"]


def corpora():
    found = ["demo"]
    return [*found, str(CORPORA / "wmt21-ted-zhen")] if CORPORA.is_dir() else found


def human_means(corpus, criterion):
    position = [one.name for one in corpus.criteria].index(criterion)
    rows = corpus.judgments.where(corpus.judgments.criterion == position)
    total, number = np.zeros((2, len(corpus.systems), corpus.n_segments))
    np.add.at(total, (rows.system, rows.segment), rows.score)
    np.add.at(number, (rows.system, rows.segment), 1)
    with np.errstate(invalid="ignore"):
        return total / number


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("name", corpora())
def test_coefficients_and_differences_equal_scipy(name, level):
    corpus = metaeval.load_corpus(name)
    criterion = corpus.criteria[0]
    found = metaeval.compare(name, METRICS, criteria=[criterion.name], level=level, n_resamples=20, ceiling=5)
    human = human_means(corpus, criterion.name)
    eligible = np.flatnonzero(~np.isnan(human).any(axis=0))
    length = {"system": len(eligible), "segment": 1}.get(level, 5)
    place = f"{corpus.name}/{'+'.join(corpus.references)}/{criterion.name}/{length}"
    documents = found.results.arrays[f"{place}/segments"] - 1
    assert set(documents.ravel()) <= set(eligible)
    people = np.stack([human[:, segments].mean(axis=1) for segments in documents])
    direction = 1 if criterion.higher_is_better else -1
    values = {}
    for metric, good in zip(METRICS, (1, -1, 1), strict=True):
        scores = np.empty(people.shape)
        for place_of, segments in enumerate(documents):
            (scored,) = (
                metaeval.score(
                    [metric],
                    {
                        system: [texts[k] for k in segments]
                        for system, texts in zip(corpus.systems, corpus.candidates, strict=True)
                    },
                    {ref: [texts[k] for k in segments] for ref, texts in corpus.references.items()},
                    condition=CONDITION,
                )
                if level == "system" or place_of < 12
                else (None,)
            )
            if scored is not None:
                scores[place_of] = scored.values[:, 0]
        checked = slice(None) if level == "system" else slice(12)
        own = found.results.arrays[f"{place}/{CONDITION}/{metric}"]
        np.testing.assert_allclose(own[checked], scores[checked], rtol=0, atol=1e-9)
        values[metric] = np.array(
            [
                good * direction * stats.pearsonr(x, y).statistic if np.ptp(x) > 0 and np.ptp(y) > 0 else np.nan
                for x, y in zip(own, people, strict=True)
            ]
        )
    expected = {metric: np.nanmean(of_metric) for metric, of_metric in values.items()}
    (table,) = found.tables
    (rows,) = [json.loads(found.text("json"))]
    best = max(expected, key=expected.get)
    assert [row["metric"] for row in rows] == sorted(expected, key=expected.get, reverse=True)
    for row in rows:
        assert row["value"] == pytest.approx(expected[row["metric"]], abs=1e-9)
        # Where one of the two has no coefficient, a document tells nothing about their difference.
        paired = values[best] - values[row["metric"]]
        assert row["best_minus_this"] == pytest.approx(np.nanmean(paired), abs=1e-9)
        if not np.isnan(paired).any():
            replicates = {one.metric: one.replicates for one in found.results.estimates}
            differences = replicates[best] - replicates[row["metric"]]
            limits = np.quantile(differences[~np.isnan(differences)], [0.025, 0.975])
            assert (row["difference_lower"], row["difference_upper"]) == pytest.approx(tuple(limits), abs=1e-9)
    assert table.sentence.count("against") == len(METRICS) - 1


def test_ties_are_counted_over_pairs_of_systems():
    found = metaeval.compare("demo", ["bleu"], criteria=["adequacy"], level="segment", n_resamples=5, ceiling=0)
    scores = found.results.arrays[f"demo/ref1+ref2+ref3+ref4/adequacy/1/{CONDITION}/bleu"]
    pairs = [(x[i], x[j]) for x in scores for i in range(8) for j in range(i)]
    assert found.tables[0].rows[0]["ties"] == pytest.approx(np.mean([a == b for a, b in pairs]), abs=1e-12)
    assert "share of ceiling" in found.tables[0].rows[0]
    assert found.tables[0].sentence == "bleu is the only metric."


def test_sentences_say_what_was_shown_and_what_was_not():
    # Two metrics that people can tell apart on single segments of adequacy, and two that are the same.
    clear = metaeval.compare("demo", ["nist", "ter"], criteria=["adequacy"], level="segment", n_resamples=400)
    same = metaeval.compare("demo", ["bleu(order=1)", 'bleu(order=1,smooth="mteval")'], level="system", n_resamples=50)
    assert clear.tables[0].sentence.startswith("nist agrees better with adequacy than ter (0.54 against 0.42, p = 0.00")
    assert [table.sentence.partition(" between ")[0] for table in same.tables] == [
        "With adequacy no difference can be shown",
        "With fluency no difference can be shown",
    ]
    assert same.tables[0].sentence.endswith("p = 1.000).")
    assert [row["cluster"] for row in clear.tables[0].rows] == [1, 2]
    assert [row["cluster"] for row in same.tables[0].rows] == [1, 1]


def test_the_command_prints_tables_and_writes_a_run(tmp_path, capsys):
    arguments = ["compare", "--corpus", "demo", "-m", "bleu", "ter", "--criterion", "fluency", "--resamples", "50"]
    assert main([*arguments, "--output", str(tmp_path / "run"), "--references", "ref1", "ref2+ref3"]) == 0
    out, err = capsys.readouterr()
    assert out.count("demo, fluency: pearson across systems, whole systems") == 2
    assert "references ref2+ref3" in out
    assert "metaeval: relate" in err
    assert (tmp_path / "run" / "figures" / "intervals_ref1.svg").exists()
    again = metaeval.run(tmp_path / "run" / "config.toml", output=tmp_path / "again")
    assert (tmp_path / "again" / "correlations.tsv").read_bytes() == (
        tmp_path / "run" / "correlations.tsv"
    ).read_bytes()
    assert len(again.correlations) == 4
    for kind, expected in (("latex", r"\toprule"), ("md", "| metric |"), ("tsv", "best_minus_this")):
        assert main([*arguments, "--format", kind, "--quiet"]) == 0
        out, err = capsys.readouterr()
        assert expected in out
        assert "relate" not in err


def test_another_test_has_its_p_and_no_paired_limits():
    found = metaeval.compare("demo", ["bleu", "ter"], criteria=["adequacy"], test="williams", n_resamples=40, ceiling=0)
    (row,) = found.results.tests.to_dict("records")
    best, other = found.tables[0].rows
    assert row["test"] == "williams"
    assert other["p (Holm)"] == f"{row['p']:.3f}"
    assert other["best minus this"] == f"{abs(row['difference']):.3f}"
    assert best["p (Holm)"] == ""


def test_several_corpora_have_a_table_each(tmp_path):
    found = metaeval.compare(["demo", write(tmp_path / "tiny")], ["bleu(order=1)", "ter"], n_resamples=10, ceiling=0)
    assert [table.heading.partition(":")[0] for table in found.tables] == [
        "demo, adequacy",
        "demo, fluency",
        "tiny, adequacy",
        "tiny, errors",
    ]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"level": "sentence"}, r"unknown level 'sentence'"),
        ({"level": "documents(size=3)"}, r"level 'documents': unknown parameter 'size'"),
        ({"level": "system(length=3)"}, r"unknown level"),
        ({"coefficient": "person"}, r"unknown coefficient 'person'; did you mean 'pearson'\?"),
        ({"criteria": ["accuracy"]}, r"unknown criterion 'accuracy'"),
        ({"metrics": ["blue"]}, r"unknown metric 'blue'"),
        ({"resample": "judges"}, r"`uncertainty.resample` must be one of"),
    ],
)
def test_wrong_requests_are_refused(arguments, message):
    with pytest.raises(UsageError, match=message):
        metaeval.compare("demo", **{"metrics": ["bleu"], "n_resamples": 5, **arguments})
