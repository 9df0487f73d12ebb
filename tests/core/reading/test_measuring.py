"""Files of ratings, confusions, piles, arrangements and preferences."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from tests.paths import ROOT, SAMPLES
from tripletscope.core.data.errors import DataError
from tripletscope.core.reading import (
    MatrixGiven,
    MeasuredGiven,
    OtherTask,
    file_of_measured,
    load,
    propose,
    read_conjoint,
    read_measured,
    recognise,
)

MEASURED = ROOT / "tests" / "fixtures" / "measured"


@pytest.mark.parametrize(("file", "kind", "raters"), [
    ("ratings.csv", "ratings", 3), ("piles.csv", "piles", 3),
    ("arrangements.csv", "arrangements", 2), ("confusions.csv", "confusions", 0),
])
def test_files_are_recognised(file, kind, raters):
    found = read_measured(MEASURED / file)
    assert (found.kind, len(found.raters)) == (kind, raters)
    assert found.ids == ["ant", "bee", "cat", "dog", "elk", "fox"]
    assert np.isfinite(found.dissimilarities(5).mean).mean() > 0.9
    with pytest.raises((MeasuredGiven, MatrixGiven)) as told:
        propose(load(MEASURED / file))
    assert file in str(told.value)


def test_names_of_columns_tell_the_direction():
    text = "{},stim1,stim2,{}\nann,a,b,5\nann,a,c,1\nann,b,c,2\n"
    for who, value, direction in (("rater", "dissimilarity", "dissimilar"),
                                  ("subject", "proximity", "similar"), ("pid", "sim", "similar")):
        found = read_measured(text.format(who, value).encode())
        assert (found.options["direction"], found.raters) == (direction, ["ann"])
    for value in ("rating", "response", "value", "slider"):  # three pairs tell nothing
        with pytest.raises(DataError, match="whether large numbers mean") as raised:
            read_measured(text.format("pid", value).encode())
        assert "direction='similar'" in raised.value.remedy
        asking = file_of_measured([("r.csv", text.format("pid", value).encode())], None, {})
        assert asking.asks == "direction"
    turned = read_measured(text.format("pid", "rating").encode(), direction="dissimilar")
    assert turned.dissimilarities(0).mean[0].tolist() == [0, 5, 1]


def test_trials_of_confusions_are_counted():
    text = "stimulus,response,who\nb,d,p\nb,b,p\nd,d,p\ns,s,p\nb,d,p\n"
    found = read_measured(text.encode())
    assert found.table["count"].tolist() == [2, 1, 1, 1]


def test_matrices_of_several_raters_need_one_set_of_objects():
    one = b",a,b,c,d,e\n" + b"".join(
        f"{x},{','.join(str(abs(i - j)) for j in range(5))}\n".encode()
        for i, x in enumerate("abcde"))
    turned = b",e,d,c,b,a\n" + b"".join(
        f"{x},{','.join(str(abs(i - j)) for j in range(5))}\n".encode()
        for i, x in enumerate("edcba"))
    found = read_measured([one, turned])
    assert len(found.raters) == 2
    apart = found.dissimilarities(0)
    assert apart.mean[0].tolist() == [0, 1, 2, 3, 4]
    assert not apart.standard_error.any()
    with pytest.raises(DataError, match="matrix 2: its objects are not those of matrix 1"):
        read_measured([one, turned.replace(b"a", b"x")])


def test_the_colours_are_similarities():
    found = file_of_measured(
        [("similarity.csv", SAMPLES / "ekman_colors" / "similarity.csv")], None, {}
    )
    assert "similarities. Pairs of an object with itself have the largest numbers" in found.notes[0]
    table = pd.read_csv(SAMPLES / "ekman_colors" / "similarity.csv", index_col=0)
    mean = found.measured().dissimilarities(0)
    right = 1 - table.to_numpy()
    order = [list(table.columns).index(name) for name in mean.ids]
    assert np.allclose(mean.mean, right[np.ix_(order, order)])


@pytest.mark.parametrize(("text", "problem"), [
    ("item1,item2,rating\na,b,5\na,c,often\nb,c,2\n", "row 3: 'often' in column rating"),
    ("item1,item2,dissimilarity\na,b,5\na,c,-2\nb,c,2\n", "row 3: a dissimilarity is below"),
    ("who,item,x,y\np,a,1,2\n", "cannot|square|not"),
    ("participant,stimulus,response,count\np,a,b,2.5\np,b,a,1\np,c,a,1\n", "row 2: 2.5 is no"),
])
def test_errors_name_file_and_row(text, problem):
    with pytest.raises(DataError, match=problem) as told:
        read_measured(text.encode(), "mine.csv")
    assert str(told.value).startswith("mine.csv")
    assert told.value.remedy


def test_empty_cells_are_left_out_and_told():
    found = file_of_measured([("r.csv", b"item1,item2,rating\na,b,5\na,c,\nb,c,2\n")], None, {})
    assert "1 row without a value left out, the first is row 3." in found.notes
    for word in ("Don't know", "skipped", "NA", "je ne sais pas"):
        for values in (("5", word, "2"), ("same", word, "different")):
            rows = "".join(f"{pair},{one}\n" for pair, one in zip(
                ("a,b", "a,c", "b,c"), values, strict=True))
            found = file_of_measured([("r.csv", f"item1,item2,rating\n{rows}".encode())], None, {})
            assert "1 row without a value left out, the first is row 3." in found.notes
            assert len(found.table) == 2
    with pytest.raises(DataError, match="not of piles"):
        file_of_measured([("r.csv", b"item1,item2,rating\na,b,5\na,c,3\nb,c,2\n")], "piles", {})


@pytest.mark.parametrize("content", [
    (MEASURED / "preferences.csv").read_bytes(),
    b"winner,loser,tie,count\na,b,no,3\nb,c,yes,1\nc,a,no,2\n",
    b"left,right,choice\na,b,a\nb,c,left\nc,a,tie\na,c,left\n",
])
def test_preferences_are_no_similarities_and_have_programs_of_their_own(content):
    with pytest.raises(OtherTask, match="what is liked, not what is alike") as told:
        propose(load(content, "tea.csv"))
    assert "BradleyTerry2 or PlackettLuce of R, or choix of Python" in told.value.remedy
    with pytest.raises(DataError, match=r"tea\.csv: it holds paired preferences") as told:
        read_measured(content, "tea.csv")
    assert "BradleyTerry2" in told.value.remedy


@pytest.mark.parametrize("text", [
    "anchor,near,far\na,b,c\nb,a,c\n", "head,left,right,winner,loser\na,b,c,b,c\nb,a,c,a,c\n",
    "item1,item2,item3,odd\na,b,c,c\nb,c,d,b\n", "0,1,2\n1,2,0\n2,0,1\n",
    "participant,stimulus,left,right,response\np,a,b,c,b\np,b,a,c,c\n",
])
def test_answers_are_still_answers(text):
    assert propose(load(text.encode()))


def _counted(n: int, seed: int, people: int = 1) -> list[pd.DataFrame]:
    rng, names = np.random.default_rng(seed), [f"s{k}" for k in range(n)]
    return [pd.DataFrame(rng.poisson(2, (n, n)) + np.diag(rng.integers(9, 30, n)), names, names)
            for _ in range(people)]


@pytest.mark.parametrize(("content", "kind", "names"), [
    *((frame.to_csv().encode(), "confusions", "read_measured")
      for n in (4, 9) for seed in (0, 1) for frame in _counted(n, seed)),
    (_counted(8, 3)[0].to_csv(sep=";").encode(), "confusions", "read_measured"),
    (pd.concat(_counted(7, 4, people=3), keys=["ann", "bob", "cat"]).reset_index(
        names=["participant", "shown"]).to_csv(index=False).encode(), "confusions",
     "read_measured"),
    (b",a,b,c,d\na,0,1,2,3\nb,1,0,2,2\nc,2,2,0,1\nd,3,2,1,0\n", "ratings", "read_matrix"),
    (b",a,b,c,d\na,9,1,2,3\nb,1,9,2,2\nc,2,2,9,1\nd,3,2,1,9\n", "ratings", "read_matrix"),
])
def test_what_reads_a_square_is_what_is_named(content, kind, names):
    """Counts in a square are confusions to whoever reads it: also to the words of the refusal."""
    with pytest.raises(MatrixGiven) as told:
        propose(load(content, "square.csv"))
    assert f".{names}" in told.value.python
    assert f".{names}(…" in recognise(load(content)).clear.arguments()
    assert file_of_measured([("square.csv", content)], None, {}).kind == kind


# Practice and further columns ---------------------------------------------------------------------

_PEOPLE = ("ann", "bob", "cyd", "dan")


def _rated(rng):
    pairs = [(a, b) for a in "abcdefgh" for b in "abcdefgh" if a < b]
    return pd.DataFrame(
        [(who, a, b, rng.integers(1, 8)) for who in _PEOPLE for a, b in pairs],
        columns=["participant", "item1", "item2", "similarity"],
    )


def _confused(rng):
    return pd.DataFrame(
        [(who, a, b) for who in _PEOPLE for a in "abcdef" for b in [a, a, a, *rng.choice(
            list("abcdef"), 3)]], columns=["participant", "stimulus", "response"])


def _sorted(rng):
    return pd.DataFrame(
        [(who, a, f"pile {rng.integers(1, 4)}") for who in _PEOPLE for a in "abcdefghijkl"],
        columns=["participant", "item", "pile"])


def _arranged(rng):
    return pd.DataFrame(
        [(who, a, *rng.random(2).round(3)) for who in _PEOPLE for a in "abcdefghijkl"],
        columns=["participant", "item", "x", "y"])


@pytest.mark.parametrize("made", [_rated, _confused, _sorted, _arranged])
def test_practice_is_no_measurement(made):
    """Of any kind; it is said, and what its rows say of people is kept."""
    whole = made(np.random.default_rng(0)).assign(phase="main", age="")
    first = whole.groupby("participant").head(3).assign(phase="practice")
    if "item" in first:
        first["item"] = [f"try {k % 3}" for k in range(len(first))]
    first.loc[first.groupby("participant").head(1).index, "age"] = ["21", "34", "55", "21"]
    file = pd.concat([first, whole]).sort_values("participant", kind="stable")
    found = file_of_measured([("m.csv", file.to_csv(index=False).encode())], None, {})
    bare = whole.drop(columns=["phase", "age"])
    alone = file_of_measured([("m.csv", bare.to_csv(index=False).encode())], None, {})
    assert "12 rows of practice left out: phase is practice." in found.notes
    assert found.options == alone.options
    own = [*found.measured().columns]
    pd.testing.assert_frame_equal(
        found.table.filter(own), alone.table.filter(own), check_dtype=False)
    ages = found.table.groupby("participant")["age"].unique()
    assert [list(each) for each in ages] == [["21"], ["34"], ["55"], ["21"]]


def test_practice_of_half_the_rows_is_kept_and_said():
    whole = _rated(np.random.default_rng(0))
    whole["phase"] = np.where(whole["item1"] < "d", "practice", "main")
    found = file_of_measured([("r.csv", whole.to_csv(index=False).encode())], None, {})
    assert len(found.table) == len(whole)
    assert any("are practice (phase is practice), so that they are kept" in note
               for note in found.notes)


def test_conditions_and_objects_are_no_practice():
    whole = _rated(np.random.default_rng(0)).replace({"item1": {"a": "training"}})
    for phase in ("warm", "cold"), ("session 1", "session 2"):
        file = whole.assign(phase=np.where(whole.index % 2, *phase))
        found = file_of_measured([("r.csv", file.to_csv(index=False).encode())], None, {})
        assert len(found.table) == len(whole)
        assert set(found.table["phase"]) == set(phase)


def test_practice_is_left_out_of_conjoint_measurement():
    rng = np.random.default_rng(0)
    file = pd.DataFrame(rng.integers(1, 5, (60, 4)), columns=["g1", "g2", "b1", "b2"])
    file["resp"] = rng.integers(0, 2, 60)
    file["block"] = np.where(file.index < 8, "practice", "main")
    frame, notes = read_conjoint(file.to_csv(index=False).encode())
    assert len(frame) == 52
    assert "8 rows of practice left out: block is practice." in notes


def test_large_numbers_mean_what_they_mean_in_the_file():
    """Also in a matrix of each person, which becomes dissimilarities as it is read."""
    apart = np.abs(np.subtract.outer(np.arange(6) ** 1.5, np.arange(6) ** 1.5))
    for values, means in ((apart, "dissimilar"), (20 - apart, "similar")):
        square = pd.DataFrame(values, list("abcdef"), list("abcdef")).to_csv().encode()
        files = [("J1.csv", square), ("J2.csv", square)]
        found = file_of_measured(files, None, {})
        assert (found.direction, found.options["direction"]) == (means, "dissimilar")
        said = file_of_measured(files, None, {"direction": found.direction})
        assert said.table.equals(found.table)
        assert found.measured().raters == ["J1", "J2"]
