"""Tables of features stay with their data set, and go with it."""

from __future__ import annotations

import shutil
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from tripletscope.core.data.triplets import Triplets
from tripletscope.core.reading import FeatureTable
from tripletscope.dashboard.files import storage as files_of
from tripletscope.dashboard.files.errors import WorkspaceError
from tripletscope.dashboard.store import feature_tables
from tripletscope.dashboard.store.workspace import Workspace

ABOUT = Triplets(np.array([[0, 1, 2]]), pd.DataFrame({"id": ["cup", "mug", "jug"]}), name="Things")
VALUES = np.array([[1.0, 2.0], [3.0, 4.0], [np.nan, np.nan]])
SIZES = FeatureTable("sizes", VALUES, None, ["w", "h"], ["By ids."], ["jug"])
APART = FeatureTable("apart", None, np.abs(np.subtract.outer(np.arange(3.0), np.arange(3.0))))


@pytest.fixture
def workspace(tmp_path) -> Workspace:
    made = Workspace(tmp_path / "ws")
    made.add_dataset(ABOUT, origin="a.csv", report=[])
    return made


def info_of(workspace: Workspace):
    (info,) = workspace.datasets()
    return info


def files(workspace: Workspace) -> int:
    return len(list(workspace.folder.glob("*/features/*")))


def test_tables_are_as_they_were_after_a_restart(workspace):
    info = info_of(workspace)
    assert workspace.add_tables(info, ABOUT, [SIZES, APART], "f.npz") == ["sizes", "apart"]
    workspace.close()
    again = Workspace(workspace.folder)
    first, second = again.tables(info_of(again))
    assert (first.name, first.origin, first.about, first.notes) == (
        "sizes", "f.npz", "2 features of 2 objects", ["By ids."],
    )
    found = again.table(info_of(again), first, ABOUT)
    np.testing.assert_array_equal(found.values, VALUES)
    assert (found.columns, found.missing) == (["w", "h"], ["jug"])
    found = again.table(info_of(again), second, ABOUT)
    np.testing.assert_array_equal(found.distances, APART.distances)
    again.close()


def test_rows_follow_their_objects(workspace):
    workspace.add_tables(info_of(workspace), ABOUT, [SIZES, APART], "f.npz")
    more = Triplets(ABOUT.rows, pd.DataFrame({"id": ["jug", "new", "mug", "cup"]}))
    info = info_of(workspace)
    sizes, apart = (workspace.table(info, table, more) for table in workspace.tables(info))
    np.testing.assert_array_equal(sizes.values[[2, 3]], VALUES[[1, 0]])
    assert sizes.missing == ["jug", "new"]
    assert apart.distances[0, 3] == 2.0
    assert apart.missing == ["new"]
    assert np.isnan(apart.distances[1, [0, 2, 3]]).all()


def test_the_same_numbers_are_listed_once_and_other_ones_of_that_name_are_numbered(workspace):
    info = info_of(workspace)
    other = FeatureTable("sizes", 2 * VALUES, None)
    assert workspace.add_tables(info, ABOUT, [SIZES], "f.csv") == ["sizes"]
    assert workspace.add_tables(info, ABOUT, [SIZES, other], "g.csv") == ["sizes", "sizes (2)"]
    assert [table.origin for table in workspace.tables(info_of(workspace))] == ["f.csv", "g.csv"]


def test_a_table_can_be_renamed_and_set(workspace):
    info = info_of(workspace)
    workspace.add_tables(info, ABOUT, [SIZES, APART], "f.npz")
    workspace.change_table(info, "sizes", name="size", settings={"standardise": True})
    first, _ = workspace.tables(info_of(workspace))
    assert (first.name, first.settings) == ("size", {"standardise": True})
    with pytest.raises(WorkspaceError, match="called apart already"):
        workspace.change_table(info, "size", name="apart")


def test_removed_tables_and_those_of_deleted_data_sets_go_to_the_trash(workspace):
    info = info_of(workspace)
    workspace.add_tables(info, ABOUT, [SIZES, APART], "f.npz")
    assert files(workspace) == 2
    workspace.remove_table(info, "sizes")
    assert [table.name for table in workspace.tables(info_of(workspace))] == ["apart"]
    assert files(workspace) == 1
    workspace.delete_dataset(info.id)
    assert files(workspace) == 0


def test_what_two_data_sets_share_stays_with_the_other(workspace):
    first = info_of(workspace)
    second = workspace.add_dataset(ABOUT.renamed("Again"), origin="b.csv", report=[])
    for info in (first, second):
        workspace.add_tables(info, ABOUT, [SIZES], "f.csv")
    workspace.delete_dataset(first.id)
    (kept,) = workspace.tables(workspace.dataset(second.id))
    np.testing.assert_array_equal(workspace.table(second, kept, ABOUT).values, VALUES)


def test_copied_folders_hold_tables(workspace, tmp_path):
    info = info_of(workspace)
    workspace.add_tables(info, ABOUT, [SIZES], "f.csv")
    shutil.copytree(workspace.folder / info.id, tmp_path / "new" / info.id)
    other = Workspace(tmp_path / "new")
    (kept,) = other.tables(info_of(other))
    np.testing.assert_array_equal(other.table(info_of(other), kept, ABOUT).values, VALUES)
    other.close()


def test_too_many_tables_and_deleted_data_sets_leave_nothing_behind(workspace, monkeypatch):
    info = info_of(workspace)
    monkeypatch.setattr(feature_tables, "MOST", 1)
    with pytest.raises(WorkspaceError, match="at most 1 are kept"):
        workspace.add_tables(info, ABOUT, [SIZES, APART], "f.npz")
    assert workspace.tables(info_of(workspace)) == []
    assert files(workspace) == 0
    workspace.delete_dataset(info.id)
    with pytest.raises(WorkspaceError, match="deleted"):
        workspace.add_tables(info, ABOUT, [SIZES], "f.csv")
    assert files(workspace) == 0


def test_a_damaged_table_is_said_and_can_be_removed(workspace):
    info = info_of(workspace)
    workspace.add_tables(info, ABOUT, [SIZES], "f.csv")
    (kept,) = workspace.tables(info_of(workspace))
    workspace.close()
    (workspace.folder / info.id / kept.file).write_bytes(b"junk")
    again = Workspace(workspace.folder)
    with pytest.raises(WorkspaceError, match=r"The table sizes is damaged.*f\.csv again"):
        again.table(info_of(again), kept, ABOUT)
    again.remove_table(info, "sizes")
    assert again.tables(info_of(again)) == []
    again.close()


def test_large_tables_stay_in_their_file(workspace, monkeypatch):
    monkeypatch.setattr(files_of, "MAPPED", 16)
    info = info_of(workspace)
    single = np.ascontiguousarray(VALUES.astype(np.float32))
    workspace.add_tables(info, ABOUT, [replace(SIZES, values=single)], "f.npy")
    (kept,) = workspace.tables(info_of(workspace))
    table = workspace.table(info_of(workspace), kept, ABOUT)
    np.testing.assert_array_equal(table.values, single)
    assert table.values.dtype == np.float32
    assert isinstance(table.values.base, np.memmap)
    assert table.columns == ["w", "h"]
    assert table.missing == ["jug"]
