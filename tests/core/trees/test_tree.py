"""Comparison trees: the same tree on every way, exact counts, right neighbours."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_digits
from sklearn.metrics import pairwise_distances
from sklearn.utils.estimator_checks import parametrize_with_checks

from tripletscope.core.data.triplets import Triplets
from tripletscope.core.engine.progress import Stopped
from tripletscope.core.models.simulation.simulate import random_questions, simulate
from tripletscope.core.trees import ComparisonForestRegressor, ComparisonTree
from tripletscope.core.trees.estimator import grow_trees
from tripletscope.core.trees.growing import (
    LABELS,
    RANDOM,
    RESPONSES,
    SplitRule,
    grow_measured,
    new_growth,
    nodes_of,
)
from tripletscope.core.trees.nodes import descending
from tripletscope.core.trees.oracle import (
    AnswersOracle,
    Distances,
    Observer,
    Repeated,
    Unanswered,
    Vectors,
    answered_rows,
    converse,
)
from tripletscope.core.trees.quality import expansion_rates, height_bound, search_errors
from tripletscope.core.trees.search import best_first, nearest

RNG = np.random.default_rng(3)
POINTS = RNG.normal(size=(200, 5))
OBJECTS = np.arange(200)
LABEL = RNG.integers(0, 3, 200).astype(np.int32)
RESPONSE = POINTS[:, 0] + 0.1 * RNG.normal(size=200)
DISTANCES = pairwise_distances(POINTS)


def digits() -> np.ndarray:
    return load_digits().data


@parametrize_with_checks([ComparisonTree()])
def test_sklearn(estimator, check):
    check(estimator)


def inner_nodes(nodes):
    return np.flatnonzero(nodes.child >= 0)


@pytest.mark.parametrize("kind", [RANDOM, LABELS, RESPONSES])
@pytest.mark.parametrize("candidates", [1, 4])
@pytest.mark.parametrize("leaf_size", [1, 7])
def test_compiled_loop_and_dialogue_grow_the_same_tree(kind, candidates, leaf_size):
    how = SplitRule(leaf_size, kind=kind, candidates=candidates, label=LABEL, response=RESPONSE)
    oracle = Vectors(POINTS)
    growth = new_growth(OBJECTS, 0)
    asked = grow_measured(growth, how, oracle.measure())
    compiled = nodes_of(growth)
    (level_wise,) = grow_trees(Vectors(POINTS, listed=True), [OBJECTS], [0], how)
    for one, other in zip(compiled, level_wise, strict=True):
        assert np.array_equal(one, other)
    # Exactly the questions about everybody but the pivots, and no cell was tried twice here.
    sizes = (compiled.stop - compiled.start)[inner_nodes(compiled)]
    assert asked == candidates * (sizes - 2).sum()


def test_the_tree_is_what_the_definition_says():
    tree = ComparisonTree(leaf_size=5, seed=4).fit(POINTS)
    nodes = tree.nodes_
    assert sorted(nodes.order) == list(range(200))
    for node in range(len(nodes.child)):
        members, left = nodes.members(node), nodes.child[node]
        if left < 0:
            assert len(members) <= 5
            continue
        p, q = nodes.pivots[node, 0]
        assert p != q
        assert {p, q} <= set(members)
        nearer_to_p = DISTANCES[members, p] <= DISTANCES[members, q]
        assert set(nodes.members(left)) == set(members[nearer_to_p])
        assert set(nodes.members(left + 1)) == set(members[~nearer_to_p])
        assert nodes.parent[left] == nodes.parent[left + 1] == node
    assert np.array_equal(np.sort(nodes.depth), nodes.depth)
    assert (nodes.parent[0], nodes.depth[0]) == (-1, 0)
    sizes = (nodes.stop - nodes.start)[inner_nodes(nodes)]
    assert tree.n_questions_ == (sizes - 2).sum()
    assert tree.height == nodes.depth.max()


def test_pivots_are_drawn_uniformly():
    points = np.arange(4.0)[:, None]
    pairs = [tuple(ComparisonTree(leaf_size=3, seed=s).fit(points).nodes_.pivots[0, 0])
             for s in range(720)]
    counts = np.array([pairs.count((i, j)) for i in range(4) for j in range(4) if i != j])
    assert counts.sum() == 720
    # chi-squared with 11 degrees of freedom: above 31.3 once in a thousand
    assert ((counts - 60) ** 2 / 60).sum() < 31.3


def test_supervised_pivots_are_uniform_over_pairs_of_different_classes():
    points, y = np.arange(4.0)[:, None], ["a", "b", "a", "c"]
    pairs = [tuple(ComparisonTree(leaf_size=3, pivots="supervised", seed=s).fit(points, y)
                   .nodes_.pivots[0, 0]) for s in range(600)]
    different = [(i, j) for i in range(4) for j in range(4) if y[i] != y[j]]
    counts = np.array([pairs.count(pair) for pair in different])
    assert counts.sum() == 600
    # chi-squared with 9 degrees of freedom: above 27.9 once in a thousand
    assert ((counts - 60) ** 2 / 60).sum() < 27.9


def test_the_best_candidate_lowers_the_variance_most():
    oracle = Vectors(POINTS, listed=True)
    how = SplitRule(100, candidates=5, response=RESPONSE)
    (nodes,) = grow_trees(oracle, [OBJECTS], [8], how)
    first_call = oracle.listing().query("call == 0")
    pairs = first_call[["near", "far"]].to_numpy()
    pairs = {tuple(sorted(pair)) for pair in pairs}
    assert len(pairs) == 5

    def left_over(pair):
        side = DISTANCES[:, pair[0]] <= DISTANCES[:, pair[1]]
        return sum(np.sum((RESPONSE[s] - RESPONSE[s].mean()) ** 2) for s in (side, ~side))

    assert tuple(sorted(nodes.pivots[0, 0])) == min(pairs, key=left_over)


def test_low_and_high_responses_are_the_pivots():
    (nodes,) = grow_trees(
        Vectors(POINTS), [OBJECTS], [1], SplitRule(1, kind=RESPONSES, response=RESPONSE)
    )
    for node in inner_nodes(nodes):
        mean = RESPONSE[nodes.members(node)].mean()
        p, q = nodes.pivots[node, 0]
        assert RESPONSE[p] <= mean < RESPONSE[q]


@pytest.mark.parametrize("listed", [False, True])
@pytest.mark.parametrize("copies", [1, 2, 3, 50, 3000])
def test_equal_objects_do_not_make_a_long_tree(copies, listed):
    points = np.concatenate([np.zeros((copies, 2)), POINTS[:30, :2]])
    tree = ComparisonTree(metric=Vectors(points, listed=listed), leaf_size=1)
    tree.fit(np.arange(len(points)))
    assert tree.height < 40
    assert tree.n_questions_ < 60 * len(points)
    same = ComparisonTree(leaf_size=1).fit(np.zeros((copies, 1)))
    assert same.height < 16


@pytest.mark.parametrize("kind", [ComparisonTree, ComparisonForestRegressor])
def test_answers_are_no_metric_and_the_error_names_what_is(kind):
    answers = Triplets.from_array([[0, 1, 2], [1, 2, 0]])
    with pytest.raises(TypeError, match=r"MapOracle\(map\)"):
        kind(metric=answers).fit([0, 1, 2], [0.0, 1.0, 2.0])


def test_one_object():
    tree = ComparisonTree().fit(POINTS[:1])
    assert (tree.height, tree.n_questions_, len(tree.table())) == (0, 0, 1)
    assert np.isnan(tree.balance)
    assert tree.kneighbors(POINTS[1:3]).found.tolist() == [[0], [0]]
    assert tree.kneighbors(POINTS[1:3], budget=10).found.tolist() == [[0], [0]]
    assert len(tree.decisions()) == 0


# Search --------------------------------------------------------------------------------------


def test_knockout_finds_the_nearest_in_order():
    oracle = Distances(DISTANCES)
    x = np.arange(20)
    candidates = [np.setdiff1d(OBJECTS[: 2 + 7 * i], [i]) for i in x]
    ((found, asked),) = converse(oracle, [nearest(x, candidates, 5)])
    for i, own in enumerate(candidates):
        right = own[np.argsort(DISTANCES[i, own])][:5]
        assert found[i].tolist() == [*right, *[-1] * (5 - len(right))]
        bound = len(own) - 1 + 4 * np.ceil(np.log2(max(len(own), 2)))
        assert max(len(own) - 1, 0) <= asked[i] <= bound
    assert asked.sum() == oracle.n_questions
    ((_, asked),) = converse(oracle, [nearest(x, candidates)])
    assert asked.tolist() == [max(len(own) - 1, 0) for own in candidates]


@pytest.mark.parametrize("own", [True, False])
def test_leaf_search(own):
    if own:
        oracle = Vectors(POINTS)
        tree = ComparisonTree(metric=oracle).fit(OBJECTS[:180])
        oracle.tally.clear()
        result = tree.kneighbors(OBJECTS[150:], 2)
        assert oracle.n_questions == result.asked.sum()
        queries = OBJECTS[150:]
    else:
        tree = ComparisonTree().fit(POINTS[:180])
        result = tree.kneighbors(POINTS[180:], 2)
        queries = OBJECTS[180:]
    ((leaves, way),) = converse(Vectors(POINTS), [descending(tree.nodes_, queries, True)])
    for x, leaf, found in zip(queries, leaves, result.found, strict=True):
        members = tree.nodes_.members(leaf)
        members = members[members != x]
        right = members[np.argsort(DISTANCES[x, members])]
        assert found.tolist() == [*right, -1, -1][:2]
    assert (result.asked >= way).all()
    inside = OBJECTS[:180]
    ((leaves, _),) = converse(Vectors(POINTS), [descending(tree.nodes_, inside, True)])
    assert np.array_equal(leaves, tree.nodes_.leaf_of(180))


def test_backtracking_with_enough_questions_is_exact():
    tree = ComparisonTree(leaf_size=4).fit(POINTS[:150])
    found, asked = tree.kneighbors(POINTS[150:], 3, budget=10_000)
    assert np.array_equal(found, np.argsort(DISTANCES[150:, :150], axis=1)[:, :3])
    assert (asked < 10_000).all()


def test_backtracking_keeps_to_its_budget_and_improves():
    missed = []
    nearest_to = DISTANCES[150:, :150].min(axis=1)
    for budget in (0, 5, 40, 120):
        oracle = Vectors(POINTS)
        tree = ComparisonTree(metric=oracle, leaf_size=4).fit(OBJECTS[:150])
        oracle.tally.clear()
        found, asked = tree.kneighbors(OBJECTS[150:], budget=budget)
        assert (asked <= budget).all()
        assert asked.sum() == oracle.n_questions
        reached = np.where(found[:, 0] >= 0, DISTANCES[OBJECTS[150:], found[:, 0]], np.inf)
        missed.append(np.mean(reached > nearest_to))
    assert missed[0] == 1.0
    assert missed[1] >= missed[2] > missed[3]


def test_objects_of_the_tree_are_not_their_own_neighbours():
    oracle = Vectors(POINTS)
    tree = ComparisonTree(metric=oracle, leaf_size=4).fit(OBJECTS)
    for budget in (None, 100):
        assert (tree.kneighbors(OBJECTS, 2, budget=budget).found != OBJECTS[:, None]).all()
    ((found, _),) = converse(oracle, [best_first(tree.nodes_, 5, True, 1, 10**6)])
    assert found[0] == np.argsort(DISTANCES[5])[1]


def test_the_search_of_a_pivot_begins_in_its_own_leaf():
    """Nothing is nearer to a pivot than itself, so that no question is asked about that."""
    oracle = Vectors(POINTS)
    nodes = ComparisonTree(metric=oracle, leaf_size=25).fit(OBJECTS[:30]).nodes_
    assert nodes.child.tolist() == [1, -1, -1]
    for leaf, x in zip((1, 2), nodes.pivots[0, 0].tolist(), strict=True):
        beside = np.setdiff1d(nodes.members(leaf), x)
        # The nearest of so many is found by one question fewer.
        search = best_first(nodes, x, True, 1, len(beside) - 1)
        ((found, _),) = converse(oracle, [search])
        assert found[0] == beside[np.argmin(DISTANCES[x, beside])]


def test_inserted_objects_are_found_in_their_leaves():
    tree = ComparisonTree(leaf_size=6).fit(POINTS[:100])
    before = tree.n_questions_
    tree.insert(POINTS[100:]).insert(POINTS[:3] + 0.01)
    nodes = tree.nodes_
    assert sorted(nodes.order) == list(range(203))
    assert (nodes.stop - nodes.start)[nodes.child < 0].max() <= 6
    ((leaves, _),) = converse(tree.oracle_, [descending(nodes, np.arange(203), True)])
    assert np.array_equal(leaves, nodes.leaf_of(203))
    assert tree.n_questions_ > before

    oracle = Vectors(POINTS)
    other = ComparisonTree(metric=oracle, leaf_size=6).fit(OBJECTS[:100]).insert(OBJECTS[100:])
    assert other.n_questions_ == oracle.n_questions
    with pytest.raises(ValueError, match="only once"):
        other.insert([5])
    with pytest.raises(ValueError, match="cannot be continued"):
        ComparisonTree(metric="precomputed").fit(DISTANCES).insert(DISTANCES[:1])


# Noise and people ----------------------------------------------------------------------------


def test_majorities_withstand_noise():
    positions = np.random.default_rng(0).normal(size=(150, 2))
    apart = pairwise_distances(positions) + np.diag(np.full(150, np.inf))

    def mean_rank(metric, n_pairs):
        ranks = []
        for seed in range(8):
            tree = ComparisonTree(metric=metric, leaf_size=8, n_pairs=n_pairs, seed=seed)
            found = tree.fit(np.arange(150)).kneighbors(np.arange(150)).found[:, 0]
            ranks.append(np.mean((apart < apart[np.arange(150), found][:, None]).sum(axis=1)))
        return np.mean(ranks)

    plain = mean_rank(Observer(positions, noise="flip", level=0.15, seed=1), 1)
    pairs = mean_rank(Observer(positions, noise="flip", level=0.15, seed=2), 5)
    repeats = mean_rank(Repeated(Observer(positions, noise="flip", level=0.15, seed=3), 5), 1)
    assert pairs < 0.9 * plain
    assert repeats < 0.7 * plain


def test_several_pairs_decide_by_majority():
    oracle = Vectors(POINTS)
    tree = ComparisonTree(metric=oracle, leaf_size=10, n_pairs=3).fit(OBJECTS)
    nodes = tree.nodes_
    for node in inner_nodes(nodes):
        members = nodes.members(node)
        pairs = nodes.pivots[node]
        votes = sum((DISTANCES[members, p] <= DISTANCES[members, q]).astype(int) for p, q in pairs)
        left = votes > 1.5
        left[members == pairs[0, 0]], left[members == pairs[0, 1]] = True, False
        assert set(nodes.members(nodes.child[node])) == set(members[left])
    ((leaves, _),) = converse(oracle, [descending(nodes, OBJECTS, True)])
    assert np.array_equal(leaves, nodes.leaf_of(200))
    assert len(tree.decisions()) == tree.n_questions_
    with pytest.raises(ValueError, match="odd"):
        ComparisonTree(n_pairs=2).fit(POINTS)


def test_a_person_answers_batch_by_batch():
    person, rounds = AnswersOracle(200), 0
    while True:
        try:
            tree = ComparisonTree(metric=person, leaf_size=10, seed=3).fit(OBJECTS)
            break
        except Unanswered as waiting:
            rounds += 1
            # The answers may come from a file: nothing else is carried over.
            first = Vectors(POINTS).ask(waiting.questions)
            person = AnswersOracle(
                np.concatenate([person.rows, answered_rows(waiting.questions, first)])
            )
    direct = ComparisonTree(metric=Vectors(POINTS), leaf_size=10, seed=3).fit(OBJECTS)
    for one, other in zip(tree.nodes_, direct.nodes_, strict=True):
        assert np.array_equal(one, other)
    assert rounds <= direct.height + 2
    assert tree.n_questions_ == direct.n_questions_ == len(person.rows)


def test_passive_pivots_have_most_answers():
    answers = simulate(POINTS[:20], 3000, seed=1)
    oracle = AnswersOracle(answers, Distances(DISTANCES[:20, :20]))
    tree = ComparisonTree(metric=oracle, leaf_size=4, pivots="answered").fit(OBJECTS[:20])
    share = oracle.answered_share
    asked = {}
    for anchor, near, far in answers.rows:
        asked.setdefault((min(near, far), max(near, far)), set()).add(anchor)
    assert len(asked[tuple(tree.nodes_.pivots[0, 0])]) == max(map(len, asked.values()))
    table = tree.table()
    decisions = tree.decisions()
    assert decisions["answered"].mean() == pytest.approx(share)
    root = decisions.query("node == 0")["answered"].mean()
    assert table["answered"][0] == pytest.approx(root)
    random = AnswersOracle(answers, Distances(DISTANCES[:20, :20]))
    ComparisonTree(metric=random, leaf_size=4).fit(OBJECTS[:20])
    assert share > random.answered_share
    with pytest.raises(ValueError, match="AnswersOracle"):
        ComparisonTree(pivots="answered").fit(POINTS)


def test_passive_tree_of_few_answers():
    oracle = AnswersOracle(np.array([[0, 1, 2]]), Distances(DISTANCES))
    # The object list comes from the answers: three objects.
    tree = ComparisonTree(metric=oracle, leaf_size=1, pivots="answered").fit([0, 1, 2])
    assert tuple(tree.nodes_.pivots[0, 0]) == (1, 2)
    assert oracle.answered_share == 1.0


def test_answers_to_the_listed_questions_make_the_real_tree():
    map_of_it = POINTS + 0.2 * np.random.default_rng(0).normal(size=POINTS.shape)
    planned = ComparisonTree(metric=Vectors(map_of_it), leaf_size=8).fit(OBJECTS)
    decisions = planned.decisions()
    assert len(decisions) == planned.n_questions_
    questions = decisions[["x", "p", "q"]].to_numpy()
    same = planned.regrown(answered_rows(questions, decisions["nearer_to_p"].to_numpy()))
    assert same.metric.answered_share == 1.0
    assert np.array_equal(same.nodes_.order, planned.nodes_.order)
    real = planned.regrown(answered_rows(questions, Vectors(POINTS).ask(questions)))
    assert 0.5 < real.metric.answered_share < 1.0
    root = real.nodes_.members(1)
    p, q = real.nodes_.pivots[0, 0]
    assert set(root) == set(OBJECTS[DISTANCES[:, p] <= DISTANCES[:, q]])


# What there is to see ------------------------------------------------------------------------


def test_table_and_path():
    oracle = Vectors(POINTS)
    tree = ComparisonTree(metric=oracle, leaf_size=5).fit(OBJECTS[:150])
    table = tree.table(y=LABEL)
    assert table.loc[0, [0, 1, 2]].tolist() == np.bincount(LABEL[:150]).tolist()
    assert (table[[0, 1, 2]].sum(axis=1) == table["size"]).all()
    inner = table[table["left"] >= 0]
    sizes = table["size"].to_numpy()
    assert (sizes[inner["left"]] + sizes[inner["right"]] == inner["size"]).all()
    smaller = np.minimum(sizes[inner["left"]], sizes[inner["right"]])
    assert tree.balance == pytest.approx(smaller.sum() / inner["size"].sum())
    for x in OBJECTS[::10]:
        steps, leaf = tree.path(x)
        node = 0
        for step in steps.itertuples():
            while node != step.node:  # where the object is a pivot itself
                assert x in tree.nodes_.pivots[node, 0]
                node = tree.nodes_.child[node] + (tree.nodes_.pivots[node, 0, 1] == x)
            assert (step.p, step.q) == tuple(tree.nodes_.pivots[node, 0])
            assert step.nearer_to_p == (DISTANCES[x, step.p] <= DISTANCES[x, step.q])
            node = tree.nodes_.child[node] + (not step.nearer_to_p)
        while tree.nodes_.child[node] >= 0:
            node = tree.nodes_.child[node] + (tree.nodes_.pivots[node, 0, 1] == x)
        assert node == leaf
    vectors = ComparisonTree(leaf_size=5).fit(POINTS[:150])
    steps, leaf = vectors.path(POINTS[160])
    assert len(steps) == vectors.nodes_.depth[leaf]


def test_parameters_are_checked():
    with pytest.raises(ValueError, match="leaf_size of ComparisonTree is 0"):
        ComparisonTree(leaf_size=0).fit(POINTS)
    with pytest.raises(ValueError, match="numbered from 0 to 199"):
        ComparisonTree(metric=Vectors(POINTS)).fit([0, 200])
    with pytest.raises(ValueError, match="by their numbers"):
        ComparisonTree(metric=Vectors(POINTS)).fit(POINTS)
    with pytest.raises(ValueError, match="need y"):
        ComparisonTree(pivots="supervised").fit(POINTS)


# Peers and theory ----------------------------------------------------------------------------


def test_search_errors():
    exact = search_errors(ComparisonTree(leaf_size=1000), POINTS, folds=200, max_objects=20)
    assert (exact.missed.mean(), exact.mean_excess, len(exact.missed)) == (0.0, 0.0, 20)
    assert (exact.n_questions == 198).all()
    one = search_errors(ComparisonTree(leaf_size=8), POINTS)
    table = search_errors(ComparisonTree(leaf_size=8, metric="precomputed"), DISTANCES)
    assert np.array_equal(one.missed, table.missed)
    assert one.mean_excess > 0
    assert 0 < one.missed.mean() < search_errors(ComparisonTree(leaf_size=2), POINTS).missed.mean()
    with pytest.raises(Stopped):
        search_errors(ComparisonTree(), POINTS, progress=lambda *r, **d: True)


def test_expansion_rates():
    distances = DISTANCES[:30, :30]
    rates = expansion_rates(distances)
    for row, rate in zip(distances, rates, strict=True):
        radii = np.concatenate([row[row > 0], row[row > 0] / 2])
        naive = max(np.sum(row <= 2 * r) / np.sum(row <= r) for r in radii)
        assert rate == pytest.approx(naive)
    assert expansion_rates(np.zeros((2, 2))).tolist() == [1.0, 1.0]


def test_height_bound():
    # 3 log(e / 0.05) + 96 * 4 * log(100) = 11.987 + 1768.385
    assert height_bound(1600, 16, 2.0) == pytest.approx(1780.372, abs=1e-3)
    tree = ComparisonTree(leaf_size=16).fit(POINTS)
    assert tree.height < height_bound(200, 16, np.median(expansion_rates(DISTANCES)))


def test_passive_answers_and_random_questions_agree():
    questions = random_questions(200, 300, np.random.default_rng(0))
    rows = answered_rows(questions, Vectors(POINTS).ask(questions))
    assert AnswersOracle(rows).ask(questions).tolist() == Vectors(POINTS).ask(questions).tolist()
