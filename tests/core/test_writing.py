"""Answers that are written, in whatever layout, are read as the same answers."""

from __future__ import annotations

import io
import unicodedata

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tests.core.reading.layouts import CASES, FORMATS, SORTED_ODD, joined
from tripletscope.core.data.errors import DataError
from tripletscope.core.data.quadruples import Quadruples
from tripletscope.core.data.triplets import Triplets
from tripletscope.core.reading import load, propose
from tripletscope.core.reading.interpretation.interpret import interpret
from tripletscope.core.studies.quality import participants
from tripletscope.core.studies.quality.importing import read, read_pairs
from tripletscope.core.writing import WRITERS, roles_of, write_answers, write_pairs

NUMBERS = ("salmon", "npy", "numbers", "triads")
NOTHING_ELSE = ("npy", "numbers")
NAMED = ("anchored", "parquet", "json")


def again(triplets: Triplets, layout: str) -> Triplets:
    """What is written, read as any other file would be."""
    data = write_answers(triplets, layout)
    bare = {role: f"column {k}" for k, role in enumerate(("anchor", "near", "far"), 1)}
    reading = bare if layout in NOTHING_ELSE else None  # nothing in such a file says it
    back = read(data, reading, name=f"answers{WRITERS[layout].suffix}")
    ids = triplets.ids
    first = 1 if layout == "triads" else 0  # number
    rows = np.array([
        int(i) - first if layout in NUMBERS else ids.index(i) for i in back.ids
    ])[back.rows]
    return Triplets(rows, triplets.objects, back.answers)


def assert_same(triplets: Triplets, layout: str) -> None:
    back = again(triplets, layout)
    assert (back.rows == triplets.rows).all()
    if layout in NOTHING_ELSE:
        return
    assert (back.weight == triplets.weight).all()
    for column in ("participant", "response_time", "split", "sampler", "time", "block"):
        given_so = triplets.answers.get(column)
        if given_so is None or given_so.isna().all() or (layout, column) == ("salmon", "block"):
            continue
        if column in ("response_time", "time"):
            np.testing.assert_allclose(back.answers[column], given_so, rtol=1e-15)
        else:
            found = back.answers[column].astype("str").fillna("")
            assert found.tolist() == given_so.astype("str").fillna("").tolist()


def assert_same_places(triplets: Triplets, layout: str) -> None:
    """Where the chosen option stood, and which answers are of one trial."""
    back = again(triplets, layout).answers
    for column in ("side", "trial"):
        if column in triplets.answers:
            found = back[column].astype("object").where(back[column].notna(), None)
            assert found.tolist() == triplets.answers[column].tolist()
        else:
            assert column not in back


NAMES = st.one_of(
    st.sampled_from(['a,b', 'say "no"', "a;b", "[1,2]", "<b>x</b>", "1e5", "007", "=1+1", "é b",
                     "#1", "left", "true", "img/a.png", "1", "2", "3", "x" * 99]),
    # Letters are read in their composed form.
    st.text(st.characters(exclude_categories=("C", "Z")), min_size=1, max_size=6).map(
        lambda name: unicodedata.normalize("NFC", name)
    ),
)
TIMES = st.floats(1e-3, 1e4)


@st.composite
def known(draw, n: int) -> pd.DataFrame:
    """What is known of n trials."""

    def of(values) -> list:
        return draw(st.lists(values, min_size=n, max_size=n))

    columns = {}
    if draw(st.booleans()):
        who = st.sampled_from(["1", "2", "Ann", "p 3", 'the "4th"', None])
        columns["participant"] = pd.Categorical(of(who))
    if draw(st.booleans()):
        columns["response_time"] = np.array(of(TIMES | st.just(np.nan)), dtype=float)
    if draw(st.booleans()):
        columns["split"] = pd.Categorical(of(st.sampled_from(["train", "test", "validation"])))
    if draw(st.booleans()):
        columns["sampler"] = pd.Categorical(of(st.sampled_from(["Random", "TSTE", "check"])))
    if draw(st.booleans()):
        columns["time"] = np.array(of(st.floats(0, 2e9) | st.just(np.nan)), dtype=float)
    if draw(st.booleans()):
        columns["block"] = pd.Categorical(of(st.sampled_from(["1", "2", "first part", None])))
    if draw(st.booleans()):
        columns["weight"] = np.array(of(st.floats(0, 1e6)), dtype=float)
    return pd.DataFrame(columns, index=range(n))


