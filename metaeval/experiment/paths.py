"""Paths in a config: absolute during a run, and relative or under ~ in its record, so that they hold elsewhere."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from metaeval.corpora.catalogue import known_corpora
from metaeval.corpora.mtme_pairs import tree_of
from metaeval.metrics.naming import with_path
from metaeval.parameters.named_objects import Held, Placed, written_of
from metaeval.runtime.files import shipped


def with_absolute_paths(content: Mapping[str, Any], base: Path) -> dict[str, Any]:
    """Return the content of a config with absolute paths; the name of a corpus that ships stays a name.

    Parameters
    ----------
    content : mapping
    base : Path
        The directory of relative paths of corpora, metrics and published numbers.
    """
    names = known_corpora()

    def corpus_at(text: Any) -> Any:
        if not isinstance(text, str) or text in names or isinstance(text, Held):
            return text
        path = base / Path(text).expanduser()
        return str(path.resolve()) if "/" in text or path.exists() or tree_of(path) is not None else text

    def metric_at(text: str) -> str:
        if isinstance(text, Placed):
            return text
        paths: list[Path] = []

        def noted_absolute(path: Path) -> str:
            paths.append(path)
            return str((base / path).resolve())

        absolute = with_path(text, noted_absolute)
        # A path to another directory, as in the config of a run, is no name for a metric: its file name is.
        is_elsewhere = any(path.is_absolute() or ".." in path.parts for path in paths)
        return Placed(absolute, with_path(text, lambda path: path.name) if is_elsewhere else text)

    def published_at(text: str) -> str:
        path = base / Path(text).expanduser()
        shipped_path = shipped("configs") / text
        return str((shipped_path if shipped_path.exists() and not path.exists() else path).resolve())

    return _placed(content, corpus_at, metric_at, published_at)


def with_relative_paths(content: Mapping[str, Any], base: Path) -> tuple[dict[str, Any], dict[str, str]]:
    """Return the content of a config, which has absolute paths, with paths from a directory that name no user.

    Parameters
    ----------
    content : mapping
    base : Path

    Returns
    -------
    dict
        The content.
    dict of str to str
        The new path of each absolute one.
    """
    home = Path.home().resolve()
    places: dict[str, str] = {}

    def from_base(path: Path) -> str:
        if path.is_relative_to(home) and not base.is_relative_to(home):
            places[str(path)] = f"~/{path.relative_to(home)}"
        else:
            places[str(path)] = os.path.relpath(path, base)
        return places[str(path)]

    def corpus_at(text: Any) -> Any:
        is_path = isinstance(text, str) and not isinstance(text, Held) and Path(text).is_absolute()
        return from_base(Path(text)) if is_path else text

    def metric_at(text: str) -> str:
        return str(text) if isinstance(text, Held) else with_path(str(text), from_base)

    def published_at(text: str) -> str:
        path = Path(text)
        configs = shipped("configs").resolve()
        return path.relative_to(configs).as_posix() if path.is_relative_to(configs) else from_base(path)

    return _placed(content, corpus_at, metric_at, published_at), places


def _placed(
    content: Mapping[str, Any],
    corpus_at: Callable[[Any], Any],
    metric_at: Callable[[str], str],
    published_at: Callable[[str], str],
) -> dict[str, Any]:
    """Return the content of a config with all paths in it changed."""

    def metrics_at(texts: list[str]) -> list[str]:
        metrics = [metric_at(text) for text in texts]
        names = [written_of(metric) for metric in metrics]
        return [
            Placed(str(metric), text) if names.count(name) > 1 and not isinstance(metric, Held) else metric
            for metric, name, text in zip(metrics, names, texts, strict=True)
        ]

    def placed(table: Any) -> Any:
        if not isinstance(table, Mapping):
            return table
        changed = dict(table)
        if isinstance(table.get("corpora"), list):
            changed["corpora"] = [corpus_at(name) for name in table["corpora"]]
        if isinstance(table.get("metrics"), list) and all(isinstance(name, str) for name in table["metrics"]):
            changed["metrics"] = metrics_at(table["metrics"])
        correlation = table.get("correlation")
        if isinstance(correlation, Mapping) and isinstance(texts := correlation.get("coefficients"), list):
            changed["correlation"] = {
                **correlation,
                "coefficients": [
                    metric_at(coefficient) if isinstance(coefficient, str) else coefficient for coefficient in texts
                ],
            }
        return changed

    placed_content: dict[str, Any] = placed(content)
    if isinstance(placed_content.get("published"), str) and placed_content["published"]:
        placed_content["published"] = published_at(placed_content["published"])
    if isinstance(placed_content.get("panels"), list):
        placed_content["panels"] = [placed(panel) for panel in placed_content["panels"]]
    if isinstance(placed_content.get("by_corpus"), Mapping):
        placed_content["by_corpus"] = {name: placed(table) for name, table in placed_content["by_corpus"].items()}
    return placed_content
