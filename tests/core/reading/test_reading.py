"""Reading files of answers: what is recognised, what it means, and what is left out."""

from __future__ import annotations

import gzip
import io
import zipfile

import numpy as np
import pandas as pd
import pytest

from tests.paths import FIXTURES, ROOT
from tripletscope.core.data.errors import DataError
from tripletscope.core.reading import load, propose
from tripletscope.core.reading.interpretation.interpret import interpret
from tripletscope.core.studies.quality.importing import read

FORMATS = FIXTURES / "formats"
EGGS = ROOT / "sample_data" / "alien_eggs"

CHOICES = (
    "Participant,Center,Left,Right,Answer\n"
    "1,a,b,c,b\n"
    "1,b,c,a,a\n"
    "2,c,a,b,a\n"
)


def named_rows(triplets) -> list[tuple[str, str, str]]:
    ids = np.array(triplets.ids, dtype=object)
    return [tuple(row) for row in ids[triplets.rows]]


def imported(text: str | bytes, objects=None, **options):
    data = text.encode() if isinstance(text, str) else text
    table = load(data, "answers.csv", **options)
    return interpret(table, propose(table)[0], objects)


# Real files


def test_alien_eggs_are_read_whole():
    table = load(EGGS / "responses.csv")
    reading = propose(table)[0]
    result = interpret(table, reading)
    triplets, report = result.triplets, result.report

    assert reading.layout == "center"
    assert len(triplets) == report.n_rows == 17_611
    assert triplets.n_objects == 300
    assert report.n_participants == 231
    assert report.omissions == []
    assert set(triplets.answers["split"].cat.categories) == {"train", "test"}
    assert set(triplets.answers["sampler"].cat.categories) == {"Random", "Uncertainty", "Test"}
    # The column says seconds and holds milliseconds.
    assert reading.response_time_unit == "ms"
    assert any("says seconds" in reason for reason in reading.reasons)
    assert triplets.answers["response_time"].median() == pytest.approx(2.008)
    # The chosen option always stands first, so that sides mean nothing.
    assert "side" not in triplets.answers
    assert any("sorted" in note for note in report.notes)

    raw = pd.read_csv(EGGS / "responses.csv")
    assert named_rows(triplets) == list(zip(raw["Center"], raw["Left"], raw["Right"], strict=True))
    assert (triplets.answers["participant"].astype(int) == raw["Participant.ID"]).all()
    assert result.file_rows.tolist() == list(range(2, 17_613))


def test_alien_eggs_with_their_table_of_objects():
    triplets = read(EGGS / "responses.csv", objects=EGGS / "objects.csv")
    assert triplets.n_objects == 300
    spikiness = triplets.objects["spikiness"].to_numpy()
    assert (spikiness == [int(i[1:]) for i in triplets.ids]).all()


def test_salmon():
    table = load(FORMATS / "salmon_responses.csv")
    reading = propose(table)[0]
    triplets = interpret(table, reading).triplets
    raw = pd.read_csv(FORMATS / "salmon_responses.csv")

    assert reading.layout == "salmon"
    assert reading.roles["participant"] == "puid"
    assert reading.roles["sampler"] == "alg_ident"
    expected = raw[["head", "winner", "loser"]].astype(str).itertuples(index=False, name=None)
    assert named_rows(triplets) == list(expected)
    assert triplets.answers["response_time"].to_numpy() == pytest.approx(raw["response_time"])
    assert triplets.ids == sorted(triplets.ids, key=int)
    shown = dict(zip(raw["head"].astype(str), raw["head_filename"], strict=True))
    for row in triplets.objects.itertuples():
        if row.id in shown:
            assert row.image == shown[row.id]
            assert row.label == shown[row.id].removesuffix(".png")
    assert triplets.answers["side"].tolist() == [
        "left" if row.left == row.winner else "right" for row in raw.itertuples()
    ]


