"""The number of dimensions that cross-validation recommends, in the words that every page uses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tripletscope.core.data.triplets import Judgements
from tripletscope.core.engine.declared import Parameter, parameters
from tripletscope.core.engine.method import Method, methods
from tripletscope.core.inference.evaluation.compare import Suggestion, recommend_dimension
from tripletscope.core.inference.evaluation.score import ErrorEstimate, cross_validate, has_split
from tripletscope.core.models.embedding import STE
from tripletscope.core.models.embedding.default import DEFAULT_EMBEDDING
from tripletscope.core.models.embedding.ordinal import OrdinalEmbedding
from tripletscope.dashboard import analysis
from tripletscope.dashboard.keeping.catalogue import DatasetInfo
from tripletscope.dashboard.results.curves import dimensions_advised, dimensions_said
from tripletscope.dashboard.state import Session
from tripletscope.dashboard.views.compare.comparing import PAGE
from tripletscope.dashboard.wording import ENGLISH

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
    """What held-out errors say of the number of dimensions, and which to take."""
    return " ".join((
        *dimensions_said(ENGLISH, name, suggestion, best, best.scheme),
        *dimensions_advised(ENGLISH, suggestion),
    ))
