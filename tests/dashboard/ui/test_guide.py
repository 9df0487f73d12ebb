"""Every page leads to what the documentation says of it."""

from __future__ import annotations

import re

import pytest

from tests.pages.harness import PAGES, crowd, session_on, start, words
from tests.pages.test_tabs import WITH_TABS
from tests.paths import ROOT
from tripletscope.dashboard.ui.guide import anchor_of
from tripletscope.dashboard.ui.page import tabs_of


@pytest.mark.parametrize("page", PAGES)
def test_a_question_mark_leads_to_the_page_about_the_page(services, page):
    app = start(page)
    assert not app.exception
    links = [text.value for text in app.markdown if "(/help/" in text.value]
    assert [link for link in links if f"/help/pages/{page}.html" in link] == [links[0]]
    assert (ROOT / "docs" / "pages" / f"{page}.md").exists()
    assert any("/help/index.html" in link for link in links), "Help in the sidebar"


@pytest.mark.parametrize("page", WITH_TABS)
def test_every_tab_has_its_paragraph(page):
    """The question mark beside a title leads to that of the tab."""
    text = (ROOT / "docs" / "pages" / f"{page}.md").read_text("utf-8")
    headings = {anchor_of(one) for one in re.findall(r"^## (.+)$", text, re.MULTILINE)}
    tabs = tabs_of(page).values()
    assert len(tabs) == 1 or {anchor_of(tab.title) for tab in tabs} <= headings


def test_help_is_on_the_tab_that_is_shown(services):
    session = session_on(services, crowd(8, 200))
    for tab, place in (("answers", "answers"), ("objects", "objects")):
        said = words(start("data", session, tab))
        assert f"/help/pages/data.html#{place} " in said
