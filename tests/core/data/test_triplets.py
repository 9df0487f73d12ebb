"""The data type: what it accepts, what it refuses, what it remembers."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from tripletscope.core.data.errors import DataError
from tripletscope.core.data.triplets import Triplets, as_triplets
from tripletscope.core.ratings import Ratings

ROWS = [[0, 1, 2], [0, 2, 1], [3, 1, 0], [0, 1, 2]]


@pytest.fixture
def small() -> Triplets:
    objects = pd.DataFrame({"id": list("abcd"), "size": [1.0, 2.0, 3.0, 4.0]})
    answers = pd.DataFrame({"participant": pd.Categorical(["p", "q", "p", "q"])})
    return Triplets(ROWS, objects, answers, "small")


def test_holds_what_it_was_given(small):
    assert small.rows.dtype == np.int32
    assert small.rows.tolist() == ROWS
    assert (len(small), small.n_objects, small.ids) == (4, 4, ["a", "b", "c", "d"])
    assert small.labels == small.ids
    assert small.weight.tolist() == [1.0] * 4
    assert small.answers_per_object.tolist() == [4, 4, 3, 1]


def test_is_read_only(small):
    with pytest.raises(ValueError, match="read-only"):
        small.rows[0, 0] = 3
    with pytest.raises(ValueError, match="read-only"):
        small.weight[0] = 2
    with pytest.raises(AttributeError):
        small.rows = None
    before = small.fingerprint
    objects, answers = small.objects, small.answers
    objects.loc[0, "id"] = "changed"
    answers.loc[0, "participant"] = "q"
    assert small.ids[0] == "a"
    assert small.answers["participant"].tolist() == ["p", "q", "p", "q"]
    assert Triplets(small.rows, small.objects, small.answers).fingerprint == before


def test_does_not_share_the_callers_array():
    rows = np.array(ROWS, dtype=np.int32)
    triplets = Triplets.from_array(rows)
    rows[0] = [3, 2, 1]
    assert triplets.rows[0].tolist() == [0, 1, 2]


def test_repeats_and_contradictions_are_one_question(small):
    first, second, third, fourth = small.questions
    assert first == second == fourth != third


@pytest.mark.parametrize(
    ("rows", "problem"),
    [
        ([[0, 1]], "three columns"),
        ([[0, 0, 1]], "row 0: the same object"),
        ([[0, 1, 2], [2, 1, 2]], "row 1: the same object"),
        ([[0, 1, 9]], "row 0: names object 9"),
        ([[0, -1, 2]], "row 0: names object -1"),
        ([[0.0, 1.0, np.nan]], "row 0: .*missing"),
        ([[0.0, 1.5, 2.0]], "row 0: .*not a whole number"),
        ([[0, 1, 2**40]], "row 0: .*too large"),
        ([["a", "b", "c"]], "whole numbers"),
    ],
)
def test_refuses_what_is_no_answer(rows, problem):
    objects = pd.DataFrame({"id": list("abc")})
    with pytest.raises(DataError, match=problem) as caught:
        Triplets(rows, objects)
    assert caught.value.remedy


def test_refuses_repeated_ids_and_bad_weights():
    with pytest.raises(DataError, match="'a' is listed twice"):
        Triplets(ROWS, pd.DataFrame({"id": list("abca")}))
    with pytest.raises(DataError, match="row 1: the weight nan"):
        Triplets.from_array(ROWS, weight=[1, np.nan, 1, 1])
    with pytest.raises(DataError, match="row 2: the weight -1"):
        Triplets.from_array(ROWS, weight=[1, 1, -1, 1])


def test_whole_floats_and_empty_data_are_fine():
    assert Triplets.from_array(np.array(ROWS, dtype=float)).rows.tolist() == ROWS
    turned = Triplets.from_array([[0, 2, 1], ROWS[1]], y=[-1, 1])
    assert turned.rows.tolist()[0] == [0, 1, 2]
    with pytest.raises(DataError, match="Give responses by their name, y"):
        Triplets.from_array(ROWS, [1, 1, -1, 1])
    empty = Triplets.from_array([])
    assert (len(empty), empty.n_objects, len(empty.questions)) == (0, 0, 0)
    assert as_triplets(empty) is empty


def test_fingerprints_see_what_matters(small):
    other = small.objects.assign(size=[9.0, 2, 3, 4])
    described = small.with_objects(other)
    assert described.fingerprint_of() == small.fingerprint_of()
    assert described.fingerprint != small.fingerprint
    assert small.renamed("other").fingerprint == small.fingerprint
    assert small.take([0, 1, 2]).fingerprint_of() != small.fingerprint_of()
    weighted = Triplets(ROWS, small.objects, small.answers.assign(weight=2.0))
    assert weighted.fingerprint_of() != small.fingerprint_of()
    swapped = small.answers.assign(participant=pd.Categorical(["q", "p", "p", "q"]))
    assert Triplets(ROWS, small.objects, swapped).fingerprint != small.fingerprint
    participants = small.fingerprint_of("participant")
    assert Triplets(ROWS, small.objects, swapped).fingerprint_of("participant") != participants


def test_take_keeps_rows_and_columns_together(small):
    part = small.take(np.array([False, True, False, True]))
    assert part.rows.tolist() == [ROWS[1], ROWS[3]]
    assert part.answers["participant"].tolist() == ["q", "q"]
    assert part.ids == small.ids


def test_with_objects_keeps_the_objects(small):
    with pytest.raises(ValueError, match="ids and their order"):
        small.with_objects(small.objects[::-1])


def test_survives_pickling(small):
    copy = pickle.loads(pickle.dumps(small))
    assert copy.fingerprint == small.fingerprint
    error = DataError("is wrong", file="a.csv", row=3, remedy="Mend it.")
    assert str(pickle.loads(pickle.dumps(error))) == "a.csv, row 3: is wrong. Mend it."


@given(
    hnp.arrays(np.int64, st.tuples(st.integers(0, 12), st.just(3)), elements=st.integers(-2, 6))
)
def test_accepts_exactly_the_valid_arrays(rows):
    distinct = all(len(set(row)) == 3 for row in rows.tolist())
    if (rows < 0).any() or not distinct:
        with pytest.raises(DataError):
            Triplets.from_array(rows)
    else:
        assert np.array_equal(Triplets.from_array(rows).rows, rows)


def test_numbered_objects_are_shared_and_still_cannot_be_changed():
    first, second = (Triplets.from_array([[0, 1, 2]], 5) for _ in range(2))
    objects = first.objects
    objects["id"] = "changed"
    objects.loc[0, "label"] = "changed"
    assert first.ids == second.ids == list("01234")
    assert Triplets.from_array([[0, 1, 2]], 5).labels == list("01234")
    part = second.take([0])
    assert part.ids == second.ids
    assert len(part) == 1


def test_fingerprints_see_values_and_not_how_they_are_kept(small):
    answers = pd.DataFrame({"who": ["b", None, "a"], "number": [3, 1, 2]})
    same = pd.DataFrame({
        "who": pd.Categorical(["b", None, "a"], categories=["z", "b", "a"]),
        "number": [3.0, 1.0, 2.0],
    })
    other = answers.assign(who=["a", None, "b"])
    columns = ("who", "number")
    first, second, third = (
        Triplets(ROWS[:3], small.objects, table).fingerprint_of(*columns)
        for table in (answers, same, other)
    )
    assert first == second
    assert first != third


def test_questions_count_once_however_often_they_are_asked():
    rows = [[0, 1, 2], [0, 2, 1], [0, 1, 2], [1, 0, 2]]
    assert Triplets.from_array(rows).n_questions == 2
    assert Triplets.from_array(rows, weight=[0.2, 0.5, 0.1, 3.0]).n_questions == 2
    assert Triplets.from_array(rows, weight=[0.2, 0.4, 0.1, 0.0]).n_questions == 0
    assert Triplets.from_array(np.zeros((0, 3), dtype=int), 3).n_questions == 0


def test_comparisons_of_ratings_are_as_many_as_the_ratings_allow():
    n = 12
    square = np.abs(np.subtract.outer(np.arange(n) ** 1.3, np.arange(n) ** 1.3))
    one, ten = (Ratings.from_matrices({str(k): square for k in range(raters)}).triplets()
                for raters in (1, 10))
    assert len(one) > 5 * one.n_questions
    assert one.n_questions == pytest.approx(n * (n - 1) / 4, abs=1)
    assert ten.n_questions == one.n_questions
