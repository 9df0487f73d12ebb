"""Every page and tab of a sample, and how much there is to take in at once on each."""

from __future__ import annotations

import re
from pathlib import Path
from tempfile import TemporaryDirectory

from playwright.sync_api import Page, expect

from tests.journeys.pages import answers_about_towns, at_rest, upload, wait_for_map
from tripletscope.dashboard.ui.page import tabs_of

PAGES = ("Data", "Embedding", "Dimensions", "Kernel", "Clusters", "Trees", "Scale",
         "People", "Features and models", "Compare", "Report", "Simulate", "Collect",
         "Computing")
SMALL = {"width": 1280, "height": 720}
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


#: Words in use whose contrast with what they stand on is below that of WCAG 2.2 (AA), with it.
FAINT = r"""() => {
    const colour = text => {
        const parts = text.match(/[\d.]+/g).map(Number), unit = text.startsWith('color(') ? 255 : 1;
        return [...parts.slice(0, 3).map(part => part * unit), parts[3] ?? 1];
    };
    const over = (above, below) =>
        [0, 1, 2].map(k => above[k] * above[3] + below[k] * (1 - above[3])).concat(1);
    const luminance = parts => {
        const linear = parts.map(part => part / 255)
            .map(share => share <= .04045 ? share / 12.92 : ((share + .055) / 1.055) ** 2.4);
        return .2126 * linear[0] + .7152 * linear[1] + .0722 * linear[2];
    };
    const found = {}, words = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (words.nextNode()) {
        const text = words.currentNode.data.trim(), element = words.currentNode.parentElement;
        if (!text || !element.checkVisibility({ visibilityProperty: true })) continue;
        const idle = 'script, style, svg, [aria-hidden="true"], :disabled, [aria-disabled="true"]';
        const { width, height } = element.getBoundingClientRect();
        if (element.closest(idle) || width < 2 || height < 2) continue;
        if (element.closest('[data-testid="stSliderThumbValue"]')) continue; // beside its thumb
        let ground = [], opacity = 1;
        for (let below = element; below; below = below.parentElement) {
            const style = getComputedStyle(below), layer = colour(style.backgroundColor);
            opacity *= style.opacity;
            ground.unshift(layer);
            if (layer[3] === 1) break;
        }
        ground = ground.reduce((below, layer) => over(layer, below), [255, 255, 255, 1]);
        const style = getComputedStyle(element), ink = colour(style.color);
        if (ink[3] * opacity === 0) continue; // shown when it is pointed at
        const letters = over([...ink.slice(0, 3), ink[3] * opacity], ground);
        const [low, high] = [letters, ground].map(luminance).sort((a, b) => a - b);
        const ratio = (high + .05) / (low + .05);
        if (ratio < (parseFloat(style.fontSize) >= 24 ? 3 : 4.5))
            found[text.slice(0, 40)] = Number(ratio.toFixed(2));
    }
    return found;
}"""


#: What a reader of the screen meets: pictures without words, tools inside of pictures, headings
#: that leave out a level.
UNREAD = """() => {
    const main = document.querySelector('[data-testid="stMain"]');
    const found = [...main.querySelectorAll('img:not([alt]), [role="img"] :is(button, a[href])')];
    const headings = [...main.querySelectorAll('h1, h2, h3, h4')].filter(e => e.checkVisibility());
    const level = e => Number(e.tagName[1]);
    headings.forEach((e, k) => { if (k && level(e) > level(headings[k - 1]) + 1) found.push(e); });
    return found.map(e => e.outerHTML.slice(0, 120));
}"""


#: Of the first picture of a page: shares of the window, pixels below it, reach of a map.
MEASURE = """() => {
    const plot = [...document.querySelectorAll('[data-testid="stMain"] .ts-plot')]
        .find(one => one.checkVisibility() && one.data);
    if (!plot) return null;
    const seen = ({ left, right, top, bottom }) => {
        const across = Math.min(right, innerWidth) - Math.max(left, 0);
        const down = Math.min(bottom, innerHeight) - Math.max(top, 0);
        return 100 * Math.max(across, 0) * Math.max(down, 0) / innerWidth / innerHeight;
    };
    let box = plot; // or what the picture scrolls in
    for (let above = plot.parentElement; above && above.dataset.testid !== 'stMain';
         above = above.parentElement)
        if (/auto|scroll/.test(getComputedStyle(above).overflowY)) { box = above; break; }
    const whole = box.getBoundingClientRect();
    const parts = [...plot.querySelectorAll('.nsewdrag')].map(p => p.getBoundingClientRect());
    const frame = parts.length ? {
        left: Math.min(...parts.map(p => p.left)), right: Math.max(...parts.map(p => p.right)),
        top: Math.min(...parts.map(p => p.top)),
        bottom: Math.min(Math.max(...parts.map(p => p.bottom)), whole.bottom),
    } : whole;
    const { xaxis, yaxis } = plot._fullLayout;
    const span = axis => {
        const on = plot._fullData.filter(trace => trace.customdata || trace.name === 'ellipses')
            .flatMap(trace => [...(trace[axis._id] || [])]).filter(Number.isFinite);
        const [low, high] = axis.range;
        const inside = on.map(value => Math.min(Math.max(value, low), high));
        return inside.length
            ? (Math.max(...inside) - Math.min(...inside)) / Math.abs(high - low) : 0;
    };
    const alike = yaxis && yaxis.scaleanchor && yaxis.constrain === 'range';
    return {
        picture: seen(whole), frame: seen(frame),
        below: Math.max(whole.bottom - innerHeight, 0),
        reach: alike ? 100 * Math.max(span(xaxis), span(yaxis)) : null,
    };
}"""
#: Sizes of a window, and the least share of it that a map has, in per cent.
SIZES = {(1440, 900): 55, (1920, 1080): 55, (1280, 720): 45, (390, 844): 60}


