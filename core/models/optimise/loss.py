"""Total loss of a map over many answers, and its gradient, from the loss of one answer.

A choice is seen as values of its pairs (`pairs`), which a response turns into similarities, and
these into the probability of the choice (`responses`). `add_up` gathers, calls both, and scatters
derivatives in blocks that stay in the processor's cache. `add_up_of_two` is the same for losses of
the two squared distances of an answer, in less than half of the time. Threads add up fixed parts in
a fixed order, so the bits of a loss do not depend on their number.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from numbers import Real
from typing import Any, NamedTuple

import numpy as np
from numba import types

from tripletscope.core.data.choices import Choices
from tripletscope.core.data.lazy import cached_property
from tripletscope.core.engine.threads import side_by_side
from tripletscope.core.models.optimise.elementary import (
    KERNEL,
    SIMILARITY,
    Compiled,
    address,
    compiled,
    exact,
    found_at,
)
from tripletscope.core.models.optimise.layout import AnswerLayout, LayoutPart
from tripletscope.core.models.optimise.pairs import (
    SQUARES,
    PairModel,
    addresses,
    back_at,
    forward_at,
    values_of,
)
from tripletscope.core.models.optimise.responses import choice_losses, choose, losses_of
from tripletscope.core.models.optimise.rows import (
    add_gradient,
    of_answers,
    set_squared_distances,
    width,
)

#: Answers about two pairs, and choices, at a time: their numbers stay in the nearest cache.
_BLOCK, _CHOICES = 512, 256
#: Answers from which on parts of them are added up side by side, answers of a part at least, and
#: parts at most, of which each has its own gradient.
SEVERAL_PARTS = 65_536
_PART = 32_768
_MOST_PARTS = 16
_VECTOR, _MATRIX = types.float64[::1], types.float64[:, ::1]


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
    """(T,) distance of the far pair minus that of the near pair, at positions (n, d).

    Rows are anchor, near and far, or i, j, k and l, where i and j are the near pair.
    """
    margin = np.empty(len(rows))
    _margins(np.ascontiguousarray(positions, float), np.ascontiguousarray(rows, np.uint32), margin)
    return margin


@dataclass(frozen=True)
class Loss:
    """The loss of one answer: a likelihood, or a function of two squared distances.

    kernel ``(near2, far2, weight, constants, by_near, by_far) -> float``, compiled: Takes squared
        distances and weights of some answers, sets the derivatives by the two squared distances,
        returns the sum of weighted losses. A likelihood needs none; with it, answers about two
        pairs take less time.
    parameters: Constants of the loss.
    similarity ``(values, constants, similarity, slope)``, compiled: Of likelihoods. Takes values of
        some pairs, sets their similarities and the derivatives of these. The probability of a pair
        is in proportion to the exponential of its similarity.
    pairs: Where the values come from; a kernel is for squared distances.
    """

    kernel: Callable | None = None
    parameters: tuple[float, ...] = ()
    similarity: Callable | None = None
    pairs: PairModel = SQUARES

    def __post_init__(self) -> None:
        for part in (self.kernel or self.similarity, self.similarity or self.kernel):
            if not isinstance(part, Compiled):
                raise ValueError(
                    f"the kernel of a loss is {part!r}; it must be compiled, which `compiled` of "
                    "tripletscope.core.models.optimise.elementary does"
                )
        for number in self.parameters:
            if not isinstance(number, Real) or not math.isfinite(number):
                raise ValueError(f"a constant of a loss is {number!r}; it must be a finite number")

    @property
    def is_of_distances(self) -> bool:
        """Whether pairs of objects are seen by their distance in a map, which may move as a whole.

        What is drawn and said of a map as such, and its posterior, is of these alone.
        """
        return self.pairs is SQUARES

    @cached_property
    def constants(self) -> np.ndarray:
        """(k,) the parameters as compiled code takes them."""
        return np.array(self.parameters, dtype=float)

    def similarities(self, squares: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Similarities of squared distances, and their derivatives, in the same shape."""
        result, slope = np.empty((2, squares.size))
        self.similarity(np.ascontiguousarray(squares).ravel(), self.constants, result, slope)
        return result.reshape(squares.shape), slope.reshape(squares.shape)


