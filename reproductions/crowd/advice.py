"""What the thesis says in its text: rules of thumb, the best method, the ceiling of agreement."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import numpy as np
import pandas as pd

from tripletscope.core.data.triplets import Triplets
from tripletscope.core.engine.progress import Progress, Stopped, silent
from tripletscope.core.inference.held_out.score import cross_validate
from tripletscope.core.models.embedding import GNMDS, SOE, STE, TSTE
from tripletscope.core.models.simulation.simulate import answer, majority, random_questions
from tripletscope.reproductions.item import DOES_NOT_HOLD, HOLDS, Item, Observation
from tripletscope.reproductions.significance import LEVEL, clear, p_above, p_paired

_METHODS = {"LOE": SOE, "STE": STE, "t-STE": TSTE, "GNMDS": GNMDS}
#: Right answers on which accuracy is measured.
_HELD_OUT = 5000
#: A map that predicts so much is the true one, for what is asked of it.
_RIGHT = 0.9
#: Share of truths whose dimension a rule must find.
_MOSTLY = 0.8


def _answers(
    n: int, d: int, n_answers: int, rng: np.random.Generator, noise: float = 0.0
) -> tuple[Triplets, Triplets]:
    """Answers about random objects of a cube, of which `noise` are wrong, and right ones."""
    positions = rng.random((n, d))
    learned, test = (
        answer(positions, random_questions(n, number, rng), rng, noise="flip", level=level)
        for number, level in ((n_answers, noise), (_HELD_OUT, 0.0))
    )
    return Triplets.from_array(learned, n), Triplets.from_array(test, n)


def amounts(
    *, sizes: Sequence[int], dimensions: Sequence[int], factors: Sequence[float], runs: int,
    seed: int = 0, progress: Progress = silent,
) -> pd.DataFrame:
    """Accuracy of t-STE from multiples of d n log n random answers."""
    rows = []
    work = list(product(sizes, dimensions, factors))
    for done, (n, d, factor) in enumerate(work, 1):
        found = []
        for run in range(runs):
            rng = np.random.default_rng([seed, n, d, run])
            learned, test = _answers(n, d, round(factor * d * n * np.log(n)), rng)
            found.append(TSTE(n_components=d, n_init=3, seed=run).fit(learned).score(test))
        rows.append({
            "objects": f"n = {n}", "dimensions": f"d = {d}", "factor": factor,
            "accuracy": np.mean(found), "spread": np.std(found, ddof=1), "runs": runs,
        })
        if progress(done / len(work)) and done < len(work):
            raise Stopped
    return pd.DataFrame(rows)


def check_amounts(table: pd.DataFrame) -> Observation:
    """From d n log n answers the map must be right, wherever it is tried."""
    first = table[table["factor"] == 1]
    enough = clear({
        place: p_above(row["accuracy"] - _RIGHT, row["spread"] / np.sqrt(row["runs"]),
                       row["runs"] - 1)
        for place, row in first.iterrows()
    })
    few = first.drop(index=list(enough))
    most = table["factor"].max()
    wide = table.pivot_table("accuracy", ["objects", "dimensions"], "factor", sort=False)
    where = "; ".join(few["objects"] + ", " + few["dimensions"]) or "all truths"
    return Observation(
        DOES_NOT_HOLD if len(few) else HOLDS,
        f"accuracy, in brackets of {most:g} times as many answers: " + "; ".join(
            f"{n}, {d}: {row[1]:.3f} ({row[most]:.3f})" for (n, d), row in wide.iterrows()
        ),
        f"Maps of d n log n answers {'do not clearly predict' if len(few) else 'clearly predict'} "
        f"more than {_RIGHT:.0%} of the others for {where}.",
    )


def dimensions(
    *, truths: Sequence[int], n: int, n_answers: int, noise: float, runs: int, seed: int = 0,
    progress: Progress = silent,
) -> pd.DataFrame:
    """Which dimension is chosen: the smallest that the next is not clearly better than."""
    rows = []
    work = list(product(truths, range(runs)))
    for done, (d, run) in enumerate(work, 1):
        rng = np.random.default_rng([seed, d, run])
        answers, _ = _answers(n, d, n_answers, rng, noise)
        errors, chosen = [], 0
        while not chosen:
            tried = len(errors) + 1
            method = TSTE(n_components=tried, n_init=1, seed=run)
            errors.append(cross_validate(method, answers, folds=10, seed=run).fold_errors)
            if tried > 1 and p_paired(errors[-2] - errors[-1]) >= LEVEL:
                chosen = tried - 1
        rows.append({"true": d, "run": run, "chosen": chosen})
        if progress(done / len(work)) and done < len(work):
            raise Stopped
    return pd.DataFrame(rows)


def check_chosen(table: pd.DataFrame) -> Observation:
    """The true dimension must mostly be chosen, whichever it is."""
    right = (table["chosen"] == table["true"]).groupby(table["true"]).mean()
    wrong = [str(d) for d, share in right.items() if share < _MOSTLY]
    return Observation(
        DOES_NOT_HOLD if wrong else HOLDS,
        "right in " + ", ".join(f"{share:.0%} (d = {d})" for d, share in right.items()),
        f"The true dimension is chosen in {'less than' if wrong else 'at least'} {_MOSTLY:.0%} of "
        f"the truths of {' and '.join(wrong or map(str, right.index))} dimensions.",
    )


def methods(
    *, sizes: Sequence[int], noises: Sequence[float], n_answers: int, runs: int, seed: int = 0,
    progress: Progress = silent,
) -> pd.DataFrame:
    """Accuracy of methods from the same random answers; ``behind`` is by how much LOE is better.

    Rows of ``noise`` "all" are of the means of each run over the noises.
    """
    rows = []
    work = list(product(sizes, range(runs)))
    for done, (n, run) in enumerate(work, 1):
        for noise in noises:
            rng = np.random.default_rng([seed, n, run, int(100 * noise)])
            learned, test = _answers(n, 3, n_answers, rng, noise)
            rows += [
                {"objects": f"n = {n}", "noise": noise, "run": run, "method": name,
                 "accuracy": make(n_components=3, n_init=1, seed=run).fit(learned).score(test)}
                for name, make in _METHODS.items()
            ]
        if progress(done / len(work)) and done < len(work):
            raise Stopped
    found = pd.DataFrame(rows)
    found["behind"] = found.groupby(["objects", "noise", "run"])["accuracy"].transform(
        "first"
    ) - found["accuracy"]
    over = found.groupby(["objects", "run", "method"], sort=False, as_index=False).mean()
    return pd.concat([
        part.groupby(["objects", "noise", "method"], sort=False).agg(
            accuracy=("accuracy", "mean"), spread=("accuracy", "std"), behind=("behind", "mean"),
            error=("behind", "sem"), runs=("run", "size"),
        ).reset_index() for part in (found, over.assign(noise="all"))
    ], ignore_index=True)


def check_methods(table: pd.DataFrame) -> Observation:
    """LOE must be clearly better than each of the others, with few objects and with many."""
    over = table[(table["noise"] == "all") & (table["method"] != "LOE")]
    p_values = {
        f"{row['method']}, {row['objects']}": p_above(row["behind"], row["error"], row["runs"] - 1)
        for _, row in over.iterrows()
    }
    found = clear(p_values)
    wrong = [name for name in p_values if name not in found]
    return Observation(
        DOES_NOT_HOLD if wrong else HOLDS,
        "gain of LOE " + ", ".join(
            f"{row['behind']:+.3f} ± {row['error']:.3f} over {row['method']} ({row['objects']})"
            for _, row in over.iterrows()
        ),
        f"LOE is {'not ' if wrong else ''}clearly better than "
        f"{'; '.join(wrong) or 'each of the others, whatever the number of objects'}.",
    )


def ceiling(*, steps: int, seed: int = 0, progress: Progress = silent) -> pd.DataFrame:
    """Agreement of three answers with their majority, and how often the best prediction is right.

    Both by the probability of the answer that is given more often, exactly: over all patterns.
    """
    patterns = np.array(list(product((0, 1), repeat=3)))
    rows = np.stack([
        np.zeros_like(patterns), 2 - patterns, 1 + patterns
    ], axis=2).reshape(-1, 3)
    voted = np.repeat(majority(rows, 3), 3, axis=0)
    agree = (voted == rows).all(axis=1).reshape(patterns.shape).mean(axis=1)
    table = []
    for probability in np.linspace(0.5, 1.0, steps):
        weight = np.where(patterns == 1, probability, 1 - probability).prod(axis=1)
        table += [
            {"probability": probability, "curve": "agreement of three answers",
             "share": float(weight @ agree)},
            {"probability": probability, "curve": "best prediction", "share": probability},
        ]
    progress(1.0)
    return pd.DataFrame(table)


#: What the thesis found, the mean of three subjects, and what is "about" as much.
_AGREED, _ABOUT = (0.908 + 0.908 + 0.890) / 3, 0.02


def check_ceiling(table: pd.DataFrame) -> Observation:
    """No prediction may beat the agreement; where that is 90 % the best is about as good."""
    wide = table.pivot_table("share", "probability", "curve")
    agreed, best = wide["agreement of three answers"], wide["best prediction"]
    there = float(np.interp(_AGREED, agreed, best))
    bound = bool((best <= agreed + 1e-9).all())
    return Observation(
        HOLDS if bound and abs(there - _AGREED) <= _ABOUT else DOES_NOT_HOLD,
        f"where {_AGREED:.1%} agree, the best prediction is right in {there:.1%}",
        f"The best prediction is {'never' if bound else 'sometimes'} right more often than answers "
        "agree with their majority, of which each is one.",
    )


ITEMS = (
    Item(
        key="thesis-section-4.5", title="How many answers: d n log n",
        claim="About d n log n random answers are enough to begin with: so many determine the map "
        "of n stimuli in d dimensions.",
        setting="Advice, not measured; the order is that of Jain et al. (2016)",
        rule="Holds if t-STE from d n log n right answers (natural logarithm) clearly predicts "
        "more than 90 % of the others (t test over the runs, 5 %, Holm) for each of 20 and 50 "
        "objects in a cube of one, two and three dimensions.",
        ours="20 runs; ten random starts are three; other multiples are measured besides",
        not_judged="That questions drawn at random are best, see Figures 5.1 and 5.2; that t-STE "
        "is, see Figures 4.7 and 5.7; that answers predict better than they are learnt from, which "
        "is what held out means.",
        experiment=amounts,
        full={"sizes": (20, 50), "dimensions": (1, 2, 3), "factors": (0.5, 1, 2, 4), "runs": 20},
        quick={"sizes": (20,), "factors": (1, 4), "runs": 5},
        check=check_amounts,
        stand_in="objects drawn at random in cubes in place of any stimuli",
    ),
    Item(
        key="thesis-section-4.5b", title="How many dimensions: the last that gains",
        claim="The smallest dimension whose held-out error the next one does not improve "
        "significantly is that of the stimuli.",
        setting="Advice, not measured",
        rule="Holds if in at least 80 % of the truths of each of one, two and three dimensions it "
        "is the true one, where significant is a paired t test of t-STE's errors in ten folds at "
        "5 %.",
        ours="30 objects in a cube, 2,000 random answers, a tenth of them wrong; 100 truths of "
        "each, as 10 do not tell",
        experiment=dimensions,
        full={"truths": (1, 2, 3), "n": 30, "n_answers": 2000, "noise": 0.1, "runs": 100},
        quick={"runs": 10},
        check=check_chosen,
        stand_in="objects drawn at random in cubes in place of any stimuli",
    ),
    Item(
        key="thesis-section-5.3", title="The best method in the simulations",
        claim="Of GNMDS, STE, t-STE and LOE, LOE predicts best in the simulations of chapter 5.",
        published="only results of LOE are reported",
        setting="n = 20 and 100 objects in the unit cube, 6,000 random questions, answers flipped "
        "with probability p, three dimensions",
        rule="Holds if LOE, averaged over p of 0, .1, .2, .3 and .4, predicts clearly better than "
        "each of GNMDS, STE and t-STE from the same answers (paired t test over the runs, 5 %, "
        "Holm), for 20 and for 100 objects.",
        ours="SOE, the form of LOE for triplets; accuracy on right answers; 6 runs",
        experiment=methods,
        full={"sizes": (20, 100), "noises": (0.0, 0.1, 0.2, 0.3, 0.4), "n_answers": 6000,
              "runs": 6},
        quick={"sizes": (20,), "noises": (0.1, 0.3), "runs": 4},
        check=check_methods,
    ),
    Item(
        key="thesis-section-5.4", title="The ceiling that agreement sets",
        claim="As a person's three answers to a question agree with their majority in about 90 %, "
        "no prediction of single answers can be expected to be right more often than that.",
        published="agreement 90.8, 90.8 and 89.0 % of three subjects; highest accuracy about 90 %",
        rule="Holds if for no probability of the more frequent answer the best prediction is right "
        "more often than three answers agree with their majority, and where 90.2 % agree it is "
        "right in 88.2 to 92.2 %.",
        exact=True,
        ours="Computed over all patterns of three answers, with the same probability for all "
        "questions",
        not_judged="The three subjects' own shares, whose answers are not to be had; and mixed "
        "questions: where some are sure and others guesses, the ceiling lies lower still.",
        experiment=ceiling, full={"steps": 51},
        check=check_ceiling,
    ),
)
