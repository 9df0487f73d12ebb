"""Where processes come from, and that it ends."""

from __future__ import annotations

import threading
import time
from dataclasses import replace

import pytest

from tests.dashboard.processes import slow
from tripletscope.dashboard.processes import starting
from tripletscope.dashboard.processes.starting import Supply
from tripletscope.dashboard.working.started import WORKERS


@pytest.mark.skipif(not starting.COPIES, reason="only Linux copies processes")
def test_the_end_does_not_wait_for_what_gets_ready():
    source, refused = Supply(replace(WORKERS, module=slow.__name__)), threading.Event()

    def take():
        with pytest.raises(OSError, match="about to end"):
            source.take()
        refused.set()

    threading.Thread(target=take, daemon=True).start()
    time.sleep(0.5)  # it waits for the one to copy
    begun = time.monotonic()
    source.close()
    assert refused.wait(10)
    assert time.monotonic() - begun < 10
