"""What a config of tasks may say, what it stands for, and what is said of mistakes."""

from __future__ import annotations

import re
import shutil

import pytest

import metaeval
from metaeval.errors import CorpusError, UsageError
from metaeval.papers.config import load_config
from tests.support import examples

HEAD = """
title = "Tasks"
corpora = []
metrics = ["precomputed:*"]
criteria = ["mqm"]
uncertainty.n_resamples = 60
ranking.permutations = 0
"""


@pytest.fixture
def tree(tmp_path):
    """Write a tree of two language pairs."""
    return examples.tree(tmp_path / "set")


def load(tmp_path, text, tree=None, *overrides):
    path = tmp_path / "mine.toml"
    path.write_text(HEAD + text, encoding="utf-8")
    corpora = [] if tree is None else [str(one) for one in (tree if isinstance(tree, list) else [tree])]
    return load_config(path, corpora=corpora, overrides=overrides).shared


def titles(shared):
    return [task.title for task in shared.tasks]


def test_lists_stand_for_a_task_each_and_titles_say_by_what_they_differ(tmp_path, tree):
    shared = load(
        tmp_path,
        """
[[tasks]]
coefficient = ["pearson", "kendall"]
[[tasks]]
title = "segments"
level = "segment"
coefficient = "pearson"
average_by = ["item", "none"]
filters = [{}, { where.domain = "news" }]
corpora = ["en-*"]
[[tasks]]
title = "all pairs"
coefficient = "pairwise-accuracy"
together = true
weight = 2
""",
        tree,
    )
    assert titles(shared) == [
        "de-en, system, pearson",
        "de-en, system, kendall",
        "en-de, system, pearson",
        "en-de, system, kendall",
        "segments, item",
        "segments, none",
        "segments, item, domain = news",
        "segments, none, domain = news",
        "all pairs",
    ]
    # A task of several corpora weighs as often as it has corpora.
    assert [task.weight for task in shared.tasks] == [1] * 8 + [4]
    assert [cell.corpus for cell in shared.tasks[-1].cells] == ["de-en", "en-de"]
    assert shared.tasks[6].cells[0].experiment.filter.where == {"domain": "news"}


def test_tables_by_corpus_win_over_the_task_and_later_ones_over_earlier(tmp_path, tree):
    shared = load(
        tmp_path,
        """
[[tasks]]
criteria = ["esa"]
filter.without = ["X"]
[by_corpus."*"]
references.names = ["refA"]
judgments.require = "any"
[by_corpus.de-en]
criteria = ["da"]
references.names = ["refB"]
""",
        tree,
    )
    first, second = (task.cells[0].experiment for task in shared.tasks)
    assert (first.criteria, first.references.names, first.judgments.require) == (("da",), ("refB",), "any")
    assert (second.criteria, second.references.names) == (("esa",), ("refA",))
    assert first.filter.without == second.filter.without == ("X",)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[[tasks]]\nlevels = 1", "mine.toml:9: `tasks[0]`: unknown key 'levels'"),
        (
            '[[tasks]]\nlevel = "segments"',
            "`tasks[0]`: `level` must be one of 'system', 'segment', 'document'; got 'segments'.",
        ),
        ('[[tasks]]\ncoefficient = "pearsn"', "unknown coefficient 'pearsn'; did you mean 'pearson'?"),
        ("[[tasks]]\nweight = 0", "`weight` must be at least 1e-09"),
        ("[[tasks]]\nweight = -1.5", "`weight` must be at least 1e-09"),
        ("[[tasks]]\nfilters = {}", "`tasks[0]`: `filters` must be a list of tables such as [filter]; got {}."),
        (
            "[[tasks]]\n[[tasks]]",
            "`tasks[1]`: another task is called 'de-en, system, pearson'; give one of them a `title`.",
        ),
        (
            '[[tasks]]\n[[tasks]]\nfilter.outliers = "mad"',
            "a `title`. To compare with and without a filter, one [[tasks]] takes both and names them: "
            '`filters = [{}, { outliers = "mad" }]`.',
        ),
        (
            '[[tasks]]\ncorpora = ["fr-*"]',
            "no task has a corpus: there are 'de-en', 'en-de', and tasks are about 'fr-*'.",
        ),
        ('[[tasks]]\n[[panels]]\ntitle = "One"', "a config has [[tasks]] or [[panels]], not both."),
        ("[[tasks]]\n[by_corpus]\nen-de = 3", "`by_corpus` must hold tables by the names of corpora"),
        ("[[tasks]]\n[by_corpus.en-de]\ntitle = 'x'", "`by_corpus.en-de`: unknown key 'title'"),
        ("tasks = 3", "`tasks` must be a list of tables; got 3."),
        ("", "`ranking` belongs to [[tasks]], and there are none."),
    ],
)
def test_mistakes_in_a_config(text, message, tmp_path, tree):
    with pytest.raises(UsageError, match=re.escape(message)):
        load(tmp_path, text, tree)


