"""Trees of clusters: their cuts, branches, turns and files."""

from __future__ import annotations

import re

import numpy as np
import pytest
from scipy.cluster.hierarchy import cophenet, fcluster, linkage
from scipy.spatial.distance import pdist, squareform
from sklearn.metrics import adjusted_rand_score

from tripletscope.core.similarity.clusters.dendrogram import Dendrogram
from tripletscope.core.similarity.clusters.tanglegram import untangle


@pytest.fixture(scope="module")
def tree() -> Dendrogram:
    """Ten leaves for ten of twelve objects."""
    points = np.random.default_rng(3).normal(size=(10, 2))
    return Dendrogram(linkage(pdist(points), "average"), np.arange(12)[2:], 12)


def test_cuts_are_scipys_and_numbered_as_drawn(tree):
    for k in range(1, 11):
        labels = tree.cut(k)
        assert labels[:2].tolist() == [-1, -1]
        assert adjusted_rand_score(labels[2:], fcluster(tree.linkage, k, "maxclust")) == 1.0
        drawn = labels[tree.order]
        assert np.all(np.diff(drawn) >= 0)
        assert set(drawn) == set(range(k))
        assert np.array_equal(tree.cut(height=tree.height_for(k)), labels)
        assert tree.n_clusters_at(tree.height_for(k)) == k
        for number, node in enumerate(tree.roots(k)):
            assert set(tree.members(node)) == set(np.flatnonzero(labels == number))
    assert np.array_equal(tree.cut(99), tree.cut(10))
    with pytest.raises(ValueError, match="either"):
        tree.cut()


def test_branches_know_their_members_and_places(tree):
    held = tree.membership()
    assert held.sum(axis=1).tolist() == tree.linkage[:, 3].tolist()
    assert held[-1].sum() == 10
    for node in range(10, 19):
        assert set(tree.members(node)) == set(np.flatnonzero(held[node - 10]))
        start, stop = tree.spans[node]
        assert start <= tree.places[node] <= stop - 1
    assert np.array_equal(tree.order[tree.places[:10].astype(int)], tree.objects)


def test_turning_branches_keeps_the_tree(tree):
    turned = tree.turned(np.ones(9, dtype=bool))
    assert turned.order.tolist() == tree.order[::-1].tolist()
    assert np.array_equal(turned.cophenetic(), tree.cophenetic())


@pytest.mark.parametrize("m", [2, 3, 10, 37])
def test_heights_of_pairs_are_scipys(m):
    points = np.round(np.random.default_rng(m).normal(size=(m, 2)), 1)
    tree = Dendrogram(linkage(pdist(points), "average"), np.arange(2, m + 2), m + 2)
    found = tree.cophenetic()
    assert np.array_equal(found[2:, 2:], squareform(cophenet(tree.linkage)))
    top = tree.linkage[-1, 2]
    assert np.all(found[0, 1:] == top)
    one, other = np.divmod(np.arange((m + 2) ** 2), m + 2)
    assert np.array_equal(tree.joined_at(one, other).reshape(m + 2, m + 2), found)


def test_a_tree_of_one_leaf_joins_nothing():
    tree = Dendrogram(np.zeros((0, 4)), np.array([1]), 3)
    assert tree.joined_at(np.array([0, 1, 2]), np.array([1, 1, 0])).tolist() == [1.0, 0.0, 1.0]
    assert tree.cophenetic().tolist() == (1 - np.eye(3)).tolist()


def test_newick_can_be_read_again(tree):
    names = [f"it's {i}, (so)" for i in range(12)]
    text = tree.newick(names, np.linspace(0, 1, 9))
    assert text.endswith(")1;")
    found = re.findall(r"(?:'((?:[^']|'')*)')?[\d.]*:([\d.e-]+)", text)
    leaves = [name.replace("''", "'") for name, _ in found if name]
    assert leaves == [names[i] for i in tree.order]
    lengths = [
        tree.heights[10 + i] - tree.heights[side]
        for i, pair in enumerate(tree.children) for side in pair
    ]
    assert np.allclose(sorted(float(length) for _, length in found), sorted(lengths), rtol=1e-4)


def test_a_long_chain_is_no_trouble():
    chain = np.array([[0 if i == 0 else 3000 + i - 1, i + 1, i + 1, i + 2] for i in range(2999)])
    tree = Dendrogram(chain.astype(float), np.arange(3000), 3000)
    assert len(tree.newick([str(i) for i in range(3000)])) > 3000
    assert tree.cut(5).max() == 4
    assert untangle(tree, tree.turned(np.arange(2999) % 2 == 0)).entanglement == 0


def test_one_object_makes_a_tree():
    tree = Dendrogram(np.zeros((0, 4)), np.array([2]), 3)
    assert tree.cut(1).tolist() == [-1, -1, 0]
    assert tree.newick(["a", "b", "c"]) == "'c';"
    assert tree.height_for(1) == 0


def test_untangling_undoes_turns():
    rng = np.random.default_rng(0)
    tree = Dendrogram(linkage(pdist(rng.normal(size=(40, 3))), "average"), np.arange(40), 40)
    turned = tree.turned(rng.random(39) < 0.5)
    found = untangle(tree, turned)
    assert found.entanglement == 0
    assert np.array_equal(found.first.order, found.second.order)
    other = Dendrogram(linkage(pdist(rng.normal(size=(35, 3))), "average"), np.arange(5, 40), 40)
    before, after = untangle(tree, other, rounds=0, starts=1), untangle(tree, other)
    assert after.entanglement < before.entanglement
    place = np.full(40, -1)
    place[after.second.order] = np.arange(35)
    order = [place[i] for i in after.first.order if place[i] >= 0]
    crossed = sum(a > b for i, a in enumerate(order) for b in order[i + 1 :])
    assert after.entanglement == pytest.approx(crossed / (35 * 34 / 2))
    assert (after.crossings, after.pairs) == (crossed, 35 * 34 / 2)
    assert np.array_equal(after.first.cophenetic(), tree.cophenetic())


@pytest.mark.parametrize("seed", range(8))
def test_no_crossing_is_added_and_few_trees_keep_one_that_need_not_be(seed):
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(5, 2))
    one, two = (
        Dendrogram(linkage(pdist(points + noise), "average"), np.arange(5), 5)
        for noise in (0.0, rng.normal(size=(5, 2)))
    )
    before, found = untangle(one, two, rounds=0, starts=1), untangle(one, two)
    assert found.crossings <= untangle(one, two, starts=1).crossings <= before.crossings
    every = [np.array(turns) for turns in np.ndindex(2, 2, 2, 2)]
    fewest = min(
        untangle(one.turned(a == 1), two.turned(b == 1), rounds=0, starts=1).crossings
        for a in every for b in every
    )
    assert found.crossings == fewest
