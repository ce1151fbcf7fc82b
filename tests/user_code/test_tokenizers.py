"""Tokenizers that others bring: what they may give, how they are named, and how they fail."""

from __future__ import annotations

import pickle
import re

import pytest

import metaeval
from metaeval.cli import main
from metaeval.errors import MetaevalError, MetricError, UsageError
from metaeval.metrics import naming
from metaeval.text.preprocessing import get_preprocessing, make_preprocessing
from tests.support.plugins import in_a_directory_of_its_own, module

__all__ = ["in_a_directory_of_its_own"]

CODE = """
import re
def words(text): return re.findall(r"\\w+", text)
def blanks(text, between="  "): return between.join(text)
def generated(text): yield from text.split("-")
def padded(text): return ["", " a ", "\\n", "b"]
def numbers(text): return [1, 2]
def whole(text): return [text]
def nothing(text): return None
def a_set(text): return {"a"}
def fails(text): return text.split()[1]
def ends(text): raise SystemExit(3)
def picky(text): return [] if "x" in text else text
def pair(one, two): return []
class Cutter:
    def __call__(self, text): return text.upper().split()
    def method(self, text): return text.split("b")
cutter = Cutter()
split = str.split
_hidden = words
"""


def tokens(name: str, *texts: str) -> list[list[str]]:
    return get_preprocessing(f'case(tokenizer="{name}")').tokens(texts)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("words", ["a", "b", "c_d"]),
        ("blanks", ["a", "-", "b", ",", "c", "_", "d"]),
        ("generated", ["a", "b,", "c_d"]),
        ("padded", ["a", "b"]),
        ("cutter", ["A-B,", "C_D"]),
        ("split", ["a-b,", "c_d"]),
    ],
)
def test_what_a_tokenizer_may_give(name, expected):
    module(CODE)
    text = "a-b,-c_d" if name == "generated" else "a-b, c_d"
    assert tokens(f"mine.py:{name}", text, text) == [expected, expected]


def test_methods_and_many_texts():
    module(CODE)
    texts = [f"{number}b{number}" for number in range(3000)]
    assert tokens("mine.py:cutter.method", *texts) == [[str(number)] * 2 for number in range(3000)]
    assert tokens("mine.py:words") == []


def test_the_order_is_lower_case_then_tokenizer_then_stem():
    module("def f(text): return [word + 'ing' for word in text.split() if word.islower()]")
    assert get_preprocessing('stem(tokenizer="mine.py:f")').tokens(["WALK jump"]) == [["walk", "jump"]]
    assert get_preprocessing('nocase(tokenizer="mine.py:f")').tokens(["WALK jump"]) == [["walking", "jumping"]]
    assert get_preprocessing('case(tokenizer="mine.py:f")').tokens(["WALK jump"]) == [["jumping"]]


def test_verbs_take_it_and_say_which_it_was(capsys):
    module(CODE)
    # BLEU of order 1 over single characters, of which the blank is none.
    (found,) = metaeval.score("bleu(order=1)", ["ab c"], ["abx"], preprocessing='case(tokenizer="mine.py:blanks")')
    assert found.values[0, 0] == pytest.approx(2 / 3)  # a and b of a, b, c; as long as the reference
    keys = dict(found.signature.items)
    assert re.fullmatch(r"blanks-[0-9a-f]{8}", keys["tok"])
    assert main(["score", "-m", "bleu", "--corpus", "demo", "--tokenize", "mine.py:words"]) == 0
    assert 'case(tokenizer="mine.py:words")' in capsys.readouterr().out
    results = metaeval.correlate(
        "demo", ["bleu"], preprocessing=['stem(tokenizer="mine.py:words")'], criteria=["adequacy"], tests=[]
    )
    assert all("|case:lower|tok:words-" in str(estimate.signature) for estimate in results.estimates)
    assert make_preprocessing(tokenizer="mine.py:words").written == 'case(tokenizer="mine.py:words")'


