"""Ways from the pages into the documentation, which the same server has."""

from __future__ import annotations

import streamlit as st

#: Where the server has the documentation.
HELP = "/help"


def page_title(title: str, page: str, of: str = "") -> None:
    """The title of a page, and a question mark that leads to what is said of the page.

    title: In Markdown.
    page: Its name; `docs/pages` has a file of that name.
    of: What it is about, in Markdown.
    """
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.title(title, anchor=False, width="content")
        if of:
            with st.container(key="page-of", width="content"):
                st.markdown(of)
        where = f'{_address(page)} "What this page shows"'
        with st.container(key="help-mark", width="content"):
            st.markdown(f"[:material/help:]({where})", width="content")


def help_link() -> None:
    """The way to all of the documentation."""
    with st.container(key="help-link"):
        st.markdown(f"[:material/help: Help]({_address()})")


def help_address(page: str) -> str:
    """Where a page of the documentation is."""
    return f"{HELP}/{page}.html"


def _address(page: str = "") -> str:
    return help_address(f"pages/{page}" if page else "index")
