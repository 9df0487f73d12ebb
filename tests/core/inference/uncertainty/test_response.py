"""Response probabilities: their formula by hand, and lapses that were planted."""

from __future__ import annotations

from dataclasses import asdict, replace

import numpy as np
import pytest
from scipy.special import expit

from tripletscope.core.data.quadruples import Quadruples
from tripletscope.core.data.triplets import Triplets
from tripletscope.core.engine.method import as_record
from tripletscope.core.engine.progress import Stopped
from tripletscope.core.inference.uncertainty import (
    ResponseModel,
    abstention,
    bootstrap,
    laplace,
    sample_posterior,
)
from tripletscope.core.inference.uncertainty.response import evidence, fit_response, margin_evidence
from tripletscope.core.inference.uncertainty.samples import Samples
from tripletscope.core.inference.uncertainty.sources import response_model, response_options
from tripletscope.core.models.embedding import CKL, SOE, STE, TSTE
from tripletscope.core.models.simulation.simulate import simulate
from tripletscope.core.run import TASKS, run
from tripletscope.core.similarity.kernels.triplet import K1

LINE = np.array([[[0.0], [1.0], [2.0]]])
ROWS = np.array([[0, 1, 2], [0, 2, 1]])


@pytest.fixture(scope="module")
def few() -> Triplets:
    """Answers about eight objects."""
    truth = np.random.default_rng(7).normal(size=(8, 2)) * 1.3
    return simulate(truth, 240, noise="logistic", seed=3)


@pytest.mark.parametrize(("method", "odds"), [
    (STE(), 3.0), (TSTE(alpha=1.0), np.log(5 / 2)), (CKL(mu=0.5), np.log(4.5 / 1.5)),
    (SOE(), 1 / np.sqrt(4 / 3)),  # a margin of 1; the root mean square of all distances
])
def test_evidence_by_hand(method, odds):
    assert evidence(method, LINE, ROWS) == pytest.approx([odds, -odds])


def test_likelihoods_are_averaged_before_their_odds_are_taken():
    maps = np.concatenate([LINE, LINE[:, [0, 2, 1]]])
    assert evidence(STE(), maps, ROWS) == pytest.approx([0, 0])
    maps = np.concatenate([LINE, 0 * LINE])
    mean = (1 / (1 + np.exp(-3)) + 0.5) / 2
    assert evidence(STE(), maps, ROWS)[0] == pytest.approx(np.log(mean / (1 - mean)))


@pytest.mark.parametrize("method", [STE(), SOE()])
def test_maps_without_an_object_say_nothing_of_it(method):
    maps = np.concatenate([LINE, LINE])
    maps[1, 2] = np.nan
    assert evidence(method, maps, ROWS) == pytest.approx(evidence(method, LINE, ROWS))
    maps[0, 2] = np.nan
    assert np.isnan(evidence(method, maps, ROWS)).all()


def test_pairs_are_compared_too():
    rows = np.array([[0, 1, 1, 2], [0, 1, 0, 2]])
    assert evidence(STE(), LINE, rows) == pytest.approx([0, 3])


def test_evidence_of_margins_does_not_depend_on_units(planted):
    fitted = K1().fit(planted)
    found = margin_evidence(fitted, planted)
    assert np.mean(found > 0) > 0.7
    assert found == pytest.approx(fitted.margins(planted) / fitted.distances().mean())
    assert evidence(SOE(), 7 * LINE, ROWS) == pytest.approx(evidence(SOE(), LINE, ROWS))


@pytest.mark.parametrize("lapse", [0.0, 0.1, 0.3])
def test_slope_and_lapse_are_found_again(lapse):
    """Of 20,000 responses; the three bounds are over three standard errors each."""
    rng = np.random.default_rng(0)
    told = rng.normal(size=20_000) * 2
    agreed = rng.random(20_000) < lapse / 2 + (1 - lapse) / (1 + np.exp(-3 * told))
    found = fit_response(STE(), np.where(agreed, told, -told), np.ones(20_000))
    assert found.slope == pytest.approx(3, abs=0.5)
    assert found.power == pytest.approx(1, abs=0.15)
    assert found.lapse == pytest.approx(lapse, abs=0.03)
    assert found.n_responses == 20_000


def test_the_fit_is_the_most_probable(planted):
    rng = np.random.default_rng(1)
    told = rng.normal(size=300)
    told = np.abs(told) * np.where(rng.random(300) < 0.1 + 0.8 * expit(2 * np.abs(told)), 1, -1)
    weight = rng.integers(1, 4, 300).astype(float)
    best = fit_response(SOE(), told, weight)

    def lost(**changed: float) -> float:
        one = replace(best, **changed)
        prior = np.log(one.slope) ** 2 / 8 + np.log(one.power) ** 2 / (2 * 0.5**2)
        return prior - weight @ np.log(one.probability(told)) - np.log(one.lapse)

    for name in ("slope", "power", "lapse"):
        for by in (0.95, 1.05):
            assert lost(**{name: by * getattr(best, name)}) > lost()


def test_noise_that_grows_with_distance_is_not_taken_for_lapses():
    rng = np.random.default_rng(0)
    told = rng.normal(size=20_000) * 3
    agreed = rng.random(20_000) < 1 / (1 + np.exp(-1.5 * np.sign(told) * np.sqrt(np.abs(told))))
    found = fit_response(SOE(), np.where(agreed, told, -told), np.ones(20_000))
    assert found.power == pytest.approx(0.5, abs=0.15)
    assert found.lapse < 0.06


