"""The contract of every method: declared parameters, `fit`, and answers to triplets.

A parameter is declared once, by annotating a dataclass field or a keyword of a function. Checks,
forms, exports and tests are derived from that declaration.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Annotated, Any, ClassVar, Self, get_args, get_origin, get_type_hints

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.utils.validation import check_is_fitted

from tripletscope.core.computing.progress import Progress, silent
from tripletscope.core.data.quadruples import Quadruples, as_answers
from tripletscope.core.data.triplets import Triplets


@dataclass(frozen=True)
class Number:
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


@dataclass(frozen=True)
class Choice:
    """One of a few named options, given as value -> label; `later` as of a `Number`."""

    options: Mapping[str, str]
    label: str
    help: str = ""
    advanced: bool = False
    later: bool = False


@dataclass(frozen=True)
class Switch:
    """On or off; `later` as of a `Number`."""

    label: str
    help: str = ""
    advanced: bool = False
    later: bool = False


@dataclass(frozen=True)
class Inner:
    """Another method that this one builds on, of one of some kinds.

    It is given as a method, or as `described` by it; ``None`` is allowed when the type says so.
    """

    kinds: tuple[str, ...]
    label: str
    help: str = ""
    advanced: bool = False
    automatic: str = ""


@dataclass(frozen=True)
class Column:
    """Name of a column of the table of objects, or of that of answers; or `several`, as a list.

    ``None`` is allowed when the type says so and then stands for `automatic`.
    """

    label: str
    help: str = ""
    advanced: bool = False
    of: str = "objects"
    automatic: str = "None"
    several: bool = False


@dataclass(frozen=True)
class Content:
    """What a method is handed beside its parameters, such as tables of features.

    The parameter is a list of texts that tell one content from another: keys, and what is kept of
    a method, know these alone.
    """

    label: str
    help: str = ""
    advanced: bool = False


@dataclass(frozen=True)
class Fields:
    """An argument that is a record: the declared fields of its class are parameters, one by one.

    Forms, keys and kept options know the fields alone; `gathered` makes the record of them.
    """


Spec = Number | Choice | Switch | Inner | Column | Content


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
        """Return `value` in its plain Python type.

        Raises
        ------
        ValueError
            If the value is not what was declared; the message names owner, parameter and range.
        """
        name = f"{self.name} of {owner}"
        if value is None and self.optional:
            return None
        match self.spec:
            case Switch():
                if not isinstance(value, bool | np.bool_):
                    raise ValueError(f"{name} is {value!r}; it must be True or False.")
                return bool(value)
            case Choice(options=options):
                if not isinstance(value, str) or value not in options:
                    allowed = ", ".join(map(repr, options))
                    raise ValueError(f"{name} is {value!r}; it must be one of {allowed}.")
                return value
            case Content():
                texts = list(value) if isinstance(value, list | tuple) else []
                if not texts or not all(isinstance(text, str) for text in texts):
                    raise ValueError(f"{name} is {value!r}; it must be a list of texts.")
                return texts
            case Column(several=True):
                names = list(value) if isinstance(value, list | tuple) else []
                if not names or not all(isinstance(name, str) for name in names):
                    raise ValueError(f"{name} is {value!r}; it must be a list of names of columns.")
                return names
            case Column():
                if not isinstance(value, str):
                    raise ValueError(f"{name} is {value!r}; it must be the name of a column.")
                return value
            case Inner(kinds=kinds):
                inner = unfitted(value) if isinstance(value, Mapping | Method) else None
                if inner is None or inner.kind not in kinds:
                    raise ValueError(
                        f"{name} is {value!r}; it must be a method of kind {' or '.join(kinds)}."
                    )
                return described(inner)
            case Number(low=low, high=high):
                kinds = (int, np.integer) if self.integer else (int, float, np.number)
                kind = "a whole number" if self.integer else "a number"
                right = isinstance(value, kinds) and not isinstance(value, bool)
                if not right or not low <= value <= high or not math.isfinite(value):
                    raise ValueError(
                        f"{name} is {value!r}; it must be {kind} from {low:g} to {high:g}."
                    )
                return int(value) if self.integer else float(value)


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
    """`values` completed by the defaults and checked against the declarations of `owner`.

    Raises
    ------
    ValueError
        For an unknown or missing name, or a value outside its declared range.
    """
    title = getattr(owner, "title", owner.__name__)
    declared = parameters(owner)
    unknown = set(values) - {p.name for p in declared}
    if unknown:
        raise ValueError(f"{title} has no parameter {sorted(unknown)[0]!r}.")
    for p in declared:
        if p.default is inspect.Parameter.empty and p.name not in values:
            raise ValueError(f"{title} needs {p.name!r}.")
    return {p.name: p.check(values.get(p.name, p.default), title) for p in declared}


def for_key(owner: type | Callable, values: Mapping[str, Any]) -> dict[str, Any]:
    """Checked values as keys have them: without what came later and is at its default.

    Parameters
    ----------
    owner : type or callable
    values : mapping
        As `checked` gives them.
    """
    found = {}
    for p in parameters(owner):
        value = values[p.name]
        if getattr(p.spec, "later", False) and value == p.default:
            continue
        if isinstance(p.spec, Inner) and value is not None:
            inner = _registry[value["kind"]][value["method"]]
            value = {**value, "parameters": for_key(inner, value["parameters"])}
        found[p.name] = value
    return found


def gathered(function: Callable, values: Mapping[str, Any]) -> dict[str, Any]:
    """Keyword arguments of a function, from values of its declared parameters by name.

    Raises
    ------
    ValueError
        If the fields of a record do not go together.
    """
    found, records = dict(values), {}
    for p in parameters(function):
        if p.record and p.name in found:
            records.setdefault(p.record, {})[p.name] = found.pop(p.name)
    kinds = get_type_hints(function)
    return found | {name: kinds[name](**fields) for name, fields in records.items()}


class Method(BaseEstimator):
    """Anything that learns from triplets and can answer them.

    Subclasses are keyword-only dataclasses: their fields are their parameters. scikit-learn's
    conventions hold: `get_params`, `set_params`, `clone`, fitted attributes end in ``_``.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    kind: ClassVar[str]
    #: Whether the loss of an answer is minus the logarithm of its probability. What was chosen
    #: among several pairs of objects, such as an odd one out, is then one choice; to other methods
    #: it is as many answers as the data hold.
    is_likelihood: ClassVar[bool] = False

    @property
    def answer_columns(self) -> tuple[str, ...]:
        """Columns of the answers that the fit reads beside those that parameters name."""
        return ()

    def fit(self, triplets: Triplets, y: Any = None, *, progress: Progress = silent) -> Self:
        """Learn from `triplets`.

        Parameters
        ----------
        triplets : Triplets or array-like of int, shape (T, 3)
        y : ignored
            For scikit-learn's conventions.
        progress : Progress
            Called now and then; when it returns True the fit stops and keeps the last iterate.
        """
        raise NotImplementedError

    def distances(self) -> np.ndarray:
        """(n, n) distances between the objects as the fitted method sees them."""
        raise NotImplementedError

    def margins(self, triplets: Triplets | Quadruples) -> np.ndarray:
        """How clearly the fitted method agrees with each answer.

        Parameters
        ----------
        triplets : Triplets, Quadruples or array-like of int, shape (T, 3) or (T, 4)

        Returns
        -------
        ndarray, shape (T,)
            Distance from anchor to far minus distance from anchor to near: positive where the
            method would give the same answer, zero where it cannot tell.
        """
        self._require_fit()
        rows = as_answers(triplets).rows
        distances = self.distances()
        return distances[rows[:, -2 if rows.shape[1] == 4 else 0], rows[:, -1]] - distances[
            rows[:, 0], rows[:, 1]
        ]

    def predict(self, triplets: Triplets | Quadruples) -> np.ndarray:
        """(T,) bool: whether the fitted method would give each of these answers."""
        return self.margins(triplets) > 0

    def score(self, triplets: Triplets | Quadruples, y: Any = None) -> float:
        """Weighted share of `triplets` answered the same way; ties count one half."""
        answers = as_answers(triplets)
        return float(1.0 - np.average(self.mistakes(answers), weights=answers.weight))

    def mistakes(self, triplets: Triplets | Quadruples) -> np.ndarray:
        """(T,) 1 for every answer that the fitted method contradicts, 1/2 for a tie, or 0."""
        return 0.5 - np.sign(self.margins(triplets)) / 2

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "n_objects_")

    def _require_fit(self) -> None:
        check_is_fitted(self)

    def _check_parameters(self) -> None:
        """Refuse values outside their declared ranges."""
        # get_params would inspect the signature each time, which takes as long as many a step.
        names = [parameter.name for parameter in parameters(type(self))]
        checked(type(self), {name: getattr(self, name) for name in names})


