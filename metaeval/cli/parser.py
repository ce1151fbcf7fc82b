"""Parser of arguments: argparse, with help of 80 columns and errors in sentences."""

from __future__ import annotations

import argparse
import itertools
import os
import re
import shlex
import shutil
import sys
import textwrap
from collections.abc import Sequence
from typing import Any, NoReturn

from metaeval.cli.console import tell_error
from metaeval.errors import unknown

WIDTH = 80

_PLAIN_ERRORS = {"expected one argument": "needs a value", "expected at least one argument": "needs at least one value"}


class _Help(argparse.RawDescriptionHelpFormatter):
    """Help that is no wider than `WIDTH`, however wide the terminal is."""

    def __init__(self, prog: str, **settings: Any) -> None:
        width = min(WIDTH, shutil.get_terminal_size().columns) - 2
        super().__init__(prog, **{"max_help_position": 26, "width": width, **settings})

    def add_argument(self, action: argparse.Action) -> None:
        """Lay out an action; verbs are indented, which argparse forgets when it makes room for them."""
        super().add_argument(action)
        if isinstance(action, argparse._SubParsersAction):
            longest = max(len(name) for name in action.choices)
            self._action_max_length = max(self._action_max_length, longest + 2 * self._indent_increment)


class Parser(argparse.ArgumentParser):
    """A parser whose errors are sentences that suggest what was probably meant, and exit with 2.

    Parameters
    ----------
    description : str
        Paragraphs, which are wrapped.
    **settings
        As for :class:`argparse.ArgumentParser`.
    """

    def __init__(self, *, description: str = "", **settings: Any) -> None:
        paragraphs = [textwrap.fill(paragraph, WIDTH - 2) for paragraph in description.split("\n\n")]
        super().__init__(description="\n\n".join(paragraphs), formatter_class=_Help, allow_abbrev=False, **settings)

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Parse arguments; those that are not known are an error of this parser, which knows the verb."""
        words = list(sys.argv[1:] if args is None else args)
        if self._subparsers is None and "_ARGCOMPLETE" not in os.environ:
            # Before anything that is missing because of it; completion goes on after what is wrong.
            words_before = words[: words.index("--") if "--" in words else None]
            for word in words_before:
                if word.startswith("--") and word.partition("=")[0] not in self._option_string_actions:
                    self._unknown_option(word.partition("=")[0])
            self._refuse_second_values(words_before)
            self._refuse_corpus_without_option(words_before)
        options, others = super().parse_known_args(words, namespace)
        if others:
            if others[0].startswith("-"):
                self._unknown_option(others[0])
            self.error(f"{' '.join(map(repr, others))} is more than it takes")
        return options, others

    def _refuse_second_values(self, words: Sequence[str]) -> None:
        """Refuse a second value of an option that takes one: it would take the place of the first without a word."""
        values: dict[str, str] = {}
        for word, next_word in itertools.zip_longest(words, words[1:], fillvalue=""):
            name, equals, value = word.partition("=")
            action = self._option_string_actions.get(name)
            if not isinstance(action, argparse._StoreAction) or action.nargs is not None:
                continue
            value = value if equals else next_word
            if values.setdefault(action.dest, value) != value:
                self.error(f"{name} takes one value; got {values[action.dest]!r} and {value!r}")

    def _refuse_corpus_without_option(self, words: Sequence[str]) -> None:
        """Refuse words that stand before all options where a corpus is named by one, and say which."""
        corpus = self._option_string_actions.get("--corpus")
        first = list(itertools.takewhile(lambda word: not word.startswith("-"), words))
        takes_words = any(not action.option_strings for action in self._actions)
        if first and corpus is not None and corpus.required and not takes_words:
            metric = self._option_string_actions.get("--metric")
            has_metric = any(word.startswith("--metric") or re.match("-m", word) for word in words)
            metric_too = (
                "" if metric is None or not metric.required or has_metric else ", and a metric by --metric NAME"
            )
            self.error(f"a corpus is named by an option: --corpus {shlex.quote(first[0])}{metric_too}")

    def error(self, message: str) -> NoReturn:
        """Print what is wrong with the arguments as a sentence, and exit with 2."""
        named = re.fullmatch(r"argument (.+?): (.+)", message, re.DOTALL)
        required = re.fullmatch("the following arguments are required: (.+)", message)
        if named:
            words = _PLAIN_ERRORS.get(named[2], named[2])
            message = f"{named[1]} {words.replace('ignored explicit argument', 'takes no value; got')}"
        elif required:
            message = f"{required[1].replace(', ', ' and ')} must be given"
        if message[-1] not in ".?":
            message += "."
        tell_error(message, self.prog)
        self.exit(2, f"Try `{self.prog} --help`.\n")

    def _print_message(self, message: str, file: Any = None) -> None:
        # argparse would say nothing where this fails.
        print(message, end="", file=file or sys.stderr, flush=True)

    def _unknown_option(self, word: str) -> NoReturn:
        known = [name for name in self._option_string_actions if name.startswith("--")]
        if word == "--tokenize" and "--preprocessing" in known:
            self.error(
                f"unknown option {word!r}. A tokenizer is part of the preprocessing: --preprocessing "
                "'case(tokenizer=\"13a\")'."
            )
        self.error(unknown("option", word, known, whole_list=f"`{self.prog} --help`"))

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        # Before 3.12, argparse asks for what stands where nothing was given, too.
        if action.choices is None or value is argparse.SUPPRESS or value in action.choices:
            return
        if isinstance(action, argparse._SubParsersAction):
            self.error(unknown("verb", value, action.choices))
        *others, last = map(str, action.choices)
        allowed = f"{', '.join(others)} or {last}" if others else last
        name = "/".join(action.option_strings) or action.metavar
        self.error(f"{name} must be {allowed}; got {str(value)!r}")
