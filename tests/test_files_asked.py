"""Lists of questions that are not answered yet."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from core.files import read_questions
from core.triplets import DataError, Triplets


@pytest.fixture
def animals() -> Triplets:
    objects = pd.DataFrame({"id": ["c", "d", "b", "x"], "label": ["cat", "dog", "bird", "9"]})
    return Triplets([[0, 1, 2]], objects, None, "animals")


@pytest.mark.parametrize(
    ("text", "how"),
    [
        ("anchor,first,second\nc,d,b\nb,c,x\n", "their ids"),
        ("trial;head;left;right\n1;cat;dog;bird\n2;bird;cat;9\n", "their labels"),
        ("head\tleft\tright\n0\t1\t2\n2\t0\t3\n", "their numbers from 0"),
        ("c,d,b\nb,c,x\n", "their ids"),
    ],
)
def test_questions_are_read_by_name_or_number(animals, text, how):
    rows, said = read_questions(text.encode(), animals, "list.csv")
    assert np.array_equal(rows, [[0, 1, 2], [2, 0, 3]])
    assert "2 questions" in said
    assert how in said


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("anchor,first,second\nc,d,b\nc,d,q\n", "list.csv, row 3: 'q' is no object of animals"),
        ("anchor,first,second\nc,d,d\n", "list.csv, row 2: the same object stands twice"),
        ("anchor,first,second\n", "list.csv"),
        ("a,b\nc,d\n", "list.csv"),
    ],
)
def test_what_is_wrong_with_questions_is_named(animals, text, message):
    with pytest.raises(DataError) as caught:
        read_questions(text.encode(), animals, "list.csv")
    assert message in str(caught.value)
