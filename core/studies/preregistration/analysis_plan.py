"""An analysis plan: what is decided before there are data, frozen with its time and a hash."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from datetime import UTC, datetime
from typing import Any, Self

import numpy as np
import pandas as pd

from tripletscope import __version__
from tripletscope.core.data.columns import one_per_trial
from tripletscope.core.data.errors import DataError
from tripletscope.core.data.lazy import cached_property
from tripletscope.core.data.triplets import Answers
from tripletscope.core.engine.declared import checked
from tripletscope.core.engine.method import Method, as_record, make_method
from tripletscope.core.engine.registry import TASKS
from tripletscope.core.engine.short_repr import short_repr
from tripletscope.core.features.feature_model import FeatureModel
from tripletscope.core.features.spaces import FeatureSpace
from tripletscope.core.inference.held_out.compare import recommend_dimension
from tripletscope.core.inference.held_out.score import ErrorEstimate
from tripletscope.core.inference.held_out.units import n_participants
from tripletscope.core.models.embedding.default import DEFAULT_EMBEDDING
from tripletscope.core.models.embedding.ordinal import OrdinalEmbedding
from tripletscope.core.reading.names import counted
from tripletscope.core.studies.experiment.experiment import SOURCES
from tripletscope.core.studies.experiment.question import ASKINGS
from tripletscope.core.studies.preregistration.planned_questions import QUESTIONS
from tripletscope.core.studies.quality.exclusion import MANUAL, WEIGHTS, Exclusion

#: Of files; a later version may raise it.
FORMAT = 1
#: The question of the map itself: fit, held-out error and uncertainty.
MAP = "map"
_TASKS_OF_MAP = ("fit", "cross_validate", "bootstrap")
#: Questions of analyses without a criterion, such as those of an earlier study, are numbered.
FURTHER = "further"
#: Most letters of titles and of names of columns, and most dimensions.
_LONGEST, _MOST = 200, 10
_LONGEST_VERSION = 40
_LONGEST_LIMIT = 3600  # seconds for a question
#: Entries that plans of before have not.
_LATER = {"further": [], "skip": False, "time_limit": None}
_MOST_TEXT = 2**20  # letters of a file
#: Parameters of tests that follow from other entries of a plan.
_GIVEN = ("basis", "by", "content")
_AGAIN = "Use the file as it was downloaded, or freeze a new plan."


@short_repr
@dataclass(frozen=True)
class PlannedStep:
    """One planned computation.

    Attributes
    ----------
    question : str
        One of those of the plan, ``"map"``, or ``"further 1"`` and so on.
    task : str
        As of `tripletscope.run`.
    method : dict
        Kind, name and parameters; an ``n_components`` of None is the number that is chosen.
    options : dict
        Of the task, all of them.
    """

    question: str
    task: str
    method: dict[str, Any]
    options: dict[str, Any]

    def filled(self, n_components: int, alpha: float | None = None) -> PlannedStep:
        """The same for a chosen number of dimensions, and tails from the answers."""
        if self.question in QUESTIONS:
            n_components = max(n_components, QUESTIONS[self.question].least)
        return replace(self, method=_filled(self.method, n_components, alpha))

    def checked(self) -> Self:
        """The step; ValueError if this version cannot compute it."""
        task, method = TASKS[self.task], self.made()
        checked(type(method), method.get_params(deep=False))
        if task.kinds and method.kind not in task.kinds:
            raise ValueError(f"{self.task} is not for methods of kind {method.kind}")
        checked(task.function, self.options)
        return self

    def made(self) -> Method:
        """The method in two dimensions, not fitted."""
        return make_method(self.filled(2).method)

    def about(self, objects: pd.DataFrame) -> PlannedStep:
        """The same with the content of the feature spaces whose columns it names."""
        if self.method["kind"] != FeatureModel.kind:
            return self
        content = []
        for name in self.method["parameters"]["content"]:
            try:
                content += FeatureModel.of(space_of(objects, name)).content
            except ValueError:  # without a column of numbers there is nothing to compute
                content.append(f"{name}: ")
        return replace(self, method=_with(
            self.method, lambda name, value: content if name == "content" else value
        ))

    def method_about(self, answers: Answers) -> Method:
        """The method of a filled step, with the feature spaces themselves.

        Raises
        ------
        DataError
            If the objects have no such column of numbers.
        """
        if self.method["kind"] != FeatureModel.kind:
            return make_method(self.method)
        names = self.method["parameters"]["content"]
        return FeatureModel.of([space_of(answers.objects, name, answers.name) for name in names])

    def same_as(self, run: Any) -> bool:
        """Whether a `tripletscope.Run` is of this filled step, whatever the data.

        Feature spaces are known by their names, or by their content if it is given by `about`.
        """
        if (run.task, run.kind, run.method) != (self.task, *_named(self.method)):
            return False
        owner, function = type(make_method(self.method)), TASKS[self.task].function
        try:  # earlier ones lack later parameters, which had their defaults
            made, planned = (checked(owner, one) for one in
                             (run.parameters, self.method["parameters"]))
            options = [checked(function, one) for one in (run.options, self.options)]
        except ValueError:
            return False
        if options[0] != options[1]:
            return False
        named = {name: [text.rpartition(": ")[0] for text in value]
                 for name, value in made.items() if name == "content"}
        return planned in (made, made | named)


def space_of(objects: pd.DataFrame, column: str, file: str | None = None) -> FeatureSpace:
    """The feature space of a column of objects; `DataError` if it is none of numbers."""
    if column not in objects:
        raise DataError(f"there is no column {column}", file=file)
    try:
        values = objects[[column]].to_numpy(dtype=float, na_value=np.nan)
    except (TypeError, ValueError):
        raise DataError(f"the column {column} has more than numbers", file=file) from None
    return FeatureSpace(name=column, values=values, feature_names=[column])


@short_repr
@dataclass(frozen=True, kw_only=True)
class AnalysisPlan:
    """Design, exclusions, method and questions of a study, as decided before its data.

    Attributes
    ----------
    title : str
    n_objects, n_participants, n_answers : int
        Of the study as a whole: answers without checks and practice.
    task, source, skip, time_limit : str, str, bool, int or None
        How objects are shown, which questions are asked, and whether and when they may be left
        without an answer: as of an `Experiment`.
    exclusions : tuple of Exclusion
        Rules with their limits, in order.
    method : OrdinalEmbedding
        Of the map; its number of dimensions does not matter.
    dimensions : tuple of int
        That are compared by held-out error: the fewest that predict as well are chosen. One is
        fixed.
    questions : mapping of str to sequence of str
        Of `tripletscope.core.studies.preregistration.planned_questions.QUESTIONS`: ``clusters``,
        ``groups`` of participants, ``conditions``, ``directions``, ``features``; with the columns
        that they name.
    further : tuple of PlannedStep
        Analyses without a criterion, such as those of an earlier study: see `of_results`.
    frozen : str
        Time of freezing (ISO 8601, UTC); empty before.
    version : str
        Of this package, which froze it.
    steps : tuple of PlannedStep
        The computations that follow from these.

    Raises
    ------
    DataError
        If something is not as it must be, or this version does not have it.

    Examples
    --------
    >>> import tripletscope as ts
    >>> plan = ts.experiment.AnalysisPlan(
    ...     title="Eggs", n_objects=30, n_participants=40, n_answers=4000,
    ...     exclusions=[ts.Exclusion("fast_participants", {"least": 0.8})],
    ...     questions={"clusters": [], "conditions": ["group"]}).freeze()
    >>> [step.task for step in plan.steps]
    ['fit', 'cross_validate', 'bootstrap', 'count_clusters', 'compare_conditions']
    >>> ts.experiment.AnalysisPlan.from_json(plan.to_json()) == plan
    True
    """

    title: str
    n_objects: int
    n_participants: int
    n_answers: int
    task: str = "triplet"
    source: str = "random"
    skip: bool = False
    time_limit: int | None = None
    exclusions: tuple[Exclusion, ...] = ()
    method: Method = field(default_factory=DEFAULT_EMBEDDING)
    dimensions: tuple[int, ...] = (1, 2, 3)
    questions: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    further: tuple[PlannedStep, ...] = ()
    frozen: str = ""
    version: str = ""
    steps: tuple[PlannedStep, ...] = ()

    def __post_init__(self) -> None:
        fill = object.__setattr__  # a frozen dataclass sets its own fields so
        _check(_is_text(self.title), "title", f"is no line of 1 to {_LONGEST} letters")
        for name in ("n_objects", "n_participants", "n_answers"):
            value = getattr(self, name)
            _check(type(value) is int and 1 <= value <= 10**9, name, "is no number from 1")
        _check(self.task in ASKINGS, "task", f"is none of {', '.join(ASKINGS)}")
        _check(self.source in SOURCES, "source", f"is none of {', '.join(SOURCES)}")
        may, limit = ASKINGS[self.task].has_care, self.time_limit
        _check(type(self.skip) is bool and self.skip <= may, "skip", "is not possible here")
        _check(limit is None or (may and type(limit) is int and 1 <= limit <= _LONGEST_LIMIT),
               "time_limit", f"is no number of seconds from 1 to {_LONGEST_LIMIT:,}")
        _check(self.frozen == "" or _is_moment(self.frozen), "frozen", "is no time")
        _check(self.version == "" or _is_version(self.version), "version", "is no short text")
        _check(isinstance(self.questions, Mapping), "questions", "names no columns")
        for name in ("exclusions", "dimensions", "further", "steps"):
            _check(isinstance(getattr(self, name), list | tuple), name, "is no list")
            fill(self, name, tuple(getattr(self, name)))
        _check(all(map(_is_rule, self.exclusions)), "exclusions",
               "has more than rules: participants cannot be named before there are any")
        _check(all(isinstance(one.reason, str) for one in self.exclusions), "exclusions",
               "has a reason that is no text")
        _check(isinstance(self.method, OrdinalEmbedding), "method", "makes no map of the answers")
        fine = all(type(d) is int and 1 <= d <= _MOST for d in self.dimensions)
        _check(fine and self.dimensions == tuple(sorted({*self.dimensions})) != (), "dimensions",
               f"is no list of different numbers from 1 to {_MOST}, in order")
        for name, columns in self.questions.items():
            _check_question(name, columns)
        fill(self, "questions", {name: tuple(self.questions[name]) for name in QUESTIONS
                                 if name in self.questions})
        numbered = [f"{FURTHER} {k}" for k, _ in enumerate(self.further, 1)]
        _check([one.question for one in self.further] == numbered, "further",
               "has analyses that are not numbered")
        planned = (*_planned(self.method, self.questions), *self.further)
        fill(self, "steps", self.steps or planned)
        given, wanted = ([(step.question, step.task) for step in steps]
                         for steps in (self.steps, planned))
        _check(given == wanted, "steps", "does not go with the questions")
        _check([*map(_of_entries, self.steps)] == [*map(_of_entries, planned)], "steps",
               "has another method, or other columns, than the plan")

    def __hash__(self) -> int:
        return hash(self.sha256)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, AnalysisPlan) and self._record == other._record

    def freeze(self, at: datetime | None = None) -> Self:
        """The plan with its time, by default now; a frozen one stays as it is."""
        if self.frozen:
            return self
        at = (at or datetime.now(UTC)).astimezone(UTC)
        return replace(self, frozen=at.isoformat(timespec="milliseconds"), version=__version__)

    @property
    def content(self) -> dict[str, Any]:
        """What is planned, as plain values: the same in plans that were frozen apart."""
        known = {**_LATER, **self._record}
        return {name: value for name, value in known.items() if name not in ("frozen", "version")}

    @cached_property
    def sha256(self) -> str:
        """Hash of everything in the plan, with time and version."""
        return hashlib.sha256(_canonical(self._record)).hexdigest()

    @cached_property
    def _record(self) -> dict[str, Any]:
        return {
            **{one.name: getattr(self, one.name) for one in fields(self)},
            "exclusions": [{"rule": one.rule, "parameters": dict(one.parameters),
                            "reason": one.reason} for one in self.exclusions],
            "method": _open(as_record(self.method)), "dimensions": [*self.dimensions],
            "questions": {name: [*columns] for name, columns in self.questions.items()},
            "further": [asdict(step) for step in self.further],
            "steps": [asdict(step) for step in self.steps],
        }

    def to_record(self) -> dict[str, Any]:
        """Plain values for a file, with format and hash."""
        return {"format": FORMAT, **self._record, "sha256": self.sha256}

    def to_json(self) -> str:
        """The file of the plan."""
        return json.dumps(self.to_record(), indent=1, ensure_ascii=False)

    @classmethod
    def from_json(cls, text: str | bytes, file: str = "plan.json") -> Self:
        """The plan of a file; `DataError` says what is wrong with it, and in which line."""
        try:
            if len(text) > _MOST_TEXT:
                raise ValueError(f"it has {len(text):,} letters")
            record = json.loads(text)
            _canonical(record)
        except (ValueError, RecursionError) as error:
            raise DataError(f"this is no plan: {error}", file=file, remedy=_AGAIN) from None
        return cls.from_record(record, file, lambda entry: _line_of(text, entry))

    @classmethod
    def from_record(
        cls, record: Any, file: str = "plan.json",
        line_of: Callable[[str], int | None] | None = None,
    ) -> Self:
        """The plan of `to_record`; `line_of` finds the line of an entry.

        Raises
        ------
        DataError
            If an entry is not as this program writes it, or of another version, or was changed.
        """
        if not isinstance(record, dict) or type(record.get("format")) is not int:
            raise DataError("this is no analysis plan", file=file, remedy=_AGAIN)
        if record["format"] > FORMAT:
            raise DataError("a newer version of TripletScope froze this plan", file=file,
                            remedy="Update the program.")
        values = {name: value for name, value in record.items() if name not in ("format", "sha256")}
        try:
            return cls._of(values, record.get("sha256"))
        except UnsoundEntry as error:
            raise DataError(
                error.problem, file=file, row=line_of(error.entry) if line_of else None,
                remedy=error.remedy,
            ) from None
        except (TypeError, ValueError, RecursionError) as error:
            raise DataError(f"this is no plan: {error}", file=file, remedy=_AGAIN) from None

    @classmethod
    def _of(cls, values: dict[str, Any], sha256: Any) -> Self:
        names = {one.name for one in fields(cls)}
        for name in names ^ {*_LATER, *values}:
            _check(False, name, "is missing" if name in names else "is unknown")
        _check(values["frozen"], "frozen", "is empty: nobody froze the plan")
        _check(_is_version(values["version"]), "version", "is no short text")
        _check(values["steps"], "steps", "is empty")
        made = {**_LATER, **values}
        every = ("further", "steps")
        for name, make in (
            ("exclusions", lambda every: [Exclusion(**one) for one in every]),
            ("method", lambda record: PlannedStep(MAP, "fit", record, {}).checked().made()),
            *((name, lambda steps: [PlannedStep(**one).checked() for one in steps])
              for name in every),
        ):
            try:
                made[name] = make(made[name])
            except (ValueError, TypeError, KeyError, AttributeError, RecursionError,
                    OverflowError) as error:
                problem = error.problem if isinstance(error, DataError) else str(error)
                raise UnsoundEntry(
                    name, f"is not of this version, {__version__}: {problem.rstrip('.')}",
                    f"Version {values['version']} froze the plan: install that one, or freeze a "
                    "new plan.",
                ) from None
        plan = cls(**made)
        # As it was frozen: this version may know further parameters, with defaults.
        plan.__dict__["_record"] = values  # fills the cached property
        _check(plan.sha256 == sha256, "sha256", "is not that of the plan, which was changed")
        return plan

    @classmethod
    def of_results(
        cls, title: str, runs: Sequence[Any], answers: Answers, *,
        exclusions: Sequence[Exclusion] = (),
    ) -> Self:
        """The analyses of other answers, as a plan.

        Parameters
        ----------
        title : str
        runs : sequence of Run
            The first map among them is that of the plan, with its number of dimensions: what was
            compared to choose it is planned, and does not choose again. What reads features is a
            question if they are columns of the objects; others, and what is of a table or of
            views, is left out.
        answers : Triplets or Quadruples
            Of which they are.
        exclusions : sequence of Exclusion
            Those by rules are planned.

        Examples
        --------
        >>> import tripletscope as ts
        >>> answers = ts.read("sample_data/ekman_colors/answers.csv")
        >>> runs = [ts.run("fit", ts.STE(), answers), ts.run("fit", ts.SOE(), answers)]
        >>> plan = ts.experiment.AnalysisPlan.of_results("Again", runs, answers)
        >>> plan.method.name, [step.method["method"] for step in plan.further]
        ('ste', ['soe'])
        """
        runs = [run for run in runs if not why_not_planned(run)]
        method = next((one for run in runs if run.task == "fit"
                       and isinstance(one := run.fresh(), OrdinalEmbedding)
                       and one.n_components <= _MOST), DEFAULT_EMBEDDING())
        plan = cls(
            title=title, n_objects=answers.n_objects,
            n_participants=max(n_participants(answers), 1),
            n_answers=int(one_per_trial(answers).sum()), method=method,
            exclusions=[replace(one, reason="") for one in exclusions if _is_rule(one)],
            dimensions=[method.n_components],
        )
        (d,) = plan.dimensions
        asked = {
            name: columns for name, columns in _asked(runs, answers).items()
            if any(step.filled(d).same_as(run) for run in runs
                   for step in _planned(method, {name: columns})[len(_TASKS_OF_MAP):])
        }
        plan = replace(plan, questions=asked, steps=())
        known = plan.steps_in(d)
        rest = [run for run in runs if run.kind != FeatureModel.kind
                and not any(step.same_as(run) for step in known)]
        return replace(plan, steps=(), further=[
            PlannedStep(f"{FURTHER} {k}", run.task, as_record(run.fresh()),
                        checked(TASKS[run.task].function, run.options))
            for k, run in enumerate(rest, 1)
        ])

    # Steps ---------------------------------------------------------------------------------

    @property
    def compared(self) -> dict[int, PlannedStep]:
        """The held-out error in each number of dimensions, by which one is chosen."""
        error = next(step for step in self.steps if step.task == "cross_validate")
        return {d: error.filled(d) for d in self.dimensions}

    def chosen(self, errors: Mapping[int, ErrorEstimate], answers: Answers) -> int:
        """The number of dimensions that the plan's rule chooses, by the errors in `compared`."""
        if len(self.dimensions) == 1:
            return self.dimensions[0]
        folds = next(iter(self.compared.values())).options["folds"]
        return recommend_dimension(errors, answers, 1.0 / (folds - 1)).n_components

    def steps_in(self, n_components: int, alpha: float | None = None) -> list[PlannedStep]:
        """The computations in a chosen number of dimensions, and with tails from the answers."""
        return [step.filled(n_components, alpha) for step in self.steps]


