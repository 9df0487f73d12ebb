"""What the answers are worth: in words, then by participant, object, sampler and time."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import pandas as pd
import streamlit as st

from tripletscope.core.engine.method import Method
from tripletscope.core.inference.evaluation.units import (
    known_people,
    over_units,
    over_units_of_each,
)
from tripletscope.core.io.names import listing
from tripletscope.core.models.embedding.default import DEFAULT_EMBEDDING
from tripletscope.core.run import Run
from tripletscope.core.studies.quality import (
    Cleaning,
    MapAgreement,
    QualityReport,
    Verdict,
    methods_paragraph,
    quality,
)
from tripletscope.core.studies.quality.verdict import verdict
from tripletscope.dashboard import analysis
from tripletscope.dashboard.figures.quality import shares, stretches
from tripletscope.dashboard.interface import panels
from tripletscope.dashboard.interface.controls import pick, tabs
from tripletscope.dashboard.interface.theme import Canvas
from tripletscope.dashboard.interface.watching import watch
from tripletscope.dashboard.keeping.catalogue import DatasetInfo
from tripletscope.dashboard.keeping.services import services
from tripletscope.dashboard.results.comparison import dimensions_told, suggestions_of
from tripletscope.dashboard.state import Session, widgets
from tripletscope.dashboard.views.choosing import short_people
from tripletscope.dashboard.views.compare.recommending import standing
from tripletscope.dashboard.views.data.gold import show_gold
from tripletscope.dashboard.views.data.measured import (
    draw_figure,
    draw_measures,
    pick_axes,
    show_table,
    with_intervals,
)
from tripletscope.dashboard.views.opened_map import opened_map
from tripletscope.dashboard.views.page import Context, go_to, tab
from tripletscope.dashboard.wording import ENGLISH

PAGE = "quality"
_FLAT = Canvas(760.0, 300.0)
_MOST_OBJECTS = 2_000  # of points that are drawn

#: The first ones tell careful from careless people at a glance.
_PEOPLE = {
    "answers": "answers", "predicted": "predicted by the others' map",
    "agrees": "agreement with the majority",
    "consistent": "intra-observer consistency", "failed": "catch and gold questions failed",
    "median_time": "median response time (s)",
    "favourite_share": "proportion on the preferred side",
    "questions": "different questions", "mean_time": "mean response time (s)",
    "fastest": "fastest 5 % of responses (s)",
    "bias_p": "p (no side bias)", "runs_p": "p (random sequence of sides)",
}
_NAMED = 5  # people in the verdict, with their reasons
_THINGS = {
    "answers": "answers", "as_anchor": "as anchor", "as_near": "as nearer",
    "as_far": "as farther", "repeats": "pairs of repeats",
    "consistent": "consistent repeats", "circular_share": "circular triads",
}


@dataclass(frozen=True)
class QualityContext(Context):
    """The answers, as imported and as they are in use."""

    cleaning: Cleaning

    @cached_property
    def method(self) -> Method:
        """What predicts."""
        return opened_method(self.session, self.info)

    @cached_property
    def agreement(self) -> Run | None:
        """How the others' map predicts each participant, if it was computed."""
        return self.find(self.method, "agreement_with_map")

    @cached_property
    def report(self) -> QualityReport:
        found = self.agreement
        return _report(
            (self.info.fingerprint, self.info.pairs, self.info.state, self.info.gold,
             self.info.catch_trials,
             found.key if found else ""), self,
        )

    @cached_property
    def people(self) -> pd.DataFrame:
        """The participants, with how well the others' map predicts them, where computed."""
        table = self.report.participants
        if self.agreement:
            found: MapAgreement = self.agreement.result()
            table = table.merge(
                found.table.drop(columns="answers").rename(
                    columns={"low": "predicted_low", "high": "predicted_high"}
                ), on="participant", how="left",
            )
        return table

    @cached_property
    def verdict(self) -> Verdict:
        """Whom to look at."""
        named = "participant" in self.answers.answers
        return verdict(self.people if named else self.people.iloc[:0])


def opened_method(current: Session, info: DatasetInfo) -> Method:
    """The method of the map that is open, not fitted; without one, the usual."""
    opened = opened_map(current, info)
    fit = services().workspace.run(info.id, opened.key) if opened else None
    return fit.fresh() if fit else DEFAULT_EMBEDDING()


