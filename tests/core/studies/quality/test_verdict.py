"""Whom to look at: people who guess are found, people who differ a little are not."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from tests.core.studies.quality.answers import people_data
from tests.paths import SAMPLES
from tripletscope.core.data.triplets import Triplets
from tripletscope.core.models.embedding import STE
from tripletscope.core.people.lapses import with_lapses
from tripletscope.core.studies.quality import participants
from tripletscope.core.studies.quality.importing import read
from tripletscope.core.studies.quality.verdict import verdict


def crowd(correct: np.ndarray, each: int, seed: int) -> Triplets:
    """People who side with the truth in these shares of answers to the same 40 questions."""
    rng = np.random.default_rng(seed)
    asked = np.array([rng.choice(12, 3, replace=False) for _ in range(40)])
    who = np.repeat(np.arange(len(correct)), each)
    rows = asked[rng.integers(40, size=len(who))]
    wrong = rng.random(len(who)) > correct[who]
    rows[wrong] = rows[wrong][:, [0, 2, 1]]
    answers = pd.DataFrame({"participant": pd.Categorical([f"p{k:03d}" for k in who])})
    return Triplets(rows, pd.DataFrame({"id": [f"o{k}" for k in range(12)]}), answers)


def test_who_guesses_hurries_and_prefers_a_side_is_named_with_all_reasons():
    found = verdict(participants(people_data()))
    assert list(found.reasons) == ["p5"]
    why = {reason.code: reason.values for reason in found.reasons["p5"]}
    assert why["favourite_share"]["favourite"] == "left"
    assert 0.35 < why["median_time"]["value"] < 0.5
    assert "failed" in found.not_looked_at


def test_guessers_are_found_among_many_and_nobody_else():
    correct = np.where(np.arange(100) < 97, 0.8, 0.5)
    found = verdict(participants(crowd(correct, 150, seed=1)))
    assert set(found.reasons) == {"p097", "p098", "p099"}
    for reasons in found.reasons.values():
        assert all(round(why.values["usual"], 2) == 0.78 for why in reasons)


def test_who_takes_the_keys_the_other_way_round_is_told_from_who_guesses():
    correct = np.where(np.arange(40) < 38, 0.8, [0.5] * 39 + [0.2])
    found = verdict(participants(crowd(correct, 150, seed=1)))
    said = {who: [why.code for why in reasons] for who, reasons in found.reasons.items()}
    assert said.keys() == {"p038", "p039"}
    assert not any("against" in code for code in said["p038"])
    assert "agrees against" in said["p039"]
    assert "agrees" not in said["p039"]
    for seed in range(10):
        guessing = crowd(np.where(np.arange(40) < 20, 0.8, 0.5), 100, seed)
        codes = {why.code for whys in verdict(participants(guessing)).reasons.values()
                 for why in whys}
        assert "agrees against" not in codes


def test_all_guess():
    """Of such crowds "Nothing stands out among 12 participants." was said."""
    for seed in range(5):
        assert verdict(participants(crowd(np.full(12, 0.5), 60, seed))).guessing
        answering = verdict(participants(crowd(np.full(12, 0.8), 60, seed)))
        assert not answering.reasons
        assert answering.guessing is False


def test_few_repeats():
    """Careful people with four repeats by chance were "not told apart from guesses"."""
    people = participants(crowd(np.full(12, 0.8), 60, 0)).drop(columns=["agrees"])
    people["repeats"] = [1, 1, 1, 1] + [0] * 8
    people["consistent"] = [1.0, 1.0, 1.0, 0.0] + [np.nan] * 8
    assert verdict(people).guessing is None
    people["repeats"], people["consistent"] = 40, [0.45, 0.55] * 6
    assert verdict(people).guessing


def test_many_who_guess_are_no_majority():
    for seed in range(3):
        assert verdict(participants(crowd(np.full(100, 0.5), 60, seed))).guessing


def test_checks_that_are_passed_are_no_guesses():
    people = participants(crowd(np.full(12, 0.5), 60, 0)).assign(checks=10, failed=0.1)
    assert not verdict(people).guessing


def test_whether_all_guess_is_unknown_without_agreement():
    people = participants(people_data()).drop(columns=["agrees", "consistent", "failed"])
    assert verdict(people.assign(median_time=1.0, bias_p=1.0)).guessing is None


def test_two_repeated_questions_are_too_few_to_stand_out():
    eggs = read(SAMPLES / "alien_eggs" / "responses.csv")
    people = participants(eggs)
    worst = people[people["consistent"] == 0.0]
    assert worst["repeats"].max() == 2
    assert people["consistent"].median() == 1.0
    assert not verdict(people).reasons


@pytest.mark.parametrize("seed", range(5))
def test_nobody_stands_out_where_people_differ_a_little(seed):
    correct = np.random.default_rng(seed).uniform(0.72, 0.85, 100)
    found = verdict(participants(crowd(correct, 60, seed)))
    assert not found.reasons
    assert found.guessing is False
    assert "agrees" in found.looked_at


def test_many_answers_do_not_make_small_differences_stand_out():
    correct = np.where(np.arange(10) < 9, 0.85, 0.75)
    assert not verdict(participants(crowd(correct, 3_000, seed=0))).reasons


def test_checks_count_from_three_on():
    people = participants(crowd(np.full(3, 0.8), 50, seed=0))
    people["checks"], people["failed"] = [2, 4, 10], [1.0, 0.5, 0.1]
    assert list(verdict(people).reasons) == ["p001"]


def test_a_side_is_held_against_the_number_of_people():
    people = participants(crowd(np.full(3, 0.8), 50, seed=0)).assign(
        favourite="left", favourite_share=0.9, bias_p=[0.02, 0.01, 0.5])
    assert list(verdict(people).reasons) == ["p001"]


def test_what_the_map_of_the_others_predicts_counts_where_it_was_computed():
    people = participants(crowd(np.full(4, 0.8), 200, seed=0)).assign(
        predicted=[0.8, 0.82, 0.51, 0.79])
    for end, sign in (("low", -1), ("high", 1)):
        people[f"predicted_{end}"] = people["predicted"] + sign * 0.05
    (why,) = verdict(people).reasons["p002"]
    assert (why.code, why.values) == ("predicted", {"value": 0.51, "usual": 0.795})


def test_without_names_or_measures_it_says_so():
    people = participants(crowd(np.full(2, 0.8), 50, seed=0))
    assert verdict(people.iloc[:0]).n_participants == 0
    assert verdict(people[["participant", "answers"]]).looked_at == ()


def raters(careful: int, seed: int, number: int = 20, n: int = 12) -> Triplets:
    """All comparisons of ratings of pairs by people, of whom the first so many see one map."""
    rng = np.random.default_rng(seed)
    apart = np.hypot(*(rng.normal(size=(2, n, 1)) - rng.normal(size=(2, 1, n))))
    rows = np.array([
        (a, b, c) for a in range(n) for b in range(n) for c in range(b) if len({a, b, c}) == 3
    ])
    parts = []
    for k in range(number):
        rating = rng.normal(size=(n, n))
        if k < careful:
            rating = apart + apart.T + rating
        rating = rating + rating.T
        near = rating[rows[:, 0], rows[:, 1]] < rating[rows[:, 0], rows[:, 2]]
        parts.append(np.where(near[:, None], rows, rows[:, [0, 2, 1]]))
    who = np.repeat([f"r{k:02}" for k in range(number)], len(rows))
    about = pd.DataFrame({"participant": who, "held_together": who})
    return Triplets(np.concatenate(parts), pd.DataFrame({"id": list("abcdefghijkl"[:n])}), about)


@pytest.mark.parametrize("seed", [1, 4])
def test_of_raters_each_rating_counts_once(seed):
    """Each is in many comparisons, by which most random raters stood out somewhere."""
    random = raters(0, seed)
    assert not verdict(participants(random)).reasons
    assert participants(random)["questions"].unique().tolist() == [66]
    alone = random.with_columns({"held_together": np.full(len(random), None)})
    assert participants(alone)["questions"].unique().tolist() == [660]
    assert verdict(participants(alone)).reasons
    assert list(verdict(participants(raters(19, seed))).reasons) == ["r19"]


def test_lapses_of_raters_are_as_uncertain_as_their_ratings():
    """Together, their comparisons have as much weight as there are rated pairs."""
    found = with_lapses(STE(n_init=1), raters(4, 0, number=4, n=8), steps=3)
    alone = raters(4, 0, number=4, n=8)
    alone = alone.with_columns({"held_together": np.full(len(alone), None)})
    naive = with_lapses(STE(n_init=1), alone, steps=3)
    assert found.without == pytest.approx(naive.without * 28 / 168, rel=0.1)
    assert (found.high - found.low).mean() > 1.2 * (naive.high - naive.low).mean()
