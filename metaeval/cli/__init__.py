# PYTHON_ARGCOMPLETE_OK (bash and zsh look for this where argcomplete serves all commands)
"""The command line: the public verbs, parsing and printing only, a file for each verb or group of verbs.

Results go to stdout, progress and messages to stderr. Exit code 0: done; 1: failed; 2: wrong usage; 3: bad data.
Nothing heavy is imported before it is needed, so that help is there at once.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path

from metaeval.cli import completion, corpus, experiments, metrics, runs, texts
from metaeval.cli.parser import Parser
from metaeval.cli.terminal import for_people, tell_error
from metaeval.errors import MetaevalError
from metaeval.version import VERSION

_DESCRIPTION = "Meta-evaluates MT and NLG metrics against human judgments."

# In the order of the help.
VERBS = (
    experiments.run,
    experiments.compare,
    texts.score,
    texts.grid,
    experiments.agreement,
    corpus.GROUP,
    metrics.GROUP,
    runs.report,
    runs.diff,
    runs.figures,
    runs.export,
    runs.cite,
    completion.completion,
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code.

    Parameters
    ----------
    arguments : sequence of str, optional
        Those of the process if none are given.
    """
    if sys.stderr is None:
        # Messages would be printed to stdout.
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
    if sys.stdout is None:
        tell_error("stdout is closed, so no result can be printed; `> /dev/null` if none is wanted.")
        return 1
    try:
        code = _run(arguments)
        sys.stdout.flush()
    except MetaevalError as error:
        tell_error(str(error))
        return error.exit_code
    except BrokenPipeError:
        # The reader of our output has left, as `head` does.
        sys.stderr.close()
        return 0
    except MemoryError as error:
        told = f" ({error})" if str(error) else ""
        tell_error(f"there is not enough memory{told}; fewer replicates or documents need less.")
        return 1
    except OSError as error:
        tell_error(_told(error))
        return 1
    except KeyboardInterrupt:
        tell_error("interrupted; what was not finished is not kept.")
        return 1
    except Exception as error:
        # What clears up after it may fail in its turn.
        cause: BaseException | None = error
        while cause is not None and "can't start new thread" not in str(cause):
            cause = cause.__context__
        if cause is None:
            raise
        tell_error("no more threads can be started; the system limits threads, processes or memory (`ulimit -a`).")
        return 1
    return code


def _run(arguments: Sequence[str] | None) -> int:
    completes = "_ARGCOMPLETE" in os.environ
    words = [os.environ["COMP_LINE"]] if completes else sys.argv[1:] if arguments is None else arguments
    parser = make_parser(" ".join(words))
    if completes:
        completion.complete(parser)
    options = parser.parse_args(arguments)
    if "command" in options:
        code: int = options.command.run(options)
        return code
    if "group" in options:
        options.group.print_help()
    else:
        # The three uses, each with a first command.
        text = Path(__file__).with_name("first.txt").read_text(encoding="utf-8")
        print(for_people(text, {"^  metaeval.*": "bold"}), end="")
    return 0


def make_parser(typed: str | None = None) -> Parser:
    """Return the parser of all verbs.

    Parameters
    ----------
    typed : str, optional
        What is to be parsed: verbs that do not occur in it get no options.
    """
    parser = Parser(
        prog="metaeval",
        description=_DESCRIPTION,
        epilog="`metaeval` alone shows what to do first; `metaeval VERB --help` shows the\n"
        "options of a verb, with an example.",
    )
    parser.add_argument("--version", action="version", version=f"metaeval {VERSION}")
    verbs = parser.add_subparsers(title="verbs", metavar="VERB")
    for verb in VERBS:
        verb.add(verbs, typed)
    return parser


def _told(error: OSError) -> str:
    """Return what the system said, as a sentence."""
    why = error.strerror or str(error) or type(error).__name__
    if error.filename is None:
        # Of what is open already, the system does not tell which it was.
        return f"stdout or a file cannot be written: {why}."
    return f"{error.filename}: cannot be read or written: {why}."
