"""How consistent answers are, and what can be reached, against counting by hand."""

from __future__ import annotations

from itertools import combinations, permutations

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.core.ratings.planted import points, rated
from tests.core.studies.quality.answers import question, small_data
from tripletscope.core.data.errors import DataError
from tripletscope.core.data.triplets import Triplets, numbered_objects
from tripletscope.core.inference.held_out.share import left_out
from tripletscope.core.models.simulation.simulate import simulate
from tripletscope.core.ratings import Ratings
from tripletscope.core.studies.quality import RULES, coverage, participants, repeats, transitivity
from tripletscope.core.studies.quality.consistency import rule_of_thumb
from tripletscope.core.studies.quality.rules import RuleData


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


def test_answers_of_little_weight_are_repeats_all_the_same():
    twice = [(0, 1, 2), (0, 1, 2), (1, 0, 2)]
    answers = pd.DataFrame({"weight": [0.1, 0.1, 0.1]})
    assert repeats(Triplets(twice, numbered_objects(3), answers)).repeated == 1
    assert repeats(Triplets(twice[1:], numbered_objects(3), answers[1:])).repeated == 0


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
@given(small_data())
def test_agreement_without_each_participant(triplets):
    """The jackknife against leaving everybody out in turn."""
    people = triplets.answers["participant"].astype(str)
    found = repeats(triplets, unit="participants") if len(people.unique()) > 1 else None
    for name in ("within", "between") if found else ():
        whole = getattr(repeats(triplets), name)
        without, involved = [], 0
        for who in people.unique():
            left = getattr(repeats(triplets.take((people != who).to_numpy())), name)
            involved += left.n < whole.n
            if left.n < whole.n:
                without.append(left.value)
        share = getattr(found, name)
        assert (share.n, share.value) == (whole.n, pytest.approx(whole.value, nan_ok=True))
        if not without or np.isnan(without).any():
            assert share.n_units is None, "nothing is left without one of them"
            continue
        assert share.n_units == involved
        ends = left_out(whole.value, np.array(without), whole.n, involved)
        assert (share.low, share.high) == pytest.approx(ends)


def test_people_differ_in_how_consistent_they_are():
    """Half of all people guess: intervals over the answers of twelve are far too narrow."""
    trios = np.array([(0, j, k) for j, k in combinations(range(1, 12), 2)])[:40]
    covered = {"participants": 0, "answers": 0}
    truth = 0.5 * 0.5 + 0.5 * (0.9**2 + 0.1**2)
    for seed in range(60):
        rng = np.random.default_rng(seed)
        rows, who = [], []
        for person in range(12):
            noise = 0.5 if rng.random() < 0.5 else 0.1
            for _ in range(2):
                turned = rng.random((len(trios), 1)) < noise
                rows.append(np.where(turned, trios[:, [0, 2, 1]], trios))
                who += [f"p{person}"] * len(trios)
        data = Triplets(
            np.concatenate(rows), numbered_objects(12), pd.DataFrame({"participant": who})
        )
        for unit in covered:
            share = repeats(data, unit=unit).within
            covered[unit] += share.low <= truth <= share.high
    assert covered["participants"] >= 54
    assert covered["answers"] < 45


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


def test_of_ratings_pairs_are_counted():
    """All pairs of 18 objects are twice as many as a plane takes: half of them, as choices, few."""
    answers = Ratings(rated(points(18), 3)).triplets()
    found = coverage(answers)
    assert (found.independent, found.needed[2]) == (18 * 17 / 2, 2 * 2 * 18)
    assert found.dimensions == 4
    rule = rule_of_thumb(answers, 2)
    assert rule.is_met
    assert rule.of == "pairs"
    few = Ratings(rated(points(18), 1, share=0.3)).triplets()
    assert not rule_of_thumb(few, 2).is_met
    # People have as many trials as they rated pairs.
    people = participants(answers)
    assert (people["trials"] > 100).all()
    assert not RULES["few_answers"].find(RuleData(answers)).any()
    for name in ("fast_answers", "favourite_side"):
        with pytest.raises(DataError, match="comparisons of two ratings have no"):
            RULES[name].find(RuleData(answers))