def test_salmon_names_from_html():
    text = (
        "head,left,right,winner,loser,sampler,score,puid,response_time,head_html,left_html,"
        "right_html\n"
        "0,1,2,2,1,random,-9999,p,1.5,<img src='/static/targets/x.png'/>,<b>one</b>,two\n"
    )
    objects = imported(text).triplets.objects
    assert objects["label"].tolist() == ["x", "one", "two"]
    assert "image" not in objects


def test_triplettools():
    table = load(FORMATS / "tripletTools_individual.csv")
    reading = propose(table)[0]
    result = interpret(table, reading)
    raw = pd.read_csv(FORMATS / "tripletTools_individual.csv", dtype=str)

    catch = (raw["Center"] == raw["Left"]) | (raw["Center"] == raw["Right"])
    assert 0 < catch.sum() < len(raw)
    assert reading.roles["split"] == "sampleSet"
    assert reading.roles["sampler"] == "sampleAlg"
    assert len(result.triplets) == (~catch).sum()
    (omission,) = result.report.omissions
    assert omission.rows.tolist() == (np.flatnonzero(catch) + 2).tolist()
    assert result.catch_trials["row"].tolist() == omission.rows.tolist()
    assert result.catch_trials["correct"].tolist() == (raw["Answer"] == raw["Center"])[
        catch
    ].tolist()
    # winner and loser are numbers of the same objects, in alphabetical order.
    numbered = raw[~catch][["head", "winner", "loser"]].astype(int).to_numpy()
    pairs = set(zip(numbered.ravel().tolist(), result.triplets.rows.ravel().tolist(), strict=True))
    assert len(pairs) == len(set(numbered.ravel())) == result.triplets.n_objects


def test_next_json_parse_and_its_legacy_names():
    text = (
        "Participant ID,Timestamp,Center,Left,Right,Answer,Alg Label\n"
        "x_1,2015,apple,pear,car,car,RandomSampling\n"
        "x_2,2015,car,apple,pear,apple,STE\n"
    )
    triplets = imported(text).triplets
    assert named_rows(triplets) == [("apple", "car", "pear"), ("car", "apple", "pear")]
    assert triplets.answers["sampler"].tolist() == ["RandomSampling", "STE"]
    legacy = "session_ID,TARGET,Option1,option 2,primary,TrnTest\n" + "\n".join(
        f"s,{a},{b},{c},{d},Test" for a, b, c, d in [("a", "b", "c", "b"), ("b", "a", "c", "c")]
    )
    triplets = imported(legacy).triplets
    assert named_rows(triplets) == [("a", "b", "c"), ("b", "c", "a")]
    assert triplets.answers["split"].tolist() == ["test", "test"]


# Plain files


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("0,1,2\n2,1,0\n", [("0", "1", "2"), ("2", "1", "0")]),
        ("0 1 2\n2 1 0\n", [("0", "1", "2"), ("2", "1", "0")]),
        ("  0   1  2\n 10   1  0 \n", [("0", "1", "2"), ("10", "1", "0")]),
        ("0\t1\t2\r\n2\t1\t0\r\n", [("0", "1", "2"), ("2", "1", "0")]),
        ("0;1;2\r2;1;0\r", [("0", "1", "2"), ("2", "1", "0")]),
        ("head,b,c\n3,1,2\n", [("3", "1", "2")]),
        ("i,j,k\n3,1,2\n", [("3", "1", "2")]),
        ("near,far,anchor\n3,1,2\n", [("2", "3", "1")]),
        ("anchor,positive,negative\na,b,c\nb,a,c\n", [("a", "b", "c"), ("b", "a", "c")]),
        (",anchor,near,far\n0,a,b,c\n1,c,b,a\n2,c,a,b\n",
         [("a", "b", "c"), ("c", "b", "a"), ("c", "a", "b")]),
        ('"x" "y" "z"\n"1" "a" "b" "c"\n"2" "b" "a" "c"\n"3" "c" "a" "b"\n',
         [("a", "b", "c"), ("b", "a", "c"), ("c", "a", "b")]),
        ('"a", "b d", c\n"b d", c, a\n', [("a", "b d", "c"), ("b d", "c", "a")]),
        ('a,"b, d",c\n"b, d",c,a\n', [("a", "b, d", "c"), ("b, d", "c", "a")]),
        ("# made by numpy\n0 1 2\n2 1 0\n", [("0", "1", "2"), ("2", "1", "0")]),
        ("My experiment\n\nanchor,near,far\na,b,c\nb,a,c\n", [("a", "b", "c"), ("b", "a", "c")]),
        ("My experiment,,\nanchor,near,far\na,b,c\nb,a,c\n", [("a", "b", "c"), ("b", "a", "c")]),
        ("sep=;\na;b;c\nc;b;a\n", [("a", "b", "c"), ("c", "b", "a")]),
        ("#ff0000,#00ff00,#0000ff\n#0000ff,#ff0000,#00ff00\n",
         [("#ff0000", "#00ff00", "#0000ff"), ("#0000ff", "#ff0000", "#00ff00")]),
    ],
)
def test_plain_files(text, expected):
    result = imported(text)
    assert named_rows(result.triplets) == expected
    assert result.report.omissions == []


