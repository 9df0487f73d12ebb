"""Nothing leaves the machine: neither names to look up nor anything else, whatever page is open."""

from __future__ import annotations

import shutil
import subprocess
import sys

import pytest

from tests.browser import needs_browser
from tests.paths import ROOT


def can_be_alone() -> bool:
    """Whether a process may have a network and a view of the files of its own."""
    if shutil.which("unshare") is None or shutil.which("ip") is None:
        return False
    alone = subprocess.run(
        ["unshare", "--net", "--mount", "ip", "link", "set", "lo", "up"], capture_output=True
    )
    return alone.returncode == 0


@needs_browser
@pytest.mark.skipif(
    not can_be_alone(), reason="a network of its own takes Linux, its superuser, ip and unshare"
)
def test_no_packet_leaves_the_machine(tmp_path):
    done = subprocess.run(
        ["unshare", "--net", "--mount", sys.executable, "-m", "tests.journeys.alone", tmp_path],
        cwd=ROOT, capture_output=True, text=True, timeout=1200,
    )
    assert done.returncode == 0, done.stderr
    ours, on_purpose = map(int, done.stdout.split())
    assert on_purpose >= 2, "something that leaves is counted"
    assert ours == 0
