"""What is said first of data sets whose truth is known, and that nothing is computed twice."""

from __future__ import annotations

import re
import threading
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from tests.core.people.test_conditions import instructed, varying
from tests.dashboard.report.telling import text_of
from tests.pages.harness import figure, on_tab, session_on, settled, start, words
from tests.pages.test_doubts import popular
from tests.pages.test_people import kinds_of_people
from tripletscope.core.data.errors import DataError
from tripletscope.core.data.quadruples import Quadruples
from tripletscope.core.data.triplets import Answers, Triplets
from tripletscope.core.engine.progress import Stopped, silent
from tripletscope.core.inference.held_out.tails import choose_tail
from tripletscope.core.models.embedding import TSTE
from tripletscope.core.models.embedding.default import DEFAULT_EMBEDDING
from tripletscope.core.models.simulation.simulate import simulate
from tripletscope.core.run import Run, run
from tripletscope.core.studies.quality import quality
from tripletscope.core.studies.quality.verdict import Finding, Verdict, verdict
from tripletscope.dashboard.report.material import Material
from tripletscope.dashboard.report.report import written
from tripletscope.dashboard.results.drawing import Drawing
from tripletscope.dashboard.results.findings import FINDINGS, Subject, SubjectResults
from tripletscope.dashboard.results.presentation import Advice, ShownResults
from tripletscope.dashboard.ui import analysis
from tripletscope.dashboard.ui.page import tabs_of
from tripletscope.dashboard.words import sentences, uncited
from tripletscope.pages.data import findings as view


def answered(positions: np.ndarray, number: int, *, people: int = 6, **columns) -> Triplets:
    """Noisy answers of some people about objects at known positions."""
    data = simulate(positions, number, noise="logistic", seed=1)
    who = pd.DataFrame({"participant": [f"p{k % people}" for k in range(number)]})
    objects = pd.DataFrame({"id": [f"o{k}" for k in range(len(positions))], **columns})
    return Triplets(data.rows, objects, who, "Known")


def clustered_truth() -> np.ndarray:
    rng = np.random.default_rng(0)
    centres = 3.0 * np.repeat([[0, 0], [1, 0], [0, 1], [1, 1]], 6, axis=0)
    return centres + 0.4 * rng.normal(size=(24, 2))


def clustered() -> Triplets:
    return answered(clustered_truth(), 1200)


def line(n: int = 20, number: int = 1500) -> Triplets:
    along = np.linspace(0.0, 8.0, n)
    return answered(np.stack([along, np.zeros(n)], axis=1), number, size=along)


def coins() -> Triplets:
    rng = np.random.default_rng(3)
    rows = rng.random((400, 12)).argsort(axis=1)[:, :3]
    who = pd.DataFrame({"participant": [f"p{k % 4}" for k in range(400)]})
    objects = pd.DataFrame({"id": [f"o{k}" for k in range(12)], "size": np.arange(12.0)})
    return Triplets(rows, objects, who, "Coins")


def few() -> Triplets:
    rows = np.array([[0, 1, 2], [1, 2, 3], [2, 3, 0], [3, 0, 1]])
    who = pd.DataFrame({"participant": ["a", "a", "b", "b"]})
    return Triplets(rows, pd.DataFrame({"id": list("wxyz")}), who, "Few")


def pairs() -> Quadruples:
    rng = np.random.default_rng(0)
    ends = np.sort(rng.random((300, 8)).argsort(axis=1)[:, :4], axis=1)
    wide = ends[:, 3] - ends[:, 2] > ends[:, 1] - ends[:, 0]
    rows = np.where(wide[:, None], ends, ends[:, [2, 3, 0, 1]])
    objects = pd.DataFrame({"id": list("abcdefgh"), "level": np.arange(8.0)})
    return Quadruples(rows, objects=objects, name="Pairs")


