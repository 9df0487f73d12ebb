"""The page Data: what answers are worth, what is left out of them, and how that is undone."""

from __future__ import annotations

import io
import json
import re
import zipfile
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from tests.core.studies.quality.answers import people_data
from tests.pages.harness import (
    figure,
    numbers,
    on_tab,
    session_on,
    settled,
    start,
    unfold,
    words,
)
from tripletscope.core.data.quadruples import Quadruples
from tripletscope.core.data.triplets import Triplets
from tripletscope.core.models.embedding import STE
from tripletscope.core.reading import Pairs
from tripletscope.core.run import run as run_of
from tripletscope.core.studies.quality import Cleaning, Exclusion, quality
from tripletscope.core.writing import write_answers
from tripletscope.dashboard.archive.pseudonyms import renamed_cleaning
from tripletscope.dashboard.figures.quality import measures, shares, stretches
from tripletscope.dashboard.figures.theme import Canvas
from tripletscope.dashboard.print.composition import Composition
from tripletscope.dashboard.results import sentences
from tripletscope.dashboard.state import _KEY, Session
from tripletscope.dashboard.ui import panels
from tripletscope.dashboard.ui.composer import Printable
from tripletscope.pages.data.dataset import exclude_rows


@pytest.fixture
def kept(services):
    """A data set of six people, the last of whom guesses, open in a session."""
    catch = pd.DataFrame({"row": [2, 3], "participant": ["p0", "p5"], "correct": [True, False]})
    info = services.workspace.add_dataset(
        people_data().renamed("People"), origin="a.csv", report=["Read."], catch_trials=catch,
        extra={"asked": "More similar to the anchor"},
    )
    opened("test-session", info)
    return info


def opened(name: str, info) -> str:
    """Id of a saved session in which a data set is open."""
    session = Session(name)
    session.open(info.id)
    session.save()
    return name


def data_page(tab: str, session: str = "test-session", **drafts):
    app = start("data", session, tab)
    app.session_state[_KEY].drafts.update(drafts)
    app.run()
    assert not app.exception
    return app


def test_quality_is_the_report_of_the_answers(services, kept):
    app = unfold(data_page("quality"), "The report in numbers", "Shares and their intervals")
    text = re.sub(r"[\\*]", "", words(app))
    answers = services.workspace.triplets(kept)
    report = quality(answers, catch_trials=services.workspace.cleaning(kept).catch_trials)
    for line in sentences(report.coverage, report, answers=answers):
        assert re.sub(r"(?<=\d)%", " %", line) in text
    shown = app.dataframe[0].value.set_index("share")["value"]
    assert shown["Failed catch and gold questions"] == 0.5
    assert shown["Intra-observer consistency"] == report.repeats.within.value

    app.button(key="quality.agreement.run").click().run()
    settled(app, services)
    picture = figure(app, "quality.participants")
    assert picture["layout"]["yaxis"]["title"]["text"] == "predicted by the others' map"
    assert int(np.argmin(numbers(picture["data"][0]["y"]))) == 5, "who guesses is the lowest"
    assert app.button(key="quality.agreement.run").disabled
    table = app.dataframe[-1].value
    assert len(table) == 6
    for title in ("predicted by the others' map", "intra-observer consistency",
                  "agreement with the majority"):
        low, share, high = (table[title + end] for end in (", from", "", ", to"))
        assert ((low <= share) & (share <= high) | share.isna()).all()
    # The interval is drawn with whatever share is chosen.
    app.selectbox(key="quality.people.12.y").set_value("consistent").run()
    bars = figure(app, "quality.participants")["data"][0]["error_y"]
    reach = report.participants["consistent_high"] - report.participants["consistent"]
    np.testing.assert_allclose(numbers(bars["array"]), reach.dropna())