def test_the_digest_changes_with_the_file_and_what_was_named_does_not():
    module(CODE)
    before = get_preprocessing('case(tokenizer="mine.py:words")')
    signature = str(before.signature)
    module(CODE + "# more")
    after = get_preprocessing('case(tokenizer="mine.py:words")')
    assert str(after.signature) != signature == str(before.signature)
    assert pickle.loads(pickle.dumps(after)).tokens(["a b"]) == [["a", "b"]]
    with pytest.raises(MetricError, match="has changed since the tokenizer was named"):
        before.tokens(["a"])


def test_texts_without_a_token_are_noted():
    module(CODE)
    preprocessing = 'case(tokenizer="mine.py:picky")'
    table = metaeval.score("wer", ["a b", "x y", ""], ["a", "b", "x"], preprocessing=preprocessing)
    assert table.warnings == ("tokenizer 'mine.py:picky': 2 of 6 texts have no token, such as 'x'.",)
    assert metaeval.score("wer", ["a b"], ["a"], preprocessing=preprocessing).warnings == ()
    run = metaeval.correlate("demo", ["wer"], preprocessing=[preprocessing], criteria=["adequacy"], tests=[])
    assert any("texts have no token" in message for message in run.warnings)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("mine.py:numbers", r"text 1 of 2, 'a': its token 1 is of type int; it must be text"),
        ("mine.py:whole", r"text 2 of 2, 'b c': its token 'b c' has white space inside, which separates tokens"),
        ("mine.py:nothing", r"text 1 of 2, 'a': it returned None where it must return a list of tokens"),
        ("mine.py:a_set", r"it returned \{'a'\} where it must return a list"),
        ("mine.py:fails", r"text 1 of 2, 'a': IndexError: list index out of range \(mine.py:11\)"),
        ("mine.py:ends", r"text 1 of 2, 'a': it called for the end of the program, SystemExit\(3\)"),
        ("mine.py:pair", "it must be a function of one text, which returns the list of its tokens"),
        ("mine.py:Cutter", "it must be a function of one text"),
        ("mine.py:wrds", "there is no 'wrds' in it; there is words, blanks, generated"),
        ("mine.py", "name an object of the file, as in mine.py:words; it has 'words', 'blanks'"),
        ("none.py:f", "tokenizer 'none.py:f': there is no file 'none.py'"),
        ("broken.py:f", r"SyntaxError: .*broken.py:1"),
        ("13b", "unknown tokenizer '13b'; did you mean '13a'.* is named my_file.py:name"),
    ],
)
def test_errors_name_the_text_and_the_cause(name, message):
    module(CODE)
    module("def", "broken.py")
    with pytest.raises(MetaevalError, match=message):
        tokens(name, "a", "b c")


def test_after_an_error_it_runs_again():
    module(CODE)
    with pytest.raises(MetricError, match="list index out of range"):
        tokens("mine.py:fails", "a", "b c")
    assert tokens("mine.py:fails", "b c") == [["c"]]


def test_a_tokenizer_and_a_metric_may_share_a_file_and_a_name():
    module("def f(candidate): return str(len(candidate)) if candidate != 'm' else 1.5")
    assert tokens("mine.py:f", "abc") == [["3"]]
    (found,) = metaeval.score("mine.py:f", ["m"], ["r"], preprocessing='case(tokenizer="13a")')
    assert found.values[0, 0] == 1.5


def test_a_tokenizer_of_an_installed_package(tmp_path, monkeypatch):
    module("def words(text): return text.split('+')", "site/a_cutter_of_a_test.py")
    entry = "[metaeval.tokenizers]\nplus = a_cutter_of_a_test:words\n"
    module(entry, "site/cutter-1.2.dist-info/entry_points.txt")
    module("Metadata-Version: 2.1\nName: cutter\nVersion: 1.2\n", "site/cutter-1.2.dist-info/METADATA")
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    naming._entry_points.cache_clear()
    try:
        assert tokens("plus", "a+b") == [["a", "b"]]
        keys = dict(get_preprocessing('case(tokenizer="plus")').signature.items)
        with pytest.raises(UsageError, match="did you mean 'plus'"):
            tokens("pluss", "a")
    finally:
        naming._entry_points.cache_clear()
    assert re.fullmatch(r"words-cutter-1.2-[0-9a-f]{8}", keys["tok"])
