"""An experiment that runs without us: on a disk, on web servers; and its results are read."""

from __future__ import annotations

import functools
import io
import json
import threading
import zipfile
from contextlib import contextmanager
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from playwright.sync_api import expect

import tripletscope as ts
from tests.browser import needs_browser
from tests.dashboard.collect.participants import (
    TURN,
    answer,
    answered,
    colours,
    ended,
    go_on,
    needs_jspsych,
    opened,
    pictures,
    shown,
    small,
)
from tripletscope.core.data.errors import DataError
from tripletscope.core.data.triplets import Answers
from tripletscope.core.studies.experiment.experiment import Experiment
from tripletscope.core.studies.experiment.lists import person_list
from tripletscope.dashboard.collect.static import SENDINGS, static_zip

pytestmark = needs_jspsych
#: What JATOS and Pavlovia give to a page, as far as ours asks for it.
STUBS = {
    "jatos.js": "window.jatos = { urlQueryParameters: { PROLIFIC_PID: 'of the panel' }, "
    "onLoad: (f) => f(), appendResultData: (text) => fetch('stored', {method: 'POST', body: text})"
    ".then((r) => { if (!r.ok) throw r; }), endStudyWithoutRedirect: async () => {} };",
    "lib/jspsych-7-pavlovia-2022.1.1.js": "window.jsPsychPavlovia = class { constructor(jsPsych) "
    "{ this.jsPsych = jsPsych; } async trial(_, { command }) { if (command === 'finish') await "
    "fetch('stored', {method: 'POST', body: this.jsPsych.data.get().csv()}); } };",
}


def unpacked(experiment: Experiment, folder: Path, sending: str, address: str = "") -> Path:
    place = folder / "elsewhere"
    with zipfile.ZipFile(io.BytesIO(
        static_zip(experiment, folder, sending, address, n_lists=3)
    )) as file:
        file.extractall(place)
    return place


@contextmanager
def a_web_server(folder: Path, failing: int = 0):
    """Serves a folder, and stores what is sent; the first of that it does not."""
    stored, tries = [], []

    class Handler(SimpleHTTPRequestHandler):
        def do_POST(self):
            body = self.rfile.read(int(self.headers["Content-Length"])).decode()
            tries.append(body)
            if len(tries) > failing:
                stored.append(body)
            self.send_response(200 if len(tries) > failing else 503)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *given):
            pass

    server = ThreadingHTTPServer(
        ("127.0.0.1", 0), functools.partial(Handler, directory=folder))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/index.html", stored
    finally:
        server.shutdown()
        server.server_close()


def expected(experiment: Experiment, person: int, option: int) -> set[tuple[str, ...]]:
    """Nearer and farther objects of each anchor, where the same option is always chosen."""
    return {
        (one.shown[0], one.shown[1 + option], one.shown[2 - option])
        for one in person_list(experiment, person).questions
        if one.kind in ("question", "repeat")
    }


def names_of(answers: Answers) -> set[tuple[str, ...]]:
    names = answers.objects["id"].to_numpy()
    return {tuple(row) for row in names[answers.rows]}


def read_names(data: bytes | Path) -> set[tuple[str, ...]]:
    return names_of(ts.read(data))


@pytest.mark.browser
@needs_browser
def test_from_a_disk_without_any_server(browser, tmp_path):
    experiment = small(tmp_path, objects=pictures(tmp_path), catch=0.2, n_practice=1,
                       return_address="https://panel.invalid/?c={code}", completion_code="C")
    place = unpacked(experiment, tmp_path, "file")
    context = browser.new_context()
    asked = []
    context.on("request", lambda request: asked.append(request.url))
    page = opened(context, f"{place.as_uri()}/index.html?PROLIFIC_PID=%3Da,b&list=2")
    answer(page, 1, 3)
    page.reload()
    answer(page, 1, 3)
    page.wait_for_selector(TURN)
    with page.expect_download() as download:
        answer(page, 1)
    ended(page)
    saved = tmp_path / "saved.csv"
    download.value.save_as(saved)
    assert download.value.suggested_filename == "answers-_a_b.csv"
    assert read_names(saved) == expected(experiment, 1, 1)
    marked = saved.read_text().count("\"'=a,b\"")
    assert marked == 14, "who it was, as parameter, too, and no formula"
    assert set(ts.read(saved).answers["participant"]) == {"=a,b"}
    expect(page.get_by_role("link", name="Finish and return")).to_have_attribute(
        "href", "https://panel.invalid/?c=C")
    page.get_by_role("button", name="Next person").click()
    assert not [url for url in asked if not url.startswith(("file:", "blob:"))]
    context.close()


