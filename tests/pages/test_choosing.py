"""The choice of a kept result, and of what else changes while somebody chooses."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from tripletscope.dashboard.state import _KEY
from tripletscope.dashboard.ui.choosing import dividing_columns

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
