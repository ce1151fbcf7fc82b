"""Judges who judged other systems than the others did: z-scores are refused, and scores as they are warned of."""

from __future__ import annotations

import pytest

import metaeval
from metaeval.cli import main
from metaeval.config.schema import DocumentSettings, Experiment, JudgmentSettings
from metaeval.corpora.catalogue import read_corpus
from metaeval.errors import MetaevalWarning, UsageError
from metaeval.experiment.judge import confounding_notes
from metaeval.judgments.normalisation import get_normalisation
from metaeval.parameters.fields import Named
from tests.support.corpus import TOML, write
from tests.support.gold import of_others

D = {"systems__D": "\n".join(["mat", "a", "it", "home"]) + "\n"}
Z = {"normalise": "z"}
FEW = {"uncertainty": {"n_resamples": 20}}
PAIRS = "'A', 'B' (8 items, all judgments by 1 judge: 'ann'); 'C', 'D' (8 items, all judgments by 1 judge: 'bob')"
CONFOUNDED = f"judges and systems are confounded. The systems fall into 2 groups that no judge connects: {PAIRS}."


def corpus(tmp_path, judges_of, criteria=("adequacy",), **files):
    """Write four systems and four segments; `judges_of` says who judged a segment of a system on a criterion."""
    rows = [
        f"{segment}\t{system}\t{judge}\t{criterion}\t{1 + (3 * place + segment + len(judge)) % 5}"
        for criterion in criteria
        for place, system in enumerate("ABCD")
        for segment in (1, 2, 3, 4)
        for judge in judges_of(system, segment, criterion)
    ]
    head = "segment\tsystem\tjudge\tcriterion\tscore"
    return write(tmp_path / "tiny", judgments="\n".join([head, *rows]) + "\n", **D, **files)


def by_pairs(system, segment, criterion):
    return ["ann"] if system in "AB" else ["bob"]


def by_segments(system, segment, criterion):
    return ["ann"] if segment < 3 else ["bob"]


def notes(found):
    return [note for note in found.warnings if "confounded" in note]


def correlate(place, judgments, **settings):
    return metaeval.correlate(place, "bleu(order=1)", judgments=judgments, **FEW, **settings)


def test_z_scores_are_refused_with_the_groups(tmp_path):
    with pytest.raises(UsageError) as caught:
        correlate(corpus(tmp_path, by_pairs), Z)
    assert str(caught.value) == (
        "corpus 'tiny', adequacy: `judgments.normalise` must be 'none' where judges and systems are confounded; got "
        f"'z'. The systems fall into 2 groups that no judge connects: {PAIRS}. A z-score is relative to the mean of "
        "all that the judge scored, so every difference between these groups would be taken away. Take scores as they "
        'are: `judgments={"normalise": "none"}` (in `overrides` of `run`); or compare the systems of one group: '
        '`filter={"systems": ["A", "B"]}`.'
    )


