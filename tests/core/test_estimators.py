"""scikit-learn's checks of estimators, for methods whose X is answers.

The checks fit vectors. Here every vector is an answer about nine objects, drawn by its content, so
that whatever they ask of samples, their order, their memory and their type is asked of answers.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError, SkipTestWarning
from sklearn.utils import estimator_checks as asked
from sklearn.utils.metaestimators import available_if
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

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = True
        return tags

    def fit(self, X, y=None, sample_weight=None):
        return super().fit(answers_of(self, X, reset=True), sample_weight=sample_weight)

    def margins(self, X):
        if isinstance(X, Triplets):  # asked by the method itself
            return super().margins(X)
        self._require_fit()
        return super().margins(answers_of(self, X, reset=False))

    @available_if(lambda self: hasattr(super(), "predict_proba"))
    def predict_proba(self, X):
        if isinstance(X, Triplets):
            return super().predict_proba(X)
        self._require_fit()
        return super().predict_proba(answers_of(self, X, reset=False))

    def score(self, X, y=None, sample_weight=None):
        if isinstance(X, Triplets):
            return super().score(X, y, sample_weight)
        self._require_fit()
        return super().score(answers_of(self, X, reset=False), None, sample_weight)

    @property
    def transform(self):
        raise AttributeError("a map has a row for each object, not for each answer")


def simulated_trials() -> pd.DataFrame:
    """Comparisons of two intervals, as R's MLDS writes them; the second is larger if resp is 1."""
    rng = np.random.default_rng(0)
    levels = np.sort([rng.choice(8, 4, replace=False) for _ in range(200)], axis=1) + 1
    size = (levels / 8.0) ** 2
    second = size[:, 3] - size[:, 2] + 0.05 * rng.normal(size=200) > size[:, 1] - size[:, 0]
    return pd.DataFrame(levels, columns=["S1", "S2", "S3", "S4"]).assign(resp=second.astype(int))[
        ["resp", "S1", "S2", "S3", "S4"]
    ]


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
        said = "its error says of few answers that they compare no intervals"
        return dict.fromkeys((
            "check_fit2d_1sample", "check_sample_weights_shape",
            "check_sample_weights_not_overwritten",
        ), said)
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


def answers() -> Triplets:
    """About nine objects on a line, some of them wrong."""
    rows = np.random.default_rng(0).random((400, N_OBJECTS)).argsort(axis=1)[:, :3]
    anchor, one, other = rows.T
    turned = (np.abs(anchor - one) > np.abs(anchor - other)) ^ (np.arange(400) % 10 == 0)
    return Triplets.from_array(np.where(turned[:, None], rows[:, [0, 2, 1]], rows), N_OBJECTS)


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.name)
def test_a_method_as_it_is_passes_what_can_be_asked_of_comparisons(method):
    with pytest.warns(SkipTestWarning, match="requires input"):
        asked.check_estimator(method)


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.name)
def test_weights_are_those_of_the_answers(method):
    data = answers()
    few = np.arange(len(data)) % 4 > 0
    weighted = clone(method).fit(data, sample_weight=few.astype(float))
    some = clone(method).fit(data.reweighted(few.astype(float)))
    np.testing.assert_array_equal(weighted.margins(data), some.margins(data))
    if not isinstance(method, ts.MLDS):  # of levels that nothing compares it knows nothing
        assert weighted.score(data, sample_weight=few) == pytest.approx(weighted.score(data[few]))
    for wrong in (np.ones(3), np.zeros(len(data)), -np.ones(len(data))):
        with pytest.raises(ValueError, match="weight"):
            clone(method).fit(data, sample_weight=wrong)


