"""Files that are damaged, dangerous, or something else: each is told apart, none crashes."""

from __future__ import annotations

import contextlib
import gzip
import io
import json
import random
import struct
import zipfile
import zlib

import h5py
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image
from scipy.io import savemat

from tripletscope.core.data.errors import DataError
from tripletscope.core.reading import load, propose, read_pictures
from tripletscope.core.reading.formats.archive import MAX_BYTES
from tripletscope.core.reading.interpretation.interpret import interpret
from tripletscope.core.studies.quality.importing import read

GOOD = b"anchor,near,far\na,b,c\nb,a,c\n"


def zipped(*members: tuple[str, bytes], **options) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED, **options) as archive:
        for name, data in members:
            # The name is set afterwards: ZipInfo tidies up what it is given.
            info = zipfile.ZipInfo("x")
            info.filename = info.orig_filename = name
            info.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(info, data)
    return buffer.getvalue()


def picture(kind: str = "PNG", size: tuple[int, int] = (40, 20)) -> bytes:
    rng = np.random.default_rng(0)
    buffer = io.BytesIO()
    Image.fromarray(rng.integers(0, 255, (size[1], size[0], 3), dtype=np.uint8)).save(buffer, kind)
    return buffer.getvalue()


def encrypted_zip() -> bytes:
    data = bytearray(zipped(("answers.csv", GOOD)))
    for signature, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        data[data.index(signature) + offset] |= 1
    return bytes(data)


def lying_zip() -> bytes:
    """An entry that declares 10 bytes and unpacks to 50 MB."""
    data = bytearray(zipped(("answers.csv", b"0" * 50_000_000)))
    for signature, offset in ((b"PK\x03\x04", 22), (b"PK\x01\x02", 24)):
        struct.pack_into("<I", data, data.index(signature) + offset, 10)
    return bytes(data)


def excel() -> bytes:
    return zipped(("xl/workbook.xml", b"<x/>"), ("[Content_Types].xml", b"<x/>"))


def parquet() -> bytes:
    buffer = io.BytesIO()
    pd.DataFrame({"anchor": ["a", "b"], "near": ["b", "c"], "far": ["c", "a"]}).to_parquet(buffer)
    return buffer.getvalue()


def containers() -> dict[str, bytes]:
    """The same answers in every container that is not text."""
    rows = np.array([[0, 1, 2], [2, 1, 0], [1, 0, 2]])
    frame = pd.DataFrame(rows, columns=["anchor", "near", "far"])
    made = {name: io.BytesIO() for name in ("npy", "npz", "xlsx", "mat", "h5")}
    np.save(made["npy"], rows)
    np.savez(made["npz"], triplets=rows, responses=np.array([1, 0, 1]))
    frame.to_excel(made["xlsx"], index=False)
    savemat(made["mat"], {"triplets": rows})
    with h5py.File(made["h5"], "w") as file:
        file["stimulus_set"] = rows
        file["n_select"] = np.ones(3)
    found = {name: buffer.getvalue() for name, buffer in made.items()}
    found["json"] = frame.to_json(orient="records").encode()
    found["jsonl"] = frame.to_json(orient="records", lines=True).encode()
    return found


CONTAINERS = containers()
#: Beside them text, as such and packed.
FILES = CONTAINERS | {
    "csv": GOOD * 5, "gzip": gzip.compress(GOOD), "zip": zipped(("a.csv", GOOD)),
    "parquet": parquet(), "utf-16": GOOD.decode().encode("utf-16"),
}


