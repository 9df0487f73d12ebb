"""Where one can go: the pages, and which of them stand in the navigation."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import streamlit as st

from tripletscope.dashboard.figures.colours import is_quantity
from tripletscope.dashboard.keeping.dataset import DatasetInfo, WorkspaceError
from tripletscope.dashboard.keeping.services import services
from tripletscope.dashboard.state import Session
from tripletscope.dashboard.views.page import go_to

PAGES = Path(__file__).resolve().parents[2] / "pages"
#: Where the session notes the pages that somebody wants in the navigation.
_PINNED = "pinned pages"
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
        return f"../pages/{self.name}.py"


def _has_trials(info: DatasetInfo) -> bool:
    return bool(info.n_trials)


def _has_physical_column(info: DatasetInfo) -> bool:
    return info.has_only_pairs or bool(_quantities(info))


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
PLACES = {place.name: place for place in (
    PageEntry("start", "Start", "home", "", needs_data=False),
    PageEntry("data", "Data", "table_rows", "", with_pairs=True, without_map=True),
    PageEntry("embedding", "Embedding", "scatter_plot", _ANALYSIS),
    PageEntry("compare", "Compare", "query_stats", _ANALYSIS),
    PageEntry("kernel", "Kernel", "grid_on", _ANALYSIS),
    PageEntry("clusters", "Clusters", "account_tree", _ANALYSIS),
    PageEntry("trees", "Trees", "forest", _ANALYSIS, without_map=True),
    PageEntry("people", "People", "groups", _ANALYSIS,
          "How people differ: individual weights, groups, conditions, single persons.",
          "answers of two or more people", _has_people),
    PageEntry("scale", "Scale", "stairs", _ANALYSIS,
          "How a physical quantity is perceived: difference scaling, and scales from maps.",
          "a column of numbers of the objects, or comparisons of pairs", _has_physical_column,
          with_pairs=True),
    PageEntry("dimensions", "Dimensions", "category", _ANALYSIS,
          "Interpretable dimensions from choices of the odd one out (SPoSE, VICE).",
          "trials in which one of three objects was chosen", _has_trials),
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
#: Tabs that are not shown where the data have no use for them: title, what they do, what they need.
TABS = {
    ("embedding", "dissimilarities"): (
        "Dissimilarities", "Multidimensional scaling (MDS) of measured dissimilarities.",
        "ratings, piles, confusions or arrangements, or a square matrix",
    ),
    ("data", "repeating"): (
        "Repeat", "The analyses of another data set or view, with the same settings.",
        "another data set or view with results",
    ),
    ("compare", "robustness"): (
        "Robustness", "How results change over views of the answers, compared with random sets of "
                      "the same size.",
        "a view with exclusions",
    ),
}
#: Where pages of earlier versions have gone: page and tab.
MOVED = {"uncertainty": ("embedding", "positions")}


def navigation(current: Session) -> Any:
    """The page that is asked for; others are a click away, as far as the data set has a use."""
    sections: dict[str, list[Any]] = {}
    for place in PLACES.values():
        is_shown = place.section is not None and is_of_use(current, place)
        sections.setdefault(place.section or "", []).append(st.Page(
            PAGES / f"{place.name}.py", title=place.title, icon=f":material/{place.icon}:",
            default=place.name == "start", visibility="visible" if is_shown else "hidden",
        ))
    sections[""] += _moved()
    return st.navigation(sections, expanded=True)


def is_of_use(current: Session, place: PageEntry) -> bool:
    """Whether the open data set has what a page needs, or somebody wants it all the same."""
    info = current.dataset
    if place.fits is None or place.name in pinned(current):
        return True
    with suppress(WorkspaceError):  # the page says what is damaged
        return info is not None and place.fits(info)
    return False


def pinned(current: Session) -> list[str]:
    """Pages that somebody wants in the navigation."""
    names = current.drafts.get(_PINNED)
    return [name for name in names if name in PLACES] if isinstance(names, list) else []


def pin(current: Session, name: str, *, wanted: bool) -> None:
    """Take a page into the navigation, or out of it."""
    others = [other for other in pinned(current) if other != name]
    current.remember(_PINNED, [*others, name] if wanted else others)


def _moved() -> Iterator[Any]:
    """Pages of earlier versions, which lead to where their first tab is now."""
    for name, (page, tab) in MOVED.items():
        def lead(page: str = page, tab: str = tab) -> None:
            go_to(page, tab)
            st.switch_page(PLACES[page].path)

        yield st.Page(lead, title=PLACES[page].title, url_path=name, visibility="hidden")
