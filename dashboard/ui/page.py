"""How a page is shown: its head and its tabs.

A page is a folder of `pages`, in which the module of the same name calls `show_page`. A tab is a
function in any other module there that is declared by `tab`; nothing else lists it.
"""

from __future__ import annotations

import pkgutil
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from importlib import import_module
from typing import Any

import streamlit as st

from tripletscope.core.reading import NO_MAP
from tripletscope.dashboard.state import Session, session, widgets
from tripletscope.dashboard.store.dataset import DatasetInfo
from tripletscope.dashboard.ui import panels
from tripletscope.dashboard.ui.context import Context
from tripletscope.dashboard.ui.controls import tabs
from tripletscope.dashboard.ui.guide import page_title
from tripletscope.dashboard.ui.page_table import MOVED, PAGES
from tripletscope.dashboard.words.formats import count


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


_TABS: dict[str, dict[str, Tab]] = {}


def tab(
    page: str, title: str, order: float, *,
    needs: Callable[[Context], Context | None] | None = None, slot: str | None = "",
    when: Callable[[DatasetInfo], bool] | None = None,
) -> Callable[[Callable[[Any], None]], Callable[[Any], None]]:
    """Declare a function that shows a tab.

    page: Name of the page.
    order: Tabs stand in this order, from the left.
    needs: Makes of the `Context` what the function is given, asking for it beside the tabs. None is
        nothing to be shown: then it has said so.
    slot: Of the tab's jobs, if not the page's: a newer one takes the place of the one before. None
        of a tab on which nothing is computed; others show the job (`picture_and_side`, `watch`).
    when: Of what data sets it is shown without being asked for; by default of all.
    """

    def declare(show: Callable[[Any], None]) -> Callable[[Any], None]:
        name = show.__name__.removeprefix("show_")
        of_page = _TABS.setdefault(page, {})
        other = of_page.get(name)
        if other is not None and other.show.__module__ != show.__module__:
            raise TypeError(f"The page {page} has two tabs {name}")
        slot_of = page if slot == "" else slot
        of_page[name] = Tab(name, title, order, needs, slot_of, when, show)
        return show

    return declare


@cache
def tabs_of(page: str) -> dict[str, Tab]:
    """The tabs of a page by name, in their order."""
    room = import_module(f"tripletscope.pages.{page}")
    for module in pkgutil.iter_modules(room.__path__):
        if module.name != page:  # which is run, and shows the page
            import_module(f"{room.__name__}.{module.name}")
    return dict(sorted(_TABS[page].items(), key=lambda item: item[1].order))


def show_page(
    name: str, *, head: Callable[[Session, DatasetInfo, str], None] | None = None,
    without: Callable[[Session], None] | None = None,
) -> None:
    """Show a page: its head, and the tab that is chosen.

    head: Shows the head of an open data set, with help on a tab; by default the title.
    without: Shows, where no data set is open, what the page can do with something else.
    """
    current, page = session(), PAGES[name]
    if there := MOVED.get((name, current.foreign_tab)):
        open_page(there, current.foreign_tab)
    info = current.dataset if page.needs_data else None
    offered, chosen = _offered(name, current, info)
    # What is called as the page is stands first in its document.
    told = chosen.title if len(offered) > 1 and chosen.title != page.title else ""
    if info is not None and head is not None:
        head(current, info, told)
    else:
        page_title(page.title, name, panels.plain(info.name) if info else "", tab=told)
    if page.needs_data and _usable(info, page.with_pairs, page.without_map) is None:
        if info is None and without is not None:
            without(current)
        return
    row = st.container(horizontal=True, vertical_alignment="center", key="beside-tabs")
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


def _offered(
    name: str, current: Session, info: DatasetInfo | None
) -> tuple[dict[str, Tab], Tab]:
    """The tabs of a page that the data have a use for, or somebody asks for; and the chosen one."""
    wanted = current.tab_asked_for(name, widgets().get(
        _key(name), current.remembered(_key(name), None)
    ))
    offered = {
        tab.name: tab for tab in tabs_of(name).values()
        if tab.when is None or (info is not None and tab.when(info)) or tab.name == wanted
    }
    return offered, offered.get(wanted, next(iter(offered.values())))


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


def open_page(name: str, tab: str = "") -> None:
    """Leave for another page, and for a tab of it."""
    if tab:
        go_to(name, tab)
    st.switch_page(PAGES[name].path)


def link_to(name: str, label: str = "") -> None:
    """Offer to leave for another page."""
    page = PAGES[name]
    st.page_link(page.path, label=label or f"Go to {page.title}", icon=f":material/{page.icon}:")


def _key(page: str) -> str:
    return f"{page}.view"


def say_no_map() -> None:
    """Say why no map can be made, and lead to what can be done instead."""
    panels.empty(*NO_MAP)
    link_to("features")


def _usable(
    info: DatasetInfo | None, with_pairs: bool, without_map: bool = False,
) -> DatasetInfo | None:
    """A data set that a page can do with; None, and why not, if it cannot."""
    if info is None:
        panels.empty(
            "No data set is open", "Upload answers on the start page, or open one of the samples.",
        )
        link_to("start", "Go to the start page")
        return None
    if info.has_only_pairs and not with_pairs:
        panels.empty(
            "These answers compare pairs",
            f"All {count(info.n_pairs, 'answer')} of this data set compare two pairs without a "
            "common object. The page Scale uses them; this page needs triplets.",
        )
        link_to("scale")
        return None
    if not info.objects_recur and not without_map:
        say_no_map()
        return None
    return info