def test_two_corpora_of_one_name(tmp_path, tree):
    other = shutil.copytree(tree, tmp_path / "more" / "set")
    with pytest.raises(UsageError, match=r"two corpora are called 'de-en': .*set\.de-en and .*more/set\.de-en; rename"):
        load(tmp_path, "[[tasks]]", [tree, other])


def test_tasks_without_corpora_say_how_to_give_them(tmp_path):
    for name in ("wmt22", "wmt23", "wmt24", "wmt25"):
        with pytest.raises(UsageError, match=r"tasks need corpora: corpora=TREE, a directory of mt-metrics-eval"):
            metaeval.run(name, output=tmp_path / "run")


def run(tmp_path, tree, text="[[tasks]]\n"):
    path = tmp_path / "mine.toml"
    path.write_text(HEAD + text, encoding="utf-8")
    return metaeval.run(path, corpora=tree, output=tmp_path / "run")


def test_a_pair_without_judgments_is_named(tmp_path, tree):
    for path in tree.glob("human-scores/de-en.*"):
        path.unlink()
    with pytest.raises(
        UsageError, match=r"the task 'de-en, system, pearson': the corpus 'set\.de-en' has no judgments"
    ):
        run(tmp_path, tree)


def test_a_metric_with_a_line_less_is_named_with_its_file(tmp_path, tree):
    path = sorted(tree.glob("metric-scores/de-en/*.seg.score"))[0]
    path.write_text("".join(path.read_text(encoding="utf-8").splitlines(keepends=True)[:-1]), encoding="utf-8")
    with pytest.raises(CorpusError, match=rf"the task 'de-en, .*{re.escape(path.name)}.* must have \d+, one for each"):
        run(tmp_path, tree, '[[tasks]]\nlevel = "segment"\n')


def test_several_criteria_are_too_many_for_a_task(tmp_path, tree):
    path = tree / "human-scores/en-de.mqm.seg.score"
    (tree / "human-scores/en-de.other.seg.score").write_text(path.read_text(encoding="utf-8"), encoding="utf-8")
    with pytest.raises(
        UsageError, match=r"en-de has several values of criterion, .*choose it with `criteria`, for some"
    ):
        run(tmp_path, tree, '[[tasks]]\ncriteria = "all"\ncorpora = ["en-de"]\n')


def test_a_filter_that_leaves_two_systems_is_noted(tmp_path, tree):
    found = run(tmp_path, tree)
    assert any("across two systems a correlation is 1, -1 or undefined" in message for message in found.warnings)


def test_only_primary_metrics_and_baselines_take_part(tmp_path, tree):
    (name,) = {row.metric for row in run(tmp_path, tree).data.tables.tasks}
    for path in list((tree / "metric-scores").glob("*/*.score")):
        shutil.copy(path, path.with_name(f"other{path.name}"))
    text = f'[[tasks]]\n[ranking]\nbaselines = ["{name[:3]}*"]\nprimary = []\npermutations = 0\n'
    path = tmp_path / "mine.toml"
    path.write_text(HEAD.replace("ranking.permutations = 0\n", "") + text, encoding="utf-8")
    found = metaeval.run(path, corpora=tree, output=tmp_path / "other")
    assert {row.metric for row in found.data.tables.tasks} == {name}
    assert any("not among those to rank" in message for message in found.warnings)


def test_scores_that_were_all_computed_with_other_references_are_named_once(tmp_path, tree):
    """The standard reference of a published task may not be that of a tree."""
    for path in (tree / "references").glob("en-de.refA.txt"):
        shutil.copy(path, path.with_name("en-de.refC.txt"))
    tasks = '[[tasks]]\ncorpora = ["en-de"]\n[[tasks]]\ncorpora = ["en-de"]\nlevel = "segment"\n'
    path = tmp_path / "mine.toml"
    path.write_text(HEAD + 'ranking.primary = ["*"]\nreferences.names = ["refC"]\n' + tasks, encoding="utf-8")
    with pytest.raises(metaeval.MetricError) as caught:
        metaeval.run(path, corpora=tree, output=tmp_path / "other")
    message = str(caught.value)
    assert message.count("no scores of a metric that is ranked: ") == 1
    # By its name, not by what is typed to choose it.
    assert re.search("1 metric was left out, because other references than 'refC' were used .*: BLEU-refA[.]", message)
    assert "precomputed" not in message


def test_a_run_of_tasks_is_read_as_it_was_written(tmp_path, tree):
    found = run(tmp_path, tree)
    again = metaeval.load_run(found.directory)
    assert again.tasks.equals(found.tasks)
    assert again.averages.equals(found.averages)
    assert len(again.task_tests) == len(found.task_tests)


def test_settings_for_some_corpora_without_tasks(tmp_path, tree):
    found = metaeval.correlate(
        tree,
        ["precomputed:*"],
        criteria=["mqm"],
        documents={"kind": "segments"},
        correlation={"coefficients": ["pearson"], "average_by": "none"},
        uncertainty={"method": "none"},
        tests=[],
        by_corpus={"en-de": {"filter": {"where": {"document": "d1"}}}},
    )
    rows = {row.key.corpus: row for row in found.data.tables.filtered}
    assert set(rows) == {"set.en-de"}
