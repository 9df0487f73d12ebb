"""Links from the pages into the documentation, which the same server has."""

from __future__ import annotations

import streamlit as st

#: Where the server has the documentation.
HELP = "/help"


def page_title(title: str, page: str, of: str = "") -> None:
    """The title of a page, and a question mark that leads to its documentation.

    page: Name of its file in `docs/pages`.
    of: What it is about, in Markdown.
    """
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.title(title, anchor=False, width="content")
        if of:
            with st.container(key="page-of", width="content"):
                st.markdown(of)
        where = f'{help_address(f"pages/{page}")} "What this page shows"'
        with st.container(key="help-mark", width="content"):
            st.markdown(f"[:material/help:]({where})", width="content")


def help_link() -> None:
    with st.container(key="help-link"):
        st.markdown(f"[:material/help: Help]({help_address('index')})")


def help_address(page: str) -> str:
    return f"{HELP}/{page}.html"
