"""Difference scaling and scales from maps, beyond the simulations of Haghiri's thesis.

    python benchmarks/scale.py

Figures 5.1 and 5.2 (repeated questions, landmarks), every noise of
`tripletscope.core.models.simulation.simulate` with every embedding, whether plans keep what they
promise, the alien eggs as a scale and their participants, comparisons of pairs, and what a
bootstrap of difference scales costs beside fitting one model at a time, here and in R. The thesis's
figures of chapter 4 are made by `make reproduce`.
"""

from __future__ import annotations

import shutil
import subprocess
import time
from pathlib import Path

import numpy as np
import pandas as pd
from report import machine, print_table
from sources import alien_eggs

from tripletscope.core.data.triplets import Triplets
from tripletscope.core.engine.method import methods
from tripletscope.core.inference.held_out.score import cross_validate
from tripletscope.core.models.embedding import CKL, SOE, STE, TSTE
from tripletscope.core.models.simulation.simulate import (
    NOISE,
    answer,
    majority,
    questions_of,
    random_questions,
)
from tripletscope.core.models.simulation.truth import scale_function
from tripletscope.core.people.maps import observer_maps
from tripletscope.core.people.predictions import pooling_curve, who_predicts_whom
from tripletscope.core.scales import MLDS, bootstrap_scale, ordinal_scale, recorded
from tripletscope.core.studies.design.detection import detect_dimension
from tripletscope.core.studies.design.plan import plan
from tripletscope.core.studies.design.scenario import SampleSizes, Scenario
from tripletscope.reproductions.scales.observer import questions

RECORDED = Path(__file__).parent.parent / "tests" / "fixtures" / "mlds"


def designs() -> None:
    """Figures 5.1 and 5.2."""

    def accuracy(n: int, m: int, design: str, p: float, repeat: int) -> float:
        rng = np.random.default_rng(repeat)
        positions = rng.random((n, 3))
        rows = answer(
            positions, questions_of(design, n, m, rng, repeats=3), rng, noise="flip", level=p
        )
        learned = majority(rows, 3) if design == "repeated" else rows
        fitted = SOE(n_components=3, n_init=2).fit(Triplets.from_array(learned, n))
        judged = answer(positions, random_questions(n, 5_000, rng), rng)
        return fitted.score(Triplets.from_array(judged, n))

    rows = []
    for n in (20, 100):
        for p in (0.1, 0.2, 0.3):
            cells = [
                f"{np.mean([accuracy(n, 6_000, design, p, r) for r in range(5)]):.3f}"
                for design in ("random", "repeated")
            ]
            rows.append((f"n = {n}, p = {p}", *cells))
    print_table(("6,000 answers", "random", "3-repeated"), rows)
    rows = []
    for k in (4, 8, 12, 16):
        m = k * (k - 1) // 2 * 98
        cells = [
            f"{np.mean([accuracy(100, m, design, 0.1, r) for r in range(5)]):.3f}"
            for design in ("random", "landmark")
        ]
        rows.append((k, f"{m:,}", *cells))
    print_table(("landmarks", "answers, n = 100", "random", "landmark"), rows)


def noises() -> None:
    """Every noise with every embedding: share of further answers that is predicted."""
    names = ("ste", "tste", "ckl", "gnmds", "soe", "lore")
    rows = []
    for noise, level in (
        ("flip", 0.1), ("lognormal", 0.4), ("positions", 0.25), ("logistic", 0.8), ("crowd", 0.05),
    ):
        plans = {
            name: plan(
                methods("embedding")[name](), scenario=Scenario(noise=noise, level=level),
                sizes=SampleSizes(most=2_000, points=1), repeats=16,
            ) for name in names
        }
        ceiling = plans["ste"].ceiling.mean()
        cells = [f"{100 * plans[name].accuracy.mean():.1f}" for name in names]
        rows.append((f"{NOISE.options[noise]}, {level}", *cells, f"{100 * ceiling:.1f}"))
    titles = [methods("embedding")[name].title for name in names]
    print_table(("30 objects in the plane, 2,000 answers", *titles, "best possible"), rows)


