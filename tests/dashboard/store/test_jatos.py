"""Results are fetched from a server that answers as JATOS does, only what is new, and no secret."""

from __future__ import annotations

import io
import json
import socket
import threading
import zipfile
from collections.abc import Iterator
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from tests.pages.harness import start, words
from tripletscope.core.data.errors import DataError
from tripletscope.core.engine.progress import Stopped
from tripletscope.dashboard.store import jatos as jatos_module
from tripletscope.dashboard.store import services as services_module
from tripletscope.dashboard.store.jatos import FETCHED, JatosStudy, fetch, fetched

TOKEN = "jap_5e2fNotOnAnyDisk"


class Jatos(BaseHTTPRequestHandler):
    """Two addresses of JATOS 3.9, with bearer tokens."""

    results: dict[int, str]
    asked: list[dict]
    status = 200

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        path, known = self.path.removeprefix("/jatos/api/v1/results"), f"Bearer {TOKEN}"
        status = self.status if self.headers["Authorization"] == known else 401
        self.send_response(status)
        self.send_header("Location", "http://127.0.0.1:1/elsewhere")
        self.end_headers()
        if status == 200 and self.headers["Content-Type"] == "application/json":
            self.asked.append(asked)
            self.wfile.write({"/metadata": self._metadata, "/data": self._data}[path](**asked))

    def _metadata(self, studyIds: list[int]) -> bytes:
        results = [{"id": number, "studyState": state} for number, state in self.results.items()]
        return json.dumps({"data": [{"studyId": studyIds[0], "studyResults": results}]}).encode()

    def _data(self, studyResultIds: list[int]) -> bytes:
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w") as file:
            for number in studyResultIds:
                rows = [f"w{number},{','.join('abcd'[k % 4] for k in (j, j + 1, j + 2))}"
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
    yield JatosStudy(f"http://localhost:{server.server_port}/jatos/", 7)
    server.shutdown()
    server.server_close()


def of(tmp_path, jatos, token=TOKEN, **how):
    return fetch(tmp_path, jatos, token, **({"is_shared": False, "most": 2**20} | how))


def replying(*parts: bytes, end: bytes = b"") -> JatosStudy:
    """A server that gives these replies, each to a request, with an end that never ends."""
    server, replies = socket.create_server(("127.0.0.1", 0)), iter(parts)

    def serve() -> None:
        for reply in replies:
            line, _ = server.accept()
            with line, suppress(OSError):
                line.recv(2**16)
                line.sendall(b"HTTP/1.1 " + reply)
                while end:
                    line.sendall(end)

    threading.Thread(target=serve, daemon=True).start()
    return JatosStudy(f"http://localhost:{server.getsockname()[1]}", 7)


@pytest.mark.parametrize(("reply", "end"), [
    (b"100 Continue\r\n\r\n", b"HTTP/1.1 100 Continue\r\n\r\n"),
    (b"200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n", b"a: b\r\n"),
    (b"200 OK\r\nContent-Length: 9\r\n\r\n{", b""),
    (b'200 OK\r\n\r\n{"data": [{"studyResults": [{"id": 1e999, "studyState": "FINISHED"}]}]}', b""),
    (b'200 OK\r\n\r\n{"data": [{"studyResults": [{"id": %s, "studyState": "FINISHED"}]}]}'
     % (b"9" * 308), b""),
])
def test_a_server_that_goes_on_or_breaks_off(tmp_path, monkeypatch, reply, end):
    monkeypatch.setattr(jatos_module, "_LONGEST", 0.3)
    with pytest.raises(DataError, match="JATOS study 7"):
        of(tmp_path, replying(reply, end=end))


@pytest.mark.parametrize("length", [b"Content-Length: 300\r\n", b""])
def test_a_part_of_a_file_is_not_noted_as_fetched(tmp_path, length):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as file:
        file.writestr("data.txt", "x" * 1000)
    one = b'{"data": [{"studyResults": [{"id": 1, "studyState": "FINISHED"}]}]}'
    source = replying(b"200 OK\r\n\r\n" + one,
                      b"200 OK\r\n" + length + b"\r\n" + packed.getvalue()[:200])
    with pytest.raises(DataError):
        of(tmp_path, source)
    assert not fetched(tmp_path, source)


def test_studies_do_not_share_a_folder():
    long = "https://jatos-of-a-long-name.psychology.example.org"
    addresses = [long, f"{long}/other", long.replace("-of", ".of")]
    assert len({JatosStudy(one, k).folder for one in addresses for k in (12, 13)}) == 6
    assert JatosStudy(f"{long}/jatos/", 12).folder == JatosStudy(long, 12).folder


def keeps_the_token(folder: Path) -> bool:
    return any(TOKEN.encode() in path.read_bytes() for path in folder.rglob("*") if path.is_file())


def test_only_what_has_finished_since_is_fetched(tmp_path, jatos):
    (first,) = of(tmp_path, jatos)
    Jatos.results[2] = "FINISHED"
    again, second = of(tmp_path, jatos, f" {TOKEN}\n")
    assert again == first
    assert first[0] == second[0], "it is the same file, with more in it"
    assert of(tmp_path, jatos) == [first, second], "nothing is new"
    assert [asked for asked in Jatos.asked if asked != {"studyIds": [7]}] == [
        {"studyResultIds": [1, 3]}, {"studyResultIds": [2]},
    ]
    log = fetched(tmp_path, jatos)
    assert [(one["results"], one["unfinished"]) for one in log] == [([1, 3], 1), ([2], 0)]
    assert not keeps_the_token(tmp_path)
    (file,) = (tmp_path / FETCHED).glob("*/log.json")
    for damaged in ('{"fetched": [{', '{"fetched": [{"results": [1], "file": "../../a.zip"}]}'):
        file.write_text(damaged)
        assert fetched(tmp_path, jatos) == []
    assert len(of(tmp_path, jatos)) == 1, "it begins anew"


def test_what_a_server_refuses_is_told_without_the_token(tmp_path, jatos):
    def refused(match: str, token: str = TOKEN, **how) -> None:
        with pytest.raises(DataError, match=match) as error:
            of(tmp_path, jatos, token, **how)
        assert token.strip() not in str(error.value)

    refused("refuses the token", "jap_another")
    refused("no token of JATOS", "jap_a\r\nX-Other: b")
    refused("more than 0 MB", most=10)
    Jatos.status = 302
    refused("status 302")  # and is followed nowhere
    Jatos.status, Jatos.results = 200, {1: "STARTED"}
    refused("no result has finished yet")
    with pytest.raises(Stopped):
        of(tmp_path, jatos, progress=lambda fraction, **_: True)
    assert not fetched(tmp_path, jatos)


@pytest.mark.parametrize(("address", "match"), [
    ("file:///etc/passwd", "no address"), ("https://a:b@jatos.org", "no address"),
    ("https://jatos.org?token=a", "no address"),
    ("https://jatos.org:x", "no address"), ("http://jatos.org", "unencrypted"),
])
def test_addresses_that_are_refused(tmp_path, monkeypatch, address, match):
    resolved(monkeypatch, "93.184.216.34")
    with pytest.raises(DataError, match=match):
        of(tmp_path, JatosStudy(address, 1))


def resolved(monkeypatch, *places: str) -> list[tuple[str, int]]:
    """Let a name stand for these, one after the other; where connections go then."""
    one, asked = iter(places), []

    def connect(place: tuple[str, int], *_: object) -> None:
        asked.append(place)
        raise ConnectionRefusedError

    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: [(0, 0, 0, "", (next(one), 443))])
    monkeypatch.setattr(socket, "create_connection", connect)
    monkeypatch.setattr(services_module, "_folder_of_script", lambda: None)
    return asked


