"""A damaged file is one sentence; everything else can be used, and it can be had again."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from tests.dashboard.uploads import png
from tripletscope.core.io import Pairs
from tripletscope.core.models.embedding import STE
from tripletscope.core.models.simulation.simulate import simulate
from tripletscope.core.run import run
from tripletscope.dashboard.keeping import storage
from tripletscope.dashboard.keeping.catalogue import WorkspaceError
from tripletscope.dashboard.keeping.storage import DamagedFile
from tripletscope.dashboard.keeping.workspace import Workspace


def turned(path: Path, byte: int) -> None:
    content = bytearray(path.read_bytes())
    content[byte] ^= 1
    path.write_bytes(content)


def damage(path: Path, how: str) -> None:
    size = path.stat().st_size
    if how == "missing":
        path.unlink()
    elif how == "empty":
        path.write_bytes(b"")
    elif how == "cut":
        path.write_bytes(path.read_bytes()[: size // 2])
    else:
        turned(path, {"a bit in front": 60, "a bit behind": size - 9}[how])


HOW = ["missing", "empty", "cut", "a bit in front", "a bit behind"]


@pytest.fixture
def two(tmp_path, truth):
    """A workspace that nobody has open, with two data sets about the same objects."""
    workspace = Workspace(tmp_path / "ws")
    infos = [
        workspace.add_dataset(
            simulate(truth, 300, noise="logistic", seed=seed).renamed(f"Set {seed}"),
            origin="a.csv", report=[], pictures={"a": png(seed)},
            catch_trials=pd.DataFrame({"row": [seed, 7]}),
        )
        for seed in range(2)
    ]
    for info in infos:
        workspace.add_run(info, run("fit", STE(n_init=1), workspace.triplets(info)), info.name)
    workspace.close()
    return workspace.folder, infos


@pytest.mark.parametrize("how", HOW)
@pytest.mark.parametrize("kind", ["answers", "objects"])
def test_damaged_answers_are_one_sentence_and_come_back_by_importing(two, truth, kind, how):
    folder, (first, second) = two
    path = folder / "data" / f"{first.fingerprint}.{kind}.parquet"
    damage(path, how)
    workspace = Workspace(folder)
    assert len(workspace.datasets()) == 2
    for read in (workspace.triplets, workspace.cleaning):
        with pytest.raises(DamagedFile, match=rf"data/{path.name} of the workspace is"):
            read(first)
    assert workspace.triplets(second).fingerprint == second.fingerprint
    assert workspace.about_the_same_objects(second) == []
    assert workspace.run(first.id, workspace.runs(first.id)[0].key) is not None

    triplets = simulate(truth, 300, noise="logistic", seed=0)
    workspace.add_dataset(triplets, origin="a.csv", report=[])
    workspace.close()
    again = Workspace(folder)
    assert again.triplets(first).fingerprint == first.fingerprint
    again.delete_dataset(first.id)


def test_what_an_earlier_version_wrote_without_sums_is_read(two):
    folder, (first, second) = two
    (folder / "data" / f"{first.fingerprint}.sums.json").unlink()
    (folder / "data" / f"{second.fingerprint}.sums.json").write_text(
        '{"answers": "0123", "objects": 5}'
    )
    workspace = Workspace(folder)
    for info in (first, second):
        assert workspace.triplets(info).fingerprint == info.fingerprint


@pytest.mark.parametrize("how", HOW)
def test_a_damaged_result_is_told_of_once_and_can_be_computed_again(two, how):
    folder, (first, second) = two
    workspace = Workspace(folder)
    (listed,) = workspace.runs(first.id)
    path = folder / "runs" / next(
        path.name for path in (folder / "runs").iterdir()
        if path.name != kept_file(workspace, second)
    )
    workspace.close()
    damage(path, how)
    workspace = Workspace(folder)
    with pytest.raises(WorkspaceError, match="The result Set 0 was damaged and is no longer list"):
        workspace.run(first.id, listed.key)
    assert workspace.runs(first.id) == []
    assert workspace.run(first.id, listed.key) is None
    assert workspace.run(second.id, workspace.runs(second.id)[0].key).fitted().n_objects_ == 30
    workspace.add_run(first, run("fit", STE(n_init=1), workspace.triplets(first)), "again")
    workspace.close()
    again = Workspace(folder)
    assert again.notes == []
    assert again.run(first.id, listed.key).fitted().n_objects_ == 30


def kept_file(workspace: Workspace, info) -> str:
    (record,) = (workspace.folder / "records").glob(f"{info.id}.*.json")
    return json.loads(record.read_text())["file"]


@pytest.mark.parametrize("how", HOW)
def test_damaged_tables_and_pictures_are_noticed(two, how):
    folder, (first, second) = two
    picture = first.pictures["a"]
    damage(folder / "data" / f"{first.catch_trials}.table.parquet", how)
    damage(folder / "pictures" / picture, how)
    workspace = Workspace(folder)
    with pytest.raises(DamagedFile, match=f"{first.catch_trials}.table.parquet"):
        workspace.cleaning(first)
    for size in (None, 64):
        with pytest.raises(FileNotFoundError):
            workspace.picture(picture, size)
    assert workspace.triplets(first).fingerprint == first.fingerprint
    assert len(workspace.cleaning(second).catch_trials) == 2
    workspace.add_dataset(
        workspace.triplets(first), origin="x", report=[], pictures={"a": png(0)}
    )
    assert workspace.picture(picture, 64).is_file(), "it was uploaded once more"


def test_every_file_is_compared_once(two, monkeypatch):
    folder, infos = two
    summed = []
    sum_of = storage.sum_of
    monkeypatch.setattr(storage, "sum_of", lambda path: summed.append(path) or sum_of(path))
    monkeypatch.setattr(storage, "_FEW", 1)
    workspace = Workspace(folder)
    for info in infos * 3:
        workspace.triplets(info)
        workspace.run(info.id, workspace.runs(info.id)[0].key)
        workspace.picture(info.pictures["a"], 64)
    assert len(summed) == len(set(summed)) == 2 * (2 + 1 + 1)


def test_comparisons_of_pairs_are_checked_too(tmp_path, truth):
    workspace = Workspace(tmp_path)
    pairs = Pairs(np.array([[0, 1, 2, 3]], dtype=np.int32), pd.DataFrame(index=[0]),
                  np.array([2]), 30)
    info = workspace.add_dataset(
        simulate(truth, 100, seed=0), origin="a", report=[], pairs=pairs
    )
    damage(tmp_path / "data" / f"{info.pairs}.table.parquet", "cut")
    again = Workspace(tmp_path)
    with pytest.raises(DamagedFile, match="is not what was written"):
        again.pairs(info)


def test_a_folder_that_is_gone_is_said_to_be(two):
    workspace = Workspace(two[0])
    info = two[1][0]
    cleaning = workspace.cleaning(info)
    shutil.rmtree(workspace.folder)
    for use in (
        lambda: workspace.rename_dataset(info.id, "Other"),
        lambda: workspace.update_dataset(info, cleaning),
        lambda: workspace.delete_dataset(info.id),
        lambda: workspace.trash.what_becomes,
    ):
        with pytest.raises(WorkspaceError, match=r"No such file or directory|no longer there"):
            use()