def test_a_finding_leads_to_whom_it_is_about(services, kept):
    app = data_page("quality")
    app.segmented_control(key="quality.view").set_value("time").run()
    unfold(app, "The report in numbers")
    assert "corrected for 6 tests): 1 of 6 participants." in words(app).replace("\\", "")
    assert "Participants with a side bias: p5." in words(app).replace("\\", "")
    (show,) = [button for button in app.button if button.label == "Show people with a side bias"]
    show.click().run()
    assert not app.exception
    assert app.segmented_control(key="quality.view").value == "people"
    assert app.session_state[_KEY].drafts["quality.people"] == ["p5"]


def test_it_is_said_whose_method_predicts_the_participants(services, kept):
    assert "from it: t-STE, 2 dimensions." in words(data_page("quality"))
    triplets = services.workspace.triplets(kept)
    services.workspace.add_run(kept, run_of("fit", STE(n_init=1), triplets), "STE")
    assert re.search(r"from it: STE, .*, as the open map\.", words(data_page("quality")))


@pytest.mark.parametrize("view", ["objects", "samplers", "time", "gold", "paragraph"])
def test_every_view_of_quality_can_be_seen(services, kept, view):
    app = data_page("quality")
    app.segmented_control(key="quality.view").set_value(view).run()
    assert not app.exception
    if view == "paragraph":
        assert "720 trials from 6 participants" in app.code[0].value
        assert "The task was: More similar to the anchor." in app.code[0].value
    if view == "samplers":
        unfold(app, "Numbers")
        assert {"active", "random"} == set(app.dataframe[-1].value["sampler"])


def test_without_people_and_times_the_report_still_stands(services, planted):
    plain = Triplets(planted.rows, planted.objects, name="Plain")
    info = services.workspace.add_dataset(plain, origin="a.csv", report=["Read."])
    session = Session("test-session")
    session.open(info.id)
    session.save()
    app = data_page("quality")
    assert app.segmented_control(key="quality.view").options[0] == "Objects"
    app.segmented_control(key="quality.view").set_value("time").run()
    assert "nothing to show over time" in words(app)
    app = data_page("exclusions", **{"exclusions.rule": "fast_answers"})
    assert "the answers have no response time" in app.info[0].value.replace("\\", "")


def test_a_rule_shows_what_it_removes_and_is_undone_exactly(services, kept):
    app = data_page("exclusions", **{"exclusions.rule": "fast_participants"})
    assert "Removes 120 trials" in words(app)
    assert "p5" in words(app)
    app.button(key="exclusions.effect").click().run()
    settled(app, services)
    assert "The held-out error on the answers that remain" in words(app).replace("\\", "")

    app.number_input(key="exclusions.fast_participants.least").set_value(0.1).run()
    assert "excludes nothing." in app.info[0].value.replace("\\", "")
    assert not app.success
    app.number_input(key="exclusions.fast_participants.least").set_value(1.0).run()
    again = words(app).replace("\\", "")
    assert "held-out error on" in again, "the effect of this setting is still known"
    assert "120 answers excluded, 1 participant entirely" in again
    another = opened("another", kept)
    app = data_page("exclusions", another, **{"exclusions.rule": "fast_participants"})
    assert "held-out error on" in words(app).replace("\\", ""), "also after a restart"
    assert not services.jobs.of(another)
    app = data_page("exclusions", **{"exclusions.rule": "fast_participants"})
    app.number_input(key="exclusions.fast_participants.least").set_value(1.0).run()
    app.text_input(key="exclusions.reason.1").set_value("as preregistered").run()
    app.button(key="exclusions.go").click().run()
    assert not app.exception
    less = services.workspace.dataset(kept.id)
    assert (less.n_answers, less.n_participants) == (600, 5)
    assert less.exclusions[0]["reason"] == "as preregistered"
    assert "1 participant entirely: p5 (as preregistered)" in words(app).replace("\\", "")
    assert "120 of 720 answers excluded, 1 participant entirely." in words(app).replace("\\", "")
    assert "as preregistered" in words(app)

    app.button(key="exclusions.undo").click().run()
    assert services.workspace.dataset(kept.id).fingerprint == kept.fingerprint
    assert "Nothing is excluded" in words(app)


