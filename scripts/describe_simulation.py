"""Describe simulated corpora beside real ones: lengths, words, references, judges, and what damage does to grades.

No metric is correlated with people here; BLEU only compares one reference with another.

Usage: python scripts/describe_simulation.py [REAL_CORPUS ...] > docs/simulation-measured.md
"""

from __future__ import annotations

import sys
import tempfile
from dataclasses import replace
from pathlib import Path

import numpy as np

from metaeval.api import score
from metaeval.corpora.catalogue import load_corpus
from metaeval.corpora.simulation.judges import grade, make_judge, perceived
from metaeval.corpora.simulation.presets import PRESETS
from metaeval.corpora.simulation.systems import System, translate
from metaeval.corpora.simulation.write import draw_segment, simulate
from metaeval.correlation.coefficients import Spearman
from metaeval.datamodel.corpus import Corpus
from metaeval.datamodel.pooling import mean_of_sums, pool_drawn
from metaeval.judgments.combining import draw_judgments, group_by_item, restrict
from metaeval.judgments.groups import choose_judges
from metaeval.judgments.normalisation import z_scores
from metaeval.runtime.randomness import generator, uniform_stream
from metaeval.sampling.documents import draw_documents
from metaeval.text.preprocessing import get_preprocessing

LENGTHS = (1, 3, 10, 50)
SEED = 1


def words(corpus: Corpus) -> str:
    """Return a row on texts: lengths, types among the first tokens, BLEU of the second reference against the first."""
    references = [[text or "" for text in texts] for texts in corpus.references.values()]
    lengths = [len(text.split()) for texts in references for text in texts if text]
    candidates = [len(text.split()) for texts in corpus.candidates for text in texts]
    tokens = [token for text in get_preprocessing('case(tokenizer="13a")').tokens(references[0]) for token in text]
    types = [f"{len(set(tokens[:n])):,}" if len(tokens) >= n else "" for n in (1000, 2000, 4000, 10_000)]
    both = [k for k in range(corpus.n_segments) if references[0][k] and references[1][k]]
    (bleu,) = score(
        ["bleu"],
        {"second": [references[1][k] for k in both]},
        {"first": [references[0][k] for k in both]},
        preprocessing='case(tokenizer="13a")',
    )
    told = (
        f"{np.mean(lengths):.1f} ({np.std(lengths):.1f}; {min(lengths)} to {max(lengths)})",
        f"{np.mean(candidates):.1f} ({np.std(candidates):.1f}; {min(candidates)} to {max(candidates)})",
        *types,
        f"{float(bleu.values[0, 0]):.3f}",
    )
    return f"| {corpus.name} | " + " | ".join(told) + " |"


def agreement(corpus: Corpus, criterion: int) -> str:
    """Return a row on judges: mean Spearman of two draws of judgments across systems, by document length."""
    of_judges = choose_judges(corpus).members[corpus.judgments.judge]
    rows = corpus.judgments.where((corpus.judgments.criterion == criterion) & of_judges)
    values, _ = z_scores(rows.score, rows.judge, len(rows.judges), 1)
    judged = group_by_item(rows.system, rows.segment, rows.judge, values, (len(corpus.systems), corpus.n_segments))
    eligible = np.flatnonzero((judged.counts > 1).all(axis=0))
    cells = []
    for length in LENGTHS:
        documents = draw_documents(len(eligible), length, 1000, generator(SEED, "documents", length)).indices
        rngs = [generator(SEED, "judgments", length, system) for system in corpus.systems]
        drawn = draw_judgments(restrict(judged, eligible), documents, rngs, two=True)
        scale = float(np.abs(values).max())
        first, second = (mean_of_sums(pool_drawn(judged.values, one), scale) for one in (drawn.first, drawn.second))
        cells.append(f"{np.nanmean(Spearman()(first, second)):.3f}")
    return f"| {corpus.name} | {corpus.criteria[criterion].name} | " + " | ".join(cells) + " |"


