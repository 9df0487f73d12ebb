"""Errors of data are sentences of bearable length."""

from __future__ import annotations

import pickle

from tripletscope.core.data.errors import DataError


def test_what_is_long_lacks_its_middle():
    error = DataError(
        f"{'x' * 60_000} is no object", file=f"{'y' * 60_000}.csv", row=3,
        remedy=f"Choose {'z' * 60_000}.",
    )
    assert len(str(error)) < 3_000
    assert "is no object" in error.problem
    assert error.file.endswith("y.csv")
    assert error.remedy.endswith("z.")
    assert str(pickle.loads(pickle.dumps(error))) == str(error)
    assert str(error.at("b.csv")) == str(error)


def test_what_is_short_stays():
    error = DataError("it is empty", file="a.csv", row=1_000, remedy="Save it again.")
    assert str(error) == "a.csv, row 1,000: it is empty. Save it again."


def test_what_helps_in_python_is_beside_the_remedy():
    error = DataError("it is a matrix", remedy="Make a map of it.", python="ts.ratings.MDS")
    assert str(error) == "It is a matrix. Make a map of it. In Python: ts.ratings.MDS."
    assert error.remedy == "Make a map of it."
    assert str(pickle.loads(pickle.dumps(error))) == str(error.at("")) == str(error)
