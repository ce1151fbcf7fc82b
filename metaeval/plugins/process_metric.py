"""What functions and programs share: the segments of a system go to another process, and scores come back.

A segment is an object of JSON, without what is absent::

    {"id": "17", "system": "A", "candidate": "...", "references": ["...", "..."], "source": "..."}
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from metaeval.errors import MetricError
from metaeval.metrics.text_metric import TextMetric, as_statistics
from metaeval.plugins.conversation import Conversation
from metaeval.plugins.worker import Refused, as_number
from metaeval.records import Corpus, FloatArray

Row: TypeAlias = dict[str, Any]


class ProcessMetric(TextMetric):
    """A metric whose scores another process gives."""

    if TYPE_CHECKING:

        @property
        def subject(self) -> str: ...  # noqa: D102

    @property
    def uses_source(self) -> str:
        """What becomes of the sources of a corpus: ``needed``, ``wanted`` where there are some, or nothing."""
        return "wanted"

    @abstractmethod
    def start(self) -> Conversation:
        """Return the process; it is started where it does not run."""

    @abstractmethod
    def ask(self, process: Conversation, rows: Sequence[Row]) -> None:
        """Send the segments of a system."""

    @abstractmethod
    def hear(self, process: Conversation, subject: str, waiting: Mapping[str, str], n_rows: int) -> tuple[str, object]:
        """Return what the process answers next: the id of a segment and its score.

        Parameters
        ----------
        process : Conversation
        subject : str
            The metric and the system, for messages.
        waiting : mapping of str to str
            The ids that have no score yet, in their order, with the names of the segments in messages.
        n_rows : int
            How many segments were sent.

        Raises
        ------
        MetricError
            If there is none.
        """

    def measure(self, corpus: Corpus, references: Sequence[str]) -> FloatArray:
        """Return the scores of all segments as sums and counts: (systems, segments, 2)."""
        scores = np.full((len(corpus.systems), corpus.n_segments), np.nan)
        process = self.start()
        with process.lock:
            try:
                for position in range(len(corpus.systems)):
                    self._score_system(process, corpus, position, references, scores[position])
            except BaseException:
                # Whatever it would still answer belongs to nothing.
                process.kill()
                raise
        return as_statistics(scores)

    def _score_system(
        self, process: Conversation, corpus: Corpus, system: int, references: Sequence[str], scores: FloatArray
    ) -> None:
        rows = self._rows(corpus, system, references)
        if not rows:
            return
        self.ask(process, list(rows.values()))
        subject = f"{self.subject}, system {corpus.systems[system]!r}"
        places = {corpus.segment_ids[segment]: segment for segment in rows}
        waiting = {id_: segment_words(corpus, segment) for id_, segment in places.items()}
        while waiting:
            id_, score = self.hear(process, subject, waiting, len(rows))
            if id_ not in waiting:
                what = "a second time" if id_ in places else "which it was not asked for with this system"
                raise MetricError(f"{subject}: answered with the id {id_!r} {what}.")
            try:
                scores[places[id_]] = as_number(score)
            except Refused as error:
                raise MetricError(f"{subject}, {waiting[id_]}: {error}.") from None
            del waiting[id_]

    def _rows(self, corpus: Corpus, system: int, references: Sequence[str]) -> dict[int, Row]:
        """Return what is sent of each segment that can have a score."""
        sources = corpus.sources if self.uses_source else None
        if sources is None and self.uses_source == "needed":
            raise MetricError(f"{self.subject}: it needs sources, and the corpus {corpus.name!r} has none.")
        rows: dict[int, Row] = {}
        for segment, candidate in enumerate(corpus.candidates[system]):
            present = [text for name in references if (text := corpus.references[name][segment]) is not None]
            if candidate is None or (self.uses_references and not present):
                continue
            row: Row = {"id": corpus.segment_ids[segment], "system": corpus.systems[system], "candidate": candidate}
            row |= {"references": present} if self.uses_references else {}
            rows[segment] = row | ({} if sources is None else {"source": sources[segment]})
        return rows


def segment_words(corpus: Corpus, segment: int) -> str:
    """Return the name of a segment in messages: its number, and its id where that is another."""
    id_ = corpus.segment_ids[segment]
    return f"segment {segment + 1}" + (f" (id {id_!r})" if id_ != str(segment + 1) else "")
