"""Conjoint measurement on the page Scale."""

from __future__ import annotations

import numpy as np

from tests.core.scale.test_conjoint import judged
from tests.dashboard.views.harness import figure, numbers, settled, start, unfold, words


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
