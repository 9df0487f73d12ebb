"""What the server of an experiment serves, and what it refuses to hostile participants."""

from __future__ import annotations

import http.client
import json
import socket

import pytest

from tests.dashboard.collect.serving import Page, answer, asked, experiment_in, serving
from tripletscope.core.data.errors import DataError
from tripletscope.core.studies.experiment.experiment import STIMULI, Experiment, Stimulus
from tripletscope.core.studies.experiment.items import SurveyItem
from tripletscope.dashboard.collect import answer_log, jspsych
from tripletscope.dashboard.collect.participants import participants_table
from tripletscope.dashboard.collect.requests import MOST_BYTES
from tripletscope.dashboard.collect.server import make_experiment_server


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return experiment_in(
        tmp_path_factory.mktemp("e"), salt="pepper", completion_code="SECRET1", seed=4711,
        return_address="https://panel.example/?cc={code}", texts={
            "instructions": "# Hello\n<script>alert(1)</script> [x](javascript:alert(1))",
        },
    )


@pytest.fixture(scope="module")
def port(folder):
    with serving(folder) as found:
        yield found


@pytest.fixture
def page(port, request):
    found = Page(port, request.node.name)
    found.begin()
    return found


# What is served ---------------------------------------------------------------------------------


def test_the_page_and_its_files_are_served(port):
    for path, kind in (("/", "text/html"), ("/client/experiment.js", "text/javascript"),
                       ("/experiment.json", "application/json")):
        status, content, headers = asked(port, path)
        assert (status, headers["content-type"].split(";")[0]) == (200, kind), path
        assert content


def test_stimuli_are_served_whole_in_parts_and_not_twice(port):
    status, content, headers = asked(port, "/stimuli/egg.png")
    assert (status, content, headers["content-type"]) == (200, b"\x89PNG egg", "image/png")
    status, content, _ = asked(port, "/stimuli/egg.png", Range="bytes=5-7")
    assert (status, content) == (206, b"egg"), "as videos are asked for"
    known = {"If-None-Match": headers["etag"]}
    assert asked(port, "/stimuli/egg.png", **known)[0] == 304


def test_nothing_is_loaded_from_elsewhere_and_nothing_else_believed(port):
    for path in ("/", "/health", "/stimuli/egg.png", "/nothing"):
        headers = asked(port, path)[2]
        begin = "sandbox; default-src 'none'; " if "stimuli" in path else "default-src 'self'; "
        assert headers["content-security-policy"].startswith(begin)
        assert "http" not in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "no-referrer", "the address has an id in it"
        assert headers["server"] is None
    assert asked(port, "/experiment.json")[2]["cache-control"] == "no-store"


def test_the_experiment_is_told_without_what_gives_it_away(port):
    told = json.loads(asked(port, "/experiment.json")[1])
    assert told["title"] == "Words"
    assert (told["asking"]["answer"], told["n_chosen"], len(told["objects"])) == ("options", 1, 13)
    text = json.dumps(told)
    for secret in ("pepper", "SECRET1", "4711", "panel.example", "salt", "gold", "correct"):
        assert secret not in text
    assert "<script>" not in text
    assert 'href=\\"javascript' not in text


def test_what_jspsych_lacks_is_said(port, monkeypatch, tmp_path):
    monkeypatch.setattr(jspsych, "FOLDER", tmp_path)
    status, content, _ = asked(port, "/jspsych/jspsych.js")
    assert status == 404
    assert "jsPsych" in json.loads(content)["why"]


@pytest.mark.parametrize("path", [
    "/dashboard", "/_stcore/health", "/_stcore/stream", "/_stcore/upload_file/x",
    "/tripletscope/health", "/tripletscope/pictures/a.png", "/tripletscope/jobs/1", "/explore",
    "/answers.sqlite", "/experiment", "/server.lock", "/begin/", "//", "/docs", "/people",
])
def test_nothing_else_is_there(port, path):
    status, content, _ = asked(port, path)
    assert (status, json.loads(content)) == (404, {"why": "There is nothing here."})


