"""Maps as a browser shows them: what our script adds to plotly in space, at night, at points."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd
import plotly
import plotly.graph_objects as go
import pytest
from playwright.sync_api import Page, sync_playwright

from tests.browser import CHROMIUM, needs_browser
from tests.dashboard.figures.test_legibility import contrast
from tripletscope.dashboard.figures.chart import add_layers
from tripletscope.dashboard.figures.layers import Series
from tripletscope.dashboard.figures.map import embedding_map
from tripletscope.dashboard.figures.points import MapData, MapStyle
from tripletscope.dashboard.figures.theme import AT_NIGHT, FAINT, PALETTE
from tripletscope.dashboard.ui.chart import asset

pytestmark = needs_browser
N = 80
_PLOTLY = Path(plotly.__file__).parent / "package_data" / "plotly.min.js"
_PAGE = """<style>{css}</style><div id="root"
style="width: 800px; --st-background-color: {ground}"><div class="ts-chart">
<div class="ts-plot"></div><img class="ts-tip"><p class="ts-said" role="status"></p>
<p class="ts-trouble" hidden></p></div></div>
<script type="module">{script}
window.told = [];
Object.assign(window, {{ atNight, chart }});
chart({{ data: {data}, parentElement: document.getElementById("root"),
  setTriggerValue: (name, value) => window.told.push(value) }});
