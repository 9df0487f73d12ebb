"""A real browser on phones: every way of asking, in every language, has room and can be reached."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from tests.browser import needs_browser
from tests.dashboard.collect.participants import (
    ON,
    TURN,
    collecting,
    colours,
    needs_jspsych,
    opened,
    small,
)
from tripletscope.core.studies.experiment.experiment import LANGUAGES, Experiment, Stimulus
from tripletscope.core.studies.experiment.items import SurveyItem
from tripletscope.core.studies.experiment.lists import person_list
from tripletscope.core.studies.experiment.question import ASKINGS
from tripletscope.dashboard.collect import answer_log
from tripletscope.dashboard.collect.texts import page_data

pytestmark = [pytest.mark.browser, needs_browser, needs_jspsych]

WIDTHS = (320, 360, 390)
#: Least CSS pixels of what a finger presses; levels of a scale share the width of their row.
TARGET = 44
WORDS = ("apple", "Birne", "mandarine", "elderberry", "plátano", "Grapefruit", "fig", "pomegranate")
ITEMS = (
    SurveyItem("age", "number", "How old are you?", low=18, high=99),
    SurveyItem("hand", "choice", "Your hand?", ("left", "right", "sometimes the one or the other")),
    SurveyItem("sure", "scale", "How sure?", ("not at all", "very"), high=7),
    SurveyItem("how", "text", "How did you decide?"),
)
#: What is too wide, too small to press or cut off, in words.
FAULTS = """(target) => {
  const wide = document.documentElement.clientWidth;
  const named = (one) => `${one.tagName}.${one.className} “${one.textContent.slice(0, 30)}”`;
  const found = [];
  if (document.documentElement.scrollWidth > wide) found.push("it scrolls to the side");
  for (const one of document.querySelectorAll("body *")) {
    if (!one.checkVisibility({ visibilityProperty: true })) continue;
    const box = one.getBoundingClientRect();
    const style = getComputedStyle(one);
    if (!box.width || !box.height || style.display === "inline") continue;
    const room = one.parentElement.matches(".pile") ? one.parentElement.getBoundingClientRect()
      : { left: 0, right: wide };
    const isIn = box.left >= room.left - 1 && box.right <= room.right + 1;
    if (!isIn) found.push(`outside: ${named(one)}`);
    const isCut = one.scrollWidth > one.clientWidth + 1 || one.scrollHeight > one.clientHeight + 1;
    if (isCut && style.overflow !== "visible" && one.clientHeight && one !== document.body) {
      found.push(`cut: ${named(one)}`);
    }
    if (!one.matches("button, a, label, input:not([type=radio]), textarea")) continue;
    const least = one.closest(".levels, .places") ? 0 : target;
    if (Math.round(box.height) < target || Math.round(box.width) < least) {
      found.push(`${Math.round(box.width)} × ${Math.round(box.height)}: ${named(one)}`);
    }
  }
  return found;
}"""
#: Controls that wait to be pressed, and which of them has the focus; radio buttons are one.
FOCUSED = """() => {
  const all = [...document.querySelectorAll("button, a, input, textarea")].filter((one) =>
    one.checkVisibility() && !one.disabled);
  const first = document.querySelector("[type=radio]");
  const stops = all.filter((one) => one.type !== "radio" || one === first);
  const now = document.activeElement;
  return [stops.length, stops.indexOf(now.type === "radio" ? first : now)];
}"""
#: What is answered, where it is on the page.
ASKED = f"{TURN}, .thing, .slider, .item"


def asking(folder, task: str) -> Experiment:
    """A short experiment that has a page of each kind."""
    values = {"task": task, "n_practice": 1, "n_questions": 1, "completion_code": "C0DE",
              "objects": tuple(Stimulus(word, "text", word) for word in WORDS)}
    if task == "slider":
        values |= {"task": "rating", "n_levels": 100, "before": ITEMS, "n_questions": 2,
                   "break_every": 1}
    elif task == "ranking":
        values |= {"objects": colours(5)}
    care = ASKINGS[values["task"]].has_care
    experiment = small(folder, skip=care, time_limit=3600 if care else None, **values)
    if not ASKINGS[experiment.task].has_gold:
        return experiment
    # Practice with a right answer is followed by feedback.
    gold = person_list(experiment, 0).questions[0].described() | {"kind": "gold"}
    gold["correct"] = [*range(2 if task == "similar_pair" else 1)]
    experiment = experiment.changed(gold=(gold,))
    experiment.save(folder)
    return experiment


def stages(page) -> Iterator[str]:
    """From one page to the next, to the end; what it is that is shown."""
    while True:
        page.wait_for_selector(f"{ON}, {ASKED}, html[data-end]")
        before = page.inner_html("#jspsych-content")
        if page.query_selector("html[data-end]"):
            yield page.get_attribute("html", "data-end")
            return
        if not page.query_selector(ASKED):
            yield "text"
            page.locator(ON).first.click()
        else:
            yield "question"
            press(page)
            if done := page.query_selector(".done:visible"):
                yield "answered"
                done.wait_for_element_state("enabled")
                done.click()
        page.wait_for_function(
            "before => document.documentElement.dataset.end || "
            "![before, ''].includes(document.querySelector('#jspsych-content').innerHTML)",
            arg=before)


def press(page) -> None:
    """Answer what is asked, but for the button that goes on."""
    for field in page.query_selector_all(".item input[type=text], .item textarea"):
        field.fill("44")
    for button in page.query_selector_all(".item [type=radio]")[:1]:
        button.check()
    if page.query_selector(".item"):
        return
    if page.query_selector(".thing"):
        page.locator(".tray .thing").first.focus()
        for _ in page.query_selector_all(".tray .thing"):
            page.keyboard.press("ArrowUp" if page.query_selector(".round") else "1")
            page.keyboard.press("Enter")
    elif slider := page.query_selector(".slider"):
        slider.press("ArrowRight")
    else:
        for key in ("1", "2"):
            page.keyboard.press(key)


def unreached(page) -> int:
    """How many controls the key Tab does not reach."""
    number, _ = page.evaluate(FOCUSED)
    reached = set()
    for _ in range(number + 2):
        page.keyboard.press("Tab")
        reached.add(page.evaluate(FOCUSED)[1])
    return number - len(reached - {-1})


@pytest.mark.parametrize("task", [*ASKINGS, "slider"])
def test_everything_has_room_on_a_phone(browser, tmp_path, task):
    experiment = asking(tmp_path, task)
    faults, kinds = {}, set()
    with collecting(tmp_path) as address, browser.new_context(has_touch=True) as phone:
        for language in LANGUAGES:
            page = spoken(phone, experiment, language)
            page.goto(f"{address}?preview={answer_log.preview_key(tmp_path)}")
            for number, kind in enumerate(stages(page)):
                kinds.add(kind)
                for width in WIDTHS:
                    page.set_viewport_size({"width": width, "height": 640})
                    page.evaluate("new Promise(requestAnimationFrame)")
                    if found := page.evaluate(FAULTS, TARGET):
                        faults[f"{language} {number} {kind} {width}"] = found
                if language == "en" and (found := unreached(page)):
                    faults[f"{number} {kind}"] = f"{found} without the keyboard"
            page.close()
    assert not faults, json.dumps(faults, indent=1, ensure_ascii=False)
    assert kinds >= {"text", "question", "finished"}


def spoken(context, experiment: Experiment, language: str):
    """A page that speaks another language than its server."""
    page = opened(context, "about:blank")
    told = page_data(experiment.changed(language=language), "a log")
    page.route("**/experiment.json", lambda route: route.fulfill(json=told))
    return page