def computed(answers: Answers, *without: str) -> dict[str, list]:
    """Sentences and figures of all findings that apply."""
    subject = Subject(answers, DEFAULT_EMBEDDING())
    topics = [one for one in FINDINGS.values()
              if one.applies(subject) and one.name not in without]
    runs, people = {}, quality(answers).participants
    for topic in topics:
        if not topic.lacks(subject):
            for method, task, options in topic.pieces(subject):
                if method.kind == "individuals" and task == "fit":
                    continue  # for the page alone
                one = run(task, method, answers, options)
                runs[one.key] = one
    results = SubjectResults(
        answers, subject.method, ShownResults(tuple(runs.values()), answers, answers.name),
        lambda: verdict(people if "participant" in answers.answers else people.iloc[:0]),
    )
    return {
        topic.name: [part if isinstance(part, Drawing) else uncited(part.text)
                     for part in topic.told(results)]
        if not topic.lacks(subject) else [topic.lacks(subject)]
        for topic in topics
    }


def said(parts: list) -> str:
    return " ".join(part for part in parts if not isinstance(part, Drawing))


def drawn(parts: list) -> list[str]:
    return [part.name for part in parts if isinstance(part, Drawing)]


def test_clusters_in_a_plane():
    found = computed(clustered(), "people")
    assert "Nothing stands out among 6 participants" in said(found["care"])
    assert "The noise ceiling lies between ." in said(found["ceiling"])
    assert "guessing would give .500." in said(found["error"])
    assert "t-STE, 2 dimensions" in said(found["map"])
    assert "95% ellipses from 100 replicates" in said(found["map"])
    assert drawn(found["map"]) == ["map"]
    assert said(found["dimensions"]).startswith("Sufficient for a picture: 2; for prediction: 3.")
    assert "With 1, the error was significantly higher" in said(found["dimensions"])
    assert "4 clusters are recommended" in said(found["clusters"])
    assert drawn(found["clusters"]) == ["silhouettes-agglomerative"]
    assert said(found["objects"]).startswith("An object occurs in ")
    assert said(found["questions"]).startswith("There are 7.1 times the different questions")
    assert "scale" not in found


def test_the_page_names_who_stands_out_and_the_error_has_its_bound_beside_it():
    """Whom a reader had to look up, and the ceiling was one of accuracy beside an error."""
    rng = np.random.default_rng(4)
    answers = Triplets.from_array(np.repeat(
        np.sort(rng.random((60, 9)).argsort(axis=1)[:, :3], axis=1), 30, axis=0
    ), 9)
    who = Verdict({"p5": (Finding("agrees"),)}, 6, ("agrees",), ())
    error = run("cross_validate", DEFAULT_EMBEDDING(), answers)
    results = SubjectResults(answers, DEFAULT_EMBEDDING(), ShownResults(
        (run("fit", DEFAULT_EMBEDDING(), answers), error), answers, "A"
    ), lambda: who)
    names = [part.text for part in FINDINGS["care"].told(results) if isinstance(part, Advice)]
    assert names == ["p5."]
    assert results.shown.limits.ceiling.is_precise
    first, *_ = FINDINGS["error"].told(results)
    assert "95% interval" in first.text
    assert "The lowest possible error without knowing who answers lies between" in first.text


def test_a_line():
    found = computed(line(), "people")
    assert "No clusters are seen" in said(found["clusters"])
    assert said(found["dimensions"]).startswith("Sufficient: 1 dimension. More dimensions than 1")
    assert "lowest" not in said(found["dimensions"]), "intervals of these errors overlap"
    assert "MLDS, stimulus size predicted held-out answers" in said(found["scale"])
    assert said(found["scale"]).startswith("A scale of size and the map cannot be told apart")
    assert "more answers will hardly lower it" in said(found["questions"])


def test_coin_flips():
    flipped = coins()
    told = flipped.answers.assign(told=np.resize(["a", "b", "b"], 400))
    found = computed(Triplets(flipped.rows, flipped.objects, told, "Coins"))
    assert "cannot be told from guesses" in said(found["care"])
    assert "cannot be told from guessing" in said(found["error"])
    assert said(found["map"]) == "The map is not shown: it must not be interpreted."
    for claim in ("dimensions", "methods", "clusters", "scale", "people", "conditions"):
        assert said(found[claim]) == (
            "Nothing is said of this, because a map is not seen to do better than guesses."
        )
    assert not any(map(drawn, found.values()))
    everything = " ".join(map(said, found.values()))
    for claim in ("recommended:", "Sufficient", "predicts", "axes", "hardly lower"):
        assert claim not in everything


