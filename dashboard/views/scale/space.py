"""Maps in two or three dimensions against a stimulus: colour circles, pitch helices."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import streamlit as st
from sklearn.base import clone

from tripletscope.core.inference.evaluation.compare import Suggestion
from tripletscope.core.inference.evaluation.paired import PairedDifference, paired_difference
from tripletscope.core.inference.evaluation.score import cross_validate
from tripletscope.core.models.embedding.default import DEFAULT_EMBEDDING
from tripletscope.core.run import Run
from tripletscope.core.scale import OrdinalScale, ordinal_scale
from tripletscope.core.scale.ordinal import FEWEST_AROUND
from tripletscope.dashboard import analysis, export
from tripletscope.dashboard.figures.map import embedding_map
from tripletscope.dashboard.figures.points import MapData, MapStyle, beside_the_bar
from tripletscope.dashboard.figures.scales import Curve, scale_curves
from tripletscope.dashboard.interface import panels
from tripletscope.dashboard.interface.controls import parameter_form, pick
from tripletscope.dashboard.interface.theme import FAINT, Canvas, interval
from tripletscope.dashboard.views.compare.recommending import p_value, points
from tripletscope.dashboard.views.page import tab
from tripletscope.dashboard.views.pictures import picture_addresses
from tripletscope.dashboard.views.scale.context import PAGE, StimulusContext, choose_stimulus
from tripletscope.dashboard.views.scale.scales import COVERAGES
from tripletscope.dashboard.wording import ENGLISH

_MAP, _CURVE = Canvas(900.0, 520.0), Canvas(900.0, 400.0)
_DIMENSIONS = {2: "2: a circle", 3: "3: a helix"}
#: What of a map is drawn against the stimulus.
_ANGLE = "angle"


@tab(PAGE, "Circle or helix", 2, needs=choose_stimulus)
def show_space(context: StimulusContext) -> None:
    """The map with a line along the stimulus, and its angle or an axis against the stimulus."""
    current = context.session
    picture, side = context.picture_and_side()
    with side:
        d = pick(current, f"{PAGE}.space.d", "Dimensions", _DIMENSIONS)
        name = pick(
            current, f"{PAGE}.space.method", "Method", context.embeddings(),
            default=DEFAULT_EMBEDDING.name,
        )
        method = context.embedding(name, d)
        hidden = ["stimulus", "n_components"]
        if context.are_pairs or not method.is_likelihood:
            hidden.append("source")
        band = parameter_form(
            current, ordinal_scale, f"{PAGE}.ordinal_scale", hidden=hidden
        )
        band |= {"stimulus": context.stimulus, "n_components": d}
        folds = parameter_form(
            current, cross_validate, f"{PAGE}.folds", hidden=("repeats", "seed", "unit")
        )
        # Of participants and their answers, an error has an interval over the former only.
        folds |= {"unit": "participants" if band["unit"] == "both" else band["unit"]}
        pieces = [
            (method, "ordinal_scale", band), (method, "cross_validate", folds),
            (clone(method).set_params(n_components=1), "cross_validate", folds),
        ]
        run, error, line = context.results(
            "space", "Scale", pieces, "Computes bootstrap maps, aligned to the stimulus, and the "
            "held-out error beside that of a line.",
        )
    with picture:
        if run is None:
            context.empty(
                "Nothing has been computed yet",
                "If the ends of a stimulus look alike, as violet and red do, a one-dimensional "
                "scale cannot represent it. Compute draws a map with a line along the stimulus, "
                "and the angle of every object around the centre against the stimulus.",
            )
            return
        _figures(context, analysis.describe(method), run, error)
        if error is not None and line is not None:
            above = paired_difference(
                line.result(), error.result(), context.answers, 1.0 / (folds["folds"] - 1)
            )
            st.markdown(panels.plain(_verdict(context.title, run.result(), above)))


def _verdict(title: str, found: OrdinalScale, above: PairedDifference) -> str:
    """Whether the stimulus closes on itself, tested against a line.

    Silent on: lines, clouds (tests/dashboard/views/test_scale.py::test_a_circle).

    title: Of the stimulus.
    above: By how much the error of a line is above that of the map.
    """
    beside = f"a line predicts worse by {points(above)}, {p_value(above.p_above)}"
    if above.p_above >= Suggestion.level:
        return (
            f"No circle is seen: {beside}. Angles around the middle of a line jump by 180° and "
            "mean nothing."
        )
    share, low, high = found.ends_apart
    ends = (
        f"the ends of {title} are {share:.2f} [{low:.2f}, {high:.2f}] of the widest distance apart"
    )
    angle = f"the angle around the centre grows by {np.degrees(found.angles[-1]):.0f}°"
    against = {
        "few": f"fewer than {FEWEST_AROUND} objects cannot be tested", "ends": ends,
        "angle": f"{angle}, and not by a full turn",
        "order": "objects that are neighbours on the stimulus lie no nearer than in other orders",
    }
    why = found.not_round()
    if why:
        return f"No circle is seen, though {beside}: {against[why]}."
    return f"The stimulus nearly closes on itself: {beside}, {ends}, and {angle}."


def _figures(context: StimulusContext, about: str, run: Run, error: Run | None) -> None:
    current, found = context.session, run.result()
    d = found.values.shape[1]
    views = {_ANGLE: "Angle", **{axis: f"Axis {axis + 1}" for axis in range(d)}}
    with st.container(horizontal=True, vertical_alignment="top"):
        coverage = pick(current, f"{PAGE}.coverage", "Band", COVERAGES, default=0.95, width=110)
        what = pick(
            current, f"{PAGE}.space.view", "Plot against the stimulus", views, width=160,
            help="The angle around the centre, in the first two axes, grows by a full turn if the "
            "stimulus closes on itself. The first axis is the one along which the stimulus rises "
            "most.",
        )
    what = what if what in views else _ANGLE
    text = f"{about}. {context.size} Line in the order of {context.title}."
    if error is not None:
        held_out = error.result()
        text += (
            f" Held-out error {interval(held_out.error, held_out.low, held_out.high)}, 95 % "
            f"interval{ENGLISH.over(held_out.unit, held_out.n_units)}."
        )
    panels.figure_panel(
        current, lambda canvas: _map(context, found, text, canvas), key=f"{PAGE}.space.map",
        alt=f"Map. {text}", canvas=_MAP, caption=text, table=lambda: _places(context, found),
        name=export.file_name(context.info.name, "stimulus", "map"),
        on_pick=current.select_positions,
        pictures=picture_addresses(context.info, context.answers.objects, 320),
    )
    _against(context, found, what, coverage)


def _map(context: StimulusContext, found: OrdinalScale, text: str, canvas: Canvas) -> Any:
    """The map, with a line in the order of the stimulus below its points."""
    answers = context.answers
    positions = np.full((answers.n_objects, found.values.shape[1]), np.nan)
    positions[found.objects] = found.values
    objects = answers.objects
    colour = context.stimulus if context.stimulus in context.columns else None
    if colour is None:  # ids, or the order
        colour = context.title
        objects[colour] = np.nan
        objects.loc[found.objects, colour] = found.stimulus
    data = MapData(
        positions, objects,
        selected=context.selected,
    )
    flat = found.values.shape[1] == 2
    style = MapStyle("labels" if flat else "points", colour, False, flat=flat)
    figure = embedding_map(data, style, caption=text, revision=text, canvas=canvas)
    line = {"color": FAINT, "width": 1.5}
    axes = dict(zip("xyz", found.values.T, strict=False))
    add = figure.add_scatter if flat else figure.add_scatter3d
    add(**axes, mode="lines", line=line, hoverinfo="skip", showlegend=False, opacity=0.6)
    figure.data = (figure.data[-1], *figure.data[:-1])
    for trace in figure.data[1:]:
        beside_the_bar(trace)
    return figure


def _against(
    context: StimulusContext, found: OrdinalScale, what: str | int, coverage: float
) -> None:
    current = context.session
    if what == _ANGLE:
        values, title = np.degrees(found.angles), "angle around the centre (degrees)"
        low, high = (np.degrees(end) for end in found.angle_band(coverage))
    else:
        values, title = found.values[:, what], f"axis {what + 1}, the widest of length 1"
        low, high = (end[:, what] for end in found.band(coverage))
    curve = Curve(title, found.stimulus, values, low, high, found.objects)
    data = MapData(
        np.empty((context.answers.n_objects, 1)), context.answers.objects,
        selected=context.selected,
    )
    text = f"{title.capitalize()} against {context.title}, with pointwise " \
           f"{COVERAGES[coverage]} bands."

    def draw(canvas: Canvas) -> Any:
        return scale_curves(
            [curve], data, stimulus=context.title, value=title, caption=text,
            revision=f"{what} {context.stimulus}", canvas=canvas,
        )

    panels.figure_panel(
        current, draw, key=f"{PAGE}.space.curve", alt=text, canvas=_CURVE, caption=text,
        table=lambda: _places(context, found).assign(value=values, low=low, high=high),
        name=export.file_name(context.info.name, "stimulus", "angle"),
        on_pick=current.select_positions,
    )


def _places(context: StimulusContext, found: OrdinalScale) -> pd.DataFrame:
    labels = np.array(context.answers.labels, dtype=object)
    table = pd.DataFrame({"object": labels[found.objects], "stimulus": found.stimulus})
    for axis, (values, spread) in enumerate(zip(found.values.T, found.deviation.T, strict=True)):
        table[f"axis {axis + 1}"], table[f"s.d. {axis + 1}"] = values, spread
    return table.assign(**{"angle in degrees": np.degrees(found.angles)})