def recommendations() -> None:
    """Whether as many answers as a plan asks for predict as well as it says, on other people."""
    rows = []
    for title, options in (
        ("plane, n = 30, flipped 0.1", {}),
        ("plane, n = 30, flipped 0.3", {"level": 0.3}),
        ("plane, n = 60, logistic 0.8", {"n_objects": 60, "noise": "logistic", "level": 0.8}),
        ("space, n = 100, flipped 0.1", {"n_objects": 100, "n_components": 3}),
        ("sigmoid, n = 20, positions 0.1",
         {"n_objects": 20, "truth": "sigmoid", "noise": "positions"}),
    ):
        n, d = options.get("n_objects", 30), options.get("n_components", 2)
        d = 1 if "truth" in options else d
        scenario, most = Scenario(**options), int(15 * d * n * np.log(n))
        first = plan(STE(), scenario=scenario, sizes=SampleSizes(most=most), repeats=8)
        # what `Plan.needed` says, before it is rounded up
        said = 0.5 + 0.95 * (first.accuracy.mean(axis=0).max() - 0.5)
        wanted = first.enough(accuracy=said)
        once = SampleSizes(most=wanted, points=1)
        other = plan(STE(), scenario=scenario, sizes=once, repeats=8, seed=1)
        rows.append((
            title, f"{wanted:,}", f"{wanted / (d * n * np.log(n)):.1f}", f"{100 * said:.1f}",
            f"{100 * other.accuracy.mean():.1f}",
        ))
    print_table(
        ("STE", "answers needed", "in d n ln n", "promised, %", "others, %"),
        rows,
    )


def dimensions() -> None:
    """Answers after which cross-validation finds the dimension of a normal cloud."""
    rows = []
    for d in (1, 2, 3):
        found = detect_dimension(
            STE(), scenario=Scenario(n_objects=30, n_components=d),
            sizes=SampleSizes(most=6_000, fewest=750, points=4), repeats=8,
        )
        shares = (f"{100 * share:.0f} %" for share in found.found)
        rows.append((f"d = {d}", *shares))
    sizes = [f"{n:,}" for n in found.n_answers]
    print_table(("n = 30, flipped 0.1: answers", *sizes), rows)


def eggs() -> None:
    """The scale of the drawings against their spikiness."""
    data, rows = alien_eggs(), []
    sampler = data.answers["sampler"].astype(str).str.strip().str.lower()
    for name in sorted(sampler.unique()):
        own = data.take((sampler == name).to_numpy())
        if len(own) < 1_000:
            continue
        found = ordinal_scale(STE(), own, stimulus="spikiness", maps=40)
        correlation, low, high = found.rank_correlation
        rows.append((
            name, f"{len(own):,}", f"{correlation:.3f} ({low:.3f} to {high:.3f})",
            f"{np.median(2 * 1.96 * found.deviation):.3f}",
            "yes" if found.is_monotone() else "no",
        ))
    print_table(
        ("answers picked", "answers", "rank correlation", "median width of the band",
         "a rising curve fits"), rows,
    )


def participants() -> None:
    """How long it takes to predict and map 40 participants of the eggs, as the dashboard does."""
    data, rows = alien_eggs(), []
    options = {"by": "participant", "most": 40}
    STE().fit(data.take(np.arange(100)))  # compiled before time is taken
    for title, compute in (
        ("predictions between people", who_predicts_whom), ("pooling", pooling_curve),
        ("a map of each", observer_maps),
    ):
        begun, used = time.perf_counter(), time.process_time()
        compute(STE(), data, **options)
        wall, processor = time.perf_counter() - begun, time.process_time() - used
        rows.append((title, f"{wall:.1f} s", f"{processor:.1f} s"))
    print_table(("alien eggs, 40 participants, STE", "time", "of the processors"), rows)


def pairs() -> None:
    """Scales from comparisons of pairs: MLDS, and embeddings by where they begin."""
    rows = []
    for name in ("kk1", "kk2", "kk3", "AutumnLab", "Transparency"):
        data = recorded(pd.read_csv(RECORDED / f"{name}.csv")).answers
        expected = MLDS().fit(data).scale_
        held_out = cross_validate(MLDS(), data).error
        rows.append((name, "MLDS", f"{held_out:.3f}", "", "", "", ""))
        for method in (STE, TSTE, CKL, SOE):
            cells = []
            for init in ("spectral", "order"):
                one = method(n_components=1, init=init)
                found = ordinal_scale(one, data, stimulus="stimulus", maps=40)
                off = np.abs(found.values[:, 0] - expected).max()
                cells += [
                    f"{cross_validate(one, data).error:.3f}", f"{off:.2f}",
                    f"{np.median(2 * 1.96 * found.deviation):.2f}",
                ]
            rows.append((name, method.title, cells[3], *cells[4:], *cells[:2]))
    print_table(
        ("data", "method", "held-out error", "largest difference from MLDS",
         "median width of the band", "held-out error, spectral", "difference, spectral"), rows,
    )


