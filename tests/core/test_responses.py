"""Responses beside questions: ``fit(X, y)`` and ``score(X, y)`` of every method of comparisons."""

from __future__ import annotations

from inspect import signature

import numpy as np
import pandas as pd
import pytest

import tripletscope as ts
from tripletscope.core.data.errors import DataError
from tripletscope.core.engine.method import Method
from tripletscope.core.engine.registry import registry
from tripletscope.core.engine.task import fitted_values

#: Kinds whose methods learn from questions and responses. Others learn from matrices or graphs;
#: methods of people and of features need tables beside their answers.
KINDS = ("embedding", "kernel", "cluster", "scale", "dimensions")
METHODS = [(kind, name) for kind in KINDS for name in registry(kind)]
QUICK = {"n_init": 1, "n_estimators": 10, "leaf_size": 2, "max_iter": 40, "penalty": 1.0}
N_OBJECTS = 9


def made(kind: str, name: str) -> Method:
    """A method that is quick."""
    method = registry(kind)[name]
    known = signature(method).parameters
    return method(**{key: value for key, value in QUICK.items() if key in known})


@pytest.fixture(scope="module")
def ordered() -> np.ndarray:
    """Answers (T, 3), the nearer object second."""
    line = np.column_stack([np.arange(N_OBJECTS), np.zeros(N_OBJECTS)])
    return ts.simulate(line, 300, noise="flip", level=0.1, seed=1).rows


@pytest.fixture(scope="module")
def asked(ordered) -> tuple[np.ndarray, np.ndarray]:
    """The same as questions in random order, and whether the second object is nearer."""
    first = np.random.default_rng(2).random(len(ordered)) < 0.5
    return np.where(first[:, None], ordered, ordered[:, [0, 2, 1]]), first


RESPONSES = {
    "bool": lambda first: first,
    "signs": lambda first: np.where(first, 1, -1),
    "list of floats": lambda first: np.where(first, 1.0, -1.0).tolist(),
    "nullable": lambda first: pd.Series(first, index=np.arange(len(first)) + 7).astype("boolean"),
}


@pytest.mark.parametrize(("kind", "name"), METHODS)
def test_every_method_learns_what_was_answered(kind, name, ordered, asked):
    questions, first = asked
    told = made(kind, name).fit(ordered)
    for form in RESPONSES.values() if name == "ste" else (RESPONSES["signs"],):
        fitted = made(kind, name).fit(questions, form(first))
        for found, expected in zip(fitted_values(fitted), fitted_values(told), strict=True):
            np.testing.assert_equal(found, expected)
        assert fitted.score(questions, form(first)) == told.score(ordered)
    if kind in ("embedding", "kernel", "scale"):  # others say less of single answers
        assert told.score(ordered) > told.score(questions)


def test_maps_and_scales_take_responses_to_pairs(ordered, asked):
    questions, first = (part[:200] for part in asked)
    pairs = np.column_stack([questions[:, 0], questions[:, 1], questions[:, 0], questions[:, 2]])
    for method in (ts.STE(n_init=1), ts.MLDS()):
        fitted = method.fit(pairs, first)
        right = np.where(first[:, None], pairs, pairs[:, [2, 3, 0, 1]])
        assert fitted.score(right) == fitted.score(pairs, first) > 0.8


def test_every_fit_transforms_what_was_answered(ordered, asked):
    told = ts.STE(n_init=1).fit_transform(ordered)
    assert np.array_equal(ts.STE(n_init=1).fit_transform(*asked), told)
    assert np.array_equal(ts.LORE(n_init=1).fit_transform(*asked), ts.LORE(n_init=1)
                          .fit(ordered).embedding_)


@pytest.mark.parametrize(
    ("responses", "problem"),
    [
        (lambda first: first[:5], r"y have shape \(5,\), but there are 300 questions"),
        (lambda first: np.column_stack([first, first]), r"y have shape \(300, 2\)"),
        (lambda first: 1, r"y have shape \(\)"),
        (lambda first: np.where(first, "near", "far"), "y holds '(near|far)'"),
        (lambda first: np.where(first, 1, 0), r"row \d+: y holds 0.* give y == 1"),
        (lambda first: np.where(first, 1, 2), "y holds 2"),
        (lambda first: np.where(first, 1.0, np.nan), "y holds nan"),
        (lambda first: np.where(first, 1, None), "y holds (nan|None)"),
        (lambda first: np.where(first, "1", "-1"), "y holds '-?1'"),
    ],
)
@pytest.mark.parametrize(("kind", "name"), [("embedding", "ste"), ("kernel", "k1"),
                                            ("cluster", "kmeans"), ("scale", "mlds")])
def test_other_responses_are_refused(kind, name, asked, responses, problem):
    questions, first = asked
    fitted = made(kind, name).fit(questions, first)
    for ask in (fitted.fit, fitted.score):
        with pytest.raises(DataError, match=problem) as error:
            ask(questions, responses(first))
        assert "y has one of +1 and -1, or of True and False" in str(error.value)


@pytest.mark.parametrize(("kind", "name"), [*METHODS, ("individuals", "weighted_euclidean")])
def test_answers_take_no_second_ones(kind, name, ordered):
    method = made(kind, name) if kind != "individuals" else ts.people.WeightedEuclidean()
    answers = ts.Triplets.from_array(ordered, N_OBJECTS)
    with pytest.raises(ValueError, match="answers has its answers already"):
        method.fit(answers, np.ones(len(answers)))


@pytest.mark.parametrize(("kind", "name"), METHODS)
def test_predictions_are_of_objects_that_were_learned(kind, name, ordered):
    """Compiled loops would read what stands behind the map."""
    fitted = made(kind, name).fit(ordered)
    for ask in (fitted.margins, fitted.predict, fitted.score):
        with pytest.raises(DataError, match="beyond the 9 that were learned"):
            ask([[0, 1, 2], [0, 1, 100_000]])
        with pytest.raises(DataError, match="row 1"):
            ask(ts.Triplets.from_array([[0, 1, 2], [0, 1, 10]], 11))
    assert fitted.score([[3, 4, 8]]) in (0.0, 0.5, 1.0)  # without a warning
    assert fitted.predict(ts.Triplets.from_array([[0, 1, 8]], 11)).shape == (1,)
