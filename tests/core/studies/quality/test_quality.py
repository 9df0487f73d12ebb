"""What answers are worth, against counting by hand."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings

from tests.core.studies.quality.answers import people_data, question, small_data
from tripletscope.core.data.errors import DataError
from tripletscope.core.data.quadruples import Quadruples
from tripletscope.core.data.triplets import Triplets
from tripletscope.core.inference.held_out.ceiling import noise_ceiling
from tripletscope.core.models.embedding import STE
from tripletscope.core.people.treatments import compare_treatments
from tripletscope.core.studies.quality import (
    Cleaning,
    Exclusion,
    coverage,
    gold_mistakes,
    objects,
    obvious,
    over_time,
    participants,
    quality,
    repeats,
    samplers,
)

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


# Objects, samplers, time


@settings(max_examples=20)
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
    assert table.loc["active", "lower"] == noise_ceiling(own).lower.value
    assert table.loc["active", "upper"] == noise_ceiling(own).upper.value
    late = np.arange(len(triplets)) % 120 >= 96
    wrong = late.astype(float)
    stretches = over_time(triplets, wrong)
    assert stretches["answers"].tolist() == [6 * 24] * 5
    assert stretches["predicted"].tolist() == pytest.approx([1, 1, 1, 1, 0])
    # With times their order counts, not that of the file.
    moments = triplets.answers.assign(time=-np.arange(len(triplets)))
    turned = Triplets(triplets.rows, triplets.objects, moments)
    assert over_time(turned, wrong)["predicted"].tolist() == pytest.approx([0, 1, 1, 1, 1])


def test_a_side_bias_is_someones():
    found = quality(people_data()).sides
    assert (found.code, found.participants) == ("of some", ("p5",))
    assert found.values == {"number": 1, "people": 6, "tested": 6}
    crowd = people_data(n_people=8)
    always = crowd.answers.assign(side=pd.Categorical(["left"] * len(crowd)))
    all_left = quality(Triplets(crowd.rows, crowd.objects, always)).sides
    assert len(all_left.participants) == 8
    alone = Triplets(crowd.rows, crowd.objects, crowd.answers.drop(columns="participant"))
    assert quality(alone).sides.code == "of all none"
    no_names = Triplets(crowd.rows, crowd.objects, always.drop(columns="participant"))
    assert quality(no_names).sides.code == "of all"


def test_honest_crowds_have_no_side():
    """Some of 200 people have p < 0.01 by chance, and so the verdict accounts for their number."""
    for seed in range(3):
        crowd = people_data(seed=seed, n_people=200, each=20)
        sides = np.random.default_rng(seed).choice(["left", "right"], len(crowd))
        honest = crowd.answers.assign(side=pd.Categorical(sides))
        found = quality(Triplets(crowd.rows, crowd.objects, honest))
        assert found.participants["bias_p"].min() < 0.01
        assert found.sides.code == "of none"


# Comparisons of pairs


def as_pairs(triplets: Triplets) -> Quadruples:
    """The same answers, each as a comparison of two pairs that share the anchor."""
    rows = triplets.rows[:, [1, 0, 0, 2]]
    return Quadruples(
        rows, name=triplets.name, objects=triplets.objects, answers=triplets.answers
    )


@settings(max_examples=20)
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
    assert not ours.needed
    assert not quality(pairs).circular.n


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
    assert one.undone().undone().triplets is raw.raw
    again = Cleaning.from_log(raw.raw, one.log())
    assert (again.kept == one.kept).all()
    kept = ~raw.preview(Exclusion("fast_participants", {"least": 0.5})).mask
    marked = raw.raw.with_columns({"kept": kept})
    effect = compare_treatments(STE(n_init=1), marked, weighted=False, folds=3)
    assert effect.low[1] <= effect.difference[1] <= effect.high[1]
