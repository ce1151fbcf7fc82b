"""The documents where metric and human scores disagree most about two systems, with texts: disagreements.json."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from metaeval.components.registries import COEFFICIENTS
from metaeval.config.schema import Experiment
from metaeval.corpora.catalogue import read_corpus
from metaeval.correlation.disagreements import N_DOCUMENTS, N_SEGMENTS, causes_of, find_disagreements
from metaeval.datamodel.corpus import CONSTANT, BoolArray, Corpus, FloatArray, IntArray
from metaeval.experiment.eligible import scorable_segments
from metaeval.experiment.execute import Reader, groups_of
from metaeval.experiment.filtering import filters_of, named_references
from metaeval.experiment.judge import judge_criterion
from metaeval.experiment.overrides import Panel
from metaeval.judgments.combining import reduce_items
from metaeval.judgments.groups import judged_by
from metaeval.metrics import get_metric
from metaeval.metrics.gtm import Gtm
from metaeval.metrics.segments import segment_ids
from metaeval.metrics.selection import expanded, named_metrics
from metaeval.results.grid import Grid
from metaeval.results.keys import Key
from metaeval.results.model import RunData, ScoreBlock
from metaeval.results.tables import Record, fields_of
from metaeval.sampling.references import ReferenceGroup
from metaeval.text.encoding import encode
from metaeval.text.preprocessing import get_preprocessing

PLACE = ("panel", "corpus", "preprocessing", "subset", "criterion", "average_by", "length", "metric")
# What GTM sees in a segment is shown for every metric: it shows which words and runs of words two texts share.
GRID_METRIC = "gtm(exponent=2)"
# The report must stay small enough to be mailed.
MAX_DOCUMENTS = 1200
MAX_LETTERS = 700_000
# A longer document is not listed segment by segment.
_MAX_SEGMENTS_LISTED = 50
# Letters of a judgment besides the name of its judge.
_LETTERS_OF_SCORE = 8


@dataclass
class _Store:
    """Texts, tokens and grids, each stored once, up to a number of characters."""

    strings: dict[str, int] = field(default_factory=dict)
    segments: dict[str, dict[str, Any]] = field(default_factory=dict)
    # Preprocessing, references with their texts, and candidate of each grid.
    grids: dict[tuple[str, tuple[tuple[str, str], ...], str], int] = field(default_factory=dict)
    treated: set[tuple[str, str]] = field(default_factory=set)
    n_letters: int = 0

    def number_of(self, text: str) -> int:
        """Return the number of a text, which is stored if it is new."""
        if text not in self.strings:
            self.strings[text] = len(self.strings)
            self.n_letters += len(text)
        return self.strings[text]

    def grid(self, preprocessing: str, references: Mapping[str, str], candidate: str) -> int:
        """Return the number of a bitext grid, which is stored if it is new."""
        for text in (candidate, *references.values()):
            if (preprocessing, text) not in self.treated:
                self.treated.add((preprocessing, text))
                self.n_letters += len(text)
        key = preprocessing, tuple(references.items()), candidate
        return self.grids.setdefault(key, len(self.grids))

    @property
    def is_full(self) -> bool:
        return self.n_letters >= MAX_LETTERS

    def drawn(self) -> list[Record]:
        """Return the grids; all texts of a preprocessing are encoded together, which is faster."""
        tokens: dict[tuple[str, str], list[int]] = {}
        vocabularies: dict[str, Sequence[str]] = {}
        for preprocessing in sorted({preprocessing for preprocessing, _ in self.treated}):
            texts = sorted(text for treatment, text in self.treated if treatment == preprocessing)
            (encoded,) = encode(get_preprocessing(preprocessing), [texts])
            vocabularies[preprocessing] = encoded.vocabulary
            tokens |= {(preprocessing, text): list(ids) for text, ids in zip(texts, segment_ids(encoded), strict=True)}
        gtm = get_metric(GRID_METRIC)
        assert isinstance(gtm, Gtm)
        grids = []
        for preprocessing, references, candidate in self.grids:

            def words(text: str, preprocessing: str = preprocessing) -> int:
                return self.number_of(
                    " ".join(vocabularies[preprocessing][token] for token in tokens[preprocessing, text])
                )

            alignment = gtm.align(
                tokens[preprocessing, candidate], [tokens[preprocessing, text] for _, text in references]
            )
            runs = [[run.candidate, run.reference, run.length, float(hits)] for run, hits in alignment.chosen]
            candidate_words = words(candidate)
            reference_words = [[name, words(text)] for name, text in references]
            grids.append({"candidate": candidate_words, "references": reference_words, "runs": runs})
        return grids


@dataclass(frozen=True)
class _Source:
    """A panel on a corpus, with its judgments, human scores and references."""

    experiment: Experiment  # as it is made on this corpus
    corpus: Corpus
    groups: Mapping[str, ReferenceGroup]
    metric_signs: Mapping[str, int]
    # Of all panels, whose filters may choose different ones.
    systems: list[str]
    _people: dict[str, FloatArray] = field(default_factory=dict)

    def sign(self, criterion: str) -> int:
        """Return -1 where a low human score is good."""
        return next(1 if each.higher_is_better else -1 for each in self.corpus.criteria if each.name == criterion)

    def people(self, criterion: str) -> FloatArray:
        """Return the value of each item by the rule of the experiment, the mean for drawn judgments."""
        if criterion not in self._people:
            position = [each.name for each in self.corpus.criteria].index(criterion)
            judged = judge_criterion(self.corpus, position, self.experiment)
            self._people[criterion] = reduce_items(judged.judged, self.experiment.judgments.rule)[..., 0]
        return self._people[criterion]

    @cached_property
    def judgments(self) -> Mapping[tuple[int, int], dict[str, list[list[Any]]]]:
        """The judges and published scores of each item, (system, segment), by criterion."""
        rows = self.corpus.judgments
        by_item: dict[tuple[int, int], dict[str, list[list[Any]]]] = {}
        columns = (rows.system, rows.segment, rows.criterion, rows.judge, rows.score)
        for system, segment, criterion, judge, score in zip(*(column.tolist() for column in columns), strict=True):
            of_item = by_item.setdefault((system, segment), {})
            of_item.setdefault(self.corpus.criteria[criterion].name, []).append([rows.judges[judge], float(score)])
        return by_item

    def references(self, subset: str, document: int) -> tuple[str, ...]:
        """Return the names of the references that a document is scored against."""
        group = self.groups[subset]
        if group.combine == "documents":
            return group.subsets[document % len(group.subsets)].names
        used = {name for references in group.subsets for name in references.names}
        return tuple(name for name in self.corpus.references if name in used)


def disagreements_of(panels: Sequence[Panel], run: RunData, read: Reader = read_corpus) -> dict[str, Any]:
    """Return the content of disagreements.json.

    Parameters
    ----------
    panels : sequence of Panel
    run : RunData
    read : callable
        Reads a corpus, from its name and formats.

    Returns
    -------
    dict
        ``places``: for each metric at each place the documents with the largest contradictions, with their systems,
        scores and segments. ``segments``: texts and judgments, by corpus and number. ``grids``: bitext grids.
        ``strings``: the texts and tokens that the others point to. ``notes``: what is left out, and why.
    """
    sources = dict(_sources(panels, read))
    # By key: the scores of segments, and the row of each segment.
    blocks: dict[Key, tuple[ScoreBlock | None, dict[str, int]]] = {}
    for scores in run.scores:
        if (scores.level, scores.kind) == ("segment", "system"):
            blocks[scores.key] = scores, {unit: row for row, unit in enumerate(scores.units)}
    places: list[Record] = []
    entries: list[tuple[Key, _Source, list[Record]]] = []
    of_metrics = [grid for grid in run.grids if not grid.is_of_judges]
    notes = list(filter(None, dict.fromkeys(map(_why_none, of_metrics))))
    wanted = [
        (grid, grid.key_of(position))
        for grid in of_metrics
        for position, metric in enumerate(grid.metrics)
        if metric.name != CONSTANT and not _why_none(grid)
    ]
    most = max(1, min(N_DOCUMENTS, MAX_DOCUMENTS // max(1, len(wanted))))
    if len(wanted) > MAX_DOCUMENTS:
        notes.append(
            f"Disagreements are listed for the first {MAX_DOCUMENTS} of {len(wanted)} places; the run is large."
        )
    for grid, key in wanted[:MAX_DOCUMENTS]:
        source = sources[key.panel, key.corpus]
        scored = Key(**fields_of(key, "panel", "corpus", "preprocessing", "subset", "metric"))
        block, units = blocks.get(scored, (None, {}))
        documents = _documents(grid, key, source, block, units, most)
        places.append(fields_of(key, *PLACE) | {"documents": documents})
        entries.append((key, source, documents))
    store = _Store()
    n_without = 0
    # The worst document of each place comes first, so that each place gets texts before any gets more.
    for rank in range(most):
        for key, source, documents in entries:
            for entry in documents[rank : rank + 1]:
                for cause in entry["causes"]:
                    n_without += not _add_cause(store, cause, entry, key, source)
    grids = store.drawn()
    for source in {source.corpus.name: source for source in sources.values()}.values():
        _add_all(store, source)
    if n_without:
        notes.append(f"{n_without} segments are listed without their texts, because the report must stay small.")
    return {
        "notes": notes,
        "most_documents": most,
        "most_segments": N_SEGMENTS,
        "grid_metric": GRID_METRIC,
        "systems": {source.corpus.name: source.systems for source in sources.values()},
        "places": places,
        "segments": store.segments,
        "grids": grids,
        "strings": list(store.strings),
    }


def _why_none(grid: Grid) -> str:
    """Explain why metric and human scores cannot order two systems differently in a setting; "" where they can."""
    grids = [text for text in grid.coefficient_names if COEFFICIENTS.named(text).takes_grid]
    if grids:
        return (
            f"{grids[0]} compares pairs of systems by their p-values, so there are no disagreements about two systems."
        )
    if grid.key.average_by == "system":
        return "Coefficients averaged by system are across documents, so there are no disagreements about two systems."
    return ""


def _sources(panels: Sequence[Panel], read: Reader) -> Iterator[tuple[tuple[str, str], _Source]]:
    corpora: dict[str, Corpus] = {}
    systems: dict[str, list[str]] = {}
    for panel in panels:
        for name, formats, experiment in panel.corpora:
            if name not in corpora:
                corpora[name] = read(name, formats)[0]
            corpus, _, _ = filters_of(experiment, several=True).apply(corpora[name])
            corpus = judged_by(corpus, experiment.judgments.judges)
            names = systems.setdefault(corpus.name, [])
            names += [system for system in corpus.systems if system not in names]
            groups = {str(group): group for group in groups_of(corpus, experiment)}
            named = named_metrics(experiment.metrics)
            references = named_references(experiment.references)
            metrics, _ = expanded(corpus, named, several=True, references=references)
            signs = {metric.written: 1 if metric.kind.higher_is_better else -1 for metric in metrics}
            yield (panel.title, corpus.name), _Source(experiment, corpus, groups, signs, names)


def _documents(
    grid: Grid, key: Key, source: _Source, block: ScoreBlock | None, units: Mapping[str, int], most: int
) -> list[Record]:
    """Return the documents of a metric with the largest contradictions; `units` are the rows of the block."""
    scores, human = grid.scores(key), grid.human
    of_subsets = scores if scores.ndim == 3 else scores[np.newaxis]
    sign, people_sign = source.metric_signs[key.metric], source.sign(key.criterion)
    disagreements = find_disagreements(
        sign * of_subsets, people_sign * human, pooled=key.average_by == "none", most=most
    )
    shown = of_subsets.mean(axis=0)
    people = source.people(key.criterion)
    documents = []
    for disagreement in disagreements:
        pair_in_grid = [disagreement.preferred, disagreement.other]
        pair = [source.corpus.systems.index(grid.systems[system]) for system in pair_in_grid]
        numbers = _segments(grid, source, disagreement.document, people)
        of_people = people[pair][:, np.searchsorted(source.corpus.numbers, numbers)].T
        rows = [units.get(str(number)) for number in numbers.tolist()]
        by_metric = None
        if block is not None and None not in rows:
            by_metric = block.values[np.array(rows, dtype=np.int64)][:, pair]
        causes = causes_of(None if by_metric is None else sign * by_metric, people_sign * of_people)
        document = grid.documents[disagreement.document] if grid.documents else str(disagreement.document + 1)
        entry: Record = {
            "document": document,
            "n_segments": len(numbers),
            "segments": numbers.tolist() if len(numbers) <= _MAX_SEGMENTS_LISTED else [],
            "systems": [source.systems.index(grid.systems[system]) for system in pair_in_grid],
            "metric": _exact(shown[disagreement.document, pair_in_grid]),
            "people": _exact(human[disagreement.document, pair_in_grid]),
            "metric_ranks": _ranks(sign * shown[disagreement.document])[pair_in_grid].tolist(),
            "people_ranks": _ranks(people_sign * human[disagreement.document])[pair_in_grid].tolist(),
            "by_metric": disagreement.by_metric,
            "by_people": disagreement.by_people,
            "contradiction": disagreement.contradiction,
            "references": list(source.references(key.subset, disagreement.document)),
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
        documents.append(entry)
    return documents


def _segments(grid: Grid, source: _Source, document: int, people: FloatArray) -> IntArray:
    """Return the numbers of the segments of a document, each once."""
    if (segments := grid.segments) is not None:
        return np.unique(segments[document]).astype(np.int64)
    corpus = source.corpus
    assert corpus.documents is not None
    inside: BoolArray = np.array([name == grid.documents[document] for name in corpus.documents], dtype=bool)
    scorable = scorable_segments(corpus, source.groups[grid.key.subset], source.experiment)
    # The grid has no systems without judgments.
    judged = np.isfinite(people[[corpus.systems.index(name) for name in grid.systems]])
    enough = judged.all(axis=0) if source.experiment.require == "all" else judged.any(axis=0)
    return corpus.numbers[inside & scorable & enough]


def _add_cause(store: _Store, cause: Record, entry: Record, key: Key, source: _Source) -> bool:
    """Store the texts, judgments and grids of a segment; return False if the store is full."""
    if store.is_full:
        return False
    corpus = source.corpus
    position = int(np.searchsorted(source.corpus.numbers, cause["segment"]))
    texts = {name: corpus.references[name][position] for name in entry["references"]}
    present = {name: text for name, text in texts.items() if text is not None}
    systems = [corpus.systems.index(source.systems[system]) for system in entry["systems"]]
    _add_texts(store, source, position, present, systems)
    cause["grids"] = [
        store.grid(key.preprocessing, present, corpus.candidates[system][position] or "")
        for system in systems
        if present
    ]
    return True


def _add_texts(
    store: _Store, source: _Source, position: int, references: Mapping[str, str], systems: Sequence[int]
) -> None:
    """Store texts of a segment, and the judgments of its candidates on all criteria."""
    corpus = source.corpus
    segment = store.segments.setdefault(corpus.name, {}).setdefault(
        str(corpus.numbers[position]),
        {"id": corpus.segment_ids[position], "references": {}, "systems": {}, "judgments": {}},
    )
    if corpus.sources is not None:
        segment["source"] = store.number_of(corpus.sources[position])
    segment["references"] |= {name: store.number_of(text) for name, text in references.items()}
    for system in systems:
        # All panels number their systems together.
        number = str(source.systems.index(corpus.systems[system]))
        text = corpus.candidates[system][position]
        if number in segment["systems"] or text is None:
            continue
        segment["systems"][number] = store.number_of(text)
        for criterion, judged in source.judgments.get((system, position), {}).items():
            segment["judgments"].setdefault(criterion, {})[number] = judged
            store.n_letters += sum(len(judge) + _LETTERS_OF_SCORE for judge, _ in judged)


def _add_all(store: _Store, source: _Source) -> None:
    """Store all other segments and candidates until the store is full, so that they can be searched."""
    corpus = source.corpus
    for position in range(len(corpus.numbers)):
        if store.is_full:
            return
        texts_of = {name: texts[position] for name, texts in corpus.references.items()}
        present = {name: text for name, text in texts_of.items() if text is not None}
        _add_texts(store, source, position, present, range(len(corpus.systems)))


def _ranks(scores: FloatArray) -> IntArray:
    """Return the rank of each system: 1 and the number of better ones."""
    better: BoolArray = scores[np.newaxis, :] > scores[:, np.newaxis]
    return np.asarray(1 + better.sum(axis=1))


def _exact(values: FloatArray) -> list[float | None]:
    """Return unrounded numbers, so that a page rounds them once; None for those that are not finite."""
    return [value if np.isfinite(value) else None for value in values.tolist()]