_registry: dict[str, dict[str, type[Method]]] = {}


def register(kind: str) -> Callable[[type[Method]], type[Method]]:
    """Class decorator that adds a method to the list of its kind."""

    def add(method: type[Method]) -> type[Method]:
        method.kind = kind
        _registry.setdefault(kind, {})[method.name] = method
        return method

    return add


def methods(kind: str) -> dict[str, type[Method]]:
    """The registered methods of one kind, by name, in alphabetical order of their titles."""
    return dict(sorted(_registry.get(kind, {}).items(), key=lambda item: item[1].title.lower()))


def described(method: Method) -> dict[str, Any]:
    """Kind, name and checked parameters of a method, as plain data."""
    values = {p.name: getattr(method, p.name) for p in parameters(type(method))}
    return {
        "kind": method.kind, "method": method.name, "parameters": checked(type(method), values)
    }


def unfitted(given: Method | Mapping[str, Any]) -> Method:
    """A method of the same settings, from a method or from what `described` says of it.

    Raises
    ------
    ValueError
        If there is no such method.
    """
    if isinstance(given, Method):
        return clone(given)
    kind, name = given.get("kind"), given.get("method")
    if name not in _registry.get(kind, {}):
        raise ValueError(f"There is no method {name!r} of kind {kind!r}.")
    return _registry[kind][name](**given.get("parameters", {}))


def reads_choices(method: Method) -> bool:
    """Whether it is a likelihood of choices, or builds on a method that is one."""
    return method.is_likelihood or any(
        builds_on_choices(p.spec, getattr(method, p.name)) for p in parameters(type(method))
    )


def builds_on_choices(spec: Spec, value: Any) -> bool:
    """Whether the value of a parameter is a method that `reads_choices`."""
    if not isinstance(spec, Inner):
        return False
    if value is not None:
        return reads_choices(unfitted(value))
    # What is automatic is said by its title.
    known = [method for kind in spec.kinds for method in methods(kind).values()]
    return any(method.title == spec.automatic and reads_choices(method()) for method in known)
