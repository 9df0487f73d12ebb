"""The search: every page, tab, method, object, data set and help page, by the words people use."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import streamlit as st

from tripletscope.core.engine.declared import parameters
from tripletscope.core.engine.method import methods
from tripletscope.dashboard.files.errors import WorkspaceError
from tripletscope.dashboard.state import Session
from tripletscope.dashboard.store.services import services
from tripletscope.dashboard.ui import panels
from tripletscope.dashboard.ui.elements import set_widgets
from tripletscope.dashboard.ui.first_look import look_first
from tripletscope.dashboard.ui.focus import focus_on, keep_typed
from tripletscope.dashboard.ui.guide import help_address
from tripletscope.dashboard.ui.navigation import fits_data
from tripletscope.dashboard.ui.page import open_page, tabs_of
from tripletscope.dashboard.ui.page_table import PAGES, TABS
from tripletscope.dashboard.words import distinct

#: Pages on which the methods of a kind are chosen.
_PAGE_OF = {"embedding": "embedding", "kernel": "kernel", "cluster": "clusters",
            "dimensions": "dimensions"}
_MOST_OBJECTS = 3_000
#: Hits that are offered for words in any order, and letters of a word that count: its ending
#: differs.
_OFFERED, _ENDING = 8, 3
_WIDE = 70  # characters of a hit


@dataclass(frozen=True)
class Hit:
    """Something to find: what it is, what else it is called, and where that leads.

    help: Page of the documentation, in place of a page and tab.
    """

    label: str
    page: str = "start"
    tab: str = ""
    help: str = ""
    method: tuple[str, str] | None = None
    object: str = ""
    dataset: str = ""


@st.fragment
def search_button(current: Session) -> None:
    """The way to the search: a button, and Ctrl+K. It does not wait for the page."""
    keep_typed()
    st.button(
        "Search", key="search", icon=":material/search:", shortcut="Mod+K", width="stretch",
        on_click=current.look, args=(True,),
    )
    if current.is_looking:  # also when a job has ended meanwhile, and the page runs anew
        st.dialog(
            "Search", width="medium", on_dismiss=lambda: current.look(False)
        )(_search)(current)


def _search(current: Session) -> None:
    focus_on('[role="dialog"] input', str(current.looks), name="search", take=True)
    text = st.text_input(
        "Page, method, object, data set, or a word", type="search", live=True,
        key=f"search.for.{current.looks}",  # browsers bring an earlier field's words back
        placeholder="Type: dendrogram, error bars, exclude participants …",
    )
    if not text.strip():
        st.caption("Ctrl+K opens this from everywhere; Tab and Enter choose.")
        return
    hits = {hit.label: hit for hit in every_hit(current)}
    found = in_any_order(hits, text)
    if not found:
        st.caption("Nothing was found. Try another word; the help has a search of its own.")
    for label in found:
        _offer(current, hits[label])


def in_any_order(labels: Iterable[str], text: str) -> list[str]:
    """Labels with most of the words of a text, whatever their order and endings; the best first."""
    words = re.findall(r"\w+", text.casefold())
    stems = [re.compile(rf"\b{re.escape(word[: max(len(word) - _ENDING, 4)])}") for word in words]
    hits: dict[str, tuple[int, int]] = {}
    for label in labels:
        folded = label.casefold()
        begins = [bool(stem.search(folded)) for stem in stems]
        there = sum(b or word in folded for b, word in zip(begins, words, strict=True))
        hits[label] = there, sum(begins)
    most = max((there for there, _ in hits.values()), default=0)
    found = [label for label, (there, _) in hits.items() if 0 < there == most]
    return sorted(found, key=lambda label: -hits[label][1])[:_OFFERED]


def _offer(current: Session, hit: Hit) -> None:
    """What was found, as a button or a link that leads there."""
    words, _, where = hit.label.rpartition(" → ")
    words = words if len(words) <= _WIDE else f"{words[:_WIDE].rstrip()} …"
    text = panels.plain(f"{where}: {words}")
    if hit.help:
        st.link_button(text, help_address(hit.help), icon=":material/help:", width="stretch")
    elif st.button(
        text, key=f"search.hit.{hit.label}", icon=":material/arrow_forward:", width="stretch",
    ):
        follow(current, hit)


def follow(current: Session, hit: Hit) -> None:
    """Go where a hit leads."""
    current.look(False)
    if hit.dataset:
        current.open(hit.dataset)
        look_first(current.dataset)
    if hit.object:
        current.select([hit.object])
    if hit.method is not None:
        kind, name = hit.method
        set_widgets(current, {f"{_PAGE_OF[kind]}.method": name})
    if hit.tab:
        open_page(hit.page, hit.tab)


def every_hit(current: Session) -> Iterator[Hit]:
    """All that can be found: what people call things first, then pages and what is in them."""
    info = current.dataset
    for entry in _entries():
        page, tab = entry.get("page", "start"), entry.get("tab", "")
        where = f"Help, {entry['help']}" if "help" in entry else _where(current, page, tab)
        yield Hit(f"{entry['words']} → {where}", page, tab, entry.get("help", ""))
    for place in PAGES.values():
        tabs = _tabs(place.name)
        for name, title in (tabs or {"": ""}).items():
            where = _where(current, place.name, name)
            yield Hit(f"{title or place.title} → {where}", place.name, name)
    for kind, page in _PAGE_OF.items():
        for name, method in methods(kind).items():
            settings = ", ".join(p.spec.label for p in parameters(method))
            yield Hit(f"{method.title}, a method: {settings} → {_where(current, page, '')}", page,
                      next(iter(_tabs(page))), method=(kind, name))
    others = services().workspace.datasets()
    for other, name in zip(others, distinct(other.name for other in others), strict=True):
        yield Hit(f"{name} → opens the data set", dataset=other.id)
    if info is not None and info.n_objects <= _MOST_OBJECTS and not info.has_only_pairs:
        with suppress(WorkspaceError):  # the page says what is damaged
            objects = services().workspace.objects(info)
            labels = distinct(objects["label"].astype(str))
            for label, key in zip(labels, objects["id"].astype(str), strict=True):
                text = f"{label} → selects the object, Embedding"
                yield Hit(text, "embedding", "embedding", object=key)


def _where(current: Session, page: str, tab: str) -> str:
    """Where a hit leads, and what is missing to get there."""
    place, info = PAGES[page], current.dataset
    where = ", ".join(filter(None, (place.title, _tabs(page).get(tab, ""))))
    if not place.needs_data:
        return where
    if info is None:
        return f"{where} (once a data set is open)"
    if info.has_only_pairs and not place.with_pairs:
        return f"{where} (needs triplets)"
    if not info.objects_recur and not place.without_map:
        return f"{where} (needs objects that recur)"
    if not fits_data(current, place):
        return f"{where} (needs {place.needs})"
    when = tabs_of(page)[tab].when if tab else None
    return where if when is None or when(info) else f"{where} (needs {TABS[page, tab][2]})"


@cache
def _entries() -> list[dict[str, str]]:
    return tomllib.loads(Path(__file__).with_name("places.toml").read_text())["place"]


def _tabs(page: str) -> dict[str, str]:
    """Titles of the tabs of a page, none of one that has a single one."""
    if page in ("start", "more"):
        return {}
    tabs = tabs_of(page)
    return {name: tab.title for name, tab in tabs.items()} if len(tabs) > 1 else {}

