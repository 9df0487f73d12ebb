"""The contract of every method: declared parameters, `fit`, and answers to triplets."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self, TypeVar, get_type_hints

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from tripletscope.core.data.errors import DataError
from tripletscope.core.data.named import one_of
from tripletscope.core.data.parts import warn_of_divided_trials
from tripletscope.core.data.quadruples import as_answers
from tripletscope.core.data.triplets import Answers, Triplets, refuse_others
from tripletscope.core.engine.declared import Spec, checked, parameters
from tripletscope.core.engine.docstrings import inherit_parameters, parametric
from tripletscope.core.engine.progress import Progress, silent
from tripletscope.core.engine.registry import kinds, registry


@dataclass(frozen=True)
class MethodParameter(Spec):
    """Another method, of one of `kinds`, that this one builds on.

    The value is a method or its `described` form; ``None`` if the annotated type allows it.
    """

    kinds: tuple[str, ...]
    label: str
    help: str = ""
    advanced: bool = False
    automatic: str = ""

    def checked(self, value: Any, name: str, integer: bool) -> dict[str, Any]:
        inner = make_method(value) if isinstance(value, Mapping | Method) else None
        if inner is None or inner.kind not in self.kinds:
            raise ValueError(
                f"{name} is {value!r}; it must be a method of kind {' or '.join(self.kinds)}."
            )
        return as_record(inner)


def for_key(owner: type | Callable, values: Mapping[str, Any]) -> dict[str, Any]:
    """Checked values for keys: without `later` parameters at their defaults."""
    result = {}
    for p in parameters(owner):
        value = values[p.name]
        if getattr(p.spec, "later", False) and value == p.default:
            continue
        if isinstance(p.spec, MethodParameter) and value is not None:
            inner = registry(value["kind"])[value["method"]]
            value = {**value, "parameters": for_key(inner, value["parameters"])}
        result[p.name] = value
    return result


def to_arguments(function: Callable, values: Mapping[str, Any]) -> dict[str, Any]:
    """Keyword arguments of a function from values of its declared parameters."""
    arguments, records = dict(values), {}
    for p in parameters(function):
        if p.record and p.name in arguments:
            records.setdefault(p.record, {})[p.name] = arguments.pop(p.name)
    kinds = get_type_hints(function)
    return arguments | {name: kinds[name](**fields) for name, fields in records.items()}


@dataclass(frozen=True, eq=False)
class Lesson:
    """The answers of a fit, for its scores and figures. Copies of a method go without."""

    answers: Answers

    def __reduce__(self) -> tuple[Any, ...]:
        return (type(None), ())


class Method(BaseEstimator):
    """Anything that learns from triplets and can answer them.

    Subclasses are keyword-only dataclasses with their parameters as fields. scikit-learn's
    conventions hold: `get_params`, `set_params`, `clone`, fitted attributes end in ``_``.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    kind: ClassVar[str]
    #: Whether the loss is the negative log-likelihood. A choice among several pairs of objects,
    #: such as an odd one out, is then one choice; other methods read the answers of the data.
    is_likelihood: ClassVar[bool] = False
    #: Whether a fit holds all of its data, which are then no answers.
    holds_data: ClassVar[bool] = False

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if "fit" in vars(cls):
            inherit_parameters(cls.fit, Method.fit)

    @property
    def answer_columns(self) -> tuple[str, ...]:
        """Columns of the answers that the fit reads beside those that parameters name."""
        return ()

    def fit(
        self, triplets: Triplets, y: Any = None, *, sample_weight: Any = None,
        progress: Progress = silent,
    ) -> Self:
        """Learn from `triplets`.

        Parameters
        ----------
        triplets : Triplets or array-like of int, shape (T, 3)
        y : array-like of bool, or of +1 and -1, shape (T,), optional
            Responses to the rows of an array: whether the second object is nearer to the first
            than the third is. By default it is; `triplets` of a file have their answers.
        sample_weight : array-like of float, shape (T,), optional
            Times the weights that the answers have: by default 1.
        progress : Progress
            Called now and then; if it returns True, the fit stops and keeps the last iterate.
        """
        raise NotImplementedError

    def __sklearn_tags__(self) -> Tags:
        """That a row of X is a comparison: checks with vectors of features do not apply."""
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False
        return tags

    def _to_learn(
        self, triplets: Any, y: Any, sample_weight: Any = None, convert: Callable = as_answers
    ) -> Any:
        """The answers to learn from, after a check of the parameters; all fits begin with it.

        convert: `as_triplets` or `as_answers`.
        """
        self._check_parameters()
        answers = weighted(convert(triplets, y), sample_weight)
        self._lesson = Lesson(answers)
        return answers

    @property
    def learned_answers(self) -> Answers | None:
        """What the last fit learned from; None of copies and stored fits."""
        lesson = getattr(self, "_lesson", None)
        return None if lesson is None else lesson.answers

    def _to_predict(self, triplets: Any, y: Any = None, convert: Callable = as_answers) -> Any:
        """Answers to predict, about objects of the fit."""
        self._require_fit()
        answers = convert(triplets, y, known=self.n_objects_)
        refuse_others(answers, self.n_objects_)
        return answers

    def distances(self) -> np.ndarray:
        """(n, n) distances between the objects under the fitted method."""
        raise NotImplementedError

    def margins(self, triplets: Answers) -> np.ndarray:
        """How clearly the fitted method agrees with each answer.

        Parameters
        ----------
        triplets : Triplets, Quadruples or array-like of int, shape (T, 3) or (T, 4)

        Returns
        -------
        ndarray, shape (T,)
            Distance from anchor to far minus distance from anchor to near: positive if the method
            gives the same answer, zero for a tie.
        """
        rows = self._to_predict(triplets).rows
        distances = self.distances()
        return distances[rows[:, -2 if rows.shape[1] == 4 else 0], rows[:, -1]] - distances[
            rows[:, 0], rows[:, 1]
        ]

    def predict(self, triplets: Answers) -> np.ndarray:
        """(T,) bool: whether the fitted method gives each of these answers."""
        return self.margins(triplets) > 0

    def score(self, triplets: Answers, y: Any = None, sample_weight: Any = None) -> float:
        """Weighted share of correct predictions of `triplets`; ties count one half.

        Parameters
        ----------
        triplets : Triplets, Quadruples or array-like of int, shape (T, 3) or (T, 4)
        y : array-like of bool, or of +1 and -1, shape (T,), optional
            Responses to the rows of an array, as of `fit`.
        sample_weight : array-like of float, shape (T,), optional
            As of `fit`.
        """
        answers = self._to_score(triplets, y, sample_weight)
        return float(1.0 - np.average(self.mistakes(answers), weights=answers.weight))

    def _to_score(
        self, triplets: Any, y: Any, sample_weight: Any = None, convert: Callable = as_answers
    ) -> Any:
        """Answers to predict for a score, which is too good if their trials were divided."""
        answers = weighted(self._to_predict(triplets, y, convert), sample_weight)
        if self.learned_answers is not None:
            warn_of_divided_trials(self.learned_answers.part, answers.part)
        return answers

    def mistakes(self, triplets: Answers) -> np.ndarray:
        """(T,) 1 for every wrong prediction of an answer, 1/2 for a tie, else 0."""
        return 0.5 - np.sign(self.margins(triplets)) / 2

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "n_objects_")

    def _require_fit(self) -> None:
        check_is_fitted(self)

    def _check_parameters(self) -> None:
        # get_params would inspect the signature each time, which can take as long as a step.
        names = [parameter.name for parameter in parameters(type(self))]
        checked(type(self), {name: getattr(self, name) for name in names})


