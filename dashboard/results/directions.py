"""Directions in which columns of the objects grow on a map."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
import pandas as pd

from tripletscope.core.data.lazy import cached_property
from tripletscope.core.features.directions import Directions
from tripletscope.core.run import Run
from tripletscope.dashboard.figures.arrows import Arrow
from tripletscope.dashboard.figures.map_2d import height_of
from tripletscope.dashboard.results.drawing import Drawing
from tripletscope.dashboard.results.map_recipe import MapLook, Placed
from tripletscope.dashboard.results.maps import PlacedObjects, style_said
from tripletscope.dashboard.results.presentation import (
    Advice,
    Element,
    Numbers,
    ShownResults,
    Statement,
    presents,
)
from tripletscope.dashboard.words import words

#: Names in a sentence; a map's width, least and highest height.
_NAMED, _WIDTH, _LEAST, _MOST = 4, 640.0, 300.0, 640.0
#: What is said of columns without an arrow, in this order, in one sentence for each.
_OTHERS = ("peak", "trough", "curved", "few", "backwards", "chance", "short", "constant")


@presents("directions", told_in="map")
def directions_of(shown: ShownResults, run: Run) -> Iterator[Element]:
    """Which columns grow in a direction, the map with arrows, and all columns."""
    result: Directions = run.result()
    yield from directions_said(result)
    if "few" in result.found and run.options["form"] == "linear":
        yield Statement(words("grows ranks"))
    drawn = DirectedMap(shown, run)
    if result.drawn.any() and result.direction.shape[1] > 1:
        ratio = height_of(drawn.seen, _WIDTH, _LEAST, _MOST) / _WIDTH
        title = words("title directions")
        alt = words("alt directions", number=words.count(int(result.drawn.sum()), "arrow"))
        yield Drawing("directions", title, drawn.caption, alt, ratio, drawn.draw,
                      lambda: result.table, (run.key,), picks=True)
        yield Advice(words("grows turned"))
    yield Numbers(words("title columns"), lambda: columns_of(result, drawn.rotation),
                  about=words("about columns"))
    if result.drawn.sum() > 1:
        yield Numbers(words("title between"), lambda: between_of(result),
                      about=words("about between"))


def directions_said(result: Directions) -> Iterator[Statement]:
    """The best arrows, what is between two of them, and why others have none."""
    order = np.argsort(-np.nan_to_num(result.explained, nan=-np.inf), kind="stable")
    arrows = [k for k in order if result.drawn[k]]
    names = [words("quoted", name=name) for name in result.columns]
    for k in arrows[:1]:
        yield Statement(words(
            "grows arrow", column=names[k], explained=result.explained[k], p=result.p[k],
            half=round(result.half_angle[k]), over=result.between.over,
        ))
    if arrows[1:]:
        yield Statement(words("grows too", columns=_first(names, arrows[1:])))
        value, low, high = (round(e[arrows[0], arrows[1]]) for e in result.between.interval)
        yield Statement(words("grows between", first=names[arrows[0]],
                              second=names[arrows[1]], value=value, low=low, high=high))
    for k in np.flatnonzero([found in ("separated", "mixed") for found in result.found]):
        yield Statement(words(
            f"categories {result.found[k]}", column=names[k], accuracy=result.accuracy[k],
            chance=result.chance[k], p=result.p[k],
        ))
    for found in _OTHERS:
        some = [k for k in order if result.found[k] == found]
        if some:
            yield Statement(words(f"grows {found}", columns=_first(names, some)))


def _first(names: list[str], which: list[int]) -> str:
    return words.first([names[k] for k in which], _NAMED)


@dataclass(frozen=True)
class DirectedMap(PlacedObjects):
    """The map of directions, turned and coloured as its fit is, with their arrows."""

    shown: ShownResults
    run: Run

    @cached_property
    def _result(self) -> Directions:
        return self.run.result()

    @cached_property
    def look(self) -> MapLook:
        run, fit = self.run, self.shown.of(self.run, "fit")
        if fit is not None and run.key not in self.shown.looks:
            run = fit
        return replace(self.shown.look_of(run), coverage=0.0)  # wedges are what is uncertain here

    @property
    def _marks(self) -> str:
        # Pictures would lie on arrows and their names.
        marks = super()._marks
        return "points" if marks == "pictures" else marks

    @cached_property
    def rotation(self) -> np.ndarray:
        d = self._result.direction.shape[1]
        return np.array(self.look.turn.rotation) if self.look.turn else np.eye(d)

    @cached_property
    def where(self) -> Placed:
        return Placed(self._result.embedding @ self.rotation, None, None)

    @cached_property
    def caption(self) -> str:
        result = self._result
        is_cut = self._d > 2 and self.is_plane
        sentences = [
            words("directions of", method=words.method(self.run.fresh()), about=self.shown.about),
            words("directions cut") if is_cut else words(
                f"directions {'wedges' if self._d == 2 else 'cones'}", over=result.between.over
            ),
        ]
        return " ".join([*sentences, *style_said(self.objects, self.style, self._d)])

    @cached_property
    def arrows(self) -> list[Arrow]:
        result = self._result
        is_cut = self._d > 2 and self.is_plane
        return [
            Arrow(
                result.columns[k], result.direction[k] @ self.rotation,
                float(np.sqrt(result.explained[k])), 0.0 if is_cut else result.half_angle[k],
                words("arrow", column=result.columns[k], explained=result.explained[k],
                      half=round(result.half_angle[k])),
            ) for k in np.flatnonzero(result.drawn)
        ]


def columns_of(result: Directions, rotation: np.ndarray) -> pd.DataFrame:
    """A row for every column; angles are from the first axis as it is shown."""
    turned = replace(result, direction=result.direction @ rotation)
    table = pd.DataFrame({
        "column": result.columns, "found": [words(f"found {found}") for found in result.found],
        "objects": result.n_values, "held-out R²": result.explained, "p": result.p,
        "R²": result.fit,
    })
    if result.direction.shape[1] == 2:
        table["angle"] = np.where(result.drawn, turned.angle.value, np.nan)
    return table.assign(**{
        "± (degrees)": np.where(result.drawn, result.half_angle, np.nan),
        "curved: held-out R²": result.curved_explained, "curved: p": result.curved_p,
        "accuracy": result.accuracy, "by chance": result.chance,
    }).dropna(axis="columns", how="all")


def between_of(result: Directions) -> pd.DataFrame:
    """A row for every two arrows, by the angle between them."""
    drawn, between = np.flatnonzero(result.drawn), result.between
    first, second = np.array(list(combinations(drawn, 2))).T
    names = np.array(result.columns, dtype=object)
    return pd.DataFrame({
        "first": names[first], "second": names[second], "degrees": between.value[first, second],
        "from": between.low[first, second], "to": between.high[first, second],
    }).sort_values("degrees", ignore_index=True)
