"""The bitext grid of one segment: preprocess, match, score."""

from __future__ import annotations

from collections.abc import Sequence

from metaeval.errors import UsageError
from metaeval.metrics import get_metric
from metaeval.metrics.gtm import Gtm
from metaeval.metrics.segments import segment_ids
from metaeval.report.grid import Block, Grid
from metaeval.text.encoding import encode
from metaeval.text.preprocessing import Preprocessing


def make_grid(candidate: str, references: Sequence[str], preprocessing: Preprocessing, metric: str) -> Grid:
    """Return the bitext grid of a segment with the matching that a metric chooses.

    Parameters
    ----------
    candidate : str
    references : sequence of str
        One at least.
    preprocessing : Preprocessing
    metric : str
        ``gtm`` with its parameters.

    Raises
    ------
    UsageError
        If there is no reference, or the metric is another or its parameters are wrong.
    """
    if not references:
        raise UsageError("a grid needs at least one reference; got none.")
    gtm = get_metric(metric)
    if not isinstance(gtm, Gtm):
        raise UsageError(f"a grid shows the matching of the metric 'gtm'; got {metric!r}.")
    texts = encode(preprocessing, [[candidate], *([text] for text in references)])
    ids = [next(iter(segment_ids(text))) for text in texts]
    alignment = gtm.align(ids[0], ids[1:])
    statistics = gtm.statistics(texts[0], gtm.prepare(texts[1:]))
    return Grid(
        candidate=texts[0].tokens[0],
        references=tuple(text.tokens[0] for text in texts[1:]),
        hits=tuple(sorted((run.candidate + k, run.reference + k) for run in alignment.runs for k in range(run.length))),
        blocks=tuple(Block(run.length, hits, run.candidate, run.reference) for run, hits in alignment.chosen),
        cap=alignment.cap,
        metric=metric,
        signature=str(gtm.signature.with_pairs(preprocessing.signature.items)),
        size=float(statistics[0, 0]),
        **{mean: float(_mean(gtm, mean).score(statistics)[0]) for mean in ("precision", "recall", "f")},
        proven=alignment.proven,
    )


def _mean(metric: Gtm, mean: str) -> Gtm:
    return Gtm(exponent=metric.exponent, search=metric.search, cap=metric.cap, mean=mean, time_limit=metric.time_limit)
