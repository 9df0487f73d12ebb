"""Error against the number of dimensions, and of answers, also while these come in."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from tripletscope.core.inference.held_out.ceiling import Ceiling
from tripletscope.core.inference.held_out.compare import LearningCurve
from tripletscope.core.inference.held_out.score import CHANCE
from tripletscope.dashboard.figures.chart import Axis, Plot, as_figure
from tripletscope.dashboard.figures.colours import look
from tripletscope.dashboard.figures.layers import Level, Series
from tripletscope.dashboard.figures.series import bold, ceiling_layers, chance_level, series_of

#: Distance of neighbouring methods, so that their error bars do not overlap.
_SPACING = 0.06


@as_figure
def dimension_curves(
    table: pd.DataFrame,
    *,
    value: str = "held-out error",
    ceiling: Ceiling | None = None,
    marked: dict[str, int] | None = None,
    levels: Mapping[str, float] | None = None,
) -> Plot:
    """A line for every method over the number of dimensions.

    table: Columns ``method``, ``dimensions``, `value`, and optionally ``low`` and ``high``.
    marked: Number of dimensions to ring, by method.
    levels: Values of methods without dimensions, as lines from side to side.
    """
    ringed = table["dimensions"] == table["method"].map(marked or {})
    table = table.assign(value=table[value], edge=2.5 * ringed)
    n_methods = table["method"].nunique()

    def text(row: Any) -> str:
        interval = f" [{row.low:.3f}, {row.high:.3f}]" if "low" in table else ""
        return bold(row.method, f"d = {row.dimensions:.0f}", f"{value} {row.value:.4g}{interval}")

    return Plot(
        [
            *series_of(table, "method", "dimensions", "value", spacing=_SPACING, line=True,
                       text=text, columns={"edges": "edge"}),
            *(Level(at=level, note=name, dash="dashdot", width=1.5, colour=look(k)[0])
              for k, (name, level) in enumerate((levels or {}).items(), n_methods)),
            *ceiling_layers(ceiling),
            chance_level(table, "value") if "low" in table else None,
        ],
        Axis("dimensions", grid=False, further={"dtick": 1}), Axis(value), revision=value,
    )


@as_figure
def learning_figure(curve: LearningCurve, *, mark: float, ceiling: Ceiling | None = None) -> Plot:
    """Held-out error against the number of answers, with its band.

    mark: d n ln n, for a vertical line; NaN of methods without dimensions.
    """
    return Plot(
        [
            Series(x=curve.n_answers, y=curve.mean, low=curve.mean - curve.half_width,
                   high=curve.mean + curve.half_width, band=True, line=True,
                   hover="%{x:,} answers: error %{y:.3f}"),
            *ceiling_layers(ceiling),
            Level(at=mark, note="d n ln n", upright=True) if np.isfinite(mark) else None,
        ],
        Axis("training answers", "log", room=1.18), Axis("held-out error"),
    )


@as_figure
def error_as_it_comes(looks: pd.DataFrame, *, enough: float | None = None) -> Plot:
    """Held-out error at every look, with its interval, and the error that ends the experiment.

    looks: Columns ``answers``, ``error``, ``low`` and ``high``.
    """
    level = {"side": "bottom right"}
    return Plot(
        [
            *series_of(looks, "", "answers", "error", line=True,
                       hover="%{x:,} answers: %{y:.3f}"),
            None if enough is None else Level(at=enough, note="enough", **level),
            Level(at=CHANCE, note="chance", dash="dash", **level),
        ],
        Axis("answers collected", "log", room=1.12),
        Axis("held-out error", ends=(0, max(float(looks["high"].max()), CHANCE) + 0.03)),
    )
