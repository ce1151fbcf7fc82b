"""Verbs of the command line, whose options come from the signatures of two functions.

One is the public verb of the same task, which the command line calls. The other prints what that gives; what the
terminal has beyond the verb, such as ``--format``, are the arguments of the printing function, declared the same way.
If the printing function has a plain parameter of the same name as an argument of the verb, both get the value.
"""

import argparse
import importlib
import inspect
import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Annotated, Any, NamedTuple

from metaeval.api.verbs import Argument, Declared, declared, described
from metaeval.cli.console import shown_progress
from metaeval.cli.parser import Parser

# Calls the public verb, or one that takes the same, with what was typed; what is given to it by name comes beside that.
Call = Callable[..., Any]
Quiet = Annotated[bool, Argument(doc="show no progress and no notes, except on what failed or was left out")]


def printed_as(*forms: str) -> Argument:
    """Return the option ``--format`` of what is printed."""
    return Argument(flags="--format", doc="format of what is printed", choices=forms)


Verbose = Annotated[bool, Argument(doc="show all tables and warnings, and how to read them")]


Form = Annotated[str, printed_as("table", "tsv", "json")]


Methods = Annotated[bool, Argument(doc="also print a paragraph for the methods section of a paper, with references")]


def _quiet(*, quiet: Quiet = False) -> None:
    """Declare the option of every verb that shows progress."""


class Command(NamedTuple):
    """A verb of the command line.

    Attributes
    ----------
    name : str
    calls : str
        The public verb; empty for none.
    help : str
        A phrase for the list of verbs.
    epilog : str
        What stands at the end of its own help, which begins with the docstring of `shows`.
    shows : callable
        Takes a :data:`Call` and its own declared arguments, prints, and returns the exit code; nothing for 0.
    """

    name: str
    calls: str
    help: str
    epilog: str
    shows: Callable[..., int | None]

    def arguments(self) -> dict[str, Declared]:
        """Return the arguments that may be typed; the printing function keeps its own, also those of the verb."""
        own_arguments = declared(self.shows)
        of_verb: dict[str, Declared] = getattr(self._verb, "arguments", {})
        by_name = {name: own_arguments.get(name, argument) for name, argument in of_verb.items()} | own_arguments
        if "progress" in by_name:
            by_name["quiet"] = by_name.pop("quiet", declared(_quiet)["quiet"])
        return {name: argument for name, argument in by_name.items() if not argument.is_listener}

    @property
    def _verb(self) -> Any:
        return getattr(importlib.import_module("metaeval.api"), self.calls) if self.calls else None

    def add(self, verbs: Any, typed: str | None) -> None:
        """Add it to the verbs of a parser; its options only if it may have been typed, or nothing is known of that."""
        description = described(self.shows)
        parser = verbs.add_parser(self.name, help=self.help, description=description, epilog=self.epilog)
        parser.set_defaults(command=self)
        if typed is None or self.name in typed:
            # The corpus comes first, wherever Python has it.
            for argument in sorted(self.arguments().values(), key=lambda argument: "--corpus" not in argument.flags):
                _add_option(parser, argument)

    def run(self, options: argparse.Namespace) -> int:
        """Call the verb, print what it gives, and return the exit code."""
        typed = {name: argument for name, argument in self.arguments().items() if hasattr(options, name)}
        # An option that can only be on is on where it is typed, with a word (`--stem porter`) or without.
        given = {name: argument.kinds == {bool} or getattr(options, name) for name, argument in typed.items()}
        shown = {name: given[name] for name in inspect.signature(self.shows).parameters if name in given}
        verb = self._verb
        arguments = getattr(verb, "arguments", {})
        to_verb = {name: value for name, value in given.items() if name in arguments.keys() - declared(self.shows)}

        def call(**more: Any) -> Any:
            if "progress" not in arguments:
                return verb(**to_verb, **more)
            with shown_progress(quiet=given.get("quiet", False)) as progress:
                return verb(**to_verb, **more, progress=progress)

        return self.shows(call, **shown) or 0


