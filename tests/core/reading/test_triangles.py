"""Triangles of numbers as text: with and without diagonal and names, lower and upper."""

from __future__ import annotations

import numpy as np
import pytest

import tripletscope as ts
from tripletscope.core.data.errors import DataError
from tripletscope.core.reading import read_matrix
from tripletscope.core.reading.formats.triangular import squared

NAMES = ["apple", "pear", "plum", "fig", "kiwi", "lime"]
N = len(NAMES)
SEPARATORS = ["\t", ";", ",", " ", "   "]


def apart() -> np.ndarray:
    places = np.random.default_rng(0).normal(size=(N, 2))
    return np.round(np.linalg.norm(places[:, None] - places, axis=2), 2)


def written(rows: list[list[str]], separator: str) -> bytes:
    return "\n".join(separator.join(row) for row in rows).encode() + b"\n"


def cells(values: np.ndarray, comma: bool) -> list[str]:
    texts = [f"{value:.2f}" for value in values]
    return [text.replace(".", ",") for text in texts] if comma else texts


def lower(diagonal: bool, comma: bool = False) -> list[list[str]]:
    return [cells(apart()[i, : i + diagonal], comma) for i in range(N)]


def upper(diagonal: bool, comma: bool = False) -> list[list[str]]:
    return [cells(apart()[i, i + 1 - diagonal :], comma) for i in range(N)]


@pytest.mark.parametrize("separator", SEPARATORS)
@pytest.mark.parametrize("diagonal", [False, True])
@pytest.mark.parametrize("triangle", [lower, upper])
@pytest.mark.parametrize("named", ["front", "above", "both", "not"])
def test_a_triangle_is_a_matrix(separator, diagonal, triangle, named):
    rows = triangle(diagonal, comma=separator not in (",",) and separator != " ")
    if named in ("front", "both"):
        rows = [[name, *row] for name, row in zip(NAMES, rows, strict=True)]
    rows = [row for row in rows if row]
    if named in ("above", "both"):
        rows = [NAMES, *rows]
    found = read_matrix(written(rows, separator), "triangle.txt")
    np.testing.assert_allclose(found.values, apart())
    if named != "not":
        assert found.ids == NAMES


def test_r_s_print_of_a_dist_names_all_but_one_above():
    """Above all but the last object, in front all but the first."""
    rows = [NAMES[:-1]] + [[NAMES[i], *lower(False)[i]] for i in range(1, N)]
    found = read_matrix(written(rows, " "), "dist.txt")
    assert found.ids == NAMES
    np.testing.assert_allclose(found.values, apart())


def test_a_column_of_all_pairs_is_the_upper_triangle():
    pairs = apart()[np.triu_indices(N, 1)]
    text = "dissimilarity\n" + "\n".join(map(str, pairs)) + "\n"
    found = read_matrix(text.encode(), "condensed.csv")
    np.testing.assert_allclose(found.values, apart())
    with pytest.raises(DataError):
        read_matrix(text.replace("dissimilarity", "age").encode(), "ages.csv")


def test_what_triangles_hold_is_said_and_not_read_as_answers():
    text = written([row for row in lower(False) if row], ",")
    with pytest.raises(DataError, match="matrix of dissimilarities"):
        ts.read(text, name="triangle.txt")


@pytest.mark.parametrize("text", [
    b"a,b,c\n1,2,3\n4,5,6\n", b"1\n1 2\n", b"1,2\n3,4\n", b"",
    b"word\nword one\nword one two\nx y z q\n",
])
def test_other_texts_are_no_triangles(text):
    assert squared(text) is None
