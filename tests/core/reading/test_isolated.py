"""The process that reads files of statistics programs: it may end, hang, grow and be used again."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from tests.core.reading import strays
from tests.paths import FIXTURES, ROOT
from tests.waiting import PATIENCE
from tripletscope.core.data.errors import DataError
from tripletscope.core.engine.import_path import import_path
from tripletscope.core.engine.progress import Stopped, silent
from tripletscope.core.reading import load
from tripletscope.core.reading.formats import isolated
from tripletscope.core.reading.formats.isolated import isolated_table
from tripletscope.core.reading.formats.source import unpacked
from tripletscope.core.reading.formats.statistics import read_statistics

SAVED = FIXTURES / "statistics"


@pytest.fixture
def astray(monkeypatch):
    """Readings by processes that do what the file says."""
    monkeypatch.setattr(isolated, "READER", strays.__name__)
    monkeypatch.setattr(isolated, "_idle", [])
    yield lambda what, **given: isolated_table(what.encode(), "R", "a.rds", **given)
    isolated._end()


def used(table) -> tuple[int, int]:
    """Number of files that the process has read, and its number."""
    return table.columns["n"][0].as_py(), table.columns["pid"][0].as_py()


@pytest.mark.parametrize("how", ["abort", "crash", "end"])
def test_a_reader_that_ends_is_an_error_of_the_file(astray, how):
    with pytest.raises(DataError, match=r"^a\.rds: the file of R is damaged, or .*CSV\.$") as error:
        astray(how)
    assert error.value.file == "a.rds"
    assert used(astray("nothing"))[0] == 1  # by another one


def test_a_process_reads_many_files(astray):
    number, pid = used(astray("nothing"))
    with pytest.raises(DataError, match=r"^a\.rds: it is not to be read\. Read another\.$"):
        astray("refuse")
    assert used(astray("nothing")) == (number + 2, pid) == (3, pid)
    assert not hasattr(os, "getpgid") or os.getpgid(pid)


def test_a_file_is_read_again_where_earlier_ones_may_have_been_the_reason(astray):
    _, first = used(astray("nothing"))
    number, second = used(astray("abort_if_used"))
    assert number == 1
    assert first != second


def test_a_reader_that_hangs_is_ended(astray):
    _, pid = used(astray("nothing"))
    with pytest.raises(DataError, match=r"^a\.rds: reading took too long and was stopped\."):
        astray("forever", patience=0.2)
    assert used(astray("nothing"))[1] != pid


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux keeps to the limit")
def test_a_reader_that_takes_too_much_memory_is_stopped(astray):
    with pytest.raises(DataError, match=r"^a\.rds: there is not enough memory to read it\."):
        astray("memory")


def test_a_library_that_is_missing_is_no_damage_of_the_file(astray):
    with pytest.raises(ImportError, match="No module named 'rdata'"):
        astray("lack")


def test_a_process_that_does_not_start_is_no_damage_of_the_file(monkeypatch):
    monkeypatch.setattr(isolated, "READER", "tripletscope.nowhere")
    monkeypatch.setattr(isolated, "_idle", [])
    content = (SAVED / "labels.sav").read_bytes()
    with pytest.raises(isolated.ReaderError, match=r"does not start; python -m tripletscope\.now"):
        isolated_table(content, "SPSS", "labels.sav")


@pytest.mark.skipif(os.name != "posix", reason="the library of C has another name")
def test_a_reader_ends_by_itself_where_nobody_is_left_to_end_it(astray):
    """Also in code of C that lets no other thread of Python run."""
    reader = isolated._Reader()
    head = {"program": "R", "name": "a.rds", "patience": 0.1}
    answers = []
    reader._exchange(head, b"hold", answers)
    assert not answers
    assert reader._process.wait(PATIENCE) == 1
    reader.close()


def test_what_a_library_prints_is_no_answer(astray, capfd):
    assert used(astray("chatter"))[0] == 1
    assert capfd.readouterr() == ("", "")


def test_a_wish_to_stop_ends_the_reader(astray):
    with pytest.raises(Stopped):
        astray("forever", progress=lambda fraction: True)
    assert not isolated._idle


def test_a_long_file_is_sent_and_read(astray):
    assert used(astray("x" * 2**24 + " nothing"))[0] == 1


def test_threads_read_at_once_and_one_process_stays(astray):
    found: list[int] = []

    def read() -> None:
        found.append(used(astray("nothing"))[1])

    threads = [threading.Thread(target=read, daemon=True) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 4
    assert len(isolated._idle) == 1
    (kept,) = isolated._idle
    isolated._dismiss(kept)
    assert not isolated._idle
    assert not kept.alive


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are not copied here")
def test_a_copy_of_this_process_has_a_reader_of_its_own(astray):
    _, pid = used(astray("nothing"))
    copy = os.fork()
    if not copy:
        os._exit(len(isolated._idle))
    assert os.waitpid(copy, 0)[1] == 0
    assert used(astray("nothing"))[1] == pid


def test_an_isolated_process_starts_no_other(monkeypatch):
    monkeypatch.setattr(isolated, "_is_isolated", True)
    monkeypatch.setattr(isolated, "_Reader", None)
    monkeypatch.setattr(isolated, "_idle", [])
    content = (SAVED / "labels.sav").read_bytes()
    table = isolated_table(content, "SPSS", "labels.sav", silent)
    assert table.columns["near"].to_pylist() == ["Apfel", "Birne", "Pflaume", "Apfel"]


def test_a_script_needs_no_guard(tmp_path):
    """It is not run again by the process that reads."""
    script = tmp_path / "script.py"
    script.write_text(
        f"import tripletscope as ts\nprint(ts.read({str(SAVED / 'xdr3.rds')!r}))\n"
    )
    # A module beside the script would be taken for one that the reader needs.
    (tmp_path / "json.py").write_text("raise SystemExit('not this one')")
    ran = subprocess.run(
        [sys.executable, "-P", str(script)], cwd=tmp_path, capture_output=True, text=True,
        check=True, env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    assert ran.stdout == "<Triplets 'xdr3': 1 answers on 3 objects>\n"
    assert ran.stderr == ""


def test_the_process_loads_only_what_it_needs():
    """What takes seconds to load is not among it."""
    program = (
        "import sys\n"
        "from tripletscope.core.reading.formats import reader\n"
        f"content = open({str(SAVED / 'labels.sav')!r}, 'rb').read()\n"
        "head, body = reader._answer(content, 'SPSS', 'a.sav')\n"
        "print(len(body) > 0, *sorted({name.partition('.')[0] for name in sys.modules}))\n"
    )
    ran = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    made, *loaded = ran.stdout.split()
    assert made == "True"
    assert "pyreadstat" in loaded
    assert not {"numba", "scipy", "sklearn", "rdata", "streamlit"} & {*loaded}


def test_the_columns_of_a_file_are_those_that_were_read():
    """They come through the other process as they are made there."""
    for name, program in (("labels.sav", "SPSS"), ("kinds.rds", "R"), ("same_names.rds", "R")):
        content, _ = unpacked(SAVED / name)[0]
        here = read_statistics(content, program, name)
        there = isolated_table(content, program, name)
        assert there.columns.equals(here.columns)
        assert (there.notes, there.omitted) == (here.notes, here.omitted)
    assert load(SAVED / "labels.sav").columns[3] == "Größe"


def test_many_files_leave_no_threads(astray):
    before = threading.active_count()
    for _ in range(20):
        astray("nothing")
    assert threading.active_count() <= before + 2


def test_whatever_is_on_the_path_of_imports(astray, monkeypatch):
    """Python ignores what is no text there."""
    monkeypatch.setattr(sys, "path", [*sys.path, Path("elsewhere"), ""])
    for reader in list(isolated._idle):
        isolated._dismiss(reader)
    assert astray("nothing")
    assert all(map(os.path.isabs, import_path()))
