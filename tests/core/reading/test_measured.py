"""Tables of what was measured of known objects, matched to these."""

from __future__ import annotations

import io

import numpy as np
import pandas as pd
import pytest
import scipy.io

from tripletscope.core.data.errors import DataError
from tripletscope.core.data.triplets import Triplets
from tripletscope.core.reading import read_feature_tables
from tripletscope.core.reading.objects import feature_tables

IDS = ["cup", "mug", "jug", "pan", "pot"]
ABOUT = Triplets(np.array([[0, 1, 2]]), pd.DataFrame({"id": IDS}))
VALUES = np.random.default_rng(0).normal(size=(5, 3))
APART = np.abs(VALUES[:, :1] - VALUES[:, :1].T)


def npy(values: np.ndarray) -> bytes:
    buffer = io.BytesIO()
    np.save(buffer, values)
    return buffer.getvalue()


def npz(**arrays: np.ndarray) -> bytes:
    buffer = io.BytesIO()
    np.savez(buffer, **arrays)
    return buffer.getvalue()


def mat(**arrays: np.ndarray) -> bytes:
    buffer = io.BytesIO()
    scipy.io.savemat(buffer, arrays)
    return buffer.getvalue()


def parquet(frame: pd.DataFrame) -> bytes:
    buffer = io.BytesIO()
    frame.to_parquet(buffer)
    return buffer.getvalue()


NAMED = pd.DataFrame(VALUES, index=IDS, columns=["w", "h", "d"])


@pytest.mark.parametrize(("name", "content"), [
    ("a.npy", npy(VALUES)), ("a.csv", NAMED.to_csv().encode()),
    ("a.csv", NAMED.iloc[::-1].to_csv().encode()), ("a.csv", NAMED.to_csv(index=False).encode()),
    ("a.csv", NAMED.reset_index(drop=True).to_csv().encode()),
    ("a.parquet", parquet(NAMED)), ("a.parquet", parquet(NAMED.reset_index(names="id"))),
    ("a.mat", mat(features=VALUES)), ("a.npz", npz(x=VALUES[::-1], ids=np.array(IDS[::-1]))),
    ("a.csv", NAMED.set_axis(pd.Index(range(1, 6), name="id")).to_csv().encode()),
])
def test_features_find_their_objects_in_every_kind_of_file(name, content):
    (found,) = read_feature_tables(content, ABOUT, name)
    np.testing.assert_allclose(found.values, VALUES)
    assert (found.name, found.about, found.distances) == ("a", "3 features of 5 objects", None)
    assert found.columns == (["w", "h", "d"] if name in ("a.csv", "a.parquet") else [])


@pytest.mark.parametrize("content", [
    npy(APART), npy(APART.max() - APART), pd.DataFrame(APART, IDS, IDS).to_csv().encode(),
    pd.DataFrame(APART).to_csv(index=False, header=False).encode(), mat(rdm=APART),
    pd.DataFrame(np.where(np.tri(5, k=-1), APART, np.nan), IDS, IDS).to_csv().encode(),
])
def test_a_symmetric_square_with_zeros_or_the_largest_on_its_diagonal_holds_distances(content):
    (found,) = read_feature_tables(content, ABOUT, "rdm")
    np.testing.assert_allclose(found.distances, APART, atol=1e-12)
    assert (found.values, found.about) == (None, "distances of 5 objects")


def test_other_squares_are_features():
    square = np.random.default_rng(1).normal(size=(5, 5))
    for values in (square, square + square.T):
        (found,) = read_feature_tables(npy(values), ABOUT, "f.npy")
        np.testing.assert_allclose(found.values, values)


def test_every_array_of_a_file_is_a_table_of_its_own():
    content = npz(conv=VALUES.reshape(5, 3, 1), rdm=APART, ids=np.array(IDS))
    found = read_feature_tables(content, ABOUT, "net.npz")
    assert [(table.name, table.about) for table in found] == [
        ("net conv", "3 features of 5 objects"), ("net rdm", "distances of 5 objects"),
    ]


def test_ids_may_hold_half_a_character():
    content = npz(x=VALUES, ids=np.array([f"{name}\ud800" for name in IDS]))
    with pytest.raises(DataError, match=r"half\.npz"):
        read_feature_tables(content, ABOUT, "half.npz")


