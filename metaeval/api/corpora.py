"""The verbs that read, check, convert, fetch, simulate and describe corpora, and describe formats."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, TypedDict

from metaeval.api.shared import Formats, NewDirectory, Seed, Sources, Steps
from metaeval.api.verbs import Argument, verb
from metaeval.errors import UsageError, unknown, warn
from metaeval.parameters import fields as parameters
from metaeval.parameters.arguments import path_of, shown, text
from metaeval.runtime.progress import silent

if TYPE_CHECKING:
    from metaeval.corpora.describe import CriterionRow
    from metaeval.corpora.problems import Problems
    from metaeval.datamodel.corpus import Corpus

Size = Annotated[int | None, Argument(doc="how many; as many as the preset has unless given", minimum=1)]


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
    """A format, as :func:`list_formats` returns it.

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
    """A parameter of a format, as :func:`describe_format` returns it.

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


# The catalogue does what these say; they import nothing heavy, so that help is there at once.


@verb
def load_corpus(sources: Sources, source_formats: Formats = ()) -> "Corpus":
    """Read a corpus.

    Returns
    -------
    Corpus
        Its texts and judgments.

    Raises
    ------
    UsageError
        If there is no such corpus, or a format is unknown.
    CorpusError
        If its files are wrong; the message lists every error with its place.

    Examples
    --------
    >>> load_corpus("demo")
    Corpus('demo', 8 systems, 120 segments, 4 references, 4758 judgments)
    """
    from metaeval.corpora import catalogue

    corpus = catalogue.load_corpus(sources, source_formats)
    warn(corpus.warnings, stacklevel=3)
    return corpus


@verb
def check_corpus(sources: Sources, source_formats: Formats = ()) -> "tuple[Corpus | None, Problems]":
    """Read a corpus and return it, if it is usable, with the errors and peculiarities of its files.

    Returns
    -------
    corpus : Corpus or None
        None if its files are wrong.
    problems : Problems
        What was found, each with its place.

    Raises
    ------
    UsageError
        If there is no such corpus, or a format is unknown.

    Examples
    --------
    >>> corpus, problems = check_corpus("demo")
    >>> problems.summary()
    '0 errors, 0 warnings, 1 note'
    """
    from metaeval.corpora import catalogue

    return catalogue.check_corpus(sources, source_formats)


@verb
def convert_corpus(
    sources: Sources, directory: NewDirectory, source_formats: Formats = ()
) -> "tuple[Corpus, Problems]":
    """Write a corpus in the neutral layout; the directory is written completely or not at all.

    Returns
    -------
    corpus : Corpus
        What was written.
    problems : Problems
        Warnings and notes about the files, each with its place.

    Raises
    ------
    UsageError
        If there is no such corpus, a format is unknown, or the directory holds something or cannot be written.
    CorpusError
        If the files are wrong.

    Examples
    --------
    >>> corpus, _ = convert_corpus("demo", "my-corpus")
    >>> load_corpus("my-corpus").systems == corpus.systems
    True
    """
    from metaeval.corpora import catalogue

    return catalogue.convert_corpus(sources, directory, source_formats)


@verb
def fetch_corpus(
    name: Annotated[str, Argument("NAME", complete="public")],
    origin: Annotated[str | Path | None, Argument("DIR|URL", "--from", "directories")] = None,
    progress: Steps = silent,
) -> Path:
    """Fetch the files of a public corpus, check them, and return its directory.

    Parameters
    ----------
    name
        A public corpus; `metaeval corpus list` shows those that can be fetched.
    origin
        A directory or address that holds the owners' files at REPOSITORY/PATH; the owners' own addresses unless given.

    Returns
    -------
    Path
        The directory of the corpus, with the owners' files; what lies there already is not fetched again.

    Raises
    ------
    UsageError
        If there is no public corpus of that name, the origin is wrong, or the cache cannot be written.
    CorpusError
        If a file is missing or is not the one that was published.
    FetchError
        If the network fails.
    """
    from metaeval.corpora import catalogue

    return catalogue.fetch_corpus(name, origin, progress)


@verb
def simulate_corpus(
    preset: Annotated[str, Argument("PRESET", complete="presets")],
    directory: NewDirectory,
    *,
    systems: Size = None,
    segments: Size = None,
    references: Size = None,
    judges: Size = None,
    closeness: Annotated[float | None, Argument()] = None,
    seed: Seed = 1,
    progress: Steps = silent,
) -> dict[str, Lengths]:
    """Make a simulated corpus with a known truth, shaped like one of the papers'.

    Parameters
    ----------
    preset
        The shape of a paper's corpus: mtc-chinese, mtc-arabic, mtc-arabic-2003, nist2003-chinese or btec.
    closeness
        How near the systems lie to one another, 1 in most presets; the preset's unless given.

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
    >>> lengths = simulate_corpus("btec", "simulated", segments=20)
    >>> list(lengths)
    ['references, wanted', 'references', 'candidates']
    """
    from metaeval.corpora.simulation.presets import get_preset
    from metaeval.corpora.simulation.write import simulate

    shape = get_preset(preset).with_sizes(
        systems=systems, segments=segments, references=references, judges=judges, closeness=closeness
    )
    made = simulate(shape, path_of("directory", directory), seed, progress)
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
    ['folder', 'neutral', 'sgml']
    """
    from metaeval.components.registries import READERS

    rows = []
    for name, reader in READERS.items():
        named = ", ".join(item.name for item in parameters.describe(reader))
        rows.append(FormatRow(name=name, title=reader.title, looks_like=reader.expects, parameters=named))
    return rows


