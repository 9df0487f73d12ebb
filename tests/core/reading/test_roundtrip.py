"""Any triplets, written in any layout that is read, come back as they were."""

from __future__ import annotations

import csv
import gzip
import io
import json
import unicodedata

import numpy as np
import pandas as pd
from hypothesis import given, settings
from hypothesis import strategies as st

from tripletscope.core.data.cells import MISSING, plain_number
from tripletscope.core.reading import Reading, load, propose
from tripletscope.core.reading.interpretation.interpret import interpret
from tripletscope.core.reading.names import natural_order

NAMES = st.one_of(
    st.integers(0, 10**6).map(str),
    st.from_regex(r"[a-z]{1,3}[0-9]{1,4}(\.png)?", fullmatch=True),
    st.text(
        st.characters(exclude_categories=("C", "Z"), exclude_characters='"#%=[{<\\'), min_size=1,
        max_size=8,
    ).map(lambda text: unicodedata.normalize("NFC", text)),  # in which names are read
).filter(lambda text: text.casefold() not in MISSING and plain_number(text) == text)


@st.composite
def answers(draw):
    """Objects, (T, 3) rows of their names, and which side the chosen one stood on."""
    names = draw(st.lists(NAMES, min_size=3, max_size=12, unique=True))
    rows = draw(
        st.lists(st.permutations(names).map(lambda p: tuple(p[:3])), min_size=3, max_size=30)
    )
    sides = draw(st.lists(st.booleans(), min_size=len(rows), max_size=len(rows)))
    return rows, sides


def written(header, rows, delimiter=",", quoting=csv.QUOTE_MINIMAL, end="\n") -> bytes:
    buffer = io.StringIO()
    writer = csv.writer(buffer, delimiter=delimiter, quoting=quoting, lineterminator=end)
    writer.writerows([header, *rows] if header else rows)
    return buffer.getvalue().encode()


def check(data, rows, layout, **options):
    table = load(data, "answers", **options)
    reading = propose(table)[0]
    assert reading.layout == layout
    result = interpret(table, reading)
    back = np.array(result.triplets.ids, dtype=object)[result.triplets.rows]
    assert [tuple(row) for row in back] == rows
    assert result.triplets.ids == natural_order({name for row in rows for name in row})
    assert result.report.omissions == []
    assert [s.row for s in result.sentences()] == sorted(s.row for s in result.sentences())
    return result


@settings(max_examples=30)
@given(answers(), st.sampled_from([",", ";", "\t", " "]), st.sampled_from(["\n", "\r\n", "\r"]))
def test_plain(drawn, delimiter, end):
    rows, _ = drawn
    quoted = csv.QUOTE_ALL  # a name may hold any delimiter
    check(written(None, rows, delimiter, quoted, end), rows, "ordered", header=False,
          delimiter=delimiter)
    check(written(["anchor", "near", "far"], rows, delimiter, quoted, end), rows, "ordered",
          delimiter=delimiter)


@settings(max_examples=30)
@given(answers(), st.sampled_from(["utf-8", "utf-8-sig", "utf-16"]))
def test_center_left_right_answer(drawn, encoding):
    rows, sides = drawn
    header = ["Participant.ID", "Center", "Left", "Right", "Answer", "Alg.Label"]
    table = [
        (f"p{i % 3}", anchor, *((near, far) if side else (far, near)), near, "Train")
        for i, ((anchor, near, far), side) in enumerate(zip(rows, sides, strict=True))
    ]
    result = check(written(header, table).decode().encode(encoding), rows, "center")
    assert result.triplets.answers["participant"].tolist() == [row[0] for row in table]
    if len(set(sides)) == 2:  # otherwise the file may have been sorted
        expected = ["left" if side else "right" for side in sides]
        assert result.triplets.answers["side"].tolist() == expected


@settings(max_examples=30)
@given(answers())
def test_salmon(drawn):
    rows, sides = drawn
    numbers = {name: str(i) for i, name in enumerate(sorted({n for row in rows for n in row}))}
    header = ["head", "left", "right", "winner", "puid", "head_filename", "left_filename",
              "right_filename"]
    table = []
    for (anchor, near, far), side in zip(rows, sides, strict=True):
        left, right = (near, far) if side else (far, near)
        table.append((
            *(numbers[name] for name in (anchor, left, right, near)), "p",
            *(f"{numbers[name]}_x.png" for name in (anchor, left, right)),
        ))
    expected = [tuple(numbers[name] for name in row) for row in rows]
    result = check(gzip.compress(written(header, table)), expected, "salmon")
    assert result.triplets.labels == [f"{i}_x" for i in result.triplets.ids]


