"""What is said of other geometries."""

from __future__ import annotations

import numpy as np
import pytest

from tripletscope.core.inference.evaluation.geometry import MODELS, Geometries
from tripletscope.dashboard.results.geometry import geometry_said
from tripletscope.dashboard.wording import ENGLISH


def said(p: list[float], predicts: bool = True) -> str:
    gain = 0.02 * (np.array(p) < 0.05) * [1.0, 2.0, 3.0, 4.0]
    result = Geometries(
        list(MODELS), gain - 0.5, gain + 0.7, -0.5, 0.7, predicts, gain, gain - 0.01, gain + 0.01,
        np.array(p), 0.4, np.zeros(5), 1.0, 900,
    )
    return " ".join(part.text for part in geometry_said(ENGLISH, result))


def test_a_euclidean_map_that_holds():
    assert said([0.2, 1.0, 0.06, 1.0]).startswith("Nothing speaks against the Euclidean map")


def test_below_guessing_nothing_is_said_of_geometry():
    assert said([0.001, 1.0, 1.0, 1.0], predicts=False).startswith("Too few answers")


@pytest.mark.parametrize(("k", "begin"), [
    (0, "Another geometry predicts better: Minkowski, exponent 1,"),
    (1, "Another geometry predicts better: hyperbolic distances"),
    (2, "Context matters"), (3, "Similarity is asymmetric"),
])
def test_what_predicts_better_is_named_first(k, begin):
    p = np.ones(4)
    p[[0, k]] = 0.001
    text = said(list(p))
    assert text.startswith(begin.rstrip(","))
    assert ("Better than the Euclidean map are also: Minkowski" in text) == (k > 0)
