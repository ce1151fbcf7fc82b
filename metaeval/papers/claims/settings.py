"""[[claims]]: what a paper says, as something that an experiment can decide."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from metaeval.components.registries import METRICS
from metaeval.errors import UsageError, unknown
from metaeval.metrics import is_metric
from metaeval.parameters.calls import parse_call
from metaeval.parameters.claim_statements import EACH, METRIC, NUMBER, Statement, Term, parse_statement
from metaeval.parameters.fields import parameter

OVER = ("everywhere", "somewhere", "average")
CORRELATION = "correlation"
MINIMUM = "minimum-significant-difference"
SHARE = "nist-share"
TOP_CLUSTER = "top-cluster"
QUANTITIES = (CORRELATION, MINIMUM, SHARE, TOP_CLUSTER)
# A statement about these names the quantity itself in the place of a metric.
_OF_NO_METRIC = (MINIMUM, TOP_CLUSTER)
# The list of a claim that chooses among the values of a key.
LISTS = {
    "criterion": "criteria",
    "preprocessing": "preprocessing",
    "references": "references",
    "length": "lengths",
    "coefficient": "coefficients",
    "panel": "panels",
}
# Keys that mean nothing to a quantity.
_WITHOUT = {CORRELATION: (), MINIMUM: ("length",), SHARE: ("criterion", "length", "coefficient"), TOP_CLUSTER: ()}


@dataclass(frozen=True)
class ClaimSettings:
    """[[claims]]: what the paper says, and the statement that holds if it is so."""

    paper: str = parameter(doc="what the paper says, in words")
    statement: str = parameter(
        doc="terms and relations: gtm above nist above bleu, bleu[references=3] at least bleu[references=1], "
        "each below inter-judge, 2 * bleu below gtm, ter below every other",
        check=parse_statement,
    )
    over: str = parameter(
        "everywhere", doc="whether it must hold at every place, at some place, or on average over them", choices=OVER
    )
    reading: bool = parameter(False, doc="whether the paper leaves open what the statement says: our reading")
    margin: float = parameter(0.0, doc="above, below: by more than that; equals: within that", minimum=0.0)
    quantity: str = parameter(
        CORRELATION,
        doc="what is compared: correlations, the difference from which on all pairs are significant, the share of "
        "an order in the NIST score, or how many metrics are in the top cluster: their intervals overlap with that of "
        "the best",
        choices=QUANTITIES,
    )
    each: tuple[str, ...] = parameter((), doc="metrics that the term each stands for; all unless given")
    criteria: tuple[str, ...] = parameter((), doc="only these criteria")
    preprocessing: tuple[str, ...] = parameter((), doc="only these preprocessing")
    references: tuple[float, ...] = parameter((), doc="only these numbers of references", minimum=1)
    lengths: tuple[int, ...] = parameter((), doc="only documents of so many segments", minimum=1)
    coefficients: tuple[str, ...] = parameter((), doc="only these coefficients")
    panels: tuple[str, ...] = parameter((), doc="only the panels of these titles")
    test: str = parameter("", doc="for minimum-significant-difference: of this test; of all unless given")

    def __post_init__(self) -> None:
        if not self.paper.strip():
            raise UsageError("`paper` of a claim must say what the paper says; got an empty text.")
        statement = self.parsed
        quantity = self.quantity
        start = f"the claim {self.statement!r}: "
        names = [term.name for term in statement.terms if term.kind == METRIC]
        kinds = {term.kind for term in statement.terms}
        if "equals" in statement.relations and not self.margin > 0:
            raise UsageError(f"{start}'equals' needs `margin`, the largest difference that counts as none.")
        if self.each and EACH not in kinds:
            raise UsageError(f"{start}`each` is given, and the statement has no term 'each'.")
        if self.test and quantity != MINIMUM:
            raise UsageError(f"{start}`test` belongs to `quantity = {MINIMUM!r}`; got {quantity!r}.")
        for key, name in LISTS.items():
            chosen = getattr(self, name)
            qualified = key in statement.qualified
            if len(set(chosen)) < len(chosen):
                raise UsageError(f"{start}`{name}` names one twice: {list(chosen)!r}.")
            if chosen and qualified:
                raise UsageError(f"{start}`{name}` is given, and the terms say [{key}=...] themselves.")
            if (chosen or qualified) and key in _WITHOUT[quantity]:
                raise UsageError(f"{start}`quantity = {quantity!r}` has no {key}.")
        for name in (*names, *self.each):
            if name in _OF_NO_METRIC and name != quantity:
                raise UsageError(f"{start}{name!r} needs `quantity = {name!r}`; got {quantity!r}.")
            if name not in _OF_NO_METRIC and not is_metric(name):
                raise UsageError(f"{start}{unknown('metric', name, METRICS)}")
        if quantity == MINIMUM:
            plain = (Term(METRIC, MINIMUM), Term(NUMBER, number=statement.terms[-1].number))
            if statement != Statement(plain, ("at most",)):
                raise UsageError(
                    f"{start}`quantity = {quantity!r}` takes a statement such as '{quantity} at most 0.01', without "
                    "factors and [...]: all differences from that number on are significant."
                )
            if self.over == "average":
                raise UsageError(f"{start}`quantity = {quantity!r}` has no average; choose everywhere or somewhere.")
        are_tops = set(names) == {TOP_CLUSTER} and kinds <= {METRIC, NUMBER}
        if quantity == TOP_CLUSTER and not are_tops:
            raise UsageError(
                f"{start}`quantity = {quantity!r}` compares {quantity} at two places, such as "
                f"'{quantity}[coefficient=spearman] above {quantity}[coefficient=pearson]', or with a number."
            )
        if quantity == SHARE:
            orders = all(parse_call(name).name == "nist" for name in (*names, *self.each))
            if not orders or not kinds <= {METRIC, EACH, NUMBER}:
                raise UsageError(
                    f"{start}`quantity = {quantity!r}` compares nist(order=1), nist(order=2), ..., each of them, and "
                    "numbers."
                )

    def read_as(self, names: Mapping[str, str]) -> ClaimSettings:
        """Return the claim with other names of criteria, from the paper's to the corpus's."""

        def renamed(term: Term) -> Term:
            places = dict(term.qualifiers)
            if "criterion" in places:
                places["criterion"] = names.get(str(places["criterion"]), places["criterion"])
            return replace(term, qualifiers=tuple(places.items()))

        terms = tuple(map(renamed, self.parsed.terms))
        if terms == self.parsed.terms and not set(self.criteria) & set(names):
            return self
        criteria = tuple(dict.fromkeys(names.get(name, name) for name in self.criteria))
        return replace(self, statement=str(replace(self.parsed, terms=terms)), criteria=criteria)

    @property
    def chosen(self) -> str:
        """The metrics of `each`, and the chosen places, as text: ``each: bleu, ter; criterion: adequacy``."""
        lists = {"each": self.each} | {key: getattr(self, name) for key, name in LISTS.items()}
        lists["test"] = (self.test,) if self.test else ()
        parts = []
        for key, values in lists.items():
            words = ", ".join(f"{value:g}" if isinstance(value, float) else str(value) for value in values)
            if words:
                parts.append(f"{key}: {words}")
        return "; ".join(parts)

    @property
    def parsed(self) -> Statement:
        """The statement."""
        return parse_statement(self.statement)
