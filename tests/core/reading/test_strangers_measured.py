"""Strangers' tables of ratings, squares, piles and so on, under many names and in any order."""

from __future__ import annotations

import json
import tracemalloc
from itertools import combinations, product

import numpy as np
import pandas as pd
import pytest
from scipy.io import savemat
from scipy.spatial.distance import squareform

from tests.core.reading.layouts import saved
from tripletscope.core.data.errors import DataError
from tripletscope.core.reading import load, load_several, read_conjoint, read_matrix, read_measured
from tripletscope.core.reading.columns.values import ColumnCells, Columns
from tripletscope.core.reading.interpretation.proposal import recognise
from tripletscope.core.reading.kinds import POSSIBLE, kinds, sorting
from tripletscope.core.reading.measuring import file_of_measured

WORDS = (
    "hammer", "mallet", "saw", "chisel", "plane", "file", "drill", "awl", "wrench", "pliers",
    "clamp", "level", "NA", "vise", "rasp", "punch", "None", "shears", "trowel", "pick",
)
#: Kinds without answers about three objects.
MINE = (
    "ratings", "confusions", "piles", "arrangements", "matrix", "conjoint", "preferences",
    "stimuli", "questions", "experiments",
)
SEEDS = range(3)


def names_of(rng, n):
    """Names of n objects: words, numbers, files, or codes."""
    words = list(rng.permutation(WORDS)[:n])
    return [
        words, [str(300 + k) for k in rng.permutation(n)], [f"img/{word}.png" for word in words],
        [f"S{k:02d}" for k in range(n)],
    ][rng.integers(4)]


def truth_of(rng, n=None):
    """Names and distances of some objects, and the generator that has drawn them."""
    n = n or int(rng.integers(9, 15))
    points = rng.normal(size=(n, 2))
    return names_of(rng, n), np.linalg.norm(points[:, None] - points[None], axis=2)


def agrees(found, names, apart, least=0.8):
    """Whether dissimilarities have these objects and are in the order of the distances."""
    assert sorted(found.ids) == sorted(names)
    mean = found.mean if hasattr(found, "mean") else found.values
    order = [names.index(name) for name in found.ids]
    first, second = np.triu_indices(len(names), 1)
    both = np.array([mean[first, second], apart[np.ix_(order, order)][first, second]])
    both = both[:, np.isfinite(both).all(axis=0)]
    return np.corrcoef(both)[0, 1] > least


def written(rng, frame, *, header=True, shuffled=True):
    """CSV in one of its dialects, with columns in any order."""
    if shuffled:
        frame = frame[list(rng.permutation(frame.columns))]
    sign, end = [",", ";", "\t"][rng.integers(3)], ["\n", "\r\n", "\r"][rng.integers(3)]
    decimal = "," if sign == ";" and rng.random() < 0.5 else "."
    return frame.to_csv(
        index=False, header=header, sep=sign, lineterminator=end, decimal=decimal
    ).encode()


def what(content, name="data.csv"):
    """The kind that is clearly ahead."""
    clear = recognise(load(content, name, least_columns=2)).clear
    return clear and clear.kind


def pairs_frame(rng, names, apart, people=0, selves=False):
    """Pairs of all objects with their distance, of each person in another order."""
    first, second = np.triu_indices(len(names), 0 if selves else 1)
    parts = []
    for person in range(max(people, 1)):
        rows = rng.permutation(len(first))
        turned = rng.random(len(first)) < 0.5
        one, other = np.where(turned, second, first)[rows], np.where(turned, first, second)[rows]
        part = pd.DataFrame({
            "one": np.array(names)[one], "other": np.array(names)[other],
            "apart": apart[one, other] + rng.normal(size=len(one)) * 0.05,
        })
        parts.append(part.assign(person=f"p{person}") if people else part)
    return pd.concat(parts, ignore_index=True)


HEADERS = (
    ("Stimulus 1", "Stimulus 2", "RatedSimilarity", True),
    ("word1", "word2", "similarity", True), ("left", "right", "rating", True),
    ("Reiz1", "Reiz2", "Unähnlichkeit", False), ("imgA", "imgB", "dissimilarity_rating", False),
    ("ConceptA", "ConceptB", "MeanRelatedness", True), ("item1", "item2", "response", True),
    ("item1", "item2", "response", False), ("eins", "zwei", "wert", True),
    ("o1", "o2", "slider.response", False), ("colour_1", "colour_2", "distance", False),
    (None, None, None, True), (None, None, None, False),
)


@pytest.mark.parametrize(("header", "seed"), [(one, k % 3) for k, one in enumerate(HEADERS)])
def test_ratings_of_pairs(header, seed):
    rng = np.random.default_rng([seed, HEADERS.index(header)])
    names, apart = truth_of(rng)
    one, other, value, similar = header
    people = int(rng.integers(4)) if one else 0
    frame = pairs_frame(rng, names, apart, people, selves=rng.random() < 0.3)
    scale = 8 - 2 * frame["apart"] if similar else 2 * frame["apart"]
    scale = scale.clip(lower=0)
    frame["apart"] = scale.round() if people > 1 else scale.round(3)
    if one:
        frame["rt"] = rng.integers(400, 3000, len(frame))
        frame["trial"] = np.arange(len(frame)) + 1
    renamed = frame.rename(columns={
        "one": one, "other": other, "apart": value, "person": ["subject", "pid", "rater"][seed],
    } if one else {})
    content = written(rng, renamed, header=one is not None, shuffled=one is not None)
    assert what(content) == "ratings"
    found = read_measured(content)
    assert found.options["direction"] == ("similar" if similar else "dissimilar")
    assert len(found.raters) == people
    assert agrees(found.dissimilarities(0), names, apart)
    assert agrees(read_matrix(content), names, apart)


