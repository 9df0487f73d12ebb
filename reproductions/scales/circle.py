"""Figures 4.3, 4.6 and A.5: perception that takes two dimensions, as of colours and of pitch."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from tripletscope.core.data.geometry import distances, procrustes, procrustes_disparity
from tripletscope.core.data.triplets import Triplets
from tripletscope.core.engine.progress import Progress, Stopped, silent
from tripletscope.core.models.embedding import NMDS
from tripletscope.core.models.simulation.simulate import answer, random_questions
from tripletscope.core.models.simulation.truth import true_positions
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
    published_embeddings,
    questions,
    runs,
    summary,
)
from tripletscope.reproductions.significance import clear, p_above

_SIMILARITIES = (
    Path(__file__).resolve().parents[2] / "sample_data" / "ekman_colors" / "similarity.csv"
)
_MEASURED = ("error", "disparity", "neighbours")
#: What is shown as a map, and judged.
_SIGMA, _SHARE = 0.1, 1.0
#: Of the helix.
_AXES = ("chroma 1", "chroma 2", "height")
_SHADES = ((480, "violet, blue"), (570, "green"), (605, "yellow, orange"), (700, "red"))


def similarities() -> pd.DataFrame:
    """Ekman's mean similarities of 14 spectral colours, 0 to 1; rows and columns in nm."""
    table = pd.read_csv(_SIMILARITIES, index_col=0)
    table.columns = table.columns.astype(int)
    return table


def colour_circle() -> np.ndarray:
    """(14, 2) non-metric scaling of Ekman's colours, in a square of side 1."""
    similar = similarities().to_numpy(float)
    found = NMDS(n_components=2).fit_dissimilarities(similar.max() - similar).embedding_
    return (found - found.min(axis=0)) / np.ptp(found, axis=0).max()


def kept_neighbours(positions: np.ndarray) -> float:
    """Share of the objects that stand beside their successor on the way around the middle."""
    x, y = (positions - positions.mean(axis=0)).T
    place = np.argsort(np.argsort(np.arctan2(y, x)))
    step = np.abs(np.diff(place))
    return float(np.mean(np.minimum(step, len(place) - step) == 1))


def circle(
    *, sigmas: Sequence[float] = SIGMAS, shares: Sequence[float] = SHARES, repeats: int = 10,
    judged: int = 10, seed: int = 0, progress: Progress = silent,
) -> pd.DataFrame:
    """Errors of every method on the colour circle, and maps of one run.

    What is judged is measured in `judged` repetitions, other noises and shares in `repeats`.

    Returns: Rows of ``kind`` "errors": mean and standard deviation of the share of all questions
        answered otherwise than by the truth (``error``), of the share of the truth's shape that the
        map misses (``disparity``) and of the neighbours on the circle that it keeps. Rows of
        ``kind`` "map": colours at ``x`` and ``y`` of the truth and of maps turned to it.
    """
    truth = colour_circle()
    known = clear_answers(truth)
    errors, maps = [], _map("truth", truth)
    for sigma, share, repeat, found in runs(
        truth, sigmas=sigmas, shares=shares, repeats=repeats, more={(_SIGMA, _SHARE): judged},
        seed=seed, progress=progress,
    ):
        flat = found.positions.shape[1] == 1
        errors.append({
            "sigma": sigma, "share": share, "method": found.method, "kept": found.kept,
            "repeat": repeat, "error": contradicted(found.positions, known),
            "disparity": np.nan if flat else procrustes_disparity(found.positions, truth),
            "neighbours": np.nan if flat else kept_neighbours(found.positions),
        })
        shown = found.kept == LEAST_ERROR and repeat == 0 and not flat
        if shown and (sigma, share) == (_SIGMA, _SHARE):
            maps += _map(found.method, procrustes(found.positions, truth)(found.positions))
    return pd.concat(
        [summary(pd.DataFrame(errors), _MEASURED), pd.DataFrame(maps)], ignore_index=True
    )


def _map(name: str, positions: np.ndarray) -> list[dict]:
    return [
        {"kind": "map", "panel": name, "x": x, "y": y, "nm": nm,
         "shade": next(shade for limit, shade in _SHADES if nm < limit)}
        for (x, y), nm in zip(positions, similarities().columns, strict=True)
    ]