def trials_of(draw) -> tuple[list[str], np.ndarray]:
    names = draw(st.lists(NAMES, min_size=4, max_size=9, unique=True))
    which = st.permutations(range(len(names))).map(lambda p: p[:3])
    return names, np.array(draw(st.lists(which, min_size=3, max_size=12)))


@st.composite
def anchored(draw) -> Triplets:
    names, rows = trials_of(draw)
    answers = draw(known(len(rows)))
    if draw(st.booleans()):
        sides = draw(st.lists(st.sampled_from(["left", "right"]), min_size=len(rows),
                              max_size=len(rows)))
        answers["side"] = pd.Categorical(sides)
    return Triplets(rows, pd.DataFrame({"id": pd.Series(names, dtype="str")}), answers)


@st.composite
def of_three(draw, chosen: int) -> Triplets:
    """Two answers for each trial, as an odd one (chosen is 2) or a central one (1) implies."""
    names, items = trials_of(draw)
    n = len(items)
    places = np.array(draw(st.lists(st.integers(0, 2), min_size=n, max_size=n)))
    told = draw(st.booleans())
    if not told:
        places[:] = 2 if chosen == 2 else 0
    rows = []
    for row, place in zip(items, places, strict=True):
        a, b = np.delete(row, place)
        for one, other in ((a, b), (b, a)):
            rows.append([one, other, row[place]] if chosen == 2 else [one, row[place], other])
    answers = draw(known(n)).iloc[np.repeat(np.arange(n), 2)].reset_index(drop=True)
    answers["trial"] = np.repeat(np.arange(n), 2)
    if told:
        sides = np.array(["first", "second", "third"])[places]
        answers["side"] = pd.Categorical(np.repeat(sides, 2))
    return Triplets(rows, pd.DataFrame({"id": pd.Series(names, dtype="str")}), answers)


@settings(max_examples=30)
@given(anchored(), st.sampled_from(["anchored", "salmon", "parquet", "json", "npy", "numbers"]))
def test_anchored_answers(triplets, layout):
    assume(not WRITERS[layout].problem(triplets))
    assert_same(triplets, layout)
    both_sides = len(set(triplets.answers.get("side", ()))) == 2
    if layout in NAMED or (layout == "salmon" and both_sides):
        assert_same_places(triplets, layout)


@settings(max_examples=30)
@given(
    st.sampled_from([("odd_one_out", 2), ("most_central", 1)]).flatmap(
        lambda task: st.tuples(st.just(task[0]), of_three(task[1]))
    ),
    st.sampled_from([None, *NAMED]), st.data(),
)
def test_trials_of_three(drawn, layout, data):
    task, triplets = drawn
    if layout is not None:  # an exclusion may have taken whole trials away
        n = len(triplets) // 2
        kept = data.draw(st.lists(st.booleans(), min_size=n, max_size=n).filter(any))
        triplets = triplets.take(np.repeat(kept, 2))
    layout = layout or task
    assume(not WRITERS[layout].problem(triplets))
    assert_same(triplets, layout)
    if layout in NAMED:
        assert_same_places(triplets, layout)
        return
    back = again(triplets, layout)
    assert back.answers["trial"].tolist() == triplets.answers["trial"].tolist()
    if len(set(triplets.answers.get("side", ()))) > 1:
        assert back.answers["side"].tolist() == triplets.answers["side"].tolist()