#: What can be operated at the height of the header, and over which something else lies that takes
#: the clicks. Further below, bars lie over what is scrolled.
COVERED = """() => [...document.querySelectorAll(
    '[data-testid="stMain"] :is(button, a[href], input[type="text"], summary)'
)].filter(e => {
    const { x, y, width, height } = e.getBoundingClientRect();
    if (!e.checkVisibility({ visibilityProperty: true }) || width < 2 || height < 2) return false;
    const [across, down] = [x + width / 2, y + height / 2];
    if (across < 0 || down < 0 || across > innerWidth || down > 60) return false;
    const top = document.elementFromPoint(across, down);
    return top && !e.contains(top) && !top.contains(e);
}).map(e => e.innerText.slice(0, 40) || e.outerHTML.slice(0, 120))"""


THEME = """() => getComputedStyle(document.querySelector('[data-testid="stApp"]')).colorScheme"""
#: When no job is shown, the script has ended and all of it is drawn and fades no more, for longer
#: than a page takes that starts a job and runs once more to show it.
AT_REST = """() => new Promise(resolve => {
    let since = performance.now();
    const busy = () => document.querySelector(
        '[data-testid="stApp"]:not([data-test-script-state="notRunning"]), [data-stale="true"]'
    ) || [...document.querySelectorAll('button p')].some(p => p.textContent === 'Cancel')
        || document.getAnimations().some(one => one instanceof CSSTransition);
    const look = setInterval(() => {
        if (busy()) since = performance.now();
        if (performance.now() - since > 300) { clearInterval(look); resolve(true); }
    }, 100);
})"""


def counted(page: Page, place: str) -> tuple[str, dict]:
    page.evaluate(AT_REST)
    seen = {"unread": page.evaluate(UNREAD), "covered": page.evaluate(COVERED)}
    return place, page.evaluate(COUNT) | {"faint": faint(page), **seen}


def faint(page: Page) -> dict[str, float]:
    """Words that are hard to read in one of the themes, with their contrast.

    A page at rest is seen in its theme first, and stays in the other for what comes next.
    """
    now = page.evaluate(THEME)
    other = "dark" if now == "light" else "light"
    seen = {now: _faint_at_rest(page)}
    page.emulate_media(color_scheme=other)
    page.wait_for_function(f"other => ({THEME})() === other", arg=other)
    seen[other] = _faint_at_rest(page)  # a theme draws charts anew
    return {f"{words} ({theme})": ratio for theme in seen for words, ratio in seen[theme].items()}


def _faint_at_rest(page: Page) -> dict[str, float]:
    """Words that are faint whenever the page is at rest, as what is drawn anew pales meanwhile."""
    look = f"async () => {{ await ({AT_REST})(); return ({FAINT})(); }}"
    found = page.evaluate(look)
    for _ in range(3):  # a job may end between the rest and the look
        if not found:
            break
        again = page.evaluate(look)
        found = {words: ratio for words, ratio in again.items() if words in found}
    return found


def measured(page: Page) -> list[dict[str, float]]:
    """How much of windows of `SIZES` the picture of a page has."""
    found = []
    for width, height in SIZES:
        page.set_viewport_size({"width": width, "height": height})
        page.wait_for_timeout(100)  # until the figure follows
        at_rest(page)
        found.append(page.evaluate(MEASURE))
    return found


def too_small(sizes: list[dict[str, float]]) -> list[tuple]:
    """Windows that a map does not fill."""
    return [
        (*size, found) for (size, least), found in zip(SIZES.items(), sizes, strict=True)
        if found["picture"] < least or found["below"] or found["reach"] < 90
    ]


def toured(page: Page, address: str) -> list[tuple[str, dict]]:
    """Places with what is operated and read there: `view`, `page`, `words`, `which`, `faint`,
    `unread`, `covered`; of a map also its `sizes`.
    """
    page.set_viewport_size(SMALL)
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
                if not shown.is_checked():
                    shown.click()
                expect(page).to_have_url(re.compile(f"[&?]tab={tab.name}(&|$)"))
            found.append(counted(page, f"{name} › {tab.title}"))
    page.goto(f"{address}/embedding?{place.split('?')[1]}&tab=embedding")
    wait_for_map(page)
    dict(found)["Embedding › Map"]["sizes"] = measured(page)
    page.set_viewport_size(SMALL)
    with TemporaryDirectory() as folder:
        page.goto(address)
        upload(page, answers_about_towns(Path(folder)))
        found.append(counted(page, "Data › an upload"))
    return found
