"""Objects in the place of names: functions and objects that score, corpora, data frames, whole configs."""

import numbers
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from metaeval.datamodel.columns import is_frame
from metaeval.errors import UsageError
from metaeval.parameters.arguments import names, path_of, shown
from metaeval.parameters.named_objects import Held, Placed, written_of

if TYPE_CHECKING:
    from metaeval.papers.config import PaperConfig

# Types that are never a metric, even where a value can be called.
_NEVER_METRICS = (bool, int, float, bytes, Path, type(None))


def metric_names(given: object) -> list[str]:
    """Return metrics as a config has them: names, beside which stand the objects that a caller gave.

    Parameters
    ----------
    given : object
        A name or an object that scores, several of them, or a mapping from what they shall be called to them.

    Raises
    ------
    UsageError
        If something is no metric, or two objects have the same name.
    MetricError
        If the code of an object fails.
    """
    if isinstance(given, (str, *_NEVER_METRICS)) or hasattr(given, "columns"):
        return names("metrics", given)
    if not isinstance(given, Iterable):
        return [_metric(given, "", "metrics")]
    is_named = isinstance(given, Mapping)
    if is_named and not all(isinstance(name, str) and name.strip() and name.isprintable() for name in given):
        raise UsageError(f"`metrics`: a metric is called by a text of one line; got {shown(list(given))}.")
    pairs: Iterable[tuple[Any, Any]] = given.items() if isinstance(given, Mapping) else enumerate(given)
    metrics = [_metric(metric, name if is_named else "", f"metrics[{name!r}]") for name, metric in pairs]
    written = [written_of(metric) for metric in metrics]
    for name in {written_of(metric) for metric in metrics if isinstance(metric, Held)}:
        if written.count(name) > 1:
            hint = f'metrics={{"{name}": ..., "{name}-2": ...}}'
            raise UsageError(f"`metrics`: two are called {name!r}; give each a name: {hint}.")
    return metrics


def _metric(metric: Any, name: str, position: str) -> str:
    from metaeval.metrics import is_built_in
    from metaeval.parameters.calls import Call

    if isinstance(metric, str):
        return Placed(metric, name) if name else metric
    if isinstance(metric, (*_NEVER_METRICS, numbers.Number)):
        hint = _hint(metric)
        raise UsageError(
            f"`{position}` must be a name, a function or an object that scores; got {shown(metric)}.{hint}"
        )
    if is_built_in(metric):
        parameters = [(item.name, getattr(metric, item.name), item.default) for item in fields(metric) if item.init]
        text = str(Call(metric.name, {key: value for key, value, default in parameters if value != default}, ""))
        return Placed(text, name or text)
    from metaeval.user_code.metric_from_object import held_metric

    try:
        return held_metric(metric, name)
    except UsageError as error:
        raise UsageError(f"`{position}`: {error}") from error


def _hint(given: object) -> str:
    """Return a hint for a caller who gave numbers in the place of metrics."""
    if not isinstance(given, numbers.Number):
        return ""
    return (
        " To correlate two lists of numbers, take metaeval.stats.pearson(x, y), spearman or kendall. To compare scores "
        "that you have, give them with the judgments, metaeval.corpus(judgments, scores={metric: {system: [...]}}), "
        "and name them 'precomputed:*'."
    )


def one_corpus(given: Any, argument: str = "corpus", *, source_format: str = "") -> Any:
    """Return a corpus that a caller gave as an object, identified by its content where it was changed.

    A table becomes a corpus, of judgments alone where it has no texts, and a name stays one.

    Raises
    ------
    UsageError
        If there is a `source_format` for what was read already.
    """
    from metaeval.datamodel.corpus import Corpus

    if is_frame(given):
        from metaeval.corpora.from_python import make_corpus

        how = source_format or "table"
        return make_corpus(given, location=argument, keyword="source_formats", source_format=how)
    if isinstance(given, Corpus) and source_format:
        raise UsageError(
            f"`source_formats` says how files and tables are read; got {source_format!r} for `{argument}`, a Corpus, "
            f"which was read before. Give it where the corpus is made: metaeval.corpus(table, "
            f"source_format={source_format!r}) or metaeval.load_corpus(path, source_formats={source_format!r})."
        )
    if isinstance(given, Corpus) and not given.as_read:
        from metaeval.corpora.from_python import digest_of

        given = replace(given, digest=digest_of(given))
    return given


