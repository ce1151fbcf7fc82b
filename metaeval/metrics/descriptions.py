"""Describe how a metric is computed, and who published it, by its parameters; the words stand in descriptions.toml."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any, ClassVar

from metaeval.runtime.files import tables_of


@cache
def _parts_of(name: str) -> dict[str, Any]:
    texts = tables_of(__file__)
    return {**texts.get(texts[name].get("like"), {}), **texts[name]}


@dataclass(frozen=True)
class _Parts:
    """Fill in the parts of the paragraph on a metric when `str.format_map` asks for them."""

    metric: Any

    def __getitem__(self, name: str) -> Any:
        parts = _parts_of(self.metric.name)
        if name not in parts:
            value = self.metric if name == "metric" else getattr(self.metric, name)
            return ", ".join(map(str, value)) if isinstance(value, tuple) else value
        part = parts[name]
        if not isinstance(part, str):
            value = str(getattr(self.metric, part.get("by", name)))
            part = part[value] if value in part else part["*"]
        return part.format_map(self)


class Described:
    """A metric of ours, by its name and title; it has a paragraph in descriptions.toml."""

    name: ClassVar[str]
    title: ClassVar[str]
    higher_is_better: ClassVar[bool] = True
    # What tables for readers multiply scores by, where the programs that the field uses print them so.
    printed_times: ClassVar[int] = 1

    def __init_subclass__(cls, *, name: str = "", title: str = "") -> None:
        """Take name and title from behind the bases, ``class Bleu(NgramMetric, name="bleu", title="BLEU")``."""
        super().__init_subclass__()
        if name:
            cls.name, cls.title = name, title

    @property
    def _has_text(self) -> bool:
        # One that a program puts into the registry has none.
        return self.name in tables_of(__file__)

    @property
    def sources(self) -> tuple[str, ...]:
        """List what to cite: keys of the bibliography, also of who published the variant."""
        return tuple(dict.fromkeys(_Parts(self)["sources"].split())) if self._has_text else ()

    @property
    def described(self) -> str:
        """Describe in plain words how the score is computed."""
        return str(_Parts(self)["text"]) if self._has_text else str(self)
