"""A real browser fills in questionnaires: what is stored is what was meant, on any screen."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest
from playwright.sync_api import expect

from tests.browser import needs_browser
from tests.dashboard.collect.participants import (
    TURN,
    collecting,
    go_on,
    needs_jspsych,
    opened,
    small,
)
from tripletscope.core.studies.experiment.items import MOST_WRITTEN, SurveyItem
from tripletscope.dashboard.collect import answer_log
from tripletscope.dashboard.collect.texts import shipped_texts

pytestmark = [pytest.mark.browser, needs_browser, needs_jspsych]

#: Languages of pages, the language of a browser each, and 1.75 as it is written there.
LANGUAGES = {
    "en": ("de-DE", "1.75"), "de": ("de-DE", "1,75"), "fr": ("en-US", "1,75"),
    "es": ("es-ES", "1,75"),
}
#: What people write, and the number that they mean, between 0 and 1000.
MEANT = {
    "1,75": 1.75, "1.75": 1.75, "3": 3, "0,5": 0.5, ",5": 0.5, ".5": 0.5, "12,": 12, " 7 ": 7,
    "+4": 4, "007": 7, "0,125": 0.125, "1,125": 1.125, "999.999": 999.999,
}
#: What may mean another number than it seems to, and what is offered for it, from 0 to 5,000,000.
ASKED = {
    "1.234": ("1234", "1,234"), "1,234": ("1234", "1,234"), "1.234,5": ("1234,5",),
    "1,234.5": ("1234,5",), "1 234": ("1234",), "1'234'567": ("1\u202f234\u202f567",),
    "1.234.567": ("1\u202f234\u202f567",), "10\u00a0000": ("10\u202f000",),
}
NO_NUMBERS = ("1.75 m", "about 3", "1..5", "1,2,3", "12.34,5", "1e3", "½", "-", "3-4", "10²")
LONG = ("not at all, under no circumstances whatsoever", "in every way, Donaudampfschifffahrt" * 2)


def turn(page, kind: str, place: int = 0):
    """The field of an item of a kind, after some answers, and the button that goes on."""
    go_on(page, f".item.{kind}")
    expect(page.locator("#progress span")).to_have_text(re.compile(rf"^{place} "))
    return page.locator(".item input, .item textarea"), page.locator(".done")


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_number_is_stored_as_it_was_meant(browser, tmp_path, language):
    """Whatever the languages of page and browser."""
    locale, shown = LANGUAGES[language]
    items = tuple(SurveyItem(f"n{k}", "number", typed, high=1000) for k, typed in enumerate(MEANT))
    small(tmp_path, n_questions=1, language=language, before=items)
    with collecting(tmp_path) as address, browser.new_context(locale=locale) as context:
        page = opened(context, address)
        for place, typed in enumerate(MEANT):
            field, done = turn(page, "number", place)
            field.press_sequentially(typed)
            if MEANT[typed] == 1.75:
                expect(page.locator(".item")).to_contain_text(
                    shipped_texts(language)["understood"].replace("{number}", shown))
            done.click()
        page.wait_for_selector(TURN)
    records = answer_log.records(tmp_path)
    assert [one.chosen[0] for one in records] == [*MEANT.values()]


def test_what_may_mean_two_numbers_is_asked(browser, tmp_path):
    items = [SurveyItem(f"n{k}", "number", "?", high=5e6) for k in range(len(ASKED) + 1)]
    small(tmp_path, n_questions=1, language="de", before=tuple(items))
    texts = shipped_texts("de")
    with collecting(tmp_path) as address, browser.new_context(locale="de-DE") as context:
        page = opened(context, address)
        for place, (typed, offered) in enumerate(ASKED.items()):
            field, done = turn(page, "number", place)
            field.press_sequentially(typed)
            readings = page.locator(".understood button")
            assert readings.all_text_contents() == [*offered], typed
            expect(done).to_be_disabled()
            expect(page.locator(".why")).to_have_text(texts["which_number"])
            readings.last.focus()
            page.keyboard.press("Enter")
            expect(page.locator(".understood")).to_have_text(
                texts["understood"].replace("{number}", offered[-1]))
            done.click()
        field, done = turn(page, "number", len(ASKED))
        for typed in NO_NUMBERS:
            field.fill(typed)
            expect(page.locator(".why")).to_have_text(texts["not_a_number"])
            expect(done).to_be_disabled()
    assert [one.chosen[0] for one in answer_log.records(tmp_path)] == [
        1.234, 1.234, 1234.5, 1234.5, 1234, 1234567, 1234567, 10000]


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_range_is_said_before_and_beyond_it(browser, tmp_path, language):
    small(tmp_path, n_questions=1, language=language, before=(
        SurveyItem("n", "number", "How tall?", low=0.5, high=2.5),))
    texts = shipped_texts(language)
    low, high = ("0.5", "2.5") if language == "en" else ("0,5", "2,5")

    def said(name: str) -> str:
        return texts[name].replace("{low}", low).replace("{high}", high)

    with collecting(tmp_path) as address, browser.new_context() as context:
        page = opened(context, address)
        field, done = turn(page, "number")
        assert field.get_attribute("inputmode") == "decimal"
        expect(page.locator(".range")).to_have_text(said("number_range"))
        expect(page.locator(".why")).to_have_text(texts["answer_needed"])
        for typed in ("175", "0", "-1", "1.234.567"):
            field.fill(typed)
            expect(done).to_be_disabled()
            expect(page.locator(".range.wrong")).to_have_text(said("number_range"))
            expect(page.locator(".why")).to_have_text(said("out_of_range"))
        field.fill("1.750")  # only one of its meanings is possible
        expect(page.locator(".range.wrong")).to_have_count(0)
        expect(page.locator(".why")).to_be_empty()
        page.keyboard.press("Enter")
        page.wait_for_selector(TURN)
    assert [one.chosen for one in answer_log.records(tmp_path)] == [(1.75,)]


@pytest.mark.parametrize(("task", "more", "why"), [
    ("ranking", {}, "Still open: 2"), ("rating", {"n_levels": 50}, "An answer is needed"),
    ("piles", {}, "Still open: 8"), ("arrangement", {}, "Still open: 8"),
    ("triplet", {"before": (SurveyItem("n", "choice", "?", ("a", "b")),)}, "An answer is needed"),
    ("triplet", {"before": (SurveyItem("n", "scale", "?", ("a", "b")),)}, "An answer is needed"),
    ("triplet", {"before": (SurveyItem("n", "text", "?"),)}, "An answer is needed"),
])
def test_a_dead_button_says_why(context, tmp_path, task, more, why):
    small(tmp_path, task=task, n_questions=1, **more)
    with collecting(tmp_path) as address:
        page = opened(context, address)
        go_on(page, ".done")
        expect(page.locator(".done")).to_be_disabled()
        expect(page.locator(".why")).to_contain_text(why)


def test_what_has_to_be_waited_for_is_said(context, tmp_path):
    small(tmp_path, n_questions=1, least_ms=10_000)
    context.clock.install()
    with collecting(tmp_path) as address:
        page = opened(context, address)
        go_on(page, ".option")
        expect(page.locator(".why")).to_have_text(shipped_texts("en")["perceive_first"])
        expect(page.locator(".option").first).to_be_disabled()
        while not page.query_selector(TURN):
            page.clock.fast_forward(10_000)
        expect(page.locator(".why")).to_be_empty()


def test_a_long_text_is_not_cut_unsaid(context, tmp_path):
    small(tmp_path, n_questions=1, before=(SurveyItem("n", "text", "?"),))
    with collecting(tmp_path) as address:
        page = opened(context, address)
        field, done = turn(page, "text")
        field.fill("x" * (MOST_WRITTEN + 3))
        expect(page.locator(".why")).to_have_text("Characters too many: 3.")
        expect(done).to_be_disabled()
        field.fill("x" * MOST_WRITTEN)
        done.click()
        page.wait_for_selector(TURN)
    (record,) = answer_log.records(tmp_path)
    assert record.chosen == ("x" * MOST_WRITTEN,)


# Scales ----------------------------------------------------------------------------------------


def is_one_row(page, selector: str) -> bool:
    """Whether all are in one row, from left to right, and none leaves the screen."""
    boxes = [one.bounding_box() for one in page.query_selector_all(selector)]
    width = page.viewport_size["width"]
    return (
        page.evaluate("document.documentElement.scrollWidth") <= width
        and len({round(box["y"]) for box in boxes}) == 1
        and len({round(box["height"]) for box in boxes}) == 1
        and all(0 <= box["x"] <= width - box["width"] for box in boxes)
        and all(left["x"] + left["width"] <= right["x"] + 0.5
                for left, right in pairwise(boxes))
    )


def fits(page, selector: str) -> bool:
    """Whether the words of these elements stay inside them."""
    return page.evaluate(
        "name => [...document.querySelectorAll(name)].every((one) => one.scrollWidth <= "
        "one.clientWidth + 1)", selector)


@pytest.mark.parametrize("size", [(320, 568), (375, 667), (1280, 800)])
def test_scales_have_one_row_on_any_screen(browser, tmp_path, size):
    items = tuple(
        SurveyItem(f"s{levels}_{k}", "scale", "How sure?", ends, high=levels)
        for levels in (2, 7, 11) for k, ends in enumerate([("no", "yes"), LONG]))
    screen = {"width": size[0], "height": size[1]}
    small(tmp_path, task="rating", n_levels=11, n_questions=1, before=items,
          texts={"scale_low": LONG[0], "scale_high": LONG[1]})
    with collecting(tmp_path) as address, browser.new_context(
        viewport=screen, locale="de-DE", has_touch=True
    ) as context:
        page = opened(context, address)
        for place, item in enumerate(items):
            turn(page, "scale", place)
            assert page.locator(".item label").count() == item.high
            assert is_one_row(page, ".item label"), item
            assert fits(page, ".ends, .ends span"), item
            low, high = page.query_selector_all(".ends span")
            middle = size[0] / 2
            assert low.bounding_box()["x"] < middle < high.bounding_box()["x"] + 1
            page.locator(".item label").nth(item.high - 1).tap()
            page.locator(".done").tap()
        page.wait_for_selector(TURN)
        assert is_one_row(page, ".levels .option")
        assert fits(page, ".levels .option, .ends span")
    assert [one.chosen[0] for one in answer_log.records(tmp_path)] == [2, 2, 7, 7, 11, 11]


@pytest.mark.parametrize("size", [(320, 568), (375, 667), (1280, 800)])
def test_options_side_by_side_stay_so(browser, tmp_path, size):
    """Two words have one row; of three objects none stands alone."""
    screen = {"width": size[0], "height": size[1]}
    for task, texts in (
        ("same_different", {}), ("odd_one_out", {}), ("similar_pair", {}),
        ("same_different", {"same": LONG[0], "different": LONG[1]}),
    ):
        folder = tmp_path / f"{task} {len(texts)}"
        small(folder, task=task, n_questions=1, texts=texts)
        with collecting(folder) as address, browser.new_context(viewport=screen) as context:
            page = opened(context, address)
            go_on(page)
            if task == "same_different":
                assert is_one_row(page, ".words .option")
                assert fits(page, ".words .option")
            else:
                boxes = [one.bounding_box() for one in page.query_selector_all(".option")]
                assert min(len({round(box[side]) for box in boxes}) for side in ("x", "y")) == 1
            assert page.evaluate("document.documentElement.scrollWidth") <= size[0]
