"""The page Collect: experiments that are made, tried, run and taken elsewhere."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from tests.dashboard.upload.uploads import png
from tests.pages.harness import crowd, on_tab, session_on, settled, start, words
from tripletscope.core.data.errors import DataError
from tripletscope.core.data.triplets import Triplets
from tripletscope.core.studies.experiment.experiment import Experiment, Stimulus
from tripletscope.core.studies.experiment.items import SurveyItem
from tripletscope.dashboard.collect.texts import page_texts
from tripletscope.dashboard.collect.typed_lists import (
    as_lines,
    gold_questions,
    listed_questions,
    questionnaire,
    questionnaire_as_lines,
)
from tripletscope.dashboard.state import Session
from tripletscope.dashboard.store.experiments import (
    keep_experiment,
    kept_experiments,
    load_experiment,
)
from tripletscope.dashboard.ui.stimuli import material_of_files, typed_stimuli
from tripletscope.pages.collect.context import PAGE
from tripletscope.pages.collect.shown import example_of, question_as_shown

NAMES = ("apple", "pear", "plum", "cherry", "lemon")
STIMULI = tuple(Stimulus(name, "text", name, name) for name in NAMES)


def fruit(**further) -> Experiment:
    return Experiment(**{
        "title": "Fruit", "objects": STIMULI, "n_questions": 20, "n_practice": 1, **further
    })


def said(app) -> str:
    kinds = ("error", "warning", "info")
    return " ".join([words(app), *(e.value for kind in kinds for e in app.get(kind))])


def press(app, key: str):
    app.button(key=key).click().run()
    assert not app.exception
    return app


@pytest.fixture
def kept(services) -> str:
    return keep_experiment(services.workspace, fruit(), {})


# Make --------------------------------------------------------------------------------------------


def test_the_first_click_makes_an_experiment_of_the_open_data_set(services):
    app = start(PAGE, session_on(services, crowd(12, 300)))
    press(app, f"{PAGE}.save")
    (found,) = kept_experiments(services.workspace)
    made = load_experiment(services.workspace, found.slug)
    assert [one.id for one in made.objects] == [str(k) for k in range(12)]
    assert made.changed(objects=STIMULI, title="") == Experiment(title="", objects=STIMULI)
    press(app, f"{PAGE}.next")
    assert app.segmented_control(key=f"{PAGE}.view").value == "trying"


def test_without_a_data_set_names_are_typed(services):
    app = start(PAGE)
    app.text_area(key=f"{PAGE}.new.0.typed").set_value("red: #ff0000\n#00FF00\nsalt\nsalt\n").run()
    press(app, f"{PAGE}.save")
    (found,) = kept_experiments(services.workspace)
    made = load_experiment(services.workspace, found.slug)
    assert [(one.id, one.medium, one.content) for one in made.objects] == [
        ("red", "colour", "#ff0000"), ("#00ff00", "colour", "#00ff00"), ("salt", "text", "salt"),
    ]
    assert made.n_questions == 60, "as many as there are about the six names of the example"
    assert "There are 3 different questions: some are asked again" in said(app)


def test_tables_have_numbers_and_checks_of_their_own(services):
    app = start(PAGE)
    app.selectbox(key=f"{PAGE}.new.0.task").select("same_different").run()
    assert app.number_input(key=f"{PAGE}.new.0.words.fails").value == 0
    app.toggle(key=f"{PAGE}.new.0.words.skip").set_value(True)
    app.number_input(key=f"{PAGE}.new.0.words.time_limit").set_value(30).run()
    shown = " ".join(str(e.proto.body) for e in app.get("html"))
    assert "Cannot say" in shown
    app.selectbox(key=f"{PAGE}.new.0.text").select("instructions").run()
    shown = " ".join(str(e.proto.body) for e in app.get("html"))
    assert "press “Cannot say” below the question" in shown
    assert "Seconds for each question: 30." in shown
    app.selectbox(key=f"{PAGE}.new.0.task").select("piles").run()
    app.text_area(key=f"{PAGE}.new.0.before").set_value("age; number?; Your age?; 18 | x").run()
    assert "its numbers cannot be read" in said(app)
    app.text_area(key=f"{PAGE}.new.0.before").set_value("age; number?; Your age?; 18 | 99").run()
    assert "Pile 1" in " ".join(str(e.proto.body) for e in app.get("html"))
    assert not {f"{PAGE}.new.0.piles.{name}" for name in ("catch", "time_limit")} & {
        one.key for one in app.number_input}
    press(app, f"{PAGE}.save")
    (found,) = kept_experiments(services.workspace)
    made = load_experiment(services.workspace, found.slug)
    assert (made.task, made.n_questions, made.n_practice, made.n_chosen) == ("piles", 1, 0, 6)
    assert made.unanswered == ()
    assert made.before == (SurveyItem("age", "number", "Your age?", (), 18, 99, required=False),)
    assert questionnaire(questionnaire_as_lines(made.before), "") == made.before


def test_two_names_are_too_few_and_nothing_is_kept(services):
    app = start(PAGE)
    app.text_area(key=f"{PAGE}.new.0.typed").set_value("salt\npepper").run()
    assert "there are 2 objects, and a question shows 3" in said(app)
    assert app.button(key=f"{PAGE}.save").disabled


def test_colours_of_the_open_data_set_are_shown_as_colours(services):
    answers = crowd(5, 40)
    table = answers.objects.assign(hue=["#FF0000", "#00ff00", "#0000ff", "#ffffff", "#000000"])
    app = start(PAGE, session_on(services, Triplets(answers.rows, table, name="Hues")))
    press(app, f"{PAGE}.save")
    (found,) = kept_experiments(services.workspace)
    made = load_experiment(services.workspace, found.slug)
    assert made.objects[0].medium == "colour"
    assert made.objects[0].content == "#ff0000"


def test_only_objects_with_pictures_are_shown_where_some_have_none(services):
    objects = pd.DataFrame({"id": list("abcde"), "image": ["a.png", "b.png", "c.png", None, None]})
    few = Triplets(np.array([[0, 1, 2], [3, 4, 0]]), objects, name="Few")
    info = services.workspace.add_dataset(
        few, origin="a.csv", report=[], pictures={f"{name}.png": png() for name in "abc"}
    )
    current = Session("with-pictures")
    current.open(info.id)
    current.save()
    press(start(PAGE, "with-pictures"), f"{PAGE}.save")
    (found,) = kept_experiments(services.workspace)
    made = load_experiment(services.workspace, found.slug)
    assert [(one.id, one.content) for one in made.objects] == [
        ("a", "a.png"), ("b", "b.png"), ("c", "c.png")
    ]
    assert (found.folder / "stimuli" / "c.png").read_bytes() == png()


@pytest.mark.parametrize("task", ["triplet", "pairs"])
def test_make_and_try_say_the_same_minutes(services, task):
    keep_experiment(services.workspace, fruit(task=task, n_questions=200), {})
    app = start(PAGE)
    assert "231 questions for each participant, about 14 min" in words(app)
    titles = {one.label: one.value for one in on_tab(app, PAGE, "trying").metric}
    assert (titles["Questions each"], titles["Minutes each"]) == ("231", "14")


def test_what_could_not_be_asked_is_not_made(services, kept):
    app = start(PAGE)
    app.selectbox(key=f"{PAGE}.{kept}..source").select("landmark").run()
    app.selectbox(key=f"{PAGE}.{kept}..task").select("ranking").run()
    app.number_input(key=f"{PAGE}.{kept}..n_landmarks").set_value(2).run()
    assert "landmarks is 2; a question shows 4 of them" in said(app)
    assert app.button(key=f"{PAGE}.save").disabled


def test_changes_are_seen_as_such_saved_and_kept_apart_from_those_of_others(services, kept):
    app = start(PAGE)
    assert app.button(key=f"{PAGE}.next").label == "Try it"
    app.number_input(key=f"{PAGE}.{kept}..n_questions").set_value(33).run()
    assert "unsaved changes" in words(on_tab(app, PAGE, "running"))
    press(on_tab(app, PAGE, "making"), f"{PAGE}.save")
    assert load_experiment(services.workspace, kept).n_questions == 33
    assert "unsaved changes" not in words(on_tab(app, PAGE, "running"))


def test_a_text_is_rewritten_in_its_language_alone(services, kept):
    app = start(PAGE)
    app.selectbox(key=f"{PAGE}.{kept}..text").select("question").run()
    area = f"{PAGE}.{kept}..text.en.question.triplet"
    app.text_area(key=area).set_value("Which tastes more like the first?").run()
    press(app, f"{PAGE}.save")
    made = load_experiment(services.workspace, kept)
    assert made.texts == {"question": "Which tastes more like the first?"}
    on_tab(app, PAGE, "making")
    app.selectbox(key=f"{PAGE}.{kept}..language").select("de").run()
    press(app, f"{PAGE}.save")
    assert load_experiment(services.workspace, kept).texts == {}


def test_gold_questions_are_typed_and_wrong_lines_are_named(services, kept):
    app = start(PAGE)
    app.number_input(key=f"{PAGE}.{kept}..gold_share").set_value(0.1).run()
    assert "no gold questions to ask" in said(app)
    area = f"{PAGE}.{kept}..gold"
    app.text_area(key=area).set_value("apple, pear, lemon\napple, kiwi, plum").run()
    assert r"row 2: there is no object 'kiwi'" in said(app).replace("\\", "")
    app.text_area(key=area).set_value("apple, pear, lemon").run()
    press(app, f"{PAGE}.save")
    (gold,) = load_experiment(services.workspace, kept).gold
    assert (gold["shown"], gold["correct"]) == (("apple", "pear", "lemon"), (0,))
    assert app.button(key=f"{PAGE}.next").label == "Try it", "everything is saved"


def test_copies_and_deletions_are_of_the_chosen_one(services, kept):
    app = press(start(PAGE), f"{PAGE}.copy.{kept}")
    assert {one.title for one in kept_experiments(services.workspace)} == {"Fruit", "Fruit (copy)"}
    press(app, f"{PAGE}.delete.fruit-copy")
    app.button(key="delete for good").click().run()
    assert [one.slug for one in kept_experiments(services.workspace)] == [kept]


def test_a_damaged_experiment_is_said_and_the_others_are_there(services, kept):
    other = keep_experiment(services.workspace, fruit(title="Other"), {})
    (services.workspace.folder / "experiments" / other / "experiment.json").write_text("{")
    app = start(PAGE)
    app.selectbox[0].select(other).run()
    assert "the file is damaged" in said(app)
    app.selectbox[0].select(kept).run()
    assert "Which of the two" in " ".join(str(e.proto.body) for e in app.get("html"))


@pytest.mark.parametrize(("task", "options"), [
    ("triplet", 2), ("odd_one_out", 3), ("ranking", 8), ("pairs", 2),
])
def test_all_options_have_room_on_the_page(task, options):
    more = tuple(Stimulus(f"c{k}", "colour", "#102030") for k in range(10))
    experiment = fruit(objects=more, task=task, n_options=8, size=400)
    shown, scale = question_as_shown(
        experiment, page_texts(experiment), example_of(experiment, 0), lambda name: ""
    )
    width = round(400 * scale)
    assert f"width:{width}px;max-width:100%" in shown
    assert options * (width + 10) + (options - 1) * 24 <= 604  # what the frame leaves of 638


# Lists and files ---------------------------------------------------------------------------------


def test_lists_of_simulate_are_read_with_their_parts():
    table = 'list,question,anchor,left,right,kind\n1,1,apple,pear,plum,question\n1,2,,,,gold\n' \
            '2,3,pear,"apple",plum,repeat\n'
    found = listed_questions(table, STIMULI, "triplet", 3, 1)
    assert [(one["shown"], one["list"], one["kind"]) for one in found] == [
        (("apple", "pear", "plum"), 0, "question"), (("pear", "apple", "plum"), 1, "repeat"),
    ]


def test_lists_without_a_header_are_in_the_order_shown():
    found = listed_questions("apple;pear;plum;cherry\n", STIMULI, "pairs", 4, 1)
    assert found[0]["shown"] == ("apple", "pear", "plum", "cherry")


@pytest.mark.parametrize(("lines", "problem"), [
    ("", "there are no questions"), ("apple,pear", "row 1: it names 2 objects"),
    ("apple,pear,plum\napple,pear,pear", "row 2: an object appears twice"),
    ("apple,pear,fig", "row 1: there is no object 'fig'"),
])
def test_what_is_wrong_in_a_list_is_said_with_its_row(lines, problem):
    with pytest.raises(DataError, match=problem):
        listed_questions(lines, STIMULI, "triplet", 3, 1)


@pytest.mark.parametrize(("task", "line", "n_chosen"), [
    ("triplet", "apple, pear, plum", 1), ("odd_one_out", "lemon, pear, plum", 1),
    ("similar_pair", "apple, pear, plum", 2), ("pairs", "apple, lemon, pear, plum", 1),
])
def test_gold_questions_come_back_as_they_were_typed(task, line, n_chosen):
    found = gold_questions(line, STIMULI, task, len(line.split(",")), n_chosen)
    assert as_lines(found) == line


def test_files_are_objects_called_like_them():
    found = material_of_files({"dir/Äpfel.PNG": b"1", "b.wav": b"2", "b.mp4": b"3"})
    assert [(one.id, one.medium, one.content) for one in found.stimuli] == [
        ("Äpfel", "picture", "Apfel.png"), ("b.wav", "sound", "b.wav"),
        ("b.mp4", "video", "b.mp4"),
    ]
    assert found.files["b.wav"] == b"2"
    assert found.address("Apfel.png").startswith("data:image/png;base64,")


def test_a_typed_name_that_is_too_long_is_named_by_its_line():
    with pytest.raises(DataError, match="row 2"):
        typed_stimuli("salt\n" + "x" * 201)


# Try and Take elsewhere --------------------------------------------------------------------------


def test_simulated_participants_say_what_it_takes(services, monkeypatch):
    monkeypatch.setattr("tripletscope.pages.collect.trying._REPEATS", 2)
    keep_experiment(services.workspace, fruit(most_people=2), {})
    app = on_tab(start(PAGE), PAGE, "trying")
    titles = {metric.label: metric.value for metric in app.metric}
    assert titles["Answers"] == "40"  # 2 people, 20 questions
    assert "Nobody has been simulated" in words(app)
    press(app, f"{PAGE}.simulate")
    settled(app, services)
    assert "20 simulated participants" in words(app)
    assert "answers would predict" in words(app)
    assert "flipped answers 0.1; 2 simulations" in words(app).replace("\\", "")
    assert "nobody presses at random" in words(app)
    assert app.button(key=f"{PAGE}.simulate").disabled


def test_three_objects_have_simulated_participants_and_no_map(services):
    keep_experiment(services.workspace, fruit(objects=STIMULI[:3], task="odd_one_out"), {})
    app = press(on_tab(start(PAGE), PAGE, "trying"), f"{PAGE}.simulate")
    assert "20 simulated participants" in words(app)
    assert "a map of 3 objects cannot be simulated" in said(app)
    assert "Scenario" not in said(app)


def test_what_makes_a_scale_has_no_accuracy_of_a_map(services):
    keep_experiment(services.workspace, fruit(task="pairs"), {})
    app = on_tab(start(PAGE), PAGE, "trying")
    press(app, f"{PAGE}.simulate")
    assert "make a scale, not a map" in said(app)
    assert "20 simulated participants" in words(app)


def test_what_other_programs_cannot_ask_is_said(services):
    keep_experiment(services.workspace, fruit(source="uncertain"), {})
    app = press(on_tab(start(PAGE), PAGE, "elsewhere"), f"{PAGE}.elsewhere.lists")
    assert "cannot choose questions by the answers so far" in said(app)
