"""The process that others are copies of. Importing it is its work; see `jobs.child`.

It never reads a stranger's bytes, and leaves no thread.
"""

import os
import signal
from contextlib import suppress
from importlib import import_module

# Interrupts at the terminal are for the server, and Linux divides processors by session: this
# process must not share the server's part.
signal.signal(signal.SIGINT, signal.SIG_IGN)
with suppress(OSError):  # it has its own session already
    os.setsid()

import_module("tripletscope.dashboard.sandbox.questions").get_ready()
_prepare = import_module("tripletscope.dashboard.jobs.prepare")
_prepare.compile_embeddings()  # most first jobs are maps
_prepare.forget_what_stays()  # or copies would not share the memory
