"""Maps of answers in a file that is never in memory as a whole."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from tripletscope.core.data.errors import DataError
from tripletscope.core.data.geometry import procrustes_disparity
from tripletscope.core.data.quadruples import Quadruples
from tripletscope.core.data.triplets import Triplets
from tripletscope.core.models.embedding import LORE, STE, stored
from tripletscope.core.models.embedding.stored import StoredAnswers, fit_stored
from tripletscope.core.models.simulation.simulate import simulate


@pytest.fixture
def answers():
    positions = np.random.default_rng(0).normal(size=(40, 2))
    given = simulate(positions, 3000, noise="flip", level=0.1, seed=1)
    weight = np.random.default_rng(2).integers(0, 3, 3000).astype(float)
    return Triplets.from_array(given.rows, 40, weight=weight)


def written(given, path, **columns):
    names = stored.TRIPLETS if given.rows.shape[1] == 3 else stored.PAIRS
    table = pd.DataFrame(given.rows, columns=list(names)).assign(weight=given.weight, **columns)
    table.to_parquet(path, row_group_size=700)
    return path


@pytest.mark.parametrize("kind", ["triplets", "pairs"])
def test_the_map_is_that_of_all_answers_in_memory(answers, kind, tmp_path, monkeypatch):
    monkeypatch.setattr(stored, "_AT_ONCE", 500)
    given = answers if kind == "triplets" else Quadruples(
        answers.rows[:, [0, 1, 0, 2]], 40, weight=answers.weight
    )
    file = StoredAnswers(written(given, tmp_path / "answers.parquet"))
    assert len(file) == 3000
    assert file.n_objects == 40
    assert sum(1 for _ in file.parts()) > 5
    method = fit_stored(STE(seed=3), file, tolerance=1e-6)
    whole = STE(n_init=1, seed=3).fit(given)
    assert method.loss_ == pytest.approx(whole.loss_, rel=1e-6)
    assert procrustes_disparity(method.embedding_, whole.embedding_) < 1e-5
    assert method.triplet_error_ == pytest.approx(1 - method.score(given))
    assert method.distances().shape == (40, 40)


@pytest.mark.parametrize("tolerance", [1e-2, 1e-3, 1e-4])
def test_the_loss_is_as_near_to_the_least_as_was_asked(answers, tolerance, tmp_path):
    file = StoredAnswers(written(answers, tmp_path / "answers.parquet"))
    least = STE(n_init=1).fit(answers).loss_
    assert least <= fit_stored(STE(), file, tolerance=tolerance).loss_ <= (1 + tolerance) * least


def test_a_start_from_a_sample(answers, tmp_path, monkeypatch):
    monkeypatch.setattr(stored, "_SAMPLE", 1000)
    file = StoredAnswers(written(answers, tmp_path / "answers.parquet"))
    sample = file.sampled(1000, 0)
    assert 900 < len(sample) < 1100
    assert np.array_equal(sample.parts[0].roles, file.sampled(1000, 0).parts[0].roles)
    whole = STE(n_init=1).fit(answers)
    assert fit_stored(STE(), file).loss_ == pytest.approx(whole.loss_, rel=1e-3)


def test_objects_without_answers_lie_in_the_middle(answers, tmp_path):
    path = written(answers, tmp_path / "answers.parquet")
    found = fit_stored(STE(), StoredAnswers(path, n_objects=45))
    assert not found.placed_[40:].any()
    assert not found.embedding_[40:].any()


def test_a_stop_keeps_the_last_map(answers, tmp_path):
    seen = []

    def stopping(fraction, *, loss=None, snapshot=None, start=0):
        seen.append(snapshot)
        return len(seen) == 3

    file = StoredAnswers(written(answers, tmp_path / "answers.parquet"))
    found = fit_stored(STE(), file, progress=stopping)
    assert found.stopped_
    assert not found.converged_
    assert seen[-1].shape == (40, 2)


def test_what_is_wrong_with_a_file_is_said(answers, tmp_path):
    path = tmp_path / "answers.parquet"
    path.write_text("anchor,near,far\n0,1,2\n")
    with pytest.raises(DataError, match=r"answers.parquet: it cannot be read as Parquet"):
        StoredAnswers(path)
    pd.DataFrame({"a": [0], "b": [1]}).to_parquet(path)
    with pytest.raises(DataError, match="its columns are a, b"):
        StoredAnswers(path)
    pd.DataFrame({"anchor": [0], "near": [1], "far": [2**40]}).to_parquet(path)
    with pytest.raises(DataError, match=r"about 1,099,511,627,777 objects. Number the objects"):
        StoredAnswers(path)
    pd.DataFrame({"anchor": ["x"], "near": [1], "far": [2]}).to_parquet(path)
    with pytest.raises(DataError, match="anchor does not hold whole numbers"):
        StoredAnswers(path)
    for row in ([0, 1, 1], [0, 0, 2], [0, 1, -2]):
        pd.DataFrame([[0, 1, 2], row], columns=["anchor", "near", "far"]).to_parquet(path)
        with pytest.raises(DataError, match=r"answers.parquet, row 1: .* is no answer about 3"):
            fit_stored(STE(), StoredAnswers(path))
    pd.DataFrame({"anchor": [0], "near": [1], "far": [2], "weight": [0.0]}).to_parquet(path)
    with pytest.raises(DataError, match="no answers to learn from"):
        fit_stored(STE(), StoredAnswers(path))
    with pytest.raises(ValueError, match="needs all answers in memory"):
        fit_stored(LORE(), StoredAnswers(written(answers, path)))
    with pytest.raises(ValueError, match="tolerance is 1"):
        fit_stored(STE(), StoredAnswers(path), tolerance=1.0)


@pytest.mark.parametrize("column", stored.TRIPLETS)
def test_empty_places_are_refused(column, tmp_path):
    path = tmp_path / "answers.parquet"
    table = pd.DataFrame([[0, 1, 2], [1, 0, 2]], columns=list(stored.TRIPLETS)).astype("Int64")
    table.loc[1, column] = pd.NA
    table.to_parquet(path)
    with pytest.raises(DataError, match=r"row 1: .*nothing.* is no answer about 3 objects"):
        fit_stored(STE(), StoredAnswers(path))


def test_a_file_without_answers(tmp_path):
    path = tmp_path / "answers.parquet"
    pd.DataFrame({name: pd.Series(dtype=int) for name in stored.TRIPLETS}).to_parquet(path)
    with pytest.raises(DataError, match="no answers to learn from"):
        fit_stored(STE(), StoredAnswers(path))


def test_weights_are_numbers(tmp_path):
    path = tmp_path / "answers.parquet"
    pd.DataFrame({"anchor": [0], "near": [1], "far": [2], "weight": ["a"]}).to_parquet(path)
    with pytest.raises(DataError, match="the column weight does not hold numbers"):
        StoredAnswers(path)
