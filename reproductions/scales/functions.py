"""Figures 4.4, 4.5 and A.1 to A.4: scales of one dimension, rising or not, by every method."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pandas as pd

from tripletscope.core.computing.progress import Progress, part, silent
from tripletscope.core.scale.ordinal import normalised, scale_error
from tripletscope.core.simulation.truth import scale_function
from tripletscope.reproductions.item import (
    DOES_NOT_HOLD,
    HOLDS,
    HOLDS_WITH_THEIRS,
    Item,
    Observation,
)
from tripletscope.reproductions.scales.observer import (
    LEAST_ERROR,
    LEAST_LOSS,
    SHARES,
    SIGMAS,
    clear_answers,
    contradicted,
    runs,
    summary,
)

EMBEDDINGS = ("STE", "t-STE", "LOE")
#: What is measured of every estimate.
_MEASURED = ("mse", "error", "own_error")
#: Where the estimated curves are shown, and how many.
_SHOWN, _CURVES = (0.1, 1.0), 10
#: Up to this noise a scale can be seen at all; at 0.5 it is half as long as the whole scale.
_CLEAR = 0.1


def scales(
    *, functions: Sequence[str], sizes: Sequence[int], sigmas: Sequence[float] = SIGMAS,
    shares: Sequence[float] = SHARES, repeats: int = 10, seed: int = 0,
    progress: Progress = silent,
) -> pd.DataFrame:
    """Errors of every method against the share of the triples that were asked, and curves.

    Parameters
    ----------
    functions : sequence of {"sigmoid", "cubic", "polynomial", "sinusoid"}
    sizes : sequence of int
        Numbers of stimuli.
    sigmas, shares : sequence of float
    repeats : int
    seed : int
    progress : Progress

    Returns
    -------
    DataFrame
        Rows of ``kind`` "errors": mean and standard deviation over the repeats of the mean
        squared error (``mse``), of the share of all questions that have an answer which the
        estimate answers otherwise than the truth (``error``), and of the noisy answers it learned
        from which it contradicts (``own_error``). Rows of ``kind`` "curves": ``value`` at
        ``stimulus``; ``curve`` is "estimates", of all runs, or "truth".
    """
    errors, curves = [], []
    truths = [(function, n) for function in functions for n in sizes]
    for k, (function, n) in enumerate(truths):
        stimulus = np.linspace(0.0, 1.0, n)
        truth = scale_function(function, stimulus)
        clear = clear_answers(truth[:, None])
        for sigma, share, repeat, found in runs(
            truth[:, None], sigmas=sigmas, shares=shares, repeats=repeats, seed=seed,
            progress=part(progress, k / len(truths), (k + 1) / len(truths)),
        ):
            named = {"function": function, "n": n, "sigma": sigma, "share": share,
                     "method": found.method, "kept": found.kept}
            values = found.positions[:, 0]
            errors.append({
                **named, "repeat": repeat, "mse": scale_error(values, truth),
                "error": contradicted(found.positions, clear), "own_error": found.own_error,
            })
            if (sigma, share) == _SHOWN and n == sizes[0] and repeat < _CURVES:
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


def advantage(
    table: pd.DataFrame, measure: str, over: Sequence[str] = EMBEDDINGS
) -> tuple[float, float]:
    """By how much MLDS is below other methods, and the standard error of that.

    Parameters
    ----------
    table : DataFrame
        Rows of `scales` with the settings that are averaged over.
    measure : {"mse", "error", "own_error"}
    over : sequence of str
        The other methods.
    """
    index = ["function", "n", "sigma", "share"]
    means = table.pivot_table(index=index, columns="method", values=measure)
    variances = table.assign(variance=table[f"{measure}_sd"] ** 2 / table["repeats"]).pivot_table(
        index=index, columns="method", values="variance"
    )
    others = list(over)
    gap = means[others].mean(axis=1) - means["MLDS"]
    variance = variances[others].sum(axis=1) / len(others) ** 2 + variances["MLDS"]
    return float(gap.mean()), float(np.sqrt(variance.sum()) / len(variance))


def _errors(table: pd.DataFrame, kept: str, function: str) -> pd.DataFrame:
    return table[
        (table["kind"] == "errors") & (table["kept"] == kept) & (table["function"] == function)
    ]


def _said(rows: pd.DataFrame) -> str:
    """Errors at one noise with the fewest and with all questions, for the fewest stimuli."""
    rows = rows[rows["n"] == rows["n"].min()]
    sigma = rows.loc[rows["sigma"] <= _CLEAR, "sigma"].max()
    words = []
    for share in (rows["share"].min(), rows["share"].max()):
        at = rows[(rows["sigma"] == sigma) & (rows["share"] == share)]
        each = ", ".join(f"{row.method} {row.mse:.3f}/{row.error:.2f}" for row in at.itertuples())
        words.append(f"r = {share:g}: {each}")
    return (
        f"MSE/triplet error, {int(rows['n'].iloc[0])} stimuli, σ = {sigma:g}, {'; '.join(words)}"
    )


def _rises(rows: pd.DataFrame, level: bool) -> bool:
    """Whether MLDS is below the embeddings, clearly so with few questions; and level with all."""
    few, every = rows["share"].min(), rows["share"].max()
    for measure in ("mse", "error"):
        gaps = {
            share: advantage(rows[rows["share"] == share], measure) for share in (few, every)
        }
        if gaps[few][0] < 2 * gaps[few][1] or gaps[every][0] < -2 * gaps[every][1]:
            return False
        if level and gaps[every][0] > gaps[few][0] / 2:
            return False
    return True


def _check_rising(function: str, level: bool) -> Callable[[pd.DataFrame], Observation]:
    def check(table: pd.DataFrame) -> Observation:
        theirs = _errors(table, LEAST_ERROR, function)
        verdict = _verdict(
            _rises(theirs, level), _rises(_errors(table, LEAST_LOSS, function), level)
        )
        few = theirs[theirs["share"] == theirs["share"].min()]
        every = theirs[theirs["share"] == theirs["share"].max()]
        gaps = [advantage(rows, "mse")[0] for rows in (few, every)]
        own = advantage(few, "own_error")[0]
        more = "MLDS" if own < 0 else "an embedding"
        return Observation(
            verdict, _said(theirs),
            f"Averaged over noises, the embeddings' MSE is {_than(gaps[0])} than that of MLDS with "
            f"the fewest questions and {_than(gaps[1])} with as many as there are triples; of the "
            "answers learned from, which the thesis's definition of the triplet error also "
            f"allows, {more} contradicts {abs(own):.2f} more with the fewest questions.",
        )
    return check


def _than(gap: float) -> str:
    return f"{abs(gap):.3f} {'higher' if gap >= 0 else 'lower'}"


def _turns(rows: pd.DataFrame) -> bool:
    """Whether MLDS is above every embedding with all questions at all clear noises."""
    rows = rows[(rows["share"] == rows["share"].max()) & (rows["sigma"] <= _CLEAR)]
    for _, own in rows.groupby(["n", "sigma"]):
        for measure in ("mse", "error"):
            for name in EMBEDDINGS:
                gap, deviation = advantage(own, measure, (name,))
                if gap > -2 * deviation:
                    return False
    return True


def _excess(table: pd.DataFrame, function: str) -> float:
    """By how much MLDS's squared error is above the embeddings', at clear noises."""
    rows = _errors(table, LEAST_ERROR, function)
    rows = rows[(rows["share"] == rows["share"].max()) & (rows["sigma"] <= _CLEAR)]
    return -advantage(rows, "mse")[0]


def _check_turning(table: pd.DataFrame) -> Observation:
    function = table["function"].iloc[0]
    theirs = _errors(table, LEAST_ERROR, function)
    holds = [_turns(_errors(table, kept, function)) for kept in (LEAST_ERROR, LEAST_LOSS)]
    why = (
        f"With as many questions as there are triples and σ up to {_CLEAR:g}, MLDS's MSE is "
        f"{_excess(table, function):.3f} above the embeddings'"
    )
    if "polynomial" in set(table["function"]) and function != "polynomial":
        other = _excess(table, "polynomial")
        holds = [one and _excess(table, function) < other for one in holds]
        why += f", on the polynomial {other:.3f}"
    loud = theirs[(theirs["share"] == theirs["share"].max()) & (theirs["sigma"] > _CLEAR)]
    if len(loud):
        gap, deviation = advantage(loud, "error")
        difference = "still more" if gap < -2 * deviation else "no longer more"
        why += f"; at σ = {loud['sigma'].max():g} it errs {difference} often than they"
    return Observation(_verdict(*holds), _said(theirs), f"{why}.")


def _verdict(with_theirs: bool, with_ours: bool) -> str:
    if with_theirs:
        return HOLDS if with_ours else HOLDS_WITH_THEIRS
    return DOES_NOT_HOLD


def _item(key: str, function: str, *others: str, **words: object) -> Item:
    sizes = (10, 20)
    return Item(
        key=key,
        setting="σ in {.01, .05, .1, .5}, r in {.2, …, 1} of the C(n, 3) triples for every method, "
        "10 repetitions, of 10 random starts the one with the lowest training error, t-STE with "
        "α = 1; n is not said (Figure 4.1 has 10 stimuli), nor the formula of the scale",
        ours="n = 10 and 20; LOE is SOE, which is its loss over triplets; both the start with the "
        "lowest training error and that with the lowest loss; NMDS begins at classical scaling; "
        "the triplet error is over all questions with a clear answer, without noise",
        experiment=scales, full={"functions": (function, *others), "sizes": sizes},
        quick={"sizes": sizes[:1], "sigmas": (0.05, 0.1, 0.5), "shares": (0.2, 1.0),
               "repeats": 5},
        **words,
    )


ITEMS = (
    _item(
        "thesis-figure-4.4", "sigmoid", also=("thesis-figure-a.1",),
        title="Methods on a scale that rises: a sigmoid",
        claim="Where the scale rises with the stimulus, difference scaling (MLDS) is better than "
        "ordinal embeddings, which come level with it as more questions are asked.",
        published="MLDS lowest in MSE and triplet error; at r = 1 about the same as the embeddings",
        check=_check_rising("sigmoid", level=True),
    ),
    _item(
        "thesis-figure-a.2", "cubic",
        title="Methods on another scale that rises: a cubic",
        claim="On a cubic, which rises as well, MLDS is again better than all embeddings.",
        published="MLDS lowest in MSE and triplet error",
        check=_check_rising("cubic", level=False),
    ),
    _item(
        "thesis-figure-4.5", "polynomial", also=("thesis-figure-a.4",),
        title="Methods on a scale that falls and rises: a second-degree polynomial",
        claim="Where the scale falls and rises again, MLDS fails, because it takes the stimuli's "
        "order for that of the scale; embeddings find the scale from as many answers.",
        published="MSE and triplet error of MLDS significantly larger",
        check=_check_turning,
    ),
    _item(
        "thesis-figure-a.3", "sinusoid", "polynomial",
        title="Methods on a sinusoid",
        claim="On a sinusoid, embeddings are clearly better than MLDS, though by less than on the "
        "second-degree polynomial, from which a rising scale is farther.",
        published="embeddings clearly better; the difference smaller than for the polynomial",
        check=_check_turning,
    ),
)
