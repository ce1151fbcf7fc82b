"""Import the modules of users: from a file with what lies beside it, or from an installed package.

The modules that a file imports from its own folder are its own: they stand in `sys.modules`, and their folder on
`sys.path`, only while the file is imported or something of it is called. So two files in different folders can each
have a `helpers.py`, and one that was changed is imported again.
"""

from __future__ import annotations

import ast
import contextlib
import hashlib
import importlib
import importlib.util
import itertools
import os
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType

from metaeval.errors import MetricError
from metaeval.metrics.naming import Target
from metaeval.runtime.files import file_digest
from metaeval.user_code.running import LOCK, StderrWriter, errors_named, stdout_on_stderr

_DIGITS = 8
# How the names begin that files of users have in `sys.modules`.
_PREFIX = "metaeval_plugin_"
_SUFFIXES = (".py", ".so", ".pyd")
_OURS = frozenset({"metaeval", "__main__"})
# Modules that a file shares with the rest of the process, whatever lies beside it.
_SHARED = _OURS | sys.stdlib_module_names


class Surroundings:
    """What belongs to a file of a user while it runs: its folder on the path, and the modules imported from there.

    Parameters
    ----------
    folder : str
        "" for an installed package, which needs nothing.
    """

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self.modules: dict[str, ModuleType] = {}
        self._names = _module_names(folder) if folder else set[str]()
        self._added: list[str] = []  # what the file itself has put on the path
        self._is_active = False

    @contextlib.contextmanager
    def active(self) -> Iterator[None]:
        """Have the folder on `sys.path` and its modules in `sys.modules` inside the block."""
        if not self.folder or self._is_active:
            yield
            return
        path, writes_no_bytecode = list(sys.path), sys.dont_write_bytecode
        hidden = self._hide()
        sys.modules.update(self.modules)
        last = next(reversed(sys.modules))
        sys.path[:] = [self.folder, *path, *self._added]
        sys.dont_write_bytecode = self._is_active = True
        try:
            yield
        finally:
            self._is_active, sys.dont_write_bytecode = False, writes_no_bytecode
            self._added = [entry for entry in sys.path if entry not in (self.folder, *path)]
            sys.path[:] = path
            new = list(itertools.takewhile(lambda name: name != last, reversed(sys.modules)))
            self.modules |= {name: sys.modules[name] for name in new if self._has(name)}
            for name in self.modules:
                sys.modules.pop(name, None)
            sys.modules.update(hidden)

    def _hide(self) -> dict[str, ModuleType]:
        """Take modules out of `sys.modules` that have the names of those in the folder, and return them."""
        hidden = dict[str, ModuleType]()
        for name in [one for one in self._names if one in sys.modules]:
            names = [one for one in list(sys.modules) if one == name or one.startswith(f"{name}.")]
            hidden |= {one: sys.modules.pop(one) for one in names}
        return hidden

    def _has(self, name: str) -> bool:
        """Return whether a module was imported from the folder."""
        if name.partition(".")[0] in _OURS or name.startswith(_PREFIX):
            return False
        module = sys.modules[name]
        file = getattr(module, "__file__", None)
        places = [file] if isinstance(file, str) else [str(one) for one in getattr(module, "__path__", ())]
        inside = [place for place in map(os.path.abspath, places) if place.startswith(self.folder + os.sep)]
        return any("site-packages" not in place[len(self.folder) :] for place in inside)


def _module_names(folder: str) -> set[str]:
    """Return the names of the modules and packages that lie in a folder."""
    found = set()
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            stem, dot, _ = entry.name.partition(".")
            if (dot and entry.name.endswith(_SUFFIXES)) or os.path.isfile(os.path.join(entry.path, "__init__.py")):
                found.add(stem)
    return found - _SHARED


@dataclass
class Imported:
    """A module of a user, and the files that it is made of.

    Attributes
    ----------
    module : ModuleType
    surroundings : Surroundings
    digests : mapping of str to str
        Of its file and of the files in the same folder that it imports, by path.
    output : StderrWriter
        What it has printed while it was imported.
    """

    module: ModuleType
    surroundings: Surroundings
    digests: Mapping[str, str]
    output: StderrWriter
    _later: dict[str, str] = field(default_factory=dict)

    @property
    def is_current(self) -> bool:
        """Whether no file has changed since it was imported."""
        for module in list(self.surroundings.modules.values()):
            file = getattr(module, "__file__", None)
            if isinstance(file, str) and file not in self.digests and file not in self._later:
                self._later |= digests_of([file])  # it was imported when something of the file was called
        known = {**self._later, **self.digests}
        return known == digests_of(known)

    @property
    def digest(self) -> str:
        """SHA-256 of the file, or of the list of all files if there are several."""
        if len(self.digests) == 1:
            return next(iter(self.digests.values()))
        lines = (f"{Path(file).name}\t{digest}\n" for file, digest in self.digests.items())
        return hashlib.sha256("".join(lines).encode()).hexdigest()