def test_food100_paths_with_spaces_become_labels_and_pictures():
    text = "images/a.jpg; images/b.jpg; images/c.jpg\n images/c.jpg;images/a.jpg ;images/b.jpg\n"
    triplets = imported(text).triplets
    assert named_rows(triplets)[1] == ("images/c.jpg", "images/a.jpg", "images/b.jpg")
    assert triplets.labels == ["a", "b", "c"]
    assert triplets.objects["image"].tolist() == ["a.jpg", "b.jpg", "c.jpg"]


def test_bare_columns_offer_the_other_orders():
    table = load(b"0,1,2\n2,1,0\n3,1,2\n", "bare.csv")
    orders = [reading for reading in propose(table) if reading.layout == "ordered"]
    anchored = [reading for reading in orders if reading.task == "nearer"]
    assert [tuple(reading.roles) for reading in anchored] == [("anchor", "near", "far")] * 3
    assert len({tuple(reading.roles.values()) for reading in anchored}) == 3
    assert {reading.task for reading in orders} == {"nearer", "odd_one_out", "most_central"}
    assert "no column says what was chosen" in propose(table)[0].reasons[0]


def test_numbers_sort_by_value_and_gaps_are_told():
    result = imported("10,2,9\n2,0,10\n")
    assert result.triplets.ids == ["0", "2", "9", "10"]
    assert result.report.numbering == "Objects are numbers from 0 to 10; 1, 3, 4, 5, 6 and 2 " \
                                      "more never appear."
    levels = imported("0,10,30\n10,20,30\n")
    assert levels.report.numbering == "Objects are numbers from 0 to 30 in steps of 10."
    assert imported("i10,i2,i1\n").triplets.ids == ["i1", "i2", "i10"]


def test_leading_zeros_and_odd_names_are_kept():
    triplets = imported("anchor,near,far\n007,7,1e5\n07,true,2020-01-01\n").triplets
    assert set(triplets.ids) == {"007", "7", "07", "1e5", "true", "2020-01-01"}


def test_whole_numbers_written_with_a_fraction_are_the_same_objects():
    # pandas writes a column of whole numbers with an empty cell this way
    text = "center,left,right,winner\n1,2,3,2.0\n2,3,1,\n3,1,2,1.0\n"
    result = imported(text)
    assert named_rows(result.triplets) == [("1", "2", "3"), ("3", "1", "2")]
    assert [o.reason for o in result.report.omissions] == ["no response was given"]


# Header, encoding, delimiter


