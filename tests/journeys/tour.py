"""Every page and tab of a sample, and how much there is to take in at once on each."""

from __future__ import annotations

import re

from playwright.sync_api import Page, expect

from tripletscope.dashboard.views.page import tabs_of

PAGES = ("Data", "Embedding", "Dimensions", "Kernel", "Clusters", "Trees", "Scale",
         "People", "Features and models", "Compare", "Report", "Simulate", "Collect",
         "Computing")
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
    )].filter(e => seen(e) && !e.closest('label, button, summary, .st-key-page-of'))
        .filter(e => !e.parentElement.closest('[data-testid="stMarkdown"]'));
    return {
        view: controls.filter(e => e.getBoundingClientRect().top < innerHeight).length,
        page: controls.length,
        words: prose.flatMap(e => e.innerText.split(/\\s+/)).filter(w => /[a-z]/i.test(w)).length,
        which: controls.map(e => (e.querySelector('label p, summary p, button p, p') || e)
            .innerText.split('\\n')[0].slice(0, 24)),
    };
}"""


#: When no job is shown, the script has ended and all of it is drawn, for longer than a page takes
#: that starts a job and runs once more to show it.
AT_REST = """() => new Promise(resolve => {
    let since = performance.now();
    const busy = () => document.querySelector(
        '[data-testid="stApp"]:not([data-test-script-state="notRunning"]), [data-stale="true"]'
    ) || [...document.querySelectorAll('button p')].some(p => p.textContent === 'Cancel');
    const look = setInterval(() => {
        if (busy()) since = performance.now();
        if (performance.now() - since > 300) { clearInterval(look); resolve(true); }
    }, 100);
})"""


def counted(page: Page, place: str) -> tuple[str, dict]:
    page.evaluate(AT_REST)
    return place, page.evaluate(COUNT)


def toured(page: Page, address: str) -> list[tuple[str, dict]]:
    """Places with what can be operated and read there: `view`, `page`, `words`, `which`."""
    page.set_viewport_size({"width": 1280, "height": 720})
    page.locator(".st-key-sample-crowd button").wait_for()
    found = [counted(page, "Start")]
    page.goto(f"{address}/?sample=crowd")
    expect(page.get_by_text("4 clusters are recommended")).to_be_visible()
    for name in PAGES:
        place = f"{address}/{name.split()[0].lower()}?{page.url.split('?')[1].split('&tab=')[0]}"
        link = page.get_by_test_id("stSidebar").get_by_role("link", name=name, exact=True)
        if link.count():
            link.click()
        else:  # in the navigation only where the data have a use for it
            page.goto(place)
        expect(page.get_by_role("heading", name=name, exact=True, level=1).or_(
            page.get_by_role("heading", name="Kitchen objects", exact=True, level=1)
        )).to_be_visible()
        tabs = tabs_of(name.split()[0].lower()).values()
        for tab in tabs:
            if tab.when is not None:
                page.goto(f"{place}&tab={tab.name}")
            if len(tabs) > 1:
                shown = page.get_by_role("radio", name=tab.title, exact=True).first
                shown.click()
                expect(page).to_have_url(re.compile(f"[&?]tab={tab.name}(&|$)"))
            found.append(counted(page, f"{name} › {tab.title}"))
    return found