@pytest.mark.parametrize("sign", ["-", "_", " / ", " vs ", "|"])
def test_both_objects_may_be_in_one_cell(sign):
    rng = np.random.default_rng(len(sign))
    names, apart = [f"{a}{b}" for a in range(1, 5) for b in range(1, 4)], truth_of(rng, 12)[1]
    frame = pairs_frame(rng, names, apart, 3, selves=True)
    frame.insert(0, "stimulus", frame.pop("one") + sign + frame.pop("other"))
    frame["resp"] = (1 - frame.pop("apart") / 5).round(3)
    content = written(rng, frame.rename(columns={"person": "subj"}))
    assert what(content) == "ratings"
    found = read_measured(content)
    assert found.options["direction"] == "similar"
    assert agrees(found.dissimilarities(0), names, apart)


@pytest.mark.parametrize("sides", [("l", "r"), ("_left", "_right"), ("1", "2")])
def test_objects_may_be_features_of_both_sides(sides):
    rng = np.random.default_rng(1)
    names, apart = [f"{a},{b}" for a in range(1, 5) for b in range(1, 4)], truth_of(rng, 12)[1]
    frame = pairs_frame(rng, names, apart, 2, selves=True)
    for role, side in zip(("one", "other"), sides, strict=True):
        both = frame.pop(role).str.split(",", expand=True)
        frame[f"size{side}"], frame[f"hue{side}"] = both[0], both[1]
    frame["resp"] = (1 - frame.pop("apart") / 5).round(3)
    content = written(rng, frame.rename(columns={"person": "subj"}), shuffled=False)
    assert what(content) == "ratings"
    found = read_measured(content)
    assert agrees(found.dissimilarities(0), names, apart)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_code_book_names_pairs(seed):
    rng = np.random.default_rng(seed)
    names, apart = truth_of(rng)
    book = pairs_frame(rng, names, apart).rename(columns={"one": "Colour1", "other": "Colour2"})
    book["pair"] = np.arange(len(book))
    parts = [book[["pair", "apart"]].assign(participant=f"p{k}") for k in range(4)]
    rated = pd.concat(parts).sample(frac=1, random_state=seed).rename(
        columns={"apart": "dissimilarity"})
    files = [("r.csv", written(rng, rated)), ("b.csv", written(rng, book.drop(columns="apart")))]
    clear = recognise(load_several(files)).clear
    assert clear.kind == "ratings"
    found = read_measured([content for _, content in files])
    assert len(found.raters) == 4
    assert agrees(found.dissimilarities(0), names, apart)


def test_same_or_different_is_a_rating_of_two_values():
    rng = np.random.default_rng(0)
    names, apart = truth_of(rng, 10)
    frame = pd.concat([pairs_frame(rng, names, apart) for _ in range(20)])
    same = rng.random(len(frame)) < np.exp(-frame.pop("apart"))
    frame["answer"] = np.where(same, "same", "different")
    content = written(rng, frame.rename(columns={"one": "stim1", "other": "stim2"}))
    assert what(content) == "ratings"
    assert agrees(read_measured(content).dissimilarities(0), names, apart, 0.6)


# Squares ----------------------------------------------------------------------------------------


def square_csv(values, names, rng, *, above=True, beside=True):
    frame = pd.DataFrame(values, index=names, columns=names)
    sign = [",", ";", "\t"][rng.integers(3)]
    return frame.to_csv(header=above, index=beside, sep=sign).encode()


#: Every two of half, diagonal, direction and names.
SQUARES = [
    (half, own, k % 2 == 0, k // 2 % 2 == 0) for k, (half, own) in enumerate(product(
        ["both", "upper", "lower", "upper zeros", "lower zeros"], ["extreme", "zero", "blank"]
    ))
]


@pytest.mark.parametrize(("half", "own", "similar", "named"), SQUARES)
def test_squares_of_any_half_and_diagonal(half, own, similar, named):
    rng = np.random.default_rng([similar, len(half), len(own), named])
    names, apart = truth_of(rng, 12)
    if not named:
        names = [str(k + 1) for k in range(12)]
    values = np.exp(-apart) if similar else apart.copy()
    np.fill_diagonal(values, {"extreme": float(similar), "zero": 0, "blank": np.nan}[own])
    if half != "both":
        empty = np.tri(12, k=-1, dtype=bool)
        values[empty if half.startswith("upper") else empty.T] = 0 if "zeros" in half else np.nan
    content = square_csv(values.round(4), names, rng, above=named, beside=named)
    if not named and np.isnan(values).all(axis=1).any():
        return  # a blank row is no row of a file without names
    assert what(content) == "matrix"
    found = read_matrix(content)
    assert found.from_similarities is similar
    assert agrees(found, names, apart)
    assert agrees(read_measured(content).dissimilarities(0), names, apart)


def test_halves_that_differ_are_averaged_or_refused():
    rng = np.random.default_rng(2)
    names, apart = truth_of(rng, 12)
    values = 1 - np.exp(-apart) + rng.normal(size=(12, 12)) * 0.02
    content = square_csv(values.round(2), names, rng)
    assert what(content) == "matrix"
    found = read_matrix(content)
    assert "and are averaged" in found.notes[1]
    assert agrees(found, names, apart)
    with pytest.raises(DataError, match="is not"):
        read_matrix(content, average=False)


