"""Perceived size of stimuli from pooled answers of observers who differ: figures 1, 4 and 6."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from tripletscope.core.computing.progress import Progress, silent
from tripletscope.core.data.triplets import Triplets
from tripletscope.core.embedding.ste import STE
from tripletscope.core.presets import PRESETS
from tripletscope.core.simulation.simulate import answer, random_questions, simulate
from tripletscope.core.simulation.truth import gaussian_process_observers, scale_function
from tripletscope.core.uncertainty import Samples, bootstrap
from tripletscope.reproductions.item import (
    DOES_NOT_HOLD,
    HOLDS,
    Item,
    Observation,
)
from tripletscope.reproductions.uncertainty.published import StepReports, spread_of

LENGTH_SCALES = (2.0, 0.88, 0.54)
_N_STIMULI, _N_OBSERVERS, _N_EACH = 20, 50, 100
#: Fifty subsamples of a tenth; all else as in the other experiments.
_PSYCHOPHYSICS = {**PRESETS["uncertainty"].options["bootstrap"], "replicates": 50, "share": 0.1}
PUBLISHED, OURS = "r = 0.1, as published", "bootstrap by default"
#: Stimuli whose spread is drawn beside each other.
_SHOWN = range(2, 19, 2)
_BARS = "spread of nine stimuli"


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

    Parameters
    ----------
    length : float
    seed : int

    Returns
    -------
    answers : Triplets
        100 by each of 50 observers about 20 stimuli.
    functions : ndarray, shape (50, 20)
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

    Parameters
    ----------
    lengths : sequence of float
        Length scales of the Gaussian process.
    repeats : int
        With other observers; places and spreads are the first ones', their summaries all.
    seed : int
    progress : Progress
    """
    steps = StepReports(progress, len(lengths) * repeats)
    line = np.linspace(0.0, 1.0, _N_STIMULI)
    rows, summaries = [], []
    for length in lengths:
        for repeat in range(repeats):
            answers, functions = pooled_answers(length, seed + repeat)
            drawn = {
                PUBLISHED: bootstrap(
                    STE(n_components=1), answers, seed=seed + repeat, **_PSYCHOPHYSICS
                ),
                OURS: bootstrap(STE(n_components=1), answers, replicates=50, seed=seed + repeat),
            }
            for curve, samples in drawn.items():
                mean, sd = _places(samples)
                centre = scale_of_mean(line)
                summaries.append((curve, length, sd.mean(), np.mean((mean - centre) ** 2)))
                if not repeat:
                    places = _rows("map", curve, length, line, mean, sd)
                    rows += places
                    rows += [{**places[k], "part": _BARS, "stimulus": f"S{k}"} for k in _SHOWN]
            if not repeat:
                spread = functions.std(axis=0, ddof=1)
                rows += _rows("process", "observers", length, line, functions.mean(axis=0), spread)
                for number, own in enumerate(functions[:5], 1):
                    rows += _rows("process", f"observer {number}", length, line, own, 0 * own)
            steps.next()
    table = pd.DataFrame(summaries, columns=["curve", "length", "sd", "error"])
    for (curve, length), own in table.groupby(["curve", "length"], sort=False):
        for quantity in ("sd", "error"):
            rows.append({
                "part": quantity, "curve": curve, "length": length, "panel": f"l = {length:g}",
                "x": length, "y": own[quantity].mean(), "spread": spread_of(own[quantity]),
            })
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
    """The map of answers is that of what is perceived, not of the stimulus."""
    wide = table.pivot_table(index="x", columns="curve", values="y")
    off = {
        name: float(np.sqrt(np.mean((wide["map of the answers"] - wide[name]) ** 2)))
        for name in ("perception", "stimulus")
    }
    fifth = abs(wide["perception"].iloc[4] - 0.5)
    ours = (
        f"stimulus 5 is 0.10 from the middle and perceived {fifth:.2f} from it; the map is off by "
        f"{off['perception']:.3f} from perception, {off['stimulus']:.3f} from the stimulus"
    )
    if fifth > 0.1 and off["perception"] < off["stimulus"]:
        return Observation(
            HOLDS, ours, "Stimuli near the middle are perceived as farther apart than they are, "
            "and a map of answers lies nearer to perception than to the stimulus.",
        )
    return Observation(DOES_NOT_HOLD, ours, "The map is no nearer to perception than to stimuli.")


