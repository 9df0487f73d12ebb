"""Unsupervised alignment of distances: accuracies, and the plan of the best space."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np
import pandas as pd

from tripletscope.core.engine.method import make_method
from tripletscope.core.features.alignment import HALVES, Aligned
from tripletscope.core.models.embedding import STE
from tripletscope.core.run import Run
from tripletscope.dashboard.figures.explaining import interval_rows, rows_height
from tripletscope.dashboard.figures.observers import square_matrix
from tripletscope.dashboard.figures.theme import SCREEN
from tripletscope.dashboard.results.presentation import (
    Element,
    Numbers,
    ShownResults,
    Statement,
    presents,
)
from tripletscope.dashboard.words import words


@presents("align_spaces", told_in="features")
def alignment_of(shown: ShownResults, run: Run) -> Iterator[Element]:
    """Accuracy of matching each feature space with the map, and the matched objects."""
    result = run.result()
    yield from alignment_said(result)
    table = pd.DataFrame({
        "name": [_name(name) for name in result.spaces], "value": result.accuracy,
        "low": result.low, "high": result.high,
    })
    method = make_method(run.options["embedding"]) if run.options["embedding"] else STE()
    yield shown.drawing(
        run, "alignment", rows_height(len(table)) / SCREEN.width,
        partial(
            interval_rows, table, value=words("share matched"), zero=1 / len(result.objects)
        ),
        lambda: table, map=words.method(method), starts=result.starts,
    )
    best = int(result.accuracy[:-1].argmax())
    labels = np.array(shown.answers.labels, dtype=object)[result.objects].tolist()
    yield shown.drawing(
        run, "plan", 0.75,
        partial(
            square_matrix, result.plan[best].astype(float), labels, title=words("probability"),
            across=result.spaces[best], down=words("objects of the map"),
            limits=(0.0, float(result.plan[best].max())),
        ),
        lambda: _partners(result, best, labels), space=result.spaces[best],
    )
    yield Numbers(words("numbers"), lambda: result.table)
    yield Numbers(words("matched objects"), lambda: _partners(result, best, labels))


def _partners(result: Aligned, k: int, labels: list[str]) -> pd.DataFrame:
    return pd.DataFrame({
        "object": labels, "matched with": [labels[i] for i in result.partner[k]],
        "itself": np.diagonal(result.plan[k]).astype(float),
    })


def _name(name: str) -> str:
    return words("halves of the answers") if name == HALVES else name


def alignment_said(result: Aligned) -> Iterator[Statement]:
    """Which space aligns with the map, and whether the map aligns with itself."""
    m, surely = len(result.objects), result.significant
    best = int(result.accuracy[:-1].argmax())
    yield Statement(words(
        "spaces align" if surely[best] else "spaces align none", best=result.spaces[best],
        matches=int(result.matches[best]), objects=m, p=result.p[best], top=result.top[best],
    ))
    nothing = [name for name, sure in zip(result.spaces[:-1], surely, strict=False) if not sure]
    if surely[best] and nothing:
        yield Statement(words("features at chance", names=nothing))
    yield Statement(words(
        "halves align" if surely[-1] else "halves align not", matches=int(result.matches[-1]),
        objects=m,
    ))