@pytest.mark.parametrize("place", [
    "127.0.0.1", "10.1.2.3", "192.168.0.9", "169.254.169.254", "100.64.0.1", "0.0.0.0", "::1",
    "::ffff:127.0.0.1", "::127.0.0.1", "::ffff:0:10.0.0.1", "64:ff9b:1::7f00:1",
    "2001:0:7f00:1::80ff:fffe", "fec0::1", "fe80::1%eth0", "fd00::1", "224.0.0.1",
    "2002:7f00:1::", "64:ff9b::7f00:1",
])
def test_a_shared_server_reaches_no_address_of_its_network(tmp_path, monkeypatch, place):
    asked, study = resolved(monkeypatch, place), JatosStudy("https://one.example.org", 1)
    with pytest.raises(DataError, match="within this server's network"):
        of(tmp_path, study, is_shared=services_module.is_shared())
    assert not asked


def test_the_connection_goes_to_the_address_that_was_checked(tmp_path, monkeypatch):
    asked = resolved(monkeypatch, "93.184.216.34", "127.0.0.1")
    with pytest.raises(DataError, match="cannot be reached"):
        of(tmp_path, JatosStudy("https://two.example.org", 1), is_shared=True)
    assert asked == [("93.184.216.34", 443)]


def test_results_are_read_like_an_upload(services, jatos):
    for finished, n_answers in (({}, 12), ({2: "FINISHED"}, 18)):
        Jatos.results |= finished
        app = start()
        app.text_input(key="jatos.address").set_value(f"https://me:{TOKEN}@jatos.org").run()
        assert "no address" in words(app)
        app.text_input(key="jatos.address").set_value(jatos.address).run()
        app.number_input(key="jatos.study").set_value(7).run()
        assert ("2 new results, 1 not finished" in words(app)) == bool(finished)
        app.text_input(key="jatos.token").set_value(TOKEN).run()
        app.button(key="jatos.fetch").click().run()
        assert app.title[0].value.startswith("Reading localhost")
        next(b for b in app.button if b.label == "Keep this data set").click().run()
        assert not app.exception
        info = services.workspace.datasets()[0]
        assert (info.n_answers, info.origin) == (n_answers, jatos.name)
    assert not keeps_the_token(services.workspace.folder)
