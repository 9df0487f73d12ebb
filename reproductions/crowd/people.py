"""What answers of a crowd tell of each other: sessions, pools of them, gold questions, methods."""

from __future__ import annotations

from itertools import product

import numpy as np
import pandas as pd
from scipy.stats import binom, binomtest

from tripletscope.core.data.triplets import Answers, Triplets
from tripletscope.core.engine.progress import Progress, Stopped, part, silent
from tripletscope.core.models.embedding import GNMDS, SOE, STE, TSTE
from tripletscope.core.people.groups import groups_of
from tripletscope.core.scales.scale_trials import recorded
from tripletscope.core.studies.quality.rules import RULES, RuleData
from tripletscope.reproductions.data import brought
from tripletscope.reproductions.item import DOES_NOT_HOLD, HOLDS, Item, Observation
from tripletscope.reproductions.samples import sample
from tripletscope.reproductions.significance import LEVEL, clear, p_above, p_paired

_METHODS = {"t-STE": TSTE, "STE": STE, "GNMDS": GNMDS, "LOE": SOE}
#: Share of a session's questions that is held out to predict it from the others.
_OUT = 0.15
#: Other sessions that gain by pooling, and what is still slightly worse or hardly more.
_POOL, _SLIGHTLY, _HARDLY = 4, 0.05, 0.01


def egg_answers() -> Triplets:
    return sample("alien_eggs").triplets


def crowd_answers() -> Triplets:
    return sample("crowd").triplets


def _map(answers: Answers, seed: int) -> TSTE:
    return TSTE(n_components=2, n_init=1, seed=seed).fit(answers)


def sessions(*, runs: int, seed: int = 0, progress: Progress = silent) -> pd.DataFrame:
    """Accuracy within and across sessions, and by the number of sessions that are pooled.

    A session is one of six observers. Rows of ``what`` "run" have the mean of each run.
    """
    trials = recorded(pd.read_csv(brought("mlds").parent / "Transparency.csv"))
    answers, groups = trials.answers, trials.answers.groups
    each = [np.flatnonzero(trials.observer == name) for name in np.unique(trials.observer)]
    rows: list[dict] = []
    for run in range(runs):
        rng = np.random.default_rng([seed, run])
        out = np.isin(groups, _some(np.unique(groups), rng))
        for learner, own in enumerate(each):
            fitted = _map(answers.take(own[~out[own]]), run)
            rows += [
                {"what": "session", "run": run, "learned from": learner + 1,
                 "predicted": other + 1, "accuracy": fitted.score(answers.take(test[out[test]])),
                 "relation": "same session" if other == learner else "other session"}
                for other, test in enumerate(each)
            ]
        first, *others = (each[i] for i in rng.permutation(len(each)))
        rows += [
            {"what": "pool", "run": run, "pool": size, "accuracy": _map(
                answers.take(np.concatenate(others[:size])), run
            ).score(answers.take(first))}
            for size in range(1, len(each))
        ]
        if progress((run + 1) / runs) and run + 1 < runs:
            raise Stopped
    found = pd.DataFrame(rows)
    cells, pools = (found[found["what"] == what] for what in ("session", "pool"))
    return pd.concat([
        cells.groupby(
            ["what", "learned from", "predicted", "relation"], as_index=False
        )["accuracy"].mean(),
        pools.groupby(["what", "pool"], as_index=False)["accuracy"].agg(
            accuracy="mean", spread="std"
        ),
        pd.concat([
            cells.groupby(["run", "relation"], as_index=False)["accuracy"].mean(),
            pools[["run", "pool", "accuracy"]],
        ]).assign(what="run"),
    ], ignore_index=True)


