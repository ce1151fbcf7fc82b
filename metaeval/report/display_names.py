"""Display names of metrics, criteria, corpora and systems: those of the user, else those usual in the field."""

from __future__ import annotations

import functools
import itertools
import re
import tomllib
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from pathlib import Path
from typing import Any, get_args, get_origin

import numpy as np

from metaeval.components.registries import METRICS, PREPROCESSING
from metaeval.datamodel.corpus import CONSTANT, INTER_JUDGE
from metaeval.errors import UsageError, as_typed, unknown
from metaeval.metrics.naming import short_call
from metaeval.parameters.arguments import names
from metaeval.parameters.calls import parse_call
from metaeval.report.claim_words import with_labels
from metaeval.report.phrases import case_words, coefficient_words, preprocessing_words, quoted_name
from metaeval.report.titles_in_words import titles_in_words
from metaeval.results.model import RunData, ScoresWhenAsked
from metaeval.results.row_matching import meaning
from metaeval.results.rows import Claim
from metaeval.results.tables import hints_of
from metaeval.runtime.files import read_file

# What stands behind the title of a metric for a parameter that is written, with the value in the place of {}. Others
# are written as they are, and of many those beyond `_MAX_OTHERS` are counted.
_PARAMETER_NAMES: Mapping[str, str] = {
    "bleu.order": "-{}",
    "bleu.orders": ", n = {}",
    "bleu.length": ", {} reference",
    "bleu.mean": ", {} mean",
    "nist.order": "-{}",
    "nist.information=False": ", unweighted",
    "nist.brevity=False": ", no brevity penalty",
    "gtm.exponent": ", e={}",
    "gtm.mean": " {}",
    "rouge-w.weight": "-{}",
    "rouge-s.skip": "{}",
    "rouge-s.skip=None": "*",
    "wer.normalise": ", {} reference",
}
_MAX_OTHERS = 2


@functools.cache
def default_label(metric: str, *, brief: bool = True) -> str:
    """Return the name of a metric in the field: its title and the parameters that are written, ``GTM, e=2``.

    Parameters
    ----------
    metric : str
        As the run writes it. Of a metric from a file or a corpus its name there is left.
    brief : bool
        Whether many parameters that have no words of their own are counted, not listed: two metrics can then be called
        the same.
    """
    try:
        call = short_call(metric) or parse_call(metric)
    except UsageError:
        # The object of a file of Python, without the file.
        return re.sub(r"^[^(]*:", "", metric) or metric
    arguments = dict(call.arguments)
    # How scores are read is no part of a name.
    arguments.pop("higher_is_better", None)
    if call.name in ("precomputed", "scores"):
        file = Path(str(arguments.pop("file", ""))).stem
        title = str(arguments.pop("name", "") or arguments.pop("metric", "") or file)
    elif call.name == "program":
        return str(arguments.get("name") or arguments.get("command", metric))
    elif call.name in METRICS:
        title = str(METRICS[call.name].title)
    else:
        return "constant metric" if metric == CONSTANT else metric
    parts = []
    others = []
    for name, value in arguments.items():
        template = _PARAMETER_NAMES.get(f"{call.name}.{name}={value}") or _PARAMETER_NAMES.get(f"{call.name}.{name}")
        if template is not None:
            parts.append(template.format(_value_words(value)))
        elif value is None or isinstance(value, bool):
            others.append(f", {'' if value else 'no '}{name.replace('_', ' ')}")
        else:
            others.append(f", {name.replace('_', ' ')}={_value_words(value)}")
    if brief and len(others) > _MAX_OTHERS + 1:
        others[_MAX_OTHERS:] = [f", {len(others) - _MAX_OTHERS} other settings"]
    # What belongs to the name stands right behind it: BLEU-1, shortest reference.
    return "".join([title, *sorted(parts, key=lambda part: part.startswith(",")), *others])


def _value_words(value: object) -> str:
    """Return the value of a parameter in a label; consecutive numbers by the first and the last."""
    if not isinstance(value, list | tuple):
        return str(value)
    is_range = len(value) > 2 and all(isinstance(item, int) for item in value)
    if is_range and [*value] == [*range(value[0], value[-1] + 1)]:
        return f"{value[0]} to {value[-1]}"
    *first, last = map(str, value) if value else [""]
    return f"{', '.join(first)} and {last}" if first else last


