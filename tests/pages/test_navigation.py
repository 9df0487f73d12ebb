"""What stands in the navigation: what all data have a use for, and what the open ones have."""

from __future__ import annotations

import numpy as np
import pandas as pd

from tests.pages.harness import crowd, session_on, start, words
from tripletscope.core.data.triplets import Triplets
from tripletscope.dashboard.state import _KEY, Session
from tripletscope.dashboard.ui.navigation import fits_data, pin, pinned
from tripletscope.dashboard.ui.page_table import PAGES


def of_use(app) -> set[str]:
    """Pages that are there for some data only, as far as they are in the navigation."""
    current = app.session_state[_KEY]
    return {name for name, page in PAGES.items() if page.fits and fits_data(current, page)}


def test_analyses_are_there_for_data_that_have_a_use_for_them(services):
    assert of_use(start()) == set()
    assert of_use(start("more", session_on(services, crowd(8, 40)))) == {"people", "scale"}
    plain = Triplets(np.array([[0, 1, 2], [1, 0, 2]]), pd.DataFrame({"id": ["a", "b", "c"]}))
    assert of_use(start("more", session_on(services, plain))) == set()


def test_what_is_pinned_stays_in_the_navigation(services):
    session = session_on(services, crowd(8, 40))
    app = start("more", session)
    app.button(key="more.pin.features").click().run()
    assert "features" in of_use(app)
    again = start("more", session)
    assert "features" in of_use(again)
    again.button(key="more.unpin.features").click().run()
    assert "features" not in of_use(again)
    assert not again.exception


def test_pins_of_other_versions_are_left_out(services):
    current = Session("s")
    current.remember("pinned pages", ["gone", "scale"])
    assert pinned(current) == ["scale"]
    pin(current, "scale", wanted=False)
    assert pinned(current) == []
    current.remember("pinned pages", 3)
    assert pinned(current) == []


def test_every_analysis_says_what_it_does_and_needs(services):
    app = start("more")
    said = words(app)
    for page in PAGES.values():
        if page.fits is not None:
            assert page.about in said
            assert page.needs in said
    app.button(key="more.plan").click().run()
    assert not app.exception
