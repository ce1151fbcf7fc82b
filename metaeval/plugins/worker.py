"""The process in which the functions of plug-ins run: it loads one object, describes it, and scores with it.

It is started as a script and imports the standard library alone, so that it is there in some hundredths of a second and
a module of the plug-in never meets one of ours. It reads requests and gives answers as lines of JSON; what the plug-in
prints goes to stderr.
"""

from __future__ import annotations

import ast
import contextlib
import hashlib
import importlib
import importlib.util
import inspect
import io
import json
import math
import numbers
import os
import sys
import traceback
from collections.abc import Callable, Mapping, Sequence, Set
from types import ModuleType
from typing import Any

# What the parameters of a function of one segment are called, and those of a function of all segments at once.
ONE = {
    "candidate": ("candidate", "hyp", "hypothesis", "mt", "translation", "output"),
    "references": ("references", "refs", "reference", "ref"),
    "source": ("source", "src"),
}
MANY = {
    "candidate": ("candidates", "hyps", "hypotheses", "mts", "translations", "outputs"),
    "references": ("references", "refs"),
    "source": ("sources", "srcs"),
}
CALLED = "; ".join(f"{text}: {', '.join(ONE[text])}; of all segments {', '.join(MANY[text])}" for text in ONE)
# A parameter of these names gets one reference, not the list of all.
SINGLE = ("reference", "ref")
# What the attributes of a function may say; None stands for no such attribute.
ATTRIBUTES = {"references": ("mean", "max", "min"), "level": ("segment", "corpus"), "batch": ("system", "all")}
_SAMPLE = 100


class Refused(Exception):
    """Raised when an object is no metric, or gave no score; the text says why."""


class Counting(io.TextIOBase):
    """Stands for stdout: writes to stderr, counts the characters and keeps the first ones."""

    printed = 0
    sample = ""

    def write(self, text: str) -> int:
        """Write to stderr."""
        self.printed += len(text)
        self.sample += text[: _SAMPLE - len(self.sample)]
        return sys.stderr.write(text)

    def flush(self) -> None:
        """Flush stderr."""
        sys.stderr.flush()

    def writable(self) -> bool:
        """Return that it can be written to."""
        return True


def load_module(file: str | None, module: str | None) -> ModuleType:
    """Import a module by its file, whose directory must be on the path, or by its name."""
    if file is None:
        return importlib.import_module(str(module))
    with open(file, "rb") as opened:
        content = opened.read()
    digest = hashlib.sha256(os.path.abspath(file).encode("utf-8", "surrogateescape") + b"\0" + content)
    # A name that no other module has, whatever the file is called.
    name = f"metaeval_plugin_{os.path.splitext(os.path.basename(file))[0]}_{digest.hexdigest()[:16]}"
    if name in sys.modules:
        return sys.modules[name]
    spec = importlib.util.spec_from_file_location(name, file)
    assert spec is not None
    loaded = importlib.util.module_from_spec(spec)
    sys.modules[name] = loaded  # dataclasses look their module up
    try:
        exec(compile(content, file, "exec", dont_inherit=True), vars(loaded))  # Python's cache may be of what was there
    except BaseException:
        del sys.modules[name]
        raise
    return loaded


def find_object(module: ModuleType, name: str, kind: type[Worker] | None = None) -> Any:
    """Return the object of a dotted name in a module; `Refused` is raised if there is none, and names those there are.

    The kind of worker says what there may be: metrics, unless it says otherwise.
    """
    found, kind = module, kind or Worker
    for part in name.split("."):
        if not hasattr(found, part):
            known = ", ".join(kind.known_in(module)) or f"nothing that could be a {kind.noun}"
            raise Refused(f"there is no {name!r} in it; there is {known}")
        found = getattr(found, part)
    return found


def metrics_in(module: ModuleType) -> list[str]:
    """Return the names of all that could be a metric: what the module itself defines."""
    found = []
    for name, item in vars(module).items():
        if name.startswith("_") or inspect.ismodule(item):
            continue
        own = getattr(item, "__module__", None) == module.__name__
        with contextlib.suppress(Refused):
            if kind_of(item) and (own or not (inspect.isclass(item) or inspect.isroutine(item))):
                found.append(name)
    return found


