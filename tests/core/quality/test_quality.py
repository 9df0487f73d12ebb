"""What answers are worth, against counting by hand."""

from __future__ import annotations

from itertools import combinations, permutations

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest, chisquare, norm

from tripletscope.core.computing.progress import Stopped
from tripletscope.core.data.errors import DataError
from tripletscope.core.data.quadruples import Quadruples
from tripletscope.core.data.triplets import Triplets
from tripletscope.core.embedding import STE
from tripletscope.core.evaluation.score import clustered_mean, repeat_error
from tripletscope.core.io import interpret, load, propose
from tripletscope.core.quality import (
    RULES,
    Cleaning,
    Exclusion,
    agreement_with_map,
    coverage,
    gold_mistakes,
    methods_paragraph,
    noise_ceiling,
    objects,
    obvious,
    over_time,
    participants,
    quality,
    repeats,
    runs_test,
    samplers,
    transitivity,
)
from tripletscope.core.simulation.simulate import simulate


@st.composite
def small_data(draw, with_people=True):
    """A few answers about few objects, so that much is repeated."""
    n = draw(st.integers(3, 5))
    trios = list(permutations(range(n), 3))
    rows = draw(st.lists(st.sampled_from(trios), min_size=1, max_size=40))
    answers = pd.DataFrame(index=range(len(rows)))
    if with_people:
        people = draw(st.lists(st.sampled_from("abc"), min_size=len(rows), max_size=len(rows)))
        answers["participant"] = pd.Categorical(people)
    return Triplets(rows, pd.DataFrame({"id": [f"o{i}" for i in range(n)]}), answers)


def question(row):
    return row[0], frozenset(row[1:])


# Consistency


@settings(max_examples=80)
@given(small_data())
def test_repeats_against_all_pairs(triplets):
    rows = [tuple(row) for row in triplets.rows.tolist()]
    people = triplets.answers["participant"].tolist()
    agree = {True: [], False: []}
    for i, j in combinations(range(len(rows)), 2):
        if question(rows[i]) == question(rows[j]):
            agree[people[i] == people[j]].append(rows[i] == rows[j])
    found = repeats(triplets)
    for share, own in ((found.within, True), (found.between, False)):
        assert share.n == len(agree[own])
        if share.n:
            assert share.value == pytest.approx(np.mean(agree[own]))
            assert 0 <= share.low <= share.value + 1e-12
            assert share.value <= share.high + 1e-12 <= 1 + 1e-9
    given = {}
    for row in rows:
        given.setdefault(question(row), []).append(row)
    assert found.questions == len(given)
    assert found.repeated == sum(len(many) > 1 for many in given.values())
    assert found.contradicted == sum(len(set(many)) > 1 for many in given.values())


def test_intervals_of_repeats_hold():
    rng = np.random.default_rng(0)
    trios = np.array([(0, j, k) for j, k in combinations(range(1, 12), 2)])
    truth, covered = 0.8**2 + 0.2**2, 0
    for _ in range(200):
        turned = rng.random((len(trios), 4)) < 0.2
        rows = np.concatenate([np.where(turned[:, [k]], trios[:, [0, 2, 1]], trios)
                               for k in range(4)])
        share = repeats(Triplets.from_array(rows, 12)).between
        covered += share.low <= truth <= share.high
    assert covered > 180


@settings(max_examples=60)
@given(small_data(with_people=False))
def test_transitivity_against_loops(triplets):
    rows = triplets.rows.tolist()
    found = transitivity(triplets)
    for i in range(triplets.n_objects):
        lead = {}
        for anchor, near, far in rows:
            if anchor == i:
                lead[near, far] = lead.get((near, far), 0) + 1
                lead[far, near] = lead.get((far, near), 0) - 1
        others = [j for j in range(triplets.n_objects) if j != i]
        triples = circular = 0
        for j, k, m in combinations(others, 3):
            edges = [lead.get(pair, 0) for pair in ((j, k), (k, m), (m, j))]
            triples += all(edges)
            circular += all(e > 0 for e in edges) or all(e < 0 for e in edges)
        assert (found["triples"][i], found["circular"][i]) == (triples, circular)


def test_a_quarter_of_guesses_goes_round_in_circles(truth):
    rng = np.random.default_rng(0)
    rows = np.array([(i, j, k) for i in range(9) for j, k in combinations(range(9), 2)
                     if i not in (j, k)])
    turned = rng.random(len(rows)) < 0.5
    rows[turned] = rows[turned][:, [0, 2, 1]]
    found = transitivity(Triplets.from_array(rows))
    assert found["circular"].sum() / found["triples"].sum() == pytest.approx(0.25, abs=0.04)
    assert transitivity(simulate(truth, 3000))["circular"].sum() == 0


