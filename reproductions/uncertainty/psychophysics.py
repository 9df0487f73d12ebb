"""Perceived size of stimuli from pooled answers of observers who differ: figures 1, 4 and 6."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import pandas as pd

from tripletscope.core.data.triplets import Triplets
from tripletscope.core.engine.progress import Progress, silent
from tripletscope.core.inference.uncertainty import Samples, bootstrap
from tripletscope.core.models.embedding.ste import STE
from tripletscope.core.models.simulation.simulate import answer, random_questions, simulate
from tripletscope.core.models.simulation.truth import gaussian_process_observers, scale_function
from tripletscope.core.presets import PRESETS
from tripletscope.reproductions.item import (
    DOES_NOT_HOLD,
    HOLDS,
    Item,
    Observation,
)
from tripletscope.reproductions.significance import clear, p_by_ranks
from tripletscope.reproductions.uncertainty.published import StepReports

LENGTH_SCALES = (2.0, 0.88, 0.54)
_N_STIMULI, _N_OBSERVERS, _N_EACH = 20, 50, 100
#: Fifty subsamples of a tenth; all else as in the other experiments.
_PSYCHOPHYSICS = {**PRESETS["uncertainty"].options["bootstrap"], "replicates": 50, "share": 0.1}
PUBLISHED = "r = 0.1, as published"
#: Stimuli whose spread is drawn beside each other.
_SHOWN = range(2, 19, 2)
_BARS = "spread of nine stimuli"
_ERROR, _EACH = "error of the mean scale", "each repetition"
#: Standard errors that the largest of 18 dependent means exceeds at one of a thousand seeds.
_FAR = 4.0


def one_to_one(*, n_answers: int, seed: int = 0, progress: Progress = silent) -> pd.DataFrame:
    """A stimulus scale, what is perceived of it, and the scale that answers about that give."""
    stimulus = np.linspace(0.0, 1.0, 11)
    perceived = scale_function("sigmoid", stimulus)
    answers = simulate(perceived[:, None], n_answers, seed=seed)
    found = _ends_at_0_and_1(STE(n_components=1).fit(answers).embedding_[None, :, 0])[0]
    progress(1.0)
    return pd.concat([
        pd.DataFrame({"curve": curve, "x": stimulus, "y": values})
        for curve, values in (("perception", perceived), ("map of the answers", found),
                              ("stimulus", stimulus))
    ], ignore_index=True)


def _ends_at_0_and_1(scales: np.ndarray) -> np.ndarray:
    """(b, n) scales of which the first stimulus is 0 and the last one 1."""
    return (scales - scales[:, :1]) / (scales[:, -1:] - scales[:, :1])


def pooled_answers(length: float, seed: int) -> tuple[Triplets, np.ndarray]:
    """Answers of all observers, who differ the more the shorter the length scale; their functions.

    Returns: answers: 100 by each of 50 observers about 20 stimuli; functions (50, 20).
    """
    rng = np.random.default_rng(seed)
    line = np.linspace(0.0, 1.0, _N_STIMULI)
    functions = gaussian_process_observers(line, _N_OBSERVERS, length, rng)
    rows = [
        answer(own[:, None], random_questions(_N_STIMULI, _N_EACH, rng), rng) for own in functions
    ]
    return Triplets.from_array(np.concatenate(rows), _N_STIMULI), functions


def observers(
    *,
    lengths: Sequence[float],
    repeats: int,
    seed: int = 0,
    progress: Progress = silent,
) -> pd.DataFrame:
    """Mean and spread of every stimulus on the pooled scale, and of what observers perceive.

    lengths: Length scales of the Gaussian process.
    repeats: With other observers, drawn by the same random numbers for all length scales. What is
        drawn is of the first.
    """
    steps = StepReports(progress, len(lengths) * repeats)
    line = np.linspace(0.0, 1.0, _N_STIMULI)
    rows: list[dict] = []
    for length in lengths:
        for repeat in range(repeats):
            answers, functions = pooled_answers(length, seed + repeat)
            samples = bootstrap(
                STE(n_components=1), answers, seed=seed + repeat, **_PSYCHOPHYSICS
            )
            mean, sd = _places(samples)
            found = {f"S{k}": sd[k] for k in _SHOWN}
            found[_ERROR] = float(np.mean((mean - scale_of_mean(line)) ** 2))
            rows += [
                {"part": _EACH, "repeat": repeat, "length": length, "stimulus": what, "y": value}
                for what, value in found.items()
            ]
            if not repeat:
                places = _rows("map", PUBLISHED, length, line, mean, sd)
                rows += places
                rows += [{**places[k], "part": _BARS, "stimulus": f"S{k}"} for k in _SHOWN]
                spread = functions.std(axis=0, ddof=1)
                rows += _rows("process", "observers", length, line, functions.mean(axis=0), spread)
                for number, own in enumerate(functions[:5], 1):
                    rows += _rows("process", f"observer {number}", length, line, own, 0 * own)
            steps.next()
    return pd.DataFrame(rows)


def scale_of_mean(line: np.ndarray) -> np.ndarray:
    """What the mean of the process perceives of stimuli from 0 to 1."""
    return 1.0 / (1.0 + np.exp(-25.0 * (line - 0.5)))


def _places(samples: Samples) -> tuple[np.ndarray, np.ndarray]:
    scales = _ends_at_0_and_1(samples.embeddings[..., 0])
    return scales.mean(axis=0), scales.std(axis=0, ddof=1)


def _rows(
    part: str, curve: str, length: float, line: np.ndarray, mean: np.ndarray, sd: np.ndarray
) -> list[dict]:
    return [
        {"part": part, "curve": curve, "length": length, "panel": f"l = {length:g}",
         "x": x, "y": m, "spread": s}
        for x, m, s in zip(line, mean, sd, strict=True)
    ]


def _check_figure_1(table: pd.DataFrame) -> Observation:
    """The map of answers has the stimuli in order, and is that of what is perceived."""
    wide = table.pivot_table(index="x", columns="curve", values="y")
    told, found = wide["map of the answers"], wide["perception"]
    off = {
        name: float(np.sqrt(np.mean((told - wide[name]) ** 2)))
        for name in ("perception", "stimulus")
    }
    fifth, tenth = (
        [abs(own.iloc[k] - place) for own in (found, told)] for k, place in ((4, 0.5), (9, 1.0))
    )
    ours = (
        f"stimulus 5 is 0.10 from the middle, perceived {fifth[0]:.2f} from it and mapped "
        f"{fifth[1]:.2f}; stimulus 10 is 0.10 from 1, {tenth[0]:.2f} and {tenth[1]:.2f}; the map "
        f"is off by {off['perception']:.3f} from perception, {off['stimulus']:.3f} from the "
        "stimulus"
    )
    in_order = bool((np.diff(told) > 0).all())
    if in_order and off["perception"] < off["stimulus"] and min(fifth) > 0.1 > max(tenth):
        return Observation(
            HOLDS, ours, "A map of answers shows stimuli where they are perceived: in order, far "
            "apart near the middle, close together near the ends.",
        )
    return Observation(
        DOES_NOT_HOLD, ours, "The map does not show what is perceived." if in_order else
        "The map does not have the stimuli in their order.",
    )


def _rising(first: pd.DataFrame, second: pd.DataFrame) -> dict[str, float]:
    """By column, the probability of so clear a rise in pairs of rows (Wilcoxon), if none is."""
    return {
        name: p_by_ranks(second[name], first[name]) for name in first
    }


def _check_figure_4(table: pd.DataFrame) -> Observation:
    """With each shorter length scale, every stimulus is less certain and the scale farther off."""
    each = table[table["part"] == _EACH].pivot_table(
        index=["length", "repeat"], columns="stimulus", values="y"
    )
    lengths = sorted(each.index.unique("length"), reverse=True)
    p_values = {
        (what, shorter): p for longer, shorter in pairwise(lengths)
        for what, p in _rising(each.loc[longer], each.loc[shorter]).items()
    }
    level = [name for name in p_values if name not in clear(p_values)]
    mean = each.groupby("length").mean().loc[lengths]
    error, sd = mean.pop(_ERROR), mean.mean(axis=1)
    ours = (
        f"mean s.d. of the stimuli {_listed(sd, 3)}, mean squared error {_listed(error, 4)} for l "
        f"= {', '.join(f'{x:g}' for x in lengths)}; {len(p_values) - len(level)} of "
        f"{len(p_values)} rises are clear over {len(each) // len(lengths)} repetitions"
    )
    if level:
        words = ", ".join(f"{what} at l = {length:g}" for what, length in level)
        return Observation(
            DOES_NOT_HOLD, ours, "Not clearly higher than with the next longer length scale: "
            f"{words}.",
        )
    return Observation(
        HOLDS, ours, "With every shorter length scale all stimuli shown are less certain and the "
        "mean scale is farther off.",
    )


def _listed(values: pd.Series, digits: int) -> str:
    return " / ".join(f"{v:.{digits}f}" for v in values)


def _check_figure_6(table: pd.DataFrame) -> Observation:
    """Observers agree at the ends and differ about the logistic; error bars grow with that."""
    of_curve = {
        name: table[(table["part"] == part) & (table["curve"] == name)].pivot_table(
            index="x", columns="length", values=["y", "spread"]
        ) for name, part in (("observers", "process"), (PUBLISHED, "map"))
    }
    spread, bars = (own["spread"].iloc[:, ::-1] for own in of_curve.values())
    process = of_curve["observers"]["y"]
    ends, inner = spread.iloc[[0, -1]].to_numpy().max(), slice(1, -1)
    off = process.sub(scale_of_mean(process.index.to_numpy()), axis=0).abs()
    far = (off / (spread / np.sqrt(_N_OBSERVERS))).iloc[inner].to_numpy().max()
    p_values = {
        f"l = {shorter:g}": p_by_ranks(bars[shorter][inner], bars[longer][inner])
        for longer, shorter in pairwise(bars.columns)
    }
    level = [length for length in p_values if length not in clear(p_values)]
    ours = (
        f"s.d. over observers {_listed(spread.mean(), 2)}, error bars {_listed(bars.mean(), 3)} "
        f"for l = {', '.join(f'{x:g}' for x in bars.columns)}; the mean observer is at most "
        f"{far:.1f} standard errors from the logistic"
    )
    wrong = [words for words, so in (
        ("observers do not meet at the ends", ends >= 1e-3),
        ("the mean observer is not on the logistic", far > _FAR),
        (f"error bars are not clearly wider at {' and '.join(level)}", level),
    ) if so]
    if wrong:
        return Observation(DOES_NOT_HOLD, ours, f"Not as claimed: {'; '.join(wrong)}.")
    return Observation(
        HOLDS, ours, "All observers meet at 0 and at 1 and vary about the logistic, and the error "
        "bars of the map are clearly wider with each shorter length scale.",
    )


def observer_answers() -> Triplets:
    return pooled_answers(0.54, 0)[0]


_SETTING = (
    "20 stimuli, 50 observers of 100 answers, each a draw of a Gaussian process about a logistic "
    "with length scale 2, .88 or .54; STE in one dimension, bootstrap of 50 times 10 %, scales "
    "from 0 to 1"
)

ITEMS = (
    Item(
        key="uncertainty-figure-1",
        title="Stimulus and perception",
        claim="Equal steps of a stimulus need not be perceived as equal, and what answers tell is "
        "the perceived places.",
        published="Stimulus 5 is .1 from the middle and perceived .2 from it; stimulus 10 is "
        "perceived closer to 1",
        setting="A drawing of a sigmoid",
        ours="the product's sigmoid, and a map of answers without noise about it",
        experiment=one_to_one, full={"n_answers": 1000}, check=_check_figure_1,
        rule="Holds if a map of 1,000 answers has the eleven stimuli in their order, shows the "
        "fifth more than .1 from the middle and the tenth less than .1 from 1, as they are "
        "perceived, and is nearer to perception than to the stimulus in the mean square.",
    ),
    Item(
        key="uncertainty-figure-4",
        title="Point uncertainty when observers differ",
        claim="The more observers differ in what they perceive, the more uncertain is every "
        "stimulus on their common scale, and the farther off is the mean scale.",
        published="Spread of nine stimuli and error of the mean scale rise as l falls from 2 over "
        ".88 to .54",
        setting=_SETTING, ours="20 repetitions in place of one", experiment=observers,
        full={"lengths": LENGTH_SCALES, "repeats": 20},
        quick={"lengths": (2.0, 0.54), "repeats": 10},
        check=_check_figure_4,
        rule="Holds if from l = 2 to .88 and from there to .54 the standard deviation of each of "
        "the nine stimuli and the squared error of the mean scale rise in pairs of repetitions "
        "with the same random numbers (Wilcoxon, one-sided, 5 % for all 20 rises together by "
        "Holm).",
    ),
    Item(
        key="uncertainty-figure-6",
        title="Observers of a Gaussian process, and scales with error bars",
        claim="Observers drawn from a Gaussian process about a logistic agree at both ends and "
        "differ between, and the error bars of their common scale are wider for shorter l.",
        published="Mean and standard deviation of the process at l = .54; wider error bars for "
        "shorter l",
        setting=_SETTING, experiment=observers,
        full={"lengths": LENGTH_SCALES, "repeats": 1}, check=_check_figure_6,
        rule="Holds if observers differ by a standard deviation below .001 at both ends, their "
        "mean is within four standard errors of the logistic at every stimulus, and the error "
        "bars of the 18 inner stimuli widen from l = 2 to .88 and from there to .54 (Wilcoxon over "
        "stimuli, one-sided, 5 % together by Holm).",
        not_judged="Whether other observers' bars would widen: a pair is one stimulus at two "
        "length scales, and all 18 at a length scale are on one map of one set of observers, so "
        "that they are not independent as the test takes them to be; the five seeds are.",
    ),
)
