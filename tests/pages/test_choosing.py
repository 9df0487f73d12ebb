"""The choice of a kept result, and of what else changes while somebody chooses."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from tripletscope.dashboard.results.dividing import (
    condition_columns,
    dividing_columns,
    main_condition,
)
from tripletscope.dashboard.state import _KEY

#: What there is to choose from, and what was chosen in the last run of the page.
LISTED, CHOSEN = [], []


def a_run(key):
    return SimpleNamespace(
        key=key, id=key, name=key, listed_name=key, complete=True, pinned=False, group=""
    )


def of_runs():
    from tests.pages.test_choosing import CHOSEN, LISTED
    from tripletscope.dashboard.state import session
    from tripletscope.dashboard.ui.choosing import choose_run

    CHOSEN[:] = [choose_run(session(), LISTED, "place", "this map", lost="").key]


def of_experiments():
    from tests.pages.test_choosing import CHOSEN, LISTED
    from tripletscope.dashboard.state import session
    from tripletscope.pages.collect.context import chosen_experiment

    for run in LISTED:
        run.slug = run.title = run.key
    CHOSEN[:] = [chosen_experiment(session(), LISTED, new=False)]


@pytest.mark.parametrize("page", [of_runs, of_experiments])
def test_a_choice_holds_though_a_result_comes_meanwhile(services, page):
    LISTED[:] = [a_run("b"), a_run("a")]
    app = AppTest.from_function(page, default_timeout=60).run()
    assert not app.exception
    assert CHOSEN == ["b"]
    app.session_state[_KEY].drafts["place"] = "c"  # what is being computed is shown when it is done
    LISTED.insert(0, a_run("c"))
    app.selectbox[0].select("a").run()
    assert not app.exception
    assert CHOSEN == ["a"]
    assert app.selectbox[0].value == "a"
    app.selectbox[0].select("c").run()
    assert CHOSEN == ["c"]


@pytest.mark.parametrize("per_trial", [1, 2])
def test_what_differs_in_most_rows_divides_answers_into_no_groups(per_trial):
    """Clocks and remarks are kept, but are no groups; people are, however many."""
    n = 120
    trials = pd.DataFrame({
        "participant": [f"p{k}" for k in range(n)], "clock": np.arange(n).astype(str),
        "remark": [f"remark {k}" if k % 3 else "" for k in range(n)],
        "twice": np.arange(n) // 2, "condition": np.arange(n) % 3, "version": "1",
    })
    answers = trials.loc[trials.index.repeat(per_trial)].reset_index(drop=True)
    if per_trial > 1:
        answers["trial"] = np.arange(n).repeat(per_trial)
    assert dividing_columns(answers) == ["participant", "twice", "condition"]
    assert dividing_columns(answers.head(2 * per_trial)) == ["participant"]


def columns(**further) -> pd.DataFrame:
    """Answers of eight people, with further columns."""
    people = np.repeat([f"p{k}" for k in range(8)], 30)
    return pd.DataFrame({"participant": people, "split": np.resize(["train", "test"], 240),
                         "sampler": np.resize(["random", "adaptive"], 240), **further})


def resized(*values: object) -> np.ndarray:
    return np.resize(np.array(values, dtype=object), 240)


def test_few_values_are_conditions_and_numbered_ones_come_last():
    assert condition_columns(columns()) == []
    sexes = np.repeat(["f", "m"], 120)
    table = columns(block=resized("block 1", "block 2", "block 3"), sex=sexes,
                    instruction=resized("look", "use", None), device=resized("phone"),
                    remark=resized(*(f"remark {k}" for k in range(13))))
    assert condition_columns(table) == ["instruction", "sex", "block"]
    assert main_condition(table) == "instruction"
    assert main_condition(table.drop(columns="instruction")) == "sex", "of people"
    left = table[table["instruction"] != "use"]
    assert main_condition(left) == "sex", "one value after exclusions"


@pytest.mark.parametrize(("values", "told"), [
    (("1", "2"), "told"), ((0.0, 1.0), "told"), ((1, 2, 3), ""),
    (("list 1", "list 2", "list 3"), ""), (("a", "b", "c"), "told"),
    ((*"abcdefghijkl",), "told"), ((*"abcdefghijklm",), ""),
])
def test_blocks_lists_and_ratings_are_no_conditions_that_somebody_asked_for(values, told):
    assert main_condition(columns(told=resized(*values))) == told


def test_what_programs_write_beside_answers_is_no_condition():
    """Repeats of questions were compared with others, as "conditions of kind"."""
    side = resized("left", "right", "right", "left")
    table = columns(kind=resized("question", "repeat"), input=resized("mouse", "touch", "keys"),
                    correct=resized(1, 0), side=side, pressed=np.where(side == "left", "f", "j"))
    assert set(condition_columns(table)) == {"kind", "input"}, "of any other file"
    assert condition_columns(table.assign(collect_task="triplet")) == []
    own = table.assign(collect_task="triplet", instruction=resized("look", "look", "use"))
    assert main_condition(own) == "instruction"


@pytest.mark.parametrize(("name", "values", "is_told"), [
    ("key_resp.corr", (0, 1), False), ("Display.ACC", ("0", "1"), False),
    ("is_right", ("True", "False"), False), ("feedback", ("correct", "wrong"), False),
    ("corr_ans", ("f", "j"), False), ("confidence", (1, 2, 3), False), ("key", ("a", "l"), False),
    ("key", ("C major", "A minor"), True), ("response", ("gesture", "word"), True),
    ("feedback", ("always", "never"), True), ("score", ("high stakes", "low stakes"), True),
])
def test_marks_and_keys_are_no_conditions_whatever_programs_call_them(name, values, is_told):
    table = columns(**{"other": resized("x"), name: resized(*values)})
    assert (name in condition_columns(table)) is is_told


def test_without_participants_conditions_are_those_of_trials():
    table = columns(told=resized("a", "b")).drop(columns="participant")
    assert main_condition(table) == "told"
