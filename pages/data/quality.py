"""What the answers are worth: in words, then by participant, object, sampler and time."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import partial

import streamlit as st

from tripletscope import __version__
from tripletscope.core.studies.quality import Exclusion
from tripletscope.dashboard.figures.labels import short_people
from tripletscope.dashboard.results import quality, sentences
from tripletscope.dashboard.results.comparison import dimensions_of_each, suggestions_of
from tripletscope.dashboard.results.presentation import ShownResults
from tripletscope.dashboard.state import Session, widgets
from tripletscope.dashboard.ui import analysis, panels
from tripletscope.dashboard.ui.controls import pick, tabs
from tripletscope.dashboard.ui.current_comparison import current_comparison
from tripletscope.dashboard.ui.opened_map import opened_map
from tripletscope.dashboard.ui.page import tab
from tripletscope.dashboard.ui.watching import watch
from tripletscope.dashboard.words import words
from tripletscope.pages.data.context import QualityContext
from tripletscope.pages.data.excluding import ask_for_reason, exclude_and_show
from tripletscope.pages.data.gold import show_gold
from tripletscope.pages.data.measured import draw_measures, pick_axes, show_table, with_intervals

PAGE = "quality"
_MOST_OBJECTS = 2_000  # of points that are drawn

#: The first ones tell careful from careless people at a glance.
_PEOPLE = {
    "trials": "trials", "predicted": "predicted by the others' map",
    "agrees": "agreement with the majority",
    "consistent": "intra-observer consistency", "failed": "catch and gold questions failed",
    "skipped": "questions skipped", "late": "questions not answered in time",
    "median_time": "median response time (s)",
    "favourite_share": "proportion on the preferred side",
    "questions": "different questions", "mean_time": "mean response time (s)",
    "fastest": "fastest 5 % of responses (s)",
    "bias_p": "p (no side bias)", "runs_p": "p (random sequence of sides)",
}
_NAMED = 5  # people in the verdict, with their reasons
_OBJECTS = {
    "answers": "answers", "as_anchor": "as anchor", "as_near": "as nearer",
    "as_far": "as farther", "repeats": "pairs of repeats",
    "consistent": "consistent repeats", "circular_share": "circular triads",
}


@tab("data", "Quality", 2, needs=QualityContext.with_cleaning, slot=PAGE)
def show_quality(context: QualityContext) -> None:
    """The report in words, and views that show where it comes from."""
    report, columns = context.report, context.answers.answers.columns
    has_people = "participant" in columns and not report.participants.empty
    _verdict(context)
    if box := panels.folded("The report in numbers", "quality.report", expanded=not has_people):
        with box:
            context.present(report.coverage, report)
            if report.sides.participants:
                _show_button(
                    context, "sides", "Show people with a side bias", report.sides.participants
                )
            st.markdown("\n".join(f"- {panels.marked(line)}" for line in _dimensions(context)))
    views = {
        "people": ("Participants", _people, has_people), "objects": ("Objects", _objects, True),
        "samplers": ("Samplers", _samplers, "sampler" in columns and not report.samplers.empty),
        "time": ("Over time", _over_time, True),
        # Right answers are about three objects.
        "gold": ("Gold questions", show_gold, not context.info.has_only_pairs),
        "paragraph": ("Methods section", _paragraph, True),
    }
    titles = {name: title for name, (title, _, is_there) in views.items() if is_there}
    view = tabs(context.session, "quality.view", "View", titles)
    watch(context.job)
    views[view][1](context)


def _verdict(context: QualityContext) -> None:
    """Whom to look at; the figure and the reasons are below."""
    result = context.verdict
    shown = ShownResults((), context.answers, context.info.name)
    first, *rest = (panels.plain(part.text) for part in quality.verdict_of(shown, result))
    if not result.reasons:
        show = st.warning if result.guessing else st.info
        icon = "warning" if result.guessing else "check_circle" if result.looked_at else "info"
        show(" ".join((f"**{first}**", *rest)), icon=f":material/{icon}:")
        return
    names = short_people(context.people["participant"].tolist())
    people = panels.plain(words.first([names[name] for name in result.reasons], _NAMED))
    with st.container(horizontal=True, vertical_alignment="center"):
        st.warning(" ".join((f"**{first}** {people}.", *rest)), icon=":material/person_search:")
        _show_button(context, "verdict", "Show them", result.reasons)


def _show_button(context: QualityContext, name: str, label: str, people: Iterable[str]) -> None:
    st.button(
        label, key=f"quality.show.{name}", on_click=_show_people,
        args=(context.session, list(people)),
        help="Selects them among the participants below. Nothing is excluded.",
    )


def _reasons(context: QualityContext) -> None:
    """Why somebody is to be looked at, beside the figure that shows it."""
    names = short_people(context.people["participant"].tolist())
    st.markdown("\n".join(
        f"- **{panels.plain(names[person])}** "
        + panels.plain(quality.reasons_said(context.verdict, person))
        for person in list(context.verdict.reasons)[:_NAMED]
    ))


def _show_people(current: Session, people: list[str]) -> None:
    current.drafts["quality.people"] = people
    widgets()["quality.view"] = "people"


def _dimensions(context: QualityContext) -> list[str]:
    """How many dimensions the answers support, as the page Compare says."""
    if context.info.has_only_pairs:
        return []
    runs = current_comparison(context.session, context.info, context.answers).runs(
        context.info, context.answers
    )
    suggestions = suggestions_of(runs, context.answers)
    if not suggestions:
        return ["Number of dimensions: not compared yet. The page Compare recommends one."]
    return [*dimensions_of_each(suggestions)]


def _people(context: QualityContext) -> None:
    table, titles = context.people, _titles(context)
    names = table["participant"].tolist()
    chosen = _chosen_people(context.session, names)
    picture, side = st.columns([2, 1], gap="large")
    with side:
        _reasons(context)
        x, y = pick_axes(context.session, "people", table, titles, ("median_time", "trials"),
                         ("predicted", "agrees", "consistent", "failed"))
        _predict(context)

    def choose(rows: list[int], mode: str) -> None:
        drawn = [names[row] for row in rows]
        if mode != "replace":
            before, now = set(chosen), set(drawn)
            added = [name for name in drawn if mode == "add" or name not in before]
            drawn = [*(name for name in chosen if name not in now), *added]
        context.session.drafts["quality.people"] = drawn

    with picture:
        draw_measures(context, "participants", table, x, y, "participant", titles, chosen, choose)
        pick_people(context.session, names)
        if chosen:
            exclusion = Exclusion(participants=tuple(chosen))
            reason = ask_for_reason(
                context.session, context.cleaning, "quality.reason",
                quality.reason_for(context.verdict, exclusion),
            )
            st.button(
                "Exclude their answers", icon=":material/person_remove:",
                on_click=exclude_and_show,
                args=(context.session, context.info, replace(exclusion, reason=reason)),
                help="They stay among the imported answers; the tab Exclusions can undo it.",
            )
    _table_of_people(context, chosen)


def _titles(context: QualityContext) -> dict[str, str]:
    """Measures of participants; who rates has no trials."""
    return _PEOPLE | ({"trials": "rated pairs"} if context.answers.are_rated else {})


def _predict(context: QualityContext) -> None:
    """The button that predicts each participant from a map of the others."""
    method = analysis.describe(context.method)
    whose = ", as the open map" if opened_map(context.info) else ""
    text = (
        "Fits a map to the answers of all other participants, and predicts each participant "
        f"from it: {method}{whose}."
    )
    context.compute_button(
        f"{PAGE}.agreement.run", "Participants",
        [] if context.agreement else [(context.method, "agreement_with_map", {})], text,
        label="Predict each participant",
    )
    st.caption(text if not context.agreement else
               f"Map: {context.agreement.options['folds']} parts of the participants, {method}.")


def _table_of_people(context: QualityContext, chosen: list[str]) -> None:
    """The chosen participants, or all, with whole names at the end where some are long."""
    table = context.people
    short = short_people(table["participant"].tolist())
    titles = {
        "who": "participant", **_titles(context), **with_intervals(_titles(context), table),
        "favourite": "preferred side",
    }
    if any(short[name] != name for name in short):
        titles["participant"] = "whole name"
    shown = table.assign(who=table["participant"].map(short))
    show_table(shown[shown["participant"].isin(chosen)] if chosen else shown, titles,
               f"{context.info.name}-participants", table=table)


def _chosen_people(current: Session, names: list[str]) -> list[str]:
    """Participants that are chosen on any view of this page."""
    there = set(names)
    return [name for name in current.drafts.get("quality.people", []) if name in there]


def pick_people(current: Session, names: list[str]) -> list[str]:
    """Let participants be chosen by name."""
    chosen = _chosen_people(current, names)
    short = short_people(names)
    key = current.key_following("quality.picked", tuple(chosen))
    st.multiselect(
        "Chosen participants", names, chosen, format_func=lambda name: short.get(name, name),
        key=key, on_change=current.note_choice, args=("quality.people", key),
        placeholder="Choose here, or by click or lasso in a figure of participants",
    )
    return chosen


def _objects(context: QualityContext) -> None:
    table = context.report.objects
    if "circular" in table:
        triples = table["triples"].where(table["triples"] > 0)
        table = table.assign(circular_share=table["circular"] / triples)
    picture, side = st.columns([3, 1], gap="large")
    with side:
        x, y = pick_axes(context.session, "objects", table, _OBJECTS, ("answers",),
                         ("circular_share", "consistent", "as_near"))
        if "circular" in table:
            st.caption(
                "Circular triad: to the same anchor, B is nearer than C, C nearer than D, and D "
                "nearer than B. With guessing, a quarter of all triads would be circular."
            )
    chosen = [context.answers.labels[i] for i in context.selected]
    with picture:
        if len(table) > _MOST_OBJECTS:
            st.caption(f"The {_MOST_OBJECTS:,} objects with the most answers are drawn.")
        drawn = table.nlargest(_MOST_OBJECTS, "answers").sort_index()
        places = drawn.index.to_numpy()
        draw_measures(
            context, "objects", drawn, x, y, "label", _OBJECTS, chosen,
            lambda rows, mode: context.session.select_positions(places[rows].tolist(), mode),
            most=len(table) > len(drawn),
        )
    names = {"id": "id", "label": "label"}
    if (table["id"] == table["label"]).all():
        del names["id"]
    show_table(table, {**names, **with_intervals(_OBJECTS, table), "triples": "complete triads",
                   "circular": "of these circular"}, f"{context.info.name}-objects-quality")


def _samplers(context: QualityContext) -> None:
    context.present(context.report, by=quality.samplers_of)


def _over_time(context: QualityContext) -> None:
    table = context.report.over_time
    titles = {name: words(f"stretch {name}") for name in quality.STRETCHED
              if name in table and table[name].notna().any()}
    if not titles:
        panels.empty(
            "There is nothing to show over time",
            "Without response times and sides, a change can only be seen in how well a map "
            "predicts the answers: compute that under Participants.",
        )
        return
    shown = pick(context.session, "quality.time", "Show", titles, width=320)
    context.present(context.report, by=partial(quality.over_time_of, name=shown))


def _paragraph(context: QualityContext) -> None:
    st.markdown("All figures for a methods section, to be edited:")
    texts = sentences(
        context.cleaning, context.report.coverage, context.report, answers=context.answers,
        **context.collected,
    )
    st.code(" ".join((*texts, words("checked with", version=__version__))), language=None,
            wrap_lines=True)
