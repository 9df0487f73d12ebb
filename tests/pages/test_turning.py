"""Maps of one data set are turned alike, and nothing else about them changes."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.distance import pdist

from tests.pages.harness import start, words
from tripletscope.core.models.embedding import STE, TSTE
from tripletscope.core.run import run
from tripletscope.core.studies.quality import Cleaning, Exclusion
from tripletscope.dashboard.figures.points import MapStyle
from tripletscope.dashboard.results import MapLook
from tripletscope.dashboard.results.map_recipe import Turn
from tripletscope.dashboard.results.maps import map_caption
from tripletscope.dashboard.results.presentation import ShownResults
from tripletscope.dashboard.ui.looks import Result
from tripletscope.dashboard.ui.turning import turn_of
from tripletscope.dashboard.words import words as catalogue


@pytest.fixture
def info(services, mapped):
    (found,) = services.workspace.datasets()
    return found


def kept(services, info, method):
    """A run whose map is turned by a quarter and mirrored."""
    found = run("fit", method, services.workspace.triplets(info))
    places = found.arrays["embedding_"].copy()
    places[:, :2] = places[:, :2] @ np.array([[0.0, 1.0], [1.0, 0.0]])
    found.arrays["embedding_"] = places
    services.workspace.add_run(info, found, method.title)
    return found


def test_the_first_map_stays_and_others_follow(services, info):
    first = services.workspace.run(info.id, services.workspace.first_map(info.id).key)
    assert turn_of(info, first).towards == ""
    other = kept(services, info, TSTE(n_init=1))
    turn = turn_of(info, other)
    assert turn.towards == "STE"
    assert turn.rotation @ turn.rotation.T == pytest.approx(np.eye(2), abs=1e-9)
    turned = other.arrays["embedding_"] @ turn.rotation
    there = first.arrays["embedding_"]
    assert np.sum(turned * there) > 0.9 * np.linalg.norm(turned) * np.linalg.norm(there)
    assert np.sum(other.arrays["embedding_"] * there) < 0.9 * np.sum(turned * there)


def test_more_dimensions_keep_their_plane(services, info):
    found = kept(services, info, STE(n_components=4, n_init=1))
    turn = turn_of(info, found)
    assert turn.rotation[2:, 2:].tolist() == np.eye(2).tolist()
    assert not turn.rotation[:2, 2:].any()


def test_positions_and_ellipses_turn_together(services, info):
    method = TSTE(n_init=1)
    fit = kept(services, info, method)
    triplets = services.workspace.triplets(info)
    samples = run("bootstrap", method, triplets, {"replicates": 10})
    result = Result(info, triplets, fit, samples, None)
    assert pdist(result.placed.positions) == pytest.approx(pdist(fit.arrays["embedding_"]))
    plain = samples.samples().covariances
    expected = np.linalg.eigvalsh(plain)
    assert np.linalg.eigvalsh(result.placed.covariances) == pytest.approx(expected)
    assert not np.allclose(result.placed.covariances, plain)


def test_the_first_map_counts_although_answers_were_left_out_since(services, info, mapped):
    cleaning = services.workspace.cleaning(info)
    left = Cleaning(cleaning.raw).excluding(Exclusion(answers=(0, 1, 2)))
    services.workspace.update_dataset(info, left)
    after = services.workspace.dataset(info.id)
    found = kept(services, after, TSTE(n_init=1))
    assert turn_of(after, found).towards == "STE"
    page = start("embedding", mapped)
    assert "Turned towards the first map, STE." in words(page).replace("\\", "")
    look = MapLook(turn=Turn(np.eye(2).tolist(), catalogue.method(found.fresh())))
    shown = ShownResults((found,), services.workspace.triplets(after), "A", looks={found.key: look})
    caption = map_caption(shown, found, MapStyle())
    assert "the map that this method gave before answers were left out or added." in caption


def test_a_damaged_first_map_turns_nothing(services, info):
    other = kept(services, info, TSTE(n_init=1))
    for file in services.workspace.folder.glob("*/results/*/arrays.npz"):
        file.write_bytes(b"damaged")
    services.workspace._arrays.clear()
    services.workspace._compared.clear()
    assert turn_of(info, other).towards == ""