def test_every_container_holds_the_same_answers():
    for name, data in CONTAINERS.items():
        table = load(data, f"answers.{name}")
        rows = interpret(table, propose(table)[0]).triplets.rows.tolist()
        # The responses of the .npz turn the second answer round.
        assert rows == [[0, 1, 2], [2, 0, 1] if name == "npz" else [2, 1, 0], [1, 0, 2]], name


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "the file is empty"),
        (b" \r\n\n", "the file is empty"),
        (b"anchor,near,far\n", "no row below it"),
        (b"anchor,near,far\n\n,,\n", "no row below it"),
        (b"anchor near far\n", "no row below it"),
        (b"apple\npear\nplum\n", "1 cell each"),
        (b"a,b\nb,c\n", "2 cells each"),
        (b"a,b,c\n1,2\n1,2\n1,2\n3,4\n", "2 cells each"),
        (picture(), "PNG picture"),
        (picture("JPEG"), "JPEG picture"),
        (picture("GIF"), "GIF picture"),
        (picture("BMP"), "BMP picture"),
        (b"%PDF-1.7\n...", "PDF document"),
        (excel(), "the workbook is damaged"),
        (zipped(("content.xml", b"<x/>")), "the workbook is damaged"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1", "the workbook is damaged"),
        (b"\x89HDF\r\n\x1a\n", "HDF5"),
        (b"\x93NUMPY\x01\x00", "NumPy"),
        (b'{"meta": {"status": "OK"}}', "JSON"),
        (b'[{"a": 1}]', "JSON"),
        (b"<!DOCTYPE html><html>", "web page"),
        (gzip.compress(gzip.compress(GOOD)), "gzip file inside"),
        (bytes(range(256)) * 20, "not text"),
        (b"a,b,c\n1,2,3\n\x00\x00\x00\n", "not text"),
        (gzip.compress(GOOD)[:-6], "damaged or incomplete"),
        (gzip.compress(GOOD * 99)[:40] + b"xx", "damaged or incomplete"),
        (zipped(("a.csv", GOOD))[:-30], "damaged or incomplete"),
        (zipped(), "no table in the zip"),
        (zipped(("readme.md", b"x")), "no table in the zip"),
        (zipped(("", GOOD)), "damaged or incomplete"),
        (zipped(("../a.csv", GOOD)), r"'\.\./a\.csv' points outside"),
        (zipped(("/etc/a.csv", GOOD)), "points outside"),
        (zipped(("C:/a.csv", GOOD)), "points outside"),
        (zipped(("..\\a.csv", GOOD)), "points outside"),
        (zipped(("x/../../a.csv", GOOD)), "points outside"),
        (zipped(("inner.zip", zipped(("a.csv", GOOD)))), "itself an archive"),
        (zipped(("a.csv.gz", gzip.compress(GOOD))), "itself an archive"),
        (encrypted_zip(), "encrypted"),
        (lying_zip, "damaged or incomplete"),
        (lambda: zipped(("a.csv", b"0" * 70_000_000)), "unpacks to more than"),
        (lambda: gzip.compress(b"0" * 70_000_000), "unpacks to more than"),
        (parquet()[:-20], "damaged or incomplete"),
        (parquet()[:40] + parquet()[60:], "damaged or incomplete"),
        (b'anchor,near,far\na,b,c\nb,"a,c\nc,b,a\n', "opened in this row and never closed"),
        (b'anchor,near,far\na,b,c\nb,a,"c\nc,b,a\n', "opened in this row and never closed"),
        (b'anchor,near,far\na,b,"c\nb,a,c"\nc,b,a\n', "over several lines"),
        (b"anchor,near,far\n" + b"x" * 20_000_000 + b",b,c\n", "longer than 4 MB"),
        (b"anchor,near,far\n" + b"x" * 50_000 + b",b,c\n", "longer than 1,000 characters"),
        (b"x" * 5_000_000 + b",b,c\n", "longer than 4 MB"),
        (b"anchor,near,far\nNaN,b,c\nNaN,c,b\n", "no row can be used"),
        (b"anchor,near,far\na,a,b\nb,b,c\n", "catch trial"),
    ],
)
def test_each_is_told_apart(data, message):
    if callable(data):  # large ones are made where they are needed
        data = data()
    with pytest.raises(DataError, match=message) as raised:
        read(data, name="my file.csv")
    assert raised.value.file.startswith("my file.csv")
    assert raised.value.remedy


def test_row_of_an_open_quote_is_told():
    with pytest.raises(DataError) as raised:
        load(b'anchor,near,far\n"a\nx",b,c\nb,"a,c\nc,b,a\n')
    assert raised.value.row == 3


def test_quotes_inside_of_names_do_no_harm():
    triplets = read(b'anchor,near,far\n5" disk,b,c\nb,5" disk,c\nc,5" disk,b\n')
    assert '5" disk' in triplets.ids


def test_missing_files(tmp_path):
    with pytest.raises(DataError, match="cannot be opened: No such file"):
        load(tmp_path / "nowhere.csv")
    with pytest.raises(DataError, match="cannot be opened"):
        load(tmp_path)
    with pytest.raises(DataError, match="path is not valid"):
        load("a\0b.csv")


def test_a_million_columns_are_refused_before_all_are_read():
    row = ",".join(map(str, range(1_000_000))).encode()
    with pytest.raises(DataError, match=r"row 1: the row has \d{3},\d{3} or more cells"):
        load(row + b"\n" + row + b"\n")


