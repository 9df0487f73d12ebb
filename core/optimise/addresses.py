"""Compiled functions that compiled code takes by their address, and the types of losses."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numba
from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic

_VECTOR = types.float64[::1]
#: Type of every kernel, for compiled code that takes any of them by its address.
KERNEL = types.FunctionType(
    types.float64(_VECTOR, _VECTOR, _VECTOR, _VECTOR, _VECTOR, _VECTOR)
)
#: Type of every similarity of pairs.
SIMILARITY = types.FunctionType(types.void(_VECTOR, _VECTOR, _VECTOR, _VECTOR))


@cache
def address(function: numba.core.dispatcher.Dispatcher, kind: types.FunctionType) -> int:
    """Where the compiled code of a function is, in this process.

    Compiled code can be handed a function itself, too, but that takes the interpreter 0.2 ms each
    time, which is longer than most evaluations.
    """
    result = function.get_compile_result(kind.signature)
    return result.library.get_pointer_to_function(result.fndesc.llvm_func_name)


def found_at(kind: types.FunctionType) -> Callable:
    """An instruction that gives compiled code the function of a type at an address."""

    @intrinsic
    def function_at(_, address):
        def generate(context, builder, signature, arguments):
            function = cgutils.create_struct_proxy(kind)(context, builder)
            nowhere = ir.Constant(function.jit_addr.type, None)
            function.c_addr, function.py_addr = nowhere, nowhere
            function.jit_addr = builder.inttoptr(arguments[0], function.jit_addr.type)
            return function._getvalue()

        return kind(types.int64), generate

    return function_at
