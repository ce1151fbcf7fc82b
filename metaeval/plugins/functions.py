"""Users' functions as metrics, each in a process of its own.

One that hangs, crashes, prints or changes what it is given does no harm to anything else.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from metaeval.errors import unknown
from metaeval.metrics.text_metric import as_statistics, better
from metaeval.names import Call, Signature
from metaeval.parameters import Description
from metaeval.plugins.conversation import Conversation
from metaeval.plugins.loaded import Loaded, hear, latest
from metaeval.plugins.process_metric import Asked, ProcessMetric, Row
from metaeval.plugins.sentences import refuse, say
from metaeval.plugins.worker import CALLED
from metaeval.records import Corpus, FloatArray
from metaeval.version import VERSION

# An answer has the number of the request, so that none is ever taken for that to another.
_NUMBERS = itertools.count(1)


class Shown(str):
    """A default as another process has shown it."""

    def __repr__(self) -> str:
        return str(self)


@dataclass(frozen=True, kw_only=True)
class PluginFunction(ProcessMetric):
    """A user's function, called for each segment or for all segments at once, of a system or of all systems.

    If it takes one reference at a time, it is called with each, whatever the subsets; their scores are combined.

    Attributes
    ----------
    name : str
        Of the function.
    title : str
        Its attribute `title`, or its name.
    higher_is_better : bool
        Its attribute `higher_is_better`; true if it has none.
    uses_references : bool
        Whether it has a parameter for references.
    arguments : tuple of (name, value)
        What the user set.
    """

    name: str
    title: str
    higher_is_better: bool
    uses_references: bool
    arguments: tuple[tuple[str, Any], ...]
    digest: str
    subject: str = field(compare=False)
    loaded: Loaded = field(repr=False, compare=False)

    def __hash__(self) -> int:
        # Arguments may be lists, which have no hash; equal functions have equal digests.
        return hash((self.name, self.digest))

    @classmethod
    def of(cls, loaded: Loaded, call: Call, subject: str) -> PluginFunction:
        """Return the metric of a loaded function with parameters.

        Raises
        ------
        UsageError
            If a parameter is unknown or missing, or an attribute of the function has the wrong type.
        """
        facts, name = loaded.facts, loaded.target.name
        for parameter in call.arguments:
            if parameter not in facts["parameters"]:
                message = unknown("parameter", parameter, facts["parameters"])
                raise say.error("function_unknown", subject=subject, unknown=message)
        for parameter in facts["required"]:
            is_given = parameter in call.arguments
            refuse(not is_given, "function_required", subject=subject, parameter=parameter, name=name, called=CALLED)
        higher = facts["higher_is_better"]
        refuse(higher not in (None, True, False), "function_direction", subject=subject, given=higher)
        return cls(
            name=name,
            title=" ".join(str(facts["title"] or name).split()),
            higher_is_better=higher is not False,
            uses_references=facts["references"],
            arguments=tuple(sorted(call.arguments.items())),
            digest=loaded.digest,
            subject=subject,
            loaded=loaded,
        )

    @property
    def sources(self) -> tuple[str, ...]:
        """The attribute `sources` of the function."""
        return tuple(self._facts["cite"])

    @property
    def signature(self) -> Signature:
        """Name, parameters, digest of the file, and version."""
        set_here = {name: repr(value) for name, value in self.arguments}
        shown = {name: set_here.get(name, default) for name, default in self._facts["parameters"].items()}
        pairs = (*sorted(shown.items()), *self.loaded.origin, ("version", VERSION))
        return Signature(self.name).with_pairs(pairs)

    @property
    def told(self) -> str:
        """What the author of the function says."""
        return str(self._facts["told"])

    @property
    def label(self) -> str:
        """Its attribute `title`, with the parameters that the user set."""
        return str(Call(self.title, dict(self.arguments), "")) if self._facts["title"] else ""

    @property
    def described(self) -> str:
        """What its author says, and how it is called."""
        said = " ".join(self.told.split("\n\n")[0].split()).rstrip(".")
        what = "all segments of a system at once" if self._facts["kind"] == "batch" else "each segment"
        what = "all segments of all systems at once" if self._facts["together"] else what
        each = f"It takes one reference; the {self._facts['combined']} over all is taken. " * self._facts["single"]
        mean = "The score of a document is the mean of the scores of its segments"
        if self._facts["whole"]:
            what, mean = "a whole system", "No part of a corpus has a score"
        words = {"said": f"{said}. " if said else "", "name": self.name, "place": self.loaded.target.place}
        return say("function_described", **words, what=what, each=each, mean=mean, better=better(self))

    @property
    def parameters(self) -> tuple[Description, ...]:
        """The parameters of the function beside the texts."""
        return tuple(
            Description(name, Shown(default), None, f"of the function {self.name}")
            for name, default in self._facts["parameters"].items()
        )

    @property
    def side_by_side(self) -> Literal["", "programs"]:
        """Its attribute `parallel`: whether it may run twice at once, each time in a process of its own."""
        return "programs" if self._facts["parallel"] and not self._facts["together"] else ""

    @property
    def uses_source(self) -> str:
        """Whether its source is needed: it has a default, or none."""
        return str(self._facts["source"])

    @property
    def seen(self) -> dict[str, Any]:
        """What the function does beside scoring: see `Loaded`."""
        return latest(self.loaded).seen

    def notes(self, corpus: Corpus) -> tuple[str, ...]:
        """Return what was assumed, and where it runs."""
        place, notes = self.loaded.target.place, []
        if self._facts["higher_is_better"] is None:
            line = f"{self.name}.higher_is_better = False"
            cannot = "." in self.name or self.name == "lambda"
            around = f"write a function around it in {place}, with this attribute"
            how = around if cannot else f"set `{line}` in {place}"
            notes.append(say("assumed_direction", how=how))
        if self._facts["mean_is_assumed"] and len(corpus.references) > 1:
            notes.append(say("assumed_mean", name=self.name, place=place))
        if self._facts["whole"]:
            notes.append("it scores whole systems over all their segments, judged or not.")
        return (*notes, *self.loaded.notes)

    def of_whole_systems(self, corpus: Corpus) -> bool:
        """Return whether it gives one number for a whole system."""
        return bool(self._facts["whole"])

    def measure(self, corpus: Corpus, references: Sequence[str]) -> FloatArray:
        """Return the scores of all segments as sums and counts: (systems, segments, 2)."""
        single = self._facts["single"]
        return next(self.measure_subsets(corpus, [references])) if single else super().measure(corpus, references)

    def measure_subsets(self, corpus: Corpus, subsets: Sequence[Sequence[str]]) -> Iterator[FloatArray]:
        """Give the statistics with each subset; with single references it is called once for each of these."""
        if not self._facts["single"]:
            yield from super().measure_subsets(corpus, subsets)
            return
        used = list(dict.fromkeys(name for names in subsets for name in names))
        of_each = self.scores(corpus, [(name,) for name in used])
        for names in subsets:
            of_subset = np.ma.masked_invalid(of_each[[used.index(name) for name in names]])
            yield as_statistics(getattr(of_subset, self._facts["combined"])(axis=0).filled(np.nan))

    @property
    def identity(self) -> Sequence[Any]:
        """Its code, what the user set, and the packages that it uses."""
        return str(self.signature), self.loaded.digest, repr(self.arguments), self.loaded.packages

    def shown(self, row: Row) -> Row:
        """Return what of a segment can have an influence on its score: the texts, and no names."""
        return {key: value for key, value in row.items() if key not in ("id", "system")}

    def calls(self, of_systems: Iterator[list[Asked]]) -> Iterable[list[Asked]]:
        """Return what is asked at once: the segments of a system, or those of all if the function says so."""
        return [list(itertools.chain(*of_systems))] if self._facts["together"] else of_systems

    @property
    def _facts(self) -> Mapping[str, Any]:
        """What `worker.describe` has found out about it."""
        return self.loaded.facts

    def start(self) -> Conversation:
        """Return the running process; a metric stays what it was when it was named, whatever becomes of its file."""
        return self.loaded.again(self.subject, self.digest).process

    def ask(self, process: Conversation, rows: Sequence[Row]) -> Sequence[Hashable]:
        """Send segments; an answer carries the number of the request and the position of its segment."""
        number = next(_NUMBERS)
        sent = [row | {"id": place} for place, row in enumerate(rows)]
        if self._facts["single"]:
            sent = [row | {"references": row["references"][0]} for row in sent]
        process.send(json.dumps({"request": number, "arguments": repr(dict(self.arguments)), "rows": sent}))
        return [(number, 0 if self._facts["whole"] else place) for place in range(len(rows))]

    def hear(
        self, process: Conversation, subject: str, waiting: Mapping[Any, str], n_rows: int
    ) -> tuple[Hashable, object]:
        """Return the number of the request and the position of a segment, and its score, in the order of segments."""
        # A call for all segments fails in none of them.
        (number, _), first = next(iter(waiting.items()))
        where = subject if self._facts["kind"] == "batch" else f"{subject}, {first}"
        while (answer := hear(process, f"{where}: scoring"))["request"] != number:
            continue  # it is late, and belongs to nothing
        self.seen.update(answer.get("seen", {}))
        key = (number, answer["id"])
        if "score" in answer:
            return key, answer["score"]
        if answer["id"] is not None:
            where = f"{subject}, {waiting[key]}"
        raise say.error("failed", where=where, why=answer.get("refused") or answer["error"])
