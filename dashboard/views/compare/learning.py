"""Whether the answers are enough, and which prior predicts best."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from tripletscope.core.data.triplets import Triplets
from tripletscope.core.evaluation.compare import learning_curve, tune
from tripletscope.core.evaluation.score import CHANCE, has_split, repeat_error, split_of
from tripletscope.core.method import methods
from tripletscope.dashboard import analysis, export
from tripletscope.dashboard.figures.curves import dimension_curves, learning_figure
from tripletscope.dashboard.interface import panels
from tripletscope.dashboard.interface.controls import number, parameter_form, pick, pressed
from tripletscope.dashboard.interface.theme import Canvas, count
from tripletscope.dashboard.interface.watching import watch
from tripletscope.dashboard.keeping.catalogue import DatasetInfo
from tripletscope.dashboard.keeping.jobs import Job
from tripletscope.dashboard.state import Session
from tripletscope.dashboard.views.compare.comparing import PAGE, worth_showing
from tripletscope.dashboard.views.computing import WIDE, compute_button
from tripletscope.dashboard.views.embedding.page import fit_now

#: Methods that choose their dimensions themselves, or whose prior plays another role.
_UNTUNED = ("lore", "gnmdsk")


def show_learning(current: Session, info: DatasetInfo, triplets: Triplets, job: Job | None) -> None:
    picture, side = st.columns([3, 1], gap="large")
    with side:
        known = {name: method.title for name, method in methods("embedding").items()}
        name = pick(current, "compare.curve.method", "Method", known, default="ste")
        d = number(current, "compare.curve.d", "Dimensions", 1, 20, 2) or 2
        options = parameter_form(current, learning_curve, "compare.curve")
        method = methods("embedding")[name](n_components=d)
        found = analysis.find(info, triplets, method, "learning_curve", options)
        compute_button(
            current, info, triplets, PAGE, "compare.curve.run", f"Learning curve: {info.name}",
            [(method, "learning_curve", options)] if found is None else [],
            "Fits to growing subsets of the answers and predicts the same held-out answers.",
        )
    with picture:
        watch(job)
        if found is None:
            panels.empty(
                "Nothing has been computed yet",
                "Compute shows how the error falls with the number of answers, and whether more "
                "answers would help.",
            )
            return
        curve = found.curve()
        n = triplets.n_objects
        mark = method.n_components * n * np.log(n)
        text = (
            f"{analysis.describe(method)}. {info.name}: {count(info.n_objects, 'object')}, "
            f"{count(info.n_answers, 'answer')}. Error on a held-out fifth of the questions, "
            f"{len(curve.errors)} random splits, with a 95 % band."
        )
        repeats = repeat_error(triplets)

        def draw(canvas: Canvas) -> Any:
            return learning_figure(
                curve, mark=mark, repeats=worth_showing(repeats), caption=text, canvas=canvas
            )

        def table() -> pd.DataFrame:
            return pd.DataFrame({
                "answers": curve.n_answers, "held-out error": curve.mean,
                "low": curve.mean - curve.reach, "high": curve.mean + curve.reach,
            })

        panels.figure_panel(
            current, draw, key="compare.curve.figure", alt=f"Learning curve. {text}",
            canvas=WIDE, caption=text, table=table,
            name=export.file_name(info.name, method.name, "learning-curve"),
        )
        gain, low, high = curve.gain()
        learned = curve.mean[-1] + curve.reach[-1] < CHANCE
        st.markdown(panels.plain(_verdict(gain, low, high, len(triplets) / mark, learned)))


def _verdict(gain: float, low: float, high: float, ratio: float, learned: bool) -> str:
    """Whether more answers would help; `learned`: the map surely predicts better than guessing."""
    shown = f"{gain:.3f} [{low:.3f}, {high:.3f}]"
    amount = (
        f"By the rule of thumb, a map takes at least d n ln n answers; there are {ratio:.1f} times "
        "as many."
    )
    if not learned:
        return (
            "Inconclusive: even with all answers, the map may predict others no better than "
            "chance. Either there are too few answers or repeats, or responses do not follow such "
            f"a map. {amount}"
        )
    if high < 0.005:
        return (
            f"Enough: the second half of the answers lowered the error by only {shown}. {amount}"
        )
    if low > 0:
        return (
            f"More answers would help: the second half lowered the error by {shown}. Twice as "
            f"many would lower it again, by somewhat less. {amount}"
        )
    return (
        f"Undecided: the second half changed the error by {shown}. More repeats narrow this; more "
        f"answers may still help a little. {amount}"
    )


def show_tuning(current: Session, info: DatasetInfo, triplets: Triplets, job: Job | None) -> None:
    picture, side = st.columns([3, 1], gap="large")
    with side:
        known = {
            name: method.title for name, method in methods("embedding").items()
            if name not in _UNTUNED
        }
        name = pick(current, "compare.tune.method", "Method", known, default="ste")
        options = parameter_form(current, tune, "compare.tune")
        method = methods("embedding")[name]()
        found = analysis.find(info, triplets, method, "tune", options)
        compute_button(
            current, info, triplets, PAGE, "compare.tune.run", f"Tuning: {info.name}",
            [(method, "tune", options)] if found is None else [],
            "Cross-validates five prior strengths in several numbers of dimensions.",
        )
    with picture:
        watch(job)
        if found is None:
            panels.empty(
                "Nothing has been computed yet",
                "With few answers, a prior that shrinks the map and an average over restarts "
                "predict better than the best single map. Compute finds the prior strength that "
                "predicts best.",
            )
            return
        tuning = found.tuning()
        table = pd.DataFrame({
            "method": [f"prior {prior:g}" for prior in tuning.prior],
            "dimensions": tuning.n_components, "held-out error": tuning.errors.mean(axis=1),
        })
        n_answers, noun = len(triplets), "answer"
        if has_split(triplets):
            n_answers, noun = int(split_of(triplets)[0].sum()), "training answer"
        text = (
            f"{method.title}, average of {count(method.n_init, 'restart')}. {info.name}: "
            f"{count(n_answers, noun)}. Cross-validated error by prior strength."
        )

        def draw(canvas: Canvas) -> Any:
            return dimension_curves(table, caption=text, canvas=canvas)

        panels.figure_panel(
            current, draw, key="compare.tune.figure", alt=text, canvas=WIDE, caption=text,
            table=lambda: table, name=export.file_name(info.name, method.name, "tuning"),
        )
        best = tuning.setting()
        st.markdown(panels.plain(
            f"For prediction: {count(best['n_components'], 'dimension')}, prior {best['prior']:g}, "
            f"averaging over restarts: error {tuning.errors.mean(axis=1).min():.3f}. On new "
            f"answers it will be slightly higher, because it is the lowest of {len(table)}."
            + (" The data's own test answers were not used." if has_split(triplets) else "")
        ))
        if pressed(current, "compare.tune.use", "Fit this map", icon=":material/scatter_plot:"):
            fit_now(current, info, triplets, methods("embedding")[name](**best))
            st.switch_page("../pages/embedding.py")
