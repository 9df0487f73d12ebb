"""Explanation of answers by features, in sentences and figures."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Annotated, ClassVar

import numpy as np
import pandas as pd

from tripletscope.core.engine.method import make_method
from tripletscope.core.features.correlation import MapCorrelation
from tripletscope.core.features.explain import Explained, above_chance
from tripletscope.core.features.feature_weights import FeatureWeights
from tripletscope.core.features.recovery import Recovered
from tripletscope.core.features.residual_map import ResidualMap
from tripletscope.core.features.unique import UniqueParts
from tripletscope.core.features.ways import WAYS
from tripletscope.core.models.embedding import STE
from tripletscope.core.run import Run
from tripletscope.dashboard.figures.explaining import (
    MODEL_NAMES,
    SCHEME_NAMES,
    accuracy_bars,
    accuracy_height,
    interval_rows,
    rows_height,
)
from tripletscope.dashboard.figures.theme import SCREEN
from tripletscope.dashboard.results.drawing import Drawing
from tripletscope.dashboard.results.look import OneOf
from tripletscope.dashboard.results.map_recipe import Placed
from tripletscope.dashboard.results.maps import PlainMap
from tripletscope.dashboard.results.presentation import (
    Advice,
    Element,
    Numbers,
    ShownResults,
    Statement,
    presents,
)
from tripletscope.dashboard.words import unmarked, words

#: Most objects with names in a map.
_NAMED = 150
#: Most names of features that count, and that do not.
_MOST, _NOTHING = 5, 10
_CEILING = ["ceiling_lower", "ceiling_upper"]


def _ways_to_count(run: Run) -> dict[str, str]:
    """One way, where every choice is one of two."""
    asked = {"asked": "as they were asked"}
    is_of_more = (np.abs(run.result().chance - 0.5) > 1e-6).any()
    return {**asked, "two": "two at a time"} if is_of_more else asked


@dataclass(frozen=True)
class AccuracyLook:
    """How accuracies of features are shown."""

    place: ClassVar[str] = "features"

    counted: Annotated[str, OneOf(
        _ways_to_count, "Count choices",
        "An odd one out counts as one choice of three, or as two comparisons of two, each with its "
        "own chance and ceiling.",
    )] = "asked"


@presents("explain", told_in="features", look=AccuracyLook)
def accuracy_of(shown: ShownResults, run: Run) -> Iterator[Element]:
    result, as_asked = run.result(), shown.look_of(run, AccuracyLook).counted == "asked"
    table = in_order(measured_as(result, as_asked=as_asked))
    ceilings = ceilings_of(table)
    yield from accuracy_said(result, table, ceilings)
    spaces, models = table["space"].nunique(), table["model"].nunique()
    there = [words(f"by {name}") for name in MODEL_NAMES if name in {*table["model"]}]
    text = words(
        "features of", models=words.listing(there), over=words.over(*result.accuracy.over),
        about=shown.about,
    )
    if ceilings:
        text += f" {words('ceiling band')}"
    yield Drawing(
        "features-accuracy", words("title features"), text,
        words("alt features", number=words.count(spaces, "feature space"),
              best=table["space"].iloc[0]),
        accuracy_height(spaces, models) / SCREEN.width,
        lambda canvas: accuracy_bars(table, ceilings=ceilings, caption=text, canvas=canvas),
        lambda: table, (run.key,),
    )
    yield Numbers(words("numbers"), partial(_accuracy_numbers, table))
    yield from not_held_out(result)


def not_held_out(result: Explained | UniqueParts | Recovered) -> Iterator[Advice]:
    """Why no objects are held out, where they are not."""
    if result.not_held_out:
        numbers = {name: n for name, n in result.not_held_out.items() if name != "code"}
        yield Advice(words(f"not held out {result.not_held_out['code']}", **numbers))


def measured_as(result: Explained, *, as_asked: bool = True) -> pd.DataFrame:
    """The table of accuracies, of choices as they were asked or of two at a time."""
    table = result.table
    if as_asked:
        return table
    places = ["accuracy", "low", "high", "p", *_CEILING]
    table[places] = table[[f"triplet_{name}" for name in places]].to_numpy()
    answers = dict(zip(result.schemes, result.n_answers, strict=True))
    return table.assign(chance=0.5, choices=table["held_out"].map(answers)).drop(
        columns=["behind", "behind_low", "behind_high", "gain", "gain_low", "gain_high"]
    )


def in_order(table: pd.DataFrame) -> pd.DataFrame:
    """The space that predicts held-out objects best first; of trials, where there are no others."""
    scheme = "objects" if (table["held_out"] == "objects").any() else "trials"
    best = table[table["held_out"] == scheme].groupby("space")["accuracy"].max()
    order = best.sort_values(ascending=False, kind="stable").index.tolist()
    return table.sort_values(
        "space", key=lambda names: names.map({name: k for k, name in enumerate(order)}),
        kind="stable", ignore_index=True,
    )


def ceilings_of(table: pd.DataFrame) -> dict[str, tuple[float, float]]:
    """Bounds of the noise ceiling by scheme; empty where they are vague.

    table: As of `measured_as`.
    """
    known = table.dropna(subset=_CEILING).drop_duplicates("held_out")
    bounds = map(tuple, known[_CEILING].to_numpy())
    return dict(zip(known["held_out"], bounds, strict=True))


def accuracy_said(
    result: Explained, table: pd.DataFrame, ceilings: dict[str, tuple[float, float]]
) -> Iterator[Element]:
    """None is ahead of another where neither is surely above chance (`above_chance`).

    table: As of `measured_as`.
    ceilings: As of `ceilings_of`.
    """
    rows = above_chance(table)
    scheme = rows["held_out"].iloc[0]
    best = rows.loc[rows["accuracy"].idxmax()]
    key = ("best" if len(set(rows["space"])) > 1 else "one") if best["significant"] else "none"
    yield from _compared_otherwise(result)  # before accuracies that are too low for it
    yield Statement(words(
        f"features {key} {scheme}", best=best["space"], how=words(f"model {best['model']}"),
        accuracy=tuple(best[["accuracy", "low", "high"]]), over=result.accuracy.over,
        chance=best["chance"], choices=int(best["choices"]),
    ))
    nothing = [
        name for name, above in rows.groupby("space", sort=False)["significant"] if not above.any()
    ]
    if best["significant"]:
        if nothing:
            yield Statement(words("features at chance", names=nothing))
        yield from _differences(rows, best)
    yield _of_ceiling(best, ceilings.get(scheme))
    if len(set(table["held_out"])) > 1:
        learned = (table["model"] != "raw").any()
        yield Advice(words("learned by heart" if learned else "nothing learned"))


def _compared_otherwise(result: Explained) -> Iterator[Statement]:
    """Spaces that predict better as they are if their rows are compared otherwise."""
    found = []
    for k, space in enumerate(result.spaces):
        better, own = result.better_way(k), result.own_way[k]
        if better is not None:
            found.append(words(
                "better way", space=unmarked(space), way=_way(better), own=_way(own),
                accuracy=result.by_way.value[k, better], before=result.by_way.value[k, own],
            ))
    if found:
        yield Statement(words("compared otherwise", spaces=words.first(found, _MOST)))


def _way(number: int) -> str:
    metric, standardise = WAYS[number]
    return words(f"compared by {metric}") + (words("of standardised") if standardise else "")


def _differences(rows: pd.DataFrame, best: pd.Series) -> Iterator[Statement]:
    """The next space against the best, of the same model and on the same choices."""
    same = rows[(rows["model"] == best["model"]) & (rows["space"] != best["space"])]
    if len(same) and "behind" in same:
        following = same.loc[same["accuracy"].idxmax()]
        key = "features ahead" if following["behind_low"] > 0 else "features not ahead"
        yield Statement(words(
            key, next=following["space"],
            behind=tuple(following[["behind", "behind_low", "behind_high"]]),
        ))


def _of_ceiling(best: pd.Series, bounds: tuple[float, float] | None) -> Statement:
    if bounds is None:
        return Statement(words("ceiling vague"))
    lower, upper = bounds
    share = (best["accuracy"] - best["chance"]) / (upper - best["chance"])
    key = "features at ceiling" if best["high"] >= lower else "features below ceiling"
    return Statement(words(key, lower=lower, upper=upper, share=max(share, 0.0)))


_COLUMNS = {
    "space": "feature space", "model": "how", "held_out": "held out", "accuracy": "accuracy",
    "low": "from", "high": "to", "chance": "chance", "behind": "behind the best",
    "behind_low": "behind, from", "behind_high": "behind, to",
    "deviance_explained": "deviance explained", "choices": "choices",
}


def _accuracy_numbers(table: pd.DataFrame) -> pd.DataFrame:
    named = table[[c for c in _COLUMNS if c in table]].rename(columns=_COLUMNS)
    return named.assign(how=named["how"].map(MODEL_NAMES),
                        **{"held out": named["held out"].map(SCHEME_NAMES)})


@presents("feature_weights", told_in="features")
def weights_of(shown: ShownResults, run: Run) -> Iterator[Element]:
    result = run.result()
    table = shares_of(result)
    yield from _weights_said(result, table)
    text = words("feature weights of", number=words.whole(len(result.samples)),
                 over=words.over(*result.weight.over), about=shown.about)
    yield _rows(
        "features-weights", words("title feature weights"), text,
        words("alt feature weights", first=table["name"][0]), table, "share of the weights", run,
    )


def shares_of(result: FeatureWeights) -> pd.DataFrame:
    """The shares of features, the largest first, for `interval_rows`."""
    several = len(set(result.spaces)) > 1
    twice = pd.Series(result.features).duplicated(keep=False)
    names = [
        f"{feature} ({space})" if several and again else feature
        for space, feature, again in zip(result.spaces, result.features, twice, strict=True)
    ]
    table = pd.DataFrame({
        "name": names, "value": result.share.value, "low": result.share.low,
        "high": result.share.high, **result.weight.columns("weight"), "is_zero": result.is_zero,
    })
    return table.sort_values("value", ascending=False, kind="stable", ignore_index=True)


def _weights_said(result: FeatureWeights, table: pd.DataFrame) -> Iterator[Element]:
    """Features that count, and features not shown to."""
    if len(table) == 1:
        yield Statement(words("one feature"))
        yield Advice(words("choose several"))
        return
    if not result.predicts:
        yield Statement(words("features guess", accuracy=result.accuracy.interval))
        return
    counts, nothing = table[~table["is_zero"]], table[table["is_zero"]]["name"]
    if len(counts):
        estimates = zip(*counts[["name", "value", "low", "high"]].to_numpy().T, strict=True)
        names = words.first(_named(estimates), _MOST)
        yield Statement(words("features count", names=names, over=result.share.over))
    if len(nothing):
        names = words.first([unmarked(name) for name in nothing], _NOTHING)
        yield Statement(words("features do not count", names=names))
    yield Advice(words("weights are shared"))


def _named(estimates: Iterator[tuple[str, float, float, float]]) -> list[str]:
    return [f"{unmarked(name)} {words.estimate(*estimate)}" for name, *estimate in estimates]


@presents("unique_parts", told_in="features")
def unique_of(shown: ShownResults, run: Run) -> Iterator[Element]:
    result = run.result()
    scheme, table = parts_of(result)
    yield from _parts_said(result, scheme)
    text = words(f"unique of {scheme}", over=words.over(*result.total.over), about=shown.about)
    yield _rows(
        "features-unique", words("title unique"), text,
        words("alt unique", number=len(result.predictors)), table, "deviance explained", run,
        n_rows=1.5 * len(result.predictors) + 1,
    )
    yield Numbers(words("every subset"), partial(_subsets, result, scheme))
    yield from not_held_out(result)


def parts_of(result: UniqueParts) -> tuple[str, pd.DataFrame]:
    """The scheme, objects if possible, and the parts for `interval_rows`."""
    k = 0 if result.n_choices[0] else 1
    parts = [
        pd.DataFrame({
            "name": result.predictors, "kind": kind, "value": part.value[:, k],
            "low": part.low[:, k], "high": part.high[:, k],
        })
        for part, kind in ((result.alone, "alone"), (result.unique, "beyond all others"))
    ]
    together = pd.DataFrame({
        "name": ["all together"], "kind": ["alone"], "value": result.total.value[[k]],
        "low": result.total.low[[k]], "high": result.total.high[[k]],
    })
    return result.schemes[k], pd.concat([*parts, together], ignore_index=True)


def _parts_said(result: UniqueParts, scheme: str) -> Iterator[Statement]:
    k = result.schemes.index(scheme)
    some = result.total.low[k] > 0
    yield Statement(words(
        f"parts {'together' if some else 'none'} {scheme}", over=result.total.over,
        total=result.total[k].interval,
    ))
    if not some:
        return
    unique = zip(result.predictors, *result.unique[:, k].interval, strict=True)
    adds, named = result.adds[:, k], _named(unique)
    some = [name for name, counts in zip(named, adds, strict=True) if counts]
    rest = [name for name, counts in zip(result.predictors, adds, strict=True) if not counts]
    yield Statement(words("parts add", names=words.listing(some)) if some else
                   words("parts add none"))
    if rest and some:
        yield Statement(words("parts do not add", names=rest))
    yield Statement(words(
        "parts help" if result.joint.high[k] < 0 else "parts shared",
        joint=result.joint[k].interval,
    ))


def _subsets(result: UniqueParts, scheme: str) -> pd.DataFrame:
    k = result.schemes.index(scheme)
    return pd.DataFrame({
        "predictors": [
            ", ".join(name for name, there in zip(result.predictors, subset, strict=True) if there)
            for subset in result.subsets
        ],
        "explained": result.explained[:, k], "accuracy": result.subset_accuracy[:, k],
        "in common alone": result.common.value[:, k], "from": result.common.low[:, k],
        "to": result.common.high[:, k],
    })


@presents("map_correlation", told_in="features")
def map_correlation_of(shown: ShownResults, run: Run) -> Iterator[Element]:
    result = run.result()
    yield from correlations_said(result)
    table = result.table.rename(columns={"space": "name", "correlation": "value"}).sort_values(
        "value", ascending=False, kind="stable", ignore_index=True
    )
    bounds = (result.ceiling_lower, result.ceiling_upper) if result.ceiling_lower > 0 else None
    method = make_method(run.options["embedding"]) if run.options["embedding"] else STE()
    text = words("map correlation of", map=words.method(method),
                 over=words.over(*result.correlation.over), about=shown.about)
    if bounds is not None:
        text += f" {words('halves band')}"
    alt = words("alt map correlation", number=words.count(len(table), "feature space"),
                best=table["name"][0])
    yield _rows("features-map", words("title map correlation"), text, alt, table,
                "rank correlation", run, band=bounds)
    yield Advice(words("map between"))


def correlations_said(result: MapCorrelation) -> Iterator[Statement]:
    """Which features rank pairs as the map does."""
    correlation, behind = result.correlation, result.behind
    best = int(correlation.value.argmax())
    surely = result.significant[best]
    yield Statement(words(
        "features correlate" if surely else "features correlate none", best=result.spaces[best],
        value=correlation[best].interval, over=correlation.over,
    ))
    if surely:
        nothing = [
            name for name, sure in zip(result.spaces, result.significant, strict=True) if not sure
        ]
        if nothing:
            yield Statement(words("features at chance", names=nothing))
        for k in [k for k in (-correlation.value).argsort(kind="stable") if k != best][:1]:
            yield Statement(words(
                "correlates ahead" if behind.low[k] > 0 else "correlates not ahead",
                next=result.spaces[k], behind=behind[k].interval,
            ))
    if result.ceiling_lower > 0:
        yield Statement(words("halves correlate", lower=result.ceiling_lower,
                             upper=result.ceiling_upper))


@presents("left_over", told_in="features")
def left_over_of(shown: ShownResults, run: Run) -> Iterator[Element]:
    """The map of what features leave unexplained, and its contribution."""
    result = run.result()
    yield from _rest_said(result)
    positions = np.where(result.placed[:, None], result.embedding, np.nan)
    text = words("left over of", features=words.method(run.fresh()), about=shown.about)
    if not result.is_something:
        text += f" {words('left over noise')}"
    drawn = PlainMap(shown, run, Placed(positions, None, None), text)
    yield Drawing(
        "features-left-over", words("title left over"), drawn.caption,
        words("alt left over", objects=words.count(int(result.placed.sum()), "object")), 0.62,
        drawn.draw, drawn.table, (run.key,), picks=True,
    )
    parts = words("left over parts of", over=words.over(*result.gain.over),
                  about=shown.about)
    table = pd.DataFrame({
        "name": result.parts, "value": result.explained.value, "low": result.explained.low,
        "high": result.explained.high,
    })
    yield _rows("features-left-over-parts", words("title left over parts"), parts,
                words("alt rows"), table, "deviance explained", run)


def _rest_said(result: ResidualMap) -> Iterator[Statement]:
    yield Statement(words(
        "left over something" if result.is_something else "left over nothing",
        gain=result.gain.interval, over=result.gain.over,
    ))
    helps, harms = result.beyond.low > 0, result.beyond.high < 0
    yield Statement(words(
        "features help the map" if helps else "map beats features" if harms else "map as features",
        beyond=result.beyond.interval,
    ))
    parts = zip(result.parts, *result.accuracy.interval, strict=True)
    yield Statement(words("left over accuracy", chance=result.chance,
                         parts=words.listing(_named(parts))))


def _rows(
    name: str, title: str, text: str, alt: str, table: pd.DataFrame, value: str, run: Run, *,
    n_rows: float | None = None, band: tuple[float, float] | None = None,
) -> Drawing:
    return Drawing(
        name, title, text, alt, rows_height(n_rows or len(table)) / SCREEN.width,
        lambda canvas: interval_rows(table, value=value, band=band, caption=text, canvas=canvas),
        lambda: table, (run.key,),
    )