@pytest.mark.parametrize("seed", SEEDS)
def test_confusions_are_similarities(seed):
    rng = np.random.default_rng(seed)
    names, apart = truth_of(rng, 10)
    chances = np.exp(-3 * apart)
    counts = np.array([rng.multinomial(200, row / row.sum()) for row in chances])
    square = square_csv(counts, names, rng)
    assert what(square) == "matrix"
    assert read_matrix(square).from_similarities
    assert read_measured(square).kind == "confusions"
    shown, said = np.repeat(np.argwhere(counts), counts[counts > 0], axis=0).T
    for one, other in (("stimulus", "response"), ("presented", "heard"), ("gezeigt", "gesagt")):
        long = pd.DataFrame({one: np.array(names)[shown], other: np.array(names)[said]})
        if one == "gezeigt" and names[0].isdigit():
            continue  # numbers alone tell nothing
        content = written(rng, long.sample(frac=1, random_state=seed), shuffled=False)
        assert what(content) == "confusions"
        assert read_measured(content).table["count"].sum() == counts.sum()


def counts_of(n: int = 6) -> tuple[list[str], np.ndarray]:
    rng = np.random.default_rng(0)
    return [*"bdgptk"][:n], rng.integers(0, 8, (n, n)) + 40 * np.eye(n, dtype=int)


def test_sums_of_a_square_are_no_object():
    names, counts = counts_of()
    with_sums = np.vstack([counts, counts.sum(axis=0)])
    with_sums = np.column_stack([with_sums, with_sums.sum(axis=1)])
    header = [*names, "Total"]
    frame = pd.DataFrame(with_sums, columns=header, index=header)
    content = frame.to_csv(index_label="stimulus").encode()
    for found in (read_matrix(content), file_of_measured([("a.csv", content)], None, {})):
        assert any("Total adds up the others" in note for note in found.notes), found.notes
    assert read_matrix(content).ids == names
    assert sorted(read_measured(content).dissimilarities().ids) == sorted(names)


def test_counts_of_all_pairs_in_both_orders_are_confusions():
    """As R's table() gives them; ratings do not mostly have their largest number for selves."""
    names, counts = counts_of()
    frame = pd.DataFrame([(a, b, counts[i, j]) for j, b in enumerate(names)
                          for i, a in enumerate(names)], columns=["Var1", "Var2", "Freq"])
    found = file_of_measured([("a.csv", frame.to_csv(index=False).encode())], None, {})
    assert found.kind == "confusions"
    assert found.table["count"].sum() == counts.sum()


def test_counts_of_objects_sorted_together_are_no_confusions():
    """The diagonal is largest, too, but neither order of a pair is a stimulus."""
    rng, names = np.random.default_rng(0), [*"abcdefgh"]
    piles = rng.integers(0, 3, (20, 8))
    counts = (piles[:, :, None] == piles[:, None]).sum(axis=0)
    frame = pd.DataFrame([(a, b, counts[i, j]) for j, b in enumerate(names)
                          for i, a in enumerate(names)], columns=["Var1", "Var2", "Freq"])
    found = file_of_measured([("a.csv", frame.to_csv(index=False).encode())], None, {})
    assert found.kind == "ratings"
    assert found.options["direction"] == "similar"


def test_a_hub_is_an_object():
    """It adds up the others, but not what they add up to."""
    names, star = ["ant", "bee", "cat", "dog", "hub"], np.eye(5)
    star[4] = star[:, 4] = 1
    content = pd.DataFrame(star, index=names, columns=names).to_csv().encode()
    assert read_matrix(content).ids == names


@pytest.mark.parametrize("words", [
    ("igual", "diferente"), ("même", "différent"), ("uguale", "diverso"), ("同じ", "違う"),
])
def test_same_and_different_have_words_of_other_languages(words):
    rng = np.random.default_rng(0)
    pairs = np.array([(a, b) for a in "abcdef" for b in "abcdef"] * 3)
    same = (pairs[:, 0] == pairs[:, 1]) | (rng.random(len(pairs)) < 0.2)
    frame = pd.DataFrame({"stimulus1": pairs[:, 0], "stimulus2": pairs[:, 1],
                          "r": np.where(same, *words)})
    found = file_of_measured([("a.csv", frame.to_csv(index=False).encode())], None, {})
    assert found.kind == "ratings"
    assert found.options["direction"] == "similar"
    assert found.table["rating"].mean() == same.mean()


