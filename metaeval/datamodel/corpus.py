"""The data that all stages share: texts, judgments and documents.

Conventions. Systems come before segments in every array. A segment is identified inside arrays by its 0-based index;
its number, in messages and files, is its 1-based line. Absent is ``None`` (texts) or ``nan`` (numbers),
never "" and never 0.
"""

from __future__ import annotations

import fnmatch
import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import numpy.typing as npt

from metaeval.datamodel.annotations import Criterion as Criterion
from metaeval.datamodel.annotations import ErrorSpans, GivenScores, read_only
from metaeval.datamodel.data_frames import corpus_frame, judgment_frame, judgments_html
from metaeval.errors import UsageError, counted
from metaeval.parameters.calls import Signature
from metaeval.parameters.fields import parameter

if TYPE_CHECKING:
    import pandas as pd

FloatArray: TypeAlias = npt.NDArray[np.float64]
IntArray: TypeAlias = npt.NDArray[np.integer]
BoolArray: TypeAlias = npt.NDArray[np.bool_]

# The reference subset of a corpus that has no references.
NO_REFERENCES = "none"
# The name for all judges of a corpus.
EVERYBODY = "all"
# The name under which the agreement of the judges stands among those of the metrics.
INTER_JUDGE = "inter-judge"
# The name of a metric that gives every text the same score, which some statistics reward for ties of people.
CONSTANT = "constant"


@dataclass(frozen=True)
class JudgeGroup:
    """Judges of a kind: experts, a crowd, models.

    Attributes
    ----------
    name : str
        Such as ``experts``.
    judges : tuple of str
        Names of judges, or patterns such as ``expert*``.
    persons : bool
        Whether each judge is one person (or model). Where a judge is a slot that different annotators filled, its
        scores have no scale of their own that could be removed.
    default : bool
        Whether these are the judges of an experiment that names none.
    """

    name: str = parameter(doc="what the group is called")
    judges: tuple[str, ...] = parameter(doc="names of judges, or patterns such as expert*")
    persons: bool = parameter(
        True, doc="whether each judge is one person, and not a slot that different annotators filled"
    )
    default: bool = parameter(False, doc="whether these judges are taken where none are named")

    def members(self, judges: Sequence[str]) -> BoolArray:
        """Return the judges of the group.

        Parameters
        ----------
        judges : sequence of str
            Their names.

        Returns
        -------
        (judges,) bool array
            True for those whose name is listed, or matches a pattern.
        """
        return np.array(
            [any(fnmatch.fnmatchcase(name, pattern) for pattern in self.judges) for name in judges], dtype=bool
        )


@dataclass(frozen=True, eq=False, repr=False)
class Judgments:
    """Judgments as parallel, read-only arrays, a row each.

    Attributes
    ----------
    judges : tuple of str
        Names that `judge` points to.
    criterion, system, segment, judge : (judgments,) int arrays
        Indices into the criteria, systems (or references), segments and judges.
    score : (judgments,) float array
        As published, on the criterion's own scale.
    """

    judges: tuple[str, ...]
    criterion: IntArray
    system: IntArray
    segment: IntArray
    judge: IntArray
    score: FloatArray

    def __post_init__(self) -> None:
        read_only(self.criterion, self.system, self.segment, self.judge, self.score)

    def __len__(self) -> int:
        return len(self.score)

    def __repr__(self) -> str:
        return f"Judgments({len(self)} by {len(self.judges)} judges)"

    def _repr_html_(self) -> str:
        return judgments_html(self)

    def to_frame(self) -> pd.DataFrame:
        """Return the judgments as a new data frame, a row each; :meth:`Corpus.to_frame` has names for the indices.

        Returns
        -------
        DataFrame
            Columns ``segment``, ``system`` and ``criterion`` (indices), ``judge`` (text), ``score`` (float).
        """
        return judgment_frame(self)

    def where(self, mask: BoolArray | IntArray) -> Judgments:
        """Return some of the judgments.

        Parameters
        ----------
        mask : (judgments,) bool array, or (rows,) int array
            Which: those for which it is true, or the numbers of their rows.

        Returns
        -------
        Judgments
            With the same `judges`.
        """
        return Judgments(
            self.judges, self.criterion[mask], self.system[mask], self.segment[mask], self.judge[mask], self.score[mask]
        )


