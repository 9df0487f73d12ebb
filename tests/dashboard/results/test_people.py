"""What is said of people who gave few answers, and of conditions."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from tests.core.people.planted import guessing
from tests.core.people.test_conditions import instructed
from tripletscope.core.data.triplets import Triplets
from tripletscope.core.people import WeightedEuclidean
from tripletscope.core.people.comparing import compare_people
from tripletscope.core.people.floor import Floor
from tripletscope.core.run import run
from tripletscope.dashboard.results.people import floor_said, groups_said, people_said
from tripletscope.dashboard.results.presentation import ShownResults, Statement
from tripletscope.dashboard.results.registry import presented
from tripletscope.dashboard.words import words


def floor(given: list[int], what: str = "map") -> Floor:
    names = np.array([f"p{k}" for k in range(len(given))])
    return Floor(names, np.array(given), np.full(len(given), 87), what, 2)


def test_who_gave_enough():
    assert floor_said(floor([87, 90])) == ""


def test_who_gave_too_few():
    some = floor_said(floor([87, 40]))
    assert some.startswith("Nothing is said about 1 of 2 participants: positions of the objects ")
    assert "need 87 answers each, and they gave 40" in some
    assert "1 of 2 groups by class" in floor_said(floor([87, 40]), "class")
    assert "single participants: weights of 2 axes" in floor_said(floor([1], "weights"))
    assert "single groups by class" in floor_said(floor([1], "scale"), "class")


def test_of_people_who_flip_coins_nothing_is_said():
    for seed in range(3):
        rng = np.random.default_rng(seed)
        rows = np.array([rng.choice(8, 3, replace=False) for _ in range(480)])
        who = pd.DataFrame({"participant": np.repeat([f"p{k}" for k in range(8)], 60)})
        coins = Triplets(rows, pd.DataFrame({"id": [str(i) for i in range(8)]}), who)
        found = compare_people(WeightedEuclidean(), coins, most_groups=1, folds=3)
        assert found.is_chance
        assert list(people_said(found, "participant")) == [words("people at chance")]


def test_people_who_guess_are_named_and_no_group():
    for seed in range(2):
        found = compare_people(WeightedEuclidean(), guessing(seed=seed), most_groups=2, folds=3)
        said = " ".join(people_said(found, "participant"))
        assert "3 of 12 participants answer like guesses" in said
        assert "not seen to predict held-out answers better" in groups_said(found)
        assert groups_said(found).endswith("Left out: 3 participants who answer like guesses.")


@pytest.mark.parametrize(("within", "told"), [
    (True, "What is said of each participant takes all conditions of told together"),
    (False, "each of them has more answers than each participant"),
])
def test_conditions_that_differ_do_not_contradict_what_is_said_of_people(within, told):
    """A report said that attention differs, and of the same axes that none is weighted."""
    data = instructed(0.6, within=within, each=40)
    of_people, of_told = WeightedEuclidean(n_init=1), WeightedEuclidean(by="told", n_init=1)
    runs = (
        run("compare_people", of_people, data, {"most_groups": 1, "folds": 2}),
        run("compare_conditions", of_told, data, {"permutations": 19, "folds": 2}),
        run("fit", of_people, data),
    )
    assert runs[1].result().weights_differ
    shown = ShownResults(runs, data, "Told", cautious=True)
    said = [part.text for part in presented(shown, runs[2]) if isinstance(part, Statement)]
    assert not runs[0].result().attention_shown
    assert sum(told in text for text in said) == 1