def weighted(answers: Answers, sample_weight: Any) -> Answers:
    """Answers whose weights are times others, (T,), if these are given."""
    if sample_weight is None:
        return answers
    weight = np.asarray(sample_weight, dtype=float)
    if weight.shape != (len(answers),):
        raise ValueError(
            f"sample_weight has shape {weight.shape}, but there are {len(answers):,} answers"
        )
    if len(weight) and not weight.any():
        raise DataError(
            "the weights of all answers are zero", file=answers.name,
            remedy="Give a weight above zero to the answers that count.",
        )
    return answers.reweighted(answers.weight * weight)


Class = TypeVar("Class", bound=type[Method])
#: A method with a task and its options.
Piece = tuple[Method, str, Mapping[str, Any]]


def register(kind: str) -> Callable[[Class], Class]:
    """Class decorator: adds a method to the registry of its kind."""

    def add(method: Class) -> Class:
        method.kind = kind
        registry(kind).add(method.name, method)
        return parametric(method)

    return add


def methods(kind: str) -> dict[str, type[Method]]:
    """Registered methods of one kind, by name, in alphabetical order of titles."""
    return dict(sorted(registry(kind).items(), key=lambda item: item[1].title.lower()))


def as_record(method: Method) -> dict[str, Any]:
    """Kind, name and checked parameters of a method, as plain data."""
    values = {p.name: getattr(method, p.name) for p in parameters(type(method))}
    return {"kind": method.kind, "method": method.name, "parameters": checked(type(method), values)}


def make_method(method: Method | Mapping[str, Any]) -> Method:
    """An unfitted method with the same settings, from a method or its `described` form."""
    if isinstance(method, Method):
        return clone(method)
    kind = registry(one_of(kinds(), method.get("kind"), "kind of methods"))
    return kind[method.get("method")](**method.get("parameters", {}))


def reads_choices(method: Method) -> bool:
    """Whether the method, or one that it builds on, is a likelihood of choices."""
    return method.is_likelihood or any(
        builds_on_choices(p.spec, getattr(method, p.name)) for p in parameters(type(method))
    )


def builds_on_choices(spec: Spec, value: Any) -> bool:
    """Whether the value of a parameter is a method that `reads_choices`."""
    if not isinstance(spec, MethodParameter):
        return False
    if value is not None:
        return reads_choices(make_method(value))
    # The automatic method is declared by its title.
    candidates = [method for kind in spec.kinds for method in methods(kind).values()]
    return any(method.title == spec.automatic and reads_choices(method()) for method in candidates)