def test_where_answers_are_left_out_the_first_map_is_fitted_anew(services, kept):
    app = settled(start("embedding", "test-session"), services)
    whole = services.workspace.runs(kept.id, "fit")
    assert "720 answers" in words(app)
    cleaning = services.workspace.cleaning(kept).excluding(Exclusion(participants=("p5",)))
    services.workspace.update_dataset(kept, cleaning)
    app = settled(app.run(), services)
    assert "600 answers" in words(app)
    assert figure(app, "map")["data"]
    services.workspace.update_dataset(services.workspace.dataset(kept.id), cleaning.undone())
    app.run()
    assert "720 answers" in words(app)
    assert services.workspace.runs(kept.id, "fit") == whole, "nothing is computed twice"


def test_people_chosen_in_the_figure_are_left_out_by_hand(services, kept):
    app = data_page("quality", **{"quality.people": ["p1", "p2"]})
    next(b for b in app.button if b.label == "Exclude their answers").click().run()
    assert app.session_state["data.view"] == "exclusions"
    assert "240 of 720" in words(app)
    left = services.workspace.triplets(services.workspace.dataset(kept.id))
    assert set(left.answers["participant"]) == {"p0", "p3", "p4", "p5"}
    assert app.session_state[_KEY].drafts["quality.people"] == []


def test_nothing_is_excluded_where_no_answer_would_remain(services, kept):
    everybody = sorted(set(services.workspace.triplets(kept).answers["participant"]))
    app = data_page("quality", **{"quality.people": everybody})
    next(b for b in app.button if b.label == "Exclude their answers").click().run()
    assert not app.exception
    assert any("No answer would remain" in toast.value for toast in app.toast)
    assert not services.workspace.dataset(kept.id).exclusions