def test_popularity():
    answers, _ = popular(has=True)
    others = ("dimensions", "methods", "clusters", "people")
    told = said(computed(answers, *others)["map"])
    assert told.startswith("How often each object was chosen, whatever it was compared with")
    assert "t-STE, 2 dimensions" in told
    answers, _ = popular(has=False)
    assert said(computed(answers, *others)["map"]).startswith("t-STE, 2 dimensions")


def test_people_who_differ():
    others = ("dimensions", "clusters", "map")
    found = computed(kinds_of_people(0.8), *others)
    assert "predicted best by weights" in said(found["people"])
    found = computed(kinds_of_people(0.0, people=6), *others)
    assert "Models of each participant are not seen to help" in said(found["people"])


def under(told: str, answers: Triplets, **columns) -> dict[str, list]:
    """What is said of answers with conditions in a column of this name, and further columns."""
    table = answers.answers.rename(columns={"told": told}).assign(**columns)
    answers = Triplets(answers.rows, answers.objects, table, "Told")
    return computed(answers, "dimensions", "clusters", "map", "methods")


def test_conditions_that_differ():
    listed = np.resize(["list 1", "list 2", "list 3"], 1280)
    found = under("instruction", instructed(0.6, within=True, each=40), lists=listed)
    told = found["conditions"]
    assert told[0].startswith("Attention differs between the conditions of instruction")
    assert "Permutation test within participants" in said(told)
    assert told[-1] == "Not compared: lists, which may be conditions, too."
    assert "One map for all predicts held-out answers best" in said(found["people"])
    beside = "What is said of each participant takes all conditions of instruction together"
    assert beside in said(told), "both were read as opposites"
    between = under("instruction", instructed(0.6, within=False, each=40))
    assert "predicted best by 2 groups" in said(between["people"])
    assert "contradict" not in said(between["conditions"])


def test_people_who_vary_under_conditions():
    found = under("instruction", varying(1, each=50))
    told = said(found["conditions"])
    assert told.startswith("Attention is not seen to differ between the conditions of instruction")
    assert "does not contradict" not in told


def test_few_answers_under_each_condition():
    few_of = instructed(0.6, within=True, each=30)
    told = np.where(np.arange(960) < 4, "shape", "colour")
    found = under("told", Triplets(few_of.rows, few_of.objects,
                                   few_of.answers.assign(told=told)))
    assert "groups by told" in said(found["conditions"])


def test_few_answers():
    """Of each is said how many there must be, and never that there is nothing."""
    found = computed(few())
    for name in ("error", "map", "dimensions"):
        assert said(found[name]).startswith("Too few: 4 questions")
        assert said(found[name]).endswith("at least 5 are needed.")
    assert said(found["clusters"]).endswith("need at least 6.")
    assert "weights of 2 axes need 4 answers each" in said(found["people"])
    assert "Nothing in the file tells careful from careless" in said(found["care"])
    assert "cannot be estimated" in said(found["ceiling"])
    assert "11 different questions: 7 are missing" in said(found["questions"])
    everything = " ".join(map(said, found.values()))
    assert not any(claim in everything for claim in ("None", "No clusters", "Nothing stands out"))


def test_values_of_pairs_lack_no_questions():
    """A whole matrix had 28 questions that were missing."""
    answers = few()
    for measured, claim in (("", "7 are missing"), ("ratings", "follow from the values of pairs")):
        shown = ShownResults((), answers, answers.name, measured=measured)
        results = SubjectResults(answers, DEFAULT_EMBEDDING(), shown, lambda: None)
        (part,) = FINDINGS["questions"].told(results)
        assert claim in part.text
        counted = "4 derived comparisons" if measured else "4 answers"
        assert shown.about == f"Few: 4 objects, {counted}."


