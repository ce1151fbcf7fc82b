"""Groups of judges: chosen by name or by default, told where not shown to agree, refused where no persons."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import metaeval
from metaeval.cli import main
from metaeval.corpora.catalogue import check_corpus, convert_corpus, load_corpus
from metaeval.datamodel.corpus import Corpus, Criterion, JudgeGroup, Judgments
from metaeval.errors import CorpusError, UsageError
from metaeval.experiment.judge import group_notes
from metaeval.judgments.groups import choose_judges
from metaeval.report.figures.run_frames import judgment_table
from tests.support.corpus import TOML, judgments, write
from tests.support.examples import summeval
from tests.support.gold import of_others

EXPERTS = JudgeGroup("experts", ("ann", "b*"), default=True)
CROWD = JudgeGroup("crowd", ("slot?",), persons=False)
JUDGES = ("ann", "bob", "cleo", "slot1", "slot2")
QUICK = {"n_resamples": 20, "ceiling": 0}


def judged(groups=(EXPERTS, CROWD), scores=((1, 2, 3, 4, 5), (1, 2, 3, 5, 4))) -> Corpus:
    """Return five systems of one segment: `scores` of bob and of slot1, by system."""
    n = len(scores[0])
    corpus = Corpus.of_texts({f"s{k}": ["x"] for k in range(n)}, {"r": ["x"]})
    rows = Judgments(
        JUDGES,
        np.zeros(2 * n, np.int64),
        np.tile(np.arange(n), 2),
        np.zeros(2 * n, np.int64),
        np.repeat([1, 3], n),
        np.ravel(scores).astype(float),
    )
    return replace(corpus, judgments=rows, criteria=(Criterion("fluency", 1, 5, True),), judge_groups=groups)


def chosen(request=None, groups=(EXPERTS, CROWD)) -> tuple[list[str], str]:
    found = choose_judges(judged(groups), request)
    return [name for name, member in zip(JUDGES, found.members, strict=True) if member], found.words


@pytest.mark.parametrize(
    ("request_", "names", "words"),
    [
        (None, ["ann", "bob"], "experts"),
        ((), ["ann", "bob"], "experts"),
        ("all", list(JUDGES), "all"),
        (["crowd"], ["slot1", "slot2"], "crowd"),
        (("experts", "cleo"), ["ann", "bob", "cleo"], "experts+cleo"),
        (["slot*", "ann"], ["ann", "slot1", "slot2"], "slot*+ann"),
    ],
)
def test_judges_are_chosen_by_group_name_pattern_or_default(request_, names, words):
    assert chosen(request_) == (names, words)


def test_without_a_default_group_all_judges_are_taken():
    assert chosen(groups=()) == (list(JUDGES), "all")
    assert chosen(groups=(CROWD,)) == (list(JUDGES), "all")


def test_all_stands_for_everybody_also_where_a_judge_has_that_name():
    corpus = judged(groups=())
    named = replace(corpus, judgments=replace(corpus.judgments, judges=("all", *JUDGES[1:])))
    for request in (None, "all", ["all"]):
        assert choose_judges(named, request).members.all()
    assert choose_judges(named, "al[l]").members.tolist() == [True, False, False, False, False]


def test_a_group_that_judged_no_system_is_refused():
    with pytest.raises(UsageError, match=r"group 'humans' \('ref\*'\) must have judged systems; it has not"):
        choose_judges(judged(groups=(JudgeGroup("humans", ("ref*",), default=True),)))


def test_slots_are_told_among_those_that_were_chosen():
    assert choose_judges(judged()).slots == ()
    assert choose_judges(judged(), ["ann", "slot2"]).slots == ("slot2",)


def test_an_unknown_name_is_refused_with_the_groups():
    with pytest.raises(UsageError, match=r"unknown judge or group 'expert'; did you mean 'experts'\?"):
        choose_judges(judged(), "expert")


def test_groups_that_do_not_agree_are_told_with_the_correlation_of_their_system_means():
    # Pearson of 1..5 and 1, 3, 2, 5, 4 is 0.8; its 95 % interval by Fisher is tanh(1.0986 -+ 1.96 / sqrt(5 - 3)),
    # -0.28 to 0.99, and holds 0. Of 1..5 and 1, 2, 3, 5, 4 it is 0.9: tanh(1.4722 -+ 1.3859) is 0.086 to 0.99.
    (used,) = group_notes(judged(), [0], None)
    assert used == "texts: judgments of experts (2 of 5 judges); `judges` takes others, or all."
    _, note = group_notes(judged(scores=((1, 2, 3, 4, 5), (1, 3, 2, 5, 4))), [0], None)
    assert "no significant agreement between the judge groups experts and crowd (" in note
    assert "fluency 0.80 over 5 systems" in note
    assert group_notes(judged(groups=()), [0], None) == []


def test_groups_of_opposite_opinions_are_told_though_fisher_has_no_interval_of_minus_1():
    _, note = group_notes(judged(scores=((1, 2, 3, 4, 5), (5, 4, 3, 2, 1))), [0], None)
    assert "fluency -1.00 over 5 systems" in note


GROUPS = """
[[judge_groups]]
name = "first"
judges = ["ann"]
default = true

