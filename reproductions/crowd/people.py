"""What answers of a crowd tell of each other: sessions, pools of them, gold questions, methods."""

from __future__ import annotations

from itertools import product

import numpy as np
import pandas as pd
from scipy.stats import binom

from tripletscope.core.computing.progress import Progress, Stopped, part, silent
from tripletscope.core.data.triplets import Triplets
from tripletscope.core.embedding import CKL, GNMDS, SOE, STE, TSTE
from tripletscope.core.observers.groups import groups_of
from tripletscope.core.quality.rules import RULES, Known
from tripletscope.reproductions.data import brought
from tripletscope.reproductions.item import (
    DOES_NOT_HOLD,
    HOLDS,
    Item,
    Observation,
)
from tripletscope.reproductions.samples import sample

_METHODS = {"t-STE": TSTE, "STE": STE, "GNMDS": GNMDS, "CKL": CKL, "LOE": SOE}
#: Share of a session's answers that is held out to predict it from the others.
_OUT = 0.15


def egg_answers() -> Triplets:
    return sample("alien_eggs").triplets


def crowd_answers() -> Triplets:
    return sample("crowd").triplets


def _map(triplets: Triplets, seed: int, dimensions: int = 2) -> TSTE:
    return TSTE(n_components=dimensions, n_init=1, seed=seed).fit(triplets)


def _sessions(triplets: Triplets, n_sessions: int, rng: np.random.Generator) -> list[np.ndarray]:
    """Positions of the answers of groups of people, about equally many in each."""
    people = list(groups_of(triplets, "participant").values())
    order = rng.permutation(len(people))
    sessions: list[list[np.ndarray]] = [[] for _ in range(n_sessions)]
    for person in order:
        least = min(sessions, key=lambda s: sum(map(len, s)))
        least.append(people[person])
    return [np.concatenate(session) for session in sessions]


def _across(
    triplets: Triplets, sessions: list[np.ndarray], rng: np.random.Generator, seed: int
) -> list[dict]:
    """How well a session's map predicts held-out answers of each session, its own among them."""
    held_out = [
        rng.choice(answers, int(_OUT * len(answers)), replace=False) for answers in sessions
    ]
    rows = []
    for learner, answers in enumerate(sessions):
        fitted = _map(triplets.take(np.setdiff1d(answers, held_out[learner])), seed)
        rows += [
            {"what": "session", "learned from": learner + 1, "predicted": other + 1,
             "accuracy": fitted.score(triplets.take(test)),
             "relation": "same session" if other == learner else "other session"}
            for other, test in enumerate(held_out)
        ]
    return rows


def _pooled(
    triplets: Triplets, sessions: list[np.ndarray], sizes: tuple[int, ...],
    rng: np.random.Generator, seed: int,
) -> list[dict]:
    """How well one session is predicted from so many others."""
    first, *others = (sessions[i] for i in rng.permutation(len(sessions)))
    return [
        {"what": "pool", "pool": size, "accuracy": _map(
            triplets.take(np.concatenate(others[:size])), seed
        ).score(triplets.take(first))}
        for size in sizes if size <= len(others)
    ]


def sessions(
    *, n_sessions: int, sizes: tuple[int, ...], runs: int, seed: int = 0,
    progress: Progress = silent,
) -> pd.DataFrame:
    """Accuracy within and across sessions, and by the number of sessions that are pooled."""
    triplets = egg_answers()
    rows: list[dict] = []
    for run in range(runs):
        rng = np.random.default_rng([seed, run])
        groups = _sessions(triplets, n_sessions, rng)
        rows += _across(triplets, groups, rng, run)
        rows += _pooled(triplets, groups, sizes, rng, run)
        if progress((run + 1) / runs) and run + 1 < runs:
            raise Stopped
    found = pd.DataFrame(rows)
    cells = found[found["what"] == "session"].groupby(
        ["what", "learned from", "predicted", "relation"], as_index=False
    )["accuracy"].mean()
    boxes = found[found["what"] == "session"].groupby("relation")["accuracy"].agg(
        ["mean", "std", "size"]
    ).reset_index().rename(columns={"mean": "accuracy", "std": "spread", "size": "cases"})
    pools = found[found["what"] == "pool"].groupby("pool")["accuracy"].agg(
        ["mean", "std", "size"]
    ).reset_index().rename(columns={"mean": "accuracy", "std": "spread", "size": "cases"})
    return pd.concat([
        cells, boxes.assign(what="relation"), pools.assign(what="pool")
    ], ignore_index=True)