def test_the_ceiling_and_where_there_is_none():
    trio = [[0, 1, 2]] * 3 + [[0, 2, 1]]
    ceiling = noise_ceiling(Triplets.from_array(trio))
    # Each of the three has two against one; the fourth has three against none.
    assert ceiling.accuracy.value == 0.75
    assert ceiling.accuracy.low < 0.75 < ceiling.accuracy.high
    none = noise_ceiling(Triplets.from_array([[0, 1, 2], [1, 0, 2]]))
    assert none.accuracy is None
    assert "noise ceiling cannot be estimated" in none.sentence


@settings(max_examples=60)
@given(st.lists(st.permutations(range(7)).map(lambda p: p[:3]), min_size=1, max_size=5))
def test_coverage(rows):
    found = coverage(Triplets.from_array(rows, 7))
    graph = nx.Graph()
    for row in rows:
        nx.add_cycle(graph, row)
    assert found.components == nx.number_connected_components(graph)
    assert found.never_asked == [str(i) for i in range(7) if i not in graph]
    assert found.possible == 105 == len({question(p) for p in permutations(range(7), 3)})
    assert found.needed[2] == pytest.approx(2 * 7 * np.log(7))
    assert found.dimensions == 0


# Checks


def test_gold_questions():
    triplets = Triplets.from_array([[0, 1, 2], [0, 2, 1], [1, 0, 2], [3, 0, 1]], 4)
    gold = np.array([[0, 1, 2], [3, 1, 0]])
    assert gold_mistakes(triplets, gold).tolist()[:2] == [0, 1]
    assert np.isnan(gold_mistakes(triplets, gold)[2])
    assert gold_mistakes(triplets, gold)[3] == 1
    named = Triplets.from_array([[0, 1, 2]], ids=["0", "1", "2"])
    assert gold_mistakes(triplets, named)[:2].tolist() == [0, 1]
    with pytest.raises(DataError, match="'x', which is not an object"):
        gold_mistakes(triplets, Triplets.from_array([[0, 1, 2]], ids=["0", "1", "x"]))
    with pytest.raises(DataError, match="two different answers"):
        gold_mistakes(triplets, [[0, 1, 2], [0, 2, 1]])


def test_obvious_questions_are_those_of_the_map(planted, truth):
    fitted = STE(n_init=1).fit(planted)
    gold = obvious(fitted, planted, least=0.6)
    d = fitted.distances()
    near = d[gold.rows[:, 0], gold.rows[:, 1]]
    far = d[gold.rows[:, 0], gold.rows[:, 2]]
    assert len(gold)
    assert (far >= 4 * near - 1e-9).all()
    assert len(np.unique(gold.questions)) == len(gold)
    # Hardly any of them is answered wrong, though the answers are noisy.
    assert np.nanmean(gold_mistakes(planted, gold)) < 0.1 < fitted.triplet_error_


# Participants


def people_data(seed=0, n_people=6, each=120):
    """Answers by some people, the last of whom guesses and always prefers the left."""
    rng = np.random.default_rng(seed)
    positions = rng.normal(size=(12, 2))
    triplets = simulate(positions, n_people * each, noise="logistic", level=0.6, seed=seed)
    rows = triplets.rows.copy()
    who = np.repeat(np.arange(n_people), each)
    guess = (who == n_people - 1) & (rng.random(len(rows)) < 0.5)
    rows[guess] = rows[guess][:, [0, 2, 1]]
    side = np.where(who == n_people - 1, rng.random(len(rows)) < 0.1, rng.random(len(rows)) < 0.5)
    answers = pd.DataFrame({
        "participant": pd.Categorical([f"p{i}" for i in who]),
        "response_time": np.where(who == n_people - 1, 0.4, 2.0) * rng.lognormal(0, 0.2, len(rows)),
        "side": pd.Categorical.from_codes(side.astype(int), ["left", "right"]),
        "sampler": pd.Categorical(np.where(np.arange(len(rows)) % 2, "random", "active")),
    })
    return Triplets(rows, triplets.objects, answers)


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


@settings(max_examples=60)
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
        if rule != "failed_checks":
            Cleaning(triplets).preview(Exclusion(rule))


def test_sorted_files_say_nothing_of_sides(eggs):
    table = participants(eggs)
    assert "favourite" not in table
    assert "cannot be assessed" in quality(eggs).sides


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


# Objects, samplers, time


