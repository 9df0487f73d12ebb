"""What columns mean: codings of choices, readings, rows that cannot be used, sentences."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

from tests.core.reading.test_reading import CHOICES, EGGS, FORMATS, imported, named_rows
from tripletscope.core.data.errors import DataError
from tripletscope.core.reading import (
    CHOICE_CODINGS,
    ROLES,
    OtherTask,
    Reading,
    candidates,
    load,
    load_several,
    propose,
)
from tripletscope.core.reading.interpretation.interpret import interpret
from tripletscope.core.reading.layouts import layouts
from tripletscope.core.reading.tasks import TASKS
from tripletscope.core.studies.quality.importing import read


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
    assert (interpret(table, first).triplets.rows[:, 1]
            == interpret(table, second).triplets.rows[:, 2]).all()


def test_numbers_that_are_objects_are_not_taken_for_positions():
    rows = "0,1,2,1\n2,0,1,0\n1,2,0,0\n"
    table = load(f"center,left,right,winner\n{rows}".encode())
    assert propose(table)[0].choice_coding == "item"


def test_roles_by_values():
    text = "t,p,q,r,s\n" + "".join(
        f"9{i}x,{a},{b},{c},{d}\n"
        for i, (a, b, c, d) in enumerate(["abcb", "bcac", "cdbd", "dabb", "adcd"] * 4)
    )
    table = load(text.encode(), header=True)
    reading = propose(table)[0]
    assert reading.roles == {"anchor": "p", "left": "q", "right": "r", "choice": "s"}
    assert "never p" in reading.reasons[0]


def test_unnamed_columns_with_a_choice():
    table = load(b"0,1,2,True\n1,2,0,False\n2,0,1,True\n3,1,0,False\n1,3,2,True\n")
    reading = propose(table)[0]
    assert reading.choice_coding == "first_is_nearer"
    assert named_rows(interpret(table, reading).triplets)[:2] == [("0", "1", "2"), ("1", "0", "2")]
    table = load(b"a,b,c,b\nb,c,a,a\nc,a,b,a\nb,c,a,c\n" * 5)
    reading = propose(table)[0]
    assert reading.choice_coding == "item"
    assert named_rows(interpret(table, reading).triplets)[1] == ("b", "a", "c")


@pytest.mark.parametrize("text", ["1.5,2.5,3.5,9\n", "a,b,c,d,e,f\n", "age;sex;town\n1;2;3\n"])
def test_a_table_that_no_kind_claims_is_none_of_judgements(text):
    table = load(text.encode())
    with pytest.raises(OtherTask, match="nothing in it looks like judgements"):
        propose(table)
    assert propose(table, insist=True)[0].roles == {}


def test_columns_beside_those_that_are_to_be_chosen_are_known_and_kept():
    """A condition was left out unless somebody asked for it."""
    header, row = "subject,instruction,thing one,thing two,rt\n", "{},{},{},{},{}\n"
    table = load((header + "".join(
        row.format(f"P{k % 5}", "use" if k % 2 else "look", f"a{k % 7}", f"b{k % 3}", 900 + k)
        for k in range(60)
    )).encode())
    (reading,) = propose(table, insist=True)
    assert reading.roles == {"participant": "subject", "response_time": "rt"}
    assert {*reading.keep} == {"instruction", "thing one", "thing two"}


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
    assert {"salmon", "center", "jspsych", "ranking"} <= set(names)
    assert names[:2] == ["collect", "salmon"]
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
    assert report.n_answers + sum(one.count for one in report.omissions) == report.n_rows
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
        near = s.objects[s.parts.index("more similar")]
        assert result.triplets.labels[near] == row["Answer"]
    assert result.sentences(5, seed=1) == sentences


#: In the sentence of each kind of question, whom an answer names, and what that object is.
NAMED = {
    "nearer": ("said {} is more similar", "more similar"),
    "farther": ("said {} is less similar", "less similar"),
    "odd_one_out": ("said {} is the odd one out", "odd one out"),
    "similar_pair": ("said {} and", "belongs together"),
    "most_central": ("said {} is the most central", "most central"),
    "most_similar": ("said {} is more similar", "more similar"),
    "larger_difference": ("and {} differ more", "larger difference"),
    "smaller_difference": ("and {} differ less", "smaller difference"),
    "larger_pair": ("and {} differ more", "larger difference"),
    "smaller_pair": ("and {} are more similar", "more similar"),
}


@pytest.mark.parametrize("task", TASKS)
def test_pictures_are_called_what_the_sentence_says(task):
    """Those of an odd one out were called as if one were more similar than the other."""
    about, (words, part) = TASKS[task], NAMED[task]
    names = {"anchor": "a", "near": "b", "far": "c", "fourth": "d"}
    sentence = about.sentence.format(who="Ann", **names)
    (named,) = (k for k, name in enumerate("abcd") if words.format(name) in sentence)
    assert about.parts[named] == part
    assert len(about.parts) == sum(f"{{{name}}}" in about.sentence for name in names)


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
        ("stimulus_id,stimulus_filepath,class_id\n1,a.png,0\n2,b.png,0\n", "list of stimuli"),
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
