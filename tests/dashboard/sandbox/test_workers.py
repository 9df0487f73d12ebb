"""Processes that read files: what they can do, what they cannot, and how they end."""

from __future__ import annotations

import platform
import re
import subprocess
import sys
import threading
from functools import partial

import pytest

from tests.core.reading.test_encodings import NAMES, file_of
from tests.core.reading.test_hostile import GOOD
from tests.dashboard.sandbox import harm
from tests.dashboard.upload.uploads import asked
from tests.paths import ROOT
from tests.processes import has_ended
from tests.waiting import becomes
from tripletscope.core.data.errors import DataError
from tripletscope.core.engine.progress import Stopped
from tripletscope.core.reading import MatrixGiven, load, propose
from tripletscope.core.reading.formats.encoding import ENCODINGS
from tripletscope.core.reading.interpretation.interpret import interpret
from tripletscope.core.reading.interpretation.proposal import NO_READING
from tripletscope.core.studies.quality.direction import direction_test
from tripletscope.dashboard.jobs import child
from tripletscope.dashboard.sandbox import workers as module
from tripletscope.dashboard.sandbox.records import PREVIEW
from tripletscope.dashboard.sandbox.workers import Gone, Worker, Workers, workers

needs_limits = pytest.mark.skipif(sys.platform != "linux", reason="only Linux has all limits")
needs_calls = pytest.mark.skipif(
    sys.platform != "linux" or platform.machine() not in ("x86_64", "aarch64"),
    reason="only Linux on x86-64 and 64-bit ARM has a filter of calls here",
)


@pytest.fixture
def reader():
    """A process that reads, as the server has them."""
    found = workers().take(lambda: True)
    yield found
    found.close()


@pytest.fixture
def strays(monkeypatch) -> Workers:
    """Processes that do harm, of which the server knows nothing."""
    monkeypatch.setattr(module, "READER", harm.__name__)
    own = Workers()
    yield own
    own.close()


@pytest.fixture
def astray(strays):
    return strays.take(lambda: True)


def gone(worker: Worker) -> bool:
    return becomes(lambda: not worker.alive)


@pytest.mark.parametrize("path", sorted(
    [*(ROOT / "tests" / "fixtures" / "formats").iterdir(),
     ROOT / "sample_data" / "alien_eggs" / "responses.csv"]
), ids=lambda path: path.name)
def test_what_a_process_reads_is_what_there_is(reader, path):
    content = path.read_bytes()
    table = load(content, path.name)
    readings = propose(table, insist=True)
    ask = partial(asked, reader, name=path.name, content=content)
    proposals = ask("propose", known=[], insist=True)
    assert (proposals.readings, proposals.asked) == (readings, [])
    assert ask("open").sheet.columns == table.columns
    if readings[0].layout == NO_READING.layout:
        return  # a table of something else
    expected = interpret(table, readings[0])
    answers = ask("answers", reading=readings[0])
    assert answers.triplets.fingerprint == expected.triplets.fingerprint
    assert answers.report == expected.report.summary()
    look = ask("look", reading=readings[0])
    assert [s.text for s in look.sentences] == [s.text for s in expected.sentences(3)]
    test = ask("direction", reading=readings[0])
    assert test.accuracy.tolist() == direction_test(table, readings[0]).accuracy.tolist()


def test_statistics_files_are_read_without_rights_as_they_are_elsewhere(reader):
    """Also their encodings, whose converters are files that cannot be opened any more."""
    n_read = 0
    for path in sorted((ROOT / "tests" / "fixtures" / "statistics").iterdir()):
        if path.suffix in (".R", ".py"):
            continue
        content = path.read_bytes()
        try:
            table = load(content, path.name)
        except DataError as error:
            with pytest.raises(DataError, match=re.escape(str(error))):
                asked(reader, "open", path.name, content)
            continue
        sheet = asked(reader, "open", path.name, content).sheet
        assert (sheet.columns, sheet.notes) == (table.columns, table.notes)
        expected = table.preview(PREVIEW)
        assert sheet.cells == [
            expected[column].str.slice(0, 1_000).tolist() for column in table.columns
        ]
        n_read += 1
    assert n_read > 35


