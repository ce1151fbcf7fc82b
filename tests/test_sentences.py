"""Every sentence of a file of sentences is said somewhere, with the words that its braces stand for."""

from __future__ import annotations

import ast
import string
import tomllib
from pathlib import Path

import pytest

from metaeval.errors import CorpusError, UsageError
from metaeval.resources import Sentences

PACKAGE = Path(__file__).parents[1] / "metaeval"
MODULES = [path for path in sorted(PACKAGE.rglob("*.py")) if "= Sentences(__file__" in path.read_text(encoding="utf-8")]
SAYING = {"say": 0, "say.error": 0, "_say": 0, "_say.error": 0, "_say.refuse": 1, "refuse": 1, "say.refuse": 1}


def sentences_of(module: Path) -> dict[str, str]:
    tables = tomllib.loads(module.with_suffix(".toml").read_text(encoding="utf-8"))
    names = [name for texts in tables.values() for name in texts]
    assert len(set(names)) == len(names)
    return {name: text for texts in tables.values() for name, text in texts.items()}


def said_in(module: Path) -> list[tuple[str, str, set[str | None]]]:
    """Return where each sentence is said, its name, and the words it is given; None among them where they vary."""
    files = [module] if "_say = " in module.read_text(encoding="utf-8") else sorted(module.parent.rglob("*.py"))
    # Readers of corpora have functions `say` of their own.
    saying = {"sentence": 0} if "\nsentence = Sentences" in module.read_text(encoding="utf-8") else SAYING
    found = []
    for path in files:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and node.args and (place := saying.get(ast.unparse(node.func))) is not None:
                name = ast.literal_eval(node.args[place])
                found.append((f"{path.name}:{node.lineno}", name, {one.arg for one in node.keywords}))
    return found


def fields_of(sentence: str) -> set[str]:
    named = (name for _, name, _, _ in string.Formatter().parse(sentence) if name is not None)
    return {name.partition(".")[0].partition("[")[0] for name in named}


@pytest.mark.parametrize("module", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_every_sentence_is_said_with_its_words(module):
    sentences, said = sentences_of(module), said_in(module)
    assert {name for _, name, _ in said} == set(sentences)
    for place, name, words in said:
        fields = fields_of(sentences[name])
        assert (words - {None} <= fields) if None in words else (words == fields), (place, name)


def test_an_error_is_of_the_kind_of_its_table(tmp_path):
    tmp_path.joinpath("found.toml").write_text('[usage]\na = "no {one}"\n[corpus]\nb = "{two!r}"\n[notes]\nc = "c"\n')
    say = Sentences(str(tmp_path / "found.py"), usage=UsageError, corpus=CorpusError)
    assert say("c") == "c"
    say.refuse([], "a", one=1)
    with pytest.raises(UsageError, match=r"^no 1$"):
        say.refuse([1], "a", one=1)
    with pytest.raises(CorpusError, match=r"^'x'$"):
        raise say.error("b", two="x")
