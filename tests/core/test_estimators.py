"""scikit-learn's checks of estimators, for methods whose X is answers.

The checks fit vectors. Here every vector is an answer about nine objects, drawn by its content, so
that whatever they ask of samples, their order, their memory and their type is asked of answers.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.utils import estimator_checks as asked
from sklearn.utils.validation import validate_data

import tripletscope as ts
from tripletscope.core.data.triplets import Triplets
from tripletscope.core.engine.method import Method

N_OBJECTS = 9
# NMDS takes a matrix.
METHODS = [
    ts.CKL(n_init=1), ts.GNMDS(n_init=1), ts.GNMDSK(), ts.ratings.LOE(), ts.LORE(n_init=1),
    ts.SOE(n_init=1), ts.STE(), ts.TSTE(n_init=1), ts.K1(), ts.K2(),
    ts.GaussianKernel(basis=ts.STE(n_init=1)),
    ts.ForestProximity(basis=ts.STE(n_init=1), n_estimators=10, leaf_size=2),
    ts.AgglomerativeClustering(), ts.ComparisonLinkage(), ts.KMeans(n_init=1),
    ts.SpectralClustering(), ts.MLDS(),
]


def answers_of(estimator: Method, X: Any, reset: bool) -> Triplets:
    vectors = validate_data(estimator, X, reset=reset, dtype=np.float64)
    rows = [
        np.random.default_rng(list(row.tobytes())).permutation(N_OBJECTS)[:3] for row in vectors
    ]
    return Triplets.from_array(rows, N_OBJECTS)


class AboutVectors:
    """What a method is made of with vectors in place of answers."""

    def fit(self, X, y=None):
        return super().fit(answers_of(self, X, reset=True))

    def margins(self, X):
        if isinstance(X, Triplets):  # asked by the method itself
            return super().margins(X)
        self._require_fit()
        return super().margins(answers_of(self, X, reset=False))

    def score(self, X, y=None):
        if isinstance(X, Triplets):
            return super().score(X)
        self._require_fit()
        return super().score(answers_of(self, X, reset=False))

    @property
    def transform(self):
        raise AttributeError("a map has a row for each object, not for each answer")


def about_vectors(method: Method) -> Method:
    made = type(f"{type(method).__name__}AboutVectors", (AboutVectors, type(method)), {})
    made.__module__ = __name__
    globals()[made.__name__] = made  # where pickle looks for it
    return made(**method.get_params(deep=False))


def _name(part: Any) -> str:
    """What a test is called by: the estimator, or the check."""
    return part.func.__name__ if isinstance(part, partial) else str(part)


def failures(method: Method) -> dict[str, str]:
    """Checks that a method cannot pass, and why."""
    if isinstance(method, ts.MLDS):
        return {"check_fit2d_1sample": "its error says of the answer that it compares no intervals"}
    return {}


#: Methods that are asked everything: of each base class one, and one that has a basis.
WHOLE = {ts.STE, ts.K1, ts.ForestProximity, ts.AgglomerativeClustering, ts.MLDS}
#: What is asked of all others, too: it hangs on their own parameters and their own `fit`.
OF_EACH = {
    asked.check_parameters_default_constructible, asked.check_no_attributes_set_in_init,
    asked.check_dont_overwrite_parameters, asked.check_estimators_overwrite_params,
    asked.check_dict_unchanged, asked.check_estimators_pickle, asked.check_fit_idempotent,
    asked.check_estimators_nan_inf,
}


def checks() -> Iterator:
    """Every estimator with what it is asked."""
    for method in METHODS:
        for one in asked.estimator_checks_generator(
            about_vectors(method), expected_failed_checks=failures(method), mark="xfail"
        ):
            check = getattr(one, "values", one)[1]
            if type(method) in WHOLE or check.func in OF_EACH:
                yield one


@pytest.mark.parametrize(("estimator", "check"), checks(), ids=_name)
def test_sklearn(estimator, check):
    check(estimator)


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.name)
def test_what_is_not_fitted_says_so_before_it_looks_at_answers(method):
    for ask in (method.predict, method.margins):
        with pytest.raises(NotFittedError):
            ask(np.array([["no", "answers"]]))
