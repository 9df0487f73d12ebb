"""Results are fetched from a server that answers as JATOS does, only what is new, and no secret."""

from __future__ import annotations

import io
import json
import socket
import threading
import zipfile
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from tests.dashboard.views.harness import start, words
from tripletscope.core.data.errors import DataError
from tripletscope.core.engine.progress import Stopped
from tripletscope.dashboard.keeping import services as services_module
from tripletscope.dashboard.keeping.jatos import FETCHED, JatosStudy, fetch, fetched

TOKEN = "jap_5e2fNotOnAnyDisk"
OBJECTS = ("cat", "dog", "car", "bus")


class Jatos(BaseHTTPRequestHandler):
    """As JATOS 3.9: two of its addresses, with bearer tokens; unknown fields are refused."""

    results: dict[int, str]
    asked: list[dict]
    status = 200

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        path, content = self.path.removeprefix("/jatos/api/v1/results"), b""
        if self.headers["Authorization"] != f"Bearer {TOKEN}":
            self.send_response(401)
        elif self.headers["Content-Type"] != "application/json" or len(asked) != 1:
            self.send_response(400)
        elif self.status != 200:
            self.send_response(self.status)
            self.send_header("Location", "http://127.0.0.1:1/elsewhere")
        else:
            self.asked.append(asked)
            self.send_response(200)
            content = self._metadata() if path == "/metadata" else self._data(asked)
        self.end_headers()
        self.wfile.write(content)

    def _metadata(self) -> bytes:
        return json.dumps({"apiVersion": "1.1.0", "data": [{
            "studyId": 7, "studyTitle": "Pets", "studyResults": [
                {"id": number, "studyState": state, "componentResults": [{"id": number + 100}]}
                for number, state in self.results.items()
            ],
        }]}).encode()

    def _data(self, asked: dict) -> bytes:
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w") as file:
            for number in asked["studyResultIds"]:
                rows = [f"worker {number},{','.join(OBJECTS[k % 4] for k in range(j, j + 3))}"
                        for j in range(6)]
                file.writestr(f"study_result_{number}/comp_result_{number + 100}/data.txt",
                              "\n".join(["participant,anchor,near,far", *rows]))
        return b" " + packed.getvalue()  # as after a wait

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def jatos() -> Iterator[JatosStudy]:
    Jatos.results, Jatos.asked, Jatos.status = {1: "FINISHED", 2: "STARTED", 3: "FINISHED"}, [], 200
    server = ThreadingHTTPServer(("127.0.0.1", 0), Jatos)
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    yield JatosStudy(f"http://localhost:{server.server_port}/", 7)
    server.shutdown()
    server.server_close()


def of(tmp_path, jatos, token=TOKEN, **how):
    return fetch(tmp_path, jatos, token, **({"is_shared": False, "most": 2**20} | how))


def resolved_to(monkeypatch, places: Iterator[str]) -> None:
    """Let names stand for these addresses, one after the other."""
    monkeypatch.setattr(
        socket, "getaddrinfo", lambda *_, **__: [(0, 0, 0, "", (next(places), 443))]
    )


def test_only_what_has_finished_since_is_fetched(tmp_path, jatos):
    (first,) = of(tmp_path, jatos)
    Jatos.results[2] = "FINISHED"
    again, second = of(tmp_path, jatos, f" {TOKEN}\n")
    assert again == first
    assert first[0] == second[0], "it is the same file, with more in it"
    assert of(tmp_path, jatos) == [first, second], "nothing is new"
    data = [asked["studyResultIds"] for asked in Jatos.asked if "studyResultIds" in asked]
    assert data == [[1, 3], [2]]
    assert {"studyIds": [7]} in Jatos.asked
    assert [one["results"] for one in fetched(tmp_path, jatos)] == data
    assert [one["unfinished"] for one in fetched(tmp_path, jatos)] == [1, 0]
    for path in tmp_path.rglob("*"):
        assert path.is_dir() or TOKEN.encode() not in path.read_bytes()


def test_a_damaged_log_begins_anew(tmp_path, jatos):
    of(tmp_path, jatos)
    (log,) = (tmp_path / FETCHED).glob("*/log.json")
    log.write_text('{"fetched": [{')
    assert fetched(tmp_path, jatos) == []
    assert len(of(tmp_path, jatos)) == 1
    log.write_text('{"fetched": [{"results": [1], "file": "../../other.zip"}]}')
    assert fetched(tmp_path, jatos) == [], "no file outside of the folder"


