"""How many answers, which design, which method: curves of simulated experiments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from tripletscope.core.engine.declared import parameters
from tripletscope.core.models.embedding.default import DEFAULT_EMBEDDING
from tripletscope.core.run import key
from tripletscope.core.studies.design.plan import Plan, objection, plan, recommend, rounded_up
from tripletscope.core.studies.design.scenario import SampleSizes, Scenario
from tripletscope.dashboard import analysis, export
from tripletscope.dashboard.figures.planning import QUANTITIES, plan_curves
from tripletscope.dashboard.interface import panels
from tripletscope.dashboard.interface.controls import (
    distinct,
    number,
    parameter_form,
    pick,
    pressed,
    several,
)
from tripletscope.dashboard.interface.theme import Canvas, count
from tripletscope.dashboard.keeping.catalogue import RunInfo
from tripletscope.dashboard.keeping.services import services
from tripletscope.dashboard.state import Session
from tripletscope.dashboard.views.page import Context, tab
from tripletscope.dashboard.views.simulate.plans import Kept, groups, names_of
from tripletscope.dashboard.views.simulate.setting import (
    PAGE,
    SCENARIO,
    advice_at_hand,
    beginning,
    method_settings,
    prefix,
    scenario_form,
    simulated_methods,
    titled,
)

SLOT = f"{PAGE}.plan"
_HALF = Canvas(480.0, 400.0)
_SHOWN = f"{PAGE}.shown"
_SECOND = {
    "ellipse": "Size of the ellipses",
    "disparity": "Unexplained shape",
}


@tab(PAGE, "How many answers?", 1, slot=SLOT)
def show_planning(context: Context) -> None:
    """Ask what to simulate, and show the plans."""
    current = context.session
    picture, side = context.picture_and_side()
    with side:
        scenario = scenario_form(current)
        _compute(context, _pieces(current, scenario))
        wanted = _wanted(current)
    with picture:
        advice = advice_at_hand(current)
        if advice:
            st.markdown(panels.plain(advice))
        _plans(context, wanted)


def _pieces(current: Session, scenario: Scenario) -> list[analysis.Piece]:
    """What the form asks for: every method with every design."""
    place = prefix(current)
    known = simulated_methods()
    chosen = several(
        current, f"{place}.methods", "Methods",
        {name: method.title for name, method in known.items()},
        default=beginning(current).get("methods", [DEFAULT_EMBEDDING.name]),
        help="Two or more are compared on the same simulations. MLDS is for scales; k1 and k2 "
        "predict without a map.",
    )
    asked = [method_settings(current, known[name]) for name in chosen]
    (spec,) = (p.spec for p in parameters(plan) if p.name == "design")
    designs = several(
        current, f"{place}.designs", spec.label, spec.options, default=["random"], help=spec.help
    )
    options = parameter_form(
        current, plan, f"{place}.plan", hidden=(*SCENARIO, "design"), defaults=beginning(current)
    )
    if options["fewest"] is not None and options["fewest"] > options["most"]:
        st.warning("Min. answers must not exceed max. answers.")
        return []
    sizes = SampleSizes(**{name: options[name] for name in ("most", "fewest", "points")}).n_answers
    st.caption(
        f"{_listed(sizes)} answers, {count(options['repeats'], 'simulation')} of each."
    )
    pieces, objections = [], []
    for method in asked:
        for design in designs:
            why = objection(method, scenario, design, options["repeated"])
            if why is None:
                both = {**asdict(scenario), **options, "design": design}
                pieces.append((method, "plan", both))
            else:
                objections.append(why)
    for why in dict.fromkeys(objections):
        st.caption(panels.plain(f"Omitted: {why}."))
    return pieces


def _listed(sizes: np.ndarray) -> str:
    words = [f"{n:,}" for n in sizes.tolist()]
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


def _compute(context: Context, pieces: Sequence[analysis.Piece]) -> None:
    """The button that computes what is missing and shows what was asked for.

    On the first visit of all, nothing is waited for.
    """
    current, workspace = context.session, services().workspace
    keys = [key(task, method, None, options) for method, task, options in pieces]
    known = [workspace.run(None, name) for name in keys]
    missing = [
        piece for piece, run in zip(pieces, known, strict=True) if run is None or not run.complete
    ]
    asked = pressed(
        current, f"{PAGE}.run", "Compute", type="primary", icon=":material/play_arrow:",
        width="stretch", disabled=not missing and current.drafts.get(_SHOWN) == keys,
        help="Simulates experiments with increasing numbers of answers.",
    )
    if asked or (context.job is None and missing and not workspace.runs(None, "plan")):
        current.drafts[_SHOWN] = keys
        if missing:
            names = [Kept(titled(method), options).name for method, _, options in missing]
            context.submit("Simulating experiments", missing, names)
        st.rerun()


def _wanted(current: Session) -> dict[str, float | None]:
    """Ask what the user wants to reach."""
    with st.expander("Target"):
        accuracy = number(
            current, f"{PAGE}.wanted.accuracy", "Accuracy (%)", 50.0, 100.0, None,
            step=1.0, format="%.0f", placeholder="e.g. 85",
            help="The percentage of further answers that you want to predict. Noise sets a limit: "
            "the dashed line.",
        )
        ellipse = number(
            current, f"{PAGE}.wanted.ellipse", "Radius of the ellipses", 0.01, 10.0, None,
            placeholder="e.g. 0.3",
            help="Of 95 % ellipses, relative to the size of the map: the root mean square of its "
            "coordinates.",
        )
    return {
        "accuracy": accuracy / 100 if accuracy is not None else None, "ellipse": ellipse,
    }


def _plans(context: Context, wanted: Mapping[str, float | None]) -> None:
    current, workspace = context.session, services().workspace
    listed = {run.key: run for run in workspace.runs(None, "plan")}
    if not listed:
        context.empty(
            "Nothing has been simulated yet",
            "Compute simulates observers who judge objects at known positions, and shows how "
            "accuracy and the precision of the map improve with the number of answers.",
        )
        return
    noted = current.drafts.get(_SHOWN, [])
    shown = [name for name in noted if name in listed] or (
        [] if noted else [next(iter(listed))]
    )
    kept = [Kept.of(workspace.run(None, name)) for name in shown]
    names = names_of(kept)
    labels = {name: _label(run) for name, run in listed.items()} | dict(
        zip(shown, names, strict=True)
    )
    labels = dict(zip(labels, distinct(labels.values()), strict=True))
    with st.container(horizontal=True, vertical_alignment="bottom"):
        chosen = st.multiselect(
            "Plans shown", list(listed), shown, key=current.key_following(_SHOWN, tuple(shown)),
            format_func=labels.__getitem__, placeholder="Choose kept plans",
        )
        if chosen != shown:
            current.drafts[_SHOWN] = chosen
            st.rerun()
        if pressed(
            current, f"{PAGE}.delete", "Delete", icon=":material/delete:", disabled=not shown,
            help="Deletes the plans that are shown.",
        ):
            panels.ask_to_delete(
                "these plans", f"{count(len(shown), 'plan')} will be deleted. They can be computed "
                "again.", partial(_delete, [listed[name].id for name in shown]),
            )
    if not shown:
        if not context.waiting:
            panels.empty("No plan is shown", "Choose some above, or press Compute.")
        return
    plans = {name: one.plan for name, one in zip(names, kept, strict=True)}
    _advice(kept, names)
    if len(plans) == 1:
        _reached(kept[0].plan, wanted)
    _figures(current, kept, plans, wanted)
    _table(plans, wanted)


def _label(run: RunInfo) -> str:
    return run.name if run.complete else f"{run.name} (stopped early)"


def _delete(runs: Sequence[int]) -> None:
    for run in runs:
        services().workspace.delete_run(run)


def _advice(kept: Sequence[Kept], names: Sequence[str]) -> None:
    """What to do, for every experiment that plans are about."""
    about = groups(kept)
    for members in about:
        own = {names[i]: kept[i].plan for i in members}
        best = _best(own)
        lines: list[str] = []
        if len(about) > 1:
            lines.append(f"{panels.plain(kept[members[0]].scenario.described)}:")
        if len(own) > 1:
            try:
                lines.append(f"**{panels.plain(recommend(own))}**")
            except ValueError:  # they went so far that they share no number of answers
                lines.append("These plans have no number of answers in common.")
            lines.append(panels.plain(f"With {best}:"))
        lines.append(f"**{panels.plain(own[best].recommendation)}**")
        st.markdown(" ".join(lines))


def _best(plans: Mapping[str, Plan]) -> str:
    """The plan that predicts best, where they can with as many answers."""
    common = set.intersection(*(set(one.n_answers.tolist()) for one in plans.values()))

    def accuracy(name: str) -> float:
        one = plans[name]
        place = one.n_answers.tolist().index(max(common)) if common else -1
        return float(one.accuracy[:, place].mean())

    return max(plans, key=accuracy)


def _reached(one: Plan, wanted: Mapping[str, float | None]) -> None:
    """After how many answers a plan has what the user wants."""
    for quantity, value in wanted.items():
        if value is not None:
            answers = _answers_for(one, quantity, value)
            st.markdown(panels.plain(f"For {_aim(quantity, value)}: {answers} answers."))


def _aim(quantity: str, value: float) -> str:
    if quantity == "accuracy":
        return f"{100 * value:.0f} % predicted"
    return f"ellipses of {value:.3g}"


def _answers_for(one: Plan, quantity: str, value: float) -> str:
    enough = one.enough(**{quantity: value})
    if enough is None:
        return f"more than {one.n_answers[-1]:,}, if ever"
    if enough == one.n_answers[0]:
        return f"at most {enough:,}"
    return f"about {rounded_up(enough):,}"


def _bands(plans: Mapping[str, Plan], quantity: str) -> pd.DataFrame:
    parts = [one.band(quantity).assign(plan=name) for name, one in plans.items()]
    table = pd.concat(parts, ignore_index=True)
    return table[["plan", "answers", "mean", "low", "high"]].dropna()


def _figures(
    current: Session, kept: Sequence[Kept], plans: Mapping[str, Plan],
    wanted: Mapping[str, float | None],
) -> None:
    ways = "; ".join(dict.fromkeys(one.way for one in kept))
    about = "; ".join(dict.fromkeys(one.about for one in kept))
    ceiling = None
    if len(groups(kept)) == 1:
        ceiling = float(kept[0].plan.ceiling.mean())
    left, right = st.columns(2)
    with right:
        second = pick(
            current, f"{PAGE}.second", "Second figure", _SECOND, label_visibility="collapsed"
        )
    with left, st.container(height=40, border=False, vertical_alignment="center"):
        st.markdown("**Accuracy on further answers**")
    for column, quantity in ((left, "accuracy"), (right, second)):
        table = _bands(plans, quantity)
        with column:
            if table.empty:
                st.caption("These methods have no map, hence no ellipses and no shape.")
                continue
            text = f"{_MEANING[quantity]} {ways}. {about}. Mean with 95 % band over simulations."

            def draw(canvas: Canvas, table=table, quantity=quantity, text=text) -> Any:
                return plan_curves(
                    table, quantity, ceiling=ceiling if quantity == "accuracy" else None,
                    wanted=wanted.get(quantity), caption=text, canvas=canvas,
                )

            panels.figure_panel(
                current, draw, key=f"{PAGE}.{quantity}", alt=text, canvas=_HALF, caption=text,
                table=partial(_bands, plans, quantity),
                name=export.file_name("plan", quantity),
                simulations={name: one.run for name, one in zip(plans, kept, strict=True)},
            )


_MEANING = {
    "accuracy": "Proportion of further, equally noisy answers that are predicted.",
    "ellipse": "Median radius of the 95 % ellipses, relative to the size of the map.",
    "disparity": "Proportion of the variance of the true positions that the map does not explain.",
}


def _table(plans: Mapping[str, Plan], wanted: Mapping[str, float | None]) -> None:
    """One row for every plan, as it ends."""
    rows = []
    for name, one in plans.items():
        row: dict[str, Any] = {"plan": name}
        for quantity, value in wanted.items():
            if value is not None:
                row[f"for {_aim(quantity, value)}"] = _answers_for(one, quantity, value)
        row["answers"] = int(one.n_answers[-1])
        for quantity, shown in QUANTITIES.items():
            end = one.band(quantity).iloc[-1]
            row[_COLUMNS[quantity]] = (
                "—" if np.isnan(end["mean"]) else _interval(end, percent=shown.percent)
            )
        rows.append(row)
    st.dataframe(
        pd.DataFrame(rows), hide_index=True, placeholder="", key=f"{PAGE}.table",
        column_config={"answers": st.column_config.NumberColumn(format="localized")},
    )


_COLUMNS = {
    "accuracy": "accuracy", "ellipse": "radius of the ellipses", "disparity": "unexplained shape",
}


def _interval(end: pd.Series, *, percent: bool) -> str:
    unit, digits, sign = (100, 1, " %") if percent else (1, 3, "")
    mean, low, high = (unit * end[name] for name in ("mean", "low", "high"))
    return f"{mean:.{digits}f}{sign} [{max(low, 0.0):.{digits}f}, {high:.{digits}f}]"