def damage() -> list[str]:
    """Return rows on what one kind of damage does to both grades, over 2000 segments and five judges."""
    preset = PRESETS["mtc-chinese"]
    judges = [make_judge(uniform_stream(SEED, "judge", k), f"judge{k}", preset.noise) for k in range(5)]
    rows = []
    for label, meaning_rate, form_rate in (
        ("little of both", 0.1, 0.1), ("more damage to meaning", 0.4, 0.1), ("more damage to form", 0.1, 0.4)
    ):  # fmt: skip
        system = System("probe", meaning_rate, form_rate, 0.0)
        grades = []
        for segment in range(2000):
            meaning, difficulty = draw_segment(preset.lengths, SEED, segment)
            made = translate(uniform_stream(SEED, "probe", segment), meaning, system, difficulty)
            rng = uniform_stream(SEED, "probe grade", segment)
            seen = perceived(made.adequacy, made.fluency)
            grades.append([[grade(rng, judge, quality) for quality in seen] for judge in judges])
        adequacy, fluency = np.mean(grades, axis=(0, 1))
        rows.append(f"| {label} | {meaning_rate} | {form_rate} | {adequacy:.2f} | {fluency:.2f} |")
    return rows


def samples(corpus: Corpus) -> list[str]:
    """Return twenty random segments with two references, the best, a middling and the worst system."""
    rng = uniform_stream(SEED, "samples")
    lines = []
    for segment in sorted({int(rng.random() * corpus.n_segments) for _ in range(60)})[::3][:20]:
        lines.append(f"**{segment + 1}**\n")
        lines += [f"- {name}: {corpus.references[name][segment]}" for name in ("ref1", "ref2")]
        best, middle, worst = 0, len(corpus.systems) // 2, len(corpus.systems) - 1
        lines += [f"- {corpus.systems[k]}: {corpus.candidates[k][segment]}" for k in (best, middle, worst)]
        lines.append("")
    return lines


def main() -> None:
    real = [load_corpus(path) for path in sys.argv[1:]]
    with tempfile.TemporaryDirectory() as folder:
        for name, preset in PRESETS.items():
            simulate(replace(preset), Path(folder) / name, SEED)
        simulated = [load_corpus(Path(folder) / name) for name in PRESETS]
    print(f"# Simulated corpora, measured (seed {SEED})\n\n`python scripts/describe_simulation.py CORPUS ...`\n")
    print(
        "Words are split at white space; types are 13a tokens of the first reference; BLEU scores the second reference "
        "against\nthe first as its only reference.\n"
    )
    print(
        "| corpus | reference words: mean (s.d.; range) | candidate words | types in 1,000 tokens | 2,000 | 4,000 "
        "| 10,000 | BLEU between references |\n| --- | --- | --- | --- | --- | --- | --- | --- |"
    )
    for corpus in simulated + real:
        print(words(corpus))
    print(
        "\nInter-annotator agreement (two draws of judgments, z-scores by judge), mean Spearman over 1000 documents of "
        "each length:\n"
    )
    print(
        "| corpus | criterion | "
        + " | ".join(f"{n} segment{'s' * (n > 1)}" for n in LENGTHS)
        + " |\n| --- | --- | --- | --- | --- | --- |"
    )
    for corpus in simulated + [one for one in real if "mqm" not in [c.name for c in one.criteria]]:
        for criterion in range(min(2, len(corpus.criteria))):
            print(agreement(corpus, criterion))
    print("\nMean grades of five judges over 2,000 segments:\n")
    print("| system | meaning rate | form rate | adequacy | fluency |\n| --- | --- | --- | --- | --- |")
    print("\n".join(damage()))
    print("\n## Twenty segments of mtc-chinese, drawn at random\n")
    print("\n".join(samples(next(corpus for corpus in simulated if corpus.name == "mtc-chinese"))))


if __name__ == "__main__":
    main()
