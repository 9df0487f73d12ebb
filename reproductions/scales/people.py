"""Figures 4.1, 4.2 and 4.7: a scale, the questions of triads, and people who answered them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from sklearn.base import clone

from tripletscope.core.data.triplets import Answers, Triplets
from tripletscope.core.engine.progress import Progress, Stopped, silent
from tripletscope.core.inference.held_out.score import cross_validate
from tripletscope.core.models.simulation.simulate import answer, questions_of
from tripletscope.core.models.simulation.truth import scale_function
from tripletscope.core.scales.map_scales import normalised
from tripletscope.core.scales.mlds import MLDS
from tripletscope.core.scales.scale_trials import recorded
from tripletscope.reproductions.data import brought
from tripletscope.reproductions.item import DOES_NOT_HOLD, HOLDS, Item, Observation
from tripletscope.reproductions.scales.observer import published_embeddings, questions
from tripletscope.reproductions.significance import clear, p_paired

#: Recorded trials of R's package MLDS: one observer each, but the last, which has six. KK of four
#: is one person.
RECORDED = ("kk1", "kk2", "kk3", "AutumnLab", "kktriad", "Transparency")
_ONE_PERSON = ("kk1", "kk2", "kk3", "kktriad")
#: Where the first of the ten starts lies.
_STARTS = {"random": "random starts", "order": "first start in the stimulus's order"}
#: Errors of methods that differ by less are called similar.
_SIMILAR = 0.02
#: Noise of simulated answers.
_SIGMA = 0.1


def example(*, n: int, seed: int = 0, progress: Progress = silent) -> pd.DataFrame:
    """A scale at evenly spaced stimuli, without noise."""
    stimulus = np.linspace(0.0, 1.0, n)
    return pd.DataFrame({"stimulus": stimulus, "scale": scale_function("sigmoid", stimulus)})


def _check_example(table: pd.DataFrame) -> Observation:
    steps = np.diff(table["scale"])
    rises = (steps > 0).all() and steps.max() > 1.5 * steps.min()
    return Observation(
        HOLDS if rises else DOES_NOT_HOLD,
        f"{len(table)} stimuli at equal steps; steps of the scale from {steps.min():.3f} to "
        f"{steps.max():.3f}",
        f"The scale {'rises' if rises else 'does not rise'} by unequal steps.",
    )


def triads(
    *, levels: int = 8, answers: int = 840, seed: int = 0, progress: Progress = silent
) -> pd.DataFrame:
    """Questions of triads by their anchor, and the scale that one observer's answers give.

    Returns: Rows of ``kind`` "questions": how many different ones a ``design`` asked with each
        ``degree`` as anchor. Rows of ``kind`` "scale": ``value`` at each degree of the truth and of
        two methods.
    """
    rng = np.random.default_rng(seed)
    degrees = np.linspace(0.0, 70.0, levels)
    rows: list[dict] = []
    asked = {
        "difference scaling": questions_of("triads", levels, answers, rng),
        "embedding": questions(levels),
    }
    for design, each in asked.items():
        each = np.unique(np.column_stack([each[:, 0], np.sort(each[:, 1:], axis=1)]), axis=0)
        for level, count in enumerate(np.bincount(each[:, 0], minlength=levels)):
            rows.append({"kind": "questions", "design": design, "degree": degrees[level],
                         "count": int(count)})
    truth = scale_function("sigmoid", degrees / 70.0)
    given = Triplets.from_array(
        answer(truth[:, None], asked["difference scaling"], rng, noise="positions", level=_SIGMA),
        levels,
    )
    found = {
        "truth": truth, "MLDS": MLDS().fit(given).unconstrained_,
        "t-STE": published_embeddings(1, seed)["t-STE"].fit(given).embedding_[:, 0],
    }
    for name, values in found.items():
        rows += [
            {"kind": "scale", "method": name, "degree": degree, "value": value}
            for degree, value in zip(degrees, normalised(values, truth), strict=True)
        ]
    progress(1.0)
    return pd.DataFrame(rows)


def _check_triads(table: pd.DataFrame) -> Observation:
    counts = table[table["kind"] == "questions"].pivot_table(
        index="degree", columns="design", values="count"
    )
    n = len(counts)
    ends = int(counts["difference scaling"].iloc[[0, -1]].sum())
    wanted = n * (n - 1) * (n - 2) // 6
    total = {name: int(counts[name].sum()) for name in counts}
    found = table[table["kind"] == "scale"].pivot_table(
        index="degree", columns="method", values="value"
    )
    off = {
        name: float(np.sqrt(((found[name] - found["truth"]) ** 2).mean()))
        for name in ("MLDS", "t-STE")
    }
    asked = total == {"difference scaling": wanted, "embedding": 3 * wanted} and ends == 0
    return Observation(
        HOLDS if asked and max(off.values()) < _SIGMA else DOES_NOT_HOLD,
        f"{total['difference scaling']} different questions about the middle one of three stimuli, "
        f"{total['embedding']} about any; root mean square distance from the truth "
        f"{off['MLDS']:.3f} (MLDS) and {off['t-STE']:.3f} (t-STE)",
        f"The design asks {total['difference scaling']} of {wanted} questions, and {ends} with the "
        "lowest or highest stimulus as anchor.",
    )


def recorded_observers(names: Sequence[str]) -> dict[str, Answers]:
    """Answers of every observer in recorded trials of difference scaling.

    names: Of `RECORDED`.
    """
    folder, found = brought("mlds").parent, {}
    for name in names:
        trials = recorded(pd.read_csv(folder / f"{name}.csv"), name=name)
        for observer in np.unique(trials.observer):
            found[f"{name} {observer}".strip()] = trials.of(observer).answers
    return found


def observers(
    *, names: Sequence[str], folds: int = 10, seed: int = 0, progress: Progress = silent
) -> pd.DataFrame:
    """Cross-validated errors per observer and method, and the scales of two methods.

    Returns: Rows of ``kind`` "errors": mean and standard deviation over the folds, by where the
        embeddings' starts lie. Rows of ``kind`` "scale": ``value`` at each ``level``.
    """
    rows: list[dict] = []
    people = recorded_observers(names)
    for done, (who, answers) in enumerate(people.items(), 1):
        asked = "triads" if isinstance(answers, Triplets) else "pairs"
        for init, starts in _STARTS.items():
            methods = {"MLDS": MLDS(), **{
                name: clone(method).set_params(init=init)
                for name, method in published_embeddings(1, seed).items()
            }}
            for name, method in methods.items():
                errors = cross_validate(method, answers, folds=folds, seed=seed).fold_errors
                rows.append({
                    "kind": "errors", "observer": who, "asked": asked, "starts": starts,
                    "method": name, "error": errors.mean(), "error_sd": errors.std(ddof=1),
                })
        # From the stimulus's order, as maps of pairs are folded from elsewhere.
        reference = np.linspace(0.0, 1.0, answers.n_objects)
        scale = {
            "MLDS": methods["MLDS"].fit(answers).unconstrained_,
            "t-STE": methods["t-STE"].fit(answers).embedding_[:, 0],
        }
        for name, values in scale.items():
            rows += [
                {"kind": "scale", "observer": who, "asked": asked, "method": name,
                 "level": level + 1, "value": value}
                for level, value in enumerate(normalised(values, reference))
            ]
        if progress(done / len(people)) and done < len(people):
            raise Stopped
    return pd.DataFrame(rows)


def _than_mlds(worse: Sequence[str]) -> str:
    if not worse:
        return "no embedding errs notably more often than MLDS"
    verb = "err" if len(worse) > 1 else "errs"
    return f"{' and '.join(worse)} {verb} clearly or by over {_SIMILAR:g} more often than MLDS"


def _check_observers(table: pd.DataFrame) -> Observation:
    measured = table[table["kind"] == "errors"]
    # A person's errors are averaged.
    person = measured["observer"].where(~measured["observer"].isin(_ONE_PERSON), "KK")
    errors = measured.assign(person=person).pivot_table(
        index=["starts", "person"], columns="method", values="error"
    )
    names = [name for name in errors if name != "MLDS"]
    more = errors[names].sub(errors["MLDS"], axis=0)
    wrong = {}
    for start in _STARTS.values():
        own = more.loc[start]
        # Of a single person no test tells anything.
        worse = clear({name: p_paired(own[name]) for name in names}) if len(own) > 1 else set()
        wrong[start] = [name for name in names if name in worse or own[name].mean() > _SIMILAR]
    scales = table[table["kind"] == "scale"].sort_values("level")
    falls = {
        name: sum(
            (np.diff(rows["value"]) < 0).any()
            for _, rows in scales[scales["method"] == name].groupby("observer")
        ) for name in ("MLDS", "t-STE")
    }
    by_random, in_order = wrong.values()
    means = errors.groupby("starts", sort=False).mean()
    return Observation(
        HOLDS if not by_random and falls["t-STE"] else DOES_NOT_HOLD,
        "mean held-out error, " + "; ".join(
            f"{start}: " + ", ".join(f"{name} {row[name]:.3f}" for name in ("MLDS", *names))
            for start, row in means.iterrows()
        ) + f"; falling somewhere: {falls['t-STE']} scales of t-STE, {falls['MLDS']} of MLDS",
        f"From random starts {_than_mlds(by_random)}, and where one start lies in the stimulus's "
        f"order {_than_mlds(in_order)}.",
    )


ITEMS = (
    Item(
        key="thesis-figure-4.1", title="An example of a scaling function",
        claim="A scaling function tells how strong each stimulus looks: equal steps of the "
        "stimulus need not be equal steps of perception.",
        setting="10 stimuli", ours="The sigmoid of the simulations",
        rule="Holds if the scale rises at every equal step of the stimulus, at the largest by more "
        "than one and a half times as much as at the smallest.",
        exact=True, illustration=True,
        experiment=example, full={"n": 10}, check=_check_example,
    ),
    Item(
        key="thesis-figure-4.2", title="Slant from texture: stimuli, a question, a scale",
        claim="Participants say which of two pictures is more similar to a third; from such "
        "answers alone comes the scale of perceived against true slant.",
        published="8 slants of 0 to 70 degrees, 56 questions, a rising scale",
        setting="Which of the bottom two is more similar to the top one; for difference scaling "
        "the top one lies between the others",
        rule="Holds if the design asks all 56 questions whose anchor lies between the others and "
        "no other, of 168 that an embedding may be asked, and the scales of MLDS and t-STE are "
        "less than the noise, .1, from the truth (root mean square).",
        experiment=triads, check=_check_triads,
        stand_in="answers simulated with noise of σ = .1 in place of the participants'",
    ),
    Item(
        key="thesis-figure-4.7", title="Held-out errors and scales of people",
        claim="For people's answers, embeddings predict held-out answers as well as MLDS, though "
        "they do not know the order of the stimuli; some of their scales fall in places.",
        published="errors of MLDS, STE, t-STE and LOE very similar for 8 subjects, t-STE slightly "
        "better; t-STE's scales not monotone in some cases",
        setting="Slant from texture, 8 subjects, 420 or 840 answers about triads of 8 stimuli, "
        "10-fold cross-validation",
        rule="Holds if from random starts no embedding errs clearly more often than MLDS over the "
        "people (paired t test, 5 %, Holm) nor by more than .02 on average, and a scale of "
        "t-STE falls somewhere.",
        not_judged="That t-STE is slightly better than the other embeddings: the thesis gives no "
        "figures that would tell it from chance.",
        ours="Copies of a question share a fold; embeddings from random starts, and with the first "
        "of ten in the stimulus's order; MLDS is not forced to rise, as in R; LOE is SOE; "
        "errors about the four sets of one person's answers are averaged",
        experiment=observers, full={"names": RECORDED}, quick={"names": ("kk1", "kktriad")},
        check=_check_observers, needs=("mlds",), needs_in_short=("mlds",),
        stand_in="eleven sets of answers of eight people in R's package MLDS, ten sets about pairs "
        "and one about triads, in place of the slant-from-texture subjects",
    ),
)
