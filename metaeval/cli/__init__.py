"""The command line: the public verbs, parsing and printing only, a file for each verb or group of verbs.

Results go to stdout, progress and messages to stderr. Exit code 0: done; 1: failed; 2: wrong usage; 3: bad data.
Nothing heavy is imported before it is needed, so that help is there at once.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from metaeval.cli import agreement, cite, compare, corpus, diff, export, grid, metrics, report, run, score
from metaeval.errors import MetaevalError
from metaeval.version import VERSION

_FIRST_STEPS = """\
first steps:
  metaeval run turian2003-chinese           re-run an experiment on the corpus that ships; figures in runs/
  metaeval compare --corpus demo -m bleu ter  which metric agrees better with people?
  metaeval corpus check DIR                 is my corpus in order?
  metaeval metrics list                     which metrics are there?
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code.

    Parameters
    ----------
    arguments : sequence of str, optional
        Those of the process if none are given.
    """
    parser = _parser()
    options = parser.parse_args(arguments)
    if not hasattr(options, "verb_function"):
        (getattr(options, "group_parser", None) or parser).print_help()
        return 0
    try:
        code: int = options.verb_function(options)
        sys.stdout.flush()
    except MetaevalError as error:
        print(f"metaeval: {error}", file=sys.stderr)
        return error.exit_code
    except BrokenPipeError:
        # The reader of our output has left, as `head` does.
        sys.stderr.close()
        return 0
    except MemoryError as error:
        print(f"metaeval: out of memory: {error}; fewer replicates or documents need less", file=sys.stderr)
        return 1
    except OSError as error:
        print(f"metaeval: {type(error).__name__}: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("metaeval: interrupted", file=sys.stderr)
        return 1
    return code


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="metaeval",
        description="Measures how good evaluation metrics are: how well they agree with people.",
        epilog=_FIRST_STEPS,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"metaeval {VERSION}")
    verbs = parser.add_subparsers(title="verbs", metavar="VERB")
    for verb in (run, compare, score, grid, agreement, corpus, metrics, report, diff, export, cite):
        verb.add(verbs)
    return parser
