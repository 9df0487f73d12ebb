"""Adaptive questions are those whose answers a map of the answers so far knows least of."""

from __future__ import annotations

import numpy as np
import pytest

from tests.core.studies.experiment.made import experiment_of
from tripletscope.core.data.errors import DataError
from tripletscope.core.data.triplets import Triplets
from tripletscope.core.models.simulation.simulate import simulate
from tripletscope.core.studies.experiment.live import hardly_answered, live_map, next_questions
from tripletscope.core.studies.experiment.results import AnswerRecord


@pytest.fixture(scope="module")
def answers() -> Triplets:
    """Many answers about eleven objects on a line, the last of which was hardly asked about."""
    line = np.column_stack([np.arange(11.0), np.zeros(11)])
    found = simulate(line, 1500, noise="logistic", level=0.5, seed=1)
    rare = (found.rows == 10).any(axis=1)
    return found.take(np.flatnonzero(~rare | (np.cumsum(rare) <= 6)))


def test_too_few_answers_make_no_map(answers):
    assert live_map(answers.take(np.arange(21))) is None
    assert live_map(answers.take(np.arange(22))) is not None


@pytest.mark.parametrize("source", ["uncertain", "gain"])
def test_they_ask_about_what_is_not_known(answers, source):
    ids = answers.objects["id"].astype(str).tolist()
    experiment = experiment_of(ids=ids, source=source)
    asked = next_questions(experiment, live_map(answers), 20)
    assert len(asked) == 20 == len({(a, *sorted(pair)) for a, *pair in asked})
    assert all(len({*shown}) == 3 and {*shown} <= {*ids} for shown in asked)
    about = np.mean([ids[10] in shown for shown in asked])
    assert about > 1.5 * 3 / 11  # by lot, three objects in eleven
    assert asked == next_questions(experiment, live_map(answers), 20)


def test_what_nobody_can_say_is_not_asked_again(answers):
    ids = answers.objects["id"].astype(str).tolist()
    experiment = experiment_of(ids=ids, source="uncertain", skip=True)
    first = next_questions(experiment, live_map(answers), 20)
    (a, b, c), (d, e, f), *_ = first
    records = [
        AnswerRecord("ann", "q1", 0, "triplet", (a, b, c), (), unanswered="skipped"),
        AnswerRecord("bob", "q1", 0, "triplet", (a, c, b), (), unanswered="late"),
        AnswerRecord("ann", "q2", 1, "triplet", (d, e, f), (), unanswered="skipped"),
        AnswerRecord("bob", "q2", 1, "triplet", (d, f, e), (0,)),
    ]
    without = hardly_answered(experiment, records)
    assert without == {(a, *sorted((b, c)))}
    later = next_questions(experiment, live_map(answers), 20, without=without)
    alike = [{(x, *sorted(pair)) for x, *pair in asked} for asked in (first, later)]
    assert len(later) == 20
    assert without <= alike[0]
    assert not without & alike[1]
    assert (d, *sorted((e, f))) in alike[1]


def test_of_three_objects_none_is_always_first(answers):
    ids = answers.objects["id"].astype(str).tolist()
    experiment = experiment_of(ids=ids, source="uncertain", task="odd_one_out")
    asked = next_questions(experiment, live_map(answers), 40)
    # The object that is not known is in most of them, and at every place.
    assert {shown.index(ids[10]) for shown in asked if ids[10] in shown} == {0, 1, 2}


def test_other_experiments_have_none(answers):
    ids = answers.objects["id"].astype(str).tolist()
    with pytest.raises(DataError, match="not chosen by the answers so far"):
        next_questions(experiment_of(ids=ids), live_map(answers), 5)
    with pytest.raises(DataError, match="adaptive questions are about three objects"):
        experiment_of(source="gain", task="pairs")
