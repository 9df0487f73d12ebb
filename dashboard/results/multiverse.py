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
    result: Multiverse = run.result()
    told = ToldMultiverse(result, shown.look_of(run, MultiverseLook).order)
    if len(told.order) < len(result.done):
        yield Statement(words("multiverse so far", done=len(told.order), all=len(result.done)))
    yield from map(Statement, told.sentences())
    if len(told.order) > 1:
        yield Advice(words("multiverse share"))
    marks = result.marks
    yield shown.drawing(
        run, "multiverse", rows_of(told.parts) * 1.3 * FONT_SIZE / SCREEN.width,
        partial(
            specification_curve, told.table, told.groups, told.concluded, still=told.still,
            texts=told.texts, places=told.order,
            titles=[words("multiverse error"), words("multiverse moved")],
        ),
        lambda: result.table, main=told.names[0], replicates=run.options["replicates"],
        over=result.error.over, folds=run.options["folds"], picks=True,
        **({} if marks is None else {"about": shown.about_of(len(marks))}),
    )
    yield Numbers(words("numbers"), lambda: told.numbers)


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
        result, embeddings = self.result, methods("embedding")
        has_views = len({*result.views}) > 1
        names = []
        for name, d, view in zip(result.methods, result.n_components, result.views, strict=True):
            number = words.count(int(d), "dimension")
            if embeddings[name].is_rank_chosen:
                number = words("multiverse up to", number=number)
            names.append(", ".join([self._titles[name], number, *([view] if has_views else [])]))
        return names

    @cached_property
    def _titles(self) -> dict[str, str]:
        return {name: method.title for name, method in methods("embedding").items()}

    @cached_property
    def table(self) -> pd.DataFrame:
        """Analyses that are done, with the main one marked."""
        return self.result.table_by(self.by).assign(is_main=self.order == 0)

    @property
    def groups(self) -> list[pd.DataFrame]:
        """What was chosen in each, a table for each choice that differs."""
        table = self.table
        choices = {
            "method": {name: self._titles[name] for name in dict.fromkeys(self.result.methods)},
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
        return [self.text_of(k) for k in self.order]

    def text_of(self, k: int) -> str:
        """What one analysis gives."""
        return words("multiverse one", name=self.names[k], error=self.result.error[k].interval,
                     moved=self.result.moved[k].interval)

    @property
    def numbers(self) -> pd.DataFrame:
        """The table in words."""
        table = self.table.drop(columns="is_main").assign(method=[
            self._titles[name] for name in self.table["method"]
        ])
        if "clusters" in table:
            said = {-1: "", 0: words("multiverse cannot tell"), 1: words("multiverse none")}
            table["clusters"] = [said.get(n, str(n)) for n in table["clusters"]]
        return table

    def sentences(self) -> Iterator[str]:
        """What of the main analysis depends on choices, and what is concluded by how many."""
        result, error, order = self.result, self.result.error.value, self.result.order
        same = [k for k in order if result.views[k] == result.views[0] and np.isfinite(error[k])]
        if np.isfinite(error[0]) and len(same) > 1:
            others = error[[k for k in same if k != 0]]
            yield words("multiverse errors", main=self.names[0], own=result.error[0].interval,
                        low=others.min(), high=others.max(), n=words.count(
                            len(others), "other analysis"))
        others = [k for k in order if k != 0 and np.isfinite(result.moved.value[k])]
        if others and np.isfinite(self.still):
            near = int((result.moved.value[others] <= self.still).sum())
            yield words("multiverse maps", near=near, still=self.still,
                        others=words.count(len(others), "other analysis"))
        if result.asks_for_clusters:
            yield self._clusters_said()
        for k, (column, p) in enumerate(zip(result.columns, result.p, strict=True)):
            n = int(result.tested[:, k].sum())
            yield words("multiverse untested", column=column) if not n else words(
                "multiverse column", column=column, some=round(result.shares[k] * n),
                n=words.count(n, "analysis"), p=p,
            )

    def _clusters_said(self) -> str:
        """In how many of the analyses that tell clusters are seen."""
        n = words.count(int((self.result.n_clusters > 0).sum()), "analysis")
        some = self.result.n_clusters[self.result.has_clusters]
        if not (self.result.n_clusters > 0).any():
            return words("multiverse untold clusters")
        if not len(some):
            return words("multiverse no clusters", n=n)
        number = str(some.min()) if some.min() == some.max() else f"{some.min()} to {some.max()}"
        return words("multiverse some clusters", some=len(some), n=n, number=number)
