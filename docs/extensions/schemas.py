"""Pages of the schema of experiments, of the command line, of the Python interface and of the bibliography."""

from __future__ import annotations

import argparse
import dataclasses
import inspect
import re
import types
import typing
from collections.abc import Callable, Iterator
from typing import Any

from markdown import (
    anchor,
    code,
    contents,
    default,
    docstring,
    escaped,
    limits,
    name_of,
    page,
    restructured,
    sentence,
    table,
    told,
    type_words,
)

import metaeval
from metaeval import cli
from metaeval.bibliography import bibliography
from metaeval.components.registries import COEFFICIENTS, TESTS
from metaeval.components.registry import later
from metaeval.config.schema import Experiment
from metaeval.metrics import get_metric
from metaeval.papers.config import Printed
from metaeval.text.preprocessing import get_preprocessing

# Where the values are explained that a key takes by name.
_NAMES: dict[Callable[..., object], tuple[str, str]] = {
    get_metric: ("metrics", "../metrics/index.md"),
    get_preprocessing: ("preprocessing", "../preprocessing.md"),
    later("metaeval.metrics:get_metric"): ("metrics", "../metrics/index.md"),
    later("metaeval.text.preprocessing:get_preprocessing"): ("preprocessing", "../preprocessing.md"),
    later("metaeval.judgments.normalisation:get_normalisation"): ("normalisations", "../judgments.md#normalisation"),
    COEFFICIENTS.named: ("coefficients", "../coefficients.md"),
    TESTS.named: ("tests", "../tests.md"),
}
# The pages that say what each allowed value means.
_MEANINGS = {
    "documents.kind": "documents",
    "judgments.rule": "judgments",
    "correlation.average_by": "coefficients",
    "correlation.orientation": "coefficients",
    "correlation.undefined": "coefficients",
    "uncertainty.method": "intervals",
    "uncertainty.limits": "intervals",
    "uncertainty.resample": "intervals",
    "tests.correction": "tests",
    "figures.kind": "figures",
}


@dataclasses.dataclass(frozen=True)
class Key:
    """A key of an experiment's config: `name` is dotted, and `parent` the table that it stands in."""

    name: str
    parent: str
    item: dataclasses.Field[Any]
    hint: Any

    @property
    def target(self) -> str:
        """The name of its place on the page."""
        return name_of("key", self.name)


def keys() -> Iterator[Key]:
    """Give every key of the schema, in the order of the code; those of lists of tables are dotted too."""
    for cls in (Experiment, Printed):
        yield from _keys(cls, "")


def _keys(cls: type, parent: str) -> Iterator[Key]:
    hints = typing.get_type_hints(cls)
    for item in dataclasses.fields(cls):
        name = f"{parent}.{item.name}" if parent else item.name
        hint = hints[item.name]
        yield Key(name, parent, item, hint)
        if tables := item.metadata.get("tables"):
            facts = {"doc": item.metadata["doc"], "choices": tuple(tables)}
            yield Key(f"{name}.kind", name, dataclasses.field(metadata=facts), str)
            seen: set[str] = set()
            for kind in tables.values():
                found = [one for one in _keys(kind, name) if one.name not in seen]
                seen |= {one.name for one in found}
                yield from found
            continue
        arguments = typing.get_args(hint)
        inner = hint if dataclasses.is_dataclass(hint) else arguments[0] if arguments else None
        if dataclasses.is_dataclass(inner):
            yield from _keys(typing.cast(type, inner), name)


def _facts(key: Key) -> str:
    choices = [code(f'"{choice}"' if isinstance(choice, str) else repr(choice)) for choice in _choices(key)]
    unless_given = default(key.item, toml=True)
    facts = [type_words(key.hint), unless_given if unless_given == "required" else f"default: {unless_given}"]
    facts += [f"allowed: {', '.join(choices)}"] if choices else []
    facts += filter(None, [limits(key.item)])
    names = _NAMES.get(key.item.metadata.get("check") or key.item.metadata.get("parse"))
    facts += [f"names of [{names[0]}]({names[1]})"] if names else []
    facts += [f"[what each means](../{_MEANINGS[key.name]}.md)"] if key.name in _MEANINGS else []
    return "{.facts}\n" + " · ".join(facts)


def _choices(key: Key) -> tuple[object, ...]:
    return key.item.metadata.get("choices") or ()


