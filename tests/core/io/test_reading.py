"""Reading files of answers: what is recognised, what it means, and what is left out."""

from __future__ import annotations

import gzip
import io
import json
import zipfile

import numpy as np
import pandas as pd
import pytest

from tests.paths import FIXTURES, ROOT
from tripletscope.core.data.errors import DataError
from tripletscope.core.io import (
    CHOICE_CODINGS,
    ROLES,
    Reading,
    candidates,
    interpret,
    layouts,
    load,
    load_several,
    propose,
    read,
)

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
    orders = [reading for reading in propose(table) if reading.layout == "plain"]
    anchored = [reading for reading in orders if reading.task == "nearer"]
    assert [tuple(reading.roles) for reading in anchored] == [("anchor", "near", "far")] * 3
    assert len({tuple(reading.roles.values()) for reading in anchored}) == 3
    assert {reading.task for reading in orders} == {"nearer", "odd_one_out", "most_central"}
    assert any("check the sentences" in r for r in propose(table)[0].reasons)


def test_numbers_sort_by_value_and_gaps_are_told():
    result = imported("10,2,9\n2,0,10\n")
    assert result.triplets.ids == ["0", "2", "9", "10"]
    assert result.report.numbering == "Objects are numbers from 0 to 10; 1, 3, 4, 5, 6 and 2 " \
                                      "more never appear."
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


# Choice codings


@pytest.mark.parametrize(
    ("column", "first", "second", "coding"),
    [
        ("answer", "0", "1", "position_0"),
        ("answer", "1", "2", "position_1"),
        ("answer", "left", "right", "side"),
        ("answer", "L", "R", "side"),
        ("resp.keys", "f", "j", "side"),
        ("resp.keys", "ArrowLeft", "ArrowRight", "side"),
        ("answer", "True", "False", "first_is_nearer"),
        ("answer", "1", "-1", "first_is_nearer"),
        ("eval", "1", "0", "first_is_nearer"),
        ("answer", "1.0", "2.0", "position_1"),
    ],
)
def test_choice_codings(column, first, second, coding):
    text = f"center,option1,option2,{column}\n" + "".join(
        f"x,y,z,{word}\n" for word in (first, second, second, "")
    )
    table = load(text.encode())
    reading = propose(table)[0]
    result = interpret(table, reading)
    assert reading.choice_coding == coding
    assert named_rows(result.triplets) == [("x", "y", "z"), ("x", "z", "y"), ("x", "z", "y")]
    assert result.triplets.answers["side"].tolist() == ["left", "right", "right"]


def test_zero_and_one_are_proposed_both_ways():
    table = load(b"A,B,C,eval\n5,6,7,1\n5,7,6,0\n")
    first, second = propose(table)[:2]
    assert {first.choice_coding, second.choice_coding} == {"first_is_nearer", "position_0"}
    assert first.choice_coding == "first_is_nearer"
    assert any("could also mean" in reason for reason in first.reasons)
    assert (interpret(table, first).triplets.rows[:, 1]
            == interpret(table, second).triplets.rows[:, 2]).all()


def test_numbers_that_are_objects_are_not_taken_for_positions():
    rows = "0,1,2,1\n2,0,1,0\n1,2,0,0\n"
    table = load(f"center,left,right,winner\n{rows}".encode())
    assert propose(table)[0].choice_coding == "item"


def test_roles_by_values():
    text = "t,p,q,r,s\n" + "".join(
        f"9{i}x,{a},{b},{c},{d}\n"
        for i, (a, b, c, d) in enumerate(["abcb", "bcac", "cdbd", "dabb", "adcd"])
    )
    table = load(text.encode(), header=True)
    reading = propose(table)[0]
    assert reading.roles == {"anchor": "p", "left": "q", "right": "r", "choice": "s"}
    assert any("check" in reason for reason in reading.reasons)


