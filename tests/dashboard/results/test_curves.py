"""What is said of learning curves."""

from __future__ import annotations

import numpy as np
import pytest

from tripletscope.core.inference.held_out.ceiling import Ceiling
from tripletscope.core.inference.held_out.compare import LearningCurve
from tripletscope.core.inference.held_out.share import Share
from tripletscope.dashboard.figures.curves import learning_figure
from tripletscope.dashboard.results.curves import enough_said

UNKNOWN = Ceiling(None, None)


def curve(end: float, fall: float, spread: float) -> LearningCurve:
    """Errors that fall by so much over the second half of the answers, in five divisions."""
    noise = spread * np.array([-1.0, -0.5, 0.0, 0.5, 1.0])[:, None]
    return LearningCurve(
        np.array([100, 200, 400]), end + noise * [0.5, 1.0, 0.5] + [2 * fall, fall, 0.0]
    )


def said(ceiling: Ceiling, *of_curve: float) -> str:
    return enough_said(curve(*of_curve), ceiling)


def test_answers_by_chance_are_not_called_enough():
    assert said(UNKNOWN, 0.3, 0.0, 0.001).startswith("Enough: the second half")
    assert said(UNKNOWN, 0.5, 0.0, 0.001).startswith("Inconclusive")
    assert said(UNKNOWN, 0.3, 0.03, 0.001).startswith("More answers would help")
    assert said(UNKNOWN, 0.3, 0.03, 0.1).startswith("Undecided")


def test_at_the_noise_ceiling_no_more_answers_are_asked_for():
    """Be the fall of the error as clear as it may."""
    ceiling = Ceiling(Share(0.67, 0.66, 0.68, 900), Share(0.71, 0.70, 0.73, 900))
    text = said(ceiling, 0.295, 0.03, 0.001)
    assert text.startswith("Enough: the held-out error is at the noise ceiling")
    assert "hardly lower it" in text
    assert said(ceiling, 0.35, 0.03, 0.001).startswith("More answers would help")
    assert said(ceiling, 0.5, 0.03, 0.1).startswith("Inconclusive")
    drawn = learning_figure(curve(0.295, 0.03, 0.001), mark=200.0, ceiling=ceiling)
    notes = {a.text: a.y for a in drawn.layout.annotations if "lowest possible" in a.text}
    assert notes == {"band: lowest possible error": pytest.approx(0.33)}
    (band,) = (s for s in drawn.layout.shapes if s.type == "rect")
    assert sorted([band.y0, band.y1]) == pytest.approx([0.29, 0.33])
