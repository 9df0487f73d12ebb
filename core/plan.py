"""Planning an experiment: how many answers, by which design and method, and which questions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated

import numpy as np
import pandas as pd
from scipy.special import stdtrit
from sklearn.base import clone

from core.active import STRATEGIES, propose, question_table
from core.compare import suggest_dimension
from core.embedding.ordinal import OrdinalEmbedding
from core.geometry import ellipsoids, procrustes_disparity, rms
from core.loss import margins
from core.method import Choice, Number, checked
from core.parallel import Halt, in_parallel
from core.progress import Progress, Stopped, silent
from core.score import cross_validate
from core.simulate import (
    DESIGNS,
    DIMENSIONS,
    NOISE,
    TRUTHS,
    answer,
    majority,
    questions_of,
    random_questions,
    true_positions,
)
from core.triplets import Triplets
from core.uncertainty import bootstrap

#: Answers by which a simulated map is judged.
_JUDGED = 5_000
#: Replicates behind the ellipses and behind every choice of active questions.
_REPLICATES = 20
#: Questions of a design that is chosen as answers come in.
_ACTIVE = ("uncertain", "gain")

Objects = Annotated[int, Number(4, 5_000, "Objects")]
Dimensions = Annotated[
    int, Number(1, 20, "Dimensions", "Of the truth, if it is a cloud or a cube, and of the map.")
]
TruthName = Annotated[str, TRUTHS]
Noise = Annotated[str, NOISE]
Level = Annotated[
    float,
    Number(
        0.0, 100.0, "Noise level",
        "Flipped: probability. Log-normal and noisy positions: standard deviation. Logistic: size "
        "that the positions are divided by. Crowd kernel: mu.",
    ),
]
Answers = Annotated[int, Number(20, 1_000_000, "Answers at most")]
Points = Annotated[
    int, Number(2, 20, "Points", "Numbers of answers, in equal steps of their logarithm.")
]
Repeats = Annotated[
    int, Number(2, 1_000, "Simulations", "Of observers and answers; more narrow the band.")
]
Seed = Annotated[int, Number(0, 2**31 - 1, "Seed", advanced=True)]


@dataclass(frozen=True)
class Plan:
    """What maps of simulated answers are worth, against the number of answers.

    Attributes
    ----------
    n_answers : ndarray of int, shape (p,)
        Asked, repeats included.
    accuracy : ndarray, shape (r, p)
        Share of further answers, as noisy, that the map predicts, in r simulations.
    ceiling : ndarray, shape (r,)
        Share that the truth itself predicts.
    ellipse : ndarray, shape (r, p)
        Median over the objects of the radius of the 95 % ellipse (in one dimension, half the
        error bar), in units of the root mean square of the map's coordinates.
    disparity : ndarray, shape (r, p)
        Share of the truth's variance that the map leaves unexplained.
    """

    n_answers: np.ndarray
    accuracy: np.ndarray
    ceiling: np.ndarray
    ellipse: np.ndarray
    disparity: np.ndarray

    def band(self, quantity: str = "accuracy") -> pd.DataFrame:
        """``answers``, ``mean``, ``low``, ``high``: 95 % t interval of the mean.

        Parameters
        ----------
        quantity : {"accuracy", "ellipse", "disparity"}
        """
        values = getattr(self, quantity)
        mean = values.mean(axis=0)
        reach = stdtrit(len(values) - 1, 0.975) * values.std(axis=0, ddof=1)
        reach /= np.sqrt(len(values))
        return pd.DataFrame({
            "answers": self.n_answers, "mean": mean, "low": mean - reach, "high": mean + reach,
        })

    def enough(
        self, *, accuracy: float | None = None, ellipse: float | None = None
    ) -> int | None:
        """Answers after which the mean accuracy, or ellipse, is as wanted; None if never.

        Interpolated in the logarithm of the number of answers.
        """
        if (accuracy is None) == (ellipse is None):
            raise ValueError("give one of accuracy and ellipse")
        if accuracy is not None:
            reached = np.maximum.accumulate(self.accuracy.mean(axis=0))
            wanted = accuracy
        else:
            reached = np.maximum.accumulate(-self.ellipse.mean(axis=0))
            wanted = -ellipse
        if wanted > reached[-1]:
            return None
        logs = np.log(self.n_answers)
        return round(float(np.exp(np.interp(wanted, reached, logs))))

    @property
    def recommendation(self) -> str:
        """How many answers to collect, in a sentence or two."""
        mean, top = self.accuracy.mean(axis=0), float(self.ceiling.mean())
        best = float(mean.max())
        # 95 % of what can be learned: the way from guessing to what the best map reaches
        wanted = 0.5 + 0.95 * (best - 0.5)
        number = self.enough(accuracy=wanted)
        steep = len(mean) > 1 and mean[-1] - mean[-2] > 0.01
        text = (
            f"Collect about {_rounded(number):,} answers: they predict {100 * wanted:.0f} % of "
            f"further answers; {self.n_answers[-1]:,} predict {100 * mean[-1]:.0f} %, and knowing "
            f"the truth would predict {100 * top:.0f} %."
        )
        if steep:
            text += " The curve still rises at its end, so more answers would pay."
        return text


def _rounded(number: int) -> int:
    """Up, to two digits."""
    unit = 10 ** max(len(str(number)) - 2, 0)
    return -(-number // unit) * unit


def plan(
    method: OrdinalEmbedding,
    triplets: Triplets | None = None,
    *,
    n_objects: Objects = 30,
    n_components: Dimensions = 2,
    truth: TruthName = "normal",
    noise: Noise = "flip",
    level: Level = 0.1,
    design: Annotated[
        str,
        Choice(
            {**DESIGNS, **{name: STRATEGIES[name] for name in _ACTIVE}}, "Questions",
            "Most uncertain and information gain choose batch after batch, from the first point "
            "on; they take much longer.",
        ),
    ] = "random",
    repeated: Annotated[
        int,
        Number(3, 9, "Times asked", "Of the repeated design; odd, for a majority.", advanced=True),
    ] = 3,
    most: Answers = 3_000,
    points: Points = 5,
    repeats: Repeats = 8,
    seed: Seed = 0,
    progress: Progress = silent,
) -> Plan:
    """Simulate an experiment with more and more answers.

    Parameters
    ----------
    method : OrdinalEmbedding
        In the number of dimensions of the truth, whatever it says itself.
    triplets : ignored
        So that it can be run like other tasks.
    n_objects, n_components, truth, noise, level, design, repeated, most, points, repeats, seed
        See their declarations.
    progress : Progress
        Called after every simulation.

    Returns
    -------
    Plan
        Of the simulations that were done, if stopped after the second.

    Raises
    ------
    ValueError
        If an option is not as declared.
    Stopped
        If `progress` asks to stop before two simulations are done.
    """
    options = checked(
        plan,
        {
            "n_objects": n_objects, "n_components": n_components, "truth": truth, "noise": noise,
            "level": level, "design": design, "repeated": repeated, "most": most,
            "points": points, "repeats": repeats, "seed": seed,
        },
    )
    if repeated % 2 == 0:
        raise ValueError(f"repeated is {repeated}; a majority needs an odd number.")
    if design == "gain" and not method.is_likelihood:
        raise ValueError(f"{method.title} has no model of answers; use STE, t-STE or CKL")
    d = DIMENSIONS.get(truth, n_components)
    shaped = clone(method).set_params(n_components=d)
    sizes = np.unique(np.geomspace(max(most / 20, 10), most, points).astype(int))
    pieces = [
        (shaped, options, sizes, child)
        for child in np.random.SeedSequence(seed).spawn(repeats)
    ]
    found = []
    for curves in in_parallel(_simulated, pieces):
        found.append(curves)
        if progress(len(found) / len(pieces)):
            break
    if len(found) < 2:
        raise Stopped
    curves, ceiling = zip(*found, strict=True)
    accuracy, ellipse, disparity = np.array(curves).transpose(1, 0, 2)
    return Plan(sizes, accuracy, np.array(ceiling), ellipse, disparity)


def _simulated(
    method: OrdinalEmbedding,
    options: Mapping,
    sizes: np.ndarray,
    seed: np.random.SeedSequence,
    halt: Halt,
) -> tuple[np.ndarray, float]:
    """(3, p) accuracy, ellipse and disparity of one simulation, and its ceiling."""
    rng = np.random.default_rng(seed)
    n = options["n_objects"]
    positions = true_positions(options["truth"], n, method.n_components, rng)
    level = {"noise": options["noise"], "level": options["level"]}
    judged = answer(positions, random_questions(n, _JUDGED, rng), rng, **level)
    ceiling = 1.0 - np.mean(_contradicted(positions, judged))
    asked = np.empty((0, 3), dtype=np.int64)
    curve = np.full((3, len(sizes)), np.nan)
    for number, size in enumerate(sizes):
        asked = _answers(method, options, asked, int(size), positions, rng)
        learned = asked
        if options["design"] == "repeated":
            learned = majority(asked, options["repeated"])
        data = Triplets.from_array(learned, n)
        fitted = clone(method).fit(data, progress=halt)
        samples = bootstrap(
            method, data, replicates=_REPLICATES, seed=int(rng.integers(2**31)),
            reference=fitted.embedding_,
        )
        radius = ellipsoids(samples.covariances, 0.95).size
        curve[:, number] = (
            1.0 - np.mean(_contradicted(fitted.embedding_, judged)),
            np.nanmedian(radius) / rms(fitted.embedding_[fitted.placed_]),
            procrustes_disparity(fitted.embedding_, positions),
        )
        if halt():
            break
    return curve, float(ceiling)


def _contradicted(positions: np.ndarray, rows: np.ndarray) -> np.ndarray:
    return 0.5 - np.sign(margins(positions, rows)) / 2


def _answers(
    method: OrdinalEmbedding,
    options: Mapping,
    so_far: np.ndarray,
    size: int,
    positions: np.ndarray,
    rng: np.random.Generator,
) -> np.ndarray:
    """Rows of a design after `size` answers; designs that can are continued."""
    n, design = options["n_objects"], options["design"]
    level = {"noise": options["noise"], "level": options["level"]}
    if design == "landmark":  # its landmarks depend on how many answers there will be
        return answer(positions, questions_of(design, n, size, rng), rng, **level)
    more = size - len(so_far)
    if design in _ACTIVE and len(so_far):
        data = Triplets.from_array(so_far, n)
        samples = bootstrap(
            method, data, replicates=_REPLICATES, seed=int(rng.integers(2**31))
        )
        questions = propose(
            method, data, more, strategy=design, seed=int(rng.integers(2**31)), samples=samples
        )
    else:
        start = "random" if design in _ACTIVE else design
        questions = questions_of(start, n, more, rng, repeats=options["repeated"])
    return np.concatenate([so_far, answer(positions, questions, rng, **level)])


def recommend(plans: Mapping[str, Plan]) -> str:
    """Which of several plans, by name, predicts best with all its answers, in a sentence.

    Parameters
    ----------
    plans : mapping of str to Plan
        With the same truth, noise and seed: their simulations are compared one by one.
    """
    final = {name: one.accuracy[:, -1] for name, one in plans.items()}
    order = sorted(final, key=lambda name: -final[name].mean())
    best, *others = order
    text = f"{best} predicts best: {100 * final[best].mean():.1f} % of further answers"
    level = []
    for name in others:
        m = min(len(final[best]), len(final[name]))
        gap = final[best][:m] - final[name][:m]
        if gap.mean() <= stdtrit(m - 1, 0.975) * gap.std(ddof=1) / np.sqrt(m):
            level.append(name)
    if level:
        return f"{text}; {' and '.join(level)} cannot be told from it by {m} simulations."
    if others:
        text += f", {others[0]} {100 * final[others[0]].mean():.1f} %"
    return f"{text}."


# Dimension -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Detection:
    """How often the number of dimensions would be found.

    Attributes
    ----------
    n_answers : ndarray of int, shape (p,)
    suggested : ndarray of int, shape (r, p)
        Number of dimensions that cross-validation suggests, in r simulations.
    true : int
    """

    n_answers: np.ndarray
    suggested: np.ndarray
    true: int

    @property
    def found(self) -> np.ndarray:
        """(p,) share of the simulations in which the true number is suggested."""
        return np.mean(self.suggested == self.true, axis=0)

    @property
    def recommendation(self) -> str:
        """From how many answers on the dimension is found, in a sentence."""
        late = np.flatnonzero(self.found >= 0.8)
        if not len(late):
            return (
                f"Even {self.n_answers[-1]:,} answers show all {self.true} dimensions in only "
                f"{100 * self.found[-1]:.0f} % of the simulations."
            )
        return (
            f"About {self.n_answers[late[0]]:,} answers show that there are {self.true} "
            f"dimensions, in {100 * self.found[late[0]]:.0f} % of the simulations."
        )


def detect_dimension(
    method: OrdinalEmbedding,
    triplets: Triplets | None = None,
    *,
    n_objects: Objects = 30,
    n_components: Dimensions = 2,
    truth: TruthName = "normal",
    noise: Noise = "flip",
    level: Level = 0.1,
    most: Answers = 3_000,
    points: Points = 3,
    beyond: Annotated[
        int, Number(1, 5, "Beyond the truth", "So many more dimensions are tried.")
    ] = 2,
    folds: Annotated[int, Number(2, 20, "Folds")] = 5,
    repeats: Repeats = 8,
    seed: Seed = 0,
    progress: Progress = silent,
) -> Detection:
    """Would the number of dimensions be found, with so many answers?

    The suggestion is the smallest number whose held-out error is not significantly worse than
    the best (`core.compare.suggest_dimension`).

    Parameters
    ----------
    method : OrdinalEmbedding
    triplets : ignored
    n_objects, n_components, truth, noise, level, most, points, beyond, folds, repeats, seed
        See their declarations.
    progress : Progress
        Called after every simulation.

    Raises
    ------
    Stopped
        If `progress` asks to stop before two simulations are done.

    References
    ----------
    Haghiri, S. (2020). Comparison-based methods. Section 4.5.4.
    """
    options = checked(
        detect_dimension,
        {
            "n_objects": n_objects, "n_components": n_components, "truth": truth, "noise": noise,
            "level": level, "most": most, "points": points, "beyond": beyond, "folds": folds,
            "repeats": repeats, "seed": seed,
        },
    )
    d = DIMENSIONS.get(truth, n_components)
    sizes = np.unique(np.geomspace(max(most / 20, 50), most, points).astype(int))
    pieces = [
        (method, options, d, sizes, child) for child in np.random.SeedSequence(seed).spawn(repeats)
    ]
    found = []
    for suggested in in_parallel(_suggested, pieces):
        found.append(suggested)
        if progress(len(found) / len(pieces)):
            break
    if len(found) < 2:
        raise Stopped
    return Detection(sizes, np.array(found), d)


def _suggested(
    method: OrdinalEmbedding, options: Mapping, d: int, sizes: np.ndarray,
    seed: np.random.SeedSequence, halt: Halt,
) -> list[int]:
    rng = np.random.default_rng(seed)
    positions = true_positions(options["truth"], options["n_objects"], d, rng)
    questions = random_questions(options["n_objects"], int(sizes[-1]), rng)
    rows = answer(positions, questions, rng, noise=options["noise"], level=options["level"])
    found = []
    for size in sizes:
        data = Triplets.from_array(rows[:size], options["n_objects"])
        try:
            errors = {
                k: cross_validate(
                    clone(method).set_params(n_components=k), data, folds=options["folds"],
                    progress=halt,
                ).fold_errors
                for k in range(1, d + options["beyond"] + 1)
            }
        except Stopped:  # because of `halt`: nobody waits for this any more
            return [0] * len(sizes)
        found.append(suggest_dimension(errors, 1.0 / (options["folds"] - 1)).n_components)
    return found


# The list of questions -------------------------------------------------------------------------

KINDS = ("question", "repeat", "gold")


@dataclass(frozen=True)
class QuestionList:
    """Questions of an experiment, in the order in which they are asked.

    Attributes
    ----------
    questions : ndarray of int, shape (q, 3)
        Anchor, left and right; -1 in the slots of gold questions.
    kind : ndarray of str, shape (q,)
        ``question``; ``repeat``: asked before, perhaps with sides changed, to learn how far people
        agree with themselves; ``gold``: a slot for an obvious question that you choose.
    """

    questions: np.ndarray
    kind: np.ndarray

    def table(self, objects: pd.DataFrame, layout: str = "plain") -> pd.DataFrame:
        """As an experiment reads it, with a further column ``kind``; gold slots are empty.

        Parameters
        ----------
        objects : DataFrame
            `Triplets.objects`.
        layout : {"plain", "salmon", "jspsych"}
            See `core.active.question_table`.
        """
        asked = np.flatnonzero(self.kind != "gold")
        table = question_table(self.questions[asked], objects, layout)
        table = table.set_index(asked).reindex(range(len(self.kind)))
        if "question" in table:
            table["question"] = np.arange(1, len(table) + 1)
        return table.astype(object).where(table.notna(), "").assign(kind=self.kind)


def question_list(
    n_objects: int,
    n_questions: int,
    *,
    repeated: float = 0.1,
    gold: int = 0,
    seed: int = 0,
) -> QuestionList:
    """A balanced list of different questions, with repeats for a ceiling and gold slots.

    Every object is the anchor equally often, and one of the options equally often, give or take
    one; each stands left about as often as right. Repeats come from the first half and stand in the
    second; gold slots are spread evenly.

    Parameters
    ----------
    n_objects, n_questions : int
    repeated : float
        Share of the questions that are asked again, from 0 to 0.5, in addition.
    gold : int
        Slots for gold questions, in addition.
    seed : int

    Raises
    ------
    ValueError
        If there are not so many different questions, or an argument is out of range.
    """
    possible = n_objects * (n_objects - 1) * (n_objects - 2) // 2
    if not 1 <= n_questions <= possible:
        raise ValueError(
            f"n_questions is {n_questions}; {n_objects} objects allow 1 to {possible:,}."
        )
    if not 0.0 <= repeated <= 0.5 or gold < 0:
        raise ValueError("repeated must be from 0 to 0.5, and gold from 0 up.")
    rng = np.random.default_rng(seed)
    first = _balanced(n_objects, n_questions, rng)
    again = rng.permutation(max(n_questions // 2, 1))[: round(repeated * n_questions)]
    kind = np.full(n_questions, "question", dtype="<U8")
    places = np.sort(rng.integers(n_questions // 2 + 1, n_questions + 1, len(again)))
    copies = first[rng.permutation(again)]
    turned = rng.random(len(copies)) < 0.5
    copies[turned, 1:] = copies[turned, :0:-1]
    questions = np.insert(first, places, copies, axis=0)
    kind = np.insert(kind, places, "repeat")
    slots = ((np.arange(gold) + rng.random(gold)) * len(kind) / max(gold, 1)).astype(int)
    return QuestionList(
        np.insert(questions, slots, -1, axis=0), np.insert(kind, slots, "gold")
    )


def _balanced(n: int, n_questions: int, rng: np.random.Generator) -> np.ndarray:
    """(q, 3) different questions in random order, objects and sides in balance."""
    anchors = np.concatenate([rng.permutation(n) for _ in range(-(-n_questions // n))])
    anchors = anchors[:n_questions]
    often, lefts = np.zeros(n), np.zeros(n)
    asked: set[tuple[int, int, int]] = set()
    rows = []
    for anchor in anchors.tolist():
        # The least used come first, in random order among equals.
        order = np.lexsort((rng.random(n), often))
        order = order[order != anchor].tolist()
        pairs = ((order[i], order[j]) for j in range(1, n - 1) for i in range(j))
        one, other = next(
            (a, b) for a, b in pairs if (anchor, min(a, b), max(a, b)) not in asked
        )
        asked.add((anchor, min(one, other), max(one, other)))
        often[[one, other]] += 1
        lean = lefts[one] - lefts[other]
        if lean > 0 or (lean == 0 and rng.random() < 0.5):
            one, other = other, one
        lefts[one] += 1
        lefts[other] -= 1
        rows.append((anchor, one, other))
    return np.array(rows, dtype=np.int64)
