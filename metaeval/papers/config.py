"""The config of a paper: an experiment, and what the paper prints of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from metaeval.errors import UsageError
from metaeval.experiment.config_file import LoadedConfig, read_config
from metaeval.papers.claims.settings import ClaimSettings
from metaeval.papers.examples import ExampleSettings
from metaeval.parameters.fields import parameter


def read_name(text: str) -> tuple[str, str]:
    """Return the two names of a criterion, such as ``adequacy=accuracy``: the paper's, and the corpus's.

    Raises
    ------
    UsageError
        If it is something else.
    """
    name, equals, other = (part.strip() for part in text.partition("="))
    if not (name and equals and other):
        raise UsageError(
            f"`read_as` takes names such as 'adequacy=accuracy', the paper's and the corpus's; got {text!r}."
        )
    return name, other


@dataclass(frozen=True)
class Printed:
    """The claims and numbers that a paper printed, to be compared with those of a run."""

    claims: tuple[ClaimSettings, ...] = parameter((), doc="what the paper says of the correlations")
    examples: tuple[ExampleSettings, ...] = parameter((), doc="scores of short texts that the paper works out")
    read_as: tuple[str, ...] = parameter(
        (), doc="criteria of the paper, and what the corpus calls them: adequacy=accuracy", check=read_name
    )
    published: str = parameter("", doc="a table of the paper's numbers: a TSV file, relative to the config")

    @property
    def names(self) -> dict[str, str]:
        """The names of the corpus for the criteria of the paper."""
        return dict(map(read_name, self.read_as))


@dataclass(frozen=True)
class PaperConfig(LoadedConfig):
    """An experiment, panel by panel, and what is to be compared with it."""

    printed: Printed = field(default_factory=Printed)


def load_config(
    config: str | Path | Mapping[str, Any],
    *,
    overrides: Sequence[str | Mapping[str, Any]] = (),
    corpora: Sequence[str] = (),
) -> PaperConfig:
    """Read a config.

    The parameters and errors are those of :func:`metaeval.experiment.config_file.read_config`.
    """
    loaded, printed = read_config(config, Printed, overrides=overrides, corpora=corpora)
    return PaperConfig(**vars(loaded), printed=printed)
