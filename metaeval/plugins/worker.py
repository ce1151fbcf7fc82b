"""The process in which the functions of plug-ins run: it loads one object, tells what it is, and scores with it.

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
from collections.abc import Iterator, Sequence, Set
from types import ModuleType
from typing import Any

ONE, MANY = ("candidate", "references", "source"), ("candidates", "references", "sources")


class Refused(Exception):
    """Raised when an object is no metric, or gave no score; the text says why."""


class Counting(io.TextIOBase):
    """Stands for stdout: writes to stderr and counts the characters."""

    printed = 0

    def write(self, text: str) -> int:
        """Write to stderr."""
        self.printed += len(text)
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
    with open(file, "rb") as content:
        digest = hashlib.sha256(os.path.abspath(file).encode("utf-8", "surrogateescape") + b"\0" + content.read())
    # A name that no other module has, whatever the file is called.
    name = f"metaeval_plugin_{os.path.splitext(os.path.basename(file))[0]}_{digest.hexdigest()[:16]}"
    if name in sys.modules:
        return sys.modules[name]
    spec = importlib.util.spec_from_file_location(name, file)
    assert spec is not None
    assert spec.loader is not None
    loaded = importlib.util.module_from_spec(spec)
    sys.modules[name] = loaded  # dataclasses look their module up
    try:
        spec.loader.exec_module(loaded)
    except BaseException:
        del sys.modules[name]
        raise
    return loaded


def find_object(module: ModuleType, name: str) -> Any:
    """Return the object of a dotted name in a module.

    Raises
    ------
    Refused
        If there is none.
    """
    found: Any = module
    for part in name.split("."):
        if not hasattr(found, part):
            known = ", ".join(metrics_in(module)) or "nothing that could be a metric"
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
            f"{(item if inspect.isclass(item) else type(item)).__name__!r}, which is no metric: it needs the methods "
            "of metaeval.metrics.contract.Metric or of metaeval.metrics.text_metric.TextMetric, or must be a function"
        )
    names = inspect.signature(item).parameters
    if MANY[0] in names:
        return "batch"
    if ONE[0] in names:
        return "segment"
    raise Refused(
        "it must be a function with the parameters candidate, references and, if it needs it, source; or candidates, "
        f"references and sources for all segments of a system at once; it has ({', '.join(names)})"
    )


def describe(item: Any) -> dict[str, Any]:
    """Return what there is to know of an object; more of functions, which run here."""
    kind = kind_of(item)
    if kind not in ("segment", "batch"):
        return {"kind": kind}
    parameters = inspect.signature(item).parameters
    texts = MANY if kind == "batch" else ONE
    own, required = {}, []
    for name, one in parameters.items():
        if name in texts or one.kind is one.VAR_KEYWORD:
            continue
        if one.kind is one.VAR_POSITIONAL:
            raise Refused(f"it must name its parameters; it has *{name}")
        if one.default is one.empty:
            required.append(name)
        own[name] = "" if one.default is one.empty else _shown(one.default)
    return {
        "kind": kind,
        "references": texts[1] in parameters,
        "source": texts[2] in parameters,
        "source_needed": texts[2] in parameters and parameters[texts[2]].default is inspect.Parameter.empty,
        "parameters": own,
        "required": required,
        "higher_is_better": getattr(item, "higher_is_better", None),
        "title": getattr(item, "title", None),
        "cite": list(_texts(getattr(item, "sources", ()))),
        "told": inspect.getdoc(item) or "",
    }


def _texts(value: Any) -> list[str]:
    return [value] if isinstance(value, str) else [str(one) for one in value]


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
        shown = repr(value)
        raise Refused(f"it gave {shown[:60]}{'...' if len(shown) > 60 else ''}, which is no number")
    number = float(value)
    if not math.isfinite(number):
        raise Refused(f"it gave {number}, which is no finite number")
    return number


def failure(error: BaseException) -> dict[str, str]:
    """Return what to tell of an exception: the last line of its traceback, and the line of the plug-in."""
    if isinstance(error, Refused):
        return {"refused": str(error)}
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if not _is_ours(frame.filename)]
    library = os.path.dirname(os.__file__)
    outside = [frame for frame in own if not frame.filename.startswith((library, "<"))]
    place = ""
    if isinstance(error, SyntaxError) and error.filename:
        place = f"{_relative(error.filename)}:{error.lineno}"
    elif own:
        frame = (outside or own)[-1]
        place = f"{_relative(frame.filename)}:{frame.lineno}"
    last = " ".join(traceback.format_exception_only(error)[-1].split())
    if isinstance(error, SystemExit):
        last = f"it called for the end of the program, SystemExit({error.code!r})"
    return {"error": last[:500], "place": place}


def _is_ours(file: str) -> bool:
    """Return whether a file is one of those that call a plug-in: no line of theirs helps its author."""
    return os.path.dirname(os.path.abspath(file)) == os.path.dirname(os.path.abspath(__file__))


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
        others = set()  # a package is told by its version
    return [os.path.abspath(own), *sorted(others - {os.path.abspath(own), os.path.abspath(__file__)})]


def _file_of(module: Any) -> str | None:
    found = getattr(module, "__file__", None)
    return found if isinstance(found, str) and found.endswith(".py") else None


class Worker:
    """The object of a plug-in, once it is loaded."""

    def __init__(self, out: Counting) -> None:
        self.out = out
        self.item: Any = None

    def answers(self, request: dict[str, Any]) -> Iterator[dict[str, Any]]:
        """Give the answers to a request: one to ``load``, one for each segment to ``score``."""
        if request["do"] == "load":
            yield self._load(request)
            return
        before = self.out.printed
        for answer in self._scores(request):
            yield {**answer, "printed": self.out.printed - before}
            before = self.out.printed

    def _load(self, request: dict[str, Any]) -> dict[str, Any]:
        sys.path[:] = request["path"]
        if request["file"]:
            sys.path.insert(0, os.path.dirname(request["file"]))
        module = load_module(request["file"], request["module"])
        if not request["object"]:
            return {"kind": "nothing", "has": metrics_in(module)}
        self.item = find_object(module, request["object"])
        found = describe(self.item)
        return {**found, "files": imported_files(request["file"], module), "printed": self.out.printed}

    def _scores(self, request: dict[str, Any]) -> Iterator[dict[str, Any]]:
        arguments = ast.literal_eval(request["arguments"])
        names, rows = request["names"], request["rows"]
        if request["many"]:
            columns = dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))
            given = self._call({**arguments, **columns})
            for number in self._sequence(given, len(rows)):
                yield self._number(number)
            return
        for row in rows:
            yield self._number(self._call({**arguments, **dict(zip(names, row, strict=True))}))

    def _number(self, value: Any) -> dict[str, Any]:
        try:
            return {"score": as_number(value)}
        except Refused as error:
            return failure(error)

    def _call(self, values: dict[str, Any]) -> Any:
        first = []
        for name, one in inspect.signature(self.item).parameters.items():
            if one.kind is one.POSITIONAL_ONLY and name in values:
                first.append(values.pop(name))
        return self.item(*first, **values)

    def _sequence(self, given: Any, n: int) -> Sequence[Any]:
        if isinstance(given, Set):
            raise Refused(
                f"it gave {repr(given)[:60]}, a set, which has no order; it must give a list of numbers, one for each "
                f"of {n} segments"
            )
        if isinstance(given, str | bytes | dict) or not hasattr(given, "__iter__"):
            raise Refused(
                f"it gave {repr(given)[:60]} where it must give a list of numbers, one for each of {n} segments"
            )
        found = list(given)
        if len(found) != n:
            raise Refused(f"it gave {len(found)} scores for {n} segments")
        return found


def main() -> None:
    """Answer requests until there are no more."""
    requests = os.fdopen(os.dup(0), "r", encoding="utf-8")
    replies = os.fdopen(os.dup(1), "w", encoding="utf-8")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.dup2(2, 1)  # what compiled code prints
    out = Counting()
    sys.stdout = out
    worker = Worker(out)
    for line in requests:
        answers = worker.answers(json.loads(line))
        while True:
            try:
                answer = next(answers, None)
            except BaseException as error:
                answer = failure(error)
                answers = iter(())
            if answer is None:
                break
            replies.write(json.dumps(answer) + "\n")
            replies.flush()


if __name__ == "__main__":
    main()
