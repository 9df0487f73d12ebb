"""Two tabs change one data set, and neither loses what the other has done."""

from __future__ import annotations

import pytest

from tests.dashboard.upload.uploads import png
from tripletscope.core.models.simulation.simulate import simulate
from tripletscope.core.studies.quality import Exclusion
from tripletscope.dashboard.files.errors import WorkspaceError
from tripletscope.dashboard.store.workspace import Workspace


def test_what_another_tab_has_changed_or_deleted_meanwhile_is_not_overwritten(tmp_path, truth):
    workspace, triplets = Workspace(tmp_path / "ws"), simulate(truth, 100, seed=0)
    info = workspace.add_dataset(triplets, origin="a.csv", report=[])
    cleaning = workspace.cleaning(info)
    other = cleaning.excluding(Exclusion(answers=(1, 2), reason="slow"))
    now = workspace.update_dataset(info, other)
    with pytest.raises(WorkspaceError, match="was changed in another tab"):
        workspace.update_dataset(info, cleaning, {"1.png": png()})
    assert workspace.dataset(info.id) == now
    workspace.delete_dataset(info.id)
    with pytest.raises(WorkspaceError, match="was deleted in another tab"):
        workspace.update_dataset(now, cleaning)
    assert not (workspace.folder / info.id).exists()
