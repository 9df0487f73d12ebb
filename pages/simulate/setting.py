"""What the views of the page Simulate share: the scenario, which can follow the open data set."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from types import MappingProxyType
from typing import Any

import streamlit as st

from tripletscope.core.engine.declared import parameters
from tripletscope.core.engine.method import Method, methods
from tripletscope.core.models.embedding.default import DEFAULT_EMBEDDING
from tripletscope.core.models.simulation.simulate import LEVELS
from tripletscope.core.models.simulation.truth import DIMENSIONS
from tripletscope.core.studies.design.scenario import Scenario
from tripletscope.dashboard.results.planning import SCENARIO, short
from tripletscope.dashboard.state import Session, widgets
from tripletscope.dashboard.store.dataset import DatasetInfo
from tripletscope.dashboard.store.services import services
from tripletscope.dashboard.ui import panels
from tripletscope.dashboard.ui.ceiling_advice import advice_of_best, name_of_best
from tripletscope.dashboard.ui.controls import parameter_form, parameter_number, pressed
from tripletscope.dashboard.ui.scenario import can_follow, scenario_of
from tripletscope.dashboard.words import words

PAGE = "simulate"
#: Where the session notes which simulations Sample size shows.
SHOWN = f"{PAGE}.shown"
#: Not asked for: the truth has as many dimensions, and objects in the order of their stimulus.
_DECIDED = ("n_components", "stimulus")
#: Where the session notes what the forms begin with, and how often that has changed.
_BEGIN, _TURN = f"{PAGE}.begin", f"{PAGE}.turn"
#: Where it notes which data set the forms follow.
_OF = f"{PAGE}.of"
#: Method and questions of plans of a scale.
_OF_SCALES = {"methods": ["mlds"], "designs": ["triads"]}
#: Fields beside the scenario that begin with something of the data, by the name of the form.
_FURTHER = {
    "plan": {"methods": "Method", "plan.most": "Answers"},
    "noise": {"noise.method": "Method", "noise.most": "Answers",
              "noise.participants": "Participants"},
    "dimension": {"dimension.method": "Method", "dimension.most": "Answers"},
    "data": {"data.n_answers": "Answers", "data.participants": "Participants"},
}


def simulated_methods() -> dict[str, type[Method]]:
    """Methods that can be planned with, by name."""
    # Kernels that build on a map predict as that map does.
    return {
        name: method for kind in ("embedding", "scale", "kernel")
        for name, method in methods(kind).items()
        if not any(p.name == "basis" for p in parameters(method))
    }


def method_settings(current: Session, method: type[Method]) -> Method:
    """Ask for the settings of a method, folded away; the same on every view."""
    if all(p.name in _DECIDED for p in parameters(method)):
        return method()
    with st.expander(
        f"More settings of {short(method.title)}", key=f"{PAGE}.{method.name}.more"
    ):
        return method(**parameter_form(
            current, method, f"{PAGE}.{method.name}", hidden=_DECIDED, folded=""
        ))


def prefix(current: Session) -> str:
    """Of the keys of widgets that begin anew when the open data set is followed."""
    return f"{PAGE}.{current.drafts.get(_TURN, 0)}"


def beginning(current: Session) -> dict[str, Any]:
    """Values that the forms begin with."""
    return current.drafts.get(_BEGIN, {})


def simulation_form(
    current: Session, owner: type | Callable, name: str, *, hidden: Sequence[str] = (),
    defaults: Mapping[str, Any] = MappingProxyType({}),
) -> dict[str, Any]:
    """Ask for declared parameters, which begin as the data set that is followed, or as given."""
    return parameter_form(
        current, owner, f"{prefix(current)}.{name}", hidden=hidden,
        defaults={**defaults, **beginning(current)},
    )


def begin_with(current: Session, values: Mapping[str, Any]) -> None:
    """Let the forms begin anew, with values by the names of parameters."""
    current.drafts[_BEGIN] = dict(values)
    current.drafts[_TURN] = current.drafts.get(_TURN, 0) + 1


def scenario_form(current: Session, form: str) -> Scenario:
    """Ask for objects, truth and noise, above further settings of a form."""
    st.header("Your experiment", anchor=False)
    _follow(current)
    taken = st.container()

    def ask(*names: str) -> dict[str, Any]:
        hidden = [name for name in SCENARIO if name not in names]
        return simulation_form(current, Scenario, "scenario", hidden=hidden)

    values = ask("n_objects", "truth")
    if values["truth"] not in DIMENSIONS:
        values |= ask("n_components")
    elif values["truth"] == "observer":
        values |= ask("length_scale")
    values |= ask("noise")
    noise, begin = values["noise"], beginning(current)
    if noise in LEVELS:
        level = LEVELS[noise]
        if begin.get("noise") == noise:
            level = replace(level, default=begin.get("level", level.default))
        key = f"{prefix(current)}.scenario.level.{noise}"
        values["level"] = parameter_number(current, level, key)
    scenario = Scenario(**values)
    with taken:
        _show_taken(current, scenario, form)
    return scenario


def is_followed(info: DatasetInfo | None, current: Session) -> bool:
    """Whether the forms began with values of this data set."""
    return info is not None and current.drafts.get(_OF) == info.id


def _follow(current: Session) -> None:
    """Offer to begin with a scenario like the open data set, and say what it took over."""
    info = current.dataset
    if not can_follow(info):
        return
    if pressed(
        current, f"{PAGE}.follow", "Like my data", icon=":material/content_copy:",
        width="stretch",
        help=f"Takes objects, answers and participants of {panels.plain(info.name)}, its number of "
        "dimensions by cross-validation, its noise level, both by STE, and the method of its map. "
        "All can be changed below.",
    ) and (like := scenario_of(info)) is not None:
        n_answers, level = min(info.n_answers, 1_000_000), round(like.level, 2)
        best = name_of_best(info, services().workspace.triplets(info))
        method = best if best in simulated_methods() else DEFAULT_EMBEDDING.name
        begin_with(current, {
            **asdict(like), "level": level, "most": n_answers, "n_answers": n_answers,
            "participants": max(info.n_participants, 1), "methods": [method],
            "lowest": round(level / 4, 2), "highest": round(1.75 * level, 2),
            "name": info.name, **(_OF_SCALES if like.is_scale else {}),
        })
        current.drafts[_OF] = info.id
        st.rerun()


def _show_taken(current: Session, scenario: Scenario, form: str) -> None:
    """What was taken from the open data set, and what of it is another by now."""
    begin, info = beginning(current), current.dataset
    if "name" not in begin or not is_followed(info, current):
        return
    before = Scenario(**{name: begin[name] for name in SCENARIO})
    told = [(f"{one.n_objects:,}", *one.truth_and_noise) for one in (before, scenario)]
    rows = [*zip(("Objects", "Configuration", "Noise"), *told, strict=True)]
    for field, label in _FURTHER[form].items():
        name = field.rpartition(".")[2]
        old = begin["methods"][0] if name == "method" else begin[name]
        new = widgets().get(f"{prefix(current)}.{field}", old)
        rows.append((label, _told(old), _told(new)))
    table = "\n".join(
        f"| {name} | {panels.plain(new if new == old else f'{new} (data: {old})')} |"
        for name, old, new in rows
    )
    st.caption(f"| Like | {panels.plain(info.name)} |\n| --- | --- |\n{table}")


def _told(value: Any) -> str:
    """A number, or methods by their names, in words."""
    if isinstance(value, int):
        return f"{value:,}"
    known = simulated_methods()
    names = [value] if isinstance(value, str) else value or []
    return words.listing([short(known[name].title) for name in names])


def advice_at_hand(current: Session) -> str:
    """What the noise ceiling of the data set that is followed says to more answers of the kind."""
    info = current.dataset
    if not is_followed(info, current):
        return ""
    advice, method = advice_of_best(info, services().workspace.triplets(info))
    return f"{info.name}, {method}: {advice}" if advice else ""


