"""Declared parameters: numbers, choices and switches with their ranges and words.

A parameter is declared once, by annotating a dataclass field or a keyword of a function. Checks,
forms, exports and tests are derived from that declaration. What only declares needs no library of
learning, so that programs that compute nothing start at once.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache, wraps
from typing import Annotated, Any, TypeVar, get_args, get_origin, get_type_hints

import numpy as np

Function = TypeVar("Function", bound=Callable)


class Spec:
    """What is declared of a parameter."""

    def checked(self, value: Any, name: str, integer: bool) -> Any:
        """`value` in its plain Python type.

        name: Of the parameter and its owner, for messages.
        integer: Whether the annotated type is that of whole numbers.
        """
        raise NotImplementedError


@dataclass(frozen=True)
class Number(Spec):
    """A number from `low` to `high`, both included.

    Whether it is whole follows from the annotated type; ``None`` is allowed when the type says so
    and then stands for `automatic`. One that came `later` than results were first kept is no part
    of keys at its default, so that earlier results keep theirs.
    """

    low: float
    high: float
    label: str
    help: str = ""
    advanced: bool = False
    automatic: str = ""
    later: bool = False

    def checked(self, value: Any, name: str, integer: bool) -> int | float:
        """`value`, if it is a number in the range."""
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
    """One of a few named options, given as value -> label; `later` as of a `Number`."""

    options: Mapping[str, str]
    label: str
    help: str = ""
    advanced: bool = False
    later: bool = False

    def checked(self, value: Any, name: str, integer: bool) -> str:
        """`value`, if it is one of the options."""
        if not isinstance(value, str) or value not in self.options:
            allowed = ", ".join(map(repr, self.options))
            raise ValueError(f"{name} is {value!r}; it must be one of {allowed}.")
        return value


@dataclass(frozen=True)
class Switch(Spec):
    """On or off; `later` as of a `Number`."""

    label: str
    help: str = ""
    advanced: bool = False
    later: bool = False

    def checked(self, value: Any, name: str, integer: bool) -> bool:
        """`value`, if it is on or off."""
        if not isinstance(value, bool | np.bool_):
            raise ValueError(f"{name} is {value!r}; it must be True or False.")
        return bool(value)


@dataclass(frozen=True)
class Column(Spec):
    """Name of a column of the table of objects, or of that of answers; or `several`, as a list.

    ``None`` is allowed when the type says so and then stands for `automatic`.
    """

    label: str
    help: str = ""
    advanced: bool = False
    of: str = "objects"
    automatic: str = "None"
    several: bool = False

    def checked(self, value: Any, name: str, integer: bool) -> str | list[str]:
        """`value`, if it names a column, or several where these are meant."""
        if not self.several:
            if not isinstance(value, str):
                raise ValueError(f"{name} is {value!r}; it must be the name of a column.")
            return value
        names = list(value) if isinstance(value, list | tuple) else []
        if not names or not all(isinstance(name, str) for name in names):
            raise ValueError(f"{name} is {value!r}; it must be a list of names of columns.")
        return names


@dataclass(frozen=True)
class Content(Spec):
    """What a method is handed beside its parameters, such as tables of features.

    The parameter is a list of texts that tell one content from another: keys, and what is kept of
    a method, know these alone.
    """

    label: str
    help: str = ""
    advanced: bool = False

    def checked(self, value: Any, name: str, integer: bool) -> list[str]:
        """`value`, if it is a list of texts."""
        texts = list(value) if isinstance(value, list | tuple) else []
        if not texts or not all(isinstance(text, str) for text in texts):
            raise ValueError(f"{name} is {value!r}; it must be a list of texts.")
        return texts


@dataclass(frozen=True)
class Fields:
    """An argument that is a record: the declared fields of its class are parameters, one by one.

    Forms, keys and kept options know the fields alone; `gathered` makes the record of them.
    """


@dataclass(frozen=True)
class Parameter:
    """A declared parameter of a method or of a function; of which argument, if that is a record."""

    name: str
    spec: Spec
    default: Any
    integer: bool = False
    optional: bool = False
    record: str = ""

    def check(self, value: Any, owner: str) -> Any:
        """Return `value` in its plain Python type."""
        name = f"{self.name} of {owner}"
        if value is None and self.optional:
            return None
        return self.spec.checked(value, name, self.integer)


@lru_cache
def parameters(owner: type | Callable) -> tuple[Parameter, ...]:
    """The declared parameters of a method class or of a function, in order of declaration."""
    hints = get_type_hints(owner, include_extras=True)
    signature = inspect.signature(owner)
    found = []
    for name, parameter in signature.parameters.items():
        hint = hints.get(name)
        if get_origin(hint) is not Annotated:
            continue
        kind, *specs = get_args(hint)
        if Fields() in specs:
            found += [
                replace(p, default=getattr(parameter.default, p.name), record=name)
                for p in parameters(kind)
            ]
            continue
        spec = next((s for s in specs if isinstance(s, Spec)), None)
        if spec is None:
            continue
        members = set(get_args(kind)) or {kind}
        found.append(
            Parameter(
                name, spec, parameter.default,
                integer=int in members, optional=type(None) in members,
            )
        )
    return tuple(found)


def checked(owner: type | Callable, values: Mapping[str, Any]) -> dict[str, Any]:
    """`values` completed by the defaults and checked against the declarations of `owner`."""
    title = getattr(owner, "title", owner.__name__)
    declared = parameters(owner)
    unknown = set(values) - {p.name for p in declared}
    if unknown:
        raise ValueError(f"{title} has no parameter {sorted(unknown)[0]!r}.")
    for p in declared:
        if p.default is inspect.Parameter.empty and p.name not in values:
            raise ValueError(f"{title} needs {p.name!r}.")
    return {p.name: p.check(values.get(p.name, p.default), title) for p in declared}


def with_random_state(function: Function) -> Function:
    """A function that takes scikit-learn's name ``random_state`` for its ``seed``, too."""

    @wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        return function(*args, **with_seed(kwargs))

    return call


def with_seed(options: Mapping[str, Any]) -> Mapping[str, Any]:
    """Options in which ``seed`` stands for ``random_state``."""
    if "random_state" not in options:
        return options
    if "seed" in options:
        raise TypeError("seed and random_state are the same; only one of them is needed.")
    return {"seed" if name == "random_state" else name: v for name, v in options.items()}
