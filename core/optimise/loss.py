"""Total loss of a map over many answers, and its gradient, from the loss of one answer.

A loss is a compiled function of the two squared distances of an answer. It never sees
coordinates; `Objective` gathers the distances, calls it, and scatters its derivatives. The three
steps run over blocks of answers that stay in the processor's cache, and release the interpreter's
lock, so that several fits share the machine.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from copy import copy
from dataclasses import dataclass
from functools import cache, cached_property
from numbers import Real
from typing import NamedTuple

import numba
import numpy as np
from numba.core import types

from tripletscope.core.data.quadruples import Quadruples
from tripletscope.core.data.triplets import Triplets
from tripletscope.core.optimise.elementary import compiled, exact

#: Answers per block: four buffers of this length fit in a second-level cache.
BLOCK = 8192


# Gather and scatter --------------------------------------------------------------------------
# Positions are stored one component after the other, (d, n), and handled two components at a time:
# that halves the passes over the indices, and needs no code for each dimension. Unsigned indices
# spare the wrap-around test.


@compiled
def gather(positions, anchor, near, far, near2, far2):
    near2[:] = 0.0
    far2[:] = 0.0
    for c in range(0, positions.shape[0], 2):
        x, y = positions[c], positions[c + 1]
        for t in range(anchor.size):
            a, j, k = anchor[t], near[t], far[t]
            near2[t] += (x[a] - x[j]) ** 2 + (y[a] - y[j]) ** 2
            far2[t] += (x[a] - x[k]) ** 2 + (y[a] - y[k]) ** 2


@compiled
def _scatter(positions, anchor, near, far, by_near, by_far, gradient):
    for c in range(0, positions.shape[0], 2):
        x, y = positions[c], positions[c + 1]
        down_x, down_y = gradient[c], gradient[c + 1]
        t = 0
        while t < anchor.size:
            a = anchor[t]
            pull_x = pull_y = 0.0
            while t < anchor.size and anchor[t] == a:
                j, k = near[t], far[t]
                by_j, by_k = 2.0 * by_near[t], 2.0 * by_far[t]
                u, v = by_j * (x[a] - x[j]), by_k * (x[a] - x[k])
                down_x[j] -= u
                down_x[k] -= v
                pull_x += u + v
                u, v = by_j * (y[a] - y[j]), by_k * (y[a] - y[k])
                down_y[j] -= u
                down_y[k] -= v
                pull_y += u + v
                t += 1
            down_x[a] += pull_x
            down_y[a] += pull_y


@compiled
def _gather_pairs(positions, first, second, third, fourth, near2, far2):
    near2[:] = 0.0
    far2[:] = 0.0
    for c in range(0, positions.shape[0], 2):
        x, y = positions[c], positions[c + 1]
        for t in range(first.size):
            i, j = first[t], second[t]
            near2[t] += (x[i] - x[j]) ** 2 + (y[i] - y[j]) ** 2
            i, j = third[t], fourth[t]
            far2[t] += (x[i] - x[j]) ** 2 + (y[i] - y[j]) ** 2


@compiled
def _scatter_pairs(positions, first, second, third, fourth, by_near, by_far, gradient):
    for c in range(positions.shape[0]):
        x, down = positions[c], gradient[c]
        for t in range(first.size):
            i, j = first[t], second[t]
            u = 2.0 * by_near[t] * (x[i] - x[j])
            down[i] += u
            down[j] -= u
            i, j = third[t], fourth[t]
            u = 2.0 * by_far[t] * (x[i] - x[j])
            down[i] += u
            down[j] -= u


@compiled
def _grouped(rows, weight, n_objects):
    """Columns of `rows` and weights, in the order of the first column; by a counting sort."""
    n_answers, n_roles = rows.shape
    place = np.zeros(n_objects + 1, dtype=np.int64)
    for t in range(n_answers):
        place[rows[t, 0] + 1] += 1
    for i in range(n_objects):
        place[i + 1] += place[i]
    roles = np.empty((n_roles, n_answers), dtype=np.uint32)
    ordered = np.empty(n_answers)
    for t in range(n_answers):
        p = place[rows[t, 0]]
        place[rows[t, 0]] += 1
        ordered[p] = weight[t]
        for role in range(n_roles):
            roles[role, p] = rows[t, role]
    return roles, ordered


@exact
def _margins(positions, rows, margin):
    third, last = (0, 2) if rows.shape[1] == 3 else (2, 3)
    for t in range(len(rows)):
        near2 = far2 = 0.0
        for c in range(positions.shape[1]):
            near2 += (positions[rows[t, 0], c] - positions[rows[t, 1], c]) ** 2
            far2 += (positions[rows[t, third], c] - positions[rows[t, last], c]) ** 2
        margin[t] = math.sqrt(far2) - math.sqrt(near2)


def margins(positions: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """(T,) distance of the far pair minus distance of the near pair.

    Parameters
    ----------
    positions : ndarray, shape (n, d)
    rows : ndarray of int, shape (T, 3) or (T, 4)
        Anchor, near and far; or i, j, k and l, where i and j are said to be nearer.
    """
    margin = np.empty(len(rows))
    _margins(
        np.ascontiguousarray(positions, float), np.ascontiguousarray(rows, np.uint32), margin
    )
    return margin


def squared_distances(positions: np.ndarray, roles: np.ndarray) -> np.ndarray:
    """(2, T) squared distances from anchor to near and to far.

    Parameters
    ----------
    positions : ndarray, shape (d, n)
    roles : ndarray of uint32, shape (3, T)
    """
    found = np.empty((2, roles.shape[1]))
    gather(paired(positions), *roles, *found)
    return found


def paired(positions: np.ndarray) -> np.ndarray:
    """(d or d + 1, n) positions with an even number of components, the added one 0."""
    return np.concatenate([positions, np.zeros((len(positions) % 2, positions.shape[1]))])


@dataclass(frozen=True)
class Loss:
    """The loss of one answer.

    Parameters
    ----------
    kernel : compiled function ``(near2, far2, weight, constants, by_near, by_far) -> float``
        Takes squared distances from anchor to near and to far and weights of some answers, fills
        in the derivatives by the two squared distances, returns the sum of weighted losses.
    parameters : tuple of float
        Constants of the loss, however many; the kernel gets them as a vector.

    Raises
    ------
    ValueError
        If the kernel is not compiled, or a constant is not a finite number.
    """

    kernel: Callable
    parameters: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        if not isinstance(self.kernel, numba.core.dispatcher.Dispatcher):
            raise ValueError(
                f"the kernel of a loss is {self.kernel!r}; it must be compiled, which `compiled` "
                "of tripletscope.core.optimise.elementary does"
            )
        for number in self.parameters:
            if not isinstance(number, Real) or not math.isfinite(number):
                raise ValueError(f"a constant of a loss is {number!r}; it must be a finite number")

    @cached_property
    def constants(self) -> np.ndarray:
        """(k,) the parameters as compiled code takes them."""
        return np.array(self.parameters, dtype=float)


_VECTOR, _MATRIX = types.float64[::1], types.float64[:, ::1]
#: Type of every kernel, for compiled code that takes any of them by its address.
KERNEL = types.FunctionType(
    types.float64(_VECTOR, _VECTOR, _VECTOR, _VECTOR, _VECTOR, _VECTOR)
)


class Block(NamedTuple):
    """What `evaluate` needs to know of answers that make a single block, and where it works.

    Attributes
    ----------
    constants : ndarray, shape (k,)
        Of the loss.
    roles : ndarray of uint32, shape (3, T) or (4, T)
    weight : ndarray, shape (T,)
    prior : float
    n_components : int
    positions, by_position : ndarray, shape (d or d + 1, n)
        The map and its gradient, with an even number of components.
    buffers : ndarray, shape (4, T)
        Squared distances to near and far, and the derivatives by them.
    """

    constants: np.ndarray
    roles: np.ndarray
    weight: np.ndarray
    prior: float
    n_components: int
    positions: np.ndarray
    by_position: np.ndarray
    buffers: np.ndarray


#: Type of a `Block`.
BLOCK_TYPE = types.NamedTuple(
    [
        _VECTOR, types.uint32[:, ::1], _VECTOR, types.float64, types.int64, _MATRIX, _MATRIX,
        _MATRIX,
    ],
    Block,
)


@compiled
def evaluate(kernel, block, x, gradient):
    """What `Objective` does, for compiled code and answers that make a single block."""
    constants, roles, weight, prior, n_components, positions, by_position, buffers = block
    n = positions.shape[1]
    total = 0.0
    for c in range(n_components):
        for i in range(n):
            here = x[c * n + i]
            positions[c, i] = here
            by_position[c, i] = prior * here
            total += here * here
    total *= 0.5 * prior
    near2, far2, by_near, by_far = buffers[0], buffers[1], buffers[2], buffers[3]
    first, second, third = roles[0], roles[1], roles[2]
    if roles.shape[0] == 3:
        gather(positions, first, second, third, near2, far2)
        total += kernel(near2, far2, weight, constants, by_near, by_far)
        _scatter(positions, first, second, third, by_near, by_far, by_position)
    else:
        _gather_pairs(positions, first, second, third, roles[3], near2, far2)
        total += kernel(near2, far2, weight, constants, by_near, by_far)
        _scatter_pairs(positions, first, second, third, roles[3], by_near, by_far, by_position)
    for c in range(n_components):
        gradient[c * n : (c + 1) * n] = by_position[c]
    return total


def single_losses(loss: Loss, near2: np.ndarray, far2: np.ndarray) -> np.ndarray:
    """(T,) loss of every answer by itself, from squared distances to near and far, shape (T,)."""
    found = np.empty(len(near2))
    _compiled_singles()(
        loss.kernel, loss.constants, np.ascontiguousarray(near2), np.ascontiguousarray(far2),
        found,
    )
    return found


def _singles(kernel, constants, near2, far2, found):
    near, far, by_near, by_far = np.empty(1), np.empty(1), np.empty(1), np.empty(1)
    one = np.ones(1)
    for t in range(found.size):
        near[0], far[0] = near2[t], far2[t]
        found[t] = kernel(near, far, one, constants, by_near, by_far)


@cache
def _compiled_singles() -> Callable:
    signature = types.void(KERNEL, _VECTOR, _VECTOR, _VECTOR, _VECTOR)
    return numba.njit(signature, nogil=True, cache=True, error_model="numpy")(_singles)


class PreparedAnswers:
    """Answers laid out for `Objective`.

    Attributes
    ----------
    roles : ndarray of uint32, shape (3, T) or (4, T)
        Objects of every answer, grouped by the first: anchor, near, far; or i, j, k, l, where i
        and j are said to be more similar than k and l.
    weight : ndarray, shape (T,)
    trial : ndarray of int, shape (T,), or None
        In which trial each was given; None where each has its own.
    n_objects : int
    """

    def __init__(self, given: Triplets | Quadruples) -> None:
        self.n_objects = given.n_objects
        self.roles, self.weight = _grouped(given.rows, given.weight, given.n_objects)
        self.trial = given.trials
        if self.trial is not None:
            self.trial = self.trial[np.argsort(given.rows[:, 0], kind="stable")]

    def __len__(self) -> int:
        return len(self.weight)

    def thinned(self, n_answers: int) -> PreparedAnswers:
        """At most so many of the answers, evenly spread over the anchors."""
        thin = copy(self)
        step = -(-len(self) // n_answers)
        thin.roles = np.ascontiguousarray(self.roles[:, ::step])
        thin.weight = np.ascontiguousarray(self.weight[::step])
        thin.trial = None if self.trial is None else self.trial[::step]
        return thin

    def reweighted(self, weight: np.ndarray) -> PreparedAnswers:
        """The same answers with other weights, shape (T,); those of weight 0 are left out."""
        found = copy(self)
        found.weight = weight.astype(float)
        if not weight.all():
            kept = np.flatnonzero(weight)
            found.roles = np.ascontiguousarray(self.roles[:, kept])
            found.weight = found.weight[kept]
            found.trial = None if self.trial is None else self.trial[kept]
        return found

    @property
    def placed(self) -> np.ndarray:
        """(n,) bool: objects that some answer of a weight above 0 mentions."""
        roles = self.roles if self.weight.all() else self.roles[:, self.weight > 0]
        return np.bincount(roles.ravel(), minlength=self.n_objects) > 0


class Objective:
    """Loss and gradient of a map over all answers, as an optimiser wants them.

    Parameters
    ----------
    answers : PreparedAnswers
        May be shared by several objectives.
    loss : Loss
    n_components : int
    prior : float
        Strength of a normal prior on the positions: ``prior / 2`` times the sum of the squared
        coordinates is added.

    Notes
    -----
    An instance holds buffers: use one per thread.
    """

    def __init__(
        self, answers: PreparedAnswers, loss: Loss, n_components: int, prior: float = 0.0
    ) -> None:
        self.loss, self.prior, self.answers = loss, prior, answers
        self.shape = (n_components, answers.n_objects)
        triplets = len(answers.roles) == 3
        self._gather = gather if triplets else _gather_pairs
        self._scatter = _scatter if triplets else _scatter_pairs
        # An odd last component is paired with noughts.
        self._positions = np.zeros((n_components + n_components % 2, answers.n_objects))
        self._buffers = buffers = np.empty((4, min(BLOCK, len(answers))))
        self._blocks = []
        for low in range(0, len(answers), BLOCK):
            block = slice(low, low + BLOCK)
            weight = answers.weight[block]
            self._blocks.append(
                (tuple(answers.roles[:, block]), weight, tuple(buffers[:, : len(weight)]))
            )

    @property
    def in_one_block(self) -> bool:
        """Whether the answers are so few that compiled code may evaluate them by itself."""
        return len(self._blocks) == 1

    @cached_property
    def block(self) -> Block:
        """What `evaluate` needs, where `in_one_block`."""
        return Block(
            self.loss.constants, self.answers.roles, self.answers.weight, float(self.prior),
            self.shape[0], self._positions, np.zeros_like(self._positions), self._buffers,
        )

    def __call__(self, x: np.ndarray) -> tuple[float, np.ndarray]:
        """Total weighted loss and its gradient at the flattened (d, n) positions `x`."""
        positions, n_components = self._positions, self.shape[0]
        positions[:n_components] = x.reshape(self.shape)
        gradient = self.prior * positions
        total = 0.5 * self.prior * float(x @ x)
        kernel, constants = self.loss.kernel, self.loss.constants
        for roles, weight, (near2, far2, by_near, by_far) in self._blocks:
            self._gather(positions, *roles, near2, far2)
            total += kernel(near2, far2, weight, constants, by_near, by_far)
            self._scatter(positions, *roles, by_near, by_far, gradient)
        return total, gradient[:n_components].ravel()