def labels_of(metrics: Iterable[str], user_labels: Mapping[str, str]) -> dict[str, str]:
    """Return a label for each metric, the user's where there is one.

    Labels of metrics that would be called the same list all parameters, and those whose scores came with a corpus are
    ``BLEU (stored)``; where that does not tell them apart, they are called as they are written.
    """
    labels = {name: user_labels.get(name, default_label(name)) for name in dict.fromkeys(metrics)}
    counts = Counter(labels.values())
    for name, label in labels.items():
        if counts[label] > 1 and name not in user_labels:
            labels[name] = default_label(name, brief=False)
    counts = Counter(labels.values())
    for name, label in labels.items():
        if counts[label] > 1 and name not in user_labels and name.startswith(("precomputed:", "precomputed(")):
            labels[name] = f"{label} (stored)"
    counts = Counter(labels.values())
    return {name: label if name in user_labels or counts[label] == 1 else name for name, label in labels.items()}


def assigned(texts: Iterable[str], form: str) -> dict[str, str]:
    """Parse texts such as ``gtm(exponent=1)=F, e=1``: the first ``=`` outside of brackets counts.

    Parameters
    ----------
    texts : iterable of str
    form : str
        What a text must look like, for messages.

    Raises
    ------
    UsageError
        If a text has no such sign.
    """
    labels = {}
    for text in texts:
        depths = itertools.accumulate((sign in "([") - (sign in ")]") for sign in text)
        index = next(
            (k for k, (sign, depth) in enumerate(zip(text, depths, strict=True)) if sign == "=" and not depth), 0
        )
        if not index:
            raise UsageError(f"{form}; got {text!r}.")
        labels[text[:index].strip()] = text[index + 1 :].strip()
    return labels


def labels_given(labels: Mapping[str, str] | str | Iterable[str]) -> dict[str, str]:
    """Return the labels that a caller gave: a table, texts as for :func:`assigned`, or the path of a TOML file of them.

    Raises
    ------
    UsageError
        If a text is no label, or the file has none.
    """
    if isinstance(labels, Mapping):
        return dict(labels)
    texts = names("labels", labels)
    option = as_typed(terminal="--label", python="`labels`")
    all_labels: dict[str, str] = {}
    for path in [Path(text) for text in texts if text.endswith(".toml") and "=" not in text]:
        try:
            content = tomllib.loads(read_file(path).decode("utf-8"))
        except (OSError, ValueError) as error:
            raise UsageError(f"{option} {path}: cannot be read as TOML: {error}.") from error
        file_labels = content.get("labels", content)
        if not isinstance(file_labels, dict) or not all(isinstance(label, str) for label in file_labels.values()):
            raise UsageError(f'{option} {path}: must have a table [labels] of texts, such as bleu = "BLEU".')
        all_labels |= file_labels
    others = [text for text in texts if not (text.endswith(".toml") and "=" not in text)]
    return all_labels | assigned(
        others, "a label is NAME=LABEL, such as 'gtm(exponent=1)=F, e=1', or a TOML file of them"
    )


# Where rows, grids and what is said of them name metrics, criteria, corpora and systems.
_NAME_FIELDS = {
    *("metric", "metric_a", "metric_b", "better", "worse", "baselines", "criterion", "criteria", "corpus", "corpora"),
    *("name", "system", "systems", "names", "left_out", "segments", "judgments"),
}
# Where they have the title of a task or panel.
_TITLE_FIELDS = {"panel", "task"}
# What says in words what claims of a paper are about, besides their statement.
_CLAIM_FIELDS = ("chosen", "why", "compared")
# What has no name in it; most values are numbers.
_NAMELESS_TYPES = {int, float, bool, type(None), np.ndarray}
_TEXT_TYPES = {str, *_NAMELESS_TYPES}


def labels_shown(run: RunData) -> dict[str, str]:
    """Return what people read for names of a run, those of the user before others.

    What two names would share, or is the name of another, is no label here, for a table would take them for one.
    """
    run_names = known_names(run)
    user_labels = {name: label for name, label in run.labels.items() if name in run_names and label != name}
    counts = Counter([*user_labels.values(), *run_names, CONSTANT, INTER_JUDGE])
    shown_labels = {name: label for name, label in user_labels.items() if counts[label] == 1}
    with_examples = [*metrics_of(run), *(row.metric for row in run.tables.examples)]
    metrics = [name for name in dict.fromkeys(with_examples) if name not in shown_labels]
    taken = {*run_names, CONSTANT, INTER_JUDGE, *shown_labels.values()}
    return shown_labels | {
        name: label for name, label in labels_of(metrics, {}).items() if label != name and label not in taken
    }