class Block(NamedTuple):
    """Answers of one kind as compiled code takes them, and its work space.

    kernel: Address in this process of the kernel of the loss, for near and far; 0 without one.
    similarity, forward, back: Addresses of the similarity, and of both functions of `PairModel`.
    shown, chosen: Pairs of each choice; see `LayoutPart`.
    positions, gradient (n, w): By rows; see `tripletscope.core.models.optimise.rows.width`.
    """

    kernel: int
    similarity: int
    forward: int
    back: int
    constants: np.ndarray
    roles: np.ndarray
    unit: np.ndarray
    weight: np.ndarray
    shown: int
    chosen: int
    prior: float
    n_components: int
    positions: np.ndarray
    gradient: np.ndarray
    of_units: np.ndarray

    @classmethod
    def of(
        cls, part: LayoutPart, loss: Loss, positions: np.ndarray, gradient: np.ndarray,
        of_units: np.ndarray | None = None, *, prior: float = 0.0, n_components: int = 0,
    ) -> Block:
        """With rows of units (u, k), of which a choice has one, if its pairs are seen by them."""
        of_two = loss.kernel is not None and not part.chosen
        forward, back = (0, 0) if of_two else addresses(loss.pairs, positions.dtype)
        return cls(
            address(loss.kernel, KERNEL) if of_two else 0,
            0 if of_two else address(loss.similarity, SIMILARITY), forward, back, loss.constants,
            part.roles, part.unit, part.weight, part.n_shown, part.chosen or 1, float(prior),
            n_components, positions, gradient,
            np.zeros((0, 0), positions.dtype) if of_units is None else of_units,
        )


#: Type of a `Block` of a map.
BLOCK_TYPE = types.NamedTuple(
    [
        types.int64, types.int64, types.int64, types.int64, _VECTOR, types.uint32[:, ::1],
        types.int64[::1], _VECTOR, types.int64, types.int64, types.float64, types.int64, _MATRIX,
        _MATRIX, _MATRIX,
    ],
    Block,
)


_kernel_at, _similarity_at = found_at(KERNEL), found_at(SIMILARITY)


@compiled
def evaluate(block, x, gradient):
    """`Objective.__call__` for compiled code and few answers."""
    lay_out(x, block.n_components, block.positions, 0, block.positions.shape[0])
    block.gradient[:] = 0.0
    total = add_up(block, 0, block.weight.size, block.gradient, block.of_units)
    return _with_prior(block, x, total, gradient)


@compiled
def evaluate_of_two(block, x, gradient):
    """`evaluate` by `add_up_of_two`, apart so that others need not compile it."""
    lay_out(x, block.n_components, block.positions, 0, block.positions.shape[0])
    block.gradient[:] = 0.0
    total = add_up_of_two(block, 0, block.weight.size, block.gradient, block.of_units)
    return _with_prior(block, x, total, gradient)


@compiled
def _with_prior(block, x, total, gradient):
    n = block.positions.shape[0]
    size2 = 0.0
    for k in range(x.size):
        size2 += x[k] * x[k]
        gradient[k] = block.prior * x[k]
    for c in range(block.n_components):
        for i in range(n):
            gradient[c * n + i] += block.gradient[i, c]
    return total + 0.5 * block.prior * size2


#: Type of `evaluate`.
EVALUATE = types.FunctionType(types.float64(BLOCK_TYPE, _VECTOR, _VECTOR))


@compiled
def lay_out(x, n_components, positions, low, high):
    """Put the objects from `low` to `high` of flattened (d, n) positions into rows."""
    n = positions.shape[0]
    for i in range(low, high):
        for c in range(n_components):
            positions[i, c] = x[c * n + i]


