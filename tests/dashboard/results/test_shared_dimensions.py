"""What is said of dimensions of fits beside one another."""

from __future__ import annotations

import numpy as np

import tripletscope as ts
from tests.core.features.test_shared_dimensions import ABOUT, SEEN, compare, weights
from tripletscope.dashboard.results.presentation import ShownResults
from tripletscope.dashboard.results.shared_dimensions import shared_said


def said(result) -> str:
    shown = ShownResults((), ABOUT, "Things")
    return " ".join(part.text for part in shared_said(shown, result, 0))


def test_shared_and_single_dimensions_and_the_objects_that_part_them_are_named():
    network = np.column_stack([SEEN[:, [2, 0]], weights(1, 5)]) + 0.1 * weights(3, 6)
    network[7, 1] += 6.0
    text = said(compare(SEEN, network))
    assert text.startswith("fit 1 shares 2 of the 4 dimensions of fit 0")
    assert "Seen in fit 0 alone (2): fit 0 2 and fit 0 4." in text
    assert "Seen in fit 1 alone (1): fit 1 3." in text
    assert f"More in fit 1: {ABOUT.labels[7]}" in text


def test_of_unrelated_fits_nothing_is_said_to_be_shared_and_many_are_in_one_figure():
    fits = [ts.features.FeatureSpace(name=f"fit {k}", values=weights(3, k)) for k in range(3)]
    run = ts.run("shared_dimensions", ts.features.FeatureModel.of(fits), ABOUT)
    assert said(run.result()).startswith("None of the 3 dimensions of fit 0 is seen to be shared")
    names = [drawing.name for drawing in ts.drawings(run, ABOUT)]
    assert names == ["shared-dimensions-1", "shared-dimensions-2", "fits"]
