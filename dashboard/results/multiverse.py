"""The main analysis beside others of the same answers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Annotated, ClassVar

import numpy as np
import pandas as pd

from tripletscope.core.data.lazy import cached_property
from tripletscope.core.engine.method import methods
from tripletscope.core.run import Run
from tripletscope.core.studies.multiverse import Multiverse
from tripletscope.dashboard.figures.multiverse import rows_of, specification_curve
from tripletscope.dashboard.figures.theme import FONT_SIZE, SCREEN
from tripletscope.dashboard.results.look import OneOf
from tripletscope.dashboard.results.presentation import (
    Advice,
    Element,
    Numbers,
    ShownResults,
    Statement,
    presents,
)
from tripletscope.dashboard.words import words


@dataclass(frozen=True)
class MultiverseLook:
    """How analyses are shown.

    order: "error" or "moved": What they are sorted by.
    """

    place: ClassVar[str] = "compare.multiverse"

    order: Annotated[str, OneOf(
        {"error": "Held-out error", "moved": "Distance from the main map"}, "Order"
    )] = "error"


@presents("multiverse", told_in="comparison", look=MultiverseLook)
def multiverse_of(shown: ShownResults, run: Run) -> Iterator[Element]:
    """What depends on choices, a column of marks for each analysis, and all of them."""
    look = shown.look_of(run, MultiverseLook)
    told = ToldMultiverse(run.result(), look.order)
    result, n = told.result, len(told.result.order)
    if n < len(result.done):
        yield Statement(words("multiverse so far", done=n, all=len(result.done)))
    yield from told.sentences()
    if n > 1:
        yield Advice(words("multiverse share"))
    yield shown.drawing(
        run, "multiverse", rows_of(told.parts) * 1.3 * FONT_SIZE / SCREEN.width,
        partial(
            specification_curve, told.table, told.groups, told.concluded, still=told.still,
            texts=told.texts, titles=[words("multiverse error"), words("multiverse moved")],
        ),
        lambda: result.table, main=told.names[0], replicates=run.options["replicates"],
        over=result.error.over, folds=run.options["folds"], picks=True,
    )
    yield Numbers(words("numbers"), lambda: result.table)


@dataclass(frozen=True)
class ToldMultiverse:
    """A multiverse in words, and as a figure has it."""

    result: Multiverse
    by: str = "error"

    @cached_property
    def order(self) -> np.ndarray:
        """Positions of the analyses that are done, as they are sorted."""
        return self.result.sorted_by(self.by)

    @cached_property
    def names(self) -> list[str]:
        """Of all analyses: method, dimensions and view."""
        result, titles = self.result, methods("embedding")
        has_views = len({*result.views}) > 1
        return [
            ", ".join([titles[name].title, words.count(int(d), "dimension"),
                       *([view] if has_views else [])])
            for name, d, view in zip(result.methods, result.n_components, result.views, strict=True)
        ]

    @cached_property
    def table(self) -> pd.DataFrame:
        """Analyses that are done, with the main one marked."""
        return self.result.table_by(self.by).assign(is_main=self.order == 0)

    @property
    def groups(self) -> list[pd.DataFrame]:
        """What was chosen in each, a table for each choice that differs."""
        table, titles = self.table, methods("embedding")
        choices = {
            "method": {name: titles[name].title for name in dict.fromkeys(self.result.methods)},
            "dimensions": {d: words.count(int(d), "dimension")
                           for d in sorted({*self.result.n_components.tolist()})},
            "view": {view: view for view in dict.fromkeys(self.result.views)},
        }
        return [
            pd.DataFrame({label: table[choice] == value for value, label in labels.items()})
            for choice, labels in choices.items() if len(labels) > 1
        ]

    @property
    def concluded(self) -> pd.DataFrame:
        """Which conclusions stand in each."""
        result, order = self.result, self.order
        found = {}
        if result.asks_for_clusters:
            found[words("multiverse clusters")] = result.has_clusters[order]
        for k, column in enumerate(result.columns):
            found[words("multiverse predicts", column=column)] = result.predicted[order, k, 0]
        return pd.DataFrame(found, index=self.table.index)

    @property
    def parts(self) -> list[pd.DataFrame]:
        return [*self.groups, self.concluded]

    @property
    def still(self) -> float:
        """How far maps of resampled answers lie from the main map."""
        return float(self.result.moved.high[0])

    @property
    def texts(self) -> list[str]:
        """Of each analysis that is done, for the pointer."""
        result = self.result
        return [words(
            "multiverse one", name=self.names[k], error=result.error[k].interval,
            moved=result.moved[k].interval,
        ) for k in self.order]

    def sentences(self) -> Iterator[Statement]:
        result, order, error = self.result, self.result.order, self.result.error.value
        n = len(order)
        known = order[np.isfinite(error[order])]
        if len(known) > 1:
            best = int(known[0])
            yield Statement(words(
                "multiverse errors", low=error[known].min(), high=error[known].max(),
                main=self.names[0], own=error[0], best=self.names[best],
            ) if best else words("multiverse best", main=self.names[0], own=error[0],
                                 high=error[known].max()))
        others = order[order != 0]
        if len(others):
            near = int((result.moved.value[others] <= self.still).sum())
            yield Statement(words(
                "multiverse maps", near=near, others=words.count(len(others), "other analysis"),
                still=self.still,
            ))
        if result.asks_for_clusters:
            some = result.n_clusters[result.has_clusters]
            yield Statement(
                words("multiverse no clusters", n=n) if not len(some) else
                words("multiverse some clusters", some=len(some), n=n, low=int(some.min()),
                      high=int(some.max()))
            )
        for column, share, p in zip(result.columns, result.shares, result.p, strict=True):
            yield Statement(words(
                "multiverse column", column=column, some=round(share * n), n=n, p=p,
            ))