def labels_in_messages(run: RunData) -> dict[str, str]:
    """Return what people read for names and for titles of tasks and panels in the messages of a run."""
    return {**titles_in_words(run), **labels_shown(run)}


def messages_with_labels(messages: Iterable[str], labels: Mapping[str, str]) -> list[str]:
    """Return messages with labels for the names before their first statement: ``demo, BLEU: 3 of 9 ...``.

    What stands in quotes is as it is typed.

    Parameters
    ----------
    messages : iterable of str
    labels : mapping of str to str
        From a name to what people read.
    """
    if not labels:
        return [*messages]
    # Messages of a run name a file by its last part.
    labels = {**{re.sub(r"^[^(:]*/", "", name): label for name, label in labels.items()}, **labels}
    names = "|".join(map(re.escape, sorted(labels, key=len, reverse=True)))
    pattern = re.compile(rf"(?<![\w:/.`'\"])(?:{names})(?=[,:;.)](?:\s|$)|$| and | or )")

    def worded(message: str) -> str:
        return type(message)(pattern.sub(lambda match: labels[match[0]], message))

    return [*map(worded, messages)]


def labels_of_two(old: RunData, new: RunData) -> dict[str, str]:
    """Return labels for the names of two runs that are shown side by side.

    A metric that both runs have is called the same, however each writes it. What the two users call differently, or
    what would be called as another metric is in one of the runs, is called as it is written.

    Parameters
    ----------
    old, new : RunData

    Returns
    -------
    dict of str to str
        From the names that are written in another way.
    """
    # The new run first: where both have a name of their own, its way of writing is taken.
    runs = (new, old)
    names_of_run = [{name: meaning("metric", name) for name in [*known_names(run), *metrics_of(run)]} for run in runs]
    labels_of_run = [labels_shown(run) for run in runs]
    written: dict[Any, str] = {}
    candidates: dict[Any, list[tuple[str, bool]]] = {}
    meanings: dict[str, set[Any]] = {}
    for run, names_of_one, labels in zip(runs, names_of_run, labels_of_run, strict=True):
        for name, meant in names_of_one.items():
            written.setdefault(meant, name)
            label = labels.get(name, name)
            for text in (name, label):
                meanings.setdefault(text, set()).add(meant)
            is_of_user = label != name and run.labels.get(name) == label
            candidates.setdefault(meant, []).append((label, is_of_user))
    shown = {}
    for meant, labels_of_meaning in candidates.items():
        of_user = list(dict.fromkeys(label for label, is_of_user in labels_of_meaning if is_of_user))
        label = of_user[0] if of_user else labels_of_meaning[0][0]
        is_clear = len(of_user) < 2 and len(meanings[label]) == 1
        shown[meant] = label if is_clear else written[meant]
    return {
        name: shown[meant]
        for names_of_one in names_of_run
        for name, meant in names_of_one.items()
        if shown[meant] != name
    }


def labelled(run: RunData) -> RunData:
    """Return a run as people read it: with labels in its tables, grids and texts, and the titles of tasks in words."""
    shown_labels = labels_shown(run)
    words = _Words(shown_labels, titles_in_words(run))
    if not shown_labels and not words.titles and not run.tables.claims:
        return run
    tables = {**vars(run.tables), "claims": labelled_claims(run, shown_labels)}
    parts = ("grids", "judgments", "corpora", "settings", "disagreements", "facts")
    return replace(
        run,
        labels={**words.titles, **shown_labels},
        tables=replace(run.tables, **{name: _with_words(rows, words) for name, rows in tables.items()}),
        scores=ScoresWhenAsked(lambda: _with_words(list(run.scores), words)),
        **{name: _with_words(getattr(run, name), words) for name in parts},
    )


