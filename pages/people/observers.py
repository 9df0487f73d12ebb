"""Who predicts whom, what pooling brings, and a map of each: of people, or of conditions."""

from __future__ import annotations

import streamlit as st

from tripletscope.core.data.quadruples import Quadruples
from tripletscope.core.engine.method import Method
from tripletscope.core.models.embedding.default import DEFAULT_EMBEDDING
from tripletscope.core.people.floor import floor_of
from tripletscope.core.people.groups import groups_of
from tripletscope.core.people.predictions import pooling_curve, who_predicts_whom
from tripletscope.core.scales import MLDS
from tripletscope.dashboard.results.dividing import condition_columns
from tripletscope.dashboard.ui.analysis import Piece
from tripletscope.dashboard.ui.choosing import physical_columns
from tripletscope.dashboard.ui.controls import parameter_form, pick, pick_method
from tripletscope.dashboard.ui.elements import looks_row
from tripletscope.dashboard.ui.looks import ask_look
from tripletscope.dashboard.ui.page import tab
from tripletscope.pages.people.context import PAGE, PeopleContext, with_people


@tab(PAGE, "Who predicts whom", 5, needs=with_people)
def show_observers(context: PeopleContext) -> None:
    """Everything about participants or conditions, as far as it was computed."""
    with context.side:
        method, pieces = _pieces(context)
        runs = context.results(
            "observers", "Who predicts whom", pieces,
            "Predicts each one's answers from those of each of the others, and of participants "
            "also from growing groups, and maps each one.",
        )
    maps = [run for run in runs if run and run.task == "observer_maps"]
    # Participants and their groups alike: as of those that are the more.
    most = max(maps, key=lambda run: len(run.result().names), default=None)
    with looks_row(context.picture):
        looks = {} if most is None else {"": ask_look(context, most)[most.key]}
    with context.picture:
        context.present_or_promise(
            *runs, promise="Compute shows who predicts whom, how much pooling several participants "
            "improves prediction, and whose maps are similar; or the same of conditions.",
            looks=looks,
        )
        if any(runs) and not _has_maps(method):
            st.caption(
                "Difference scaling computes no maps: see “Groups” on the page Scale, or choose an "
                "embedding."
            )


def _pieces(context: PeopleContext) -> tuple[Method, list[Piece]]:
    """Ask for method, participants and groups; what is to be computed."""
    current, info, answers = context.session, context.info, context.answers
    usual = MLDS if isinstance(answers, Quadruples) else DEFAULT_EMBEDDING
    kind = pick_method(
        current, ("embedding", MLDS.kind), f"{PAGE}.observers.method@{info.id}", "Method",
        usual.name,
    )
    method = kind(**parameter_form(
        current, kind, f"{PAGE}.observers.{kind.name}@{info.id}",
        columns={"objects": physical_columns(answers.objects)},
    ))
    by = pick(
        current, f"{PAGE}.observers.by@{info.id}", "Each", {name: name for name in context.groups},
        help="Column of the answers: participant, session, group, instruction.",
    )
    # Conditions are few, in no groups, and no sample of others that a further one is like.
    is_condition = by in condition_columns(answers.answers)
    options = parameter_form(
        current, who_predicts_whom, f"{PAGE}.who@{info.id}",
        hidden=("by", "group", "most") if is_condition else ("by",),
        columns={"answers": context.groups},
    )
    group = options.get("group")
    most = {} if is_condition else {"most": options["most"]}
    pieces: list[Piece] = [(method, "who_predicts_whom", options | {"by": by})]
    if not is_condition:
        pools = parameter_form(
            current, pooling_curve, f"{PAGE}.pooling", hidden=("by", "most", "seed")
        )
        pieces.append((method, "pooling_curve", {**pools, "by": by, **most}))
    return method, pieces + [
        (method, "observer_maps", {"by": column, **most})
        for column in dict.fromkeys((group, by))
        if column is not None and _has_maps(method) and _is_enough(context, method, column, **most)
    ]


def _has_maps(method: Method) -> bool:
    """Difference scaling makes none."""
    return method.kind == "embedding"


def _is_enough(context: PeopleContext, method: Method, by: str, most: int | None = None) -> bool:
    """Whether two of the largest groups gave answers enough for maps of their own."""
    largest = list(groups_of(context.answers, by).items())[:most]
    return floor_of(method, context.answers, dict(largest), of_scale=True).reached.sum() > 1
