"""Elliptical slice sampling, compiled, in chains that run until they agree."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from typing import Annotated, NamedTuple

import numba
import numpy as np
from numba import types

from tripletscope.core.engine.declared import Number
from tripletscope.core.engine.parallel import CancelToken, in_parallel
from tripletscope.core.engine.progress import Progress, Stopped
from tripletscope.core.inference.uncertainty.curvature import Normal
from tripletscope.core.models.optimise.elementary import KERNEL, Compiled, address, found_at
from tripletscope.core.models.optimise.layout import AnswerLayout
from tripletscope.core.models.optimise.loss import BLOCK_TYPE, Block, Loss, judge, scratch_for
from tripletscope.core.models.optimise.rows import of_answers, set_squared_distances, width

#: Most distances that convergence is judged by.
JUDGED = 60
#: Largest R-hat of chains that agree. The usual 1.01 is for one quantity; the largest of many is
#: above it by chance even in perfect chains of 400 draws.
AGREED = 1.05
#: Reports of progress while draws double, and share of the effective draws from which chains are
#: judged at each of them.
_LOOKS, _NEAR = 8, 0.5
#: When draws double, the logarithm of effective draws grows by this share of its last growth:
#: measured, for the time that is announced (benchmarks/announced.py).
_SLOWING = 0.75
#: Share of the work that is done at most before chains are known to agree.
_NEVER_DONE = 0.99
#: Fewest maps that a chain keeps when draws have doubled: with fewer, R-hat is mostly chance. Near
#: the end half as many are judged, if nearly all of them are effective.
_HELD = 200
#: Draws between two checks whether to stop.
_BLOCK = 128
#: Answers after which a point may already be too unlikely.
_LOOK = 1024

_OPTIONS = {"nogil": True, "cache": True, "error_model": "numpy"}

Effective = Annotated[int, Number(
    20, 10_000, "Effective samples",
    "Sampling continues to this effective number of independent draws."
)]
Most = Annotated[int, Number(
    100, 10_000_000, "Max. draws per chain", "Sampling stops here, even if the effective "
    "samples are too few.",
    advanced=True
)]
Chains = Annotated[int, Number(
    1, 64, "Chains", "Independent chains, which must converge to the same distribution.",
    advanced=True
)]
WarmUp = Annotated[float, Number(
    0.0, 0.9, "Burn-in", "Proportion at the start of every chain that is discarded.",
    advanced=True
)]


class Target(NamedTuple):
    """A posterior relative to a normal distribution.

    kernel, constants (k,): Address of the kernel of the loss, and its constants.
    roles uint32 (3, T), weight (T,): Of triplets that the kernel is for.
    mode (d, n).
    precision: Of the prior; 0 where the prior is the normal distribution itself.
    without_rotation: Whether rotations are left out.
    further: Address of `_with_choices`; 0 without choices, so that nothing is compiled for them.
    pattern: One kind of choices; the others differ in what follows.
    kinds (k, 4): Roles, number, `Block.shown` and `Block.chosen` of each kind of choices.
    shown uint32 (e,), shown_weight (s,): Their roles and weights, one kind after the other.
    """

    kernel: int
    constants: np.ndarray
    roles: np.ndarray
    weight: np.ndarray
    mode: np.ndarray
    precision: float
    without_rotation: bool
    further: int
    pattern: Block
    kinds: np.ndarray
    shown: np.ndarray
    shown_weight: np.ndarray


_TARGET = types.NamedTuple(
    [
        types.int64, types.float64[::1], types.uint32[:, ::1], types.float64[::1],
        types.float64[:, ::1], types.float64, types.boolean, types.int64, BLOCK_TYPE,
        types.int64[:, ::1], types.uint32[::1], types.float64[::1],
    ],
    Target,
)
#: Type of `_with_choices`.
_FURTHER = types.FunctionType(
    types.float64(_TARGET, types.float64[:, ::1], types.float64, types.float64)
)
_kernel_at, _further_at = found_at(KERNEL), found_at(_FURTHER)


class ChainState(NamedTuple):
    """State of a chain, changed in place.

    deviation (d * n,): From the mode.
    standard (r,): The same in standard normals.
    value (1,): Log of posterior over normal density; -inf before the first step.
    """

    deviation: np.ndarray
    standard: np.ndarray
    value: np.ndarray


class Chain(NamedTuple):
    """A chain of maps that converges to the posterior.

    Each step goes to a point on the ellipse through the present and a random deviation from the
    mode (Murray, Adams & MacKay 2010) at which posterior over normal density exceeds a random share
    of its present value. Around Laplace's approximation that ratio is nearly constant, so that
    steps are long (as in Nishihara, Murray & Adams 2014). The volume that rotations sweep, where
    the normal distribution leaves them out, is part of the ratio.

    loss: Minus the log likelihood of an answer.
    precision: Of the prior; 0 where the prior is the normal distribution itself.
    """

    answers: AnswerLayout
    loss: Loss
    normal: Normal
    precision: float
    state: ChainState
    rng: np.random.Generator


def chain_at(
    answers: AnswerLayout, loss: Loss, normal: Normal, rng: np.random.Generator, *,
    precision: float = 0.0, start: np.ndarray | None = None,
) -> Chain:
    """A chain at the mode, or at a deviation `start` (d * n,) from it if the factor is a vector."""
    state = ChainState(
        np.zeros(normal.mode.size), np.zeros(normal.factor.shape[-1]), np.full(1, -np.inf)
    )
    if start is not None:
        state.deviation[:] = start
        state.standard[:] = start / np.where(normal.factor == 0, 1, normal.factor)
    return Chain(answers, loss, normal, precision, state, rng)


def drawn(
    chains: list[Chain], judged: Callable[[np.ndarray], np.ndarray],
    show: Callable[[np.ndarray], np.ndarray], progress: Progress, *, effective: int, most: int,
    warm_up: float,
) -> tuple[np.ndarray, float, float | None]:
    """Draws of all chains (c, m, d, n) after warming up, effective sample size and R-hat.

    Chains are judged whenever they have twice as many draws, and more often near the end. They keep
    at most about twice as many maps as `effective` draws of all together, evenly spread; `most` and
    `warm_up` are of each.
    """
    capacity = chain_size(effective, len(chains))
    thin, done, size, fraction = 1, 0, 0.0, 0.0
    kept: np.ndarray | None = None
    sizes, expected = [], float(most)
    while True:
        stage = min(capacity * thin - done, most - done) // thin * thin
        ends = done + np.linspace(0, stage // thin, _LOOKS + 1).astype(int)[1:] * thin
        for end in ends:
            if end == done:
                continue
            step, done = int(end) - done, int(end)
            items = [(*chain, step, thin) for chain in chains]
            result, *now = zip(*in_parallel(advance, items), strict=True)
            chains = [
                chain._replace(state=state, rng=rng)
                for chain, state, rng in zip(chains, *now, strict=True)
            ]
            result = np.array(result)
            kept = result if kept is None else np.concatenate([kept, result], axis=1)
            fraction += (1.0 - fraction) * step / max(expected - done + step, step)
            fraction = min(fraction, _NEVER_DONE)
            stopped = progress(fraction, snapshot=show(result[0, -1]))
            if not (stopped or end == ends[-1] or size >= _NEAR * effective):
                continue
            used = kept[:, int(warm_up * kept.shape[1]) :]
            if used.shape[0] * used.shape[1] < 2:
                raise Stopped
            size, rhat = convergence(judged(used))
            enough = size >= effective and rhat is not None and rhat <= AGREED
            if stopped or enough or done + 2 * thin > most:
                return used, size, rhat
        sizes.append(max(size, 1.0))
        expected = _expected(sizes, done, effective, most)
        kept, thin = kept[:, 1::2], 2 * thin


def _expected(sizes: list[float], done: int, effective: int, most: int) -> float:
    """Draws of a chain when `effective` are reached, after `done` with these sizes at doublings.

    Where there are enough, and chains disagree, nobody knows.
    """
    if len(sizes) < 2 or sizes[-1] >= effective:
        return most
    growth = math.log(max(sizes[-1] / sizes[-2], 1.01))
    missing = math.log(effective / sizes[-1])
    rest = 1.0 - missing / growth * (1.0 - _SLOWING) / _SLOWING
    return min(done * 2.0 ** (math.log(rest) / math.log(_SLOWING)), most) if rest > 0 else most


def chain_size(effective: int, chains: int) -> int:
    """Most draws that a chain keeps."""
    return max(2 * effective // chains, _HELD)


def convergence(values: np.ndarray) -> tuple[float, float | None]:
    """Median bulk effective sample size and largest rank-normalised split R-hat.

    values (c, m, q): q quantities in m draws of c chains. R-hat is None for fewer than four draws.
    """
    from arviz_stats.base import array_stats  # imported late: that takes a second

    if values.shape[1] < 4:
        return float(values.shape[0]), None
    size = array_stats.ess(values, chain_axis=0, draw_axis=1)
    rhat = array_stats.rhat(values, chain_axis=0, draw_axis=1)
    return float(np.median(size)), float(np.max(rhat))


def advance(
    answers: AnswerLayout, loss: Loss, normal: Normal, precision: float, state: ChainState,
    rng: np.random.Generator, draws: int, thin: int, halt: CancelToken,
) -> tuple[np.ndarray, ChainState, np.random.Generator]:
    """Every `thin`-th of `draws` further maps (m, d, n), fewer if halted, and the chain's state."""
    target = _target(answers, loss, normal, precision)
    result = [np.empty((0, normal.mode.size))]
    block = thin * max(_BLOCK // thin, 1)
    for first in range(0, draws, block):
        if halt():
            break
        size = min(block, draws - first)
        standard = rng.standard_normal((size, len(state.standard)))
        kept = np.empty((size // thin, normal.mode.size))
        compiled_steps()(target, state, normal.directions(standard), standard, rng, thin, kept)
        result.append(kept)
    maps = np.concatenate(result) + normal.mode.ravel()
    return maps.reshape(-1, *normal.mode.shape), state, rng


def _target(answers: AnswerLayout, loss: Loss, normal: Normal, precision: float) -> Target:
    d, n = normal.mode.shape
    rows = np.zeros((n, width(d)))
    blocks = [Block.of(part, loss, rows, rows) for part in answers.parts]
    plain = [block for block in blocks if block.kernel]
    choices = [block for block in blocks if not block.kernel]
    return Target(
        plain[0].kernel if plain else 0, loss.constants,
        np.concatenate([np.empty((3, 0), np.uint32), *(one.roles for one in plain)], axis=1),
        np.concatenate([np.empty(0), *(one.weight for one in plain)]),
        np.ascontiguousarray(normal.mode), float(precision), normal.without_rotation,
        address(_with_choices, _FURTHER) if choices else 0, (choices or plain)[0],
        np.array(
            [(*one.roles.shape, one.shown, one.chosen) for one in choices], np.int64
        ).reshape(-1, 4),
        np.concatenate([np.empty(0, np.uint32), *(one.roles.ravel() for one in choices)]),
        np.concatenate([np.empty(0), *(one.weight for one in choices)]),
    )


@numba.njit(**_OPTIONS)
def _log_ratio(target, y, standard2, floor, positions, buffers):
    """Log of posterior over normal density at mode + y; -inf below `floor`.

    standard2: Squared length of the deviation in standard normals.
    positions: Set by rows.
    """
    mode, weight, precision = target.mode, target.weight, target.precision
    n_components, n_objects = mode.shape
    ratio, size2 = 0.0, 0.0
    for c in range(n_components):
        for i in range(n_objects):
            x = mode[c, i] + y[c * n_objects + i]
            positions[i, c] = x
            size2 += x * x
    if precision > 0:
        ratio = 0.5 * standard2 - 0.5 * precision * size2
    if target.without_rotation:
        ratio += _log_sweep(mode, positions)
    kernel = _kernel_at(target.kernel)
    for low in range(0, weight.size, _LOOK):
        high = min(low + _LOOK, weight.size)
        near2, far2 = buffers[0, : high - low], buffers[1, : high - low]
        by_near, by_far = buffers[2, : high - low], buffers[3, : high - low]
        set_squared_distances(positions, of_answers(target.roles, low, high), near2, far2)
        ratio -= kernel(near2, far2, weight[low:high], target.constants, by_near, by_far)
        if not ratio > floor:  # losses are 0 or more, so it only falls
            return -np.inf
    if target.further:
        return _further_at(target.further)(target, positions, ratio, floor)
    return ratio


@numba.njit(**_OPTIONS)
def _with_choices(target, positions, ratio, floor):
    """`ratio` with choices among several pairs."""
    one, role, begin = target.pattern, 0, 0
    for kind in range(len(target.kinds)):
        n_roles, n_choices, n_shown, chosen = target.kinds[kind]
        roles = target.shown[role : role + n_roles * n_choices].reshape((n_roles, n_choices))
        block = Block(
            one.kernel, one.similarity, one.forward, one.back, one.constants, roles, one.unit,
            target.shown_weight[begin : begin + n_choices], n_shown, chosen, one.prior,
            one.n_components, positions, one.gradient, one.of_units,
        )
        scratch = scratch_for(block, min(_LOOK, n_choices))
        for low in range(0, n_choices, _LOOK):
            high = min(low + _LOOK, n_choices)
            judge(block, low, high, scratch)
            for t in range(high - low):
                ratio -= block.weight[low + t] * scratch.loss[t]
            if not ratio > floor:
                return -np.inf
        role += n_roles * n_choices
        begin += n_choices
    return ratio


@numba.njit(**_OPTIONS)
def _log_sweep(mode, positions):
    """Log volume that rotation sweeps at a map, up to a constant.

    The determinant of the map's rotations along those of the mode: the product over pairs of sums
    of eigenvalues of mode' map, which is symmetric in the mode's orientation.
    """
    n_components = mode.shape[0]
    if n_components == 2:
        trace = 0.0
        for i in range(mode.shape[1]):
            trace += mode[0, i] * positions[i, 0] + mode[1, i] * positions[i, 1]
        return math.log(trace) if trace > 0 else -np.inf
    product = np.zeros((n_components, n_components))
    for c in range(n_components):
        for e in range(n_components):
            for i in range(mode.shape[1]):
                product[c, e] += mode[c, i] * positions[i, e]
    sizes = np.linalg.eigvalsh(0.5 * (product + product.T))
    total = 0.0
    for c in range(n_components):
        for e in range(c):
            if not sizes[c] + sizes[e] > 0:
                return -np.inf
            total += math.log(sizes[c] + sizes[e])
    return total


def _steps(target, state, directions, standard, rng, thin, kept):
    """One step per direction."""
    y, z, value = state
    positions = np.zeros_like(target.pattern.positions)
    buffers = np.empty((4, min(_LOOK, target.weight.size)))
    trial = np.empty_like(y)
    if value[0] == -np.inf:
        value[0] = _log_ratio(target, y, np.sum(z * z), -np.inf, positions, buffers)
    for s in range(directions.shape[0]):
        here2 = there2 = across = 0.0
        for r in range(z.size):
            here2 += z[r] * z[r]
            there2 += standard[s, r] * standard[s, r]
            across += z[r] * standard[s, r]
        floor = value[0] + math.log(1.0 - rng.random())
        angle = 2.0 * math.pi * rng.random()
        low, high = angle - 2.0 * math.pi, angle
        while True:
            c, e = math.cos(angle), math.sin(angle)
            for r in range(y.size):
                trial[r] = c * y[r] + e * directions[s, r]
            length2 = c * c * here2 + 2.0 * c * e * across + e * e * there2
            result = _log_ratio(target, trial, length2, floor, positions, buffers)
            if result > floor:
                y[:] = trial
                for r in range(z.size):
                    z[r] = c * z[r] + e * standard[s, r]
                value[0] = result
                break
            if angle < 0:
                low = angle
            else:
                high = angle
            if high - low < 1e-10:  # the chain stays where it is
                break
            angle = low + (high - low) * rng.random()
        if (s + 1) % thin == 0:
            kept[(s + 1) // thin - 1] = y


@cache
def compiled_steps() -> Compiled:
    """`_steps`, compiled once for all losses, which are passed by address."""
    vector, matrix = types.float64[::1], types.float64[:, ::1]
    state = types.NamedUniTuple(vector, 3, ChainState)
    signature = types.void(_TARGET, state, matrix, matrix, types.npy_rng, types.int64, matrix)
    return numba.njit(signature, **_OPTIONS)(_steps)