def kind_of(item: Any) -> str:
    """Return what an object is: ``segment``, ``batch``, ``token``, ``text`` or ``sacrebleu``.

    Raises
    ------
    Refused
        If it is no metric.
    """
    sacrebleu = sys.modules.get("sacrebleu.metrics.base")
    if sacrebleu is not None and isinstance(item, sacrebleu.Metric):
        return "sacrebleu"
    if hasattr(item, "statistics") and hasattr(item, "score"):
        return "token"
    if hasattr(item, "measure") and hasattr(item, "score"):
        return "text"
    if inspect.isclass(item) or not callable(item):
        raise Refused(
            f"it is {'the class' if inspect.isclass(item) else 'an object of the class'} "
            f"{(item if inspect.isclass(item) else type(item)).__name__!r}, which is not a metric: write a function "
            "around it, such as `def mine(hyps, refs): return [...]`, or name one of its methods that is one; or give "
            "it the methods of metaeval.metrics.contract.Metric or metaeval.metrics.text_metric.TextMetric"
        )
    parameters = inspect.signature(item).parameters
    if "candidate" in texts_of(parameters, MANY):
        return "batch"
    if "candidate" in texts_of(parameters, ONE):
        return "segment"
    raise Refused(
        "it must be a function with the parameters candidate, references and, if it needs it, source; or candidates, "
        f"references and sources for all segments of a system at once; it has ({', '.join(parameters)}). Write "
        f"`def {getattr(item, '__name__', 'metric')}(candidate, references):`, or other names ({CALLED})"
    )