def command(
    *, name: str, calls: str, summary: str, examples: Sequence[str] = (), epilog: str = ""
) -> Callable[[Callable[..., int | None]], Command]:
    """Make a printing function a verb of the command line.

    Parameters
    ----------
    name : str
    calls : str
        The public verb that it calls; "" for none.
    summary : str
        A phrase for the list of verbs.
    examples : sequence of str
        Commands, each of which works as it stands.
    epilog : str
        Instead of examples.
    """
    title = "example" if len(examples) == 1 else "examples"
    end = epilog or "\n".join([f"{title}:", *(f"  {example}" for example in examples)])
    return lambda shows: Command(name, calls, summary, end, shows)


class Group(NamedTuple):
    """Verbs under one word, such as ``corpus list`` and ``corpus show``; the fields are those of a command."""

    name: str
    help: str
    description: str
    commands: tuple[Command, ...]

    def add(self, verbs: Any, typed: str | None) -> None:
        """Add it to the verbs of a parser."""
        parser: Parser = verbs.add_parser(self.name, help=self.help, description=self.description)
        parser.set_defaults(group=parser)
        inner = parser.add_subparsers(title="verbs", metavar="VERB")
        for command in self.commands:
            command.add(inner, typed)


def _add_option(parser: argparse.ArgumentParser, declared_argument: Declared) -> None:
    """Add an argument to a parser. What is not typed is not there afterwards, so that the default is the verb's."""
    argument = declared_argument.argument
    kinds = declared_argument.kinds
    settings: dict[str, Any] = {"default": argparse.SUPPRESS, "help": _help(declared_argument)}
    if bool in kinds and not argument.choices:
        settings["action"] = "store_true"
    else:
        numbers = {int: ("N", partial(whole, least=argument.minimum)), float: ("X", number)}
        metavar, settings["type"] = next(
            (numbers[kind] for kind in numbers if kind in kinds and str not in kinds), (None, None)
        )
        settings |= {"choices": argument.choices or None, "metavar": argument.metavar or metavar}
    if declared_argument.flags:
        settings |= {"dest": declared_argument.name, "required": declared_argument.is_required}
        if declared_argument.many:
            settings |= {"action": "append"} if argument.repeated else {"action": "extend", "nargs": "+"}
    elif declared_argument.many:
        settings["nargs"] = "+" if declared_argument.is_required else "*"
    elif not declared_argument.is_required:
        settings["nargs"] = "?"
    action = parser.add_argument(*(declared_argument.flags or [declared_argument.name]), **settings)
    if argument.complete:
        action.completer = partial(_complete, argument.complete)  # type: ignore[attr-defined]


def _help(declared_argument: Declared) -> str:
    words = declared_argument.doc
    if declared_argument.argument.repeated:
        words += "; may be repeated"
    # Some words say it already, where no value would.
    has_default = isinstance(declared_argument.default, str | int | float) and declared_argument.default not in (
        False,
        "",
    )
    if has_default and "unless given" not in declared_argument.doc:
        words += f" (default: {declared_argument.default})"
    return words.replace("%", "%%")


def _complete(lists: str, prefix: str, parsed_args: argparse.Namespace, **_: object) -> list[str]:
    """Return the words that a shell offers, for argcomplete."""
    from metaeval.cli import completers

    return completers.offered(lists, prefix, parsed_args)


def whole(text: str, least: float | None = None) -> int:
    """Return a whole number, as the type of an option.

    Parameters
    ----------
    text : str
    least : float, optional
        The smallest that is allowed.
    """
    try:
        value = int(text) if text.isascii() else None
    except ValueError:
        value = None
    if value is None or (least is not None and value < least):
        beyond = "" if least is None else f" from {least} on"
        raise argparse.ArgumentTypeError(f"must be a whole number{beyond}; got {text!r}")
    return value


def number(text: str) -> float:
    """Return a number, whole where it is written so, as the type of an option."""
    try:
        value = int(text) if text.isascii() and text.isdigit() else float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise argparse.ArgumentTypeError(f"must be a number; got {text!r}")
    return value
