"""Errors beside those of other methods, and what is said of them."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from tripletscope.reproductions.forests import accuracy
from tripletscope.reproductions.item import DOES_NOT_HOLD, HOLDS, HOLDS_WITH_THEIRS


def test_the_standard_error_counts_that_training_objects_are_shared():
    gap, error = accuracy.beside(np.array([3.0, 5.0]), np.array([1.0, 1.0]), 1 / 3)
    assert gap == 3
    assert error == pytest.approx(np.sqrt((1 / 2 + 1 / 2) * 2.0))


def test_a_table_of_classes_has_pooled_votes_where_there_are_several():
    table = accuracy.classes_table(data=(("wine", 80, 2), ("wine 0/1", 60, 2)), trees=5,
                                   test_share=1 / 3)
    assert set(table.loc[table["data"] == "wine", "method"]) >= {accuracy.POOLED, accuracy.CART}
    assert accuracy.POOLED not in set(table.loc[table["data"] == "wine 0/1", "method"])
    assert (table.loc[table["method"] == accuracy.OURS, "more"] == 0).all()


def classes(random: float, cart: float) -> pd.DataFrame:
    more = {accuracy.KNN: 0.0, accuracy.CART: cart, accuracy.RANDOM_PIVOTS: random,
            accuracy.OURS: 0.0}
    return pd.DataFrame([
        {"data": "MNIST", "method": kind, "error": 4 + value, "spread": 0.3, "more": value,
         "more_error": 0.2, "published": np.nan} for kind, value in more.items()
    ])


@pytest.mark.parametrize(
    ("random", "cart", "verdict"),
    [(1.0, 0.1, HOLDS), (0.1, 0.1, DOES_NOT_HOLD), (1.0, -1.0, DOES_NOT_HOLD)],
)
def test_random_pivots_and_cart_are_to_err_more(random, cart, verdict):
    assert accuracy.check_classes_table(classes(random, cart)).shows == verdict


def responses(plain: float, scaled: float) -> pd.DataFrame:
    rows = []
    for name, kinds in {"Boston": (plain, scaled), "Forest fires": (0.1, 0.1)}.items():
        for kind, more in zip((accuracy.CART, accuracy.PLAIN, accuracy.SCALED), (0.0, *kinds),
                              strict=True):
            rows.append({"data": name, "method": kind, "error": 3 + more, "more": more,
                         "more_error": 0.2})
    return pd.DataFrame(rows)


@pytest.mark.parametrize(
    ("plain", "scaled", "verdict"),
    [(3.0, 3.0, HOLDS), (3.0, 0.1, HOLDS_WITH_THEIRS), (0.1, 0.1, DOES_NOT_HOLD)],
)
def test_cart_is_to_be_better_on_boston_but_not_on_the_fires(plain, scaled, verdict):
    found = accuracy.check_responses_table(responses(plain, scaled))
    assert found.shows == verdict
    assert ("units of the features" in found.why) == (verdict == HOLDS_WITH_THEIRS)


def test_a_table_of_responses_has_the_mean_alone():
    table = accuracy.responses_table(data=("diabetes",), trees=5, n_folds=2, most=80)
    errors = table.set_index("method")["error"]
    assert len(errors) == 4
    # scikit-learn's diabetes are standardised but for a factor.
    assert errors[accuracy.PLAIN] == pytest.approx(errors[accuracy.SCALED], rel=0.05)
