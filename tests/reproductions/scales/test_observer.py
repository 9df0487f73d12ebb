"""The simulated observer of the thesis: questions, answers and what is kept of ten starts."""

from __future__ import annotations

from math import comb

import numpy as np
import pandas as pd
import pytest

from tripletscope.core.engine.progress import Stopped, silent
from tripletscope.core.models.simulation.truth import scale_function
from tripletscope.reproductions.scales import observer

N = 7
TRUTH = scale_function("sigmoid", np.linspace(0, 1, N))[:, None]


def test_three_questions_about_three_stimuli_and_one_about_the_middle():
    every, of_middle = observer.questions(N), observer.questions(N, of_middle=True)
    assert len(of_middle) == comb(N, 3)
    assert len(every) == 3 * comb(N, 3)
    asked = {(a, *sorted(others)) for a, *others in every.tolist()}
    assert len(asked) == len(every)
    assert all(low < anchor < high for anchor, low, high in of_middle.tolist())


def test_questions_without_an_answer_are_not_judged():
    symmetric = scale_function("polynomial", np.linspace(0, 1, N))[:, None]
    clear = observer.clear_answers(symmetric)
    assert len(clear) < 3 * comb(N, 3)
    assert observer.contradicted(symmetric, clear) == 0.0
    # The mirror image is as good, the reverse order of distances is wrong everywhere.
    assert observer.contradicted(-symmetric, clear) == 0.0
    assert observer.contradicted(symmetric, clear[:, [0, 2, 1]]) == 1.0
    assert observer.contradicted(np.zeros((N, 1)), clear) == 0.5


@pytest.mark.parametrize(("share", "with_nmds"), [(0.4, False), (1.0, True)])
def test_what_is_estimated(share, with_nmds):
    found = list(observer.estimates(TRUTH, 0.01, share, 0))
    names = {estimate.method for estimate in found}
    assert names == {"MLDS", "STE", "t-STE", "LOE"} | ({"NMDS"} if with_nmds else set())
    kept = {(one.method, one.kept): one for one in found}
    assert len(kept) == 2 * len(names) == len(found)
    for name in ("STE", "t-STE", "LOE"):
        by_error, by_loss = (
            kept[name, rule] for rule in (observer.LEAST_ERROR, observer.LEAST_LOSS)
        )
        assert by_error.own_error <= by_loss.own_error
        assert by_error.positions.shape == (N, 1)
    again = list(observer.estimates(TRUTH, 0.01, share, 0))
    np.testing.assert_array_equal(found[2].positions, again[2].positions)
    other = list(observer.estimates(TRUTH, 0.01, share, 1))
    assert not np.array_equal(found[2].positions, other[2].positions)


def test_all_methods_get_as_many_answers(monkeypatch):
    seen = []
    ask = observer.answer
    monkeypatch.setattr(
        observer, "answer", lambda truth, rows, *a, **k: seen.append(len(rows)) or ask(
            truth, rows, *a, **k)
    )
    list(observer.estimates(TRUTH, 0.1, 0.6, 0))
    assert seen == [round(0.6 * comb(N, 3))] * 4


def test_runs_can_be_stopped():
    settings = {"sigmas": (0.1,), "shares": (0.4, 1.0), "repeats": 1, "seed": 0}
    with pytest.raises(Stopped):
        list(observer.runs(TRUTH, **settings, progress=lambda fraction, **_: True))
    assert len(list(observer.runs(TRUTH, **settings, progress=silent))) == 8 + 10


def test_a_summary_has_mean_and_standard_deviation():
    errors = pd.DataFrame({
        "sigma": 0.05, "method": ["a", "a", "b", "b"], "repeat": [0, 1, 0, 1],
        "mse": [1.0, 3.0, 2.0, 2.0],
    })
    table = observer.summary(errors, ["mse"])
    assert table["mse"].tolist() == [2.0, 2.0]
    assert table["mse_sd"].tolist() == pytest.approx([np.sqrt(2), 0.0])
    assert table["noise"].tolist() == ["σ = 0.05"] * 2
