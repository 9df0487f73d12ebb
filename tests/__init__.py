"""Tests. They load the compiled code that the command has prepared.

Where a file of core has changed since, only what is in that file is compiled anew, beside it.
"""

import os

from tripletscope.dashboard.serving.cli import compiled_folder

if compiled_folder().is_dir():
    os.environ.setdefault("NUMBA_CACHE_DIR", str(compiled_folder()))  # before numba is loaded