class Scratch(NamedTuple):
    """Numbers of some choices: losses (b,), and of every pair (m, b) what is seen.

    Slopes are of the losses by similarities, bends those of similarities by values.
    """

    loss: np.ndarray
    slopes: np.ndarray
    likeness: np.ndarray
    bends: np.ndarray


@compiled
def scratch_for(block, size):
    """A `Scratch` for so many choices at a time."""
    shape = block.shown, size
    return Scratch(np.empty(size), np.empty(shape), np.empty(shape), np.empty(shape))


@compiled
def judge(block, low, high, scratch):
    """Set losses, slopes and bends of the choices from `low` to `high`."""
    forward = forward_at(block.forward, block.positions)
    similarity = _similarity_at(block.similarity)
    m, (loss, values, likeness, bends) = high - low, scratch
    forward(block.positions, block.of_units, block.roles, block.unit, low, high, values)
    for e in range(block.shown):
        similarity(values[e, :m], block.constants, likeness[e, :m], bends[e, :m])
    choose(likeness, m, block.chosen, loss, values)


@compiled
def add_up(block, low, high, by_x, by_w):
    """Loss of the choices from `low` to `high`; gradients by rows of objects and units are added.

    Of any loss that is a likelihood.
    """
    back = back_at(block.back, block.positions)
    scratch = scratch_for(block, min(_CHOICES, high - low))
    total = 0.0
    for begin in range(low, high, _CHOICES):
        end = min(begin + _CHOICES, high)
        judge(block, begin, end, scratch)
        for t in range(end - begin):
            total += block.weight[begin + t] * scratch.loss[t]
        for e in range(block.shown):
            for t in range(end - begin):
                scratch.slopes[e, t] *= block.weight[begin + t] * scratch.bends[e, t]
        back(
            block.positions, block.of_units, block.roles, block.unit, begin, end, scratch.slopes,
            by_x, by_w,
        )
    return total


@compiled
def add_up_of_two(block, low, high, by_x, _):
    """`add_up` by the kernel of a loss, of answers about near and far in a map."""
    kernel = _kernel_at(block.kernel)
    size = min(_BLOCK, high - low)
    near2, far2, by_near, by_far = (np.empty(size), np.empty(size), np.empty(size), np.empty(size))
    total = 0.0
    for begin in range(low, high, _BLOCK):
        end = min(begin + _BLOCK, high)
        m = end - begin
        objects = of_answers(block.roles, begin, end)
        set_squared_distances(block.positions, objects, near2, far2)
        total += kernel(
            near2[:m], far2[:m], block.weight[begin:end], block.constants, by_near[:m], by_far[:m]
        )
        add_gradient(block.positions, objects, block.roles.shape[0] == 3, by_near, by_far, by_x)
    return total