def check_sessions(table: pd.DataFrame) -> Observation:
    """Others' maps must predict within .05 of one's own, pools must help and then level off."""
    relation = table[table["what"] == "relation"].set_index("relation")["accuracy"]
    same, other = relation["same session"], relation["other session"]
    pool = table[table["what"] == "pool"].sort_values("pool").set_index("pool")["accuracy"]
    four = pool[pool.index <= 4]
    early, late = four.iloc[-1] - pool.iloc[0], pool.iloc[-1] - four.iloc[-1]
    said = (
        f"same session {same:.3f}, another {other:.3f}; pools of " + ", ".join(
            f"{size:.0f}: {accuracy:.3f}" for size, accuracy in pool.items()
        )
    )
    if same - other > 0.05:
        return Observation(DOES_NOT_HOLD, said, "Another session's map predicts clearly worse than "
                           "one's own.")
    if early <= 0 or late >= early:
        return Observation(DOES_NOT_HOLD, said, "Pooling does not gain most with the first four "
                           "sessions.")
    return Observation(
        HOLDS, said, f"Sessions predict each other as well as themselves; four together gain "
        f"{early:.3f} over one, and all others {late:.3f} more.",
    )


def each_person(*, runs: int, seed: int = 0, progress: Progress = silent) -> pd.DataFrame:
    """How well people are predicted from others' answers, and whether they fail catch trials."""
    imported = sample("crowd")
    triplets = imported.triplets
    excluded = _excluded(Known(triplets, imported.catch_trials))
    people = groups_of(triplets, "participant")
    rows = []
    for run, (name, own) in product(range(runs), people.items()):
        rng = np.random.default_rng([seed, run])
        test = rng.choice(own, len(own) // 3, replace=False)
        rest = np.setdiff1d(own, test)
        others = np.setdiff1d(np.arange(len(triplets)), own)
        found = {
            "own": _map(triplets.take(rest), run).score(triplets.take(test)),
            "others": _map(triplets.take(others), run).score(triplets.take(own))
            if run == 0 else np.nan,
        }
        rows += [
            {"person": name, "map": whose, "accuracy": accuracy,
             "catch trials": "failed" if name in excluded else "passed"}
            for whose, accuracy in found.items()
        ]
        if progress(len(rows) / (2 * runs * len(people))) and len(rows) < 2 * runs * len(people):
            raise Stopped
    table = pd.DataFrame(rows).groupby(
        ["person", "map", "catch trials"], as_index=False
    )["accuracy"].mean()
    order = table[table["map"] == "others"].sort_values("accuracy", ascending=False)["person"]
    place = {name: number for number, name in enumerate(order, 1)}
    return table.assign(
        place=table["person"].map(place),
        panel=table["map"].map({"others": "from others' answers", "own": "from their own"}),
    ).sort_values(["map", "place"], ignore_index=True)


def _excluded(known: Known) -> set[str]:
    """People who fail more than a fifth of the catch trials."""
    out = RULES["failed_checks"].find(known, most=0.2)
    return set(known.triplets.answers["participant"].astype(str)[out])


def check_each_person(table: pd.DataFrame) -> Observation:
    """Whoever fails catch trials must be predicted worse than most of the others."""
    others = table[table["map"] == "others"]
    failed, passed = (
        others[others["catch trials"] == which]["accuracy"] for which in ("failed", "passed")
    )
    own = table[table["map"] == "own"].groupby("catch trials")["accuracy"].mean()
    said = (
        f"from others' answers: {passed.median():.2f} ({passed.min():.2f} to {passed.max():.2f}) "
        f"of the {len(passed)} who passed, {failed.median():.2f} of the {len(failed)} who failed; "
        f"from their own: {own['passed']:.2f} and {own['failed']:.2f}"
    )
    if failed.max() < passed.quantile(0.25):
        return Observation(HOLDS, said, "Who failed the catch trials is predicted worse than three "
                           "quarters of the others.")
    return Observation(DOES_NOT_HOLD, said, "Some who failed the catch trials are predicted as "
                       "well as the others.")


def gold(
    *, numbers: tuple[int, ...], lapses: float, seed: int = 0, progress: Progress = silent
) -> pd.DataFrame:
    """Who fails catch trials in the sample; and how often guessers and careful people would."""
    imported = sample("crowd")
    known = Known(imported.triplets, imported.catch_trials)
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
    chance = table[(table["what"] == "chance") & (table["questions"] == 20)].set_index("who")
    guessers, careful = (float(chance["accepted"].iloc[i]) for i in (0, 1))
    said = (
        f"{len(found)} of {len(out)} excluded, {len(found & _CARELESS)} of the "
        f"{len(_CARELESS)} careless; with 20 questions {guessers:.1%} of guessers pass, and "
        f"{careful:.1%} of those who err in a twentieth"
    )
    if found == _CARELESS and guessers < 0.05 < 0.95 < careful:
        return Observation(HOLDS, said, "Obvious questions single out who was made careless, and "
                           "twenty of them are enough.")
    return Observation(DOES_NOT_HOLD, said, "Obvious questions miss some who were made careless, "
                       "or exclude others.")


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
    """Accuracy of methods on held-out answers by the dimension of their maps."""
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
            rows.append({"data": name, "dimensions": d, "method": method,
                         "accuracy": fitted.score(triplets.take(out))})
            if report(numbers.index(d) / len(numbers)):
                raise Stopped
    return pd.DataFrame(rows).groupby(["data", "dimensions", "method"], sort=False).agg(
        accuracy=("accuracy", "mean"), spread=("accuracy", lambda a: a.std(ddof=1)),
        runs=("accuracy", "size"),
    ).reset_index()


def check_dimensions(table: pd.DataFrame) -> Observation:
    """t-STE must be best everywhere; two dimensions must gain over one, and more at most .01.

    Best is who is within one standard error of the best method that the thesis compares; CKL is
    none of these.
    """
    said, best, levels = [], True, {}
    for name, own in table.groupby("data", sort=False):
        wide = own.pivot_table(index="dimensions", columns="method", values="accuracy")
        error = own["spread"].max() / np.sqrt(own["runs"].iloc[0])
        tste, others = wide["t-STE"], wide.drop(columns="CKL", errors="ignore").max(axis=1)
        best &= bool((tste >= others - error).all())
        levels[name] = tste.loc[2] - tste.loc[1], tste.drop(index=[1]).max() - tste.loc[2]
        said.append(
            f"{name}, d = {tste.index[0]} to {tste.index[-1]}: t-STE "
            + ", ".join(f"{v:.3f}" for v in tste) + "; best of the other methods of the thesis "
            + ", ".join(f"{v:.3f}" for v in wide.drop(columns=["CKL", "t-STE"], errors="ignore")
                        .max(axis=1))
            + (", CKL " + ", ".join(f"{v:.3f}" for v in wide["CKL"]) if "CKL" in wide else "")
        )
    first = "t-STE is best" if best else "t-STE is not best everywhere"
    if best and all(second > 0.01 and more < 0.01 for second, more in levels.values()):
        return Observation(HOLDS, "; ".join(said), f"{first}, two dimensions gain over one, and "
                           "more gain hardly anything.")
    depends = "; ".join(
        f"on {name} the second changes accuracy by {second:+.3f} and the best number of more by "
        f"{more:+.3f}" for name, (second, more) in levels.items()
    )
    return Observation(
        DOES_NOT_HOLD, "; ".join(said),
        f"{first}, but how many dimensions are worth it depends on the stimuli: {depends}."
        if best else f"{first}; {depends}.",
    )


_EGGS = "alien eggs (231 people, 300 drawings) in place of eidolons"
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
        ours="Groups of people with about 2,200 answers each are sessions; panels a and b need a "
        "laboratory, and other designs, and are left out",
        experiment=sessions, full={"n_sessions": 8, "sizes": (1, 2, 3, 4, 5, 6, 7), "runs": 20},
        quick={"sizes": (1, 4, 7), "runs": 2}, check=check_sessions, stand_in=_EGGS,
    ),
    Item(
        key="thesis-figure-5.6", title="Accuracy of every person",
        claim="Most people are well predicted, and those who failed the gold questions are not.",
        published="most sessions with acceptable accuracy, the last seven those that failed",
        setting="1,500 answers for training and 250 for testing of each person, 20 repetitions",
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
        ours="A seventh of the questions of all people held out, five splits; SOE for LOE; "
        "CKL beside the methods of the thesis",
        experiment=dimensions,
        full={"data_sets": ("alien eggs", "music"), "numbers": (1, 2, 3, 4, 5, 6), "runs": 5},
        quick={"data_sets": ("alien eggs",), "numbers": (1, 2, 3), "runs": 1},
        check=check_dimensions, needs=("music",),
        stand_in="alien eggs (one parameter) and musicians (MusicSeer) in place of eidolons",
    ),
)
