"""[[claims]]: what a paper says, as something that an experiment can decide."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from metaeval.errors import UsageError, unknown
from metaeval.kinds import METRICS
from metaeval.metrics import is_metric
from metaeval.names import parse_call
from metaeval.papers.claims.statement import (
    EACH,
    EVERY_OTHER,
    JUDGES,
    METRIC,
    NUMBER,
    Statement,
    parse_statement,
)
from metaeval.parameters import parameter

OVER = ("everywhere", "somewhere", "average")
CORRELATION, MINIMUM, SHARE, TOP_CLUSTER = "correlation", "minimum-significant-difference", "nist-share", "top-cluster"
QUANTITIES = (CORRELATION, MINIMUM, SHARE, TOP_CLUSTER)
# These are no metric's: the statement names them themselves.
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
# What a quantity knows nothing of.
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
        "an order in the NIST score, or how many metrics equal the best: their intervals overlap with its",
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
        where = f"the claim {self.statement!r}"
        if "equals" in statement.relations and not self.margin > 0:
            raise UsageError(f"{where}: 'equals' needs `margin`, the largest difference that counts as none.")
        if self.each and not statement.has(EACH):
            raise UsageError(f"{where}: `each` is given, and the statement has no term 'each'.")
        if self.test and self.quantity != MINIMUM:
            raise UsageError(f"{where}: `test` belongs to `quantity = {MINIMUM!r}`; got {self.quantity!r}.")
        for key, name in LISTS.items():
            chosen = getattr(self, name)
            if len(set(chosen)) < len(chosen):
                raise UsageError(f"{where}: `{name}` names one twice: {list(chosen)!r}.")
            if chosen and key in statement.qualified:
                raise UsageError(f"{where}: `{name}` is given, and the terms say [{key}=...] themselves.")
            if (chosen or key in statement.qualified) and key in _WITHOUT[self.quantity]:
                raise UsageError(f"{where}: `quantity = {self.quantity!r}` knows no {key}.")
        names = [term.name for term in statement.terms if term.kind == METRIC]
        for name in (*names, *self.each):
            if name in _OF_NO_METRIC and name != self.quantity:
                raise UsageError(f"{where}: {name!r} needs `quantity = {name!r}`; got {self.quantity!r}.")
            if name not in _OF_NO_METRIC and not is_metric(name):
                raise UsageError(f"{where}: {unknown('metric', name, METRICS)}")
        if self.quantity == MINIMUM:
            self._check_smallest(statement, where)
        kinds = {term.kind for term in statement.terms}
        if self.quantity == TOP_CLUSTER and not (set(names) == {TOP_CLUSTER} and kinds <= {METRIC, NUMBER}):
            raise UsageError(
                f"{where}: `quantity = {TOP_CLUSTER!r}` compares {TOP_CLUSTER} at two places, such as "
                f"'{TOP_CLUSTER}[coefficient=spearman] above {TOP_CLUSTER}[coefficient=pearson]', or with a number."
            )
        if self.quantity == SHARE:
            orders = all(parse_call(name).name == "nist" for name in (*names, *self.each))
            if not orders or statement.has(JUDGES) or statement.has(EVERY_OTHER):
                raise UsageError(
                    f"{where}: `quantity = {SHARE!r}` compares nist(order=1), nist(order=2), ..., each of them, "
                    "and numbers."
                )

    def _check_smallest(self, statement: Statement, where: str) -> None:
        kinds = sorted(term.kind for term in statement.terms)
        names = {term.name for term in statement.terms if term.kind == METRIC}
        if kinds != sorted((METRIC, NUMBER)) or names != {MINIMUM} or statement.qualified:
            raise UsageError(f"{where}: `quantity = {MINIMUM!r}` takes a statement such as '{MINIMUM} at most 0.01'.")
        if statement.relations != ("at most",) or statement.terms[0].kind != METRIC:
            raise UsageError(
                f"{where}: it must be '{MINIMUM} at most NUMBER': from that number on, all are significant."
            )
        if any(term.factor != 1.0 for term in statement.terms):
            raise UsageError(f"{where}: {MINIMUM!r} takes no factor; multiply the number.")
        if self.over == "average":
            raise UsageError(f"{where}: `quantity = {MINIMUM!r}` has no average; choose everywhere or somewhere.")

    def read_as(self, names: Mapping[str, str]) -> ClaimSettings:
        """Return the claim with other names of criteria, from the paper's to the corpus's."""
        terms = [
            replace(
                term,
                qualifiers=tuple(
                    (key, names.get(str(value), value) if key == "criterion" else value)
                    for key, value in term.qualifiers
                ),
            )
            for term in self.parsed.terms
        ]
        if terms == list(self.parsed.terms) and not set(self.criteria) & set(names):
            return self
        statement = str(replace(self.parsed, terms=tuple(terms)))
        return replace(
            self, statement=statement, criteria=tuple(dict.fromkeys(names.get(one, one) for one in self.criteria))
        )

    @property
    def chosen(self) -> str:
        """What `each` stands for, and the places that are chosen: ``each: bleu, ter; criterion: adequacy``."""
        lists = {"each": self.each, **{key: getattr(self, name) for key, name in LISTS.items()}}
        told = {
            key: ", ".join(f"{one:g}" if isinstance(one, float) else str(one) for one in chosen)
            for key, chosen in lists.items()
            if chosen
        }
        told |= {"test": self.test} if self.test else {}
        return "; ".join(f"{key}: {words}" for key, words in told.items())

    @property
    def parsed(self) -> Statement:
        """The statement."""
        return parse_statement(self.statement)
