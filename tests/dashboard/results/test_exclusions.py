"""What is said of exclusions, weights and gold questions."""

from __future__ import annotations

import numpy as np
import pandas as pd

from tests.core.studies.quality.answers import people_data
from tripletscope.core.models.embedding import STE
from tripletscope.core.people.treatments import Treatments
from tripletscope.core.run import Run
from tripletscope.core.studies.quality import Cleaning, Exclusion, gold_mistakes
from tripletscope.dashboard.results import sentences
from tripletscope.dashboard.results.exclusions import GoldQuestions
from tripletscope.dashboard.results.presentation import Numbers, ShownResults
from tripletscope.dashboard.results.registry import presented

ANSWERS = people_data()


def table_of(result):
    (numbers,) = (
        part for part in presented(ShownResults((), ANSWERS, "X"), result)
        if isinstance(part, Numbers)
    )
    return numbers.table()


def treated(result: Treatments, weighted: bool = True) -> Run:
    """The result as that of a run."""
    plain = vars(result)
    arrays = {name: value for name, value in plain.items() if isinstance(value, np.ndarray)}
    return Run(
        "0" * 32, "compare_treatments", "embedding", "ste", STE().get_params(),
        {"weighted": weighted}, "", "", "2026-01-01", 0.0, True,
        {name: value for name, value in plain.items() if name not in arrays}, arrays,
    )


def treatments(weights, apart):
    zero = np.zeros(3)
    change = np.array([0.0, 0.004, weights])
    return treated(Treatments(
        error=zero + 0.2, everybody=zero + 0.3, difference=change, low=change - 0.01,
        high=change + 0.01, apart=np.array([apart, apart - 0.01, apart + 0.01]),
        effective=zero + 700, moved=zero, n_excluded=2, n_predicted=600, unit="participants",
        n_units=24, marks=np.arange(720)[:, None] >= 120,
    ))


def test_equal_treatments_have_no_clear_difference():
    equal = sentences(treatments(-0.004, -0.008), answers=ANSWERS)
    assert sum("no clear difference" in text for text in equal) == 2
    assert all("over 24 participants" in text for text in equal[:2])
    assert "no clear improvement over exclusion, nor the reverse" in equal[2]
    assert "120 answers excluded, 2 participants entirely" in equal[3]


def test_better_treatments_are_said_to_be():
    _, weights, better, _ = sentences(treatments(-0.04, -0.03), answers=ANSWERS)
    assert "fewer errors: \N{MINUS SIGN}4.0" in weights
    assert "Weights predict better" in better
    worse = sentences(treatments(0.04, 0.03), answers=ANSWERS)
    assert "more errors" in worse[1]
    assert "Exclusion predicts better" in worse[2]
    assert table_of(treatments(0.04, 0.03))["change (points)"][0] == ""


def test_what_an_exclusion_removes():
    cleaning = Cleaning(ANSWERS)
    removed = cleaning.preview(Exclusion(participants=("p5",), answers=(0, 1)))
    assert sentences(removed, answers=ANSWERS) == [
        "Removes 122 trials: 16.9% of the answers.", "All data of 1 participant: p5.",
        "Some answers of 1 further participant.",
    ]
    table = table_of(removed).set_index("participant")
    assert table["answers removed"].to_dict() == {"p5": 120, "p0": 2}
    assert table["all data"].to_dict() == {"p5": True, "p0": False}


def test_whom_one_or_two_checks_exclude_are_named():
    """Quality did not count who had failed the only check, by which an exclusion began."""
    checks = pd.DataFrame({
        "participant": ["p0", "p1", "p1", "p1", "p2", "p2"], "correct": [False] * 3 + [True] * 3,
    })
    cleaning = Cleaning(ANSWERS, catch_trials=checks)
    said = sentences(cleaning.preview(Exclusion("failed_checks")), answers=ANSWERS)
    assert said[1] == "All data of 2 participants: p0 and p1."
    assert said[2] == "Fewer than 3 catch and gold questions, which say little: p0."
    by_hand = cleaning.preview(Exclusion(participants=("p0",)))
    assert not by_hand.few_checks


def test_those_who_keep_some_answers_are_further_ones_only_beside_others():
    removed = Cleaning(ANSWERS).preview(Exclusion(answers=(0, 1)))
    assert sentences(removed, answers=ANSWERS)[-1] == "Some answers of 1 participant."


def test_steps_have_their_names_within_the_sentence():
    cleaning = Cleaning(ANSWERS).excluding(Exclusion("few_answers", {"least": 20})).excluding(
        Exclusion(answers=(0, 1))
    )
    text = " ".join(sentences(cleaning, answers=cleaning.triplets))
    assert "too few trials (min. trials: 20)" in text
    assert "manual selection" in text


def test_what_an_exclusion_does_to_prediction():
    error = np.array([0.3, 0.288])
    effect = Treatments(
        error, error, np.array([0.0, -0.012]), np.array([0.0, -0.034]), np.array([0.0, 0.01]),
        1, 600, np.arange(720)[:, None] >= 30, unit="participants", n_units=8,
    )
    text, tried = sentences(treated(effect, weighted=False), answers=ANSWERS)
    assert "30 answers excluded, 1 participant entirely" in tried
    assert "from .300 to .288: \N{MINUS SIGN}1.2 [\N{MINUS SIGN}3.4, +1.0] points" in text
    assert text.endswith("95% interval over 8 participants.")


def test_weights_are_told_as_a_step():
    names = tuple(f"p{k}" for k in range(6))
    step = Exclusion("weights", {"weights": [1.0, 0.5, *[0.25] * 4]}, names, reason="why")
    cleaning = Cleaning(ANSWERS).excluding(step)
    text = " ".join(sentences(cleaning, answers=cleaning.triplets))
    assert "weights by lapse rate: answers of 6 participants, by how rarely they looked" in text
    assert f"lowest 0.25; effective number of trials {cleaning.effective:.0f}) (why). This" in text


def test_gold_questions_are_told_with_examples():
    gold = ANSWERS.take(np.unique(ANSWERS.questions, return_index=True)[1][:7])
    mistakes = gold_mistakes(ANSWERS, gold)
    first, *examples = sentences(GoldQuestions(gold, mistakes), answers=ANSWERS)
    assert first.startswith(f"7 gold questions: {int(np.isfinite(mistakes).sum())} answers to them")
    assert f"{int(np.nansum(mistakes))} of which are wrong" in first
    assert len(examples) == 5
