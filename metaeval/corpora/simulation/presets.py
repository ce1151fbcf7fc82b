"""Presets: the shapes of the papers' corpora.

What the papers report is taken from them: numbers of systems, segments, references and judgments, and lengths in words.
What they do not report is our choice, made before any metric was correlated with these corpora, and never since: the
number of judges (11; nine for BTEC), their noise, and how far the systems lie apart.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from metaeval.errors import UsageError, unknown
from metaeval.runtime.files import tables_of

if TYPE_CHECKING:
    from metaeval.corpora.simulation.systems import System


@dataclass(frozen=True)
class Lengths:
    """The lengths of references in words: a gamma distribution, cut at both ends."""

    mean: float
    sd: float
    shortest: int
    longest: int


@dataclass(frozen=True)
class Preset:
    """The shape of a simulated corpus.

    Attributes
    ----------
    name, title : str
    systems, segments, references, judges : int
    lengths : Lengths
    document_length : int
        Segments of a source document, on average.
    criteria : tuple of str
        ``adequacy`` and ``fluency``, or ``grade`` for both together.
    judgments : (int, int)
        The fewest and the most judgments of an item; of all judges where it is their number.
    closeness : float
        How near the systems lie to one another: at 1 the best damages a third of what the worst does, at 10 nearly as
        much.
    verbosity : float
        Superfluous words of the systems for each word.
    noise : float
        Of the judges, on average.
    releases : int
        Releases of each type of system; a later release of any type is better than an earlier one.
    """

    name: str
    title: str
    systems: int
    segments: int
    references: int
    judges: int
    lengths: Lengths
    document_length: int = 8
    criteria: tuple[str, ...] = ("adequacy", "fluency")
    judgments: tuple[int, int] = (2, 3)
    closeness: float = 1.0
    verbosity: float = 0.03
    noise: float = 0.9
    releases: int = 1

    def with_sizes(self, **sizes: float | None) -> Preset:
        """Return the preset with other sizes.

        Parameters
        ----------
        **sizes : int or float or None
            ``systems``, ``segments``, ``references`` and ``judges``, at least 1 each, and ``closeness``; None leaves a
            size as it is.

        Raises
        ------
        UsageError
            If there are too few judges for the design, or the closeness is impossible.
        """
        changed = replace(self, **{key: value for key, value in sizes.items() if value is not None})  # type: ignore[arg-type]
        if not 0.1 <= changed.closeness <= 1000:
            raise UsageError(f"`closeness` must be from 0.1 to 1000; got {changed.closeness:g}.")
        if self.judgments[0] == self.judges:
            return replace(changed, judgments=(changed.judges, changed.judges))
        most = changed.judgments[1]
        if changed.judges < most or (
            changed.systems > 1 and -(-most * changed.systems // changed.judges) >= changed.systems
        ):
            raise UsageError(
                f"{changed.judges} judges are too few: up to {most} judge each of {changed.systems} systems, and none "
                "may judge all systems of a segment."
            )
        return changed

    def make_systems(self) -> tuple[System, ...]:
        """Return the systems from the best to the worst in adequacy; their order in fluency is another."""
        # The names of presets are known without the sentences that systems damage.
        from metaeval.corpora.simulation.systems import System

        n = self.systems
        systems = []
        for rank in range(n):
            adequacy_rank = (rank + 0.5) / n - 0.5  # from -0.5 to 0.5
            # A fixed shuffle keeps adequacy and fluency apart: neighbours in one are not neighbours in the other.
            step = 5 if n % 7 == 0 else 7
            fluency_rank = ((rank * step + 3) % n + 0.5) / n - 0.5 if n > 2 else adequacy_rank
            spread = 1.0 / self.closeness
            meaning = 0.22 * 3.0 ** (adequacy_rank * spread)
            form = 0.20 * 3.0 ** ((0.5 * adequacy_rank + 0.5 * fluency_rank) * spread)
            systems.append(System(self._system_name(rank), meaning, form, self.verbosity))
        return tuple(systems)

    def _system_name(self, rank: int) -> str:
        """Return the name of a system by its rank in adequacy, 0 being the best."""
        n_types, odd = divmod(self.systems, self.releases)
        if self.releases == 1 or odd:
            return f"sys{rank + 1:0{len(str(self.systems))}d}"
        return f"type{rank % n_types + 1}-release{self.releases - rank // n_types}"


def _read() -> Iterator[Preset]:
    for name, shape in tables_of(__file__).items():
        tuples = {key: tuple(value) for key, value in shape.items() if isinstance(value, list)}
        yield Preset(name, **{**shape, **tuples, "lengths": Lengths(*shape["lengths"])})


PRESETS = {preset.name: preset for preset in _read()}


def get_preset(name: str) -> Preset:
    """Return a preset.

    Raises
    ------
    UsageError
        If there is none of that name.
    """
    if name not in PRESETS:
        raise UsageError(unknown("preset", name, PRESETS))
    return PRESETS[name]