def test_a_square_of_each_person_is_a_rater():
    rng = np.random.default_rng(3)
    names, apart = truth_of(rng, 10)
    each = [apart + squareform(rng.random(45)) * 0.1 for _ in range(4)]
    frames = [pd.DataFrame(one, names, names).rename_axis("object").reset_index()
              for one in each]
    stacked = pd.concat([frame.assign(subject=f"p{k}") for k, frame in enumerate(frames)])
    order = ["subject", *stacked.columns[:-1]]
    half = [one[np.triu_indices(10, 1)] for one in each]
    texts = np.array(names, dtype=object)[:, None]
    tests = {
        "s.csv": stacked[order].to_csv(index=False).encode(),
        "v.mat": saved(savemat, {f"rdm_{k}": one for k, one in enumerate(half)} | {
            "stimuli": texts}),
        "m.mat": saved(savemat, {"rdmutv": np.array(half), "stimuli": texts}),
        "c.mat": saved(savemat, {"all": np.moveaxis(np.array(each), 0, 2), "labels": texts}),
        "t.mat": saved(savemat, {"rdms": np.array(
            [(one, f"p{k}") for k, one in enumerate(each)], dtype=[("RDM", "O"), ("name", "O")]),
            "stimuli": texts}),
        "n.npy": saved(np.save, np.array(each)),
    }
    for file, content in tests.items():
        found = read_measured(content, file)
        ids = names if file != "n.npy" else [str(k + 1) for k in range(10)]
        assert (len(found.raters), found.kind) == (4, "ratings"), file
        assert agrees(found.dissimilarities(0), ids, apart), file
        assert agrees(read_matrix(content, file), ids, apart), file
        assert what(content, file) in ("ratings", "matrix")


def test_rows_of_a_square_may_be_in_another_order():
    rng = np.random.default_rng(4)
    names, apart = truth_of(rng, 9)
    order = rng.permutation(9)
    frame = pd.DataFrame(apart[order], [names[k] for k in order], names)
    assert agrees(read_matrix(frame.to_csv().encode()), names, apart, 0.999)


# Piles and places -------------------------------------------------------------------------------


def sorted_by(rng, apart, people):
    """(n, people) groups, numbered by each person in any order."""
    groups = []
    for _ in range(people):
        centres = rng.permutation(len(apart))[: rng.integers(3, 6)]
        nearest = (apart[:, centres] + rng.normal(size=(len(apart), len(centres))) * 0.2).argmin(1)
        groups.append(np.unique(nearest, return_inverse=True)[1] + 1)
    return np.array(groups).T


@pytest.mark.parametrize("people", ["J{}", "S{}", "assessor_{}", "Judge {}", "names"])
@pytest.mark.parametrize("cells", ["numbers", "words"])
def test_piles_wide_and_long(people, cells):
    rng = np.random.default_rng(len(people))
    apart = truth_of(rng, 14)[1]
    names = list(WORDS[:14])
    groups = sorted_by(rng, apart, 12)
    called = [people.format(k + 1) for k in range(12)] if people != "names" else [
        "ann", "bob", "cleo", "dan", "eve", "fay", "gus", "hal", "ida", "jon", "kim", "lou"]
    labels = groups if cells == "numbers" else np.array(
        [["", "red", "sweet", "sour", "dry", "odd"][k] for k in groups.ravel()]
    ).reshape(groups.shape)
    wide = pd.DataFrame(labels, columns=called)
    wide.insert(0, "Product", names)
    content = written(rng, wide, shuffled=False)
    assert what(content) == "piles"
    found = read_measured(content)
    assert found.raters == called
    assert agrees(found.dissimilarities(0), names, apart, 0.4)
    long = wide.melt("Product", var_name="sorter", value_name="pile").rename(
        columns={"Product": "card", "sorter": "participant"})
    content = written(rng, long)
    assert what(content) == "piles"
    again = read_measured(content).dissimilarities(0)
    assert np.allclose(again.mean, found.dissimilarities(0).mean, equal_nan=True)


def typed(rng, apart, people, order):
    """(people, n) piles as spreadsheets have them: numbered as they come, with a gap, or anyhow."""
    groups = sorted_by(rng, apart, people).T
    if order == "anyhow":
        return groups
    groups = np.array([pd.factorize(own)[0] + 1 for own in groups])
    if order == "with gaps":  # a pile was given up
        groups[::5] += groups[::5] > 1
    return groups


@pytest.mark.parametrize("order", ["as they come", "with gaps", "anyhow"])
@pytest.mark.parametrize("form", ["rows", "rows without people", "columns", "long"])
def test_piles_as_people_type_them(form, order):
    """All but one of these were "nothing that looks like judgements of similarity"."""
    rng = np.random.default_rng(4)
    apart, people = truth_of(rng, 14)[1], [f"VP{k + 1:02}" for k in range(15)]
    piles = pd.DataFrame(typed(rng, apart, 15, order), people, list(WORDS[:14]))
    piles.iloc[3, 2] = pd.NA
    frame = {
        "rows": piles.rename_axis("Participant").reset_index().assign(Age=21),
        "rows without people": piles,
        "columns": piles.T.rename_axis("Animal").reset_index(),
        "long": piles.rename_axis("Participant").reset_index().melt(
            "Participant", var_name="Animal", value_name="Pile"),
    }[form]
    content = frame.to_csv(index=False).encode()
    assert what(content) == "piles"
    found = read_measured(content)
    assert found.raters == ([str(k + 1) for k in range(15)] if "without" in form else people)
    assert agrees(found.dissimilarities(0), list(WORDS[:14]), apart, 0.4)


def designs() -> dict[str, pd.DataFrame]:
    """Conditions of items by list, answers with names of a common meaning: nobody sorted."""
    rng = np.random.default_rng(4)
    people, items = [f"s{k}" for k in range(24)], [f"item {one}" for one in "abcdefghijklmnop"]
    true = rng.integers(0, 3, 16)
    lists = (true[None] + np.arange(24)[:, None]) % 3
    said = np.where(rng.random((24, 16)) < 0.8, true, rng.integers(0, 3, (24, 16)))
    wide = {
        "latin square": np.array(["related", "unrelated", "neutral"])[lists],
        "rota": lists + 1, "emotions": np.array(["happy", "sad", "angry"])[said],
        "scale with a word beside": said + 1,
    }
    found = {}
    for name, cells in wide.items():
        table = pd.DataFrame(cells, columns=items)
        found[name] = table.assign(occupation=rng.choice(["nurse", "cook", "clerk"], 24))
        long = table.assign(participant=people).melt(
            "participant", var_name="phrase", value_name="category"
        )
        found[f"{name}, long"] = long
    return found