def of_methods(method: TSTE, answers: Triplets) -> str:
    """What is said of other methods than that of the map."""
    subject = Subject(answers, method)
    topic = FINDINGS["methods"]
    runs = [run(task, one, answers, options) for one, task, options in topic.pieces(subject)]
    shown = ShownResults(tuple(runs), answers, "Known")
    found = SubjectResults(answers, method, shown, lambda: None)
    return said([part.text for part in topic.said(found)])


@pytest.mark.parametrize(("noise", "level"), [
    ("logistic", 0.7), ("positions", 0.3), ("crowd", 0.1), ("flip", 0.15),
])
def test_no_method_is_said_to_be_better_than_tails_that_were_found(noise, level):
    for seed in range(3):
        truth = np.random.default_rng(seed).normal(size=(20, 2))
        answers = simulate(truth, 1200, noise=noise, level=level, seed=seed)
        text = of_methods(choose_tail(TSTE(), answers).method(), answers)
        assert text.startswith("No other method is seen to predict better (tried: SOE and STE).")


def test_a_better_method_is_named():
    answers = simulate(3 * clustered_truth(), 8000, noise="logistic", seed=1)
    text = of_methods(TSTE(alpha=1.0), answers)
    assert " predicts held-out answers better than this map, by +" in text
    assert "See both side by side." in text


def test_pairs_alone():
    found = computed(pairs())
    assert list(found) == ["care", "ceiling", "scale", "objects"]
    assert "The file names no participants" in said(found["care"])
    assert "MLDS, stimulus level predicted held-out answers" in said(found["scale"])


def test_the_error_is_that_of_the_split_that_the_data_name():
    """Cross-validation for the number of dimensions took its place."""
    data = line()
    parts = np.where(np.arange(len(data)) % 5, "train", "test")
    data = Triplets(data.rows, data.objects, data.answers.assign(split=parts), "Split")
    found = computed(data, "people", "clusters", "scale", "map")
    assert "on the data's own test answers" in said(found["error"])
    assert said(found["dimensions"]).startswith("Sufficient")


def test_rare_objects():
    rows = [[0, 1, 2]] * 5 + [[3, 1, 0]] + [[4, 5, 6]] * 3
    found = said(computed(Triplets.from_array(rows, 8))["objects"])
    assert "in fewer than 3 answers, whose positions are hardly determined: 1." in found
    assert "in no answer, which have no position: 1." in found
    assert "fall into 2 groups" in found


# The page ------------------------------------------------------------------------------------


def test_every_finding_leads_somewhere():
    for topic in FINDINGS.values():
        assert topic.tab in tabs_of(topic.page)


def small() -> Triplets:
    """Answers of nobody named about clusters."""
    data = clustered()
    return Triplets(data.rows, data.objects, name="Small")


def errors(services) -> list[Run]:
    """Held-out errors of maps that were computed."""
    (info,) = services.workspace.datasets()
    listed = services.workspace.runs(info.id, "cross_validate", "embedding")
    return [services.workspace.run(info.id, one.key) for one in listed]


def test_findings_come_unasked_and_are_those_of_other_places(services):
    """Page, report and the page of the map give one error; nothing is computed again for it."""
    app = start("data", session_on(services, small()))
    app = settled(app, services)
    text = words(app).replace("\\", "")
    assert "24 objects, 1,200 answers." in text
    assert "Being computed" not in text
    assert "Not computed" not in text
    assert "All was read" not in text, "folded away"
    assert {c.proto.id.rpartition("findings.")[2] for c in app.get("bidi_component")
            if "findings." in c.proto.id} == {"map", "silhouettes-agglomerative"}
    (error,) = (run for run in errors(services)
                if (run.method, run.parameters["n_components"]) == ("tste", 2))
    number = sentences.words.share(error.result().error)
    assert f"with an error of {number}" in text
    (info,) = services.workspace.datasets()
    before = {run.key for run in services.workspace.runs(info.id)}
    app = settled(start("embedding", "test-session"), services)
    assert f"Held-out error {number}" in words(app).replace("\\", "")
    app = settled(start("compare", "test-session"), services)
    lowest = min((run for run in errors(services) if run.method == "tste"),
                 key=lambda run: run.result().error)
    best = f"{lowest.parameters['n_components']}, {sentences.words.share(lowest.result().error)}"
    assert f"lowest with {best}" in words(app).replace("\\", "")
    assert {run.key for run in services.workspace.runs(info.id)} == before
    runs = (services.workspace.run(info.id, key) for key in before)
    # The report is about the first map.
    runs = sorted(runs, key=lambda run: (run.method, run.parameters.get("n_components"))
                  != ("tste", 2))
    sections = written(Material(info.name, services.workspace.cleaning(info), tuple(runs)))
    assert f"with an error of {number}" in text_of(sections["findings"])


