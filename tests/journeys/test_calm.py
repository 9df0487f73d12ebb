"""How much there is to take in at once: controls in view, controls and words on a page."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.browser import needs_browser
from tests.journeys.test_main_path import browser, workspace  # noqa: F401 - fixtures
from tests.server import running
from tripletscope.dashboard.views.page import tabs_of

pytestmark = [pytest.mark.browser, needs_browser]

IN_VIEW, ON_PAGE, WORDS = 12, 20, 150
PAGES = ("Data", "Embedding", "Dimensions", "Uncertainty", "Kernel", "Clusters", "Trees", "Scale",
         "People", "Features", "Compare", "Report", "Simulate", "Collect", "Papers", "Computing")
#: What people can operate, each once: a row of tabs is one, and so is what is folded away.
COUNT = """() => {
    const main = document.querySelector('[data-testid="stMain"]');
    const seen = e => e.checkVisibility() && e.getBoundingClientRect().height > 0;
    const kinds = ['Button', 'DownloadButton', 'ButtonGroup', 'Checkbox', 'Expander',
        'FileUploader', 'MultiSelect', 'NumberInput', 'PageLink', 'Popover', 'Radio', 'Selectbox',
        'Slider', 'TextArea', 'TextInput'].map(kind => `[data-testid="st${kind}"]`).join(',');
    const controls = [...main.querySelectorAll(kinds)].filter(seen);
    const prose = [...main.querySelectorAll(
        '[data-testid="stMarkdown"], [data-testid="stCaptionContainer"], [data-testid="stAlert"]'
    )].filter(e => seen(e) && !e.closest('label, button, summary'))
        .filter(e => !e.parentElement.closest('[data-testid="stMarkdown"]'));
    return {
        view: controls.filter(e => e.getBoundingClientRect().top < innerHeight).length,
        page: controls.length,
        words: prose.flatMap(e => e.innerText.split(/\\s+/)).filter(w => /[a-z]/i.test(w)).length,
        which: controls.map(e => (e.querySelector('label p, summary p, button p, p') || e)
            .innerText.split('\\n')[0].slice(0, 24)),
    };
}"""


def at_rest(page: Page) -> None:
    """Until no job is shown, the script has ended, and all of it is drawn.

    A page that starts a job runs once more to show it.
    """
    page.wait_for_timeout(250)
    expect(page.get_by_role("button", name="Cancel")).to_have_count(0)
    expect(page.get_by_test_id("stApp")).to_have_attribute("data-test-script-state", "notRunning")
    expect(page.locator("[data-stale=true]")).to_have_count(0)


def counted(page: Page, place: str) -> tuple[str, dict]:
    at_rest(page)
    at_rest(page)
    return place, page.evaluate(COUNT)


def test_every_page_is_calm(browser, workspace):  # noqa: F811
    with running(workspace) as address:
        page = browser.new_page(viewport={"width": 1280, "height": 720})
        page.set_default_timeout(60_000)
        page.goto(address)
        page.locator(".st-key-sample-alien_eggs button").wait_for()
        found = [counted(page, "Start")]
        page.goto(f"{address}/?sample=alien_eggs")
        expect(page.get_by_text("from 100 replicates")).to_be_visible()
        for name in PAGES:
            page.get_by_test_id("stSidebarNav").get_by_role("link", name=name, exact=True).click()
            expect(page.get_by_role("heading", name=name, exact=True, level=1).or_(
                page.get_by_role("heading", name="Alien eggs", exact=True, level=1)
            )).to_be_visible()
            titles = [tab.title for tab in tabs_of(name.lower()).values()]
            for title in titles:
                if len(titles) > 1:
                    tab = page.get_by_role("radio", name=title, exact=True).first
                    tab.click()
                    expect(tab).to_be_checked()
                found.append(counted(page, f"{name} › {title}"))
    table = "\n".join(
        f"{place:45} {n['view']:4} {n['page']:4} {n['words']:5}  {', '.join(n['which'])}"
        for place, n in found
    )
    loud = [place for place, n in found
            if n["view"] > IN_VIEW or n["page"] > ON_PAGE or n["words"] >= WORDS]
    assert not loud, f"in view, on the page, words:\n{table}\nToo much: {', '.join(loud)}"
