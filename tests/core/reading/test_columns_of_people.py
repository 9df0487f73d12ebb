"""Tables with a row for each question about three objects, and a column for each person."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from tests.core.reading.test_next_door import said
from tripletscope.core.reading import load, recognise
from tripletscope.core.reading.formats.wide import ROW, people_of_columns
from tripletscope.core.studies.quality.importing import read

WORDS = np.array(["river", "lake", "mountain", "hill", "tree", "bush", "stone", "sand", "cloud"])
N_QUESTIONS, N_PEOPLE = 70, 12
PEOPLE = {
    "numbered": [f"P{k:02d}" for k in range(N_PEOPLE)],
    "named": ["Anna", "Ben", "Cleo", "Dan", "Eva", "Fay", "Gus", "Hal", "Ida", "Jan", "Kim", "Leo"],
    "coded": [f"x{k * 37 % 101}" for k in range(N_PEOPLE)],
}


def questions(seed: int = 0, *, of_anchor: bool = False) -> tuple[np.ndarray, np.ndarray]:
    """Objects (q, 3) of each question, and the place (p, q) that each person says."""
    rng = np.random.default_rng(seed)
    seen = rng.normal(size=(len(WORDS), 2))
    apart = np.linalg.norm(seen[:, None] - seen, axis=2)
    shown = np.array([rng.permutation(len(WORDS))[:3] for _ in range(N_QUESTIONS)])
    a, b, c = shown.T
    far = np.stack([apart[a, b], apart[a, c]] if of_anchor else [
        apart[b, c], apart[a, c], apart[a, b]
    ])
    noisy = far + rng.normal(0, 0.2, (N_PEOPLE, *far.shape))
    return shown, noisy.argmin(axis=1)


def text(frame: pd.DataFrame) -> bytes:
    return frame.to_csv(index=False).encode()


def with_people(
    shown: np.ndarray, cells: np.ndarray, headers: list[str], people: list[str]
) -> pd.DataFrame:
    return pd.concat([
        pd.DataFrame(WORDS[shown], columns=headers), pd.DataFrame(cells.T, columns=people),
    ], axis=1)


@pytest.mark.parametrize("who", PEOPLE)
@pytest.mark.parametrize("headers", [["w1", "w2", "w3"], ["first", "second", "third"],
                                     ["word a", "other", "further"]])
@pytest.mark.parametrize("codes", [None, "123", "ABC", "fhj", "012"])
def test_each_person_and_question_is_a_row(codes, headers, who):
    shown, place = questions()
    chosen = WORDS[shown[np.arange(N_QUESTIONS), place]] if codes is None else (
        np.array([*codes])[place]
    )
    missing = np.random.default_rng(1).random(chosen.shape) < 0.05
    frame = with_people(shown, np.where(missing, "", chosen), headers, PEOPLE[who])
    for given in (frame, frame.assign(triad=np.arange(N_QUESTIONS) + 1)):
        table = load(text(given), "answers.csv")
        assert table.n_rows == N_QUESTIONS * N_PEOPLE
        assert table.columns[-2:] == ["participant", "response"]
        assert (ROW in table.columns) == ("triad" not in given)
        assert set(table.codes("participant").values) == {*PEOPLE[who]}
        assert "piles" not in {claim.kind for claim in recognise(table).found}


@pytest.mark.parametrize("codes", [None, "12", "LR", "fj", "AB"])
def test_two_options_of_an_anchor_are_read_as_they_were_answered(codes):
    shown, place = questions(of_anchor=True)
    chosen = WORDS[shown[np.arange(N_QUESTIONS), place + 1]] if codes is None else (
        np.array([*codes])[place]
    )
    found = read(text(with_people(shown, chosen, ["target", "left", "right"], PEOPLE["named"])))
    near, far = shown[np.arange(N_QUESTIONS), place + 1], shown[np.arange(N_QUESTIONS), 2 - place]
    assert len(found) == N_QUESTIONS * N_PEOPLE
    assert said(found) == {
        (WORDS[shown[q, 0]], WORDS[near[p, q]], WORDS[far[p, q]])
        for p in range(N_PEOPLE) for q in range(N_QUESTIONS)
    }


def other_tables() -> dict[str, pd.DataFrame]:
    """Tables that are not of columns of people."""
    rng = np.random.default_rng(3)
    shown, place = questions()
    odd = WORDS[shown[np.arange(N_QUESTIONS), place]]
    three = pd.DataFrame(WORDS[shown], columns=["w1", "w2", "w3"])
    ranks = np.array([rng.permutation(3) for _ in range(N_QUESTIONS)]) + 1
    piles = np.array(["beasts", "plants", "tools"])[rng.integers(0, 3, (12, 9))]
    return {
        "long": three.assign(response=odd[0], expected=odd[1], other=odd[2], further=odd[3]),
        "with a person": three.assign(participant="p1", one=odd[0], two=odd[1], three=odd[2]),
        "ranks": three.assign(rank_a=ranks[:, 0], rank_b=ranks[:, 1], rank_c=ranks[:, 2]),
        "marks of trials": three.assign(
            chose_left=rng.integers(0, 2, N_QUESTIONS), practice=np.arange(N_QUESTIONS) < 5,
            catch=rng.random(N_QUESTIONS) < 0.1, swap=rng.integers(0, 2, N_QUESTIONS),
        ).replace({True: 1, False: 0}),
        "questionnaire": pd.DataFrame({
            "name": [f"n{k}" for k in range(40)], "city": rng.choice(["Ulm", "Bonn", "Kiel"], 40),
            "land": rng.choice(["A", "B", "C", "D"], 40),
            **{f"q{k}": rng.integers(1, 4, 40) for k in range(6)},
        }),
        "piles": pd.DataFrame(piles, columns=WORDS),
    }


@pytest.mark.parametrize("kind", other_tables())
def test_other_tables_have_no_columns_of_people(kind):
    assert people_of_columns(load(text(other_tables()[kind]), "a.csv", reshape=False)) is None
