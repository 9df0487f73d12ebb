"""Scales of several methods against the stimulus, with their bands."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from tripletscope.core.engine.method import Method
from tripletscope.core.inference.evaluation.score import CHANCE, ErrorEstimate, cross_validate
from tripletscope.core.models.embedding.ordinal import OrdinalEmbedding
from tripletscope.core.run import Run
from tripletscope.core.scale import MLDS, bootstrap_scale, ordinal_scale
from tripletscope.dashboard import analysis, export
from tripletscope.dashboard.figures.points import MapData
from tripletscope.dashboard.figures.scales import Curve, scale_curves
from tripletscope.dashboard.interface import panels
from tripletscope.dashboard.interface.controls import parameter_form, pick, several
from tripletscope.dashboard.interface.theme import Canvas, count, interval
from tripletscope.dashboard.keeping.services import services
from tripletscope.dashboard.results.scales import aligned, rises, value_title
from tripletscope.dashboard.views.page import tab
from tripletscope.dashboard.views.pictures import picture_addresses
from tripletscope.dashboard.views.scale.context import PAGE, StimulusContext, choose_stimulus
from tripletscope.dashboard.views.scale.lapses import rates_in_words
from tripletscope.dashboard.wording import ENGLISH

COVERAGES = {0.5: "50 %", 0.8: "80 %", 0.95: "95 %", 0.99: "99 %"}
UNITS = {"unit": "0 to 1", "noise": "Units of the noise, 1/σ"}
_SCALE = Canvas(900.0, 520.0)
#: Up to so many objects the first scales are computed without being asked for.
_QUICK = 2_000


@dataclass(frozen=True)
class Scaled:
    """A method with what was computed of it; None where that is still missing."""

    context: StimulusContext
    method: Method
    fit: Run | None
    scale: Run | None
    error: Run | None

    @property
    def name(self) -> str:
        """What tells it apart from the others."""
        return self.context.describe(self.method)

    def values(self, coverage: float, units: str) -> pd.DataFrame | None:
        """``object`` (or none), ``stimulus``, ``value``, ``standard error``, ``low``, ``high``."""
        if isinstance(self.method, MLDS):
            return self._differences(coverage, units == "noise")
        if self.scale is None or units == "noise":
            return None
        found = self.scale.result()
        low, high = found.band(coverage)
        return pd.DataFrame({
            "object": found.objects, "stimulus": found.stimulus, "value": found.values[:, 0],
            "standard error": found.deviation[:, 0], "low": low[:, 0], "high": high[:, 0],
        })

    def _differences(self, coverage: float, unconstrained: bool) -> pd.DataFrame | None:
        if self.fit is None or self.scale is None:
            return None
        fitted = self.fit.fitted()
        drawn = self.scale.result()
        low, high = drawn.interval(coverage, unconstrained=unconstrained)
        errors = fitted.standard_errors_ if unconstrained else fitted.scale_errors_
        if drawn.unit != "answers":  # those of the fit take answers as independent
            errors = drawn.standard_errors(unconstrained=unconstrained)
        found = pd.DataFrame({
            "stimulus": fitted.levels_,
            "value": fitted.unconstrained_ if unconstrained else fitted.scale_,
            "standard error": errors,
            "low": low, "high": high,
        })
        members = pd.Series(np.arange(fitted.n_objects_)).groupby(fitted.level_of_).first()
        if len(members) == fitted.n_objects_:
            found.insert(0, "object", members.to_numpy())
        return found

    def cross_validated(self) -> ErrorEstimate | None:
        return self.error.result() if self.error else None


@tab(PAGE, "Scale", 1, needs=choose_stimulus)
def show_scales(context: StimulusContext) -> None:
    """The figure, what it says, and the numbers."""
    picture, side = context.picture_and_side()
    with side:
        scaled, pieces = _asked(context)
        context.results(
            PAGE, "Scale", pieces, "Computes scales, their bands, and their held-out error."
        )
    known = [one for one in scaled if one.values(0.95, "unit") is not None]
    if context.job is None and not known and _is_new(context) and scaled:
        context.submit(f"Scale: {context.info.name}", pieces)
        st.rerun()
    with picture:
        if not scaled:
            panels.empty("No method is chosen", "Choose one or more on the right.")
            return
        if not known:
            context.empty(
                "Nothing has been computed yet",
                "Compute draws the scale of every chosen method against the stimulus, with a band.",
            )
            return
        _figure(context, scaled, known)
    _numbers(context, scaled)


def _is_new(context: StimulusContext) -> bool:
    """Whether no scale of these data was computed yet, and it would be done in a few seconds."""
    info, kept = context.info, services().workspace
    return context.answers.n_objects <= _QUICK and not any(
        kept.runs(info.id, task) for task in ("bootstrap_scale", "ordinal_scale")
    )


def _asked(context: StimulusContext) -> tuple[list[Scaled], list[analysis.Piece]]:
    """Ask for methods and how their bands are made."""
    names = several(
        context.session, f"{PAGE}.methods@{context.info.id}", "Methods", context.methods(),
        default=context.usual,
        help="MLDS, maximum likelihood difference scaling, assumes that the scale is monotonic. An "
        "embedding in one dimension does not: it may fall again.",
    )
    chosen = [context.method(name) for name in names]
    bands: dict[str, dict[str, Any]] = {}
    with st.popover("Bands and folds", width="stretch", key=f"{PAGE}.bands"):
        if any(isinstance(method, MLDS) for method in chosen):
            st.markdown("**Band of MLDS**")
            bands[MLDS.kind] = parameter_form(
                context.session, bootstrap_scale, f"{PAGE}.bootstrap_scale"
            )
        if any(isinstance(method, OrdinalEmbedding) for method in chosen):
            st.markdown("**Bands of embeddings**")
            hidden = ["stimulus", "n_components", *(["source"] if context.are_pairs else [])]
            bands["embedding"] = parameter_form(
                context.session, ordinal_scale, f"{PAGE}.ordinal_scale", hidden=hidden
            )
        st.markdown("**Held-out error**")
        folds = parameter_form(
            context.session, cross_validate, f"{PAGE}.folds", hidden=("repeats", "seed")
        )
    scaled, pieces = [], []
    for method in chosen:
        is_mlds = isinstance(method, MLDS)
        band = dict(bands[method.kind])
        if not is_mlds:
            band["stimulus"] = context.stimulus
            if not method.is_likelihood:
                band["source"] = "bootstrap"
        task = "bootstrap_scale" if is_mlds else "ordinal_scale"
        own = [(method, "fit", {})] if is_mlds else []
        own += [(method, task, band), (method, "cross_validate", folds)]
        found = {name: context.find(method, name, options) for _, name, options in own}
        scaled.append(Scaled(
            context, method, found.get("fit"), found[task], found["cross_validate"]
        ))
        pieces += own
    # Where questions are too few to be divided into folds, there are scales all the same.
    return scaled, sorted(pieces, key=lambda piece: piece[1] == "cross_validate")


def _curve(name: str, table: pd.DataFrame) -> Curve:
    objects = table["object"].to_numpy() if "object" in table else None
    parts = (table[c].to_numpy() for c in ("stimulus", "value", "low", "high"))
    return Curve(name, *parts, objects)


def _figure(context: StimulusContext, scaled: Sequence[Scaled], known: Sequence[Scaled]) -> None:
    current = context.session
    columns = {c: c for c in context.columns}
    with st.container(horizontal=True, vertical_alignment="top"):
        units = "unit"
        if any(isinstance(one.method, MLDS) for one in known):
            units = pick(
                current, f"{PAGE}.units", "Scale", UNITS, width=220,
                help="From 0 to 1, or in units of the standard deviation of the noise: the highest "
                "value is then 1/σ. Maps have no such unit.",
            )
        coverage = pick(current, f"{PAGE}.coverage", "Band", COVERAGES, default=0.95, width=110)
        colour = pick(
            current, f"{PAGE}.colour@{context.info.id}", "Colour", {"": "Methods", **columns},
            width=180,
        ) or None
    tables = {
        one.name: found for one in known if (found := one.values(coverage, units)) is not None
    }
    if units == "unit":
        tables = aligned(tables)
    curves = [_curve(name, found) for name, found in tables.items()]
    shown = [one.name for one in scaled if one in known]
    missing = [one.name for one in scaled if one not in known]
    data = MapData(
        np.empty((context.answers.n_objects, 1)), context.answers.objects,
        selected=context.selected,
    )
    text = (
        f"Perceptual scale against {context.title}. {'; '.join(shown)}. {context.size} Pointwise "
        f"{COVERAGES[coverage]} bands of {_origin(known)}."
    )
    if units == "noise":
        text += " In units of the noise; embeddings have no such unit and are not shown."
    elif len(curves) > 1:
        text += " All but the first are shifted and scaled to it by least squares."
    value = "perceptual scale (units of noise)"
    if units == "unit":
        value = value_title(len(curves) > 1)

    def draw(canvas: Canvas) -> Any:
        return scale_curves(
            curves, data, stimulus=context.title, value=value, colour=colour, caption=text,
            revision=f"{context.stimulus} {units}", canvas=canvas,
        )

    def table() -> pd.DataFrame:
        return _table(context, tables)

    panels.figure_panel(
        current, draw, key=f"{PAGE}.figure", alt=text, canvas=_SCALE, caption=text, table=table,
        name=export.file_name(context.info.name, "scale"), on_pick=current.select_positions,
        pictures=picture_addresses(context.info, context.answers.objects, 320),
    )
    if missing:
        verb = "is" if len(missing) == 1 else "are"
        st.caption(panels.plain(
            f"{'; '.join(missing)} {verb} not computed yet with these settings."
        ))
    with st.expander("Values with standard errors and intervals"):
        st.dataframe(
            table(), hide_index=True, placeholder="", key=f"{PAGE}.values", height=320,
            column_config={
                name: st.column_config.NumberColumn(format="%.3f")
                for name in ("value", "standard error", "low", "high")
            },
        )


_ORIGINS = {
    "bootstrap": "bootstrap replicates", "posterior": "posterior samples",
    "laplace": "the posterior's normal approximation",
}


def _origin(scaled: Sequence[Scaled]) -> str:
    """What bands are made of, and, where that is not the same for all, whose."""
    names: dict[str, list[str]] = {}
    for one in scaled:
        source, found = one.scale.options.get("source", "bootstrap"), one.scale.result()
        origin = _ORIGINS[source]
        if source == "bootstrap":
            origin += ENGLISH.over(found.unit, found.n_units)
        names.setdefault(origin, []).append(one.name)
    if len(names) == 1:
        return next(iter(names))
    return "; of ".join(f"{origin} ({'; '.join(whose)})" for origin, whose in names.items())


def _table(context: StimulusContext, parts: dict[str, pd.DataFrame]) -> pd.DataFrame:
    labels = np.array(context.answers.labels, dtype=object)
    tables = [
        part.assign(
            method=name,
            object=labels[part["object"].to_numpy()] if "object" in part else "",
        ) for name, part in parts.items()
    ]
    columns = ["method", "object", "stimulus", "value", "standard error", "low", "high"]
    return pd.concat(tables, ignore_index=True)[columns]


def _numbers(context: StimulusContext, scaled: Sequence[Scaled]) -> None:
    """What the scales say in words, and a table of how well they predict."""
    rows, sentences = [], []
    errors = [one.cross_validated() for one in scaled]
    for one, error in zip(scaled, errors, strict=True):
        rising = None if one.scale is None else rises(one.scale.result(), error)
        if rising is not None:
            sentences.append(
                f"**{panels.plain(one.name)}**: a monotonic curve "
                + ("fits into its simultaneous 95 % band." if rising else
                   "does not fit into its simultaneous 95 % band: somewhere the scale falls by "
                   "more than its uncertainty.")
            )
        row: dict[str, Any] = {"method": one.name}
        if one.fit is not None:
            fitted = one.fit.fitted()
            row |= {"answers used": fitted.n_answers_, "noise σ": fitted.sigma_}
            sentences += [f"{panels.plain(one.name)}: {said}" for said in rates_in_words(fitted)]
            sentences += _warnings(context, one, fitted)
        elif one.scale is not None:
            rank, low, high = one.scale.result().rank_correlation
            row |= {"answers used": len(context.answers),
                    "rank correlation": interval(rank, low, high)}
        if error is not None:
            row |= {
                "held-out error": interval(error.error, error.low, error.high),
                "s.d. over folds": float(error.fold_errors.std(ddof=1)),
            }
        rows.append(row)
    st.markdown("\n".join(f"- {sentence}" for sentence in sentences))
    st.dataframe(
        pd.DataFrame(rows), hide_index=True, key=f"{PAGE}.errors", placeholder="",
        column_config={
            "answers used": st.column_config.NumberColumn(format="localized"),
            "noise σ": st.column_config.NumberColumn(format="%.3f"),
            "s.d. over folds": st.column_config.NumberColumn(format="%.3f"),
        },
    )
    there = [error.n_units for error in errors if error is not None]
    over = ENGLISH.over_each(there) if there else ""
    st.caption(
        "Held-out error: proportion of answers that a scale learned from the other answers "
        f"predicts wrongly, with a 95 % interval{over}; chance is {CHANCE:.0%}. A band over "
        "participants shows how much the scale would vary in repetitions of the experiment with as "
        "many other people; one over answers, with the same people. Neither shows whether the "
        "method suits the answers: compare the errors."
    )


def _warnings(context: StimulusContext, one: Scaled, fitted: MLDS) -> list[str]:
    found = []
    unused = len(context.answers) - fitted.n_answers_
    if unused and not fitted.outside:
        found.append(
            f"{panels.plain(one.name)} omits {count(unused, 'answer')} whose anchor does not lie "
            "between the two others: on a monotonic scale their answer is known beforehand."
        )
    if fitted.sigma_ < 0:
        found.append(
            f"{panels.plain(one.name)}: most answers contradict a rising scale, so that its σ is "
            "negative. Perhaps the larger of two intervals was recorded where the smaller was "
            "asked for, or near and far are exchanged: see the page Data."
        )
    if not fitted.finite_:
        found.append(
            f"{panels.plain(one.name)}: there is no finite maximum-likelihood scale, because the "
            "answers never contradict some order of the intervals, or do not determine some "
            "levels. A weak prior keeps it finite; its σ means little."
        )
    return found
