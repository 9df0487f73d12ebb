"""The table of pages, from which navigation, search, links and More analyses read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import streamlit as st

from tripletscope.dashboard.figures.colours import is_quantity
from tripletscope.dashboard.store.dataset import DatasetInfo
from tripletscope.dashboard.store.description import MEASURED
from tripletscope.dashboard.store.services import services

#: Objects of a column with so many values can lie along a physical scale.
_LEVELS = 3


@dataclass(frozen=True)
class PageEntry:
    """A page, in a section of the navigation, or in None.

    needs_data: Whether it needs an open data set.
    with_pairs: Whether it can do with nothing but comparisons of pairs.
    without_map: Whether it can do with answers of which no map can be made.
    about, needs, fits: Of pages that are not for all data: what they do, what they need, and
        whether a data set has that.
    """

    name: str
    title: str
    icon: str
    section: str | None
    about: str = ""
    needs: str = ""
    fits: Callable[[DatasetInfo], bool] | None = None
    needs_data: bool = True
    with_pairs: bool = False
    without_map: bool = False

    @property
    def path(self) -> str:
        """Of its file, as pages name each other."""
        return f"../pages/{self.name}/{self.name}.py"


def _has_trials_or_similarities(info: DatasetInfo) -> bool:
    return bool(info.n_trials) or MEASURED in info.extra


def _has_physical_column(info: DatasetInfo) -> bool:
    # Triads in which a stimulus is between two others are read for their differences.
    asked = info.extra.get("reading", {}).get("task")
    return info.has_only_pairs or asked == "larger_difference" or bool(_quantities(info))


def _has_features(info: DatasetInfo) -> bool:
    return (
        not info.objects_recur or bool(services().workspace.tables(info))
        or len(_quantities(info)) > 1
    )


def _has_people(info: DatasetInfo) -> bool:
    return info.n_participants > 1


def _quantities(info: DatasetInfo) -> list[str]:
    """Columns of the objects that hold a quantity."""
    return _quantities_of((info.fingerprint, info.pairs), info)


@st.cache_data(max_entries=64, show_spinner=False)
def _quantities_of(key: tuple[str | None, ...], _info: DatasetInfo) -> list[str]:
    objects = services().workspace.objects(_info)
    return [
        name for name in objects.columns if name not in ("id", "label", "image")
        and is_quantity(objects[name]) and objects[name].nunique() >= _LEVELS
    ]


_ANALYSIS, _STUDY = "Analysis", "Study"
PAGES = {page.name: page for page in (
    PageEntry("start", "Start", "home", "", needs_data=False),
    PageEntry("data", "Data", "table_rows", "", with_pairs=True, without_map=True),
    PageEntry("embedding", "Embedding", "scatter_plot", _ANALYSIS),
    PageEntry("compare", "Compare", "query_stats", _ANALYSIS),
    PageEntry("kernel", "Kernel", "grid_on", _ANALYSIS),
    PageEntry("clusters", "Clusters", "account_tree", _ANALYSIS),
    PageEntry("trees", "Trees", "forest", _ANALYSIS, without_map=True),
    PageEntry("people", "People", "groups", _ANALYSIS,
          "How people differ: individual weights, groups, conditions, who predicts whom.",
          "answers of two or more people", _has_people, with_pairs=True),
    PageEntry("scale", "Scale", "stairs", _ANALYSIS,
          "How a physical quantity is perceived: difference scaling, and scales from maps.",
          "a column of numbers of the objects, or comparisons of pairs", _has_physical_column,
          with_pairs=True),
    PageEntry("dimensions", "Dimensions", "category", _ANALYSIS,
          "Interpretable dimensions from odd ones out, ratings, piles and the like.",
          "trials in which one of three objects was chosen, or measured similarities",
          _has_trials_or_similarities),
    PageEntry("features", "Features and models", "rule", _ANALYSIS,
          "How well features or the layers of networks explain the answers.",
          "two columns of numbers of the objects, or a table of features", _has_features,
          with_pairs=True, without_map=True),
    PageEntry("more", "More analyses", "add", _ANALYSIS, needs_data=False),
    PageEntry("simulate", "Simulate", "science", _STUDY, needs_data=False),
    PageEntry("collect", "Collect", "how_to_vote", _STUDY, needs_data=False),
    PageEntry("report", "Report", "article", _STUDY, with_pairs=True, without_map=True),
    PageEntry("computing", "Computing", "memory", None, needs_data=False),
)}
#: Tabs that stood on another page, where earlier addresses name them.
MOVED = {("scale", "observers"): "people"}
#: Tabs that are not shown where the data have no use for them: title, what they do, what they need.
TABS = {
    ("embedding", "dissimilarities"): (
        "Dissimilarities", "Multidimensional scaling (MDS) of measured dissimilarities.",
        "ratings, piles, confusions or arrangements, or a square matrix",
    ),
    ("dimensions", "trials"): (
        "Trials", "What makes an object the odd one of a trial.",
        "trials in which one of three objects was chosen",
    ),
    ("data", "plan"): (
        "Plan", "The analyses of a plan, or of another data set or view, and deviations from it.",
        "a plan that was frozen on Simulate, or results of another data set or view",
    ),
}
