"""Helpers of coefficients and tests: sums of products, parts of a loop, ties in spite of rounding, one scale."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from metaeval.datamodel.corpus import FloatArray


def sums_of_products(x: FloatArray, y: FloatArray) -> FloatArray:
    """Return the sums of products of (..., n) along the last axis: (...), each the same bits alone and among others.

    Where numpy adds several rows, it adds those that are longer than its buffer in pieces, and one alone as a whole.
    """
    if x.shape[-1] <= np.getbufsize():
        return np.asarray(np.einsum("...i,...i->...", x, y))
    x, y = np.broadcast_arrays(x, y)
    sums = np.empty(x.shape[:-1])
    for index in np.ndindex(sums.shape):
        sums[index] = np.einsum("i,i->", x[index], y[index])
    return sums


def parts(n: int, step: int) -> Iterator[slice]:
    """Yield the places of n things, so many at once: what is held at once bounds the memory."""
    return (slice(start, start + step) for start in range(0, n, step))


def snapped(values: FloatArray, tolerance: float) -> FloatArray:
    """Make values equal that stand so close along the last axis that rounding may have separated them.

    Parameters
    ----------
    values : (..., n) float array
    tolerance : float
        Neighbours in size that differ by no more become equal to the least of their run.

    Returns
    -------
    (..., n) float array
    """
    order = np.argsort(values, axis=-1, kind="stable")
    ordered = np.take_along_axis(values, order, axis=-1)
    starts = np.zeros(values.shape, dtype=np.intp)
    starts[..., 1:] = np.where(np.diff(ordered, axis=-1) > tolerance, np.arange(1, values.shape[-1]), 0)
    np.maximum.accumulate(starts, axis=-1, out=starts)
    result = np.empty_like(values)
    np.put_along_axis(result, order, np.take_along_axis(ordered, starts, axis=-1), axis=-1)
    return result


def on_one_scale(*metrics: FloatArray) -> list[FloatArray]:
    """Standardise metrics, each over all its cells; a constant one becomes 0."""
    done: list[FloatArray] = []
    rounding = 0.0
    for values in metrics:
        largest = float(np.abs(values).max(initial=0.0))
        scaled = values / largest if largest > 0 else values
        if not values.size or (scaled == scaled.flat[0]).all() or not (spread := float(scaled.std())):
            done.append(np.zeros(values.shape))
            continue
        centre = float(scaled.mean())
        done.append((scaled - centre) / spread)
        rounding = max(rounding, float(np.abs(done[-1]).max()) + abs(centre) / spread)
    # One metric in two units, such as 0 to 1 and 0 to 100, has the same standard scores but for rounding, which must
    # not decide which of two equal scores is the greater.
    rounded = snapped(np.concatenate([values.ravel() for values in done]), 4.0 * np.finfo(np.float64).eps * rounding)
    bounds = np.cumsum([values.size for values in done])[:-1]
    return [part.reshape(values.shape) for part, values in zip(np.split(rounded, bounds), done, strict=True)]
