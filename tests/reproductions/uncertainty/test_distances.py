"""Appendix B: the sampler of the prior over distances, and what the check makes of its draws."""

from __future__ import annotations

from itertools import product

import numpy as np
import pandas as pd
import pytest

from tripletscope.reproductions.item import DOES_NOT_HOLD, HOLDS
from tripletscope.reproductions.registry import items
from tripletscope.reproductions.uncertainty.distances import (
    INDEPENDENT,
    LONGER,
    MAPS,
    NEGATIVE,
    SHARED,
    TRIANGLES,
    WRONG,
    broken_triangles,
    distance_answers,
    distance_chain,
    elliptical_slice,
    symmetric_draw,
)

ITEM = items()["uncertainty-appendix-b"]


def test_the_prior_has_the_symmetric_kronecker_product_as_covariance():
    rng, n = np.random.default_rng(0), 3
    root = np.linalg.cholesky(np.array([[2.0, 0.5, 0.3], [0.5, 1.0, 0.2], [0.3, 0.2, 1.5]]))
    drawn = np.array([symmetric_draw(root, rng) for _ in range(40_000)])
    assert np.allclose(drawn, drawn.transpose(0, 2, 1))
    w, one = root @ root.T, np.eye(n)
    projection = 0.5 * (np.einsum("ik,jl->ijkl", one, one) + np.einsum("il,kj->ijkl", one, one))
    projection = projection.reshape(n * n, n * n)
    expected = projection @ np.kron(w, w) @ projection
    assert np.allclose(np.cov(drawn.reshape(-1, n * n).T), expected, atol=0.12)


def test_slice_sampling_finds_a_normal_posterior():
    """A standard normal prior and a measured value of 2 with variance 1/3."""
    rng = np.random.default_rng(0)
    found = elliptical_slice(
        np.zeros(1), lambda: rng.standard_normal(1), lambda x: -1.5 * float((x[0] - 2.0) ** 2),
        20_000, rng,
    )
    assert found.mean() == pytest.approx(1.5, abs=0.03)
    assert found.var() == pytest.approx(0.25, abs=0.03)


def test_a_chain_stays_symmetric_and_repeats_itself():
    answers = distance_answers()
    drawn = distance_chain(answers, 0.5, 20, 3)
    assert np.allclose(drawn, drawn.transpose(0, 2, 1))
    assert np.array_equal(drawn, distance_chain(answers, 0.5, 20, 3))


def test_broken_triangles_are_counted():
    fine = np.ones((1, 3, 3)) - np.eye(3)
    assert broken_triangles(fine) == 0.0
    long = fine.copy()
    long[0, 0, 1] = long[0, 1, 0] = 3.0
    assert broken_triangles(long) == pytest.approx(1 / 3)


def table(error: float, broken: float) -> pd.DataFrame:
    value = {
        (WRONG, LONGER): error, (TRIANGLES, LONGER): broken, (WRONG, MAPS): 0.1,
    }
    return pd.DataFrame([
        {"quantity": quantity, "prior": prior, "x": x, "y": value.get((quantity, prior), 0.0),
         "spread": 0.01, "repeats": 4}
        for quantity, prior, x in product(
            (WRONG, NEGATIVE, TRIANGLES), (INDEPENDENT, SHARED, LONGER, MAPS), (1.0, 5.0)
        )
    ])


@pytest.mark.parametrize(
    ("error", "broken", "verdict"),
    [(0.3, 0.1, HOLDS), (0.1, 0.1, DOES_NOT_HOLD), (0.3, 0.0, DOES_NOT_HOLD)],
)
def test_the_check_wants_worse_predictions_of_what_are_no_distances(error, broken, verdict):
    assert ITEM.check(table(error, broken)).shows == verdict