@dataclass(frozen=True, eq=False, repr=False)
class Corpus:
    """A test set: texts of systems and references, and human judgments of them.

    Attributes
    ----------
    name, title : str
        For reading; `name` is also part of every signature.
    facts : mapping of str to str
        Language, license, source, citation and notes, as far as they are given.
    systems : tuple of str
        Their names.
    candidates : tuple of tuples of (str or None)
        Axes (systems, segments); None where a system has no output, "" where it gave an empty text.
    references : mapping of str to tuple of (str or None)
        By name; None where the segment has no such reference, "" where the reference is really empty.
    sources : tuple of str, or None
        The text that was translated, for each segment.
    segment_ids : tuple of str
        The identifiers of the format that the corpus came from; the numbers of the segments where it has none.
    documents : tuple of str, or None
        The real document of each segment.
    criteria : tuple of Criterion
        What was judged.
    judgments : Judgments
        Of systems.
    reference_judgments : Judgments
        Of human texts, kept apart; `system` points to `judged_references`.
    judged_references : tuple of str
        Names of references.
    digest : str
        SHA-256 over all files of the corpus, or over the content of one that was made in Python; hexadecimal.
    scores : tuple of GivenScores
        What came with the corpus: scores of metrics, and human scores of documents or systems.
    judge_groups : tuple of JudgeGroup
        The kinds of judges, where the corpus states them; a judge belongs to one at most.
    segment_facts : mapping of str to tuple of str
        What is known of each segment, such as its ``domain``; "" where it is not.
    spans : ErrorSpans or None
        Errors that were marked in the texts.
    filter : str
        What made it of a larger corpus; "" for one as it was read.
    has_texts : bool
        Whether its texts are known; otherwise there are judgments and scores alone, and `candidates` are empty texts.
    whole : (Corpus, (segments,) int array), or None
        Where segments were left out: the corpus with all of them, and which of its segments these are.
    as_read : bool
        Whether it is as it was read or made, so that the digest is its own; a changed copy is not.
    warnings : tuple of str
        What is probably a mistake in the files or tables that it was read from.
    notes : tuple of str
        What else reading has found, such as columns that are not used.
    """

    name: str
    title: str
    facts: Mapping[str, str]
    systems: tuple[str, ...]
    candidates: tuple[tuple[str | None, ...], ...]
    references: Mapping[str, tuple[str | None, ...]]
    sources: tuple[str, ...] | None
    segment_ids: tuple[str, ...]
    documents: tuple[str, ...] | None
    criteria: tuple[Criterion, ...]
    judgments: Judgments
    reference_judgments: Judgments
    judged_references: tuple[str, ...]
    digest: str
    scores: tuple[GivenScores, ...] = ()
    judge_groups: tuple[JudgeGroup, ...] = ()
    segment_facts: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    spans: ErrorSpans | None = None
    filter: str = ""
    has_texts: bool = True
    whole: tuple[Corpus, IntArray] | None = None
    as_read: bool = field(default=False, init=False)  # no copy by `dataclasses.replace` takes these over
    warnings: tuple[str, ...] = field(default=(), init=False)
    notes: tuple[str, ...] = field(default=(), init=False)

    def check_texts(self, purpose: str) -> None:
        """Refuse a corpus of judgments and scores alone where texts are needed.

        Parameters
        ----------
        purpose : str
            What needs them, at the beginning of the message.

        Raises
        ------
        UsageError
            If the texts are not known.
        """
        if not self.has_texts:
            raise UsageError(
                f"{purpose}: corpus {self.name!r} holds no texts of systems, but judgments and scores alone. Name the "
                "texts beside the judgments, or put them into a column `text`. Scores of metrics that were computed "
                "before need no texts: those of a file are called scores:FILE, and those of a column of the corpus "
                "precomputed:NAME."
            )

    @property
    def is_simulated(self) -> bool:
        """True if it was made by ``metaeval corpus simulate``, as the demo was: nothing found on it is evidence."""
        return str(self.facts.get("source", "")).startswith("metaeval corpus simulate")

    @property
    def signature_items(self) -> tuple[tuple[str, str], ...]:
        """The corpus in signatures: its name and digest, its filter, and that it is simulated if it is."""
        simulated = (("simulated", "yes"),) if self.is_simulated else ()
        filtered = (("filter", self.filter),) if self.filter else ()
        return (("corpus", f"{self.name}@{self.digest[:8]}"), *filtered, *simulated)

    @classmethod
    def of_texts(
        cls, candidates: Mapping[str, Sequence[str | None]], references: Mapping[str, Sequence[str | None]]
    ) -> Corpus:
        """Return a corpus of texts without judgments, for metrics that read texts.

        Parameters
        ----------
        candidates : mapping of str to sequence of (str or None)
            The segments of each system, by its name.
        references : mapping of str to sequence of (str or None)
            The segments of each reference, by its name.

        Returns
        -------
        Corpus
            Without judgments, sources and digest; its name is ``texts``.
        """
        nothing = np.zeros(0, dtype=np.int64)
        unjudged = Judgments((), nothing, nothing, nothing, nothing, np.zeros(0))
        n_segments = len(next(iter(candidates.values()), ()))
        return cls(
            name="texts",
            title="",
            facts={},
            systems=tuple(candidates),
            candidates=tuple(map(tuple, candidates.values())),
            references={name: tuple(texts) for name, texts in references.items()},
            sources=None,
            segment_ids=tuple(str(number) for number in range(1, n_segments + 1)),
            documents=None,
            criteria=(),
            judgments=unjudged,
            reference_judgments=unjudged,
            judged_references=(),
            digest="",
        )

    @property
    def n_segments(self) -> int:
        """The number of segments."""
        return len(self.segment_ids)

    @property
    def numbers(self) -> IntArray:
        """The numbers of the segments, from 1, in the corpus as it was read: (segments,)."""
        return np.arange(1, self.n_segments + 1) if self.whole is None else self.whole[1] + 1

    def __repr__(self) -> str:
        return (
            f"Corpus({self.name!r}, {len(self.systems)} systems, {self.n_segments} segments, "
            f"{counted(len(self.references), 'reference')}, {counted(len(self.judgments), 'judgment')})"
        )

    def _repr_html_(self) -> str:
        return judgments_html(self)

    def to_frame(self, table: str = "judgments") -> pd.DataFrame:
        """Return the judgments of systems, or all texts, as a new data frame.

        Parameters
        ----------
        table : {"judgments", "texts"}, default "judgments"
            Columns ``segment``, ``system``, ``judge``, ``criterion`` (text) and ``score`` (float), a row a judgment; or
            a row a segment, with ``segment``, ``document`` and ``source`` as far as they are known, and a column of
            texts for each reference and system, where there is none None.

        Returns
        -------
        DataFrame
            What :func:`metaeval.corpus` takes as `judgments`, and as `outputs`.
        """
        return corpus_frame(self, table)

    def of_systems(self, places: IntArray) -> Corpus:
        """Return the corpus with some of its systems alone.

        Parameters
        ----------
        places : (kept,) int array
            Their positions.

        Returns
        -------
        Corpus
            With the texts and judgments of these; scores that came with it keep all.
        """
        if len(places) == len(self.systems):
            return self
        position = np.full(len(self.systems), -1)
        position[places] = np.arange(len(places))
        judgments = self.judgments.where(position[self.judgments.system] >= 0)
        return replace(
            self,
            systems=tuple(self.systems[system] for system in places),
            candidates=tuple(self.candidates[system] for system in places),
            judgments=replace(judgments, system=position[judgments.system]),
        )

    @property
    def complete(self) -> BoolArray:
        """True where every system has an output: (segments,)."""
        return np.array([None not in outputs for outputs in zip(*self.candidates, strict=True)], dtype=bool)


