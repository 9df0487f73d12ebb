"""Which methods and dimensions the page Compare compares, for other pages, too."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tripletscope.core.data.triplets import Answers
from tripletscope.core.engine.declared import Parameter, parameters
from tripletscope.core.engine.method import Method, methods
from tripletscope.core.inference.held_out.score import cross_validate, has_split
from tripletscope.core.models.embedding import STE
from tripletscope.core.models.embedding.default import DEFAULT_EMBEDDING
from tripletscope.core.models.embedding.ordinal import OrdinalEmbedding
from tripletscope.core.run import Run
from tripletscope.dashboard.state import Session
from tripletscope.dashboard.store.dataset import DatasetInfo
from tripletscope.dashboard.ui import analysis
from tripletscope.dashboard.ui.ceiling_advice import PAGE

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

    def runs(self, info: DatasetInfo, triplets: Answers) -> list[Run]:
        """Held-out errors that were computed."""
        return [
            run for method in (*self.methods, *self.others)
            if (run := analysis.find(info, triplets, method, self.scheme, self.options)) is not None
        ]


def current_comparison(current: Session, info: DatasetInfo, triplets: Answers) -> Comparison:
    """What the page Compare compares as its form stands, or will begin."""

    def value(name: str, default: Any) -> Any:
        noted = current.drafts.get(f"{PAGE}.{name}")
        return default if noted is None else noted

    embeddings = methods("embedding")
    low, high = sorted(int(value(name, end)) for name, end in DIMENSIONS.items())
    chosen = [
        analysis.settled(info, embeddings[name](n_components=d))
        for name in value("methods", USUAL_METHODS)
        if name in embeddings for d in range(low, high + 1)
    ]
    places = [place.split("/") for place in value("others", [])]
    others = [
        analysis.settled(info, methods(kind)[name]())
        for kind, name in places if name in methods(kind)
    ]
    scheme, options = "cross_validate", {}
    if has_split(triplets):
        scheme = value("scheme", scheme)
    if scheme == "cross_validate":
        options = {
            p.name: _allowed(p, value(f"cross_validate.{p.name}", p.default))
            for p in parameters(cross_validate)
        }
    return Comparison(chosen, others, scheme, options)


def _allowed(parameter: Parameter, value: Any) -> Any:
    """A value that the form can show; a session of an earlier version may remember others."""
    try:
        return parameter.check(value, "the form")
    except ValueError:
        return parameter.default
