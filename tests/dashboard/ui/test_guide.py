"""Every page leads to what the documentation says of it."""

from __future__ import annotations

import pytest

from tests.pages.harness import PAGES, start
from tests.paths import ROOT


@pytest.mark.parametrize("page", PAGES)
def test_a_question_mark_leads_to_the_page_about_the_page(services, page):
    app = start(page)
    assert not app.exception
    links = [text.value for text in app.markdown if "(/help/" in text.value]
    assert [link for link in links if f"/help/pages/{page}.html" in link] == [links[0]]
    assert (ROOT / "docs" / "pages" / f"{page}.md").exists()
    assert any("/help/index.html" in link for link in links), "Help in the sidebar"
