from __future__ import annotations

import re
import tomllib
from collections import defaultdict
from functools import cache

import numpy as np
import pytest

import metaeval
from metaeval.cli import main
from metaeval.corpora.simulation.judges import grade, make_judge, perceived
from metaeval.corpora.simulation.meanings import draw_meaning, lexicon
from metaeval.corpora.simulation.presets import PRESETS
from metaeval.corpora.simulation.source import say_source
from metaeval.corpora.simulation.systems import System, translate
from metaeval.corpora.simulation.words import article, noun, verb
from metaeval.corpora.simulation.write import draw_segment
from metaeval.runtime.randomness import uniform_stream


def files(directory):
    return {path.relative_to(directory): path.read_bytes() for path in directory.rglob("*") if path.is_file()}


@pytest.fixture(scope="module")
def preset(tmp_path_factory):
    """Give a function from the name of a preset to its directory, which is made once, and the lengths of its texts."""

    @cache
    def make(name):
        directory = tmp_path_factory.mktemp("presets") / name
        return directory, metaeval.simulate_corpus(name, directory)

    return make


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    directory = tmp_path_factory.mktemp("simulated") / "corpus"
    metaeval.simulate_corpus("mtc-chinese", directory, seed=5, segments=120)
    return directory


def test_the_same_seed_gives_the_same_bytes_and_another_does_not(small, tmp_path):
    metaeval.simulate_corpus("mtc-chinese", tmp_path / "again", seed=5, segments=120)
    metaeval.simulate_corpus("mtc-chinese", tmp_path / "other", seed=6, segments=120)

    assert files(small) == files(tmp_path / "again")
    assert all(files(small).values())
    assert files(small) != files(tmp_path / "other")


def test_more_segments_references_or_systems_leave_the_others_as_they_are(small, tmp_path):
    metaeval.simulate_corpus("mtc-chinese", tmp_path / "more", seed=5, segments=130, references=5)
    for name in ("references/ref1.txt", "references/ref4.txt", "systems/sys03.txt", "source.txt"):
        first, more = (directory / name for directory in (small, tmp_path / "more"))
        assert more.read_text().startswith(first.read_text())


@pytest.mark.parametrize("name", sorted(PRESETS))
def test_every_preset_is_a_corpus_in_order_of_the_size_of_its_paper(preset, name):
    corpus, problems = metaeval.check_corpus(preset(name)[0])
    # Sizes as the papers give them; that of demo is ours.
    sizes = {
        "demo": (8, 120, 4, 11),
        "mtc-arabic": (6, 728, 4, 11),
        "mtc-chinese": (10, 878, 4, 11),
        "mtc-arabic-2003": (2, 728, 4, 11),
        "nist2003-chinese": (8, 919, 4, 11),
        "btec": (9, 345, 16, 9),
    }
    assert [item for item in problems.entries if item.severity != "note"] == []
    assert sizes[name] == (
        len(corpus.systems), corpus.n_segments, len(corpus.references), len(corpus.judgments.judges)
    )  # fmt: skip


def test_the_design_of_the_judgments(small):
    rows = [line.split("\t") for line in (small / "judgments.tsv").read_text().splitlines()[1:]]
    documents = dict(line.split("\t") for line in (small / "documents.tsv").read_text().splitlines()[1:])
    by_segment, by_item, by_panel = defaultdict(lambda: defaultdict(set)), defaultdict(set), defaultdict(set)
    for segment, system, judge, _, _, reference in rows:
        by_segment[segment][judge].add(system)
        by_item[segment, system].add((judge, reference))
        by_panel[documents[segment], system].add(frozenset([judge]))
    per_item = {len(panel) for panel in by_item.values()}

    assert per_item == {2, 3}
    assert len(by_item) == 120 * 10
    # No judge has all candidates of a segment; one panel serves a whole document.
    assert max(len(systems) for judges in by_segment.values() for systems in judges.values()) < 10
    assert all(len(by_panel[documents[n], s]) == len(panel) for (n, s), panel in by_item.items())
    assert {reference for panel in by_item.values() for _, reference in panel} == {"ref1", "ref2", "ref3", "ref4"}


def test_btec_has_three_types_of_system_in_three_releases():
    names = {system.name for system in PRESETS["btec"].make_systems()}
    assert names == {f"type{kind}-release{number}" for kind in (1, 2, 3) for number in (1, 2, 3)}


def test_the_truth_is_told(small):
    truth = tomllib.loads((small / "truth.toml").read_text())
    adequacy = [system["latent_adequacy"] for system in truth["systems"]]

    assert adequacy == sorted(adequacy, reverse=True)
    assert [system["name"] for system in truth["systems"]] == list(metaeval.load_corpus(small).systems)
    assert {metric["correlation"] for metric in truth["metrics"]} == {0.4, 0.55}


def test_synthetic_metrics_have_the_correlation_they_claim(preset):
    # The equal ones differ by chance alone: with 8,780 texts the standard error of r is below 0.01.
    directory, shape = preset("mtc-chinese")[0], PRESETS["mtc-chinese"]
    latent = []
    for system in shape.make_systems():
        for segment in range(shape.segments):
            meaning, difficulty = draw_segment(shape.lengths, 1, segment)
            made = translate(uniform_stream(1, "system", system.name, segment), meaning, system, difficulty)
            latent.append(made.adequacy)
    for name, r in (("adequacy-0.40-a", 0.40), ("adequacy-0.40-b", 0.40), ("adequacy-0.55", 0.55)):
        rows = (directory / "metrics" / f"{name}.tsv").read_text().splitlines()[1:]
        assert np.corrcoef(latent, [float(row.split("\t")[2]) for row in rows])[0, 1] == pytest.approx(r, abs=0.04)


