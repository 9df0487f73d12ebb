"""What changes over views of the answers."""

from __future__ import annotations

import json
from functools import cached_property
from typing import Any

import pandas as pd
import streamlit as st

from tripletscope.core.cluster.counting import recommend_clusters
from tripletscope.core.data.triplets import Judgements
from tripletscope.core.engine.method import Method
from tripletscope.core.models.embedding.default import DEFAULT_EMBEDDING
from tripletscope.core.models.embedding.ordinal import OrdinalEmbedding
from tripletscope.core.run import Run
from tripletscope.core.studies.quality import Cleaning
from tripletscope.dashboard.keeping.dataset import DatasetInfo
from tripletscope.dashboard.keeping.services import services
from tripletscope.dashboard.views.compare.comparing import PAGE
from tripletscope.dashboard.views.context import Context
from tripletscope.dashboard.views.data.quality import opened_method
from tripletscope.dashboard.views.task import task_tab


class ViewsContext(Context):
    """The context with all answers, marked by their views."""

    of_view = False

    @cached_property
    def views(self) -> dict[str, list[dict[str, Any]]]:
        """Exclusions by the names of columns."""
        return {
            f"{name} (view)" if name in self.session.answers().answers else name: steps
            for name, steps in compared(self.info).items()
        }

    @cached_property
    def answers(self) -> Judgements:
        info = self.info
        content = (info.imported, info.pairs, info.gold, info.catch_trials, info.name)
        return _marked((*content, json.dumps(self.views)), info, self.views)


@st.cache_resource(max_entries=2, show_spinner=False)
def _marked(
    key: tuple, _info: DatasetInfo, _views: dict[str, list[dict[str, Any]]]
) -> Judgements:
    cleaning = services().workspace.cleaning(_info)
    return cleaning.marked({
        name: Cleaning.from_log(cleaning.raw, steps).exclusions for name, steps in _views.items()
    })


def compared(info: DatasetInfo) -> dict[str, list[dict[str, Any]]]:
    """Exclusions of the views that leave out answers; weights leave out none."""
    return {
        name: steps for name, steps in info.views.items()
        if any(step["removed_answers"] for step in steps)
        and not any(step["rule"] == "weights" for step in steps)
    }


def _method(context: ViewsContext) -> Method:
    opened = opened_method(context.session, context.info)
    return opened if isinstance(opened, OrdinalEmbedding) else DEFAULT_EMBEDDING()


def _clusters(context: ViewsContext, run: Run) -> None:
    """Numbers of clusters that were counted in views, where some were."""
    workspace, info = services().workspace, context.info
    counted = [
        (one, workspace.run(info.id, one.key).result())
        for one in workspace.runs(info.id, "count_clusters", of_any_exclusions=True)
    ]
    if counted:
        with st.expander("Number of clusters"):
            st.dataframe(pd.DataFrame([{
                "view": info.view_of(one.state), "clustering": one.name,
                "clusters": recommend_clusters(result).n_clusters,
            } for one, result in counted]), hide_index=True, key=f"{PAGE}.robustness.clusters")


task_tab(
    PAGE, "Robustness", 6, "robustness", name="robustness", slot=f"{PAGE}.robustness",
    needs=ViewsContext.of, when=lambda info: bool(compared(info)), method=_method,
    given=lambda context, method: {"views": [*context.views]},
    refuse=lambda context: None if context.views else (
        "There is one view of the answers", "Make another on the page Data, under Exclusions.",
    ),
    after=_clusters,
    about="Fits the method of the open map to every view and to random sets of the same sizes.",
    promise="Compute shows held-out error, noise ceiling and map of every view, and whether a view "
    "differs more than random sets of its size.",
)
