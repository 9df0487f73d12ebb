"""What is said of dimensions of fits beside one another, and in which order they are drawn."""

from __future__ import annotations

import numpy as np

import tripletscope as ts
from tests.core.features.test_shared_dimensions import ABOUT, SEEN, compare, weights
from tripletscope.dashboard.results.shared_dimensions import alike_said, columns_of, shared_said
from tripletscope.dashboard.results.shown import ShownResults
from tripletscope.dashboard.wording import ENGLISH

SHOWN = ShownResults((), ABOUT, "Things")


def said(found, k: int = 0) -> str:
    return " ".join(part.text for part in shared_said(SHOWN, found, k))


def test_shared_and_single_dimensions_and_the_objects_that_part_them_are_named():
    network = np.column_stack([SEEN[:, [2, 0]], weights(1, 5)]) + 0.1 * weights(3, 6)
    network[7, 1] += 6.0
    found = compare(SEEN, network)
    text = said(found)
    assert text.startswith("fit 1 shares 2 of the 4 dimensions of fit 0")
    assert "Seen in fit 0 alone (2): fit 0 2 and fit 0 4." in text
    assert "Seen in fit 1 alone (1): fit 1 3." in text
    assert f"More in fit 1: {ABOUT.labels[7]}" in text
    assert columns_of(found, 0)[0] == 1


def test_of_unrelated_fits_nothing_is_said_to_be_shared():
    found = compare(weights(3, 1), weights(3, 2), weights(2, 3))
    assert said(found).startswith("None of the 3 dimensions of fit 0 is seen to be shared by fit 1")
    assert [part.text for part in alike_said(ENGLISH, found)] == [
        "3 of 3 pairs of fits are no more alike than unrelated fits may be (5% for all together)."
    ]


def test_the_fits_that_are_most_alike_are_named():
    found = compare(SEEN, weights(4, 9), SEEN[:, ::-1] + 0.1 * weights(4, 7))
    (alike, unlike) = (part.text for part in alike_said(ENGLISH, found))
    assert alike.startswith("Most alike are fit 0 and fit 2")
    assert unlike.startswith("2 of 3 pairs")


def test_many_fits_are_drawn_in_one_figure():
    fits = [ts.features.FeatureSpace(name=f"fit {k}", values=weights(3, k)) for k in range(3)]
    run = ts.run("shared_dimensions", ts.features.FeatureModel.of(fits), ABOUT,
                 {"permutations": 99})
    names = [drawing.name for drawing in ts.drawings(run, ABOUT)]
    assert names == ["fits", "shared-dimensions-1", "shared-dimensions-2"]