def test_exclusions_of_pairs_are_of_the_open_data_set(services):
    """Of comparisons of pairs alone the triplets are alike: none."""
    objects = pd.DataFrame({"id": [f"o{k}" for k in range(10)]})
    for number in (300, 360):
        rng = np.random.default_rng(number)
        rows = np.array([rng.choice(10, 4, replace=False) for _ in range(number)])
        who = pd.DataFrame({"participant": np.repeat(["A", "B", "C"], number // 3)})
        info = services.workspace.add_dataset(
            Triplets([], objects, name=f"Pairs {number}"), origin="a.csv", report=[],
            pairs=Quadruples(rows, objects=objects, answers=who, name=f"Pairs {number}"),
        )
        session = Session(f"of-{number}")
        session.open(info.id)
        session.drafts |= {"exclusions.rule": "manual", "quality.people": ["C"]}
        session.save()
        app = start("data", session.id, "exclusions")
        assert not app.exception
        assert f"Exclude {number // 3} answers" in [button.label for button in app.button]


def test_a_column_of_participants_that_names_nobody(services):
    data = people_data()
    answers = data.answers.assign(participant=pd.Categorical([None] * len(data)))
    info = services.workspace.add_dataset(
        Triplets(data.rows, data.objects, answers, "Nobody"), origin="a.csv", report=["Read."]
    )
    session = Session("test-session")
    session.open(info.id)
    session.save()
    app = data_page("quality")
    assert app.segmented_control(key="quality.view").options[0] == "Objects"
    app.segmented_control(key="quality.view").set_value("paragraph").run()
    assert "of 12 objects were collected in 720 trials." in app.code[0].value
    assert not data_page("exclusions", **{"exclusions.rule": "manual"}).exception


def test_single_answers_are_left_out_by_their_rows(services, kept):
    before = services.workspace.triplets(kept)
    current = data_page("answers").session_state[_KEY]
    for rows in ([3, 700], [0, 3]):  # of the answers in use, whatever was left out before
        exclude_rows(current, services.workspace.dataset(kept.id), rows)
    left = services.workspace.triplets(services.workspace.dataset(kept.id))
    np.testing.assert_array_equal(left.rows, np.delete(before.rows, [0, 3, 4, 700], axis=0))


def test_gold_questions_are_uploaded_used_and_forgotten(services, kept):
    rows = services.workspace.triplets(kept).rows[:3]
    text = "anchor,near,far\n" + "\n".join(",".join(map(str, row)) for row in rows.tolist())
    app = data_page("quality", **{"quality.view": "gold"})
    app.segmented_control(key="quality.view").set_value("gold").run()
    app.file_uploader(key="gold.file").upload("gold.csv", text.encode(), "text/csv")
    app.run()
    assert "3 gold questions" in words(app)
    app.button(key="gold.upload").click().run()
    info = services.workspace.dataset(kept.id)
    assert len(services.workspace.cleaning(info).gold) == 3
    assert info.fingerprint == kept.fingerprint
    assert "3 gold questions" in words(app)
    app.button(key="gold.forget").click().run()
    assert services.workspace.dataset(kept.id).gold is None


def test_gold_questions_that_exclusions_look_at_are_exchanged_without_loss(services, kept):
    raw, workspace = services.workspace.triplets(kept), services.workspace
    started = workspace.cleaning(kept)
    guessed = raw.rows[raw.answers["participant"].eq("p5").to_numpy()]
    # Whoever is asked these questions: p5 is always wrong, or always right.
    wrong, right = (Triplets(rows, raw.objects) for rows in (guessed[:, [0, 2, 1]], guessed))
    once = [gold.take(np.unique(gold.questions, return_index=True)[1]) for gold in (wrong, right)]
    first = replace(started, gold=once[0]).excluding(
        Exclusion("failed_checks", {"most": 0.6}, reason="as preregistered")
    ).excluding(Exclusion(answers=(3,), reason="a slip"))
    info = workspace.update_dataset(kept, first)
    run = run_of("fit", STE(n_init=1), first.triplets)
    workspace.add_run(info, run, "with the first list")
    assert workspace.runs(kept.id)

    app = data_page("quality")
    app.segmented_control(key="quality.view").set_value("gold").run()
    other = replace(started, gold=once[1])
    for exclusion in first.exclusions:
        other = other.excluding(exclusion)
    assert "exclusion 1 on the tab Exclusions and those after it are applied again" in words(app)
    app.file_uploader(key="gold.file").upload(
        "gold.csv", write_answers(once[1]), "text/csv"
    ).run()
    text = f"{len(other.triplets):,} answers in use, now {len(first.triplets):,}"
    assert text in words(app)
    app.button(key="gold.upload").click().run()
    assert not app.exception
    found = workspace.dataset(kept.id)
    assert found.fingerprint == other.triplets.fingerprint != first.triplets.fingerprint
    assert [step["reason"] for step in found.exclusions] == ["as preregistered", "a slip"]
    assert found.imported == kept.fingerprint
    assert not workspace.runs(kept.id), "a result of other answers is not among these"
    workspace.update_dataset(found, first)
    assert [listed.key for listed in workspace.runs(kept.id)] == [run.key]


def test_gold_questions_without_which_an_exclusion_fails_stay(services, planted):
    people = people_data().renamed("People")
    info = services.workspace.add_dataset(people, origin="a.csv", report=["Read."])
    gold = people.take(np.unique(people.questions, return_index=True)[1][:40])
    made = Cleaning(people, gold=gold).excluding(Exclusion("failed_checks", {"most": 0.99}))
    services.workspace.update_dataset(info, made)
    session = Session("test-session")
    session.open(info.id)
    session.save()
    app = data_page("quality")
    app.segmented_control(key="quality.view").set_value("gold").run()
    text = app.info[0].value.replace("\\", "")
    assert text == (
        "Without gold questions, exclusion 1 on the tab Exclusions cannot be applied again: "
        "there are no catch or gold questions. Undo back to it first."
    )
    assert "gold.forget" not in [button.key for button in app.button]


def test_a_gold_list_about_other_objects_is_refused(services, kept):
    app = data_page("quality")
    app.segmented_control(key="quality.view").set_value("gold").run()
    app.file_uploader(key="gold.file").upload(
        "gold.csv", b"anchor,near,far\ncat,dog,car\nbus,car,dog\n", "text/csv"
    )
    app.run()
    assert not app.exception
    assert "is no object of People" in app.error[0].value.replace("\\", "")


def test_comparisons_of_pairs_are_judged_and_left_out(services):
    """Three people, one of them fast; nothing of what only triplets have is shown."""
    rng = np.random.default_rng(0)
    rows = np.array([rng.choice(6, 4, replace=False) for _ in range(60)])
    pairs = Pairs(rows.astype(np.int32), pd.DataFrame({
        "participant": ["p", "q", "r"] * 20, "response_time": np.tile([1.5, 0.1, 2.0], 20),
    }), np.arange(60), 6)
    objects = pd.DataFrame({"id": list("abcdef"), "level": np.arange(6.0)})
    info = services.workspace.add_dataset(
        Triplets(np.zeros((0, 3)), objects, name="Greys"), origin="a", report=[], pairs=pairs
    )
    session = Session("test-session")
    session.open(info.id)
    session.save()

    app = unfold(data_page("quality"), "The report in numbers")
    assert "60 answers to" in words(app)
    assert "n ln n" not in words(app)
    assert "Gold questions" not in app.segmented_control(key="quality.view").options
    for view in ("people", "objects", "time", "paragraph"):
        app.segmented_control(key="quality.view").set_value(view).run()
        assert not app.exception
    assert "60 trials from 3 participants" in app.code[0].value

    app = data_page("exclusions")
    assert app.selectbox(key="exclusions.rule.1").value == "fast_participants"
    assert "Removes 20 trials" in words(app)
    app.button(key="exclusions.go").click().run()
    assert not app.exception
    assert "20 of 60 answers excluded, 1 participant entirely" in words(app).replace("\\", "")
    assert len(services.workspace.answers(services.workspace.dataset(info.id))) == 40
    app = data_page("answers")
    assert len(app.dataframe[0].value) == 40
    assert list(app.dataframe[0].value)[:4] == ["nearer 1", "nearer 2", "farther 1", "farther 2"]
    app = data_page("exclusions")
    app.button(key="exclusions.undo").click().run()
    assert len(services.workspace.answers(services.workspace.dataset(info.id))) == 60
    for tab in ("findings", "objects", "additions"):
        data_page(tab)


def test_exports_say_what_is_left_out(services, kept, monkeypatch):
    monkeypatch.setattr(panels, "can_render", lambda: False)
    app = data_page("exclusions", **{"exclusions.rule": "fast_participants"})
    app.button(key="exclusions.go").click().run()
    info = services.workspace.dataset(kept.id)
    table = pd.DataFrame({
        "participant": ["p0", "p1"], "answers": [1.0, 2.0], "agrees": [0.5, 1.0],
    })

    def draw(canvas: Canvas):
        return measures(table, "answers", "agrees", names="participant", titles={
            "answers": "answers", "agrees": "agrees"}, caption="People.", canvas=canvas)

    printable = Printable(
        "key", "people", draw, 0.8, "People.", info.left_out, lambda composition: None
    )
    composition = Composition(width=120.0, title="Who they are", caption=True)
    written = printable.figure(composition).layout.title.text
    assert "People. View “After exclusions”: 120 of 720" in written.replace("<br>", " ")
    made = panels._together(
        info, {}, printable, lambda: table, composition, lambda: {"people.py": b"print()"}
    )
    with zipfile.ZipFile(io.BytesIO(made)) as archive:
        assert b"<h1>Who they are</h1>" in archive.read("people.html")
        assert archive.read("people-caption.txt") == b"People.\n"
        assert archive.read("people.py") == b"print()"
        assert Composition.from_dict(json.loads(archive.read("people-figure.json"))) == composition
        record = json.loads(archive.read("people-data.json"))
    assert record["data"]["exclusions"][0]["rule"] == "fast_participants"
    assert record["data"]["imported"] == kept.fingerprint


def test_figures_of_quality_leave_out_what_is_unknown():
    table = pd.DataFrame({
        "who": ["a", "b", "c"], "time": [1.0, np.nan, 0.0], "predicted": [0.9, 0.8, 0.7],
        "predicted_low": [0.8, 0.7, 0.6], "predicted_high": [1.0, 0.9, 0.8],
    })
    titles = {"time": "s", "predicted": "share"}
    drawn = measures(table, "time", "predicted", names="who", titles=titles, logarithmic=True,
                     chance=0.5, chosen=["a"])
    assert drawn.data[0].customdata == (0,), "neither the unknown nor the logarithm of zero"
    np.testing.assert_allclose(drawn.data[0].error_y.array, [0.1])
    long = pd.DataFrame({
        "name": ["<b>x", "<b>x", "y"], "series": ["s", "t", "s"], "value": [0.5, np.nan, 0.7],
        "low": [0.4, np.nan, 0.6], "high": [0.6, np.nan, 0.8],
    })
    drawn = shares(long, title="share")
    assert [len(trace.x) for trace in drawn.data] == [2]
    assert drawn.layout.yaxis.ticktext[0] == "&lt;b&gt;x"
    drawn = stretches(pd.DataFrame({"stretch": [1, 2], "answers": [5, 5], "median_time": [2, 1]}),
                      "median_time", title="s")
    assert list(drawn.data[0].x) == ["0–50 %", "50–100 %"]


def test_the_verdict_comes_first_and_shows_whom_it_means(services, kept):
    app = data_page("quality")
    (said,) = app.warning
    assert said.value.replace("\\", "").startswith("**Participants who stand out: 1 of 6.** p5.")
    assert "- **p5** agrees with the majority in" in words(app)
    app.button(key="quality.show.verdict").click().run()
    assert app.session_state[_KEY].drafts["quality.people"] == ["p5"]
    assert app.segmented_control(key="quality.view").value == "people"


def test_the_report_says_who_was_left_out_by_hand_and_why(services, kept):
    """It said "manual selection: 120 trials", and the page no more than that nothing is excluded.

    Those who do not stand out have no reason but the user's.
    """
    app = data_page("quality", **{"quality.people": ["p5"], "exclusions.rule": "fast_participants"})
    (reason,) = (each for each in app.text_input if each.label == "Reason")
    assert "low agreement with the majority" in reason.value
    reason.set_value(f"{reason.value}, and p5 said so").run()
    next(b for b in app.button if b.label == "Exclude their answers").click().run()
    assert any("excludes nothing more" in said.value for said in app.info)
    assert not app.success
    cleaning = services.workspace.cleaning(services.workspace.dataset(kept.id))
    text = " ".join(sentences(cleaning, answers=cleaning.triplets))
    assert "manual selection: 120 trials, 1 participant entirely: p5 (stand out by " in text
    assert "and p5 said so)" in text
    hidden = renamed_cleaning(cleaning, {f"p{k}": f"sub-00{k}" for k in range(6)})
    assert "p5" not in " ".join(sentences(hidden, answers=hidden.triplets))
    app = data_page("exclusions", **{"exclusions.rule": "manual", "quality.people": ["p1"]})
    assert app.text_input(key="exclusions.reason.1").value == ""


def test_long_names_are_short_in_the_table_and_whole_in_its_last_column(services):
    answers = people_data()
    codes = {f"p{k}": f"5f{k}" + "ab34cd56" * 7 for k in range(6)}
    answers = Triplets(answers.rows, answers.objects, answers.answers.assign(
        participant=answers.answers["participant"].astype(str).map(codes).astype("category")))
    app = on_tab(start("data", session_on(services, answers)), "data", "quality")
    table = app.dataframe[-1].value
    assert next(iter(table)) == "participant"
    assert list(table)[-1] == "whole name"
    assert table["participant"].str.len().max() <= 16
    assert table["participant"].is_unique
    assert set(table["whole name"]) == set(codes.values())
    matters = ["participant", "trials", "agreement with the majority"]
    assert list(table)[:3] == matters
