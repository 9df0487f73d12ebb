"""The page Features: tables of features, and how well they explain answers."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

from tests.core.studies.experiment.made import experiment_of
from tests.pages.harness import figure, on_tab, session_on, settled, start, unfold, words
from tripletscope.core.data.triplets import Triplets
from tripletscope.core.models.simulation.simulate import simulate
from tripletscope.core.prompts.prompts import write_prompts
from tripletscope.core.reading import attach_objects, read_feature_tables
from tripletscope.core.studies.quality.importing import read
from tripletscope.dashboard.report.material import Material
from tripletscope.dashboard.state import _KEY
from tripletscope.dashboard.store.experiments import keep_experiment

TRUTH = np.random.default_rng(3).normal(size=(16, 2))


def things() -> Triplets:
    """Answers of 16 people about objects whose first feature they follow, and a useless one."""
    answers = simulate(TRUTH[:, :1] * 3, 900, noise="logistic", seed=2)
    objects = pd.DataFrame({
        "id": [f"o{k}" for k in range(16)], "size": TRUTH[:, 0],
        "noise": np.random.default_rng(4).normal(size=16), "kind": ["a", "b"] * 8,
    })
    who = pd.DataFrame({"participant": [f"p{k % 16}" for k in range(900)]})
    return Triplets(answers.rows, objects, who, "Things")


def csv(values: np.ndarray, names: list[str] | None = None) -> bytes:
    frame = pd.DataFrame(values, columns=[f"f{k}" for k in range(values.shape[1])])
    if names is not None:
        frame.insert(0, "id", names)
    return frame.to_csv(index=False).encode()


def said(app) -> str:
    return words(app).replace("\\", "")


@pytest.fixture
def session(services) -> str:
    return session_on(services, things())


def test_columns_of_the_objects_are_held_against_the_answers_without_a_click(services, session):
    app = settled(start("features", session), services)
    text = said(app)
    assert "size predicts choices among held-out objects best" in text
    assert "Not told apart from chance: noise" in text
    assert "The noise ceiling lies between" in text
    assert "Held-out objects test features" in text
    shown = figure(app, "features.features-accuracy")
    assert shown["layout"]["yaxis"]["ticktext"][-1] == "noise"
    assert [note["text"] for note in shown["layout"]["annotations"]] == [
        "held-out objects", "held-out trials",
    ]


def test_several_tables_are_uploaded_at_once_and_a_bad_one_costs_nothing(
    services, session, holding
):
    with holding():
        upload_some(services, session)


def upload_some(services, session: str) -> None:
    app = start("features", session)
    (info,) = services.workspace.datasets()
    upload = app.file_uploader(key=f"features.upload@{info.id}")
    upload.set_value([
        ("good.csv", csv(TRUTH, [f"o{k}" for k in range(16)]), "text/csv"),
        ("bad.csv", csv(TRUTH[:9]), "text/csv"),
        ("plain.csv", csv(TRUTH[:, ::-1]), "text/csv"),
    ]).run()
    assert not app.exception
    (error,) = app.error
    assert "bad" in error.value
    assert "9 rows without names" in error.value
    chosen = app.multiselect(key=f"features.spaces@{info.id}")
    assert chosen.value[-2:] == ["good", "plain"]
    (kept, _) = services.workspace.tables(services.workspace.dataset(info.id))
    assert kept.notes == ["Objects were found by their ids."]
    assert "plain: 2 features of 16 objects, from plain.csv." in said(app).replace("*", "")
    assert "the first as o0, the last as o15" in said(app)

    app.button(key=f"features.table@{info.id}.{kept.file}.remove").click().run()
    assert not app.exception
    assert app.multiselect(key=f"features.spaces@{info.id}").value[-1] == "plain"
    app.run()
    assert [t.name for t in services.workspace.tables(services.workspace.dataset(info.id))] == [
        "plain"
    ], "the file is still in the uploader, and does not come back"


def test_a_table_is_renamed_and_compared_in_another_way(services, session, holding):
    with holding():
        rename_one(services, session)


def rename_one(services, session: str) -> None:
    (info,) = services.workspace.datasets()
    found = read_feature_tables(csv(TRUTH), services.workspace.triplets(info), "net.csv")
    services.workspace.add_tables(info, services.workspace.triplets(info), found, "net.csv")
    app = start("features", session)
    (kept,) = services.workspace.tables(services.workspace.dataset(info.id))
    key = f"features.table@{info.id}.{kept.file}"
    assert app.toggle(key=f"{key}.standardise").value, "columns with names have units"
    app.selectbox(key=f"{key}.metric").select("cosine").run()
    app.text_input(key=f"{key}.name").set_value("layer 1").run()
    assert not app.exception
    (kept,) = services.workspace.tables(services.workspace.dataset(info.id))
    assert kept.name == "layer 1"
    assert kept.settings == {"metric": "cosine", "standardise": True}
    assert "layer 1" in app.multiselect(key=f"features.spaces@{info.id}").value


def test_without_features_it_is_said_what_to_upload(services):
    answers = things()
    session = session_on(services, Triplets(answers.rows, answers.objects[["id"]], name="Bare"))
    app = start("features", session)
    assert "No features yet" in said(app)
    assert "id,size,brightness" in said(app)


def test_choices_of_three_are_counted_in_both_ways(services):
    answers = read("sample_data/odd_one_out/answers.csv")
    answers, _ = attach_objects(answers, "sample_data/odd_one_out/objects.csv")
    session = session_on(services, answers)
    app = settled(start("features", session), services)
    assert "chance .333;" in said(app)
    app.selectbox(key=f"features.counted@{app.session_state[_KEY].dataset.id}").select("two").run()
    assert "chance .500;" in said(app)
    assert "noise ceiling" in said(app)


def test_weights_say_what_counts_and_nothing_is_weighed_twice(services, session):
    app = settled(on_tab(start("features", session), "features", "weights"), services)
    text = said(app)
    assert "16 participants jointly)**: size" in text
    assert "Not seen to count beside the others: noise." in text
    shown = figure(app, "features.features-weights")
    assert shown["layout"]["yaxis"]["ticktext"] == ["size", "noise"]


def test_unique_parts_say_what_adds_something(services, session):
    app = settled(on_tab(start("features", session), "features", "unique"), services)
    text = said(app)
    assert "Adds to the others: size" in text
    assert "Not seen to add to the others: noise." in text
    unfold(app, "Every subset")
    assert app.dataframe[-1].value["predictors"].tolist() == ["size", "noise", "size, noise"]


def test_too_many_features_or_predictors_are_said(services, session, holding):
    (info,) = services.workspace.datasets()
    about = services.workspace.triplets(info)
    tables = [
        table for k in range(7)
        for table in read_feature_tables(csv(np.random.default_rng(k).normal(size=(16, 11))), about,
                                   f"layer {k}.csv")
    ]
    services.workspace.add_tables(info, about, tables, "net.npz")
    with holding():
        app = start("features", session)
        app.multiselect(key=f"features.spaces@{info.id}").set_value(
            [table.name for table in tables]
        ).run()
        assert "77 features are chosen. At most 60" in said(on_tab(app, "features", "weights"))
        assert "7 feature spaces are chosen. Choose two to 6" in said(
            on_tab(app, "features", "unique")
        )
        app.multiselect(key=f"features.spaces@{info.id}").set_value(["size"]).run()
        assert "1 feature space is chosen. Choose two to 6" in said(app)


def test_features_rank_pairs_as_the_map(services, session):
    app = on_tab(start("features", session), "features", "map")
    app.number_input(key="features.map_correlation.replicates").set_value(20).run()
    app = settled(app, services)
    app.button(key="features.map_correlation.run").click().run()
    text = said(settled(app, services))
    assert "size ranks pairs most like the map" in text
    assert "Maps of two halves of the answers correlate at" in text
    assert "Map: STE" in text


def test_three_objects_have_no_rank_correlation(services, holding):
    objects = pd.DataFrame({"id": list("abc"), "size": [1.0, 2.0, 4.0]})
    few = Triplets(np.array([[0, 1, 2], [1, 0, 2], [2, 1, 0]]), objects, name="Few")
    with holding():
        app = on_tab(start("features", session_on(services, few)), "features", "map")
        assert "Too few objects" in said(app)


def test_what_is_left_over_is_no_more_than_chance_where_a_feature_is_all(services, session):
    app = on_tab(start("features", session), "features", "left_over")
    text = said(settled(app, services))
    assert "Do not interpret it." in text
    assert "may show noise" in text
    assert "Accuracy on held-out trials, where chance is .500: features .9" in text


def test_the_report_says_what_the_page_says(services, session):
    app = settled(start("features", session), services)
    page = said(app).replace("*", "").replace(" %", "%")
    (info,) = services.workspace.datasets()
    (listed,) = services.workspace.runs(info.id, "explain")
    run = services.workspace.run(info.id, listed.key)
    material = Material(info.name, services.workspace.cleaning(info), (run,))
    paragraph, drawing = material.blocks_of(run)
    sentences = paragraph.text.removesuffix(f" See @fig-{drawing.name}.").split(". ")
    assert len(sentences) > 2
    for sentence in sentences:
        assert sentence in page
    assert drawing.caption.replace(" %", "%") in page


@pytest.mark.parametrize("page", ["data", "embedding", "scale", "people", "clusters"])
def test_answers_in_which_no_object_recurs_lead_from_maps_to_features(services, page):
    session = session_on(services, Triplets.from_array(np.arange(300).reshape(100, 3)))
    app = settled(start(page, session), services)
    assert "No map can be made" in said(app)
    assert any("Features and models" in link.label for link in app.get("page_link"))


@pytest.mark.parametrize("tab", ["map", "left_over"])
def test_features_of_objects_that_do_not_recur_need_no_map(services, tab):
    rng = np.random.default_rng(0)
    objects = pd.DataFrame({
        "id": [str(k) for k in range(300)], "size": rng.normal(size=300), "hue": rng.random(300),
    })
    session = session_on(services, Triplets(np.arange(300).reshape(100, 3), objects))
    app = settled(start("features", session), services)
    assert "Choices predicted by features" in str(app.get("plotly_chart")) or "chance" in said(app)
    assert "No map can be made" not in said(app)
    assert "No map can be made" in said(on_tab(app, "features", tab))


def test_features_answer_the_questions_of_people_and_become_a_participant(services, session):
    app = on_tab(start("features", session), "features", "observer")
    (info,) = services.workspace.datasets()
    app.selectbox(key=f"features.model@{info.id}").select("size").run()
    assert not app.exception
    assert "answered at a temperature of" in said(app)
    assert "People answer like size in" in said(app)
    app.button(key="features.model.keep").click().run()
    assert not app.exception
    answers = services.workspace.triplets(services.workspace.datasets()[0]).answers
    assert (answers["participant"] == "size").sum() == len(answers) - 900


def test_a_list_of_simulate_is_handed_over_and_answered_as_a_data_set(services, session):
    app = start("simulate", session, "questions")
    app.selectbox(key="simulate.list.task").select("ranking").run()
    app.button(key="simulate.list.model").click().run()
    assert not app.exception
    app.switch_page("../pages/features/features.py").run()
    assert app.selectbox(key="features.questions.of").value
    assert "cannot be put into a prompt" in " ".join(one.value for one in app.info)
    (info,) = services.workspace.datasets()
    app.selectbox(key=f"features.model@{info.id}").select("size").run()
    assert "330 questions answered" in said(app)
    app.button(key="features.model.open").click().run()
    assert not app.exception
    assert services.workspace.triplets(services.workspace.datasets()[0]).n_trials == 330


def test_a_model_is_offered_experiments_that_it_can_answer(services, session):
    for task in ("odd_one_out", "rating"):
        made = experiment_of(6, task=task).changed(title=task)
        keep_experiment(services.workspace, made, {})
    app = on_tab(start("features", session), "features", "observer")
    offered = app.selectbox(key="features.questions.of").options
    assert "odd_one_out" in offered
    assert "rating" not in offered


def test_graded_replies_are_read_and_refusals_are_said(services, session):
    app = on_tab(start("features", session), "features", "observer")
    about = services.workspace.triplets(services.workspace.datasets()[0])
    prompts = [json.loads(line)["id"] for line in write_prompts(about, most=3).splitlines()]
    table = "id,p_1,p_2,reply\n" + "".join(f"{one},.25,.75,\n" for one in prompts[1:])
    table += f"{prompts[0]},,,Sorry\n"
    app.file_uploader(key="features.replies").set_value(
        ("net.csv", table.encode(), "text/csv")).run()
    assert not app.exception
    assert "6 replies read, 5 graded, as expected counts, 1 left out (1 refused)." in said(app)