def _check_wrong(table: pd.DataFrame, kept: str) -> list[str]:
    """Which comparisons are not clear, by one rule of which start is kept."""
    rows = table[
        (table["kind"] == "errors") & (table["kept"] == kept)
        & (table["sigma"] == _SIGMA) & (table["share"] == _SHARE)
    ]
    p_values = {
        f"{worse} errs no more often than {better}": p_above(*gap(rows, "error", worse, better))
        for worse in ("NMDS", "MLDS") for better in EMBEDDINGS
    }
    p_values["NMDS misses no more of the shape than STE"] = p_above(
        *gap(rows, "disparity", "NMDS", "STE")
    )
    found = clear(p_values)
    return [name for name in p_values if name not in found]


def _check_circle(table: pd.DataFrame) -> Observation:
    theirs, ours = (_check_wrong(table, kept) for kept in (LEAST_ERROR, LEAST_LOSS))
    rows = table[
        (table["kind"] == "errors") & (table["kept"] == LEAST_ERROR) & (table["share"] == _SHARE)
    ]
    said = "; ".join(
        f"{row['method']} {row['error']:.3f}" + (
            "" if np.isnan(row["disparity"]) else f" ({row['disparity']:.3f} of the shape missed)"
        ) for _, row in rows[rows["sigma"] == _SIGMA].iterrows()
    )
    why = f"Not so: {'; '.join(theirs)}" if theirs else (
        "It is so for each embedding" if not ours else
        f"With the start of lowest loss, not so: {'; '.join(ours)}"
    )
    best = ", ".join(
        f"{own.loc[own['error'].idxmin(), 'method']} at σ = {sigma:g}"
        for sigma, own in rows[rows["sigma"] != _SIGMA].groupby("sigma")
    )
    return Observation(
        DOES_NOT_HOLD if theirs else HOLDS_WITH_THEIRS if ours else HOLDS,
        f"triplet error at σ = .1, r = 1: {said}",
        f"{why}{'; least errs at other noises: ' * bool(best)}{best}.",
    )


def two_dimensions(
    *, tones: int = 25, answers: int = 2_300, seed: int = 0, progress: Progress = silent
) -> pd.DataFrame:
    """Ekman's circle by non-metric scaling, and the pitch helix from answers, with what it takes.

    Returns: Rows of ``kind`` "map": positions of colours. Rows of ``kind`` "helix": ``value`` of
        the tones on the three axes of the helix, for the truth and for STE. Rows of ``kind``
        "misfit": stress of the colours and triplet error of the tones in ``d`` dimensions.
    """
    similar = similarities().to_numpy(float)
    rows: list[dict] = []
    for d in (1, 2, 3):
        found = NMDS(n_components=d, seed=seed).fit_dissimilarities(similar.max() - similar)
        rows.append({"kind": "misfit", "panel": "colours: stress", "d": d, "misfit": found.loss_})
        if d == 2:
            rows += [{**row, "panel": "colours"} for row in _map("", found.embedding_)]
        if progress(d / 6):
            raise Stopped
    rng = np.random.default_rng(seed)
    helix = true_positions("helix", tones, 3, rng)
    helix[:, 2] /= np.ptp(helix[:, 2])
    asked = random_questions(tones, answers, rng)
    triplets = Triplets.from_array(
        answer(helix, asked, rng, noise="positions", level=0.1), tones
    )
    known = clear_answers(helix)
    for d in (1, 2, 3):
        found = published_embeddings(d, seed)["STE"].fit(triplets).embedding_
        rows.append({"kind": "misfit", "panel": "tones: triplet error", "d": d,
                     "misfit": contradicted(found, known)})
        if d == 3:
            turned = procrustes(found, helix)(found)
            octave = np.linspace(0.0, 3.0, tones)
            rows += [
                {"kind": "helix", "panel": axis, "source": name, "octave": x, "value": y}
                for name, places in (("truth", helix), ("STE", turned))
                for axis, values in zip(_AXES, places.T, strict=True)
                for x, y in zip(octave, values, strict=True)
            ]
        if progress(0.5 + d / 6) and d < 3:
            raise Stopped
    return pd.DataFrame(rows)


