"""Details of dimensions: some of them, one, one object or two, and one trial."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from tripletscope.core.models.dimensions.relations import category_table, rank_correlation
from tripletscope.core.run import Run
from tripletscope.dashboard.figures.colours import is_quantity, numbers_of
from tripletscope.dashboard.figures.contributions import (
    ExplainedTrial,
    compared,
    object_bars,
    rose,
    trial_contributions,
    two_objects,
)
from tripletscope.dashboard.figures.dimensions import (
    DimensionData,
    histogram,
    histograms,
    object_sheet,
    sheet_height,
)
from tripletscope.dashboard.figures.reproduced import (
    MOST_CATEGORIES,
    against_categories,
    against_quantity,
    object_intervals,
)
from tripletscope.dashboard.figures.theme import SCREEN
from tripletscope.dashboard.results.dimensions import data_of, strips_of, weights_table
from tripletscope.dashboard.results.drawing import Drawing
from tripletscope.dashboard.results.presentation import Element, ShownResults, Statement, presents
from tripletscope.dashboard.words import words

#: Objects that are shown at a time, with pictures and without; rows with intervals.
_PICTURED, _WRITTEN, _ROWS = 30, 60, 24
#: Most objects in the table of a strip, and in the alternative text.
_IN_TABLE, _NAMED = 60, 12


@dataclass(frozen=True)
class SomeDimensions:
    """Rows of some dimensions, from above.

    facts: As of `facts_table`, with ``lost``: the fall of accuracy without each.
    """

    which: tuple[int, ...]
    facts: pd.DataFrame


@dataclass(frozen=True)
class Histograms:
    which: tuple[int, ...]


@dataclass(frozen=True)
class OneDimension:
    """One dimension, with a column of the objects beside it if there is one.

    along: Whether objects are shown from the highest to the lowest weight, not the highest alone.
    """

    dimension: int
    along: bool = False
    column: str | None = None


@dataclass(frozen=True)
class SomeObjects:
    """One object, or two beside each other; a single one as a rose or as bars."""

    one: int
    other: int | None = None
    bars: bool = False


@dataclass(frozen=True)
class OneTrial:
    """An odd-one-out trial: its three objects, the odd one last."""

    objects: tuple[int, int, int]


def _drawing(
    shown: ShownResults, run: Run, name: str, height: float, table: Callable[[], pd.DataFrame],
    draw: Callable[..., go.Figure], *, width: float = SCREEN.width, **how: Any,
) -> Drawing:
    """A figure of the dimensions of a fit, of a height in pixels at a width.

    draw: Takes the data, and caption and canvas.
    """
    return shown.drawing(
        run, f"dimension-{name}", height / width,
        lambda canvas, caption: draw(data_of(shown, run, canvas), caption=caption, canvas=canvas),
        table, **how,
    )


@presents("fit", "dimensions", detail=SomeDimensions)
def some_of(shown: ShownResults, run: Run) -> Iterator[Drawing]:
    """The highest objects of some dimensions."""
    data, which, facts = data_of(shown, run), list(shown.detail.which), shown.detail.facts

    def table() -> pd.DataFrame:
        return pd.DataFrame([
            {"dimension": k + 1, "name": data.names.get(k, ""), "rank": rank,
             "object": data.labels[i], "weight": data.weights[i, k],
             **({} if data.sd is None else {"sd": data.sd[i, k]})}
            for k in which for rank, i in enumerate(data.highest(k, _IN_TABLE).tolist(), 1)
        ])

    lines = {k: facts_said(facts, k) for k in which}
    yield strips_of(shown, run, which, "", table, lines)


def facts_said(facts: pd.DataFrame, dimension: int) -> str:
    row = facts.iloc[dimension]
    lines = [
        words("weight of dimension", share=row["share"], objects=int(row["objects"])),
        words("lost without dimension", lost=f"{-100 * row['lost']:+.1f}".replace(
            "-", "\N{MINUS SIGN}"
        )),
    ]
    if np.isfinite(row.get("reproduced", np.nan)):
        lines.append(words("dimension reproduced", r=row["reproduced"]))
    return "\n".join(lines)


@presents("fit", "dimensions", detail=Histograms)
def histograms_of(shown: ShownResults, run: Run) -> Iterator[Drawing]:
    data, which = data_of(shown, run), list(shown.detail.which)
    yield _drawing(
        shown, run, "histograms", 90.0 + 120.0 * -(-len(which) // 6),
        lambda: weights_table(data.objects, data.weights, data.names),
        lambda data, **how: histograms(data, which, **how), number=len(which),
    )


# One dimension -------------------------------------------------------------------------------


@presents("fit", "dimensions", detail=OneDimension)
def one_of(shown: ShownResults, run: Run) -> Iterator[Drawing]:
    """The objects of a dimension, their weights and intervals, and a column beside these."""
    data, looked = data_of(shown, run), shown.detail
    k, title = looked.dimension, data.title(looked.dimension)

    def table(which: Sequence[int]) -> Callable[[], pd.DataFrame]:
        def made() -> pd.DataFrame:
            frame = pd.DataFrame({
                "object": [data.labels[i] for i in which], "weight": data.weights[which, k],
            })
            return frame if data.sd is None else frame.assign(sd=data.sd[which, k])
        return made

    most = _PICTURED if data.pictures else _WRITTEN
    which = data.along(k, most) if looked.along else data.highest(k, most)
    yield _drawing(
        shown, run, "sheet", sheet_height(data, len(which)), table(which.tolist()),
        lambda data, **how: object_sheet(data, k, which, **how), title=title, number=len(which),
        key="sheet along" if looked.along else "", alt="alt sheet", picks=True,
        saved_as=f"dimension-{k + 1}-sheet",
        names=", ".join(data.labels[i] for i in which[:_NAMED]),
    )
    yield _drawing(
        shown, run, "histogram", 460.0, table(list(range(len(data.labels)))),
        lambda data, **how: histogram(data, k, **how), width=450.0, title=title, is_half=True,
        saved_as=f"dimension-{k + 1}-histogram",
        number=len(data.highest(k)),
    )
    rows = data.highest(k, _ROWS).tolist()
    yield _drawing(
        shown, run, "intervals", 460.0, table(rows),
        lambda data, **how: object_intervals(data, k, rows, **how), width=450.0, title=title,
        number=len(rows), origin=_origin(shown, run), is_half=True, picks=True,
        saved_as=f"dimension-{k + 1}-intervals",
    )
    if looked.column is not None:
        against = _quantity if is_quantity(data.objects[looked.column]) else _categories
        yield against(shown, run, data)


def _origin(shown: ShownResults, run: Run) -> str:
    """The source of intervals, as the end of a sentence."""
    again = shown.of(run, "bootstrap_dimensions")
    if run.fitted().embedding_sd_ is not None:
        return words("weights of posterior")
    if again is None:
        return ""
    result = again.result()
    noun = "participant" if result.unit != "answers" else "trial"
    return words("weights of resamples", replicates=result.replicates, unit=words.noun(2, noun))


def _quantity(shown: ShownResults, run: Run, data: DimensionData) -> Drawing:
    k, column = shown.detail.dimension, shown.detail.column
    values = numbers_of(data.objects[column])
    r, low, high, n = rank_correlation(data.weights[:, k], values)
    said = words("no rank correlation")
    if np.isfinite(r):
        key = "rank correlation" if np.isfinite(low) else "rank correlation without exception"
        said = words(key, r=r, low=low, high=high, objects=n)
    return _drawing(
        shown, run, "against", 430.0,
        lambda: pd.DataFrame({
            "object": data.labels, column: values, "weight": data.weights[:, k],
        }),
        lambda data, **how: against_quantity(data, k, values, column, **how), said=said,
        title=data.title(k), column=column, picks=True, saved_as=f"dimension-{k + 1}-{column}",
    )


def _categories(shown: ShownResults, run: Run, data: DimensionData) -> Drawing:
    k, column = shown.detail.dimension, shown.detail.column
    values = data.objects[column]
    table = category_table(data.weights[:, k], values)
    best = table.dropna(subset=["auc"])
    said = words("no category")
    if len(best):
        row = best.iloc[0]
        said = words("category", category=row["category"], auc=row["auc"], low=row["low"],
                     high=row["high"])
    if len(table) > MOST_CATEGORIES:
        said += f" {words('first categories', most=MOST_CATEGORIES, number=len(table))}"
    return _drawing(
        shown, run, "against", 110.0 + 24.0 * min(len(table), MOST_CATEGORIES), lambda: table,
        lambda data, **how: against_categories(data, k, table, values, **how), said=said,
        title=data.title(k), column=column, key="by category", picks=True,
        saved_as=f"dimension-{k + 1}-{column}",
    )


# Objects and trials --------------------------------------------------------------------------


@presents("fit", "dimensions", detail=SomeObjects)
def objects_of(shown: ShownResults, run: Run) -> Iterator[Element]:
    """The strongest dimensions of one object, or of two and their similarity."""
    data, looked = data_of(shown, run), shown.detail
    things = [looked.one] if looked.other is None else [looked.one, looked.other]
    names = [data.labels[i] for i in things]
    if looked.other is not None:
        yield from map(Statement, similar_said(data, *things))
    if looked.other is None and looked.bars:
        key = f"bars{' with intervals' * (data.sd is not None)}"
        yield _drawing(
            shown, run, "rose", 550.0, lambda: _of_objects(data, things), key=key, names=names,
            saved_as="-".join(["dimensions", *names]),
            draw=lambda data, **how: object_bars(data, looked.one, **how),
        )
    elif not looked.bars:
        yield _drawing(
            shown, run, "rose", 480.0 if looked.other is not None else 800.0,
            lambda: _of_objects(data, things), names=names,
            saved_as="-".join(["dimensions", *names]),
            draw=lambda data, **how: rose(data, things, **how),
        )
    if looked.other is not None:
        rows = len(compared(*data.weights[things]))
        yield _drawing(
            shown, run, "pair", 120.0 + 28.0 * rows, lambda: _of_objects(data, things),
            names=names, saved_as="-".join(["similarity", *names]),
            draw=lambda data, **how: two_objects(data, *things, **how),
        )


def similar_said(data: DimensionData, one: int, other: int) -> Iterator[str]:
    products = data.weights[one] * data.weights[other]
    total, every = float(products.sum()), data.weights @ data.weights[one]
    yield words(
        "similarity", total=total, one=data.labels[one], other=data.labels[other],
        rank=int((np.delete(every, one) > total).sum()) + 1, number=len(data.labels) - 1,
    )
    parts = [
        f"{data.title(k)} ({words.percent(products[k] / total, 0)})"
        for k in np.argsort(-products, kind="stable")[:2].tolist() if products[k] > 0
    ]
    yield words("similar by", parts=parts) if parts else words("similar by nothing")


def _of_objects(data: DimensionData, things: list[int]) -> pd.DataFrame:
    """The dimensions of one object or two, the strongest first."""
    table = _named(data)
    for thing in things:
        table[data.labels[thing]] = data.weights[thing]
        if data.sd is not None:
            table[f"{data.labels[thing]}, sd"] = data.sd[thing]
    if len(things) == 1:
        return table.sort_values(data.labels[things[0]], ascending=False)
    return table.assign(product=np.prod(data.weights[things], axis=0)).sort_values(
        "product", ascending=False
    )


def _named(data: DimensionData) -> pd.DataFrame:
    every = range(data.n_dimensions)
    return pd.DataFrame({
        "dimension": [k + 1 for k in every], "name": [data.names.get(k, "") for k in every],
    })


@presents("fit", "dimensions", detail=OneTrial)
def trial_of(shown: ShownResults, run: Run) -> Iterator[Drawing]:
    data, fitted = data_of(shown, run), run.fitted()
    row = np.array([shown.detail.objects])
    trial = ExplainedTrial(
        shown.detail.objects, fitted.contributions(row)[0], fitted.probabilities(row)[0]
    )
    names = [data.labels[i] for i in trial.objects]
    probable = int(np.argmax(trial.probabilities))

    def table() -> pd.DataFrame:
        pairs = (f"{names[0]} + {names[1]}", f"{names[0]} + {names[2]}", f"{names[1]} + {names[2]}")
        parts = dict(zip(pairs, trial.contributions[::-1], strict=True))
        order = np.argsort(-trial.contributions.max(axis=0), kind="stable")
        return _named(data).assign(**parts).iloc[order]

    yield _drawing(
        shown, run, "trial", 330.0, table, odd=names[2], names=names,
        saved_as="-".join(["trial", *names]),
        draw=lambda data, **how: trial_contributions(data, trial, **how),
        verdict=words("trial expected") if probable == 2 else words(
            "trial unexpected", probable=names[probable]
        ),
    )
