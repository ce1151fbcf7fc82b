"""Signatures of sacreBLEU as names of metrics: the scores are those of the object that has the signature."""

from __future__ import annotations

import numpy as np
import pytest
from sacrebleu.metrics import BLEU, CHRF, TER

import metaeval
from metaeval import kernels
from metaeval.cli import main
from metaeval.errors import UsageError
from metaeval.metrics import get_metric, is_metric

CANDIDATE = ["The cat sat on the mat .", "A dog, barking!", "", "we go home", "猫 on it"]
REFERENCES = {
    "ref1": ["the cat sat on a mat.", "A dog barked!", "nothing", "we go home", "the cat on it"],
    "ref2": ["A cat was on the mat .", "The dog, it barked", "", "We all go home", "猫猫 on it"],
}
ENGINES = [
    BLEU(),
    BLEU(lowercase=True, tokenize="intl", smooth_method="floor", smooth_value=0.2),
    BLEU(smooth_method="add-k", tokenize="zh", effective_order=True),
    BLEU(smooth_method="none", tokenize="char"),
    CHRF(),
    CHRF(word_order=2),
    CHRF(word_order=1, char_order=4, beta=3, lowercase=True, whitespace=True, eps_smoothing=True),
    TER(),
    TER(normalized=True, no_punct=True, asian_support=True, case_sensitive=True),
]
BLEU_13A = "BLEU|nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:2.0.0"


@pytest.mark.parametrize(("short", "n_references"), [(False, 2), (True, 1)])
@pytest.mark.parametrize("engine", ENGINES, ids=range(len(ENGINES)))
def test_a_signature_gives_the_scores_of_the_object_that_has_it(engine, n_references, short):
    references = dict(list(REFERENCES.items())[:n_references])
    expected = engine.corpus_score(CANDIDATE, list(references.values()))
    name = f"{expected.name}|{engine.get_signature().format(short)} = {expected.score:.1f}"  # as it prints them
    (found,) = metaeval.score(name, CANDIDATE, references)

    assert found.values[0, 0] == pytest.approx(expected.score, abs=1e-9)
    by_segment = metaeval.score(name, CANDIDATE, references, level="segment")[0].values[0]
    for segment, value in enumerate(by_segment):
        of_segment = [texts[segment] for texts in references.values()]
        assert value == pytest.approx(engine.sentence_score(CANDIDATE[segment], of_segment).score, abs=1e-9)


@pytest.mark.parametrize(
    ("first", "engine"),
    [
        ("BLEU+case.lc+lang.en-de+numrefs.2+smooth.exp+test.wmt17+tok.intl+version.1.4.2",
         BLEU(lowercase=True, tokenize="intl")),
        ("chrF3+numchars.5+numrefs.2+space.True+version.1.5.1", CHRF(char_order=5, beta=3, whitespace=True)),
    ],
)  # fmt: skip
def test_signatures_of_version_1_are_read_too(first, engine):
    expected = engine.corpus_score(CANDIDATE, list(REFERENCES.values())).score
    (found,) = metaeval.score(first, CANDIDATE, REFERENCES)
    assert found.values[0, 0] == pytest.approx(expected, abs=1e-9)


def test_what_was_not_followed_is_noted():
    name = "BLEU|nrefs:1|bs:1000|seed:12345|case:mixed|eff:no|tok:13a|smooth:exp|version:1.9.9"
    of_kernels = [missing] if (missing := kernels.missing()) else []
    version, ignored = metaeval.score(name, CANDIDATE, REFERENCES["ref1"]).warnings[len(of_kernels) :]

    assert "says version 1.9.9; scores here are those of sacreBLEU 2." in version
    assert "'bs', 'seed' were ignored" in ignored
    mine = dict(get_metric("sacrebleu-bleu").signature.items)["version"]
    followed = metaeval.score(BLEU_13A.replace("2.0.0", mine), CANDIDATE, REFERENCES["ref1"])
    assert list(followed.warnings) == of_kernels


