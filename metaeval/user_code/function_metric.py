"""Users' functions as metrics: they run in this process."""

from __future__ import annotations

import copy
import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from metaeval.datamodel.corpus import Corpus, FloatArray
from metaeval.errors import MetricError, UsageError, unknown
from metaeval.metrics.naming import Target
from metaeval.metrics.text_metric import as_statistics, better
from metaeval.parameters.calls import Call, Signature
from metaeval.parameters.fields import Description
from metaeval.user_code.external_metric import Batch, ExternalMetric
from metaeval.user_code.guards import Guard
from metaeval.user_code.importing import imported_before
from metaeval.user_code.returned import UnusableError, as_number, as_sequence
from metaeval.user_code.running import reason
from metaeval.user_code.signatures import KNOWN_NAMES, FunctionSignature
from metaeval.version import VERSION


class Shown(str):
    """A default as signatures and tables show it."""

    def __repr__(self) -> str:
        return str(self)


@dataclass(frozen=True, kw_only=True)
class FunctionMetric(ExternalMetric):
    """A user's function, called for each segment or for all segments at once, of a system or of all systems.

    If it takes one reference at a time, it is called with each, whatever the subsets; their scores are combined.

    Attributes
    ----------
    name : str
        Of the function.
    arguments : tuple of (name, value)
        What the user set.
    digest : str
        Of its code.
    origin : tuple of (name, value)
        What its signature says of where the code is from.
    packages : sequence of str
        What its code uses, with versions.
    function : callable
    declared : FunctionSignature
        What it declares by its parameters and attributes.
    guard : Guard
    target : Target
        Where the function is; without a file and a module, if it was given in Python.
    """

    name: str
    arguments: tuple[tuple[str, Any], ...]
    digest: str
    origin: tuple[tuple[str, str], ...] = field(repr=False, compare=False)
    packages: Sequence[str] = field(default=(), repr=False, compare=False)
    function: Any = field(repr=False, compare=False)
    declared: FunctionSignature = field(repr=False, compare=False)
    guard: Guard = field(repr=False, compare=False)
    target: Target = field(repr=False, compare=False)

    def __hash__(self) -> int:
        # Arguments may be lists, which have no hash; equal functions have equal digests.
        return hash((self.name, self.digest))

    def __post_init__(self) -> None:
        arguments = dict(self.arguments)
        for parameter in arguments:
            if parameter not in self.declared.parameters:
                raise UsageError(f"{self.subject}: {unknown('parameter', parameter, self.declared.parameters)}")
        for parameter in self.declared.required:
            if parameter not in arguments:
                raise UsageError(
                    f"{self.subject}: `{parameter}` is missing; {self.name} has no default for it. If it stands for a "
                    f"text, give it one of these names ({KNOWN_NAMES})."
                )

    def __reduce__(self) -> tuple[Any, ...]:
        if not self.is_importable:
            raise TypeError(f"{self.subject}: a function that was given in Python stays in its process.")
        from metaeval.user_code.metric_from_name import get_function

        return get_function, (self.target, dict(self.arguments), self.subject, self.digest)

    @property
    def is_importable(self) -> bool:
        """True if another process can import it."""
        return bool(self.target.file or self.target.module)

    @property
    def subject(self) -> str:
        """The metric, in messages."""
        return self.guard.subject

    @property
    def title(self) -> str:
        """The attribute `title` of the function, or its name."""
        return self.declared.title or self.name

    @property
    def higher_is_better(self) -> bool:
        """The attribute `higher_is_better` of the function; true if it has none."""
        return self.declared.higher_is_better is not False

    @property
    def uses_references(self) -> bool:
        """True if the function has a parameter for references."""
        return "references" in self.declared.texts

    @property
    def uses_source(self) -> str:
        """Use of sources: ``needed``, ``wanted`` if their parameter has a default, or "" without one."""
        return self.declared.source

    @property
    def sources(self) -> tuple[str, ...]:
        """The attribute `sources` of the function."""
        return self.declared.sources

    @property
    def signature(self) -> Signature:
        """Name, parameters, digest of the code, and version."""
        return self._signature_of_code.with_pairs([("version", VERSION)])

    @property
    def _signature_of_code(self) -> Signature:
        written = {name: repr(value) for name, value in self.arguments}
        shown = {name: written.get(name, default) for name, default in self.declared.parameters.items()}
        return Signature(self.name).with_pairs((*sorted(shown.items()), *self.origin))

    @property
    def docstring(self) -> str:
        """The docstring of the function."""
        return self.declared.doc

    @property
    def label(self) -> str:
        """The attribute `title`, with the parameters that the user set."""
        return str(Call(self.title, dict(self.arguments), "")) if self.declared.title else ""

    @property
    def described(self) -> str:
        """The first paragraph of its docstring, and how it is called."""
        declared = self.declared
        doc = " ".join(declared.doc.split("\n\n")[0].split()).rstrip(".")
        if declared.whole:
            unit = "a whole system"
        elif declared.together:
            unit = "all segments of all systems at once"
        elif declared.is_batch:
            unit = "all segments of a system at once"
        else:
            unit = "each segment"
        each = f"It takes one reference; the {declared.combined} over all is taken. " if declared.single else ""
        mean = "The score of a document is the mean of the scores of its segments"
        mean = "No part of a corpus has a score" if declared.whole else mean
        return (
            f"{doc}{'. ' if doc else ''}The function {self.name} of {self.target.place} gives a score for {unit}. "
            f"{each}{mean}; {better(self)} is better."
        )

    @property
    def parameters(self) -> tuple[Description, ...]:
        """The parameters of the function beside the texts."""
        return tuple(
            Description(name, Shown(default), None, f"of the function {self.name}")
            for name, default in self.declared.parameters.items()
        )

    @property
    def side_by_side(self) -> Literal["", "processes"]:
        """Its attribute `parallel`, where other processes can import it: whether several may run it at once."""
        return "processes" if self.declared.parallel and not self.declared.together and self.is_importable else ""

    def notes(self, corpus: Corpus) -> tuple[str, ...]:
        """Return the assumptions that were made."""
        file = self.target.place
        notes = []
        if self.declared.higher_is_better is None:
            how = f"set `{self.name}.higher_is_better = False` in {file}"
            if self.name == "lambda":
                how = "write it as `def mine(candidate, references): ...`, and set `mine.higher_is_better = False`"
            elif "." in self.name:
                how = (
                    f"write `def mine(candidate, references): ...` around it in {file}, and set "
                    "`mine.higher_is_better = False`"
                )
            notes.append(f"it is assumed that higher is better; if not, {how}.")
        if self.declared.mean_is_assumed and len(corpus.references) > 1:
            notes.append(
                "it takes one reference, and of several the mean of their scores is taken; set "
                f'`{self.name}.references = "max"` in {file} for the highest, or "mean" if that is what you want.'
            )
        if self.declared.whole:
            notes.append("it scores whole systems over all their segments, judged or not.")
        return tuple(notes)

    def of_whole_systems(self, corpus: Corpus) -> bool:
        """Return whether it gives one number for a whole system."""
        return self.declared.whole

    def measure_subsets(self, corpus: Corpus, subsets: Sequence[Sequence[str]]) -> Iterator[FloatArray]:
        """Yield the statistics with each subset; with single references it is called once for each of these."""
        if not self.declared.single:
            yield from super().measure_subsets(corpus, subsets)
            return
        used = list(dict.fromkeys(name for names in subsets for name in names))
        of_each = self.scores(corpus, [(name,) for name in used])
        for names in subsets:
            of_subset = np.ma.masked_invalid(of_each[[used.index(name) for name in names]])
            yield as_statistics(getattr(of_subset, self.declared.combined)(axis=0).filled(np.nan))

    @property
    def identity(self) -> Sequence[Any]:
        """Its code, what the user set, and the packages that it uses."""
        return str(self._signature_of_code), self.digest, repr(self.arguments), self.packages

    def ask(self, batches: Sequence[Batch]) -> Iterable[tuple[Batch, FloatArray]]:
        """Call the function, and give the scores of each batch."""
        if self.is_importable:
            # A metric stays what it was when it was named, whatever becomes of its file.
            imported_before(self.target, self.subject, self.digest)
        if not self.declared.together:
            return ((batch, self._scores([batch])) for batch in batches)
        scores = self._scores(batches)
        ends = np.cumsum([len(batch.segments) for batch in batches])
        return zip(batches, np.split(scores, ends[:-1]), strict=True)

    def _scores(self, batches: Sequence[Batch]) -> FloatArray:
        """Return the scores of all segments of some batches: (segments,)."""
        columns = _joined([batch.columns() for batch in batches])
        if self.declared.single:
            columns["references"] = [references[0] for references in columns["references"]]
        n = len(columns["candidate"])
        call = _CallInProgress(self.subject, batches)
        arguments = dict(copy.deepcopy(self.arguments))
        try:
            with self.guard.surrounded():
                if not self.declared.is_batch:
                    scores = np.empty(n)
                    for number in range(n):
                        call.segment = number
                        texts = {text: column[number] for text, column in columns.items()}
                        scores[number] = as_number(self._call(texts, arguments))
                    return scores
                returned = self._call(columns, arguments)
                if self.declared.whole:
                    return np.full(n, as_number(returned))
                returned = as_sequence(returned, n)
                scores = np.empty(n)
                for number, score in enumerate(returned):
                    call.segment = number
                    scores[number] = as_number(score)
                return scores
        except (KeyboardInterrupt, MetricError):
            raise
        except UnusableError as error:
            raise MetricError(f"{call}: {error}.") from None
        except BaseException as error:
            raise MetricError(f"{call}: {reason(error)}.") from error

    def _call(self, texts: Mapping[str, Any], arguments: Mapping[str, Any]) -> Any:
        """Call the function with copies of lists, so that what it changes harms nobody."""
        passed = {self.declared.texts[text]: _copied(value) for text, value in texts.items()}
        values = {**arguments, **passed}
        return self.function(*[values.pop(name) for name in self.declared.positional if name in values], **values)


@dataclass
class _CallInProgress:
    """The call of a function that is under way, as messages name it."""

    subject: str
    batches: Sequence[Batch]
    segment: int | None = None

    def __str__(self) -> str:
        position = self.segment
        if position is None:
            return self.subject if len(self.batches) > 1 else f"{self.subject}, system {self.batches[0].name!r}"
        for batch in self.batches:
            if position < len(batch.segments):
                return f"{self.subject}, system {batch.name!r}, {batch.words(position)}"
            position -= len(batch.segments)
        raise IndexError(self.segment)


def _joined(columns: Sequence[Mapping[str, list[Any]]]) -> dict[str, list[Any]]:
    """Return the columns of several batches, one after the other."""
    return {name: [*itertools.chain.from_iterable(part[name] for part in columns)] for name in columns[0]}


def _copied(value: Any) -> Any:
    """Return a text, or a copy of a list of texts or of lists of texts."""
    if not isinstance(value, list):
        return value
    return [list(item) if isinstance(item, list) else item for item in value]