@pytest.mark.parametrize("kind", designs())
def test_lists_of_a_design_and_labels_that_mean_the_same_are_no_piles(kind):
    found = recognise(load(designs()[kind].to_csv(index=False).encode(), "a.csv"))
    assert "piles" not in {claim.kind for claim in found.found}


@pytest.mark.parametrize("beside", ["category", "kind of thing"])
def test_a_column_of_words_beside_the_piles_is_about_the_objects(beside):
    """Objects and people were exchanged, as rows of 15 numbers and a word are no numbers."""
    rng = np.random.default_rng(1)
    true = np.repeat(np.arange(4), 5)
    sorts = np.where(rng.random((15, 20)) < 0.85, true, rng.integers(0, 4, (15, 20))) + 1
    sorts = np.array([[[*dict.fromkeys(one)].index(x) + 1 for x in one] for one in sorts.tolist()])
    table = pd.DataFrame(sorts.T, columns=[f"P{k + 1}" for k in range(15)])
    table.insert(0, "thing", [f"thing {one}" for one in "abcdefghijklmnopqrst"])
    table[beside] = np.array(["beast", "plant", "tool", "place"])[true]
    claim = recognise(load(table.to_csv(index=False).encode(), "a.csv")).clear
    assert claim.kind == "piles"
    assert claim.roles["item"] == "thing"
    assert {name for role, name in claim.roles.items() if role.startswith("pile[")} == {
        f"P{k + 1}" for k in range(15)
    }


def test_levels_of_many_people_and_items_take_little_memory():
    """All pairs of items of all people were 4 GB of a thousand people and a thousand items."""
    rng = np.random.default_rng(0)
    sorts = [ColumnCells(str(k), np.array([]), frozenset(), rng.integers(1, 6, 900).astype(float))
             for k in range(900)]
    tracemalloc.start()
    assert sorting._are_levels(sorts)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 100e6


@pytest.mark.parametrize("n", [250, 400])
def test_all_of_many_objects_or_people_are_sorted(n):
    """Beyond the two hundredth column, objects were left out in silence."""
    rng = np.random.default_rng(0)
    true = rng.integers(0, 6, n)
    sorts = np.where(rng.random((20, n)) < 0.9, true, rng.integers(0, 6, (20, n)))
    sorts = np.array([[[*dict.fromkeys(one)].index(x) + 1 for x in one] for one in sorts.tolist()])
    things = [f"w{chr(97 + k % 26)}{chr(97 + k // 26)}" for k in range(n)]
    rows = pd.DataFrame(sorts, columns=things)
    rows.insert(0, "participant", [f"p{k}" for k in range(20)])
    claim = recognise(load(rows.to_csv(index=False).encode(), "a.csv")).clear
    assert claim.kind == "piles"
    assert sum(role.startswith("pile[") for role in claim.roles) == n


def test_answers_to_items_and_classes_of_words_are_no_piles():
    told = []
    for seed in range(20):
        rng = np.random.default_rng(seed)
        n, k, top = rng.integers(10, 50), rng.integers(6, 20), rng.choice([4, 5, 7])
        level = rng.permutation(np.linspace(1, top, k)) if seed % 2 else np.linspace(1, top, k)
        noise = rng.normal(0, 0.7, (n, k)) + rng.normal(0, 0.6, (n, 1))
        likert = np.clip(np.round(level + noise), 1, top).astype(int)
        key = rng.integers(1, 5, k)
        quiz = np.where(rng.random((n, k)) < 0.7, key, rng.integers(1, 5, (n, k)))
        ranks = rng.random((n, k)).argsort(axis=1) + 1
        for values in (likert, quiz, ranks, rng.integers(1, 3, (n, k))):
            frame = pd.DataFrame(values, columns=list(WORDS[:k]))
            told.append(what(frame.to_csv(index=False).encode()))
        for values in (likert, ranks):
            frame = pd.DataFrame(values.T, columns=[f"J{p}" for p in range(n)])
            frame.insert(0, "product", list(WORDS[:k]))
            told.append(what(frame.to_csv(index=False).encode()))
        kind = rng.choice(["related", "unrelated"], k)
        words = [(p, WORDS[w], kind[w]) for p in range(n) for w in rng.permutation(k)]
        for name in ("group", "category"):
            frame = pd.DataFrame(words, columns=["participant", "word", name])
            told.append(what(frame.to_csv(index=False).encode()))
    assert "piles" not in told


@pytest.mark.parametrize("form", ["X{}", "x_{}", "{}_X", "P{}x", "X.P{}"])
def test_napping_has_two_columns_of_each_person(form):
    rng = np.random.default_rng(5)
    points = rng.normal(size=(11, 2)) * 10 + 30
    names, apart = list(WORDS[:11]), np.linalg.norm(points[:, None] - points[None], axis=2)
    frame = pd.DataFrame({"wine": names})
    for k in range(6):
        placed = points + rng.normal(size=points.shape)
        for side in (0, 1):
            name = form.format(k + 1)
            name = name.replace("X", "XY"[side]).replace("x", "xy"[side])
            frame[name] = placed[:, side].round(1)
    content = written(rng, frame, shuffled=False)
    assert what(content) == "arrangements"
    found = read_measured(content)
    assert len(found.raters) == 6
    assert agrees(found.dissimilarities(0), names, apart, 0.9)


