"""What a metric is, apart from its scores: its signature, where it can go, what it does beside scoring."""

from __future__ import annotations

import ast
import pickle
from collections.abc import Iterator
from dataclasses import MISSING, replace

from metaeval.errors import MetaevalError, MetricError
from metaeval.metrics import AnyMetric, get_metric, parameters_of
from metaeval.metrics.naming import file_target, is_file, short_call
from metaeval.metrics.text_metric import TextMetric
from metaeval.names import Call, parse_call
from metaeval.parameters import Description
from metaeval.plugins.conformance.case import Case, difference, short
from metaeval.plugins.conformance.findings import Finding, found
from metaeval.plugins.conformance.trial import Trial
from metaeval.plugins.functions import FunctionMetric, Shown
from metaeval.plugins.guards import GuardedTexts, GuardedTokens
from metaeval.plugins.program import Program
from metaeval.records import Corpus


def about_itself(trial: Trial, corpus: Corpus, case: Case | None) -> dict[str, Finding]:
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
    texts = corpus if case is None else case.corpus
    return {
        "signature": _signature(trial, texts),
        "hashing": _hashing(trial),
        "pickling": _pickling(trial),
        "arguments": _arguments(trial, texts, scored=case is not None),
        "standard output": _printing(trial),
    }


def _signature(trial: Trial, corpus: Corpus) -> Finding:
    own = str(trial.metric.signature)
    again = str(get_metric(trial.written).signature)
    if again != own:
        return found("two signatures", f"{own}, then {again}")
    tried, silent = 0, []
    for parameter, written, other in _other_metrics(trial.written, trial.metric):
        tried += 1
        if str(other.signature) == own:
            silent.append(parameter)
            if not _same_scores(trial, replace(trial, written=written, metric=other), corpus):
                return found("unsigned", f"{trial.written} and {written}: {own}", parameter=parameter)
    if not tried:
        return found("bare name")
    also = f"; {', '.join(dict.fromkeys(silent))} is not in it and changes no score" if silent else ""
    return found("signed", n=tried - len(silent), also=also)


def _same_scores(one: Trial, other: Trial, corpus: Corpus) -> bool:
    try:
        first, again = one.measure(corpus), one.measure(corpus)
    except MetricError:
        return True
    if difference(first, again) is not None:
        return True  # nothing can be said
    try:
        return difference(first, other.measure(corpus)) is None
    except MetricError:
        return False


def _other_metrics(written: str, metric: AnyMetric) -> Iterator[tuple[str, str, AnyMetric]]:
    """Give a metric with one parameter changed, in turn: the parameter, the name, and the metric.

    Every choice of a parameter is tried; of a number or a truth value, one other value. Those that the metric does not
    allow, and texts without choices, are left out.
    """
    if is_file(written):
        target, call = file_target(written)
        head = f"{target.place}:{target.name}"
    else:
        call = short_call(written) or parse_call(written)
        head = call.name
    for item in parameters_of(metric):
        for value in _other_values(item, call.arguments.get(item.name, _default(item))):
            name = str(Call(head, {**call.arguments, item.name: value}, ""))
            try:
                other = get_metric(name)
            except MetaevalError:
                continue
            yield item.name, name, other
            if not item.choices:
                break


def _default(item: Description) -> object:
    """Return the default of a parameter; of a function, what its text stands for."""
    if not isinstance(item.default, Shown):
        return None if item.default is MISSING else item.default
    try:
        value: object = ast.literal_eval(str(item.default))
    except (ValueError, SyntaxError):
        return None
    return value


def _other_values(item: Description, now: object) -> list[object]:
    if item.choices:
        return [choice for choice in item.choices if choice != now]
    if isinstance(now, bool):
        return [not now]
    if isinstance(now, int):
        return [now + 1, now - 1]
    return [now * 2 + 1, now / 2] if isinstance(now, float) else []


def _hashing(trial: Trial) -> Finding:
    try:
        hash(trial.metric)
    except TypeError as error:
        return found("unhashable", str(error))
    return found("hashed")


def _pickling(trial: Trial) -> Finding:
    own = trial.metric.signature
    try:
        other = pickle.loads(pickle.dumps(trial.metric)).signature
    except Exception as error:
        if isinstance(trial.metric, TextMetric):
            return found("never sent")
        return found("unsendable", f"{type(error).__name__}: {error}")
    return found("sent") if str(other) == str(own) else found("sent otherwise", f"{own}, then {other}")


def _arguments(trial: Trial, corpus: Corpus, *, scored: bool) -> Finding:
    metric = trial.metric
    if isinstance(metric, Program):
        return found("copies")
    if isinstance(metric, FunctionMetric):
        if not scored:
            return found("nothing scored")
        if metric.guard.changed:
            return found("changed copies", metric.guard.changed)
    elif changed := trial.changes(corpus):
        return found("changed", what=changed)
    return found("unchanged")


def _printing(trial: Trial) -> Finding:
    metric, out = trial.metric, trial.out
    if isinstance(metric, FunctionMetric | GuardedTexts | GuardedTokens):
        out = metric.guard.output
    if not out.printed:
        return found("silent")
    sample = out.sample.strip()
    return found("printing", f"{out.printed} characters" + (f", such as {short(sample)}" if sample else ""))
