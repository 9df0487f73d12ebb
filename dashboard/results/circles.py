"""Maps in two or three dimensions against a stimulus: colour circles, pitch helices."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from tripletscope.core.inference.held_out.compare import Suggestion
from tripletscope.core.inference.held_out.paired import PairedDifference, paired_difference
from tripletscope.core.run import Run
from tripletscope.core.scales import OrdinalScale
from tripletscope.core.scales.map_scales import FEWEST_AROUND
from tripletscope.dashboard.figures.scale_curves import Curve, in_order, scale_curves
from tripletscope.dashboard.figures.theme import Canvas
from tripletscope.dashboard.results.drawing import Drawing
from tripletscope.dashboard.results.map_recipe import MapLook, Placed
from tripletscope.dashboard.results.maps import GivenMap
from tripletscope.dashboard.results.presentation import Element, ShownResults, Statement, presents
from tripletscope.dashboard.results.scales import (
    ANGLE,
    RATIO,
    ScaleLook,
    named_objects,
    stimulus_title,
)
from tripletscope.dashboard.words import words


@presents("ordinal_scale")
def circle_of(shown: ShownResults, run: Run) -> Iterator[Element]:
    """A map in the plane or in space with a line along the stimulus, and its angle against it."""
    if run.result().values.shape[1] == 1:
        return
    result, stimulus = run.result(), stimulus_title(shown, run)
    error = shown.of(run, "cross_validate")
    line = None if error is None else _of_a_line(shown, error)
    if line is not None:
        above = paired_difference(
            line.result(), error.result(), shown.answers, 1.0 / (error.options["folds"] - 1)
        )
        yield Statement(circle_said(stimulus, result, above))
    if error is not None:
        estimate = error.result()
        yield Statement(words("scale predicts", method=words.method(run.fresh()), error=(
            estimate.error, estimate.low, estimate.high
        ), over=(estimate.unit, estimate.n_units)))
    positions = np.full((shown.answers.n_objects, result.values.shape[1]), np.nan)
    positions[result.objects] = result.values
    colour, objects = shown.look_of(run, ScaleLook).colour, shown.answers.objects
    colour = colour or run.options["stimulus"]
    if colour in (None, "id"):
        colour = stimulus
        objects[colour] = pd.Series(result.stimulus, index=result.objects)
    labels = np.array(shown.answers.labels, dtype=object)
    table = pd.DataFrame({"object": labels[result.objects], "stimulus": result.stimulus})
    for k, (values, spread) in enumerate(zip(result.values.T, result.deviation.T, strict=True)):
        table[f"axis {k + 1}"], table[f"s.d. {k + 1}"] = values, spread
    table["angle in degrees"] = np.degrees(result.angles)
    flat = positions.shape[1] == 2
    look = MapLook("labels" if flat else "points", colour, flat=flat)

    def draw(caption: str, canvas: Canvas) -> go.Figure:
        drawn = GivenMap(objects, Placed(positions, None, None), caption, caption, look, shown)
        return in_order(drawn.draw(canvas), result.values)

    yield shown.drawing(
        run, "stimulus-map", RATIO, draw, lambda: table, picks=True, stimulus=stimulus,
    )
    yield _against(shown, run, stimulus, table)


def _of_a_line(shown: ShownResults, run: Run) -> Run | None:
    """Held-out error of the same method in one dimension, in the folds of another error."""
    line = {**run.parameters, "n_components": 1}
    return next((
        one for one in shown.all_of("cross_validate")
        if (one.method, one.parameters, one.options) == (run.method, line, run.options)
    ), None)


def _against(shown: ShownResults, run: Run, stimulus: str, table: pd.DataFrame) -> Drawing:
    """The angle around the centre of a map, or one of its axes, against the stimulus."""
    result, look = run.result(), shown.look_of(run, ScaleLook)
    axis = look.axis if look.axis < result.values.shape[1] else ANGLE
    if axis == ANGLE:
        values, title = np.degrees(result.angles), "angle around the centre (degrees)"
        low, high = (np.degrees(end) for end in result.angle_band(look.coverage))
    else:
        values, title = result.values[:, axis], f"axis {axis + 1}, the widest of length 1"
        low, high = (end[:, axis] for end in result.band(look.coverage))
    curve = Curve(title, result.stimulus, values, low, high, result.objects)
    return shown.drawing(
        run, "stimulus-curve", 0.45, partial(
            scale_curves, [curve], named_objects(shown), stimulus=stimulus, value=title,
            revision=f"{title} {stimulus}",
        ), lambda: table.assign(value=values, low=low, high=high), picks=True,
        key="angle" if axis == ANGLE else "axis", axis=axis + 1, stimulus=stimulus,
        coverage=look.coverage,
    )


def circle_said(stimulus: str, result: OrdinalScale, above: PairedDifference) -> str:
    """Whether the stimulus closes on itself, tested against a line.

    above: Error of a line minus that of the map.
    """
    more = {"above": (above.difference, above.low, above.high), "p": above.p_above}
    if above.p_above >= Suggestion.level:
        return words("no circle", **more)
    more |= {
        "stimulus": stimulus, "ends": result.ends_apart, "least": FEWEST_AROUND,
        "angle": f"{np.degrees(result.angles[-1]):.0f}",
    }
    why = result.not_round()
    return words(f"no circle {why}" if why else "circle", **more)
