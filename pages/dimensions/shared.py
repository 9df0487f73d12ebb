"""Dimensions of the shown fit beside those of other fits, other data sets, and tables."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pandas as pd
import streamlit as st

from tripletscope.core.data.errors import DataError
from tripletscope.core.features.shared_dimensions import FEWEST
from tripletscope.core.features.spaces import FeatureSpace
from tripletscope.dashboard.files.errors import WorkspaceError
from tripletscope.dashboard.store.dataset import DatasetInfo
from tripletscope.dashboard.store.feature_tables import KeptTable
from tripletscope.dashboard.store.services import services
from tripletscope.dashboard.ui.choosing import fits_of_all
from tripletscope.dashboard.ui.context import Context
from tripletscope.dashboard.ui.controls import several
from tripletscope.dashboard.ui.elements import errors_shown
from tripletscope.dashboard.ui.feature_spaces import FeaturesContext
from tripletscope.dashboard.ui.naming import names_of_dimensions
from tripletscope.dashboard.ui.page import tab
from tripletscope.dashboard.ui.task import show_task
from tripletscope.dashboard.ui.watching import watch
from tripletscope.pages.dimensions.context import DimensionsContext, choose_fit
from tripletscope.pages.dimensions.fitting import PAGE, fits_of

#: Fits and tables beside the shown fit, and objects times dimensions that are matched at once.
_BESIDE, _AT_ONCE = 8, 100_000


def choose_fits(context: Context) -> FeaturesContext | None:
    """Ask for what stands beside the shown fit; None, having said so, where there is nothing.

    Its spaces are tables of dimensions, that of the shown fit first.
    """
    shown = choose_fit(context, watching=False)
    if shown is None:
        return None
    (name, offered), chosen = _offered(shown), []
    if offered:
        with context.row, st.container(width=420):
            chosen = several(
                context.session, f"{PAGE}.beside@{context.info.id}", "Beside this fit",
                {key: key for key in offered}, default=list(offered)[:1], max_selections=_BESIDE,
                help="Fits of this data set, fits of others whose objects have the same ids, and "
                "tables of Features and models.",
            )
    if not chosen:
        watch(context.job)
        context.empty(
            "There is nothing beside this fit" if offered else "There is only one fit",
            "Choose another fit or a table above." if offered else
            "Compute another one under Fit, fit another view of the answers (a group of people, "
            "say) or another data set with the same objects, or upload a network's dimensions "
            f"under Features and models. {FEWEST} objects must be in both.",
        )
        return None
    with errors_shown(DataError, WorkspaceError):
        spaces = [_of_fit(shown, shown.info, shown.fit.key, name)]
        spaces += [offered[other](other) for other in chosen]
        return FeaturesContext.of(context, spaces=tuple(spaces))
    return None


def _offered(shown: DimensionsContext) -> tuple[str, dict[str, Callable[[str], FeatureSpace]]]:
    """What the shown fit is called, and what makes a table of each other one, by its name."""
    workspace, info, ids = services().workspace, shown.info, {*shown.triplets.ids}
    others = [
        data for data in workspace.datasets()
        if data.id != info.id and fits_of(data) and len({*_ids(data)} & ids) >= FEWEST
    ]
    offered, called = {}, ""
    for name, data, run in fits_of_all([info, *others], "dimensions"):
        if (data.id, run.key) == (info.id, shown.fit.key):
            called = name
        else:
            offered[name] = partial(_of_fit, shown, data, run.key)
    for kept in workspace.tables(info):
        if not kept.holds_distances:
            offered.setdefault(kept.name, partial(_of_table, shown, kept))
    return called, offered


def _ids(data: DatasetInfo) -> list[str]:
    return services().workspace.objects(data)["id"].astype(str).tolist()


def _of_fit(shown: DimensionsContext, data: DatasetInfo, key: str, name: str) -> FeatureSpace:
    """Weights of a fit for the objects of the shown one; NaN of those without trials."""
    run = services().workspace.run(data.id, key)
    if run is None:
        raise DataError(f"{name} was deleted meanwhile", remedy="Choose another one.")
    named = names_of_dimensions(data, run)
    weights = pd.DataFrame(run.arrays["embedding_"], _ids(data))
    there = weights[run.arrays.get("placed_", slice(None))]
    return FeatureSpace(
        name=name, values=there.reindex(shown.triplets.ids).to_numpy(),
        feature_names=[f"{k + 1} {named.get(k, '')}".strip() for k in range(weights.shape[1])],
    )


def _of_table(shown: DimensionsContext, kept: KeptTable, name: str) -> FeatureSpace:
    table = services().workspace.table(shown.info, kept, shown.triplets)
    return FeatureSpace(name=name, values=table.values, feature_names=table.columns or None)


@tab(PAGE, "Shared", 6, slot=f"{PAGE}.shared", needs=choose_fits)
def show_shared(context: FeaturesContext) -> None:
    """Which dimensions the fits share."""
    weights = len(context.triplets.ids) * sum(space.n_features for space in context.spaces)
    show_task(
        context, "shared_dimensions", at_once=weights <= _AT_ONCE,
        about="Matches the dimensions of the shown fit with those beside it, one to one.",
        promise="Compute shows which dimensions the fits share, which one has alone, and the "
        "objects that part them.",
    )
