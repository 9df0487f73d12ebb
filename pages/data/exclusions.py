"""Leaving answers out: what a rule would remove, what that does to prediction, log and undo."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import partial

import streamlit as st

from tripletscope.core.data.errors import DataError
from tripletscope.core.data.triplets import Answers
from tripletscope.core.inference.held_out.units import n_participants
from tripletscope.core.studies.quality import RULES, Cleaning, Exclusion, Preview
from tripletscope.core.studies.quality.exclusion import MANUAL, WEIGHTS
from tripletscope.dashboard.files import export
from tripletscope.dashboard.results.dividing import dividing_columns
from tripletscope.dashboard.results.exclusions import steps_said
from tripletscope.dashboard.results.quality import reason_for
from tripletscope.dashboard.state import Session
from tripletscope.dashboard.store.dataset import ALL_ANSWERS, DatasetInfo
from tripletscope.dashboard.store.services import services
from tripletscope.dashboard.ui import analysis, panels
from tripletscope.dashboard.ui.controls import doing, parameter_form, pick, pressed, several
from tripletscope.dashboard.ui.elements import show_error
from tripletscope.dashboard.ui.page import open_page, tab
from tripletscope.dashboard.ui.watching import watch
from tripletscope.dashboard.words.formats import count
from tripletscope.pages.data import excluding
from tripletscope.pages.data.context import QualityContext
from tripletscope.pages.data.quality import pick_people
from tripletscope.pages.data.weighting import show_weights


@tab("data", "Exclusions", 3, needs=QualityContext.with_cleaning, slot="exclusions")
def show_exclusions(context: QualityContext) -> None:
    """A form for the next exclusion with its preview, and those that were made."""
    info, cleaning = context.info, context.cleaning
    form, log = st.columns([3, 2], gap="large")
    with log:
        _log(context)
    with form:
        st.header("Exclude", anchor=False)
        rule = _criterion(context)
        if rule == WEIGHTS:
            show_weights(context)
            return
        exclusion = _exclusion(context.session, context.answers, rule)
        if exclusion is None:
            return
        content = (
            info.id, info.imported, info.gold, info.catch_trials, info.state, exclusion.to_dict(),
        )
        try:
            preview = _preview(content, cleaning, exclusion)
        except DataError as error:
            show_error(error, st.info, "info")
            return
        if preview.n_answers == 0:
            more = " more" if cleaning.exclusions else ""
            st.info(panels.plain(f"“{exclusion.title}” excludes nothing{more}."))
            return
        context.present(preview)
        _effect(context, exclusion, preview)
        _decide(context, exclusion, preview)


def _criterion(context: QualityContext) -> str:
    current = context.session
    titles = {name: rule.title for name, rule in RULES.items()} | {MANUAL: "Manual selection"}
    if n_participants(context.answers) > 1:
        titles[WEIGHTS] = "None: weights by lapse rate"
    noted = current.drafts.get("exclusions.rule")
    shown = noted if noted in titles else _usual_rule(context.cleaning)
    key = current.key_following("exclusions.rule", shown)
    st.selectbox(
        "Criterion", list(titles), index=list(titles).index(shown), format_func=titles.__getitem__,
        key=key, on_change=current.note_choice, args=("exclusions.rule", key),
    )
    return shown


def _exclusion(current: Session, triplets: Answers, rule: str) -> Exclusion | None:
    """Ask what the rule leaves out."""
    if rule == MANUAL:
        return _by_hand(current, triplets)
    st.markdown(panels.plain(RULES[rule].help))
    if rule == "other_values":
        return _by_values(current, triplets)
    st.caption(panels.plain(f"Source: {RULES[rule].source}."))
    return Exclusion(rule, parameter_form(current, RULES[rule].find, f"exclusions.{rule}"))


def _usual_rule(cleaning: Cleaning) -> str:
    """The rule to begin with: the first that these answers allow."""
    catch, columns = cleaning.catch_trials, cleaning.raw.answers
    if cleaning.gold is not None or (catch is not None and len(catch)):
        return "failed_checks"
    if "participant" not in columns:
        return "duplicates"
    return "fast_participants" if "response_time" in columns else "few_answers"


def _by_hand(current: Session, triplets: Answers) -> Exclusion | None:
    if "participant" in triplets.answers:
        names = sorted(map(str, triplets.answers["participant"].dropna().unique()))
        if people := pick_people(current, names):
            return Exclusion(participants=tuple(people))
    st.caption("Choose participants here; single answers are excluded on the tab Answers.")
    return None


def _by_values(current: Session, triplets: Answers) -> Exclusion | None:
    """Which values of which column stay."""
    columns = dividing_columns(triplets.answers)
    if not columns:
        st.caption(
            "No column divides the answers of this view. Choose *All answers* as View, or keep "
            "such a column when the file is read."
        )
        return None
    column = pick(current, "exclusions.column", "Column", {name: name for name in columns})
    values = sorted(triplets.answers[column].dropna().astype("str").unique())
    kept = several(
        current, f"exclusions.values.{column}", "Kept values", {value: value for value in values}
    )
    return Exclusion("other_values", {"column": column, "values": kept}) if kept else None


@st.cache_data(max_entries=4, show_spinner="Applying the criterion")
def _preview(content: tuple, _cleaning: Cleaning, _exclusion: Exclusion) -> Preview:
    return _cleaning.preview(_exclusion)


def _effect(context: QualityContext, exclusion: Exclusion, preview: Preview) -> None:
    """What the exclusion does to prediction, as a job that is started by hand."""
    method, cleaning = context.method, context.cleaning
    watch(context.job)
    if context.waiting:
        return
    excluding.show_effect(
        context, cleaning.triplets, ~preview.mask[cleaning.kept], method, weighted=False,
        key="exclusions.effect", title=f"Effect of exclusion: {exclusion.title}",
        label="Effect on prediction",
        about="Predicts held-out answers among the remaining ones, from maps fitted with and "
        f"without the excluded ones: {analysis.describe(method)}.",
    )


def _decide(context: QualityContext, exclusion: Exclusion, preview: Preview) -> None:
    current, info = context.session, context.info
    if preview.n_answers == len(context.answers):
        st.warning(
            "No answer would remain. Choose a less strict criterion.", icon=":material/warning:"
        )
        return
    usual = reason_for(context.verdict, exclusion) if exclusion.participants else ""
    reason = excluding.ask_for_reason(current, context.cleaning, "exclusions.reason", usual)
    view = st.text_input(
        "View", excluding.next_view(info), key=f"exclusions.view@{info.view}", max_chars=60,
        help="Views of the answers stay side by side; the sidebar chooses one. Under another name, "
        "this exclusion begins a new view, and the one in use stays as it is.",
    ).strip()
    if (view in info.views and view != info.view) or view == ALL_ANSWERS:
        st.warning("There is a view with this name. Choose another.", icon=":material/warning:")
        return
    if pressed(
        current, "exclusions.go", f"Exclude {count(preview.n_answers, 'answer')}",
        type="primary", icon=":material/filter_alt:",
        help="The imported data stay unchanged; every exclusion can be undone.",
    ):
        with doing(current, st.spinner("Excluding")):
            said = excluding.exclude(current, info, replace(exclusion, reason=reason), view)
        st.toast(said)
        st.rerun()


def _log(context: QualityContext) -> None:
    """What was excluded, with how it is undone, renamed, deleted and downloaded."""
    current, info, cleaning = context.session, context.info, context.cleaning
    title = f"View: {panels.plain(info.view)}" if info.view != ALL_ANSWERS else "Exclusions so far"
    st.header(title, anchor=False)
    if not cleaning.exclusions:
        panels.empty(
            "Nothing is excluded",
            f"All {count(len(cleaning.raw), 'imported answer')} are in use. Exclusions are listed "
            "here and in every export.",
        )
        return
    texts = steps_said(cleaning, named=True)
    for number, (step, text) in enumerate(zip(cleaning.exclusions, texts, strict=True), 1):
        with st.container(border=True):
            st.markdown(f"**{number}.** {panels.plain(text)}")
            if step.source:
                st.caption(panels.plain(f"Source: {step.source}."))
    weighted = ""
    if any(step["rule"] == WEIGHTS for step in info.exclusions):
        weighted = f", weighted: as many as {cleaning.effective:,.0f} trials of equal weight"
    st.markdown(
        f"{count(len(cleaning.triplets), 'answer')} of {len(cleaning.raw):,} are in use{weighted}. "
        "Choose a view to see its results."
    )
    if pressed(current, "exclusions.maps", "Maps before and after", icon=":material/arrow_forward:",
               type="tertiary"):
        open_page("embedding", "maps")
    with st.container(horizontal=True):
        if pressed(current, "exclusions.undo", "Undo the last", icon=":material/undo:"):
            with doing(current, st.spinner("Undoing")):
                view = excluding.next_view(info)
                services().workspace.update_dataset(info, cleaning.undone(), view=view)
            st.rerun()
        with st.popover("Rename or delete", icon=":material/edit:", key="exclusions.edit"):
            _edit(current, info, cleaning)
        st.download_button(
            "Log (JSON)", lambda: json.dumps(info.record, indent=2, ensure_ascii=False),
            f"{export.file_name(info.name, 'exclusions')}.json", "application/json",
            key="exclusions.log", on_click="ignore", icon=":material/download:",
        )


def _edit(current: Session, info: DatasetInfo, cleaning: Cleaning) -> None:
    name = st.text_input("Name", info.view, max_chars=60, key=f"view.name@{info.view}").strip()
    if name and name not in info.views:
        services().workspace.rename_view(info.id, info.view, name)
        st.rerun()
    if pressed(current, "exclusions.delete", "Delete view", icon=":material/delete:"):
        everything = Cleaning(cleaning.raw, cleaning.catch_trials, cleaning.gold)
        panels.ask_to_delete(
            "this view", f"{info.view} will be deleted with its exclusions; all answers "
            "will be in use. Its results return with the same exclusions.",
            partial(services().workspace.update_dataset, info, everything),
        )
