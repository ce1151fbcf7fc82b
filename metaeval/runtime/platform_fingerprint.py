"""A fingerprint of this machine's rounding: the last bits of what its libraries compute."""

from __future__ import annotations

import functools
import hashlib

import numpy as np


@functools.cache
def fingerprint() -> str:
    """Return 16 digits that differ where a processor, or a library for it, rounds otherwise.

    numpy, scipy and their BLAS choose code for the processor they find, which adds in another order or takes another
    polynomial. Sums of whole numbers are the same everywhere; other numbers may differ in their last bits (decision
    18), so what was computed with another fingerprint is not taken for one's own.
    """
    # No generator of numpy's: what differs must be the arithmetic.
    n = np.arange(1, 48 * 97 + 1, dtype=np.float64)
    a = ((n * 7919 % 104729) / 104729 - 0.45).reshape(48, 97)
    positive = np.abs(a) + 0.01
    with np.errstate(all="ignore"):
        results = [
            a @ a.T,
            a[0] @ a[1],
            a.T @ a[:, 0],
            np.einsum("ij,kj->ik", a, a),
            a.sum(axis=0),
            a.sum(axis=1),
            a.std(axis=1, ddof=1),
            np.exp(a),
            np.log(positive),
            np.power(positive, 1.2),
            np.tanh(a),
            np.sqrt(positive),
            np.arctanh(np.clip(a, -0.9, 0.9)),
            np.linalg.solve(a[:, :48] + 2 * np.eye(48), a[:, 50]),
        ]
    return hashlib.sha256(b"".join(np.ascontiguousarray(result).tobytes() for result in results)).hexdigest()[:16]
