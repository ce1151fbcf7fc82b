"""The parts of scipy that are needed everywhere, loaded in half the time.

scipy looks at all names that numpy has, and so loads what numpy would load when it is asked for: f2py, which translates
Fortran, what its tests need, and others that nothing here uses. A name that stands for something already is not loaded.
"""

from __future__ import annotations

import numpy as np

_UNUSED_NUMPY_PARTS = ("char", "core", "ctypeslib", "f2py", "ma", "polynomial", "rec", "strings", "testing")
_names = vars(np)
for _name in _UNUSED_NUMPY_PARTS:
    _names.setdefault(_name, None)
try:
    from scipy import sparse, special
finally:
    for _name in _UNUSED_NUMPY_PARTS:
        if _names[_name] is None:
            del _names[_name]

__all__ = ["sparse", "special"]
