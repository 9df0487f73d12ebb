"""Every estimate of error beside the error on fresh answers, where a trial makes two answers.

The same with folds that part the answers of a trial, as if nobody knew of trials: each estimate
that holds answers out is then wrong, so that these tests would notice.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from unittest.mock import patch

import numpy as np
import pytest

from tests import crowds
from tests.crowds import Crowd
from tripletscope.core.data.triplets import Answers
from tripletscope.core.models.embedding import STE
from tripletscope.core.people.floor import Floor

#: Rates: ``benchmarks/trials.py``.
DATA_SETS = 6
#: Each of one task: trials of both are held out by the same groups.
ESTIMATES = ("cross-validation", "learning curve, last point")
DIVIDING = ("the data's own split", "direction test")
#: Few trials about many objects: what is learned from the other answer of a trial is much.
FEW = Crowd(30, 12, 12, 0.3, "odd_one_out", STE(n_components=5, n_init=1), 0)


@contextmanager
def questions_alone() -> Iterator[None]:
    """Folds as they would be if nobody knew of trials."""
    with patch.object(Answers, "groups", property(lambda self: self.questions)):
        yield


def found_by(name: str, crowd: Crowd, data_sets: int = DATA_SETS) -> tuple[int, float]:
    """In how many data sets the interval holds the truth, and how much too high it is said."""
    found = np.array([
        crowds.ESTIMATES[name](replace(crowd, seed=seed)) for seed in range(data_sets)
    ])
    said, low, high, true = found.T
    return int(np.sum((low <= true) & (true <= high))), float(np.mean(said - true))


@pytest.mark.parametrize(
    ("name", "task"), zip(ESTIMATES, crowds.TASKS, strict=True)
)
def test_intervals_hold_the_error_on_fresh_answers(name, task):
    crowd = replace(FEW, task=task)
    held, off = found_by(name, crowd)
    assert held >= 5
    assert abs(off) < 0.04
    with questions_alone():
        held, off = found_by(name, crowd)
    assert held <= 4
    assert off < -0.07


def test_differences_hold_on_fresh_answers():
    """More dimensions learn more of the other half of a trial, and would look better."""
    held, off = found_by("Compare: d = 5 less d = 2", FEW)
    assert held >= 5
    assert off > -0.012
    with questions_alone():
        assert found_by("Compare: d = 5 less d = 2", FEW)[1] < -0.018


@pytest.mark.parametrize("name", ["error after an exclusion", "tuned setting"])
def test_errors_without_an_interval_are_those_on_fresh_answers(name):
    """The setting that was chosen has the lowest of ten errors, which is a little too low."""
    assert -0.05 < found_by(name, FEW, 3)[1] < 0.04
    with questions_alone():
        assert found_by(name, FEW, 3)[1] < -0.06


def test_participants_are_predicted_from_themselves_as_fresh_answers_are(monkeypatch):
    # With so few that nothing would be told of one person, what is learned of a trial is much.
    monkeypatch.setattr(Floor, "reached", property(lambda self: np.ones(len(self.needed), bool)))
    crowd = Crowd(15, 6, 40, 0.0, "odd_one_out", STE(n_components=5, n_init=1), 0)

    def too_high() -> float:
        off = []
        for seed in range(4):
            one = replace(crowd, seed=seed)
            own = one.data.answers["participant"].to_numpy()
            truth = np.mean([
                1 - one.fresh(one.method, own == f"p{k}").mean() for k in range(one.people)
            ])
            off.append(crowds.relations_of.__wrapped__(one).loc["self", "accuracy"] - truth)
        return float(np.mean(off))

    assert abs(too_high()) < 0.03
    with questions_alone():
        assert too_high() > 0.05


def test_the_effect_of_an_exclusion_holds_on_fresh_answers():
    """Both accuracies would be as much too high, so that their difference does not tell."""
    crowd = replace(FEW, guessing=3, method=STE(n_init=1))
    held, off = found_by("exclusion of guessers", crowd, 12)
    assert held >= 10
    assert abs(off) < 0.02


@pytest.mark.parametrize(
    ("name", "task"), zip(DIVIDING, crowds.TASKS, strict=True)
)
def test_what_divides_trials_in_its_own_way_holds_too(name, task):
    """The split is the file's, and the direction test holds out rows, here one for each trial."""
    assert found_by(name, replace(FEW, task=task, method=STE(n_init=1)))[0] >= 5