@settings(max_examples=30)
@given(answers(), st.sampled_from([("1", "2"), ("left", "right"), ("true", "false")]))
def test_roles(drawn, words):
    rows, sides = drawn
    header = ["trial", "reference", "option1", "option2", "choice", "rt"]
    table = [
        (i, anchor, *((near, far) if side else (far, near)), words[not side], "812.5")
        for i, ((anchor, near, far), side) in enumerate(zip(rows, sides, strict=True))
    ]
    if {name for row in rows for name in row} & set(words):
        return  # a choice that may also be an object is the user's to decide
    if set(sides) == {True} and words[0] == "1":
        return  # nothing but "1" may be the second option of 0 and 1
    data = written(header, table)
    result = check(data, rows, "anchored")
    assert result.triplets.answers["response_time"].tolist() == [0.8125] * len(rows)
    buffer = io.BytesIO()
    pd.read_csv(io.BytesIO(data), dtype=str, keep_default_na=False).to_parquet(buffer)
    check(buffer.getvalue(), rows, "anchored")


@settings(max_examples=20)
@given(answers(), st.sampled_from(["records", "split", "lines", "columns", "xlsx", "parquet"]))
def test_containers(drawn, container):
    rows, _ = drawn
    frame = pd.DataFrame(rows, columns=["anchor", "near", "far"], dtype=str)
    if container == "parquet":
        data = frame.to_parquet()
    elif container == "xlsx":
        buffer = io.BytesIO()
        frame.to_excel(buffer, index=False)
        data = buffer.getvalue()
    elif container == "split":
        data = json.dumps({name: frame[name].tolist() for name in frame}).encode()
    else:
        orient = "columns" if container == "columns" else "records"
        data = frame.to_json(orient=orient, lines=container == "lines").encode()
    check(data, rows, "ordered")


@st.composite
def trials(draw):
    """(T, 3) names and the place of the chosen one; each place is chosen at least once."""
    names = draw(st.lists(NAMES, min_size=4, max_size=12, unique=True))
    shown = st.permutations(names).map(lambda p: tuple(p[:3]))
    rows = draw(st.lists(shown, min_size=3, max_size=30))
    more = draw(st.lists(st.integers(0, 2), min_size=len(rows) - 3, max_size=len(rows) - 3))
    return rows, [0, 1, 2, *more]


@settings(max_examples=30)
@given(
    trials(), st.sampled_from(["odd_one_out", "most_central"]),
    st.sampled_from(["position_0", "position_1", "item"]),
)
def test_three_objects_and_a_choice(drawn, task, coding):
    rows, places = drawn
    if coding != "item" and {name for row in rows for name in row} & {"0", "1", "2", "3"}:
        return  # then a choice may name an object
    told = [
        row[place] if coding == "item" else str(place + (coding == "position_1"))
        for row, place in zip(rows, places, strict=True)
    ]
    choice = {"odd_one_out": "odd", "most_central": "central"}[task]
    table = [(*row, word) for row, word in zip(rows, told, strict=True)]
    loaded = load(written(["item1", "item2", "item3", choice], table), "answers")
    reading = propose(loaded)[0]
    assert (reading.task, reading.choice_coding) == (task, coding)
    triplets = interpret(loaded, reading).triplets
    ids = np.array(triplets.ids, dtype=object)
    back = list(zip(*[map(tuple, ids[triplets.rows[k::2]]) for k in (0, 1)], strict=True))
    for (first, second), row, place in zip(back, rows, places, strict=True):
        rest = [name for i, name in enumerate(row) if i != place]
        chosen = 2 if task == "odd_one_out" else 1
        assert first[chosen] == second[chosen] == row[place]
        assert {first[0], second[0]} == set(rest)
        assert set(first) == set(second) == set(row)
    again = Reading.from_dict(json.loads(json.dumps(reading.to_dict())))
    assert (interpret(loaded, again).triplets.rows == triplets.rows).all()


@settings(max_examples=20)
@given(answers(), st.data())
def test_counts(drawn, data):
    rows, _ = drawn
    votes = data.draw(st.lists(
        st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=len(rows), max_size=len(rows)
    ))
    if not any(map(sum, votes)):
        return
    table = [(*row, *counts) for row, counts in zip(rows, votes, strict=True)]
    header = ["anchor", "left", "right", "votes_left", "votes_right"]
    loaded = load(written(header, table), "answers")
    triplets = interpret(loaded, propose(loaded)[0]).triplets
    expected = []
    for (anchor, left, right), (first, second) in zip(rows, votes, strict=True):
        expected += [((anchor, left, right), first)] * (first > 0)
        expected += [((anchor, right, left), second)] * (second > 0)
    back = [tuple(row) for row in np.array(triplets.ids, dtype=object)[triplets.rows]]
    assert list(zip(back, triplets.weight, strict=True)) == expected
