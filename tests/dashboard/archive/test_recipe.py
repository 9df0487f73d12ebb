"""The script that a data set can be taken away with computes the same results."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from dataclasses import replace
from functools import partial

import numpy as np
import pandas as pd
import pytest

import tripletscope as ts
from tests.core.scales.test_conjoint import judged
from tests.core.studies.quality.answers import people_data
from tests.dashboard.archive.changed import ran
from tests.paths import ROOT
from tripletscope.core.data.triplets import Triplets
from tripletscope.core.engine.method import methods
from tripletscope.core.models.embedding import STE
from tripletscope.core.models.embedding.features import ColumnMap
from tripletscope.core.reading import Pairs
from tripletscope.core.run import run
from tripletscope.core.scales import MLCM, MLDS, ConjointComparisons
from tripletscope.core.similarity.clusters import AgglomerativeClustering
from tripletscope.core.similarity.kernels import K2
from tripletscope.core.studies.quality import Exclusion
from tripletscope.core.writing import write_answers
from tripletscope.dashboard.archive import recipe
from tripletscope.dashboard.print.composition import Composition
from tripletscope.dashboard.results import MapLook, Turn
from tripletscope.dashboard.results.maps import DrawnMap
from tripletscope.dashboard.results.presentation import ShownResults
from tripletscope.dashboard.store.workspace import Workspace


def test_the_script_computes_the_same_results(tmp_path):
    workspace = Workspace(tmp_path / "ws")
    data = people_data()
    kinds = data.objects.assign(kind=["a", "b"] * 6, width=np.arange(12.0) ** 2)
    answers = data.answers.assign(
        tempo=pd.Categorical(np.where(np.arange(len(data)) % 3, "slow", "fast")),
        participant=data.answers["participant"].cat.rename_categories({"p4": "@p4"}),
        # As they are kept of files: keys that mean nothing here, and one text for each answer.
        key=pd.Categorical(np.where(np.arange(len(data)) % 5, "f", "j")),
        remark=pd.array([f"„{k}“, so\n" for k in range(len(data))], dtype="str"),
        choice=pd.Categorical(data.objects["id"].to_numpy()[data.rows[:, 2]]),
    )
    # A spreadsheet would take the name of the one for a formula.
    catch = pd.DataFrame({"row": [2, 3], "participant": ["p0", "@p4"], "correct": [True, False]})
    info = workspace.add_dataset(
        Triplets(data.rows, kinds, answers, 'The "people"\\'), origin="a.csv", report=[],
        catch_trials=catch,
    )
    gold = Triplets(data.rows[:3], kinds)
    cleaning = workspace.cleaning(info)
    cleaning = type(cleaning)(cleaning.raw, cleaning.catch_trials, gold)
    for step in (Exclusion("favourite_side"), Exclusion("failed_checks", {"most": 0.4}),
                 Exclusion(answers=(1, 2))):
        cleaning = cleaning.excluding(step)
    info = workspace.update_dataset(info, cleaning)
    triplets, cleaning = workspace.triplets(info), workspace.cleaning(info)
    few = np.arange(len(triplets)) % 9 > 0
    done = [
        run("fit", STE(n_init=1), triplets),
        run("compare_treatments", STE(n_init=1), triplets.with_columns({"kept": few}),
            {"weighted": False, "folds": 2}),
        run("robustness", STE(n_init=1), cleaning.marked({"=some": cleaning}),
            {"views": ["=some"], "draws": 19, "folds": 2}),
        run("cross_validate", STE(n_init=1), triplets, {"folds": 3}),
        run("fit", AgglomerativeClustering(linkage="complete", basis=K2()), triplets),
        run("predict_column", K2(), triplets, {"column": "kind", "learner": "svm", "folds": 2}),
        run("who_predicts_whom", STE(n_init=1), triplets, {"by": "tempo", "folds": 2}),
        run("plan", STE(n_init=1), None, {"n_objects": 8, "most": 60, "points": 2, "repeats": 2}),
        run("typicality", STE(n_init=1), triplets),
        run("directions", STE(n_init=1), triplets, {"columns": ["width"], "replicates": 20}),
        run("search_curve", ColumnMap(columns=["width"]), triplets, {"n_trees": 2, "folds": 3}),
    ]
    files = recipe.reproduction(info, cleaning, done)
    for name, content in files.items():
        (tmp_path / name).write_bytes(content)
    (script,) = tmp_path.glob("*.py")
    assert script.read_text().count("confirm(") == 1 + len(done)
    said = subprocess.run([sys.executable, script.name], cwd=tmp_path, check=True, text=True,
                          env={**os.environ, "PYTHONPATH": str(ROOT)}, capture_output=True).stdout
    assert said.splitlines()[-1].startswith(f"{len(done)} of {len(done)} results are of the same")
    with np.load(next(tmp_path.glob("*fit_ste.npz"))) as again:
        np.testing.assert_array_equal(again["embedding_"], done[0].arrays["embedding_"])
    with np.load(next(tmp_path.glob("*search_curve*.npz"))) as again:
        np.testing.assert_array_equal(again["missed"], done[-1].arrays["missed"])


def test_a_script_computes_simulations_and_scales_of_no_data_set(tmp_path):
    table = judged(np.random.default_rng(0), 200, lambda a, b: a + b)
    done = [
        run("plan", STE(n_init=1), None, {"n_objects": 8, "most": 60, "points": 2, "repeats": 2}),
        run("fit", MLCM(replicates=5), ConjointComparisons(table, "gloss.csv")),
    ]
    for name, content in recipe.reproduction_of_none(done, "simulated").items():
        (tmp_path / name).write_bytes(content)
    text = (tmp_path / "simulated.py").read_text()
    assert text.count("confirm(") == 1 + len(done)
    ran(tmp_path, "simulated.py")
    with np.load(tmp_path / "simulated-plan_ste.npz") as again:
        np.testing.assert_array_equal(again["accuracy"], done[0].arrays["accuracy"])


def test_results_of_uploaded_distances_are_not_promised(tmp_path, planted):
    workspace = Workspace(tmp_path)
    info = workspace.add_dataset(planted, origin="a", report=[])
    given = run("fit", AgglomerativeClustering(basis=K2()), planted)
    given.options["distances"] = "d"  # of no kept table
    files = recipe.reproduction(info, workspace.cleaning(info), [given])
    (script,) = [content for name, content in files.items() if name.endswith(".py")]
    assert b"Agglomerative" not in script


def test_results_of_another_version_are_not_compared_with_what_is_computed_now(tmp_path, planted):
    workspace = Workspace(tmp_path)
    info = workspace.add_dataset(planted, origin="a", report=[])
    fit = run("fit", STE(n_init=1), planted)
    older = replace(fit, key="of another version")
    files = recipe.reproduction(info, workspace.cleaning(info), [older])
    (script,) = [content.decode() for name, content in files.items() if name.endswith(".py")]
    assert script.count("An earlier version") == 1
    assert "confirm(fit" not in script
    files = recipe.reproduction(info, workspace.cleaning(info), [fit])
    (script,) = [content.decode() for name, content in files.items() if name.endswith(".py")]
    assert f"confirm(fit_ste, {fit.key!r}, {fit.data!r})" in script


@pytest.mark.parametrize(
    "method", [m for kind in ("embedding", "kernel", "cluster", "scale")
               for m in methods(kind).values()] + [partial(ColumnMap, columns=["size", "height"])],
    ids=lambda m: getattr(m, "__name__", "Features"),
)
def test_every_method_can_be_written_down(method):
    wanted = method()
    made = eval(recipe.source_of(wanted), {"ts": ts})
    assert made.get_params(deep=False) == wanted.get_params(deep=False)


def test_the_script_draws_the_map_as_it_was_composed(tmp_path, planted):
    workspace = Workspace(tmp_path / "ws")
    info = workspace.add_dataset(planted, origin="a.csv", report=[])
    method = STE(n_init=1)
    done = [run("fit", method, planted), run("bootstrap", method, planted, {"replicates": 5})]
    shown = ShownResults(
        tuple(done), planted, info.name, selected=(2,), looks={
            done[0].key: MapLook("points", "", turn=Turn([[0.0, 1.0], [1.0, 0.0]], "another")),
        },
    )
    drawn = DrawnMap(shown, done[0])
    composition = Composition(width=60.0, title="As composed")
    files = recipe.reproduction(
        info, workspace.cleaning(info), done, looks=shown.looks,
        drawn=recipe.map_on_paper(drawn, composition, 0.8, "Without two people."),
    )
    for name, content in files.items():
        (tmp_path / name).write_bytes(content)
    (script,) = (name for name in files if name.endswith(".py"))
    text = (tmp_path / script).read_text()
    assert "-map-again.pdf'" in text
    (tmp_path / script).write_text(text.replace("-again.pdf", "-again.html"))
    ran(tmp_path, script)
    (made,) = tmp_path.glob("*-map-again.html")
    drawing = replace(drawn.drawing, ratio=0.8, note="Without two people.")
    expected = drawing.file("html", composition)
    own = r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"  # of each page
    assert re.sub(own, "", made.read_text()) == re.sub(own, "", expected.decode())


def test_names_that_cannot_be_read_again_become_positions(tmp_path, planted):
    ids = ["1e5", "nan", "NA", "=x", *planted.ids[4:]]
    objects = planted.objects.assign(id=ids, label=ids)
    answers = planted.answers.assign(participant=["p", "q", "=r", "nan", "1"] * 500, weight=0.5)
    data = Triplets(planted.rows, objects, answers, "names")
    with pytest.raises(Exception, match="would not be read back"):
        write_answers(data)
    workspace = Workspace(tmp_path / "w")
    info = workspace.add_dataset(data, origin="a", report=[])
    done = [run("fit", STE(n_init=1), workspace.triplets(info))]
    files = recipe.reproduction(info, workspace.cleaning(info), done)
    (tmp_path / "s").mkdir()
    for name, content in files.items():
        (tmp_path / "s" / name).write_bytes(content)
    ran(tmp_path / "s", "names.py")
    with np.load(tmp_path / "s" / "names-fit_ste.npz") as again:
        np.testing.assert_array_equal(again["embedding_"], done[0].arrays["embedding_"])


def test_the_script_computes_scales_of_comparisons_of_pairs(tmp_path):
    workspace = Workspace(tmp_path / "ws")
    rng = np.random.default_rng(0)
    rows = np.array([rng.choice(6, 4, replace=False) for _ in range(80)])
    far = np.abs(rows[:, 2] - rows[:, 3]) >= np.abs(rows[:, 0] - rows[:, 1])
    rows = np.where(far[:, None], rows, rows[:, [2, 3, 0, 1]])
    objects = pd.DataFrame({"id": [f"level {i}" for i in range(6)], "level": np.arange(6.0)})
    pairs = Pairs(rows.astype(np.int32), pd.DataFrame({"participant": ["7", "=8"] * 40}),
                  np.arange(80), 6)
    info = workspace.add_dataset(
        Triplets(np.zeros((0, 3)), objects, name="scale"), origin="a", report=[], pairs=pairs
    )
    assert len(workspace.pairs(info)) == 80
    cleaning = workspace.cleaning(info).excluding(Exclusion(participants=("7",)))
    info = workspace.update_dataset(info, cleaning)
    data = workspace.pairs(info)
    assert (len(data), info.n_pairs, info.n_participants) == (40, 40, 1)
    assert info.left_out.endswith("40 of 80 answers excluded, 1 participant entirely.")
    done = [run("fit", MLDS(stimulus="level"), data),
            run("bootstrap_scale", MLDS(stimulus="level"), data, {"resamples": 20}),
            run("errors_by_group", MLDS(stimulus="level"), data.take(np.arange(40)),
                {"by": "participant", "folds": 2})]
    files = recipe.reproduction(info, workspace.cleaning(info), done)
    for name, content in files.items():
        (tmp_path / name).write_bytes(content)
    ran(tmp_path, "scale.py")
    with np.load(tmp_path / "scale-fit_mlds.npz") as again:
        # Not to the last bit: a library's sums depend on where in memory their terms are.
        np.testing.assert_allclose(again["scale_"], done[0].arrays["scale_"], rtol=1e-12)
