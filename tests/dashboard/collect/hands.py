"""People with a mouse, a finger or keys, who note what they saw and pressed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from playwright.sync_api import Browser, ElementHandle, Page, expect

from tests.dashboard.collect.participants import ON, TURN, collecting, opened, shown, small
from tripletscope.core.studies.experiment.experiment import Experiment, Stimulus
from tripletscope.core.studies.experiment.question import ASKINGS
from tripletscope.core.studies.experiment.results import AnswerRecord
from tripletscope.dashboard.collect import answer_log

#: Every way of asking, with what it has beside a few questions about nine words.
WAYS: dict[str, dict[str, Any]] = {
    **{name: {"n_on_table": 5} if asking.is_table else {} for name, asking in ASKINGS.items()},
    "slider": {"task": "rating", "n_levels": 100},
}
#: What may come in between, one at each question.
DISTURBANCES = ("nothing", "reload", "back", "offline", "four at once", "reload at once")
#: What is chosen by who cannot say.
SKIPPED = "skipped"
#: What is answered, once it is one's turn.
ASKED = f"{TURN}, .tray .thing, .slider"
WORDS = ("ash", "birch", "cedar", "elm", "fir", "larch", "maple", "oak", "pine")
#: Texts of stimuli above and of every option, in reading order, with the middle of each.
_SEEN = """() => {
  const boxed = (one) => ({ box: one.getBoundingClientRect(), one });
  const ordered = (query) => [...document.querySelectorAll(query)].map(boxed)
    .filter(({ box }) => box.width).sort((a, b) => (
      Math.abs(a.box.y - b.box.y) > 9 ? a.box.y - b.box.y : a.box.x - b.box.x));
  const texts = (one, query) => [...one.querySelectorAll(query)].map((some) => some.innerText);
  return [ordered(".anchor .stimulus").map(({ one }) => one.innerText),
    ordered(".option").map(({ box, one }) => [
      texts(one, one.querySelector(".stimulus") ? ".stimulus" : "span"),
      [box.x + box.width / 2, box.y + box.height / 2]])];
}"""
#: Texts of what is in each pile, and places on a round table, by what is seen.
_ON_TABLE = """() => {
  const box = (one) => one.getBoundingClientRect();
  const piles = [...document.querySelectorAll(".pile")].map(box);
  const round = document.querySelector(".round") && box(document.querySelector(".round"));
  return [...document.querySelectorAll(".thing")].map((one) => {
    const { x, y, width, height } = box(one);
    const [at, down] = [x + width / 2, y + height / 2];
    const pile = piles.findIndex((p) => (
      p.left < at && at < p.right && p.top < down && down < p.bottom));
    const place = round && [at - round.x, round.y + round.width - down]
      .map((off) => 2 * off / round.width - 1);
    return [one.innerText, place ?? pile];
  });
}"""


@dataclass(frozen=True)
class Deed:
    """What was seen and chosen: texts of stimuli, or a number, a word, piles or places."""

    above: Sequence[str]
    options: Sequence[Sequence[str]]
    chosen: Any

    def differs(self, record: AnswerRecord, experiment: Experiment) -> str:
        """What is stored otherwise; empty if nothing is."""
        asking, shown = ASKINGS[experiment.task], record.shown
        if SKIPPED in (self.chosen, record.unanswered):
            is_true = (self.chosen, record.chosen) == (record.unanswered, ())
        elif asking.answer == "positions":
            places = np.reshape(record.chosen, (-1, 2))
            is_true = {*self.chosen} == {*shown} and all(
                np.hypot(*np.subtract(place, self.chosen[name])) < 0.02
                for name, place in zip(shown, places, strict=True))
        elif asking.answer == "piles":
            piles = {k: {name for name, pile in zip(shown, record.chosen, strict=True) if pile == k}
                     for k in record.chosen}
            is_true = {frozenset(one) for one in piles.values()} == self.chosen
        elif asking.answer == "options":
            options = [list(one) for one in asking.options(shown)]
            chosen = [options[k] for k in record.chosen]
            if not asking.in_order:
                chosen, mine = sorted(chosen), sorted(self.chosen)
            else:
                mine = self.chosen
            above = list(shown[: asking.is_anchored])
            is_true = [above, options, chosen] == [self.above, self.options, mine]
        else:
            is_true = (list(shown), *record.chosen) == (self.above, self.chosen)
        return "" if is_true else f"{record.key}: {self} but {record.shown} {record.chosen}"


@dataclass
class Person:
    """Somebody at a page, who presses at random what can be pressed."""

    page: Page
    experiment: Experiment
    rng: np.random.Generator
    deeds: list[Deed] = field(default_factory=list)

    device: ClassVar[str] = "mouse"
    screen: ClassVar[dict[str, Any]] = {"viewport": {"width": 1280, "height": 800}}

    def press(self, place: Sequence[float]) -> None:
        self.page.mouse.click(*place)

    def drag(self, start: Sequence[float], end: Sequence[float]) -> None:
        self.page.mouse.move(*start)
        self.page.mouse.down()
        for k in range(1, 5):
            self.page.mouse.move(*np.add(start, np.subtract(end, start) * k / 4))
        self.page.mouse.up()

    def take_part(self, first: int = 0) -> None:
        """Answer everything, with another disturbance at each question."""
        while self.to_question():
            self.answer(DISTURBANCES[(first + len(self.deeds)) % len(DISTURBANCES)])

    def to_question(self) -> bool:
        """Past pages of text; whether there is a question."""
        while True:
            self.page.wait_for_selector(f"{ASKED}, {ON}, html[data-end]")
            if self.page.query_selector("html[data-end]"):
                return False
            if self.page.query_selector(ASKED):
                return True
            self.leave_text()

    def leave_text(self) -> None:
        button = self.page.query_selector(ON)
        self.press(self.middle(button))
        button.wait_for_element_state("hidden")

    def answer(self, disturbance: str) -> None:
        page = self.page
        if disturbance in ("reload", "back"):
            self.begin_to_answer()
            if disturbance == "reload":
                page.reload()
            else:
                page.go_back()
                expect(page.locator("#notice")).not_to_be_empty()
            self.to_question()
        if disturbance == "offline":
            page.context.set_offline(True)
        before = shown(page)
        skips = self.experiment.skip and self.rng.random() < 0.35
        deed, finish = self.skip() if skips else self.decide()
        self.deeds.append(deed)
        if disturbance == "four at once":
            self.finish_often(finish)
        else:
            finish()
        if disturbance == "reload at once":
            page.reload()
        page.wait_for_function(
            "before => document.querySelector('[data-end], #waiting h2') || ![before, '']"
            ".includes(document.querySelector('#progress span').textContent)", arg=before)
        if disturbance == "offline":
            page.context.set_offline(False)

    def begin_to_answer(self) -> None:
        """Something that is not yet an answer."""
        if self.page.query_selector(".tray .thing"):
            self.place(0)

    def decide(self) -> tuple[Deed, Callable[[], None]]:
        """What is chosen, and the last press, which makes an answer of it."""
        page, asking = self.page, ASKINGS[self.experiment.task]
        if asking.is_table:
            while number := len(page.query_selector_all(".tray .thing")):
                self.place(number)
            seen = page.evaluate(_ON_TABLE)
            if asking.answer == "positions":
                return Deed([], [], {name: tuple(place) for name, place in seen}), self.done
            piles = {pile: frozenset(name for name, other in seen if other == pile)
                     for _, pile in seen}
            return Deed([], [], {*piles.values()}), self.done
        above, options = page.evaluate(_SEEN)
        if page.query_selector(".slider"):
            value = self.slide()
            return Deed(above, [], value), self.done
        texts, places = [one for one, _ in options], [place for _, place in options]
        picks = self.rng.permutation(len(options))[: self.experiment.n_chosen].tolist()
        if asking.answer == "number":
            chosen: Any = int(texts[picks[0]][0])
        elif asking.answer == "words":
            chosen = ["Same", "Different"].index(texts[picks[0]][0])
        else:
            chosen = [texts[pick] for pick in picks]
        *first, last = [*picks, None] if asking.in_order else picks
        for pick in first:
            self.choose(places, pick)
        finish = self.done if last is None else lambda: self.choose(places, last)
        return Deed(above, [] if asking.answer != "options" else texts, chosen), finish

    def skip(self) -> tuple[Deed, Callable[[], None]]:
        """Nothing is chosen, perhaps after a beginning, of which nothing must be left."""
        button = self.page.wait_for_selector(".skip:enabled")
        assert button.inner_text().split("\n")[0] == "Cannot say"
        if ASKINGS[self.experiment.task].in_order:
            self.choose([place for _, place in self.page.evaluate(_SEEN)[1]], 0)
        return Deed([], [], SKIPPED), self.way_to_skip(button)

    def way_to_skip(self, button: ElementHandle) -> Callable[[], None]:
        return lambda: self.press(self.middle(button))

    def choose(self, places: Sequence[Sequence[float]], number: int) -> None:
        self.press(places[number])

    def place(self, _number: int) -> None:
        """Something on the table."""
        page = self.page
        thing = self.middle(page.query_selector(".tray .thing"))
        if table := page.query_selector(".round"):
            box = table.bounding_box()
            turn, off = 2 * np.pi * self.rng.random(), 0.8 * self.rng.random() * box["width"] / 2
            to = np.add(self.middle(table), [off * np.cos(turn), off * np.sin(turn)])
        else:
            piles = page.query_selector_all(".pile")
            to = self.middle(piles[self.rng.integers(len(piles))])
        self.drag(thing, to)

    def slide(self) -> int:
        slider, share = self.page.query_selector(".slider"), self.rng.random()
        box = slider.bounding_box()
        self.press((box["x"] + share * box["width"], box["y"] + box["height"] / 2))
        value = int(slider.input_value())
        assert abs(value - (1 + 99 * share)) < 5
        return value

    def done(self) -> None:
        self.press(self.middle(self.page.wait_for_selector(".done:enabled")))

    def finish_often(self, finish: Callable[[], None]) -> None:
        """The last press four times, faster than anything can follow."""
        # The clicks that a press brings are made four of.
        self.page.evaluate(
            "() => document.addEventListener('click', ({ target }) => {"
            "  for (let k = 0; k < 3; k++) target.closest('button')?.click();"
            "}, { capture: true, once: true })")
        finish()

    @staticmethod
    def middle(one) -> tuple[float, float]:
        one.scroll_into_view_if_needed()
        box = one.bounding_box()
        return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


class Finger(Person):
    """Somebody with a phone."""

    device = "touch"
    screen: ClassVar = {"viewport": {"width": 390, "height": 844}, "has_touch": True,
                        "is_mobile": True}

    def press(self, place: Sequence[float]) -> None:
        self.page.touchscreen.tap(*place)

    def drag(self, start: Sequence[float], end: Sequence[float]) -> None:
        finger = self.page.context.new_cdp_session(self.page)
        steps = [np.add(start, np.subtract(end, start) * k / 4) for k in range(1, 5)]
        for kind, places in (("touchStart", [start]), *(("touchMove", [one]) for one in steps),
                             ("touchEnd", [])):
            finger.send("Input.dispatchTouchEvent", {
                "type": kind, "touchPoints": [{"x": float(x), "y": float(y)} for x, y in places]})
        finger.detach()


class Keys(Person):
    """Somebody with a keyboard alone."""

    device = "keyboard"

    def leave_text(self) -> None:
        button = self.page.query_selector(ON)
        if self.page.query_selector(".other"):  # consent is given by no key that was still down
            self.page.keyboard.press("Tab")
        self.page.keyboard.press("Enter")
        button.wait_for_element_state("hidden")

    def choose(self, places: Sequence[Sequence[float]], number: int) -> None:
        if len(places) == 2 and self.rng.random() < 0.5:
            self.page.keyboard.press(["ArrowLeft", "ArrowRight"][number])
        else:
            self.page.keyboard.press(str(number + 1))

    def place(self, number: int) -> None:
        press = self.page.keyboard.press
        while not self.page.evaluate("document.activeElement.matches('.tray .thing')"):
            press("Tab")
        if self.page.query_selector(".round"):
            for key in ("ArrowUp", "ArrowRight", "ArrowDown", "ArrowLeft"):
                for _ in range(self.rng.integers(5)):
                    press(key)
            press("ArrowUp")
            press("Enter")
        else:
            press(str(1 + self.rng.integers(len(self.page.query_selector_all(".pile")))))

    def way_to_skip(self, button: ElementHandle) -> Callable[[], None]:
        if self.rng.random() < 0.5:
            return lambda: self.page.keyboard.press("-")
        while not self.page.evaluate("document.activeElement.matches('.skip')"):
            self.page.keyboard.press("Tab")
        return lambda: self.page.keyboard.press("Enter")

    def slide(self) -> int:
        while not self.page.evaluate("document.activeElement.matches('.slider')"):
            self.page.keyboard.press("Tab")
        for _ in range(1 + self.rng.integers(9)):
            self.page.keyboard.press(self.rng.choice(["ArrowLeft", "PageUp", "ArrowRight"]))
        return int(self.page.query_selector(".slider").input_value())

    def done(self) -> None:
        self.page.wait_for_selector(".done:enabled")
        if self.experiment.task == "piles":
            self.page.keyboard.press("Enter")
        self.page.keyboard.press("Enter")

    def finish_often(self, finish: Callable[[], None]) -> None:
        """The last key is held, also while the next question comes."""
        keyboard = self.page.keyboard
        pressed, press = [], keyboard.press
        keyboard.press = pressed.append
        try:
            finish()
        finally:
            keyboard.press = press
        *first, last = pressed
        for key in first:
            press(key)
        for _ in range(4):
            keyboard.down(last)
        self.page.wait_for_timeout(600)
        keyboard.down(last)
        keyboard.up(last)


PEOPLE = (Person, Finger, Keys)


def all_take_part(
    browser: Browser, folder: Path, way: str, people: Sequence[type[Person]], n_questions: int = 6,
) -> tuple[int, list[str]]:
    """How many answers are stored of people who ask all in a way, and what of it is wrong."""
    experiment = small(
        folder, objects=tuple(Stimulus(word, "text", word) for word in WORDS),
        **{"task": way, "n_questions": n_questions, "repeated": 0.2, "catch": 0.2,
           "skip": way not in ("piles", "arrangement"), **WAYS[way]})
    wrong, told = [], {}
    with collecting(folder) as address:
        for number, hands in enumerate(people):
            context = browser.new_context(**hands.screen)
            page = opened(context, "about:blank")
            page.goto(f"{address}?PROLIFIC_PID=p{number}")
            person = told[f"p{number}"] = hands(page, experiment, np.random.default_rng(number))
            person.take_part(number)
            if page.get_attribute("html", "data-end") != "finished":
                wrong.append(f"p{number} ended as {page.get_attribute('html', 'data-end')}")
            context.close()
    records = answer_log.records(folder)
    for name, person in told.items():
        mine = [one for one in records if one.participant == name]
        mine.sort(key=lambda one: one.place)
        if len(mine) != len(person.deeds) or {one.place for one in mine} != {*range(len(mine))}:
            wrong.append(f"{name}: {len(person.deeds)} were given, {len(mine)} are stored")
            continue
        wrong += [f"{name} {why}" for one, deed in zip(mine, person.deeds, strict=True)
                  if (why := deed.differs(one, experiment))]
        wrong += [f"{name} {one.key}: by {one.input}" for one in mine
                  if one.input != person.device]
    if answer_log.state(folder).n_refused:
        wrong.append(f"{answer_log.state(folder).n_refused} were refused")
    return len(records), wrong