@pytest.mark.parametrize("place", ["stimuli", "client", "jspsych"])
@pytest.mark.parametrize("way", [
    "../experiment.json", "..%2fexperiment.json", "%2e%2e/answers.sqlite", "..%5canswers.sqlite",
    "....//experiment.json", "/etc/passwd", "%2fetc%2fpasswd", ".", "..", "%00", "egg.png%00.js",
    "", "experiment.json", "answers.sqlite", "x" * 300, "texts", "secret.png", "link.png",
])
def test_no_way_leads_out_of_a_folder(port, folder, place, way):
    (folder / STIMULI / "secret.png").write_bytes(b"no stimulus")
    link = folder / STIMULI / "link.png"
    if not link.exists():
        link.symlink_to(folder / "experiment.json")
    assert asked(port, f"/{place}/{way}")[0] == 404


def test_a_stimulus_that_leads_elsewhere_is_not_served(tmp_path):
    folder = experiment_in(tmp_path / "e")
    (folder / STIMULI / "egg.png").unlink()
    (folder / STIMULI / "egg.png").symlink_to(folder / "experiment.json")
    with serving(folder) as port:
        assert asked(port, "/stimuli/egg.png")[0] == 404


# What is refused --------------------------------------------------------------------------------


@pytest.mark.parametrize(("method", "path"), [
    ("GET", "/begin"), ("PUT", "/answers"), ("DELETE", "/answers"), ("POST", "/experiment.json"),
])
def test_other_methods_are_refused(port, method, path):
    assert asked(port, path, b"{}", method=method)[0] == 405


@pytest.mark.parametrize("content", [
    b"", b"{", b"[]", b"null", b"\xff\xfe", b'{"person": "a"}', b"[" * 60_000,
    b'{"person": "a", "tab": "short"}', b'{"person": "", "tab": "0123456789abcdef"}',
    b'{"person": "a\\u0000", "tab": "0123456789abcdef"}',
    b'{"person": "\\ud800", "tab": "0123456789abcdef"}',
    b'{"person": 5, "tab": "0123456789abcdef"}',
    b'{"person": "a", "tab": "0123456789abcdef", "parameters": []}',
    b'{"n": ' + b"9" * 5000 + b"}",
])
def test_what_is_no_beginning_is_refused_and_logged(port, folder, content):
    before = len(answer_log.people(folder)), answer_log.state(folder).n_refused
    status, said, _ = asked(port, "/begin", content)
    assert status == 400
    assert json.loads(said)["why"]
    assert answer_log.state(folder).n_refused == before[1] + 1
    assert len(answer_log.people(folder)) == before[0]


@pytest.mark.parametrize("says_so", [True, False])
def test_oversized_requests_are_refused(port, page, says_so):
    content = json.dumps({"token": page.token, "tab": page.tab, "answers": [],
                          "x": "x" * MOST_BYTES}).encode()
    if says_so:
        assert asked(port, "/answers", content)[0] == 413
    else:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=300)
        connection.request("POST", "/answers", iter([content[:40_000], content[40_000:]]),
                           encode_chunked=True, headers={"Transfer-Encoding": "chunked"})
        assert connection.getresponse().status == 413
        connection.close()
    assert page.next(), "nobody else notices"


def test_a_request_that_never_comes_holds_nobody_up(port, page):
    with socket.create_connection(("127.0.0.1", port)) as slow:
        slow.sendall(b"POST /answers HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n{")
        assert page.answer(page.next()[0]["key"])["stored"]


@pytest.mark.parametrize("path", ["next", "answers", "events", "end"])
def test_forged_tokens_are_refused_and_logged(port, folder, page, path):
    before = answer_log.state(folder).n_refused
    body = {"answers": [], "events": []}
    flipped = page.token[:-1] + ("0" if page.token[-1] != "0" else "1")
    for token, expected in ((flipped, 401), ("0" * 32, 401), ("", 400), (None, 400), (7, 400),
                            (page.token.upper() + "x", 400), ("' OR 1=1 --", 400)):
        forged = Page(port, token=token, tab=page.tab)
        status, told = forged.post(path, **body)
        assert (status, "why" in told) == (expected, True)
    assert page.post(path, **body)[0] in (200, 400)
    assert answer_log.state(folder).n_refused >= before + 7


def test_tokens_are_not_in_the_log(folder, page):
    stored = b"".join(path.read_bytes() for path in folder.glob("answers.sqlite*"))
    assert page.token.encode() not in stored


