"""Lists of questions that are not answered yet, and matrices of distances."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from tripletscope.core.data.errors import DataError
from tripletscope.core.data.triplets import Triplets
from tripletscope.core.reading import read_distances, read_gold, read_questions
from tripletscope.core.reading.table import Table


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
        ("anchor,first,second\nc,d,d\n", "list.csv, row 2: the same object occurs twice"),
        ("anchor,first,second\n", "list.csv"),
        ("a,b\nc,d\n", "list.csv"),
    ],
)
def test_what_is_wrong_with_questions_is_named(animals, text, message):
    with pytest.raises(DataError) as caught:
        read_questions(text.encode(), animals, "list.csv")
    assert message in str(caught.value)


def square(names: list[str] | None, matrix: np.ndarray, header: bool = True) -> bytes:
    """A matrix as CSV, with names in the first row and column."""
    frame = pd.DataFrame(matrix, index=names, columns=names)
    return frame.to_csv(index=names is not None, header=names is not None and header).encode()


def test_a_matrix_of_distances_is_matched_by_name():
    rng = np.random.default_rng(0)
    points = rng.normal(size=(6, 2))
    matrix = np.linalg.norm(points[:, None] - points, axis=2)
    objects = Triplets.from_array([[0, 1, 2]], 6, ids=list("abcdef"), name="things")
    numbered = Triplets.from_array([[0, 1, 2]], 6, ids=[str(i) for i in range(6)])

    table = read_distances(square(None, matrix), objects, "d.csv")
    found, places = table.measured_distances
    assert np.allclose(found, matrix)
    assert places.tolist() == list(range(6))
    assert "the first as a, the last as f" in " ".join(table.notes)
    assert table.about == "distances of 6 objects"

    some = [4, 0, 3]
    part = matrix[np.ix_(some, some)]
    for source in (square(list("ead"), part), square(list("ead"), part, header=False)):
        table = read_distances(source, objects, "d.csv")
        found, places = table.measured_distances
        assert np.allclose(found, matrix[np.ix_(sorted(some), sorted(some))])
        assert places.tolist() == sorted(some)
        assert table.missing == list("bcf")
        rated = table.ratings(objects)
        assert (rated.source, rated.ids) == ("d", list("ade"))
        assert np.array_equal(rated.dissimilarities(0).mean, found)
    table = read_distances(square(["4", "0", "3"], part), numbered, "d.csv")
    found, places = table.measured_distances
    assert np.allclose(found, matrix[np.ix_(sorted(some), sorted(some))])
    assert places.tolist() == sorted(some)


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (b"a,b,c,d\n0,1,2,3\n", "not square"),
        (b",a,z\na,0,1\nz,1,0\n", "'z' is no object of things"),
        (b"0,1\n1,0\n", "2 rows without names"),
        (b",a,A,b\na,0,1,2\nA,1,0,1\nb,2,1,0\n", "'A' is no object of things, or not the only row"),
    ],
)
def test_what_is_no_matrix_of_distances_is_explained(source, message):
    objects = Triplets.from_array([[0, 1, 2]], ids=list("abc"), name="things")
    with pytest.raises(DataError, match=message):
        read_distances(source, objects, "d.csv")


@pytest.mark.parametrize(("text", "right"), [
    ("anchor,near,far\ncat,dog,ant\nant,cat,dog\n", [[0, 1, 2], [2, 0, 1]]),
    ("head,left,right,choice\ncat,ant,dog,right\nant,cat,dog,left\n", [[0, 1, 2], [2, 0, 1]]),
])
def test_gold_questions_are_answers_in_any_layout(text, right):
    known = Triplets(np.zeros((0, 3)), pd.DataFrame({"id": ["7", "8", "9"],
                                                    "label": ["cat", "dog", "ant"]}))
    gold, said = read_gold(text.encode(), known, "gold.csv")
    assert gold.rows.tolist() == right
    assert gold.ids == known.ids
    assert "their labels" in said


def test_a_gold_question_about_an_unknown_object_is_named(animals):
    text = "anchor,near,far\ncat,dog,bird\ncat,dog,emu\n"
    with pytest.raises(DataError, match=r"gold.csv, row 3: 'emu' is no object"):
        read_gold(text.encode(), animals, "gold.csv")


@pytest.mark.parametrize(("text", "message"), [
    ("anchor,near,far\ncat,dog,bird\n\ncat,9,dog\ncat,bird,dog\n",
     "gold.csv, row 5: this gold question has two different answers, the other one in row 2"),
    ("anchor,left,right,votes_left,votes_right\ncat,dog,bird,5,0\ncat,9,dog,3,4\n",
     "gold.csv, row 3: this gold question has two different answers. Keep"),
])
def test_gold_questions_with_two_answers_are_named_by_their_rows(animals, text, message):
    with pytest.raises(DataError) as caught:
        read_gold(text.encode(), animals, "gold.csv")
    assert message in str(caught.value)


def test_numbers_may_have_a_fraction_of_zero_and_labels_must_be_of_one_object(animals):
    rows, _ = read_questions(b"anchor,first,second\n0,1.0,2.0\n", animals)
    assert rows.tolist() == [[0, 1, 2]]
    twins = animals.with_objects(animals.objects.assign(label=["cat", "dog", "cat", "9"]))
    with pytest.raises(DataError, match="'cat' names several objects of animals"):
        read_questions(b"head,left,right\ndog,9,cat\n", twins)


def test_rows_of_a_long_list_with_flaws_are_numbered_at_once(animals, monkeypatch):
    """Numbering them one by one takes time quadratic in the number of flaws."""
    numbered = []
    row_numbers = Table.row_numbers
    monkeypatch.setattr(
        Table, "row_numbers", lambda *a: numbered.append(a) or row_numbers(*a)
    )
    text = "anchor,first,second\n" + "c,d,b\nb,c,x\nb,c\n\n" * 300
    rows, _ = read_questions(text.encode(), animals)
    assert len(rows) == 600
    assert len(numbered) < 10
