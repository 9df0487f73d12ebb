"""The console command, and what its server promises to those who watch it."""

from __future__ import annotations

import http.client
import json
import os
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

import pytest

from tests.paths import ROOT
from tests.ports import free_port, taken_port
from tests.processes import has_ended, listening, masks_of, started_by
from tests.server import COMMAND, WATCHED, printed_address, running, wait_until_up
from tests.waiting import PATIENCE, becomes
from tripletscope.dashboard.jobs import prepare
from tripletscope.dashboard.serve import cli
from tripletscope.dashboard.serve.cli import main, parser
from tripletscope.dashboard.store import services
from tripletscope.dashboard.store.services import WORKSPACE_VARIABLE


def get(address: str, **headers: str):
    request = urllib.request.Request(address, headers=headers)
    return urllib.request.urlopen(request, timeout=PATIENCE)


def test_help_names_every_option_and_promise():
    text = parser().format_help()
    for word in ("--port", "--workspace", "--open", "--no-open", "--no-key", "127.0.0.1",
                 "500 MB"):
        assert word in text


@pytest.mark.parametrize("port", ["0", "65536", "http", "-1"])
def test_a_bad_port_is_explained(port, capsys):
    with pytest.raises(SystemExit):
        parser().parse_args([f"--port={port}"])
    assert "is not a port" in capsys.readouterr().err


@pytest.mark.parametrize("host", [
    "https://scope.example.org", "scope.example.org/path", "a b", "", "*", "host:port", "host:0",
    "host:65536", "you@host", "[::1]:80",
])
def test_a_bad_host_is_explained(host, capsys):
    with pytest.raises(SystemExit):
        parser().parse_args([f"--host={host}"])
    message = capsys.readouterr().err
    assert "is not the name of a host" in message or "is not a port" in message
    assert "Traceback" not in message


def test_a_taken_port_is_explained(capsys, tmp_path):
    with taken_port() as port:
        assert main(["--port", str(port), "--workspace", str(tmp_path), "--no-open"]) == 1
    message = capsys.readouterr().err
    assert f"port {port} is already in use" in message
    assert f"--port {port + 1}" in message
    assert "Traceback" not in message


@pytest.fixture
def here(monkeypatch):
    """The command in this process, as far as it comes without a server; nothing of it stays."""
    for name in (WORKSPACE_VARIABLE, "TRIPLETSCOPE_ENGINE", "NUMBA_CACHE_DIR"):
        monkeypatch.setenv(name, os.environ.get(name, ""))
        if not os.environ[name]:
            monkeypatch.delenv(name)
    services._services.cache_clear()
    yield lambda *arguments: main([*arguments, "--port", str(free_port()), "--no-open"])
    services._services.cache_clear()


def test_an_unusable_workspace_is_explained(tmp_path, here, capsys):
    file = tmp_path / "file"
    file.write_text("")
    assert here("--workspace", str(file)) == 1
    message = capsys.readouterr().err
    assert "cannot be written" in message
    assert "Traceback" not in message


@pytest.mark.parametrize(("engine", "gigabytes", "message"), [
    ("fast", "1", "There is no engine “fast”"),
    ("threads", "much", "TRIPLETSCOPE_JOB_MEMORY must be a number of gigabytes, not 'much'"),
])
def test_where_nothing_could_be_computed_is_explained(
    tmp_path, here, capsys, monkeypatch, engine, gigabytes, message
):
    monkeypatch.setenv("TRIPLETSCOPE_JOB_MEMORY", gigabytes)
    assert here("--workspace", str(tmp_path), "--engine", engine) == 1
    (said,) = capsys.readouterr().err.splitlines()
    assert message in said


@pytest.mark.skipif(sys.platform == "win32", reason="Windows keeps a user's folders to the user")
def test_what_is_kept_is_for_this_account_alone(tmp_path):
    """Whoever starts the command: files, and what its processes will write."""
    folder = tmp_path / "ws"
    others = started_by()  # in tests before this one
    before = os.umask(0o022)
    try:
        with running(folder):
            there = [folder, *folder.rglob("*")]
            assert len(there) >= 3
            assert not [path for path in there if path.lstat().st_mode & 0o077]
            if sys.platform == "linux":
                masks = list(masks_of(started_by() - others))
                assert len(masks) >= 2
                assert set(masks) == {"0077"}
        assert main(["collect", str(tmp_path / "none")]) == 1
        assert os.umask(0o022) == 0o077
    finally:
        os.umask(before)


