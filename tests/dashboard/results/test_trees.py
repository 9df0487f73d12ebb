"""Trees that see coordinates, as results."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import tripletscope as ts
from tripletscope.dashboard.results.drawing import Drawing
from tripletscope.dashboard.results.showing import presented
from tripletscope.dashboard.results.shown import Numbers, ShownResults, Statement


@pytest.mark.parametrize(("kind", "starts"), [
    ("pa", "PA tree (PCA), height 2, 4 leaves: a proportion of "),
    ("cover", "Rank cover tree, "),
])
def test_trees_of_features(kind, starts):
    rng = np.random.default_rng(0)
    objects = pd.DataFrame({"id": [f"o{k}" for k in range(40)]}).assign(
        width=rng.normal(size=40), height=rng.normal(size=40)
    )
    objects.loc[7, "width"] = np.nan
    answers = ts.Triplets([[0, 1, 2], [3, 4, 5]], objects)
    method = ts.features.ColumnMap(columns=["width", "height"])
    run = ts.run("coordinate_tree", method, answers, {"tree": kind})
    parts = list(presented(ShownResults((run,), answers, "Things")))
    assert next(p.text for p in parts if isinstance(p, Statement)).startswith(starts)
    tables = [part for part in parts if isinstance(part, Numbers)]
    assert len(tables[-1].table()) == 39
    figures = [part for part in parts if isinstance(part, Drawing)]
    if kind == "cover":
        assert not figures
        assert tables[0].table()["objects"].tolist()[-1] == 39
        return
    (cells,) = figures
    assert sum(trace.fill == "toself" for trace in cells.figure().data) == 4
    assert len(cells.table()) == 39
    nodes = tables[0].table()
    leaves = nodes.index[nodes["divided by"] == ""]
    assert nodes["divided by"].str.contains("≤").sum() == 3
    assert sorted(tables[0].of_rows(leaves)) == [k for k in range(40) if k != 7]
    assert len(tables[0].of_rows(leaves[:1])) == nodes["objects"][leaves[0]]
