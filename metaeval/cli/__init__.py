# PYTHON_ARGCOMPLETE_OK (bash and zsh look for this where argcomplete serves all commands)
"""The command line: the public verbs, parsing and printing only, a file for each verb or group of verbs.

Results go to stdout, progress and messages to stderr. Exit code 0: done; 1: failed; 2: wrong usage; 3: bad data;
129, 130 and 143: ended by SIGHUP, Ctrl-C and SIGTERM.
Nothing heavy is imported before it is needed, so that help is there at once.
"""

from __future__ import annotations

import gc
import os
import signal
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from metaeval.cli import cache, completion, corpus, experiments, metrics, ratings, runs, texts
from metaeval.cli.console import escaped_letters, for_people, tell_error
from metaeval.cli.parser import Parser
from metaeval.errors import MetaevalError, worded_for_terminal
from metaeval.runtime.shutdown import Ended, handled_signals
from metaeval.version import VERSION

_DESCRIPTION = "Meta-evaluates MT and NLG metrics and automatic judges against human judgments."

# In the order of the help.
VERBS = (
    experiments.run,
    experiments.compare,
    texts.score,
    texts.grid,
    experiments.agreement,
    ratings.judge,
    corpus.GROUP,
    metrics.GROUP,
    runs.report,
    runs.diff,
    runs.figures,
    runs.export,
    runs.cite,
    cache.GROUP,
    completion.completion,
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code.

    Parameters
    ----------
    arguments : sequence of str, optional
        Those of the process if none are given.
    """
    # What a run makes stays to its end: to look for cycles in it every few hundred objects takes a tenth of its time.
    gc.set_threshold(200_000, 10, 10)
    if sys.stderr is None:
        # Messages would be printed to stdout.
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
    if sys.stdout is None:
        tell_error("stdout is closed, so no result can be printed; `> /dev/null` if none is wanted.")
        return 1
    try:
        with worded_for_terminal(), escaped_letters(), handled_signals(_report_end):
            code = _run_or_end(arguments)
    except MetaevalError as error:
        tell_error(str(error))
        return error.exit_code
    except BrokenPipeError:
        # The reader of our output has left, as `head` does.
        sys.stderr.close()
        return 0
    except MemoryError as error:
        detail = f" ({error})" if str(error) else ""
        tell_error(f"there is not enough memory{detail}; fewer replicates or documents need less.")
        return 1
    except OSError as error:
        tell_error(_system_sentence(error))
        return 1
    except Exception as error:
        if _cause(error, lambda error_or_cause: "can't start new thread" in str(error_or_cause)) is None:
            raise
        tell_error("no more threads can be started; the system limits threads, processes or memory (`ulimit -a`).")
        return 1
    finally:
        # Ctrl-C while Python itself ends would print a traceback of that.
        if arguments is None and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            signal.signal(signal.SIGINT, signal.SIG_DFL)
    return code


def _run_or_end(arguments: Sequence[str] | None) -> int:
    try:
        code = _run(arguments)
        sys.stdout.flush()
        if arguments is None:
            # Signals are no longer handled while Python ends: it must not look for cycles then, which takes long.
            gc.freeze()
    except BaseException as error:
        cause = _cause(error, lambda error_or_cause: isinstance(error_or_cause, KeyboardInterrupt))
        if cause is None:
            raise
        code = _report_end(cause)
    return code


def _run(arguments: Sequence[str] | None) -> int:
    completes = "_ARGCOMPLETE" in os.environ
    if completes:
        words: Sequence[str] = [os.environ["COMP_LINE"]]
    else:
        words = sys.argv[1:] if arguments is None else arguments
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


def _cause(error: BaseException | None, wanted: Callable[[BaseException], bool]) -> BaseException | None:
    """Return the first of an error and those that it goes back to: what clears up may fail in its turn."""
    while error is not None and not wanted(error):
        error = error.__context__
    return error


def _report_end(error: BaseException) -> int:
    """Print which signal ended the command, and return the exit code."""
    by, code = (f"ended by {error.name}", error.code) if isinstance(error, Ended) else ("interrupted", 130)
    for stream in (sys.stdout, sys.stderr):
        try:
            if stream is sys.stderr:
                tell_error(f"{by}; what was not finished is not kept.")
            stream.flush()
        except OSError:
            # The terminal is gone; Python must not try again to write what is left in the buffer.
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
    return code


def _system_sentence(error: OSError) -> str:
    """Return the message of the system, as a sentence."""
    why = error.strerror or str(error) or type(error).__name__
    if error.filename is None:
        # Of what is open already, the system does not tell which it was.
        return f"stdout or a file cannot be written: {why}."
    return f"{error.filename}: cannot be read or written: {why}."