@pytest.mark.parametrize("encoding", NAMES)
def test_names_are_guessed_in_every_encoding(reader, encoding):
    content = file_of(NAMES[encoding], encoding)
    found = asked(reader, "open", "a.csv", content)
    assert found.sheet.encoding == encoding
    assert set(found.sheet.examples) <= set(NAMES[encoding].split())
    shape = {"header": True, "delimiter": ",", "encoding": "koi8-r"}
    other = asked(reader, "open", "a.csv", content, shape=shape)
    assert other.sheet.encoding == "koi8-r"
    assert other.sheet.examples
    assert not set(other.sheet.examples) & set(NAMES[encoding].split())


def test_text_is_read_in_every_encoding_that_is_recognised(reader):
    text = "anchor,near,far\n" + "a,b,c\nb,a,c\n" * 20
    for encoding in ENCODINGS:
        assert asked(reader, "open", "a.csv", text.encode(encoding)).sheet.columns[0] == "anchor"
        shape = {"header": True, "delimiter": ",", "encoding": encoding}
        other = asked(reader, "open", "a.csv", text.encode(encoding), shape=shape)
        assert other.sheet.encoding == encoding
    with pytest.raises(DataError, match="not text"):
        asked(reader, "open", "a.csv", b"a,b,c\n\x81\xff\x00\n")


def test_errors_of_a_file_come_back_as_they_are(reader):
    with pytest.raises(DataError, match=r"a\.csv: this is a PNG picture"):
        asked(reader, "open", "a.csv", b"\x89PNG\r\n\x1a\n")
    square = b"\n".join(b",".join(b"%d" % abs(i - j) for j in range(6)) for i in range(6))
    with pytest.raises(MatrixGiven, match="a matrix of dissimilarities"):
        asked(reader, "propose", "m.csv", square, known=[], insist=False)
    assert asked(reader, "open", "a.csv", GOOD).sheet, "it goes on"


def test_progress_is_reported_and_stops(reader):
    content = b"head,winner,loser\n" + b"cat,dog,car\nfox,elk,cow\n" * 700_000
    seen = []
    asked(reader, "open", "a.csv", content, progress=lambda fraction: seen.append(fraction))
    assert seen == sorted(seen)
    assert len(set(seen)) > 3
    with pytest.raises(Stopped):
        asked(reader, "open", "b.csv", content, progress=lambda _: True)


def test_a_page_that_ends_while_it_waits_ends_nothing_else(reader):
    class Left(BaseException):
        pass

    def leave(fraction: float) -> None:
        raise Left

    reader.reserved = False
    content = b"head,winner,loser\n" + b"cat,dog,car\nfox,elk,cow\n" * 700_000
    for _ in range(module._LINES + 1):
        with pytest.raises(Left):
            asked(reader, "open", "a.csv", content, progress=leave)
    assert asked(reader, "open", "b.csv", GOOD).sheet
    assert becomes(lambda: not reader.busy), "what was asked is not stopped"
    assert reader.alive


def test_two_things_can_be_asked_at_once(reader):
    content = (ROOT / "sample_data" / "alien_eggs" / "responses.csv").read_bytes()
    ask = partial(asked, reader, name="a.csv", content=content)
    reading = ask("propose", known=[], insist=False).readings[0]
    tests = []
    thread = threading.Thread(
        target=lambda: tests.append(ask("direction", reading=reading)), daemon=True
    )
    thread.start()
    assert ask("look", reading=reading).report
    thread.join(300)
    assert tests