def _some(questions: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    return rng.choice(questions, int(_OUT * len(questions)), replace=False)


def check_sessions(table: pd.DataFrame) -> Observation:
    """Others must predict within .05 of oneself; four must gain over one, and more hardly."""
    each = table[table["what"] == "run"]
    relation = each.pivot_table("accuracy", "run", "relation")
    pool = each.pivot_table("accuracy", "run", "pool")
    same, other = relation["same session"], relation["other session"]
    more = pool[pool.columns.max()].mean() - pool[_POOL].mean()
    wrong = [said for said, true in {
        "another session predicts better than guessing": p_paired(other - 0.5) < LEVEL,
        "another session predicts only slightly worse": (same - other).mean() <= _SLIGHTLY,
        "four sessions predict clearly better than one": p_paired(pool[_POOL] - pool[1]) < LEVEL,
        "more than four gain hardly anything": more <= _HARDLY,
    }.items() if not true]
    return Observation(
        DOES_NOT_HOLD if wrong else HOLDS,
        f"same session {same.mean():.3f}, another {other.mean():.3f}; pools of " + ", ".join(
            f"{size:.0f}: {accuracy:.3f}" for size, accuracy in pool.mean().items()
        ),
        f"Not so: {'; '.join(wrong)}." if wrong else "All that the rule asks is so.",
    )


def each_person(*, runs: int, seed: int = 0, progress: Progress = silent) -> pd.DataFrame:
    """How well people are predicted from others' answers, and whether they fail catch trials."""
    imported = sample("crowd")
    triplets = imported.triplets
    excluded = _excluded(RuleData(triplets, imported.catch_trials))
    people = groups_of(triplets, "participant")
    rows = []
    for run, (name, own) in product(range(runs), people.items()):
        rng = np.random.default_rng([seed, run])
        test = rng.choice(own, len(own) // 3, replace=False)
        rest = np.setdiff1d(own, test)
        others = np.setdiff1d(np.arange(len(triplets)), own)
        found = {
            "own": _map(triplets.take(rest), seed + run).score(triplets.take(test)),
            "others": _map(triplets.take(others), seed).score(triplets.take(own))
            if run == 0 else np.nan,
        }
        rows += [
            {"person": name, "map": whose, "accuracy": accuracy, "answers": len(own),
             "catch trials": "failed" if name in excluded else "passed"}
            for whose, accuracy in found.items()
        ]
        if progress(len(rows) / (2 * runs * len(people))) and len(rows) < 2 * runs * len(people):
            raise Stopped
    table = pd.DataFrame(rows).groupby(
        ["person", "map", "catch trials", "answers"], as_index=False
    )["accuracy"].mean()
    order = table[table["map"] == "others"].sort_values("accuracy", ascending=False)["person"]
    place = {name: number for number, name in enumerate(order, 1)}
    return table.assign(
        place=table["person"].map(place),
        panel=table["map"].map({"others": "from others' answers", "own": "from their own"}),
    ).sort_values(["map", "place"], ignore_index=True)


def _excluded(known: RuleData) -> set[str]:
    """People who fail more than a fifth of the catch trials."""
    out = RULES["failed_checks"].find(known, most=0.2)
    return set(known.triplets.answers["participant"].astype(str)[out])


def check_each_person(table: pd.DataFrame) -> Observation:
    """All who failed catch trials must come last, and most others be clearly predicted."""
    others = table[table["map"] == "others"]
    failed, passed = (
        others[others["catch trials"] == which] for which in ("failed", "passed")
    )
    well = [
        binomtest(round(row["accuracy"] * row["answers"]), int(row["answers"]), 0.5,
                  alternative="greater").pvalue < LEVEL for _, row in passed.iterrows()
    ]
    last = failed["accuracy"].max() < passed["accuracy"].min()
    own = table[table["map"] == "own"].groupby("catch trials")["accuracy"].mean()
    return Observation(
        HOLDS if last and np.mean(well) > 0.5 else DOES_NOT_HOLD,
        f"from others' answers: {passed['accuracy'].min():.2f} to {passed['accuracy'].max():.2f} "
        f"of the {len(passed)} who passed, at most {failed['accuracy'].max():.2f} of the "
        f"{len(failed)} who failed; from their own: {own['passed']:.2f} and {own['failed']:.2f}",
        f"{sum(well)} of {len(passed)} who passed are predicted better than by guessing, and who "
        f"failed {'comes' if last else 'does not come'} last.",
    )


def gold(
    *, numbers: tuple[int, ...], lapses: float, seed: int = 0, progress: Progress = silent
) -> pd.DataFrame:
    """Who fails catch trials in the sample; and how often guessers and careful people would."""
    imported = sample("crowd")
    known = RuleData(imported.triplets, imported.catch_trials)
    excluded = _excluded(known)
    people = known.people
    table = pd.DataFrame({
        "what": "person", "person": people["participant"], "failed": people["failed"],
        "excluded": np.where(
            people["participant"].astype(str).isin(excluded), "excluded", "kept"
        ),
    })
    rows = [
        {"what": "chance", "questions": n, "who": who,
         "accepted": float(binom.cdf(np.floor(0.2 * n + 1e-9), n, error))}
        for n in numbers for who, error in (
            ("who guesses", 0.5), (f"who errs in {lapses:.0%}", lapses)
        )
    ]
    progress(1.0)
    return pd.concat([table, pd.DataFrame(rows)], ignore_index=True)


#: Who answers at random in the sample, or mostly chooses one side.
_CARELESS = {"p07", "p22", "p35"}


def check_gold(table: pd.DataFrame) -> Observation:
    """The careless of the sample, and only they, must be found; few guessers pass 20 questions."""
    out = table[table["what"] == "person"]
    found = set(out[out["excluded"] == "excluded"]["person"])
    chance = table[(table["what"] == "chance") & (table["questions"] == 20)]
    guessers, careful = chance["accepted"].iloc[:2]
    return Observation(
        HOLDS if found == _CARELESS and guessers < 0.05 and careful > 0.95 else DOES_NOT_HOLD,
        f"with 20 questions {guessers:.1%} of guessers pass, and {careful:.1%} of those who err in "
        "a twentieth",
        f"{len(found)} of {len(out)} are excluded, among them {len(found & _CARELESS)} of the "
        f"{len(_CARELESS)} who were made careless.",
    )


def _music() -> Triplets:
    """Answers about musicians, without the few that name one twice."""
    rows = pd.read_csv(brought("music"))[["anchor", "near", "far"]].to_numpy() - 1
    anchor, near, far = rows.T
    rows = rows[(anchor != near) & (anchor != far) & (near != far)]
    return Triplets.from_array(rows, 412)


def dimensions(
    *, data_sets: tuple[str, ...], numbers: tuple[int, ...], runs: int, seed: int = 0,
    progress: Progress = silent,
) -> pd.DataFrame:
    """Accuracy of methods on held-out answers by the dimension of their maps.

    Rows of ``kind`` "mean", and of ``kind`` "split", of each way to hold answers out.
    """
    rows: list[dict] = []
    work = list(product(data_sets, range(runs)))
    for done, (name, run) in enumerate(work):
        triplets = egg_answers() if name == "alien eggs" else _music()
        rng = np.random.default_rng([seed, run])
        groups = triplets.groups
        out = np.isin(groups, rng.permutation(np.unique(groups))[: len(np.unique(groups)) // 7])
        report = part(progress, done / len(work), (done + 1) / len(work))
        for d, (method, make) in product(numbers, _METHODS.items()):
            fitted = make(n_components=d, n_init=1, seed=run).fit(triplets.take(~out))
            rows.append({"kind": "split", "data": name, "dimensions": d, "method": method,
                         "run": run, "accuracy": fitted.score(triplets.take(out))})
            if report(numbers.index(d) / len(numbers)):
                raise Stopped
    splits = pd.DataFrame(rows)
    means = splits.groupby(["data", "dimensions", "method"], sort=False)["accuracy"].agg(
        accuracy="mean", spread="std"
    ).reset_index()
    return pd.concat([means.assign(kind="mean"), splits], ignore_index=True)


def check_dimensions(table: pd.DataFrame) -> Observation:
    """t-STE must be clearly best everywhere; two dimensions gain over one, more at most .01.

    The splits are those of one set of answers, so that the variance of a difference is corrected
    for training parts that overlap (Nadeau and Bengio).
    """
    said, p_values, levels = [], {}, {}
    for name, own in table[table["kind"] == "split"].groupby("data", sort=False):
        wide = own.pivot_table("accuracy", ["dimensions", "run"], "method")
        for d, each in wide.groupby("dimensions"):
            for method in wide.columns.drop("t-STE"):
                p_values[f"{method} on {name}, d = {d}"] = _p_better(
                    each["t-STE"] - each[method]
                )
        of_two = wide.loc[2, "t-STE"]
        p_values[f"one dimension on {name}"] = _p_better(of_two - wide.loc[1, "t-STE"])
        means = wide.groupby("dimensions").mean()
        levels[name] = means["t-STE"].drop(index=[1, 2]).max() - of_two.mean()
        said.append(f"{name}, d = {means.index[0]} to {means.index[-1]}: " + "; ".join(
            f"{method} " + ", ".join(f"{v:.3f}" for v in means[method]) for method in means
        ))
    found = clear(p_values)
    wrong = [f"better than {place}" for place in p_values if place not in found] + [
        f"more than two gain hardly anything on {name} ({more:+.3f})"
        for name, more in levels.items() if more > _HARDLY
    ]
    return Observation(
        DOES_NOT_HOLD if wrong else HOLDS, "; ".join(said),
        f"Not so of t-STE: {'; '.join(wrong[:4])}"
        f"{' and others' * (len(wrong) > 4)}." if wrong else "All that the rule asks is so.",
    )


def _p_better(gains: pd.Series) -> float:
    """P value of no gain over splits with a seventh held out."""
    return p_above(gains.mean(), gains.std(ddof=1) * np.sqrt(1 / len(gains) + 1 / 6),
                   len(gains) - 1)


_KITCHEN = "the sample of kitchen objects (45 simulated people) in place of eidolons"

ITEMS = (
    Item(
        key="thesis-figure-5.3", title="The basis picture of the stimuli, and a question",
        claim="A picture is altered in three parameters, 5 · 5 · 4 = 100 times, and people say "
        "which of two versions is more similar to a third.",
        setting="Eidolons of a waterfall: reach and grain in {5, 12, 26, 61, 128}, coherence in "
        "{0, .33, .67, 1}",
        stated="It shows stimuli, which are not to be had; the program's own pictures are those "
        "of the alien eggs, which differ in one parameter.",
    ),
    Item(
        key="thesis-figure-5.4", title="Gold questions",
        claim="A few questions with an obvious answer tell who does not pay attention.",
        published="20 questions in a session; 7 of 60 sessions excluded for errors in more than "
        "20 % of them",
        setting="Excluded is who errs in more than 20 % of the gold questions",
        rule="Holds if an error in more than a fifth of the catch trials excludes the three people "
        "who were made careless and nobody else, and of 20 questions less than 5 % of guessers and "
        "more than 95 % of those who err in a twentieth pass.",
        exact=True,
        ours="Catch trials, whose anchor is one of the options, six for each person",
        experiment=gold, full={"numbers": (5, 6, 10, 15, 20, 30, 40), "lapses": 0.05},
        check=check_gold, stand_in=_KITCHEN,
    ),
    Item(
        key="thesis-figure-5.5", title="Sessions predict each other, and pools of them",
        claim="Answers of a session are predicted about as well from another session as from "
        "itself, and pooling helps up to about four sessions.",
        published="another session slightly worse than the same; crowd about 5 points below the "
        "laboratory; about 5 points gained with four sessions, nothing more after that",
        setting="100 eidolons, sessions of 2,000 random questions, t-STE in two dimensions, 20 "
        "trials",
        rule="Holds if another session's map predicts better than guessing and on average at most "
        "5 points worse than a session's own, pools of four predict clearly better than one "
        "(paired t test over 20 trials, 5 %), and five at most 1 point better than four.",
        ours="A session is one observer, with 420 answers about pairs of ten stimuli; a question "
        "is held out with its copies",
        not_judged="Panels a and b: there are no answers of a laboratory and a crowd about the "
        "same stimuli, and none of one observer to random, repeated and landmark questions.",
        experiment=sessions, full={"runs": 20}, quick={"runs": 5}, check=check_sessions,
        needs=("mlds",), needs_in_short=("mlds",),
        stand_in="six observers of transparency (R's package MLDS) in place of people who compare "
        "eidolons",
    ),
    Item(
        key="thesis-figure-5.6", title="Accuracy of every person",
        claim="Most people are well predicted, and those who failed the gold questions are not.",
        published="most sessions with acceptable accuracy, the last seven those that failed",
        setting="1,500 answers for training and 250 for testing of each person, 20 repetitions",
        rule="Holds if everyone who failed the catch trials is predicted worse from the others' "
        "answers than everyone who passed, and more than half of those who passed are predicted "
        "better than by guessing (binomial test of each, 5 %).",
        not_judged="Prediction from one's own answers, which are too few here.",
        ours="Each person has 92 answers: predicted from those of all others, and from two thirds "
        "of their own",
        experiment=each_person, full={"runs": 10}, quick={"runs": 1}, check=check_each_person,
        stand_in=_KITCHEN,
    ),
    Item(
        key="thesis-figure-5.7", title="Methods and dimensions",
        claim="Two dimensions predict better than one, more than two no better, and t-STE predicts "
        "best.",
        published="two dimensions, t-STE best in all of one to six (a picture)",
        setting="One person's 1,500 answers for training, 250 for testing",
        rule="Holds if t-STE predicts clearly better than STE, GNMDS and LOE in each of one to six "
        "dimensions, and in two clearly better than in one (paired t tests over the splits, 5 %, "
        "Holm), and more than two gain at most 1 point, on both data sets.",
        ours="A seventh of the questions of all people held out, five splits; SOE for LOE",
        experiment=dimensions,
        full={"data_sets": ("alien eggs", "music"), "numbers": (1, 2, 3, 4, 5, 6), "runs": 5},
        quick={"data_sets": ("alien eggs",), "numbers": (1, 2, 3), "runs": 1},
        check=check_dimensions, needs=("music",),
        stand_in="alien eggs (one parameter) and musicians (MusicSeer) in place of eidolons",
    ),
)
