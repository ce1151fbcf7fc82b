"""The verbs that make corpora, and tell of corpora and formats."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from metaeval import parameters

if TYPE_CHECKING:
    from metaeval.records import Corpus


def simulate_corpus(
    preset: str,
    directory: str | Path,
    *,
    seed: int = 1,
    systems: int | None = None,
    segments: int | None = None,
    references: int | None = None,
    judges: int | None = None,
    closeness: float | None = None,
    progress: Callable[[str], None] = lambda line: None,
) -> dict[str, tuple[float, float, int, int]]:
    """Make a simulated corpus whose truth is known.

    Parameters
    ----------
    preset : str
        The shape of a paper's corpus: ``mtc-chinese``, ``mtc-arabic``, ``mtc-arabic-2003``, ``nist2003-chinese`` or
        ``btec``.
    directory : str or Path
        A directory that does not exist yet, or is empty.
    seed : int, default 1
        The same seed gives the same bytes.
    systems, segments, references, judges : int, optional
        Other sizes than the preset's.
    closeness : float, optional
        How near the systems lie to one another; 1 in most presets.
    progress : callable, optional
        Told a line every thousand segments.

    Returns
    -------
    dict of str to (mean, s.d., shortest, longest)
        Lengths in words of ``references`` and ``candidates``.

    Raises
    ------
    UsageError
        If the preset is unknown, a size is impossible, or the directory holds something.
    """
    from metaeval.corpora.simulation.presets import get_preset
    from metaeval.corpora.simulation.write import simulate

    sizes = {"systems": systems, "segments": segments, "references": references, "judges": judges}
    shape = get_preset(preset).with_sizes(**sizes, closeness=closeness)
    return simulate(shape, Path(directory), seed, progress)


def preset_lengths(preset: str) -> tuple[float, float, int, int]:
    """Return the lengths of references that a preset is fitted to, in words: mean, s.d., shortest, longest."""
    from metaeval.corpora.simulation.presets import get_preset

    lengths = get_preset(preset).lengths
    return lengths.mean, lengths.sd, lengths.shortest, lengths.longest


def list_formats() -> list[dict[str, Any]]:
    """Return a row for each format that can be read: name, what it is, what it looks like, parameters."""
    from metaeval.corpora.formats import READERS
    from metaeval.corpora.read import NEUTRAL, NEUTRAL_EXPECTS, NEUTRAL_TITLE

    rows = [{"name": NEUTRAL, "title": NEUTRAL_TITLE, "looks_like": NEUTRAL_EXPECTS, "parameters": ""}]
    for name, reader in READERS.items():
        names = ", ".join(item.name for item in parameters.describe(reader))
        rows.append({"name": name, "title": reader.title, "looks_like": reader.expects, "parameters": names})
    return rows


def describe_format(name: str) -> tuple[dict[str, str], list[dict[str, Any]]]:
    """Return what there is to know of a format, and a row for each parameter.

    Raises
    ------
    UsageError
        If the format is unknown.
    """
    from metaeval.corpora.formats import READERS
    from metaeval.errors import UsageError, unknown

    rows = {row["name"]: row for row in list_formats()}
    if name not in rows:
        raise UsageError(unknown("format", name, rows))
    facts = {"format": rows[name]["title"], "looks like": rows[name]["looks_like"]}
    described = parameters.describe(READERS[name]) if name in READERS else ()
    return facts, [{"parameter": item.name, "meaning": item.doc, "default": repr(item.default)} for item in described]


def describe_corpus(corpus: Corpus) -> tuple[dict[str, str], list[dict[str, Any]]]:
    """Return the facts of a corpus, and a row for each of its criteria."""
    from metaeval.corpora import describe

    return describe.facts(corpus), describe.criteria(corpus)
