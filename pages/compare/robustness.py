"""What changes over views of the answers."""

from __future__ import annotations

from contextlib import suppress

import pandas as pd
import streamlit as st

from tripletscope.core.data.errors import DataError
from tripletscope.core.data.lazy import cached_property
from tripletscope.core.data.triplets import Answers
from tripletscope.core.engine.method import Method
from tripletscope.core.inference.uncertainty.robustness import ALL
from tripletscope.core.run import Run
from tripletscope.core.similarity.clusters.counting import recommend_clusters
from tripletscope.core.studies.quality.exclusion import WEIGHTS
from tripletscope.dashboard.store.dataset import DatasetInfo
from tripletscope.dashboard.store.feature_tables import free_name
from tripletscope.dashboard.store.services import services
from tripletscope.dashboard.ui import panels
from tripletscope.dashboard.ui.ceiling_advice import PAGE
from tripletscope.dashboard.ui.context import Context
from tripletscope.dashboard.ui.opened_map import as_embedding, map_method
from tripletscope.dashboard.ui.task import task_tab

#: Columns that say something of the answers, whether or not a file has them.
_MEANT = ("participant", "trial", "weight")


class ViewsContext(Context):
    """The context with all answers, marked by their views."""

    of_view = False

    @cached_property
    def answers(self) -> Answers:
        return _marked(self.info.record | {"views": self.info.views}, self.info)[0]

    @property
    def views(self) -> list[str]:
        """Columns of the answers that mark a view."""
        return _marked(self.info.record | {"views": self.info.views}, self.info)[1]


@st.cache_resource(max_entries=2, show_spinner=False)
def _marked(key: dict, _info: DatasetInfo) -> tuple[Answers, list[str]]:
    """All answers with columns of views, but of those that weight, exclude nothing, or cannot."""
    cleaning, views = services().workspace.cleaning(_info), {}
    taken = {*cleaning.raw.answers, *_MEANT, ALL}
    for name, steps in _info.views.items():
        view = cleaning.with_log(steps)
        with suppress(DataError):  # its rules need what is not there
            if 0 < view.kept.sum() < len(view.kept) and not any(
                step.rule == WEIGHTS for step in view.exclusions
            ):
                views[free_name(f"{name} (view)" if name in taken else name, {*views})] = view
    return cleaning.marked(views), [*views]


def _method(context: ViewsContext) -> Method:
    return as_embedding(map_method(context.info))


def _clusters(context: ViewsContext, run: Run) -> None:
    """Numbers of clusters that were counted in views, where some were."""
    workspace, info = services().workspace, context.info
    counted = workspace.runs(info.id, "count_clusters", of_any_exclusions=True)
    key = f"{PAGE}.robustness.clusters"
    if counted and (box := panels.folded("Number of clusters", key)):
        box.dataframe(pd.DataFrame([{
            "view": info.view_of(run.state), "clustering": run.name, "clusters":
            recommend_clusters(workspace.run(info.id, run.key).result()).n_clusters,
        } for run in counted]), hide_index=True, key=key)


task_tab(
    PAGE, "Robustness", 6, "robustness", name="robustness", slot=f"{PAGE}.robustness",
    needs=ViewsContext.of, when=lambda info: len(info.views) > 1, method=_method,
    given=lambda context, method: {"views": context.views},
    refuse=lambda context: None if context.views else (
        "No view excludes answers", "Make one on the page Data, under Exclusions.",
    ),
    after=_clusters,
    about="Fits the method of the open map to every view and to random sets of the same sizes.",
    promise="Compute shows held-out error, noise ceiling and map of every view, and whether they "
    "differ more than those of random sets of its size.",
)
