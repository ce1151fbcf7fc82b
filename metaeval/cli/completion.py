"""The verb ``completion``, and what answers the shell when somebody presses Tab."""

import argparse
from pathlib import Path
from typing import Annotated

from metaeval.api.verbs import Argument
from metaeval.cli.command import Call, command

SHELLS = ("bash", "zsh", "fish")

_INSTRUCTIONS = Path(__file__).with_suffix(".txt").read_text(encoding="utf-8")


@command(name="completion", calls="", summary="complete names and options in a shell", epilog=_INSTRUCTIONS)
def completion(call: Call, shell: Annotated[str, Argument("SHELL", choices=SHELLS)]) -> None:
    """Print the code that makes a shell complete what is typed after `metaeval` when Tab is pressed.

    Parameters
    ----------
    shell
        One of bash, zsh and fish.
    """
    from argcomplete.shell_integration import shellcode

    print(shellcode(["metaeval"], shell=shell), end="")


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
