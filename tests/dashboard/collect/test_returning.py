"""A real browser comes back, or is not what one thinks: other experiments, late answers, ids."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.browser import needs_browser
from tests.dashboard.collect.participants import (
    CUT,
    PATIENCE,
    TURN,
    answer,
    answered,
    collecting,
    ended,
    go_on,
    needs_jspsych,
    opened,
    pictures,
    shown,
    small,
)
from tripletscope.core.studies.experiment.experiment import Stimulus
from tripletscope.dashboard.collect import answer_log

pytestmark = [pytest.mark.browser, needs_browser, needs_jspsych]


def test_another_experiment_at_the_same_address_begins_anew(context, tmp_path):
    """Its consent is asked for, and no answer of the first that was left over is sent to it."""
    folders = [tmp_path / name for name in "ab"]
    for folder in folders:
        small(folder)
    with collecting(folders[0]) as address:
        page = opened(context, f"{address}?PROLIFIC_PID=ann")
        answer(page)
        context.set_offline(True)
        page.locator(TURN).first.click()
        page.wait_for_function("Object.keys(localStorage).some(k => / answer /.test(k))")
        page.goto("about:blank")
        context.set_offline(False)
    with collecting(folders[1], int(address.split(":")[-1].strip("/"))) as again:
        assert again == address
        page.goto(f"{address}?PROLIFIC_PID=ann")
        expect(page.get_by_role("heading", name="Taking part")).to_be_visible()
        answer(page, 1, 5)
        ended(page)
    assert [one.chosen for one in answer_log.records(folders[1])] == [(1,)] * 5
    assert answer_log.state(folders[1]).n_refused == 0


def test_on_a_slow_network_everything_arrives_once(context, tmp_path):
    """Every reply takes longer than a question, and pictures come one after the other."""
    small(tmp_path, objects=pictures(tmp_path), n_questions=8)
    with collecting(tmp_path) as address:
        page = context.new_page()
        context.new_cdp_session(page).send("Network.emulateNetworkConditions", {
            "offline": False, "latency": 700, "downloadThroughput": 60_000,
            "uploadThroughput": 20_000,
        })
        page.set_default_timeout(PATIENCE)
        page.goto(address)
        answer(page, 0, 8)
        ended(page)
    assert len(answer_log.records(tmp_path)) == 8
    assert answer_log.state(tmp_path).n_refused == 0


def test_the_last_answers_count_though_it_was_closed_meanwhile(context, tmp_path):
    context.add_init_script(CUT)
    small(tmp_path, n_questions=3, completion_code="C0DE")
    with collecting(tmp_path) as address:
        page = opened(context, f"{address}?PROLIFIC_PID=ann")
        answer(page)
        page.evaluate("window.name = 'cut'")
        for _ in range(2):
            page.wait_for_selector(TURN)
            before = shown(page)
            page.locator(TURN).first.click()
            answered(page, before)
        page.goto("about:blank")
        answer_log.set_state(tmp_path, "closed")
        assert len(answer_log.records(tmp_path)) == 1
        page.evaluate("window.name = ''")
        page.goto(f"{address}?PROLIFIC_PID=ann")
        ended(page)
        expect(page.locator(".code strong")).to_have_text("C0DE")
    assert len(answer_log.records(tmp_path)) == 3


def test_a_key_of_the_browser_is_no_answer(context, tmp_path):
    small(tmp_path, n_questions=2)
    with collecting(tmp_path) as address:
        page = opened(context, address)
        go_on(page)
        before = shown(page)
        for keys in ("Alt+ArrowRight", "Control+2", "Meta+2"):
            page.keyboard.press(keys)
        page.keyboard.press("ArrowLeft")
        answered(page, before)
        answer(page)
        ended(page)
    assert [one.chosen for one in answer_log.records(tmp_path)] == [(0,), (0,)]


def test_practice_in_ranking_is_right_when_the_first_is(context, tmp_path):
    gold = {"shown": ["c0", "c0", "c1", "c2", "c3"], "correct": [0]}
    small(tmp_path, task="ranking", n_options=4, n_ranked=2, n_questions=1, n_practice=1,
          gold=(gold,))
    with collecting(tmp_path) as address:
        page = opened(context, address)
        go_on(page)
        (right,) = [
            k for k in range(4)
            if page.locator(".options .inside").nth(k).evaluate("e => e.style.backgroundColor")
            == page.locator(".anchor .inside").evaluate("e => e.style.backgroundColor")
        ]
        options = page.locator(".options .option")
        options.nth(right).click()
        options.nth((right + 1) % 4).click()
        page.get_by_role("button", name="Done").click()
        expect(page.locator(".feedback.right")).to_be_visible()


def test_an_id_is_not_taken_from_what_is_the_same_for_everybody(browser, tmp_path):
    small(tmp_path, n_questions=1)
    with collecting(tmp_path) as address:
        for _ in range(2):
            context = browser.new_context()
            page = opened(context, f"{address}?STUDY_ID=s1")
            answer(page)
            ended(page)
            context.close()
    assert len({one.participant for one in answer_log.records(tmp_path)}) == 2


def test_a_long_text_shows_its_beginning_on_a_phone(browser, tmp_path):
    objects = tuple(Stimulus(f"o{k}", "text", f"{k} שלום " + "long text " * 40) for k in range(5))
    small(tmp_path, task="ranking", n_options=4, objects=objects, n_questions=1)
    phone = browser.new_context(viewport={"width": 360, "height": 640}, has_touch=True)
    with collecting(tmp_path) as address:
        page = opened(phone, address)
        go_on(page)
        above = page.evaluate(
            "[...document.querySelectorAll('.inside')].map(e => e.getBoundingClientRect().top"
            " - e.firstChild.getBoundingClientRect().top)")
        assert max(above) <= 0, "nothing of it is cut off above"
    phone.close()