@st.cache_data(max_entries=8, show_spinner="Assessing the data quality")
def _report(key: tuple, _context: QualityContext) -> QualityReport:
    wrong = _context.agreement.result().wrong if _context.agreement else None
    return quality(
        _context.answers, catch_trials=_context.cleaning.catch_trials,
        gold=_context.cleaning.gold, wrong=wrong,
    )


def with_cleaning(context: Context) -> QualityContext:
    """The context with the answers as they were imported."""
    return QualityContext.of(context, cleaning=services().workspace.cleaning(context.info))


@tab("data", "Quality", 2, needs=with_cleaning, slot=PAGE)
def show_quality(context: QualityContext) -> None:
    """The report in words, and views that show where it comes from."""
    report, columns = context.report, context.answers.answers.columns
    known = "participant" in columns and not report.participants.empty
    _verdict(context)
    with st.expander("The report in numbers", expanded=not known):
        _facts(report)
        _findings(context, report)
        st.markdown("\n".join(f"- {panels.marked(line)}" for line in _dimensions(context)))
    views = {"people": "Participants", "objects": "Objects", "samplers": "Samplers",
             "time": "Over time", "gold": "Gold questions", "paragraph": "Methods section"}
    if not known:
        del views["people"]
    if "sampler" not in columns or report.samplers.empty:
        del views["samplers"]
    if context.info.has_only_pairs:
        del views["gold"]  # right answers are about three objects
    view = tabs(context.session, "quality.view", "View", views)
    watch(context.job)
    show = {"people": _people, "objects": _objects, "samplers": _samplers, "time": _over_time,
            "gold": _gold, "paragraph": _paragraph}
    show[view](context)


def _verdict(context: QualityContext) -> None:
    """Whom to look at, in one sentence; the figure and the reasons are below."""
    found = context.verdict
    if not found.reasons:
        left = f" Nothing is known of {listing(found.not_looked_at)}." if found.looked_at else ""
        text = f" Looked at: {listing(found.looked_at, 6)}.{left}" if left else ""
        if found.guessing:
            st.warning(f"**{found.sentence}**{text}", icon=":material/warning:")
        else:
            icon = ":material/check_circle:" if found.looked_at else ":material/info:"
            st.info(f"**{found.sentence}**{text}", icon=icon)
        return
    names = short_people(context.people["participant"].tolist())
    with st.container(horizontal=True, vertical_alignment="center"):
        who = panels.plain(listing([names[name] for name in found.reasons], _NAMED))
        said = f"**{found.sentence}** Named:" if found.guessing else f"**{found.sentence}:**"
        st.warning(f"{said} {who}", icon=":material/person_search:")
        st.button(
            "Show them", key="quality.show.verdict", on_click=_show_people,
            args=(context.session, list(found.reasons)),
            help="Chooses them among the participants below. Nothing is excluded.",
        )


def _reasons(context: QualityContext) -> None:
    """Why somebody is to be looked at, beside the figure that shows it."""
    names = short_people(context.people["participant"].tolist())
    reasons = list(context.verdict.reasons.items())[:_NAMED]
    st.markdown("\n".join(
        f"- **{panels.plain(names[who])}** {panels.plain('; '.join(why))}" for who, why in reasons
    ))


def _findings(context: QualityContext, report: QualityReport) -> None:
    """The report in words; who is meant is a click away."""
    for number, finding in enumerate(report.findings()):
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown(f"- {panels.plain(finding.text)}", width="content")
            if finding.participants:
                st.button(
                    "Show", key=f"quality.show.{number}", type="tertiary",
                    icon=":material/person_search:", on_click=_show_people,
                    args=(context.session, list(finding.participants)),
                    help="Chooses them among the participants below.",
                )


def _show_people(current: Session, people: list[str]) -> None:
    current.drafts["quality.people"] = people
    widgets()["quality.view"] = "people"


def _dimensions(context: QualityContext) -> list[str]:
    """How many dimensions the answers support, as the page Compare says."""
    if context.info.has_only_pairs:
        return []
    runs = standing(context.session, context.answers).runs(context.info, context.answers)
    suggestions = suggestions_of(runs, context.answers)
    if not suggestions:
        return [
            "Number of dimensions: not compared yet, as the page Compare stands. It recommends one."
        ]
    return [dimensions_told(ENGLISH, name, *said) for name, said in suggestions.items()]