def test_a_figure_is_that_of_the_result_as_it_is_now(services, holding):
    app = settled(start("data", session_on(services, small())), services)
    whole = figure(app, "findings.map")
    (info,) = services.workspace.datasets()
    (listed,) = services.workspace.runs(info.id, "bootstrap", "embedding")
    found = services.workspace.run(info.id, listed.key)
    few = {name: array[:10] for name, array in found.arrays.items()}
    services.workspace.add_run(info, replace(found, complete=False, arrays=few), "")
    with holding():
        assert figure(app.run(), "findings.map") != whole


def test_where_a_finding_leads_it_is_there(services):
    """The number of clusters was that of another tree than its page begins with."""
    data = line(12, 500)
    settled(start("data", session_on(services, data)), services)
    subject = Subject(data, DEFAULT_EMBEDDING())
    places = [one for one in FINDINGS.values() if one.applies(subject) and one.pieces(subject)]
    assert len(places) >= 6
    for one in places:
        app = start(one.page, "test-session")
        if len(tabs_of(one.page)) > 1:
            app = on_tab(app, one.page, one.tab)
        text = words(settled(app, services))
        assert "computed yet" not in text, one.name


def test_what_takes_long_waits_until_it_is_asked_for(services, monkeypatch):
    monkeypatch.setattr(view, "_PATIENCE", 0.1)  # seconds
    app = settled(start("data", session_on(services, small())), services)
    assert "Not computed. Whether there are clusters, or a continuum." in words(app)
    assert "clusters are recommended" not in words(app)
    button = app.button(key="findings.compute")
    assert re.fullmatch(r"Compute 1 further finding \(about \d+ ms\)", button.label)
    button.click().run()
    app = settled(app, services)
    assert "4 clusters are recommended" in words(app)


def test_what_the_data_do_not_allow_ends_no_other_finding(services, monkeypatch):
    real = analysis.step_of

    def refusing(info, answers, piece, *words, **how):
        def refuse(progress):
            raise DataError("these answers are *odd*")

        step = real(info, answers, piece, *words, **how)
        return replace(step, work=refuse) if piece[1] == "cross_validate" else step

    monkeypatch.setattr(analysis, "step_of", refusing)
    app = settled(start("data", session_on(services, small())), services)
    text = words(app).replace("\\", "")
    assert text.count("Not computed: These answers are *odd*") == 3, (
        "error, dimensions and other methods"
    )
    assert "Not shown until the accuracy of the map is known" in text
    assert "clusters are recommended" not in text, "they may be those of guesses"


def test_a_finding_leads_to_its_place(services):
    app = settled(start("data", session_on(services, few())), services)
    app.button(key="findings.go.objects").click().run()
    assert app.segmented_control(key="data.view").value == "objects"
    app = on_tab(app, "data", "findings")
    app.button(key="findings.go.dimensions").click().run()
    assert app.title[0].value == "Compare"


def test_two_jobs_compute_a_result_once():
    """Who waits for a result of another job can be stopped."""
    inside, over = threading.Event(), threading.Event()

    def first() -> None:
        with analysis._alone("result", silent):
            inside.set()
            over.wait(300)

    other = threading.Thread(target=first, daemon=True)
    other.start()
    assert inside.wait(300)
    with analysis._alone("another result", silent):
        pass
    with pytest.raises(Stopped), analysis._alone("result", lambda fraction: True):
        pass
    over.set()
    with analysis._alone("result", silent):
        pass
    other.join(300)