def mean_grades(meaning_rate: float, form_rate: float) -> tuple[float, float]:
    preset = PRESETS["mtc-chinese"]
    judge = make_judge(uniform_stream(1, "judge"), "judge", preset.noise)
    grades = []
    for segment in range(400):
        meaning, difficulty = draw_segment(preset.lengths, 1, segment)
        system = System("probe", meaning_rate, form_rate, 0.0)
        made = translate(uniform_stream(1, "probe", segment), meaning, system, difficulty)
        rng = uniform_stream(1, "grade", segment)
        grades.append([grade(rng, judge, quality) for quality in perceived(made.adequacy, made.fluency)])
    return tuple(np.mean(grades, axis=0))


def test_damage_moves_its_own_criterion_more_than_the_other():
    adequacy, fluency = mean_grades(0.1, 0.1)
    less_adequate = mean_grades(0.4, 0.1)
    less_fluent = mean_grades(0.1, 0.4)

    assert adequacy - less_adequate[0] > 3 * abs(fluency - less_adequate[1])
    assert fluency - less_fluent[1] > 3 * abs(adequacy - less_fluent[0])


def test_a_system_without_damage_loses_nothing():
    for segment in range(50):
        meaning, _ = draw_segment(PRESETS["mtc-chinese"].lengths, 1, segment)
        made = translate(uniform_stream(1, segment), meaning, System("perfect", 0.0, 0.0, 0.0), 1.0)
        assert (made.adequacy, made.fluency) == (1.0, 1.0)


def test_the_lengths_are_near_those_of_the_paper(preset):
    # Turian et al. (2003): Chinese references 30.8 words (16.8; 2 to 114).
    mean, sd, shortest, longest = preset("mtc-chinese")[1]["references"]

    assert mean == pytest.approx(30.8, abs=1.0)
    assert sd == pytest.approx(16.8, abs=1.0)
    assert shortest <= 5
    assert longest >= 90


@pytest.mark.parametrize("name", ["references/ref1.txt", "source.txt"])
def test_segments_do_not_repeat(small, name):
    texts = (small / name).read_text().splitlines()
    assert len(set(texts)) == len(texts)


def test_sources_have_the_numbers_of_the_references_and_not_their_words(small):
    corpus = metaeval.load_corpus(small)
    shared = 0
    for segment, source in enumerate(corpus.sources):
        numbers = sorted(re.findall(r"\d+", source))
        for texts in corpus.references.values():
            assert sorted(re.findall(r"\d+", texts[segment])) == numbers
            # Names begin with a capital in both; of other words, the languages share none.
            shared += len(set(re.findall(r"\b[a-z]+", source)) & set(re.findall(r"\b[a-z]+", texts[segment])))
    assert shared == 0


def test_what_systems_leave_untranslated_is_a_word_of_the_source():
    # Heads are hit with a chance of 0.9 and then left untranslated with 0.3: in about 27 of 100 phrases.
    untranslated = 0
    for segment in range(400):
        rng = uniform_stream(1, "meaning", segment)
        meaning = draw_meaning(rng, 4)
        source = say_source(rng, meaning).lower().split()
        text = translate(rng, meaning, System("bad", 0.9, 0.0, 0.0), 1.0).text
        untranslated += bool(set(source) & set(text.lower().split()))
    assert 80 <= untranslated <= 136  # 0.27 of 400, give or take three standard deviations of 8.9


@pytest.mark.parametrize(
    ("entry", "plural"),
    [
        ("minister", "ministers"),
        ("country", "countries"),
        ("box", "boxes"),
        ("head of state/heads of state", "heads of state"),
    ],
)
def test_plurals(entry, plural):
    assert noun(entry).plural == plural


@pytest.mark.parametrize(
    ("entry", "past", "participle"),
    [
        ("announce", "announced", "announced"),
        ("carry out", "carried out", "carried out"),
        ("stop", "stopped", "stopped"),
        ("build/built/built", "built", "built"),
        ("hide/hid/hidden", "hid", "hidden"),
    ],
)
def test_verbs(entry, past, participle):
    found = verb(entry)
    assert (past, participle) == (found.past, found.participle)


@pytest.mark.parametrize(
    ("word", "expected"), [("plan", "a"), ("old", "an"), ("hour", "an"), ("university", "a"), ("unit", "a")]
)
def test_articles(word, expected):
    assert article(word) == expected


def test_the_lexicon_has_no_word_twice_in_a_list():
    assert len(lexicon()) == 17
    for name, listed in lexicon().items():
        variants = [variant.partition("/")[0] for concept in listed for variant in concept]
        assert len(set(variants)) == len(variants), name


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"preset": "mtc"}, "unknown preset 'mtc'"),
        ({"judges": 3}, "3 judges are too few"),
        ({"closeness": 0}, "`closeness` must be from 0.1 to 1000; got 0"),
        ({"segments": 0}, "`segments` must be at least 1; got 0"),
    ],
)
def test_impossible_shapes_are_refused(tmp_path, options, message):
    with pytest.raises(metaeval.UsageError, match=message):
        metaeval.simulate_corpus(**{"preset": "mtc-chinese", "directory": tmp_path / "corpus", **options})
    assert list(tmp_path.iterdir()) == []


def test_a_directory_that_holds_something_is_left_alone(tmp_path, capsys):
    (tmp_path / "notes.txt").write_text("mine")
    assert main(["corpus", "simulate", "btec", str(tmp_path)]) == 2
    assert "is not an empty directory" in capsys.readouterr().err
    assert main(["corpus", "simulate", "btec", str(tmp_path / "new"), "--segments", "20", "--seed", "3"]) == 0
    assert "references" in capsys.readouterr().out
    assert main(["corpus", "check", str(tmp_path / "new")]) == 0
