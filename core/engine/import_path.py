"""Where another process finds what this one imports."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import tripletscope


def import_path() -> list[str]:
    """Absolute folders; that of this package comes first, and the working directory is none."""
    own = Path(tripletscope.__file__).resolve().parent.parent
    # Others than texts are ignored by Python, too.
    return [str(own), *(os.path.abspath(p) for p in sys.path if isinstance(p, str) and p)]
