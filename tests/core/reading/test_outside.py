"""Files that name other files as their content: nothing of the machine gets into a table."""

from __future__ import annotations

import contextlib
import io
import pickle
import zipfile
from pathlib import Path

import h5py
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet
import pytest

from tripletscope.core.data.errors import DataError
from tripletscope.core.reading import load, read_pictures

ROWS = np.array([[0, 1, 2], [2, 1, 0], [1, 0, 2]])
SECRET = b"root:x:0:0:nobody may read this\n"


@pytest.fixture
def secret(tmp_path) -> Path:
    path = tmp_path / "secret.txt"
    path.write_bytes(SECRET)
    return path


def hdf5(fill, **options) -> bytes:
    buffer = io.BytesIO()
    with h5py.File(buffer, "w", **options) as file:
        fill(file)
    return buffer.getvalue()


def external_storage(path: Path) -> bytes:
    def fill(file):
        file.create_dataset("text", (len(SECRET),), "i1", external=[(str(path), 0, len(SECRET))])
        file["more"] = np.zeros((len(SECRET), 2), "i1")

    # Files with external storage cannot be written in memory.
    return _through_disk(path.with_name("external.h5"), fill)


def virtual_dataset(path: Path) -> bytes:
    source = path.with_name("source.h5")
    _through_disk(source, lambda file: file.__setitem__("answers", ROWS))

    def fill(file):
        layout = h5py.VirtualLayout(ROWS.shape, ROWS.dtype)
        layout[:] = h5py.VirtualSource(str(source), "answers", ROWS.shape)
        file.create_virtual_dataset("answers", layout)

    return _through_disk(path.with_name("virtual.h5"), fill)


def external_link(path: Path) -> bytes:
    def fill(file):
        file["deep/down"] = h5py.ExternalLink(str(path), "/answers")
        file["answers"] = ROWS

    return hdf5(fill)


def user_defined_link(path: Path) -> bytes:
    data = bytearray(external_link(path))
    # The type of a link follows upon version and flags; 64 is an external one.
    place = data.index(b"\x01\x08\x40") + 2
    data[place] = 65
    return bytes(data)


def foreign_filter(path: Path) -> bytes:
    def fill(file):
        created = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        created.set_chunk(ROWS.shape)
        created.set_filter(32_015, h5py.h5z.FLAG_OPTIONAL, (3,))
        space = h5py.h5s.create_simple(ROWS.shape)
        h5py.h5d.create(file.id, b"answers", h5py.h5t.NATIVE_INT64, space, created)

    return hdf5(fill)


def _through_disk(path: Path, fill) -> bytes:
    with h5py.File(path, "w") as file:
        fill(file)
    return path.read_bytes()


@pytest.mark.parametrize(
    "make", [external_storage, virtual_dataset, external_link, user_defined_link, foreign_filter]
)
@pytest.mark.parametrize("ending", ["h5", "csv"])
def test_hdf5_that_reaches_out_of_itself_is_refused(secret, make, ending):
    data = make(secret)
    with pytest.raises(DataError, match="parts of the HDF5 file are stored elsewhere") as raised:
        load(data, f"x.{ending}")
    assert "CSV" in raised.value.remedy
    assert SECRET.decode() not in str(raised.value)


def test_hdf5_in_an_archive_is_no_other(secret):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("x.h5", external_storage(secret))
    with pytest.raises(DataError, match="are stored elsewhere"):
        load(buffer.getvalue(), "x.zip")


def test_hdf5_that_stays_within_itself_is_read():
    def fill(file):
        file.create_dataset("group/answers", data=ROWS, chunks=True, compression="gzip",
                            shuffle=True, fletcher32=True)
        file.create_dataset("quick", data=ROWS[:, 0], chunks=True, compression="lzf")
        file.create_dataset("small", data=ROWS[:, 1], chunks=True, scaleoffset=0)
        file["names"] = ["a", "b", "c"]
        file["again"] = h5py.SoftLink("/group/answers")
        file["nowhere"] = h5py.SoftLink("/not/here")
        file["same"] = file["group"]

    for options in ({}, {"libver": "latest"}):
        table = load(hdf5(fill, **options), "x.h5")
        assert table.n_rows == 3
        assert table.texts("names").tolist() == ["a", "b", "c"]
        assert table.numbers("group/answers[1]").tolist() == [0, 2, 1]