@pytest.mark.parametrize("as_csv", [False, True])
def test_places_of_a_free_sort_are_in_lists(as_csv):
    rng = np.random.default_rng(6)
    points = rng.uniform(0, 600, size=(8, 2))
    names, apart = [f"img/{k}.png" for k in "abcdefgh"], np.linalg.norm(
        points[:, None] - points[None], axis=2)
    trials = [{
        "trial_type": "free-sort", "trial_index": k, "rt": 20_000 + k, "subject": f"s{k}",
        "init_locations": [], "final_locations": [
            {"src": name, "x": int(x), "y": int(y)} for name, (x, y) in
            zip(names, points + rng.normal(size=points.shape) * 5, strict=True)],
    } for k in range(5)]
    content = json.dumps(trials).encode()
    if as_csv:
        content = pd.DataFrame([{
            key: json.dumps(value) if isinstance(value, list) else value
            for key, value in trial.items()} for trial in trials]).to_csv(index=False).encode()
    assert what(content) == "arrangements"
    found = read_measured(content)
    assert len(found.raters) == 5
    assert agrees(found.dissimilarities(0), names, apart, 0.95)


# Conjoint and preferences -----------------------------------------------------------------------


@pytest.mark.parametrize(("response", "codes"), [
    ("resp.keys", ("left", "right")), ("resp", (1, 0)), ("choice", (1, 2)), ("key", ("f", "j")),
    ("Response", ("links", "rechts")),
])
@pytest.mark.parametrize("sides", ["1 2", "_left _right", "A B"])
def test_conjoint_measurement_with_any_keys(response, codes, sides):
    rng = np.random.default_rng(7)
    one, other = sides.split()
    lum, hue = rng.integers(5, size=(2, 150)) / 10, rng.integers(3, size=(2, 150))
    first = lum[0] + 0.1 * hue[0] + rng.normal(size=150) * 0.05 > lum[1] + 0.1 * hue[1]
    frame = pd.DataFrame({
        f"lum{one}": lum[0], f"lum{other}": lum[1], f"hue{one}": hue[0], f"hue{other}": hue[1],
        response: np.where(first, *codes), "participant": "obs", "rt": rng.random(150).round(3),
    })
    content = written(rng, frame)
    assert what(content) == "conjoint"
    found, notes = read_conjoint(content)
    assert found["first"].astype(bool).tolist() == first.tolist()
    assert {"lum1", "lum2", "hue1", "hue2"} <= set(found)
    assert "conjoint measurement of" in notes[0]


def preference_tables():
    rng = np.random.default_rng(8)
    items = np.array(WORDS[:9])
    worth = rng.normal(size=9)
    first, second = np.triu_indices(9, 1)
    wins = rng.binomial(200, 1 / (1 + np.exp(worth[second] - worth[first])))
    counts = np.zeros((9, 9), dtype=int)
    counts[first, second], counts[second, first] = wins, 200 - wins
    left, right = rng.integers(9, size=(2, 120))
    left, right = left[left != right], right[left != right]
    better = worth[left] + rng.normal(size=len(left)) > worth[right]
    won = np.where(better, left, right)
    lost = np.where(better, right, left)
    ranks = (worth + rng.normal(size=(20, 9))).argsort(axis=1).argsort(axis=1) + 1
    yield pd.DataFrame(counts, items, items).rename_axis("").reset_index()
    yield pd.DataFrame((counts / 200).round(3), items, items).rename_axis("").reset_index()
    yield pd.DataFrame({"winner": items[won], "loser": items[lost]})
    yield pd.DataFrame({"option_a": items[left], "option_b": items[right], "chosen": items[won]})
    yield pd.DataFrame({"left": items[left], "right": items[right],
                        "choice": np.where(better, "left", "right")})
    yield pd.DataFrame(ranks, columns=items).assign(person=[f"S{k}" for k in range(20)])


@pytest.mark.parametrize("frame", preference_tables())
def test_preferences_are_no_similarities(frame):
    content = frame.to_csv(index=False).encode()
    assert what(content) == "preferences"
    for read in (read_measured, read_matrix):
        with pytest.raises(DataError, match="what is liked"):
            read(content)


def test_a_list_of_questions_is_no_list_of_answers():
    rng = np.random.default_rng(9)
    rows = np.array([rng.choice(15, 3, replace=False) for _ in range(90)])
    content = pd.DataFrame(rows, columns=["Stim1", "Stim2", "Stim3"]).map(
        "shape_{:02d}.png".format).to_csv(index=False).encode()
    found = recognise(load(content))
    assert "questions" in {one.kind for one in found.found}
    assert found.clear is None


# Ordinary tables --------------------------------------------------------------------------------


