"""Figures 4.4, 4.5 and A.1 to A.4: scales of one dimension, rising or not, by every method."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pandas as pd

from tripletscope.core.engine.progress import Progress, part, silent
from tripletscope.core.models.simulation.truth import scale_function
from tripletscope.core.scales.map_scales import normalised, scale_error
from tripletscope.reproductions.item import (
    DOES_NOT_HOLD,
    HOLDS,
    HOLDS_WITH_THEIRS,
    Item,
    Observation,
)
from tripletscope.reproductions.scales.observer import (
    EMBEDDINGS,
    LEAST_ERROR,
    LEAST_LOSS,
    SHARES,
    SIGMAS,
    clear_answers,
    contradicted,
    gap,
    runs,
    summary,
)
from tripletscope.reproductions.significance import clear, p_above

#: What is measured of every estimate.
_MEASURED = ("mse", "error", "own_error")
#: Where the estimated curves are shown, and how many.
_SHOWN, _CURVES = (0.1, 1.0), 10
#: What is judged, in words.
_JUDGED = {"mse": "MSE", "error": "triplet error"}
_THAN = "MLDS not above the "


def scales(
    *, functions: Sequence[str], n: int, sigmas: Sequence[float] = SIGMAS,
    shares: Sequence[float] = SHARES, repeats: int = 10, seed: int = 0,
    progress: Progress = silent,
) -> pd.DataFrame:
    """Errors of every method against the share of the triples that were asked, and curves.

    n: Number of stimuli.
    Returns: Rows of ``kind`` "errors": mean and standard deviation over the repeats of the mean
        squared error (``mse``), of the share of all questions that have an answer which the
        estimate answers otherwise than the truth (``error``), and of the noisy answers it learned
        from which it contradicts (``own_error``). Rows of ``kind`` "curves": ``value`` at
        ``stimulus``; ``curve`` is "estimates", of all runs, or "truth".
    """
    errors, curves = [], []
    stimulus = np.linspace(0.0, 1.0, n)
    for k, function in enumerate(functions):
        truth = scale_function(function, stimulus)
        known = clear_answers(truth[:, None])
        for sigma, share, repeat, found in runs(
            truth[:, None], sigmas=sigmas, shares=shares, repeats=repeats, seed=seed,
            progress=part(progress, k / len(functions), (k + 1) / len(functions)),
        ):
            named = {"function": function, "sigma": sigma, "share": share,
                     "method": found.method, "kept": found.kept}
            values = found.positions[:, 0]
            errors.append({
                **named, "repeat": repeat, "mse": scale_error(values, truth),
                "error": contradicted(found.positions, known), "own_error": found.own_error,
            })
            if (sigma, share) == _SHOWN and repeat < _CURVES:
                curve = {"estimates": normalised(values, truth)}
                if repeat == _CURVES - 1 or repeat == repeats - 1:
                    curve["truth"] = truth
                curves += [
                    {"kind": "curves", **named, "curve": name, "stimulus": x, "value": y}
                    for name, ys in curve.items() for x, y in zip(stimulus, ys, strict=True)
                ]
    return pd.concat(
        [summary(pd.DataFrame(errors), _MEASURED), pd.DataFrame(curves)], ignore_index=True
    )


def _check_errors(table: pd.DataFrame, kept: str, function: str) -> pd.DataFrame:
    return table[
        (table["kind"] == "errors") & (table["kept"] == kept) & (table["function"] == function)
    ]


def _said(rows: pd.DataFrame) -> str:
    """Errors at one noise with the fewest and with all questions."""
    sigma = rows.loc[rows["sigma"] <= _SHOWN[0], "sigma"].max()
    words = []
    for share in (rows["share"].min(), rows["share"].max()):
        at = rows[(rows["sigma"] == sigma) & (rows["share"] == share)]
        each = ", ".join(f"{row.method} {row.mse:.3f}/{row.error:.2f}" for row in at.itertuples())
        words.append(f"r = {share:g}: {each}")
    return f"MSE/triplet error, σ = {sigma:g}, {'; '.join(words)}"


def _check_not_above(parts: dict[str, pd.DataFrame], worse: str | None) -> list[str]:
    """Where a method is not clearly above each embedding, or, if None, an embedding above MLDS."""
    p_values = {}
    for place, rows in parts.items():
        for measure, words in _JUDGED.items():
            for name in EMBEDDINGS:
                pair = (worse, name) if worse else (name, "MLDS")
                p_values[f"{place}{words} of {name}"] = p_above(*gap(rows, measure, *pair))
    found = clear(p_values)
    return [name for name in p_values if name not in found]


def _check_rules(
    table: pd.DataFrame, function: str, wrong: Callable[[pd.DataFrame], list[str]]
) -> Observation:
    """Which clauses fail, by their rule of which start is kept and by ours."""
    theirs, ours = (_check_errors(table, kept, function) for kept in (LEAST_ERROR, LEAST_LOSS))
    by_theirs, by_ours = wrong(theirs), wrong(ours)
    shows = DOES_NOT_HOLD if by_theirs else HOLDS_WITH_THEIRS if by_ours else HOLDS
    listed = ", ".join((by_theirs or by_ours)[:4])
    why = f"Not so: {listed}{' and others' * (len(by_theirs or by_ours) > 4)}." if listed else (
        "It is so for each embedding, in squared and in triplet error."
    )
    if shows == HOLDS_WITH_THEIRS:
        why = f"With the start of lowest loss, not so: {listed}."
    return Observation(shows, _said(theirs), why)


def _check_sigmoid(table: pd.DataFrame) -> Observation:
    def wrong(rows: pd.DataFrame) -> list[str]:
        few = rows[rows["share"] == rows["share"].min()]
        every = rows[rows["share"] == rows["share"].max()]
        return _check_not_above({"": few}, None) + [
            f"{words} of {name} does not come level" for measure, words in _JUDGED.items()
            for name in EMBEDDINGS
            if 2 * abs(gap(every, measure, name, "MLDS")[0]) >= gap(few, measure, name, "MLDS")[0]
        ]

    return _check_rules(table, "sigmoid", wrong)


def _check_cubic(table: pd.DataFrame) -> Observation:
    return _check_rules(table, "cubic", lambda rows: _check_not_above({"": rows}, None))


def _check_each(rows: pd.DataFrame) -> list[str]:
    """Where MLDS is not clearly above an embedding, by noise."""
    rows = rows[rows["method"] != "NMDS"]
    return _check_not_above({
        f"σ = {sigma:g}, {_THAN}": own for sigma, own in rows.groupby("sigma")
    }, "MLDS")


def _check_polynomial(table: pd.DataFrame) -> Observation:
    return _check_rules(table, "polynomial", _check_each)


def _check_sinusoid(table: pd.DataFrame) -> Observation:
    def wrong(rows: pd.DataFrame) -> list[str]:
        kept = rows["kept"].iloc[0]
        other = _check_errors(table, kept, "polynomial")
        p_values = {}
        for measure, words in _JUDGED.items():
            for name in EMBEDDINGS:
                far, far_error, more = gap(other, measure, "MLDS", name)
                near, near_error, degrees = gap(rows, measure, "MLDS", name)
                p_values[f"{words} over {name} no smaller than on the polynomial"] = p_above(
                    far - near, np.hypot(far_error, near_error), min(more, degrees)
                )
        found = clear(p_values)
        return _check_each(rows) + [name for name in p_values if name not in found]

    return _check_rules(table, "sinusoid", wrong)


_STAND_IN = (
    "scales of formulas of our own at ten stimuli in place of the thesis's, of which it gives "
    "neither formula nor number of stimuli"
)


def _item(key: str, function: str, *others: str, sigmas: Sequence[float] = SIGMAS,
          **words: object) -> Item:
    return Item(
        key=key,
        setting="σ in {.01, .05, .1, .5}, r in {.2, …, 1} of the C(n, 3) triples for every method, "
        "10 repetitions, of 10 random starts the one with the lowest training error, t-STE with "
        "α = 1; n is not said (Figure 4.1 has 10 stimuli), nor the formula of the scale",
        ours="n = 10; 20 repetitions; LOE is SOE, which is its loss over triplets; both the start "
        "with the lowest training error and that with the lowest loss; NMDS begins at classical "
        "scaling; the triplet error is over all questions with a clear answer, without noise",
        experiment=scales,
        full={"functions": (function, *others), "n": 10, "sigmas": sigmas, "repeats": 20},
        quick={"shares": (0.2, 1.0)},
        stand_in=_STAND_IN,
        **words,
    )


_STARTS = "; with their setting only if it fails for the start of lowest loss."

ITEMS = (
    _item(
        "thesis-figure-4.4", "sigmoid", also=("thesis-figure-a.1",),
        title="Methods on a scale that rises: a sigmoid",
        claim="Where the scale rises with the stimulus, difference scaling (MLDS) is better than "
        "ordinal embeddings, which come level with it as more questions are asked.",
        published="MLDS lowest in MSE and triplet error; at r = 1 about the same as the embeddings",
        rule="Holds if MSE and triplet error of each embedding, averaged over noises, are at "
        "r = .2 clearly above those of MLDS (Welch's t test, 5 %, Holm), and at r = 1 less than "
        "half as far from them" + _STARTS,
        check=_check_sigmoid,
    ),
    _item(
        "thesis-figure-a.2", "cubic",
        title="Methods on another scale that rises: a cubic",
        claim="On a cubic, which rises as well, MLDS is again better than all embeddings.",
        published="MLDS lowest in MSE and triplet error",
        rule="Holds if MSE and triplet error of each embedding, averaged over noises and shares of "
        "questions, are clearly above those of MLDS (Welch's t test, 5 %, Holm)" + _STARTS,
        check=_check_cubic,
    ),
    _item(
        "thesis-figure-4.5", "polynomial", sigmas=SIGMAS[:-1],
        title="Methods on a scale that falls and rises: a second-degree polynomial",
        claim="Where the scale falls and rises again, MLDS fails, because it takes the stimuli's "
        "order for that of the scale; embeddings find the scale from as many answers.",
        published="MSE and triplet error of MLDS significantly larger",
        rule="Holds if at each σ of .01, .05 and .1, averaged over shares of questions, "
        "MSE and triplet error of MLDS are clearly above those of each embedding (Welch's t test, "
        "5 %, Holm)" + _STARTS,
        not_judged="σ = .5, which is judged under Figure A.4: the figure is of one noise, which is "
        "not said.",
        check=_check_polynomial,
    ),
    Item(
        key="thesis-figure-a.4",
        title="Methods on a second-degree polynomial, at all noises",
        claim="Squared error and triplet error show that MLDS is poor beside the embeddings where "
        "the scale falls and rises, whatever the noise.",
        published="a panel for each σ of .01, .05, .1 and .5",
        setting="As for Figure 4.5",
        rule="Holds if at each of the four σ, averaged over shares of questions, MSE and triplet "
        "error of MLDS are clearly above those of each embedding (Welch's t test, 5 %, Holm)"
        + _STARTS,
        stand_in=_STAND_IN,
        ours="As for Figure 4.5, but 80 repetitions, as neither 10 nor 20 tell at σ = .5",
        experiment=scales,
        full={"functions": ("polynomial",), "n": 10, "repeats": 80},
        quick={"sigmas": (0.05, 0.1), "shares": (0.2, 1.0), "repeats": 20},
        check=_check_polynomial,
    ),
    _item(
        "thesis-figure-a.3", "sinusoid", "polynomial",
        title="Methods on a sinusoid",
        claim="On a sinusoid, embeddings are clearly better than MLDS, though by less than on the "
        "second-degree polynomial, from which a rising scale is farther.",
        published="embeddings clearly better; the difference smaller than for the polynomial",
        rule="Holds if at each of the four σ, averaged over shares of questions, MSE "
        "and triplet error of MLDS are clearly above those of each embedding, and by clearly less "
        "than on the polynomial, over all settings (Welch's t test, 5 %, Holm for either)"
        + _STARTS,
        check=_check_sinusoid,
    ),
)