def workbook(prolog: str, text: str) -> bytes:
    frame = pd.DataFrame({"anchor": ["a"], "near": ["b"], "far": ["c"]})
    given, made = io.BytesIO(), io.BytesIO()
    frame.to_excel(given, index=False)
    with zipfile.ZipFile(given) as source, zipfile.ZipFile(made, "w") as target:
        for name in source.namelist():
            content = source.read(name).decode()
            if name == "xl/worksheets/sheet1.xml":
                start = content.index("<worksheet")
                cell = f'<row><c t="inlineStr"><is><t>{text}</t></is></c></row></sheetData>'
                content = prolog + content[start:].replace("</sheetData>", cell)
            target.writestr(name, content)
    return made.getvalue()


def entities(path: Path) -> list[tuple[str, str]]:
    """Prologs of XML that name a file, or make very much of very little; and what asks for it."""
    laughs = "".join(f'<!ENTITY {b} "{10 * f"&{a};"}">' for a, b in zip("abcdefgh", "bcdefghi",
                                                                       strict=True))
    return [
        (f'<!DOCTYPE x [<!ENTITY a SYSTEM "{path.as_uri()}">]>', "&a;"),
        (f'<!DOCTYPE x SYSTEM "{path.as_uri()}">', "&a;"),
        (f'<!DOCTYPE x [<!ENTITY a "{100 * "lol"}">{laughs}]>', "&i;"),
        (f'<!DOCTYPE x [<!ATTLIST row x CDATA "{100_000 * "y"}">]>', "a"),
    ]


def test_entities_in_a_workbook(secret):
    assert load(workbook("", "x")).n_rows == 2
    for prolog, text in entities(secret):
        with contextlib.suppress(DataError):
            cells = load(workbook(prolog, text), "x.xlsx").preview().to_numpy().ravel().tolist()
            assert max(map(len, cells)) <= len("&a;"), "nothing is put in the place of an entity"


class Program:
    """An object that writes a file when it is unpickled."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self):
        return Path.write_text, (self.path, "it ran")


def test_nothing_in_a_file_is_run(tmp_path):
    ran = tmp_path / "ran"
    program = pickle.dumps(Program(ran))
    array = io.BytesIO()
    np.save(array, np.array([Program(ran)], dtype=object))
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as target:
        target.writestr("a.npy", array.getvalue())
    for data in (program, array.getvalue(), archive.getvalue()):
        with pytest.raises(DataError):
            load(data, "x.npy")
    # A type of Arrow could once be a pickled object.
    column = pa.field("a", pa.int64(), metadata={
        "ARROW:extension:name": "arrow.py_extension_type", "ARROW:extension:metadata": program,
    })
    table = pa.table([ROWS[:, 0], ROWS[:, 1], ROWS[:, 2]],
                     schema=pa.schema([column, ("b", pa.int64()), ("c", pa.int64())]))
    buffer = io.BytesIO()
    pyarrow.parquet.write_table(table, buffer)
    assert load(buffer.getvalue(), "x.parquet").n_rows == 3
    assert not ran.exists()


def test_links_in_an_archive_are_read_as_the_text_they_are(secret):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        link = zipfile.ZipInfo("answers.csv")
        link.create_system, link.external_attr = 3, 0o120777 << 16
        archive.writestr(link, str(secret))
    with pytest.raises(DataError, match="1 cell each") as raised:
        load(buffer.getvalue(), "x.zip")
    assert SECRET.decode() not in str(raised.value)


def test_only_plain_pictures_are_opened(secret):
    drawing = f'<svg xmlns="http://www.w3.org/2000/svg"><image href="{secret.as_uri()}"/></svg>'
    script = f"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 9 9\n({secret}) run\n".encode()
    pictures = read_pictures([
        ("a.svg", drawing.encode()), ("b.png", drawing.encode()), ("c.png", script),
        ("d.png", external_storage(secret)), ("e.eps", script),
    ])
    assert not list(pictures)
    assert set(pictures.refused) == {"a.svg", "b.png", "c.png", "d.png", "e.eps"}
