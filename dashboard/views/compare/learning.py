"""Whether the answers are enough, and which prior predicts best."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from tripletscope.core.embedding import DEFAULT_EMBEDDING
from tripletscope.core.evaluation.ceiling import Ceiling
from tripletscope.core.evaluation.compare import LearningCurve, learning_curve, tune
from tripletscope.core.evaluation.score import CHANCE, has_split, split_of
from tripletscope.core.evaluation.units import over_units
from tripletscope.core.method import methods
from tripletscope.dashboard import analysis, export
from tripletscope.dashboard.figures.curves import dimension_curves, learning_figure
from tripletscope.dashboard.interface import panels
from tripletscope.dashboard.interface.controls import number, parameter_form, pick, pressed
from tripletscope.dashboard.interface.theme import WIDE, Canvas, count, interval
from tripletscope.dashboard.views.compare.comparing import PAGE, ceiling_of
from tripletscope.dashboard.views.embedding.fitting import fit_now
from tripletscope.dashboard.views.page import Context, tab

#: Methods that choose their dimensions themselves, or whose prior plays another role.
_UNTUNED = ("lore", "gnmdsk")


@tab(PAGE, "Learning curve", 3)
def show_learning(context: Context) -> None:
    picture, side = context.picture_and_side()
    with side:
        known = {name: method.title for name, method in methods("embedding").items()}
        name = pick(
            context.session, "compare.curve.method", "Method", known,
            default=DEFAULT_EMBEDDING.name,
        )
        d = number(context.session, "compare.curve.d", "Dimensions", 1, 20, 2) or 2
        options = parameter_form(context.session, learning_curve, "compare.curve")
        method = methods("embedding")[name](n_components=d)
        found = context.find(method, "learning_curve", options)
        context.compute_button(
            "compare.curve.run", "Learning curve",
            [(method, "learning_curve", options)] if found is None else [],
            "Fits to growing subsets of the answers and predicts the same held-out answers.",
        )
    with picture:
        if found is None:
            context.empty(
                "Nothing has been computed yet",
                "Compute shows how the error falls with the number of answers, and whether more "
                "answers would help.",
            )
            return
        curve = found.result()
        n = context.triplets.n_objects
        mark = method.n_components * n * np.log(n)
        text = (
            f"{analysis.describe(method)}. {context.size} Error on a held-out fifth of the "
            f"questions, {len(curve.errors)} random splits, with a 95 % band"
            f"{over_units(curve.unit, curve.n_units)}."
        )
        ceiling = ceiling_of(context.triplets)
        if ceiling.is_precise:
            text += " Grey band: the noise ceiling, from its lower to its upper bound."

        def draw(canvas: Canvas) -> Any:
            return learning_figure(
                curve, mark=mark, ceiling=ceiling, caption=text, canvas=canvas
            )

        def table() -> pd.DataFrame:
            return pd.DataFrame({
                "answers": curve.n_answers, "held-out error": curve.mean,
                "low": curve.mean - curve.reach, "high": curve.mean + curve.reach,
            })

        panels.figure_panel(
            context.session, draw, key="compare.curve.figure", alt=f"Learning curve. {text}",
            canvas=WIDE, caption=text, table=table,
            name=export.file_name(context.info.name, method.name, "learning-curve"),
        )
        st.markdown(panels.plain(verdict(curve, ceiling, len(context.triplets) / mark)))
        st.caption(panels.plain(ceiling.sentence))


def verdict(curve: LearningCurve, ceiling: Ceiling, ratio: float) -> str:
    """Whether more answers would help: not where the noise ceiling leaves nothing to gain.

    Silent on: answers by chance
    (tests/dashboard/views/test_compare.py::test_answers_by_chance_are_not_called_enough).

    ratio: Answers to the number that the rule of thumb asks for.
    """
    gain, low, high = curve.gain()
    error, reach = float(curve.mean[-1]), float(curve.reach[-1])
    shown = f"{gain:.3f} [{low:.3f}, {high:.3f}]"
    amount = (
        f"By the rule of thumb, a map takes at least d n ln n answers; there are {ratio:.1f} times "
        "as many."
    )
    advice = ceiling.advice(error, error - reach, error + reach)
    if advice:
        return (
            f"Enough. {advice} With all answers it is "
            f"{interval(error, error - reach, error + reach)}, where the upper bound of the "
            f"ceiling leaves {1 - ceiling.upper.value:.3f}. {amount}"
        )
    if error + reach >= CHANCE:
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


@tab(PAGE, "Hyperparameters", 4)
def show_tuning(context: Context) -> None:
    picture, side = context.picture_and_side()
    with side:
        known = {
            name: method.title for name, method in methods("embedding").items()
            if name not in _UNTUNED
        }
        name = pick(
            context.session, "compare.tune.method", "Method", known, default=DEFAULT_EMBEDDING.name
        )
        options = parameter_form(context.session, tune, "compare.tune")
        method = methods("embedding")[name]()
        found = context.find(method, "tune", options)
        context.compute_button(
            "compare.tune.run", "Tuning", [(method, "tune", options)] if found is None else [],
            "Cross-validates five prior strengths in several numbers of dimensions.",
        )
    with picture:
        if found is None:
            context.empty(
                "Nothing has been computed yet",
                "With few answers, a prior that shrinks the map and an average over restarts "
                "predict better than the best single map. Compute finds the prior strength that "
                "predicts best.",
            )
            return
        tuning = found.result()
        table = pd.DataFrame({
            "method": [f"prior {prior:g}" for prior in tuning.prior],
            "dimensions": tuning.n_components, "held-out error": tuning.errors.mean(axis=1),
        })
        n_answers, noun = len(context.triplets), "answer"
        if has_split(context.triplets):
            n_answers, noun = int(split_of(context.triplets)[0].sum()), "training answer"
        text = (
            f"{method.title}, average over restarts. {context.info.name}: "
            f"{count(n_answers, noun)}. Cross-validated error by prior strength."
        )

        def draw(canvas: Canvas) -> Any:
            return dimension_curves(table, caption=text, canvas=canvas)

        panels.figure_panel(
            context.session, draw, key="compare.tune.figure", alt=text, canvas=WIDE, caption=text,
            table=lambda: table, name=export.file_name(context.info.name, method.name, "tuning"),
        )
        best = tuning.setting()
        st.markdown(panels.plain(
            f"For prediction: {count(best['n_components'], 'dimension')}, prior {best['prior']:g}, "
            f"averaging over restarts: error {tuning.errors.mean(axis=1).min():.3f}. On new "
            f"answers it will be slightly higher, because it is the lowest of {len(table)}."
            + (" The data's own test answers were not used." if has_split(context.triplets) else "")
        ))
        if pressed(
            context.session, "compare.tune.use", "Fit this map", icon=":material/scatter_plot:"
        ):
            fit_now(context, methods("embedding")[name](**best))
            st.switch_page("../pages/embedding.py")