def ordinary():
    """Tables that hold no judgements of similarity."""
    rng = np.random.default_rng(10)

    def whole(low, high, n):
        return rng.integers(low, high, n)

    def of(words, n):
        return rng.choice(words, n)

    n = 60
    people = [f"p{k}" for k in range(n)]
    likert = {f"q{k}": whole(1, 6, n) for k in range(1, 11)}
    trait = rng.normal(size=n)
    agreed = {f"item{k}": np.clip(np.round(3 + trait + rng.normal(size=n)), 1, 5).astype(int)
              for k in range(1, 9)}
    cities = ["Rome", "Oslo", "Bonn", "Lima", "Kyiv", "Cairo"]
    days = pd.date_range("2024-01-01", periods=n).astype(str)
    words = [f"{a}{b}" for a in ("ba", "do", "ki", "lu", "me", "na") for b in
             ("ra", "so", "ti", "vu", "we", "za", "po", "fi", "ge", "hu")]
    yield "iris", {"sepal_length": rng.normal(5, 1, n).round(1),
                   "sepal_width": rng.normal(3, 1, n).round(1),
                   "petal_length": rng.normal(4, 1, n).round(1),
                   "species": of(["setosa", "virginica", "versicolor"], n)}
    yield "mtcars", {"model": words[:32], "mpg": rng.normal(20, 5, 32).round(1),
                     "cyl": of([4, 6, 8], 32), "hp": whole(60, 300, 32), "vs": whole(0, 2, 32),
                     "am": whole(0, 2, 32), "gear": whole(3, 6, 32), "carb": whole(1, 9, 32)}
    yield "likert", likert
    yield "likert with people", {"participant": people, **likert}
    yield "likert with ids", {"id": people, **agreed}
    yield "likert that agrees", agreed
    yield "demographics", {"participant": people, "age": whole(18, 70, n),
                           "gender": of(["m", "f", "d"], n), "country": of(cities, n)}
    yield "two Likert items and an age", {"before": whole(1, 8, n), "after": whole(1, 8, n),
                                          "age": whole(18, 70, n)}
    yield "word list", {"word": words, "length": whole(3, 9, n),
                        "frequency": rng.lognormal(3, 1, n).round(2)}
    yield "word list with classes", {"word": words, "class": of(["noun", "verb"], n),
                                     "syllables": whole(1, 4, n)}
    yield "time series", {"date": days, "open": rng.normal(100, 5, n).round(2),
                          "close": rng.normal(100, 5, n).round(2), "volume": whole(1000, 9999, n)}
    yield "airquality", {"Ozone": whole(1, 150, n), "Solar.R": whole(7, 330, n),
                         "Wind": rng.normal(10, 3, n).round(1), "Temp": whole(56, 97, n),
                         "Month": np.repeat([5, 6], 30), "Day": np.tile(np.arange(1, 31), 2)}
    yield "physical measures", {"length": rng.random(n).round(2), "width": rng.random(n).round(2),
                                "weight": rng.random(n).round(2), "shape": whole(1, 4, n)}
    yield "lexical decision", {"subject": np.repeat(people[:6], 10), "word": np.tile(words[:10], 6),
                               "rt": whole(300, 900, n), "correct": whole(0, 2, n)}
    yield "Stroop", {"participant": np.repeat(people[:6], 10),
                     "text": of(["red", "green", "blue"], n),
                     "ink": of(["red", "green", "blue"], n), "rt": whole(300, 900, n)}
    yield "ratings of single objects", {"participant": np.repeat(people[:6], 10),
                                        "image": np.tile([f"{w}.png" for w in words[:10]], 6),
                                        "valence": whole(1, 10, n), "arousal": whole(1, 10, n)}
    yield "flights", {"from": of(cities, 300), "to": of(cities, 300), "delay": whole(0, 90, 300)}
    yield "survey with groups", {"group": of(["a", "b"], n), "pre": rng.normal(size=n).round(3),
                                 "post": rng.normal(size=n).round(3)}
    yield "warpbreaks", {"breaks": whole(10, 70, 54), "wool": np.repeat(["A", "B"], 27),
                         "tension": np.tile(np.repeat(["L", "M", "H"], 9), 2)}
    yield "Titanic", {"Class": of(["1st", "2nd", "3rd", "Crew"], n), "Sex": of(["M", "F"], n),
                      "Age": of(["Child", "Adult"], n), "Survived": of(["No", "Yes"], n),
                      "Freq": whole(0, 600, n)}
    yield "ToothGrowth", {"len": rng.normal(18, 6, n).round(1), "supp": np.repeat(["VC", "OJ"], 30),
                          "dose": np.tile([0.5, 1, 2], 20)}
    yield "esoph", {"agegp": of(["25-34", "35-44", "45-54", "55-64"], n),
                    "alcgp": of(["0-39", "40-79", "80-119", "120+"], n),
                    "ncases": whole(0, 6, n), "ncontrols": whole(1, 60, n)}
    yield "zoo", {"animal": words, **{name: whole(0, 2, n) for name in
                                      ("hair", "feathers", "eggs", "milk", "tail", "fins")}}
    yield "grades", {"name": words, "maths": whole(1, 7, n), "physics": whole(1, 7, n),
                     "art": whole(1, 7, n)}
    yield "coordinates of cities", {"city": words, "lat": rng.normal(size=n).round(4),
                                    "lon": rng.normal(size=n).round(4)}
    yield "stocks", {"day": np.arange(1, n + 1), "DAX": rng.normal(1600, 9, n).round(2),
                     "SMI": rng.normal(1700, 9, n).round(2), "CAC": rng.normal(1700, 9, n).round(2)}
    yield "counts of species", {"site": words[:20], **{
        f"sp{k}": rng.poisson(3, 20) for k in range(1, 13)}}
    yield "correct answers", {"participant": people, "trial1": whole(0, 2, n),
                              "trial2": whole(0, 2, n), "trial3": whole(0, 2, n)}
    yield "two raters of diagnoses", {"patient": words, "score1": whole(1, 5, n),
                                      "score2": whole(1, 5, n)}
    yield "square of measures", dict(zip("abcdef", rng.normal(size=(6, 6)).round(2), strict=True))
    yield "quakes", {"lat": rng.normal(-20, 5, n).round(2), "long": rng.normal(180, 5, n).round(2),
                     "depth": whole(40, 680, n), "mag": rng.normal(4.6, 0.4, n).round(1),
                     "stations": whole(10, 130, n)}
    yield "products", {"sku": [f"A-{k}" for k in range(n)], "price": rng.random(n).round(2),
                       "stock": whole(0, 50, n), "category": of(["x", "y", "z"], n)}