@pytest.mark.parametrize("chosen", [
    [2], [-1], [], [0, 1], [0, 0], ["0"], [True], [0.0], [None], [10**30], [[0]], ["x" * 1000],
])
def test_a_choice_that_was_not_shown_is_refused_and_logged(folder, page, chosen):
    key = page.next()[0]["key"]
    told = page.answer(key, chosen, id="forged-answer")
    assert told["stored"] == []
    assert told["refused"][0]["id"] == "forged-answer"
    assert "options shown" in told["refused"][0]["why"]
    assert "options shown" in answer_log.refusals(folder)[-1]["why"]
    assert page.answer(key)["stored"], "and the question can still be answered"


@pytest.mark.parametrize("why", ["skipped", "late"])
def test_a_question_is_left_open_only_where_that_is_offered(tmp_path, page, why):
    (first, *_) = page.next()
    for chosen in ("skipped", "late", "maybe", ""):
        assert page.answer(first["key"], chosen)["refused"]
    other, offered = {"skipped": ("late", {"skip": True}), "late": ("skipped", {"time_limit": 5})}[
        why]
    folder = experiment_in(tmp_path, n_questions=4, catch=1.0, fails=1, most_people=1, before=(
        SurveyItem("sure", "number", "How sure?"),), **offered)
    with serving(folder) as port:
        bob = Page(port, "bob")
        bob.begin()
        (item, question, *_) = bob.next()
        assert bob.answer(item["key"], why)["refused"], "items may say themselves who may pass"
        assert bob.answer(item["key"], (5,))["stored"]
        assert bob.answer(question["key"], other)["refused"]
        for _ in range(2):  # and a reply that was lost is no second answer
            told = bob.answer(question["key"], why, id="the-same-id")
            assert (told["stored"], told["left"]) == (["the-same-id"], 7)
        assert bob.answer(question["key"], (0,))["refused"], "it is answered"
        while asked := bob.next():
            assert bob.answer(asked[0]["key"], why)["state"] == "going_on", "no check was failed"
        for _ in range(2):
            assert bob.post("end")[1] == {"state": "unanswered"}, "with no code"
        assert bob.begin()["state"] == "unanswered"
        assert Page(port, "eve").begin()["state"] == "new", "whose place is that of bob"
        records = answer_log.records(folder)
    assert {(one.unanswered, one.chosen, one.is_right) for one in records[1:]} == {(why, (), None)}
    assert {one.kind for one in records[1:]} == {"question", "catch"}
    (row, _) = participants_table(answer_log.people(folder), records).to_dict("records")
    assert (row["answered"], row[why], row[other], row["checks"]) == (9, 4, 0, 0)
    assert row["state"] == "answered nothing"


def test_sending_twice_stores_once(folder, page):
    before = answer_log.n_answers(folder)
    key = page.next()[0]["key"]
    for _ in range(3):
        assert page.answer(key, [1], id="the-same-id")["stored"] == ["the-same-id"]
    both = [answer(key, [1], "the-same-id")] * 2
    assert page.post("answers", answers=both)[1]["stored"] == ["the-same-id"] * 2
    assert answer_log.n_answers(folder) == before + 1


def test_an_answer_cannot_be_changed_or_used_for_another(folder, page):
    first, second = (one["key"] for one in page.next()[:2])
    page.answer(first, [1], id="first-answer")
    for key, chosen, id_ in ((first, [0], "another-id"), (first, [0], "first-answer"),
                             (second, [1], "first-answer")):
        told = page.answer(key, chosen, id=id_)
        assert (told["stored"], len(told["refused"])) == ([], 1)
    mine = [one for one in answer_log.records(folder) if one.key == first]
    assert mine[-1].chosen == (1,)


def test_answers_to_what_was_not_asked_are_refused(page):
    page.next()
    for key in ("q9", "q11", "q0", "", "nothing", "q1' OR 1=1"):
        told = page.answer(key)
        assert "nobody was asked" in told["refused"][0]["why"]


def test_nobody_answers_for_somebody_else(port, folder):
    ann, eve = Page(port, "ann"), Page(port, "eve")
    ann.begin()
    eve.begin()
    key = ann.next()[0]["key"]
    ann.answer(key, [1], id="id-of-ann-1")
    eve.next()
    assert eve.answer(key, [0], id="id-of-ann-1")["stored"], "which is eve's own question"
    (anns,) = (answer_log.personal_data(folder, "ann")["answers"])
    assert json.loads(anns["chosen"]) == [1]


