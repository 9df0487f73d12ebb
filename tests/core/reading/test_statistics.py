"""Files of SPSS, Stata, SAS and R, written by other programs: see fixtures/statistics/make.*.

Those without a line there are of PSPP 1.6, and of R 4.2 with foreign.
"""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import struct
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from tests.paths import FIXTURES
from tripletscope.core.data.errors import DataError
from tripletscope.core.reading import load, load_several, propose, read_matrix
from tripletscope.core.reading.formats import r_parser
from tripletscope.core.reading.formats.statistics import program_of
from tripletscope.core.studies.quality.importing import import_answers, read

SAVED = sorted(
    path for folder in ("formats", "statistics") for path in (FIXTURES / folder).iterdir()
    if path.suffix.lower() in (".sav", ".zsav", ".por", ".dta", ".xpt", ".sas7bdat", ".rds", ".rda",
                               ".rdata")
)
LONG = "abcdefghij" * 60
#: The head of an R file of version 2 in XDR.
HEAD = b"X\n" + struct.pack(">3i", 2, 0x40202, 0x20300)


def saved(name: str) -> Path:
    return next(path for path in SAVED if path.name == name)


def read_again(name: str) -> tuple[dict[str, list[str]], list[str]]:
    """The first cells of a file by column, and what is said of them."""
    table = load(saved(name), least_columns=1)
    return table.preview(9).to_dict("list"), table.notes


# SPSS --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["pspp.sav", "pspp_packed.zsav"])
def test_spss_shows_value_labels_and_no_user_missing_values(name):
    found, notes = read_again(name)
    assert list(map(list, zip(*found.values(), strict=True))) == [
        ["p1", "Äpfel", "apple", "pear", "left"], ["p1", "pear", "pear", "plum", "right"],
        ["p2", "plum", "plum", "apple", ""],
    ]
    assert "Shown by their value labels: near, far and chosen." in notes
    assert "Empty, because the file declares these values missing: chosen: 9." in notes
    assert any("near: More similar object" in note for note in notes)


@pytest.mark.parametrize("name", ["labels.sav", "labels.zsav"])
def test_a_long_text_under_a_name_beyond_ascii_is_one_column(name):
    found, notes = read_again(name)
    assert found == {
        "wer": ["p1", "p1", "", ""], "anchor": ["Äpfel", "pear", "plum", ""],
        "near": ["Apfel", "Birne", "Pflaume", "Apfel"], "Größe": [LONG, "short", "", "ä" * 300],
        "rating": ["gut", "", "", ""], "half": ["0.5", "1.5", "-2", ""],
        "day": ["2026-01-02", "", "1582-10-15", "9999-12-31"],
        "at": ["2026-01-02T03:04:05", "", "1999-12-31T23:59:59", ""],
    }
    assert notes == [
        "SPSS.", "Empty, because the file declares these values missing: wer: p2 and rating: 9 "
        "weiß nicht and 97.",
        "Shown by their value labels: near and rating.",
        "Labels of columns: wer: Person, anchor: Bezug, near: näher and rating: Urteil.",
    ]


@pytest.mark.parametrize(("name", "said"), [("windows.sav", False), ("unnamed.sav", True)])
def test_names_and_texts_before_unicode_are_read_and_a_guess_is_said(name, said):
    found, notes = read_again(name)
    assert found == {"Größe": [LONG, "x"], "wer": ["Zürich", "Köln"], "near": ["näher", "fern"]}
    assert "Labels of columns: Größe: Größe in €." in notes
    assert any("read as WINDOWS-1252" in note for note in notes) is said


def test_an_unknown_encoding_is_named():
    content = bytearray(saved("answers.sas7bdat").read_bytes())
    content[70] = 201
    with pytest.raises(DataError, match=r"^a\.sas7bdat: its texts are in an encoding that is not"):
        load(bytes(content), "a.sas7bdat")


def test_spss_joins_long_texts_and_knows_dates():
    found, _ = read_again("pspp_long.sav")
    assert [text.strip('"') for text in found["a"]] == ["xyz", LONG]
    assert [text.strip('"') for text in found["a_rather_long_name"]] == ["äöü", "b"]
    assert found["d"] == ["2026-01-02", "2026-02-03"]


def test_the_number_of_cases_may_be_unknown():
    content = bytearray(saved("labels.sav").read_bytes())
    assert struct.unpack_from("<i", content, 80) == (4,)
    struct.pack_into("<i", content, 80, -1)
    assert load(bytes(content), "a.sav").preview(9).equals(load(saved("labels.sav")).preview(9))


