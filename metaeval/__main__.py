"""``python -m metaeval`` is the command ``metaeval``."""

import sys

from metaeval.cli import main

sys.exit(main())