@dataclass(frozen=True)
class Segments:
    """The segments of one text, seen as strings, as tokens and as integer ids.

    Attributes
    ----------
    texts : tuple of (str or None)
        As in the corpus.
    ids : (tokens,) int32 array
        The ids of all tokens of all segments, one after the other. Equal tokens have equal ids in all texts that were
        encoded together.
    offsets : (segments + 1,) int64 array
        Segment i owns ``ids[offsets[i]:offsets[i + 1]]``.
    vocabulary : sequence of str
        The token of each id.
    """

    texts: tuple[str | None, ...]
    ids: npt.NDArray[np.int32]
    offsets: npt.NDArray[np.int64]
    vocabulary: Sequence[str]

    def __len__(self) -> int:
        return len(self.texts)

    @property
    def present(self) -> BoolArray:
        """True where a segment has a text: (segments,)."""
        present = np.ones(len(self), dtype=bool)
        # An absent text has no tokens.
        empty = np.flatnonzero(self.lengths == 0)
        present[empty] = [self.texts[segment] is not None for segment in empty.tolist()]
        return present

    @property
    def lengths(self) -> npt.NDArray[np.int64]:
        """The number of tokens of each segment: (segments,)."""
        return np.diff(self.offsets)

    @property
    def tokens(self) -> tuple[tuple[str, ...], ...]:
        """The tokens of each segment, after the preprocessing; none for an absent text."""
        words = [self.vocabulary[number] for number in self.ids.tolist()]
        return tuple(tuple(words[start:end]) for start, end in itertools.pairwise(self.offsets.tolist()))