def test_the_verbs_and_configs_take_signatures(tmp_path, capsys):
    chrf = "chrF2++|nrefs:1|case:mixed|eff:yes|nc:6|nw:2|space:no|version:2.0.0"
    one = {"criteria": ["adequacy"], "references": {"subsets": ["ref1"]}}
    signed = metaeval.correlate("demo", [BLEU_13A, chrf, "ter"], **one).estimates
    named = metaeval.correlate("demo", ["sacrebleu-bleu", "chrf(word_order=2)", "ter"], **one).estimates
    assert [estimate.value for estimate in signed] == [estimate.value for estimate in named]

    compared = metaeval.compare("demo", [BLEU_13A, chrf], criteria="adequacy", references="ref1", n_resamples=50)
    assert {row["metric"] for row in compared.to_frame().to_dict("records")} == {BLEU_13A, chrf}

    (tmp_path / "mine.toml").write_text(
        f'title = "Mine"\ncorpora = ["demo"]\nmetrics = ["{BLEU_13A}"]\ncriteria = ["adequacy"]\ntests = []\n'
        'references.subsets = ["ref1"]\ndocuments.kind = "all"\nuncertainty.n_resamples = 20\n'
    )
    run = metaeval.run(tmp_path / "mine.toml", output=tmp_path / "run")
    assert [estimate.value for estimate in run.estimates] == [
        estimate.value for estimate in signed if estimate.metric == BLEU_13A and estimate.coefficient == "spearman"
    ]
    assert main(["score", "-m", BLEU_13A, "--corpus", "demo", "-r", "ref1"]) == 0
    assert BLEU_13A in capsys.readouterr().out
    assert main(["metrics", "show", BLEU_13A]) == 0
    assert "sacreBLEU computes it" in capsys.readouterr().out
    assert main(["metrics", "check", BLEU_13A]) == 2
    assert "check 'sacrebleu-bleu(effective_order=False," in capsys.readouterr().err
    assert is_metric(BLEU_13A)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        (
            "BLEU|nrefs:1|tok:flores200|smooth:exp",
            r"takes it: the metric 'bleu\(smooth=\"mteval\"\)' with the preprocessing .*flores200",
        ),
        ("BLEU|tok:ko-mecab-0.996/ko-KO", "'tok' must be one of '13a', 'intl', .* with the preprocessing .*ko-mecab"),
        ("BLEU|tok:mine", "'tok' must be one of '13a', 'intl', 'char', 'zh', 'none'; got 'mine'.$"),
        ("BLEU|case:upper", "'case' must be one of 'mixed', 'lc'; got 'upper'"),
        ("BLEU|smooth:floor", r"must have its value, as in smooth:floor\[0.10\]; got ''"),
        ("BLEU|smooth:exp[0.10]", r"got 'exp\[0.10\]'"),
        ("BLEU|case", "'case' must stand once, with a value; got 'case'"),
        ("BLEU|c:lc|case:lc", "'case' must stand once"),
        ("BLEU|nrefs:none", "'nrefs' must be a whole number from 1, or var; got 'none'"),
        ("BLEU|nw:2", "unknown key of BLEU 'nw'.* Known keys: 'case', 'eff', 'tok', 'smooth'"),
        ("chrF2|nc:six", "'nc' must be a whole number from 0 to 100; got 'six'"),
        ("chrF2|nc:0", "`char_order` must be at least 1"),
        ("chrF2++|nw:0", r"'chrF2\+\+' means nw:2; got nw:0"),
        ("TER|tok:13a", "'tok' must be one of 'tercom'"),
        ("METEOR|nrefs:1", "begins with BLEU, TER, chrF2 or chrF2"),
        ("nrefs:1|case:mixed", r"Write the metric first: BLEU\|nrefs:1\|case:mixed"),
    ],
)
def test_what_cannot_be_done_as_it_says_is_refused(name, message):
    with pytest.raises(UsageError, match=message):
        get_metric(name)


def test_another_number_of_references_is_refused():
    with pytest.raises(
        UsageError, match=r"nrefs:1, and the references are 2: .* Write nrefs:2 .* references=\['ref1'\] \(score\)"
    ):
        metaeval.score(BLEU_13A, CANDIDATE, REFERENCES)
    with pytest.raises(UsageError, match=r"references='ref1\+ref2' \(compare\)"):
        metaeval.compare("demo", [BLEU_13A.replace("nrefs:1", "nrefs:2"), "ter"])
    with pytest.raises(
        UsageError, match=r"nrefs:3, and the references are 1: 'reference'. Write nrefs:1 for .*these.$"
    ):
        metaeval.score(BLEU_13A.replace("nrefs:1", "nrefs:3"), CANDIDATE, REFERENCES["ref1"])
    (varying,) = metaeval.score(BLEU_13A.replace("nrefs:1", "nrefs:var"), CANDIDATE, REFERENCES)
    assert np.isfinite(varying.values).all()


def test_another_preprocessing_is_refused_and_its_own_is_not(tmp_path, capsys):
    with pytest.raises(
        UsageError, match=r"got 'nocase' beside it. Leave it out .* or write 'case\(tokenizer=\"13a\"\)'"
    ):
        metaeval.score(BLEU_13A, CANDIDATE, REFERENCES["ref1"], preprocessing="nocase")
    with pytest.raises(UsageError, match="write the metric as 'sacrebleu-bleu"):
        metaeval.correlate("demo", [BLEU_13A, "ter"], preprocessing=["case", "stem"])
    for name in ("one.txt", "two.txt"):
        (tmp_path / name).write_text("a b\n")
    files = ["-c", str(tmp_path / "one.txt"), "-r", str(tmp_path / "two.txt")]
    assert main(["score", "-m", BLEU_13A, *files, "--tokenize", "intl"]) == 2
    assert "--tokenize" in capsys.readouterr().err
    intl = BLEU_13A.replace("13a", "intl")
    assert main(["score", "-m", intl, *files, "--tokenize", "intl"]) == 0
    assert main(["score", "-m", intl, *files]) == 0
    assert main(["score", "-m", "TER|nrefs:1|norm:yes", *files, "--tokenize", "tercom", "--lowercase"]) == 0


def test_a_signature_and_the_name_of_its_metric_are_one_metric():
    with pytest.raises(UsageError, match="are the same metric"):
        metaeval.score([BLEU_13A, "sacrebleu-bleu"], CANDIDATE, REFERENCES["ref1"])
