"""[bands]: parts of the quality range in which coefficients are computed besides, as a user writes them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields

from metaeval.components.coefficient import Coefficient
from metaeval.components.design import Design
from metaeval.components.documents import DocumentUnits
from metaeval.components.registries import COEFFICIENTS
from metaeval.errors import UsageError
from metaeval.parameters.fields import Parsed, parameter

# Among fewer systems a coefficient says nothing: of four, one order in 24 is perfect.
MIN_SYSTEMS = 5


@dataclass(frozen=True)
class BandSettings(Parsed):
    """[bands]: coefficients among the best systems, beside those of all."""

    best: tuple[int, ...] = parameter(
        (),
        doc="of whole systems: sizes of quality bands, the best systems by human judgments, such as [8, 6]; at least 5",
    )
    pairs_within: float | None = parameter(
        None,
        doc="of whole systems, if a coefficient counts pairs: only pairs whose human scores differ by at most this",
        minimum=0,
    )
    segments_above: float | None = parameter(
        None, doc="of single segments: only segments of systems whose human score is better than this"
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        for k in self.best:
            if k < MIN_SYSTEMS:
                raise UsageError(
                    f"`bands.best` must be {MIN_SYSTEMS} systems or more; got {k}. Among fewer, a coefficient says "
                    "next to nothing: of four systems, one order in 24 is perfect."
                )
        if len(set(self.best)) < len(self.best):
            raise UsageError(f"`bands.best` names one number twice: {list(self.best)!r}.")

    @property
    def keys(self) -> list[str]:
        """The kinds of bands that are asked for."""
        return [item.name for item in fields(self) if getattr(self, item.name) not in ((), None)]

    def check(self, design: Design) -> None:
        """Raise UsageError if an experiment cannot have these bands."""
        kinds = [coefficient.kind for coefficient in design.coefficients]
        written = ", ".join(coefficient.written for coefficient in design.coefficients)
        for key in self.keys:
            if not _has(key, design.documents, kinds):
                raise UsageError(
                    f"`bands.{key}` {_NEEDS[key]}; got `documents.kind` = {design.documents.name!r} with {written}."
                )
        if self.keys and design.resample in ("systems", "both"):
            raise UsageError(
                "`bands` are of these systems, whichever texts there are: `uncertainty.resample` must be 'text', "
                f"'segments' or 'documents'; got {design.resample!r}."
            )
        if self.keys and design.orientation != "aligned":
            raise UsageError(
                "`bands` say which metric agrees better: `correlation.orientation` must be 'aligned', so that positive "
                f"means agreement; got {design.orientation!r}."
            )
        if self.keys and not design.one_score:
            raise UsageError(
                "`bands` need one score of a metric for each system, and with references.combine = 'correlations' "
                "there is one for each reference subset; choose 'scores'."
            )


_NEEDS = {
    "best": "is of coefficients across whole systems: `documents.kind` must be 'all' (level 'system' of a comparison)",
    "pairs_within": (
        "chooses pairs of whole systems: `documents.kind` must be 'all' (level 'system' of a comparison), with a "
        "coefficient that counts pairs, pairwise-accuracy"
    ),
    "segments_above": (
        "is of single segments: `documents.kind` must be 'segments' (level 'segment' of a comparison), with a "
        "coefficient that does not need every system in every segment"
    ),
}


def _has(key: str, documents: DocumentUnits | type[DocumentUnits], coefficients: Iterable[Coefficient]) -> bool:
    """Return whether an experiment can have a kind of band."""
    kinds = list(coefficients)
    if key == "segments_above":
        return documents.is_single and not any(kind.needs_all_cells for kind in kinds)
    if not documents.is_whole or any(kind.takes_grid for kind in kinds):
        return False
    return key == "best" or any(map(counts_pairs, kinds))


def counts_pairs(coefficient: Coefficient) -> bool:
    """Return whether a coefficient counts pairs of systems, so that it can count some of them alone."""
    return coefficient.pools_pairs and not (coefficient.is_fitted or coefficient.needs_items)


def bands_at(bands: object, documents: type[DocumentUnits], coefficients: Sequence[str]) -> object:
    """Return those keys of [bands] that apply to a level: where there are several, each has its own.

    Parameters
    ----------
    bands : object
        As in a config.
    documents : type of DocumentUnits
    coefficients : sequence of str
        Of the level.
    """
    kinds = [COEFFICIENTS.named(coefficient) for coefficient in coefficients]
    if not isinstance(bands, Mapping):
        return bands  # which is an error, and raised where all of it is built
    return {key: value for key, value in bands.items() if key not in _NEEDS or _has(key, documents, kinds)}


def check_all_used(bands: object, tables: Iterable[object]) -> None:
    """Raise UsageError if a kind of band is at none of the levels, for each of which there is its table of bands."""
    used = {key for table in tables if isinstance(table, Mapping) for key in table}
    for key in bands if isinstance(bands, Mapping) else ():
        if key not in used:
            raise UsageError(f"`bands.{key}` {_NEEDS[key]}; there is no such level here.")