def texts_of(parameters: Mapping[str, inspect.Parameter], names: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """Return which parameters stand for texts: their names by those of the texts.

    Raises
    ------
    Refused
        If two stand for the same text.
    """
    found = {}
    for text, known in names.items():
        # The first name always does, and then no other. Another with a default is a setting; but sources may be absent.
        free = (inspect.Parameter.empty, *([None] if text == "source" else []))
        others = [name for name in known if name in parameters and any(parameters[name].default is one for one in free)]
        here = [known[0]] if known[0] in parameters else others
        if len(here) > 1:
            raise Refused(f"its parameters {here[0]} and {here[1]} both stand for the {text}; keep one of them")
        if here:
            found[text] = here[0]
    return found


def describe(item: Any) -> dict[str, Any]:
    """Return what there is to know of an object; more of functions, which run here."""
    kind = kind_of(item)
    if kind not in ("segment", "batch"):
        return {"kind": kind}
    parameters = inspect.signature(item).parameters
    texts = texts_of(parameters, MANY if kind == "batch" else ONE)
    own, required = {}, []
    for name, one in parameters.items():
        if name in texts.values() or one.kind is one.VAR_KEYWORD:
            continue
        if one.kind is one.VAR_POSITIONAL:
            raise Refused(f"it must name its parameters; it has *{name}")
        if one.default is one.empty:
            required.append(name)
        own[name] = "" if one.default is one.empty else _shown(one.default)
    source = ""
    if "source" in texts:
        source = "needed" if parameters[texts["source"]].default is inspect.Parameter.empty else "wanted"
    said = {name: _said(item, name) for name in ATTRIBUTES}
    many = (said["level"] == "corpus") + (said["batch"] == "all")
    if many > (kind == "batch"):
        raise Refused(
            'its attributes `level = "corpus"` (one number for a system) and `batch = "all"` (all systems in one call) '
            "exclude each other, and are for a function of all segments at once: def metric(candidates, references)"
        )
    single = texts.get("references") in SINGLE or (kind == "batch" and said["references"] is not None)
    if said["references"] is not None and not (single and "references" in texts):
        raise Refused(
            f"its attribute `references` = {said['references']!r} combines the scores of single references, so it must "
            f"get one: call the parameter `reference` instead of {texts.get('references', 'leaving it out')!r}"
        )
    cite = getattr(item, "sources", ())
    return {
        "kind": kind,
        "texts": texts,
        "references": "references" in texts,
        "single": single,
        "combined": said["references"] or "mean",
        "mean_is_assumed": single and said["references"] is None,
        "whole": said["level"] == "corpus",
        "together": said["batch"] == "all",
        "parallel": getattr(item, "parallel", None) is True,
        "source": source,
        "parameters": own,
        "required": required,
        "higher_is_better": getattr(item, "higher_is_better", None),
        "title": getattr(item, "title", None),
        "cite": [cite] if isinstance(cite, str) else [str(one) for one in cite],
        "told": inspect.getdoc(item) or "",
    }


def _said(item: Any, name: str) -> str | None:
    """Return what an attribute of a function says; what is no text is there for something else."""
    value = getattr(item, name, None)
    if not isinstance(value, str):
        return None
    if value not in ATTRIBUTES[name]:
        allowed = ", ".join(map(repr, ATTRIBUTES[name]))
        raise Refused(f"its attribute `{name}` must be one of {allowed}; got {value!r}")
    return value


def _shown(value: Any) -> str:
    """Return a default as text that is the same in every process."""
    try:
        if ast.literal_eval(repr(value)) == value:
            return repr(value)
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        pass
    return str(getattr(value, "__name__", type(value).__name__))


def as_number(value: Any) -> float:
    """Return a score as a float.

    Raises
    ------
    Refused
        If it is no finite number.
    """
    if getattr(value, "shape", None) == () and hasattr(value, "item"):
        value = value.item()  # numpy's scalars, and those of other libraries of arrays
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        raise Refused(f"it returned {shortened(repr(value))}, which is not a number")
    number = float(value)
    if not math.isfinite(number):
        raise Refused(f"it returned {number}, which is not a finite number")
    return number


def as_sequence(value: Any, n: int) -> Sequence[Any]:
    """Return the scores of `n` segments as a sequence.

    Raises
    ------
    Refused
        If they have no order, or there are more or fewer.
    """
    must = f"a list of numbers, one for each of {n} segments"
    if isinstance(value, Set):
        raise Refused(f"it returned {shortened(repr(value))}, a set, which has no order; it must return {must}")
    if isinstance(value, str | bytes | dict) or not hasattr(value, "__iter__"):
        whole = '; one number for a whole system needs the attribute `level = "corpus"`'
        hint = whole if isinstance(value, numbers.Real) else ""
        raise Refused(f"it returned {shortened(repr(value))} where it must return {must}{hint}")
    found = list(value)
    if len(found) != n:
        raise Refused(f"it returned {len(found)} scores for {n} segments")
    return found


def shortened(text: str, longest: int = 60) -> str:
    """Return the beginning of a text."""
    return text if len(text) <= longest else f"{text[:longest]}..."


def failure(error: BaseException) -> dict[str, str]:
    """Return what there is to say of an exception, without a full stop.

    Under ``refused`` where we raised it, or else under ``error``: the last line of its traceback, and the line of the
    plug-in.
    """
    if isinstance(error, Refused):
        return {"refused": str(error)}
    last = " ".join(traceback.format_exception_only(error)[-1].split())
    if isinstance(error, SystemExit):
        last = f"it called for the end of the program, SystemExit({error.code!r})"
    # The lines that call a plug-in, which stand beside this one, do not help its author.
    ours = os.path.dirname(os.path.abspath(__file__))
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if os.path.dirname(os.path.abspath(frame.filename)) != ours]
    outside = [frame for frame in own if not frame.filename.startswith((os.path.dirname(os.__file__), "<"))]
    places = [(frame.filename, frame.lineno) for frame in outside or own]
    if isinstance(error, SyntaxError) and error.filename:
        places.append((error.filename, error.lineno))
    place = f" ({_relative(places[-1][0])}:{places[-1][1]})" if places else ""
    return {"error": f"{last[:500].rstrip('.')}{place}"}


def _relative(file: str) -> str:
    try:
        relative = os.path.relpath(file)
    except ValueError:  # pragma: no cover - on Windows, a file of another drive
        return file
    return file if relative.startswith("..") else relative


def imported_files(file: str | None, module: ModuleType) -> list[str]:
    """Return the files of a plug-in: its own, and those that it has imported from its directory."""
    own = file or module.__file__
    assert own is not None  # a module without a file has no functions of Python
    folder = os.path.dirname(os.path.abspath(own)) + os.sep
    loaded = {os.path.abspath(str(path)) for one in list(sys.modules.values()) if (path := _file_of(one))}
    others = {path for path in loaded if path.startswith(folder) and "site-packages" not in path[len(folder) :]}
    if file is None:
        others = set()  # a package is identified by its version
    return [os.path.abspath(own), *sorted(others - {os.path.abspath(own), os.path.abspath(__file__)})]


