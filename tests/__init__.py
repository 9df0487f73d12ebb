"""Tests. They load the compiled code that the command has prepared.

Where a file of core has changed since, only what is in that file is compiled anew, beside it.
Linear algebra has one thread: matrices are small, and threads that wait for each other keep the
cores of the tests beside busy.
"""

import os

from tripletscope.dashboard.serve.cli import compiled_folder

if compiled_folder().is_dir():
    os.environ.setdefault("NUMBA_CACHE_DIR", str(compiled_folder()))  # before numba is loaded
for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):  # before numpy is loaded
    os.environ.setdefault(variable, "1")
