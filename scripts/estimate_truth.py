"""Estimate how well text metrics follow the truth of a simulated corpus, from 100,000 fresh segments.

The synthetic metrics of a simulated corpus have a correlation with latent quality that is known by construction; that
of a metric computed from text can only be estimated. Scores against one reference are related to the latent adequacy
and fluency: across the systems, from everything pooled, and over all texts. Errors are jackknife standard errors over
blocks of 1000 segments. The result is part of every truth.toml.

Usage: python scripts/estimate_truth.py [PRESET ...] [--jobs N] > metaeval/corpora/simulation/estimates.toml
"""

from __future__ import annotations

import argparse

import numpy as np
from joblib import Parallel, delayed

from metaeval.corpora.simulation.presets import get_preset
from metaeval.corpora.simulation.sentences import Writer, as_text
from metaeval.corpora.simulation.systems import translate
from metaeval.corpora.simulation.write import draw_segment
from metaeval.correlation.coefficients import pearson, spearman
from metaeval.metrics import get_metric
from metaeval.runtime.randomness import uniform_stream
from metaeval.text.encoding import treat
from metaeval.text.preprocessing import get_preprocessing

METRICS = ("bleu", "gtm(exponent=1)", "gtm(exponent=2)")
CRITERIA = ("adequacy", "fluency")
COEFFICIENTS = ("pearson_across_systems", "spearman_across_systems", "pearson_over_texts")
BLOCK = 1000
SEED = 2  # not that of the presets


def measure_block(name: str, block: int, size: int) -> tuple[dict[str, np.ndarray], np.ndarray, dict[str, np.ndarray]]:
    """Return pooled statistics by metric, sums of latent qualities (criteria, systems), and moments by metric.

    Moments are (criteria, 6): n, x, y, xx, yy, xy of segment scores x and latent qualities y over all texts.
    """
    preset = get_preset(name)
    systems = preset.make_systems()
    references, candidates = [], [[] for _ in systems]
    latent = np.empty((2, len(systems), size))
    for place in range(size):
        segment = block * BLOCK + place
        meaning, difficulty = draw_segment(preset.lengths, SEED, segment)
        parts = Writer(uniform_stream(SEED, "reference", 0, segment), 0.0).say(meaning)
        text = as_text([token for part in parts for token in part], stop=meaning.fragment is None)
        references.append(text[:1].upper() + text[1:])
        for number, system in enumerate(systems):
            made = translate(uniform_stream(SEED, "system", system.name, segment), meaning, system, difficulty)
            candidates[number].append(made.text)
            latent[:, number, place] = made.adequacy, made.fluency
    treated = treat(get_preprocessing('case(tokenizer="13a")'), candidates, {"ref": references})
    pooled, moments = {}, {}
    for written in METRICS:
        metric = get_metric(written)
        prepared = metric.prepare([treated.references["ref"]])
        values = np.stack([metric.statistics(texts, prepared) for texts in treated.candidates])
        pooled[written] = values.sum(axis=1)
        x = metric.score(values).ravel()
        moments[written] = np.array(
            [[len(x), x.sum(), y.sum(), x @ x, y @ y, x @ y] for y in (latent[0].ravel(), latent[1].ravel())]
        )
    return pooled, latent.sum(axis=2), moments


def estimates(blocks: list) -> np.ndarray:
    """Return (metrics, criteria, 3): Pearson and Spearman across systems, Pearson over texts."""
    out = np.empty((len(METRICS), len(CRITERIA), 3))
    latent = sum(block[1] for block in blocks)
    for m, written in enumerate(METRICS):
        scores = get_metric(written).score(sum(block[0][written] for block in blocks))
        for c in range(len(CRITERIA)):
            n, x, y, xx, yy, xy = sum(block[2][written][c] for block in blocks)
            over_texts = (n * xy - x * y) / np.sqrt((n * xx - x * x) * (n * yy - y * y))
            out[m, c] = pearson(scores, latent[c]), spearman(scores, latent[c]), over_texts
    return out


def main() -> None:
    parser = argparse.ArgumentParser(
        description="Estimate how well text metrics follow the truth of a simulated corpus."
    )
    parser.add_argument("presets", nargs="*", default=["mtc-chinese"])
    parser.add_argument("--segments", type=int, default=100_000)
    parser.add_argument("--jobs", type=int, default=1)
    options = parser.parse_args()
    if options.segments < 2 * BLOCK:
        parser.error(f"--segments must be at least {2 * BLOCK}: the errors come from leaving out blocks of {BLOCK}.")
    print("# Made by scripts/estimate_truth.py; it belongs to decision record 9.")
    for name in options.presets:
        n_blocks = options.segments // BLOCK
        blocks = Parallel(n_jobs=options.jobs)(delayed(measure_block)(name, block, BLOCK) for block in range(n_blocks))
        whole = estimates(blocks)
        without = np.array([estimates(blocks[:k] + blocks[k + 1 :]) for k in range(n_blocks)])
        errors = np.sqrt((n_blocks - 1) / n_blocks * np.square(without - without.mean(axis=0)).sum(axis=0))
        for m, written in enumerate(METRICS):
            for c, criterion in enumerate(CRITERIA):
                print(f'\n[[estimates]]\npreset = "{name}"\nmetric = "{written}"\nfollows = "{criterion}"')
                print(f'preprocessing = "13a tokens, case kept, one reference"\nsegments = {n_blocks * BLOCK}')
                for key, value, error in zip(COEFFICIENTS, whole[m, c], errors[m, c], strict=True):
                    print(f"{key} = {value:.5f}\n{key}_error = {error:.5f}", flush=True)


if __name__ == "__main__":
    main()
