"""How sure positions are, and where the map is weak."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
import pandas as pd
import streamlit as st

from tripletscope.core.data.triplets import Triplets
from tripletscope.core.inference.uncertainty import Samples
from tripletscope.core.inference.uncertainty.comparisons import Comparisons
from tripletscope.core.inference.uncertainty.weakness import (
    LISTED,
    answers_against,
    undecided_comparisons,
    undecided_pairs,
)
from tripletscope.core.run import Run
from tripletscope.dashboard.files import export
from tripletscope.dashboard.results.presentation import Numbers
from tripletscope.dashboard.store.dataset import edition_of
from tripletscope.dashboard.ui import panels
from tripletscope.dashboard.ui.elements import csv_button
from tripletscope.dashboard.ui.looks import Result
from tripletscope.dashboard.ui.opened_map import error_shown, errors_compared
from tripletscope.dashboard.ui.page import tab
from tripletscope.dashboard.ui.uncertain_map import PAGE, UncertaintyContext, choose_map
from tripletscope.pages.embedding.mapped import show_map, show_objects


@tab("embedding", "Positions", 2, needs=choose_map, slot=PAGE)
def show_positions(context: UncertaintyContext) -> None:
    """The map with its ellipses, what is behind them, and what is undecided."""
    picture, side = context.drawer()
    with side:
        source = context.pick_source()
        run = context.result(
            context.method, source, "Computes plausible maps: bootstrap replicates or posterior "
            "samples.", newest=True,
        )
    with picture:
        if run is None:
            context.empty(
                "Nothing has been computed yet",
                "Compute draws many plausible maps, and shows how much the position of each object "
                "varies.",
            )
            return
        result = Result(
            context.info, context.triplets, context.fit, run, error_shown(context, context.method),
            (*errors_compared(context, context.method),),
        )
        show_map(context.session, result, result.doubt)
    samples = context.samples(run)
    context.present(run, average=_average(edition_of(run), samples))
    show_objects(context.session, result)
    _weak(context, run, samples)
    _distances(context, samples)


@st.cache_data(max_entries=32, show_spinner="Comparing all distances")
def _average(key: tuple, _samples: Samples) -> float:
    return _samples.average_uncertainty


@st.cache_data(max_entries=32, show_spinner="Finding undecided comparisons")
def _table(
    key: tuple, name: str, _make: Callable[[Samples, Triplets], pd.DataFrame], _samples: Samples,
    _triplets: Triplets,
) -> pd.DataFrame:
    return _make(_samples, _triplets)


#: What is undecided: title -> what the table shows, the function that makes it, and the columns
#: that hold positions of objects.
_WEAK = {
    "Most uncertain distances": (
        "Mean probability that the maps order this distance wrongly (one minus order certainty), "
        "over comparisons with others from either object.",
        undecided_pairs, ["first", "second"],
    ),
    "Most uncertain comparisons": (
        "All possible comparisons, with the order certainty that the nearer object is nearer. "
        "Further answers can raise it.",
        undecided_comparisons, ["anchor", "near", "far"],
    ),
    "Least probable answers": (
        "Sorted by the probability of the response that was given; order certainty beside it. Some "
        "are mistakes; many from one participant may reflect a different percept.",
        answers_against, [],
    ),
}


def _weak(context: UncertaintyContext, run: Run, samples: Samples) -> None:
    st.header("Most uncertain", anchor=False)
    for title in _WEAK:
        if box := panels.folded(title, f"{PAGE}.{title}"):
            with box:
                _undecided(context, run, samples, title)


def _undecided(context: UncertaintyContext, run: Run, samples: Samples, title: str) -> None:
    about, make, positions = _WEAK[title]
    if make is answers_against and samples.response is None:
        context.learn_responses(run, about)
        return
    # The key of a run says nothing of labels and participants, which the table shows.
    table = _table(
        (edition_of(run), str(samples.response), context.triplets.fingerprint),
        make.__name__, make, samples, context.triplets,
    )
    shown = table.drop(columns=[*positions, "answer"], errors="ignore").rename(
        columns={f"{role}_label": role for role in positions}
    )
    context.table(Numbers(
        title, partial(pd.DataFrame, shown),
        of_rows=partial(_objects_of, context.triplets, table, positions),
        about=about if len(table) < LISTED else f"{about} The first {LISTED}.",
    ))


def _distances(context: UncertaintyContext, samples: Samples) -> None:
    csv_button(
        "All distances with their standard deviations (CSV)",
        lambda: _pairs(context.triplets, samples.comparisons),
        export.file_name(context.info.name, "distances"), f"{PAGE}.distances.csv",
    )


def _pairs(triplets: Triplets, distances: Comparisons) -> pd.DataFrame:
    """A row for every pair of objects."""
    first, second = np.triu_indices(triplets.n_objects, 1)
    ids = np.array(triplets.ids, dtype=object)
    return pd.DataFrame({
        "first": ids[first], "second": ids[second], "distance": distances.mean[first, second],
        "sd": distances.sd[first, second],
    })


def _objects_of(
    triplets: Triplets, table: pd.DataFrame, positions: list[str], rows: list[int]
) -> np.ndarray:
    """Positions of the objects in some rows of a table."""
    chosen = table.iloc[rows]
    objects = chosen[positions] if positions else triplets.rows[chosen["answer"]]
    return np.unique(np.asarray(objects, dtype=int))
