"""What a metric is, apart from its scores: its signature, where it can go, what it does beside scoring."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from dataclasses import replace

from metaeval.errors import MetricError
from metaeval.metrics import get_metric
from metaeval.metrics.text_metric import TextMetric
from metaeval.plugins.conformance.case import Case, Outcome, difference, short
from metaeval.plugins.conformance.names import other_names
from metaeval.plugins.conformance.trial import Trial
from metaeval.plugins.functions import PluginFunction
from metaeval.plugins.guards import GuardedTexts, GuardedTokens
from metaeval.plugins.program import Program
from metaeval.records import Corpus


def about_itself(trial: Trial, corpus: Corpus, case: Case | None) -> Iterator[tuple[str, Outcome]]:
    """Check what a metric is.

    Parameters
    ----------
    trial : Trial
        Whose metric has scored already, so that it is known what it prints.
    corpus : Corpus
        Texts to try, some of which may have no score.
    case : Case or None
        Those that have a score, if there are any.
    """
    yield "signature", _signature(trial, corpus if case is None else case.corpus)
    yield "hashing", _hashing(trial)
    yield "pickling", _pickling(trial)
    yield "arguments", _arguments(trial, corpus, case)
    yield "standard output", _printing(trial)


def _signature(trial: Trial, corpus: Corpus) -> Outcome:
    own = str(trial.metric.signature)
    again = str(get_metric(trial.written).signature)
    if again != own:
        return Outcome("fails", "The same name twice gives two signatures.", f"{own}, then {again}")
    tried, silent = 0, []
    for parameter, written, other in other_names(trial.written, trial.metric):
        tried += 1
        if str(other.signature) == own:
            silent.append(parameter)
            if not _same_scores(trial, replace(trial, written=written, metric=other), corpus):
                return Outcome(
                    "fails",
                    f"The parameter `{parameter}` changes scores but not the signature, which must tell all that "
                    "determines them.",
                    f"{trial.written} and {written}: {own}",
                )
    if not tried:
        return Outcome("ok", "The same name gives the same signature; there are no parameters to vary.")
    left_out = ", ".join(dict.fromkeys(silent))
    also = f"; {left_out} is not in it and changes no score" if silent else ""
    return Outcome(
        "ok", f"Equal for equal parameters, another for each of {tried - len(silent)} other values tried{also}."
    )


def _same_scores(one: Trial, other: Trial, corpus: Corpus) -> bool:
    try:
        first, again = one.measure(corpus), one.measure(corpus)
    except MetricError:
        return True
    if difference(first, again) is not None:
        return True  # nothing can be told
    try:
        return difference(first, other.measure(corpus)) is None
    except MetricError:
        return False


def _hashing(trial: Trial) -> Outcome:
    try:
        hash(trial.metric)
    except TypeError as error:
        finding = "It has no hash, and an experiment keeps it as a key; make its class a frozen dataclass."
        return Outcome("fails", finding, str(error))
    return Outcome("ok", "It can be kept as a key.")


def _pickling(trial: Trial) -> Outcome:
    try:
        other = pickle.loads(pickle.dumps(trial.metric))
    except Exception as error:
        if isinstance(trial.metric, TextMetric):
            return Outcome("ok", "It cannot be sent to other processes, and need not: texts are measured in one.")
        told = f"{type(error).__name__}: {error}"
        return Outcome("fails", "It cannot be sent to the processes that --jobs may start.", told)
    if str(other.signature) != str(trial.metric.signature):
        shown = f"{trial.metric.signature}, then {other.signature}"
        return Outcome("fails", "Sent to another process, it has another signature.", shown)
    return Outcome("ok", "It can be sent to the processes that --jobs may start.")


def _arguments(trial: Trial, corpus: Corpus, case: Case | None) -> Outcome:
    if isinstance(trial.metric, Program):
        return Outcome("ok", "A program gets copies of the texts.")
    if not isinstance(trial.metric, PluginFunction):
        changed = trial.changes(corpus if case is None else case.corpus)
        if changed:
            return Outcome("fails", f"It changes {changed} that it is given, which other metrics read too.")
        return Outcome("ok", "The texts are as before.")
    if case is None:
        return Outcome("note", "Not checked: no text has a score.")
    if trial.metric.seen.get("changed"):
        finding = "It changes what it is given. Metaeval gives it copies; who else calls it will be surprised."
        return Outcome("fails", finding, trial.metric.seen["changed"])
    return Outcome("ok", "The texts are as before.")


def _printing(trial: Trial) -> Outcome:
    printed, text = len(trial.printed.getvalue()), trial.printed.getvalue()
    if isinstance(trial.metric, GuardedTexts | GuardedTokens):
        printed, text = trial.metric.guard.out.printed, trial.metric.guard.out.sample
    elif isinstance(trial.metric, PluginFunction):
        printed, text = trial.metric.seen.get("printed", 0), trial.metric.seen.get("sample", "")
    if not printed:
        return Outcome("ok", "It prints nothing.")
    return Outcome(
        "fails",
        "It prints to stdout, where the results of a program belong; print to stderr, or not at all.",
        f"{printed} characters" + (f", such as {short(text.strip())}" if text.strip() else ""),
    )
