"""Forty kinds of damage that happen to corpora, done to one that is sound.

A kind takes a corpus and a generator, and returns the damaged corpus, or None where it has nothing to damage, such as
the judgments of one person among several. Kinds of `FILES` damage the files of a corpus in the neutral layout instead.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np

from metaeval.corpora.write_native import write_neutral
from metaeval.datamodel.corpus import Corpus

Texts = list[str | None]
Damage = Callable[[Corpus, np.random.Generator], Corpus | None]
# Fewer judgments than these are not worth being damaged.
_ENOUGH = 20


def _texts(corpus: Corpus, system: int, texts: Texts) -> Corpus:
    candidates = [*corpus.candidates]
    candidates[system] = tuple(texts)
    return replace(corpus, candidates=tuple(candidates))


def _reference(corpus: Corpus, name: str, texts: Texts) -> Corpus:
    return replace(corpus, references={**corpus.references, name: tuple(texts)})


def _of_system(change: Callable[[Texts, Corpus, np.random.Generator], Texts | None]) -> Damage:
    """Return a kind that changes the texts of a system that is drawn."""

    def damage(corpus: Corpus, rng: np.random.Generator) -> Corpus | None:
        system = int(rng.integers(len(corpus.systems)))
        texts = change([*corpus.candidates[system]], corpus, rng)
        return None if texts is None else _texts(corpus, system, texts)

    return damage


def _of_reference(change: Callable[[Texts, Corpus, np.random.Generator], Texts]) -> Damage:
    """Return a kind that changes the texts of the first reference."""

    def damage(corpus: Corpus, rng: np.random.Generator) -> Corpus | None:
        name, texts = next(iter(corpus.references.items()))
        return _reference(corpus, name, change([*texts], corpus, rng))

    return damage


def _rotated(texts: Texts, corpus: Corpus, rng: np.random.Generator) -> Texts:
    return texts[1:] + texts[:1]


def _shuffled(texts: Texts, corpus: Corpus, rng: np.random.Generator) -> Texts:
    return [texts[place] for place in rng.permutation(len(texts))]


def _third_shuffled(texts: Texts, corpus: Corpus, rng: np.random.Generator) -> Texts:
    third = len(texts) // 3
    return texts[:third] + _shuffled(texts[third : 2 * third], corpus, rng) + texts[2 * third :]


def _line_lost(texts: Texts, corpus: Corpus, rng: np.random.Generator) -> Texts:
    lost = len(texts) // 3
    return texts[:lost] + texts[lost + 1 :] + texts[-1:]


def _partly(share: float, new: Callable[[int, str | None, Corpus], str | None]) -> Damage:
    """Return a kind that replaces a share of the texts of a system, at random places."""

    def change(texts: Texts, corpus: Corpus, rng: np.random.Generator) -> Texts | None:
        chosen = rng.random(len(texts)) < share
        found = [new(i, text, corpus) if at else text for i, (text, at) in enumerate(zip(texts, chosen, strict=True))]
        return None if found == texts else found

    return _of_system(change)


def _source(place: int, text: str | None, corpus: Corpus) -> str | None:
    return text if corpus.sources is None else corpus.sources[place]


def _cut_short(texts: Texts, corpus: Corpus, rng: np.random.Generator) -> Texts:
    kept = len(texts) * 2 // 3
    return texts[:kept] + [""] * (len(texts) - kept)


def _halved(text: str | None) -> str:
    words = (text or "").split()
    return " ".join(words[: (len(words) + 1) // 2])


def _later_halved(texts: Texts, corpus: Corpus, rng: np.random.Generator) -> Texts:
    half = len(texts) // 2
    return texts[:half] + [_halved(text) for text in texts[half:]]


def _two_systems(corpus: Corpus, rng: np.random.Generator) -> tuple[int, int]:
    first, second = rng.choice(len(corpus.systems), 2, replace=False).tolist()
    return first, second


def _copied(share: float) -> Damage:
    """Return a kind that puts the first texts of a system in place of those of another one."""

    def damage(corpus: Corpus, rng: np.random.Generator) -> Corpus:
        first, second = _two_systems(corpus, rng)
        kept = round(share * corpus.n_segments)
        return _texts(corpus, second, [*corpus.candidates[first][:kept], *corpus.candidates[second][kept:]])

    return damage


def _texts_exchanged(corpus: Corpus, rng: np.random.Generator) -> Corpus:
    first, second = _two_systems(corpus, rng)
    half, (a, b) = corpus.n_segments // 2, (corpus.candidates[first], corpus.candidates[second])
    return _texts(_texts(corpus, first, [*b[:half], *a[half:]]), second, [*a[:half], *b[half:]])


def _system_is_reference(corpus: Corpus, rng: np.random.Generator) -> Corpus:
    texts = next(iter(corpus.references.values()))
    return _texts(corpus, int(rng.integers(len(corpus.systems))), [text or "" for text in texts])


def _reference_is_system(corpus: Corpus, rng: np.random.Generator) -> Corpus:
    texts = corpus.candidates[int(rng.integers(len(corpus.systems)))]
    return _reference(corpus, next(iter(corpus.references)), [*texts])


def _reference_twice(corpus: Corpus, rng: np.random.Generator) -> Corpus | None:
    first, second = [*corpus.references, "", ""][:2]
    return _reference(corpus, first, [*corpus.references[second]]) if second else None


def _references_rotated(corpus: Corpus, rng: np.random.Generator) -> Corpus:
    return replace(corpus, references={name: (*t[1:], t[0]) for name, t in corpus.references.items()})


def _references_cut(corpus: Corpus, rng: np.random.Generator) -> Corpus:
    kept = corpus.n_segments * 2 // 3
    nothing = (None,) * (corpus.n_segments - kept)
    return replace(corpus, references={name: t[:kept] + nothing for name, t in corpus.references.items()})


# Judgments. All moves are one to one: no judge judges an item twice.


def _moved(of: str, move: Callable[[int, np.random.Generator], np.ndarray]) -> Damage:
    """Return a kind that gives the judgments of a system, of a judge or of all to other segments: (segments,) each."""

    def damage(corpus: Corpus, rng: np.random.Generator) -> Corpus | None:
        mask = _chosen(of, corpus, rng)
        if mask is None:
            return None
        segment = corpus.judgments.segment.copy()
        segment[mask] = move(corpus.n_segments, rng)[segment[mask]]
        return replace(corpus, judgments=replace(corpus.judgments, segment=segment))

    return damage


def _chosen(of: str, corpus: Corpus, rng: np.random.Generator) -> np.ndarray | None:
    """Return the judgments of a drawn system, judge or criterion, or all: (judgments,)."""
    judged = corpus.judgments
    if of == "all":
        return np.ones(len(judged), dtype=bool)
    column = {"system": judged.system, "judge": judged.judge, "criterion": judged.criterion}[of]
    numbers, counts = np.unique(column, return_counts=True)
    numbers = numbers[counts >= _ENOUGH * len(corpus.criteria)]
    return column == rng.choice(numbers) if len(numbers) > (of == "judge") else None


def _rescored(of: str, change: Callable[[np.ndarray, float, float, np.random.Generator], np.ndarray]) -> Damage:
    """Return a kind that changes scores, given the lowest and highest of each one's criterion."""

    def damage(corpus: Corpus, rng: np.random.Generator) -> Corpus | None:
        mask = _chosen(of, corpus, rng)
        if mask is None:
            return None
        score = corpus.judgments.score.copy()
        for number in range(len(corpus.criteria)):
            of_criterion = corpus.judgments.criterion == number
            if (here := mask & of_criterion).any():
                every = corpus.judgments.score[of_criterion]
                score[here] = change(score[here], every.min(), every.max(), rng)
        return replace(corpus, judgments=replace(corpus.judgments, score=score))

    return damage


