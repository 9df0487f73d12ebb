"""Tasks: anything that is computed of a method and data, declared once at its function.

A task is a function ``(method, triplets, *, options..., progress)`` that returns a dataclass of
plain values, arrays and estimates, except fields whose metadata have ``kept`` False. Its options
are declared as a method's parameters are; checks, keys, forms, captions, scripts and progress
follow.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import MISSING, dataclass, field, fields, is_dataclass
from functools import wraps
from typing import Any, ClassVar, TypeVar, get_type_hints

import numpy as np

from tripletscope.core.data.lazy import cached_property
from tripletscope.core.data.named import hint
from tripletscope.core.data.triplets import Answers, Triplets
from tripletscope.core.engine.declared import Column, checked, parameters, with_seed
from tripletscope.core.engine.docstrings import OPTIONAL, completed, documented, short_signature
from tripletscope.core.engine.estimate import as_plain, estimates_of, from_plain, plain_names
from tripletscope.core.engine.method import Method, builds_on_choices, reads_choices, to_arguments
from tripletscope.core.engine.progress import Progress, stopping
from tripletscope.core.engine.registry import TASKS
from tripletscope.core.engine.short_repr import short_repr

Function = TypeVar("Function", bound=Callable)
Result = tuple[dict[str, Any], dict[str, np.ndarray], bool]


def declared(function: Function) -> Function:
    """Check arguments against their declarations whenever a function is called.

    The function gets plain Python values. A record has checked its fields itself.
    """
    signature = inspect.signature(function)

    @wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        bound = _bound(function.__name__, signature, args, with_seed(kwargs))
        for name in {p.record for p in parameters(function)} & set(bound.arguments):
            value, kind = bound.arguments[name], get_type_hints(function)[name]
            if not isinstance(value, kind):
                raise ValueError(
                    f"{name} of {function.__name__} is {value!r}; it must be made by "
                    f"{kind.__name__}."
                )
        names = {p.name for p in parameters(function) if not p.record}
        values = checked(
            function, {name: bound.arguments[name] for name in names & set(bound.arguments)}
        )
        bound.arguments.update({name: values[name] for name in names})
        return function(*bound.args, **bound.kwargs)

    call.__doc__ = function.__doc__ and completed(function, function.__doc__)
    call.__signature__ = short_signature(
        signature, {p.record or p.name for p in parameters(function)}
    )
    return call


def _bound(
    name: str, signature: inspect.Signature, args: tuple[Any, ...], named: Mapping[str, Any]
) -> inspect.BoundArguments:
    """Arguments of a call; what is misspelt, missing or in another's place is named."""
    takes_more = any(p.kind is p.VAR_KEYWORD for p in signature.parameters.values())
    for word in named:
        if word not in signature.parameters and not takes_more:
            raise TypeError(f"{name}() has no argument {word!r}{hint(word, signature.parameters)}")
    try:
        bound = signature.bind(*args, **named)
    except TypeError as error:
        needed = [p.name for p in signature.parameters.values() if p.default is p.empty]
        raise TypeError(f"{name}() {error}; it takes {name}({', '.join(needed)}, …)") from None
    first = bound.arguments.get("method")
    if isinstance(first, type):
        raise TypeError(f"the method of {name}() is a class: make one, such as {first.__name__}()")
    if isinstance(first, Answers):
        raise TypeError(f"the method of {name}() comes first, the answers second")
    return bound


