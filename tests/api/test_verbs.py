"""Arguments that are declared once: docstrings, checks and options say what the signature says."""

import inspect
import shlex
from pathlib import Path
from typing import Annotated

import pytest

import metaeval
from metaeval import api
from metaeval.api.shared import setting
from metaeval.api.verbs import Argument, verb
from metaeval.cli import VERBS, make_parser
from metaeval.cli.command import Group, command
from metaeval.config.schema import Experiment
from metaeval.errors import UsageError
from metaeval.ratings.agreement.table_report import TABLES as OF_RATINGS
from metaeval.results.agreement import KINDS
from metaeval.runtime.progress import Progress, silent

COMMANDS = [one for item in VERBS for one in (item.commands if isinstance(item, Group) else [item])]
PUBLIC = [name for name in api.__all__ if hasattr(getattr(api, name), "arguments")]
Shared = Annotated[str | Path, Argument("DIR", doc="where it lies, such as `here`")]


@verb
def small(
    place: Shared,
    names: Annotated[str | list[str], Argument("NAME", "-n --name")],
    *,
    count: Annotated[int, Argument(minimum=2)] = 10,
    kind: Annotated[str, Argument(choices=("one", "two"))] = "one",
    share: Annotated[float | None, Argument()] = None,
    progress: Annotated[Progress, Argument(doc="called")] = silent,
    **others: int,
) -> list[object]:
    """Do something small.

    Parameters
    ----------
    names
        Of what it is done to.
        There may be several.
    count
        How often.
    kind
        Which way.
    share : float, optional
        Of all; ``0.5`` is half.
    **others
        The rest.

    Returns
    -------
    list of object
        What it was given.
    """
    return [place, names, count, kind, share, others]


def test_a_docstring_is_completed():
    """By hand: what is shared or can be read from the signature is put in, all else is as written."""
    assert inspect.getdoc(small) == inspect.cleandoc("""Do something small.

    Parameters
    ----------
    place : str or Path
        Where it lies, such as ``here``.
    names : str or list
        Of what it is done to.
        There may be several.
    count : int, default 10
        How often.
    kind : {"one", "two"}, default "one"
        Which way.
    share : float, optional
        Of all; ``0.5`` is half.
    progress : callable, optional
        Called.
    **others
        The rest.

    Returns
    -------
    list of object
        What it was given.
    """)
    assert str(inspect.signature(small)).startswith("(place: str | pathlib.Path, names: str | list[str], *, count: int")


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"count": 1}, "`count` must be at least 2; got 1."),
        ({"count": "3"}, "`count` must be a whole number; got '3'."),
        ({"count": True}, "`count` must be a whole number; got True."),
        ({"kind": 1}, "`kind` must be text; got 1."),
        ({"share": "all"}, "`share` must be a number; got 'all'."),
        ({"progress": 1}, "`progress` must be a function that takes a Step, such as print; got 1."),
    ],
)
def test_what_is_wrong_is_told_before_the_call(given, message):
    with pytest.raises(UsageError) as error:
        small("here", "a", **given)
    assert str(error.value) == message


def test_what_is_right_comes_through_and_what_python_refuses_python_tells():
    assert small("here", ["a"], share=1, more=2) == ["here", ["a"], 10, "one", 1, {"more": 2}]
    with pytest.raises(TypeError, match=r"small\(\) missing 1 required positional argument: 'names'"):
        small("here")


def test_an_argument_that_is_a_key_takes_what_the_schema_says():
    found = setting("uncertainty.resample", "WHAT", repeated=True)
    assert found.choices == ("text", "segments", "documents", "systems", "both")
    assert found.doc.startswith("what intervals and tests generalise to: ")
    assert (found.metavar, found.repeated) == ("WHAT", True)
    assert setting("seed").minimum == 0
    assert setting("seed").doc == Experiment.__dataclass_fields__["seed"].metadata["doc"]


@pytest.mark.parametrize("name", PUBLIC)
def test_every_argument_of_a_public_verb_has_a_meaning(name):
    assert all(one.doc for one in getattr(api, name).arguments.values())


def test_every_public_verb_with_arguments_is_declared():
    plain = {name for name in metaeval.__all__ if inspect.isfunction(getattr(metaeval, name))} - {*PUBLIC}
    assert plain == {"corpus", "describe_corpus", "describe_format", "list_corpora", "list_formats", "list_metrics"}


@pytest.mark.parametrize("one", [one for one in COMMANDS if one.calls], ids=lambda one: one.calls)
def test_every_argument_of_a_verb_can_be_typed(one):
    given = getattr(getattr(api, one.calls), "arguments", {})
    typed = one.arguments()
    assert set(given) - {"progress"} <= set(typed)
    # Scoring shows no progress, but notes.
    assert ("quiet" in typed) == ("progress" in given or one.calls == "score_files")


@pytest.mark.parametrize(
    ("line", "given"),
    [
        ("compare --corpus demo -m bleu ter", {"corpora": ["demo"], "metrics": ["bleu", "ter"]}),
        ("compare --corpus a -m b --corpus c --seed 9", {"corpora": ["a", "c"], "metrics": ["b"], "seed": 9}),
        ("agreement --corpus a --resamples 9 --draws 2", {"corpus": "a", "n_resamples": 9, "n_draws": 2}),
        ("run x --set a=1 --set b=2", {"config": "x", "overrides": ["a=1", "b=2"]}),
        ("export r --length 1 2 --format jsonl", {"run": "r", "lengths": [1, 2], "form": "jsonl"}),
        ("cite", {}),
        ("corpus convert a b c", {"sources": ["a", "b"], "directory": "c"}),
        ("corpus formats", {}),
        ("score -m wer -c a -r b --stem porter --lowercase",
         {"metrics": ["wer"], "candidates": ["a"], "references": ["b"], "stem": "porter", "lowercase": True}),
    ],
)  # fmt: skip
def test_only_what_is_typed_is_handed_on(line, given):
    found = vars(make_parser().parse_args(shlex.split(line)))
    assert {name: value for name, value in found.items() if name not in ("command", "group")} == given


def test_options_are_made_for_verbs_that_are_typed():
    parsers = next(action.choices for action in make_parser("run x")._actions if action.choices)
    assert len(parsers["run"]._actions) > 5
    assert len(parsers["compare"]._actions) == 1  # --help


def test_the_tables_of_agreement_that_can_be_typed_are_those_there_are():
    (agreement,) = (one for one in COMMANDS if one.name == "agreement")
    assert agreement.arguments()["tables"].argument.choices == tuple(dict.fromkeys([*KINDS, *OF_RATINGS]))


def test_what_both_functions_name_is_handed_to_both(monkeypatch, capsys):
    monkeypatch.setattr(api, "small", small, raising=False)

    def shows(call, *, place, form: Annotated[str, Argument(flags="--format")] = "plain"):
        print(place, form, call(kind="two"))
        return 7

    parser = make_parser()
    made = command(name="small", calls="small", summary="words")(shows)
    made.add(parser.add_subparsers() if parser._subparsers is None else parser._subparsers._group_actions[0], None)
    options = parser.parse_args(["small", "here", "--name", "a", "--format", "tsv", "--count", "3", "--quiet"])
    assert options.command.run(options) == 7
    assert capsys.readouterr().out == "here tsv ['here', 'a', 3, 'two', None, {}]\n"
