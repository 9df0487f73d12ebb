"""Links from the pages into the documentation, which the same server has."""

from __future__ import annotations

import re

import streamlit as st

#: Where the server has the documentation.
HELP = "/help"


def page_title(title: str, page: str, of: str = "", *, tab: str = "") -> None:
    """The title of a page, and a question mark that leads to its documentation.

    page: Name of its file in `docs/pages`.
    of: What it is about, in Markdown.
    tab: Title of the tab whose paragraph it leads to.
    """
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.title(title, anchor=False, width="content")
        if of:
            with st.container(key="page-of", width="content"):
                st.markdown(of)
        address = help_address(f"pages/{page}") + (f"#{anchor_of(tab)}" if tab else "")
        where = f'{address} "What this {"tab" if tab else "page"} shows"'
        with st.container(key="help-mark", width="content"):
            st.markdown(f"[:material/help:]({where})", width="content")


def help_link() -> None:
    with st.container(key="help-link"):
        st.markdown(f"[:material/help: Help]({help_address('index')})")


def anchor_of(heading: str) -> str:
    """What the documentation calls the place of a heading."""
    return re.sub(r"[^a-z0-9]+", "-", heading.lower()).strip("-")


def help_with(problem: object) -> str:
    """A link to the section that an error, a failed job or a sentence names; else empty."""
    section = getattr(problem, "trouble", None)
    return help_on(section) if section else ""


def help_on(trouble: str) -> str:
    """A link to a section of the document on trouble, or of another one that is named before #."""
    page, _, section = trouble.rpartition("#")
    return f" [What helps]({help_address(page or 'trouble')}#{section})"


def help_address(page: str) -> str:
    return f"{HELP}/{page}.html"
