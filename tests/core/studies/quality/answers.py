"""Answers for tests of quality."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pandas as pd
from hypothesis import strategies as st

from tripletscope.core.data.triplets import Triplets
from tripletscope.core.models.simulation.simulate import simulate


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
