"""How processes begin, and that waiting for them ends."""

from __future__ import annotations

import os
import subprocess
import sys
from types import ModuleType

import pytest

from tests.dashboard.jobs import harm
from tests.paths import ROOT
from tripletscope.dashboard.jobs import child
from tripletscope.dashboard.jobs.pool import Pool


@pytest.mark.parametrize("copies", {child.COPIES, False})
def test_processes_do_not_run_the_page_at_work(copies, tmp_path, monkeypatch):
    """To Streamlit it is the main module, which `multiprocessing` would load in each of them."""
    page, ran = tmp_path / "page.py", tmp_path / "ran"
    page.write_text(f"open({str(ran)!r}, 'w')")
    main = ModuleType("__main__")
    main.__file__ = str(page)
    monkeypatch.setitem(sys.modules, "__main__", main)
    monkeypatch.setattr(child, "COPIES", copies)
    pool = Pool()
    try:
        assert pool.call(harm.echo, 1) == 1
    finally:
        pool.close()
    assert not ran.exists()


@pytest.mark.skipif(not child.COPIES, reason="only Linux copies processes")
def test_what_is_for_the_session_of_the_server_is_not_for_its_processes():
    """Such as an interrupt at the terminal, or its part of a busy machine."""
    pool = Pool()
    try:
        with pool.taken() as process:
            assert os.getsid(process.pid) != os.getsid(0)
    finally:
        pool.close()


@pytest.mark.skipif(not child.COPIES, reason="only Linux copies processes")
def test_the_end_does_not_wait_for_what_gets_ready():
    code = """
import threading, time
from tripletscope.dashboard.jobs import child
from tripletscope.dashboard.jobs.pool import close_pool, pool

child.TEMPLATE = "tests.dashboard.jobs.slow"
refused = []

def take():
    try:
        pool()._source.take()
    except (child.Gone, OSError):
        refused.append(True)

thread = threading.Thread(target=take, daemon=True)
thread.start()
time.sleep(1)
assert thread.is_alive(), "it waits for the template"
close_pool()
thread.join(300)
print(refused)
"""
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True
    )
    assert done.stdout == "[True]\n", done.stderr