@pytest.mark.parametrize("case", CASES)
def test_any_layout_becomes_any_other(case):
    name, data, layout, task, *_ = CASES[case]
    table = load(data.encode() if isinstance(data, str) else data, name)
    triplets = interpret(table, propose(table)[0]).triplets
    if not len(triplets):
        return
    tried = [layout for layout, writer in WRITERS.items() if not writer.problem(triplets)]
    assert {"anchored", "parquet", "json", "npy", "numbers"} <= set(tried)
    assert ("odd_one_out" in tried) == (task in ("odd_one_out", "similar_pair"))
    assert ("most_central" in tried) == (task == "most_central")
    # Each layout holds answers of a third of the files, and what is of its own task.
    k = list(CASES).index(case)
    for layout in {*tried[k % 3 :: 3]} | {*tried} & {"odd_one_out", "most_central"}:
        assert_same(triplets, layout)


def test_a_numbered_column_beside_named_ones_is_no_object():
    rows = [*SORTED_ODD, *SORTED_ODD[:, [1, 0, 2]]]
    table = load(joined([(*row, i % 12) for i, row in enumerate(rows)],
                        ["anchor", "near", "far", "trial"]).encode())
    assert propose(table)[0].roles == {"anchor": "anchor", "near": "near", "far": "far",
                                       "time": "trial"}


TRIALS = """anchor,near,far,who,side,trial
a,b,c,Ann,Left,1
b,a,c,Ann,Left,1
a,b,d,Ann,r,2
b,a,d,Ann,r,2
a,b,c,Bob,,1
b,a,c,Bob,,1
"""


def test_trials_may_be_numbered_anew_by_each_participant():
    answers = read(TRIALS.encode()).answers
    assert answers["trial"].tolist() == [0, 0, 1, 1, 2, 2]
    assert answers["side"].tolist()[:4] == ["left", "left", "right", "right"]
    assert answers["side"].isna().tolist() == [False] * 4 + [True] * 2
    table = participants(read(TRIALS.encode())).set_index("participant")
    assert table["favourite_share"].tolist()[0] == 0.5  # of two trials, not of four answers
    # The same numbers in a row for answers about other objects are no trials.
    other = TRIALS.replace("b,a,c,Ann", "d,e,f,Ann")
    assert propose(load(other.encode()))[0].roles["time"] == "trial"
    assert read(other.encode()).answers["time"].tolist() == [1, 1, 2, 2, 1, 1]
    chosen = {role: role for role in ("anchor", "near", "far", "trial")} | {"participant": "who"}
    assert read(other.encode(), chosen).answers["trial"].tolist() == [0, 1, 2, 2, 3, 3]


def test_three_objects_are_written_wherever_the_chosen_one_stood():
    rows, trial = [[0, 1, 2], [1, 0, 2], [2, 1, 0], [1, 2, 0]], [0, 0, 1, 1]
    for words in (["left", "left", "right", "right"], ["third", "third", None, None]):
        answers = pd.DataFrame({"trial": trial, "side": pd.Categorical(words)})
        triplets = Triplets(rows, pd.DataFrame({"id": list("abc")}), answers)
        rows_of = write_answers(triplets, "odd_one_out").decode().replace('"', "").splitlines()
        assert rows_of[1:] == ["a,b,c,c", "c,b,a,a"]


def test_sides_are_only_read_where_the_choice_does_not_tell_them():
    coded = "anchor,left,right,choice,side\n" + "a,b,c,left,right\na,b,c,right,left\n" * 9
    answers = read(coded.encode()).answers
    assert answers["side"].tolist() == ["left", "right"] * 9
    words = TRIALS.replace("Left", "seen")
    assert "side" not in propose(load(words.encode()))[0].roles


def test_one_answer_alone_is_an_answer():
    assert again(Triplets.from_array([[0, 1, 2]]), "npy").rows.tolist() == [[0, 1, 2]]


def test_salmon_files_keep_labels_and_pictures():
    objects = pd.DataFrame({"id": list("abc"), "label": ["Ant", "Bee", "Cat"],
                            "image": ["ant.png", "bee.png", "cat.jpg"]})
    triplets = Triplets([[0, 1, 2], [2, 1, 0]], objects)
    back = read(write_answers(triplets, "salmon"))
    assert back.objects["image"].tolist() == objects["image"].tolist()
    back = read(write_answers(triplets.with_objects(objects.drop(columns="image")), "salmon"))
    assert back.labels == ["Ant", "Bee", "Cat"]


