"""Users' functions as metrics, each in a process of its own.

One that hangs, crashes, prints or changes what it is given does no harm to anything else.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from metaeval.errors import MetricError, UsageError, unknown
from metaeval.names import Call, Signature
from metaeval.parameters import Description
from metaeval.plugins.conversation import Conversation
from metaeval.plugins.loaded import Loaded, hear, latest, load, printing_notes
from metaeval.plugins.process_metric import ProcessMetric, Row
from metaeval.records import Corpus
from metaeval.version import VERSION


class Shown(str):
    """A default as another process has shown it."""

    def __repr__(self) -> str:
        return str(self)


@dataclass(frozen=True, kw_only=True)
class PluginFunction(ProcessMetric):
    """A user's function, called for each segment or for all segments of a system at once.

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
                raise UsageError(f"{subject}: {unknown('parameter', parameter, facts['parameters'])}")
        for parameter in facts["required"]:
            if parameter not in call.arguments:
                hint = "" if facts["references"] else " If it stands for the references, call it `references`: a list."
                raise UsageError(f"{subject}: `{parameter}` is missing; {name} has no default for it.{hint}")
        higher = facts["higher_is_better"]
        if higher not in (None, True, False):
            raise UsageError(f"{subject}: its attribute `higher_is_better` must be True or False; got {higher!r}.")
        return cls(
            name=name,
            title=str(facts["title"] or name),
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
        return tuple(self.loaded.facts["cite"])

    @property
    def signature(self) -> Signature:
        """Name, parameters, digest of the file, and version."""
        set_here = {name: repr(value) for name, value in self.arguments}
        shown = {name: set_here.get(name, default) for name, default in self.loaded.facts["parameters"].items()}
        pairs = (*sorted(shown.items()), *self.loaded.origin, ("version", VERSION))
        return Signature(self.name).with_pairs(pairs)

    @property
    def told(self) -> str:
        """What the author of the function says."""
        return str(self.loaded.facts["told"])

    @property
    def described(self) -> str:
        """What its author says, and how it is called."""
        said = " ".join(self.told.split("\n\n")[0].split()).rstrip(".")
        what = "all segments of a system at once" if self._many else "each segment"
        better = "higher" if self.higher_is_better else "lower"
        return (
            f"{said}{'. ' if said else ''}The function {self.name} of {self.loaded.target.place} gives a score for "
            f"{what}. The score of a document is the mean of the scores of its segments; {better} is better."
        )

    @property
    def parameters(self) -> tuple[Description, ...]:
        """The parameters of the function beside the texts."""
        return tuple(
            Description(name, Shown(default), None, f"of the function {self.name}")
            for name, default in self.loaded.facts["parameters"].items()
        )

    @property
    def uses_source(self) -> str:
        """Whether its source is needed: it has a default, or none."""
        return str(self.loaded.facts["source"])

    @property
    def seen(self) -> dict[str, Any]:
        """What the function does beside scoring: see `Loaded`."""
        return latest(self.loaded).seen

    def notes(self, corpus: Corpus) -> tuple[str, ...]:
        """Return what was assumed, and whether it has printed."""
        printed = printing_notes(self.seen.get("printed", 0))
        if self.loaded.facts["higher_is_better"] is not None:
            return printed
        assumed = (
            f"it is assumed that higher is better; if not, set `{self.name}.higher_is_better = False` in "
            f"{self.loaded.target.place}."
        )
        return (assumed, *printed)

    @property
    def _many(self) -> bool:
        return bool(self.loaded.facts["kind"] == "batch")

    def start(self) -> Conversation:
        """Return the running process; a metric stays what it was when it was named, whatever becomes of its file."""
        loaded = load(self.loaded.target, self.subject)
        if loaded.digest != self.digest:
            raise MetricError(f"{self.subject}: {loaded.target.place} has changed since the metric was named.")
        return loaded.process

    def ask(self, process: Conversation, rows: Sequence[Row]) -> None:
        """Send all segments of a system."""
        process.send(json.dumps({"arguments": repr(dict(self.arguments)), "rows": rows}))

    def hear(self, process: Conversation, subject: str, waiting: Mapping[str, str], n_rows: int) -> tuple[str, object]:
        """Return an id and a score, in the order of the segments."""
        # A call for all segments fails in none of them.
        where = subject if self._many else f"{subject}, {next(iter(waiting.values()))}"
        answer = hear(process, f"{where}: scoring")
        self.seen.update(answer.get("seen", {}))
        if "score" in answer:
            return answer["id"], answer["score"]
        if answer["id"] is not None:
            where = f"{subject}, {waiting[answer['id']]}"
        raise MetricError(f"{where}: {answer.get('refused') or answer['error']}.")
