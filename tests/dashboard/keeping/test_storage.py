"""Files are on the disk, under their names, before the catalogue mentions them."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from sqlalchemy import event

from tests.dashboard.uploads import png
from tripletscope.core.models.simulation.simulate import simulate
from tripletscope.core.studies.quality import Exclusion
from tripletscope.dashboard.keeping.workspace import Workspace


@pytest.mark.skipif(sys.platform != "linux", reason="only there is known what is synchronised")
def test_names_are_on_the_disk_before_the_catalogue_is(tmp_path, truth, monkeypatch):
    """An older record that a power cut brings back would win over the catalogue."""
    workspace = Workspace(tmp_path)
    replace, fsync = os.replace, os.fsync
    renamed: set[str] = set()
    late: list[set[str]] = []

    def note_and_replace(source, target, **further):
        replace(source, target, **further)
        renamed.add(Path(target).parent.name)

    def note_and_sync(descriptor):
        fsync(descriptor)
        renamed.discard(Path(os.readlink(f"/proc/self/fd/{descriptor}")).name)

    monkeypatch.setattr(os, "replace", note_and_replace)
    monkeypatch.setattr(os, "fsync", note_and_sync)
    event.listen(workspace._engine, "commit", lambda _: late.append(set(renamed)))
    info = workspace.add_dataset(
        simulate(truth, 50, seed=0), origin="a.csv", report=[], pictures={"dog": png()},
    )
    workspace.rename_dataset(info.id, "Renamed")
    cleaning = workspace.cleaning(info).excluding(Exclusion(answers=(1,), reason="slow"))
    workspace.update_dataset(info, cleaning)
    assert len(late) >= 3
    assert not any(late)
