"""Tests. Compiled code is kept beside its source by every process, servers of tests included.

Where a file of core has changed, only what is in that file is compiled anew. A server that is not
told otherwise keeps it by the state of the whole source: it would compile everything once more.
Linear algebra has one thread: matrices are small, and threads that wait for each other keep the
cores of the tests beside busy.
"""

import os

os.environ.setdefault("NUMBA_CACHE_DIR", "")  # before numba is loaded
for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):  # before numpy is loaded
    os.environ.setdefault(variable, "1")
