"""Clusters of digits, and the descent that stays where it began."""

from __future__ import annotations

from functools import partial

import numpy as np
import pandas as pd
import pytest

from tripletscope.core.models.simulation.simulate import random_questions
from tripletscope.reproductions.data import vectors
from tripletscope.reproductions.item import DOES_NOT_HOLD, HOLDS, HOLDS_WITH_THEIRS
from tripletscope.reproductions.kernels import digits
from tripletscope.reproductions.kernels.asking import answered, asked
from tripletscope.reproductions.kernels.descent import published_descent
from tripletscope.reproductions.kernels.digits import check_purities, maps, purities


def test_the_published_descent_fits_random_answers():
    rng = np.random.default_rng(0)
    points = rng.normal(size=(30, 2))
    apart = np.linalg.norm(points[:, None] - points, axis=-1)
    triplets = answered(apart, random_questions(30, 2000, rng), 0.0, rng)
    found = published_descent(triplets, 2, 0)
    assert found.loss < 0.5
    away = np.linalg.norm(found.embedding[:, None] - found.embedding, axis=-1)
    anchor, near, far = triplets.rows.T
    assert np.mean(away[anchor, near] < away[anchor, far]) > 0.9


def test_and_stays_at_its_start_with_landmarks():
    rng = np.random.default_rng(0)
    points = rng.normal(size=(300, 2))
    apart = np.linalg.norm(points[:, None] - points, axis=-1)
    triplets = answered(apart, asked("k1", 300, 4, 1500, rng), 0.0, rng)
    found = published_descent(triplets, 2, 0)
    assert 0.9 < found.loss <= 1.0
    assert np.median(np.abs(found.embedding)) < 0.01


@pytest.mark.parametrize(("design", "number"), [("k1", 300), ("k2", 300), ("random", 5000)])
def test_questions_are_of_their_design(design, number):
    questions = asked(design, 40, 5, number, np.random.default_rng(0))
    assert questions.shape == (number, 3)
    assert len(np.unique(questions[:, 0])) == (5 if design == "k2" else 40)


def test_errors_and_ties():
    rng = np.random.default_rng(0)
    apart = np.array([[0.0, 1, 2, 2], [1, 0, 1, 1], [2, 1, 0, 1], [2, 1, 1, 0]])
    rows = answered(apart, np.tile([[0, 2, 1]], (400, 1)), 0.25, rng).rows
    assert 0.68 < np.mean(rows[:, 1] == 1) < 0.82
    rows = answered(apart, np.tile([[0, 2, 3]], (400, 1)), 0.0, rng).rows
    assert 0.4 < np.mean(rows[:, 1] == 2) < 0.6


def _table(**purity: float) -> pd.DataFrame:
    found = {
        "kernel": 0.8, "GNMDS": 0.8, "CKL": 0.8, "t-STE": 0.8, "GNMDS as published": 0.35,
        "random clusters": 0.36, **{k.replace("_", " "): v for k, v in purity.items()},
    }
    return pd.DataFrame([
        {"data": "digits 1, 2, 3", "objects": 100, "per object": 50, "design": design,
         "dimensions": 2, "given": given, "method": method, "purity": value,
         "seconds": 0.01 if method == "kernel" else 0.5}
        for design in ("k1", "k2") for given in ("landmark", "random")
        for method, value in found.items()
    ])


def test_verdicts_on_clusters_of_digits():
    theirs = check_purities(_table())
    assert theirs.shows == HOLDS_WITH_THEIRS
    assert "takes 50.0 times as long" in theirs.ours
    assert check_purities(_table(GNMDS=0.37)).shows == HOLDS
    assert check_purities(_table(kernel=0.5)).shows == DOES_NOT_HOLD
    assert check_purities(_table().assign(seconds=1.0)).shows == DOES_NOT_HOLD
    assert check_purities(_table(GNMDS_as_published=0.7)).shows == DOES_NOT_HOLD


def test_embeddings_of_random_answers_count():
    table = _table(GNMDS=0.37)
    better = (table["given"] == "random") & (table["method"] == "t-STE")
    assert check_purities(table.assign(purity=table["purity"].mask(better, 0.9))).shows == (
        DOES_NOT_HOLD
    )


@pytest.mark.parametrize(("changed", "verdict"), [
    ({}, HOLDS), ({("k1", "purity"): 0.6}, DOES_NOT_HOLD), ({("k2", "purity"): 0.6}, HOLDS),
    ({("k2", "seconds"): 1.0}, DOES_NOT_HOLD),
])
def test_the_largest_number_of_digits_is_judged(changed, verdict):
    three = _table(GNMDS=0.37)
    kept = (three["method"] == "kernel") == (three["given"] == "landmark")
    many = three[kept].assign(data="all digits", objects=10_000)
    many = many.assign(purity=0.8)
    for (design, column), value in changed.items():
        many.loc[(many["design"] == design) & (many["method"] == "kernel"), column] = value
    found = check_purities(pd.concat([three, many]))
    assert "10,000 digits" in found.ours
    assert found.shows == verdict


def test_every_method_is_measured_on_both_kinds_of_answers(monkeypatch):
    few = vectors("digits").some(200, np.random.default_rng(0))
    monkeypatch.setattr(digits, "vectors", lambda name: few)
    small = partial(purities, data_set="digits", wrong=0.0, per_object=(2,), dimensions=(2,),
                    runs=1, seed=1)
    table = small(sizes=(60,)).drop(columns="seconds")
    assert set(table["data"]) == {"digits 1, 2, 3", "all digits"}
    counts = table.groupby(["data", "design", "given"])["method"].nunique()
    assert set(counts) == {7}
    assert table["purity"].between(0, 1).all()
    again = small(sizes=(60,), per_object=()).drop(columns="seconds")
    assert table.tail(len(again)).reset_index(drop=True).equals(again)


def test_maps_are_of_the_same_digits():
    table = maps(data_set="digits", n_objects=150, drawn=40)
    one, other = (part["digit"].tolist() for _, part in table.groupby("method"))
    assert one == other
    assert len(one) == 40
