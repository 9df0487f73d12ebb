"""Counting the maps in which an answer is true, against the paper's certainty: section 3.3."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from tripletscope.core.data.geometry import distances
from tripletscope.core.data.triplets import Triplets
from tripletscope.core.engine.progress import Progress, silent
from tripletscope.core.models.embedding.ste import STE
from tripletscope.core.models.optimise.loss import margins
from tripletscope.core.models.simulation.simulate import comparisons_of
from tripletscope.core.models.simulation.truth import true_positions
from tripletscope.reproductions.item import (
    DOES_NOT_HOLD,
    HOLDS,
    Item,
    Observation,
)
from tripletscope.reproductions.significance import clear, p_by_ranks
from tripletscope.reproductions.uncertainty.published import (
    BOOTSTRAP,
    DRAWS,
    SHORT_CHAIN,
    StepReports,
    share_of_answers,
)

_N_OBJECTS = 50


def votes(
    *, shares: Sequence[float], repeats: int, seed: int = 0, progress: Progress = silent
) -> pd.DataFrame:
    """Mean squared error of votes and of equation 4 on all true answers, for each repetition.

    shares: Of all comparisons, which are answered without noise.
    repeats: With answers of their own about the same objects.
    """
    truth = true_positions("mixture", _N_OBJECTS, 2, np.random.default_rng(seed))
    true = comparisons_of(distances(truth))
    steps = StepReports(progress, 2 * len(shares) * repeats)
    rows = []
    for source in (BOOTSTRAP, SHORT_CHAIN):
        for share in shares:
            for repeat in range(repeats):
                answers = share_of_answers(truth, share, 0.0, seed + 1 + repeat)
                samples = DRAWS[source](STE(), answers, seed + repeat)
                vote = np.mean([margins(at, true) > 0 for at in samples.embeddings], axis=0)
                model = samples.comparisons.probability(Triplets.from_array(true, _N_OBJECTS))
                rows.append({
                    "source": source, "share": 100 * share, "answers": f"{100 * share:g} %",
                    "repeat": repeat, "vote": np.mean((1.0 - vote) ** 2),
                    "equation 4": np.mean((1.0 - model) ** 2),
                    "vote wrong": np.mean(vote < 0.5) + np.mean(vote == 0.5) / 2.0,
                    "equation 4 wrong": np.mean(model < 0.5) + np.mean(model == 0.5) / 2.0,
                })
                steps.next()
    return pd.DataFrame(rows)


def _check(table: pd.DataFrame) -> Observation:
    """Whether votes are clearly farther off at every number of answers, from both sources."""
    p_values, told = {}, []
    for (source, share), own in table.groupby(["source", "share"]):
        p_values[source, share] = p_by_ranks(own["vote"], own["equation 4"])
        mean = own[["vote", "equation 4", "vote wrong", "equation 4 wrong"]].mean()
        told.append(
            f"{source}, {share:g} %: {mean['vote']:.3f} against {mean['equation 4']:.3f} (wrong "
            f"{mean['vote wrong']:.3f}, {mean['equation 4 wrong']:.3f})"
        )
    level = [place for place in p_values if place not in clear(p_values)]
    ours = f"mean squared error of votes against equation 4: {'; '.join(told)}"
    if level:
        return Observation(
            DOES_NOT_HOLD, ours, "Votes are not clearly farther off with " + ", ".join(
                f"{share:g} % of all answers ({source})" for source, share in level
            ) + ".",
        )
    return Observation(HOLDS, ours, "Votes are clearly farther off at every number of answers.")


ITEMS = (
    Item(
        key="uncertainty-section-3.3",
        title="The majority vote of maps",
        claim="Counting in how many maps an answer is true is a bad estimate of its certainty, "
        "compared to equation 4, which takes distances into account.",
        published="leads to bad results; no figures",
        setting="As in figures 2 and 3: three normal clouds, n = 50, no noise; bootstrap of 20 "
        "times 40 %, one chain of 500 draws",
        ours="three numbers of answers, ten sets of each; estimates are judged by their mean "
        "squared error on all true answers, as the text does not say by what",
        experiment=votes, full={"shares": (0.005, 0.02, 0.1), "repeats": 10},
        quick={"shares": (0.005,), "repeats": 8}, check=_check,
        rule="Holds if the share of maps in which an answer is true has a larger mean squared "
        "error on all true answers than equation 4, in pairs of ten repetitions at every number of "
        "answers, by the bootstrap and by the published chain (Wilcoxon, one-sided, 5 % together "
        "by Holm).",
        not_judged="Other results than this error, and that it is for the distances which the vote "
        "ignores.",
    ),
)