def test_what_a_server_refuses_is_told_without_the_token(tmp_path, jatos):
    def refused(match: str, token: str = TOKEN, **how) -> None:
        with pytest.raises(DataError, match=match) as error:
            of(tmp_path, jatos, token, **how)
        assert token.strip() not in str(error.value)

    refused("refuses the token", "jap_another")
    refused("the token is none", "jap_a\r\nX-Other: b")
    refused("more than 0 MB", most=10)
    Jatos.status = 302
    refused("status 302")  # and is followed nowhere
    Jatos.status, Jatos.results = 200, {1: "STARTED"}
    refused("no result has finished yet")
    with pytest.raises(Stopped):
        of(tmp_path, jatos, progress=lambda fraction, **_: True)
    assert not fetched(tmp_path, jatos)


@pytest.mark.parametrize(("address", "match"), [
    ("file:///etc/passwd", "address is none"), ("https://a:b@jatos.org", "address is none"),
    ("https://jatos.org:x", "address is none"), ("", "address is none"),
    ("http://jatos.org", "unencrypted"),
])
def test_addresses_that_are_refused(tmp_path, monkeypatch, address, match):
    resolved_to(monkeypatch, iter(["93.184.216.34"]))
    with pytest.raises(DataError, match=match):
        of(tmp_path, JatosStudy(address, 1))


@pytest.mark.parametrize("place", [
    "127.0.0.1", "10.1.2.3", "192.168.0.9", "169.254.169.254", "100.64.0.1", "0.0.0.0", "::1",
    "::ffff:127.0.0.1", "fe80::1%eth0", "fd00::1", "224.0.0.1",
])
def test_a_shared_server_reaches_no_address_of_its_network(tmp_path, monkeypatch, place):
    def connect(*_: object) -> None:
        raise AssertionError("it was asked")

    resolved_to(monkeypatch, iter([place]))
    monkeypatch.setattr(socket, "create_connection", connect)
    monkeypatch.setattr(services_module, "_folder_of_script", lambda: tmp_path)
    is_shared = services_module.is_shared()
    with pytest.raises(DataError, match="within this server's network"):
        of(tmp_path, JatosStudy("https://one.example.org", 1), is_shared=is_shared)


def test_the_connection_goes_to_the_address_that_was_checked(tmp_path, monkeypatch):
    places, asked = iter(["93.184.216.34", "127.0.0.1"]), []

    def connect(place: tuple[str, int], *_: object) -> None:
        asked.append(place)
        raise ConnectionRefusedError

    resolved_to(monkeypatch, places)
    monkeypatch.setattr(socket, "create_connection", connect)
    with pytest.raises(DataError, match="cannot be reached"):
        of(tmp_path, JatosStudy("https://rebinding.example.org", 1), is_shared=True)
    assert asked == [("93.184.216.34", 443)]


def test_results_are_read_like_an_upload(services, jatos):
    app = start()
    app.text_input(key="jatos.address").set_value(jatos.address).run()
    app.number_input(key="jatos.study").set_value(7).run()
    app.text_input(key="jatos.token").set_value(TOKEN).run()
    app.button(key="jatos.fetch").click().run()
    assert not app.exception
    assert app.title[0].value.startswith("Reading localhost")
    assert "12" in words(app)
    next(b for b in app.button if b.label == "Keep this data set").click().run()
    (info,) = services.workspace.datasets()
    assert (info.n_answers, info.origin) == (12, jatos.name)
    Jatos.results[2] = "FINISHED"
    app = start()
    app.text_input(key="jatos.address").set_value(jatos.address).run()
    app.number_input(key="jatos.study").set_value(7).run()
    assert "2 new results, 1 not finished" in words(app)
    app.text_input(key="jatos.token").set_value(TOKEN).run()
    app.button(key="jatos.fetch").click().run()
    next(b for b in app.button if b.label == "Keep this data set").click().run()
    assert {(one.n_answers, one.origin) for one in services.workspace.datasets()} == {
        (12, jatos.name), (18, jatos.name),
    }
    for path in services.workspace.folder.rglob("*"):
        assert path.is_dir() or TOKEN.encode() not in path.read_bytes()