def _facts(report: QualityReport) -> None:
    ceiling = report.ceiling
    facts = st.columns(5)
    for column, title, share, text in (
        (facts[0], "Noise ceiling, lower bound", ceiling.lower,
         "Proportion of answers that agree with the majority of the other answers to the same "
         "question. A good map may do better."),
        (facts[1], "Noise ceiling, upper bound", ceiling.upper,
         "Accuracy of knowing the probability of every response, estimated from the counts of "
         "answers to repeated questions: no method can predict better."),
        (facts[2], "Intra-observer consistency", report.repeats.within,
         "Proportion of identical answers when a participant is asked the same question twice."),
        (facts[3], "Inter-observer agreement", report.repeats.between,
         "Proportion of identical answers when two participants are asked the same question."),
        (facts[4], "Failed checks", report.checks, "Catch and gold questions answered wrongly."),
    ):
        known = share is not None and share.n
        column.metric(title, f"{100 * share.value:.1f} %" if known else "—", help=text)
        if known:
            column.caption(f"{100 * share.low:.1f} to {100 * share.high:.1f} %")


# Views ---------------------------------------------------------------------------------------


def _people(context: QualityContext) -> None:
    table = context.people
    chosen = chosen_people(context.session, table["participant"].tolist())
    picture, side = st.columns([2, 1], gap="large")
    with side:
        _reasons(context)
        x, y = pick_axes(context.session, "people", table, _PEOPLE, ("median_time", "answers"),
                     ("predicted", "agrees", "consistent", "failed"))
        whose = ", as the open map" if opened_map(context.session, context.info) else ""
        text = (
            "Fits a map to the answers of all other participants, and predicts each participant "
            f"from it: {analysis.describe(context.method)}{whose}."
        )
        context.compute_button(
            f"{PAGE}.agreement.run", "Participants",
            [] if context.agreement else [(context.method, "agreement_with_map", {})], text,
            label="Predict each participant",
        )
        st.caption(text if not context.agreement else f"Map: {context.agreement.options['folds']}"
                   f" parts of the participants, {analysis.describe(context.method)}.")
    names = table["participant"].tolist()

    def choose(rows: list[int], mode: str) -> None:
        picked = [names[row] for row in rows]
        if mode != "replace":
            before, drawn = set(chosen), set(picked)
            picked = [*(n for n in chosen if n not in drawn), *(n for n in picked
                      if mode == "add" or n not in before)]
        context.session.drafts["quality.people"] = picked

    with picture:
        draw_measures(context, "participants", table, x, y, "participant", _PEOPLE, chosen, choose)
        pick_people(context.session, names)
        if chosen:
            st.button(
                "Exclude their answers", icon=":material/person_remove:",
                on_click=_go_and_exclude, args=(context.session,),
                help="First shows what would be removed.",
            )
    short = short_people(names)
    titles = {"who": "participant", **_PEOPLE, **{
        column: title for column, title in with_intervals(_PEOPLE, table).items()
        if column not in _PEOPLE
    }, "repeats": "pairs of repeats", "compared": "answers to shared questions",
        "checks": "catch and gold questions", "favourite": "preferred side"}
    if any(short[name] != name for name in names):
        titles["participant"] = "whole name"
    shown = table.assign(who=table["participant"].map(short))
    show_table(shown[shown["participant"].isin(chosen)] if chosen else shown, titles,
           f"{context.info.name}-participants", table=table)


def chosen_people(current: Session, known: list[str]) -> list[str]:
    """Participants that are chosen on any view of this page."""
    there = set(known)
    return [name for name in current.drafts.get("quality.people", []) if name in there]


def pick_people(current: Session, known: list[str]) -> list[str]:
    """Let participants be chosen by name."""
    chosen = chosen_people(current, known)
    short = short_people(known)
    picked = st.multiselect(
        "Chosen participants", known, chosen, format_func=lambda name: short.get(name, name),
        key=current.key_following("quality.picked", tuple(chosen)),
        placeholder="Choose here, or by click or lasso in a figure of participants",
    )
    if picked != chosen:
        current.drafts["quality.people"] = picked
        st.rerun()
    return picked


def _go_and_exclude(current: Session) -> None:
    current.drafts["exclusions.rule"] = "manual"
    go_to("data", "exclusions")


