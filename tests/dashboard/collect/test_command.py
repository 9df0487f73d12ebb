"""The command: starting, what it must not know, being killed, and its other options."""

from __future__ import annotations

import json
import logging
import os
import signal
import subprocess
import sys

import pytest

from tests.dashboard.collect.serving import Page, answer, asked, experiment_in
from tests.paths import ROOT
from tests.ports import taken_port
from tests.processes import has_ended, kill, listening
from tests.waiting import becomes
from tripletscope.core.studies.experiment.experiment import Experiment
from tripletscope.dashboard.collect import answer_log, command
from tripletscope.dashboard.collect.command import _Few
from tripletscope.dashboard.collect.running import NotStarted, running, start, stop
from tripletscope.dashboard.serve.cli import main, parser

#: Prints what is loaded when the server is ready, in place of serving.
LOADED = """
import sys
import uvicorn
uvicorn.Server.run = lambda self, sockets: print("LOADED", *sorted(sys.modules))
from tripletscope.dashboard.serve.cli import main
sys.exit(main(sys.argv[1:]))
"""


@pytest.fixture
def folder(tmp_path):
    return experiment_in(tmp_path / "experiment", salt="pepper", n_questions=200)


@pytest.fixture
def served(folder):
    found = start(folder)
    yield found
    stop(folder)


def port_of(server) -> int:
    return int(server.address.rstrip("/").rsplit(":", 1)[1])


def test_the_server_knows_nothing_of_the_dashboard(folder):
    done = subprocess.run(
        [sys.executable, "-c", LOADED, "collect", str(folder), "--port", "0"],
        capture_output=True, text=True, cwd=ROOT,
    )
    assert done.returncode == 0, done.stderr
    loaded = set(done.stdout.rpartition("LOADED ")[2].split())
    assert {"tripletscope.dashboard.collect.server", "starlette", "uvicorn"} <= loaded
    foreign = ("streamlit", "plotly", "kaleido", "pandas", "sklearn", "numba", "scipy")
    assert not loaded & {*foreign}
    own = {name for name in loaded if name.startswith("tripletscope.")}
    allowed = ("tripletscope.core", "tripletscope.dashboard.collect",
               "tripletscope.dashboard.serve", "tripletscope.dashboard.store")
    assert {name for name in own if not name.startswith(allowed)} == {
        "tripletscope._names", "tripletscope.dashboard", "tripletscope.dashboard.files",
        "tripletscope.dashboard.files.contents", "tripletscope.dashboard.sandbox",
        "tripletscope.dashboard.sandbox.outgoing",
    }
    assert {name for name in own if "dashboard.store." in name} == {
        "tripletscope.dashboard.store.holding"
    }, "which locks a folder"


def test_it_is_started_found_and_stopped(folder):
    assert running(folder) is None
    server = start(folder)
    try:
        assert running(folder) == server
        assert start(folder) == server, "there is one already"
        status, content, _ = asked(port_of(server), "/health")
        assert (status, json.loads(content)) == (200, {"instance": server.instance})
        assert listening(pid=server.process) == ["127.0.0.1"]
        Page(port_of(server)).begin()
    finally:
        stop(folder)
    assert running(folder) is None
    assert len(answer_log.people(folder)) == 1
    stop(folder)


def test_another_program_is_not_taken_for_the_server(folder, served, tmp_path):
    other = experiment_in(tmp_path / "other")
    (other / "server.json").write_text((folder / "server.json").read_text().replace(
        served.instance, "0" * 16
    ).replace(str(folder.resolve()), str(other.resolve())))
    assert running(other) is None
    stop(other)
    assert running(folder) == served


def test_one_experiment_has_one_server(folder, served, capsys):
    assert main(["collect", str(folder), "--port", "0"]) == 1
    said = capsys.readouterr().err
    assert "served already" in said
    assert served.address in said