def test_unnamed_columns_with_a_choice():
    table = load(b"0,1,2,True\n1,2,0,False\n2,0,1,True\n3,1,0,False\n1,3,2,True\n")
    reading = propose(table)[0]
    assert reading.choice_coding == "first_is_nearer"
    assert named_rows(interpret(table, reading).triplets)[:2] == [("0", "1", "2"), ("1", "0", "2")]
    table = load(b"a,b,c,b\nb,c,a,a\nc,a,b,a\nb,c,a,c\n")
    reading = propose(table)[0]
    assert reading.choice_coding == "item"
    assert named_rows(interpret(table, reading).triplets)[1] == ("b", "a", "c")


def test_something_is_always_proposed():
    for text in ("1.5,2.5,3.5,9\n", "a,b,c,d,e,f\n", "p;q;r\n1;2;3\n"):
        found = propose(load(text.encode()))
        assert found[0].layout in ("plain", "roles")
        assert "anchor" in found[0].roles


# Readings


def test_reading_survives_json():
    for reading in propose(load(EGGS / "responses.csv")):
        again = Reading.from_dict(json.loads(json.dumps(reading.to_dict())))
        assert again == reading


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"roles": {"head": "x"}}, "role is 'head'"),
        ({"choice_coding": "guess"}, "choice_coding is 'guess'"),
        ({"response_time_unit": "min"}, "response_time_unit"),
        ({"index_base": 2}, "index_base is 2"),
    ],
)
def test_reading_refuses_unknown_settings(values, message):
    with pytest.raises(ValueError, match=message):
        Reading("roles", "Mine", **values)


def test_roles_as_a_mapping():
    triplets = read(
        FORMATS / "salmon_responses.csv", {"anchor": "head", "near": "winner", "far": "loser"}
    )
    assert (triplets.rows == read(FORMATS / "salmon_responses.csv").rows).all()
    triplets = read(
        CHOICES.encode(),
        {"anchor": "Center", "left": "Left", "right": "Right", "choice": "Answer"},
    )
    assert named_rows(triplets)[1] == ("b", "a", "c")


@pytest.mark.parametrize(
    ("roles", "message"),
    [
        ({"anchor": "Center", "near": "Left"}, "no column is chosen for"),
        ({"anchor": "Center", "near": "Left", "far": "Nowhere"}, "no column 'Nowhere'"),
        ({"anchor": "Center", "near": "Left", "far": "Left"}, "has two roles"),
        ({"near": "Left", "far": "Right"}, "chosen for Anchor"),
    ],
)
def test_roles_that_do_not_fit(roles, message):
    with pytest.raises(DataError, match=message):
        read(CHOICES.encode(), roles)


def test_a_choice_needs_a_coding():
    table = load(CHOICES.encode())
    roles = {"anchor": "Center", "left": "Left", "right": "Right", "choice": "Answer"}
    with pytest.raises(DataError, match="response coding"):
        interpret(table, Reading.from_roles(**roles))


def test_the_form_knows_what_it_asks_for():
    assert all(role.title and role.help for role in ROLES.values())
    assert all(coding.title and coding.help for coding in CHOICE_CODINGS.values())
    table = load(EGGS / "responses.csv")
    assert "Response.Time..s." in candidates(table, "response_time")
    assert "Center" not in candidates(table, "response_time")
    assert candidates(table, "anchor") == table.columns


def test_layouts_are_found_by_themselves():
    names = list(layouts())
    assert {"salmon", "center", "three", "jspsych", "ranking"} <= set(names)
    assert names[0] == "salmon"
    assert names[-1] == "roles"
    assert [layouts()[name].rank for name in names] == sorted(
        layout.rank for layout in layouts().values()
    )


# Rows that cannot be used


