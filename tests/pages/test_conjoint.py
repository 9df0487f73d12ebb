"""Conjoint measurement on the page Scale."""

from __future__ import annotations

import subprocess
import sys
from io import BytesIO
from zipfile import ZipFile

import numpy as np
import pytest

from tests.core.scales.test_conjoint import judged
from tests.pages.harness import figure, numbers, settled, start, unfold, words
from tests.paths import ROOT
from tripletscope.core.run import run
from tripletscope.core.scales import MLCM, ConjointComparisons
from tripletscope.dashboard.archive.archive import archive
from tripletscope.dashboard.archive.terms import Terms
from tripletscope.dashboard.upload.ingest import open_archive


def test_conjoint_measurement_needs_no_data_set(services):
    app = start("scale")
    assert "No comparisons yet" in words(app)
    table = judged(np.random.default_rng(0), 900, lambda a, b: 0.8 * a + 0.5 * b, levels=5)
    table = table.set_axis(["G1", "B1", "G2", "B2", "first"], axis=1)
    app.file_uploader(key="scale.conjoint").upload(
        "gloss.csv", table.to_csv(index=False).encode(), "text/plain")
    app.run()
    app.button(key="scale.conjoint.run").click().run()
    app = settled(app, services)
    text = words(app).replace("\\", "")
    assert "G contributes to the judgement" in text
    assert "B contributes to the judgement" in text
    assert "do not add up" not in text
    assert "900 comparisons, gloss.csv" in text
    lines = [t for t in figure(app, "scale.conjoint-scales")["data"] if t.get("name") in ("G", "B")]
    assert numbers(lines[0]["x"]).tolist() == [1, 2, 3, 4, 5]
    unfold(app, "Saturated model")
    assert figure(app, "scale.conjoint-surface")["data"]
    # After a restart they are still there, with the comparisons for another link.
    app = start("scale", "another")
    assert "900 comparisons, gloss.csv" in words(app).replace("\\", "")
    assert app.button(key="scale.conjoint.run").disabled
    app.selectbox(key="scale.conjoint.link").select("logit").run()
    app.button(key="scale.conjoint.run").click().run()
    app = settled(app, services)
    assert "gloss.csv: Logit" in words(app).replace("\\", "")
    assert len(services.workspace.runs(None, "fit", "conjoint")) == 2


@pytest.mark.parametrize("hidden", [False, True])
def test_conjoint_scales_of_a_data_set_are_in_archives(services, planted, hidden, tmp_path):
    info = services.workspace.add_dataset(planted.renamed("Things"), origin="a.csv", report=[])
    table = judged(np.random.default_rng(1), 300, lambda a, b: a + b)
    table["c1"], table["c2"] = np.random.default_rng(2).choice(["NA", "=x", "1"], (2, 300))
    given = ConjointComparisons(table.assign(participant="ann"), "gloss.csv")
    found = run("fit", MLCM(replicates=5), given)
    assert services.workspace.add_run(info, found, "MLCM").state is None
    content = archive(services.workspace, info, Terms("Things", pseudonyms=hidden))
    with ZipFile(BytesIO(content)) as file:
        file.extractall(tmp_path)
    assert b"ann" not in content
    (script,) = tmp_path.rglob("*.py")
    assert script.read_text().count("confirm(") == 2
    if hidden:  # it computes the same of either
        subprocess.run([sys.executable, script.name], cwd=script.parent, check=True,
                       env={"PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin"})
        (made,) = tmp_path.rglob("*fit_mlcm.npz")
        with np.load(made) as again:
            np.testing.assert_allclose(again["values_"], found.arrays["values_"], rtol=1e-9)
    back = open_archive("a.zip", content).info
    assert [one.key for one in services.workspace.runs(back.id, "fit", "conjoint")] == [found.key]
