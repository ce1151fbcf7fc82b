"""Help, and errors of usage in sentences."""

from __future__ import annotations

import argparse
import shlex
import subprocess
import sys

import pytest

from metaeval.cli import main, make_parser
from tests.support.corpus import write

GROUPS = {("corpus",), ("metrics",), ("cache",)}


def verbs(parser=None, path=()):
    """Give each verb and its parser, groups included."""
    for action in (parser or make_parser())._actions:
        if isinstance(action, argparse._SubParsersAction):
            for name, inner in action.choices.items():
                yield (*path, name), inner
                yield from verbs(inner, (*path, name))


ALL = dict(verbs())


@pytest.mark.parametrize("verb", ALL, ids=" ".join)
def test_help_of_every_verb(verb, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setenv("NO_COLOR", "1")
    text = ALL[verb].format_help()
    assert max(map(len, text.splitlines())) <= 80
    assert text.partition("\n\n")[2][0].isupper()  # a sentence says what it does
    if verb not in GROUPS:
        assert f"\n  metaeval {' '.join(verb)}" in text.partition("example")[2]


@pytest.mark.parametrize("verb", [verb for verb in ALL if verb not in GROUPS], ids=" ".join)
def test_every_option_is_told_with_its_default(verb):
    for action in ALL[verb]._actions:
        assert action.help
        silent = action.required or action.nargs == 0 or not action.option_strings
        # An option that does nothing by default says what it does, and no more.
        extra = {"--output", "--set", "--stem", "--corpus"} & set(action.option_strings)
        if not silent and not extra:
            assert any(words in action.help for words in ("(default: ", "unless given", "by default"))


def test_options_stand_in_the_same_order_and_words():
    order = (
        "--corpus -m -c -r --criterion --preprocessing --tokenize --lowercase --stem --level --resamples --confidence"
    )
    order = [*order.split(), "--seed", "--jobs", "--output", "--format", "--quiet"]
    words = {}
    for verb, parser in ALL.items():
        names = [action.option_strings[0] for action in parser._actions if action.option_strings]
        shared = [name for name in names if name in order and verb != ("corpus", "convert")]
        assert shared == sorted(shared, key=order.index), verb
        for action in parser._actions:
            for name in {"--criterion", "--preprocessing", "--tokenize", "--jobs", "--quiet"} & set(
                action.option_strings
            ):
                # One criterion is another thing than several.
                assert words.setdefault((name, action.nargs), action.help) == action.help


@pytest.mark.parametrize(
    ("command", "message", "hint"),
    [
        ("rnu x", "metaeval: unknown verb 'rnu'; did you mean 'run'?", "metaeval"),
        ("metrics chek", "metaeval metrics: unknown verb 'chek'; did you mean 'check'?", "metaeval metrics"),
        ("run", "metaeval run: CONFIG must be given.", "metaeval run"),
        ("run a b", "metaeval run: 'b' is more than it takes.", "metaeval run"),
        ("run --qiet", "metaeval run: unknown option '--qiet'; did you mean '--quiet'?", "metaeval run"),
        ("run a -q", "metaeval run: unknown option '-q'.", "metaeval run"),
        ("run a --jobs", "metaeval run: --jobs needs a value.", "metaeval run"),
        ("run a --jobs 0", "metaeval run: --jobs must be a whole number from 1 on; got '0'.", "metaeval run"),
        ("compare", "metaeval compare: --corpus and -m/--metric must be given.", "metaeval compare"),
        (
            "compare 'my ratings.csv' demo -m bleu",
            "metaeval compare: a corpus is named by an option: --corpus 'my ratings.csv'.",
            "metaeval compare",
        ),
        (
            "compare demo bleu",
            "metaeval compare: a corpus is named by an option: --corpus demo, and a metric by --metric NAME.",
            "metaeval compare",
        ),
        ("compare --corpus", "metaeval compare: --corpus needs at least one value.", "metaeval compare"),
        ("cite --format bib", "metaeval cite: --format must be text or bibtex; got 'bib'.", "metaeval cite"),
        (
            "cite --format text --format bibtex",
            "metaeval cite: --format takes one value; got 'text' and 'bibtex'.",
            "metaeval cite",
        ),
        ("score --lowercase=3", "metaeval score: --lowercase takes no value; got '3'.", "metaeval score"),
        ("completion tcsh", "metaeval completion: SHELL must be bash, zsh or fish; got 'tcsh'.", "metaeval completion"),
        ("grid --exponent many", "metaeval grid: --exponent must be a number; got 'many'.", "metaeval grid"),
        ("--versoin", "metaeval: unknown option '--versoin'; did you mean '--version'?", "metaeval"),
    ],
)
def test_wrong_usage_is_told_in_a_sentence(command, message, hint, capsys):
    with pytest.raises(SystemExit) as stop:
        main(shlex.split(command))
    out, err = capsys.readouterr()
    assert stop.value.code == 2
    assert out == ""
    assert err.startswith(message)
    assert err.splitlines()[-1] == f"Try `{hint} --help`."
    assert len(err.splitlines()) == 2


def test_alone_it_tells_the_three_first_commands(capsys):
    assert main([]) == 0
    out = capsys.readouterr().out
    commands = [line.strip() for line in out.splitlines() if line.startswith("  metaeval ")]
    assert [command.split()[1] for command in commands] == ["compare", "judge", "run"]
    assert max(map(len, out.splitlines())) <= 80
    for command in commands:
        make_parser().parse_args(shlex.split(command)[1:])


@pytest.mark.parametrize("arguments", [[], ["--help"], ["--version"], ["run", "--help"], ["completion", "bash"]])
def test_help_imports_nothing_heavy(arguments):
    code = (
        "import sys; from metaeval.cli import main\n"
        f"try: main({arguments!r})\n"
        "except SystemExit: pass\n"
        "heavy = {'numpy', 'scipy', 'pandas', 'matplotlib', 'joblib', 'sacrebleu', 'tqdm', 'metaeval.experiment'}\n"
        "print(); print(sorted(heavy & set(sys.modules)), 'argcomplete' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == f"[] {arguments == ['completion', 'bash']}"


def example_commands():
    for verb, parser in ALL.items():
        text = (parser.epilog or "").replace("\\\n", " ")
        for line in text.splitlines():
            if line.startswith(f"  metaeval {' '.join(verb)}"):
                yield shlex.split(line)[1:]


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A directory with all that the examples name."""
    folder = tmp_path_factory.mktemp("examples")
    files = {
        "system.txt": "the cat sat\na dog\n",
        "ref1.txt": "the cat sat down\na dog\n",
        "ref2.txt": "a cat sat\nthe dog\n",
        "my_metric.py": "def score(candidate, references):\n    return float(candidate in references)\n",
        "labels.csv": "item,anna,ben,gpt4\n"
        + "".join(f"{at},{at % 2},{(at + (at % 10 == 0)) % 2},{(at + (at % 10 == 5)) % 2}\n" for at in range(60)),
        "texts.sgm": '<refset setid="s" sysid="r"><doc docid="d"><seg id="1">a b</seg></doc></refset>\n'
        '<tstset setid="s" sysid="x"><doc docid="d"><seg id="1">a c</seg></doc></tstset>\n',
    }
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    corpus = write(folder / "tiny")
    for number, name in enumerate(("mine", "before", "after"), start=1):
        settings = ["--set", 'metrics=["bleu","wer"]', "--set", "documents.lengths=[10]", "--set", "documents.count=3"]
        settings += ["--set", f"seed={number}", "--set", "figures=[]", "--set", "tests=[]", "--set", "claims=[]"]
        arguments = [
            "run",
            "turian2003-chinese",
            "--corpus",
            "demo",
            *settings,
            "--output",
            str(folder / "runs" / name),
        ]
        assert main([*arguments, "--quiet"]) == 0
    assert corpus.is_dir()
    return folder


SMALLER = {
    "run": ["--corpus", "demo", "--set", "documents.lengths=[2]", "--set", "documents.count=3", "--set", "figures=[]"],
    "compare": ["--resamples", "20", "--ceiling", "0"],
    "agreement": ["--resamples", "20", "--draws", "3"],
}


@pytest.mark.parametrize("arguments", list(example_commands()), ids=" ".join)
def test_the_examples_work(arguments, place, monkeypatch, tmp_path):
    monkeypatch.chdir(place)
    if arguments[:2] == ["corpus", "fetch"]:
        # Nothing is fetched here: tests/corpora/download does.
        monkeypatch.setenv("METAEVAL_CACHE", str(tmp_path))
        monkeypatch.setattr("metaeval.corpora.catalogue.fetch_files", lambda *_: None)
    smaller = SMALLER.get(arguments[0], [])
    if arguments[0] == "agreement" and "labels.csv" in arguments:
        smaller = []  # nothing is drawn for a table of ratings
    assert main([*arguments, *smaller]) == 0


def test_a_metric_that_fails_leaves_the_others_their_scores(place, monkeypatch, capsys):
    monkeypatch.chdir(place)
    (place / "bad.py").write_text('def bad(candidate, references):\n    raise ValueError("no")\n', encoding="utf-8")
    command = ["score", "-m", "bad.py:bad", "wer", "-c", "system.txt", "-r", "ref1.txt", "--format", "tsv"]
    assert main(command) == 1
    out, err = capsys.readouterr()
    # Of six words of the reference one is missing.
    assert out == f'metric\tpreprocessing\tscore\nwer\tcase(tokenizer="13a")\t{1 / 6}\n'
    assert (
        "metaeval: note: left out: metric 'bad.py:bad', system 'system.txt', segment 1: ValueError: no (bad.py:2)."
        in err
    )


def test_what_the_system_refuses_is_told(monkeypatch, capsys):
    def refused():
        raise PermissionError(13, "Permission denied", "there.tsv")

    monkeypatch.setattr("metaeval.api.cite", refused)
    assert main(["cite"]) == 1
    assert capsys.readouterr().err == "metaeval: there.tsv: cannot be read or written: Permission denied.\n"