[[judge_groups]]
name = "slots"
judges = ["bo*"]
persons = false
"""


def test_groups_are_read_and_written_again(tmp_path):
    corpus = load_corpus(write(tmp_path / "tiny", corpus=TOML + GROUPS))
    assert corpus.judge_groups == (
        JudgeGroup("first", ("ann",), persons=True, default=True),
        JudgeGroup("slots", ("bo*",), persons=False, default=False),
    )
    convert_corpus(str(tmp_path / "tiny"), tmp_path / "again")
    assert load_corpus(tmp_path / "again").judge_groups == corpus.judge_groups


def test_the_groups_of_the_docs_are_those_of_summeval(tmp_path):
    text = (Path(__file__).parents[2] / "docs" / "corpora.md").read_text(encoding="utf-8")
    (block,) = (toml for toml in re.findall(r"```toml\n(.*?)```", text, re.DOTALL) if "judge_groups" in toml)
    read = load_corpus(summeval(tmp_path / "jsonl")[0])
    convert_corpus(summeval(tmp_path / "jsonl")[0], tmp_path / "neutral")
    described = (tmp_path / "neutral" / "corpus.toml").read_text()
    (tmp_path / "neutral" / "corpus.toml").write_text(described.partition("[[judge_groups]]")[0] + block)
    assert load_corpus(tmp_path / "neutral").judge_groups == read.judge_groups


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('["ann"]', '["ann", "cid"]', "judge group 'first': unknown judge 'cid'. Known judges: 'ann', 'bob'"),
        ('["ann"]', '["*"]', "judge 'bob' must be in one judge group; is in 'first', 'slots'."),
        ("persons = false", "default = true", "one judge group may be the default; got 'first', 'slots'."),
        ('"slots"', '"first"', "judge group 'first' is declared 2 times."),
        ('"slots"', '"all"', "judge group 'all' must have a name of its own; 'all' stands for all judges."),
        ('"slots"', '"ann"', "judge group 'ann' must have a name of its own; 'ann' is a judge."),
        ("persons = false", "person = false", "unknown key 'person'; did you mean 'persons'?"),
    ],
)
def test_wrong_groups_are_errors_of_corpus_toml(tmp_path, old, new, message):
    assert old in GROUPS
    corpus, problems = check_corpus(str(write(tmp_path / "tiny", corpus=TOML + GROUPS.replace(old, new))))
    assert corpus is None
    assert any("corpus.toml" in one.location and message in one.message for one in problems.errors)


def test_z_scores_of_slots_are_refused_with_the_reason(tmp_path):
    corpus = write(tmp_path / "tiny", corpus=TOML + GROUPS)
    z = {"judgments": {"normalise": "z"}, "documents": {"kind": "segments"}, "criteria": ["adequacy"]}
    assert len(metaeval.correlate(corpus, "bleu(order=1)", **z).correlations)
    with pytest.raises(UsageError, match=r"'none' for judges that are slots; got 'z' and 'bob'\. Different"):
        metaeval.correlate(corpus, "bleu(order=1)", **{**z, "judgments": {"normalise": "z", "judges": "all"}})


def test_every_verb_takes_the_default_group_and_others(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    corpus = str(write(tmp_path / "tiny", corpus=TOML + GROUPS))
    options = ["--criterion", "adequacy"]
    compare = ["compare", "--corpus", corpus, "-m", "bleu(order=1)", *options, "--resamples", "20", "--ceiling", "0"]
    agreement = ["agreement", "--corpus", corpus, *options, "--resamples", "20", "--table", "design"]
    run = ["run", "system-level", "--corpus", corpus, "--set", 'metrics=["wer"]', "--set", "figures=[]"]
    run += ["--set", "uncertainty.n_resamples=20", "--set", 'criteria=["adequacy"]', "--output", "run"]
    for verb in (compare, agreement, run):
        assert main(verb) == 0
        assert "judgments of first (1 of 2 judges)" in capsys.readouterr().err
        assert main([*verb, "--judges", "slots"]) == 0
        assert "judgments of slots (1 of 2 judges)" in capsys.readouterr().err
        assert main([*verb, "--judges", "all"]) == 0
        assert "judges)" not in capsys.readouterr().err
    signatures = (tmp_path / "run" / "correlations.tsv").read_text()
    assert "|judges:all|" in signatures


def test_figures_and_criteria_are_of_the_judges_asked_for(tmp_path):
    # Of `tiny`, ann and bob judged both criteria; here the errors are left to bob.
    rows = [row for row in judgments() if "\tann\terrors\t" not in row]
    place = write(tmp_path / "tiny", corpus=TOML + GROUPS, judgments="\n".join(rows) + "\n")
    found = metaeval.correlate(place, "bleu(order=1)")
    everybody = metaeval.correlate(place, "bleu(order=1)", judgments={"judges": "all"})
    assert set(judgment_table(found.data)["judge"]) == {"ann"}
    assert set(judgment_table(everybody.data)["judge"]) == {"ann", "bob"}
    assert set(found.correlations["criterion"]) == {"adequacy"}
    assert "tiny: criteria without any judgment by the chosen judges are left out: 'errors'." in found.warnings
    of_first = metaeval.agreement(place, metrics="bleu(order=1)", n_resamples=20)
    assert {row["criterion"] for row in of_first.tables["metrics"]} == {"adequacy"}


def test_a_judge_called_all_can_be_left_in_while_others_are_left_out(tmp_path):
    rows = [row.replace("\tann\t", "\tall\t") for row in judgments()]
    place = write(tmp_path / "tiny", judgments="\n".join(rows) + "\n")
    without = [row for row in rows if "\tbob\t" not in row]
    alone = write(tmp_path / "alone", judgments="\n".join(without) + "\n")
    of_two, of_one = (
        {
            row["left_out"]: row["pearson"]
            for row in metaeval.agreement(one, metrics="bleu(order=1)", n_resamples=20).tables["metrics"]
            if row["criterion"] == "errors"
        }
        for one in (place, alone)
    )
    assert of_two["bob"] == of_one[""]


def test_the_reader_of_summeval_tells_experts_from_the_crowd(tmp_path):
    corpus = load_corpus(summeval(tmp_path / "jsonl")[0])
    assert corpus.judge_groups == (
        JudgeGroup("experts", ("expert*",), persons=True, default=True),
        JudgeGroup("crowd", ("turker*",), persons=False, default=False),
    )


def test_summeval_with_experts(tmp_path, monkeypatch):
    # Origin: sacreBLEU 2.6.0's corpus scores against all references and scipy's pearsonr with the experts' means.
    monkeypatch.setenv("METAEVAL_CACHE", str(tmp_path))
    corpus = metaeval.fetch_corpus("summeval", of_others("raw"))
    found = metaeval.compare(str(corpus), ["chrf", "bleu"], criteria=["fluency", "relevance"], **QUICK).to_frame()
    value = found.set_index(["criterion", "metric"])["value"].round(4).to_dict()
    assert value == {
        ("fluency", "chrf"): 0.6098,
        ("fluency", "bleu"): 0.5375,
        ("relevance", "chrf"): 0.5831,
        ("relevance", "bleu"): 0.5440,
    }


def test_groups_of_corpus_toml_replace_those_of_its_sources(tmp_path):
    summeval(tmp_path / "jsonl")
    groups = '[[judge_groups]]\nname = "mine"\njudges = ["expert1"]\ndefault = true\n'
    (tmp_path / "corpus.toml").write_text(f'name = "listed"\n{groups}[[files]]\npath = "jsonl"\n')
    assert load_corpus(tmp_path).judge_groups == (JudgeGroup("mine", ("expert1",), default=True),)
    (tmp_path / "corpus.toml").write_text(f'name = "listed"\n{groups}{groups}[[files]]\npath = "jsonl"\n')
    with pytest.raises(CorpusError, match="judge group 'mine' is declared 2 times"):
        load_corpus(tmp_path)
