"""A real browser answers otherwise than by a choice: tables, scales, words, questionnaires."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from itertools import cycle

import numpy as np
import pytest
from playwright.sync_api import expect

import tripletscope as ts
from tests.browser import needs_browser
from tests.dashboard.collect.hands import PEOPLE, WAYS, all_take_part
from tests.dashboard.collect.participants import (
    TURN,
    answer,
    answered,
    collecting,
    colours,
    ended,
    go_on,
    needs_jspsych,
    opened,
    pictures,
    shown,
    small,
)
from tests.dashboard.collect.test_static import a_web_server, unpacked
from tripletscope.core.studies.experiment.experiment import STIMULI
from tripletscope.core.studies.experiment.items import SurveyItem
from tripletscope.core.studies.experiment.lists import person_list
from tripletscope.core.studies.experiment.question import ASKINGS
from tripletscope.core.studies.experiment.results import (
    AnswerRecord,
    gathered_answers,
    measured_answers,
    questionnaire_answers,
    with_questionnaire,
)
from tripletscope.dashboard.collect import answer_log

pytestmark = [pytest.mark.browser, needs_browser, needs_jspsych]

ITEMS = {
    "before": (SurveyItem("age", "number", "How old are you?", low=18, high=99),
               SurveyItem("hand", "choice", "Your hand?", ("left", "right"), required=False)),
    "after": (SurveyItem("sure", "scale", "How sure?", ("not at all", "very"), high=5),
              SurveyItem("how", "text", "How did you decide?")),
}
ANY = f"{TURN}, .thing, .slider, .item"


def middle(page, selector: str, place: int = 0) -> tuple[float, float]:
    box = page.locator(selector).nth(place).bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def dragged(page, start: tuple[float, float], end: tuple[float, float], finger=None) -> None:
    """From a place to another, by the mouse or by a finger."""
    steps = [tuple(np.add(start, np.subtract(end, start) * k / 4)) for k in range(1, 5)]
    if finger is None:
        page.mouse.move(*start)
        page.mouse.down()
        for step in steps:
            page.mouse.move(*step)
        page.mouse.up()
        return
    for kind, places in (
        ("touchStart", [start]), *(("touchMove", [step]) for step in steps), ("touchEnd", []),
    ):
        finger.send("Input.dispatchTouchEvent", {
            "type": kind, "touchPoints": [{"x": x, "y": y} for x, y in places]})


@pytest.mark.parametrize(("way", "hands"), [*zip(WAYS, cycle(PEOPLE), strict=False)])
def test_what_is_stored_is_what_was_chosen(browser, tmp_path, way, hands):
    """Through reloads, Back, a lost connection and four presses at once."""
    number, wrong = all_take_part(browser, tmp_path, way, [hands])
    assert number >= 7
    assert not wrong


def test_tables_are_filled_by_mouse_fingers_and_keys(browser, tmp_path):
    phone = browser.new_context(viewport={"width": 360, "height": 640}, has_touch=True)
    folders = {task: tmp_path / task for task in ("piles", "arrangement")}
    for task, one in folders.items():
        small(one, objects=pictures(one), task=task, n_questions=1)
    with collecting(folders["piles"]) as address:
        page = opened(phone, address)
        finger = phone.new_cdp_session(page)
        go_on(page, ANY)
        done = page.get_by_role("button", name="Done")
        assert page.evaluate("document.documentElement.scrollWidth") == 360
        dragged(page, middle(page, ".tray .thing"), middle(page, ".pile"))
        expect(page.locator(".pile")).to_have_count(2)
        dragged(page, middle(page, ".tray .thing"), middle(page, ".pile", 1), finger)
        page.locator(".tray .thing").first.tap()
        page.locator(".pile .head").first.tap()
        expect(done).to_be_disabled()
        for key in ("2", "3", "3"):  # what is next has the focus
            page.keyboard.press(key)
        expect(page.locator(".tray .thing")).to_have_count(0)
        page.keyboard.press("0")  # and comes back
        expect(done).to_be_disabled()
        page.keyboard.press("1")
        for _ in range(3):  # a key that is held leads to the button, and no further
            page.keyboard.down("Enter")
        page.keyboard.up("Enter")
        expect(done).to_be_focused()
        page.keyboard.press("Enter")
        ended(page)
    (record,) = answer_log.records(folders["piles"])
    assert record.chosen == (0, 1, 0, 1, 2, 0)
    with collecting(folders["arrangement"]) as address:
        page = opened(phone, address)
        finger = phone.new_cdp_session(page)
        go_on(page, ANY)
        round_ = page.locator(".round").bounding_box()
        radius = round_["width"] / 2
        centre = np.array([round_["x"] + radius, round_["y"] + radius])
        for k in range(4):
            off = 0.6 * radius * np.array([math.cos(k), -math.sin(k)])
            dragged(page, middle(page, ".tray .thing"), centre + off, finger if k % 2 else None)
        dragged(page, middle(page, ".tray .thing"), (5, round_["y"] + 5))  # beside the table
        expect(page.locator(".tray .thing")).to_have_count(2)
        for _ in range(2):
            page.locator(".tray .thing").first.focus()
            for key in ("ArrowUp", "ArrowUp", *["ArrowRight"] * 25):  # no farther than its edge
                page.keyboard.press(key)
        page.get_by_role("button", name="Done").click()
        ended(page)
    (record,) = answer_log.records(folders["arrangement"])
    places = np.reshape(record.chosen, (-1, 2))
    wanted = [[0.6 * math.cos(k), 0.6 * math.sin(k)] for k in range(4)]
    assert np.abs(places[:4] - wanted).max() < 0.02
    assert np.allclose(np.linalg.norm(places[4:], axis=1), 1, atol=1e-3)
    assert (places[4:, 1] > 0).all()


def test_the_first_tap_after_drags_counts(browser, tmp_path):
    """Browsers made no click of it in 12 of 12 runs."""
    small(tmp_path, task="arrangement", n_questions=10, objects=colours(4))
    phone = browser.new_context(
        viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    with collecting(tmp_path) as address:
        page = opened(phone, address)
        finger = phone.new_cdp_session(page)
        for _ in range(10):
            go_on(page, ANY)
            before = shown(page)
            for _ in range(4):
                dragged(page, middle(page, ".tray .thing"), middle(page, ".round"), finger)
            expect(page.locator(".done")).to_be_enabled()
            page.touchscreen.tap(*middle(page, ".done"))
            page.wait_for_function(
                "before => document.documentElement.dataset.end || "
                "document.querySelector('#progress span').textContent !== before", arg=before)
        ended(page)
    phone.close()
    records = answer_log.records(tmp_path)
    assert {record.input for record in records} == {"touch"}
    assert len(records) == 10


#: Keys that answer a question of each task, and what is answered by them.
KEYS = {
    "ranking": ("1 2 Enter", (0, 1)), "similar_pair": ("1 2", (0, 1)), "odd_one_out": ("3", (2,)),
    "rating": ("Tab ArrowRight Enter", (52,)), "triad": ("ArrowLeft", (0,)),
    "piles": ("Tab 1 2 1 2 1 2 1 2 Enter Enter", (0, 1) * 4),
    "arrangement": ("Tab" + " ArrowUp ArrowLeft Enter" * 8 + " Enter", (-0.05, 0) * 8),
}


def test_every_way_runs_elsewhere_and_comes_back_as_data(context, tmp_path):
    with a_web_server(tmp_path) as (address, stored):
        for task, asking in ASKINGS.items():
            folder = tmp_path / task
            more = {"n_levels": 100, **ITEMS} if task == "rating" else {}
            experiment = small(folder, task=task, n_questions=1 if asking.is_table else 7,
                               skip=asking.has_care, **more)
            unpacked(experiment, folder, "post", "./stored")
            stored.clear()
            page = opened(context, address.replace("index.html", f"{task}/elsewhere/?list=1"))
            keys, chosen = KEYS.get(task, ("ArrowRight", (1,)))
            questions = person_list(experiment, 0).questions
            skipped = [one for one in questions if asking.has_care and not one.item][1:2]
            for question in questions:
                go_on(page, ANY)
                before = shown(page)
                if question in skipped:
                    page.wait_for_selector(".skip:enabled")
                    page.keyboard.press("-")
                elif question.item:
                    responded(page, question.item["name"])
                else:
                    page.wait_for_selector(f"{TURN}, .thing, .slider")
                    for key in keys.split():
                        if key == "Enter" and not page.locator(".tray .thing").count():
                            expect(page.locator(".done")).to_be_enabled()  # after least_ms
                        page.keyboard.press(key)
                page.wait_for_function(
                    "before => document.documentElement.dataset.end || "
                    "document.querySelector('#progress span').textContent !== before", arg=before)
            ended(page)
            sent = "\n".join(stored).encode()
            records = [AnswerRecord.of(
                one, "p", k, "skipped" if one in skipped else one.checked(chosen)
            ) for k, one in enumerate(questions) if not one.item]
            assert sent.count(b'"unanswered":"skipped"') == len(skipped), task
            if not asking.measured:
                read = (ts.experiment.read_pairs if asking.size == 2 else ts.read)(sent)
                assert {*read.answers["n_skipped"].astype(int)} == {1}
                assert {*read.answers["n_asked"].astype(int)} == {7}
                wanted = gathered_answers(experiment, records)
                assert rows_of(read) == rows_of(wanted), task
                continue
            read = ts.ratings.read_measured(sent).table
            wanted = measured_answers(experiment, records).table
            columns = [name for name in wanted if name != "participant"]
            assert len(read) == len(wanted) > 5, task
            assert read[columns].equals(wanted[columns]), task
            if task == "rating":
                assert '"item_name":"hand","item_answer":"right"' in sent.decode()
                assert '"item_answer":"By eye.\\nAnd ear."' in sent.decode()
            page.close()


def test_a_question_ends_after_its_time_and_says_so(browser, tmp_path):
    small(tmp_path, n_questions=6, time_limit=1)
    with collecting(tmp_path) as address:
        context = browser.new_context()
        page = opened(context, f"{address}?PROLIFIC_PID=late")
        go_on(page, ".text:has-text('Seconds for each question: 1.')")
        go_on(page, "h2:has-text('Are you still there?')")
        page.evaluate("() => { Object.defineProperty(document, 'hidden', "
                      "{ value: true, configurable: true }); }")
        page.keyboard.press("Enter")
        page.wait_for_selector(TURN)
        page.wait_for_timeout(1500)
        assert shown(page) == "3 of 6"  # nothing runs while nobody sees it
        expect(page.locator("#left")).to_be_empty()
        context.set_offline(True)
        page.evaluate("() => { delete document.hidden; "
                      "document.dispatchEvent(new Event('visibilitychange')); }")
        expect(page.locator("#progress span")).to_have_text("4 of 6")
        expect(page.locator("#left")).to_have_text("Time was up")
        context.set_offline(False)
        ended(page, "unanswered")  # of nothing, nobody is told a code
        page.reload()
        ended(page, "unanswered")
        for name, times in (("slow", 0), ("slower", 900), ("mistyped", "1e99")):
            page = opened(context, f"{address}?PROLIFIC_PID={name}&more_time={times}")
            go_on(page, ".text:has-text('Good to know')")
            seconds = {0: "", 900: "question: 900.", "1e99": "question: 1000."}[times]
            assert seconds in page.inner_text(".text")
            assert ("Seconds" in page.inner_text(".text")) == bool(seconds)
            answer(page)
        context.close()
    records = answer_log.records(tmp_path)
    assert [(one.participant, one.unanswered, one.chosen, one.input) for one in records] == [
        *[("late", "late", (), "")] * 6,
        *[(name, "", (0,), "mouse") for name in ("slow", "slower", "mistyped")]]
    assert min(one.rt_ms for one in records[:6]) >= 1000
    for name, event in (("slow", "more-time-0"), ("slower", "more-time-900")):
        happened = answer_log.personal_data(tmp_path, name)["events"]
        assert event in {one["what"] for one in happened}


def test_a_time_limit_goes_on_after_a_reload(context, tmp_path):
    small(tmp_path, n_questions=3, time_limit=3600)
    kept = "() => Object.entries(localStorage).find(([name]) => / time /.test(name))?.[1]"
    with collecting(tmp_path) as address:
        page = opened(context, f"{address}?PROLIFIC_PID=ann")
        answer(page)
        page.wait_for_function(kept)
        page.reload()
        page.wait_for_selector("#time > div", state="attached")
        page.wait_for_function(
            "() => parseFloat(getComputedStyle(document.querySelector('#time > div'))"
            ".animationDelay) < 0")
        assert json.loads(page.evaluate(kept))["left"] < 3_600_000
        # As if an hour had passed before the page was left.
        context.add_init_script(
            "for (const [name, value] of Object.entries(localStorage)) { if (/ time /.test(name))"
            " localStorage.setItem(name, JSON.stringify({ ...JSON.parse(value), left: 100 })); }")
        page.reload()
        expect(page.locator("#progress span")).to_have_text("2 of 3", timeout=30_000)
        page.wait_for_selector(TURN)
        assert json.loads(page.evaluate(kept))["left"] == 3_600_000, "of the next question"
        answer(page)
        ended(page)
    assert [one.unanswered for one in answer_log.records(tmp_path)] == ["", "late", ""]


def rows_of(answers) -> list[list[str]]:
    return sorted(answers.objects["id"].to_numpy()[answers.rows].tolist())


def responded(page, name: str, *, leave_out: bool = False) -> None:
    """Answer an item of `ITEMS`."""
    done = page.get_by_role("button", name="Done")
    if name == "age":
        page.locator(".item input").fill("17")
        expect(done).to_be_disabled()
        page.locator(".item input").fill("30.5")
        expect(done).to_be_enabled()
        page.keyboard.press("Enter")
    elif name == "how":
        expect(done).to_be_disabled()
        page.locator("textarea").click()
        page.keyboard.insert_text("By eye.\nAnd\x0bear.")  # as a word processor copies it
        done.click()
    else:
        if not leave_out:
            page.locator(".item label").nth(1).click()
        done.click()


def test_questionnaires_pictures_in_texts_and_the_way_back(context, tmp_path):
    experiment = small(
        tmp_path, n_questions=3, break_every=5, language="fr", parameters=("survey_code",), **ITEMS,
        texts={"instructions": f"Look: ![]({STIMULI}/seen.png 'at this')", "done": "Done"},
        return_address="https://x.sona-systems.invalid/?t=1&survey_code={survey_code}&c={code}",
    )
    pictures(tmp_path, 1)
    (tmp_path / STIMULI / "p0.png").rename(tmp_path / STIMULI / "seen.png")
    assert experiment.files == ["seen.png"]
    with collecting(tmp_path) as address:
        page = opened(context, f"{address}?survey_code=a%26b")
        page.get_by_role("button", name="J’accepte et je participe").click()
        page.wait_for_selector(".page img")
        assert page.evaluate("document.querySelector('.page img').naturalWidth") == 40
        page.get_by_role("button", name="Continuer").click()
        for item in ITEMS["before"]:
            page.wait_for_selector(f".item.{item.kind}")
            responded(page, item.name, leave_out=item.name == "hand")
        page.wait_for_selector(TURN)
        page.reload()
        for _ in range(3):
            page.wait_for_selector(TURN)
            before = shown(page)
            page.keyboard.press("ArrowLeft")
            answered(page, before)
        for item in ITEMS["after"]:
            page.wait_for_selector(f".item.{item.kind}")
            responded(page, item.name)
        ended(page)
        code = page.inner_text(".code strong")
        expect(page.locator("a.main")).to_have_attribute(
            "href", f"https://x.sona-systems.invalid/?t=1&survey_code=a%26b&c={code}")
    records = answer_log.records(tmp_path)
    told = questionnaire_answers(records)
    assert told.iloc[0].to_dict() == {
        "participant": "a&b", "age": 30.5, "hand": None, "sure": 2, "how": "By eye.\nAnd ear."}
    gathered = with_questionnaire(
        ts.experiment.gathered_answers(experiment, records), [*records, replace(
            records[0], participant="other", chosen=(40,))])
    assert len(gathered) == 3
    assert set(gathered.answers["age"]) == {30.5}
    assert "how" not in gathered.answers
