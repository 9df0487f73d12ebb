"""What changes over views of the answers."""

from __future__ import annotations

from functools import cached_property

import pandas as pd
import streamlit as st

from tripletscope.core.cluster.counting import recommend_clusters
from tripletscope.core.data.triplets import Judgements
from tripletscope.core.engine.method import Method
from tripletscope.core.models.embedding.default import DEFAULT_EMBEDDING
from tripletscope.core.models.embedding.ordinal import OrdinalEmbedding
from tripletscope.core.run import Run
from tripletscope.dashboard.keeping.dataset import ExclusionLog
from tripletscope.dashboard.keeping.services import services
from tripletscope.dashboard.views.compare.comparing import PAGE
from tripletscope.dashboard.views.context import Context
from tripletscope.dashboard.views.data.quality import opened_method
from tripletscope.dashboard.views.task import task_tab


class ViewsContext(Context):
    """The context with all answers, marked by their views."""

    of_view = False

    @cached_property
    def views(self) -> dict[str, ExclusionLog]:
        """Exclusions by the names of columns; weights exclude nothing."""
        taken = self.session.answers().answers
        return {
            f"{name} (view)" if name in taken else name: steps
            for name, steps in self.info.views.items()
            if any(step["removed_answers"] for step in steps)
            and not any(step["rule"] == "weights" for step in steps)
        }

    @cached_property
    def answers(self) -> Judgements:
        return _marked(self.info.record | {"views": self.views}, self)


@st.cache_resource(max_entries=2, show_spinner=False)
def _marked(key: dict, _context: ViewsContext) -> Judgements:
    cleaning = services().workspace.cleaning(_context.info)
    return cleaning.marked({
        name: cleaning.with_log(steps) for name, steps in _context.views.items()
    })


def _method(context: ViewsContext) -> Method:
    opened = opened_method(context.session, context.info)
    return opened if isinstance(opened, OrdinalEmbedding) else DEFAULT_EMBEDDING()


def _clusters(context: ViewsContext, run: Run) -> None:
    """Numbers of clusters that were counted in views, where some were."""
    workspace, info = services().workspace, context.info
    counted = workspace.runs(info.id, "count_clusters", of_any_exclusions=True)
    if counted:
        with st.expander("Number of clusters"):
            st.dataframe(pd.DataFrame([{
                "view": info.view_of(one.state), "clustering": one.name, "clusters":
                recommend_clusters(workspace.run(info.id, one.key).result()).n_clusters,
            } for one in counted]), hide_index=True, key=f"{PAGE}.robustness.clusters")


task_tab(
    PAGE, "Robustness", 6, "robustness", name="robustness", slot=f"{PAGE}.robustness",
    needs=ViewsContext.of, when=lambda info: len(info.views) > 1, method=_method,
    given=lambda context, method: {"views": [*context.views]},
    refuse=lambda context: None if context.views else (
        "No view excludes answers", "Make one on the page Data, under Exclusions.",
    ),
    after=_clusters,
    about="Fits the method of the open map to every view and to random sets of the same sizes.",
    promise="Compute shows held-out error, noise ceiling and map of every view, and whether they "
    "differ more than those of random sets of its size.",
)