def cost() -> None:
    """Processor time of resampling."""
    truth = scale_function("sigmoid", np.linspace(0, 1, 11))
    rng = np.random.default_rng(0)
    asked = np.tile(questions(11, of_middle=True), (2, 1))
    rows = answer(truth[:, None], asked, rng, noise="positions", level=0.1)
    data = Triplets.from_array(rows, 11)
    bootstrap_scale(MLDS(), data, resamples=100)
    begun = time.process_time()
    bootstrap_scale(MLDS(), data, resamples=10_000)
    many = time.process_time() - begun
    begun = time.process_time()
    for _ in range(20):
        MLDS().fit(data)
    single = (time.process_time() - begun) / 20
    print(
        f"10,000 resamples of {len(data)} triads on 11 levels take {many:.1f} s of the processor; "
        f"fitted one at a time they would take {10_000 * single / many:.0f} times as long.\n"
    )


#: Fits the model of MLDS as that package does, by R's glm, and resamples by the fitted model.
R_SCRIPT = """
arguments <- commandArgs(TRUE)
d <- read.csv(arguments[1]); n <- as.integer(arguments[2])
x <- matrix(0, nrow(d), max(d[, 2:5]))
for (k in 1:4) x[cbind(seq_len(nrow(d)), d[, k + 1])] <- c(1, -1, -1, 1)[k]
x <- x[, -1]
probit <- binomial("probit")
p <- fitted(glm(d$resp ~ x - 1, family = probit))
begun <- proc.time()[["user.self"]]
for (i in seq_len(n)) glm.fit(x, rbinom(length(p), 1, p), family = probit)
cat((proc.time()[["user.self"]] - begun) / n, "")
if (requireNamespace("MLDS", quietly = TRUE)) {
  fitted <- MLDS::mlds(MLDS::as.mlds.df(d))
  begun <- proc.time()[["user.self"]]
  MLDS::boot.mlds(fitted, n)
  cat((proc.time()[["user.self"]] - begun) / n, "")
}
cat("\n", coef(glm(d$resp ~ x - 1, family = probit)))
"""


def beside_r() -> None:
    """Resampling R's own data, beside R where it is installed."""
    rscript = shutil.which("Rscript")
    if rscript is None:
        print("R is not installed, so there is nothing to compare with.\n")
        return
    rows = []
    for name in ("kk1", "kk2", "kk3", "AutumnLab", "Transparency"):
        file = RECORDED / f"{name}.csv"
        trials = recorded(pd.read_csv(file))
        bootstrap_scale(MLDS(), trials, resamples=100)
        begun = time.process_time()
        bootstrap_scale(MLDS(), trials, resamples=10_000)
        own = (time.process_time() - begun) / 10_000
        printed = subprocess.run(
            [rscript, "-e", R_SCRIPT, str(file), "300"], capture_output=True, text=True, check=True
        ).stdout.splitlines()
        seconds = [float(word) for word in printed[0].split()]
        off = np.abs(MLDS().fit(trials).unconstrained_[1:] - np.fromstring(printed[1], sep=" "))
        package = f"{seconds[1] / own:.0f}" if len(seconds) > 1 else "not installed"
        rows.append((
            name, f"{1e3 * own:.2f} ms", f"{seconds[0] / own:.0f}", package, f"{off.max():.0e}"
        ))
    print_table(
        ("data", "one resample", "R's glm.fit / ours", "MLDS::boot.mlds / ours",
         "largest difference of scales"), rows,
    )


def main() -> None:
    """Print all tables."""
    print(machine())
    for part in (
        designs, noises, recommendations, dimensions, eggs,
        participants, pairs, cost, beside_r,
    ):
        part()


if __name__ == "__main__":
    main()