def _check_two_dimensions(table: pd.DataFrame) -> Observation:
    colours = table[table["kind"] == "map"]
    places = colours[["x", "y"]].to_numpy(float)
    apart, around = distances(places), kept_neighbours(places)
    green = int(np.argmin(np.abs(colours["nm"].to_numpy(float) - 537)))
    misfit = table[table["kind"] == "misfit"].pivot_table(
        index="panel", columns="d", values="misfit"
    )
    stress, error = misfit.loc["colours: stress"], misfit.loc["tones: triplet error"]
    tones = table[(table["kind"] == "helix") & (table["source"] == "STE")].pivot_table(
        index="octave", columns="panel", values="value"
    )
    octave = round(1 / (tones.index[1] - tones.index[0]))
    near, far = (
        float(np.diagonal(distances(tones.to_numpy()), step).mean())
        for step in (octave, octave // 2)
    )
    wrong = [said for said, true in {
        "all colours stand beside their neighbours": around == 1.0,
        "violet is nearer to red than to green": apart[0, -1] < apart[0, green],
        "two dimensions halve the colours' stress": stress[2] < stress[1] / 2,
        "three dimensions halve the tones' error": error[3] < error[1] / 2,
        "three dimensions lower the tones' error below that of two": error[3] < error[2],
        "a tone is nearer to its octave than to the half of it": near < far,
    }.items() if not true]
    return Observation(
        DOES_NOT_HOLD if wrong else HOLDS,
        f"stress {stress[1]:.3f} in one dimension, {stress[2]:.3f} in two; violet is "
        f"{apart[0, -1] / apart[0, green]:.2f} times as far from red as from green; helix: triplet "
        f"error {error[1]:.3f}, {error[2]:.3f}, {error[3]:.3f} in 1, 2, 3 dimensions, an octave "
        f"{near / far:.2f} times as far as half of it",
        f"Not so: {'; '.join(wrong)}." if wrong else "All that the rule asks is so.",
    )


def circle_answers(sigma: float = _SIGMA) -> Triplets:
    """Answers of one simulated observer to all questions about the colours of the circle."""
    rows = answer(
        colour_circle(), questions(14), np.random.default_rng(0), noise="positions", level=sigma
    )
    nm = similarities().columns
    objects = pd.DataFrame({"id": [f"{x} nm" for x in nm], "wavelength_nm": nm})
    return Triplets(rows, objects, None, "colour circle, simulated")


ITEMS = (
    Item(
        key="thesis-figure-4.3",
        title="Colours on a circle, tones on a helix",
        claim="Some stimuli that vary along one physical dimension are perceived in two or three: "
        "violet looks like red, and a tone like that an octave above.",
        published="14 colours on a circle; Shepard's helix is drawn, not measured",
        setting="Non-metric scaling of Ekman's similarities in two dimensions",
        ours="The helix is a truth here, three octaves of height 1: 25 tones, 2,300 random "
        "questions, noise of σ = .1",
        rule="Holds if on the map of 14 colours all stand beside their neighbours in the spectrum, "
        "violet is nearer to red than to green, and a second dimension halves the stress; and if "
        "for answers about the helix STE errs in three dimensions less than half as often as in "
        "one and less than in two, and puts tones nearer to their octave than to the half of it.",
        experiment=two_dimensions, quick={"answers": 1_200}, check=_check_two_dimensions,
    ),
    Item(
        key="thesis-figure-4.6",
        title="Methods on the colour circle",
        also=("thesis-figure-a.5",),
        claim="Where perception takes two dimensions, STE finds the circle from noisy answers; "
        "scaling of one noisy set of dissimilarities (NMDS) does not, and MLDS has one dimension "
        "only.",
        published="STE's circle is fairly similar to the truth, NMDS mixes the colours; embeddings "
        "significantly below NMDS in triplet error, MLDS large",
        rule="Holds if at σ = .1 and r = 1 NMDS and MLDS err clearly more often than each of STE, "
        "t-STE and LOE, and NMDS misses clearly more of the circle's shape than STE (Welch's t "
        "test, 5 %, Holm); with their setting only if it fails for the start of lowest loss.",
        not_judged="Other noises, which Figure A.5 shows and of which the thesis says nothing.",
        setting="Truth: the circle of Figure 4.3, 14 colours, σ = .1, r in {.2, …, 1}, "
        "10 repetitions, of 10 random starts the one with the lowest training error",
        ours="The circle lies in a square of side 1, the range that the thesis gives its scales; "
        "all four noises; 200 repetitions of what is judged, because 10 do not tell t-STE from "
        "NMDS; both the start with the lowest training error and that with the lowest loss; LOE is "
        "SOE",
        experiment=circle, full={"judged": 200},
        quick={"sigmas": (0.1,), "shares": (1.0,), "judged": 100},
        check=_check_circle,
    ),
)
