"""``python -m metaeval`` is the command ``metaeval``."""

import os
import sys

# `-m` puts the current directory first, where anything may lie; it stays, behind all else, where metaeval itself does.
if not sys.flags.safe_path and sys.path[0] == os.getcwd():
    here = sys.path.pop(0)
    if os.path.dirname(os.path.dirname(__file__)) == here:
        sys.path.append(here)

from metaeval.cli import main

sys.exit(main())
