"""The part of an experiment that one of several processes computes: the store keeps it for whoever puts it together.

Nobody waits for another. All need the statistics of all systems, so each counts those of its own systems first, and
then what the others have not kept by then, which is what one that died has left. Replicates and cells nobody needs
before all is put together, so each does its own and stops.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from metaeval import store
from metaeval.corpora.catalogue import find_corpus
from metaeval.errors import UsageError
from metaeval.experiment.blocks import size_of_blocks
from metaeval.experiment.correlate import Planned, keep_part
from metaeval.experiment.execute import Execution
from metaeval.experiment.humans import JudgedDocuments
from metaeval.experiment.measure import Failures, Treated, measure_all, treat_all
from metaeval.experiment.measured import Measured
from metaeval.experiment.parts import WHOLE, Part
from metaeval.experiment.resample import Resampler, Scored
from metaeval.experiment.steps import Steps
from metaeval.metrics.named import NamedMetric
from metaeval.metrics.text_metric import TextMetric
from metaeval.progress import Tally
from metaeval.records import Corpus
from metaeval.results.model import RunData
from metaeval.sampling.references import ReferenceGroup
from metaeval.schema import Experiment
from metaeval.sizes import written_size

# More than is expected to be kept: figures, ceilings, and what others keep.
_MARGIN = 1.25


@dataclass
class Account:
    """What one of several processes has done, and what all of them together will keep.

    Attributes
    ----------
    part : Part
        Which one it is.
    n_groups : int
        How many groups of tasks there are, such as corpora.
    made, tasks : int
        How many tasks it has done, and how many there are in the groups that it works at.
    seen : dict of str to None
        These groups, in their order.
    """

    part: Part
    n_groups: int
    made: int = 0
    tasks: int = 0
    seen: dict[str, None] = field(default_factory=dict)
    _bytes: int = 0

    def add(self, done: tuple[int, int]) -> None:
        """Count tasks."""
        self.made += done[0]
        self.tasks += done[1]

    def expect(self, group: str, measured: Sequence[Measured], cells: Sequence[Scored]) -> None:
        """Refuse to go on where the store would throw away what it must keep, by all that is known so far.

        Raises
        ------
        UsageError
            If so.
        """
        every = {id(one): one for one in (item.statistics for item in measured)}.values()
        largest = max(one.table[0, :, 0].nbytes * len(one.names) for one in every)
        self._bytes += sum(one.table[..., 0].nbytes * len(one.names) for one in every)
        for one in cells:
            units, n = one.cell.experiment.documents.units, one.cell.experiment.uncertainty.replicates
            if one.cell.experiment.needs_replicates and (units.is_drawn or units.is_whole):
                human = one.cell.scores.human
                n_coefficients = sum(len(line.relations) for line in one.lines)
                scores = [human.nbytes * (1 + (one.cell.scores.second is not None)), *(of.nbytes for of in one.scores)]
                self._bytes += n * (sum(scores) + n_coefficients * human[:, 0].nbytes)
                largest = max(largest, size_of_blocks(n) * max(scores))
        self.seen[group] = None
        needed = int(max(_MARGIN * self._bytes * self.n_groups / len(self.seen), store.LARGEST * largest))
        if needed > store.limit():
            raise UsageError(
                f"--shard {self.part}: what the shards compute takes about {written_size(needed)} in the store, which "
                f"keeps {written_size(store.limit())}, so that much would be gone before it is put together; set "
                f"{store.LIMIT}={-(-needed >> 30)}G for all shards, and for the run that puts it together."
            )


@dataclass(frozen=True)
class PartialExecution(Execution):
    """An experiment of which a part is computed, and kept in the store.

    Attributes
    ----------
    account : Account
    part_of : callable
        Gives the part that is computed on a corpus, by its name; None for nothing.
    group : str
        Whose the tasks are, in the account; the corpus unless given.
    part : Part
        On the corpus that it is at.
    """

    account: Account
    part_of: Callable[[str], Part | None]
    group: str = ""
    part: Part = WHOLE

    def run(self, variants: Mapping[str, Experiment]) -> Steps[RunData]:
        """Compute it on each corpus; there are warnings and failures, and no results."""
        for name, formats in self.corpora:
            part = self.part_of(name)
            if part is not None:
                find_corpus(name, self.progress)
                here = replace(
                    self, experiment=variants.get(name, self.experiment), part=part, group=self.group or name
                )
                yield from here.corpus(name, formats)
        return self.results

    def measure(
        self,
        corpus: Corpus,
        treated: Mapping[str, Treated],
        groups: Sequence[ReferenceGroup],
        metrics: Sequence[NamedMetric],
        failures: Failures,
        tally: Tally,
    ) -> list[Measured]:
        """Return the statistics of all systems, those of some kept before those of others."""
        of_texts = [[one] for one in metrics if isinstance(one.kind, TextMetric) and one.kind.keeps_each_system]
        together = [[one for one in metrics if not isinstance(one.kind, TextMetric)], *of_texts]
        n_systems, of = len(corpus.systems), self.part.of
        for turn in range(of):
            for place, some in enumerate(together):
                own = np.arange((self.part.number + turn + place) % of, n_systems, of)
                working = [one for one in some if one not in failures]
                if turn == 0:
                    self.account.add((len(own) * len(some), n_systems * len(some)))
                if len(own) and working and of > 1:
                    texts = corpus.of_systems(own)
                    of_some = treat_all(texts, [one.kind for one in self.experiment.preprocessing])
                    measure_all(texts, of_some, groups, working, self.executor, failures)
        return super().measure(
            corpus, treated, groups, [one for one in metrics if one not in failures], failures, tally
        )

    def plan(self, *_: object) -> None:
        """Plan nothing: each process keeps what is its own."""

    def correlate(
        self,
        corpus: Corpus,
        measured: Sequence[Measured],
        judged: Sequence[JudgedDocuments],
        failures: Failures,
        planned: Planned | None,
        resampler: Resampler | None,
        tally: Tally,
    ) -> None:
        """Keep replicates, ceilings and tests of a part."""
        working = [item for item in measured if item.named not in failures]
        if not working:
            return
        self.account.add(
            keep_part(
                corpus,
                working,
                judged,
                self.experiment,
                self.part,
                executor=self.executor,
                tally=tally,
                expect=lambda cells: self.account.expect(self.group, working, cells),
            )
        )