def test_two_values_with_one_label_stay_two(tmp_path):
    import pyreadstat

    frame = pd.DataFrame({"a": [1.0, 2.0, 1.0], "b": ["x", "y", "z"]})
    pyreadstat.write_sav(frame, tmp_path / "a.sav",
                         variable_value_labels={"a": {1: "other", 2: "other"}})
    table = load(tmp_path / "a.sav", least_columns=2)
    assert table.preview(9)["a"].tolist() == ["1", "2", "1"]
    assert "Some values have labels: a: 1 other, 2 other." in table.notes


# Stata and SAS -----------------------------------------------------------------------------------


@pytest.mark.parametrize("version", [114, 117, 118, 119])
def test_texts_of_any_length_are_what_was_said(version):
    found, notes = read_again(f"texts{version}.dta")
    long = "Größe" if version == 114 else LONG * 5
    assert found == {
        "anchor": ["red", "blue", "green"], "said": ["red", "blue, or so", long],
        "near": ["left", "right", "left"], "n": ["5", "-1", "2"],
    }
    assert "Labels of columns: said: What was said." in notes


def test_stata_shows_value_labels_where_they_name_all_values(tmp_path):
    found, _ = read_again("foreign.dta")
    assert list(map(list, zip(*found.values(), strict=True))) == [
        ["p1", "apple", "pear", "1.5"], ["p1", "pear", "plum", ""], ["p2", "plum", "apple", "2"],
    ]
    pd.DataFrame({"anchor": ["a", "b"], "near": [1, 9], "far": [2, 1]}).to_stata(
        tmp_path / "a.dta", write_index=False, version=118, value_labels={"near": {9: "unknown"}},
        variable_labels={"anchor": "Bezug"},
    )
    table = load(tmp_path / "a.dta")
    assert table.preview(9)["near"].tolist() == ["1", "9"]
    assert "Some values have labels: near: 9 unknown." in table.notes
    assert "Labels of columns: anchor: Bezug." in table.notes


def test_stata_has_letters_for_missing_values():
    found, notes = read_again("missing.dta")
    assert found["code"] == ["yes", "no", "", ""]
    assert ("Empty, because the file declares these values missing: code: .a refused and .z not "
            "asked.") in notes


def test_numbers_of_four_bytes_are_as_short_as_they_were(tmp_path):
    frame = pd.DataFrame({"a": np.array([.1, 1.1, np.nan], "f4"), "b": [1, 2, 3]})
    frame.to_stata(tmp_path / "a.dta", write_index=False)
    assert load(tmp_path / "a.dta", least_columns=2).preview(9)["a"].tolist() == ["0.1", "1.1", ""]


def test_all_spans_of_stata_are_dates():
    found, _ = read_again("dates.dta")
    assert found == {
        "a": ["1", "2", "3"], "exact": ["2026-01-02T03:04:05", "", "1959-12-31T00:00:00"],
        "day": ["2026-01-02", "", "1959-12-31"], "month": ["2026-01-01"] * 2 + ["1959-12-01"],
        "quarter": ["2026-01-01"] * 2 + ["1959-10-01"],
        "week": ["2026-01-01"] * 2 + ["1960-01-01"], "half": ["2026-01-01"] * 2 + ["1959-07-01"],
        "year": ["2026", "2026", "1959"],
    }


def test_a_date_beyond_all_years_leaves_numbers(tmp_path):
    import pyreadstat

    frame = pd.DataFrame({"day": [0.0, 1e13], "b": ["x", "y"]})
    pyreadstat.write_sav(frame, tmp_path / "a.sav", variable_format={"day": "DATE11"})
    table = load(tmp_path / "a.sav", least_columns=2)
    assert table.numbers("day").tolist() == [0.0, 1e13]


def test_sas_and_portable_files_are_read():
    found, notes = read_again("answers.sas7bdat")
    assert found == {
        "anchor": ["Äpfel", "pear", "plum"], "near": ["1.5", "", "3"],
        "day": ["2026-01-02", "", "1959-12-31"],
        "at": ["2026-01-02T03:04:05.000", "", "1960-01-01T00:00:00.250"],
    }
    assert notes[0] == "SAS."
    for name in ("answers5.xpt", "answers8.xpt", "answers.por"):
        found, _ = read_again(name)
        found = {column.lower(): cells for column, cells in found.items()}
        assert found["wer"] == ["p1", "p1", "p2", "p2"]
        assert found["rating"] == ["1", "9", "", "97"]
        assert found["half"] == ["0.5", "1.5", "-2", ""]
        assert found["day"] == ["2026-01-02", "", "1582-10-15", "9999-12-31"]
        assert found["at"] == ["2026-01-02T03:04:05", "", "1999-12-31T23:59:59", ""]


