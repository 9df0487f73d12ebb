"""Matrices of distances and similarities."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.io import savemat

from tests.conftest import SAMPLES
from tests.core.reading.layouts import NAMES, saved
from tripletscope.core.data.errors import DataError
from tripletscope.core.reading import MatrixGiven, load, propose, read_matrix
from tripletscope.core.reading.matrix import Square


def test_f39_matrices():
    rng = np.random.default_rng(0)
    points = rng.normal(size=(6, 2))
    d = np.linalg.norm(points[:, None] - points[None], axis=2)
    names = list(NAMES[:6])
    lower = np.where(np.tri(6, k=-1, dtype=bool), d, np.nan)
    for data, file, ids in (
        (pd.DataFrame(d).to_csv(index=False, header=False).encode(), "d.csv", None),
        (pd.DataFrame(d, names, names).to_csv().encode(), "d.csv", names),
        (pd.DataFrame(d, columns=names).to_csv(index=False).encode(), "d.csv", names),
        (pd.DataFrame(lower, names, names).to_csv(sep=";", decimal=",").encode(), "d.csv", names),
        (saved(np.save, d), "d.npy", None),
        (saved(savemat, {"d": d, "s": 1 - d, "n": 6.0}), "d.mat", None),
    ):
        found = read_matrix(data, file)
        assert found.values == pytest.approx(d)
        assert found.ids == (ids or [str(i) for i in range(1, 7)])
        assert not found.from_similarities


def test_similarities_are_turned_round_and_flaws_are_told():
    table = pd.read_csv(SAMPLES / "ekman_colors" / "similarity.csv")
    square = table.select_dtypes("number").to_numpy()[:, -14:]
    data = pd.DataFrame(square).to_csv(index=False, header=False).encode()
    found = read_matrix(data, "ekman.csv")
    assert found.from_similarities
    assert (np.diag(found.values) == 0).all()
    assert (found.values[0, 1] < found.values[0, 7]) == (square[0, 1] > square[0, 7])
    assert read_matrix(data, similarities=False).values[0, 1] == square[0, 1]
    with pytest.raises(DataError, match="2 rows and 3 columns"):
        read_matrix(b"0,1,2\n1,0,3\n")
    with pytest.raises(DataError, match="is not"):
        read_matrix(b"0,1,2\n1,0,3\n2,4,0\n", average=False)
    with pytest.raises(DataError, match="a similarity is missing"):
        read_matrix(b"a,b,c\n0,1,\n1,0,3\n,3,0\n")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (",a,b,c\na,0,1,2\nb,x,0,3\nc,2,3,0\n", "m.csv, row 3: 'x' is not a finite number"),
        (",a,b,c\na,0,inf,2\nb,inf,0,3\nc,2,3,0\n", "m.csv, row 3: 'inf' is not a finite number"),
        (",a,a,c\na,0,1,2\na,1,0,3\nc,2,3,0\n", "m.csv, row 3: object 'a' is listed twice"),
    ],
)
def test_what_is_wrong_with_a_matrix_is_named(text, message):
    with pytest.raises(DataError) as caught:
        read_matrix(text.encode(), "m.csv")
    assert message in str(caught.value)


def test_half_a_matrix_keeps_its_names_and_may_be_filled_up_with_signs():
    for text in ("a,b,c\n,,\n1,,\n2,3,\n", ",a,b,c\na,-,.,.\nb,1,-,.\nc,2,3,-\n"):
        found = read_matrix(text.encode())
        assert found.ids == ["a", "b", "c"]
        assert found.values.tolist() == [[0, 1, 2], [1, 0, 3], [2, 3, 0]]
        assert "Nothing tells the direction" in found.notes[0]
    turned = read_matrix(text.encode(), similarities=True)
    assert turned.values.tolist() == [[0, 2, 1], [2, 0, 0], [1, 0, 0]]


@pytest.mark.parametrize("size", [6, 60])
def test_half_a_matrix_is_no_table_of_answers(size):
    rng = np.random.default_rng(0)
    names = [f"o{i}" for i in range(size)]
    half = np.where(np.tri(size, k=-1, dtype=bool), rng.random((size, size)), np.nan)
    for values in (half, half.T):
        table = load(pd.DataFrame(values, names, names).to_csv().encode())
        with pytest.raises(MatrixGiven):
            propose(table)


@pytest.mark.parametrize("made", [
    lambda rng: np.tril(rng.integers(1, 8, (8, 8)), -1) + 7 * np.eye(8, dtype=int),
    lambda rng: rng.integers(1, 8, (8, 8)) * (1 - np.eye(8, dtype=int)) + 7 * np.eye(8, dtype=int),
    lambda rng: rng.integers(0, 2, (8, 8)) | np.eye(8, dtype=int),
    lambda rng: np.eye(8, k=1, dtype=int) * 3,
], ids=["half", "ratings", "ties", "empty"])
def test_other_whole_numbers_are_no_confusions(made):
    values = made(np.random.default_rng(0))
    square = Square(values.astype(float), [f"s{k}" for k in range(8)], True, "a.csv", np.arange(8))
    assert not square.are_counts()