def test_unusable_rows_are_left_out_with_reason_and_row():
    text = (
        "center,left,right,answer,weight\n"
        "a,b,c,b,1\n"       # 2
        "a,b,c,,1\n"        # 3 unanswered
        "\n"                # 4 blank
        "a,b,c,d,1\n"       # 5 not offered
        "a,b,,b,1\n"        # 6 missing
        "a,b,b,b,1\n"       # 7 twice
        "a,a,c,a,1\n"       # 8 catch
        "a,b,c\n"           # 9 malformed
        "a,b,c,c,minus\n"   # 10 weight
        + "b,a,c,c,2\n" * 9  # 11 to 19
        + "\n"
    )
    result = imported(text)
    report = result.report
    reasons = {omission.rows.tolist()[0]: omission.reason for omission in report.omissions}
    assert {row: reason.split(" ")[0:4] for row, reason in reasons.items()}.keys() == {
        3, 5, 6, 7, 8, 9, 10
    }
    assert "no response" in reasons[3]
    assert "none of the two options" in reasons[5]
    assert "missing" in reasons[6]
    assert "twice" in reasons[7]
    assert "catch" in reasons[8]
    assert "cells" in reasons[9]
    assert "weight" in reasons[10]
    assert all(omission.remedy and omission.count == 1 for omission in report.omissions)
    assert report.n_rows == 17
    assert report.n_answers + report.n_omitted == report.n_rows
    assert result.file_rows.tolist() == [2, *range(11, 20)]
    assert result.triplets.weight.tolist() == [1.0] + [2.0] * 9
    assert result.catch_trials.to_dict("list") == {"row": [8], "correct": [True]}
    assert report.summary()[0] == "10 answers on 3 objects, from 17 rows."
    assert any("row omitted because" in line for line in report.summary())


def test_objects_of_unusable_rows_only_are_no_objects():
    result = imported("center,left,right,answer\na,b,c,b\nq,b,c,\nb,a,c,a\n")
    assert result.triplets.ids == ["a", "b", "c"]
    assert any("only in rows that were omitted: q" in note for note in result.report.notes)


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ("a,b,c,x\n" * 6 + "a,b,c,b\n" * 4, "none of the two options"),
        ("a,a,c,a\n" * 6 + "a,b,c,b\n" * 4, "catch trial"),
        ("a,b,b,b\n" * 6 + "a,b,c,b\n" * 4, "twice"),
    ],
)
def test_most_rows_wrong_means_a_wrong_reading(rows, message):
    with pytest.raises(DataError, match=message) as raised:
        imported("center,left,right,answer\n" + rows)
    assert raised.value.file == "answers.csv"
    assert raised.value.row == 2
    assert raised.value.remedy


def test_unanswered_rows_may_be_most():
    result = imported("center,left,right,answer\n" + "a,b,c,\n" * 90 + "a,b,c,b\n" * 10)
    assert len(result.triplets) == 10


def test_no_usable_row():
    with pytest.raises(DataError, match=r"no row can be used.*no response was given"):
        imported("center,left,right,answer\na,b,c,\na,b,c,NA\n")


def test_row_numbers_survive_blank_and_malformed_rows():
    lines = ["anchor,near,far"]
    expected = []
    for i in range(2, 3000):
        if i % 7 == 0:
            lines.append("")
        elif i % 11 == 0:
            lines.append("a,b")
        else:
            lines.append("a,b,c")
            expected.append(i)
    table = load("\n".join(lines).encode())
    assert table.row_numbers(np.arange(table.n_rows)).tolist() == expected
    assert table.skipped.tolist() == [i for i in range(2, 3000) if i % 11 == 0 and i % 7]
    assert table.row_number(5) == expected[5]
    assert table.preview(3).index.tolist() == expected[:3]


def test_the_head_of_a_table_knows_only_its_own_objects():
    table = load(EGGS / "responses.csv").head(20)
    triplets = interpret(table, propose(table)[0]).triplets
    assert len(triplets) == 20
    assert triplets.n_objects == len(set(triplets.rows.ravel().tolist())) < 60


# Sentences


def test_sentences_come_from_different_places_and_people():
    result = interpret(*(lambda t: (t, propose(t)[0]))(load(EGGS / "responses.csv")))
    sentences = result.sentences(5, seed=1)
    assert [s.row for s in sentences] == sorted(s.row for s in sentences)
    assert len({s.participant for s in sentences}) == 5
    raw = pd.read_csv(EGGS / "responses.csv")
    for s in sentences:
        row = raw.iloc[s.row - 2]
        assert s.text == (
            f"P{row['Participant.ID']} saw *{row['Center']}*; said *{row['Answer']}* is more "
            f"similar than *{row['Right']}*"
        )
        assert result.triplets.labels[s.near] == row["Answer"]
    assert result.sentences(5, seed=1) == sentences


