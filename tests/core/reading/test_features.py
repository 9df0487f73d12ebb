"""Tables of features."""

from __future__ import annotations

import pytest

from tripletscope.core.data.errors import DataError
from tripletscope.core.reading import features_of, read_features


def test_numbers_are_features_and_texts_are_not():
    found = read_features(b"name,width,height,class\ncup,1.5,2,u\nmug,2,,v\njug,3,4,u\n")
    assert found["id"].tolist() == ["cup", "mug", "jug"]
    assert features_of(found) == ["width", "height"]
    assert found["height"].isna().tolist() == [False, True, False]
    assert found["class"].tolist() == ["u", "v", "u"]


def test_objects_without_names_are_numbered_though_their_features_all_differ():
    found = read_features(b"x,y,y2\n0.1,1,5\n0.2,2,5\n0.3,3,6\n")
    assert found["id"].tolist() == ["1", "2", "3"]
    assert features_of(found) == ["x", "y2"], "y says what is to be predicted"


def test_labels_that_repeat_are_classes():
    found = read_features(b"a;b;label\n1,5;2;u\n1,5;3;u\n2,5;4;v\n")
    assert found["a"].tolist() == [1.5, 1.5, 2.5]
    assert found["class"].tolist() == ["u", "u", "v"]
    assert found["id"].tolist() == ["1", "2", "3"]


def test_what_stands_for_nothing_is_nothing():
    found = read_features(b"name,a,b\nx,1,?\ny,NA,2\nz,3,nan\n")
    assert found[["a", "b"]].isna().sum().tolist() == [1, 2]


ROWS = b"".join(b"o%d,%d\n" % (k, k) for k in range(9))


@pytest.mark.parametrize(("content", "message"), [
    (b"name,a\n" + ROWS + b"o9,abc\n", "f.csv, row 11: 'abc' in the column 'a' is not a number"),
    (b"id,a\nx,1\ny,2\nx,3\n", "f.csv, row 4: object 'x' is listed twice"),
    (b"name,kind\nx,u\ny,v\n", "f.csv: there is no column of numbers"),
    (b"", "f.csv: the file is empty"),
])
def test_what_is_wrong_is_said_with_its_row(content, message):
    with pytest.raises(DataError) as error:
        read_features(content, "f.csv")
    assert message in str(error.value)
    assert error.value.remedy
