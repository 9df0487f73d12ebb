"""The main analysis beside others of the same answers, and views beside random sets."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any

import streamlit as st

from tripletscope.core.data.errors import DataError
from tripletscope.core.data.lazy import cached_property
from tripletscope.core.data.triplets import Answers
from tripletscope.core.engine.method import methods
from tripletscope.core.inference.uncertainty.robustness import ALL
from tripletscope.core.models.embedding.ordinal import OrdinalEmbedding
from tripletscope.core.run import Run
from tripletscope.core.studies.quality.exclusion import WEIGHTS
from tripletscope.dashboard.results.multiverse import MultiverseLook, ToldMultiverse
from tripletscope.dashboard.store.dataset import ALL_ANSWERS, DatasetInfo
from tripletscope.dashboard.store.feature_tables import free_name
from tripletscope.dashboard.store.services import services
from tripletscope.dashboard.ui import panels
from tripletscope.dashboard.ui.ceiling_advice import PAGE
from tripletscope.dashboard.ui.context import Context
from tripletscope.dashboard.ui.controls import pressed
from tripletscope.dashboard.ui.elements import looks_row
from tripletscope.dashboard.ui.looks import ask_look
from tripletscope.dashboard.ui.opened_map import as_embedding, fit_now, map_method
from tripletscope.dashboard.ui.page import open_page, tab
from tripletscope.dashboard.ui.watching import watch

#: Columns that say something of the answers, whether or not a file has them.
_MEANT = ("participant", "trial", "weight")
_PLACE = f"{PAGE}.multiverse"


class ViewsContext(Context):
    """The context with all answers, marked by their views."""

    of_view = False

    @cached_property
    def answers(self) -> Answers:
        return self._marked[0]

    @property
    def views(self) -> dict[str, str]:
        """Columns of the answers that mark a view, by its name."""
        return self._marked[1]

    @property
    def _marked(self) -> tuple[Answers, dict[str, str]]:
        return _marked(self.info.record | {"views": self.info.views}, self.info)


@st.cache_resource(max_entries=2, show_spinner=False)
def _marked(key: dict, _info: DatasetInfo) -> tuple[Answers, dict[str, str]]:
    """All answers with columns of views, but of those that weight, exclude nothing, or cannot."""
    cleaning, columns, views = services().workspace.cleaning(_info), {}, {}
    taken = {*cleaning.raw.answers, *_MEANT, ALL}
    for name, steps in _info.views.items():
        view = cleaning.with_log(steps)
        with suppress(DataError):  # its rules need what is not there
            if 0 < view.kept.sum() < len(view.kept) and not any(
                step.rule == WEIGHTS for step in view.exclusions
            ):
                column = free_name(f"{name} (view)" if name in taken else name, {*views})
                columns[name], views[column] = column, view
    return cleaning.marked(views), columns


@tab(PAGE, "Multiverse", 6, needs=ViewsContext.of, slot=_PLACE)
def show_multiverse(context: ViewsContext) -> None:
    picture, side = context.picture_and_side()
    row = looks_row(picture)
    method: OrdinalEmbedding = as_embedding(map_method(context.info))
    with side:
        run = _asked_for(context, method)
    with picture:
        if run is None:
            context.empty(
                "Nothing has been computed yet",
                "Compute shows the held-out error, the map and the conclusions of every method, "
                "number of dimensions and view: what depends on your choices, and what does not.",
            )
        else:
            with row:
                looks = ask_look(context, run)
            context.present(run, looks=looks, on_pick=lambda picked, _: _choose(context, picked))
            _chosen(context, run, looks.get(run.key) or MultiverseLook())
        _views(context, method)


def _asked_for(context: ViewsContext, method: OrdinalEmbedding) -> Run | None:
    """The form and its result, as far as it is there."""
    views = context.views
    without = [name for name, some in (("views", views), ("columns", context.columns)) if not some]

    def main(options: Mapping[str, Any]) -> int:
        chosen = [ALL, *(options.get("views") or [])]
        here = views.get(context.info.view)
        return chosen.index(here) if here in chosen else 0

    options = context.options(
        "multiverse", given={"main": main, **dict.fromkeys(without)},
        columns={"answers": [*views.values()], "objects": context.columns},
    )
    if not options["methods"]:
        st.caption("Choose a method.")
        return None
    return context.result(
        method, "multiverse", "Begins with the map that is open, and goes on with the analyses "
        "that differ from it in one choice. What is done is kept, also when it is stopped.",
        options=options,
    )


def _choose(context: Context, picked: list[int]) -> None:
    context.session.drafts[f"{_PLACE}.picked"] = picked[0] if picked else None


def _chosen(context: Context, run: Run, look: MultiverseLook) -> None:
    """The analysis that was clicked on, and its map."""
    told = ToldMultiverse(run.result(), look.order)
    picked = context.session.drafts.get(f"{_PLACE}.picked")
    if picked is None or picked >= len(told.order):
        st.caption("Click on an analysis for its map.")
        return
    k = int(told.order[picked])
    with st.container(border=True, key=f"{_PLACE}.chosen"):
        st.markdown(panels.plain(told.texts[picked]))
        names = {column: name for name, column in context.views.items()} | {ALL: ALL_ANSWERS}
        view = told.result.views[k]
        if view != context.views.get(context.info.view, ALL):
            st.caption(panels.plain(
                f"Its map is of the view “{names.get(view, view)}”: choose that one first."
            ))
        elif pressed(context.session, f"{_PLACE}.fit", "Fit this map",
                     icon=":material/scatter_plot:"):
            name, own = told.result.methods[k], run.fresh()
            method = own if name == own.name else methods("embedding")[name]()
            fit_now(context, method.set_params(n_components=int(told.result.n_components[k])))
            open_page("embedding")


def _views(context: ViewsContext, method: OrdinalEmbedding) -> None:
    """Views beside random sets of their sizes."""
    if not context.views:
        return
    if box := panels.folded("Views beside random sets", f"{PAGE}.robustness"):
        with box:
            context = replace(context, slot=f"{PAGE}.robustness")  # neither ends the other
            watch(context.job)
            options = context.options("robustness", given={"views": [*context.views.values()]})
            run = context.result(
                method, "robustness",
                "Fits the method of the open map to every view and to random sets of the same "
                "sizes.", options=options,
            )
            context.present_or_promise(
                run if run and run.complete else None,
                promise="Compute shows held-out error, noise ceiling and map of every view, and "
                "whether they differ more than those of random sets of its size.",
            )