def _summary(table: pd.DataFrame, part: str, curve: str) -> pd.Series:
    """By length scale, longest first."""
    own = table[(table["part"] == part) & (table["curve"] == curve)]
    return own.set_index("length")["y"].sort_index(ascending=False)


def _check_figure_4(table: pd.DataFrame) -> Observation:
    """With shorter length scales, spread and error of the mean scale rise."""
    sd, error = (_summary(table, part, PUBLISHED) for part in ("sd", "error"))
    own = _summary(table, "sd", OURS)
    shown = table[(table["part"] == _BARS) & (table["curve"] == PUBLISHED)]
    by_stimulus = shown.pivot_table(index="stimulus", columns="length", values="spread")
    rising = int((by_stimulus.to_numpy()[:, 0] > by_stimulus.to_numpy()[:, -1]).sum())
    ours = (
        f"mean s.d. {_listed(sd, 3)}, mean squared error {_listed(error, 4)} for l = "
        f"{', '.join(f'{x:g}' for x in sd.index)}; s.d. by our default {_listed(own, 4)}; at "
        f"{rising} of {len(by_stimulus)} stimuli that of the shortest is larger than the longest's"
    )
    if not (np.diff(sd) > 0).all() or error.iloc[-1] <= error.iloc[0]:
        return Observation(
            DOES_NOT_HOLD, ours, "Spread or error do not rise as observers differ more."
        )
    if rising < len(by_stimulus):
        return Observation(
            DOES_NOT_HOLD, ours, "The mean spread rises as observers differ more, but not that of "
            "every stimulus.",
        )
    return Observation(
        HOLDS, ours, "The shorter the length scale, the more observers differ and the larger is "
        "the mean spread of stimuli; with the shortest, every stimulus shown is less certain than "
        "with the longest, and the mean scale is farther off.",
    )


def _listed(values: pd.Series, digits: int) -> str:
    return " / ".join(f"{v:.{digits}f}" for v in values)


def _check_figure_6(table: pd.DataFrame) -> Observation:
    """Observers agree at the ends, and both they and the error bars spread with shorter scales."""
    process = table[(table["part"] == "process") & (table["curve"] == "observers")]
    ends = process[process["x"].isin([0.0, 1.0])]["spread"].max()
    between = process.groupby("length")["spread"].mean().sort_index(ascending=False)
    bars = table[(table["part"] == "map") & (table["curve"] == PUBLISHED)]
    bars = bars.groupby("length")["spread"].mean().sort_index(ascending=False)
    ours = (
        f"s.d. over observers {_listed(between, 2)}, error bars {_listed(bars, 3)} for l = "
        f"{', '.join(f'{x:g}' for x in bars.index)}"
    )
    if ends < 1e-3 and (np.diff(between) > 0).all() and (np.diff(bars) > 0).all():
        return Observation(
            HOLDS, ours, "All observers meet at 0 and at 1, and the error bars of the map grow "
            "with the differences between them.",
        )
    return Observation(
        DOES_NOT_HOLD, ours, "Observers do not meet at the ends, or error bars do not grow with "
        "the differences between them.",
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
    ),
    Item(
        key="uncertainty-figure-4",
        title="Point uncertainty when observers differ",
        claim="The more observers differ in what they perceive, the more uncertain is every "
        "stimulus on their common scale.",
        published="Spread of nine stimuli and error of the mean scale rise as l falls from 2 over "
        ".88 to .54",
        setting=_SETTING, experiment=observers,
        full={"lengths": LENGTH_SCALES, "repeats": 5}, quick={"repeats": 1},
        check=_check_figure_4,
    ),
    Item(
        key="uncertainty-figure-6",
        title="Observers of a Gaussian process, and scales with error bars",
        claim="Observers drawn from a Gaussian process agree at both ends and differ between, and "
        "the error bars of their common scale show by how much.",
        published="Mean and standard deviation of the process at l = .54; wider error bars for "
        "shorter l",
        setting=_SETTING, experiment=observers,
        full={"lengths": LENGTH_SCALES, "repeats": 1}, check=_check_figure_6,
    ),
)