@pytest.mark.parametrize("given", [
    "text", 5, None, {}, {"id": "x"}, {"id": "valid-id-1"},
    {"id": "valid-id-2", "key": "q1"}, {"id": "valid-id-3", "key": ["q1"], "chosen": [0]},
    {"id": "<script>alert(1)</script>", "key": "q1", "chosen": [0]},
    answer("q1", id="valid-id-4", rt_ms=-5), answer("q1", id="valid-id-5", rt_ms="fast"),
    answer("q1", id="valid-id-6", clock_ms=1e300), answer("q1", id="valid-id-7", at_ms=True),
    answer("q1", id="valid-id-8", rt_ms=float("nan")),
    answer("q1", id="valid-id-9", rt_ms=float("inf")),
])
def test_what_is_no_answer_is_refused_by_itself(folder, page, given):
    before = answer_log.n_answers(folder)
    key = page.next()[0]["key"]
    status, told = page.post("answers", answers=[given, answer(key)])
    assert status == 200
    assert (len(told["stored"]), len(told["refused"])) == (1, 1), "the other one is kept"
    assert answer_log.n_answers(folder) == before + 1
    assert answer_log.refusals(folder)[-1]["what"] == "answer"


def test_many_answers_in_one_request_are_refused(page):
    status, told = page.post("answers", answers=[answer("q1")] * 101)
    assert (status, told["why"]) == (400, "“answers” must be a list of at most 100.")


def test_scripts_in_free_text_stay_text(port, folder):
    script = "<script>alert('é')</script>"
    odd = Page(port, script)
    odd.begin(parameters={"STUDY_ID": script}, device={"agent": script + "\ud800", "width": "wide"})
    odd.post("events", events=[{"id": "12345678", "what": script, "at_ms": 1, "clock_ms": 1}])
    kept = answer_log.personal_data(folder, script)
    (person,) = kept["people"]
    assert script not in (person["person"], person["parameters"]), "they are hashed here"
    assert json.loads(person["device"]) == {
        "width": None, "height": None, "touch": False, "agent": script + "?"
    }
    assert kept["refused"][0]["given"].startswith("{"), "as it came, in a log that nobody runs"
    assert "events" not in kept


def test_events_are_kept_once(port, folder):
    page = Page(port, "events")
    page.begin()
    event = {"id": "12345678", "what": "hidden", "at_ms": 1.5, "clock_ms": 2}
    for _ in range(2):
        assert page.post("events", events=[event])[1]["stored"] == ["12345678"]
    (kept,) = answer_log.personal_data(folder, "events")["events"]
    assert (kept["what"], kept["at_ms"]) == ("hidden", 1.5)


def test_a_flood_of_refusals_is_counted_but_does_not_fill_the_disk(tmp_path):
    folder = experiment_in(tmp_path / "e")
    with serving(folder) as port:
        page = Page(port)
        page.begin()
        for _ in range(3):
            assert page.post("answers", answers=[answer("nothing")] * 100)[0] == 200
    assert answer_log.state(folder).n_refused == 300
    assert len(answer_log.refusals(folder)) == 200


def test_answers_about_other_objects_are_not_mixed(tmp_path):
    folder = experiment_in(tmp_path / "e")
    with serving(folder) as port:
        Page(port).begin()
    experiment = Experiment.load(folder)
    experiment.changed(title="New words", n_questions=20).save(folder)
    with serving(folder) as port:
        assert Page(port, "bob").begin()["left"] == 20
    other = (*experiment.objects, Stimulus("new", "text", "new"))
    experiment.changed(objects=other).save(folder)
    with pytest.raises(DataError, match="have changed since people began"):
        make_experiment_server(folder)


def test_every_log_has_a_name_that_browsers_know_it_by(tmp_path):
    """What a browser keeps for one experiment is nothing for the next at the same address."""

    def name(folder):
        with serving(folder) as port:
            return json.loads(asked(port, "/experiment.json")[1])["log"]

    first = name(experiment_in(tmp_path / "a"))
    assert first == name(tmp_path / "a"), "a restart changes nothing"
    assert first != name(experiment_in(tmp_path / "b"))


def test_questions_that_cannot_be_asked_are_said_at_the_start(tmp_path):
    gold = ({"shown": ["o1", "o2", "nobody"], "correct": [0]},)
    with pytest.raises(DataError, match="'nobody' is no object"):
        make_experiment_server(experiment_in(tmp_path / "a", gold=gold, gold_share=0.1))
    with pytest.raises(DataError, match="there is no list of questions"):
        make_experiment_server(experiment_in(tmp_path / "b", source="list"))