@settings(max_examples=40)
@given(small_data())
def test_objects_against_counting(triplets):
    table = objects(triplets)
    rows = [tuple(row) for row in triplets.rows.tolist()]
    for i in range(triplets.n_objects):
        assert table["as_anchor"][i] == sum(row[0] == i for row in rows)
        assert table["answers"][i] == sum(i in row for row in rows)
        pairs = [a == b for a, b in combinations(rows, 2) if i in a and question(a) == question(b)]
        assert table["repeats"][i] == len(pairs)
        assert table["consistent"][i] == pytest.approx(
            np.mean(pairs) if pairs else np.nan, nan_ok=True
        )


def test_samplers_and_stretches():
    triplets = people_data()
    table = samplers(triplets).set_index("sampler")
    own = triplets.take((triplets.answers["sampler"] == "active").to_numpy())
    assert table.loc["active", "answers"] == len(own)
    assert table.loc["active", "agree"] == repeats(own).between.value
    assert table.loc["active", "ceiling"] == noise_ceiling(own).accuracy.value
    late = np.arange(len(triplets)) % 120 >= 96
    wrong = late.astype(float)
    stretches = over_time(triplets, wrong)
    assert stretches["answers"].tolist() == [6 * 24] * 5
    assert stretches["predicted"].tolist() == pytest.approx([1, 1, 1, 1, 0])
    # With times their order counts, not that of the file.
    moments = triplets.answers.assign(time=-np.arange(len(triplets)))
    turned = Triplets(triplets.rows, triplets.objects, moments)
    assert over_time(turned, wrong)["predicted"].tolist() == pytest.approx([0, 1, 1, 1, 1])


def test_the_report_in_words():
    triplets = people_data()
    report = quality(triplets, gold=triplets.rows[:1])
    text = " ".join(report.summary())
    assert "720 answers" in text
    assert "side bias" in text
    assert "noise ceiling" in text
    assert f"{report.checks.n:,} catch and gold questions" in text
    parts = Triplets.from_array([[0, 1, 2], [3, 4, 5]])
    assert "2 groups that no answer connects" in " ".join(quality(parts).summary())


# Comparisons of pairs


def as_pairs(triplets: Triplets) -> Quadruples:
    """The same answers, each as a comparison of two pairs that share the anchor."""
    rows = triplets.rows[:, [1, 0, 0, 2]]
    return Quadruples(
        rows, name=triplets.name, objects=triplets.objects, answers=triplets.answers
    )


@settings(max_examples=40)
@given(small_data())
def test_comparisons_of_pairs_are_judged_as_triplets_are(triplets):
    pairs = as_pairs(triplets)
    assert repr(repeats(pairs)) == repr(repeats(triplets))
    assert repr(noise_ceiling(pairs)) == repr(noise_ceiling(triplets))
    pd.testing.assert_frame_equal(participants(pairs), participants(triplets))
    things = objects(pairs)
    pd.testing.assert_frame_equal(things, objects(triplets)[things.columns])
    assert "circular" not in things
    ours, theirs = coverage(pairs), coverage(triplets)
    assert (ours.questions, ours.never_asked) == (theirs.questions, theirs.never_asked)
    assert ours.components == theirs.components
    lines = quality(pairs).summary()
    assert not any("n ln n" in line or "circular" in line for line in lines)


def test_all_comparisons_of_pairs_are_counted():
    """Of four objects there are six pairs, and so fifteen comparisons of two of them."""
    pairs = list(combinations(range(4), 2))
    rows = [first + second for first, second in combinations(pairs, 2)]
    found = coverage(Quadruples(rows))
    assert found.questions == found.possible == 15


def test_comparisons_of_pairs_are_left_out_and_come_back():
    rng = np.random.default_rng(0)
    rows = np.array([rng.choice(6, 4, replace=False) for _ in range(60)])
    people = pd.DataFrame({
        "participant": ["p", "q", "r"] * 20, "response_time": np.tile([1.0, 0.1, 2.0], 20),
    })
    objects = pd.DataFrame({"id": list("abcdef")})
    raw = Cleaning(Quadruples(rows, objects=objects, answers=people))
    fast = raw.excluding(Exclusion("fast_participants", {"least": 0.5}))
    assert fast.previews[0].participants == ["q"]
    assert set(fast.triplets.answers["participant"]) == {"p", "r"}
    one = fast.excluding(Exclusion(answers=(0, 1, 2)))
    assert len(one.triplets) == 38
    assert "fast participants" in methods_paragraph(one)
    assert one.undone().undone().triplets is raw.raw
    again = Cleaning.from_log(raw.raw, one.log())
    assert (again.kept == one.kept).all()
    effect = raw.effect(STE(n_init=1), Exclusion("fast_participants", {"least": 0.5}), folds=3)
    assert effect.low <= effect.difference <= effect.high
