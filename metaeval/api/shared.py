"""The arguments that several verbs take, each declared once."""

import dataclasses
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, Protocol, TypeVar

from metaeval.api.verbs import Argument
from metaeval.config.schema import Experiment
from metaeval.errors import warn
from metaeval.runtime.byte_sizes import memory_size
from metaeval.runtime.progress import Progress

if TYPE_CHECKING:
    from metaeval.report.results import Run
    from metaeval.runtime.parallel import Executor

Names = str | Iterable[str]
Texts = Sequence[str | None]
Paths = str | Path | Iterable[str | Path]


class HasNotes(Protocol):
    """A result with something to say beside its numbers."""

    @property
    def notes(self) -> Sequence[str]:
        """Warnings about its numbers, and failures."""


class Frame(Protocol):
    """A table of pandas, polars or Arrow."""

    @property
    def columns(self) -> Any:
        """Its columns, or their names."""


def setting(key: str, *given: Any, **others: Any) -> Argument:
    """Return the declaration of an argument that is a key of a config: its doc, choices and minimum are the key's.

    Parameters
    ----------
    key : str
        Such as ``uncertainty.n_resamples``.
    *given, **others
        What else there is to say, as for :class:`Argument`.
    """
    *tables, name = key.split(".")
    cls: Any = Experiment
    for table in tables:
        cls = _field(cls, table).default_factory
    facts = _field(cls, name).metadata
    declared = {"doc": facts["doc"], "choices": tuple(facts["choices"] or ()), "minimum": facts["minimum"]}
    return Argument(*given, **{**declared, **others})


def _field(cls: Any, name: str) -> Any:
    return next(field for field in dataclasses.fields(cls) if field.name == name)


_FILTER = (
    "which systems, documents and segments take part, all unless given, as in [filter] of a config: without=NAME,NAME, "
    "where.domain=news, humans=refB, 'outliers=mad(threshold=3)'"
)
Filter = Annotated[Names | Mapping[str, Any], Argument("KEY=VALUE", doc=_FILTER, repeated=True)]
_CORPUS_BY_NAME = "by name (`metaeval corpus list` shows the names) or directory"
_CORPUS_AS_OBJECT = "; in Python also a Corpus, or a table that `metaeval.corpus` takes"
Corpora = Annotated[
    Paths | object, Argument("NAME|DIR", "--corpus", "corpora paths", f"corpora, {_CORPUS_BY_NAME}{_CORPUS_AS_OBJECT}")
]
_SOURCES = (
    "a corpus by name, which is made when it is first used if it is simulated; or files, directories or archives in a "
    "known format, which are read into one corpus"
)
Sources = Annotated[Paths, Argument("NAME|SOURCE", complete="corpora paths", doc=_SOURCES)]
NewDirectory = Annotated[
    str | Path, Argument("DIR", complete="directories", doc="a directory that does not exist yet, or is empty")
]
_FORMATS = setting("source_formats", "FORMAT", "--source-format", "formats", repeated=True)
Formats = Annotated[Names, _FORMATS]
_METRICS = (
    "metrics by name (`metaeval metrics list` shows them), with parameters: gtm(exponent=2); or your own, such as "
    "my_metric.py:name, a path from the current directory"
)
Metrics = Annotated[Names | object, Argument("METRIC", "-m --metric", "metrics own_metrics", _METRICS)]
Criteria = Annotated[Names, setting("criteria", "NAME", "--criterion", "criteria")]
Judges = Annotated[Names, setting("judgments.judges", "NAME", complete="judge_groups")]
Require = Annotated[Literal["all", "any"] | None, setting("judgments.require")]
MetricOver = Annotated[Literal["all", "judged"] | None, setting("judgments.metric_over")]
Preprocessing = Annotated[str, setting("preprocessing", "NAME", complete="preprocessing")]
_LABELS = (
    "name of a metric, criterion, corpus or system in tables, figures and report, such as 'gtm(exponent=1)=F, e=1'; "
    "or a TOML file of labels; by default metrics have their usual names, such as BLEU-1"
)
Labels = Annotated[Names | Mapping[str, str], Argument("NAME=LABEL", "--label", doc=_LABELS, repeated=True)]
_TOKENS = (
    "how texts are split into tokens: 13a, intl, rouge-1.5.5, ...; none, at white space, for tokenized texts; or your "
    "own, my_file.py:name"
)
Tokenizer = Annotated[str, Argument("NAME", "--tokenize", "tokenizers own_metrics", _TOKENS)]
Lowercase = Annotated[bool, Argument(doc="lower-case everything")]
Stem = Annotated[bool, Argument(doc="lower-case, and stem with Porter's algorithm", choices=("porter",))]
Seed = Annotated[int, setting("seed")]
Jobs = Annotated[int, Argument(doc="worker processes; the results are the same bits for any number", minimum=1)]
_SCHEDULER = (
    "address of a dask scheduler, such as `tcp://10.0.0.1:8786`, whose workers do the long computations (pip install "
    "'metaeval[dask]'); the results are the same bits; by default processes on this machine do them"
)
Scheduler = Annotated[str | None, Argument("ADDRESS", doc=_SCHEDULER)]
_MEMORY = (
    "approximate limit of memory beyond the corpus and its statistics, such as 4G or 512M; larger computations are "
    "done in parts, and the results are the same bits for any size"
)
Memory = Annotated[str, Argument("SIZE", doc=_MEMORY)]
_PROGRESS_DOC = "called with a :class:`Step` at the beginning of each stage and as its work is done; `print` shows them"
Steps = Annotated[Progress, Argument(doc=_PROGRESS_DOC)]
OneRun = Annotated["str | Path | Run", Argument("RUN", complete="directories", doc="the directory of a run")]


@contextmanager
def executor_of(jobs: int, memory: str, scheduler: str | None) -> Iterator["Executor"]:
    """Yield the executor of an experiment's calls, here or on a cluster of dask."""
    from metaeval.runtime.parallel import Executor, configured_jobs, dask_cluster

    with dask_cluster(scheduler) as cluster:
        yield Executor(configured_jobs(jobs), memory_size("memory", memory), cluster)


Result = TypeVar("Result", bound=HasNotes)


_WARNED_ONCE: set[str | None] = set()


def with_warnings(result: Result) -> Result:
    """Return the result of a verb, after its notes were made Python warnings of the line that called the verb.

    That compiled kernels are missing is a warning of the first result alone: it is about the installation.
    """
    from metaeval import kernels

    warn([note for note in result.notes if note not in _WARNED_ONCE], stacklevel=4)
    _WARNED_ONCE.update({kernels.missing()}.intersection(result.notes))
    return result