@pytest.mark.browser
@needs_browser
@pytest.mark.parametrize("sending", ["post", "jatos", "pavlovia"])
def test_on_other_servers(browser, tmp_path, sending):
    experiment = small(tmp_path, n_questions=3)
    place = unpacked(experiment, tmp_path, sending, "./stored" if sending == "post" else "")
    for name, text in STUBS.items():
        if name in SENDINGS[sending].scripts:
            (place / name).parent.mkdir(exist_ok=True)
            (place / name).write_text(text)
    context = browser.new_context()
    with a_web_server(place, failing=sending == "post") as (address, stored):
        page = opened(context, f"{address}?list=1")
        answer(page, 0, 3)
        ended(page)
        page.goto(f"{address}?simulate=data-only")
        ended(page)
        assert "SIMULATED" in page.inner_text("body")
    sent = "\n".join(stored).encode()
    assert read_names(sent) == expected(experiment, 0, 0)
    assert sent.count(b"of the panel") == (6 if sending == "jatos" else 0)
    context.close()


@pytest.mark.browser
@needs_browser
def test_who_leaves_everything_open_has_no_code_elsewhere_either(context, tmp_path):
    experiment = small(tmp_path, n_questions=2, skip=True, completion_code="C0DE")
    place = unpacked(experiment, tmp_path, "file")
    for n_skipped, how in ((2, "unanswered"), (1, "finished")):
        page = opened(context, f"{place.as_uri()}/index.html?PROLIFIC_PID={how}")
        for _ in range(n_skipped):
            go_on(page)
            before = shown(page)
            page.locator(".skip:enabled").click()
            answered(page, before)
        answer(page, times=2 - n_skipped)
        for _ in range(2):  # and after a reload
            ended(page, how)
            assert ("C0DE" in page.inner_text("body")) == (how == "finished")
            page.reload()
        page.close()


def test_what_is_in_the_zip(tmp_path):
    evil = "</script><script>alert(1)</script>"
    experiment = small(tmp_path, title=evil, source="uncertain", n_questions=20,
                       objects=colours())
    place = unpacked(experiment, tmp_path, "post", "./stored")
    assert evil not in (place / "data.js").read_text()
    data = json.loads((place / "data.js").read_text().partition("= ")[2].rstrip(";\n"))
    assert data["told"]["title"] == evil
    assert [len(one) for one in data["lists"]] == [20, 20, 20]
    assert "and not adaptive" in " ".join((place / "README.txt").read_text().split())
    assert (place / "jspsych" / "LICENSES.txt").is_file()
    page = (place / "index.html").read_text()
    for name in ("data.js", "client/elsewhere.js", "jspsych/jspsych.js"):
        assert f'src="{name}"' in page
        assert (place / name).is_file()


def test_what_is_missing_for_a_zip_is_said(tmp_path):
    experiment = small(tmp_path, objects=pictures(tmp_path))
    with pytest.raises(DataError, match="answers need an address"):
        static_zip(experiment, tmp_path, "post", "ftp://here")
    (tmp_path / "stimuli" / "p3.png").unlink()
    with pytest.raises(DataError, match=r"the stimulus p3\.png is missing"):
        static_zip(experiment, tmp_path, "jatos")


@pytest.mark.browser
@needs_browser
def test_two_tabs_do_not_answer_for_one_person(browser, tmp_path):
    place = unpacked(small(tmp_path), tmp_path, "post", "./stored")
    context = browser.new_context()
    with a_web_server(place) as (address, stored):
        first = opened(context, f"{address}?PROLIFIC_PID=ann&list=1")
        answer(first, 0, 2)
        first.reload()
        answer(first)
        second = opened(context, f"{address}?PROLIFIC_PID=ann&list=1")
        ended(second, "elsewhere")
        second.get_by_role("button", name="Continue here").click()
        second.wait_for_selector(TURN)
        assert shown(second) == "3 of 5"
        first.locator(TURN).first.click()
        ended(first, "elsewhere")
        first.close()
        second.reload()
        answer(second, 0, int(shown(second).split()[-1]) - int(shown(second).split()[0]))
        ended(second)
    # What is not confirmed in time is sent again: whoever stores keeps each id once.
    answers = {row["id"]: row["key"] for body in stored for row in json.loads(body)}
    assert sorted(answers.values()) == [f"q{k}" for k in range(1, 6)]
    context.close()
