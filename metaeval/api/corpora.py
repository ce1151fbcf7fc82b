"""The verbs that make corpora, and tell of corpora and formats."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypedDict

from metaeval import parameters
from metaeval.arguments import listener, number, path_of, shown, text, whole_number
from metaeval.errors import UsageError, unknown
from metaeval.progress import Progress, silent

if TYPE_CHECKING:
    from metaeval.corpora.describe import CriterionRow
    from metaeval.records import Corpus


class Lengths(NamedTuple):
    """Lengths of segments, in words, as :func:`simulate_corpus` gives them.

    Attributes
    ----------
    mean : float
        Over the segments.
    sd : float
        The standard deviation.
    shortest : int
        The smallest length.
    longest : int
        The largest length.
    """

    mean: float
    sd: float
    shortest: int
    longest: int


class FormatRow(TypedDict):
    """What :func:`list_formats` tells of a format.

    Attributes
    ----------
    name : str
        As it is written: ``sgml``.
    title : str
        What it is.
    looks_like : str
        How its files look.
    parameters : str
        The names of its parameters, with commas.
    """

    name: str
    title: str
    looks_like: str
    parameters: str


class FormatParameterRow(TypedDict):
    """What :func:`describe_format` tells of a parameter.

    Attributes
    ----------
    parameter : str
        Its name.
    meaning : str
        What it means.
    default : str
        The value if none is given, as Python writes it.
    """

    parameter: str
    meaning: str
    default: str


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
    progress: Progress = silent,
) -> dict[str, Lengths]:
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
    systems : int, optional
        Another number of systems than the preset's.
    segments : int, optional
        Another number of segments.
    references : int, optional
        Another number of references.
    judges : int, optional
        Another number of judges.
    closeness : float, optional
        How near the systems lie to one another; 1 in most presets.
    progress : callable, optional
        Told a :class:`Step` at the beginning and as segments are made; ``print`` shows them.

    Returns
    -------
    dict of str to Lengths
        Lengths in words: ``references, wanted`` are those that the preset is fitted to; ``references`` and
        ``candidates`` are those of the corpus.

    Raises
    ------
    UsageError
        If the preset is unknown, a size is impossible, or the directory holds something.

    Examples
    --------
    >>> found = simulate_corpus("btec", "simulated", segments=20)
    >>> list(found)
    ['references, wanted', 'references', 'candidates']
    """
    from metaeval.corpora.simulation.presets import get_preset
    from metaeval.corpora.simulation.write import simulate

    given = {"systems": systems, "segments": segments, "references": references, "judges": judges}
    sizes = {name: None if size is None else whole_number(name, size, least=1) for name, size in given.items()}
    near = None if closeness is None else number("closeness", closeness)
    shape = get_preset(text("preset", preset)).with_sizes(**sizes, closeness=near)
    made = simulate(shape, path_of("directory", directory), whole_number("seed", seed, least=0), listener(progress))
    wanted = Lengths(shape.lengths.mean, shape.lengths.sd, shape.lengths.shortest, shape.lengths.longest)
    return {"references, wanted": wanted, **{name: Lengths(*lengths) for name, lengths in made.items()}}


def list_formats() -> list[FormatRow]:
    """Return a row for each format of corpora that can be read.

    Returns
    -------
    list of FormatRow
        Dicts with the keys ``name``, ``title``, ``looks_like`` and ``parameters``.

    Examples
    --------
    >>> [row["name"] for row in list_formats()][:3]
    ['neutral', 'sgml', 'mt-metrics-eval']
    """
    from metaeval.kinds import READERS

    rows = []
    for name, reader in READERS.items():
        named = ", ".join(item.name for item in parameters.describe(reader))
        rows.append(FormatRow(name=name, title=reader.title, looks_like=reader.expects, parameters=named))
    return rows


def describe_format(name: str) -> tuple[dict[str, str], list[FormatParameterRow]]:
    """Return what there is to know of a format, and a row for each parameter.

    Parameters
    ----------
    name : str
        One of those of :func:`list_formats`.

    Returns
    -------
    facts : dict of str to str
        What the format is, and how its files look.
    parameters : list of FormatParameterRow
        Dicts with the keys ``parameter``, ``meaning`` and ``default``.

    Raises
    ------
    UsageError
        If the format is unknown.

    Examples
    --------
    >>> _, parameters = describe_format("table")
    >>> "criteria" in [row["parameter"] for row in parameters]
    True
    """
    from metaeval.kinds import READERS

    rows = {row["name"]: row for row in list_formats()}
    name = text("name", name)
    if name not in rows:
        raise UsageError(unknown("format", name, rows))
    facts = {"format": rows[name]["title"], "looks like": rows[name]["looks_like"]}
    return facts, [
        FormatParameterRow(parameter=item.name, meaning=item.doc, default=repr(item.default))
        for item in parameters.describe(READERS[name])
    ]


def describe_corpus(corpus: Corpus) -> tuple[dict[str, str], list[CriterionRow]]:
    """Return the facts of a corpus, and a row for each of its criteria.

    Parameters
    ----------
    corpus : Corpus
        What :func:`load_corpus` gives.

    Returns
    -------
    facts : dict of str to str
        Name, systems, segments, references, judgments and whatever else is told of it.
    criteria : list of CriterionRow
        Dicts with the range and direction of a criterion, and how often it was judged.

    Raises
    ------
    UsageError
        If it is no corpus.

    Examples
    --------
    >>> from metaeval import load_corpus
    >>> facts, criteria = describe_corpus(load_corpus("demo"))
    >>> facts["segments"], [row["criterion"] for row in criteria]
    ('120', ['adequacy', 'fluency'])
    """
    from metaeval.corpora import describe
    from metaeval.records import Corpus

    if not isinstance(corpus, Corpus):
        raise UsageError(f"`corpus` must be a Corpus, as load_corpus gives it; got {shown(corpus)}.")
    return describe.facts(corpus), describe.criteria(corpus)
