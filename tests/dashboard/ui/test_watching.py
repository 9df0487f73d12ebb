"""What the browser is told of a job while it runs."""

from __future__ import annotations

import json
import threading
import time

import pytest
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from tripletscope.dashboard.jobs.queue import Job, Step
from tripletscope.dashboard.serve.server import _job
from tripletscope.dashboard.ui.watching import state_of


def ask(job: str, **view: str) -> Response:
    return _job(Request({"type": "http", "path_params": {"job": job, **view}}))


def told(job: Job) -> dict:
    return json.loads(ask(job.id).body)


def test_a_job_is_followed_from_its_beginning_to_its_end(services):
    at, go = threading.Event(), threading.Event()

    def work(progress):
        progress(0.25)
        at.set()
        go.wait(300)

    job = Job("me", "here", "a title", [Step("Counting", work), Step("More", lambda _: None)])
    for place, words in {1: "next", 2: "2nd", 3: "3rd", 4: "4th", 11: "11th", 22: "22nd"}.items():
        job.place = place
        assert state_of(job)["words"] == f"a title: waiting, {words} in the queue"
    services.jobs.submit(job)
    assert at.wait(300)
    job.views["sum"] = lambda: '{"data": []}'
    job.views["nothing yet"] = lambda: None
    assert told(job) == {"words": "Counting, 12%", "share": 0.125, "step": 0, "active": True}
    assert ask(job.id).headers["cache-control"] == "no-store"
    assert ask(job.id, view="sum").body == b'{"data": []}'
    for name in ("nothing yet", "unknown"):
        assert ask(job.id, view=name).status_code == 204
    job.cancel()
    assert told(job)["words"] == "Counting: stopping"
    go.set()
    assert job.wait(300)
    assert told(job)["active"] is False
    assert ask(job.id, view="sum").status_code == 204, "what it shows may hold the data"


def test_an_estimate_is_told_before_it_is_done(services):
    at, go = threading.Event(), threading.Event()

    def work(progress):
        progress(0.2, loss=0.25)
        progress(0.4, loss=0.125)
        at.set()
        go.wait(300)

    steps = [Step("Cross-validating", work, estimates="error"), Step("Fitting", work)]
    job = Job("me", "here", "a title", steps)
    services.jobs.submit(job)
    assert at.wait(300)
    assert told(job)["words"] == "Cross-validating, 20%; error 0.125 so far"
    at.clear()
    go.set()
    assert job.wait(300)
    job.state, job.step = "running", 1
    assert "so far" not in state_of(job)["words"], "a loss is none"


def test_who_asks_for_a_job_is_there(services, monkeypatch):
    at, go = threading.Event(), threading.Event()

    def work(progress):
        at.set()
        go.wait(300)

    job = services.jobs.submit(Job("me", "here", "a title", [Step("Counting", work)]))
    assert at.wait(300)
    begun = time.monotonic()
    monkeypatch.setattr(time, "monotonic", lambda: begun + 3000)
    ask(job.id)
    monkeypatch.setattr(time, "monotonic", lambda: begun + 4000)
    services.jobs.tend()
    assert not job.stopping
    monkeypatch.setattr(time, "monotonic", lambda: begun + 6700)
    services.jobs.tend()
    assert job.stopping
    go.set()


def test_a_job_that_was_given_up_calls_nobody(services):
    job = services.jobs.submit(Job("me", "here", "a title", [Step("Counting", lambda _: None)]))
    job.give_up()
    assert job.wait(300)
    assert told(job)["active"] is True


def test_jobs_are_found_by_their_secret_only(services):
    job = services.jobs.submit(Job("me", "here", "a title", [Step("Counting", lambda _: None)]))
    assert services.jobs.get(job.id) is job
    assert len(job.id) >= 24
    assert job.id.isalnum(), "components take no two underscores in a name"
    with pytest.raises(HTTPException):
        ask("anything")
