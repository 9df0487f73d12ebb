"""Individual people: predictions, weights, groups and conditions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from tripletscope.core.people import (
    ConditionComparison,
    LatentClassMap,
    PeopleComparison,
    WeightedEuclidean,
)
from tripletscope.core.people.comparing import ONE, OWN, PRECISION, WEIGHTS, groups_model
from tripletscope.core.people.floor import Floor, floor_of
from tripletscope.core.people.groups import groups_of
from tripletscope.core.run import Run
from tripletscope.dashboard.figures.observers import grid_height, map_grid
from tripletscope.dashboard.figures.people import (
    gain_dots,
    membership_bars,
    most_different,
    weights_figure,
)
from tripletscope.dashboard.figures.theme import SCREEN
from tripletscope.dashboard.results.drawing import Drawing
from tripletscope.dashboard.results.maps import first_column_of
from tripletscope.dashboard.results.presentation import (
    Advice,
    Element,
    Numbers,
    ShownResults,
    Statement,
    presents,
)
from tripletscope.dashboard.words import words


def weights_table(fitted: WeightedEuclidean) -> pd.DataFrame:
    """One row per person, the most different first.

    ``person``, ``answers``, and of every axis ``weight``, ``low``, ``high``; with two axes ``axis 1
    / axis 2`` with its interval, which is attention without consistency.
    """
    table = pd.DataFrame({"person": fitted.people_, "answers": fitted.n_answers_})
    logs, covariance = np.log(fitted.weights_), fitted.log_covariance_
    if fitted.n_components == 2:
        ratio = logs[:, 0] - logs[:, 1]
        spread = np.sqrt(np.maximum(
            covariance[:, 0, 0] + covariance[:, 1, 1] - 2 * covariance[:, 0, 1], 0.0
        ))
        table["axis 1 / axis 2"] = np.exp(ratio)
        table["ratio low"] = np.exp(ratio - 1.96 * spread)
        table["ratio high"] = np.exp(ratio + 1.96 * spread)
    for k in range(fitted.n_components):
        table[f"weight {k + 1}"] = fitted.weights_[:, k]
        table[f"low {k + 1}"], table[f"high {k + 1}"] = fitted.low_[:, k], fitted.high_[:, k]
    return table.iloc[most_different(fitted.weights_)].reset_index(drop=True)


@presents("compare_people", told_in="groups")
def compared(shown: ShownResults, run: Run) -> Iterator[Element]:
    """Which view of people predicts their held-out answers."""
    yield from map(Statement, people_said(run.result(), run.parameters["by"]))
    yield _gains(shown, run)


def people_said(comparison: PeopleComparison, by: str) -> Iterator[str]:
    """Sentences on the comparison, the most important first."""
    if comparison.is_chance:
        yield words("people at chance")
        return
    chosen, people, n_told = comparison.chosen, len(comparison.people), comparison.n_told
    if chosen == ONE:
        yield words("people one map", by=by)
    else:
        yield words("people best", view=_view(chosen), over=("participants", people),
                    gain=comparison.gain(chosen), right=comparison.gain(chosen, of="accuracy"))
    if number := int(comparison.guessers.sum()):
        yield words("people guess", number=number, people=people)
    better, clearly, worse = comparison.better(WEIGHTS)
    chance = words("by chance", number=round(0.025 * n_told)) if 0.025 * n_told >= 1 else words(
        "hardly by chance"
    )
    key = "people not told" if not n_told else "people better" + " of some" * (n_told < people)
    yield words(key, better=better, people=people, clearly=clearly, worse=worse, told=n_told,
                chance=chance)
    if chosen not in (ONE, PRECISION) and comparison.gain(WEIGHTS, PRECISION)[1] <= 0:
        yield words("weights add nothing")


def _view(model: str) -> str:
    if model in (ONE, PRECISION, WEIGHTS, OWN):
        return words(f"view {model}")
    return words("view groups", number=int(model.split()[0]))


@presents("compare_conditions", told_in="groups")
def conditions(shown: ShownResults, run: Run) -> Iterator[Element]:
    yield from map(Statement, conditions_said(run.result(), run.parameters["by"]))
    yield _gains(shown, run)


def conditions_said(comparison: ConditionComparison, by: str) -> Iterator[str]:
    """Sentences on the permutation test and held-out answers."""
    yield words(f"conditions {comparison.attention}", by=by)
    if comparison.weights_differ:
        yield words("conditions of guesses")
    if comparison.attention == "unseen" and comparison.chosen not in (ONE, PRECISION):
        yield words("conditions vary", view=words(f"view of conditions {comparison.chosen}"))
    yield words("conditions permuted", how=words(f"permuted {comparison.permuted}"), p=comparison.p,
                number=comparison.permutations)
    yield words("conditions gain", gain=comparison.gain(WEIGHTS, PRECISION),
                over=words(f"conditions over {comparison.unit}"))


def beside_conditions(shown: ShownResults, by: str) -> Iterator[Statement]:
    """That conditions may differ where people are not seen to, which read as a contradiction."""
    for run in shown.all_of("compare_conditions"):
        condition, found = run.parameters["by"], run.result()
        if condition != by and found.weights_differ:
            is_within = found.permuted == "within participants"
            key = "beside conditions of each" if is_within else "beside conditions"
            yield Statement(words(key, by=by, condition=condition))


def floor_said(floor: Floor, by: str = "participant") -> str:
    """People below the floor, and why; empty where everybody gave enough."""
    few = ~floor.reached
    if not few.any():
        return ""
    units = "people" if by == "participant" else "groups"
    who = words(f"{'all' if few.all() else 'some'} {units} below", few=int(few.sum()),
                number=len(few), by=by)
    needed, gave, worth = floor.medians(few)
    return words(
        "below the floor", who=who, what=words(f"floor {floor.what}", d=floor.n_components),
        needed=needed,
        gave=words("gave worth", gave=gave, worth=worth) if worth < gave else words.whole(gave),
    )


def _gains(shown: ShownResults, run: Run) -> Drawing:
    comparison = run.result()
    table, by = comparison.table, run.parameters["by"]
    number = len(comparison.log_share)
    over = words.over("participants", number) if run.task == "compare_people" or \
        comparison.unit == "participants" else words.over("answers", None)
    text = words("people gains of", by=by, folds=words.whole(run.options["folds"]), over=over,
                 method=words.method(run.fresh()))
    return Drawing(
        f"gains-{by}", words("title people gains", by=by), text, words("alt rows"),
        (110.0 + 40.0 * len(table)) / SCREEN.width,
        lambda canvas: gain_dots(table, caption=text, canvas=canvas), lambda: table, (run.key,),
    )


@presents("fit", "individuals", told_in="groups")
def individuals_of(shown: ShownResults, run: Run) -> Iterator[Element]:
    """Weights, or groups; when cautious, only those that a comparison confirms."""
    fitted = run.fitted()
    if isinstance(fitted, LatentClassMap):
        comparison = next((
            one for one in _comparisons(shown, run) if isinstance(one, PeopleComparison)
        ), None)
        yield Statement(groups_said(comparison))
        if not fitted.converged_:
            yield Advice(words("groups not converged"))
        if not shown.cautious or (comparison is not None and comparison.n_groups > 1):
            yield from _groups(shown, run, fitted)
        return
    comparisons = _comparisons(shown, run)
    if not any(isinstance(one, ConditionComparison) for one in comparisons):
        yield Statement(axes_said(fitted, next(iter(comparisons), None)))
        if comparisons and not any(one.weights_differ for one in comparisons):
            yield from beside_conditions(shown, fitted.by)
    if shown.cautious and not any(one.weights_differ for one in comparisons):
        yield Statement(words(
            "weights not seen" if comparisons else "weights not shown", by=fitted.by
        ))
        return
    yield _weights(shown, run, fitted)
    yield Numbers(words("who differs"), partial(weights_table, fitted))


def _comparisons(
    shown: ShownResults, run: Run
) -> list[PeopleComparison | ConditionComparison]:
    """Comparisons under the same model of people, by held-out answers."""
    shared = ("by", "n_components", "response")
    return [
        one.result() for one in
        [*shown.all_of("compare_people"), *shown.all_of("compare_conditions")]
        if all(one.parameters[name] == run.parameters[name] for name in shared)
    ]


def groups_said(comparison: PeopleComparison | None) -> str:
    """The number of groups that held-out answers support."""
    if comparison is None or groups_model(2) not in comparison.models:
        return words("groups not tested")
    number, counted = comparison.n_groups, comparison.others or comparison
    gain = counted.gain(groups_model(max(number, 2)), PRECISION)
    if number == 1 and gain[1] > 0 and counted.differ_by_degrees(2):
        said = words("people by degrees", gain=counted.gain(WEIGHTS, groups_model(2)))
    else:
        said = words("one group" if number == 1 else "groups predict", number=number, gain=gain)
    if comparison.others is None:
        return said
    return f"{said} {words('groups without guesses', number=int(comparison.guessers.sum()))}"


def axes_said(fitted: WeightedEuclidean, comparison: PeopleComparison | None) -> str:
    """Whether the axes of the map mean something."""
    if fitted.n_components == 1:
        return words("one axis")
    if comparison is None:
        return words("axes not tested")
    if not comparison.attention_shown:
        return words("axes not needed", by=fitted.by)
    if fitted.axes_are_fixed and comparison.axes_agree:
        error = max(1.96 * fitted.axes_error_, comparison.axes_error)
        return words("axes fixed", error=f"{error:.0f}")
    known = np.isfinite(comparison.axes_error)
    return words("axes apart" if known else "axes free", error=f"{comparison.axes_error:.0f}")


def _weights(shown: ShownResults, run: Run, fitted: WeightedEuclidean) -> Drawing:
    d = fitted.n_components
    text = words(
        "weights of", people=words.whole(len(fitted.people_)), by=fitted.by,
        method=words.method(run.fresh()),
    )
    text = f"{text} {words({2: 'weights read', 3: 'weights triangle'}.get(d, 'weights strips'))}"
    return Drawing(
        f"weights-{fitted.by}", words("title weights", by=fitted.by), text, words("alt weights"),
        0.75 if d in (2, 3) else 0.5,
        lambda canvas: weights_figure(
            fitted.people_, fitted.weights_, fitted.low_, fitted.high_, caption=text,
            canvas=canvas,
        ), partial(weights_table, fitted), (run.key,),
    )


def _groups(shown: ShownResults, run: Run, fitted: LatentClassMap) -> Iterator[Drawing]:
    text = words(
        "membership of", people=words.whole(len(fitted.people_)), by=fitted.by,
        groups=words.whole(fitted.n_groups), method=words.method(run.fresh()),
    )
    table = pd.DataFrame({
        "person": fitted.people_, "answers": fitted.n_answers_, "group": fitted.group_ + 1,
        **{f"group {g + 1}": column for g, column in enumerate(fitted.membership_.T)},
    })
    yield Drawing(
        "membership", words("title membership"), text, words("alt membership"), 0.42,
        lambda canvas: membership_bars(
            fitted.people_, fitted.membership_, caption=text, canvas=canvas
        ), lambda: table, (run.key,),
    )
    maps = np.concatenate([fitted.embedding_[None], fitted.maps_])
    maps = np.where(fitted.placed_[None, :, None], maps, np.nan)
    titles = [words("map of all"), *(
        words("map of group", number=str(g + 1), share=words.percent(share, 0))
        for g, share in enumerate(fitted.shares_)
    )]
    yield maps_beside(
        shown, run, "group-maps", maps, titles, colour=first_column_of(shown.answers.objects),
        groups=fitted.n_groups,
    )


def silence_said(shown: ShownResults, run: Run, by: str) -> str:
    """People or groups below the floor of a result, and why; empty if there are none."""
    members = dict(list(groups_of(shown.answers, by).items())[: run.options["most"]])
    return floor_said(floor_of(run.fresh(), shown.answers, members), by)


def maps_beside(
    shown: ShownResults, run: Run, name: str, maps: np.ndarray, titles: Sequence[str], *,
    colour: str | None, **how: Any,
) -> Drawing:
    """Maps of several, side by side.

    Shapes: maps (p, n, d), titles length p.
    **how: Further arguments of `ShownResults.drawing`.
    """
    def positions() -> pd.DataFrame:
        return pd.concat([
            pd.DataFrame({
                "map": title, "object": shown.answers.labels,
                **{f"x{k + 1}": axis for k, axis in enumerate(x.T)},
            }) for title, x in zip(titles, maps, strict=True)
        ], ignore_index=True)

    return shown.drawing(
        run, name, max(grid_height(maps) / SCREEN.width, 0.25), partial(
            map_grid, maps, titles, shown.answers.objects, colour=colour, selected=shown.selected,
        ), positions, alt="alt group maps", picks=True, **how,
    )
