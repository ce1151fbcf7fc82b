"""Base of functions and programs of users as metrics: they score one system after the other, and are cached."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from metaeval.datamodel.corpus import Corpus, FloatArray
from metaeval.errors import MetricError
from metaeval.metrics.text_metric import TextMetric, as_statistics
from metaeval.runtime.cache import digest, limit, read, write
from metaeval.runtime.platform_fingerprint import fingerprint


@dataclass(frozen=True, eq=False)
class Batch:
    """The segments of one system that can have a score with one set of references.

    Attributes
    ----------
    corpus : Corpus
    number : int
        Of the set of references.
    references : sequence of str
        Their names.
    system : int
        The position of the system.
    uses_references, uses_source : bool
        What is read beside the candidate.
    """

    corpus: Corpus
    number: int
    references: Sequence[str]
    system: int
    uses_references: bool
    uses_source: bool

    @cached_property
    def segments(self) -> list[int]:
        """Return the positions of the segments that have a candidate, and a reference if these are read."""
        texts = [self.corpus.references[name] for name in self.references]
        present = []
        for segment, candidate in enumerate(self.corpus.candidates[self.system]):
            has_reference = any(reference[segment] is not None for reference in texts)
            if candidate is not None and (has_reference or not self.uses_references):
                present.append(segment)
        return present

    @property
    def name(self) -> str:
        """The name of the system."""
        return self.corpus.systems[self.system]

    def columns(self) -> dict[str, list[Any]]:
        """Return fresh lists of the candidates, of the references of each segment, and of the sources."""
        candidates = self.corpus.candidates[self.system]
        columns: dict[str, list[Any]] = {"candidate": [candidates[segment] for segment in self.segments]}
        if self.uses_references:
            texts = [self.corpus.references[name] for name in self.references]
            columns["references"] = [
                [reference[segment] for reference in texts if reference[segment] is not None]
                for segment in self.segments
            ]
        if self.uses_source and (sources := self.corpus.sources) is not None:
            columns["source"] = [sources[segment] for segment in self.segments]
        return columns

    def words(self, position: int) -> str:
        """Return the words for one of the segments in messages."""
        return segment_words(self.corpus, self.segments[position])


class ExternalMetric(TextMetric):
    """A metric whose scores the code of a user gives, segment by segment."""

    if TYPE_CHECKING:

        @property
        def subject(self) -> str: ...  # noqa: D102

    @property
    def uses_source(self) -> str:
        """Use of the sources of a corpus: ``needed``, ``wanted`` where there are some, or "" for none."""
        return "wanted"

    @property
    @abstractmethod
    def identity(self) -> Sequence[Any]:
        """Everything that determines a score beside what the code reads."""

    @abstractmethod
    def ask(self, batches: Sequence[Batch]) -> Iterable[tuple[Batch, FloatArray]]:
        """Yield the scores of each batch as soon as all of them are there.

        Raises
        ------
        MetricError
            If the code fails, or gives something else.
        """

    def read_by(self, batch: Batch) -> dict[str, Any]:
        """Return all of a batch that can have an influence on its scores."""
        return batch.columns()

    def measure(self, corpus: Corpus, references: Sequence[str]) -> FloatArray:
        """Return the scores of all segments as sums and counts: (systems, segments, 2)."""
        return next(self.measure_subsets(corpus, [references]))

    def measure_subsets(self, corpus: Corpus, subsets: Sequence[Sequence[str]]) -> Iterator[FloatArray]:
        """Yield the statistics of all systems with each of several reference subsets."""
        if not self.uses_references:
            statistics = as_statistics(self.scores(corpus, [()])[0])
            yield from [statistics] * len(subsets)
            return
        for scores in self.scores(corpus, subsets):
            yield as_statistics(scores)

    def scores(self, corpus: Corpus, sets: Sequence[Sequence[str]]) -> FloatArray:
        """Return the scores of all segments with each of several sets of references.

        Parameters
        ----------
        corpus : Corpus
        sets : sequence of sequences of str
            Names of references.

        Returns
        -------
        (sets, systems, segments) float array
            ``nan`` where there is none.
        """
        if corpus.sources is None and self.uses_source == "needed":
            raise MetricError(f"{self.subject}: it needs sources, and the corpus {corpus.name!r} has none.")
        values = np.full((len(sets), len(corpus.systems), corpus.n_segments), np.nan)
        systems = range(len(corpus.systems))
        reads = (self.uses_references, bool(self.uses_source))
        batches = [Batch(corpus, number, names, k, *reads) for number, names in enumerate(sets) for k in systems]
        for batch, scores in self._cached([batch for batch in batches if batch.segments]):
            values[batch.number, batch.system, batch.segments] = scores
        return values

    def _cached(self, batches: Sequence[Batch]) -> Iterator[tuple[Batch, FloatArray]]:
        """Yield the scores of batches, from the cache where they are there; what is asked for is written at once."""
        if not limit():
            yield from self.ask(batches)
            return
        alike: dict[str, list[Batch]] = {}
        for batch in batches:
            # Scores of other people's code do not depend on ours.
            name = digest("scores", fingerprint(), *self.identity, self.read_by(batch))
            alike.setdefault(name, []).append(batch)
        missing: dict[Batch, str] = {}
        for name, same in alike.items():
            scores = read("scores", name, (len(same[0].segments),))
            if scores is None:
                missing[same[0]] = name
            else:
                yield from ((batch, scores) for batch in same)
        for batch, scores in self.ask(list(missing)) if missing else ():
            write("scores", missing[batch], scores)
            yield from ((other, scores) for other in alike[missing[batch]])


def segment_words(corpus: Corpus, segment: int) -> str:
    """Return the name of a segment in messages: its number, and its id where that is another."""
    id_ = corpus.segment_ids[segment]
    return f"segment {segment + 1}" + (f" (id {id_!r})" if id_ != str(segment + 1) else "")