def config_pages() -> dict[str, str]:
    """Return a page for each table of a config, and one with the keys at the top and a list of the tables."""
    found = list(keys())
    tables = [key for key in found if any(inner.parent == key.name for inner in found)]
    rows, made = [], {}
    for key in tables:
        written = code(f"[[{key.name}]]" if typing.get_origin(key.hint) is tuple else f"[{key.name}]")
        says, inner = sentence(escaped(key.item.metadata["doc"])), [one for one in found if one.parent == key.name]
        names = ", ".join(f"[{code(one.name.rpartition('.')[2])}]({key.name}.md#{one.target})" for one in inner)
        rows.append([f"[{written}]({key.name}.md)", says, names])
        made |= page(f"config/{key.name}", anchor("key", key.name), f"# {written}", says, *map(_key, inner))
    top = [key for key in found if not key.parent and key not in tables]
    return made | page(
        "config/index",
        "# Keys of an experiment",
        "All keys that a config may have; unknown keys are errors. [Experiments](../../../experiments.md) explains "
        "how they work together. `--set KEY=VALUE` overrides a key with a TOML value.",
        "## Tables",
        table(["table", "what it decides", "keys"], rows),
        "## At the top",
        *map(_key, top),
        anchor("key", "panels"),
        "### `panels`",
        "A part of the experiment with settings of its own: a list of tables `[[panels]]`, each with a `title` and "
        "any key but `seed` and `source` and those of the paper (`claims`, `examples`, `read_as`, `published`). "
        "[More on panels](../../../experiments.md#panels).",
        contents(key.name for key in tables),
    )


def _key(key: Key) -> str:
    head = f"{'##' if key.parent else '###'} {code(key.name)}"
    return "\n\n".join([anchor("key", key.name), head, sentence(escaped(key.item.metadata["doc"])), _facts(key)])


def verbs() -> Iterator[tuple[str, argparse.ArgumentParser]]:
    """Give every verb of the command line as it is typed, with its parser; groups of verbs are left out."""
    yield from _verbs("metaeval", cli.make_parser())


def _verbs(name: str, parser: argparse.ArgumentParser) -> Iterator[tuple[str, argparse.ArgumentParser]]:
    groups = [action for action in parser._actions if isinstance(action, argparse._SubParsersAction)]
    for group in groups:
        for verb, inner in group.choices.items():
            yield from _verbs(f"{name} {verb}", inner)
    if not groups:
        yield name, parser


def command_pages() -> dict[str, str]:
    """Return a page for each verb of the command line, and one that lists them."""
    rows, made = [], {}
    for name, parser in verbs():
        verb = name_of(name.removeprefix("metaeval "))
        usage = re.sub(r"\s+", " ", parser.format_usage().removeprefix("usage: ")).strip()
        options = [[_written(action), escaped(_help(parser, action))] for action in parser._actions if _shown(action)]
        rows.append([f"[{code(name)}]({verb}.md)", escaped((parser.description or "").partition("\n")[0])])
        made |= page(
            f"command-line/{verb}",
            anchor("verb", verb),
            f"# {code(name)}",
            escaped(parser.description or ""),
            f"```text\n{_wrapped(usage)}\n```",
            table(["argument", "meaning"], options) if options else "",
            f"```text\n{parser.epilog.strip()}\n```" if parser.epilog else "",
        )
    return made | page(
        "command-line/index",
        "# Command line",
        "What each verb takes, as `--help` lists it. Results go to standard output, progress and notes to standard "
        "error. Exit code 0: done; 1: failed; 2: wrong usage; 3: bad data.",
        table(["verb", "what it does"], rows),
        contents(path.removeprefix("command-line/").removesuffix(".md") for path in made),
    )


def _wrapped(usage: str) -> str:
    """Return a usage in lines that break between arguments."""
    lines, depth = [""], 0
    for word in usage.split(" "):
        if depth == 0 and len(lines[-1]) + len(word) > 80:
            lines.append("   ")
        lines[-1] += f" {word}" if lines[-1] else word
        depth += word.count("[") - word.count("]")
    return "\n".join(lines)


def _shown(action: argparse.Action) -> bool:
    return not isinstance(action, argparse._HelpAction) and action.help != argparse.SUPPRESS


def _written(action: argparse.Action) -> str:
    value = action.metavar or (
        "{" + ",".join(map(str, action.choices)) + "}" if action.choices else action.dest.upper()
    )
    value = " ".join(value) if isinstance(value, tuple) else str(value)
    many = " ..." if action.nargs in ("+", "*") else ""
    if not action.option_strings:
        return code(value + many)
    takes = "" if action.nargs == 0 else f" {value}{many}"
    return ", ".join(code(f"{option}{takes}") for option in action.option_strings)