@needs_limits
@pytest.mark.parametrize("name", ["passwords", "write", "network", "more", "another"])
def test_a_process_that_was_led_astray_reaches_nothing(astray, name):
    with pytest.raises(DataError, match="the program failed to read it"):
        astray.ask("objects", file="a.csv", name=name, content=b"")


@needs_calls
@pytest.mark.parametrize("name", [
    "grandchild", "program", "kill", "signal_thread", "write_memory", "trace", "limit_others",
])
def test_a_process_reaches_no_other_process(astray, name, caplog):
    with pytest.raises(DataError, match="the program failed to read it"):
        astray.ask("objects", file="a.csv", name=name, content=b"")
    assert "PermissionError" in caplog.text


@needs_calls
@pytest.mark.parametrize("name", harm.TO_FILES)
def test_a_process_changes_no_file(astray, name, tmp_path, caplog):
    file = tmp_path / "answers.csv"
    file.write_text("a,b,c")
    before = file.stat()
    with pytest.raises(DataError, match="the program failed to read it"):
        astray.ask("objects", file="a.csv", name=name, content=str(file).encode())
    assert "PermissionError" in caplog.text
    assert [path.name for path in tmp_path.iterdir()] == [file.name]
    assert file.read_text() == "a,b,c"
    assert (file.stat().st_mode, file.stat().st_mtime) == (before.st_mode, before.st_mtime)


def test_threads_of_libraries_still_work(astray):
    assert astray.ask("objects", file="a.csv", name="threads", content=b"") == "done"


@needs_calls
def test_the_memory_of_the_server_is_for_itself():
    """Also where no filter keeps a reader from asking: no process of the account may."""
    asked = (
        "import ctypes; from tripletscope.dashboard.sandbox.limits import hide_memory;"
        "hide_memory(); print(ctypes.CDLL(None).prctl(3, 0, 0, 0, 0))"  # PR_GET_DUMPABLE
    )
    ended = subprocess.run([sys.executable, "-c", asked], cwd=ROOT, capture_output=True, text=True)
    assert ended.stdout == "0\n", ended.stderr


@needs_limits
def test_a_process_gets_no_more_memory_than_its_own(astray):
    with pytest.raises(DataError, match=r"a\.csv: there is not enough memory to read it\. Upl"):
        astray.ask("objects", file="a.csv", name="memory", content=b"")


@needs_limits
def test_a_process_that_crashes_takes_nothing_with_it(astray):
    with pytest.raises(DataError, match=r"a\.csv: the file is damaged, or .* Upload a small"):
        astray.ask("objects", file="a.csv", name="crash", content=b"")
    with pytest.raises(Gone):
        astray.ask("objects", file="a.csv", name="crash", content=b"")


def test_a_process_that_does_not_end_is_ended(astray):
    with pytest.raises(DataError, match=r"a\.csv: reading took too long and was stopped"):
        astray.ask("objects", file="a.csv", name="forever", content=b"", patience=1.0)
    assert gone(astray)


def test_cancelling_ends_a_process_that_does_not_listen(astray):
    with pytest.raises(Stopped):
        astray.ask(
            "objects", file="a.csv", name="forever", content=b"", progress=lambda fraction: True
        )
    assert gone(astray)