def test_nothing_is_said_before_the_server_is_up(tmp_path):
    """No warning of a library on the console at each start."""
    asked = "import tripletscope.dashboard.serve.server"
    done = subprocess.run([sys.executable, "-c", asked], cwd=ROOT, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


def test_the_server_is_up_before_what_computes_is_loaded():
    code = (
        "import sys, tripletscope.dashboard.serve.server\n"
        "print({'sklearn', 'numba', 'scipy.stats'} & {*sys.modules})"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT)
    assert done.stdout == "set()\n", done.stderr


@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGINT])
def test_processes_end_with_the_server(tmp_path, end):
    process = subprocess.Popen(
        [*COMMAND, "--port", str(free_port()), "--workspace", str(tmp_path), "--no-open",
         "--no-key"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    )
    try:
        wait_until_up(printed_address(process), process)
        assert becomes(lambda: len(started_by(process.pid)) >= 2), "the template, and its helper"
        started = started_by(process.pid)
        process.send_signal(end)
        # What is getting ready looks for its server at the end of that.
        assert has_ended(*started)
        process.wait(PATIENCE)
    finally:
        process.kill()


def test_serves_this_machine_only(address):
    port = int(address.rsplit(":", 1)[1])
    assert listening(port) == ["127.0.0.1"]


def test_other_host_names_are_refused(address):
    with pytest.raises(urllib.error.HTTPError) as caught:
        get(address, Host="example.org")
    assert caught.value.code in (400, 403)


def knock(port: int, host: str, origin: str | None) -> http.client.HTTPConnection:
    """Ask for a websocket; its status comes when it is asked for."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
    connection.request("GET", "/_stcore/stream", headers={
        "Host": host, "Connection": "Upgrade", "Upgrade": "websocket",
        "Sec-WebSocket-Version": "13", "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
        **({"Origin": origin} if origin else {}),
    })
    return connection


def handshake(port: int, host: str, origin: str | None) -> int:
    """Status of a websocket's opening."""
    return knock(port, host, origin).getresponse().status


def test_a_foreign_page_is_refused_without_a_question_to_anybody(tmp_path):
    asked = tmp_path / "asked"
    more = ["--host", "scope.example.org"]
    with running(tmp_path / "ws", more=more, command=[*WATCHED, str(asked)]) as address:
        port = int(address.rsplit(":", 1)[1])
        own = f"localhost:{port}"
        origins = ["https://elsewhere.org", f"http://localhost:{port + 1}", "http://localhost",
                   "null", f"http://{own}.elsewhere.org", "http://10.0.0.1", f"ftp://{own}"]
        foreign = [knock(port, own, origin) for origin in origins]
        for origin in (f"http://{own}", f"http://127.0.0.1:{port}", None):
            assert handshake(port, own, origin) == 101, "and all others are answered meanwhile"
        assert get(address, Host="scope.example.org").status == 200
        assert handshake(port, "scope.example.org", "https://scope.example.org") == 101
        # Also where a proxy does not hand the name on.
        assert handshake(port, own, "https://scope.example.org") == 101
        assert handshake(port, "scope.example.org", "https://elsewhere.org") in (400, 403)
        assert handshake(port, "elsewhere.org", "https://elsewhere.org") in (400, 403)
        assert [connection.getresponse().status for connection in foreign] == [403] * len(origins)
        for path in ("", "/tripletscope/health", "/tripletscope/pictures/a.png"):
            with pytest.raises(urllib.error.HTTPError) as caught:
                get(address + path, Origin="https://elsewhere.org")
            assert caught.value.code == 403
        assert get(address, Origin=f"http://{own}").status == 200
    assert not asked.exists(), asked.read_text()


def test_plotly_is_served_for_good(address):
    from plotly.offline import get_plotlyjs_version

    response = get(f"{address}/tripletscope/plotly-{get_plotlyjs_version()}.min.js")
    assert "immutable" in response.headers["cache-control"]
    assert b"plotly.js" in response.read(200)


@pytest.mark.parametrize(
    "path", ["nothing.png", "opened.json", "a/about.json", "a/b.png?size=9999999", "a/b.png?size=x"]
)
def test_only_pictures_are_served(address, path):
    with pytest.raises(urllib.error.HTTPError) as caught:
        get(f"{address}/tripletscope/pictures/{path}")
    assert caught.value.code == 404


@pytest.mark.parametrize("way", ["..%2Fopened.json", "../opened.json", "%2e%2e%2f"])
def test_no_way_leads_out_of_the_pictures(address, way):
    connection = http.client.HTTPConnection(address.removeprefix("http://"), timeout=PATIENCE)
    connection.request("GET", f"/tripletscope/pictures/{way}")
    response = connection.getresponse()
    assert response.status in (400, 404) or response.read().startswith(b"<!doctype html>")


def test_telemetry_is_off_the_upload_limit_is_set_and_chosen_tabs_are_not_logged(address):
    done = subprocess.run(
        [*COMMAND[:1], "-c", "import sys; from tripletscope.dashboard.serve.server import APP; "
         "sys.argv = [str(APP)]; "
         "import streamlit.config as c; c._main_script_path = str(APP); c.get_config_options(True);"
         "import json; print(json.dumps([c.get_option(o) for o in ('browser.gatherUsageStats', "
         "'server.maxUploadSize', 'client.showErrorDetails', 'server.address', "
         "'global.disableWidgetStateDuplicationWarning', 'runner.magicEnabled')]))"],
        capture_output=True, text=True,
    )
    assert json.loads(done.stdout) == [
        False, 500, "none", "127.0.0.1", True, False
    ]


def test_nobody_else_sees_the_key_that_a_browser_is_started_with(tmp_path, monkeypatch):
    monkeypatch.setattr(cli.Path, "home", lambda: tmp_path)
    page = "http://localhost:1/?sample=x&key=secret"
    with cli._leading_to(page) as file:
        assert "secret" not in file.as_uri()
        assert "url=http://localhost:1/?sample=x&amp;key=secret" in file.read_text()
        assert file.stat().st_mode & 0o077 == 0
    assert list(tmp_path.iterdir()) == []


def test_the_command_prepares_everything(monkeypatch):
    """Parts run in the processes that compute, too, and whole before `make test`."""
    prepared = []
    monkeypatch.setattr(prepare, "PARTS", [lambda: prepared.append(True)])
    monkeypatch.setattr(prepare, "forget_what_stays", lambda: None)
    assert main(["--prepare"]) == 0
    assert prepared == [True]


def test_compiled_code_of_another_state_of_the_source_is_not_read(tmp_path, monkeypatch):
    """It names classes; where these were renamed it could not even be recognised as old."""
    folders = []
    for size in (1, 1, 2):
        (tmp_path / "core").mkdir(exist_ok=True)
        (tmp_path / "core" / "a.py").write_text("#" * size)
        os.utime(tmp_path / "core" / "a.py", ns=(0, 0))
        monkeypatch.setattr(cli, "__file__", str(tmp_path / "dashboard" / "serve" / "cli.py"))
        folders.append(cli._state_of_the_source())
    assert folders[0] == folders[1] != folders[2]


def test_compiled_code_that_nothing_uses_goes_after_a_month(tmp_path, monkeypatch):
    for name in ("compiled-now", "compiled-lately", "compiled-once", "another"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "code.nbc").write_bytes(b"")
    for name, days in (("compiled-now", 40), ("compiled-lately", 20), ("compiled-once", 40)):
        moment = time.time() - days * 24 * 3600
        os.utime(tmp_path / name, (moment, moment))
    monkeypatch.setenv("NUMBA_CACHE_DIR", "elsewhere")
    monkeypatch.setattr(cli, "compiled_folder", lambda: tmp_path / "compiled-now")
    cli._choose_cache()
    assert {path.name for path in tmp_path.iterdir()} == {
        "compiled-now", "compiled-lately", "another"
    }


def test_compiled_code_that_another_process_removes_just_now_is_kept_elsewhere(
    tmp_path, monkeypatch
):
    def gone(path):
        raise FileNotFoundError(path)

    monkeypatch.setenv("NUMBA_CACHE_DIR", "")
    monkeypatch.delenv("NUMBA_CACHE_DIR")
    monkeypatch.setattr(cli, "compiled_folder", lambda: tmp_path / "compiled-now")
    monkeypatch.setattr(cli.os, "utime", gone)
    cli._choose_cache()
    assert Path(os.environ["NUMBA_CACHE_DIR"]).name == "tripletscope-compiled-now"


def test_a_second_server_on_a_workspace_is_told_of_the_first(address, workspace, here, capsys):
    assert here("--workspace", str(workspace)) == 1
    (said,) = capsys.readouterr().err.splitlines()
    assert f"at {address}" in said
