"""The choice of a kept result, and of what else changes while somebody chooses."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from streamlit.testing.v1 import AppTest

from tripletscope.dashboard.state import _KEY

#: What there is to choose from, and what was chosen in the last run of the page.
LISTED, CHOSEN = [], []


def a_run(key):
    return SimpleNamespace(
        key=key, id=key, name=key, listed_name=key, complete=True, pinned=False, group=""
    )


def of_runs():
    from tests.dashboard.views.test_choosing import CHOSEN, LISTED
    from tripletscope.dashboard.state import session
    from tripletscope.dashboard.views.choosing import choose_run

    CHOSEN[:] = [choose_run(session(), LISTED, "place", "this map", lost="").key]


def of_experiments():
    from tests.dashboard.views.test_choosing import CHOSEN, LISTED
    from tripletscope.dashboard.state import session
    from tripletscope.dashboard.views.collect.context import chosen_experiment

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
