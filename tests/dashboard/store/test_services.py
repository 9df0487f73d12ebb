"""What sessions share: everybody's own workspace, opened without waiting for others'."""

from __future__ import annotations

import threading

import pytest

from tripletscope.dashboard.files.errors import WorkspaceError
from tripletscope.dashboard.store import services as module
from tripletscope.dashboard.store.workspace import Workspace


@pytest.fixture
def people(monkeypatch):
    """Whoever a thread works for has a workspace of their own."""
    monkeypatch.setattr(module, "_folder_of_script", lambda: None)
    monkeypatch.setattr(module, "_opened", [])
    module._services.cache_clear()
    module._jobs.cache_clear()
    yield
    module.close_all()
    module._services.cache_clear()
    module._jobs.cache_clear()


def test_nobody_waits_while_the_workspace_of_somebody_else_is_opened(
    people, tmp_path, monkeypatch
):
    begun, go_on, opened = threading.Event(), threading.Event(), {}

    def slowly(folder):
        if folder.name == "ann":
            begun.set()
            assert go_on.wait(300)
        return Workspace(folder)

    monkeypatch.setattr(module, "Workspace", slowly)

    def come(name):
        module.work_in(tmp_path / name)
        opened[name] = module.services()

    threads = [threading.Thread(target=come, args=("ann",), daemon=True) for _ in range(2)]
    for thread in threads:
        thread.start()
    assert begun.wait(300)
    bob = threading.Thread(target=come, args=("bob",), daemon=True)
    bob.start()
    bob.join(300)
    assert list(opened) == ["bob"]
    go_on.set()
    for thread in threads:
        thread.join(300)
    assert opened["ann"].workspace.folder == tmp_path / "ann"
    assert opened["ann"].jobs is opened["bob"].jobs, "all wait in one queue"
    assert len(module._opened) == 2


def test_who_is_not_known_has_none(people):
    found = []

    def come():
        try:
            module.services()
        except WorkspaceError as error:
            found.append(str(error))

    thread = threading.Thread(target=come, daemon=True)
    thread.start()
    thread.join(300)
    assert found == ["Nobody is signed in"]