def describe_format(name: str) -> tuple[dict[str, str], list[FormatParameterRow]]:
    """Describe a format, with a row for each parameter.

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
    from metaeval.components.registries import READERS

    rows = {row["name"]: row for row in list_formats()}
    name = text("name", name)
    if name not in rows:
        raise UsageError(unknown("format", name, rows))
    facts = {"format": rows[name]["title"], "looks like": rows[name]["looks_like"]}
    return facts, [
        FormatParameterRow(parameter=item.name, meaning=item.doc, default=repr(item.default))
        for item in parameters.describe(READERS[name])
    ]


def corpus(
    judgments: Any = None,
    *,
    outputs: Any = None,
    references: Any = None,
    sources: Any = None,
    scores: Any = None,
    criteria: Any = None,
    name: str = "corpus",
    source_format: str = "table",
) -> "Corpus":
    """Make a corpus from tables and lists; every verb that takes the name of a corpus also takes the corpus.

    A table is one of pandas, polars or any library with Arrow's C stream, a list of dicts, or a dict of columns. The
    corpus is identified by its content.

    Parameters
    ----------
    judgments : table, optional
        A row a judgment: ``segment``, ``system``, ``judge``, ``criterion`` and ``score``, or a column for each of the
        `criteria`. All that `metaeval corpus formats table` says holds, so that it may have the texts as well.
    outputs : mapping of str to sequence of (str or None), or data frame
        The segments of each system, by its name, or in a column each; beside these, a table may have ``segment`` (the
        ids; the numbers from 1 unless given), ``document`` and ``source``.
    references : mapping of str to sequence of (str or None), or sequence of them, or data frame, optional
        The segments of each reference, as :func:`score` takes them; or names of columns of `outputs`.
    sources : sequence of str, optional
        The segments of the source; or the name of a column of `outputs`.
    scores : mapping of str to mapping, or data frame, optional
        Scores of metrics, which are then named ``precomputed:NAME``: by metric and system a list, or one number; or a
        table with ``segment``, ``system`` and a column for each metric.
    criteria : mapping of str to (float, float) or Criterion, optional
        The range of each criterion, or its full definition. For others, any score is valid, and higher is better.
    name : str, default "corpus"
        Its name in results.
    source_format : str, default "table"
        How to read the judgments, as messages propose it:
        ``'table(judges=["Anna", "Ben"])'``, ``'table(labels=["poor=1", "good=4"])'``.

    Returns
    -------
    Corpus
        Its texts and judgments; `warnings` are probable mistakes, and `notes` other peculiarities.

    Raises
    ------
    UsageError
        If an argument is not such a table or list, or numbers of segments differ; the message names it.
    CorpusError
        If rows are wrong; the message lists every error with its row, counted from 1.

    Examples
    --------
    >>> scores = [("A", 4), ("B", 2)]
    >>> rows = [{"segment": 1, "system": name, "judge": "ann", "fluency": score} for name, score in scores]
    >>> texts = {"A": ["the cat sat"], "B": ["cat the sit"]}
    >>> corpus(rows, outputs=texts, references=["the cat sat"], criteria={"fluency": (1, 5)})
    Corpus('corpus', 2 systems, 1 segments, 1 reference, 2 judgments)
    """
    from metaeval.corpora.from_python import make_corpus

    given = {"outputs": outputs, "references": references, "sources": sources, "scores": scores}
    made = make_corpus(judgments, **given, criteria=criteria, name=name, source_format=source_format)
    warn(made.warnings, stacklevel=2)
    return made


def describe_corpus(corpus: "Corpus") -> "tuple[dict[str, str], list[CriterionRow]]":
    """Return the facts of a corpus, and a row for each of its criteria.

    Parameters
    ----------
    corpus : Corpus
        What :func:`load_corpus` gives.

    Returns
    -------
    facts : dict of str to str
        Name, systems, segments, references, judgments and whatever else is known of it.
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
    from metaeval.datamodel.corpus import Corpus

    if not isinstance(corpus, Corpus):
        raise UsageError(f"`corpus` must be a Corpus, as load_corpus gives it; got {shown(corpus)}.")
    return describe.facts(corpus), describe.criteria(corpus)