@pytest.mark.parametrize(
    "kind", [ts.TSTE, ts.KMeans, ts.ForestProximity, ts.ComparisonForest, ts.dimensions.SPoSE]
)
def test_a_random_state_becomes_a_seed(kind):
    seeds = [kind(random_state=None).seed for _ in range(4)]
    assert len(set(seeds)) == 4
    for make in (np.random.RandomState, np.random.default_rng):
        first, again, other = (kind(random_state=make(k)).seed for k in (1, 1, 2))
        assert first == again != other
    method = kind(random_state=7)
    assert clone(method).seed == 7
    assert method.set_params(random_state=None).seed != 7


def test_a_seed_drawn_for_a_result_is_one_of_its_options():
    data, options = answers(), {"replicates": 5}
    drawn = ts.run("bootstrap", ts.STE(n_init=1), data, {**options, "random_state": None})
    again = ts.run("bootstrap", ts.STE(n_init=1), data, {**options, "seed": drawn.options["seed"]})
    assert drawn.key == again.key
    np.testing.assert_array_equal(*(run.samples().embeddings for run in (drawn, again)))
    with pytest.raises(ValueError, match="seed"):
        ts.STE(random_state="often").fit(data)


def test_a_map_becomes_a_table_where_scikit_learn_is_told_so():
    method = ts.STE(n_init=1, n_components=3)
    plain = method.fit_transform(answers())
    table = clone(method).set_output(transform="pandas").fit_transform(answers())
    assert table.columns.tolist() == ["ste0", "ste1", "ste2"]
    assert table.index.tolist() == [*range(N_OBJECTS)]
    np.testing.assert_array_equal(table, plain)
    # Rows of a frame are answers, and those of a map objects, even where there are as many.
    rows = answers().rows
    for frame in (pd.DataFrame(rows), pd.DataFrame(rows[:9], index=[*"abcdefghi"])):
        method = ts.STE(n_init=1).set_output(transform="pandas")
        assert len(method.fit_transform(frame)) == method.n_objects_
        assert method.transform(frame).index.tolist() == [*range(method.n_objects_)]


@pytest.mark.parametrize(
    "method", [ts.STE(), ts.TSTE(), ts.CKL(), ts.MLDS(), ts.MLDS(lapses="one")], ids=str
)
def test_probabilities_are_of_each_answer(method):
    data = answers()
    fitted = method.fit(data)
    proba = fitted.predict_proba(data)
    np.testing.assert_allclose(proba.sum(axis=1), 1.0)
    np.testing.assert_array_equal(proba[:, 1] > 0.5, fitted.predict(data))
    turned = fitted.predict_proba(data.rows[:, [0, 2, 1]])
    np.testing.assert_allclose(turned, proba[:, ::-1], atol=1e-12)
    if method.name != "mlds":  # plain triplets are choices between two pairs
        np.testing.assert_allclose(proba[:, 1], fitted.choice_probabilities(data))
    if method.name in ("ste", "mlds"):  # heavier tails are not those of these answers
        assert proba.max(axis=1).mean() == pytest.approx(fitted.score(data), abs=0.05)


def test_a_scale_predicts_the_table_that_it_was_fitted_to():
    trials = simulated_trials()
    method = ts.MLDS().fit(trials)
    assert method.predict_proba(trials).shape == (len(trials), 2)
    assert method.score(trials) == pytest.approx(1.0 - method.triplet_error_)


def test_methods_without_a_likelihood_have_no_probabilities():
    assert not hasattr(ts.SOE(), "predict_proba")
    assert not hasattr(ts.GNMDS(), "predict_proba")


def test_clusters_are_of_objects_and_predictions_of_answers():
    data, method = answers(), ts.KMeans(n_clusters=3, n_init=1)
    labels = method.fit_predict(data)
    assert labels.shape == (N_OBJECTS,)
    assert method.predict(data).shape == (len(data),)


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.name)
def test_what_is_not_fitted_says_so_before_it_looks_at_answers(method):
    for ask in (method.predict, method.margins):
        with pytest.raises(NotFittedError):
            ask(np.array([["no", "answers"]]))
