"""What processes are copied of, where they are. Loading it is what it does; see `processes.child`.

Nothing that a stranger wrote is ever read here, and no thread is left over.
"""

import signal

from tripletscope.dashboard.door import questions
from tripletscope.dashboard.working import prepare

signal.signal(signal.SIGINT, signal.SIG_IGN)  # an interrupt at the terminal is for the server
questions.get_ready()
prepare.compile_embeddings()  # the first job is one, as a rule
prepare.forget_what_stays()  # or it would write to memory that copies share
