"""How well features predict held-out answers, beside chance and ceiling."""

from __future__ import annotations

from typing import Any

import pandas as pd
import streamlit as st

from tripletscope.core.evaluation.units import over_units
from tripletscope.core.explaining.explain import Explained, surely_above
from tripletscope.dashboard import export
from tripletscope.dashboard.drawing.explaining import ceilings_of, in_order, measured_as
from tripletscope.dashboard.figures.explaining import (
    MODEL_NAMES,
    SCHEME_NAMES,
    accuracy_bars,
    accuracy_height,
)
from tripletscope.dashboard.interface import panels
from tripletscope.dashboard.interface.controls import pick
from tripletscope.dashboard.interface.theme import Canvas, count, interval
from tripletscope.dashboard.views.features.context import PAGE, FeaturesContext, choose_spaces
from tripletscope.dashboard.views.page import tab

_WINDOW = 720
#: What is done with the features of a space that predicts best.
_AS = {"raw": "as it is", "weighted": "with weights", "linear": "after a linear transform"}
#: What is counted, where an odd one out is one choice of three.
_COUNTED = {"asked": "as they were asked", "two": "two at a time"}


@tab(PAGE, "Accuracy", 1, needs=choose_spaces)
def show_accuracy(context: FeaturesContext) -> None:
    """Bars for every feature space: as it is, weighted, and transformed."""
    picture, side = context.picture_and_side()
    with side:
        run = context.result(
            "explain", "Predicting from features",
            "Predicts choices that nothing was learned from, by each feature space.",
        )
        as_asked = _as_asked(context)
    with picture:
        if run is None:
            context.empty(
                "Nothing has been computed yet",
                "Compute shows how often each feature space predicts what people chose: as it is, "
                "with a weight for each of its dimensions, and after a linear transform.",
            )
            return
        _show(context, run.result(), as_asked)


def _as_asked(context: FeaturesContext) -> bool:
    """Whether choices count as they were asked; a question only where that is another number."""
    if not context.choices:
        return True
    counted = pick(
        context.session, f"{PAGE}.counted", "Count choices", _COUNTED,
        help="An odd one out is one choice of three, or two comparisons of two. Each way has its "
        "own chance and ceiling.",
    )
    return counted == "asked"


def _show(context: FeaturesContext, found: Explained, as_asked: bool) -> None:
    table = in_order(measured_as(found, as_asked=as_asked))
    ceilings = ceilings_of(found, context.choices, as_asked=as_asked)
    spaces, models = table["space"].nunique(), table["model"].nunique()
    text = (
        f"Share of held-out choices that features predict, from chance on, with 95 % intervals"
        f" over objects and, at once,{over_units(found.unit, found.n_units)}. {context.size} "
        + " ".join(f"{SCHEME_NAMES[k].capitalize()}: {count(n, 'choice')}."
                   for k, n in zip(found.schemes, found.n_choices.astype(int), strict=True) if n)
        + (" Band: the noise ceiling, from its lower to its upper bound." if ceilings else "")
    )

    def draw(canvas: Canvas) -> Any:
        return accuracy_bars(table, ceilings=ceilings, caption=text, canvas=canvas)

    panels.figure_panel(
        context.session, draw, key=f"{PAGE}.accuracy", caption=text, window=_WINDOW,
        alt=f"Bars of the accuracy of {count(spaces, 'feature space')}. {text}",
        canvas=Canvas(900.0, accuracy_height(spaces, models)), table=lambda: table,
        name=export.file_name(context.info.name, "features", "accuracy"),
    )
    for sentence in verdicts(found, table, ceilings):
        st.markdown(f"- {panels.plain(sentence)}")
    with st.expander("Numbers"):
        _numbers(table)
    for note in found.notes:
        st.caption(panels.plain(note))