def _criteria_exchanged(of: str) -> Damage:
    def damage(corpus: Corpus, rng: np.random.Generator) -> Corpus | None:
        mask = _chosen(of, corpus, rng)
        if mask is None or len(corpus.criteria) < 2:
            return None
        criterion, last = corpus.judgments.criterion.copy(), len(corpus.criteria) - 1
        was = criterion[mask]
        criterion[mask] = np.where(was == 0, last, np.where(was == last, 0, was))
        return replace(corpus, judgments=replace(corpus.judgments, criterion=criterion))

    return damage


def _gone(of: str, share: float) -> Damage:
    def damage(corpus: Corpus, rng: np.random.Generator) -> Corpus:
        mask = _chosen(of, corpus, rng)
        assert mask is not None
        judged = corpus.judgments
        # An item goes with all its judgments on all criteria, as a line of a form does.
        items = rng.random((len(corpus.systems), corpus.n_segments, len(judged.judges))) < share
        return replace(corpus, judgments=judged.where(~(mask & items[judged.system, judged.segment, judged.judge])))

    return damage


def _segments_gone(corpus: Corpus, rng: np.random.Generator) -> Corpus:
    judged = corpus.judgments
    return replace(corpus, judgments=judged.where(judged.segment < corpus.n_segments * 2 // 3))


def _judgments_copied(corpus: Corpus, rng: np.random.Generator) -> Corpus:
    first, second = _two_systems(corpus, rng)
    judged = corpus.judgments
    rows = np.concatenate([np.flatnonzero(judged.system != second), np.flatnonzero(judged.system == first)])
    system = judged.system[rows].copy()
    system[np.count_nonzero(judged.system != second) :] = second
    return replace(corpus, judgments=replace(judged.where(rows), system=system))


def _block_twice(corpus: Corpus, rng: np.random.Generator) -> Corpus:
    judged, third = corpus.judgments, corpus.n_segments // 3
    rows = np.concatenate(
        [
            np.flatnonzero((judged.segment < third) | (judged.segment >= 2 * third)),
            np.flatnonzero(judged.segment < third),
        ]
    )
    segment = judged.segment[rows].copy()
    segment[len(rows) - np.count_nonzero(judged.segment < third) :] += third
    return replace(corpus, judgments=replace(judged.where(rows), segment=segment))


def _systems_exchanged(share: float) -> Damage:
    """Return a kind that exchanges the judgments of two systems on the first segments."""

    def damage(corpus: Corpus, rng: np.random.Generator) -> Corpus:
        first, second = _two_systems(corpus, rng)
        judged = corpus.judgments
        place = np.arange(len(corpus.systems))
        place[[first, second]] = second, first
        here = judged.segment < share * corpus.n_segments
        return replace(corpus, judgments=replace(judged, system=np.where(here, place[judged.system], judged.system)))

    return damage


KINDS: dict[str, Damage] = {
    "system rotated by a line": _of_system(_rotated),
    "system shuffled by lines": _of_system(_shuffled),
    "a third of a system shuffled": _of_system(_third_shuffled),
    "line of a system lost, the last doubled": _of_system(_line_lost),
    "halves of two systems exchanged": _texts_exchanged,
    "system a copy of another": _copied(1.0),
    "half of a system copied from another": _copied(0.5),
    "system a copy of a reference": _system_is_reference,
    "three tenths of a system empty": _partly(0.3, lambda *_: ""),
    "last third of a system empty": _of_system(_cut_short),
    "three tenths of a system untranslated": _partly(0.3, _source),
    "the same text in three tenths of a system": _partly(0.3, lambda place, text, corpus: corpus.candidates[0][0]),
    "texts of a system cut at 40 characters": _partly(1.0, lambda place, text, _: (text or "")[:40].rstrip()),
    "second half of a system cut in the middle of each text": _of_system(_later_halved),
    "system in UTF-8 read as Latin-1": _partly(1.0, lambda place, text, _: (text or "").encode().decode("latin-1")),
    "references rotated by a line": _references_rotated,
    "one reference shuffled": _of_reference(_shuffled),
    "line of a reference lost, the last doubled": _of_reference(_line_lost),
    "reference a copy of another": _reference_twice,
    "reference a copy of a system": _reference_is_system,
    "last third of the references missing": _references_cut,
    "judgments of a system shifted by a segment": _moved("system", lambda n, _: (np.arange(n) + 1) % n),
    "judgments of a judge shifted by a segment": _moved("judge", lambda n, _: (np.arange(n) + 1) % n),
    "all judgments shifted by a segment": _moved("all", lambda n, _: (np.arange(n) + 1) % n),
    "judgments of a system shuffled by segments": _moved("system", lambda n, rng: rng.permutation(n)),
    "judge reversed": _rescored("judge", lambda score, low, high, _: low + high - score),
    "judge constant": _rescored("judge", lambda score, *_: np.full(len(score), np.median(score))),
    "judge at random": _rescored("judge", lambda score, low, high, rng: rng.permutation(score)),
    "scores of a system reversed": _rescored("system", lambda score, low, high, _: low + high - score),
    "scores of a criterion reversed": _rescored("criterion", lambda score, low, high, _: low + high - score),
    "scores of a system on a scale of a tenth": _rescored("system", lambda s, low, high, _: low + (s - low) / 10),
    "scores of a judge on a scale of a tenth": _rescored("judge", lambda s, low, high, _: low + (s - low) / 10),
    "criteria exchanged by a judge": _criteria_exchanged("judge"),
    "criteria exchanged in a system": _criteria_exchanged("system"),
    "half of the judgments of a system gone": _gone("system", 0.5),
    "judgments of the last third of the segments gone": _segments_gone,
    "judgments of a system copied from another": _judgments_copied,
    "a third of the segments with the judgments of others": _block_twice,
    "judgments of two systems exchanged": _systems_exchanged(1.0),
}


def _table_cut(directory: Path) -> None:
    table = directory / "judgments.tsv"
    content = table.read_bytes()
    table.write_bytes(content[: content.rindex(b"\n", 0, len(content) * 2 // 3) + 1])


# Damage that no corpus can show, because it is done to files.
FILES: dict[str, Callable[[Path], None]] = {"last third of the table of judgments cut off": _table_cut}


def damaged(kind: str, corpus: Corpus, directory: Path, seed: int = 1) -> bool:
    """Write a corpus with a kind of damage into a directory; False where there is nothing to damage."""
    rng = np.random.default_rng([seed, [*KINDS, *FILES].index(kind)])
    spoiled = corpus if kind in FILES else KINDS[kind](corpus, rng)
    if spoiled is None:
        return False
    write_neutral(spoiled, directory)
    if kind in FILES:
        FILES[kind](directory)
    return True
