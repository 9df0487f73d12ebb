"""What is in doubt is said by page, caption, report and in Python, and of sound answers nowhere."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

import tripletscope as ts
from tests.pages.harness import session_on, settled, start, words
from tests.paths import ROOT
from tripletscope.core.data.triplets import Triplets
from tripletscope.core.inference.validity import CODES, GRAVE, Doubt
from tripletscope.core.models.simulation.simulate import random_questions, simulate
from tripletscope.core.reading import FeatureTable
from tripletscope.core.run import Run, cluster_distances
from tripletscope.core.similarity.clusters.counting import recommend_clusters
from tripletscope.core.studies.quality import Cleaning
from tripletscope.dashboard.report.document import Listed, Paragraph, Section
from tripletscope.dashboard.report.material import Material
from tripletscope.dashboard.report.report import written
from tripletscope.dashboard.results.doubts import HELP, doubts_of
from tripletscope.dashboard.results.drawing import Drawing
from tripletscope.dashboard.results.presentation import ShownResults
from tripletscope.dashboard.ui.guide import help_on
from tripletscope.dashboard.ui.opened_map import choose_method


@dataclass(frozen=True)
class Case:
    """A doubt, with results that have it and such that have not.

    results: Answers and results of them, the one that is in doubt first, of whether it is.
    says: Words in which every place tells of it.
    page, tab: Where.
    in_caption, in_report, on_page: Other words there.
    """

    results: Callable[[bool], tuple[Triplets, list[Run]]]
    says: str
    page: str = "embedding"
    tab: str = ""
    in_caption: str = ""
    in_report: str = ""
    on_page: str = ""


def of_map(
    answers: Triplets, method: ts.STE | None = None, *more: ts.STE, **options
) -> tuple[Triplets, list[Run]]:
    """A map with its error, and errors of further methods."""
    method = method or ts.STE(n_init=2)
    runs = [ts.run("fit", method, answers, **options)]
    return answers, runs + [ts.run("cross_validate", one, answers) for one in (method, *more)]


def sound(n_answers: int = 900) -> Triplets:
    truth = np.random.default_rng(0).normal(size=(12, 2))
    answers = simulate(truth, n_answers, noise="logistic", seed=1)
    return Triplets(answers.rows, answers.objects, None, "Sound")


def guessed(has: bool) -> tuple[Triplets, list[Run]]:
    if not has:
        return of_map(sound())
    rows = np.random.default_rng(1).random((400, 12)).argsort(axis=1)[:, :3]
    return of_map(Triplets.from_array(rows, 12, name="Coins"))


def popular(has: bool) -> tuple[Triplets, list[Run]]:
    """Objects that are chosen whatever the anchor, and central objects of a plane."""
    rng = np.random.default_rng(0)
    if not has:
        places = rng.normal(size=(12, 2)) * rng.exponential(size=(12, 1))
        return of_map(simulate(3 * places, 900, noise="logistic", seed=1))
    rows = random_questions(12, 900, rng)
    liked = 1.2 * rng.normal(size=12)[rows[:, 1:]]
    turned = rng.random(900) > 1 / (1 + np.exp(liked[:, 1] - liked[:, 0]))
    rows[turned, 1:] = rows[turned, :0:-1]
    return of_map(Triplets.from_array(rows, 12, name="Liked"))


def surpassed(has: bool) -> tuple[Triplets, list[Run]]:
    """Clusters far apart, whose answers have no heavy tails."""
    corners = np.repeat([[1.0, 1.0], [-1.0, 1.0], [1.0, -1.0], [-1.0, -1.0]], 6, axis=0)
    truth = corners + 0.2 * np.random.default_rng(0).normal(size=corners.shape)
    answers = simulate(3 * truth, 8000, noise="logistic", seed=1)
    methods = [ts.TSTE(alpha=1.0, n_init=2), ts.STE(n_init=2)]
    return of_map(answers, *(methods if has else reversed(methods)))


def flattened(has: bool) -> tuple[Triplets, list[Run]]:
    """Objects in space, on a plane map."""
    truth = np.random.default_rng(0).normal(size=(14, 3)) * [2.5, 2.5, 2.5 * has]
    answers = simulate(truth, 4000, noise="logistic", seed=1)
    return of_map(answers, ts.STE(n_init=2), ts.STE(n_components=3, n_init=2))


def parted(has: bool) -> tuple[Triplets, list[Run]]:
    halves = [sound().rows, sound().rows + 12]
    between = [] if has else [np.array([[k, 12 + k, 12 + (k + 1) % 12] for k in range(12)])]
    return of_map(Triplets.from_array(np.concatenate([*halves, *between]), 24, name="Halves"))


def linked(has: bool) -> tuple[Triplets, list[Run]]:
    """Two halves, and as many answers that join them."""
    between = np.array([[k, 12 + k, 12 + (k + 1) % 12] for k in range(1 if has else 12)])
    rows = np.concatenate([sound().rows, sound().rows + 12, between])
    return of_map(Triplets.from_array(rows, 24, name="Linked"))


def lonely(has: bool) -> tuple[Triplets, list[Run]]:
    further = np.array([[12, k, k + 1] for k in range(2 if has else 8)])
    return of_map(Triplets.from_array(np.concatenate([sound().rows, further]), 13, name="Lonely"))


def copied(has: bool) -> tuple[Triplets, list[Run]]:
    rows = sound().rows[:600]
    people = np.split(rows, 5)
    people += [people[0]] if has else [sound().rows[600:720]]
    who = np.repeat([f"p{k}" for k in range(6)], [len(each) for each in people])
    objects = pd.DataFrame({"id": [f"o{k}" for k in range(12)]})
    answers = Triplets(np.concatenate(people), objects, pd.DataFrame({"participant": who}), "Six")
    return of_map(answers)


def halted(has: bool) -> tuple[Triplets, list[Run]]:
    return of_map(sound(), progress=lambda *_, **__: has)


def tied(has: bool) -> tuple[Triplets, list[Run]]:
    """Three pairs of objects, and nothing that tells one pair from another."""
    tree = ts.AgglomerativeClustering(basis=ts.K1(), n_clusters=4)
    if has:
        rows = np.array([[a, b, c] for a in range(6) for b in range(6) for c in range(6)
                         if len({a, b, c}) == 3 and a // 2 == b // 2])
        answers = Triplets.from_array(np.repeat(rows, 3, axis=0), 6, name="Pairs")
    else:
        answers = sound()
    return answers, [ts.run("fit", tree, answers)]


def scattered(has: bool) -> tuple[Triplets, list[Run]]:
    """Objects all over a plane, and four clusters."""
    corners = np.repeat([[2.0, 2.0], [-2.0, 2.0], [2.0, -2.0], [-2.0, -2.0]], 6, axis=0)
    spread = np.random.default_rng(0).normal(size=corners.shape)
    truth = 1.5 * spread if has else corners + 0.2 * spread
    answers = simulate(truth, 3000, noise="logistic", seed=1)
    tree = ts.AgglomerativeClustering(basis=ts.STE(n_init=2))
    return answers, [ts.run(task, tree, answers) for task in ("fit", "count_clusters")]


CASES = {
    "guessing": Case(
        guessed, "must not be interpreted",
        in_report="is not seen to predict held-out answers better than guessing",
    ),
    "popularity": Case(popular, "How often each object was chosen, whatever it was compared with"),
    "another method": Case(surpassed, "STE predicts held-out answers better than this map"),
    "more dimensions": Case(flattened, "3 dimensions predict held-out answers better than those"),
    "parts": Case(parted, "fall into 2 groups that no answer connects"),
    "weak links": Case(linked, "Single answers join 2 groups of objects"),
    "few answers": Case(lonely, "Objects in fewer than 3 answers"),
    "copies": Case(copied, "of the answers repeat others in the same order"),
    "unfinished": Case(halted, "The fit had not ended", in_caption="stopped early"),
    "no clusters": Case(scattered, "No clusters are seen with these answers", page="clusters"),
    "ties": Case(tied, "No height cuts this tree into 4 clusters", page="clusters"),
}


def caption_of(answers: Triplets, runs: list[Run]) -> str:
    return ts.drawings(runs, answers)[0].caption


def report_of(answers: Triplets, runs: list[Run]) -> str:
    """All that a report says: its paragraphs, lists, and captions."""
    sections = written(Material("Things", Cleaning(answers), tuple(runs)))
    return " ".join(_texts(sections.values()))


def _texts(sections: Iterable[Section]) -> Iterator[str]:
    for block in (block for section in sections for block in section.blocks):
        if isinstance(block, Paragraph):
            yield block.text
        elif isinstance(block, Listed):
            yield from block.items
        elif isinstance(block, Drawing):
            yield block.caption


def opened_on(services, case: Case, answers: Triplets, runs: list[Run]) -> AppTest:
    """The page on which these results are."""
    session = session_on(services, answers)
    (info,) = services.workspace.datasets()
    for run in runs:
        services.workspace.add_run(info, run, run.task)
    if runs[0].kind == "embedding":
        choose_method(info, runs[0].fresh())
    return start(case.page, session)


@pytest.mark.parametrize("has", [True, False], ids=["has", "has not"])
@pytest.mark.parametrize("code", CASES)
def test_a_doubt_is_said_everywhere_and_of_sound_results_nowhere(services, holding, code, has):
    case = CASES[code]
    answers, runs = case.results(has)
    shown = ShownResults(tuple(runs), answers, "Things")
    errors = [run for run in runs[1:] if run.parameters == runs[0].parameters]
    has_code = case.page == "embedding"
    found = doubts_of(shown, runs[0], *errors) if has_code else []
    in_python = " ".join(ts.sentences(*runs, answers=answers))
    with holding():
        on_page = words(opened_on(services, case, answers, runs)).replace("\\", "")
    told = {
        "Python": case.says in in_python,
        "caption": (case.in_caption or case.says) in caption_of(answers, runs),
        "report": (case.in_report or case.says) in report_of(answers, runs),
        "page": (case.on_page or case.says) in on_page,
        **({"code": code in {doubt.code for doubt in found}} if has_code else {}),
        **({"help": help_on(HELP[code]) in on_page} if has else {}),
    }
    assert told == dict.fromkeys(told, has)
    assert has or not found


@pytest.mark.parametrize("has", [True, False], ids=["has", "has not"])
@pytest.mark.parametrize("code", sorted(GRAVE & {*CASES}))
def test_a_grave_doubt_stands_before_the_map(services, holding, code, has):
    case = CASES[code]
    with holding():
        app = opened_on(services, case, *case.results(has))
    bold = [text.value for text in app.markdown if text.value.startswith("**")]
    assert any(case.says in re.sub(r"[*\\]", "", text) for text in bold) == has


def test_a_test_of_answers_says_nothing_of_distances():
    answers, (_, test) = scattered(True)
    apart = np.abs(np.subtract.outer(*[np.repeat([0.0, 9.0], 12)] * 2))
    tree = ts.AgglomerativeClustering(basis=ts.STE(n_init=2))
    fitted = cluster_distances(tree, FeatureTable("apart", None, apart))
    said = " ".join(ts.sentences(fitted, test, answers=answers))
    assert "gave 2 clusters" in said
    assert "Borders of the clusters shown" not in said


@pytest.mark.parametrize("has", [True, False], ids=["none", "four"])
def test_whether_there_are_clusters_stands_before_what_a_method_made(has):
    answers, runs = scattered(has)
    alone, tested = (list(ts.sentences(*found, answers=answers)) for found in (runs[:1], runs))
    untested = "Whether there are clusters has not been tested"
    assert untested in " ".join(alone)
    assert untested not in " ".join(tested)
    assert tested[0].startswith(CASES["no clusters"].says if has else "Agglomerative")


def test_coins_have_no_clusters():
    rows = np.random.default_rng(1).random((400, 12)).argsort(axis=1)[:, :3]
    tree = ts.AgglomerativeClustering(basis=ts.K1())
    coins = Triplets.from_array(rows, 12, name="Coins")
    fitted, test = (ts.run(task, tree, coins) for task in ("fit", "count_clusters"))
    said = " ".join(ts.sentences(fitted, test, answers=coins))
    assert "Borders of the clusters shown may be arbitrary" in said


@pytest.mark.parametrize("reason", ["none", "too small", "too few objects", "chance"])
def test_one_conclusion_on_clusters_is_told_of_tree_and_test(reason):
    """"May be as compact" stood beside "are more compact, but one has fewer than three"."""
    answers, (fit, test) = scattered(True)
    low, high = (np.full(len(test.arrays["numbers"]), share) for share in (0.1, 0.99))
    numbers, arrays = {
        "none": ({}, {"silhouettes": low}),
        "too small": ({}, {"silhouettes": high, "smallest": np.ones(len(high), dtype=int)}),
        "too few objects": ({"n_objects": 5}, {"silhouettes": low}),
        "chance": ({"error_high": 0.6}, {}),
    }[reason]
    test = replace(test, numbers=test.numbers | numbers, arrays=test.arrays | arrays)
    assert recommend_clusters(test.result()).reason == reason
    conclusion = ts.sentences(test, answers=answers)[0]
    assert ts.sentences(fit, test, answers=answers)[0].startswith(conclusion)
    assert conclusion in ts.drawings([fit, test], answers)[0].caption


def test_every_doubt_has_a_case_and_a_sentence():
    elsewhere = {"degenerate", "random order"}  # below: of maps of dissimilarities
    assert {*CASES, *elsewhere} == {*CODES}
    sentences = (ROOT / "dashboard" / "words" / "sentences.toml").read_text()
    assert {*re.findall(r'^"doubt (.+?)" = ', sentences, re.MULTILINE)} == {*CODES}
    with pytest.raises(ValueError, match="is no doubt"):
        Doubt("of another version")


def places_with(said: str, apart: np.ndarray, services) -> list[bool]:
    """Whether sentences, caption, and page of a map of dissimilarities say something."""
    answers = sound()
    app = start("embedding", session_on(services, answers), "dissimilarities")
    rated = FeatureTable("apart", None, apart).ratings(answers)
    result = ts.run("map_measured", ts.ratings.NMDS(), rated)
    table = "\n".join(",".join(f"{d:.6f}" for d in row) for row in apart).encode()
    app.file_uploader(key="embedding.dissimilarities").upload("apart.csv", table, "text/csv")
    app.run()
    app.button(key="embedding.dissimilarities.run").click().run()
    return [
        said in " ".join(ts.sentences(result, answers=answers)),
        said in ts.drawings(result, answers)[0].caption, said in words(settled(app, services)),
    ]


@pytest.mark.parametrize("has", [True, False], ids=["has", "has not"])
def test_a_degenerate_map_is_said_to_be_one(services, has):
    places = np.random.default_rng(0).normal(size=(12, 2))
    apart = np.linalg.norm(places[:, None] - places, axis=2)
    if has:  # two groups, each of which is nearer together than any two of different groups
        apart += 10 * (np.arange(12) % 2 != np.arange(12)[:, None] % 2)
    said = "This map is degenerate"
    assert places_with(said, apart, services) == [has] * 3


@pytest.mark.parametrize("has", [True, False], ids=["has", "has not"])
def test_a_map_of_random_numbers_is_said_to_show_nothing(services, has):
    rng = np.random.default_rng(1)
    places = rng.normal(size=(12, 2))
    apart = np.linalg.norm(places[:, None] - places, axis=2)
    if has:
        apart = np.triu(rng.uniform(size=(12, 12)), 1)
        apart += apart.T
    said = "This map may show nothing"
    assert places_with(said, apart, services) == [has] * 3


def test_ellipses_of_a_first_result_are_said_to_be_of_one():
    answers = sound()
    fit, whole = (
        ts.run(task, ts.STE(n_init=1), answers, options)
        for task, options in (("fit", {}), ("bootstrap", {"replicates": 20}))
    )
    said = "a first result"
    for samples, has in ((whole, False), (replace(whole, complete=False), True)):
        assert (said in caption_of(answers, [fit, samples])) == has
        assert (said in report_of(answers, [fit, samples])) == has
