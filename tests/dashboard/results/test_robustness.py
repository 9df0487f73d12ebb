"""What is said of views: which differ from random sets, and of which nothing can be said."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import numpy as np

from tripletscope.core.inference.uncertainty.robustness import Robustness
from tripletscope.core.models.embedding import STE
from tripletscope.dashboard.results.multiverse import robustness_of
from tripletscope.dashboard.results.presentation import ShownResults, Statement


def test_only_what_differs_from_random_sets_is_told(planted):
    value = np.array([[0.2, 0.1], [0.8, 0.9], [np.nan, 0.03]])
    alike = Robustness(["all answers", "experts"], np.array([90, 50]), value, value, value + 0.1,
                       np.full((3, 2), 0.5), 39, 5, 12, 500.0)
    some = replace(alike, p=np.array([[np.nan, 0.025], [np.nan, 0.5], [np.nan, 0.05]]))
    told = []
    tiny = replace(alike, value=np.array([[0.2, np.nan], [0.8, np.nan], [np.nan, np.nan]]))
    listed = replace(alike, other_questions=["second session"])
    for result in (alike, some, replace(some, ways=10.0), tiny, listed):
        run = SimpleNamespace(result=lambda result=result: result, fresh=STE, key="", complete=True)
        parts = robustness_of(ShownResults((), planted, "People"), run)
        told.append([part.text for part in parts if isinstance(part, Statement)])
    (none,), (error, moved, by_itself), (few,), (little,), (questions,) = told
    assert "= .500" in none
    assert all(part in error for part in ("experts", ".100", ".025"))
    assert "3.0" in moved
    assert "10" in few
    assert "agreement" in by_itself
    assert "second session" in questions
    assert "experts" not in none + few + little
