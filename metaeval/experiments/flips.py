"""Where a metric and people disagree most about two systems: the documents, and the segments that cause it.

A metric and people put the systems of a document in two orders. Both sides are standardised across the systems (mean
0, standard deviation 1, high is good), so that no scale counts. The contradiction of two systems is the product of
their two differences where these point in opposite ways; that of a document is the largest one among its pairs. Where
coefficients are taken over documents and systems pooled, both sides are standardised over all of these. Equal
contradictions, such as all those of two systems, are ordered by the same product over all documents and systems.

The segments of that document are ordered by the product of the same two differences, between the segment scores of the
metric and between the judgments as the experiment reduces them, where both point as they do in the document; then by
the difference that people make.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from metaeval.corpora.catalogue import read_corpus
from metaeval.experiments.cells import Row
from metaeval.experiments.compute import Computed, groups_of
from metaeval.experiments.humans import judge_criterion, scorable_segments
from metaeval.experiments.load import Panel
from metaeval.experiments.scores import ScoreBlock
from metaeval.judgments.groups import judged_by
from metaeval.judgments.rules import reduce_items
from metaeval.metrics import get_metric
from metaeval.metrics.gtm import Gtm
from metaeval.metrics.segments import segment_ids
from metaeval.records import INTER_JUDGE, BoolArray, Corpus, FloatArray, IntArray
from metaeval.sampling.references import ReferenceGroup
from metaeval.text.conditions import get_condition
from metaeval.text.encoding import encode

FLIPS = "flips.json"
PLACE = ("panel", "corpus", "condition", "subset", "criterion", "grouping", "length", "metric")
# What GTM sees in a segment is shown for every metric: it tells which words and runs of words two texts share.
GRID_METRIC = "gtm(exponent=2)"
N_DOCUMENTS = N_SEGMENTS = 3
# The report must stay small enough to be mailed.
MOST_DOCUMENTS = 1200
MOST_LETTERS = 700_000
# A document of more segments is not listed segment by segment.
_LONGEST_LISTED = 50
_PAIRS_AT_ONCE = 4_000_000
_DIGITS_OF_TIES = 9  # Contradictions that agree to so many are equal.


@dataclass(frozen=True)
class Flip:
    """Two systems that the metric and people put in opposite orders.

    Attributes
    ----------
    document : int
        Its row.
    preferred : int
        The system that the metric puts above the other.
    other : int
        The system that people put above it.
    by_metric, by_people : float
        By how much, in standard deviations; both above 0.
    """

    document: int
    preferred: int
    other: int
    by_metric: float
    by_people: float

    @property
    def contradiction(self) -> float:
        """The product of both differences."""
        return self.by_metric * self.by_people


def find_flips(metric: FloatArray, people: FloatArray, *, pooled: bool = False, most: int = N_DOCUMENTS) -> list[Flip]:
    """Return the documents with the largest contradictions, each with its pair of systems.

    Parameters
    ----------
    metric : (subsets or 1, documents, systems) float array
        High is good; standardised scores are averaged over the subsets.
    people : (documents, systems) float array
        High is good.
    pooled : bool, default False
        Whether scores are standardised over all documents and systems, not in each document.
    most : int
        How many documents at most.

    Returns
    -------
    list of Flip
        By descending contradiction; equal ones by that of the same pair where scores are standardised over all
        documents and systems, then by their rows. Documents without two systems in opposite orders, or with an
        undefined score, are left out.
    """
    defined = np.isfinite(metric).all(axis=(0, 2)) & np.isfinite(people).all(axis=1)
    rows: IntArray = np.flatnonzero(defined)
    if not len(rows):
        return []
    m = _standardised(metric[:, rows], pooled).mean(axis=0)
    h = _standardised(people[np.newaxis, rows], pooled)[0]
    n_systems = people.shape[1]
    step = max(1, _PAIRS_AT_ONCE // n_systems**2)
    largest, pairs = np.empty(len(rows)), np.empty(len(rows), dtype=np.int64)
    for start in range(0, len(rows), step):
        part = slice(start, start + step)
        by_metric = m[part, :, None] - m[part, None, :]
        by_people = h[part, None, :] - h[part, :, None]
        product = np.where((by_metric > 0) & (by_people > 0), by_metric * by_people, 0.0).reshape(-1, n_systems**2)
        pairs[part] = product.argmax(axis=1)
        largest[part] = product.max(axis=1)
    one, other = np.divmod(pairs, n_systems)
    over_all = _over_all(metric[:, rows], people[rows], one, other)
    found = []
    for place in np.lexsort((-over_all, -largest.round(_DIGITS_OF_TIES)))[:most].tolist():
        if largest[place] > 0:
            i, j = int(one[place]), int(other[place])
            found.append(
                Flip(int(rows[place]), i, j, float(m[place, i] - m[place, j]), float(h[place, j] - h[place, i]))
            )
    return found


def _over_all(metric: FloatArray, people: FloatArray, one: IntArray, other: IntArray) -> FloatArray:
    """Return the contradiction of a pair of each document, from scores standardised over all documents."""
    m, h = _standardised(metric, True).mean(axis=0), _standardised(people[np.newaxis], True)[0]
    at = np.arange(len(people))
    return np.asarray((m[at, one] - m[at, other]) * (h[at, other] - h[at, one]))


def _standardised(values: FloatArray, pooled: bool) -> FloatArray:
    """Return (subsets, documents, systems) scores with mean 0 and standard deviation 1; 0 where all are equal."""
    axes = (1, 2) if pooled else (2,)
    spread = values.std(axis=axes, keepdims=True)
    # What is left by rounding among equal scores is no difference.
    same = np.ptp(values, axis=axes, keepdims=True) == 0
    centred = values - values.mean(axis=axes, keepdims=True)
    standardised: FloatArray = np.divide(centred, spread, out=np.zeros_like(centred), where=~same & (spread > 0))
    return standardised


def causes_of(metric: FloatArray | None, people: FloatArray, *, most: int = N_SEGMENTS) -> IntArray:
    """Return which segments of a document cause its flip.

    Parameters
    ----------
    metric : (segments, 2) float array or None
        The scores of the system that the metric prefers, and of the other, in each segment; high is good. None where
        the metric has none.
    people : (segments, 2) float array
        The same by people; high is good, ``nan`` without a judgment.
    most : int
        How many at most.

    Returns
    -------
    (causes,) int array
        Rows, the largest cause first: by the product of both differences where both point as in the document, then by
        the difference by people. Those in which people do not prefer the other are left out, unless all are so: a
        document can rest on drawn judgments that differ from their mean.
    """
    by_people = np.nan_to_num(people[:, 1] - people[:, 0])
    by_metric = np.zeros(len(people)) if metric is None else np.nan_to_num(metric[:, 0] - metric[:, 1])
    product = np.maximum(by_metric, 0.0) * np.maximum(by_people, 0.0)
    order: IntArray = np.lexsort((np.arange(len(people)), -by_people, -product))
    return order[: max(1, min(most, int((by_people > 0).sum())))]


@dataclass
class _Store:
    """Texts, tokens and grids, each kept once, until there are too many letters."""

    strings: dict[str, int] = field(default_factory=dict)
    segments: dict[str, dict[str, Any]] = field(default_factory=dict)
    # Condition, references with their texts, and candidate of each grid.
    grids: dict[tuple[str, tuple[tuple[str, str], ...], str], int] = field(default_factory=dict)
    treated: set[tuple[str, str]] = field(default_factory=set)
    n_letters: int = 0

    def of(self, text: str) -> int:
        if text not in self.strings:
            self.strings[text] = len(self.strings)
            self.n_letters += len(text)
        return self.strings[text]

    def grid(self, condition: str, references: Mapping[str, str], candidate: str) -> int:
        for text in (candidate, *references.values()):
            if (condition, text) not in self.treated:
                self.treated.add((condition, text))
                self.n_letters += len(text)
        key = condition, tuple(references.items()), candidate
        return self.grids.setdefault(key, len(self.grids))

    @property
    def is_full(self) -> bool:
        return self.n_letters >= MOST_LETTERS

    def drawn(self) -> list[Row]:
        """Return the grids; all texts under a condition are treated together, which is faster."""
        tokens: dict[tuple[str, str], list[int]] = {}
        vocabularies: dict[str, Sequence[str]] = {}
        for condition in sorted({condition for condition, _ in self.treated}):
            texts = sorted(text for treatment, text in self.treated if treatment == condition)
            (encoded,) = encode(get_condition(condition), [texts])
            vocabularies[condition] = encoded.vocabulary
            tokens |= {(condition, text): list(ids) for text, ids in zip(texts, segment_ids(encoded), strict=True)}
        gtm = get_metric(GRID_METRIC)
        assert isinstance(gtm, Gtm)
        found = []
        for condition, references, candidate in self.grids:

            def words(text: str, condition: str = condition) -> int:
                return self.of(" ".join(vocabularies[condition][token] for token in tokens[condition, text]))

            alignment = gtm.align(tokens[condition, candidate], [tokens[condition, text] for _, text in references])
            found.append(
                {
                    "candidate": words(candidate),
                    "references": [[name, words(text)] for name, text in references],
                    "runs": [[run.candidate, run.reference, run.length, float(kept)] for run, kept in alignment.chosen],
                }
            )
        return found


@dataclass(frozen=True)
class _Source:
    """One panel on one corpus: where the scores of segments, the judgments and the texts come from."""

    panel: Panel
    corpus: Corpus
    groups: Mapping[str, ReferenceGroup]
    blocks: Mapping[tuple[Any, ...], ScoreBlock]
    _people: dict[str, FloatArray] = field(default_factory=dict)

    def sign(self, criterion: str) -> int:
        """Return -1 where a low human score is good."""
        return next(1 if one.higher_is_better else -1 for one in self.corpus.criteria if one.name == criterion)

    def people(self, criterion: str) -> FloatArray:
        """Return the value of each item by the rule of the experiment, the mean for drawn judgments."""
        if criterion not in self._people:
            position = [one.name for one in self.corpus.criteria].index(criterion)
            judged = judge_criterion(self.corpus, position, self.panel.experiment)
            rule = self.panel.experiment.judgments.rule
            self._people[criterion] = reduce_items(judged.judged, "median" if rule == "median" else "mean")[..., 0]
        return self._people[criterion]

    def references(self, subset: str, document: int) -> tuple[str, ...]:
        """Return the names of the references that a document is scored against."""
        group = self.groups[subset]
        if group.combine == "documents":
            return group.subsets[document % len(group.subsets)].names
        used = {name for one in group.subsets for name in one.names}
        return tuple(name for name in self.corpus.references if name in used)


def flips_of(panels: Sequence[Panel], computed: Computed) -> dict[str, Any]:
    """Return what flips.json holds.

    Parameters
    ----------
    panels : sequence of Panel
    computed : Computed

    Returns
    -------
    dict
        ``places``: for each metric at each place the documents with the largest contradictions, with their systems,
        scores and segments. ``segments``: texts and judgments, by corpus and number. ``grids``: bitext grids.
        ``strings``: the texts and tokens that the others point to. ``notes``: what is not there, and why.
    """
    sources = dict(_sources(panels, computed))
    places, entries, notes = [], [], []
    wanted = [item for item in computed.related.index if item["metric"] != INTER_JUDGE]
    groupings = dict.fromkeys(item["grouping"] for item in wanted)
    unfit = [grouping for grouping in groupings if grouping not in ("system", "pooled")]
    notes += [_why_none(grouping) for grouping in unfit]
    wanted = [item for item in wanted if item["grouping"] not in unfit]
    most = max(1, min(N_DOCUMENTS, MOST_DOCUMENTS // max(1, len(wanted))))
    if len(wanted) > MOST_DOCUMENTS:
        notes.append(f"Of {len(wanted)} places the first {MOST_DOCUMENTS} are kept; the run is large.")
    for item in wanted[:MOST_DOCUMENTS]:
        source = sources[item.get("panel", ""), item["corpus"]]
        found = _documents(item, source, computed.related.arrays, most)
        places.append({key: item[key] for key in PLACE if key in item} | {"documents": [one for one, _ in found]})
        entries.append((item, source, found))
    store, n_without = _Store(), 0
    # The worst document of each place comes first, so that no place is without texts before all have some.
    for rank in range(most):
        for item, source, found in entries:
            for entry, document in found[rank : rank + 1]:
                for cause in entry["causes"]:
                    n_without += not _keep(store, cause, entry, item, source, document)
    grids = store.drawn()
    if n_without:
        notes.append(f"{n_without} segments are told without their texts, because the report must stay small.")
    return {
        "notes": notes,
        "most_documents": most,
        "most_segments": N_SEGMENTS,
        "grid_metric": GRID_METRIC,
        "systems": {source.corpus.name: list(source.corpus.systems) for source in sources.values()},
        "places": places,
        "segments": store.segments,
        "grids": grids,
        "strings": list(store.strings),
    }


def write_flips(path: Path, panels: Sequence[Panel], computed: Computed) -> None:
    """Write flips.json; the same results give the same bytes."""
    text = json.dumps(flips_of(panels, computed), ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    path.write_text(text + "\n", encoding="utf-8")


def _why_none(grouping: str) -> str:
    over = "documents for each system" if grouping == "document" else "pairs of systems by their p-values"
    return f"Grouping {grouping!r} relates {over}, so no order of the systems of a document can be flipped."


def _sources(panels: Sequence[Panel], computed: Computed) -> Iterator[tuple[tuple[str, str], _Source]]:
    corpora: dict[str, Corpus] = {}
    for panel in panels:
        for name in panel.experiment.corpora:
            corpus = judged_by(corpora.setdefault(name, read_corpus(name)[0]), panel.experiment.judgments.judges)
            blocks = {
                (block.head["condition"], block.head["subset"], block.head["metric"]): block
                for block in computed.blocks
                if (block.level, block.kind) == ("segment", "system")
                and (block.head.get("panel", ""), block.head["corpus"]) == (panel.title, corpus.name)
            }
            groups = {str(group): group for group in groups_of(corpus, panel.experiment)}
            yield (panel.title, corpus.name), _Source(panel, corpus, groups, blocks)


def _documents(
    item: Row, source: _Source, arrays: Mapping[str, np.ndarray[Any, Any]], most: int
) -> list[tuple[Row, int]]:
    """Return the documents of a place with the largest contradictions, and their rows."""
    scores, human = arrays[item["scores"]], arrays[item["human"]]
    of_subsets = scores if scores.ndim == 3 else scores[np.newaxis]
    sign, people_sign = 1 if get_metric(item["metric"]).higher_is_better else -1, source.sign(item["criterion"])
    flips = find_flips(sign * of_subsets, people_sign * human, pooled=item["grouping"] == "pooled", most=most)
    shown = of_subsets.mean(axis=0)
    block = source.blocks.get((item["condition"], item["subset"], item["metric"]))
    units = {} if block is None else {unit: row for row, unit in enumerate(block.units)}
    people = source.people(item["criterion"])
    found = []
    for flip in flips:
        pair = [flip.preferred, flip.other]
        numbers = _segments(item, source, arrays, flip.document, people)
        of_people = people[pair][:, numbers - 1].T
        rows = [units.get(str(number)) for number in numbers.tolist()]
        by_metric = None
        if block is not None and None not in rows:
            by_metric = block.values[np.array(rows, dtype=np.int64)][:, pair]
        causes = causes_of(None if by_metric is None else sign * by_metric, people_sign * of_people)
        document = item["documents"][flip.document] if item["documents"] else str(flip.document + 1)
        entry: Row = {
            "document": document,
            "n_segments": len(numbers),
            "segments": numbers.tolist() if len(numbers) <= _LONGEST_LISTED else [],
            "systems": pair,
            "metric": _exact(shown[flip.document, pair]),
            "people": _exact(human[flip.document, pair]),
            "metric_ranks": _ranks(sign * shown[flip.document])[pair].tolist(),
            "people_ranks": _ranks(people_sign * human[flip.document])[pair].tolist(),
            "by_metric": flip.by_metric,
            "by_people": flip.by_people,
            "contradiction": flip.contradiction,
            "references": list(source.references(item["subset"], flip.document)),
            "causes": [
                {
                    "segment": int(numbers[row]),
                    "metric": None if by_metric is None else _exact(by_metric[row]),
                    "people": _exact(of_people[row]),
                    "grids": None,
                }
                for row in causes.tolist()
            ],
        }
        found.append((entry, flip.document))
    return found


def _segments(
    item: Row, source: _Source, arrays: Mapping[str, np.ndarray[Any, Any]], document: int, people: FloatArray
) -> IntArray:
    """Return the numbers of the segments of a document, each once."""
    if item["segments"] is not None:
        return np.unique(arrays[item["segments"]][document]).astype(np.int64)
    corpus = source.corpus
    assert corpus.documents is not None
    inside: BoolArray = np.array([name == item["documents"][document] for name in corpus.documents], dtype=bool)
    scorable = scorable_segments(corpus, source.groups[item["subset"]], source.panel.experiment)
    return np.flatnonzero(inside & scorable & np.isfinite(people).all(axis=0)) + 1


def _keep(store: _Store, cause: Row, entry: Row, item: Row, source: _Source, document: int) -> bool:
    """Keep the texts, judgments and grids of a segment; false where there is no room for them."""
    if store.is_full:
        return False
    corpus, number = source.corpus, cause["segment"]
    kept = store.segments.setdefault(corpus.name, {}).setdefault(
        str(number), {"id": corpus.segment_ids[number - 1], "references": {}, "systems": {}, "judgments": {}}
    )
    if corpus.sources is not None:
        kept["source"] = store.of(corpus.sources[number - 1])
    texts = {name: corpus.references[name][number - 1] for name in entry["references"]}
    present = {name: text for name, text in texts.items() if text is not None}
    kept["references"] |= {name: store.of(text) for name, text in present.items()}
    grids = []
    for system in entry["systems"]:
        text = corpus.candidates[system][number - 1] or ""
        kept["systems"][str(system)] = store.of(text)
        judgments = kept["judgments"].setdefault(item["criterion"], {})
        if str(system) not in judgments:
            judgments[str(system)] = _judgments(corpus, item["criterion"], system, number - 1)
        if present:
            grids.append(store.grid(item["condition"], present, text))
    cause["grids"] = grids
    return True


def _judgments(corpus: Corpus, criterion: str, system: int, segment: int) -> list[list[Any]]:
    """Return who judged an item, and the scores as published."""
    rows = corpus.judgments
    position = [one.name for one in corpus.criteria].index(criterion)
    chosen = rows.where((rows.criterion == position) & (rows.system == system) & (rows.segment == segment))
    return [[rows.judges[judge], float(score)] for judge, score in zip(chosen.judge, chosen.score, strict=True)]


def _ranks(scores: FloatArray) -> IntArray:
    """Return the rank of each system: 1 and the number of better ones."""
    better: BoolArray = scores[np.newaxis, :] > scores[:, np.newaxis]
    return np.asarray(1 + better.sum(axis=1))


def _exact(values: FloatArray) -> list[float | None]:
    """Return numbers in full, so that a page rounds them once; None for none."""
    return [value if np.isfinite(value) else None for value in values.tolist()]