def why_not_planned(run: Any) -> str:
    """Why an analysis says nothing of other answers: a code, or empty if it does.

    ``unknown`` to this version, of a ``table``, ``measured``, of ``features``, or of ``views``.
    """
    if run.task not in TASKS or not TASKS[run.task].needs_data or run.task == "choose_tail":
        return "unknown"
    if run.table:
        return "table"
    if run.of_measured:
        return "measured"
    return "views" if run.options.get("views") else ""


def _asked(runs: Sequence[Any], answers: Answers) -> dict[str, list[str]]:
    """Questions that results may answer, with the columns that they name."""
    found: dict[str, list[str]] = {}
    for run in runs:
        for name, asked in QUESTIONS.items():
            columns = {
                "conditions": lambda run: [run.parameters["by"]],
                "directions": lambda run: run.options["columns"],
                "features": lambda run: [one.rpartition(": ")[0]
                                         for one in run.parameters["content"]],
            }.get(name, lambda run: [])
            if run.task == asked.task and name not in found:
                found[name] = columns(run)
    return {name: columns for name, columns in found.items()
            if name != "features" or {*columns} <= {*answers.objects.columns}}


class UnsoundEntry(DataError):
    """An entry of a plan that is not as it must be."""

    def __init__(self, entry: str, problem: str, remedy: str = _AGAIN) -> None:
        super().__init__(f"the entry {entry!r} {problem}", remedy=remedy)
        self.entry = entry


