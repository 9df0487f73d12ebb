"""Which pages stand in the navigation."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Any

import streamlit as st

from tripletscope.dashboard.files.errors import WorkspaceError
from tripletscope.dashboard.state import Session
from tripletscope.dashboard.ui.page_table import PAGES, PageEntry

_FOLDER = Path(__file__).resolve().parents[2] / "pages"
#: Where the session notes the pages that somebody wants in the navigation.
_PINNED = "pinned pages"


def navigation(current: Session) -> Any:
    """The page that is asked for; others are a click away, as far as the data set has a use."""
    sections: dict[str, list[Any]] = {}
    for page in PAGES.values():
        is_shown = page.section is not None and fits_data(current, page)
        sections.setdefault(page.section or "", []).append(st.Page(
            _FOLDER / page.name / f"{page.name}.py", title=page.title,
            icon=f":material/{page.icon}:",
            default=page.name == "start", visibility="visible" if is_shown else "hidden",
        ))
    return st.navigation(sections, expanded=True)


def fits_data(current: Session, page: PageEntry) -> bool:
    """Whether the open data set has what a page needs, or somebody wants it all the same."""
    info = current.dataset
    if page.fits is None or page.name in pinned(current):
        return True
    with suppress(WorkspaceError):  # the page says what is damaged
        return info is not None and page.fits(info)
    return False


def pinned(current: Session) -> list[str]:
    """Pages that somebody wants in the navigation."""
    names = current.drafts.get(_PINNED)
    return [name for name in names if name in PAGES] if isinstance(names, list) else []


def pin(current: Session, name: str, *, wanted: bool) -> None:
    """Take a page into the navigation, or out of it."""
    others = [other for other in pinned(current) if other != name]
    current.remember(_PINNED, [*others, name] if wanted else others)
