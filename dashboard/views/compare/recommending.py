"""The number of dimensions that cross-validation recommends, in the words that every page uses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tripletscope.core.data.triplets import Judgements
from tripletscope.core.engine.declared import Parameter, parameters
from tripletscope.core.engine.method import Method, methods
from tripletscope.core.inference.evaluation.compare import Suggestion, recommend_dimension
from tripletscope.core.inference.evaluation.paired import PairedDifference
from tripletscope.core.inference.evaluation.score import ErrorEstimate, cross_validate, has_split
from tripletscope.core.inference.evaluation.units import over_units
from tripletscope.core.models.embedding import DEFAULT_EMBEDDING, STE
from tripletscope.core.models.embedding.ordinal import OrdinalEmbedding
from tripletscope.dashboard import analysis
from tripletscope.dashboard.interface.theme import count, interval
from tripletscope.dashboard.keeping.catalogue import DatasetInfo
from tripletscope.dashboard.state import Session
from tripletscope.dashboard.views.compare.comparing import PAGE

#: What the form of the page Compare begins with.
USUAL_METHODS = [DEFAULT_EMBEDDING.name, STE.name]
DIMENSIONS = {"low": 1, "high": 5}


@dataclass(frozen=True)
class Comparison:
    """Which methods in which numbers of dimensions are compared, and how error is measured."""

    methods: list[OrdinalEmbedding]
    others: list[Method]
    scheme: str
    options: dict[str, Any]

    @property
    def pieces(self) -> list[analysis.Piece]:
        return [
            piece for method in (*self.methods, *self.others)
            for piece in ((method, "fit", {}), (method, self.scheme, self.options))
        ]

    @property
    def n_dimensions(self) -> int:
        """Numbers of dimensions that every method is fitted in."""
        return len({method.n_components for method in self.methods}) or 1

    @property
    def ratio(self) -> float:
        """Answers held out to answers learned from; test answers are held out once."""
        return 1.0 / (self.options["folds"] - 1) if self.options else 0.0

    def estimates(
        self, info: DatasetInfo, triplets: Judgements
    ) -> list[tuple[Method, ErrorEstimate]]:
        """Held-out errors that were computed."""
        found = []
        for method in (*self.methods, *self.others):
            run = analysis.find(info, triplets, method, self.scheme, self.options)
            if run is not None:
                found.append((method, run.result()))
        return found


def standing(current: Session, triplets: Judgements) -> Comparison:
    """What the page Compare compares as its form stands, or will begin."""

    def told(name: str, default: Any) -> Any:
        value = current.drafts.get(f"{PAGE}.{name}")
        return default if value is None else value

    known = methods("embedding")
    ends = sorted(int(told(name, end)) for name, end in DIMENSIONS.items())
    chosen = [
        known[name](n_components=d) for name in told("methods", USUAL_METHODS) if name in known
        for d in range(ends[0], ends[1] + 1)
    ]
    others = [methods(kind).get(name) for kind, name in (
        place.split("/") for place in told("others", [])
    )]
    scheme, options = "cross_validate", {}
    if has_split(triplets):
        scheme = told("scheme", scheme)
    if scheme == "cross_validate":
        options = {
            p.name: _allowed(p, told(f"cross_validate.{p.name}", p.default))
            for p in parameters(cross_validate)
        }
    return Comparison(chosen, [method() for method in others if method], scheme, options)


def _allowed(parameter: Parameter, value: Any) -> Any:
    """A value that the form can show; a session of an earlier version may remember others."""
    try:
        return parameter.check(value, "the form")
    except ValueError:
        return parameter.default


def recommended(
    estimates: Sequence[tuple[Method, ErrorEstimate]], triplets: Judgements,
    ratio: float,
) -> dict[str, tuple[Suggestion, ErrorEstimate]]:
    """What held-out errors recommend: of each method, with the error of the best number.

    Of every method whose error is known in more than one number of dimensions.

    estimates: As of `Comparison.estimates`. Whoever shows them, too, asks once: more may arrive.
    ratio: `Comparison.ratio`.
    """
    by_dimension: dict[str, dict[int, ErrorEstimate]] = {}
    for method, estimate in estimates:
        if isinstance(method, OrdinalEmbedding):
            by_dimension.setdefault(method.title, {})[method.n_components] = estimate
    found = {}
    for name, errors in by_dimension.items():
        if len(errors) > 1:
            suggestion = recommend_dimension(errors, triplets, ratio)
            found[name] = suggestion, errors[suggestion.best]
    return found


def in_words(name: str, suggestion: Suggestion, best: ErrorEstimate) -> str:
    """What held-out errors can decide about the number of dimensions, and which to take.

    Silent on: few answers, chance (tests/dashboard/views/test_compare.py::test_few_answers).

    name: Of the method.
    best: Of the number of dimensions with the lowest error.
    """
    over = over_units(best.unit, best.n_units)
    shown = (
        f"{interval(best.error, best.low, best.high)} ({best.scheme}, 95 % interval{over})"
    )
    if suggestion.is_chance:
        return (
            f"{name}: held-out answers are not shown to be predicted better than by chance, with "
            f"the lowest error of {shown}: no number of dimensions is recommended."
        )
    chosen, alike = suggestion.n_components, suggestion.undecided
    at_the_edge = (
        f" {count(suggestion.best, 'dimension')} were the most that was tried: more might predict "
        "better." if suggestion.is_at_the_edge else ""
    )
    if suggestion.is_decided:
        sentence = f"{name}: {count(chosen, 'dimension')}, with an error "
        sentence += f"of {shown}" if chosen == suggestion.best else (
            f"{100 * suggestion.behind[chosen].difference:.1f} points above the lowest, that of "
            f"{suggestion.best}, {shown}"
        )
        fewer = max((d for d in suggestion.behind if d < chosen), default=None)
        if fewer is not None:
            apart = suggestion.behind[fewer]
            sentence += f"; {fewer} would be worse by {points(apart)}, {p_value(apart.p)}"
        if suggestion.tried[-1] > chosen:
            sentence += (
                f"; more, to {suggestion.tried[-1]}, would be better by at most "
                f"{100 * max(suggestion.most_gain, 0.0):.1f} points (95 %)"
            )
        return f"{sentence}.{at_the_edge} {suggestion.warning}".rstrip()
    if len(alike) == 1:  # and the differences from others are anything
        return (
            f"{name}: {count(chosen, 'dimension')} had the lowest error, {shown}, of those that "
            f"were tried.{at_the_edge} {suggestion.warning}".rstrip()
        )
    between = f"{alike[0]} and {alike[-1]}"
    if alike != [d for d in suggestion.tried if alike[0] <= d <= alike[-1]]:
        between = f"{', '.join(map(str, alike[:-1]))} and {alike[-1]}"
    sentence = (
        f"{name}: {suggestion.n_answers:,} answers cannot decide between {between} dimensions. "
        f"{suggestion.best} had the lowest error, {shown}."
    )
    if 2 in alike:
        sentence += " For a picture take 2"
        sentence += f"; for prediction, {chosen}." if chosen != 2 else "."
    else:
        sentence += f" Take {chosen}."
    return f"{sentence}{at_the_edge} {suggestion.warning}".rstrip()


def verdicts(best: str, behind: Mapping[str, PairedDifference]) -> list[str]:
    """Whether the method with the lowest error beats each other one.

    Silent on: equal methods
    (tests/core/inference/evaluation/test_paired.py::test_the_lowest_beats_no_equal).
    """
    found = []
    for name, apart in behind.items():
        p = p_value(apart.p)
        if apart.p < Suggestion.level:
            found.append(f"{best} beats {name} by {points(apart)}, {p}.")
        else:
            found.append(
                f"{best} and {name} cannot be told apart: they differ by {points(apart)}, {p}."
            )
    return found


def points(apart: PairedDifference) -> str:
    """A difference of errors with its interval, like 1.8 points [0.9, 2.7]."""
    ends = ", ".join(f"{100 * end:.1f}" for end in (apart.low, apart.high))
    return f"{100 * apart.difference:.1f} points [{ends}]"


def p_value(value: float) -> str:
    """A p value in two digits, like p = 0.21."""
    return f"p = {value:.2g}" if value >= 0.001 else "p < 0.001"
