"""Who answered, against counting by hand."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from scipy.stats import binomtest, chisquare, norm

from tests.core.studies.quality.answers import people_data, question, small_data
from tripletscope.core.data.errors import DataError
from tripletscope.core.data.triplets import Triplets
from tripletscope.core.engine.progress import Stopped
from tripletscope.core.inference.held_out.ceiling import repeat_error
from tripletscope.core.inference.held_out.score import clustered_mean
from tripletscope.core.models.embedding import STE
from tripletscope.core.reading import load, propose
from tripletscope.core.reading.interpretation.interpret import interpret
from tripletscope.core.studies.quality import (
    RULES,
    Cleaning,
    Exclusion,
    agreement_with_map,
    objects,
    participants,
    quality,
    repeats,
    runs_test,
    transitivity,
)


def test_participants_against_counting():
    triplets = people_data()
    catch = pd.DataFrame({"row": range(4), "participant": ["p0", "p0", "p1", "nobody"],
                          "correct": [True, False, True, False]})
    gold = np.unique(np.sort(triplets.rows[:40], axis=1), axis=0)[:5]
    gold = np.array([row for row in gold if len(set(row)) == 3])
    table = participants(triplets, catch_trials=catch, gold=gold).set_index("participant")
    answers, rows = triplets.answers, [tuple(row) for row in triplets.rows.tolist()]
    right = {tuple(row) for row in gold.tolist()}
    wrong = {(a, c, b) for a, b, c in right}
    for name, own in answers.groupby("participant", observed=True):
        mine = own.index.tolist()
        row = table.loc[name]
        assert row["answers"] == len(mine)
        assert row["questions"] == len({question(rows[t]) for t in mine})
        pairs = [rows[i] == rows[j] for i, j in combinations(mine, 2)
                 if question(rows[i]) == question(rows[j])]
        assert row["repeats"] == len(pairs)
        assert row["consistent"] == pytest.approx(np.mean(pairs) if pairs else np.nan, nan_ok=True)
        votes = []
        for t in mine:
            others = [rows[s] == rows[t] for s in range(len(rows))
                      if s not in set(mine) and question(rows[s]) == question(rows[t])]
            if others:
                votes.append(0.5 + np.sign(np.mean(others) - 0.5) / 2)
        assert row["compared"] == len(votes)
        assert row["agrees"] == pytest.approx(np.mean(votes))
        checks = [rows[t] in wrong for t in mine if rows[t] in right | wrong]
        checks += (~catch["correct"][catch["participant"] == name]).tolist()
        assert row["checks"] == len(checks)
        assert row["failed"] == pytest.approx(np.mean(checks) if checks else np.nan, nan_ok=True)
        assert row["median_time"] == pytest.approx(own["response_time"].median())
        left = (own["side"] == "left").sum()
        assert row["favourite_share"] == pytest.approx(max(left, len(own) - left) / len(own))
        assert (row["bias_p"] < 0.01) == (binomtest(left, len(own)).pvalue < 0.01)
    assert table["bias_p"].idxmin() == "p5"


@settings(max_examples=30)
@given(small_data())
def test_intervals_of_participants_and_objects_are_those_of_their_answers_alone(triplets):
    for table, name, own_of in (
        (participants(triplets), "participant",
         lambda who: (triplets.answers["participant"] == who).to_numpy()),
        (objects(triplets).rename(columns={"id": "object"}), "object",
         lambda thing: (triplets.rows == triplets.ids.index(thing)).any(axis=1)),
    ):
        for _, row in table.iterrows():
            own = triplets.take(own_of(row[name]))
            if name == "object":  # whoever gave them
                own = Triplets(own.rows, own.objects)
            found = repeats(own)
            share = found.within if name == "participant" else found.between
            assert row["repeats"] == share.n
            np.testing.assert_allclose(
                row[["consistent", "consistent_low", "consistent_high"]].to_numpy(dtype=float),
                [share.value, share.low, share.high],
            )


def test_intervals_of_checks_and_of_agreement_with_others():
    triplets = people_data()
    catch = pd.DataFrame({"participant": ["p0"] * 4 + ["p1"], "correct": [False] + [True] * 4})
    table = participants(triplets, catch_trials=catch).set_index("participant")
    failed = table[["failed_low", "failed", "failed_high"]]
    exact = binomtest(1, 4).proportion_ci(method="wilson")
    np.testing.assert_allclose(failed.loc["p0"], [exact.low, 0.25, exact.high])
    np.testing.assert_allclose(failed.loc["p1"], [0, 0, binomtest(0, 1).proportion_ci(
        method="wilson").high], atol=1e-12)
    assert failed.loc["p2"].isna().all()
    # Each question answered once by everybody: answers are independent cases.
    rows = [[0, 1, 2], [1, 0, 2], [2, 1, 0], [3, 1, 0], [3, 2, 0]]
    given_by = np.repeat(["a", "b", "c"], 5)
    rows = np.array(rows * 3)
    rows[[0, 1]] = rows[[0, 1]][:, [0, 2, 1]]
    table = participants(Triplets(rows, pd.DataFrame({"id": list("wxyz")}),
                                  pd.DataFrame({"participant": given_by})))
    exact = binomtest(3, 5).proportion_ci(method="wilson")
    np.testing.assert_allclose(table.loc[0, ["agrees_low", "agrees", "agrees_high"]].tolist(),
                               [exact.low, 0.6, exact.high])


def test_catch_trials_of_a_file_without_participants_count():
    rows = "a,b,c,b\na,a,c,a\nb,a,b,a\nc,a,b,a\nb,c,b,b\nc,b,a,b\n"
    table = load(f"anchor,left,right,choice\n{rows}".encode())
    imported = interpret(table, propose(table)[0])
    report = quality(imported.triplets, catch_trials=imported.catch_trials)
    assert (report.checks.n, report.checks.value) == (3, pytest.approx(1 / 3))
    named = imported.triplets.answers.assign(participant=list("pqp"))
    triplets = Triplets(imported.triplets.rows, imported.triplets.objects, named)
    assert quality(triplets, catch_trials=imported.catch_trials).checks.n == 0


def test_majorities_by_weights_that_are_no_whole_numbers():
    rows = [[0, 1, 2], [0, 2, 1], [0, 2, 1], [0, 1, 2]]
    tie = Triplets.from_array(rows, weight=[0.3, 0.1, 0.2, 1.0])
    # The last has 0.3 on either side of it, each other one a majority against or for it.
    assert repeat_error(tie).wrong.tolist() == [0, 1, 1, 0.5]
    circle = [[0, 1, 2], [0, 2, 1], [0, 2, 1], [0, 2, 3], [0, 3, 1]]
    divided = Triplets.from_array(circle, weight=[0.3, 0.1, 0.2, 1.0, 1.0])
    assert transitivity(divided)["triples"].tolist() == [0, 0, 0, 0]


def test_others_who_are_divided_have_no_majority_whatever_their_weights():
    rows = [[0, 1, 2], [0, 1, 2], [0, 1, 2], [0, 2, 1]]
    triplets = Triplets(rows, pd.DataFrame({"id": list("abc")}), pd.DataFrame({
        "participant": list("xyzw"), "weight": [1.0, 0.1, 0.2, 0.3],
    }))
    table = participants(triplets).set_index("participant")
    assert table.loc["x", "agrees"] == 0.5


def test_runs_follow_the_time_of_trials_and_skip_those_without_a_side():
    # Odd ones out, two answers each; sides alternate by time, while the file is sorted by side.
    text = "image1,image2,image3,choice,trial,subject_id\n" + "".join(
        f"{1 + i % 5},{6 + i % 3},{9 + i % 2},{1 + i % 2},{i},{i % 3}\n"
        for i in sorted(range(90), key=lambda i: i % 2)
    )
    table = load(text.encode())
    reading = propose(table)[0]
    assert reading.roles["time"] == "trial"
    triplets = interpret(table, reading).triplets
    alternating = participants(triplets)
    assert (alternating["runs_p"] < 1e-3).all()
    assert alternating["runs_p"].to_numpy() == pytest.approx(
        [runs_test(np.arange(i, 90, 3) % 2) for i in range(3)]
    )
    unknown = triplets.answers.assign(side=triplets.answers["side"].where(
        triplets.answers["time"] >= 45
    ), participant=triplets.answers["participant"].where(triplets.answers["time"] != 50))
    table = participants(Triplets(triplets.rows, triplets.objects, unknown))
    expected = [runs_test(np.array([t for t in range(i, 90, 3) if t >= 45 and t != 50]) % 2)
                for i in range(3)]
    assert table["runs_p"].to_numpy() == pytest.approx(expected)


def test_a_side_that_nobody_chose_counts():
    answers = pd.DataFrame({"participant": ["a"] * 30, "side": pd.Categorical(
        ["first", "second"] * 15
    )})
    triplets = Triplets([[0, 1, 2]] * 30, pd.DataFrame({"id": list("xyz")}), answers)
    assert participants(triplets)["bias_p"][0] == pytest.approx(chisquare([15, 15, 0]).pvalue)
    removed = Cleaning(triplets).preview(Exclusion("favourite_side", {"most": 1.0, "least": 0.27}))
    assert removed.participants == ["a"]
    always = triplets.answers.assign(side=pd.Categorical(["left"] * 30))
    table = participants(Triplets(triplets.rows, triplets.objects, always))
    assert table["bias_p"][0] == pytest.approx(chisquare([30, 0]).pvalue)
    assert table.loc[0, ["favourite", "favourite_share"]].tolist() == ["left", 1.0]


def test_participants_who_are_nowhere_named():
    answers = pd.DataFrame({
        "participant": pd.Categorical([None] * 3), "side": pd.Categorical([None] * 3),
        "response_time": [np.nan] * 3, "time": [np.nan] * 3, "block": ["1"] * 3,
    })
    triplets = Triplets([[0, 1, 2]] * 3, pd.DataFrame({"id": list("xyz")}), answers)
    assert participants(triplets).empty
    report = quality(triplets)
    assert report.repeats.between.n == 3
    for rule in RULES:
        if rule not in ("failed_checks", "unanswered"):
            Cleaning(triplets).preview(Exclusion(rule))


def test_sorted_files_say_nothing_of_sides(eggs):
    table = participants(eggs)
    assert "favourite" not in table
    assert quality(eggs).sides.code == "unknown"


@pytest.mark.parametrize("values", [[0] * 6 + [1] * 5, [0] * 4 + [1] * 4 + [2] * 3])
def test_runs_against_all_orders(values):
    rng = np.random.default_rng(0)
    orders = [rng.permutation(values) for _ in range(40_000)]
    counts = np.array([1 + np.count_nonzero(o[1:] != o[:-1]) for o in orders])
    for order in (orders[0], np.sort(values), np.array(values[::2] + values[1::2])):
        runs = 1 + np.count_nonzero(order[1:] != order[:-1])
        z = abs(runs - counts.mean()) / counts.std()
        assert runs_test(order) == pytest.approx(2 * norm.sf(z), abs=0.02)
    assert np.isnan(runs_test([0] * 20))
    assert np.isnan(runs_test([0, 1, 0]))


def test_who_guesses_is_found_by_the_map_of_the_others():
    triplets = people_data()
    found = agreement_with_map(STE(n_init=1), triplets).table.set_index("participant")
    assert found["predicted"].idxmin() == "p5"
    assert found["high"]["p5"] < found["predicted"].drop("p5").min()
    assert found["low"]["p5"] < 0.5 < found["high"]["p5"]
    # Nobody is predicted from own answers: with the others' answers alone it is the same.
    without = triplets.take((triplets.answers["participant"] != "p0").to_numpy())
    alone = triplets.take((triplets.answers["participant"] == "p0").to_numpy())
    assert found["predicted"]["p0"] == pytest.approx(STE(n_init=1).fit(without).score(alone))
    with pytest.raises(DataError, match="fewer than two participants"):
        agreement_with_map(STE(), Triplets.from_array(triplets.rows))
    with pytest.raises(Stopped):
        agreement_with_map(STE(n_init=1), triplets, progress=lambda fraction: True)


@pytest.mark.parametrize("weighted", [False, True])
def test_agreement_is_a_clustered_mean_of_each(weighted):
    triplets = people_data(each=40)
    people = triplets.answers["participant"].astype("object")
    people[::7] = None
    answers = triplets.answers.assign(participant=people)
    if weighted:
        answers["weight"] = np.random.default_rng(0).choice([0.0, 0.2, 1.0, 3.0], len(triplets))
    triplets = Triplets(triplets.rows, triplets.objects, answers)
    found = agreement_with_map(STE(n_init=1), triplets, folds=2)
    assert np.isnan(found.wrong[::7]).all()
    for name, *row in found.table.itertuples(index=False):
        own = np.flatnonzero((people == name) & (triplets.weight > 0))
        mean, low, high = clustered_mean(
            found.wrong[own], triplets.weight[own], triplets.questions[own]
        )
        assert row == pytest.approx([len(own), 1 - mean, 1 - high, 1 - low])
