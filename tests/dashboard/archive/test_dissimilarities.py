"""The script beside a map of dissimilarities maps them as the program did."""

from __future__ import annotations

import runpy

import numpy as np
import pandas as pd
import pytest

import tripletscope as ts
from tests.dashboard.archive.changed import TERMS, unzipped
from tripletscope.core.reading import read_distances
from tripletscope.core.studies.quality import Exclusion
from tripletscope.dashboard.archive.archive import archive
from tripletscope.dashboard.archive.recipe import reproduction
from tripletscope.dashboard.store.workspace import Workspace

# The fifth has a mark in files, with which it would come before the last one, not after.
IDS = ["NA", "1", 'a "b", c', "ö", "=e", "(f"]


@pytest.fixture
def matrix():
    rng = np.random.default_rng(0)
    places = rng.random((len(IDS), 2))
    return np.linalg.norm(places[:, None] - places, axis=2)


@pytest.fixture
def ratings():
    rng = np.random.default_rng(1)
    pairs = [(i, j) for i in range(len(IDS)) for j in range(i)]
    return ts.ratings.Ratings(pd.DataFrame([
        {"participant": str(who), "item1": IDS[i], "item2": IDS[j], "rating": rng.random()}
        for who in range(4) for i, j in pairs
    ]), direction="dissimilar", standardise="range")


def test_uploaded_distances(matrix, tmp_path, monkeypatch):
    """Of some objects, kept as a table: maps and clusters of it are in reports, and in scripts."""
    answers = ts.Triplets.from_array([[0, 1, 2]], 7, ids=["not in it", *IDS], name="rated")
    workspace = Workspace(tmp_path / "w")
    info = workspace.add_dataset(answers, origin="a.csv", report=[])
    content = pd.DataFrame(matrix, IDS, IDS).to_csv().encode()
    uploaded = read_distances(content, answers, "apart.csv")
    workspace.add_tables(info, answers, [uploaded], "apart.csv")
    info = workspace.dataset(info.id)
    (table,) = (workspace.table(info, kept, answers) for kept in workspace.tables(info))
    rated = table.ratings(answers)
    fitted = ts.ratings.NMDS(seed=3).fit_dissimilarities(rated.dissimilarities(0).mean)
    found = [
        ts.run("map_measured", ts.ratings.NMDS(seed=3), rated),
        ts.run("map_measured", ts.ratings.LOE(), rated, {"neighbours": 2}),
        ts.features.cluster_distances(ts.AgglomerativeClustering(n_clusters=2), table),
    ]
    np.testing.assert_array_equal(found[0].arrays["embedding"], fitted.embedding_)
    for run in found:
        assert workspace.add_run(info, run, run.task).state is None
    (tmp_path / "s").mkdir()
    monkeypatch.chdir(tmp_path / "s")
    files = reproduction(info, workspace.cleaning(info), found, tables=[table])
    for name, content in files.items():
        (tmp_path / "s" / name).write_bytes(content)
    assert (tmp_path / "s" / "rated.py").read_text().count("confirm(") == 4
    runpy.run_path("rated.py")
    for number, (name, part) in enumerate([
        ("map_measured_nmds", "embedding"), ("map_measured_loe", "embedding"),
        ("fit_agglomerative", "labels_"),
    ]):
        with np.load(f"rated-{name}.npz") as made:
            np.testing.assert_array_equal(made[part], found[number].arrays[part])
    packed = unzipped(archive(workspace, info, TERMS))
    (script,) = (text for path, text in packed.items() if path.endswith(".py"))
    assert script.count(b"confirm(") == 4
    lost = reproduction(info, workspace.cleaning(info), found)
    assert b"map_measured" not in lost["rated.py"]


@pytest.mark.parametrize(("method", "options", "left"), [
    (ts.ratings.NMDS(seed=2), {"replicates": 5}, False),
    (ts.ratings.MDS(n_components=2), {"replicates": 5, "weigh": True}, True),
    (ts.ratings.LOE(), {"neighbours": 2}, False),
])
def test_what_was_measured(ratings, method, options, left, tmp_path, monkeypatch):
    """Also without a person who was excluded: the script reads the ratings of the others."""
    workspace = Workspace(tmp_path / "w")
    answers = ratings.triplets(name="rated")
    info = workspace.add_dataset(answers, origin="a.csv", report=[], measured=ratings)
    if left:
        cleaning = workspace.cleaning(info).excluding(Exclusion(participants=("2",)))
        info = workspace.update_dataset(info, cleaning)
    data = workspace.measured(info)
    assert len(data.raters) == 4 - left
    found = ts.run("map_measured", method, data, options)
    (tmp_path / "s").mkdir()
    monkeypatch.chdir(tmp_path / "s")
    files = reproduction(info, workspace.cleaning(info), [found], measured=data)
    for name, content in files.items():
        (tmp_path / "s" / name).write_bytes(content)
    runpy.run_path("rated.py")
    (stored,) = (tmp_path / "s").glob("*map_measured*.npz")
    with np.load(stored) as made:
        np.testing.assert_array_equal(made["embedding"], found.arrays["embedding"])
