"""How a page is shown: its head and its tabs.

A page is a file in `pages` that calls `show_page`. A tab is a function in any module of
`dashboard/views/<page>` that is declared by `tab`; nothing else lists it.
"""

from __future__ import annotations

import pkgutil
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any

import streamlit as st

from tripletscope.core.reading import NO_MAP
from tripletscope.dashboard import views
from tripletscope.dashboard.interface import panels
from tripletscope.dashboard.interface.controls import tabs
from tripletscope.dashboard.interface.guide import page_title
from tripletscope.dashboard.keeping.dataset import DatasetInfo
from tripletscope.dashboard.state import Session, session, widgets
from tripletscope.dashboard.views.context import Context
from tripletscope.dashboard.wording.formats import count

if TYPE_CHECKING:  # which leads to tabs
    from tripletscope.dashboard.views.navigation import PageEntry


@dataclass(frozen=True)
class Tab:
    """A tab of a page, as `tab` declares it."""

    name: str
    title: str
    order: float
    needs: Callable[[Context], Context | None] | None
    slot: str | None
    when: Callable[[DatasetInfo], bool] | None
    show: Callable[[Any], None]
    formerly: tuple[str, ...] = ()


_TABS: dict[str, dict[str, Tab]] = {}


def tab(
    page: str, title: str, order: float, *,
    needs: Callable[[Context], Context | None] | None = None, slot: str | None = "",
    when: Callable[[DatasetInfo], bool] | None = None, formerly: tuple[str, ...] = (),
) -> Callable[[Callable[[Any], None]], Callable[[Any], None]]:
    """Declare a function that shows a tab.

    page: Name of the page.
    order: Tabs stand in this order, from the left.
    needs: Makes of the `Context` what the function is given, asking for it beside the tabs. None is
        nothing to be shown: then it has said so.
    slot: Of the tab's jobs, if not the page's: a newer one takes the place of the one before. None
        of a tab on which nothing is computed; others show the job (`picture_and_side`, `watch`).
    when: Of what data sets it is shown without being asked for; by default of all.
    formerly: Names of tabs of earlier versions whose addresses lead here.
    """

    def declare(show: Callable[[Any], None]) -> Callable[[Any], None]:
        name = show.__name__.removeprefix("show_")
        of_page = _TABS.setdefault(page, {})
        other = of_page.get(name)
        if other is not None and other.show.__module__ != show.__module__:
            raise TypeError(f"The page {page} has two tabs {name}")
        slot_of = page if slot == "" else slot
        of_page[name] = Tab(name, title, order, needs, slot_of, when, show, formerly)
        return show

    return declare


@cache
def tabs_of(page: str) -> dict[str, Tab]:
    """The tabs of a page by name, in their order."""
    room = import_module(f"{views.__name__}.{page}")
    for module in pkgutil.iter_modules(room.__path__, f"{room.__name__}."):
        import_module(module.name)
    return dict(sorted(_TABS[page].items(), key=lambda item: item[1].order))


def show_page(
    place: PageEntry, *, head: Callable[[Session, DatasetInfo], None] | None = None,
    without: Callable[[Session], None] | None = None,
) -> None:
    """Show a page: its head, and the tab that is chosen.

    head: Shows the head of an open data set; by default the title.
    without: Shows, where no data set is open, what the page can do with something else.
    """
    current, name = session(), place.name
    info = current.dataset if place.needs_data else None
    if info is not None and head is not None:
        head(current, info)
    else:
        page_title(place.title, name, panels.plain(info.name) if info else "")
    if place.needs_data and _usable(info, place.with_pairs, place.without_map) is None:
        if info is None and without is not None:
            without(current)
        return
    wanted = current.tab_asked_for(name, widgets().get(
        _key(name), current.remembered(_key(name), None)
    ))
    every = tabs_of(name).values()
    wanted = next((tab.name for tab in every if wanted in tab.formerly), wanted)
    offered = {
        tab.name: tab for tab in every
        if tab.when is None or (info is not None and tab.when(info)) or tab.name == wanted
    }
    row = st.container(horizontal=True, vertical_alignment="center", key="beside-tabs")
    chosen = offered.get(wanted, next(iter(offered.values())))
    if len(offered) > 1:
        widgets()[_key(name)] = chosen.name
        titles = {tab.name: tab.title for tab in offered.values()}
        with row:
            chosen = offered[tabs(current, _key(name), "View", titles)]
    current.write_address(name, chosen.name if len(offered) > 1 else "")
    context: Context | None = Context(current, info, name, chosen.slot, row)
    if chosen.needs is not None:
        context = chosen.needs(context)
    if context is not None:
        chosen.show(context)


def of_the_open_data(
    needs: Callable[[Context], Context | None] | None = None
) -> Callable[[Context], Context | None]:
    """What a tab needs on a page that can do without a data set: the open one, with triplets."""

    def opened(context: Context) -> Context | None:
        info = _usable(context.session.dataset, with_pairs=False)
        if info is None:
            return None
        of_data = replace(context, info=info)
        return of_data if needs is None else needs(of_data)

    return opened


def go_to(page: str, name: str) -> None:
    """Choose a tab by its key before the page is drawn; for what happens on a click."""
    if name not in tabs_of(page):
        raise KeyError(f"The page {page} has no tab {name}")
    current = session()
    widgets()[_key(page)] = name
    current.come_to(page)
    current.arrived = f"{page} {time.monotonic_ns()}"


def _key(page: str) -> str:
    return f"{page}.view"


def say_no_map() -> None:
    """Say why no map can be made, and lead to what can be done instead."""
    panels.empty(*NO_MAP)
    st.page_link("../pages/features.py", label="Go to Features and models", icon=":material/rule:")


def _usable(
    info: DatasetInfo | None, with_pairs: bool, without_map: bool = False,
) -> DatasetInfo | None:
    """A data set that a page can do with; None, and why not, if it cannot."""
    if info is None:
        panels.empty(
            "No data set is open", "Upload answers on the start page, or open one of the samples.",
        )
        st.page_link("../pages/start.py", label="Go to the start page", icon=":material/home:")
        return None
    if info.has_only_pairs and not with_pairs:
        panels.empty(
            "These answers compare pairs",
            f"All {count(info.n_pairs, 'answer')} of this data set compare two pairs without a "
            "common object. The page Scale uses them; this page needs triplets.",
        )
        st.page_link("../pages/scale.py", label="Go to Scale", icon=":material/stairs:")
        return None
    if not info.objects_recur and not without_map:
        say_no_map()
        return None
    return info
