"""Compiled loops: arrays in, arrays out.

Each kernel does faster what a plain definition in Python does, and gives the same bits, which tests check. That
definition is the code of the caller that runs where the kernel returns None: for metrics `compare` in
`metaeval/metrics/`, else the lines after the call. There is one exception to the same bits: soft pairwise accuracy
takes p-values from a table where the plain definition calls scipy, and differs in its last digits (by less than 1e-14).
Where nothing could be compiled when metaeval was installed, `COMPILED` is None and the plain definitions serve.
``METAEVAL_REQUIRE_KERNELS=1`` makes that an error, ``METAEVAL_REQUIRE_KERNELS=0`` uses the plain definitions anyway.
"""

from __future__ import annotations

import importlib
import os
from pathlib import Path
from types import ModuleType

from metaeval.errors import UsageError

VARIABLE = "METAEVAL_REQUIRE_KERNELS"


def _load() -> ModuleType | None:
    wanted = os.environ.get(VARIABLE, "")
    if wanted not in ("", "0", "1"):
        raise UsageError(f"the environment variable {VARIABLE} must be 0 or 1; got {wanted!r}.")
    if wanted == "0":
        return None
    try:
        module = importlib.import_module("metaeval.kernels._compiled")
    except ImportError as error:
        if wanted == "1":
            raise UsageError(
                f"{VARIABLE}=1, but the compiled kernels are not there ({error}); install metaeval again where a C "
                "compiler is found."
            ) from error
        return None
    compiled = Path(str(module.__file__))
    if changed := changed_since(compiled):
        raise UsageError(
            f"the compiled kernels are older than {changed}, and may give other numbers than it would; type "
            f"`pip install -e {compiled.parents[2]}`."
        )
    return module


def changed_since(compiled: Path) -> str:
    """Return the name of a source beside the compiled kernels that is newer than they are; "" where none is.

    Only who develops metaeval has sources there.
    """
    made = compiled.stat().st_mtime
    sources = (source for source in os.scandir(compiled.parent) if source.name.endswith((".c", ".h")))
    return min((source.name for source in sources if source.stat().st_mtime > made), default="")


COMPILED = _load()


def missing() -> str | None:
    """Return a sentence for the user if the compiled kernels are not used, or None if they are.

    It belongs to the warnings of every result that kernels compute.
    """
    if COMPILED is not None:
        return None
    why = (
        f"{VARIABLE} is 0"
        if os.environ.get(VARIABLE) == "0"
        else "they could not be compiled when metaeval was installed; install it again where a C compiler is found"
    )
    # Measured on webnlg2020-en: BLEU, WER, PER, ROUGE-L, GTM and NIST, and TER apart.
    return (
        f"the compiled kernels are not used ({why}); plain Python takes about 7 times as long to score and about 3 "
        "times to compare, with TER about 60 and 20 times, and soft pairwise accuracy differs in its last digits."
    )