@pytest.mark.parametrize(
    ("text", "header"),
    [
        ("a,b,c\nb,c,a\n", False),
        ("x,a,b\n1,2,3\n", True),
        ("Referenz,Wahl,Andere\n" + "Apfel,Birne,Auto\nAuto,Apfel,Birne\n" * 9, True),
        ("i01,i02,i03\ni04,i05,i06\n", False),
        ("img/a.png,img/b.png,img/c.png\nimg/d.png,img/e.png,img/f.png\n", False),
        ("1,2,3\n4,5,6\n", False),
        ("center,left,right,answer\nleft,right,center,right\n", True),
    ],
)
def test_header_is_recognised_and_told(text, header):
    table = load(text.encode())
    assert table.header == header
    assert any("first row" in note or "header" in note for note in table.notes)
    for given in (True, False):
        assert load(text.encode(), header=given).header == given


def test_one_usual_name_among_words_that_never_recur_names_the_columns():
    rows = "p1,thing3,thing1,thing2,thing4\np1,thing1,thing4,thing3,thing2\n"
    table = load(f"subject,near1,near2,far1,far2\n{rows}".encode())
    assert table.header
    assert table.columns[0] == "subject"
    assert any("switch the header off" in note for note in table.notes)
    again = load(f"subject,near1,near2,far1,far2\n{rows}p1,subject,thing1,thing2,thing3\n".encode())
    assert not again.header, "an object may be called so"


def test_a_first_row_of_0_1_2_is_doubted():
    table = load(b"0,1,2\n4,3,2\n")
    assert not table.header
    assert any("switch the header on" in note for note in table.notes)
    assert load(b"0,1,2\n4,3,2\n", header=True).n_rows == 1


@pytest.mark.parametrize(
    "encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "cp1252", "latin-1"]
)
def test_encodings(encoding):
    text = "anchor,near,far\nÄpfel,Öl,Café\nCafé,Öl,Äpfel\n"
    table = load(text.encode(encoding))
    assert table.columns == ["anchor", "near", "far"]
    assert set(table.preview(9)["anchor"]) == {"Äpfel", "Café"}
    if "8" not in encoding.split("-")[1:]:
        assert any("The text is" in note for note in table.notes)


def test_encoding_can_be_given():
    data = "anchor,near,far\nž,š,č\nš,ž,č\n".encode("iso8859-2")
    assert load(data, encoding="iso8859-2").preview()["anchor"].tolist() == ["ž", "š"]
    with pytest.raises(DataError, match="not valid UTF-8"):
        load(data, encoding="utf-8")
    with pytest.raises(ValueError, match="no such encoding"):
        load(data, encoding="klingon")


def test_delimiter_can_be_given():
    table = load(b"a|b|c\nb|c|a\n", delimiter="|")
    assert table.n_rows == 2
    with pytest.raises(DataError, match="1 cell each"):
        load(b"a|b|c\nb|c|a\n")
    with pytest.raises(ValueError, match="single character"):
        load(b"a||b||c\n", delimiter="||")
    with pytest.raises(ValueError, match="single character"):
        load(b"a,b,c\n", delimiter='"')


def test_columns_of_the_same_name_are_told_apart():
    table = load(b"head,left,left,winner,\n1,2,3,2,\n")
    assert table.columns == ["head", "left", "left (2)", "winner", "column 5"]
    assert any("called 'left'" in note for note in table.notes)


def test_decimal_commas_in_response_times():
    text = "center;left;right;answer;rt\n" + "a;b;c;b;1,25\nb;a;c;c; 2,5 \nb;a;c;c;\nb;a;c;c;-1\n"
    result = imported(text)
    assert result.triplets.answers["response_time"].tolist()[:2] == [1.25, 2.5]
    assert result.triplets.answers["response_time"].isna().tolist() == [False, False, True, True]
    assert any("below zero" in note for note in result.report.notes)


def test_quoted_cells_with_line_breaks_and_delimiters():
    text = 'center,left,right,answer,remark\na,b,c,b,"well, ""so""\nso"\nc,b,a,a,x\n'
    result = imported(text)
    assert named_rows(result.triplets) == [("a", "b", "c"), ("c", "a", "b")]
    assert result.file_rows.tolist() == [2, 3]


