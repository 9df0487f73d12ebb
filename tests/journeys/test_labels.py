"""Labels of a map under the pointer."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.browser import needs_browser
from tests.journeys.pages import (
    at_rest,
    keep,
    open_page,
    the_map,
    upload,
    wait_for_map,
)

pytestmark = [pytest.mark.browser, needs_browser]

TEXTS = """p => Object.fromEntries(
    [...p.querySelectorAll(".textpoint text, .annotation-text-g")].filter(t => t.textContent)
    .map(t => { const box = t.getBoundingClientRect();
        return [t.textContent, [box.x + box.width / 2, box.y + box.height / 2]]; }))"""


def labels(page: Page) -> dict[str, list[float]]:
    """Where the middle of every label is."""
    return the_map(page).evaluate(TEXTS)


def drag(page: Page, start: list[float], by: tuple[float, float]) -> None:
    page.mouse.move(*start)
    page.mouse.down()
    page.mouse.move(start[0] + by[0], start[1] + by[1], steps=5)
    page.mouse.up()


def test_a_label_stays_where_it_is_dragged(browser, address, answers):
    page = open_page(browser, address)
    upload(page, answers)
    keep(page)
    wait_for_map(page)
    the_map(page).evaluate("p => p.scrollIntoView({ block: 'center' })")
    name, start = sorted(labels(page).items())[0]
    drag(page, start, (30, -60))
    back = page.get_by_role("button", name="Put labels back")
    expect(back).to_be_visible()
    at_rest(page)
    assert labels(page)[name] == pytest.approx([start[0] + 30, start[1] - 60], abs=1.5)
    expect(page.get_by_text("selected object")).to_have_count(0)
    assert the_map(page).locator(".selectionlayer path").count() == 0, "no lasso"

    # it is an offset from the point, and dragged again from where it is
    the_map(page).evaluate(
        "p => { const half = r => [0.75 * r[0] + 0.25 * r[1], 0.25 * r[0] + 0.75 * r[1]];"
        "const { xaxis, yaxis } = p.layout; return p.plotly.relayout(p, "
        "{ 'xaxis.range': half(xaxis.range), 'yaxis.range': half(yaxis.range) }); }"
    )
    zoomed = labels(page)
    if name in zoomed:
        drag(page, zoomed[name], (-20, 10))
        page.wait_for_timeout(1000)
        at_rest(page)
        moved = [zoomed[name][0] - 20, zoomed[name][1] + 10]
        assert labels(page)[name] == pytest.approx(moved, abs=1.5)

    page.reload()
    wait_for_map(page)
    back.click()
    expect(back).to_have_count(0)

    # a click on a label picks its object
    at_rest(page)
    the_map(page).evaluate("p => p.scrollIntoView({ block: 'center' })")
    page.mouse.click(*labels(page)[name])
    expect(page.get_by_text("1 selected object")).to_be_visible()