@dataclass(frozen=True)
class TreatedTexts:
    """The texts of a corpus under one preprocessing.

    Attributes
    ----------
    preprocessing : Signature
        What was done to them.
    candidates : tuple of Segments
        The systems.
    references : mapping of str to Segments
        By name.
    """

    preprocessing: Signature
    candidates: tuple[Segments, ...]
    references: Mapping[str, Segments]


@dataclass(frozen=True)
class Documents:
    """Rows of segment weights, kept as drawn indices or as counts.

    Attributes
    ----------
    indices : (documents, length) int array, or None
        The segments of each document.
    counts : (documents, segments) array of whole numbers, or None
        How often each segment is in each document.
    labels : tuple of str
        Names of the documents where they have any.
    """

    indices: IntArray | None = None
    counts: npt.NDArray[np.unsignedinteger[Any] | np.float64] | None = None
    labels: Sequence[str] = field(default=())
    _interleaved_parts: dict[tuple[int, int], list[Documents]] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    def __post_init__(self) -> None:
        if (self.indices is None) == (self.counts is None):
            raise ValueError("documents are either indices or counts")

    def __len__(self) -> int:
        return next(len(rows) for rows in (self.indices, self.counts) if rows is not None)

    def at(self, rows: slice | IntArray) -> Documents:
        """Return some of the documents, without their labels."""
        indices, counts = self.indices, self.counts
        return Documents(None if indices is None else indices[rows], None if counts is None else counts[rows])

    def interleaved_parts(self, step: int, parts: int) -> list[Documents]:
        """Return every `step`-th document of each of so many equal parts, from each start; once for all metrics."""
        if (step, parts) not in self._interleaved_parts:
            numbers = np.arange(len(self)).reshape(parts, -1)
            self._interleaved_parts[step, parts] = [self.at(numbers[:, start::step].ravel()) for start in range(step)]
        return self._interleaved_parts[step, parts]