def test_sentences_of_short_and_anonymous_files():
    (only,) = imported("a,b,c\n").sentences(3)
    assert only.text == "Somebody saw *a*; said *b* is more similar than *c*"
    assert only.participant is None


# Numbers and tables of objects


OBJECTS = pd.DataFrame({"id": ["x", "y", "z"], "size": [1, 2, 3]})


def test_a_table_of_objects_fixes_objects_and_order():
    objects = pd.DataFrame({"object": ["c", "d", "b", "a"], "label": ["C", "D", "B", "A"]})
    result = imported(CHOICES, objects)
    assert result.triplets.ids == ["c", "d", "b", "a"]
    assert result.triplets.labels == ["C", "D", "B", "A"]
    assert named_rows(result.triplets) == [("a", "b", "c"), ("b", "a", "c"), ("c", "a", "b")]
    assert result.report.never_asked == ["d"]


def test_objects_not_in_the_table_are_left_out():
    text = CHOICES + "2,q,a,b,a\n"
    result = imported(text, pd.DataFrame({"id": ["a", "b", "c"]}))
    assert [o.rows.tolist() for o in result.report.omissions] == [[5]]
    with pytest.raises(DataError, match="not in the table of objects"):
        imported(text, pd.DataFrame({"id": ["a", "b", "x"]}))


def test_objects_are_found_by_stem_whatever_the_case():
    objects = pd.DataFrame({"id": ["img/A.png", "img/B.png", "img/C.png"]})
    triplets = imported(CHOICES, objects).triplets
    assert named_rows(triplets)[0] == ("img/A.png", "img/B.png", "img/C.png")
    assert triplets.labels == ["A", "B", "C"]


def test_numbers_are_never_shifted_silently():
    with pytest.raises(DataError, match=r"from 0 or from 1.*Counting from 0 fits"):
        imported("0,1,2\n2,1,0\n", OBJECTS)
    listed = pd.DataFrame({"id": [1, 2, 3]})
    with pytest.raises(DataError, match="from 0 to 2, but the table of objects from 1 to 3"):
        imported("0,1,2\n2,1,0\n", listed)
    with pytest.raises(DataError, match="One of them probably counts from 0"):
        imported("1,2,3\n3,2,1\n", pd.DataFrame({"id": [0, 1, 2]}))


@pytest.mark.parametrize(("base", "text"), [(0, "0,1,2\n"), (1, "1,2,3\n")])
def test_numbers_as_positions(base, text):
    table = load(text.encode())
    reading = propose(table)[0]
    reading = Reading.from_dict({**reading.to_dict(), "index_base": base})
    result = interpret(table, reading, OBJECTS)
    assert named_rows(result.triplets) == [("x", "y", "z")]
    assert any(f"counted from {base}" in note for note in result.report.notes)


def test_salmon_finds_objects_by_their_pictures():
    objects = pd.DataFrame({"object": [f"i{i:04}" for i in range(0, 600, 2)]})
    objects["spikiness"] = np.arange(0, 600, 2)
    triplets = read(FORMATS / "salmon_responses.csv", objects=objects)
    plain = read(FORMATS / "salmon_responses.csv")
    labels = np.array(plain.labels)[plain.rows]
    assert (np.array(triplets.ids)[triplets.rows] == labels).all()


# Other tasks


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("sample1,sample2,sample3,judge1\nA,A,B,X\nB,A,B,Y\n", "triangle test"),
        ("target_id,0,1\n0,1.5,2.5\n1,0.5,0.2\n", "coordinates"),
        ("dim_0,dim_1,worker_id,item\n1.5,2.5,w,cat\n0.5,0.2,w,dog\n", "coordinates"),
        ("\n".join(",".join(str((i - j) ** 2 / 7) for i in range(6)) for j in range(6)), "matrix"),
        ("stimulus_id,stimulus_filepath,class_id\n1,a.png,0\n2,b.png,0\n", "lists stimuli"),
    ],
)
def test_what_compares_nothing_is_named_and_not_read(text, message):
    table = load(text.encode(), "task.csv")
    with pytest.raises(DataError, match=message) as raised:
        propose(table)
    assert raised.value.remedy
    assert propose(table, insist=True)


