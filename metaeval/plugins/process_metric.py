"""What functions and programs share: segments go to another process, and scores come back.

A segment is an object of JSON, without what is absent::

    {"id": "17", "system": "A", "candidate": "...", "references": ["...", "..."], "source": "..."}
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from metaeval.metrics.text_metric import TextMetric, as_statistics
from metaeval.plugins.conversation import Conversation, KilledError
from metaeval.plugins.sentences import refuse, say
from metaeval.plugins.worker import Refused, as_number
from metaeval.records import Corpus, FloatArray
from metaeval.runtime.cache import cached

Row: TypeAlias = dict[str, Any]
# The positions of a set of references, a system and a segment, and what is sent of the segment.
Asked: TypeAlias = tuple[tuple[int, int, int], Row]
# Processes that are asked for the same answers, where signals end them.
_TRIES = 3


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
    def ask(self, process: Conversation, rows: Sequence[Row]) -> Sequence[Hashable]:
        """Send segments, and return what the answer to each will carry; one answer may be that to several."""

    @abstractmethod
    def hear(
        self, process: Conversation, subject: str, waiting: Mapping[Any, str], n_rows: int
    ) -> tuple[Hashable, object]:
        """Return what the process answers next: what :meth:`ask` returned for a segment, and its score.

        Parameters
        ----------
        process : Conversation
        subject : str
            The metric and, where all segments are of one, the system; for messages.
        waiting : mapping to str
            What has no answer yet, in its order, with the names of the segments in messages.
        n_rows : int
            How many segments were sent.

        Raises
        ------
        MetricError
            If there is none.
        """

    def calls(self, of_systems: Iterator[list[Asked]]) -> Iterable[list[Asked]]:
        """Return what is asked at once, of the segments of each system: these, unless a metric says otherwise."""
        return of_systems

    def measure(self, corpus: Corpus, references: Sequence[str]) -> FloatArray:
        """Return the scores of all segments as sums and counts: (systems, segments, 2)."""
        return as_statistics(self.scores(corpus, [references])[0])

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
        found = np.full((len(sets), len(corpus.systems), corpus.n_segments), np.nan)
        of_systems = (
            list(self._asked(corpus, number, system, names))
            for number, names in enumerate(sets)
            for system in range(len(corpus.systems))
        )
        for asked in self.calls(of_systems):
            if asked:
                # Each call is kept when it is answered: what fails later loses nothing of it.
                sent = [self.shown(row) for _, row in asked]
                call = partial(self._call, corpus, asked)
                answers = cached("scores", (*self.identity, sent), call, (len(asked),))
                for (place, _), score in zip(asked, answers.tolist(), strict=True):
                    found[place] = score
        return found

    @property
    @abstractmethod
    def identity(self) -> Sequence[Any]:
        """All that determines a score beside what is sent."""

    def shown(self, row: Row) -> Row:
        """Return what of a segment can have an influence on its score."""
        return row

    def _call(self, corpus: Corpus, asked: Sequence[Asked]) -> FloatArray:
        """Return the answers: (asked,). If a signal ends the process, another one is asked, up to three in all."""
        for _ in range(_TRIES - 1):
            with suppress(KilledError):
                return self._answers(corpus, asked)
        try:
            return self._answers(corpus, asked)
        except KilledError as error:
            raise say.error("killed", error=error, tries=_TRIES) from None

    def _answers(self, corpus: Corpus, asked: Sequence[Asked]) -> FloatArray:
        """Return the answers of one process: (asked,)."""
        subject, one_system = self.subject, len({system for (_, system, _), _ in asked}) == 1
        if one_system:
            subject += f", system {asked[0][1]['system']!r}"
        process, scores = self.start(), np.full(len(asked), np.nan)
        with process.asked():
            places: dict[Hashable, list[int]] = {}
            waiting: dict[Hashable, str] = {}
            keys = self.ask(process, [row for _, row in asked])
            for number, (key, (place, row)) in enumerate(zip(keys, asked, strict=True)):
                places.setdefault(key, []).append(number)
                of_system = "" if one_system else f"system {row['system']!r}, "
                waiting.setdefault(key, f"{of_system}{segment_words(corpus, place[2])}")
            while waiting:
                key, score = self.hear(process, subject, waiting, len(asked))
                if key not in waiting:
                    what = "a second time" if key in places else "which it was not asked for with this system"
                    raise say.error("answer_key", subject=subject, key=key, what=what)
                try:
                    answer = as_number(score)
                except Refused as error:
                    raise say.error("failed", where=f"{subject}, {waiting[key]}", why=error) from None
                scores[places[key]] = answer
                del waiting[key]
        return scores

    def _asked(self, corpus: Corpus, number: int, system: int, references: Sequence[str]) -> Iterator[Asked]:
        """Give what is sent of each segment of a system that can have a score."""
        sources = corpus.sources if self.uses_source else None
        refuse(sources is None and self.uses_source == "needed", "sources_needed", subject=self.subject, corpus=corpus)
        for segment, candidate in enumerate(corpus.candidates[system]):
            present = [text for name in references if (text := corpus.references[name][segment]) is not None]
            if candidate is None or (self.uses_references and not present):
                continue
            row: Row = {"id": corpus.segment_ids[segment], "system": corpus.systems[system], "candidate": candidate}
            row |= {"references": present} if self.uses_references else {}
            yield (number, system, segment), row | ({} if sources is None else {"source": sources[segment]})


def segment_words(corpus: Corpus, segment: int) -> str:
    """Return the name of a segment in messages: its number, and its id where that is another."""
    id_ = corpus.segment_ids[segment]
    return f"segment {segment + 1}" + (f" (id {id_!r})" if id_ != str(segment + 1) else "")
