"""The script beside a map of dissimilarities maps them as the program did."""

from __future__ import annotations

import runpy

import numpy as np
import pandas as pd
import pytest

import tripletscope as ts
from tripletscope.core.inference.uncertainty.measured_map import nearest
from tripletscope.core.studies.quality import Exclusion
from tripletscope.dashboard.keeping.workspace import Workspace
from tripletscope.dashboard.reproduce.dissimilarities import DissimilarityMap
from tripletscope.dashboard.reproduce.recipe import reproduction
from tripletscope.dashboard.results.dissimilarities import MappedDissimilarities
from tripletscope.dashboard.views.embedding.dissimilarities import steps_of

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


def again(made: DissimilarityMap, tmp_path, monkeypatch) -> np.ndarray:
    """The map that the script makes."""
    for name, content in made.files("Map").items():
        (tmp_path / name).write_bytes(content)
    monkeypatch.chdir(tmp_path)
    runpy.run_path("Map.py")
    with np.load("Map-map.npz") as found:
        return found["embedding_"]


def test_an_uploaded_matrix(matrix, tmp_path, monkeypatch, capsys):
    fitted = ts.ratings.NMDS(n_components=2, seed=3).fit_dissimilarities(matrix)
    chance = ts.ratings.permuted_stress(ts.ratings.NMDS(n_components=2, seed=3), matrix)
    mapped = MappedDissimilarities(
        fitted, matrix, np.arange(1, len(IDS) + 1), None, "a.csv", chance=chance
    )
    made = steps_of(mapped, ["not in it", *IDS])
    assert made.ids == IDS
    found = again(made, tmp_path, monkeypatch)
    np.testing.assert_array_equal(found, fitted.embedding_)
    random, loss = capsys.readouterr().out.strip().split("\n")
    now, then = loss.removeprefix("Loss ").split("; it was ")
    assert float(now) == float(then.rstrip("."))
    now, then = random.removeprefix("Stress ").rstrip(".").split("; it was ")
    assert now.replace(", in random orders from", " and") == then


def test_nearest_neighbours(matrix, tmp_path, monkeypatch):
    fitted = ts.ratings.LOE(n_components=2).fit_graph(nearest(matrix, 2))
    made = DissimilarityMap(fitted, IDS, matrix, neighbours=2)
    np.testing.assert_array_equal(again(made, tmp_path, monkeypatch), fitted.embedding_)


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