@compiled
def _merged(gradients, prior, x, low, high, gradient):
    """Sum the parts' gradients by rows into the flattened one, for objects from `low` to `high`."""
    n = gradients.shape[1]
    for c in range(x.size // n):
        for i in range(low, high):
            total = prior * x[c * n + i]
            for part in range(gradients.shape[0]):
                total += gradients[part, i, c]
            gradient[c * n + i] = total


def near_losses(loss: Loss, near2: np.ndarray, far2: np.ndarray) -> np.ndarray:
    """(T,) minus the log-probability of near among two pairs, by squared distances (T,)."""
    return losses_of(loss.similarities(np.stack([near2, far2]))[0], 1)[0]


def answer_losses(loss: Loss, positions: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """(T,) minus the log-probability of answers (T, 3) or (T, 4), at positions (n, d)."""
    both = rows[:, :2], rows[:, [-2 if rows.shape[1] == 4 else 0, -1]]
    if not loss.is_of_distances:
        return losses_of(np.stack([likeness(loss, positions, pairs) for pairs in both]), 1)[0]
    apart = (positions[pairs[:, 0]] - positions[pairs[:, 1]] for pairs in both)
    return near_losses(loss, *(np.sum(each**2, axis=1) for each in apart))


def map_losses(loss: Loss, positions: np.ndarray, choices: Choices) -> np.ndarray:
    """(S,) minus the log-probability of every stage, at positions (n, d)."""
    return choice_losses(choices, likeness(loss, positions, choices.pairs))[0]


def likeness(loss: Loss, positions: np.ndarray, pairs: np.ndarray) -> np.ndarray:
    """(E,) similarity of pairs (E, 2) under a likelihood, at positions (n, d)."""
    rows = np.zeros((len(positions), width(positions.shape[1])))
    rows[:, : positions.shape[1]] = positions
    return loss.similarities(values_of(loss.pairs, pairs, rows))[0]


class Objective:
    """Loss and gradient of a map over all answers, with ``prior / 2`` times the sum of its squares.

    An instance holds buffers: use one per thread. Several may share the answers.
    """

    def __init__(
        self, answers: AnswerLayout, loss: Loss, n_components: int, prior: float = 0.0,
    ) -> None:
        n, size = answers.n_objects, width(n_components)
        self._made_of = answers, loss, n_components, prior
        self.shape = n_components, n
        bounds = [_parts(len(kind), n * size) for kind in answers.parts]
        self._gradients = np.zeros((sum(map(len, bounds)) - len(bounds), n, size))
        positions = np.zeros((n, size))
        blocks = [
            Block.of(
                kind, loss, positions, self._gradients[0], prior=prior, n_components=n_components
            ) for kind in answers.parts
        ]
        self.block = blocks[0]
        self.evaluation = evaluate_of_two if self.block.kernel else evaluate
        # Few answers of several kinds take less time than the start of threads.
        self._run = side_by_side if len(answers) >= SEVERAL_PARTS else _in_turn
        self._pieces = [
            (add_up_of_two if block.kernel else add_up, block, *piece)
            for block, ends in zip(blocks, bounds, strict=True)
            for piece in pairwise(ends.tolist())
        ]

    def __reduce__(self) -> tuple[Any, ...]:
        return Objective, self._made_of  # addresses are others in another process

    @property
    def in_one_part(self) -> bool:
        """Whether the answers are so few that compiled code evaluates them by itself."""
        return len(self._gradients) == 1

    @property
    def size(self) -> int:
        """Answers and coordinates."""
        return len(self.block.weight) + self.shape[0] * self.shape[1]

    def __call__(self, x: np.ndarray) -> tuple[float, np.ndarray]:
        """Total weighted loss and its gradient at the flattened (d, n) positions `x`."""
        block, n = self.block, self.shape[1]
        gradient = np.empty(x.size)
        if self.in_one_part:
            return self.evaluation(block, x, gradient), gradient
        objects = _pieces(n, len(self._gradients))
        self._run(lambda part: lay_out(x, block.n_components, block.positions, *part), objects)
        self._gradients[:] = 0.0
        losses = self._run(
            lambda piece: piece[0][0](*piece[0][1:], piece[1], block.of_units),
            list(zip(self._pieces, self._gradients, strict=True)),
        )
        self._run(lambda part: _merged(self._gradients, block.prior, x, *part, gradient), objects)
        return sum(losses) + 0.5 * block.prior * float(x @ x), gradient


def _in_turn(function: Callable[[Any], Any], items: Sequence[Any]) -> list[Any]:
    return [function(item) for item in items]


def _parts(n_answers: int, n_coordinates: int) -> np.ndarray:
    """Bounds of the parts that are added up side by side, as many as are worth their gradients."""
    number = 1
    if n_answers >= SEVERAL_PARTS:
        worth = min(n_answers // _PART, n_answers // (2 * n_coordinates), _MOST_PARTS)
        number = 2 ** int(math.log2(max(worth, 1)))
    return _bounds(n_answers, number)


def _pieces(n: int, most: int) -> list[tuple[int, int]]:
    """Ranges of objects, as many as are worth a thread each."""
    bounds = _bounds(n, max(min(most, n // _PART), 1))
    return list(pairwise(bounds.tolist()))


def _bounds(n: int, number: int) -> np.ndarray:
    return np.linspace(0, n, number + 1).astype(np.int64)