# The modules that were imported last, by file or name.
_IMPORTED: dict[str, Imported] = {}


def imported(target: Target, subject: str) -> Imported:
    """Return the module of a user's object; it is imported again if one of its files has changed.

    Parameters
    ----------
    target : Target
        Where the object is.
    subject : str
        What messages begin with.

    Raises
    ------
    MetricError
        If its code fails, or an installed package has changed.
    """
    key = target.file or target.module
    with LOCK:
        known = _IMPORTED.get(key)
        if known is not None and known.is_current:
            return known
        where = f"{subject}: {target.place}: loading it"
        if known is not None and not target.file:
            raise MetricError(f"{where}: it has changed since it was imported; start Python again.")
        output, surroundings = StderrWriter(), Surroundings(os.path.dirname(target.file))
        with errors_named(where), stdout_on_stderr(output), surroundings.active():
            module = _import_file(target.file) if target.file else importlib.import_module(target.module)
        file = target.file or str(getattr(module, "__file__", None) or "")
        files = [file] if file else []
        if target.file:
            files += sorted(_files_beside(file, surroundings) - {file})
        if known is not None and sys.modules.get(known.module.__name__) is known.module:
            del sys.modules[known.module.__name__]  # nobody needs what it held, such as a model
        _IMPORTED[key] = Imported(module, surroundings, digests_of(files), output)
        return _IMPORTED[key]


def imported_before(target: Target, subject: str, digest: str) -> Imported:
    """Return the module of an object that was named before; errors as :func:`imported`.

    Raises
    ------
    MetricError
        If its files have changed since.
    """
    if target.file and not os.path.exists(target.file):
        raise MetricError(f"{subject}: the file {target.place} is no longer there.")
    found = imported(target, subject)
    if found.digest != digest:
        raise MetricError(f"{subject}: {target.place} has changed since the {target.use} was named.")
    return found


def origin(target: Target, digest: str) -> tuple[tuple[str, str], ...]:
    """Return what a signature says of where code is from: an installed package, and a digest of the files."""
    # The other modules of a package are not in the digest, so its version must stand for them.
    package = () if target.file else (("package", target.place.replace(" ", "-")),)
    return (*package, ("file", digest[:_DIGITS]))


def _import_file(file: str) -> ModuleType:
    content = Path(file).read_bytes()
    digest = hashlib.sha256(os.path.abspath(file).encode("utf-8", "surrogateescape") + b"\0" + content)
    # A name that no other module has, whatever the file is called.
    name = f"{_PREFIX}{Path(file).stem}_{digest.hexdigest()[:16]}"
    spec = importlib.util.spec_from_file_location(name, file)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    importlib.invalidate_caches()
    sys.modules[name] = module  # dataclasses look their module up
    try:
        exec(compile(content, file, "exec", dont_inherit=True), vars(module))  # a .pyc may be of what was there
    except BaseException:
        sys.modules.pop(name, None)
        raise
    return module


def digests_of(files: Iterable[str]) -> dict[str, str]:
    """Return the SHA-256 of each file; "" where it cannot be read."""
    found = {}
    for file in files:
        try:
            found[file] = file_digest(Path(file))
        except OSError:
            found[file] = ""
    return found


def _files_beside(file: str, surroundings: Surroundings) -> set[str]:
    """Return the files in the folder of a file that it imports, now or later, itself or through others."""
    loaded = {str(one) for module in surroundings.modules.values() if (one := getattr(module, "__file__", None))}
    found, waiting = set[str](), [file, *(one for one in loaded if one.endswith(".py"))]
    while waiting:
        one = waiting.pop()
        if one not in found:
            found.add(one)
            waiting += _imports_beside(one, surroundings.folder)
    return found


def _imports_beside(file: str, folder: str) -> Sequence[str]:
    """Return the files in a folder that a file imports, also inside functions."""
    try:
        tree = ast.parse(Path(file).read_bytes())
    except (OSError, SyntaxError, ValueError):
        return []
    names = list[tuple[str, str]]()  # a folder and a dotted name
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names += [(folder, alias.name) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            start = os.path.normpath(os.path.join(file, *[".."] * node.level)) if node.level else folder
            stem = f"{node.module}." if node.module else ""
            names += [(start, f"{stem}{alias.name}") for alias in node.names]
    found = []
    for start, name in names:
        parts = name.split(".")
        if start.startswith(folder) and parts[0] not in _SHARED:
            stems = [os.path.join(start, *parts[:end]) for end in range(1, len(parts) + 1)]
            places = [place for stem in stems for place in (f"{stem}.py", os.path.join(stem, "__init__.py"))]
            found += [place for place in places if os.path.isfile(place)]
    return found
