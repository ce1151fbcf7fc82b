"""[[figures]]: which pictures an experiment makes, and what it must have for them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from metaeval.errors import UsageError
from metaeval.metrics import get_metric
from metaeval.parameters import parameter
from metaeval.report.figures import FIGURES, FigureOptions

if TYPE_CHECKING:
    from metaeval.experiment.schema import Experiment


@dataclass(frozen=True)
class FigureSettings:
    """[[figures]]: a picture of what was found."""

    kind: str = parameter(doc="what is drawn", choices=tuple(FIGURES))
    width: Literal["column", "page"] | None = parameter(
        None, doc="as wide as a column (3.3 in) or the text (6.9 in) of a page; by default as the figure needs"
    )
    together: bool = parameter(
        False, doc="for correlation-by-length: lines of several reference subsets on the same axes"
    )
    judges: tuple[str, ...] = parameter((), doc="for judges: two names; by default those with the lowest correlation")

    def __post_init__(self) -> None:
        if self.together and self.kind != "correlation-by-length":
            raise UsageError(f"`together` belongs to the figure 'correlation-by-length', not to {self.kind!r}.")
        if self.judges and self.kind != "judges":
            raise UsageError(f"`judges` belongs to the figure 'judges', not to {self.kind!r}.")
        if self.judges and (len(self.judges) != 2 or len(set(self.judges)) != 2):
            raise UsageError(f"`judges` of the figure 'judges' must name two different judges; got {self.judges!r}.")

    @property
    def options(self) -> FigureOptions:
        """What the figure's function is told."""
        return FigureOptions(self.width, self.together, self.judges)


def check_figures(experiment: Experiment) -> None:
    """Check that an experiment has what its figures draw.

    Raises
    ------
    UsageError
        If a figure needs other documents, reference subsets or metrics.
    """
    kinds = {figure.kind for figure in experiment.figures}
    documents, references = experiment.documents, experiment.references
    if "correlation-by-length" in kinds and documents.kind != "pseudo":
        raise UsageError(f"the figure 'correlation-by-length' needs pseudo-documents; got kind {documents.kind!r}.")
    if "scatter" in kinds and documents.kind != "all":
        raise UsageError(
            "the figure 'scatter' shows whole systems and needs `documents.kind = \"all\"`; "
            f"got kind {documents.kind!r}."
        )
    if "scatter" in kinds and references.combine == "correlations":
        raise UsageError(
            "the figure 'scatter' needs one score for each system, and `references.combine = \"correlations\"` has one "
            'for each subset; choose "scores".'
        )
    if "correlation-by-references" in kinds:
        one_size = references.subsets in ("all", "each", "leave-one-out") or (
            references.subsets in ("every", "random") and references.sizes != "all" and len(references.sizes) < 2
        )
        if one_size:
            raise UsageError(
                "the figure 'correlation-by-references' needs subsets of several sizes: `references.subsets` "
                f"'every' or 'random' with several `references.sizes`, or a list; got {references.subsets!r}."
            )
    if "nist-share" in kinds and sum(get_metric(name).name == "nist" for name in experiment.metrics) < 2:
        raise UsageError(
            "the figure 'nist-share' needs nist of every order from 1 to the highest: "
            '`metrics = ["nist(order=1)", "nist(order=2)", ...]`.'
        )
