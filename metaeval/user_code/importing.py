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

# Hexadecimal digits of a digest in signatures.
_DIGEST_DIGITS = 8
# Beginning of the names that files of users have in `sys.modules`.
_MODULE_PREFIX = "metaeval_plugin_"
_MODULE_SUFFIXES = (".py", ".so", ".pyd")
_OUR_MODULES = frozenset({"metaeval", "__main__"})
# Modules that a file shares with the rest of the process, whatever lies beside it.
_SHARED_MODULES = _OUR_MODULES | sys.stdlib_module_names


class Surroundings:
    """The environment of a file of a user: its folder on the path, and the modules imported from there.

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
        path = list(sys.path)
        writes_no_bytecode = sys.dont_write_bytecode
        hidden = self._hide()
        sys.modules.update(self.modules)
        last = next(reversed(sys.modules))
        sys.path[:] = [self.folder, *path, *self._added]
        sys.dont_write_bytecode = self._is_active = True
        try:
            yield
        finally:
            self._is_active = False
            sys.dont_write_bytecode = writes_no_bytecode
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
        for top in [name for name in self._names if name in sys.modules]:
            for name in list(sys.modules):
                if name == top or name.startswith(f"{top}."):
                    hidden[name] = sys.modules.pop(name)
        return hidden

    def _has(self, name: str) -> bool:
        """Return whether a module was imported from the folder."""
        if name.partition(".")[0] in _OUR_MODULES or name.startswith(_MODULE_PREFIX):
            return False
        module = sys.modules[name]
        file = getattr(module, "__file__", None)
        paths = [file] if isinstance(file, str) else [str(entry) for entry in getattr(module, "__path__", ())]
        inside = [path for path in map(os.path.abspath, paths) if path.startswith(self.folder + os.sep)]
        return any("site-packages" not in path[len(self.folder) :] for path in inside)


def _module_names(folder: str) -> set[str]:
    """Return the names of the modules and packages that lie in a folder."""
    names = set()
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            stem, dot, _ = entry.name.partition(".")
            if (dot and entry.name.endswith(_MODULE_SUFFIXES)) or os.path.isfile(
                os.path.join(entry.path, "__init__.py")
            ):
                names.add(stem)
    return names - _SHARED_MODULES


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
        """True if no file has changed since it was imported."""
        for module in list(self.surroundings.modules.values()):
            file = getattr(module, "__file__", None)
            if isinstance(file, str) and file not in self.digests and file not in self._later:
                self._later |= digests_of([file])  # it was imported when something of the file was called
        digests = {**self._later, **self.digests}
        return digests == digests_of(digests)

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
        cached = _IMPORTED.get(key)
        if cached is not None and cached.is_current:
            return cached
        where = f"{subject}: {target.place}: loading it"
        if cached is not None and not target.file:
            raise MetricError(f"{where}: it has changed since it was imported; start Python again.")
        output = StderrWriter()
        surroundings = Surroundings(os.path.dirname(target.file))
        with errors_named(where), stdout_on_stderr(output), surroundings.active():
            module = _import_file(target.file) if target.file else importlib.import_module(target.module)
        file = target.file or str(getattr(module, "__file__", None) or "")
        files = [file] if file else []
        if target.file:
            files += sorted(_files_beside(file, surroundings) - {file})
        if cached is not None and sys.modules.get(cached.module.__name__) is cached.module:
            del sys.modules[cached.module.__name__]  # nobody needs what it held, such as a model
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
    module = imported(target, subject)
    if module.digest != digest:
        raise MetricError(f"{subject}: {target.place} has changed since the {target.use} was named.")
    return module


def origin(target: Target, digest: str) -> tuple[tuple[str, str], ...]:
    """Return the keys of a signature for the origin of code: an installed package, and a digest of the files."""
    # The other modules of a package are not in the digest, so its version must stand for them.
    package = () if target.file else (("package", target.place.replace(" ", "-")),)
    return (*package, ("file", digest[:_DIGEST_DIGITS]))


def _import_file(file: str) -> ModuleType:
    content = Path(file).read_bytes()
    digest = hashlib.sha256(os.path.abspath(file).encode("utf-8", "surrogateescape") + b"\0" + content)
    # A name that no other module has, whatever the file is called.
    name = f"{_MODULE_PREFIX}{Path(file).stem}_{digest.hexdigest()[:16]}"
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
    digests = {}
    for file in files:
        try:
            digests[file] = file_digest(Path(file))
        except OSError:
            digests[file] = ""
    return digests


def _files_beside(file: str, surroundings: Surroundings) -> set[str]:
    """Return the files in the folder of a file that it imports, now or later, itself or through others."""
    loaded = {str(getattr(module, "__file__", None) or "") for module in surroundings.modules.values()}
    files = set[str]()
    waiting = [file, *(path for path in loaded if path.endswith(".py"))]
    while waiting:
        path = waiting.pop()
        if path not in files:
            files.add(path)
            waiting += _imports_beside(path, surroundings.folder)
    return files


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
    files = []
    for start, name in names:
        parts = name.split(".")
        if start.startswith(folder) and parts[0] not in _SHARED_MODULES:
            stems = [os.path.join(start, *parts[:end]) for end in range(1, len(parts) + 1)]
            candidates = [path for stem in stems for path in (f"{stem}.py", os.path.join(stem, "__init__.py"))]
            files += [path for path in candidates if os.path.isfile(path)]
    return files
