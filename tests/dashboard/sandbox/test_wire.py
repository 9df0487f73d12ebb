"""Plain data: everything comes back as it was, and nothing else comes through."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tripletscope.core.data.triplets import Triplets
from tripletscope.core.reading import Reading
from tripletscope.dashboard.sandbox.wire import RECORDS, pack, unpack

plain = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text()
    | st.binary(),
    lambda inner: st.lists(inner) | st.tuples(inner, inner) | st.dictionaries(st.text(), inner),
)


@settings(max_examples=40)
@given(plain)
def test_plain_values_come_back(value):
    assert unpack(pack(value)) == value


def test_tables_come_back_with_their_types():
    table = pd.DataFrame({
        "id": pd.array(["a", None, "ü"], dtype="str"), "n": [1, 2, 3], "x": [0.5, np.nan, 1.0],
        "b": [True, False, True], "o": np.array(["a", None, np.nan], dtype=object),
        "c": pd.Categorical.from_codes([0, -1, 1], ["low", "high"], ordered=True),
        "d": pd.Categorical([2, 1, 2]),
    }, index=[5, 7, 9])
    back = unpack(pack(table))
    pd.testing.assert_frame_equal(back, table)
    assert unpack(pack(pd.DataFrame(index=range(4)))).shape == (4, 0)


def test_answers_come_back(eggs):
    back = unpack(pack(eggs))
    assert back.fingerprint == eggs.fingerprint
    pd.testing.assert_frame_equal(back.answers, eggs.answers)
    pd.testing.assert_frame_equal(back.objects, eggs.objects)


class Wolf:
    """Runs something when it is unpickled."""

    def __reduce__(self):
        return (print, ("I was run",))


@pytest.mark.parametrize("value", [
    Wolf(), {"a": Wolf()}, np.array([Wolf()], dtype=object), print, Reading,
    type("Reading", (), {})(),
])
def test_what_is_not_plain_is_not_sent(value):
    with pytest.raises((TypeError, ValueError)):
        pack(value)


def test_what_was_not_made_here_is_not_read(capsys):
    good = pack({"a": [1, b"x", np.arange(3)], "t": Triplets.from_array([[0, 1, 2]])})
    for wrong in (b"", b"abc", pickle.dumps(Wolf()), good[:-1], good + b"x", good[:30],
                  good.replace(b'"bytes"', b'"wolfs"'), good.replace(b'"array": 1', b'"array": 9'),
                  good.replace(b"\x93NUMPY", b"\x93NUMPZ"), good.replace(b"<i8", b"|O ")):
        with pytest.raises(ValueError):  # noqa: PT011 - of many makings
            unpack(wrong)
    assert capsys.readouterr().out == ""


def test_only_records_that_are_listed_are_made():
    made = pack(Reading("a", "b"))
    assert unpack(made) == Reading("a", "b")
    assert "Triplets" not in RECORDS
    with pytest.raises(ValueError, match="Popen"):
        unpack(made.replace(b'"Reading"', b'"Popen"  '))
