"""Every page leads to what the documentation says of it."""

from __future__ import annotations

import pickle
import re

import pytest

from tests.pages.harness import PAGES, crowd, session_on, start, words
from tests.pages.test_tabs import WITH_TABS
from tests.paths import ROOT
from tripletscope.core.data.errors import DataError
from tripletscope.core.inference.validity import CODES
from tripletscope.dashboard.jobs.queue import Job, Step
from tripletscope.dashboard.results.doubts import HELP
from tripletscope.dashboard.ui import panels
from tripletscope.dashboard.ui.elements import show_error
from tripletscope.dashboard.ui.guide import anchor_of, help_with
from tripletscope.dashboard.ui.page import tabs_of
from tripletscope.dashboard.words import LinkedSentence


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


def test_errors_lead_to_sections_that_are_there(services):
    """One named by an error, and by a job that failed; and every one that the source names."""
    text = (ROOT / "docs" / "trouble.md").read_text("utf-8")
    sections = {anchor_of(one) for one in re.findall(r"^## (.+)$", text, re.MULTILINE)}
    named = {section for folder in ("core", "dashboard", "pages")
             for path in (ROOT / folder).rglob("*.py")
             for section in re.findall(r"""\btrouble=["'](\w+)["']""", path.read_text("utf-8"))}
    assert {"memory", "objects", "reading", "faults"} <= named <= sections
    error = DataError("it is too large", file="a.csv", remedy="Take less.", trouble="memory")
    assert pickle.loads(pickle.dumps(error)).trouble == "memory"
    job = services.jobs.submit(Job("here", "place", "Large", [Step("of much", _fail)]))
    assert job.wait(60)
    link = "(/help/trouble.html#memory)"
    assert help_with(error.at("b.csv")) == help_with(job) == f" [What helps]{link}"
    assert help_with(DataError("it is empty")) == help_with("a text") == ""
    shown = []
    show_error(error, lambda text, icon: shown.append(text))
    assert shown[0].endswith(f" [What helps]{link}")


def test_doubts_lead_to_sections_that_are_there():
    assert {*HELP} == {*CODES}
    for code, trouble in HELP.items():
        page, _, section = trouble.rpartition("#")
        text = (ROOT / "docs" / f"{page or 'trouble'}.md").read_text("utf-8")
        headings = {anchor_of(one) for one in re.findall(r"^##+ (.+)$", text, re.MULTILINE)}
        assert section in headings, code


def test_a_finding_leads_to_what_helps():
    said = LinkedSentence("STE, not converged.", HELP["unfinished"])
    link = " [What helps](/help/trouble.html#convergence)"
    assert panels.marked(said).endswith(link)
    assert panels.marked("STE, *p* = .05").endswith("05")
    assert pickle.loads(pickle.dumps(said)).trouble == "convergence"


def _fail(progress) -> None:
    raise MemoryError


def test_help_is_on_the_tab_that_is_shown(services):
    session = session_on(services, crowd(8, 200))
    for tab, place in (("answers", "answers"), ("objects", "objects")):
        said = words(start("data", session, tab))
        assert f"/help/pages/data.html#{place} " in said
