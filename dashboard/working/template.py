"""The process that others are copies of. Importing it is its work; see `processes.child`.

It never reads a stranger's bytes, and leaves no thread.
"""

import os
import signal
from contextlib import suppress
from importlib import import_module

# An interrupt at the terminal is for the server, also while this is loaded; and Linux hands out
# processors by session: on a busy machine the server would have to share its part with this.
signal.signal(signal.SIGINT, signal.SIG_IGN)
with suppress(OSError):  # it has one already
    os.setsid()

import_module("tripletscope.dashboard.door.questions").get_ready()
_prepare = import_module("tripletscope.dashboard.working.prepare")
_prepare.compile_embeddings()  # the first job is one, as a rule
_prepare.forget_what_stays()  # or it would write to memory that copies share
