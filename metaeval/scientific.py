"""The parts of scipy that are needed everywhere, loaded in half the time.

scipy looks at all names that numpy has. So numpy loads f2py, which translates Fortran and compiles 60 regular
expressions for that, unless the name stands for something already.
"""

from __future__ import annotations

import numpy as np

_names = vars(np)
_names.setdefault("f2py", None)
try:
    from scipy import sparse, special
finally:
    if _names["f2py"] is None:
        del _names["f2py"]

__all__ = ["sparse", "special"]