def test_how_rows_were_matched_is_said_with_both_ends():
    (plain,) = read_feature_tables(npy(VALUES), ABOUT, "f.npy")
    assert "the first as cup, the last as pot" in " ".join(plain.notes)
    (some,) = read_feature_tables(NAMED.iloc[:4].to_csv().encode(), ABOUT, "f.csv")
    assert "found by their ids" in some.notes[0]
    assert some.missing == ["pot"]
    assert np.isnan(some.values[4]).all()
    (numbered,) = read_feature_tables(
        NAMED.set_axis(pd.Index(range(5), name="id")).to_csv().encode(), ABOUT, "f.csv"
    )
    assert "number 0 is cup, 4 is pot" in numbered.notes[0]


def test_an_object_that_lacks_a_number_is_left_out_and_said():
    lacking = VALUES.copy()
    lacking[1, 2] = np.nan
    (found,) = read_feature_tables(npy(lacking), ABOUT, "f.npy")
    assert found.missing == ["mug"]
    assert np.isnan(found.values[1]).all()
    assert "1 object omitted for missing numbers: mug." in found.notes


@pytest.mark.parametrize(("name", "content", "message"), [
    ("f.npy", npy(VALUES[:4]), "4 rows without names, and there are 5 objects"),
    ("f.csv", NAMED.set_axis(list("vwxyz")).to_csv().encode(), "none of the objects"),
    ("f.npy", npy(np.where(VALUES[2, 1] == VALUES, np.inf, VALUES)),
     "row 3: a number in column 2"),
    ("f.csv", b"id,a\ncup,1\nmug,2\njug,3\npan,4\npot,abc\n", "row 6: 'abc' in the column 'a'"),
    ("f.csv", b"id,a\ncup,1\nmug,2\ncup,3\n", "row 4: object 'cup' is listed twice"),
    ("f.csv", b"id,kind\ncup,u\nmug,v\n", "no column of numbers"),
    ("f.npz", npz(ids=np.array(IDS)), "no column of numbers"),
    ("f.csv", b"id,a\ncup,1\nmug,2\n", "only 2 objects of 5 can be compared"),
    ("f.mat", b"MATLAB 5.0 MAT-file" + bytes(200), "damaged"),
])
def test_what_is_wrong_names_file_row_and_remedy(name, content, message):
    with pytest.raises(DataError) as error:
        read_feature_tables(content, ABOUT, name)
    assert str(error.value).startswith(name)
    assert message in str(error.value)
    assert error.value.remedy


def test_too_much_is_refused_before_it_is_taken(monkeypatch):
    monkeypatch.setattr(feature_tables, "MOST_BYTES", 100)
    with pytest.raises(DataError, match="at most 2 numbers"):
        read_feature_tables(npy(VALUES), ABOUT, "f.npy")


def test_numbers_in_single_precision_stay_so():
    values = np.arange(2.0 * ABOUT.n_objects, dtype=np.float32).reshape(-1, 2)
    (found,) = read_feature_tables(npy(values), ABOUT, "f.npy")
    assert found.values.dtype == np.float32
    np.testing.assert_array_equal(found.values, values)


GROUPS = b"id,size,kind,side,note\n" + b"".join(
    b"%s,%d,%s,%s,%s\n" % row for row in zip(
        [f"o{k}".encode() for k in range(9)], range(9), [b"cup", b"pan", b"fork"] * 3,
        [b"left", b"left", b"right"] * 3, [b"n%d" % k for k in range(9)], strict=True)
)


def test_groups_are_features_by_their_differences():
    about = Triplets(np.array([[0, 1, 2]]), pd.DataFrame({"id": [f"o{k}" for k in range(9)]}))
    (found,) = read_feature_tables(GROUPS, about, "groups.csv")
    assert found.columns == [
        "size", "kind: cup", "kind: fork", "kind: pan", "side: right"]
    apart = ((found.values[:, None] - found.values) ** 2)
    kinds, sides = apart[..., 1:4].sum(axis=-1), apart[..., 4]
    assert np.allclose(kinds, ~np.equal.outer(np.arange(9) % 3, np.arange(9) % 3))
    assert sides[0].tolist() == [0, 0, 1] * 3
    said = " ".join(found.notes)
    assert "Groups, coded by differences: kind and side." in said
    assert "No numbers, and left out: note." in said