@pytest.mark.parametrize("name", ["NA", "", " a", "a\n", "7.0", '"a"', "null", "x" * 1001, "a\0"])
def test_names_that_would_not_be_read_again_are_refused(name):
    objects = pd.DataFrame({"id": [name, "b", "c"]})
    triplets = Triplets([[0, 1, 2]], objects)
    for layout in ("anchored", "parquet", "json", "odd_one_out"):
        with pytest.raises(DataError, match="would not be read back"):
            write_answers(triplets, layout)
    assert (again(triplets, "npy").rows == triplets.rows).all()


def test_what_a_layout_cannot_hold_is_said():
    triplets = Triplets.from_array([[0, 1, 2], [1, 2, 0]], weight=[1, 2])
    with pytest.raises(DataError, match="no column for weights"):
        write_answers(triplets, "salmon")
    for layout in ("odd_one_out", "most_central"):
        assert "Choose a layout with an anchor" in WRITERS[layout].problem(triplets)
    odd = read(joined(SORTED_ODD).encode(), {"item1": "column 1", "item2": "column 2",
                                             "item3": "column 3", "task": "odd_one_out"})
    assert not WRITERS["odd_one_out"].problem(odd)
    # An exclusion may take one of the two answers of a trial away.
    assert WRITERS["odd_one_out"].problem(odd.take(np.arange(1, len(odd))))
    with pytest.raises(ValueError, match="layout is 'xml'"):
        write_answers(triplets, "xml")


def test_comparisons_of_pairs_are_read_again():
    table = load(FORMATS.parent / "mlds" / "kk1.csv")
    imported = interpret(table, propose(table)[0])
    pairs = imported.pairs.quadruples("kk1", imported.triplets.objects)
    assert set(pairs.answers["side"]) == {"left", "right"}
    table = load(write_pairs(pairs), "kk1.csv")
    again = interpret(table, propose(table)[0]).pairs
    np.testing.assert_array_equal(again.rows, pairs.rows)
    assert again.answers["side"].tolist() == pairs.answers["side"].tolist()
    assert write_answers(pairs) == write_pairs(pairs)
    with pytest.raises(DataError, match="these answers compare pairs"):
        write_answers(pairs, "salmon")


@pytest.mark.parametrize("layout", ["anchored", "odd_one_out", "parquet", "json"])
@pytest.mark.parametrize("task", ["nearer", "coded", "odd"])
def test_everything_that_is_kept_survives(task, layout):
    """Keys, clicks and pictures beside the answers are not taken for the answers."""
    rng = np.random.default_rng(11)
    n, names = 300, np.array([f"Ding {k}" for k in range(10)], dtype=object)
    places = rng.normal(size=(10, 2))
    rows = np.array([rng.permutation(10)[:3] for _ in range(n)])
    near = np.linalg.norm(places[rows[:, 0]] - places[rows[:, 1]], axis=1) < (
        np.linalg.norm(places[rows[:, 0]] - places[rows[:, 2]], axis=1))
    anchor, left, right = names[rows].T
    chosen, other = np.where(near, left, right), np.where(near, right, left)
    frame = pd.DataFrame({
        "nearer": {"anchor": anchor, "near": chosen, "far": other},
        "coded": {"Referenz": anchor, "links": left, "rechts": right, "Antwort": chosen},
        "odd": {"image1": other, "image2": chosen, "image3": anchor, "odd": other},
    }[task])
    frame = frame.assign(
        Taste=rng.choice(["f", "j"], n), geklickt=left, Bild=pd.Series(right) + ".png",
        Uhr=1.7e9 + 2.7 * np.arange(n), Bemerkung=[f"so, „{k}“\n=1" for k in range(n)],
        Person=[f"v{k % 9}" for k in range(n)], trial=np.arange(n), Version="2.1",
    )
    roles = {"task": "odd_one_out", "item1": "image1", "item2": "image2", "item3": "image3",
             "choice": "odd", "participant": "Person"}
    answers = read(frame.to_csv(index=False).encode(), roles if task == "odd" else None)
    further = [c for c in frame if c in answers.answers and c not in ("Person", "trial")]
    assert {"Taste", "geklickt", "Bild", "Bemerkung", "Version"} <= {*further}
    if WRITERS[layout].problem(answers):
        assert (layout, task != "odd") == ("odd_one_out", True)
        return
    content = write_answers(answers, layout)
    for back in (read(content), read(content, keep=further)):
        assert (back.rows == answers.rows).all()
        assert back.ids == answers.ids
        assert back.fingerprint_of(*answers.answers) == answers.fingerprint_of(*answers.answers)
    if layout == "anchored":
        named = read(content, roles_of(answers) | {"keep": further})
        assert named.fingerprint_of(*further) == answers.fingerprint_of(*further)


