"""[bands]: parts of the quality range in which coefficients are computed besides, as a user writes them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from metaeval.components.coefficient import Coefficient
from metaeval.components.design import Design
from metaeval.components.registries import COEFFICIENTS
from metaeval.errors import UsageError
from metaeval.parameters.fields import Parsed, parameter

# Among fewer systems a coefficient says nothing: of four, one order in 24 is perfect.
FEWEST_SYSTEMS = 5


@dataclass(frozen=True)
class BandSettings(Parsed):
    """[bands]: coefficients among good systems, beside those of all."""

    best: tuple[int, ...] = parameter(
        (), doc="of whole systems: how many of the best by people, such as [8, 6]; five at least"
    )
    pairs_within: float | None = parameter(
        None,
        doc="of whole systems and a coefficient that counts pairs: only pairs that people score within so much",
        minimum=0,
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        for k in self.best:
            if k < FEWEST_SYSTEMS:
                raise UsageError(
                    f"`bands.best` must be {FEWEST_SYSTEMS} systems or more; got {k}. Among fewer, a coefficient says "
                    "next to nothing: of four systems, one order in 24 is perfect."
                )
        if len(set(self.best)) < len(self.best):
            raise UsageError(f"`bands.best` names one number twice: {list(self.best)!r}.")

    @property
    def are_asked_for(self) -> bool:
        """True if there is any band."""
        return bool(self.best) or self.pairs_within is not None

    def check(self, design: Design) -> None:
        """Raise UsageError if an experiment cannot have these bands."""
        if not self.are_asked_for:
            return
        if not (design.documents.is_whole and not design.takes_grid):
            raise UsageError(
                "`bands` are of coefficients across whole systems: `documents.kind` must be 'all' (level 'system' of a "
                f"comparison); got {design.documents.name!r} with the coefficient "
                f"{design.coefficients[0].written!r}."
            )
        if design.resample in ("systems", "both"):
            raise UsageError(
                "`bands` are of these systems, whichever texts there are: `uncertainty.resample` must be 'text', "
                f"'segments' or 'documents'; got {design.resample!r}."
            )
        if not design.one_score:
            raise UsageError(
                "`bands` need one score of a metric for each system, and with references.combine = 'correlations' "
                "there is one for each reference subset; choose 'scores'."
            )
        if self.pairs_within is not None and not any(counts_pairs(one.kind) for one in design.coefficients):
            named = ", ".join(one.written for one in design.coefficients)
            raise UsageError(
                "`bands.pairs_within` chooses pairs of systems, and needs a coefficient that counts them: "
                f"pairwise-accuracy; got {named}."
            )


def counts_pairs(coefficient: Coefficient) -> bool:
    """Return whether a coefficient counts pairs of systems, so that it can count some of them alone."""
    return coefficient.pools_pairs and not (coefficient.is_fitted or coefficient.needs_items)


def bands_at(bands: Mapping[str, Any], coefficients: Sequence[str], *, is_whole: bool) -> dict[str, Any]:
    """Return those keys of [bands] that apply to a level: of several levels, each has its own.

    Parameters
    ----------
    bands : mapping
        As in a config.
    coefficients : sequence of str
        Of the level.
    is_whole : bool
        Whether it is that of whole systems.
    """
    kinds = [COEFFICIENTS.named(one) for one in coefficients]
    if not is_whole or any(kind.takes_grid for kind in kinds):
        return {key: value for key, value in bands.items() if key not in ("best", "pairs_within")}
    if not any(map(counts_pairs, kinds)):
        return {key: value for key, value in bands.items() if key != "pairs_within"}
    return dict(bands)