@dataclass(frozen=True)
class Computation:
    """A task.

    name: Of the results.
    words: For its progress.
    function: Its declared parameters are the options.
    kinds: Kinds of methods; empty for all.
    columns: Columns of the answers that the result depends on, beside the answers themselves.
    needs_data: False for simulations, which take None as data.
    first: Values of options for a first result, which is there long before the whole one.
    parts: In how many of them it is best computed. With more than one the function takes, as
        ``begun``, an earlier result that was stopped, and goes on there.
    of_measured: Whether its data are `tripletscope.core.ratings.RatedDissimilarities`, not answers.
    holds_data: Whether results hold what was computed of the answers.
    """

    of_measured: ClassVar[bool] = False
    holds_data: ClassVar[bool] = False

    name: str
    words: str
    function: Callable
    kinds: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    needs_data: bool = True
    first: Mapping[str, Any] = field(default_factory=dict)
    parts: int = 1

    @cached_property
    def gives(self) -> type | None:
        """Type of the result; None for a fit, which returns a method."""
        return get_type_hints(self.function)["return"]

    def compute(
        self, method: Method, triplets: Triplets | None, options: Mapping[str, Any],
        progress: Progress, begun: Any = None,
    ) -> Result:
        """Plain values and arrays of the result, and whether it is complete.

        begun: An earlier result of the same that was stopped; of tasks with `parts`.
        """
        watched, further = _Watched(progress), {} if begun is None else {"begun": begun}
        with stopping(watched.again):
            result = self.function(
                method, triplets, **to_arguments(self.function, options), **further,
                progress=watched,
            )
        state = {
            one.name: getattr(result, one.name) for one in fields(result)
            if one.metadata.get("kept", True)
        }
        return *_divided(as_plain(state)), not watched.stopped

    def required(self, method: type[Method]) -> set[str]:
        """Names of the values in every result of a method."""
        estimates = estimates_of(self.gives)
        return {
            plain for one in fields(self.gives)
            if one.metadata.get("kept", True) and one.default is MISSING
            for plain in (plain_names(one.name) if one.name in estimates else [one.name])
        }

    def restored(self, numbers: Mapping[str, Any], arrays: Mapping[str, np.ndarray]) -> Any:
        """The result from its plain values and arrays."""
        return self.gives(**from_plain(self.gives, {**numbers, **arrays}))

    def data_of(
        self, answers: Triplets, options: Mapping[str, Any], arrays: Mapping[str, np.ndarray]
    ) -> Triplets | None:
        """What a result may be of, by the answers that are kept: they themselves, or None."""
        return answers

    def fingerprint(
        self, method: Method, triplets: Triplets | None, options: Mapping[str, Any]
    ) -> str:
        """Hash of the data that the task reads, with columns that options or method name."""
        if not self.needs_data:
            return ""
        named: dict[str, list[str]] = {"objects": [], "answers": [*method.answer_columns]}
        for spec, value in self._set_to(method, options):
            if isinstance(spec, Column) and value is not None:
                named[spec.of] += value if spec.several else [value]
        return triplets.fingerprint_of(
            *self.columns, *named["answers"], objects=tuple(named["objects"])
        )

    def takes_choices(
        self, method: Method, triplets: Triplets | None, options: Mapping[str, Any]
    ) -> bool:
        """Whether the computation takes trials as choices among several pairs.

        Part of the key: results made before there were likelihoods of choices are those of
        independent answers.
        """
        if not self.needs_data or not triplets.are_choices:
            return False
        return reads_choices(method) or any(
            builds_on_choices(*each) for each in self._set_to(method, options)
        )

    def _set_to(self, method: Method, options: Mapping[str, Any]) -> list[tuple[Any, Any]]:
        """Declarations and values of all options and of all parameters of the method."""
        # Options of results may lack those declared later.
        chosen = [(p.spec, options.get(p.name, p.default)) for p in parameters(self.function)]
        return chosen + [(p.spec, getattr(method, p.name)) for p in parameters(type(method))]


class OfMarked(Computation):
    """A task of answers of which columns mark some: its results have the marks, (t, c) bool."""

    holds_data = True

    def data_of(
        self, answers: Triplets, options: Mapping[str, Any], arrays: Mapping[str, np.ndarray]
    ) -> Triplets | None:
        if not self.marking(options):
            return answers
        marks = arrays.get("marks")
        if marks is None or len(marks) != len(answers):
            return None
        return answers.with_columns(dict(zip(self.marking(options), marks.T, strict=True)))

    def marking(self, options: Mapping[str, Any]) -> list[str]:
        """Names of the columns that mark answers."""
        return [
            name for p in parameters(self.function)
            if isinstance(p.spec, Column) and p.spec.marks
            for name in ((options[p.name] or []) if p.spec.several else [options[p.name]])
        ]


class _Watched:
    """A progress that remembers whether it asked to stop before the end."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._fraction = 0.0
        self.stopped = False

    def again(self) -> bool:
        """Ask again, at the last fraction."""
        return self(self._fraction)

    def __call__(self, fraction: float, **details: Any) -> bool:
        self._fraction = fraction
        stop = self._progress(fraction, **details)
        self.stopped |= stop and fraction < 1.0
        return stop


def fitted_values(method: Method) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """Plain values, and arrays, of a fitted method."""
    return _divided({name: value for name, value in vars(method).items() if name.endswith("_")})


def _divided(state: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    arrays = {name: value for name, value in state.items() if isinstance(value, np.ndarray)}
    return {name: value for name, value in state.items() if name not in arrays}, arrays


def task(
    words: str, *kinds: str, name: str | None = None, columns: tuple[str, ...] = (),
    needs_data: bool = True, first: Mapping[str, Any] | None = None, parts: int = 1,
    computation: type[Computation] = Computation,
) -> Callable[[Function], Function]:
    """Declare a function as a task; its arguments are checked whenever it is called.

    words, kinds, columns, needs_data, first, parts: See `Computation`. The class of the result gets
        a `tripletscope.core.engine.short_repr`.
    name: By default the function's.
    computation: For results that are not the function's.
    """

    def add(function: Function) -> Function:
        checking = declared(function)
        result = get_type_hints(function).get("return")
        if is_dataclass(result):
            short_repr(result)
        checking.name = name or function.__name__
        TASKS.add(
            checking.name,
            computation(checking.name, words, checking, kinds, columns, needs_data, first or {},
                        parts),
        )
        return checking

    return add


class _Fit(Computation):
    """A fit, whose result is the fitted method and whose options are the method's parameters."""

    gives = None

    def required(self, method: type[Method]) -> set[str]:
        types = documented(method).items()
        return {
            name for name, kind in types
            if name.endswith("_") and not kind.endswith(("None", OPTIONAL))
        }

    def compute(
        self, method: Method, triplets: Triplets | None, options: Mapping[str, Any],
        progress: Progress, begun: Any = None,
    ) -> Result:
        method.fit(triplets, progress=progress)
        return *fitted_values(method), not method.stopped_


@task("Fitting", name="fit", computation=_Fit)
def _no_options() -> None:
    """The declaration of a fit has no options."""
