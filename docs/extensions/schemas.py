"""Pages of the schema of experiments, of the command line, of the Python interface and of the bibliography."""

from __future__ import annotations

import argparse
import dataclasses
import inspect
import re
import typing
from collections.abc import Callable, Iterator
from typing import Any

from markdown import anchor, code, default, escaped, limits, name_of, restructured, sentence, table, told, type_words

import metaeval
from metaeval import cli
from metaeval.bibliography import bibliography
from metaeval.kinds import COEFFICIENTS, TESTS
from metaeval.metrics import get_metric
from metaeval.papers.config import Printed
from metaeval.registry import later
from metaeval.schema import Experiment
from metaeval.text.preprocessing import get_preprocessing

# Where the values are explained that a key takes by name.
_NAMES: dict[Callable[..., object], tuple[str, str]] = {
    get_metric: ("metrics", "metrics/index.md"),
    get_preprocessing: ("preprocessing", "preprocessing.md"),
    later("metaeval.metrics:get_metric"): ("metrics", "metrics/index.md"),
    later("metaeval.text.preprocessing:get_preprocessing"): ("preprocessing", "preprocessing.md"),
    later("metaeval.judgments.normalise:get_normalisation"): ("normalisations", "judgments.md#normalisation"),
    COEFFICIENTS.named: ("coefficients", "coefficients.md"),
    TESTS.named: ("tests", "tests.md"),
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
    return "{.facts}\n" + " · ".join(facts)


def _choices(key: Key) -> tuple[object, ...]:
    return key.item.metadata.get("choices") or ()


def config_page() -> dict[str, str]:
    """Return the page of all keys of an experiment."""
    parts = [
        "# Keys of an experiment",
        (
            "All keys that a config may have; unknown keys are errors. [Experiments](../../experiments.md) explains "
            "how they work together. `--set KEY=VALUE` overrides a key with a TOML value."
        ),
        "## At the top",
    ]
    found = list(keys())
    tables = {key.parent for key in found if key.parent}
    for key in found:
        if not key.parent and key.name not in tables:
            parts += _key(key)
    parts += [
        anchor("key", "panels"),
        "### `panels`",
        (
            "A part of the experiment with settings of its own: a list of tables `[[panels]]`, each with a `title` and "
            "any key but `seed` and `source` and those of the paper (`claims`, `examples`, `read_as`, `published`). "
            "[More on panels](../../experiments.md#panels)."
        ),
    ]
    for key in found:
        if key.name in tables:
            many = typing.get_origin(key.hint) is tuple
            parts += [anchor("key", key.name), f"## {code(f'[[{key.name}]]' if many else f'[{key.name}]')}"]
            parts += [sentence(escaped(key.item.metadata["doc"]))]
            for inner in found:
                if inner.parent == key.name:
                    parts += _key(inner)
    return {"config.md": "\n\n".join(parts) + "\n"}


def _key(key: Key) -> list[str]:
    return [anchor("key", key.name), f"### {code(key.name)}", sentence(escaped(key.item.metadata["doc"])), _facts(key)]


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


def command_page() -> dict[str, str]:
    """Return the page of the command line."""
    parts = [
        "# Command line",
        (
            "What each verb takes, as `--help` tells. Results go to standard output, progress and notes to standard "
            "error. Exit code 0: done; 1: failed; 2: wrong usage; 3: bad data."
        ),
    ]
    for name, parser in verbs():
        verb = name.removeprefix("metaeval ")
        usage = re.sub(r"\s+", " ", parser.format_usage().removeprefix("usage: ")).strip()
        parts += [anchor("verb", verb), f"## {code(name)}", escaped(parser.description or "")]
        parts += [f"```text\n{_wrapped(usage)}\n```"]
        rows = [[_written(action), escaped(_help(parser, action))] for action in parser._actions if _shown(action)]
        parts += [table(["argument", "meaning"], rows)] if rows else []
        if parser.epilog:
            parts += [f"```text\n{parser.epilog.strip()}\n```"]
    return {"command-line.md": "\n\n".join(part for part in parts if part) + "\n"}


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
found = metaeval.compare(
    "demo",
    ["bleu", "ter"],
    criteria=["adequacy"],
    n_resamples=200,
)""",
    "print(found.tables[0].sentence)",
    '(one, *others) = metaeval.correlate("demo", ["bleu"], criteria=["adequacy"]).estimates',
    "print(one.metric, one.coefficient, round(one.value, 3))",
]


def api_page() -> dict[str, str]:
    """Return the page of the Python interface: all that `metaeval` exports."""
    exported = {name: getattr(metaeval, name) for name in metaeval.__all__ if not name.startswith("_")}
    errors = {name for name, item in exported.items() if isinstance(item, type) and issubclass(item, Exception)}
    classes = {name for name, item in exported.items() if isinstance(item, type)} - errors
    functions = set(exported) - errors - classes
    unknown = {name for name in functions if not inspect.isroutine(exported[name])}
    assert not unknown, f"metaeval exports {unknown}, for which the reference has no form"
    parts = [
        "# Python",
        "All that `import metaeval` exports. The verbs are those of the command line; records tell what was found.",
        told(_FIRST),
    ]
    for head, kind, names, directive in (
        ("Verbs", "function", functions, "autofunction"),
        ("Records", "class", classes, "autoclass"),
        ("Errors", "class", errors, "autoexception"),
    ):
        parts += [f"## {head}"]
        for name in sorted(names):
            members = "\n   :members:\n" if directive == "autoclass" else ""
            parts += [anchor(kind, name), f"### {code(name)}"]
            parts += [restructured(f".. currentmodule:: metaeval\n\n.. {directive}:: {name}{members}")]
    return {"python.md": "\n\n".join(parts) + "\n"}


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
