"""An embedding whose pairs are seen otherwise than by squared distances: here by dot products."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

import tripletscope as ts
from tripletscope.core.engine.progress import silent
from tripletscope.core.inference.uncertainty.posterior import laplace
from tripletscope.core.inference.uncertainty.resampling import _to_replicate, map_of
from tripletscope.core.inference.uncertainty.response import evidence
from tripletscope.core.models.embedding.ordinal import OrdinalEmbedding
from tripletscope.core.models.optimise.elementary import compiled
from tripletscope.core.models.optimise.layout import AnswerLayout
from tripletscope.core.models.optimise.loss import Loss, likeness
from tripletscope.core.models.optimise.pairs import PairModel, pair_of

X = np.random.default_rng(0).normal((1.5, 0.0), size=(14, 2))


@compiled
def _seen(x, w, roles, unit, low, high, values):
    for e in range(values.shape[0]):
        one, other = pair_of(roles, e)
        for t in range(high - low):
            i, j = roles[one, low + t], roles[other, low + t]
            values[e, t] = 0.0
            for k in range(x.shape[1]):
                values[e, t] += x[i, k] * x[j, k]


@compiled
def _back(x, w, roles, unit, low, high, by, by_x, by_w):
    for e in range(by.shape[0]):
        one, other = pair_of(roles, e)
        for t in range(high - low):
            i, j = roles[one, low + t], roles[other, low + t]
            for k in range(x.shape[1]):
                by_x[i, k] += by[e, t] * x[j, k]
                by_x[j, k] += by[e, t] * x[i, k]


@compiled
def _similarity(values, constants, similarity, slope):
    for e in range(values.size):
        similarity[e], slope[e] = values[e], 1.0


def _turned(positions, reference, *, scaled=True):
    left, _, right = np.linalg.svd(positions.T @ reference)
    return lambda x: x @ left @ right


@dataclass(kw_only=True, eq=False, repr=False)
class Products(OrdinalEmbedding):
    """Dot products about an origin."""

    name, title, kind, is_likelihood = "products", "Products", "embedding", True
    standard, onto = staticmethod(lambda x: x), staticmethod(_turned)

    def _loss(self) -> Loss:
        return Loss(similarity=_similarity, pairs=PairModel(_seen, _back))


@pytest.fixture(scope="module")
def answers() -> ts.Triplets:
    rng = np.random.default_rng(1)
    rows = np.array([rng.permutation(len(X))[:3] for _ in range(1500)])
    odds = np.einsum("td,td->t", X[rows[:, 0]], X[rows[:, 1]] - X[rows[:, 2]])
    swapped = rng.random(len(rows)) > 1 / (1 + np.exp(-odds))
    rows[swapped] = rows[swapped][:, [0, 2, 1]]
    return ts.Triplets.from_array(rows)


def test_it_predicts_what_distances_cannot(answers):
    error = {name: ts.cross_validate(method, answers).error
             for name, method in (("products", Products()), ("distances", ts.STE()))}
    assert error["products"] < error["distances"] - 0.02


@pytest.mark.parametrize("average", [False, True])
def test_margins_are_differences_of_similarities(answers, average):
    fitted = Products(average=average, n_init=2).fit(answers)
    rows, apart = answers.rows, fitted.distances()
    difference = apart[rows[:, 0], rows[:, 2]] - apart[rows[:, 0], rows[:, 1]]
    assert np.allclose(fitted.margins(answers), difference)
    assert apart.min() == 0
    assert np.allclose(apart, apart.T)
    if not average:
        assert np.allclose(
            fitted.predict_proba(answers)[:, 1], 1 / (1 + np.exp(-fitted.margins(answers)))
        )


def test_replicates_answer_as_maps_that_are_not_moved(answers):
    method = Products(n_init=1)
    samples = ts.bootstrap(method, answers, replicates=10, unit="answers")
    loss, fitted = method._loss(), method.fit(answers)
    both = [np.corrcoef(likeness(loss, one, answers.rows[:, :2]),
                        likeness(loss, fitted.embedding_, answers.rows[:, :2]))[0, 1]
            for one in samples.embeddings]
    assert min(both) > 0.9
    assert samples.conditional is None
    odds = evidence(method, samples.embeddings, answers.rows)
    assert np.corrcoef(odds, fitted.margins(answers))[0, 1] > 0.98


@pytest.mark.parametrize("align", ["reference", "replicate"])
def test_maps_are_aligned_as_their_method_allows(answers, align):
    """Similarities are as they were: dot products know no shift and no scale."""
    layout, method = AnswerLayout.of(answers, True), Products()
    free = method.refitted(layout)
    found = map_of(method, layout, np.ones(len(answers)), X, silent, start=None)
    if align == "replicate":
        found, _ = _to_replicate([found, X + 1.0], 0, method.onto)
    assert np.allclose(found @ found.T, free @ free.T)


@pytest.mark.parametrize("posterior", [ts.sample_posterior, laplace])
def test_posteriors_of_squared_distances_refuse_other_pairs(posterior, answers):
    with pytest.raises(ValueError, match="squared distances, and pairs of Products are seen other"):
        posterior(Products(), answers)


@pytest.mark.parametrize("strategy", ["uncertain", "gain"])
def test_questions_are_not_chosen_by_distances_that_nobody_sees(answers, strategy):
    with pytest.raises(ValueError, match="pairs of Products are seen otherwise; ask random ones"):
        ts.experiment.propose(Products(), answers, 5, strategy=strategy)
    assert len(ts.experiment.propose(Products(), answers, 5, strategy="landmark")) == 5