</script>"""


DOT = "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg'/%3E"


def a_page(
    selected: list[int] = (), ground: str = "#FFFFFF", pictures: dict[int, str] | None = None,
    **style,
) -> str:
    """A page with a map in space alone, or in the plane, as the chart of a page draws it."""
    names = [f"name {i:02d}" for i in range(N)]
    objects = pd.DataFrame({"id": names, "label": names, "kind": ["x", "y"] * (N // 2),
                            "size": np.arange(N)})
    positions = np.random.default_rng(1).normal(size=(N, 3))
    data = MapData(positions, objects, pictures=pictures or {}, selected=selected)
    figure = embedding_map(data, MapStyle(**style))
    given = {"figure": figure.to_json(), "plotly": "/plotly.js", "height": 600, "alt": "Map.",
             "selectable": True, "labels": False, "movable": False}
    parts = ("plotly", "space", "pictures", "rest", "window", "walk", "chart")
    script = "".join(asset(f"{part}.js") for part in parts)
    return _PAGE.format(
        css=asset("chart.css"), ground=ground, data=json.dumps(given),
        script=script.replace("export default function", "const chart = function"),
    )


@pytest.fixture(scope="module")
def page() -> Iterator[Page]:
    with sync_playwright() as driver:
        browser = driver.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox", "--enable-unsafe-swiftshader"]
        )
        page = browser.new_page(viewport={"width": 820, "height": 620})
        page.route("http://map/", lambda route: route.fulfill(
            body=a_page([7], colour="kind", flat=False), content_type="text/html; charset=utf-8"
        ))
        page.route("http://map/night", lambda route: route.fulfill(
            body=a_page(ground="#12181A", colour="size"), content_type="text/html; charset=utf-8"
        ))
        page.route("http://map/pictures", lambda route: route.fulfill(
            body=a_page(pictures={3: DOT, 5: DOT}, ground="#12181A", marks="pictures"),
            content_type="text/html; charset=utf-8",
        ))
        page.route("http://map/plane", lambda route: route.fulfill(
            body=a_page([7], colour="kind"), content_type="text/html; charset=utf-8"
        ))
        page.route("http://map/chosen", lambda route: route.fulfill(
            body=a_page(list(range(0, N, 2)), colour="kind"),
            content_type="text/html; charset=utf-8",
        ))
        page.route("http://map/plotly.js", lambda route: route.fulfill(path=_PLOTLY))
        page.goto("http://map/")
        page.locator(".ts-names text").first.wait_for()
        yield page
        browser.close()


def boxes(page: Page) -> dict[str, dict]:
    """Where names are."""
    return dict(page.evaluate(
        "[...document.querySelectorAll('.ts-names text')]"
        ".map(t => [t.textContent, t.getBoundingClientRect().toJSON()])"
    ))


def assert_apart(found: dict[str, dict]) -> None:
    assert 10 < len(found) <= N
    for one, other in combinations(found.values(), 2):
        across = min(one["right"], other["right"]) - max(one["left"], other["left"])
        up = min(one["bottom"], other["bottom"]) - max(one["top"], other["top"])
        assert min(across, up) < 3  # letters do not fill their boxes


def test_names_have_room_from_every_side(page):
    first = boxes(page)
    assert "name 07" in first
    assert page.locator(".ts-names circle").count() == 1, "the selected object has a ring"
    assert_apart(first)
    page.mouse.move(400, 300)  # on an object, which a turn does not select
    page.mouse.down()
    page.mouse.move(520, 330, steps=4)
    under_way = boxes(page)
    assert set(under_way) == set(first)
    assert under_way["name 07"] != first["name 07"], "names go with their points"
    page.mouse.up()
    page.wait_for_function(
        "before => [...document.querySelectorAll('.ts-names text')]"
        ".map(t => t.textContent).join() !== before", arg=",".join(first),
    )
    turned = boxes(page)
    assert "name 07" in turned
    assert_apart(turned)


def test_a_click_selects_and_with_shift_adds(page):
    page.evaluate("window.told.length = 0")
    page.evaluate("""() => {
      const plot = document.querySelector(".ts-plot");
      for (const shiftKey of [false, true]) {
        plot.press = { shiftKey };
        plot.dragged = false;
        plot.emit("plotly_click", { points: [{ customdata: 3 }] });
      }
    }""")
    page.wait_for_function("window.told.length == 2")
    told = page.evaluate("window.told.map(one => [one.ids, one.mode])")
    assert told == [[[3], "replace"], [[3], "toggle"]]


def test_an_entry_of_the_legend_selects_its_objects(page):
    """Their points vanished, and their ellipses and names stayed."""
    some, others = ([k for k in range(N) if k % 2 == part] for part in (0, 1))
    for place, presses, expected in (
        ("plane", [[], ["Shift"]], [[some, "replace"], [others, "add"]]),
        ("chosen", [[]], [[[], "replace"]]),  # those are selected: no longer
    ):
        page.goto(f"http://map/{place}")
        page.locator(".legendtoggle").first.wait_for()
        for number, keys in enumerate(presses):
            page.locator(".legendtoggle").nth(number).click(modifiers=keys)
            page.wait_for_function("number => window.told.length > number", arg=number)
        told = page.evaluate("window.told.map(one => [one.ids, one.mode])")
        assert [[sorted(ids), mode] for ids, mode in told] == expected
        shown = page.evaluate("document.querySelector('.ts-plot').data.map(t => t.visible)")
        assert "legendonly" not in shown


def test_quantities_have_other_colours_at_night(page):
    page.goto("http://map/night")
    page.locator(".scatterlayer .trace").first.wait_for()
    (scale,) = page.evaluate(
        "document.querySelector('.ts-plot').data.filter(t => t.marker.colorscale)"
        ".map(t => t.marker.colorscale.map(([, colour]) => colour))"
    )
    assert scale == AT_NIGHT


def test_grey_and_bands_are_seen_at_night(page):
    """A band that figures compare with had a contrast of 1.2."""
    band = Series(x=[0, 1], low=[0, 0], high=[1, 1], band=True, points=False)
    figure = go.Figure()
    for colour in (FAINT, *PALETTE[:4]):
        add_layers(figure, [replace(band, colour=colour)])
    figure.add_scatter(x=[0, 1], y=[0, 1], line={"color": FAINT})
    page.goto("http://map/night")
    *bands, line = json.loads(page.evaluate("json => atNight(json)", figure.to_json()))["data"]
    below = (0x12, 0x18, 0x1A)
    for one in bands:
        *colour, share = map(float, re.findall(r"[\d.]+", one["fillcolor"]))
        seen = [share * above + (1 - share) * under
                for above, under in zip(colour, below, strict=True)]
        assert contrast("#" + "".join(f"{round(part):02X}" for part in seen), "#12181A") > 1.3
    assert contrast(line["line"]["color"], "#12181A") > 4.5


def test_pictures_go_with_their_points(page):
    """They lie where their points are, before, during and after a pan."""
    page.goto("http://map/pictures")
    page.locator(".ts-pictures image").first.wait_for(state="attached")

    def seen(which: str) -> list[float]:
        return page.evaluate(
            "which => [...document.querySelectorAll(which)].map(e => e.getBoundingClientRect())"
            ".map(box => box.x + box.width / 2)", which,
        )

    def come_to(places: list[float]) -> bool:
        """Whether the pictures are there once the browser has drawn what the pointer did."""
        for _ in range(600):
            if seen(".ts-pictures image") == pytest.approx(places, abs=1.5):
                return True
            page.wait_for_timeout(100)
        return False

    plates = "document.querySelector('.ts-plot').data.find(t => t.name === 'plates').fillcolor"
    assert page.evaluate(plates) != "#FFFFFF", "less bright on dark ground"
    begin = seen(".ts-pictures image")
    assert len(begin) == 2
    page.locator("[data-title='Pan']").click()
    page.wait_for_function("document.querySelector('.ts-plot')._fullLayout.dragmode === 'pan'")
    page.mouse.move(400, 300)
    page.mouse.down()
    page.mouse.move(460, 300, steps=3)
    assert come_to([x + 60 for x in begin]), "while the pointer is down"
    page.mouse.up()
    page.wait_for_timeout(300)
    assert come_to([x + 60 for x in begin])
    at = page.evaluate("""() => {
      const plot = document.querySelector(".ts-plot"), { xaxis } = plot._fullLayout;
      const trace = plot._fullData.find((one) => one.customdata);
      const left = plot.getBoundingClientRect().x + xaxis._offset;
      return [3, 5].map((k) => left + xaxis.d2p(trace.x[k]));
    }""")
    assert seen(".ts-pictures image") == pytest.approx(at, abs=1.0)


def test_a_map_is_walked_and_selected_by_keyboard(page):
    page.goto("http://map/plane")
    page.locator(".ts-plot .nsewdrag").wait_for()
    plot = page.get_by_role("figure", name="Arrow keys go from object to object")
    plot.focus()
    said = page.get_by_role("status")
    page.keyboard.press("ArrowRight")
    assert said.inner_text().startswith("name ")
    where = (
        "name => { const p = document.querySelector('.ts-plot');"
        "const t = p._fullData.find(t => t.hovertext && t.hovertext.some(h => h.includes(name)));"
        "const k = t.hovertext.findIndex(h => h.includes(name)); return [t.x[k], t.y[k]]; }"
    )
    x, y = page.evaluate(where, said.inner_text()[:7])
    steps = []
    for key in ("ArrowRight", "ArrowUp", "ArrowLeft", "ArrowDown"):
        page.keyboard.press(key)
        now = page.evaluate(where, said.inner_text()[:7])
        steps.append((now[0] - x, now[1] - y))
        x, y = now
    assert [np.sign(step[k]) for step, k in zip(steps, (0, 1, 0, 1), strict=True)] == [1, 1, -1, -1]
    assert page.locator(".hoverlayer .hovertext").count() == 1, "where one is, is seen"
    page.keyboard.press("Space")
    page.keyboard.press("Enter")
    (toggled, alone) = page.evaluate("window.told")
    assert [toggled["mode"], alone["mode"]] == ["toggle", "replace"]
    assert toggled["ids"] == alone["ids"] == [int(said.inner_text()[5:7])]


def telling(page: Page) -> None:
    """A page whose chart was drawn for another size, while something runs."""
    away = '<main data-testid="stApp" data-test-script-state="running"><a href="/away">x</a>'
    listening = "document.querySelector('a').addEventListener('click', e => e.preventDefault());"
    body = a_page([7], colour="kind").replace("<div id", f"{away}<div id", 1)
    body = body.replace('"movable": false', '"movable": false, "fills": true, "drawn_for": [9, 9]')
    body = body.replace("window.told = [];", f"window.told = []; {listening}")
    page.route("http://map/leaving", lambda route: route.fulfill(
        body=body, content_type="text/html; charset=utf-8"
    ))
    page.goto("http://map/leaving")
    page.wait_for_function("document.querySelector('.ts-plot')?.telling")


ENDS = "document.querySelector('main').dataset.testScriptState = 'notRunning'"


def test_a_chart_tells_its_size_only_while_the_page_rests(page):
    """What it asks for after a click on a link would bring the page of before back."""
    telling(page)
    page.get_by_role("link", name="x").click()
    page.evaluate(ENDS)  # what had begun before; the run for the other page is yet to begin
    page.wait_for_timeout(2500)
    assert page.evaluate("window.told") == []
    page.evaluate("history.pushState(null, '', '/away')")
    page.wait_for_function("window.told.length == 1")
    assert set(page.evaluate("window.told[0]")) == {"width", "height", "at"}


def test_a_chart_is_not_drawn_anew_below_a_lasso(page):
    telling(page)
    page.locator(".ts-plot .nsewdrag").hover()
    page.mouse.down()
    page.evaluate(ENDS)
    page.mouse.move(300, 300, steps=3)
    page.wait_for_timeout(2500)
    assert page.evaluate("window.told") == []
    page.mouse.up()
    page.wait_for_function("window.told.some(one => one.width)")


def test_a_figure_of_what_is_computed_is_asked_for_ever_less_and_by_nobody_who_sees_nothing(page):
    """Its drawings took as much of the processor as the map that was computed."""
    page.goto("http://map/plane")
    page.locator(".ts-plot .nsewdrag").wait_for()
    asked = page.evaluate("""async () => {
      const plot = document.querySelector(".ts-plot"), asked = [], { figure } = plot.current.data;
      const sleep = (ms) => new Promise((go) => setTimeout(go, ms));
      window.fetch = async () => asked.push(performance.now()) && new Response(figure);
      const hide = (value) =>
        Object.defineProperty(document, "hidden", { value, configurable: true });
      hide(true);
      chart({ data: { ...plot.current.data, live: "job" }, parentElement: document.body });
      await sleep(1200);
      const unseen = asked.length;
      hide(false);
      while (!asked.length) await sleep(50);
      plot.begun -= 20000;
      while (asked.length < 3) await sleep(50);
      return [unseen, asked[2] - asked[1]];
    }""")
    assert asked[0] == 0
    assert asked[1] > 1900
