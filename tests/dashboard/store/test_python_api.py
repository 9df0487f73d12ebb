"""The folder of a data set is opened in Python, with all that was computed, and not changed."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import tripletscope as ts
from tests.dashboard.store.test_workspace import png
from tripletscope.core.reading import FeatureTable, Pairs
from tripletscope.dashboard.store.workspace import Workspace


@pytest.fixture
def workspace(tmp_path) -> Workspace:
    """Birds with all that a data set can have, and comparisons of pairs alone."""
    made = Workspace(tmp_path / "ws")
    objects = pd.DataFrame({
        "id": [f"bird {k}" for k in range(8)], "image": [f"bird {k}.png" for k in range(8)],
    })
    simulated = ts.simulate(np.random.default_rng(0).normal(size=(8, 2)), 120, seed=0)
    answers = ts.Triplets(
        simulated.rows, objects, pd.DataFrame({"participant": list("pqr") * 40}), "Birds"
    )
    info = made.add_dataset(
        answers, origin="birds.csv", report=["Read 120 answers."],
        pictures={"bird 0.png": png("red"), "bird 1.png": png("blue")},
    )
    made.add_tables(
        info, answers, [FeatureTable("sizes", np.arange(16.0).reshape(8, 2), None, ["w", "h"])],
        "sizes.csv",
    )
    made.add_run(info, ts.run("fit", ts.STE(n_init=1), answers), "all answers")
    cleaning = ts.Cleaning(answers, gold=answers.take(np.arange(5)))
    cleaning = cleaning.excluding(ts.Exclusion(participants=("q",), reason="asleep"))
    less = made.update_dataset(made.dataset(info.id), cleaning)
    made.add_run(less, ts.run("fit", ts.STE(n_init=1), cleaning.triplets), "without q")
    made.add_dataset(
        ts.Triplets(np.zeros((0, 3)), objects, name="Pairs only"), origin="pairs.csv", report=[],
        pairs=Pairs(np.array([[0, 1, 2, 3], [4, 5, 0, 1]], dtype=np.int32),
                    pd.DataFrame(index=range(2)), np.arange(2), 8),
    )
    return made


def test_all_of_a_data_set_is_there(workspace):
    info = next(info for info in workspace.datasets() if info.name == "Birds")
    folder = workspace.folder / info.id
    before = {path: path.read_bytes() for path in folder.rglob("*.*")}
    found = ts.open(folder)  # while the workspace is open
    assert found.name == "Birds"
    assert found.answers.fingerprint == info.fingerprint
    assert (len(found.cleaning.raw), len(found.answers)) == (120, 80)
    assert found.cleaning.gold.fingerprint == info.gold
    assert list(found.results) == ["without q", "all answers"]
    fit = found.results["without q"].fitted()
    np.testing.assert_array_equal(
        fit.embedding_, workspace.run(info.id, workspace.runs(info.id)[0].key).fitted().embedding_
    )
    assert found.pictures["bird 0.png"].read_bytes().startswith(b"\x89PNG")
    assert found.tables["sizes"]["values"].shape == (8, 2)
    assert found.report == ["Read 120 answers."]
    assert {path: path.read_bytes() for path in folder.rglob("*.*")} == before


def test_comparisons_of_pairs_and_ratings_are_there(workspace, tmp_path):
    pairs = next(info for info in workspace.datasets() if info.has_only_pairs)
    assert isinstance(ts.open(workspace.folder / pairs.id).answers, ts.Quadruples)
    ratings = pd.DataFrame({
        "participant": ["p"] * 3 + ["q"] * 3, "object1": list("aab") * 2,
        "object2": list("bcc") * 2, "rating": [1, 2, 3, 1, 3, 2],
    })
    ratings.to_csv(tmp_path / "ratings.csv", index=False)
    measured = ts.ratings.read_measured(tmp_path / "ratings.csv", direction="similar")
    info = workspace.add_dataset(
        measured.triplets(), origin="ratings.csv", report=[], measured=measured
    )
    assert ts.open(workspace.folder / info.id).measured.raters == measured.raters


def test_results_of_one_name_are_numbered(workspace):
    info = next(info for info in workspace.datasets() if info.name == "Birds")
    for run in workspace.runs(info.id):
        workspace.describe_run(run.id, name="all answers")
    assert list(ts.open(workspace.folder / info.id).results) == ["all answers", "all answers (2)"]


def test_what_is_no_data_set_or_damaged_is_said(workspace, tmp_path):
    with pytest.raises(ts.DataError, match=r"cannot be opened.*about\.json.*is missing"):
        ts.open(tmp_path)
    folder = workspace.folder / workspace.datasets()[0].id
    (folder / "objects.parquet").write_bytes(b"")
    with pytest.raises(ts.DataError, match=r"objects\.parquet of the workspace is damaged"):
        ts.open(folder)


def test_what_is_computed_of_a_map_is_told_from_it(tmp_path, planted):
    made = Workspace(tmp_path / "ws")
    info = made.add_dataset(planted, origin="planted.csv", report=[])
    for task, options in (("fit", {}), ("bootstrap", {"replicates": 20}), ("cross_validate", {})):
        made.add_run(info, ts.run(task, ts.STE(n_init=1), planted, options), "STE")
    found = ts.open(made.folder / info.id)
    assert {*found.results} == {"STE", "STE: bootstrap", "STE: cross_validate"}
    assert found.results["STE"].task == "fit"
