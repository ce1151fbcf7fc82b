"""The grammar of statements."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metaeval.errors import UsageError
from metaeval.papers.claims.settings import ClaimSettings
from metaeval.parameters.claim_statements import NUMBERS, QUALIFIERS, RELATIONS, Statement, Term, parse_statement
from metaeval.parameters.fields import build


def metric(name, factor=1.0, **qualifiers):
    return Term("metric", name, factor=factor, qualifiers=tuple(qualifiers.items()))


@pytest.mark.parametrize(
    ("text", "terms", "relations"),
    [
        (
            "gtm(exponent=1) above nist above bleu",
            (metric("gtm(exponent=1)"), metric("nist"), metric("bleu")),
            ("above", "above"),
        ),
        ("bleu( order = 2 ) at   least\n nist", (metric("bleu( order = 2 )"), metric("nist")), ("at least",)),
        (
            "2 * bleu[references=1] below gtm[references = 1]",
            (metric("bleu", 2.0, references=1.0), metric("gtm", references=1.0)),
            ("below",),
        ),
        ("0.5*ter at most -0.1", (metric("ter", 0.5), Term("number", number=-0.1)), ("at most",)),
        (
            'each[preprocessing=stem(tokenizer="13a"),length=50] above each[preprocessing="case", length=1]',
            (
                Term("each", qualifiers=(("preprocessing", 'stem(tokenizer="13a")'), ("length", 50.0))),
                Term("each", qualifiers=(("preprocessing", "case"), ("length", 1.0))),
            ),
            ("above",),
        ),
        ("bleu below every other", (metric("bleu"), Term("every other")), ("below",)),
        (
            "inter-judge above bleu[references=3, preprocessing=case]",
            (Term("inter-judge"), metric("bleu", references=3.0, preprocessing="case")),
            ("above",),
        ),
        ("my.py:f equals 'a dir/b.py:g'", (metric("my.py:f"), metric("a dir/b.py:g")), ("equals",)),
        (
            'scores:FILE(metric="a) (b") above rouge-s(skip=4)',
            (metric('scores:FILE(metric="a) (b")'), metric("rouge-s(skip=4)")),
            ("above",),
        ),
        (
            'bleu[panel="a, b]"] above bleu[panel=c]',
            (metric("bleu", panel="a, b]"), metric("bleu", panel="c")),
            ("above",),
        ),
        ("above.py:f above belows", (metric("above.py:f"), metric("belows")), ("above",)),
    ],
)
def test_a_statement_is_read(text, terms, relations):
    assert parse_statement(text) == Statement(terms, relations)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "character 1: expected a metric, each, every other, inter-judge or a number; got the end"),
        ("bleu", "character 5: expected a relation; got the end. Known relations: 'above', 'below', 'at least'"),
        ("bleu abov nist", "character 6: expected a relation; got 'abov'. Known relations: 'above'"),
        (
            "bleu above above",
            "character 12: expected a metric, each, every other, inter-judge or a number; got 'above'",
        ),
        ("bleu above [length=3]", r"character 12: expected a metric, each, .* or a number; got '\[length=3\]'"),
        ("bleu at nist", "character 6: expected a relation; got 'at'"),
        ("bleu(order=2 above nist", "character 5: expected .*; got '\\(order=2'. Is the closing parenthesis missing"),
        ("bleu above 'nist", "character 12: .*; got \"'nist\". Is the closing ' missing"),
        ("bleu[criterion='a\\x'] above nist", "character 16: expected text in quotes"),
        ("bleu[] above nist", "character 6: expected a key .* Known keys: 'criterion'"),
        ("bleu[criterion=] above nist", "character 16: expected a value of criterion"),
        ("bleu[refs=3] above nist", "character 6: expected a key .* unknown key 'refs'"),
        ("bleu[references=many] above nist", "character 17: expected a number, 1 or more, or most; got 'many]'"),
        ("bleu[length=0] above nist", "character 13: expected a number, 1 or more, or most; got '0]'"),
        ("bleu[length 3] above nist", "character 13: expected '='; got '3]'"),
        ("bleu[length=3 above nist", "character 15: expected ',' or ']'; got 'above'"),
        ("bleu[length=3, length=5] above nist", "character 16: expected each key once"),
        ("0 * bleu above nist", "character 1: expected a factor above 0; got '0'"),
        ("2 * 3 above nist", "character 5: expected a metric, each, every other or inter-judge; got '3'"),
        ("nist above 1e999", "a number that a computer can hold"),
        ("0.5[length=1] above bleu", "a number takes no"),
        ("inter-judge[preprocessing=case] above bleu[preprocessing=case]", "inter-judge has no preprocessing"),
        ("0.3 below 0.4", "compares two numbers, 0.3 and 0.4"),
        ("bleu above 2 * bleu", "compares 'bleu' with itself"),
        # All that are to be equal are compared, not neighbours alone.
        ("bleu equals nist equals bleu", "compares 'bleu' with itself"),
        ("ter above 0.5 equals bleu equals 0.6", "compares two numbers, 0.5 and 0.6"),
        ("each above every other", "'every other' belongs to a chain of two terms"),
        ("ter below bleu below every other", "'every other' belongs to a chain of two terms"),
        ("bleu[references=3] above nist", "'nist' does not; write \\[references=...\\] after it too"),
        ("bleu[length=3] above inter-judge", "'inter-judge' does not; write \\[length=...\\] after it too"),
    ],
)
def test_what_is_wrong_is_told_with_its_place(text, message):
    with pytest.raises(UsageError, match=message):
        parse_statement(text)


TEXTS = st.text(st.characters(exclude_categories=["C"]), min_size=1, max_size=12)
NAMES = TEXTS | st.sampled_from(["bleu", "gtm(exponent=2)", "each", "every other", "0.5", "above", 'f(x="]")'])
VALUES = st.integers(1, 10**18).map(float) | st.floats(1, 1e300)


@st.composite
def statements(draw):
    keys = draw(st.lists(st.sampled_from(QUALIFIERS), unique=True, max_size=3))

    def term(kind):
        said = tuple((key, draw(VALUES if key in NUMBERS else TEXTS)) for key in keys)
        if kind == "number":
            return Term(kind, number=draw(st.floats(allow_nan=False, allow_infinity=False)))
        said = tuple(item for item in said if kind != "inter-judge" or item[0] != "preprocessing")
        factor = draw(st.floats(1e-300, 1e300))
        return Term(kind, draw(NAMES) if kind == "metric" else "", factor=factor, qualifiers=said)

    kinds = draw(st.lists(st.sampled_from(["metric", "each", "inter-judge", "number"]), min_size=2, max_size=4))
    terms = tuple(term(kind) for kind in kinds)
    return Statement(terms, tuple(draw(st.sampled_from(RELATIONS)) for _ in terms[1:]))


@given(statements())
def test_a_statement_that_is_written_is_read_again(statement):
    try:
        again = parse_statement(str(statement))
    except UsageError as error:
        # What cannot be compared is refused once it has been read.
        again = statement if " compares " in str(error) or " for it too." in str(error) else error
    assert again == statement


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"paper": " "}, "must say what the paper says"),
        ({"statement": "bleu equals nist"}, "'equals' needs `margin`"),
        ({"each": ("bleu",)}, "has no term 'each'"),
        ({"test": "wilcoxon"}, "`test` belongs to `quantity = 'minimum-significant-difference'`"),
        ({"criteria": ("a", "a")}, "`criteria` names one twice"),
        (
            {"statement": "bleu[length=1] above nist[length=2]", "lengths": (1,)},
            "`lengths` is given, and the terms say",
        ),
        ({"statement": "blue above nist"}, "the claim 'blue above nist': unknown metric 'blue'; did you mean 'bleu'"),
        ({"statement": "0.3 below blue(order=2)"}, "unknown metric 'blue"),
        (
            {"statement": "each above nist", "each": ("bleu", "gmt")},
            "the claim 'each above nist': unknown metric 'gmt'",
        ),
        (
            {"quantity": "minimum-significant-difference"},
            "takes a statement such as 'minimum-significant-difference at most 0.01'",
        ),
        (
            {"statement": "minimum-significant-difference at most 0.01"},
            "needs `quantity = 'minimum-significant-difference'`",
        ),
        (
            {
                "quantity": "minimum-significant-difference",
                "statement": "minimum-significant-difference at most 1",
                "over": "average",
            },
            "has no average",
        ),
        (
            {"quantity": "minimum-significant-difference", "statement": "2 * minimum-significant-difference at most 1"},
            "takes a statement such as .* without factors",
        ),
        (
            {
                "quantity": "minimum-significant-difference",
                "statement": "minimum-significant-difference below 1",
                "lengths": (1,),
            },
            "has no length",
        ),
        *(
            (
                {"quantity": "minimum-significant-difference", "statement": statement},
                "takes a statement such as 'minimum-significant-difference at most 0.01'",
            )
            for statement in (
                "minimum-significant-difference below 1",
                "minimum-significant-difference at least 1",
                "1 at least minimum-significant-difference",
                "1 at most minimum-significant-difference",
            )
        ),
        ({"quantity": "nist-share"}, "compares nist"),
        ({"quantity": "nist-share", "statement": "nist(order=1) above inter-judge"}, "compares nist"),
        ({"quantity": "nist-share", "statement": "each[criterion=a] above each[criterion=b]"}, "has no criterion"),
        ({"statement": "top-cluster above 3"}, "'top-cluster' needs `quantity = 'top-cluster'`"),
        *(
            ({"quantity": "top-cluster", "statement": statement}, "compares top-cluster at two places")
            for statement in ("bleu above 3", "top-cluster above bleu", "top-cluster above inter-judge")
        ),
    ],
)
def test_settings_that_do_not_go_together_are_refused(settings, message):
    with pytest.raises(UsageError, match=message):
        ClaimSettings(**{"paper": "words", "statement": "bleu above nist", **settings})


@pytest.mark.parametrize("name", ["gtm( exponent = 2 )", "a/my.py:f", 'scores:FILE(metric="a")', "rouge-l"])
def test_metrics_of_all_kinds_are_known(name):
    # None of them is loaded: whether an experiment has it is found when the claim is judged.
    quoted = name if " " not in name else repr(name)
    assert ClaimSettings("words", f"{quoted} above nist").parsed.terms[0].name == name
    assert ClaimSettings("words", "each above nist", each=(name,)).each == (name,)


def test_what_is_compared_in_a_chain():
    def pairs(text):
        return parse_statement(text).pairs

    assert pairs("bleu above nist above ter") == ((0, 1), (1, 2))
    assert pairs("bleu equals nist equals ter") == ((0, 1), (0, 2), (1, 2))
    assert pairs("bleu equals nist above ter equals wer") == ((0, 1), (1, 2), (2, 3))
    assert pairs("0.1 below bleu equals nist equals ter below 0.5") == ((0, 1), (1, 2), (1, 3), (2, 3), (3, 4))


def test_a_claim_is_built_from_a_config():
    content = {"paper": "words", "statement": "bleu above nist", "references": [1, 3], "over": "average"}
    claim = build(ClaimSettings, content, subject="claim")
    assert claim.references == (1.0, 3.0)
    with pytest.raises(UsageError, match="here: the statement 'bleu abov nist', character 6"):
        build(ClaimSettings, {**content, "statement": "bleu abov nist"}, subject="claim", locate=lambda path: "here: ")
