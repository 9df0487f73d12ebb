"""Maps of ratings and where other raters would have put the objects."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pandas as pd
import pytest

from tests.core.ratings.planted import points, rated
from tripletscope.core.data.geometry import procrustes
from tripletscope.core.inference.held_out.units import sampling_units
from tripletscope.core.inference.uncertainty.resampling import bootstrap, map_dissimilarities
from tripletscope.core.models.embedding import MDS, NMDS, STE
from tripletscope.core.ratings import Ratings


@pytest.mark.parametrize("method", [NMDS(n_init=1), MDS(n_init=1)])
def test_ellipses_hold_the_truth(method):
    held = []
    for seed in range(2):
        truth = points(10, seed)
        given = Ratings(rated(truth, 12, seed=seed)).dissimilarities(25, seed=seed)
        found = map_dissimilarities(method, given)
        samples = found.samples
        assert samples.embeddings.shape == (25, 10, 2)
        right = procrustes(truth, found.fitted.embedding_)(truth)
        off = right - samples.centre
        far = np.einsum("ni,nij,nj->n", off, np.linalg.inv(samples.covariances), off)
        held.append(far < samples.radius(0.95) ** 2)
    assert samples.sampling == "12 participants"
    assert np.mean(held) > 0.85


def test_without_repeats_there_are_no_ellipses_and_a_stop_is_heard():
    truth = points(8)
    once = Ratings(rated(truth, 1).drop(columns="participant")).dissimilarities()
    assert map_dissimilarities(NMDS(n_init=2), once).samples is None
    several = Ratings(rated(truth, 4, share=0.4)).dissimilarities(20)
    found = map_dissimilarities(NMDS(n_init=2), several, weigh=True)
    assert np.isfinite(found.samples.embeddings).mean() > 0.5

    def late(fraction, **_):
        return fraction > 0.5

    kept = map_dissimilarities(NMDS(n_init=2), several, progress=late)
    assert np.array_equal(kept.fitted.embedding_.shape, (8, 2))
    assert kept.samples is None


@pytest.mark.parametrize("raters", [1, 3])
def test_ellipses_of_few_matrices_hold(raters):
    """Drawn by comparison, of which each rating has dozens, or by rater, they held 19 to 44 %."""
    inside = []
    for seed in range(3):
        rng = np.random.default_rng(seed)
        positions = rng.normal(size=(16, 2))
        pairs = np.tile(list(combinations(range(16), 2)), (raters, 1))
        apart = np.linalg.norm(positions[pairs[:, 0]] - positions[pairs[:, 1]], axis=1)
        answers = Ratings(pd.DataFrame({
            "participant": np.repeat([f"r{k}" for k in range(raters)], len(pairs) // raters),
            "item1": pairs[:, 0], "item2": pairs[:, 1],
            "rating": apart + rng.normal(scale=0.3, size=len(apart)),
        })).triplets()
        units = sampling_units(answers)
        assert units.number == len(pairs)
        assert units.take(np.arange(5)).ratings.shape == (5, 2)
        halves = [set(units.ratings[half].ravel()) for half in units.halves(rng)]
        assert min(map(len, halves)) > len(pairs) / 3, "both halves have ratings"
        assert not halves[0] & halves[1], "and share none"
        found = bootstrap(STE(), answers, replicates=30, seed=seed)
        truth = positions[np.array(answers.ids, dtype=int)]
        off = procrustes(truth, found.reference)(truth) - found.reference
        far = np.einsum("ni,nij,nj->n", off, np.linalg.inv(found.covariances), off)
        inside.append(np.mean(far < found.radius(0.95) ** 2))
    assert np.mean(inside) >= 0.8
