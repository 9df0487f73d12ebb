"""Experiments for tests, their server on a port of this machine, and pages that ask it."""

from __future__ import annotations

import http.client
import json
import threading
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.waiting import PATIENCE, becomes
from tripletscope.core.studies.experiment.experiment import STIMULI, Experiment, Stimulus
from tripletscope.dashboard.collect import answer_log
from tripletscope.dashboard.collect.command import listening_on
from tripletscope.dashboard.collect.connections import Room, patient_server
from tripletscope.dashboard.collect.server import make_experiment_server

#: The keys of previews, by the port of a server.
_PREVIEWS: dict[int, str] = {}


def experiment_in(folder: Path, **values: Any) -> Path:
    """An experiment of twelve words and a picture."""
    words = tuple(Stimulus(f"o{i}", "text", f"object {i}") for i in range(12))
    given = {
        "title": "Words", "n_questions": 10, "repeated": 0.0, "catch": 0.0, "n_practice": 0,
        "objects": (*words, Stimulus("picture", "picture", "egg.png")), **values,
    }
    Experiment(**given).save(folder)
    (folder / STIMULI).mkdir(exist_ok=True)
    (folder / STIMULI / "egg.png").write_bytes(b"\x89PNG egg")
    return folder


@contextmanager
def serving(folder: Path, port: int = 0, room: Room | None = None) -> Iterator[int]:
    """The port of a server in this process, which may be given."""
    listening = listening_on("127.0.0.1", port)
    server = patient_server(make_experiment_server(folder), room or Room())
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
    thread.start()
    assert becomes(lambda: server.started or not thread.is_alive())
    assert server.started
    port = listening.getsockname()[1]
    _PREVIEWS[port] = answer_log.preview_key(folder)
    try:
        yield port
    finally:
        server.should_exit = True
        thread.join(PATIENCE)


def asked(
    port: int, path: str, body: Any = None, method: str | None = None, **headers: str
) -> tuple[int, bytes, http.client.HTTPMessage]:
    """Status, content and headers of what a server answers."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
    try:
        content = body if isinstance(body, bytes | None) else json.dumps(body).encode()
        connection.request(method or ("GET" if body is None else "POST"), path, content, headers)
        response = connection.getresponse()
        return response.status, response.read(), response.headers
    finally:
        connection.close()


class Page:
    """A participant's page in a tab of its own."""

    def __init__(
        self, port: int, person: str = "ann", token: str | None = None, tab: str | None = None
    ) -> None:
        self.port, self.person, self.token = port, person, token
        self.tab = tab or uuid.uuid4().hex

    def post(self, path: str, **body: Any) -> tuple[int, dict[str, Any]]:
        status, content, _ = asked(
            self.port, f"/{path}", {"token": self.token, "tab": self.tab, **body}
        )
        return status, json.loads(content)

    def begin(self, **more: Any) -> dict[str, Any]:
        if more.get("simulated"):
            more = {"preview": _PREVIEWS[self.port], **more}
        status, told = self.post("begin", person=self.person, **more)
        assert status == 200
        self.token = told["token"] or self.token
        return told

    def next(self, *have: str) -> list[dict[str, Any]]:
        status, told = self.post("next", have=list(have))
        assert status == 200
        return told["questions"]

    def answer(self, key: str, chosen: Any = (0,), id: str | None = None, **more: Any) -> dict:
        """What the server says to one answer."""
        status, told = self.post("answers", answers=[answer(key, chosen, id, **more)])
        assert status == 200, told
        return told

    def answer_all(self, choose: Callable[[dict[str, Any]], int] = lambda asked: 0) -> int:
        """Answer whatever is asked, at most a thousand times; returns how often."""
        for number in range(1000):
            questions = self.next()
            if not questions:
                return number
            self.answer(questions[0]["key"], (choose(questions[0]),))
        raise AssertionError("it does not end")


def answer(key: str, chosen: Any = (0,), id: str | None = None, **more: Any) -> dict[str, Any]:
    chosen = chosen if isinstance(chosen, str) else list(chosen)
    return {"id": id or uuid.uuid4().hex, "key": key, "chosen": chosen, "rt_ms": 640.25,
            "shown_ms": 1000.5, "at_ms": 1640.75, "clock_ms": 1.7e12, "input": "keyboard", **more}