def labelled_claims(run: RunData, labels: Mapping[str, str]) -> list[Claim]:
    """Return the claims of a paper with labels, and preprocessing and coefficients in words."""
    keys = [row.key for row in run.tables.correlations]
    words = {name: quoted_name(labels[name]) for key in keys for name in (key.metric, key.criterion) if name in labels}
    words |= {
        name: case_words(name) if name in PREPROCESSING else preprocessing_words(name)
        for name in {key.preprocessing for key in keys if key.preprocessing}
    }
    words |= {key.coefficient: coefficient_words(key.coefficient) for key in keys}
    # "case kept" has its words, and "case" is none of them.
    pattern = re.compile(
        "|".join(rf"(?<![\w:]){re.escape(name)}(?! kept|[\w(])" for name in sorted(words, key=len)[::-1])
    )

    def labelled_claim(row: Claim) -> Claim:
        texts: dict[str, Any] = {
            name: pattern.sub(lambda match: words[match[0]], getattr(row, name)) for name in _CLAIM_FIELDS
        }
        return replace(row, statement=with_labels(row.statement, labels), **texts)

    # Without correlations there are no names to replace.
    return [*map(labelled_claim, run.tables.claims)] if words else list(run.tables.claims)


@dataclass(frozen=True)
class _Words:
    """The words that people read in place of names, and of titles of tasks and panels."""

    names: Mapping[str, str]
    titles: Mapping[str, str]

    def text(self, value: str, where: str) -> str:
        """Return the words for a text in a field; itself where it is no name there."""
        if where in _TITLE_FIELDS:
            return self.titles.get(value, value)
        return self.names.get(value, value) if where in _NAME_FIELDS else value


def _with_words(value: Any, words: _Words, where: str = "") -> Any:
    """Return a value of a run with words for names and titles, where it is said to be one; itself without any."""
    kind = type(value)
    if kind is str:
        return words.text(value, where)
    if kind in _NAMELESS_TYPES:
        return value
    if is_dataclass(kind):
        values = vars(value)
        called = {name: _with_words(values[name], words, name) for name in _name_fields_of(kind)}
        if all(called[name] is values[name] for name in called):
            return value
        return kind(**{**{item.name: values[item.name] for item in fields(kind)}, **called})
    if isinstance(value, Mapping):
        # Systems stand in lists by their corpus.
        field_of_key = {
            key: key if key in _NAME_FIELDS or not isinstance(inner, list) else where for key, inner in value.items()
        }
        return {
            _with_words(name, words, where): _with_words(inner, words, field_of_key[name])
            for name, inner in value.items()
        }
    if not isinstance(value, list | tuple) or (where not in _NAME_FIELDS and {*map(type, value)} <= _TEXT_TYPES):
        return value
    return kind(_with_words(inner, words, where) for inner in value)


@functools.cache
def _name_fields_of(kind: type[Any]) -> tuple[str, ...]:
    """Return the fields of a record that can hold a name, by their types: the fewest of them."""
    hints = {
        name: {get_origin(part) or part for part in get_args(hint) or [hint]} for name, hint in hints_of(kind).items()
    }
    records = {part for hint in hints.values() for part in hint if isinstance(part, type) and is_dataclass(part)}
    nameless = {*_TEXT_TYPES, *(record for record in records if not _name_fields_of(record))}
    names = _NAME_FIELDS | _TITLE_FIELDS
    return tuple(name for name, hint in hints.items() if name in names or not hint <= nameless)


def metrics_of(run: RunData) -> list[str]:
    """Return the metrics of a run, without a constant one and the line of judges, as it writes them."""
    tables = run.tables
    names = [row.key.metric for row in tables.correlations if not row.key.is_of_judges]
    names += [row.metric for row in tables.tasks] + [row.metric for row in tables.averages]
    return [name for name in dict.fromkeys(names) if name != CONSTANT]


def known_names(run: RunData) -> list[str]:
    """Return all that a label can be given to: metrics, criteria, corpora and systems."""
    keys = [row.key for row in run.tables.correlations]
    names = [name for key in keys for name in (key.metric, key.criterion, key.corpus)]
    names += [row.metric for row in run.tables.tasks]
    return [*dict.fromkeys(names), *dict.fromkeys(system for grid in run.grids for system in grid.systems)]


def check_labels(labels: Mapping[str, str], known: Iterable[str]) -> None:
    """Check that all that is labelled is there.

    Raises
    ------
    UsageError
        If a name is none of a metric, criterion, corpus or system.
    """
    names = list(dict.fromkeys(known))
    for name in labels:
        if name not in names:
            raise UsageError(f"`labels`: {unknown('name', name, names)}")
