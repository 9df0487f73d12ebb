"""Declared parameters: numbers, choices and switches with their ranges and words.

A parameter is declared once, by annotating a dataclass field or a keyword of a function. Checks,
forms, exports and tests follow. This module imports no learning library, so that programs that
compute nothing start at once.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache, wraps
from typing import Annotated, Any, TypeVar, get_args, get_origin, get_type_hints

import numpy as np

from tripletscope.core.data.named import hint
from tripletscope.core.engine.registry import registry

Function = TypeVar("Function", bound=Callable)
_SEEDS = 2**31 - 1


class Spec:
    """Declaration of a parameter."""

    def checked(self, value: Any, name: str, integer: bool) -> Any:
        """`value` in its plain Python type, or ValueError.

        name: Parameter and owner, for messages.
        integer: Whether the annotated type is int.
        """
        raise NotImplementedError


@dataclass(frozen=True)
class Number(Spec):
    """A number from `low` to `high`, both included.

    The annotated type says whether it is whole and may be ``None``, which stands for `automatic`.
    At its default, a parameter that came `later` than the first stored results is not part of keys,
    so that earlier results keep theirs.
    """

    low: float
    high: float
    label: str
    help: str = ""
    advanced: bool = False
    automatic: str = ""
    later: bool = False

    def checked(self, value: Any, name: str, integer: bool) -> int | float:
        kinds = (int, np.integer) if integer else (int, float, np.number)
        kind = "a whole number" if integer else "a number"
        right = isinstance(value, kinds) and not isinstance(value, bool)
        if not right or not self.low <= value <= self.high or not math.isfinite(value):
            raise ValueError(
                f"{name} is {value!r}; it must be {kind} from {self.low:g} to {self.high:g}."
            )
        return int(value) if integer else float(value)


@dataclass(frozen=True)
class Choice(Spec):
    """One of `options`, a value -> label mapping; `later` as of `Number`."""

    options: Mapping[str, str]
    label: str
    help: str = ""
    advanced: bool = False
    later: bool = False

    def checked(self, value: Any, name: str, integer: bool) -> str:
        if not isinstance(value, str) or value not in self.options:
            allowed = ", ".join(map(repr, self.options))
            raise ValueError(f"{name} is {value!r}; it must be one of {allowed}.")
        return value


@dataclass(frozen=True)
class Switch(Spec):
    """On or off; `later` as of `Number`."""

    label: str
    help: str = ""
    advanced: bool = False
    later: bool = False

    def checked(self, value: Any, name: str, integer: bool) -> bool:
        if not isinstance(value, bool | np.bool_):
            raise ValueError(f"{name} is {value!r}; it must be True or False.")
        return bool(value)


@dataclass(frozen=True)
class Column(Spec):
    """Name of a column of the table of objects or answers, or a list if `several`.

    ``None``, if the annotated type allows it, stands for `automatic`. A column that `marks` answers
    is true for some of them.
    """

    label: str
    help: str = ""
    advanced: bool = False
    of: str = "objects"
    automatic: str = "None"
    several: bool = False
    marks: bool = False

    def checked(self, value: Any, name: str, integer: bool) -> str | list[str]:
        if not self.several:
            if not isinstance(value, str):
                raise ValueError(f"{name} is {value!r}; it must be the name of a column.")
            return value
        names = list(value) if isinstance(value, list | tuple) else []
        if not names or not all(isinstance(name, str) for name in names):
            raise ValueError(f"{name} is {value!r}; it must be a list of names of columns.")
        return names


@dataclass(frozen=True)
class MethodNames(Spec):
    """Names of registered methods of a kind."""

    kind: str
    label: str
    help: str = ""
    advanced: bool = False

    def checked(self, value: Any, name: str, integer: bool) -> list[str]:
        names = list(value) if isinstance(value, list | tuple) else []
        if not names or len({*names}) < len(names) or any(one not in registry(self.kind)
                                                          for one in names):
            known = ", ".join(map(repr, registry(self.kind)))
            raise ValueError(f"{name} is {value!r}; it must be a list of some of {known}.")
        return names


@dataclass(frozen=True)
class DataIdentity(Spec):
    """Data that a method takes beside its parameters, such as tables of features.

    The parameter is a list of texts that identify the data; keys and stored methods have no more.
    """

    label: str
    help: str = ""
    advanced: bool = False

    def checked(self, value: Any, name: str, integer: bool) -> list[str]:
        texts = list(value) if isinstance(value, list | tuple) else []
        if not texts or not all(isinstance(text, str) for text in texts):
            raise ValueError(f"{name} is {value!r}; it must be a list of texts.")
        return texts


@dataclass(frozen=True)
class Fields:
    """An argument that is a record: the declared fields of its class are parameters, one by one.

    Forms, keys and stored options have the fields; `gathered` makes the record.
    """


@dataclass(frozen=True)
class Parameter:
    """A declared parameter of a method or a function, or, with `record`, a field of an argument."""

    name: str
    spec: Spec
    default: Any
    integer: bool = False
    optional: bool = False
    record: str = ""

    def check(self, value: Any, owner: str) -> Any:
        """`value` in its plain Python type."""
        name = f"{self.name} of {owner}"
        none_of_several = getattr(self.spec, "several", False) and value in ([], ())
        if self.optional and (value is None or none_of_several):
            return None
        return self.spec.checked(value, name, self.integer)


@lru_cache
def parameters(owner: type | Callable) -> tuple[Parameter, ...]:
    """Declared parameters of a method class or a function, in order."""
    hints = get_type_hints(owner, include_extras=True)
    signature = inspect.signature(owner)
    result = []
    for name, parameter in signature.parameters.items():
        hint = hints.get(name)
        if get_origin(hint) is not Annotated:
            continue
        kind, *specs = get_args(hint)
        if Fields() in specs:
            result += [
                replace(p, default=getattr(parameter.default, p.name), record=name)
                for p in parameters(kind)
            ]
            continue
        spec = next((s for s in specs if isinstance(s, Spec)), None)
        if spec is None:
            continue
        members = set(get_args(kind)) or {kind}
        result.append(
            Parameter(
                name, spec, parameter.default,
                integer=int in members, optional=type(None) in members,
            )
        )
    return tuple(result)


def checked(owner: type | Callable, values: Mapping[str, Any]) -> dict[str, Any]:
    """`values` with defaults, checked against the declarations of `owner`."""
    title = getattr(owner, "title", owner.__name__)
    declared = parameters(owner)
    unknown = set(values) - {p.name for p in declared}
    if unknown:
        name = sorted(unknown)[0]
        known = hint(name, [p.name for p in declared])
        raise ValueError(f"{title} has no parameter {name!r}{known}")
    for p in declared:
        if p.default is inspect.Parameter.empty and p.name not in values:
            raise ValueError(f"{title} needs {p.name!r}.")
    return {p.name: p.check(values.get(p.name, p.default), title) for p in declared}


def with_random_state(function: Function) -> Function:
    """A function that accepts scikit-learn's ``random_state`` as its ``seed``."""

    @wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        return function(*args, **with_seed(kwargs))

    return call


def with_seed(options: Mapping[str, Any]) -> Mapping[str, Any]:
    """Options with ``seed`` instead of ``random_state``.

    Of ``None`` and of generators of random numbers a seed is drawn, once: it is kept, so that what
    was computed can be computed again.
    """
    if "random_state" not in options:
        return options
    if "seed" in options:
        raise TypeError("seed and random_state are the same; only one of them is needed.")
    drawn = options["random_state"]
    if drawn is None:
        drawn = np.random.default_rng()
    if isinstance(drawn, np.random.RandomState):
        drawn = drawn.randint(_SEEDS)
    elif isinstance(drawn, np.random.Generator):
        drawn = int(drawn.integers(_SEEDS))
    return {name: v for name, v in options.items() if name != "random_state"} | {"seed": drawn}


#: An option of many methods and tasks.
Seed = Annotated[int, Number(
    0, _SEEDS, "Seed", "The same seed gives the same result, bit for bit.", advanced=True
)]