def corpus_names(given: object, source_formats: Sequence[str] = ()) -> list[str]:
    """Return corpora as a config has them: names, beside which stand the objects that a caller gave.

    `source_formats` has a format for all, one for each, or none: then formats are recognised.
    """
    from metaeval.datamodel.corpus import Corpus

    several = isinstance(given, Iterable) and not isinstance(given, str | bytes | Mapping) and not is_frame(given)
    texts: list[str] = []
    items: Any = given if several else [given]
    for number, item in enumerate(items):
        position = f"corpora[{number}]" if several else "corpora"
        formats = source_formats if len(source_formats) == 1 else source_formats[number : number + 1]
        corpus = one_corpus(item, position, source_format="".join(formats))
        if isinstance(corpus, Corpus):
            texts.append(Held(corpus.name, corpus.digest, corpus))
        elif isinstance(corpus, str | Path):
            texts += names("corpora", corpus, path=True)
        else:
            raise UsageError(f"`{position}` must be a name or a path, a Corpus or a table; got {shown(corpus)}.")
    return texts


def config_of(given: Mapping[str, Any], *, keeps_none: bool = False) -> dict[str, Any]:
    """Return a config that was given as a mapping with plain values, and names for its corpora and metrics.

    A key whose value is None is left out, unless it `keeps_none`, which takes a key away from another config.
    """
    content: dict[str, Any] = {}
    for key, value in given.items():
        if not isinstance(key, str):
            raise UsageError(f'a config has keys of text, such as "metrics"; got {shown(key)}.')
        if key == "metrics" and not isinstance(value, str):
            content[key] = metric_names(value)
        elif key == "corpora" and not isinstance(value, str):
            content[key] = corpus_names(
                value, source_formats=names("source_formats", given.get("source_formats") or ())
            )
        elif value is not None or keeps_none:
            content[key] = _plain(value, keeps_none)
    return content


def _plain(value: Any, keeps_none: bool) -> Any:
    if isinstance(value, Mapping):
        return config_of(value, keeps_none=keeps_none)
    if isinstance(value, list | tuple):
        return [_plain(item, keeps_none) for item in value]
    if hasattr(value, "tolist"):  # numbers and arrays of numpy
        return value.tolist()
    return str(value) if isinstance(value, Path) else value


def loaded_config(
    config: object,
    corpora: object = (),
    source_formats: str | Iterable[str] = (),
    judges: str | Iterable[str] = (),
    require: str | None = None,
    metric_over: str | None = None,
    filter: str | Iterable[str] | Mapping[str, Any] = (),  # noqa: A002  # the name of the key
    overrides: str | Iterable[str] | Mapping[str, Any] = (),
) -> "PaperConfig":
    """Return the config that :func:`run` is given."""
    from metaeval.config.filters import filter_of
    from metaeval.papers.config import load_config

    must = "the name of a config, a TOML file, or a mapping of keys"
    others = config_of(
        {
            "judgments": {"judges": names("judges", judges) or None, "require": require, "metric_over": metric_over},
            "source_formats": names("source_formats", source_formats) or None,
            "filter": filter_of(filter),
        }
    )
    return load_config(
        config_of(config) if isinstance(config, Mapping) else path_of("config", config, must=must),
        overrides=[
            *(
                [config_of(overrides, keeps_none=True)]
                if isinstance(overrides, Mapping)
                else names("overrides", overrides)
            ),
            {key: value for key, value in others.items() if value},
        ],
        corpora=corpus_names(corpora, source_formats=names("source_formats", source_formats)),
    )
