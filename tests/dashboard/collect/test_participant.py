"""A real browser takes part: by mouse, keyboard and touch, with all that may come in between."""

from __future__ import annotations

import base64
import io
import re
import wave
from collections import Counter

import pytest
from playwright.sync_api import expect

from tests.browser import needs_browser
from tests.dashboard.collect.participants import (
    CUT,
    ON,
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
from tripletscope.core.studies.experiment.experiment import STIMULI, Stimulus
from tripletscope.dashboard.collect import answer_log

pytestmark = [pytest.mark.browser, needs_browser, needs_jspsych]


def test_with_a_mouse_through_everything(context, tmp_path):
    experiment = small(
        tmp_path, objects=pictures(tmp_path), n_practice=1, break_every=3, catch=0.2,
        return_address="https://panel.invalid/done?code={code}", completion_code="C0DE",
        texts={"end": "Bye <b id=evil>you</b>"},
    )
    with collecting(tmp_path) as address:
        page = opened(context, f"{address}?PROLIFIC_PID=ann&STUDY_ID=s1&other=x")
        failed, asked = [], []
        page.on("pageerror", lambda error: failed.append(error))
        expect(page.get_by_role("heading", name="Taking part")).to_be_visible()
        assert answer_log.state(tmp_path).n_people == 0, "nothing is stored before consent"
        go_on(page)
        loaded = page.evaluate(
            "performance.getEntriesByType('resource').filter(e => e.name.includes('stimuli/'))"
            ".map(e => e.name)")
        assert len(set(loaded)) == len(experiment.objects)
        page.on("request", lambda request: asked.append(request.url))
        clicked = []
        pages = []
        while True:
            page.wait_for_selector(f"{TURN}, {ON}, html[data-end]")
            if page.query_selector("html[data-end]"):
                break
            if not page.query_selector(TURN):
                pages.append(page.inner_text(".jspsych-content").split("\n")[0])
                on = page.query_selector(ON)
                on.click()
                on.wait_for_element_state("hidden")
                continue
            # frames, not pictures, have one size
            sizes = {
                (box["width"], box["height"])
                for box in (one.bounding_box() for one in page.query_selector_all(".inside"))
            }
            assert sizes == {(200, 200)}
            option = page.locator(TURN).nth(len(clicked) % 2)
            clicked.append(option.locator("img").get_attribute("src").split("/")[-1])
            before = shown(page)
            option.click()
            answered(page, before)
        ended(page)
        assert pages == ["That was the practice", "Time for a break"], "nothing is right here"
        expect(page.locator(".code strong")).to_have_text("C0DE")
        expect(page.get_by_role("link", name="Finish and return")).to_have_attribute(
            "href", "https://panel.invalid/done?code=C0DE")
        assert page.query_selector("#evil") is None
        assert "<b id=evil>" in page.inner_text(".page")
        assert not failed
        assert not [url for url in asked if not url.startswith(address) or "stimuli" in url]
    records = answer_log.records(tmp_path)
    assert len(records) == 7
    assert [f"{one.shown[one.chosen[0] + 1]}.png" for one in records] == clicked
    assert {one.input for one in records} == {"mouse"}
    assert all(50 <= one.rt_ms < 60_000 for one in records)
    assert [one.kind for one in records].count("catch") in (1, 2)
    assert records[0].participant == "ann"


def test_with_the_keyboard_alone(context, tmp_path):
    small(tmp_path, n_practice=1, language="de")
    with collecting(tmp_path) as address:
        page = opened(context, address)
        page.wait_for_selector(ON)
        page.keyboard.press("Enter")  # no consent by a key that was still down
        expect(page.get_by_role("heading", name="Teilnahme")).to_be_visible()
        page.keyboard.press("Tab")
        expect(page.get_by_role("button", name="Ich stimme zu")).to_be_focused()
        page.keyboard.press("Enter")
        expect(page.get_by_role("heading", name="Was Sie tun")).to_be_visible()
        for heading in ("Gut zu wissen", "Zuerst zur Übung"):
            page.keyboard.press("Enter")
            expect(page.get_by_role("heading", name=heading)).to_be_visible()
        page.keyboard.press(" ")
        page.wait_for_selector(TURN)
        page.keyboard.press("ArrowLeft")
        expect(page.get_by_role("heading", name="Das war die Übung")).to_be_visible()
        page.keyboard.press("Enter")
        for key in ("ArrowRight", "ArrowLeft", "2", "1", "Tab Tab Enter"):
            page.wait_for_selector(TURN)
            before = shown(page)
            for one in key.split():
                page.keyboard.press(one)
            answered(page, before)
        ended(page)
    records = answer_log.records(tmp_path)
    assert [one.chosen[0] for one in records] == [0, 1, 0, 1, 0, 1]
    assert {one.input for one in records} == {"keyboard"}


def test_with_fingers_on_a_phone(browser, tmp_path):
    """Options are put in order and taken back, and all of it fits on the screen."""
    small(tmp_path, task="ranking", n_options=5, n_ranked=2, n_questions=2, labels=True,
          objects=tuple(Stimulus(f"o{k}", "text", f"<i>{k}</i> of all") for k in range(7)))
    phone = browser.new_context(
        viewport={"width": 360, "height": 640}, has_touch=True, is_mobile=True)
    with collecting(tmp_path) as address:
        page = opened(phone, address)
        go_on(page)
        assert page.evaluate("[document.documentElement.scrollWidth, document.body.scrollHeight]"
                             ) == [360, 640]
        boxes = [one.bounding_box() for one in page.query_selector_all(".inside")]
        assert len({(box["width"], box["height"]) for box in boxes}) == 1
        assert boxes[0]["width"] >= 70
        assert "<i>" in page.locator(TURN).first.inner_text()
        options = page.locator(".options .option")
        done = page.get_by_role("button", name="Done")
        for _ in range(2):
            page.wait_for_selector(TURN)
            before = shown(page)
            options.nth(3).tap()
            expect(done).to_be_disabled()
            options.nth(1).tap()
            expect(done).to_be_enabled()
            options.nth(0).tap()  # one too many
            options.nth(3).tap()
            expect(done).to_be_disabled()
            options.nth(4).tap()
            assert [one.get_attribute("data-rank") or "" for one in options.all()] == [
                "", "1", "", "", "2"]
            done.tap()
            answered(page, before)
        ended(page)
    records = answer_log.records(tmp_path)
    assert [one.chosen for one in records] == [(1, 4), (1, 4)]
    assert {one.input for one in records} == {"touch"}
    phone.close()


def test_a_choice_is_taken_back(context, tmp_path):
    small(tmp_path, task="similar_pair", n_questions=1)
    with collecting(tmp_path) as address:
        page = opened(context, address)
        go_on(page)
        for key in ("1", "1", "3", "2"):
            page.keyboard.press(key)
        ended(page)
    (record,) = answer_log.records(tmp_path)
    assert record.chosen == (2, 1)


def test_phones_are_turned_away_where_a_computer_is_needed(browser, tmp_path):
    small(tmp_path, desktop_only=True, n_questions=1)
    phone = browser.new_context(
        has_touch=True, is_mobile=True, viewport={"width": 360, "height": 640},
        user_agent="Mozilla/5.0 (Linux; Android 15; Pixel) Chrome/140 Mobile Safari/537.36")
    with collecting(tmp_path) as address:
        page = opened(phone, address)
        ended(page, "desktop_only")
        expect(page.get_by_role("heading", name="A computer is needed")).to_be_visible()
        phone.close()
        assert answer_log.state(tmp_path).n_people == 0
        with browser.new_context() as computer:
            page = opened(computer, address)
            answer(page)
            ended(page)


def test_who_does_not_agree_is_not_stored(context, tmp_path):
    small(tmp_path)
    with collecting(tmp_path) as address:
        page = opened(context, address)
        page.get_by_role("button", name="I do not agree").click()
        ended(page, "declined")
        assert page.evaluate("localStorage.length") == 0
    assert answer_log.state(tmp_path).n_people == 0


# What comes in between -------------------------------------------------------------------------


def test_a_reload_goes_on_and_sends_what_was_kept(context, tmp_path):
    context.add_init_script(CUT)
    small(tmp_path)
    with collecting(tmp_path) as address:
        page = opened(context, f"{address}?PROLIFIC_PID=ann")
        answer(page)
        page.evaluate("window.name = 'cut'")
        answer(page, 1)
        page.reload()
        page.wait_for_selector(TURN)  # neither consent nor instructions again
        assert shown(page) == "2 of 5"
        assert len(answer_log.records(tmp_path)) == 1
        page.evaluate("window.name = ''")
        answer(page, 0, 3)
        ended(page)
        page.reload()
        expect(page.locator(".code strong")).to_be_visible()
        ended(page)
    records = answer_log.records(tmp_path)
    assert Counter(one.key for one in records) == {f"q{k}": 1 for k in range(1, 6)}
    assert sorted(one.chosen[0] for one in records) == [0, 0, 0, 0, 1]


def test_a_lost_connection_loses_nothing(context, tmp_path):
    small(tmp_path, n_questions=9)
    with collecting(tmp_path) as address:
        page = opened(context, address)
        answer(page)
        context.set_offline(True)
        held = 0
        while True:
            page.wait_for_selector(f"{TURN}, #waiting h2")
            if page.query_selector("#waiting h2"):
                break
            answer_before = shown(page)
            page.locator(TURN).first.click()
            answered(page, answer_before)
            held += 1
            if held == 2:
                offline = page.get_by_text("No connection: your answers are kept")
                expect(offline).to_be_visible()
        assert held >= 3, "questions are there ahead"
        expect(page.get_by_role("heading", name="No connection")).to_be_visible()
        expect(offline).to_be_hidden()
        assert len(answer_log.records(tmp_path)) <= 1
        context.set_offline(False)
        page.wait_for_selector(TURN)
        answer(page, 0, 9 - 1 - held)
        ended(page)
    assert len(answer_log.records(tmp_path)) == 9
    assert answer_log.state(tmp_path).n_refused == 0


def test_a_second_tab_is_told_so(context, tmp_path):
    small(tmp_path)
    with collecting(tmp_path) as address:
        first = opened(context, address)
        answer(first)
        second = opened(context, address)
        ended(second, "elsewhere")
        answer(first)
        second.get_by_role("button", name="Continue here").click()
        second.wait_for_selector(TURN)
        first.wait_for_selector(f"{TURN}, html[data-end]")
        if first.query_selector(TURN):
            first.locator(TURN).first.click()
        ended(first, "elsewhere")
        answer(second, 0, int(shown(second).split()[-1]) - int(shown(second).split()[0]))
        ended(second)
    records = answer_log.records(tmp_path)
    assert Counter(one.key for one in records) == {f"q{k}": 1 for k in range(1, 6)}


def test_where_storage_is_blocked_a_reload_goes_on_all_the_same(context, tmp_path):
    context.add_init_script(
        "for (const kind of ['localStorage', 'sessionStorage']) Object.defineProperty(window, kind,"
        " { get() { throw new DOMException('blocked', 'SecurityError'); } });")
    small(tmp_path)
    with collecting(tmp_path) as address:
        page = opened(context, address)
        answer(page, 0, 2)
        page.reload()
        answer(page)
        page.go_back()
        expect(page.locator("#notice")).to_contain_text("Your answers are saved.")
        answer(page, 0, 2)
        ended(page)
    assert len(answer_log.people(tmp_path)) == 1
    assert len(answer_log.records(tmp_path)) == 5


def test_the_button_back_does_not_leave(context, tmp_path):
    small(tmp_path)
    with collecting(tmp_path) as address:
        page = opened(context, "about:blank")
        page.goto(address)
        answer(page, 0, 2)
        page.wait_for_selector(TURN)  # the next question, which clears what was said before
        for _ in range(2):
            page.go_back()
            expect(page.locator("#notice")).to_contain_text("To stop, close this page.")
        answer(page, 0, 3)
        ended(page)
    assert len(answer_log.records(tmp_path)) == 5


def test_a_pause_ends_when_it_is_over(context, tmp_path):
    small(tmp_path)
    with collecting(tmp_path) as address:
        page = opened(context, address)
        answer(page)
        while not answer_log.records(tmp_path):  # else that answer may be the one that is paused
            page.wait_for_timeout(50)
        answer_log.set_state(tmp_path, "paused")
        page.wait_for_selector(TURN)
        page.locator(TURN).first.click()
        ended(page, "paused")
        answer_log.set_state(tmp_path, "open")
        page.get_by_role("button", name="Try again").click()
        answer(page, 0, 3)
        ended(page)
    assert len(answer_log.records(tmp_path)) == 5, "what was answered when it paused counts"


# Sounds, simulations ---------------------------------------------------------------------------


def test_sounds_are_heard_before_an_answer_counts(context, tmp_path):
    (tmp_path / STIMULI).mkdir()
    for k in range(4):
        (tmp_path / STIMULI / f"s{k}.wav").write_bytes(wave_of(_SOUND))
    small(tmp_path, n_questions=2, task="odd_one_out",
          objects=tuple(Stimulus(f"s{k}", "sound", f"s{k}.wav") for k in range(4)))
    context.clock.install()
    with collecting(tmp_path) as address:
        page = opened(context, address)
        go_on(page, ".options .option")
        expect(page.locator(".playing")).to_have_count(1)
        page.keyboard.press("1")
        _hear_all(page)
        assert shown(page) == "0 of 2", "an answer before all was heard does not count"
        page.get_by_role("button", name="Play").nth(1).click()
        expect(page.locator(".slot").nth(1).locator(".playing")).to_be_visible()
        assert shown(page) == "0 of 2", "hearing it again is no answer"
        page.locator(TURN).nth(1).click()
        expect(page.locator("#progress span")).to_have_text("1 of 2")
        _hear_all(page)
        answer(page, 1)
        ended(page)
    records = answer_log.records(tmp_path)
    assert [one.chosen for one in records] == [(1,), (1,)]
    assert records[0].rt_ms > 3000 * _SOUND


@pytest.mark.parametrize(("medium", "task", "n"), [
    ("sound", "triplet", 3), ("video", "triplet", 3), ("video", "rating", 2)])
def test_everything_can_be_played_again(browser, tmp_path, medium, task, n):
    """Also what stands above; where less motion is wanted, a video begins by its button."""
    (tmp_path / STIMULI).mkdir()
    ending, content = ("wav", wave_of(0.01)) if medium == "sound" else ("webm", video_of(browser))
    objects = [Stimulus(f"s{k}", medium, f"s{k}.{ending}", f"thing {k}") for k in range(3)]
    for one in objects:
        (tmp_path / STIMULI / one.content).write_bytes(content)
    small(tmp_path, n_questions=1, task=task, objects=tuple(objects))
    with collecting(tmp_path) as address, browser.new_context(reduced_motion="reduce") as context:
        page = opened(context, address)
        go_on(page)
        buttons = page.get_by_role("button", name=re.compile(r"^Play: .*thing"))
        expect(buttons).to_have_count(n)
        for button in buttons.all():
            button.click()
        assert shown(page) == "0 of 1", "to play it is no answer"
        page.locator(TURN).first.click()
        ended(page)


def wave_of(seconds: float) -> bytes:
    """A silent sound."""
    with io.BytesIO() as file:
        with wave.open(file, "wb") as made:
            made.setparams((1, 1, 3000, 0, "NONE", "not compressed"))
            made.writeframes(bytes([128]) * int(3000 * seconds))
        return file.getvalue()


def video_of(browser) -> bytes:
    """A few frames, as the browser records them."""
    page = browser.new_page()
    encoded = page.evaluate("""async () => {
      const canvas = document.createElement("canvas");
      const recorder = new MediaRecorder(canvas.captureStream(25), { mimeType: "video/webm" });
      const recorded = new Promise((resolve) => { recorder.ondataavailable = resolve; });
      recorder.start();
      for (let k = 0; k < 9; k++) {
        canvas.getContext("2d").fillRect(k, k, 9, 9);
        await new Promise((resolve) => setTimeout(resolve, 40));
      }
      recorder.stop();
      const bytes = new Uint8Array(await (await recorded).data.arrayBuffer());
      return btoa(String.fromCharCode(...bytes));
    }""")
    page.close()
    return base64.b64decode(encoded)


#: Seconds of each sound, which no machine is too busy to notice.
_SOUND = 60


def _hear_all(page):
    """Let the time of all sounds pass at once."""
    while not page.query_selector(TURN):
        expect(page.locator(f".playing, {TURN}").first).to_be_attached()
        page.clock.fast_forward(1000 * _SOUND + 2000)


@pytest.mark.parametrize(("mode", "n", "task"), [
    ("data-only", 2, "triplet"), ("data-only", 1, "similar_pair"), ("visual", 1, "ranking"),
])
def test_simulated_people_are_marked(context, tmp_path, mode, n, task):
    small(tmp_path, n_practice=1, n_questions=3, task=task, completion_code="REAL")
    with collecting(tmp_path) as address:
        key = answer_log.preview_key(tmp_path)
        page = opened(context, f"{address}?simulate={mode}&n={n}&preview={key}")
        page.wait_for_selector("html[data-end=finished]")
        expect(page.locator("#banner")).to_have_text(
            f"Simulated: the browser answers by itself ({n}/{n})")
        assert "REAL" not in page.inner_text("body"), "nobody is paid for a simulation"
    assert answer_log.records(tmp_path) == []
    simulated = answer_log.records(tmp_path, simulated=True)
    assert [*Counter(one.participant for one in simulated).values()] == [4] * n


def test_a_preview_leaves_no_answers(context, tmp_path):
    small(tmp_path, n_questions=1)
    with collecting(tmp_path) as address:
        page = opened(context, f"{address}?preview={answer_log.preview_key(tmp_path)}")
        expect(page.locator("#banner")).to_have_text("Preview: no answer of this page counts")
        answer(page)
        ended(page)
    assert answer_log.records(tmp_path) == []


# What would falsify answers, or lose them ------------------------------------------------------
