"""Description of a corpus in a few lines."""

from __future__ import annotations

from typing import TypedDict

import numpy as np

from metaeval.datamodel.corpus import Corpus, JudgeGroup
from metaeval.errors import counted, judgments_per_item


class CriterionRow(TypedDict):
    """A row for a criterion of a corpus.

    Attributes
    ----------
    criterion : str
        Its name.
    low, high : float or str
        The range of scores; ``unknown`` where it is.
    better : str
        ``higher`` or ``lower``.
    judgments, judges : int
        How many there are.
    mean : float or None
        Of all scores; None without judgments.
    judgments_an_item : str
        How many items (a system's text of a segment) have so many judgments: ``1: 40, 2: 80``.
    """

    criterion: str
    low: float | str
    high: float | str
    better: str
    judgments: int
    judges: int
    mean: float | None
    judgments_an_item: str


def facts(corpus: Corpus) -> dict[str, str]:
    """Return the description of a corpus: title, systems, references, judges, notes."""
    tokens = [len(text.split()) for texts in corpus.references.values() for text in texts if text is not None]
    lengths = f"{np.mean(tokens):.1f} words on average, {min(tokens)} to {max(tokens)}" if tokens else "none"
    per_segment = np.array([[text is not None for text in texts] for texts in corpus.references.values()]).sum(axis=0)
    limits = dict.fromkeys((per_segment.min(), per_segment.max())) if len(corpus.references) else ()
    n_references = f", {' to '.join(map(str, limits))} a segment" if limits else ""
    missing = sum(text is None for texts in corpus.candidates for text in texts)
    levels: dict[str, list[str]] = {}
    for scores in corpus.scores:
        levels.setdefault(scores.name, []).append(scores.level)
    described = {
        "name": corpus.name,
        "title": corpus.title,
        "systems": f"{len(corpus.systems)} ({', '.join(corpus.systems)})",
        "segments": str(corpus.n_segments) + (f"; {missing} outputs are missing" if missing else ""),
        "documents": "unknown" if corpus.documents is None else str(len(set(corpus.documents))),
        "sources": "no" if corpus.sources is None else "yes",
        "references": f"{len(corpus.references)} ({', '.join(corpus.references)}){n_references}; {lengths}"
        if corpus.references
        else "none",
        "judgments": f"{len(corpus.judgments)} by {counted(len(corpus.judgments.judges), 'judge')}",
        "judge groups": "; ".join(map(_group, corpus.judge_groups)),
        "scores": ", ".join(f"{name} ({', '.join(names)})" for name, names in levels.items()),
        "facts of segments": ", ".join(f"{name} ({len(set(values))})" for name, values in corpus.segment_facts.items()),
        "error spans": ""
        if corpus.spans is None
        else f"{len(corpus.spans)} by {counted(len(corpus.spans.judges), 'judge')}",
        **corpus.facts,
        "digest": corpus.digest,
    }
    return {key: value for key, value in described.items() if value}


def _group(group: JudgeGroup) -> str:
    marks = []
    if group.default:
        marks.append("the default")
    if not group.persons:
        marks.append("slots that different annotators filled")
    remark = f" ({', '.join(marks)})" if marks else ""
    return f"{group.name}{remark}: {', '.join(group.judges)}"


def criteria(corpus: Corpus) -> list[CriterionRow]:
    """Return a row for each criterion: range, direction, judgments, and how often an item was judged."""
    rows = []
    judgments = corpus.judgments
    shape = (len(corpus.systems), corpus.n_segments)
    for position, criterion in enumerate(corpus.criteria):
        chosen = judgments.where(judgments.criterion == position)
        items = np.bincount(np.ravel_multi_index((chosen.system, chosen.segment), shape), minlength=shape[0] * shape[1])
        counts = np.bincount(items)
        rows.append(
            CriterionRow(
                criterion=criterion.name,
                low=criterion.low if np.isfinite(criterion.low) else "unknown",
                high=criterion.high if np.isfinite(criterion.high) else "unknown",
                better="higher" if criterion.higher_is_better else "lower",
                judgments=len(chosen),
                judges=len(np.unique(chosen.judge)),
                mean=float(chosen.score.mean()) if len(chosen) else None,
                judgments_an_item=judgments_per_item({k: n for k, n in enumerate(counts.tolist()) if n}),
            )
        )
    return rows
