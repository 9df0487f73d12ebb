"""Widgets that remember, and forms made from declared parameters."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from dataclasses import replace
from functools import partial
from types import MappingProxyType
from typing import Any

import streamlit as st

from tripletscope.core.engine.declared import (
    Choice,
    Column,
    MethodNames,
    Number,
    Parameter,
    Switch,
    parameters,
)
from tripletscope.core.engine.docstrings import written
from tripletscope.core.engine.method import Method, MethodParameter, methods
from tripletscope.core.engine.progress import Progress
from tripletscope.core.presets import LEFT_OPEN, settings_as_published
from tripletscope.dashboard.state import Session, widgets
from tripletscope.dashboard.store.feature_tables import LONGEST
from tripletscope.dashboard.streamlit_parts import Interrupted
from tripletscope.dashboard.words import distinct
from tripletscope.dashboard.words.formats import plain as escaped

# Every widget gets its value from the session as default: a value set through Streamlit's state
# would be lost when the script is interrupted.


def pick(
    session: Session,
    key: str,
    label: str,
    options: Mapping[Any, str],
    *,
    default: Any = None,
    **further: Any,
) -> Any:
    """One of several options, passed as value -> label."""
    values = list(options)
    labels = dict(zip(values, distinct(options.values()), strict=True))
    initial = session.remembered(key, default)
    initial = next((v for v in (initial, default) if v in values), values[0])
    chosen = st.selectbox(
        label, values, index=values.index(initial), key=key, persist_state="session",
        format_func=lambda value: labels[value], **further,
    )
    return session.remember(key, chosen)


def several(
    session: Session,
    key: str,
    label: str,
    options: Mapping[Any, str],
    *,
    default: Sequence[Any] = (),
    **further: Any,
) -> list[Any]:
    """Any of several options, passed as value -> label."""
    labels = dict(zip(options, distinct(options.values()), strict=True))
    begin, values = session.remembered(key, list(default)), list(options)
    initial = [value for value in begin if value in values] if isinstance(begin, list) else []
    chosen = st.multiselect(
        label, values, initial, key=key, persist_state="session",
        format_func=lambda value: labels[value], **further,
    )
    return session.remember(key, list(chosen))


def tabs(session: Session, key: str, label: str, options: Mapping[Any, str]) -> Any:
    """One of a few views, as a row of buttons; only the chosen one is computed."""
    values = list(options)
    initial = session.remembered(key, values[0])
    chosen = st.segmented_control(
        label, values, default=initial if initial in values else values[0], key=key,
        format_func=lambda value: options[value], label_visibility="collapsed",
        persist_state="session", required=True,
    )
    return session.remember(key, chosen or values[0])


def slide(
    session: Session, key: str, label: str, values: Sequence[Any], *, default: Any, **further: Any
) -> Any:
    """One of a few values in order."""
    initial = session.remembered(key, default)
    chosen = st.select_slider(
        label, list(values), initial if initial in values else default, key=key,
        persist_state="session", **further,
    )
    return session.remember(key, chosen)


def switch(session: Session, key: str, label: str, default: bool, **further: Any) -> bool:
    initial = bool(session.remembered(key, default))
    return session.remember(
        key, st.toggle(label, initial, key=key, persist_state="session", **further)
    )


def text(session: Session, key: str, label: str, default: str, **further: Any) -> str:
    initial = session.remembered(key, default)
    initial = initial if isinstance(initial, str) else default
    return session.remember(
        key, st.text_area(label, initial, key=key, persist_state="session", **further)
    )


def line(session: Session, key: str, label: str, default: str, **further: Any) -> str:
    """A line of text, without spaces around it."""
    written = st.text_input(
        label, session.remembered(key, default), key=key, persist_state="session", **further
    )
    return session.remember(key, written.strip())


def renamed(key: str, name: str) -> str:
    """What is written in a field with a name; the name where it is too long for it."""
    written_so = st.text_input("Name", name, max_chars=LONGEST, key=key).strip()
    return name if written_so in ("", name[:LONGEST].strip()) else written_so


def number(
    session: Session,
    key: str,
    label: str,
    low: float,
    high: float,
    default: float | None,
    **further: Any,
) -> float | None:
    """A number in a range, whole if `low` is; None where nothing is entered."""
    initial = session.remembered(key, default)
    if initial is not None:
        initial = initial if isinstance(initial, int | float) and initial == initial else low
        initial = type(low)(min(max(initial, low), high))
    return session.remember(
        key,
        st.number_input(label, low, high, initial, key=key, persist_state="session", **further),
    )


def button(
    label: str, *further: Any, why: str = "", kind: Callable = st.button, **how: Any
) -> None:
    """A button; it is disabled where a reason is given, which is read after it.

    kind: Of Streamlit's buttons.
    """
    kind(label, *further, disabled=bool(why), **how)
    if why:
        st.caption(escaped(why), width="content")


def pressed(
    session: Session, key: str, label: str, *, kind: Callable = st.button, why: str = "",
    **further: Any,
) -> bool:
    """Whether a button, or the button of a form, was pressed.

    Streamlit forgets a press if its run is interrupted before the button; the session keeps it. A
    press on what is disabled by now, as after the same press in another tab, is none.
    """
    button(
        label, key=key, on_click=session.press, args=(key,), why=why, kind=kind, **further
    )
    return session.take_press(key) and not why


@contextmanager
def doing(session: Session, shown: AbstractContextManager) -> Iterator[Progress | None]:
    """Do what a button was pressed for, all of it and once.

    Any other click, and a chart that tells its size, ends a run where it next shows something. The
    run that follows waits for what this one has begun, and does itself what it had not begun. A
    second press of the button meanwhile is part of the first.

    shown: A spinner, or what yields a progress, which then asks nobody to stop.
    """
    pressed_for, is_done = session.taken, False
    with session.deed:
        try:
            with shown as progress:
                yield progress and partial(_told, progress)
                is_done = True
        except Interrupted:
            if not is_done:
                session.press(pressed_for)
            raise
        finally:
            if is_done:
                session.take_press(pressed_for)


def _told(progress: Progress, *news: Any, **further: Any) -> bool:
    """Tell a progress, also where nobody sees it any more."""
    with suppress(Interrupted):
        progress(*news, **further)
    return False


def picture_uploader(key: str) -> list[Any]:
    folder = st.toggle("Upload a whole folder", key=f"{key}.folder")
    return st.file_uploader(
        "Folder of pictures" if folder else "Pictures, or a ZIP of them",
        key=f"{key}.{'directory' if folder else 'files'}",
        accept_multiple_files="directory" if folder else True,
        help="PNG, JPEG, GIF, WebP or BMP, named after the objects.",
    ) or []


def method_form(
    session: Session, kind: str, page: str, default: str, *, label: str = "Method",
    automatic: Mapping[str, str] = MappingProxyType({}),
) -> Method:
    method = pick_method(session, (kind,), f"{page}.method", label, default)
    return method(**parameter_form(
        session, method, f"{page}.{method.name}", automatic=automatic
    ))


def pick_method(
    session: Session, kinds: Sequence[str], key: str, label: str, default: str | None = None
) -> type[Method]:
    available = {name: method for kind in kinds for name, method in methods(kind).items()}
    name = pick(
        session, key, label, {name: m.title for name, m in available.items()}, default=default,
        help="\n\n".join(f"**{m.title}**: {summary(m)}" for m in available.values()),
    )
    return available[name]


def parameter_form(
    session: Session,
    owner: type | Callable,
    prefix: str,
    *,
    hidden: Sequence[str] = (),
    columns: Mapping[str, Sequence[str]] = MappingProxyType({}),
    inner: str | None = None,
    defaults: Mapping[str, Any] | None = None,
    automatic: Mapping[str, str] = MappingProxyType({}),
    folded: str = "More settings",
) -> dict[str, Any]:
    """A form for the declared parameters of a method or function; the advanced ones folded away.

    columns: Options for a column of ``"objects"`` or of ``"answers"``.
    inner: Name of the default of an inner method.
    automatic: What numbers are where none is given, by parameter, if not as declared; also of an
        inner method.
    folded: Title above the advanced ones; empty not to fold them away.
    """
    defaults = defaults or {}
    declared = [
        replace(p, default=defaults.get(p.name, p.default), spec=_filled(p, automatic))
        for p in parameters(owner) if p.name not in hidden
    ]
    plain = [p for p in declared if not p.spec.advanced]
    advanced = [p for p in declared if p.spec.advanced]

    def ask(some: Sequence[Parameter]) -> dict[str, Any]:
        return {
            p.name: _inner(session, p.spec, f"{prefix}.{p.name}", inner, automatic)
            if isinstance(p.spec, MethodParameter)
            else _widget(session, p, f"{prefix}.{p.name}", columns)
            for p in some
        }

    values = ask(plain)
    if advanced:
        with st.expander(folded, key=f"{prefix}.advanced") if folded else nullcontext():
            _presets(session, owner, prefix, declared)
            values |= ask(advanced)
    return {p.name: values[p.name] for p in declared}


def _presets(
    session: Session, owner: type | Callable, prefix: str, declared: Sequence[Parameter]
) -> None:
    """A button for each paper with published settings, which sets the whole form."""
    name = getattr(owner, "name", owner.__name__)
    for cited, settings in settings_as_published(name).items():
        st.button(
            f"As in {cited}", key=f"{prefix}.as in {cited}", width="stretch",
            help="Sets what the paper changed, and resets all other settings except numbers of "
            "dimensions and clusters.",
            on_click=_set_to, args=(session, prefix, {
                p.name: settings.get(p.name, p.default) for p in declared
                if not isinstance(p.spec, MethodParameter | Column) and p.name not in LEFT_OPEN
            }),
        )


def _set_to(session: Session, prefix: str, values: Mapping[str, Any]) -> None:
    for name, value in values.items():
        widgets()[f"{prefix}.{name}"] = session.remember(f"{prefix}.{name}", value)


def joint_form(
    session: Session, forms: Sequence[tuple[Callable, str, Sequence[str]]]
) -> list[dict[str, Any]]:
    """Several forms as one, with all advanced parameters folded away together.

    forms: Owner, prefix and hidden parameters of each, as in `parameter_form`.
    """

    def asked(advanced: bool) -> list[dict[str, Any]]:
        return [
            parameter_form(session, owner, prefix, folded="", hidden=[
                p.name for p in parameters(owner)
                if p.name in hidden or p.spec.advanced != advanced
            ]) for owner, prefix, hidden in forms
        ]

    plain = asked(False)
    with st.expander("More settings", key=f"{forms[0][1]}.further"):
        advanced = asked(True)
    return [{**few, **more} for few, more in zip(plain, advanced, strict=True)]


def parameter_number(session: Session, parameter: Parameter, key: str) -> int | float | None:
    return _number(session, parameter, parameter.spec, key, parameter.spec.help or None)


def summary(owner: type | Callable) -> str:
    """First paragraph of a docstring after its first line."""
    paragraphs = written(owner).split("\n\n")
    return " ".join((paragraphs[1] if len(paragraphs) > 1 else paragraphs[0]).split())


def _widget(
    session: Session,
    parameter: Parameter,
    key: str,
    columns: Mapping[str, Sequence[str]],
) -> Any:
    spec = parameter.spec
    help_text = spec.help or None
    if isinstance(spec, Switch):
        return switch(session, key, spec.label, parameter.default, help=help_text)
    if isinstance(spec, Choice):
        return pick(
            session, key, spec.label, spec.options, default=parameter.default, help=help_text
        )
    if isinstance(spec, MethodNames):
        titles = {name: method.title for name, method in methods(spec.kind).items()}
        return several(session, key, spec.label, titles, default=parameter.default, help=help_text)
    if isinstance(spec, Column):
        return _column(session, parameter, spec, key, columns.get(spec.of, ()))
    return _number(session, parameter, spec, key, help_text)


def _column(
    session: Session, parameter: Parameter, spec: Column, key: str, names: Sequence[str]
) -> str | list[str] | None:
    """One of the columns, or some of them where several may be named (by default all).

    A select box takes an option that is None for no choice at all.
    """
    options = {name: name for name in names}
    if spec.several:
        return several(
            session, key, spec.label, options, help=spec.help or None,
            default=names if parameter.default in (inspect.Parameter.empty, None)
            else parameter.default,
        )
    if parameter.optional:
        options = {"": spec.automatic, **options}
    return pick(
        session, key, spec.label, options, default=parameter.default or "", help=spec.help or None
    ) or None


def _filled(parameter: Parameter, automatic: Mapping[str, str]) -> Any:
    spec = parameter.spec
    if isinstance(spec, Number) and parameter.name in automatic:
        return replace(spec, automatic=automatic[parameter.name])
    return spec


def _inner(
    session: Session, spec: MethodParameter, key: str, default: str | None,
    automatic: Mapping[str, str],
) -> Method:
    """The method that another one builds on, with its settings in a menu."""
    method = pick_method(session, spec.kinds, key, spec.label, default)
    with st.popover(f"Settings of {method.title}", width="stretch", key=f"{key}.settings"):
        return method(**parameter_form(
            session, method, f"{key}.{method.name}", automatic=automatic
        ))


def _number(
    session: Session, parameter: Parameter, spec: Number, key: str, help_text: str | None
) -> int | float | None:
    whole, default = parameter.integer, parameter.default
    low, high = (int(spec.low), int(spec.high)) if whole else (float(spec.low), float(spec.high))
    small = not whole and default is not None and 0 < abs(default) < 1e-3
    value = number(
        session, key, spec.label, low, high, default, help=help_text,
        placeholder=spec.automatic or None, step=1 if whole else None,
        format="%.0e" if small else None,
    )
    return default if value is None and not parameter.optional else value