def _help(parser: argparse.ArgumentParser, action: argparse.Action) -> str:
    return parser._get_formatter()._expand_help(action) if action.help else ""


_FIRST = [
    "import metaeval",
    """\
result = metaeval.compare(
    "demo",
    ["bleu", "ter"],
    criteria=["adequacy"],
    n_resamples=200,
)""",
    "print(result.tables[0].sentence)",
    '(one, *others) = metaeval.correlate("demo", ["bleu"], criteria=["adequacy"]).estimates',
    "print(one.metric, one.coefficient, round(one.value, 3))",
]


def api_pages() -> dict[str, str]:
    """Return pages of the Python interface: for each verb, record and module, of the errors, and a list of all."""
    exported = {name: getattr(metaeval, name) for name in sorted(metaeval.__all__) if not name.startswith("_")}
    modules = {name: item for name, item in exported.items() if inspect.ismodule(item)}
    exported = {name: item for name, item in exported.items() if name not in modules}
    errors = [name for name, item in exported.items() if isinstance(item, type) and issubclass(item, Exception)]
    classes = [name for name, item in exported.items() if isinstance(item, type) and name not in errors]
    functions = [name for name in exported if name not in {*errors, *classes}]
    unknown = {name for name in functions if not inspect.isroutine(exported[name])}
    assert not unknown, f"metaeval exports {unknown}, for which the reference has no form"
    lists, made = [], {}
    for head, kind, names in (("Verbs", "function", functions), ("Records", "class", classes)):
        rows = []
        for name in names:
            # Some file systems take Corpus and corpus for one.
            file = name_of(name) if kind == "function" else name_of(kind, name)
            rows.append([f"[{code(name)}]({file}.md)", docstring(exported[name]).partition("\n")[0]])
            made |= page(f"python/{file}", anchor(kind, name), f"# {code(name)}", _documented(kind, name))
        lists += [f"## {head}", table(["name", "what it is"], rows)]
    rows = []
    for name, module in modules.items():
        rows.append([f"[{code(name)}]({name_of('module', name)}.md)", docstring(module).partition("\n")[0]])
        made |= _module_page(name, module)
    lists += ["## Modules", table(["name", "what it does"], rows)]
    parts = ["# Errors", "What metaeval raises, each a `MetaevalError`, and the warning that the notes of results are."]
    for name in errors:
        parts += [anchor("class", name), f"## {code(name)}", _documented("error", name)]
    made |= page("python/errors", *parts)
    return made | page(
        "python/index",
        "# Python",
        "All that `import metaeval` exports. The verbs are those of the command line; records tell what was found; "
        "what is raised are its [errors](errors.md).",
        told(_FIRST),
        *lists,
        contents(path.removeprefix("python/").removesuffix(".md") for path in made),
    )


def _module_page(name: str, module: types.ModuleType) -> dict[str, str]:
    """Return the page of a module: what it says of itself, and each of its functions and records."""
    parts = [anchor("module", name), f"# {code(name)}", restructured(f".. automodule:: metaeval.{name}")]
    for member in sorted(module.__all__, key=str.lower):
        item = getattr(module, member)
        parts += [anchor("module", name, member), f"## {code(member)}"]
        if item.__name__ != member:
            parts.append(f"The same function as {code(item.__name__)}.")
        else:
            kind = "class" if isinstance(item, type) else "function"
            parts.append(_documented(kind, member, f"metaeval.{name}"))
    return page(f"python/{name_of('module', name)}", *parts)


def _documented(kind: str, name: str, module: str = "metaeval") -> str:
    directive = {"function": "autofunction", "class": "autoclass", "error": "autoexception"}[kind]
    members = "\n   :members:\n" if kind == "class" else ""
    return restructured(f".. currentmodule:: {module}\n\n.. {directive}:: {name}{members}")


def bibliography_page() -> dict[str, str]:
    """Return the page of the sources that metaeval follows."""
    parts = [
        "# Bibliography",
        (
            "What metrics, tokenizers, tests and experiments follow. `metaeval cite NAME` tells what to cite for an "
            "experiment, a metric or a run, and `--format bibtex` gives entries for BibTeX."
        ),
    ]
    for key, source in sorted(bibliography().items()):
        parts += [anchor("source", key), f"{code(key)}\n: {escaped(str(source))}"]
    return {"bibliography.md": "\n\n".join(parts) + "\n"}
