"""What is said of maps and feature spaces that are aligned without labels."""

from __future__ import annotations

import numpy as np

from tripletscope.core.features.alignment import HALVES, Aligned
from tripletscope.dashboard.results.alignment import alignment_said


def said(matches: list[int], p: list[float]) -> str:
    share = np.array(matches) / 20
    result = Aligned(
        ["network", "ratings", HALVES], np.array(matches), share, share, share, share, np.array(p),
        share, np.zeros((3, 20), dtype=int), np.zeros((3, 20, 20)), np.arange(20), 50,
    )
    return " ".join(part.text for part in alignment_said(result))


def test_a_space_that_aligns_is_named_and_what_does_not_is_too():
    text = said([12, 2, 15], [1e-9, 0.26, 1e-12])
    assert text.startswith("network aligns with the map without labels: 12 of 20 objects")
    assert "Not told apart from chance: ratings." in text
    assert text.endswith("Maps of two halves of the answers match 15 of 20.")


def test_chance_is_said_to_be_chance():
    text = said([2, 1, 0], [0.26, 0.6, 1.0])
    assert text.startswith("No feature space is seen to align with the map better than chance")
    assert "too uncertain, or too symmetric" in text
