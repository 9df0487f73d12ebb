"""The contract of every method: declared parameters, `fit`, and answers to triplets.

Declarations themselves are in `tripletscope.core.engine.declared`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self, TypeVar, get_type_hints

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.utils.validation import check_is_fitted

from tripletscope.core.data.quadruples import as_answers
from tripletscope.core.data.triplets import Judgements, Triplets
from tripletscope.core.engine.declared import Spec, checked, parameters
from tripletscope.core.engine.docstrings import parametric
from tripletscope.core.engine.progress import Progress, silent
from tripletscope.core.engine.registry import registry


@dataclass(frozen=True)
class Inner(Spec):
    """Another method that this one builds on, of one of some kinds.

    It is given as a method, or as `described` by it; ``None`` is allowed when the type says so.
    """

    kinds: tuple[str, ...]
    label: str
    help: str = ""
    advanced: bool = False
    automatic: str = ""

    def checked(self, value: Any, name: str, integer: bool) -> dict[str, Any]:
        """`value` as described, if it is a method of one of the kinds."""
        inner = unfitted(value) if isinstance(value, Mapping | Method) else None
        if inner is None or inner.kind not in self.kinds:
            raise ValueError(
                f"{name} is {value!r}; it must be a method of kind {' or '.join(self.kinds)}."
            )
        return described(inner)


def for_key(owner: type | Callable, values: Mapping[str, Any]) -> dict[str, Any]:
    """Checked values as keys have them: without what came later and is at its default."""
    found = {}
    for p in parameters(owner):
        value = values[p.name]
        if getattr(p.spec, "later", False) and value == p.default:
            continue
        if isinstance(p.spec, Inner) and value is not None:
            inner = registry(value["kind"])[value["method"]]
            value = {**value, "parameters": for_key(inner, value["parameters"])}
        found[p.name] = value
    return found


def gathered(function: Callable, values: Mapping[str, Any]) -> dict[str, Any]:
    """Keyword arguments of a function, from values of its declared parameters by name."""
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

    def margins(self, triplets: Judgements) -> np.ndarray:
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

    def predict(self, triplets: Judgements) -> np.ndarray:
        """(T,) bool: whether the fitted method would give each of these answers."""
        return self.margins(triplets) > 0

    def score(self, triplets: Judgements, y: Any = None) -> float:
        """Weighted share of `triplets` answered the same way; ties count one half."""
        answers = as_answers(triplets)
        return float(1.0 - np.average(self.mistakes(answers), weights=answers.weight))

    def mistakes(self, triplets: Judgements) -> np.ndarray:
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


Class = TypeVar("Class", bound=type[Method])
#: A method with a task and its options.
Piece = tuple[Method, str, Mapping[str, Any]]


def register(kind: str) -> Callable[[Class], Class]:
    """Class decorator that adds a method to the list of its kind."""

    def add(method: Class) -> Class:
        method.kind = kind
        registry(kind).add(method.name, method)
        return parametric(method)

    return add


def methods(kind: str) -> dict[str, type[Method]]:
    """The registered methods of one kind, by name, in alphabetical order of their titles."""
    return dict(sorted(registry(kind).items(), key=lambda item: item[1].title.lower()))


def described(method: Method) -> dict[str, Any]:
    """Kind, name and checked parameters of a method, as plain data."""
    values = {p.name: getattr(method, p.name) for p in parameters(type(method))}
    return {
        "kind": method.kind, "method": method.name, "parameters": checked(type(method), values)
    }


def unfitted(given: Method | Mapping[str, Any]) -> Method:
    """A method of the same settings, from a method or from what `described` says of it."""
    if isinstance(given, Method):
        return clone(given)
    kind, name = given.get("kind"), given.get("method")
    if name not in registry(kind):
        raise ValueError(f"There is no method {name!r} of kind {kind!r}.")
    return registry(kind)[name](**given.get("parameters", {}))


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