def test_too_many_columns_are_refused_where_the_first_line_does_not_show_them():
    row = b'"a\nb",' + b",".join([b"1"] * 20_000) + b"\n"
    with pytest.raises(DataError, match=r"the row has 20,001 or more cells.* at most"):
        load(3 * row)


def test_too_large_a_file_is_not_opened(tmp_path):
    path = tmp_path / "large.csv"
    with path.open("wb") as file:
        file.truncate(MAX_BYTES + 1)  # sparse
    with pytest.raises(DataError, match="unpacks to more than 2 GB"):
        load(path)


@pytest.fixture
def arrow_memory():
    """What Arrow has taken, which it counts for this test alone."""
    usual = pa.default_memory_pool()
    pool = pa.proxy_memory_pool(usual)
    pa.set_memory_pool(pool)
    yield pool
    pa.set_memory_pool(usual)


def test_a_text_repeated_in_parquet_is_never_written_out(arrow_memory):
    text = "x" * 100_000
    anchor = pd.Categorical.from_codes(np.zeros(100_000, dtype=int), [text])
    buffer = io.BytesIO()
    pd.DataFrame({"anchor": anchor, "near": "b", "far": "c"}).to_parquet(buffer)
    assert len(buffer.getvalue()) < 2_000_000
    table = load(buffer.getvalue())  # 10 GB, if it were
    assert table.codes("anchor").values == [text]
    readings = propose(table)
    with pytest.raises(DataError, match=r"longer than 1,000 characters"):
        interpret(table, readings[0])
    assert 0 < arrow_memory.max_memory() < 100_000_000


def test_columns_of_parquet_that_share_a_name():
    cells = pa.array(["a", "b", "c"])
    buffer = io.BytesIO()
    pyarrow.parquet.write_table(pa.Table.from_arrays([cells] * 3, ["a", "a", "b"]), buffer)
    assert load(buffer.getvalue()).columns == ["a", "a (2)", "b"]


@pytest.mark.parametrize("kind", [">i2", ">f8", "<f2", ">U1", "g"])
def test_numbers_that_arrow_does_not_know(kind):
    rows = np.array([[0, 1, 2], [2, 1, 0], [1, 0, 2]])
    buffer = io.BytesIO()
    np.save(buffer, rows.astype(kind))
    assert load(buffer.getvalue()).preview().to_numpy().astype(float).tolist() == rows.tolist()


def test_matlab_from_version_7_3_on_writes_columns_first():
    rows = np.array([[0, 1, 2], [2, 1, 0], [1, 0, 2], [2, 0, 1]])
    buffer = io.BytesIO()
    with h5py.File(buffer, "w", userblock_size=512) as file:
        file["triplets"], file["responses"] = rows.T, np.ones((1, 4))
        file["#refs#/a"] = np.zeros((9, 9))
    head = b"MATLAB 7.3 MAT-file, Platform: GLNXA64".ljust(512)
    table = load(head + buffer.getvalue()[512:], "x.mat")
    assert table.preview().iloc[:, 1:].to_numpy().astype(int).tolist() == rows.tolist()
    assert table.columns == ["responses", "triplets[1]", "triplets[2]", "triplets[3]"]


def test_fields_of_an_array_that_are_no_numbers_are_left_out():
    kinds = [("a", "i4"), ("b", [("c", "i4")]), ("d", "i4", (2,)), ("e", "f8"), ("f", "S2")]
    buffer = io.BytesIO()
    np.save(buffer, np.zeros(4, kinds))
    assert set(load(buffer.getvalue()).columns) >= {"a", "e", "f"}


def test_a_cell_beyond_python_csv_limits_is_read():
    table = load(b"anchor,near,far,remark\n" + b"a,b,c,x\n" * 9 + b"a,b,c," + b"y" * 200_000)
    assert table.n_rows == 10


# Whatever the bytes, only DataError


def read_whatever(data: bytes) -> None:
    with contextlib.suppress(DataError):
        table = load(data, "hostile")
        for reading in propose(table):
            interpreted = interpret(table, reading)
            report = interpreted.report
            assert report.n_triplets == len(interpreted.triplets) == len(interpreted.file_rows)
            n_given = len(interpreted.pairs or interpreted.triplets)
            assert report.n_answers <= n_given or reading.task == "most_similar"
            assert report.n_answers + sum(one.count for one in report.omissions) == report.n_rows
            assert len(report.summary()) >= 1 + len(report.omissions)
            rows = (interpreted.pairs or interpreted).file_rows
            assert all(s.row in rows for s in interpreted.sentences())