# Containers


@pytest.mark.parametrize("ending", ["xls", "ods"])
def test_workbooks_of_other_programs(ending):
    table = load(FORMATS / f"answers.{ending}")
    assert table.notes[0] == "Sheet 'x' is read."
    assert table.preview().to_numpy().tolist() == [
        ["p1", "a", "b", "c", "1.25", "2024-01-02 03:04:05"],
        ["p1", "b", "a", "c", "2", "2024-01-02 00:00:00"],
        ["p2", "c", "a", "b", "0.5", "2024-02-02 01:01:01"],
    ]


def packed(name: str, data: bytes, how: str) -> bytes:
    if how == "gzip":
        return gzip.compress(data)
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("__MACOSX/._" + name, b"junk")
        archive.writestr(".DS_Store", b"junk")
        archive.writestr("data/", b"")
        archive.writestr("data/" + name, data)
        archive.writestr("readme.md", b"hello")
    return buffer.getvalue()


@pytest.mark.parametrize("how", ["gzip", "zip"])
def test_packed_files(how):
    assert len(read(packed("answers.csv", CHOICES.encode(), how))) == 3


def test_sources(tmp_path):
    path = tmp_path / "My answers.v2.csv.gz"
    path.write_bytes(gzip.compress(CHOICES.encode()))
    assert read(path).name == "My answers.v2"
    assert read(str(path)).name == "My answers.v2"
    assert read(path.read_bytes(), name="x.csv").name == "x"
    with path.open("rb") as file:
        file.seek(5)
        assert read(file).name == "My answers.v2"
    upload = io.BytesIO(CHOICES.encode())
    upload.name = "folder/upload.csv"
    assert load(upload).name == "upload.csv"
    with pytest.raises(TypeError, match="binary"):
        read(io.StringIO(CHOICES))


def test_a_zip_with_several_tables_names_them():
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("responses.csv", CHOICES)
        archive.writestr("objects.csv", "id\na\nb\n")
    with pytest.raises(DataError, match=r"responses\.csv and objects\.csv"):
        load(buffer.getvalue())
    assert load(buffer.getvalue(), member="responses.csv").n_rows == 3
    with pytest.raises(DataError, match=r"no 'x\.csv'"):
        load(buffer.getvalue(), member="x.csv")


def test_parquet():
    frame = pd.read_csv(EGGS / "responses.csv")
    buffer = io.BytesIO()
    frame.astype({"Center": "category"}).to_parquet(buffer, index=False)
    table = load(buffer.getvalue(), "eggs.parquet")
    triplets = interpret(table, propose(table)[0]).triplets
    expected = read(EGGS / "responses.csv")
    assert (triplets.rows == expected.rows).all()
    assert triplets.ids == expected.ids
    pd.testing.assert_frame_equal(triplets.answers, expected.answers)


def test_parquet_with_missing_cells_and_fractions():
    frame = pd.DataFrame({
        "anchor": [0.1, 0.2, 0.3], "left": [0.2, 0.3, 0.1], "right": [0.3, 0.1, 0.2],
        "choice": [1.0, np.nan, 2.0], "tags": [["a"], [], ["b"]],
    })
    buffer = io.BytesIO()
    frame.to_parquet(buffer)
    result = imported(buffer.getvalue())
    assert named_rows(result.triplets) == [("0.1", "0.2", "0.3"), ("0.3", "0.2", "0.1")]
    assert result.report.omissions[0].rows.tolist() == [2]


def test_answers_in_which_no_object_recurs_make_no_map_which_is_said():
    alone = b"anchor,near,far\na,b,c\nd,e,f\ng,h,i\n"
    (said,) = [line for line in interpret_first(alone).report.notes if "No map" in line]
    assert "No object occurs in two different questions" in said
    assert not any("No map" in line for line in interpret_first(alone + b"a,e,i\n").report.notes)


def interpret_first(content: bytes):
    table = load(content, "answers.csv")
    return interpret(table, propose(table)[0])
