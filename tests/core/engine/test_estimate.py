"""Estimates with intervals, and the plain values that results are stored as."""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np
import pytest

from tripletscope.core.engine.docstrings import check_documented, documented
from tripletscope.core.engine.estimate import Estimate, as_plain, estimates_of, from_plain


@dataclass(frozen=True)
class _Both:
    """Two estimates.

    Attributes
    ----------
    whole : Estimate
    each : Estimate, shape (k, 2)
    sizes : ndarray of int, shape (k,)
    """

    whole: Estimate
    each: Estimate
    sizes: np.ndarray


VALUES = np.arange(6.0).reshape(3, 2)
BOTH = _Both(
    Estimate(0.5, 0.25, 0.75, "participants", 7),
    Estimate(VALUES, VALUES - 1, VALUES + 1, "participants", 7), np.arange(3),
)
PLAIN = {
    "whole", "whole_low", "whole_high", "each", "each_low", "each_high", "unit", "n_units", "sizes"
}


def test_results_keep_plain_values_and_get_their_estimates_back():
    plain = as_plain(vars(BOTH))
    assert set(plain) == PLAIN
    assert (plain["whole_high"], plain["unit"], plain["n_units"]) == (0.75, "participants", 7)
    back = _Both(**from_plain(_Both, plain))
    assert estimates_of(_Both) == ["whole", "each"]
    for name in estimates_of(_Both):
        for part in fields(Estimate):
            np.testing.assert_array_equal(
                getattr(getattr(back, name), part.name), getattr(getattr(BOTH, name), part.name)
            )
    assert np.array_equal(back.sizes, BOTH.sizes)


def test_results_without_a_unit_are_over_answers():
    """As those that were stored before participants were units."""
    plain = {k: v for k, v in as_plain(vars(BOTH)).items() if k not in ("unit", "n_units")}
    assert from_plain(_Both, plain)["whole"].over == ("answers", None)


def test_a_result_of_an_older_version_lacks_fields_as_others_do():
    plain = as_plain(vars(BOTH))
    for lacking in ("whole_low", "each", "sizes"):
        with pytest.raises(TypeError, match="missing"):
            _Both(**from_plain(_Both, {k: v for k, v in plain.items() if k != lacking}))


def test_plain_values_are_as_documented():
    plain, types = as_plain(vars(BOTH)), documented(_Both)
    assert set(types) == PLAIN
    check_documented(plain, types, {})
    wrong = {
        "each_low": np.zeros((3, 3)), "each": np.zeros(3), "whole": VALUES, "unit": "trials",
        "n_units": 1.5,
    }
    for name, value in wrong.items():
        with pytest.raises(ValueError, match=f"{name} must be"):
            check_documented({**plain, name: value}, types, {})


def test_some_of_an_array():
    one = BOTH.each[1, 0]
    assert one.interval == (2.0, 1.0, 3.0)
    assert one.over == ("participants", 7)
    assert one.columns("gain") == {"gain": 2.0, "gain_low": 1.0, "gain_high": 3.0}
    assert str(one) == "2 [1, 3]"
    assert str(BOTH.each) == "<3×2 estimates>"