#: Comparisons of pairs that hardly recur, by the places of their objects.
FEW_PAIRS = {
    "one": [[0, 1, 2, 3]], "one of many answers": [[0, 1, 2, 3]] * 40,
    "one against some": [[0, 1, 2, 3], [0, 1, 2, 4], [0, 1, 3, 4]] * 14,
    "with a common object": [[0, 1, 1, 2]] * 33,
}


@pytest.mark.parametrize("rows", FEW_PAIRS)
@pytest.mark.parametrize("sides", [(), ("left",), ("left", "right")])
@pytest.mark.parametrize("names", [
    ["cup", "jar", "mug", "pan", "pot"], ["1", "2", "3", "4", "5"], ["0", "1", "2", "3", "4"],
    ["0.1", "0.2", "0.3", "0.4", "0.5"], ["s1", "s2", "s3", "s4", "s5"],
])
def test_few_comparisons_of_pairs_are_read_again(rows, sides, names):
    """Also where all answers are the same, and name an object, or columns have no level in common.

    Nothing but the names of the columns then says what they are.
    """
    rows = np.array(FEW_PAIRS[rows])
    about = {"side": pd.Categorical(np.resize(sides, len(rows)))} if sides else None
    pairs = Quadruples(rows, 5, objects=pd.DataFrame({"id": names}),
                       answers=about and pd.DataFrame(about))
    back = read_pairs(write_answers(pairs))
    assert (np.array(back.ids)[back.rows] == np.array(names)[rows]).all()


@pytest.mark.parametrize("rows", [
    [[1, 0, 2]], [[1, 2, 0]] * 40, [[1, 0, 2], [2, 3, 1], [3, 1, 4]] * 3,
    [[k, *((k - 1, k + 2) if k % 2 else (k + 2, k - 1))] for k in range(1, 7)] * 9,
])
def test_triads_of_levels_are_read_again(rows):
    triplets = Triplets(rows, pd.DataFrame({"id": [f"{20 * k} lux" for k in range(1, 10)]}))
    written = write_answers(triplets, "triads").decode().replace('"', "").splitlines()
    assert written[0] == "resp,S1,S2,S3"
    assert (np.diff([[*map(int, line.split(",")[1:])] for line in written[1:]]) > 0).all()
    back = read("\n".join(written).encode())
    assert (np.array(back.ids, dtype=int)[back.rows] - 1 == triplets.rows).all()
    turned = Triplets([[0, 1, 2]], triplets.objects)
    assert "between the two others" in WRITERS["triads"].problem(turned)


@pytest.mark.parametrize("layout", ["triads", "anchored"])
def test_columns_of_the_answers_do_not_take_the_place_of_what_is_written(layout):
    """A column called resp replaced the responses, and half of the triads were turned round."""
    rows = np.array([[1, 0, 2], [2, 3, 1], [1, 2, 0], [3, 2, 4]])
    plain = Triplets.from_array(rows, 5)
    names = ("resp", "S1", "anchor", "near")
    marked = plain.with_columns({name: ["0", "1", "1", "0"] for name in names})
    before, after = (
        pd.read_csv(io.BytesIO(write_answers(one, layout))) for one in (plain, marked)
    )
    pd.testing.assert_frame_equal(after[before.columns], before)