@settings(max_examples=150)
@given(st.binary(max_size=400))
def test_random_bytes(data):
    read_whatever(data)


@settings(max_examples=250)
@given(
    st.lists(
        st.sampled_from([
            "a", "b", "1", "2", "0", "", "NA", ",", ",", ",", ";", "\t", " ", '"', "\n", "\n",
            "\r", "\r\n", "#", "-1", "1.0", "1e999", "é", "\ufeff", "\u2028", "'", "[", "]",
            "anchor", "near", "far", "left", "right", "winner", "center", "head", "response",
            "rt", "participant", "weight", "s1", "s2", "s3", "true", "left",
        ]),
        max_size=120,
    )
)
def test_random_tables(parts):
    read_whatever("".join(parts).encode())


@settings(max_examples=150)
@given(st.sampled_from(list(FILES)), st.integers(0, 2**32))
def test_damaged_files(kind, seed):
    data = bytearray(FILES[kind])
    rng = random.Random(seed)
    for _ in range(rng.randint(1, 6)):
        data[rng.randrange(len(data))] = rng.randrange(256)
    read_whatever(bytes(data[: rng.randint(len(data) // 2, len(data))]))


@settings(max_examples=150)
@given(
    st.recursive(
        st.none() | st.booleans() | st.integers(-3, 3) | st.floats() | st.sampled_from(
            ["a", "b", "center", "left", '["a", "b"]', "\n"]
        ),
        lambda inner: st.lists(inner, max_size=4) | st.dictionaries(
            st.sampled_from([
                "anchor", "near", "far", "target_indices", "label", "index", "q", "answers",
                "agreement", "participant_responses", "stimulus", "response", "",
            ]),
            inner, max_size=4,
        ),
        max_leaves=20,
    )
)
def test_any_json(document):
    read_whatever(json.dumps(document).encode())


@pytest.mark.parametrize(
    "data",
    [b"[" * 100_000, b'{"a":' * 100_000, b'[{"a": 1}, ' * 3, b'{"a": 1}\n{"a": \n', b'[[1, 2'],
)
def test_json_that_does_not_end(data):
    with pytest.raises(DataError, match="damaged or incomplete"):
        load(data, "x.json")


def test_arrays_that_claim_to_be_huge_are_not_allocated():
    header = b"{'descr': '<i8', 'fortran_order': False, 'shape': (1000000000000, 3), }"
    data = b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header) + 1) + header + b"\n" + bytes(48)
    with pytest.raises(DataError, match="damaged, incomplete"):
        load(data, "x.npy")
    buffer = io.BytesIO()
    np.save(buffer, np.array([{"a": 1}, [1]], dtype=object))
    with pytest.raises(DataError, match="objects"):
        load(buffer.getvalue(), "x.npy")


@settings(max_examples=60)
@given(st.sampled_from(["PNG", "JPEG", "GIF", "WEBP", "BMP"]), st.integers(0, 2**32))
def test_damaged_pictures(kind, seed):
    data = bytearray(picture(kind))
    rng = random.Random(seed)
    for _ in range(rng.randint(0, 6)):
        data[rng.randrange(len(data))] = rng.randrange(256)
    pictures = read_pictures([(f"x.{kind.lower()}", bytes(data[: rng.randint(0, len(data))]))])
    assert len(pictures) + len(pictures.refused) == 1
    for name in pictures:
        with contextlib.suppress(DataError):
            pictures.thumbnail(name)


def test_bombs_among_pictures():
    def chunk(kind: bytes, data: bytes) -> bytes:
        check = zlib.crc32(kind + data)
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", check)

    def png_of_size(side: int) -> bytes:
        header = chunk(b"IHDR", struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0))
        body = chunk(b"IDAT", zlib.compress(b"0" * 1000)) + chunk(b"IEND", b"")
        return b"\x89PNG\r\n\x1a\n" + header + body

    bomb, large = png_of_size(60_000), png_of_size(8_000)
    pictures = read_pictures([("bomb.png", bomb), ("large.png", large), ("fine.png", picture())])
    assert list(pictures) == ["fine.png"]
    assert set(pictures.refused) == {"bomb.png", "large.png"}
    with pytest.raises(DataError, match="points outside"):
        read_pictures(zipped(("../x.png", picture())))
    with pytest.raises(DataError, match="unpacks to more than"):
        read_pictures(zipped(("x.png", b"0" * 200_000_000)))