ORDINARY = list(ordinary())


@pytest.mark.parametrize("columns", [columns for _, columns in ORDINARY],
                         ids=[name for name, _ in ORDINARY])
def test_no_ordinary_table_is_claimed(columns):
    frame = pd.DataFrame(columns)
    rng = np.random.default_rng(0)
    for own in (frame, frame[list(rng.permutation(frame.columns))], frame.head(12)):
        table = load(own.to_csv(index=False).encode(), "table.csv", least_columns=2, reshape=False)
        claimed = [one for name in MINE for one in kinds()[name].evidence(Columns(table))]
        assert not [one for one in claimed if one.points > POSSIBLE], claimed
        assert len(claimed) < 2, claimed


# Names that are numbers, halves without names, and other words ------------------------------------


def distances(n=6):
    positions = np.random.default_rng(7).normal(size=(n, 2))
    return np.linalg.norm(positions[:, None] - positions[None], axis=2).round(3)


@pytest.mark.parametrize("half", ["both", "lower", "both without selves"])
def test_names_of_a_square_may_be_numbers(half):
    """A first row of values would be beside and above, too."""
    values, names = distances(), [f"0.{k + 1}" for k in range(6)]
    if half == "lower":
        values[np.triu_indices(6)] = np.nan
    if half.endswith("selves"):
        values = values + np.diag([np.nan] * 6)
    frame = pd.DataFrame(values, names, names)
    assert (half != "both without selves") == (read_matrix(frame.to_csv().encode()).ids == names)
    alone = frame.to_csv(index=False).encode()
    assert read_matrix(alone).ids == names


@pytest.mark.parametrize("upper", [True, False])
@pytest.mark.parametrize("header", [True, False])
def test_the_empty_row_of_half_a_square_may_be_missing(upper, header):
    values = pd.DataFrame(distances(), columns=list("abcdef"))
    values = values.where(np.triu(np.ones((6, 6)), 1) == upper).where(~np.eye(6, dtype=bool))
    text = values.to_csv(index=False, header=header).encode()
    found = read_matrix(text)
    assert found.ids == (list("abcdef") if header else list("123456"))
    assert np.allclose(found.values, distances())


def test_what_is_neither_ratings_nor_a_square_is_said_to_be_neither():
    likert = pd.DataFrame(np.random.default_rng(0).integers(1, 6, (40, 5)),
                          columns=[f"q{k}" for k in range(5)])
    with pytest.raises(DataError, match="nothing in it looks like ratings"):
        read_measured(likert.to_csv(index=False).encode())


@pytest.mark.parametrize(("header", "kind"), [
    ("participante,tarjeta,grupo", "piles"), ("id,stimulus,cluster", "piles"),
    ("judge,sample,group", "piles"), ("vp,Objekt,Gruppe", "piles"),
    ("observer,true_label,predicted", "confusions"), ("sujet,stimulus,réponse", "confusions"),
])
def test_columns_may_have_names_of_other_languages(header, kind):
    rng = np.random.default_rng(0)
    cards = [f"c{k}" for k in range(8)]
    rows = [(f"p{person}", card, f"p{rng.integers(3)}" if kind == "piles" else rng.choice(cards))
            for person in range(5) for card in cards]
    text = header + "\n" + "\n".join(",".join(row) for row in rows)
    assert type(read_measured(text.encode())).__name__.casefold() == kind


@pytest.mark.parametrize("sign", ["-", " vs ", "/"])
def test_pairs_of_numbers_in_a_cell_may_stand_beside_blocks(sign):
    """Numbers of blocks are among those of the objects."""
    rows = [(k // 15 + 1, f"{a}{sign}{b}", 1 + (a * b) % 7)
            for k, (a, b) in enumerate(combinations(range(1, 11), 2))]
    text = pd.DataFrame(rows, columns=["block", "pair", "similitud"]).to_csv(index=False)
    found = read_measured(text.encode())
    assert (found.options["direction"], len(found.ids)) == ("similar", 10)


def test_raters_with_pairs_of_their_own_are_named():
    rows = [(f"r{k}", a, b, 1 + (ord(a) * ord(b)) % 7) for k in range(3)
            for a, b in combinations("abcd" if k < 2 else "wxyz", 2)]
    frame = pd.DataFrame(rows, columns=["rater", "item1", "item2", "similarity"])
    assert any("1 rater rated no pair that anybody else has rated" in one and "r2" in one
               for one in notes_of(frame))
    assert not any("anybody else" in one for one in notes_of(frame.iloc[:12]))


def notes_of(frame):
    return file_of_measured([("r.csv", frame.to_csv(index=False).encode())], None, {}).notes