def _check(fine: Any, entry: str, problem: str) -> None:
    if not fine:
        raise UnsoundEntry(entry, problem)


def _is_rule(exclusion: Any) -> bool:
    """Whether it excludes by a rule, and nobody by name."""
    return (
        isinstance(exclusion, Exclusion) and exclusion.rule not in (MANUAL, WEIGHTS)
        and not exclusion.participants and not exclusion.answers
        and not (exclusion.rule == "other_values"
                 and exclusion.parameters["column"] == "participant")
    )


def _check_question(name: str, columns: Sequence[str]) -> None:
    _check(name in QUESTIONS, "questions", f"has {name!r}, and may have {', '.join(QUESTIONS)}")
    asked = QUESTIONS[name]
    _check(isinstance(columns, list | tuple) and all(map(_is_text, columns)), "questions",
           f"names columns of {name} that are no names")
    few = bool(asked.of) <= len(columns) <= (len(columns) if asked.several else bool(asked.of))
    _check(few, "questions", f"names {counted(len(columns), 'column')} of {name}; it takes "
           + (("one or more" if asked.several else "one") if asked.of else "none"))


def _planned(embedding: Method, questions: Mapping[str, Sequence[str]]) -> tuple[PlannedStep, ...]:
    """The computations of this version."""
    def step(question: str, task: str, method: Method, options: Mapping[str, Any]) -> PlannedStep:
        return PlannedStep(
            question, task, _open(as_record(method)), checked(TASKS[task].function, options)
        )

    return (*(step(MAP, task, embedding, {}) for task in _TASKS_OF_MAP), *(
        step(name, asked.task, asked.method(embedding, columns), asked.options(columns))
        for name, columns in questions.items() for asked in [QUESTIONS[name]]
    ))


