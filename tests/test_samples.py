"""The samples that are simulated: their files are those of the code, and their truth is found."""

from __future__ import annotations

import numpy as np
import pytest
from PIL import Image

import tripletscope as ts
from tests.paths import SAMPLES
from tripletscope.core.data.geometry import procrustes_disparity
from tripletscope.sample_data.make import PICTURES
from tripletscope.sample_data.simulated import (
    CARELESS,
    CONTRASTS,
    OBSERVERS,
    SIMULATED,
    WEIGHTS,
    Made,
    perceived,
)


@pytest.fixture(scope="module", params=SIMULATED)
def sample(request) -> tuple[str, Made]:
    return request.param, SIMULATED[request.param]()


@pytest.fixture(scope="module")
def crowd() -> ts.Triplets:
    return answers_of("crowd")


def answers_of(name: str) -> ts.Triplets:
    return ts.read(SAMPLES / name / "answers.csv", objects=SAMPLES / name / "objects.csv")


def truth_of(name: str, answers: ts.Triplets) -> np.ndarray:
    """(n, d) true positions, in the order of the objects as they were read."""
    made = SIMULATED[name]()
    known = made.objects["id"].astype(str).tolist()
    return made.truth[[known.index(name) for name in answers.ids]]


def test_files_are_what_the_code_makes(sample):
    name, made = sample
    for file, table in (("answers.csv", made.answers), ("objects.csv", made.objects)):
        assert (SAMPLES / name / file).read_text() == table.to_csv(index=False)


def test_samples_are_small(sample):
    files = [file for file in (SAMPLES / sample[0]).rglob("*") if file.is_file()]
    assert sum(file.stat().st_size for file in files) < 400_000


@pytest.mark.parametrize("name", PICTURES)
def test_pictures_are_what_the_code_draws(name):
    for file, drawn in PICTURES[name](SIMULATED[name]()).items():
        with Image.open(SAMPLES / name / "images" / file) as kept:
            assert np.array_equal(np.asarray(kept.convert(drawn.mode)), np.asarray(drawn))


@pytest.mark.parametrize(
    ("name", "method", "n_components", "most"),
    [("crowd", ts.TSTE, 2, 0.06), ("odd_one_out", ts.STE, 3, 0.06), ("pebbles", ts.TSTE, 3, 0.12)],
)
def test_maps_find_the_truth(name, method, n_components, most):
    answers = answers_of(name)
    found = method(n_components=n_components).fit(answers).embedding_
    assert procrustes_disparity(found, truth_of(name, answers)) < most


def test_careless_people_stand_out(crowd):
    people = ts.quality(crowd).participants.set_index("participant")
    agrees = people["agrees"].sort_values()
    assert set(agrees.index[:3]) == set(CARELESS)
    attentive = people.drop(index=list(CARELESS))
    assert people.loc[list(CARELESS), "mean_time"].max() < attentive["mean_time"].min()


def test_groups_weigh_as_they_were_made_to(crowd):
    """The map of each group is stretched along its own axis."""
    for group, weights in WEIGHTS.items():
        own = crowd.take((crowd.answers["group"] == group).to_numpy())
        truth = truth_of("crowd", own)
        found = ts.TSTE().fit(own).embedding_
        mine, others = (
            procrustes_disparity(found, truth * np.sqrt(w)) for w in (weights, weights[::-1])
        )
        assert mine < others / 2


def test_scales_find_the_truth():
    answers = answers_of("difference_scaling")
    for name, (half, noise, lapses) in OBSERVERS.items():
        own = answers.take((answers.answers["participant"] == name).to_numpy())
        fitted = ts.MLDS(stimulus="contrast_percent").fit(own)
        error = np.abs(fitted.scale_ - perceived(CONTRASTS, half)).max()
        if lapses:
            assert fitted.sigma_ > 3 * noise, "lapses pass for noise"
        else:
            assert error < 0.07
            assert abs(fitted.sigma_ - noise) < 0.03