def test_without_responses_margins_say_nothing_of_people():
    none = fit_response(SOE(), np.array([np.nan]), np.ones(1))
    assert none.probability(np.array([5.0, -5.0])).tolist() == [0.5, 0.5]
    own = fit_response(STE(), np.array([1.0]), np.zeros(1))
    assert (own.slope, own.lapse, own.n_responses) == (1.0, 0.0, 0)


def test_no_response_is_impossible():
    found = fit_response(STE(), np.full(50, 9.0), np.ones(50))
    assert 0 < found.probability(np.array([-np.inf]))[0] < 0.05


def test_both_sides_of_a_question_sum_to_one(planted):
    turned = Triplets.from_array(planted.rows[:, [0, 2, 1]], 30)
    for samples in (laplace(STE(), planted), bootstrap(SOE(), planted, replicates=10)):
        both = samples.response_probability(planted) + samples.response_probability(turned)
        assert np.allclose(both, 1)
        assert samples.response_model.n_responses == len(planted)


def test_every_source_has_a_response_model(few):
    for samples in (
        bootstrap(STE(), few, replicates=10), laplace(STE(), few),
        sample_posterior(STE(), few, effective=20),
    ):
        assert samples.response_probability(few).mean() < samples.order_certainty(few).mean()


def test_planted_lapses_are_found_by_samples(truth):
    """Of 4,000 answers a fifth are guesses; half of these are right by chance."""
    answers = simulate(truth, 4000, noise="logistic", level=0.4, seed=3)
    rows = answers.rows.copy()
    turned = np.random.default_rng(4).random(len(rows)) < 0.1
    rows[turned, 1:] = rows[turned, :0:-1]
    for method in (STE(), SOE()):
        clean = bootstrap(method, answers, replicates=10)
        found = bootstrap(method, Triplets.from_array(rows, 30), replicates=10)
        assert clean.response_model.lapse < 0.05
        assert found.response_model.lapse == pytest.approx(0.2, abs=0.05)


def test_comparisons_of_pairs_have_response_probabilities():
    rng = np.random.default_rng(0)
    line = np.linspace(0, 3, 12)
    rows = np.array([rng.choice(12, 4, replace=False) for _ in range(600)])
    far = np.abs(line[rows[:, 0]] - line[rows[:, 1]]) > np.abs(line[rows[:, 2]] - line[rows[:, 3]])
    rows[far] = rows[far][:, [2, 3, 0, 1]]
    pairs = Quadruples(rows, 12)
    samples = bootstrap(STE(n_components=1), pairs, replicates=10)
    assert samples.response_probability(pairs).mean() > 0.8


def test_what_has_no_response_model_says_so(planted):
    samples = replace(bootstrap(STE(), planted, replicates=4), learn=None)
    assert not samples.knows_responses
    with pytest.raises(ValueError, match=r"no answers to learn one from; .*samples\(answers\)"):
        samples.response_probability(planted)
    model = ResponseModel(as_record(STE()), 1.0, 1.0, 0.1, 0)
    known = replace(samples, response=asdict(model)).response_probability(planted)
    assert np.array_equal(known, model.from_maps(samples.embeddings, planted.rows))


def test_too_few_questions_to_learn_from():
    found = bootstrap(STE(n_init=1), Triplets.from_array([[0, 1, 2], [1, 0, 2]]), replicates=4)
    assert found.response_model.n_responses == 0


def test_the_response_model_is_learned_once_and_when_it_is_asked_for(few):
    samples, learned = bootstrap(STE(), few, replicates=6), []

    def learn(**given: object) -> ResponseModel:
        learned.append(given)
        return samples.learn(**given)

    watched = replace(samples, learn=learn)
    assert watched.response is None
    assert watched.order_certainty(few).shape == (240,)
    assert not learned, "maps and their certainty do not need it"
    first = watched.response_probability(few)
    assert np.array_equal(watched.response_probability(few), first)
    assert np.array_equal(samples.response_probability(few), first)
    assert len(learned) == 1


@pytest.mark.parametrize(("task", "options"), [
    ("bootstrap", {"replicates": 6, "scheme": "subsample", "share": 0.7, "seed": 3}),
    ("posterior", {"effective": 20, "variance": 3.0, "seed": 1}), ("laplace", {"variance": 3.0}),
])
def test_it_is_a_result_of_its_own_too(few, task, options):
    """The same, be it learned from samples, from a kept result of them, or by itself."""
    kept = run(task, STE(), few, options)
    with pytest.raises(ValueError, match="no response model"):
        kept.samples().response_probability(few)
    samples = TASKS[task].function(STE(), few, **options)
    assert kept.samples(few).response_model == samples.response_model
    alone = run("response_model", STE(), few, response_options(task, kept.options))
    assert alone.result() == samples.response_model
    usual = run("response_model", STE(), few, {"source": task})
    assert usual.key != alone.key
    assert usual.result() != alone.result()


def test_learning_can_be_stopped(few):
    told = []
    with pytest.raises(Stopped):
        response_model(STE(), few, progress=lambda f, **_: told.append(f) or f > 0.5)
    assert told == pytest.approx([0, 0.2, 0.4, 0.6])
    found = abstention(STE(), few, maps=10, progress=lambda f, **_: f > 0.7)
    assert found.response is None
    assert np.isfinite(found.probability).all(), "they are worth keeping without"


def test_order_certainty_is_the_probability_of_the_paper():
    rng = np.random.default_rng(0)
    samples = Samples(rng.normal(size=(30, 5, 2)), rng.normal(size=(5, 2)))
    rows = Triplets.from_array([[0, 1, 2], [3, 2, 1]], 5)
    for spread in ("joint", "independent", "published"):
        assert np.array_equal(
            samples.order_certainty(rows, spread=spread), samples.probability(rows, spread=spread)
        )
