"""The normal approximation to the posterior of sparse non-negative weights.

Steps of Adam (Kingma & Ba, 2015) minimise minus the evidence lower bound, each on some of the
trials and with new draws of weights. Fixed draws would allow L-BFGS, but the fit learns them: with
32 or 128 the bound on new draws was worse by a fifth, on 150 objects and 100,000 trials.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from tripletscope.core.data.choices import Choices
from tripletscope.core.engine.threads import side_by_side
from tripletscope.core.models.dimensions.likelihood import TrialBatch, padded
from tripletscope.core.models.optimise.elementary import compiled, exp_negative

#: Places and weights of Gauss-Hermite quadrature.
_PLACES, _WEIGHTS = np.polynomial.hermite_e.hermegauss(10)
_WEIGHTS = _WEIGHTS / _WEIGHTS.sum()
#: Trials of a step: at least so many, and so many per object.
_LEAST, _PER_OBJECT = 2000, 4
#: First length of steps, share of steps that have it, and decay of the moments.
_LENGTH, _LONG, _FIRST, _SECOND = 0.02, 0.4, 0.9, 0.999
#: Standard deviations of the means at the start and of the posterior.
_START, _START_SD = 0.14, 0.05
#: Fewest weights per stream of random numbers, and most streams.
_STREAM, _STREAMS = 32_768, 8
#: Counts of dimensions in the course of a fit.
COUNTS = 40

#: From means and standard deviations (n, d) to the dimensions that stay.
Relevant = Callable[[np.ndarray, np.ndarray], np.ndarray]
#: Receives fraction, loss and means; True asks to stop.
Report = Callable[[float, float, np.ndarray], bool]


class SpikeAndSlab(NamedTuple):
    """Density ``pi N(0, spike^2) + (1 - pi) N(0, slab^2)`` of every weight."""

    spike: float
    slab: float
    pi: float

    def divergence(self, mu: np.ndarray, log_sigma: np.ndarray) -> float:
        """Sum of the Kullback-Leibler divergences of normal distributions (n, d) from this one."""
        return _divergence(mu, log_sigma, self.spike, self.slab, self.pi, _PLACES, _WEIGHTS)


@compiled
def _divergence(mu, log_sigma, spike, slab, pi, places, weights):
    narrow, wide = 1.0 / (spike * spike), 1.0 / (slab * slab)
    high, low = pi / spike, (1.0 - pi) / slab
    total = 0.0
    for i in range(mu.shape[0]):
        for j in range(mu.shape[1]):
            sigma = math.exp(log_sigma[i, j])
            total -= log_sigma[i, j] + 0.5
            for k in range(places.size):
                x = mu[i, j] + sigma * places[k]
                square = 0.5 * x * x
                density = high * math.exp(-square * narrow) + low * math.exp(-square * wide)
                total -= weights[k] * math.log(max(density, 1e-300))
    return total


class Posterior(NamedTuple):
    """Normal distributions of all weights, mu and sigma (n, d).

    losses: Minus the evidence lower bound in the course of the fit.
    counts: Number of relevant dimensions at the same steps.
    """

    mu: np.ndarray
    sigma: np.ndarray
    losses: np.ndarray
    counts: np.ndarray
    stopped: bool


class _Weights:
    """Means and standard deviations, with Adam's moments; rows are padded."""

    def __init__(self, n: int, d: int, rng: np.random.Generator) -> None:
        self.d = d
        shape = (n, padded(d))
        self.mu = np.zeros(shape, np.float32)
        self.mu[:, :d] = rng.normal(0.0, _START, (n, d))
        self.log_sigma = np.full(shape, math.log(_START_SD), np.float32)
        self.moments = np.zeros((4, *shape), np.float32)
        self.n_streams = min(max(n * shape[1] // _STREAM, 1), _STREAMS)
        self._streams = [np.random.default_rng(s) for s in rng.spawn(self.n_streams)]
        self._bounds = np.linspace(0, n, self.n_streams + 1).astype(int)
        self._make_room()

    def _make_room(self) -> None:
        self.noise, self.x = np.zeros((2, *self.mu.shape), np.float32)
        self.gradients = np.zeros((8, *self.mu.shape), np.float32)

    def keep(self, which: np.ndarray) -> None:
        """Continue with some of the dimensions."""
        width = padded(len(which))
        if width == self.mu.shape[1]:
            return
        def kept(values: np.ndarray, fill: float) -> np.ndarray:
            result = np.full((*values.shape[:-1], width), fill, np.float32)
            result[..., : len(which)] = values[..., which]
            return result

        self.mu, self.moments = kept(self.mu, 0.0), kept(self.moments, 0.0)
        self.log_sigma = kept(self.log_sigma, 0.0)
        self.d = len(which)
        self._make_room()

    def draw(self) -> None:
        """Draw weights from the posterior."""
        def part(k: int) -> None:
            rows = slice(self._bounds[k], self._bounds[k + 1])
            noise = self.noise[rows]
            self._streams[k].standard_normal(dtype=np.float32, out=noise)
            _draw(self.mu[rows], self.log_sigma[rows], noise, self.x[rows], self.d)

        side_by_side(part, range(self.n_streams))

    def step(
        self, number: int, length: float, n_batch: float, n_trials: float, prior: SpikeAndSlab
    ) -> None:
        """A step of Adam along the gradient at the latest draw."""
        corrected = 1.0 / (1.0 - _FIRST**number), 1.0 / (1.0 - _SECOND**number)
        numbers = np.array([1.0 / n_batch, 1.0 / n_trials, *prior, length, *corrected], np.float32)

        def part(k: int) -> None:
            rows = slice(self._bounds[k], self._bounds[k + 1])
            _step(
                self.mu[rows], self.log_sigma[rows], self.noise[rows], self.gradients[0, rows],
                self.moments[:, rows], numbers,
            )

        side_by_side(part, range(self.n_streams))

    @property
    def posterior(self) -> tuple[np.ndarray, np.ndarray]:
        """(n, d) means and standard deviations."""
        return (
            self.mu[:, : self.d].astype(float), np.exp(self.log_sigma[:, : self.d].astype(float))
        )


def approximate(
    trials: Choices, n_components: int, prior: SpikeAndSlab, relevant: Relevant, *,
    steps: int, seed: int, report: Report,
) -> Posterior:
    """The normal posterior of every weight, at the last step or where `report` asked to stop.

    Later steps leave out dimensions that are not `relevant` at a count.
    """
    rng = np.random.default_rng(seed)
    use = rng.permutation(np.flatnonzero(trials.weight > 0))
    size = max(_LEAST, _PER_OBJECT * trials.n_objects)
    n_batches = max(len(use) // size, 1)
    batches = [TrialBatch.of(trials, use[k::n_batches]) for k in range(n_batches)]
    total = float(trials.weight.sum())
    weights = _Weights(trials.n_objects, n_components, rng)
    marks = set(np.linspace(0, steps, COUNTS + 1).astype(int)[1:].tolist())
    losses, counts, passed, stopped = [], [], [0.0, 0.0], False
    order = rng.permutation(n_batches)
    for number in range(1, steps + 1):
        place = (number - 1) % n_batches
        if place == 0:
            order = rng.permutation(n_batches)
        batch = batches[order[place]]
        weights.draw()
        passed[0] += batch.evaluate(weights.x, weights.gradients)
        passed[1] += batch.total
        weights.step(number, _length(number / steps), batch.total, total, prior)
        if number in marks:
            mu, sigma = weights.posterior
            losses.append(
                total * passed[0] / passed[1]
                + prior.divergence(weights.mu[:, : weights.d], weights.log_sigma[:, : weights.d])
            )
            passed = [0.0, 0.0]
            result = relevant(mu, sigma)
            counts.append(len(result))
            stopped = report(number / steps, losses[-1], mu) and number < steps
            if stopped:
                break
            if number > _LONG / 2 * steps and len(result):
                weights.keep(np.sort(result))
    mu, sigma = weights.posterior
    return Posterior(mu, sigma, np.array(losses), np.array(counts), stopped)


def _length(done: float) -> float:
    """Length of a step after this share of them."""
    if done < _LONG:
        return _LENGTH
    return _LENGTH * 0.5 * (1.0 + math.cos(math.pi * (done - _LONG) / (1.0 - _LONG)))


@compiled
def _draw(mu, log_sigma, noise, x, d):
    for i in range(mu.shape[0]):
        for k in range(d):
            noise[i, k] *= math.exp(log_sigma[i, k])
            x[i, k] = max(mu[i, k] + noise[i, k], np.float32(0.0))


@compiled
def _step(mu, log_sigma, noise, gradient, moments, numbers):
    one, half = np.float32(1.0), np.float32(0.5)
    share, prior_share, spike, slab, pi, length, correct_first, correct_second = numbers
    first, second, tiny = np.float32(_FIRST), np.float32(_SECOND), np.float32(1e-12)
    wide = one / (slab * slab)
    narrower = one / (spike * spike) - wide
    high, low = pi / spike, (one - pi) / slab
    for i in range(mu.shape[0]):
        for k in range(mu.shape[1]):
            moved = noise[i, k]
            x = mu[i, k] + moved
            on_spike = high * np.float32(exp_negative(-half * x * x * narrower))
            slope = prior_share * x * (wide + narrower * on_spike / (on_spike + low + tiny))
            if x > 0.0:
                slope += share * gradient[i, k]
            a = moments[0, i, k] = first * moments[0, i, k] + (one - first) * slope
            b = moments[1, i, k] = second * moments[1, i, k] + (one - second) * slope * slope
            mu[i, k] -= length * a * correct_first / (math.sqrt(b * correct_second) + tiny)
            slope = slope * moved - prior_share
            a = moments[2, i, k] = first * moments[2, i, k] + (one - first) * slope
            b = moments[3, i, k] = second * moments[3, i, k] + (one - second) * slope * slope
            log_sigma[i, k] -= length * a * correct_first / (math.sqrt(b * correct_second) + tiny)
