"""What was found in a data set: the first page that is seen of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from operator import attrgetter
from typing import Any

import joblib
import streamlit as st
from sklearn.base import clone

from tripletscope.core.data.lazy import cached_property
from tripletscope.core.data.triplets import Answers
from tripletscope.core.engine.declared import Column
from tripletscope.core.engine.method import Method, Piece
from tripletscope.core.run import TASKS, Run, key
from tripletscope.core.studies.preregistration.deviations import Standing
from tripletscope.dashboard.figures.theme import Canvas
from tripletscope.dashboard.jobs.queue import Job, Step
from tripletscope.dashboard.results import MapLook
from tripletscope.dashboard.results.drawing import Drawing
from tripletscope.dashboard.results.findings import (
    FINDINGS,
    Reason,
    Subject,
    SubjectResults,
    Topic,
    are_triplets,
)
from tripletscope.dashboard.results.preregistration import (
    deviations_said,
    n_computed,
    status_of,
)
from tripletscope.dashboard.store.dataset import edition_of
from tripletscope.dashboard.store.description import PLAN
from tripletscope.dashboard.store.plans import standing_of
from tripletscope.dashboard.store.services import services
from tripletscope.dashboard.ui import analysis, panels
from tripletscope.dashboard.ui.chart import chart
from tripletscope.dashboard.ui.controls import pressed
from tripletscope.dashboard.ui.dataset_words import size_of
from tripletscope.dashboard.ui.handover import ask_for_conditions
from tripletscope.dashboard.ui.opened_map import (
    as_embedding,
    error_shown,
    errors_compared,
    opened_map,
)
from tripletscope.dashboard.ui.page import go_to, open_page, say_no_map, tab, tabs_of
from tripletscope.dashboard.ui.watching import watch
from tripletscope.dashboard.words import words
from tripletscope.dashboard.words.formats import count, duration
from tripletscope.pages.data.context import QualityContext
from tripletscope.pages.data.dataset import show_about

PAGE = "data"
#: What takes longer by its estimate is computed when it is asked for.
_PATIENCE = 60.0  # seconds
_WIDE = 330.0  # pixels of a picture
_NAMED = 20  # objects that have their names in one
#: What is seen once it is computed.
_PROMISES = {
    "error": "How well a map predicts answers that it was not fitted to.",
    "map": "The map, with ellipses that show how certain positions are.",
    "dimensions": "How many dimensions predict held-out answers best.",
    "methods": "Whether another method predicts better than that of the map.",
    "clusters": "Whether there are clusters, or a continuum.",
    "scale": "How well a scale along the stimulus predicts answers.",
    "people": "Whether people weight the axes of the map differently.",
    "conditions": "Whether dimensions of similarity are weighted differently under conditions.",
}


class FindingsContext(QualityContext):
    """The findings of a data set, with what is computed for them and what is missing."""

    @cached_property
    def subject(self) -> Subject:
        return Subject(self.answers, as_embedding(self.method))

    @cached_property
    def findings(self) -> list[Topic]:
        return [topic for topic in FINDINGS.values() if topic.applies(self.subject)]

    @cached_property
    def lacking(self) -> dict[str, str]:
        """What is said in place of findings for which there are too few answers."""
        return {topic.name: text for topic in self.findings if (text := topic.lacks(self.subject))}

    @cached_property
    def error(self) -> Run | None:
        """The held-out error that the page of the map tells of."""
        return error_shown(self, self.subject.method) if are_triplets(self.subject) else None

    @cached_property
    def computed(self) -> list[tuple[str, Piece, Run | None]]:
        """What is computed for findings, by their name."""
        return [
            (topic.name, piece, self.find(*piece)) for topic in self.findings
            if topic.name not in self.lacking for piece in topic.pieces(self.subject)
            if not (topic.name == "error" and self.error and piece[1] != "fit")
        ]

    @cached_property
    def missing(self) -> dict[str, list[Piece]]:
        """What is not there yet, by finding."""
        missing: dict[str, list[Piece]] = {}
        for name, piece, run in self.computed:
            if run is None or not run.complete:
                missing.setdefault(name, []).append(piece)
        return missing

    @cached_property
    def results(self) -> SubjectResults:
        runs = [self.error, *(run for _, _, run in self.computed), *self._more_dimensions(),
                *errors_compared(self, self.subject.method)]
        unique = {run.key: run for run in runs if run is not None}
        marks = None if self.answers.n_objects <= _NAMED else "points"
        shown = self.shown(*unique.values(), looks={"": MapLook(marks)})
        return SubjectResults(self.answers, self.subject.method, shown, lambda: self.verdict)

    @cached_property
    def standing(self) -> Standing | None:
        """What has become of the plan that the data set follows."""
        opened = opened_map(self.info) if PLAN in self.info.extra else None
        return standing_of(services().workspace, self.info, opened=opened.key if opened else "")

    def _more_dimensions(self) -> Iterator[Run | None]:
        """Errors in further numbers of dimensions, which another page has computed."""
        done = {piece[0].n_components for name, piece, _ in self.computed if name == "dimensions"}
        method, task = self.subject.method, "cross_validate"
        for run in services().workspace.runs(self.info.id, task, method.kind):
            d = run.record["parameters"].get("n_components")
            if run.record["method"] == method.name and d not in done:
                yield self.find(clone(method).set_params(n_components=d), task, {})

    @property
    def _asked(self) -> str:
        """Where the session notes that also what takes long was asked for."""
        return f"findings.asked@{self.info.id}"

    def is_wanted(self, topic: Topic) -> bool:
        """Whether it is computed: without being asked for, if that is quick and no plan decides."""
        is_free = PLAN not in self.info.extra and topic.takes(self.answers) <= _PATIENCE
        return is_free or self.session.drafts.get(self._asked, False)

    @cached_property
    def unwanted(self) -> list[Topic]:
        """What is not computed without being asked for."""
        return [one for one in self.findings
                if one.name in self.missing and not self.is_wanted(one)]

    @property
    def seconds_of_unwanted(self) -> float:
        return sum(topic.takes(self.answers) for topic in self.unwanted)

    def ask_for_all(self) -> None:
        """Compute everything that is missing."""
        self.session.drafts[self._asked] = True
        self.compute()

    def compute(self) -> None:
        """Compute everything that is wanted and missing, the cheapest first."""
        steps: dict[str, Step] = {}
        for topic in sorted(filter(self.is_wanted, self.findings), key=attrgetter("seconds")):
            for piece in self.missing.get(topic.name, []):
                method, task, options = piece
                step = analysis.step_of(
                    self.info, self.answers, piece, analysis.describe(method), _heading(topic)
                )
                steps.setdefault(key(task, method, self.answers, options), analysis.forgiving(step))
        if steps:
            self.begin_steps(f"Findings: {self.info.name}", list(steps.values()))

    @cached_property
    def refused(self) -> dict[str, str]:
        """Why findings could not be computed, by their heading."""
        return dict(refusals(self.job))


def refusals(job: Job | None) -> list[tuple[str, str]]:
    """Steps of a job that could not be computed, by their titles, and why."""
    results = zip(job.steps, job.results, strict=False) if job else ()
    return [(step.title, why) for step, why in results if why]


def show_refusals(job: Job | None) -> None:
    """Say what could not be computed."""
    for title, why in refusals(job):
        st.warning(panels.plain(f"{title}: {why}"), icon=":material/error:")


def lacking(task: str, method: Method, options: Mapping[str, Any], answers: Answers) -> str:
    """Which column an analysis needs that answers or objects do not have; empty if none."""
    columns = {"objects": {*answers.objects.columns}, "answers": {*answers.answers.columns}}
    needed: dict[str, Any] = dict.fromkeys(method.answer_columns, "answers")
    for spec, value in TASKS[task]._set_to(method, options):
        if isinstance(spec, Column) and value is not None:
            needed |= dict.fromkeys(value if spec.several else [value], spec.of)
    missing = [name for name, of in needed.items() if name not in columns[of]]
    return f"there is no column {missing[0]}" if missing else ""


def _heading(topic: Topic) -> str:
    return words(f"finding {topic.name}")


@tab(PAGE, "Findings", 1, needs=FindingsContext.with_cleaning, slot="findings")
def show_findings(context: FindingsContext) -> None:
    """All findings, as far as they are there, and what else is to know of the data set."""
    info = context.info
    st.markdown(panels.plain(f"{size_of(info)}."))
    if info.left_out:
        st.caption(panels.plain(info.left_out))
    if not info.objects_recur:
        say_no_map()
    if context.standing is not None:
        _plan(context, context.standing)
    if context.job is None:
        context.compute()
    watch(context.job)
    if context.unwanted and not context.waiting:
        _ask_for_all(context)
    texts, pictures = st.columns([5, 4], gap="large")
    with texts:
        rows = {topic.name: st.container(gap="xxsmall", key=f"finding.{topic.name}")
                for topic in context.findings}
        if info.has_only_pairs:
            st.caption("These answers compare pairs, of which *Scale* makes scales and maps.")
    # Whom to look at takes longest to say, and must not keep others waiting.
    for topic in sorted(context.findings, key=lambda topic: topic.name == "care"):
        with rows[topic.name]:
            drawings = _row(context, topic)
        with pictures:
            for drawing in drawings:
                _picture(context, drawing)
    if box := panels.folded("About the data set", "findings.about"):
        with box:
            show_about(context)


def _plan(context: FindingsContext, standing: Standing) -> None:
    """How far the plan is followed, with the way to it."""
    deviations, exploratory = map(len, deviations_said(standing))
    of = standing.as_planned or standing
    further = [words("plan is late")] if standing.is_late else []
    if of is not standing:
        further.append(words("plan otherwise", done=n_computed(standing)))
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(panels.marked(words(
            "plan in findings", title=standing.plan.title, number=len(of.done),
            done=n_computed(of), deviations=deviations, exploratory=exploratory,
            further="".join(f" {said}" for said in further),
        )), width="content")
        st.button("Plan", key="findings.plan", type="tertiary", icon=":material/arrow_forward:",
                  on_click=go_to, args=(PAGE, "plan"))


def _ask_for_all(context: FindingsContext) -> None:
    """One button for everything that takes long, with the time."""
    number = count(len(context.unwanted), "further finding")
    takes = duration(context.seconds_of_unwanted)
    if pressed(context.session, "findings.compute", f"Compute {number} (about {takes})",
               icon=":material/play_arrow:"):
        context.ask_for_all()
        st.rerun()


def _row(context: FindingsContext, topic: Topic) -> list[Drawing]:
    """What a finding says, or why it says nothing; gives its figures."""
    with st.container(horizontal=True, vertical_alignment="center",
                      horizontal_alignment="distribute"):
        text = context.lacking.get(topic.name)
        parts = [] if text else topic.told(context.results)
        said = context.standing is not None and parts
        status = status_of(context.standing, topic, context.results) if said else ""
        badge = f" :gray-badge[{status}]" if status else ""
        st.markdown(f"**{_heading(topic)}**{badge}", width="content")
        with st.container(horizontal=True, width="content"):
            _link(context, topic)
    if text:
        st.caption(panels.marked(text))
        return []
    reasons = [part.text for part in parts if isinstance(part, Reason)]
    if texts := [part.text for part in parts if not isinstance(part, Drawing | Reason)]:
        said, why = (" ".join(map(panels.marked, some)) for some in (texts, reasons))
        st.markdown(said, help=why or None)
    elif why := context.refused.get(_heading(topic)):
        st.caption(panels.plain(f"Not computed: {why}"))
    elif context.waiting and context.is_wanted(topic):
        st.caption("Being computed.")
    elif topic.name not in context.missing:
        st.caption("Not shown until the accuracy of the map is known.")
    else:
        st.caption(f"Not computed. {_PROMISES[topic.name]}")
    return [part for part in parts if isinstance(part, Drawing)]


def _link(context: FindingsContext, topic: Topic) -> None:
    """A button that leads to the place of a finding."""
    name, title = f"findings.go.{topic.name}", tabs_of(topic.page)[topic.tab].title
    looks = {"type": "tertiary", "icon": ":material/arrow_forward:"}
    if topic.page == PAGE:  # its tabs are on the page by now
        st.button(title, key=name, on_click=go_to, args=(PAGE, topic.tab), **looks)
    elif pressed(context.session, name, title, **looks):
        open_page(topic.page, topic.tab)
    if topic.name == "conditions" and topic.name not in context.missing and pressed(
        context.session, f"{name}.maps", "Maps", **looks
    ):
        ask_for_conditions(context.session, context.info, context.subject.condition)
        open_page("embedding", "maps")


def _picture(context: FindingsContext, drawing: Drawing) -> None:
    """A small figure without controls."""
    runs = [*map(edition_of, context.results.shown.runs)]
    content = (context.info.fingerprint, context.info.name, drawing.name, runs)
    chart(
        _drawn(joblib.hash(content), drawing), key=f"findings.{drawing.name}", alt=drawing.alt,
        height=int(_WIDE * drawing.ratio),
    )


@st.cache_data(max_entries=16, show_spinner=False)
def _drawn(content: str, _drawing: Drawing) -> str:
    """A figure as JSON, drawn once for one content."""
    figure = _drawing.draw(Canvas(_WIDE, _WIDE * _drawing.ratio))
    # Beside a title, plotly takes rows of a legend for wider than they are.
    return figure.update_layout(legend_title_text="").to_json()
