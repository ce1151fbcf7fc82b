"""The verb ``completion``, and what answers the shell when somebody presses the tabulator."""

from __future__ import annotations

import argparse
from typing import Any

SHELLS = ("bash", "zsh", "fish")

_WHERE = """\
where to put it:
  bash   add to ~/.bashrc:             eval "$(metaeval completion bash)"
  zsh    add to ~/.zshrc, after compinit:
                                       eval "$(metaeval completion zsh)"
  fish   write it once:
         metaeval completion fish > ~/.config/fish/completions/metaeval.fish

A new shell then completes verbs, options, files, and the names of configs,
corpora, criteria, metrics, preprocessing and keys of --set.

example:
  metaeval completion bash
"""


def add(verbs: Any) -> None:
    """Add the verb to those there are."""
    verb = verbs.add_parser(
        "completion",
        help="completion of names and options, for a shell",
        description="Prints the code that makes a shell complete what is typed after `metaeval` when the tabulator is "
        "pressed.",
        epilog=_WHERE,
    )
    verb.add_argument("shell", choices=SHELLS, metavar="SHELL", help="bash, zsh or fish")
    verb.set_defaults(verb_function=_completion)


def _completion(options: argparse.Namespace) -> int:
    from argcomplete.shell_integration import shellcode

    print(shellcode(["metaeval"], shell=options.shell), end="")
    return 0


def complete(parser: argparse.ArgumentParser) -> None:
    """Answer the shell, which asks through the environment, and end the process.

    Parameters
    ----------
    parser : ArgumentParser
        Of all verbs.
    """
    import argcomplete
    from argcomplete.completers import SuppressCompleter
    from argcomplete.finders import safe_actions

    # Completers look at what other options have got, such as the corpus.
    safe_actions.add(argparse._ExtendAction)
    argcomplete.autocomplete(parser, always_complete_options="long", default_completer=SuppressCompleter())
