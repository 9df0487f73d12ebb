"""One process holds a workspace; others are told which, and no ended one is in the way."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tripletscope.dashboard.files.errors import WorkspaceError
from tripletscope.dashboard.store import holding
from tripletscope.dashboard.store.holding import Held, Hold
from tripletscope.dashboard.store.workspace import Workspace

OTHER = """
import os, sys
from pathlib import Path
from tripletscope.dashboard.store.holding import Hold

hold = Hold(Path(sys.argv[1]))
hold.announce("http://localhost:8888")
if sys.argv[2:] == ["fork"]:
    hear, say = os.pipe()
    if os.fork() == 0:
        os.close(1)
        os.write(say, b"here")
        import time
        time.sleep(60)
        os._exit(0)
    os.read(hear, 4)
print(os.getpid(), flush=True)
input()
"""


def other(folder: Path, *more: str) -> subprocess.Popen:
    """Another process that holds a folder."""
    folder.mkdir(exist_ok=True)
    process = subprocess.Popen(
        [sys.executable, "-c", OTHER, str(folder), *more], text=True, stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert int(process.stdout.readline()) == process.pid
    return process


def test_who_holds_a_workspace_is_named_and_keeps_its_partial_files(tmp_path):
    folder = tmp_path / "ws"
    holder = other(folder)
    partial = folder / "birds-012345.0123abcd.partial"
    partial.write_bytes(b"what is just being written")
    words = rf"in use by another TripletScope: process {holder.pid} on .*localhost:8888.*--worksp"
    for _ in range(2):
        with pytest.raises(WorkspaceError, match=words):
            Workspace(folder)
    assert partial.exists()

    holder.kill()
    holder.wait()
    Workspace(folder).close()
    assert not partial.exists()
    assert (folder / "server.lock").exists()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="nothing is forked there")
def test_a_forked_process_does_not_hold_for_one_that_has_ended(tmp_path):
    holder = other(tmp_path / "ws", "fork")
    holder.kill()
    holder.wait()
    Hold(tmp_path / "ws").release()


def test_several_of_one_process_share_a_workspace(tmp_path):
    first, second = Workspace(tmp_path), Workspace(tmp_path)
    first.close()
    first.close()
    with pytest.raises(subprocess.CalledProcessError):
        subprocess.run(
            [sys.executable, "-c", OTHER, str(tmp_path)], check=True, capture_output=True
        )
    second.close()
    holder = other(tmp_path)
    holder.kill()
    holder.wait()


def test_a_holder_that_says_nothing_readable_is_told_of_all_the_same(tmp_path):
    holder = other(tmp_path)
    (tmp_path / holding.NAME).write_text('{"since": "yesterday"}')
    with pytest.raises(Held, match="has not said who"):
        Hold(tmp_path)
    holder.kill()
    holder.wait()


def test_what_could_not_be_opened_is_let_go(tmp_path, monkeypatch):
    def broken(*_, **__):
        raise WorkspaceError("damaged")

    with monkeypatch.context() as patch:
        patch.setattr(Workspace, "_tidy", broken)
        with pytest.raises(WorkspaceError, match="damaged"):
            Workspace(tmp_path)
    holder = other(tmp_path)
    holder.kill()
    holder.wait()
