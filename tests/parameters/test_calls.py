from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metaeval.errors import UsageError
from metaeval.parameters.calls import Call, Signature, parse_call

literals = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3),
    max_leaves=5,
)
names = st.from_regex(r"[a-z][a-z0-9-]{0,8}", fullmatch=True)
identifiers = st.from_regex(r"[a-z][a-z_]{0,8}", fullmatch=True).filter(lambda text: not _is_keyword(text))


def _is_keyword(text: str) -> bool:
    import keyword

    return keyword.iskeyword(text)


@given(names, st.dictionaries(identifiers, literals, max_size=3))
def test_the_canonical_form_reads_back_to_an_equal_call(name, arguments):
    call = Call(name, arguments, "")
    assert parse_call(str(call)) == call


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("bleu", "bleu"),
        (" bleu ( ) ", "bleu"),
        ("gtm( exponent = 2 )", "gtm(exponent=2)"),
        ("bleu(mean='arithmetic', length = \"shortest\")", 'bleu(length="shortest",mean="arithmetic")'),
        ("bleu(orders=(2, 3))", "bleu(orders=[2,3])"),
        ("rouge-w(weight=1.2)", "rouge-w(weight=1.2)"),
    ],
)
def test_canonical_forms(text, canonical):
    assert canonical == str(parse_call(text))


def test_calls_are_equal_however_they_were_written():
    assert parse_call("gtm(exponent=2)") == parse_call(" gtm( exponent=2 )")
    assert parse_call("gtm(exponent=2)") != parse_call("gtm(exponent=3)")


def test_a_name_is_printed_as_it_was_written():
    assert parse_call(" gtm( exponent = 2 ) ").written == "gtm( exponent = 2 )"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "(order=2)",
        "bleu(",
        "bleu)",
        "bleu(2)",
        "bleu(order)",
        "bleu(order=x)",
        "bleu(order=)",
        "bleu(order=1 2)",
        "bleu(**{'a': 1})",
        "bleu(a=1,a=2)",
        "bleu(a=1)(b=2)",
    ],
)
def test_other_forms_are_refused_with_the_right_one(text):
    with pytest.raises(UsageError, match=r"must (look like bleu or gtm\(exponent=2\)|be written parameter=value)"):
        parse_call(text)


def test_text_without_quotes_is_refused_with_the_cure():
    with pytest.raises(UsageError, match=r"needs quotes: tokenizer='intl'"):
        parse_call("case(tokenizer=intl)")


@given(st.text(), st.lists(st.tuples(st.from_regex(r"[a-z-]+", fullmatch=True), st.text())))
def test_a_signature_reads_back_to_itself(name, pairs):
    signature = Signature(name).with_pairs(pairs)
    assert Signature.parse(str(signature)) == signature


def test_signature_in_sacrebleus_grammar():
    signature = Signature("BLEU").with_items(order=4, mean="geometric", refs=["a", "b"], inter_judge=True)
    assert str(signature) == "BLEU|order:4|mean:geometric|refs:a+b|inter-judge:yes"