def test_answers_outlive_a_server_that_is_killed(folder):
    """Three times here; benchmarks/collecting.py does it ten times under load."""
    page, confirmed, waiting = Page(0), [], None
    try:
        for turn in range(3):
            page.port = port_of(start(folder))
            assert page.begin()["state"] == ("going_on" if turn else "new")
            if waiting:  # one whose acknowledgement was lost, which the page sends again
                told = page.post("answers", answers=[waiting])[1]
                assert told["stored"] == [waiting["id"]]
            for _ in range(5):
                one = answer(page.next()[0]["key"])
                assert page.post("answers", answers=[one])[1]["stored"] == [one["id"]]
                confirmed.append(one["key"])
            waiting = answer(page.next()[0]["key"])
            confirmed.append(waiting["key"])
            assert page.post("answers", answers=[waiting])[0] == 200
            process = running(folder).process
            kill(process)
            assert has_ended(process)
    finally:
        stop(folder)
    assert [one.key for one in answer_log.records(folder)] == confirmed


def test_what_a_server_said_is_told_when_it_does_not_start(folder):
    with (
        taken_port() as port,
        pytest.raises(NotStarted, match=f"127.0.0.1:{port} is not available"),
    ):
        start(folder, port)


def test_it_ends_in_good_order(folder):
    server = start(folder)
    page = Page(port_of(server))
    page.begin()
    os.kill(server.process, signal.SIGINT)
    assert has_ended(server.process)
    assert "Traceback" not in (folder / "server.txt").read_text()
    assert not (folder / "answers.sqlite-wal").exists(), "the log is one file again"


def test_where_nothing_is_is_explained(tmp_path, capsys):
    assert main(["collect", str(tmp_path)]) == 1
    assert "there is no experiment here" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        main(["collect", str(tmp_path), "--port", "http"])
    assert "is not a port" in capsys.readouterr().err


def test_the_other_command_tells_of_this_one():
    assert "tripletscope collect --help" in parser().format_help()


def test_personal_data_from_the_command(folder, served, capsys):
    page = Page(port_of(served), "annabella")
    page.begin()
    page.answer(page.next()[0]["key"])

    def told(*options: str) -> tuple[int, str, str]:
        status = main(["collect", str(folder), *options])
        said = capsys.readouterr()
        return status, said.out, said.err

    assert "It is open: 1 participants, 0 finished" in told("--state")[1]
    kept = json.loads(told("--person", "annabella")[1])
    assert len(kept["answers"]) == 1
    assert told("--delete-person", "annabella")[0] == 0
    status, _, said = told("--delete-person", "annabella")
    assert (status, "no participant with this id" in said) == (1, True)
    assert told("--purge")[0] == 0


def test_a_day_that_has_passed_is_said_at_the_start(tmp_path, capsys):
    folder = experiment_in(tmp_path / "e", keep_until="2020-01-01")
    server = start(folder)
    try:
        Page(port_of(server)).begin()
        assert main(["collect", str(folder), "--state"]) == 0
        assert "Personal data are past their day of deletion" in capsys.readouterr().out
        stop(folder)
        start(folder)
        assert "--purge" in (folder / "server.txt").read_text()
    finally:
        stop(folder)


def test_a_chooser_of_questions_that_dies_is_begun_again(folder, monkeypatch):
    begun = []

    def chooser(of):
        begun.append(subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE,
                                      stderr=subprocess.DEVNULL))
        return begun[-1]

    monkeypatch.setattr(command, "_chooser", chooser)
    monkeypatch.setattr(command, "_AGAIN", 0.02)
    adaptive = Experiment.load(folder).changed(source="uncertain")
    with command.choosing_beside(folder, adaptive):
        begun[0].kill()
        assert becomes(lambda: len(begun) == 2)
    assert all(one.poll() is not None for one in begun), "none is left over"


def test_a_chooser_of_questions_that_stands_still_ends(folder, monkeypatch):
    begun = []

    def chooser(of):
        begun.append(subprocess.Popen(["sleep", "3600"], stdin=subprocess.PIPE))
        return begun[-1]

    monkeypatch.setattr(command, "_chooser", chooser)
    monkeypatch.setattr(command, "_DEAF", 0.02)
    with command.choosing_beside(folder, Experiment.load(folder).changed(source="uncertain")):
        pass
    assert begun[0].poll() is not None


def test_messages_of_a_log_are_limited():
    few = _Few()
    record = logging.makeLogRecord({"created": 0.0})
    assert sum(few.filter(record) for _ in range(500)) == 100
    assert few.filter(logging.makeLogRecord({"created": 3600.0})), "in the next hour again"
