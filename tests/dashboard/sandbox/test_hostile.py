"""Hostile files through a real reader: each is read or refused with a sentence, none ends it."""

from __future__ import annotations

import logging
import sys

import pytest

from tests.core.reading.hostile import HOSTILE
from tests.core.reading.hostile.making import GOOD
from tests.dashboard.upload.uploads import asked
from tripletscope.core.data.errors import DataError
from tripletscope.dashboard.sandbox.workers import workers

#: What is said where a reader has ended, or was ended, or has no memory left.
_ENDED = ("reading it takes too much memory", "took too long", "not enough memory")
#: Those that take half a second or more to make or to read are left to `benchmarks/fuzz_import.py`.
SLOW = {
    "a bomb of zeros", "a bomb that says it is small", "a bomb of many entries",
    "a bomb among good tables", "a bomb of pictures", "gzip with a bomb", "an archive with a bomb",
    "60,000 entries", "five thousand tables", "20,001 columns",
    "a text of a megabyte a million times", "half a million empty lines",
    "records of other records' keys", "a text of 100,000 pieces", "300,000 cells in a row",
    "a hundred thousand lines that are numbers", "100,000 columns' widths",
    "a row far below", "a cell that says another row", "a cell beyond the last column",
    "names that are all the same", "an archive of 3,000 arrays", "a line of five million letters",
    "a text of three million letters", "a long name in another encoding",
}
#: The parser of workbooks makes room for whatever these say, and ends the process it is in.
ENDING = {"a row of 5,000 digits", "a place of 3,000 letters"}
_FILES = [
    (kind, name) for kind, files in HOSTILE.items() for name in files
    if name not in SLOW | ENDING
]


@pytest.fixture(scope="module")
def reader():
    """Hands a file to a reader, and to a new one where the last has ended."""
    workers_of_this_module = []

    def ask(what, name, data, **given):
        if not (workers_of_this_module and workers_of_this_module[-1].alive):
            workers_of_this_module.append(workers().take(lambda: True))
        return asked(workers_of_this_module[-1], what, name, data, **given)

    yield ask
    for worker in workers_of_this_module:
        worker.close()


def _check_sentence(error: DataError) -> None:
    assert error.problem
    assert error.remedy
    assert str(error).encode()
    assert not any(words in error.problem for words in _ENDED)


@pytest.mark.parametrize(("kind", "name"), _FILES)
def test_a_hostile_file_is_read_or_refused(reader, caplog, kind, name):
    data = HOSTILE[kind][name]()
    try:
        with caplog.at_level(logging.WARNING):
            found = reader("open", "a.csv", data)
            readings = reader("propose", "a.csv", data, known=[], insist=True).readings
            answers = reader("answers", "a.csv", data, reading=readings[0])
    except DataError as error:
        _check_sentence(error)
    else:
        assert found.sheet.columns
        assert len(answers.triplets) or answers.pairs
        assert repr(found).encode()
    assert not caplog.records, "the program has failed"


@pytest.mark.skipif(sys.platform == "win32", reason="limits of POSIX systems")
@pytest.mark.parametrize("name", sorted(ENDING))
def test_a_parser_that_ends_takes_only_its_reader_along(reader, name):
    with pytest.raises(DataError, match=_ENDED[0]):
        reader("open", "a.xlsx", HOSTILE["Excel"][name]())
    assert reader("open", "a.csv", GOOD).sheet.columns


def test_a_long_text_that_is_repeated_is_not_sent_to_the_server(reader):
    data = HOSTILE["Parquet"]["a text of a megabyte a million times"]()
    found = reader("open", "a.parquet", data)
    assert {len(cell) for column in found.sheet.cells for cell in column} == {1_000}
