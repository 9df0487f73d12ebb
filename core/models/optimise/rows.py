"""Maps stored one object after the other, and what answers do with their three or four rows.

An object's coordinates share one or two cache lines. The compiler handles rows of two coordinates
well. Longer rows have vector instructions of our own: the compiler cannot know that map and
gradient do not overlap, and its plain loop takes two to four times as long.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from tripletscope.core.models.optimise.elementary import compiled

#: Coordinates of a short row, and those that are handled at once in a long one.
_SHORT, _VECTOR = 2, 4


def width(n_components: int) -> int:
    """Coordinates of a row, with the zeros that fill the last vector."""
    return _SHORT if n_components <= _SHORT else -(-n_components // _VECTOR) * _VECTOR


_DOUBLE, _INDEX, _NUMBER = ir.DoubleType(), ir.IntType(64), ir.IntType(32)
_DOUBLES, _BYTES = ir.VectorType(_DOUBLE, _VECTOR), 8  # of a coordinate
#: A product and a sum may be one instruction.
_FUSED = ("contract",)


class _Rows:
    """Some rows of a matrix of doubles, for code that is being generated."""

    def __init__(
        self, context: Any, builder: ir.IRBuilder, kind: types.Array, matrix: ir.Value,
        rows: Sequence[ir.Value],
    ) -> None:
        array = context.make_array(kind)(context, builder, matrix)
        stride = cgutils.unpack_tuple(builder, array.strides)[0]
        begin = builder.ptrtoint(array.data, _INDEX)
        self._builder = builder
        self.size = builder.mul(cgutils.unpack_tuple(builder, array.shape)[1], _INDEX(_BYTES))
        self.begins = [
            builder.add(begin, builder.mul(
                builder.zext(row, _INDEX) if row.type.width < _INDEX.width else row, stride
            )) for row in rows
        ]

    def load(self, row: int, at: ir.Value) -> ir.Value:
        """The vector of a row at an offset in bytes."""
        value = self._builder.load(self._place(row, at))
        value.align = _BYTES
        return value

    def add(self, row: int, at: ir.Value, what: ir.Value) -> None:
        self._store(row, at, self._builder.fadd(self.load(row, at), what))

    def take_away(self, row: int, at: ir.Value, what: ir.Value) -> None:
        self._store(row, at, self._builder.fsub(self.load(row, at), what))

    def _store(self, row: int, at: ir.Value, value: ir.Value) -> None:
        self._builder.store(value, self._place(row, at)).align = _BYTES

    def _place(self, row: int, at: ir.Value) -> ir.Value:
        address = self._builder.add(self.begins[row], at)
        return self._builder.inttoptr(address, _DOUBLES.as_pointer())


def _vectors(builder: ir.IRBuilder, rows: _Rows) -> Any:
    """Loop over the vectors of a row."""
    return cgutils.for_range_slice(builder, _INDEX(0), rows.size, _INDEX(_VECTOR * _BYTES))


#: Pairs of the roles of an answer: of a triplet, of two pairs, of all three among three objects.
_TRIPLET, _TWO, _THREE = ((0, 1), (0, 2)), ((0, 1), (2, 3)), ((0, 1), (0, 2), (1, 2))


def _setting(pairs: Sequence[tuple[int, int]]) -> Callable:
    """An instruction that sets the squared distances of the pairs of an answer, one array each."""
    n_roles = 1 + max(map(max, pairs))

    def generate(context, builder, signature, arguments):
        rows = _Rows(context, builder, signature.args[0], arguments[0], arguments[1 : 1 + n_roles])
        zero = ir.Constant(_DOUBLES, [0.0] * _VECTOR)
        sums = [cgutils.alloca_once(builder, _DOUBLES) for _ in pairs]
        for total in sums:
            builder.store(zero, total)
        with _vectors(builder, rows) as (at, _):
            vectors = [rows.load(row, at) for row in range(n_roles)]
            for total, (one, other) in zip(sums, pairs, strict=True):
                difference = builder.fsub(vectors[one], vectors[other])
                squares = builder.fmul(difference, difference, flags=_FUSED)
                builder.store(builder.fadd(builder.load(total), squares, flags=_FUSED), total)
        for where, total in enumerate(sums, 1 + n_roles):
            vector = builder.load(total)
            a, b, c, d = (builder.extract_element(vector, _NUMBER(e)) for e in range(_VECTOR))
            array = context.make_array(signature.args[where])(context, builder, arguments[where])
            builder.store(
                builder.fadd(builder.fadd(a, c), builder.fadd(b, d)),
                builder.gep(array.data, [arguments[-1]]),
            )
        return context.get_dummy_value()

    return generate


@intrinsic
def _set_of_two(_, positions, i, j, k, m, near2, far2, t):
    """Set ``near2[t]`` and ``far2[t]``, squared distances of rows i and j, and k and m."""
    return types.void(positions, i, j, k, m, near2, far2, t), _setting(_TWO)


@intrinsic
def _set_of_three(_, positions, i, j, k, first2, second2, third2, t):
    """Likewise of rows i and j, i and k, and j and k."""
    return types.void(positions, i, j, k, first2, second2, third2, t), _setting(_THREE)


def _adding(pairs: Sequence[tuple[int, int]]) -> Callable:
    """An instruction that adds the gradient of the pairs of an answer to the rows of its objects.

    The last arguments are twice the slopes of the loss by the squared distances.
    """
    n_roles = 1 + max(map(max, pairs))

    def generate(context, builder, signature, arguments):
        rows = _Rows(context, builder, signature.args[0], arguments[0], arguments[2 : 2 + n_roles])
        sums = _Rows(context, builder, signature.args[1], arguments[1], arguments[2 : 2 + n_roles])
        slopes = [
            builder.shuffle_vector(
                builder.insert_element(ir.Constant(_DOUBLES, ir.Undefined), number, _NUMBER(0)),
                ir.Constant(_DOUBLES, ir.Undefined),
                ir.Constant(ir.VectorType(_NUMBER, _VECTOR), [0] * _VECTOR),
            ) for number in arguments[2 + n_roles :]
        ]
        with _vectors(builder, rows) as (at, _):
            vectors = [rows.load(row, at) for row in range(n_roles)]
            steps = [
                builder.fmul(slope, builder.fsub(vectors[one], vectors[other]))
                for slope, (one, other) in zip(slopes, pairs, strict=True)
            ]
            # One after the other: some of the objects may be the same.
            for role in range(n_roles):
                pulls = [step for step, pair in zip(steps, pairs, strict=True) if pair[0] == role]
                pushes = [step for step, pair in zip(steps, pairs, strict=True) if pair[1] == role]
                if pulls:
                    sums.add(role, at, reduce(builder.fadd, pulls))
                if pushes:
                    sums.take_away(role, at, reduce(builder.fadd, pushes))
        return context.get_dummy_value()

    return generate


@intrinsic
def _add_of_triplet(_, positions, gradient, a, j, k, by_near, by_far):
    """Add to the rows of the gradient."""
    return types.void(positions, gradient, a, j, k, by_near, by_far), _adding(_TRIPLET)


@intrinsic
def _add_of_pairs(_, positions, gradient, i, j, k, m, by_near, by_far):
    """Likewise for the pairs i, j and k, m."""
    return types.void(positions, gradient, i, j, k, m, by_near, by_far), _adding(_TWO)


@intrinsic
def _add_of_three(_, positions, gradient, i, j, k, by_first, by_second, by_third):
    """Likewise for the pairs i, j and i, k and j, k."""
    return (
        types.void(positions, gradient, i, j, k, by_first, by_second, by_third), _adding(_THREE)
    )


@compiled
def of_answers(roles, low, high):
    """Objects i, j, k and m of the answers from `low` to `high`; i is k where they are triplets."""
    last = roles.shape[0] - 1
    third = 0 if last == 2 else 2
    return (roles[0, low:high], roles[1, low:high], roles[third, low:high], roles[last, low:high])


@compiled
def set_squared_distances(positions, objects, near2, far2):
    """Squared distances to near and far, in a map by rows (n, w), of objects from `of_answers`."""
    first, second, third, fourth = objects
    if positions.shape[1] > _SHORT:
        for t in range(first.size):
            _set_of_two(positions, first[t], second[t], third[t], fourth[t], near2, far2, t)
        return
    for t in range(first.size):
        i, j, k, m = first[t], second[t], third[t], fourth[t]
        near2[t] = (
            (positions[i, 0] - positions[j, 0]) ** 2 + (positions[i, 1] - positions[j, 1]) ** 2
        )
        far2[t] = (
            (positions[k, 0] - positions[m, 0]) ** 2 + (positions[k, 1] - positions[m, 1]) ** 2
        )


@compiled
def add_gradient(positions, objects, triplets, by_near, by_far, gradient):
    """Add the gradient of answers to `gradient` (n, w); in `triplets` i and k are the same.

    `by_near` and `by_far` are the derivatives by the squared distances.
    """
    first, second, third, fourth = objects
    if positions.shape[1] == _SHORT:
        if triplets:
            _add_short(positions, objects, by_near, by_far, gradient)
        else:
            _add_short_of_pairs(positions, objects, by_near, by_far, gradient)
    elif triplets:
        for t in range(first.size):
            _add_of_triplet(
                positions, gradient, first[t], second[t], fourth[t], 2.0 * by_near[t],
                2.0 * by_far[t],
            )
    else:
        for t in range(first.size):
            _add_of_pairs(
                positions, gradient, first[t], second[t], third[t], fourth[t], 2.0 * by_near[t],
                2.0 * by_far[t],
            )


@compiled
def set_of_three(positions, objects, values):
    """Squared distances (3, T) of all pairs of three objects: first two, first and last, others."""
    first, second, third = objects
    if positions.shape[1] > _SHORT:
        for t in range(first.size):
            _set_of_three(
                positions, first[t], second[t], third[t], values[0], values[1], values[2], t
            )
        return
    for t in range(first.size):
        i, j, k = first[t], second[t], third[t]
        x, y = positions[i, 0], positions[i, 1]
        u, v = positions[j, 0], positions[j, 1]
        p, q = positions[k, 0], positions[k, 1]
        values[0, t] = (x - u) ** 2 + (y - v) ** 2
        values[1, t] = (x - p) ** 2 + (y - q) ** 2
        values[2, t] = (u - p) ** 2 + (v - q) ** 2


@compiled
def add_of_three(positions, objects, by, gradient):
    """`add_gradient` of all pairs of three objects, by derivatives (3, T) as in `set_of_three`."""
    first, second, third = objects
    if positions.shape[1] > _SHORT:
        for t in range(first.size):
            _add_of_three(
                positions, gradient, first[t], second[t], third[t], 2.0 * by[0, t],
                2.0 * by[1, t], 2.0 * by[2, t],
            )
        return
    for t in range(first.size):
        i, j, k = first[t], second[t], third[t]
        for c in range(_SHORT):
            x, y, z = positions[i, c], positions[j, c], positions[k, c]
            one, two = 2.0 * by[0, t] * (x - y), 2.0 * by[1, t] * (x - z)
            three = 2.0 * by[2, t] * (y - z)
            gradient[i, c] += one + two
            gradient[j, c] += three - one
            gradient[k, c] -= two + three


@compiled
def _add_short(positions, objects, by_near, by_far, gradient):
    """Sums over an anchor's answers are computed once."""
    anchor, near, _, far = objects
    t = 0
    while t < anchor.size:
        a = anchor[t]
        x, y = positions[a, 0], positions[a, 1]
        pull_x = pull_y = 0.0
        while t < anchor.size and anchor[t] == a:
            j, k = near[t], far[t]
            by_j, by_k = 2.0 * by_near[t], 2.0 * by_far[t]
            u, v = by_j * (x - positions[j, 0]), by_k * (x - positions[k, 0])
            p, q = by_j * (y - positions[j, 1]), by_k * (y - positions[k, 1])
            gradient[j, 0] -= u
            gradient[j, 1] -= p
            gradient[k, 0] -= v
            gradient[k, 1] -= q
            pull_x += u + v
            pull_y += p + q
            t += 1
        gradient[a, 0] += pull_x
        gradient[a, 1] += pull_y


@compiled
def _add_short_of_pairs(positions, objects, by_near, by_far, gradient):
    first, second, third, fourth = objects
    for t in range(first.size):
        i, j, k, m = first[t], second[t], third[t], fourth[t]
        for c in range(_SHORT):
            near = 2.0 * by_near[t] * (positions[i, c] - positions[j, c])
            far = 2.0 * by_far[t] * (positions[k, c] - positions[m, c])
            gradient[i, c] += near
            gradient[j, c] -= near
            gradient[k, c] += far
            gradient[m, c] -= far
