"""What is said of views: which differ from random sets, and of which nothing can be said."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tripletscope.core.inference.uncertainty.robustness import Robustness
from tripletscope.core.models.embedding import STE
from tripletscope.core.run import Run
from tripletscope.dashboard.results.robustness import robustness_of
from tripletscope.dashboard.results.shown import ShownResults, Statement
from tripletscope.dashboard.wording import Words


def said(result: Robustness, planted, language: str) -> list[str]:
    """The sentences of a result."""
    run = Run("", "robustness", "embedding", "ste", STE().get_params(), {}, "", "", "", 0.0, True,
              {name: v for name, v in vars(result).items() if not isinstance(v, np.ndarray)},
              {name: v for name, v in vars(result).items() if isinstance(v, np.ndarray)})
    shown = ShownResults((run,), planted, "People", Words(language))
    return [part.text for part in robustness_of(shown, run) if isinstance(part, Statement)]


@pytest.mark.parametrize("language", ["en", "de"])
def test_only_what_differs_from_random_sets_is_told(planted, language):
    value = np.array([[0.2, 0.1], [0.8, 0.9], [np.nan, 0.03]])
    p = np.array([[np.nan, 0.5]] * 3)
    alike = Robustness(["all answers", "experts"], np.array([90, 50]), value, value - 0.01,
                       value + 0.01, value, value + 0.1, p, 39, 5, 12, 500.0)
    (text,) = said(alike, planted, language)
    assert "experts" not in text
    assert "= .500" in text
    p = np.array([[np.nan, 0.025], [np.nan, 0.5], [np.nan, 0.05]])
    error, moved = said(replace(alike, p=p), planted, language)
    assert "experts" in error
    assert ".100" in error
    assert ".025" in error
    assert "3.0" in moved
    (few,) = said(replace(alike, p=p, ways=10.0), planted, language)
    assert "10" in few
    assert "experts" not in few