def test_what_the_message_says_to_type_works(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    place = str(corpus(tmp_path, by_pairs))
    run = ["run", "system-level", "--corpus", place, "--output", "run", "--set", 'metrics=["bleu(order=1)"]']
    run += ["--set", "uncertainty.n_resamples=20", "--set", "figures=[]", "--set", 'criteria=["adequacy"]']
    run += ["--set", 'judgments.normalise="z(ddof=0)"']
    assert main(run) == 2
    told = " ".join(capsys.readouterr().err.split())
    assert "got 'z(ddof=0)'." in told
    scores, systems = ("--set", 'judgments.normalise="none"'), ("--filter", "systems=A,B")
    assert f"are: `{scores[0]} '{scores[1]}'`; or compare the systems of one group: `{' '.join(systems)}`." in told
    assert main([*run, *scores, "--verbose"]) == 0
    assert f"tiny, adequacy: {CONFOUNDED}" in " ".join(capsys.readouterr().err.split())
    assert main([*run, *systems]) == 0
    assert "confounded" not in capsys.readouterr().err


def test_scores_as_they_are_give_a_warning(tmp_path):
    place = corpus(tmp_path, by_pairs, ("adequacy", "errors"))
    note = (
        f"tiny, adequacy, errors: {CONFOUNDED} A difference between groups may be that between severe and lenient "
        'judges. One group is compared alone by `filter={"systems": ["A", "B"]}`.'
    )
    with pytest.warns(MetaevalWarning, match="judges and systems are confounded"):
        assert notes(metaeval.compare(place, "bleu(order=1)", n_resamples=20, ceiling=0)) == [note]
    with pytest.warns(MetaevalWarning, match="judges and systems are confounded"):
        assert notes(correlate(place, {})) == [note]


@pytest.mark.parametrize("normalise", ["z", "none"])
def test_judges_of_own_segments_are_not_confounded_with_systems(tmp_path, normalise):
    # As in WMT, where each document is judged by one person for all systems.
    found = correlate(corpus(tmp_path, by_segments), {"normalise": normalise}, criteria=["adequacy"])
    assert notes(found) == []


def test_only_the_criteria_that_are_asked_for_count(tmp_path):
    def judges(system, segment, criterion):
        return (by_pairs if criterion == "errors" else by_segments)(system, segment, criterion)

    place = corpus(tmp_path, judges, ("adequacy", "errors"))
    assert notes(correlate(place, Z, criteria=["adequacy"])) == []
    with pytest.raises(UsageError, match=r"'tiny', errors: .* confounded"):
        correlate(place, Z)
    with pytest.warns(MetaevalWarning, match="tiny, errors: judges and systems are confounded"):
        correlate(place, {})


def test_only_the_judges_that_are_asked_for_connect(tmp_path):
    place = corpus(tmp_path, lambda *item: [*by_pairs(*item), "cleo"])
    # cleo gives half of all judgments of all systems, so half of a difference between the pairs stays.
    assert notes(correlate(place, Z, criteria=["adequacy"])) == []
    with pytest.raises(UsageError, match=r"no judge connects: 'A', 'B' \(8 items, all judgments by 1 judge: 'ann'\)"):
        correlate(place, {**Z, "judges": ["ann", "bob"]}, criteria=["adequacy"])
    assert notes(correlate(place, {**Z, "judges": "cleo"}, criteria=["adequacy"])) == []


def test_filters_count_before(tmp_path):
    # ann and bob meet on segments 3 and 4 alone, where each judged every system: a third of what each judged is of the
    # other pair, so 1/9 of the difference is lost.
    def judges(system, segment, criterion):
        return ["ann", "bob"] if segment > 2 else by_pairs(system, segment, criterion)

    of_segments = "segment\tid\tdomain\n" + "".join(f"{n}\t{n}\t{'chat' if n > 2 else 'news'}\n" for n in (1, 2, 3, 4))
    place = corpus(tmp_path, judges, segments=of_segments)
    assert notes(correlate(place, Z, criteria=["adequacy"])) == []
    with pytest.raises(UsageError, match=r"'A', 'B' \(4 items, all judgments by 1 judge: 'ann'\)"):
        correlate(place, Z, criteria=["adequacy"], filter={"where": {"domain": "news"}})
    assert notes(correlate(place, Z, criteria=["adequacy"], filter={"systems": ["A", "B"]})) == []


def crossing(n):
    """Let ann judge every n-th segment of C and D, and bob every n-th of A and B: 24 segments."""
    rows = []
    for place, system in enumerate("ABCD"):
        for segment in range(24):
            own = "ann" if system in "AB" else "bob"
            judge = own if (segment + place) % n else {"ann": "bob", "bob": "ann"}[own]
            score = 1 + (place + segment * 7) % 5
            rows.append(
                {"segment": segment + 1, "system": system, "judge": judge, "criterion": "adequacy", "score": score}
            )
    outputs = {system: [f"{system} w{k % 3}" for k in range(24)] for system in "ABCD"}
    return metaeval.corpus(rows, outputs=outputs, references=[f"A w{k % 4}" for k in range(24)], name="mine")


def test_z_scores_of_groups_that_few_judgments_connect(tmp_path):
    # A judge gives 1/24, 1/8 and 1/6 of the judgments of the other pair: (1 - 2c)^2 of its difference is lost, which
    # leaves 16, 44 and 56 %.
    with pytest.raises(UsageError, match=r"groups that few judgments connect: 'A', 'B' \(48 items, 96 % of the") as one:
        correlate(crossing(24), Z)
    assert "so a difference between these groups would shrink to 16 %, relative to others. Take" in str(one.value)
    with pytest.warns(MetaevalWarning, match="By z-scores a difference between these groups shrinks to 44 %, relative"):
        correlate(crossing(8), Z)
    with pytest.warns(MetaevalWarning, match="A difference between groups may be that between severe and lenient"):
        correlate(crossing(8), {})
    assert notes(correlate(crossing(6), Z)) == []
    assert notes(correlate(crossing(6), {})) == []


def test_human_texts_connect_judges(tmp_path):
    # Each judged two systems and, as often as both of them, one human text: 1/2 of the difference stays.
    human = "segment\treference\tjudge\tcriterion\tscore\n"
    human += "".join(
        f"{n}\tref{k}\t{who}\tadequacy\t{n}\n" for n in (1, 2, 3, 4) for k in (1, 2) for who in ("ann", "bob")
    )
    place = corpus(tmp_path, by_pairs, reference_judgments=human)
    assert notes(correlate(place, Z, criteria=["adequacy"])) == []


def test_many_judges_without_z_scores_are_not_warned_of(tmp_path):
    # Every item has a judge of its own, and a system 4, which is few; here 12 judge each item, and a system 48.
    few = corpus(tmp_path / "few", lambda system, segment, criterion: [f"{system}{segment}"])
    with pytest.warns(MetaevalWarning, match=r"4 groups that no judge connects: 'A' \(4 items, all judgments by 4 jud"):
        correlate(few, {})
    many = corpus(tmp_path / "many", lambda system, segment, _: [f"{system}{segment}.{n}" for n in range(12)])
    assert notes(correlate(many, {}, criteria=["adequacy"])) == []
    with pytest.raises(
        UsageError, match=r"'A' \(4 items, all judgments by 48 judges: 'A1\.0', .* and 44 more\)"
    ) as one:
        correlate(many, Z, criteria=["adequacy"])
    # No system can be compared with another one.
    assert str(one.value).endswith('`judgments={"normalise": "none"}` (in `overrides` of `run`).')


def test_slots_are_not_persons(tmp_path):
    groups = '\n[[judge_groups]]\nname = "crowd"\njudges = ["*"]\npersons = false\n'
    place = corpus(tmp_path, by_pairs, corpus=TOML + groups)
    assert notes(correlate(place, {}, criteria=["adequacy"])) == []


@pytest.mark.parametrize("name", ["summeval", "webnlg2020-en", "wmt21-ted-zhen", "opinsummeval"])
def test_no_design_of_a_public_corpus_is_confounded(name):
    read, _ = read_corpus(str(of_others(f"corpora/{name}")))
    for written in ("none", "z"):
        judgments = JudgmentSettings(judges="all", normalise=Named(written, get_normalisation(written)))
        experiment = Experiment(
            title="t", corpora=(name,), metrics=("ter",), documents=DocumentSettings(kind="all"), judgments=judgments
        )
        assert confounding_notes(read, range(len(read.criteria)), experiment) == []