@pytest.mark.parametrize("version", [5, 8])
def test_of_several_tables_of_sas_the_first_is_read_and_that_is_said(tmp_path, version):
    import pyreadstat

    contents = []
    for frame in (pd.DataFrame({"a": [1.0, 2.0], "b": ["x", "y"]}), pd.DataFrame({"c": [3.0] * 9})):
        pyreadstat.write_xport(frame, tmp_path / "a.xpt", file_format_version=version)
        content = (tmp_path / "a.xpt").read_bytes()
        contents.append(content.ljust(-(-len(content) // 80) * 80))
    first, second = contents
    table = load(first + second[second.index(b"HEADER RECORD*******MEMB"):], "a.xpt",
                 least_columns=2)
    assert table.preview(9).to_numpy().tolist() == [["1", "x"], ["2", "y"]]
    assert table.omitted == ("The first of 2 tables is read; the others are not.",)


# R -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["r_table.rds", "r_workspace.RData", "r_packed.rda"])
def test_r_shows_levels_labels_and_dates(name):
    found, notes = read_again(name)
    assert found["anchor"] == ["Äpfel", "pear", "plum"]
    assert found["far"] == ["plum", "Äpfel", ""]
    assert found["rt"] == ["1.5", "", "2"]
    assert found["n"] == ["1", "2", "3"]
    assert found["day"] == ["2026-01-02", "", "2026-01-04"]
    assert found["code"] == ["left", "right", "left"]
    assert "Labels of columns: rt: Response time." in notes
    if name == "r_workspace.RData":  # with a function, an environment and two smaller tables
        assert notes[0] == "R: d is read; small and m not."


def test_columns_of_all_kinds_are_read_or_said_to_be_left_out():
    found, notes = read_again("kinds.rds")
    assert found == {
        "anchor": ["Äpfel", "pear", ""], "near": ["Birne €", "plum", "fig"],
        "far": ["fig", "", "Äpfel"], "session": ["9007199254740993", "-5", ""],
        "day": ["2026-01-02", "", "1969-12-31"],
        "at": ["1970-01-01T00:00:00.500", "", "2026-01-02T00:00:00.000"],
        "ok": ["True", "", "False"], "n": ["1", "", "3"], "rt": ["1.5", "", "inf"],
        "grade": ["low", "high", "low"], "side": ["left", "right", ""],
        "took": ["1", "2", "3"], "inner.u": ["1", "2", "3"], "inner.v": ["x", "y", "z"],
        "where.1": ["1", "2", "3"], "where.2": ["4", "5", "6"],
        "row names": ["first", "second", "third"],
    }
    assert notes == [
        "R: kinds.rds is read.",
        "Column 'phase' contains complex numbers and was omitted.",
        "Column 'parts' contains lists and was omitted.",
        "Column 'bytes' contains raw bytes and was omitted.",
        "Column 'then' contains lists and was omitted.",
        "Shown by their value labels: side.",
        "Labels of columns: rt: Response time and took: mins.",
    ]
    # The report on the answers, which is kept with them, says what is not there.
    assert import_answers(saved("kinds.rds")).report.notes[:4] == notes[1:5]


@pytest.mark.parametrize("name", [
    "xdr3.rds", "xdr2.rds", "plain.rds", "bzip2.rds", "xz.rds", "ascii3.rds", "ascii2.rds",
    "ascii_hex.rds", "little3.rds", "little2.rds", "xdr3.RData", "xdr2.rda", "ascii3.RData",
    "xz.RData", "little3.RData",
])
def test_a_table_is_the_same_however_r_writes_it(name):
    found, notes = read_again(name)
    assert found == {
        "anchor": ["Äpfel", "pear", ""], "near": ["Birne €", "plum", "fig"],
        "far": ["fig", "", "Äpfel"], "x": ["0.1", "-2", ""],
    }
    assert notes == [f"R: {name if name.endswith('.rds') else 'd'} is read."]


@pytest.mark.parametrize("name", ["encodings.rds", "encodings2.rds"])
def test_texts_of_windows_are_read_and_a_guess_is_said(name):
    found, notes = read_again(name)
    assert found == {"anchor": ["Größe €"], "Größe €": ["Größe €"], "far": ["Größe €"]}
    assert notes[1] == ("Texts of unknown encoding are read as Windows-1252; check that names look "
                        "right, such as Größe €.")


def test_of_two_columns_of_one_name_none_is_lost():
    found, notes = read_again("same_names.rds")
    assert found == {"a": ["1", "2"], "a (2)": ["x", "y"], "column 3": ["3", "4"]}
    assert "Two columns are called 'a'; the later one is now 'a (2)'." in notes


def test_names_of_rows_are_a_column_unless_r_has_counted_them():
    assert read_again("joined.rds")[0]["row names"] == ["1.1", "1.2", "2"]
    assert read_again("subset.rds")[0]["row names"] == ["3", "1"]
    for name in ("tibble.rds", "xdr3.rds"):
        assert "row names" not in read_again(name)[0]
    # They are no object of the answers.
    for name in ("joined.rds", "subset.rds"):
        (proposed,) = propose(load(saved(name)))
        assert proposed.roles == {role: role for role in ("anchor", "near", "far")}


@pytest.mark.parametrize("name", ["dist.rds", "matrix.rds", "square_frame.rds", "dist_unnamed.rds"])
def test_distances_are_a_square_with_names(name):
    found = read_matrix(saved(name))
    assert found.values.tolist() == [[0, 5, 10], [5, 0, 5], [10, 5, 0]]
    if name != "dist_unnamed.rds":
        assert found.ids == ["cat", "dog", "car"]


def test_matrices_of_texts_and_counts_are_tables():
    assert read_again("texts.rds")[0] == {
        "column 1": ["a", "b"], "column 2": ["c", "b"], "column 3": ["", "a"],
    }
    assert read_again("counts.rds")[0] == {"column 1": ["a", "b"], "a": ["1", "1"], "b": ["0", "1"]}
    assert read_again("r_matrix.rds")[0] == {
        "column 1": ["a", "b", "c"], "a": ["0", "1", "2"], "b": ["1", "0", "3"],
        "c": ["2", "3", "0"],
    }


def test_a_workspace_may_hold_thousands_of_objects_and_a_table_in_a_list():
    assert read_again("many.RData")[1] == ["R: zz is read."]
    assert read_again("workspace.RData")[1] == ["R: nested$one is read; small not."]


def test_values_that_rdata_does_not_know_end_no_workspace():
    """Of a base namespace, a package, bytes with attributes: skipped, as the values around show."""
    def symbol(name: bytes) -> bytes:
        return struct.pack(">3i", 1, 0x40009, len(name)) + name

    def pair(name: bytes, value: bytes) -> bytes:
        return struct.pack(">i", 0x402) + symbol(name) + value

    kept = struct.pack(">2i", 24, 3) + b"abc"
    package = struct.pack(">5i", 250, 0, 1, 0x40009, 2) + b"ab"
    matrix = (
        struct.pack(">2i", 0x20D, 4) + struct.pack(">4i", 1, 2, 3, 4)
        + pair(b"dim", struct.pack(">4i", 13, 2, 2, 2)) + struct.pack(">i", 254)
    )
    content = b"RDX2\n" + HEAD + b"".join([
        pair(b"base", struct.pack(">i", 247)), pair(b"package", package), pair(b"bytes", kept),
        pair(b"m", matrix), struct.pack(">i", 254),
    ])
    assert load(content, "a.RData", least_columns=2).preview(9).to_numpy().tolist() == [
        ["1", "3"], ["2", "4"],
    ]


def test_numbers_that_r_has_still_to_write_are_written_as_r_does():
    """as.character(c(100000, 0.1 + 0.2, 123456, NA, Inf)) in a file, before anyone has read it."""
    from rdata.parser import RObject, RObjectInfo
    from rdata.parser import RObjectType as Kind

    info = RObjectInfo(Kind.REAL, False, False, False, 0, 0)
    numbers = np.array([100_000, .1 + .2, 123_456, 1e-20, np.inf])
    state = RObject(info, (RObject(info, numbers, None), RObject(info, np.array([0]), None)), None)
    _, made = r_parser._texts_of_numbers(state)
    assert [one.value for one in made] == [b"1e+05", b"0.3", b"123456", b"1e-20", b"Inf"]


# Limits ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("made", "problem"), {
    "columns of two thousand million values": (saved("endless.rds").read_bytes, "unpacks to"),
    "a list of nothing": (
        lambda: lzma.compress(
            HEAD + struct.pack(">2i", 19, 2**21) + struct.pack(">i", 254) * 2**21),
        "more than 500,000 values in lists",
    ),
    "lists in lists": (
        lambda: bz2.compress(HEAD + struct.pack(">2i", 19, 1) * 2**20), "damaged"),
    "a list that claims to be long": (lambda: HEAD + struct.pack(">2i", 19, 2**31 - 1), "damaged"),
    "a vector of negative length": (lambda: HEAD + struct.pack(">2i", 14, -1), "damaged"),
    "zeros": (lambda: gzip.compress(HEAD + b"\0" * 2**27), "unpacks to"),
}.values(), ids=range(6))
def test_small_files_of_endless_values_end(made, problem):
    content = made()
    assert len(content) < 200_000
    with pytest.raises(DataError, match=problem):
        load(content, "a.rds", least_columns=1)


def test_tables_without_rows_and_files_without_tables_are_refused():
    with pytest.raises(DataError, match=r"no_rows\.rds: the table has no rows"):
        load(saved("no_rows.rds"))
    with pytest.raises(DataError, match=r"no_table\.rds: there is no table in this file of R"):
        load(saved("no_table.rds"))


def test_numbers_below_a_letter_are_no_file_of_r():
    """A file of R in text begins so, too."""
    assert program_of(b"A\n2\n3\n4\n5\n") is None
    assert program_of(b"A\n3\n262146\n197888\n5\nUTF-8\n") == "R"


def test_damaged_files_are_data_or_refused():
    """Files cut anywhere, and with wrong bytes: four variants of each, read by one process."""
    rng = np.random.default_rng(0)
    refused = []
    for path in SAVED:
        whole = _unpacked(path.read_bytes())
        for _ in range(4):
            wrong = bytearray(whole[: int(rng.integers(8, len(whole)))]) if rng.random() < .3 else (
                bytearray(whole))
            for place in rng.integers(len(wrong), size=int(rng.integers(1, 5))).tolist():
                wrong[place] = int(rng.choice([0, 127, 128, 255, rng.integers(256)]))
            try:
                load(bytes(wrong), path.name, least_columns=1)
            except DataError as error:
                refused.append(error)
    assert len(refused) > 100
    assert all(error.remedy for error in refused)
    assert {error.file for error in refused} <= {path.name for path in SAVED}


def _unpacked(content: bytes) -> bytes:
    for start, module in ((b"\x1f\x8b", gzip), (b"BZh", bz2), (b"\xfd7z", lzma)):
        if content.startswith(start):
            return module.decompress(content)
    return content


def test_what_any_file_has_and_the_answers_have_not_is_in_their_report():
    frame = pd.DataFrame({"anchor": ["a", "b"], "near": ["b", "c"], "far": ["c", "a"]})
    buffer = io.BytesIO()
    frame.assign(path=[[1], [2]]).to_parquet(buffer)
    book = io.BytesIO()
    with pd.ExcelWriter(book) as writer:
        frame.to_excel(writer, sheet_name="answers", index=False)
        frame.head(1).rename(columns=str.upper).to_excel(writer, sheet_name="about", index=False)
    alike = io.BytesIO()
    with pd.ExcelWriter(alike) as writer:
        for k, name in enumerate(("ann", "bob", "eve")):
            frame.assign(choice="near", time=[2 * k, 2 * k + 1]).to_excel(
                writer, sheet_name=name, index=False
            )
        frame.head(1).rename(columns=str.upper).to_excel(writer, sheet_name="about", index=False)
    for content, said in (
        (buffer.getvalue(), "Column 'path' contains lists and was omitted."),
        (book.getvalue(), "Sheet 'answers' is read; about not."),
        (alike.getvalue(), "Sheets with the same columns are read: ann, bob and eve; about not."),
        (saved("r_workspace.RData").read_bytes(), "R: d is read; small and m not."),
    ):
        assert import_answers(content, name="a").report.notes[0] == said
    several = load_several([("a.parquet", buffer.getvalue()), ("b.parquet", buffer.getvalue())])
    assert several.omitted == ("Column 'path' contains lists and was omitted.",)


def test_answers_are_read():
    assert read(saved("xdr3.rds")).ids == ["Birne €", "fig", "Äpfel"]