def _file_of(module: Any) -> str | None:
    found = getattr(module, "__file__", None)
    return found if isinstance(found, str) and found.endswith(".py") else None


class Worker:
    """The object of a plug-in, once it is loaded.

    Parameters
    ----------
    out : Counting
        What stands for stdout.
    reply : callable
        Sends an answer.
    """

    noun = "metric"
    known_in = staticmethod(metrics_in)

    def __init__(self, out: Counting, reply: Callable[[dict[str, Any]], None]) -> None:
        self.out, self.reply = out, reply
        self.item: Any = None
        self.kind = ""
        self.whole = False  # whether it gives one number for all segments
        self.texts: dict[str, str] = {}  # what its parameters for texts are called
        self.positional: list[str] = []  # parameters that have no name for who calls it
        self.request: Any = None  # its number
        self.id: Any = None  # of the segment that is being scored
        self.changed = ""

    def serve(self, request: dict[str, Any]) -> None:
        """Answer a request: once if it is to load an object, for each of its rows if it is to score these."""
        self.id, self.request = None, request.pop("request", None)
        try:
            if "rows" in request:
                self._score(ast.literal_eval(request["arguments"]), request["rows"])
            else:
                self._answer(self._load(**request))
        except BaseException as error:
            self._answer(failure(error))

    def _answer(self, answer: dict[str, Any]) -> None:
        seen = {"printed": self.out.printed, "sample": self.out.sample, "changed": self.changed}
        found = {"seen": seen} if any(seen.values()) else {}
        self.reply({"request": self.request, "id": self.id, **answer, **found})

    def _load(self, path: list[str], file: str | None, module: str | None, name: str) -> dict[str, Any]:
        sys.path[:] = path
        if file:
            sys.path.insert(0, os.path.dirname(file))
        loaded = load_module(file, module)
        if not name:
            return {"kind": "nothing", "has": self.known_in(loaded)}
        return {**self.take(find_object(loaded, name, type(self))), "files": imported_files(file, loaded)}

    def take(self, item: Any) -> dict[str, Any]:
        """Take what is to score, and return what there is to know of it."""
        found = describe(item)
        self.item, self.kind = item, found["kind"]
        if self.kind in ("segment", "batch"):
            self.texts, self.whole, kinds = found["texts"], found["whole"], inspect.signature(item).parameters
            self.positional = [name for name, one in kinds.items() if one.kind is one.POSITIONAL_ONLY]
        return found

    def _score(self, arguments: dict[str, Any], rows: list[dict[str, Any]]) -> None:
        if self.kind != "batch":
            for row in rows:
                self.id = row["id"]
                texts = {name: row[text] for text, name in self.texts.items() if text in row}
                self._answer({"score": as_number(self._call(texts, arguments))})
            return
        columns = {name: [row[text] for row in rows] for text, name in self.texts.items() if text in rows[0]}
        found = self._call(columns, arguments)
        scores = [as_number(found)] if self.whole else as_sequence(found, len(rows))
        for row, score in zip(rows, scores, strict=not self.whole):
            self.id = row["id"]
            self._answer({"score": as_number(score)})

    def _call(self, texts: dict[str, Any], arguments: dict[str, Any]) -> Any:
        before = {name: repr(value) for name, value in texts.items()}
        values = {**arguments, **texts}
        found = self.item(*[values.pop(name) for name in self.positional if name in values], **values)
        with contextlib.suppress(Exception):  # whatever it has put there, scoring goes on
            for name, value in texts.items():
                if not self.changed and repr(value) != before[name]:
                    was, now = (shortened(text, _SAMPLE) for text in (before[name], repr(value)))
                    self.changed = f"`{name}` was {was} and is {now}"
        return found


def main(kind: type[Worker] = Worker) -> None:
    """Answer requests until there are no more."""
    requests = os.fdopen(os.dup(0), "r", encoding="utf-8")
    replies = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)  # what compiled code prints
    out = Counting()
    sys.stdout = out

    own = os.getpid()

    def reply(answer: dict[str, Any]) -> None:
        if os.getpid() != own:
            os._exit(0)  # a copy of this process that a plug-in has forked and let return: nobody has asked it
        replies.write(json.dumps(answer) + "\n")
        replies.flush()

    worker = kind(out, reply)
    for line in requests:
        worker.serve(json.loads(line))


if __name__ == "__main__":
    main()
