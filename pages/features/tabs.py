"""What features predict, count, share and leave over: a tab for each task."""

from __future__ import annotations

from functools import partial
from typing import Any

import streamlit as st

from tripletscope.core.engine.method import Method, as_record
from tripletscope.core.features.feature_weights import FOR_EACH, MOST
from tripletscope.core.models.embedding import STE
from tripletscope.core.reading import NO_MAP
from tripletscope.dashboard.ui import analysis, panels
from tripletscope.dashboard.ui.feature_spaces import (
    PAGE,
    FeaturesContext,
    choose_spaces,
    choose_spaces_apart,
    choose_spaces_whole,
)
from tripletscope.dashboard.ui.opened_map import method_of, opened_map
from tripletscope.dashboard.ui.page import tab
from tripletscope.dashboard.ui.task import show_task
from tripletscope.dashboard.words.formats import count

#: Answers times features up to which results are computed without being asked for.
_AT_ONCE, _MAPS_AT_ONCE = 100_000, 2_000
#: Predictors of which all subsets are tried.
_MOST_PREDICTORS = 6
#: Objects that can be resampled at least.
FEWEST = 5


def _is_quick(context: FeaturesContext) -> bool:
    return context.size_of_work <= _AT_ONCE


def _too_many_to_weigh(context: FeaturesContext) -> tuple[str, str] | None:
    features = sum(len(space.names) for space in context.spaces)
    if features <= MOST and len(context.answers) >= FOR_EACH * features:
        return None
    return (
        "Too many features to weigh each",
        f"{count(features, 'feature')} are chosen. At most {MOST} can be weighted, with {FOR_EACH} "
        "answers for each: choose other feature spaces above. Tables of many columns are weighted "
        "under Accuracy, where a penalty helps.",
    )


def _no_rival(context: FeaturesContext) -> tuple[str, str] | None:
    if len(context.spaces) > 1:
        return None
    return "Only one feature space", "Choose two or more above."


def _no_subsets(context: FeaturesContext) -> tuple[str, str] | None:
    """Predictors are feature spaces, or the features of a single one."""
    spaces = number = len(context.spaces)
    if spaces == 1 and len(context.spaces[0].names) <= _MOST_PREDICTORS:
        number = len(context.spaces[0].names)
    if 2 <= number <= _MOST_PREDICTORS:
        return None
    return (
        "Only one predictor" if number < 2 else "Too many predictors",
        f"{count(spaces, 'feature space')} {'is' if spaces < 2 else 'are'} chosen. Choose two to "
        f"{_MOST_PREDICTORS} above: every subset of them is tried.",
    )


def _map_of(context: FeaturesContext) -> Method:
    """The map that is open, as it was set; the usual one where there is none."""
    opened = opened_map(context.info)
    return STE() if opened is None else method_of(opened)


def _described_map(context: FeaturesContext) -> dict[str, Any]:
    return {"embedding": as_record(_map_of(context))}


def _no_map(context: FeaturesContext) -> tuple[str, str] | None:
    """No map can be made where no object recurs."""
    return None if context.info.objects_recur else NO_MAP


def _too_few_objects(context: FeaturesContext) -> tuple[str, str] | None:
    objects = int(context.known.sum())
    if objects >= FEWEST:
        return _no_map(context)
    return (
        "Too few objects",
        f"{count(objects, 'object')} have features in every chosen space; a rank correlation needs "
        f"at least {FEWEST}.",
    )


def _name_the_map(context: FeaturesContext) -> dict[str, Any]:
    st.caption(panels.plain(f"Map: {analysis.describe(_map_of(context))}."))
    return {}


@tab(PAGE, "Accuracy", 1, needs=choose_spaces)
def show_accuracy(context: FeaturesContext) -> None:
    """How often each feature space predicts the choices."""
    show_task(
        context, "explain", at_once=_is_quick(context),
        about="Predicts held-out choices from each feature space.",
        promise="Compute shows how often each feature space predicts people's choices: as it is, "
        "with weighted dimensions, and after a linear transform.",
    )


@tab(PAGE, "Recovery", 1.5, slot=f"{PAGE}.recovery", needs=choose_spaces)
def show_recovery(context: FeaturesContext) -> None:
    """Whether the right feature space would be found."""
    show_task(
        context, "recover_spaces", refused=_no_rival(context),
        about="Simulates answers from each feature space, and computes which space predicts them "
        "best.",
        promise="Compute shows whether the right feature space would predict best, with these "
        "questions and this much noise, and how many choices would suffice.",
    )


@tab(PAGE, "Weights", 2, slot=f"{PAGE}.weights", needs=choose_spaces_whole)
def show_weights(context: FeaturesContext) -> None:
    """The weight of each feature beside the others."""
    show_task(
        context, "feature_weights", refused=_too_many_to_weigh(context),
        at_once=_is_quick(context),
        about="Estimates weights by maximum likelihood, for the answers and for bootstrap "
        "replicates.",
        promise="Compute shows the weight of each feature beside the others, with its interval.",
    )


@tab(PAGE, "Map", 3, slot=f"{PAGE}.map", needs=choose_spaces)
def show_map(context: FeaturesContext) -> None:
    """Whether distances between features are those of the map."""
    show_task(
        context, "map_correlation", refused=_too_few_objects(context),
        given=lambda method: _described_map(context), further=partial(_name_the_map, context),
        at_once=context.size_of_work <= _MAPS_AT_ONCE,
        about="Correlates distances between features with those of the map and of maps of "
        "resampled answers.",
        promise="Compute shows whether pairs that are far apart in features are far apart in the "
        "map, with an interval for other objects and other people.",
    )


@tab(PAGE, "Alignment", 3.5, slot=f"{PAGE}.alignment", needs=choose_spaces)
def show_alignment(context: FeaturesContext) -> None:
    """Which objects are matched with themselves, by distances alone."""
    show_task(
        context, "align_spaces", refused=_too_few_objects(context),
        given=lambda method: _described_map(context), further=partial(_name_the_map, context),
        about="Matches objects of the map with those of each feature space, by distances alone.",
        promise="Compute shows how many objects are matched with themselves, in each feature space "
        "and in maps of two halves of the answers, and which are confused.",
    )


@tab(PAGE, "Unique and shared", 4, slot=f"{PAGE}.unique", needs=choose_spaces_apart)
def show_unique(context: FeaturesContext) -> None:
    """What each predictor explains alone, and what is lost without it."""
    show_task(
        context, "unique_parts", refused=_no_subsets(context), at_once=_is_quick(context),
        about="Predicts held-out choices by every subset of the predictors.",
        promise="Compute shows what each feature space explains alone, and what is lost without "
        "it.",
    )


@tab(PAGE, "Residual map", 5, slot=f"{PAGE}.left_over", needs=choose_spaces_whole)
def show_left_over(context: FeaturesContext) -> None:
    """What the features do not explain, as a map."""
    show_task(
        context, "left_over", refused=_no_map(context), at_once=_is_quick(context),
        about="Fits a map beside the features, and tests whether it predicts held-out trials.",
        promise="Compute maps what the features do not explain, and tests whether it is more than "
        "noise.",
    )