@pytest.mark.parametrize("ending", ["it is given up", "it takes too long"])
def test_the_end_of_one_request_is_not_that_of_others(strays, monkeypatch, ending):
    """They are asked again: giving up one direction test ended the next one without a word."""
    takers, take = [], strays.take

    def noting(wanted, about):
        worker = take(wanted, about)
        takers.append((threading.current_thread().name, worker.pid))
        return worker

    monkeypatch.setattr(strays, "take", noting)

    def ask(progress, patience=None):
        return strays.ask(
            "objects", "upload", file="a.csv", contents=lambda key: [], wanted=lambda: True,
            name="forever", content=b"", progress=progress, patience=patience,
        )

    def asked_by_other() -> list[int]:
        return [pid for name, pid in takers if name == "other"]

    begun, ends = threading.Event(), []

    def other() -> None:
        def progress(fraction: float) -> bool:
            begun.set()
            return len(asked_by_other()) > 1
        try:
            ask(progress)
        except (DataError, Stopped) as error:
            ends.append(error)

    thread = threading.Thread(target=other, name="other", daemon=True)
    thread.start()
    assert begun.wait(300)
    if ending == "it is given up":
        with pytest.raises(Stopped):
            ask(lambda fraction: True)
    else:
        with pytest.raises(DataError, match="took too long"):
            ask(lambda fraction: False, patience=1.0)
    thread.join(300)
    assert isinstance(ends[0], Stopped), "as it was at last"
    first, second = asked_by_other()
    assert first != second, "it was asked again"


@needs_limits
@pytest.mark.parametrize("name", ["nonsense", "too_long"])
def test_nonsense_ends_the_conversation(astray, name, monkeypatch):
    """Bytes that are no message, wherever answers go: it is not listened to any more."""
    monkeypatch.setattr(module, "_LONGEST", 2**20)
    given = {"file": "a.csv", "name": name, "content": b"", "patience": 5.0}
    with pytest.raises(DataError, match="reading it takes too much memory"):
        astray.ask("objects", **given)
    with pytest.raises(Gone):
        astray.ask("objects", **given)


def test_more_can_be_asked_at_once_than_there_are_lines(monkeypatch):
    monkeypatch.setattr(module, "_LINES", 1)
    own = Workers()
    reader = own.take(lambda: True)
    try:
        ask = partial(asked, reader, name="a.csv", content=GOOD)
        reading = ask("propose", known=[], insist=False).readings[0]
        looks = []
        threads = [threading.Thread(
            target=lambda: looks.append(ask("look", reading=reading)), daemon=True
        ) for _ in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(300)
        assert len(looks) == 3
    finally:
        own.close()


@needs_limits
def test_a_process_has_nothing_open_but_its_lines(astray):
    """Through others it could reach what helps `multiprocessing`, which removes what it is told."""
    answer = astray.ask("objects", file="a.csv", name="descriptors", content=b"")
    assert answer == "done"


def test_processes_that_nobody_wants_any_more_are_ended():
    own, wanted = Workers(), True
    try:
        worker = own.take(lambda: wanted)
        own.dismiss_unwanted()
        assert worker.alive
        wanted = False
        own.dismiss_unwanted()
        assert gone(worker)
        assert own.take(lambda: True).alive
    finally:
        own.close()


@needs_limits
def test_a_template_that_has_ended_is_replaced(strays):
    first = strays.take(lambda: True)
    child.end_template()
    assert becomes(lambda: not first.alive), "whose template has ended seems to have ended"
    second = strays.take(lambda: True)
    assert second.ask("objects", file="a.csv", name="threads", content=b"") == "done"
    strays.close()
    assert has_ended(first.pid, second.pid)


def test_without_copies_one_is_kept_ready(strays, monkeypatch):
    monkeypatch.setattr(child, "COPIES", False)
    first, ready = strays.take(lambda: True), strays._source._spare.pid
    assert first.alive
    monkeypatch.setattr(strays._source, "warm", lambda: None)
    second = strays.take(lambda: True)
    assert second.pid == ready
    third = strays.take(lambda: True)
    assert third.alive
    assert third.pid != ready, "another upload has taken the one that was ready"
    strays.close()
    assert gone(second)


def test_there_are_never_more_than_a_few(strays, monkeypatch):
    monkeypatch.setattr(module, "_AT_MOST", 2)
    three = []
    for _ in range(3):
        three.append(strays.take(lambda: True))
        three[-1].reserved = False
    assert [worker.alive for worker in three] == [False, True, True]


def test_a_process_ends_with_whoever_started_it(reader):
    reader._lines.get().close()
    assert gone(reader)