def _of_entries(step: PlannedStep) -> tuple[Any, ...]:
    """What other entries of the plan say of a step: method of the map, columns, no dimensions."""
    method = step.made()
    record = as_record(method)
    is_map, parameters = isinstance(method, OrdinalEmbedding), record["parameters"]
    if parameters.get("basis"):
        parameters["basis"] = as_record(make_method(parameters["basis"]))
    return (
        step.method == _open(step.method), _named(record), step.options.get("columns"),
        *(value for name, value in parameters.items() if is_map or name in _GIVEN),
    )


def _open(record: Mapping[str, Any]) -> dict[str, Any]:
    """A record of a method, and of those that it builds on, whose dimensions are to be chosen."""
    return _with(record, lambda name, value: None if name == "n_components" else value)


def _filled(record: Mapping[str, Any], n_components: int, alpha: float | None) -> dict[str, Any]:
    chosen = {"n_components": n_components, "alpha": alpha}
    return _with(record, lambda name, value: chosen.get(name) if value is None else value)


def _with(record: Mapping[str, Any], change: Callable[[str, Any], Any]) -> dict[str, Any]:
    return {**record, "parameters": {
        name: _with(value, change) if isinstance(value, Mapping) else change(name, value)
        for name, value in record["parameters"].items()
    }}


def _named(record: Mapping[str, Any]) -> tuple[str, str]:
    return record["kind"], record["method"]


def _canonical(record: Any) -> bytes:
    return json.dumps(
        record, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False
    ).encode()


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and 0 < len(value) <= _LONGEST and value.isprintable()


def _is_moment(text: Any) -> bool:
    """Whether it is a time with its zone, of a year that there is in UTC."""
    try:
        moment = datetime.fromisoformat(text)
        moment.astimezone(UTC)
    except (TypeError, ValueError, OverflowError):
        return False
    return moment.tzinfo is not None


def _is_version(text: Any) -> bool:
    return _is_text(text) and len(text) <= _LONGEST_VERSION


def _line_of(text: str | bytes, entry: str) -> int | None:
    """The line of a file in which an entry stands; None if there is none."""
    text = text.decode(errors="replace") if isinstance(text, bytes) else text
    place = text.find(f'"{entry}"')
    return text[:place].count("\n") + 1 if place >= 0 else None
