"""What is said of context and asymmetry."""

from __future__ import annotations

import numpy as np
import pytest

from tripletscope.core.inference.evaluation.context_effects import MODELS, ContextEffects
from tripletscope.dashboard.results.context_effects import context_said


def said(p: list[float], predicts: bool = True) -> str:
    gain = 0.02 * (np.array(p) < 0.05) * [1.0, 2.0]
    result = ContextEffects(
        list(MODELS), gain - 0.5, gain + 0.7, -0.5, 0.7, predicts, gain, gain - 0.01, gain + 0.01,
        np.array(p), 0.4, np.zeros(5), 900,
    )
    return " ".join(part.text for part in context_said(result))


def test_a_euclidean_map_that_holds():
    assert said([0.2, 0.06]).startswith("Nothing speaks against the Euclidean map")


def test_below_guessing_nothing_is_said_of_either():
    assert said([0.001, 1.0], predicts=False).startswith("Too few answers")


@pytest.mark.parametrize(("k", "begin"), [(0, "Context matters"), (1, "Similarity is asymmetric")])
def test_what_predicts_better_is_named_first(k, begin):
    p = np.ones(2)
    p[[0, k]] = 0.001
    text = said(list(p))
    assert text.startswith(begin)
    assert ("Better than the Euclidean map are also: context" in text) == (k > 0)
