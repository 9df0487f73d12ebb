"""A scale for every participant or group, and how well each can be predicted."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from tripletscope.core.data.errors import DataError
from tripletscope.core.engine.method import Method
from tripletscope.core.inference.evaluation.units import ENOUGH
from tripletscope.core.people.floor import Floor
from tripletscope.core.people.groups import errors_by_group
from tripletscope.core.scale import MLDS, GroupScales, scales_by
from tripletscope.dashboard import export
from tripletscope.dashboard.figures.labels import short_people
from tripletscope.dashboard.figures.scales import Curve, panel_height, scale_multiples
from tripletscope.dashboard.interface import panels
from tripletscope.dashboard.interface.controls import parameter_form, several
from tripletscope.dashboard.interface.theme import Canvas
from tripletscope.dashboard.interface.watching import watch
from tripletscope.dashboard.results.people import floor_said
from tripletscope.dashboard.results.scales import groups_aligned
from tripletscope.dashboard.views.page import tab
from tripletscope.dashboard.views.scale.context import PAGE, StimulusContext, choose_stimulus
from tripletscope.dashboard.wording import ENGLISH

_WINDOW = 760
_NAMED = 6  # people in a sentence
_DRAWN = (
    " Scales of single people are drawn to what is common to them, as far as they are alike; their "
    "bands are those of the posterior."
)
#: What the bands of groups are over, by the sampling unit that was asked for.
_BANDS = {
    "auto": f"each over participants where {ENOUGH} or more are known, else over answers",
    "participants": "each over participants, or over the answers of one alone",
    "answers": "over answers",
    "both": "each over participants and their answers, or over the answers of one alone",
}


@tab(PAGE, "Groups", 4, needs=choose_stimulus)
def show_groups(context: StimulusContext) -> None:
    """Small multiples, and the error of every group and method."""
    if not context.groups:
        watch(context.job)
        panels.empty(
            "There are no groups",
            "These answers have no column that divides them, such as participant, session or "
            "sampler. Choose it as response metadata when the file is read.",
        )
        return
    picture, side = context.picture_and_side()
    with side:
        names = several(
            context.session, f"{PAGE}.groups.methods@{context.info.id}", "Methods",
            context.methods(), default=[MLDS.name],
        )
        chosen = [context.method(name) for name in names]
        options = parameter_form(
            context.session, scales_by, f"{PAGE}.scales_by@{context.info.id}",
            hidden=("stimulus",), columns={"answers": context.groups},
        )
        options["stimulus"] = context.stimulus
        folds = parameter_form(
            context.session, errors_by_group, f"{PAGE}.errors_by_group",
            hidden=("by", "most", "unit", "seed"),
        )
        errors = {
            **folds, "by": options["by"] or context.groups[0], "most": options["most"],
            # An interval by a formula is over participants or over answers.
            "unit": "participants" if options["unit"] == "both" else options["unit"],
        }
        pieces = [piece for method in chosen for piece in (
            (method, "scales_by", options), (method, "errors_by_group", errors),
        )]
        runs = context.results(
            "groups", "Scale", pieces, "Computes a scale and its held-out error for every group."
        )
    scales = {
        context.describe(method): groups_aligned(run.result())
        for method, run in zip(chosen, runs[::2], strict=True) if run is not None
    }
    levels = {
        context.describe(method): _levels(context, method) for method in chosen
        if context.describe(method) in scales
    }
    held_out = [run for run in runs[1::2] if run is not None]
    with picture:
        if not scales and not held_out:
            context.empty(
                "Nothing has been computed yet",
                "Compute draws a small scale for every group next to that of all answers, and "
                "shows how well each group's answers are predicted.",
            )
            return
        if scales:
            _multiples(context, options, scales, levels)
        if held_out:
            st.subheader("Predictability of each group", anchor=False)
            context.present(*held_out)
            if errors["by"] != options["by"]:
                _silences(context, chosen, errors)


#: Values of the levels of difference scaling, and the first object of each in the order of the
#: stimulus; None for methods that give every object a value of its own.
_Levels = tuple[np.ndarray, np.ndarray] | None


def _levels(context: StimulusContext, method: Method) -> _Levels:
    if not isinstance(method, MLDS):
        return None
    try:
        trials = method.trials(context.answers)
    except DataError:  # no answer compares intervals: there is no scale for anybody
        return None
    return trials.levels, np.searchsorted(np.sort(trials.level_of), np.arange(len(trials.levels)))


def _multiples(
    context: StimulusContext, options: dict[str, Any], scales: dict[str, GroupScales],
    levels: dict[str, _Levels],
) -> None:
    first = next(iter(scales.values()))
    sizes = dict(zip(first.names.tolist(), first.n_answers.tolist(), strict=True))
    names = short_people(first.names.tolist(), 8.0)
    reached = np.flatnonzero(np.any([found.floor.reached for found in scales.values()], axis=0)) + 1
    if not len(reached):  # all answers alone
        reached = np.zeros(1, int)
    common = [_curve(name, found, 0, levels[name]) for name, found in scales.items()]
    shown = {
        f"{names[group]} ({sizes[group]:,})": [
            _curve(name, found, place, levels[name]) for name, found in scales.items()
        ]
        for place, group in enumerate(first.names.tolist()) if place in reached
    }
    by = f" by {options['by']}" if options["by"] else ""
    text = (
        f"Perceptual scale against {context.title}{by}, number of usable answers in brackets. "
        f"{'; '.join(scales)}. {context.size} {100 * options['coverage']:g} % bands, "
        f"{_BANDS[options['unit']]}; dotted: all answers, to which each is fitted by least "
        "squares, as zero and unit of a scale are conventions."
        + _DRAWN * any(found.pooled.any() for found in scales.values())
    )

    def draw(canvas: Canvas) -> Any:
        return scale_multiples(
            shown, common, stimulus=context.title, value="perceptual scale (all answers: 0 to 1)",
            caption=text, canvas=canvas,
        )

    panels.figure_panel(
        context.session, draw, key=f"{PAGE}.multiples", alt=text, caption=text,
        canvas=Canvas(900.0, panel_height(len(shown))), window=_WINDOW,
        table=lambda: _table(scales),
        name=export.file_name(context.info.name, "scale", "groups"),
    )
    for name, found in scales.items():
        _floor_caption(name, found.floor, options["by"] or "group")
        if found.held.any():
            st.caption(panels.plain(held_in_words(name, found)))
        told = np.append(True, found.floor.reached)
        empty = found.names[np.isnan(found.values).all(axis=1) & told].tolist()
        if empty:
            st.caption(panels.plain(
                f"No scale by {name} for {', '.join(empty)}: they have too few answers, or none "
                "that compare intervals of the stimulus."
            ))


def held_in_words(name: str, found: GroupScales) -> str:
    """Whose scales only what is common holds.

    Silent on: answers enough (tests/core/scale/test_observers.py::test_nobody_is_held).
    """
    held = list(short_people(found.names[found.held].tolist()).values())
    more = f" and {len(held) - _NAMED:,} more" if len(held) > _NAMED else ""
    return (
        f"{name}: the answers of {', '.join(held[:_NAMED])}{more} alone allow no finite scale; "
        "what is common to all holds theirs."
    )


def _curve(name: str, found: GroupScales, place: int, levels: _Levels) -> Curve:
    parts = (found.values[place], found.low[place], found.high[place])
    if levels is None:
        return Curve(name, found.stimulus, *parts)
    # All objects of a level have its value, but those that the group was not asked about.
    return Curve(name, levels[0], *(np.fmax.reduceat(part, levels[1]) for part in parts))


def _table(scales: dict[str, GroupScales]) -> pd.DataFrame:
    parts = [
        pd.DataFrame({
            "method": name, "group": group, "answers": n, "stimulus": found.stimulus,
            "value": found.values[place], "low": found.low[place], "high": found.high[place],
        })
        for name, found in scales.items()
        for place, (group, n) in enumerate(zip(found.names, found.n_answers, strict=True))
    ]
    return pd.concat(parts, ignore_index=True)


def _silences(
    context: StimulusContext, methods: list[Method], options: dict[str, Any]
) -> None:
    """Of whom no error is told, by method, and why."""
    for method in methods:
        floor = context.floor(method, options["by"], options["most"])
        _floor_caption(context.describe(method), floor, options["by"])


def _floor_caption(name: str, floor: Floor, by: str) -> None:
    if said := floor_said(ENGLISH, floor, by):
        st.caption(panels.plain(f"{name}: {said[0].lower()}{said[1:]}"))

