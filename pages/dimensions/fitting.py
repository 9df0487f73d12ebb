"""Settings of a fit of dimensions, and the fit that is chosen."""

from __future__ import annotations

from typing import Any, NamedTuple

import streamlit as st

from tripletscope.core.engine.declared import parameters
from tripletscope.core.engine.method import Method, methods
from tripletscope.core.inference.held_out.score import cross_validate, has_split, n_groups
from tripletscope.core.models.dimensions.symmetric import SymmetricNMF
from tripletscope.core.run import key
from tripletscope.dashboard.store.dataset import DatasetInfo, RunInfo
from tripletscope.dashboard.store.description import MEASURED
from tripletscope.dashboard.store.services import services
from tripletscope.dashboard.ui import panels
from tripletscope.dashboard.ui.choosing import choose_run, schemes_of
from tripletscope.dashboard.ui.context import Context
from tripletscope.dashboard.ui.controls import method_form, parameter_form, pick
from tripletscope.dashboard.ui.distances import measured_of
from tripletscope.dashboard.ui.elements import run_button
from tripletscope.dashboard.ui.page import link_to
from tripletscope.dashboard.ui.watching import watch
from tripletscope.dashboard.words.formats import count

PAGE = "dimensions"
#: The method to begin with, and where answers are many: VICE takes as long for millions.
FIRST, FIRST_OF_MANY, FIRST_OF_MEASURED = "spose", "vice", SymmetricNMF.name
#: Up to so many answers a first fit is computed without being asked for, and its error with it.
_AT_ONCE, _WITH_ERROR = 200_000, 400_000
#: From and up to so many objects the dimensions of what was measured are found without being asked
#: for: of fewer, no pairs can be held out.
_FEWEST, _OBJECTS = 5, 500


def fits_of(info: DatasetInfo) -> list[RunInfo]:
    """All fits of dimensions, the newest first."""
    return services().workspace.runs(info.id, "fit", "dimensions")


def ask_for_fit(context: Context) -> None:
    """The first fit: begun by itself where that is quick, else asked for."""
    is_measured, n_odd = MEASURED in context.info.extra, asked_in(context).odd_one_out
    is_quick = _FEWEST <= context.info.n_objects <= _OBJECTS if is_measured else (
        n_odd and context.info.n_answers <= _AT_ONCE
    )
    if context.job is None and is_quick:
        method = methods("dimensions")[FIRST_OF_MEASURED if is_measured else FIRST]()
        _start(context, method, _usual_tasks(context, method))
        st.rerun()
    watch(context.job)
    words, side = st.columns([3, 2], gap="large")
    with words:
        if is_measured:
            context.empty(
                "No dimensions have been found yet",
                f"{count(context.info.n_objects, 'object')}. Fit finds dimensions of their "
                "similarities. Each object has a weight of zero or more in each; shared dimensions "
                "make objects similar.",
            )
        elif n_odd:
            context.empty(
                "No dimensions have been found yet",
                f"{count(n_odd, 'odd-one-out trial')}. Fit finds dimensions. Each object has a "
                "weight of zero or more in each; shared dimensions make objects similar.",
            )
        else:
            panels.empty(
                "There are no odd-one-out trials",
                "Dimensions are best estimated from choices of the odd one out of three. The file "
                "has the three objects of each trial, and the one chosen as odd, as in the sample "
                "Odd one out on the start page. Choices between two pairs are much less "
                "informative about each dimension.",
            )
            link_to("start", "Go to the samples")
    with side:
        _ask_for_new(context)


def new_fit(context: Context, listed: list[RunInfo]) -> RunInfo:
    """Beside the tabs: the fit that is shown, and the form for another one."""
    with context.row, st.popover("Fit", icon=":material/tune:", help="Choose a fit, or compute "
                                 "another one."):
        chosen = choose_run(
            context.session, listed, _place(context.info), "this fit",
            lost=", with its accuracy and reproducibility,",
        )
        st.header("New fit", anchor=False)
        _ask_for_new(context)
    return chosen


class AskedFor(NamedTuple):
    """What was asked for: trials, whether there are test answers, and what is held out together."""

    odd_one_out: int
    split: bool
    groups: int


def asked_in(context: Context) -> AskedFor:
    """What was asked for; counted once, which takes a second for millions of answers."""
    return _counted(context.info.fingerprint, context.triplets)


@st.cache_data(max_entries=16, show_spinner="Counting the trials")
def _counted(fingerprint: str, _answers: Any) -> AskedFor:
    return AskedFor(
        len(_answers.choices.odd_one_out().rows), has_split(_answers), n_groups(_answers)
    )


def _place(info: DatasetInfo) -> str:
    """Where the session notes which fit is shown."""
    return f"{PAGE}.shown@{info.id}"


def with_measured(context: Context, method: Method | None = None) -> Context:
    """The context that computes with what was measured, if anything, and if a method takes it."""
    if MEASURED not in context.info.extra or not isinstance(method, SymmetricNMF | None):
        return context
    return context.computing_with(measured_of(context).among(context.triplets.ids))


def _usual_tasks(context: Context, method: Method) -> dict[str, dict[str, Any]]:
    """The error on held-out trials, where there are enough of them and not too many to wait for."""
    if with_measured(context, method).given is not None:
        return {"number_curve": {}} if context.info.n_objects <= _OBJECTS else {}
    trials = asked_in(context)
    if trials.split:
        return {"split_error": {}}
    folds = next(p.default for p in parameters(cross_validate) if p.name == "folds")
    is_quick = context.info.n_answers <= _WITH_ERROR and trials.groups >= folds
    return {"cross_validate": {}} if is_quick else {}


def _form(context: Context) -> tuple[Method, dict[str, dict[str, Any]]]:
    """What is asked for: the method, and how it is judged."""
    session = context.session
    first = FIRST if context.info.n_answers <= _AT_ONCE else FIRST_OF_MANY
    if MEASURED in context.info.extra:
        first = FIRST_OF_MEASURED
    method = method_form(session, "dimensions", PAGE, first)
    usual = _usual_tasks(context, method)
    if with_measured(context, method).given is not None:
        return method, usual
    scheme = pick(
        session, f"{PAGE}.error@{context.info.id}", "Held-out accuracy",
        schemes_of(has_split=asked_in(context).split),
        default=next(iter(usual), "none"),
        help="Accuracy on held-out trials; all answers to one question are held out together. "
        "Cross-validation takes as long as ten fits.",
    )
    if scheme == "cross_validate":
        with st.expander("Cross-validation", key=f"{PAGE}.folds"):
            return method, {scheme: parameter_form(
                session, cross_validate, f"{PAGE}.cross_validate", folded=""
            )}
    return method, {} if scheme == "none" else {scheme: {}}


def _ask_for_new(context: Context) -> None:
    method, tasks = _form(context)
    if run_button(context.session, f"{PAGE}.fit", "Fit"):
        _start(context, method, tasks)
        context.session.drafts[_place(context.info)] = key(
            "fit", method, with_measured(context, method).given or context.triplets
        )
        st.rerun()


def _start(context: Context, method: Method, tasks: dict[str, dict[str, Any]]) -> None:
    pieces = [(method, task, options) for task, options in {"fit": {}, **tasks}.items()]
    with_measured(context, method).submit(f"{method.title}: {context.info.name}", pieces)
