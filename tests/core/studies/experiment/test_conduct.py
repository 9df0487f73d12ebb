"""How participants answer, and the error of a map while answers come in."""

from __future__ import annotations

import numpy as np
import pytest

from tripletscope.core.engine.progress import Stopped
from tripletscope.core.studies.experiment.conduct import conduct_table
from tripletscope.core.studies.experiment.experiment import Experiment, Stimulus
from tripletscope.core.studies.experiment.live import FEWEST, collected_error, collected_map
from tripletscope.core.studies.experiment.results import AnswerRecord
from tripletscope.core.studies.experiment.simulated import simulated_participants

OBJECTS = tuple(Stimulus(f"i{k}", "text", f"i{k}") for k in range(15))


def record(kind: str, shown: str, chosen: int, **further) -> AnswerRecord:
    place = further.pop("place", 0)
    return AnswerRecord(
        "ann", f"q{place}", place, further.pop("task", "triplet"), tuple(shown), (chosen,), kind,
        **further,
    )


def test_checks_repeats_and_times_are_counted():
    table = conduct_table([
        record("practice", "abc", 0, rt_ms=9000.0),
        record("question", "abc", 0, place=1, rt_ms=1000.0),
        record("catch", "aba", 1, place=2, correct=(1,), rt_ms=500.0),
        record("gold", "abc", 0, place=3, correct=(1,), rt_ms=None),
        record("repeat", "acb", 1, place=4, rt_ms=2000.0),
        record("repeat", "acb", 0, place=5, rt_ms=float("nan")),
        *(AnswerRecord("ann", f"q{place}", place, "triplet", tuple("abc"), (), kind, rt_ms=9000.0,
                       correct=(1,), unanswered=why)
          for place, (kind, why) in enumerate([
              ("question", "skipped"), ("repeat", "late"), ("catch", "skipped"), ("gold", "late"),
              ("practice", "skipped"), ("question", "skipped")], 6)),
    ])
    assert table.to_dict("records") == [{
        "participant": "ann", "answers": 3, "skipped": 2, "late": 1, "checks": 2, "failed": 1,
        "repeats": 2, "consistent": 1, "median_time": 1.0,
    }]


def test_a_repeat_of_pairs_is_the_same_wherever_they_stand():
    table = conduct_table([
        record("question", "abcd", 0, task="pairs"),
        record("repeat", "dcba", 1, task="pairs", place=1),
    ])
    assert table["consistent"].tolist() == [1]


def test_nobody_is_an_empty_table():
    assert conduct_table([]).columns.tolist()[0] == "participant"


@pytest.fixture(scope="module")
def positions() -> np.ndarray:
    return np.random.default_rng(1).normal(size=(15, 2))


@pytest.mark.parametrize("task", ["triplet", "odd_one_out", "ranking", "pairs"])
def test_the_error_falls_as_answers_come_in(positions, task):
    experiment = Experiment(title="Things", objects=OBJECTS, task=task, n_questions=60)
    records = simulated_participants(
        experiment, positions, 10, noise="flip", level=0.05, careless=0.0
    )
    few, many = (collected_error(experiment, records[:n]) for n in (120, len(records)))
    assert many.low < many.error < many.high < 0.35
    assert many.error < few.error
    assert many.unit == "participants"
    assert many.n_predicted < many.n_answers  # repeats are not predicted


def test_adaptive_questions_are_learned_from_and_not_judged_by(positions):
    experiment = Experiment(
        title="Things", objects=OBJECTS, source="uncertain", random_share=0.3, n_questions=60
    )
    records = simulated_participants(experiment, positions, 16, careless=0.0)
    found = collected_error(experiment, records)
    honest = sum(one.tells_accuracy for one in records)
    assert found.n_predicted == honest < found.n_answers / 2


def test_few_answers_say_nothing(positions):
    experiment = Experiment(title="Things", objects=OBJECTS, n_questions=FEWEST // 2)
    records = simulated_participants(experiment, positions, 1)
    assert collected_error(experiment, records) is None
    assert collected_error(experiment, []) is None


def test_it_can_be_stopped(positions):
    experiment = Experiment(title="Things", objects=OBJECTS, n_questions=60)
    records = simulated_participants(experiment, positions, 6, careless=0.0)
    with pytest.raises(Stopped):
        collected_error(experiment, records, progress=lambda *_, **__: True)


def test_the_map_as_it_comes_lies_like_the_one_before(positions):
    experiment = Experiment(title="Things", objects=OBJECTS, n_questions=60)
    records = simulated_participants(experiment, positions, 12, level=0.3, careless=0.0)
    before = positions - positions.mean(axis=0)
    found = collected_map(experiment, records, before=before)
    explained = 1 - np.sum((found - before) ** 2) / np.sum(before**2)
    assert explained > 0.8, "it is not turned"
    turned = collected_map(experiment, records, before=-before)
    np.testing.assert_allclose(turned, -found, atol=1e-8)


def test_objects_of_which_nothing_is_known_have_no_place(positions):
    experiment = Experiment(title="Things", objects=OBJECTS, n_questions=60)
    records = [
        one for one in simulated_participants(experiment, positions, 12)
        if "i14" not in one.shown
    ]
    found = collected_map(experiment, records, before=positions)
    assert np.isnan(found[14]).all()
    assert np.isfinite(found[:14]).all()
