"""A study from its pilot to its data, with a server that outlives the page."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import expect

from tests.browser import needs_browser
from tests.dashboard.collect.participants import needs_jspsych
from tests.dashboard.collect.serving import Page as Participant
from tests.journeys.pages import go, open_page, script_ended
from tripletscope.core.studies.experiment.experiment import Experiment
from tripletscope.core.studies.experiment.lists import person_list
from tripletscope.dashboard.collect.answer_log import preview_key, records
from tripletscope.dashboard.collect.running import stop

pytestmark = [pytest.mark.browser, needs_browser, needs_jspsych]


def test_a_study_from_pilot_to_data_is_typed_once(browser, house):
    """The pilot plans, the plan makes the list, the list is asked, and its answers are the data."""
    kept = house.workspace / "experiments"
    page = open_page(browser, f"{house.address}/?sample=ekman_colors")
    page.set_viewport_size({"width": 1280, "height": 900})
    expect(page.get_by_role("radio", name="Findings")).to_be_checked()
    go(page, "Simulate")
    page.get_by_role("button", name="Like my data").click()
    page.get_by_role("columnheader", name="Ekman's colours").wait_for()
    # The form below the table has its values, too, which are sent with the press.
    expect(page.get_by_role("spinbutton", name="Objects", exact=True)).to_have_value("14")
    script_ended(page)
    page.get_by_role("button", name="Compute", exact=True).click()
    lists = page.get_by_role("button", name=re.compile(r"Questions for .* answers"))
    lists.click()
    page.get_by_role("button", name="Make an experiment").click()
    page.get_by_role("radio", name="Run", exact=True).click()
    (folder,) = kept.glob("*ekman*")
    experiment = Experiment.load(folder)
    assert (experiment.task, experiment.n_questions, experiment.most_people) == ("triplet", 100, 8)
    try:
        page.get_by_role("button", name="Start the server").click()
        page.get_by_role("button", name="Stop the server").wait_for()
        served = urlsplit(page.get_by_test_id("stCode").inner_text().strip())
        assert served.query.startswith("PROLIFIC_PID={{%PROLIFIC_PID%}}")
        for name in ("ann", "bob"):
            participant = Participant(served.port, name)
            participant.begin()
            participant.answer_all()
        # Nobody touches the page: it follows by itself.
        expect(page.get_by_test_id("stMetric").first).to_contain_text("2")
        expect(page.get_by_text("map in two dimensions of").first).to_be_visible()
        asked = [one.shown for k in range(2) for one in person_list(experiment, k).questions]
        assert [one.shown for one in records(folder)] == asked
        preview = browser.new_page()
        preview.goto(f"{served.scheme}://{served.netloc}/?preview={preview_key(folder)}")
        expect(preview.get_by_text("no answer of this page counts")).to_be_visible()
        page.get_by_role("button", name="Open the answers").click()
        expect(page.get_by_role("heading", name=experiment.title, level=1)).to_be_visible()
        expect(page.get_by_test_id("stSidebar").get_by_text(experiment.title)).to_be_visible()
        expect(page.get_by_test_id("stSidebar")).to_contain_text("14 objects, 220 answers")
    finally:
        stop(folder)
