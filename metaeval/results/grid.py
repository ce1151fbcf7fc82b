"""The arrays of a run: a grid of scores, coefficients and replicates for each setting, all saved in one file.

The file is an archive of numpy, ``grids.npz``: its members are ``NUMBER/NAME.npy`` for the arrays of a grid,
``judgments/NUMBER/NAME.npy`` for those of a set of judgments, and ``labels.json``, which has the labels of each, and
the member of each of its arrays. An array that several grids have is written once.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from functools import cached_property
from pathlib import Path
from typing import Any, TypeAlias, TypeVar
from zipfile import BadZipFile, ZipFile, ZipInfo

import numpy as np
import numpy.typing as npt

from metaeval.datamodel.corpus import INTER_JUDGE, BoolArray, FloatArray, IntArray
from metaeval.errors import CorpusError, UsageError, listing, unknown
from metaeval.parameters.fields import build
from metaeval.results.keys import Key
from metaeval.runtime.cache import digest

Array = np.ndarray[Any, Any]
StringArray: TypeAlias = npt.NDArray[np.str_]

LABELS = "labels.json"
# The arrays of a set of judgments, all (judgments,); segments are counted from 0, the others point into names.
JUDGMENT_ARRAYS = ("system", "segment", "judge", "criterion", "score")
# Arrays of a file that stay in memory after they are read: successive rows of a table use the same few.
_MAX_CACHED_ARRAYS = 8
MetricName: TypeAlias = int | str | tuple[str, str] | Key
RecordT = TypeVar("RecordT")


@dataclass(frozen=True)
class GridMetric:
    """A metric of a grid: a position on its axis of metrics.

    Attributes
    ----------
    preprocessing, name : str
        As tables show them; the preprocessing is "" for ``inter-judge``.
    signs : (int, int)
        What metric and human scores are multiplied by so that high means good on both sides; (1, 1) if the orientation
        is ``raw``.
    """

    preprocessing: str
    name: str
    signs: tuple[int, int]


@dataclass(frozen=True, kw_only=True, eq=False)
class GridLabels:
    """The labels of the axes of the arrays of a grid; see `Grid`."""

    key: Key
    metrics: tuple[GridMetric, ...]
    systems: tuple[str, ...]
    documents: tuple[str, ...]
    subsets: tuple[str, ...]
    coefficient_names: tuple[str, ...]
    orientation: str
    undefined: str
    draws: str = ""
    sample_size: float


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Grid(GridLabels):
    """The scores, coefficients and replicates of one setting, as arrays with named axes.

    A setting is a panel, a corpus, a group of reference subsets, a criterion, judges, and documents of one length. The
    agreement of judges (``inter-judge``) has a grid of its own in each: a second draw of judgments stands in the place
    of a metric, and the first draw in that of the human scores.

    Attributes
    ----------
    key : Key
        The setting: the key of its rows in tables, without preprocessing, coefficient and metric. The metric is
        ``inter-judge`` in the grid of judges.
    metrics : tuple of GridMetric
        The axis of metrics.
    systems : tuple of str
        The axis of systems.
    documents : tuple of str
        The names of the documents; () where they have none, and are numbered from 1.
    subsets : tuple of str
        The reference subsets of scores where each has its own; () otherwise.
    coefficient_names : tuple of str
        The coefficients, as tables show them.
    orientation, undefined : str
        As the experiment has them.
    draws : str
        What the replicates draw: grids of equal draws are paired replicate by replicate; "" without replicates.
    sample_size : float
        How many segments or documents the human scores rest on: where systems were judged on different ones, the
        harmonic mean; of documents of unequal size, as many of equal size as say as much.
    arrays : mapping of str to array
        All arrays, by names that may change: use the methods instead. Those of a run that was loaded are read from its
        file when they are asked for.

    Examples
    --------
    >>> import metaeval
    >>> results = metaeval.compare("demo", ["bleu", "ter"]).results
    >>> grid = results.grids[0]
    >>> grid.scores("bleu").shape == (1, len(grid.systems)) == grid.human.shape
    True
    """

    arrays: Mapping[str, Array]

    @classmethod
    def from_arrays(
        cls,
        *,
        human: FloatArray,
        scores: Sequence[FloatArray],
        coefficients: Mapping[str, FloatArray],
        segments: IntArray | None = None,
        documents_of_segments: IntArray | None = None,
        drawn_documents: StringArray | None = None,
        pairs: Mapping[str, BoolArray] | None = None,
        replicates: Mapping[str, FloatArray] | None = None,
        weights: FloatArray | None = None,
        human_replicates: FloatArray | None = None,
        score_replicates: Mapping[int, FloatArray] | None = None,
        **labels: Any,
    ) -> Grid:
        """Return a grid of arrays that were just computed; see the properties and methods of the same names.

        Parameters
        ----------
        human : (documents, systems) float array
            The human scores.
        scores : sequence of array
            Those of each metric.
        coefficients : mapping of str to (metrics, units) float array
            By their names.
        segments : (documents, length) int array, optional
            The numbers of the segments of each document.
        documents_of_segments : (segments,) int array, optional
            The real document of each segment.
        drawn_documents : (documents,) array of str, optional
            The names of the documents that are drawn again.
        pairs : mapping of str to (systems, systems) bool array, optional
            Which pairs a coefficient takes, by its name.
        replicates : mapping of str to (metrics, replicates) float array, optional
            The mean coefficients in the replicates, by the name of the coefficient.
        weights : (replicates,) float array, optional
            The probabilities of the replicates.
        human_replicates : (replicates, systems) float array, optional
            The human scores in the replicates.
        score_replicates : mapping of int to (replicates, systems) float array, optional
            The scores in the replicates, by the position of the metric.
        **labels : object
            The attributes.

        Returns
        -------
        Grid
            With all of these.
        """
        single: dict[str, Array | None] = {
            "human": human,
            "segments": segments,
            "documents_of_segments": documents_of_segments,
            "drawn_documents": drawn_documents,
            "weights": weights,
            "human_replicates": human_replicates,
        }
        names = tuple(coefficients)
        arrays: dict[str, Array] = {name: array for name, array in single.items() if array is not None}
        arrays |= {f"scores/{position}": array for position, array in enumerate(scores)}
        arrays |= {f"score_replicates/{position}": array for position, array in (score_replicates or {}).items()}
        of_coefficients: dict[str, Mapping[str, Array]] = {
            "coefficients": coefficients,
            "pairs": pairs or {},
            "replicates": replicates or {},
        }
        for name, by_coefficient in of_coefficients.items():
            arrays |= {f"{name}/{names.index(coefficient)}": array for coefficient, array in by_coefficient.items()}
        return cls(**labels, coefficient_names=names, arrays=arrays)

    def __repr__(self) -> str:
        place = [self.key.panel, self.key.corpus, self.key.subset, self.key.criterion, str(self.key.length or "")]
        return (
            f"<Grid {'/'.join(filter(None, place))}: {listing([metric.name for metric in self.metrics])}; "
            f"{len(self.systems)} systems>"
        )

    @property
    def labels(self) -> dict[str, Any]:
        """The attributes that are not arrays, by their names."""
        return {item.name: getattr(self, item.name) for item in fields(GridLabels)}

    @property
    def is_of_judges(self) -> bool:
        """True for the agreement of judges."""
        return self.key.is_of_judges

    @property
    def human(self) -> FloatArray:
        """The human scores (documents, systems); ``nan`` where nobody judged."""
        return self.arrays["human"]

    @property
    def segments(self) -> IntArray | None:
        """The numbers of the segments of each document, from 1: (documents, length); None where lengths differ."""
        return self.arrays.get("segments")

    @property
    def documents_of_segments(self) -> IntArray | None:
        """The real document of each segment, counted from 0: (segments,).

        None but where whole documents are drawn again, or are the units of a mean over segments.
        """
        return self.arrays.get("documents_of_segments")

    @property
    def drawn_documents(self) -> StringArray | None:
        """The names of the documents that are drawn again, in the order in which they are counted: (documents,).

        Where each segment is a document, they are those of the segments. None where documents have no names, and where
        none are drawn.
        """
        return self.arrays.get("drawn_documents")

    @property
    def weights(self) -> FloatArray | None:
        """The probabilities of the replicates (replicates,), where all possible ones are listed; None otherwise."""
        return self.arrays.get("weights")

    @property
    def human_replicates(self) -> FloatArray | None:
        """The human scores in the replicates: (replicates, systems).

        None but for whole corpora of which segments or documents are drawn again.
        """
        return self.arrays.get("human_replicates")

    def scores(self, metric: MetricName) -> FloatArray:
        """Return the scores of a metric, as they come.

        Parameters
        ----------
        metric : int, str, (str, str) or Key
            As for :meth:`position`.

        Returns
        -------
        (documents, systems) float array
            ``nan`` where there is none; (subsets, documents, systems) where each reference subset has its own.
        """
        return self.arrays[f"scores/{self.position(metric)}"]

    def coefficients(self, coefficient: str) -> FloatArray:
        """Return the coefficients of all metrics that the reported means are taken over.

        Parameters
        ----------
        coefficient : str
            Its name, one of `coefficient_names`.

        Returns
        -------
        (metrics, units) float array
            Units are documents, systems, or one; ``nan`` where undefined.
        """
        return self.arrays[f"coefficients/{self._number(coefficient)}"]

    def pairs(self, coefficient: str) -> BoolArray | None:
        """Mark the pairs of systems that a coefficient takes.

        Parameters
        ----------
        coefficient : str
            Its name.

        Returns
        -------
        (systems, systems) bool array, or None
            None where it takes all.
        """
        return self.arrays.get(f"pairs/{self._number(coefficient)}")

    def replicates(self, coefficient: str) -> FloatArray | None:
        """Return the mean coefficient of each metric in the replicates.

        Parameters
        ----------
        coefficient : str
            Its name.

        Returns
        -------
        (metrics, replicates) float array, or None
            ``nan`` where undefined; None where no interval and no test needs replicates.
        """
        return self.arrays.get(f"replicates/{self._number(coefficient)}")

    def score_replicates(self, metric: MetricName) -> FloatArray | None:
        """Return the scores of a metric in the replicates.

        Parameters
        ----------
        metric : int, str, (str, str) or Key
            As for :meth:`position`.

        Returns
        -------
        (replicates, systems) float array, or None
            None but for whole corpora of which segments or documents are drawn again, and None where each reference
            subset has scores of its own.
        """
        return self.arrays.get(f"score_replicates/{self.position(metric)}")

    def position(self, metric: MetricName) -> int:
        """Return the position of a metric on the axis of metrics.

        Parameters
        ----------
        metric : int, str, (str, str) or Key
            Its position; its name, if it stands under one preprocessing alone; its preprocessing and its name; or the
            key of a row about it.

        Returns
        -------
        int
            From 0.

        Raises
        ------
        UsageError
            If the grid does not have it, or has it under several preprocessings.
        """
        if isinstance(metric, int | np.integer):
            return range(len(self.metrics))[metric]
        if isinstance(metric, Key):
            if setting_of(metric) != self.key:
                raise UsageError(f"{self!r}: has no row with {metric!r}, which belongs to another grid of the run.")
            metric = (metric.preprocessing, metric.metric)
        if isinstance(metric, tuple) and metric in self._positions:
            return self._positions[metric]
        matches = [key for key in self._positions if key[1] == metric]
        if not matches:
            known = self._positions if isinstance(metric, tuple) else dict.fromkeys(name for _, name in self._positions)
            raise UsageError(f"{self!r}: {unknown('metric', metric, known)}")
        if len(matches) > 1:
            raise UsageError(
                f"{self!r}: the metric {metric!r} must be named with its preprocessing, because it has several: write "
                f"{' or '.join(map(repr, matches))}."
            )
        return self._positions[matches[0]]

    def key_of(self, metric: MetricName, coefficient: str = "") -> Key:
        """Return the key of the row about a metric.

        Parameters
        ----------
        metric : int, str, (str, str) or Key
            As for :meth:`position`.
        coefficient : str
            Its name; "" for none.

        Returns
        -------
        Key
            That of the grid, with preprocessing, metric and coefficient.
        """
        label = self.metrics[self.position(metric)]
        return self.key.with_names(preprocessing=label.preprocessing, metric=label.name, coefficient=coefficient)

    def has(self, key: Key) -> bool:
        """Return whether a row with this key is about a metric of the grid.

        Parameters
        ----------
        key : Key
            Of a row.

        Returns
        -------
        bool
            False too for a row of another setting.
        """
        return setting_of(key) == self.key and (key.preprocessing, key.metric) in self._positions

    @cached_property
    def _positions(self) -> dict[tuple[str, str], int]:
        return {(label.preprocessing, label.name): position for position, label in enumerate(self.metrics)}

    def _number(self, coefficient: str) -> int:
        if coefficient not in self.coefficient_names:
            raise UsageError(f"{self!r}: {unknown('coefficient', coefficient, self.coefficient_names)}")
        return self.coefficient_names.index(coefficient)


def draws_of(n_replicates: int, n_units: int, resampled: str, seed: int) -> str:
    """Name what replicates draw, as `Grid.draws` says it."""
    return f"{n_replicates} of {n_units} {resampled}, seed {seed}"


def setting_of(key: Key) -> Key:
    """Return the key of the grid that a row with this key belongs to."""
    return key.with_names(preprocessing="", coefficient="", metric=INTER_JUDGE if key.is_of_judges else "")


@dataclass(frozen=True, eq=False)
class JudgmentLabels:
    """The names that the arrays of a set of judgments point to; see `JudgmentSet`."""

    corpus: str
    judges: str
    systems: tuple[str, ...]
    names: tuple[str, ...]
    criteria: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class JudgmentSet(JudgmentLabels):
    """The judgments of some judges of a corpus, as published.

    Attributes
    ----------
    corpus, judges : str
        Whose.
    systems, names, criteria : tuple of str
        The names that the arrays point into; `names` are those of judges.
    arrays : mapping of str to (judgments,) array
        By `JUDGMENT_ARRAYS`.
    """

    arrays: Mapping[str, Array]

    @property
    def labels(self) -> dict[str, Any]:
        """The attributes that are not arrays, by their names."""
        return {item.name: getattr(self, item.name) for item in fields(JudgmentLabels)}

    def equals(self, other: JudgmentSet) -> bool:
        """Return whether another set has the same judgments.

        Parameters
        ----------
        other : JudgmentSet
        """
        return self.labels == other.labels and all(
            np.array_equal(self.arrays[name], other.arrays[name]) for name in JUDGMENT_ARRAYS
        )


def save_grids(path: Path, grids: Sequence[Grid], judgments: Sequence[JudgmentSet]) -> None:
    """Write the grids and judgments of a run into one file; the same ones give the same bytes."""
    members: dict[str, str] = {}
    with path.open("wb") as file, ZipFile(file, "w") as archive:

        def members_of(arrays: Mapping[str, Array], folder: str) -> dict[str, str]:
            """Write arrays, and return the member that each is in."""
            member_of = {}
            for name in arrays:
                array = np.asarray(arrays[name])
                content = digest(array)
                if content not in members:
                    members[content] = f"{folder}/{name}.npy"
                    with archive.open(ZipInfo(members[content]), "w", force_zip64=True) as member:
                        np.lib.format.write_array(member, array, allow_pickle=False)
                member_of[name] = members[content]
            return member_of

        labels = {
            "grids": [
                {**asdict(GridLabels(**item.labels)), "arrays": members_of(item.arrays, str(number))}
                for number, item in enumerate(grids)
            ],
            "judgments": [
                {**item.labels, "arrays": members_of(item.arrays, f"judgments/{number}")}
                for number, item in enumerate(judgments)
            ],
        }
        text = json.dumps(labels, indent=1, ensure_ascii=False) + "\n"
        archive.writestr(ZipInfo(LABELS), text.encode("utf-8"))


@dataclass(frozen=True, kw_only=True, eq=False)
class _SavedGrid(GridLabels):
    """A grid with the members of the file that its arrays are in."""

    arrays: Mapping[str, str]


@dataclass(frozen=True, eq=False)
class _SavedJudgments(JudgmentLabels):
    """A set of judgments with the members of the file that its arrays are in."""

    arrays: Mapping[str, str]


@dataclass(frozen=True)
class _Labels:
    """The content of labels.json."""

    grids: tuple[_SavedGrid, ...]
    judgments: tuple[_SavedJudgments, ...]


def load_grids(path: Path, check: Callable[[], None]) -> tuple[list[Grid], list[JudgmentSet]]:
    """Read the labels of a file, and give grids and judgments whose arrays are read when they are asked for.

    Parameters
    ----------
    path : Path
    check : callable
        Raises an error if the file is no longer what the run wrote; called before the first array is read.

    Raises
    ------
    CorpusError
        If the file is not what a run writes.
    """
    try:
        with ZipFile(path) as archive:
            content = json.loads(archive.read(LABELS).decode("utf-8"))
        if not isinstance(content, dict):
            raise ValueError(f"it is a {type(content).__name__}")
    except (OSError, BadZipFile, KeyError, ValueError, RecursionError) as error:
        why = f"it lacks {LABELS}" if isinstance(error, KeyError) else str(error)
        raise CorpusError(f"{path}: is not what a run writes: {why}; run the config again.") from error
    try:
        saved = build(_Labels, content, subject=f"{path}: {LABELS}", noun="key")
    except UsageError as error:
        raise CorpusError(str(error)) from error
    file = _File(path, check)
    return (
        [_with_arrays(file, Grid, labels) for labels in saved.grids],
        [_with_arrays(file, JudgmentSet, labels) for labels in saved.judgments],
    )


def _with_arrays(file: _File, kind: type[RecordT], saved: Any) -> RecordT:
    """Return a record with the arrays of a file in place of the names of its members."""
    values = {item.name: getattr(saved, item.name) for item in fields(saved)}
    return kind(**{**values, "arrays": _FileArrays(file, saved.arrays)})


class _File:
    """The file of the grids of a run, which stays open once an array was read."""

    def __init__(self, path: Path, check: Callable[[], None]) -> None:
        self._path = path
        self._check = check
        self._cached: dict[str, Array] = {}

    @cached_property
    def _archive(self) -> ZipFile:
        self._check()
        return ZipFile(self._path)

    def read(self, member: str) -> Array:
        """Return the array of a member."""
        if member not in self._cached:
            array = self._read(member)
            if len(self._cached) == _MAX_CACHED_ARRAYS:
                del self._cached[next(iter(self._cached))]
            self._cached[member] = array
        return self._cached[member]

    def _read(self, member: str) -> Array:
        try:
            with self._archive.open(member) as file:
                return np.asarray(np.lib.format.read_array(file, allow_pickle=False))
        except KeyError as error:
            raise CorpusError(
                f"{self._path}: lacks the array {member!r}, which its {LABELS} names; run the config again."
            ) from error
        except (OSError, ValueError, EOFError, BadZipFile) as error:
            raise CorpusError(
                f"{self._path}: {member!r} cannot be read as an array of numpy ({error}); run the config again."
            ) from error


class _FileArrays(Mapping[str, Array]):
    """The arrays of a grid in a file, each read when it is asked for."""

    def __init__(self, file: _File, members: Mapping[str, str]) -> None:
        self._file = file
        self._members = members

    def __getitem__(self, name: str) -> Array:
        return self._file.read(self._members[name])

    def __contains__(self, name: object) -> bool:
        return name in self._members

    def __iter__(self) -> Iterator[str]:
        return iter(self._members)

    def __len__(self) -> int:
        return len(self._members)
