"""The main analysis beside others of the same answers, and its views beside random sets."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any

import pandas as pd
import streamlit as st

from tripletscope.core.data.errors import DataError
from tripletscope.core.data.lazy import cached_property
from tripletscope.core.data.triplets import Answers
from tripletscope.core.engine.declared import checked
from tripletscope.core.inference.uncertainty.robustness import ALL
from tripletscope.core.models.embedding.ordinal import OrdinalEmbedding
from tripletscope.core.run import TASKS, Run
from tripletscope.core.studies.multiverse.multiverse import Multiverse
from tripletscope.core.studies.quality.exclusion import WEIGHTS
from tripletscope.dashboard.results.dividing import condition_columns
from tripletscope.dashboard.results.multiverse import (
    ToldMultiverse,
    method_of,
    options_of_chance,
)
from tripletscope.dashboard.results.preregistration import planned_maps
from tripletscope.dashboard.store.dataset import DatasetInfo, column_of_view
from tripletscope.dashboard.store.plans import standing_of
from tripletscope.dashboard.store.services import services
from tripletscope.dashboard.ui import panels
from tripletscope.dashboard.ui.ceiling_advice import PAGE
from tripletscope.dashboard.ui.context import Context
from tripletscope.dashboard.ui.controls import pressed, several
from tripletscope.dashboard.ui.elements import looks_row
from tripletscope.dashboard.ui.looks import ask_look
from tripletscope.dashboard.ui.opened_map import as_embedding, fit_now, map_method
from tripletscope.dashboard.ui.page import open_page, tab
from tripletscope.dashboard.ui.watching import watch
from tripletscope.dashboard.words.formats import duration

#: Columns that say something of the answers, whether or not a file has them.
_MEANT = ("participant", "trial", "weight")
_PLACE = f"{PAGE}.multiverse"
_PICKED = f"{_PLACE}.picked"
_DRAWS = 39  # random sets of each view
#: Seconds of a test of groups, of one of conditions, both per answer, and of an exchange of these.
_PER_ANSWER, _PER_CONDITION, _PER_EXCHANGE = 3.3e-4, 2e-5, 5e-4


class ViewsContext(Context):
    """The context with all answers, marked by their views."""

    of_view = False

    @cached_property
    def answers(self) -> Answers:
        return self._marked[0]

    @property
    def views(self) -> list[str]:
        """Columns of the answers that mark a view."""
        return [column for column in self.columns_of_views.values() if column != ALL]

    @property
    def columns_of_views(self) -> dict[str, str]:
        """Column of each view that can be compared, by its name; `ALL` of one with all answers."""
        return self._marked[1]

    @property
    def here(self) -> str | None:
        """The column of the view in use; None if it cannot be compared."""
        return self.columns_of_views.get(self.info.view)

    @property
    def _marked(self) -> tuple[Answers, dict[str, str]]:
        return _marked(self.info.record | {"views": self.info.views}, self.info)


@st.cache_resource(max_entries=2, show_spinner=False)
def _marked(key: dict, _info: DatasetInfo) -> tuple[Answers, dict[str, str]]:
    """All answers with columns of views, but of those that weight, or exclude all."""
    cleaning, columns, views = services().workspace.cleaning(_info), {}, {}
    taken = {*cleaning.raw.answers, *_MEANT, ALL}
    for name, steps in _info.views.items():
        view = cleaning.with_log(steps)
        with suppress(DataError):  # its rules need what is not there
            if not view.kept.any() or any(step.rule == WEIGHTS for step in view.exclusions):
                continue
            if view.kept.all():
                columns[name] = ALL
            elif (column := column_of_view(name, taken)) not in taken:
                columns[name], views[column] = column, view
    return cleaning.marked(views), columns


@tab(PAGE, "Multiverse", 6, needs=ViewsContext.of, slot=_PLACE)
def show_multiverse(context: ViewsContext) -> None:
    picture, side = context.picture_and_side()
    if context.here is None:
        with picture:
            panels.empty(
                "The view in use cannot be compared",
                "It weights the answers, or leaves none. Choose another view beside the page.",
            )
        return
    row = looks_row(picture)
    method: OrdinalEmbedding = as_embedding(map_method(context.info))
    with side:
        run = _asked_for(context, method)
        beside = [*_beside_exchanges(context, method, run),
                  *_beside_random_sets(context, method, run)]
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

            def choose(picked: list[int], _: str) -> None:
                context.session.drafts[_PICKED] = [run.key, *picked[:1]]

            context.present(
                run, beside=beside, looks=looks, on_pick=choose,
                planned=planned_maps(standing_of(services().workspace, context.info)),
            )
            _chosen(context, run)


def _asked_for(context: ViewsContext, method: OrdinalEmbedding) -> Run | None:
    """The form and its result, as far as it is there; the view in use is one in any case."""
    own = [] if context.here == ALL else [context.here]
    others = [view for view in context.views if view not in own]

    chosen = several(
        # Other views, another choice, which begins with that of the last result.
        context.session, f"{_PLACE}.others@{context.info.id}@{own}@{others}", "Other views",
        {view: view for view in others}, default=_compared_before(context, own) or others,
        help="The view in use, and all answers, are compared in any case.",
    ) if others else []
    divided = context.session.answers().answers
    without = {} if context.columns else {"columns": None}
    without |= {} if "participant" in divided else {"groups": False}
    options = context.options(
        "multiverse", columns={"objects": context.columns},
        given={"views": [*own, *chosen] or None, "main": len(own), **without,
               "conditions": _conditions(context, divided)},
    )
    if not options["methods"]:
        st.caption("Choose a method.")
        return None
    return context.result(
        method, "multiverse", "Begins with the map that is open, and goes on with the analyses "
        "that differ from it in one choice. What is done is kept, also when it is stopped.",
        options=options,
    )


def _compared_before(context: ViewsContext, own: list[str]) -> list[str]:
    """Other views of the last result with the same main view; none without one."""
    for one in context.runs("multiverse", "embedding"):
        views, main = one.record["options"]["views"] or [], one.record["options"]["main"]
        if views[:main] == own:
            return views[main:]
    return []


def _conditions(context: ViewsContext, divided: pd.DataFrame) -> list[str] | None:
    """Columns whose values are compared as conditions; none to begin with."""
    names = condition_columns(divided)
    return several(
        context.session, f"{_PLACE}.conditions", "Conditions", {name: name for name in names},
        help="Columns of the answers: whether the axes of the map are weighted differently.",
    ) or None if names else None


def _chosen(context: ViewsContext, run: Run) -> None:
    """The analysis that was clicked on, and its map."""
    told = ToldMultiverse(run.result())
    key, *picked = context.session.drafts.get(_PICKED) or [""]
    if key != run.key or not picked or not told.result.done[picked[0]]:
        st.caption("Click on an analysis for its map.")
        return
    (k,) = picked
    with st.container(border=True, key=f"{_PLACE}.chosen"):
        st.markdown(panels.plain(told.text_of(k)))
        names = {column: name for name, column in context.columns_of_views.items()}
        view = told.result.views[k]
        if view != context.here:
            st.caption(panels.plain(
                f"Its map is of the view “{names.get(view, view)}”: choose that one first."
            ))
        elif pressed(context.session, f"{_PLACE}.fit", "Fit this map",
                     icon=":material/scatter_plot:"):
            fit_now(context, method_of(run, k))
            open_page("embedding")


def _beside_exchanges(
    context: ViewsContext, method: OrdinalEmbedding, run: Run | None
) -> list[Run]:
    """The button that says how often chance makes conclusions about people stand as often."""
    if run is None or not run.result().people:
        return []
    context = replace(context, slot=f"{PAGE}.chance")
    options = checked(TASKS["multiverse_chance"].function, options_of_chance(run))
    takes = _seconds_of(run.result(), context.answers, options)
    (chance,) = context.results(
        "chance", TASKS["multiverse_chance"].words, [(method, "multiverse_chance", options)],
        "One *p* for all conclusions about people: in how large a share of the analyses chance "
        f"makes one of them stand. It takes about {duration(takes)}, and goes on where it was "
        "stopped.", label="Exchange people",
    )
    watch(context.job, narrow=True)
    return [chance] if chance else []


def _seconds_of(result: Multiverse, answers: Answers, options: Mapping[str, Any]) -> float:
    """Roughly how long exchanges take."""
    views, exchanges = options["views"] or [], options["permutations"]
    number = int(answers.answers[views].sum().sum()) + len(answers)
    groups = _PER_ANSWER * number * exchanges * ("" in result.people)
    condition = _PER_CONDITION * number + _PER_EXCHANGE * exchanges * (len(views) + 1)
    tests = len({*result.n_components.tolist()} - {1})
    return 1.0 + tests * (groups + condition * len({*result.people} - {""}))


def _beside_random_sets(
    context: ViewsContext, method: OrdinalEmbedding, run: Run | None
) -> list[Run]:
    """The button that compares the views of a result with random sets of their sizes."""
    views = run.options["views"] if run else None
    if not views:
        return []
    context = replace(context, slot=f"{PAGE}.robustness")  # neither ends the other
    folds, replicates = run.options["folds"], run.options["replicates"]
    options = {"views": views, "draws": _DRAWS, "folds": folds, "seed": run.options["seed"]}
    takes = run.seconds / run.result().done.sum() * len(views) * _DRAWS
    (random,) = context.results(
        "robustness", TASKS["robustness"].words, [(method, "robustness", options)],
        "Whether views differ more than random sets of their sizes: ranges in the figure, and one "
        "p for all views. It takes about "
        f"{duration(takes * (folds + 1) / (folds + 1 + replicates))}.", label="Random sets",
    )
    watch(context.job, narrow=True)
    return [random] if random and random.complete else []
