"""What was chosen among what, from answers and their trials."""

import numpy as np
import pandas as pd
import pytest

from tripletscope.core.data.choices import choices_of
from tripletscope.core.data.quadruples import Quadruples
from tripletscope.core.data.triplets import Triplets
from tripletscope.core.reading.tasks import chosen_first


def stages(rows, trials=None):
    found = choices_of(np.array(rows, np.int32), None if trials is None else np.array(trials))
    return [
        (int(found.sign[s]), int(found.n_chosen[s]),
         found.pairs[found.bounds[s]:found.bounds[s + 1]].tolist())
        for s in range(len(found))
    ], found


def test_answers_without_trials_are_choices_of_two():
    of, found = stages([(0, 1, 2), (2, 0, 1)])
    assert of == [(1, 1, [[0, 1], [0, 2]]), (1, 1, [[2, 0], [2, 1]])]
    assert found.are_triplets
    assert found.chance.tolist() == [0.5, 0.5]
    four, _ = stages([(0, 1, 2, 3)])
    assert four == [(1, 1, [[0, 1], [2, 3]])]


def test_an_odd_one_out_is_one_choice_of_three():
    of, found = stages([(5, 4, 3), (0, 1, 2), (4, 5, 3), (1, 0, 2)], [7, 3, 7, 3])
    assert of == [(1, 1, [[0, 1], [0, 2], [1, 2]]), (1, 1, [[5, 4], [5, 3], [4, 3]])]
    assert found.chance.tolist() == pytest.approx([1 / 3, 1 / 3])
    odd = found.odd_one_out()
    assert odd.rows.tolist() == [[0, 1, 2], [5, 4, 3]]
    assert odd.answer.tolist() == [1, 0]


def test_the_most_central_leaves_the_least_similar_pair():
    of, found = stages([(0, 1, 2), (2, 1, 0)], [0, 0])
    assert of == [(-1, 1, [[0, 2], [0, 1], [2, 1]])]
    assert not len(found.odd_one_out().rows)


@pytest.mark.parametrize("ranked", [False, True])
def test_several_of_many_are_chosen_in_stages(ranked):
    rows = [(9, j - 1, k - 1) for _, j, k in chosen_first(4, 2, ranked)]
    of, found = stages(rows, [0] * len(rows))
    if ranked:
        assert of == [(1, 1, [[9, 0], [9, 1], [9, 2], [9, 3]]), (1, 1, [[9, 1], [9, 2], [9, 3]])]
        assert found.trial.tolist() == [0, 0]
    else:
        assert of == [(1, 2, [[9, 0], [9, 1], [9, 2], [9, 3]])]
        assert found.chance.tolist() == pytest.approx([1 / 6])


@pytest.mark.parametrize("rows", [
    [(0, 1, 2), (0, 2, 1)],                # a contradiction
    [(0, 1, 2), (0, 2, 3)],                # an order of three that lacks one comparison
    [(0, 1, 2), (1, 2, 0), (2, 0, 1)],     # a cycle
    [(0, 1, 2), (3, 4, 5)],                # about other objects
    [(0, 1, 2), (0, 1, 2)],                # the same twice
])
def test_trials_that_are_no_choice_are_taken_apart(rows):
    of, found = stages(rows, [0] * len(rows))
    assert found.are_triplets
    assert of == stages(rows)[0]
    assert found.trial.tolist() == [0] * len(rows)


def test_a_trial_that_was_cut_in_half_is_a_triplet():
    objects = pd.DataFrame({"id": list("abc")})
    whole = Triplets([(0, 1, 2), (1, 0, 2)], objects, pd.DataFrame({"trial": [0, 0]}))
    assert not whole.choices.are_triplets
    assert whole.take([0]).choices.are_triplets


def test_stages_can_be_taken_by_their_positions():
    rows = [(0, 1, 2), (1, 0, 2), *((9, j, k) for _, j, k in chosen_first(4, 2, True)), (3, 4, 5)]
    _, found = stages(rows, [0, 0, *[1] * 5, 2])
    for which in (np.arange(len(found))[::-1], np.array([1]), np.zeros(0, np.int64)):
        part = found.take(which)
        expected = [
            found.pairs[found.bounds[s]:found.bounds[s + 1]].tolist() for s in which
        ]
        assert [
            part.pairs[part.bounds[s]:part.bounds[s + 1]].tolist() for s in range(len(part))
        ] == expected


def test_pairs_of_pairs_and_nothing_at_all():
    objects = pd.DataFrame({"id": list("abcd")})
    assert Quadruples(np.array([(0, 1, 2, 3)]), 4).choices.are_triplets
    empty = Triplets(np.zeros((0, 3), int), objects, pd.DataFrame({"trial": []}))
    assert len(empty.choices) == 0