def verdicts(
    found: Explained, table: pd.DataFrame, ceilings: dict[str, tuple[float, float]]
) -> list[str]:
    """What the bars say, as sentences.

    None is ahead of another where neither is surely above chance.

    Silent on: random features (tests/dashboard/views/test_features.py::test_random_features).

    table: As `measured_as` gives it.
    ceilings: As `ceilings_of` gives them.
    """
    rows = surely_above(table)
    scheme = rows["held_out"].iloc[0]
    best = rows.loc[rows["accuracy"].idxmax()]
    chance = float(best["chance"])
    where = f"On {SCHEME_NAMES[scheme]}"
    said = []
    if best["surely"]:
        said.append(
            f"{where}, {best['space']} predicts {'best ' * (len(rows) > 1)}{_AS[best['model']]}: "
            f"{interval(*best[['accuracy', 'low', 'high']])} of the choices, where chance is "
            f"{chance:.3f}."
        )
    nothing = [name for name, own in rows.groupby("space", sort=False) if not own["surely"].any()]
    if nothing:
        said.append(f"{where}, not told apart from chance: {', '.join(map(str, nothing))}.")
    if best["surely"]:
        said += _differences(rows, best)
    said.append(_of_ceiling(best, ceilings.get(scheme)))
    if len(set(table["held_out"])) > 1:
        said.append(
            "Held-out objects ask whether features tell of objects that nothing was learned of; "
            "held-out trials are about the same objects as before, which many features can learn "
            "by heart: the right panel may be higher for that reason alone."
            if (table["model"] != "raw").any() else
            "Nothing was learned of the objects, so that the two panels differ only in the choices "
            "they count."
        )
    return said


def _differences(rows: pd.DataFrame, best: pd.Series) -> list[str]:
    """The other spaces against the best of the same model, on the same choices.

    Silent on: random features (tests/dashboard/views/test_features.py::test_random_features).
    """
    same = rows[(rows["model"] == best["model"]) & (rows["space"] != best["space"])]
    if same.empty or not {"behind", "behind_low"} <= set(same):
        return []
    next_best = same.loc[same["accuracy"].idxmax()]
    behind = interval(*next_best[["behind", "behind_low", "behind_high"]])
    if next_best["behind_low"] > 0:
        return [f"It is ahead of {next_best['space']}, the next, by {behind} on the same choices."]
    return [
        f"It is not told apart from {next_best['space']}: ahead by {behind} on the same choices."
    ]


def _of_ceiling(best: pd.Series, bounds: tuple[float, float] | None) -> str:
    if bounds is None:
        return (
            "How much could be predicted at all is not known well enough: too few questions were "
            "asked more than once to tell the noise ceiling."
        )
    lower, upper = bounds
    if best["high"] >= lower:
        return (
            f"The noise ceiling lies between {lower:.3f} and {upper:.3f}: what is left may be "
            "noise."
        )
    share = (best["accuracy"] - best["chance"]) / (upper - best["chance"])
    return (
        f"The noise ceiling lies between {lower:.3f} and {upper:.3f}: beyond chance, "
        f"{max(share, 0.0):.0%} of what could be predicted is."
    )


_COLUMNS = {
    "space": "feature space", "model": "how", "held_out": "held out", "accuracy": "accuracy",
    "low": "from", "high": "to", "chance": "chance", "behind": "behind the best",
    "behind_low": "behind, from", "behind_high": "behind, to",
    "deviance_explained": "deviance explained", "choices": "choices",
}


def _numbers(table: pd.DataFrame) -> None:
    shown = table[[c for c in _COLUMNS if c in table]].rename(columns=_COLUMNS)
    shown["how"] = shown["how"].map(MODEL_NAMES)
    shown["held out"] = shown["held out"].map(SCHEME_NAMES)
    st.dataframe(
        shown, hide_index=True, placeholder="", key=f"{PAGE}.accuracy.numbers",
        column_config={
            name: st.column_config.NumberColumn(format="%.3f")
            for name in shown.columns[3:] if name != "choices"
        },
    )