def _objects(context: QualityContext) -> None:
    table = context.report.objects
    if "circular" in table:
        triples = table["triples"].where(table["triples"] > 0)
        table = table.assign(circular_share=table["circular"] / triples)
    picture, side = st.columns([3, 1], gap="large")
    with side:
        x, y = pick_axes(context.session, "objects", table, _THINGS, ("answers",),
                     ("circular_share", "consistent", "as_near"))
        if "circular" in table:
            st.caption(
                "Circular triad: to the same anchor, B is nearer than C, C nearer than D, and D "
                "nearer than B. With guessing, a quarter of all triads would be circular."
            )
    chosen = [context.answers.labels[i] for i in
              context.session.selected_positions(context.answers)]
    with picture:
        if len(table) > _MOST_OBJECTS:
            st.caption(f"The {_MOST_OBJECTS:,} objects with the most answers are drawn.")
        drawn = table.nlargest(_MOST_OBJECTS, "answers").sort_index()
        places = drawn.index.to_numpy()
        draw_measures(
            context, "objects", drawn, x, y, "label", _THINGS, chosen,
            lambda rows, mode: context.session.select_positions(places[rows].tolist(), mode),
            most=len(table) > len(drawn),
        )
    names = {"id": "id", "label": "label"}
    if (table["id"] == table["label"]).all():
        del names["id"]
    show_table(table, {**names, **with_intervals(_THINGS, table), "triples": "complete triads",
                   "circular": "of these circular"}, f"{context.info.name}-objects-quality")


def _samplers(context: QualityContext) -> None:
    table = context.report.samplers
    long = pd.concat([
        pd.DataFrame({"name": table["sampler"], "series": title, "value": table[value],
                      "low": table[low], "high": table[high]})
        for title, value, low, high in (
            ("agreement of repeated answers", "agree", "low", "high"),
            ("noise ceiling, lower bound", "lower", "lower_low", "lower_high"),
            ("noise ceiling, upper bound", "upper", "upper_low", "upper_high"),
        )
    ])
    if long["value"].notna().any():
        text = (
            f"{context.info.name}, by sampler, with 95 % intervals"
            f"{over_units_of_each(table['participants'])}. The dotted line is chance."
        )
        draw_figure(context, "samplers", table, text, _FLAT, lambda canvas: shares(
            long, title="share", chance=0.5, caption=text, canvas=canvas))
    else:
        st.caption("No question was answered twice, so there is nothing to compare.")
    show_table(table, {
        "sampler": "sampler", "answers": "answers", "questions": "different questions",
        "repeated": "asked more than once", "contradicted": "contradictory answers",
        "agree": "agreement of two answers",
        "low": "from", "high": "to", **{
            f"{bound}{end}": f"noise ceiling, {bound} bound{title}" for bound in ("lower", "upper")
            for end, title in (("", ""), ("_low", ", from"), ("_high", ", to"))
        },
        "participants": "intervals over participants",
        "median_time": "median response time (s)",
    }, f"{context.info.name}-samplers")


def _over_time(context: QualityContext) -> None:
    table = context.report.over_time
    titles = {"predicted": "proportion predicted by the others' map",
              "median_time": "median response time (s)",
              "favourite_share": "proportion on the preferred side"}
    titles = {name: title for name, title in titles.items()
              if name in table and table[name].notna().any()}
    if not titles:
        panels.empty(
            "There is nothing to show over time",
            "Without response times and sides, a change can only be seen in how well a map "
            "predicts the answers: compute that under Participants.",
        )
        return
    shown = pick(context.session, "quality.time", "Show", titles, width=320)
    order = (
        "by their time" if "time" in context.answers.answers else "in the order of the file"
    )
    text = (
        f"{context.info.name}: the answers of each participant, {order}, divided into "
        f"{len(table)} equal parts."
    )
    if shown == "predicted":
        people = known_people(context.answers, "auto")
        number = None if people is None else people.number
        text += f" With 95 % intervals{over_units('participants', number)}."
    draw_figure(context, "over-time", table, text, _FLAT, lambda canvas: stretches(
        table, shown, title=titles[shown], caption=text, canvas=canvas))
    show_table(table, {"stretch": "part", "answers": "answers", **titles, "low": "predicted, from",
                   "high": "to"}, f"{context.info.name}-over-time")


def _gold(context: QualityContext) -> None:
    show_gold(context.session, context.info, context.answers, context.cleaning)


def _paragraph(context: QualityContext) -> None:
    st.markdown("All figures for a methods section, to be edited:")
    st.code(
        methods_paragraph(context.cleaning, context.info.extra.get("asked", "")), language=None,
        wrap_lines=True,
    )