@pytest.mark.parametrize("task", ["odd_one_out", "most_central", "similar_pair", "most_similar"])
def test_only_answers_to_one_of_two_can_be_counted(task):
    table = load(b"a1,a2,a3,v,w\nx,y,z,1,2\nx,y,w,-2,3\n", "c.csv")
    items = {"item1": "a1", "item2": "a2", "item3": "a3"}
    if task == "most_similar":
        items = {"anchor": "a1", "item1": "a2", "item2": "a3"}
    for told in ({"left_votes": "v", "all_votes": "w"},
                 {"choice": "v", "choice_coding": "signed_count"}):
        if task == "most_similar" and "choice" in told:
            continue
        with pytest.raises(DataError, match=r"c.csv: the response in .* is not one of two"):
            interpret(table, Reading.from_roles(**items, **told, task=task))


def test_files_of_the_same_name_are_told_apart():
    files = [("data.csv", b"anchor,near,far\na,b,c\nb,a,c\n")] * 2
    table = load_several(files)
    answers = interpret(table, propose(table)[0]).triplets.answers
    assert answers["participant"].tolist() == ["data.csv"] * 2 + ["data.csv (2)"] * 2


def test_asterisks_of_labels_do_not_end_the_emphasis():
    sentence = imported("anchor,near,far\na*b,*,c\n").sentences(1)[0]
    assert sentence.text.count("*") == 6
    assert "*a∗b*" in sentence.text


@pytest.mark.parametrize(
    "text", ["[3,1,2]\n[1,3,2]\n", "[3, 1, 2]\n\n[1, 3, 2]", "[[3,1,2],[1,3,2]]"]
)
def test_lists_of_numbers_are_json(text):
    assert named_rows(imported(text).triplets) == [("3", "1", "2"), ("1", "3", "2")]


@pytest.mark.parametrize("text", ["[]", "{}", "[1, 2, 3]", "[[]]"])
def test_json_without_records_is_told(text):
    with pytest.raises(DataError, match="this JSON contains no list of answers"):
        imported(text)


@pytest.mark.parametrize(("moment", "seconds"), [
    ("2023-01-05T10:00:03Z", 1672912803.0), ("2023-01-05 12:00:03.25+02:00", 1672912803.25),
    ("1600-01-01", -11676096000.0), ("0001-01-01", -62135596800.0), ("soon", np.nan),
])
def test_moments_are_seconds_since_1970(moment, seconds):
    text = f"anchor,near,far,time\na,b,c,{moment}\nb,a,c,1970-01-01T00:01\nb,c,a,\n"
    times = imported(text).triplets.answers["time"]
    np.testing.assert_array_equal(times, [seconds, 60.0, np.nan])


def test_a_count_of_rows_is_no_weight():
    rows = "a,b,c,{}\nb,a,c,{}\nc,a,b,{}\n"
    counting = imported("anchor,near,far,count\n" + rows.format(1, 2, 3)).triplets
    assert "weight" not in counting.answers
    weights = imported("anchor,near,far,count\n" + rows.format(1, 3, 2)).triplets
    assert weights.weight.tolist() == [1, 3, 2]


@pytest.mark.parametrize(("delimiter", "cells", "numbers"), [
    (",", ["1", " 2 ", "", "3e2"], [1, 2, np.nan, 300]),
    (";", ["1,5", "2.5", "", "-0"], [1.5, 2.5, np.nan, 0]),
    (",", ["7", "NA", ' "8"', "x"], [7, np.nan, 8, np.nan]),
    (",", ["inf", "nan", "-inf", "1"], [np.inf, np.nan, -np.inf, 1]),
])
def test_columns_of_numbers(delimiter, cells, numbers):
    text = "".join(f"a{delimiter}b{delimiter}{cell}\n" for cell in cells * 2)
    table = load(text.encode(), header=False, delimiter=delimiter)
    np.testing.assert_array_equal(table.numbers("column 3"), numbers * 2)
