"""Compilation of numerical code, and an exponential and a logarithm that vectorise.

The compiler turns these short functions into vector instructions, the library's it does not: fits
of STE take less than half of the time, to within 1e-15.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache

import numba
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.dispatcher import Dispatcher as Compiled
from numba.extending import intrinsic

# The numpy error model leaves divisions unguarded, which vectorisation needs. Without the NaN
# assumptions ("nnan", "ninf") a loss may still be checked for finiteness.
_REORDER = {"contract", "reassoc", "nsz", "arcp", "afn"}
# Reordered sums differ between a function by itself and its copy in a caller's object code, and
# the cache decides which one runs; inlined, there is only one.
compiled = numba.njit(
    nogil=True, cache=True, error_model="numpy", fastmath=_REORDER, forceinline=True
)
exact = numba.njit(nogil=True, cache=True, error_model="numpy", fastmath={"contract"})
_VECTOR = types.float64[::1]
#: Type of every kernel, for compiled code that takes any of them by its address.
KERNEL = types.FunctionType(types.float64(_VECTOR, _VECTOR, _VECTOR, _VECTOR, _VECTOR, _VECTOR))
#: Type of every similarity of pairs.
SIMILARITY = types.FunctionType(types.void(_VECTOR, _VECTOR, _VECTOR, _VECTOR))


@intrinsic
def _as_float(context, bits):
    def generate(context, builder, signature, arguments):
        return builder.bitcast(arguments[0], context.get_value_type(types.float64))

    return types.float64(types.int64), generate


@intrinsic
def _as_bits(context, number):
    def generate(context, builder, signature, arguments):
        return builder.bitcast(arguments[0], context.get_value_type(types.int64))

    return types.int64(types.float64), generate


_LOG2_E = 1 / math.log(2)
_LN2_HIGH = 0.6931471803691238  # the leading bits of log(2), so that k * _LN2_HIGH is exact
_LN2_LOW = 1.9082149292705877e-10
_ROUND = 1.5 * 2.0**52  # adding it leaves the nearest whole number in the lowest bits


@exact
def exp_negative(x: float) -> float:
    """exp(x) for x <= 0; below -700 it stays at exp(-700)."""
    shifted = max(x, -700.0) * _LOG2_E + _ROUND
    k = shifted - _ROUND
    r = max(x, -700.0) - k * _LN2_HIGH - k * _LN2_LOW
    # Taylor series for |r| <= log(2) / 2
    p = 1.0 / 479001600
    p = p * r + 1.0 / 39916800
    p = p * r + 1.0 / 3628800
    p = p * r + 1.0 / 362880
    p = p * r + 1.0 / 40320
    p = p * r + 1.0 / 5040
    p = p * r + 1.0 / 720
    p = p * r + 1.0 / 120
    p = p * r + 1.0 / 24
    p = p * r + 1.0 / 6
    p = p * r + 0.5
    p = p * r + 1.0
    p = p * r + 1.0
    return p * _as_float((_as_bits(shifted) + 1023) << 52)


@exact
def _atanh_series(s: float) -> float:
    """2 atanh(s) for |s| <= 1/3."""
    q = s * s
    p = 1.0 / 33
    p = p * q + 1.0 / 31
    p = p * q + 1.0 / 29
    p = p * q + 1.0 / 27
    p = p * q + 1.0 / 25
    p = p * q + 1.0 / 23
    p = p * q + 1.0 / 21
    p = p * q + 1.0 / 19
    p = p * q + 1.0 / 17
    p = p * q + 1.0 / 15
    p = p * q + 1.0 / 13
    p = p * q + 1.0 / 11
    p = p * q + 1.0 / 9
    p = p * q + 1.0 / 7
    p = p * q + 1.0 / 5
    p = p * q + 1.0 / 3
    p = p * q + 1.0
    return 2.0 * s * p


@exact
def log1p_unit(x: float) -> float:
    """log(1 + x) for 0 <= x <= 1."""
    return _atanh_series(x / (2.0 + x))


@exact
def log_positive(x: float) -> float:
    """log(x) for normal positive x."""
    bits = _as_bits(x)
    # Shifting by sqrt(1/2) brings the mantissa to [sqrt(1/2), sqrt(2)).
    k = (bits - 0x3FE6A09E667F3BCD) >> 52
    mantissa = _as_float(bits - (k << 52))
    return (k * _LN2_HIGH + (k * _LN2_LOW + _atanh_series((mantissa - 1.0) / (mantissa + 1.0))))


@exact
def softplus(z: float) -> tuple[float, float]:
    """log(1 + exp(z)) and its derivative."""
    e = exp_negative(-abs(z))
    share = 1.0 / (1.0 + e)
    return max(z, 0.0) + log1p_unit(e), share if z > 0.0 else e * share


@cache
def address(function: Compiled, kind: types.FunctionType) -> int:
    """Where the compiled code of a function is, in this process.

    To hand over the function itself takes the interpreter 0.2 ms each time, longer than most
    evaluations.
    """
    result = function.get_compile_result(kind.signature)
    return result.library.get_pointer_to_function(result.fndesc.llvm_func_name)


def _function(kind: types.FunctionType) -> Callable:
    """Code that makes a function of a type from its address, the first argument."""

    def generate(context, builder, signature, arguments):
        function = cgutils.create_struct_proxy(kind)(context, builder)
        nowhere = ir.Constant(function.jit_addr.type, None)
        function.c_addr, function.py_addr = nowhere, nowhere
        function.jit_addr = builder.inttoptr(arguments[0], function.jit_addr.type)
        return function._getvalue()

    return generate


def found_at(kind: types.FunctionType) -> Callable:
    """An instruction that gives compiled code the function of a type at an address."""

    @intrinsic
    def function_at(_, address):
        return kind(types.int64), _function(kind)

    return function_at


def found_for(kind_of: Callable[[types.Type], types.FunctionType]) -> Callable:
    """`found_at` where the type of the function depends on that of a second argument."""

    @intrinsic
    def function_at(_, address, example):
        kind = kind_of(example)
        return kind(types.int64, example), _function(kind)

    return function_at
