"""Small corpora drawn at random, on disk and as arrays from which tests compute what they expect."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from metaeval.datamodel.corpus import FloatArray, IntArray
from tests.support.corpus import TOML, write

# Two forms of each, which stemming makes one.
STEMS = ["cat", "dog", "mat", "road", "tree", "bird", "stone", "wind", "door", "lamp", "book", "ship", "king"]
WORDS = [*STEMS, *(f"{word}s" for word in STEMS)]
JUDGES = ("ann", "bob")


@dataclass(frozen=True)
class Made:
    """What a corpus on disk holds.

    Attributes
    ----------
    directory : Path
    systems : tuple of str
    texts : mapping of str to list of str
        Outputs by system.
    references : mapping of str to list of str
        By name.
    judgments : mapping of str to (systems, segments, judges) float array
        By criterion; ``nan`` where an item was not judged. Low is good for errors.
    documents : (segments,) int array
        The number of the document of each segment, from 0.
    scores : mapping of str to (systems, segments) float array
        Scores of metrics that lie in the corpus, by name.
    stored : (systems,) float array
        Human scores of whole systems on adequacy that lie in the corpus.
    """

    directory: Path
    systems: tuple[str, ...]
    texts: Mapping[str, list[str]]
    references: Mapping[str, list[str]]
    judgments: Mapping[str, FloatArray]
    documents: IntArray
    scores: Mapping[str, FloatArray]
    stored: FloatArray

    def human(self, criterion: str = "adequacy") -> FloatArray:
        """Return the mean judgment of each item, (systems, segments), high for good; ``nan`` where nobody judged."""
        judged = self.judgments[criterion]
        counts = (~np.isnan(judged)).sum(axis=2)
        means = np.where(counts > 0, np.nansum(judged, axis=2) / np.maximum(counts, 1), np.nan)
        return means if criterion == "adequacy" else -means


def make_corpus(
    directory: Path,
    *,
    n_systems: int = 6,
    n_documents: int = 12,
    length: int = 3,
    missing: float = 0.0,
    names_documents: bool = True,
    seed: int = 1,
) -> Made:
    """Write a corpus whose systems spoil more and more words of the reference, and return what it holds.

    Parameters
    ----------
    directory : Path
        Its name is that of the corpus.
    n_systems, n_documents, length : int
        `length` is how many segments a document has.
    missing : float
        The share of items that nobody judged; as many again have one judge of two.
    names_documents : bool
        Whether the corpus says which segments are a document.
    seed : int
    """
    rng = np.random.default_rng(seed)
    n_segments = n_documents * length
    systems = tuple(f"S{number}" for number in range(1, n_systems + 1))
    first = [list(rng.choice(WORDS, rng.integers(6, 13))) for _ in range(n_segments)]
    hardness = rng.uniform(0.5, 1.5, n_segments)
    spoiled = np.outer(np.linspace(0.1, 0.5, n_systems), hardness)

    def spoil(words: Sequence[str], share: float) -> str:
        return " ".join(str(rng.choice(WORDS)) if rng.random() < share else word for word in words)

    references = {"ref1": [" ".join(words) for words in first], "ref2": [spoil(words, 0.2) for words in first]}
    texts = {
        name: [spoil(words, spoiled[place, k]) for k, words in enumerate(first)] for place, name in enumerate(systems)
    }
    quality = 1.0 - spoiled
    judgments = {
        "adequacy": np.clip(np.rint(5 * quality[..., None] + rng.normal(0, 0.7, (n_systems, n_segments, 2))), 1, 5),
        "errors": np.clip(np.rint(20 * spoiled[..., None] + rng.normal(0, 3, (n_systems, n_segments, 2))), 0, 25),
    }
    chance = rng.random((n_systems, n_segments))
    for judged in judgments.values():
        judged[chance < missing] = np.nan
        judged[chance > 1 - missing, 1] = np.nan
    # Multiples of 1/64, which are exact in any order of adding them up.
    scores = {
        name: np.rint(64 * (quality + rng.normal(0, spread, quality.shape))) / 64
        for name, spread in (("near", 0.1), ("far", 0.4))
    }
    stored = np.rint(100 * (quality.mean(axis=1) + rng.normal(0, 0.1, n_systems)))
    documents = np.repeat(np.arange(n_documents), length)
    made = Made(directory, systems, texts, references, judgments, documents, scores, stored)
    _write(made, names_documents)
    return made


def _write(made: Made, names_documents: bool) -> None:
    files = {f"systems__{name}": "\n".join(lines) + "\n" for name, lines in made.texts.items()}
    files |= {f"references__{name}": "\n".join(lines) + "\n" for name, lines in made.references.items()}
    rows = ["segment\tsystem\tjudge\tcriterion\tscore"]
    for criterion, judged in made.judgments.items():
        for place, k, who in zip(*np.nonzero(~np.isnan(judged)), strict=True):
            rows.append(f"{k + 1}\t{made.systems[place]}\t{JUDGES[who]}\t{criterion}\t{judged[place, k, who]:g}")
    files["judgments"] = "\n".join(rows) + "\n"
    if names_documents:
        rows = [f"{k + 1}\td{document:02}" for k, document in enumerate(made.documents.tolist())]
        files["documents"] = "\n".join(["segment\tdocument", *rows]) + "\n"
    for name, values in made.scores.items():
        rows = [f"{made.systems[place]}\t{k + 1}\t{value}" for (place, k), value in np.ndenumerate(values)]
        files[f"metrics__{name}"] = "\n".join(["system\tsegment\tscore", *rows]) + "\n"
    rows = [f"{name}\t{score:g}" for name, score in zip(made.systems, made.stored, strict=True)]
    files["human__adequacy.system"] = "\n".join(["system\tscore", *rows]) + "\n"
    without = {f"systems__{name}": None for name in "ABC"}
    write(made.directory, **{**without, **files}, corpus=TOML.replace('"tiny"', f'"{made.directory.name}"'))
