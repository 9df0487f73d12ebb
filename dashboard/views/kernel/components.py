"""The components of a kernel: a map of the leading ones, and how many are more than chance."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from tripletscope.core.kernel.spectrum import KernelMap, Spectrum, kernel_map, spectrum
from tripletscope.dashboard import export
from tripletscope.dashboard.figures.map import embedding_map
from tripletscope.dashboard.figures.matrix import spectrum_figure
from tripletscope.dashboard.figures.points import MapData, MapStyle
from tripletscope.dashboard.interface import panels
from tripletscope.dashboard.interface.controls import parameter_form, pick
from tripletscope.dashboard.interface.theme import WIDE, Canvas, count
from tripletscope.dashboard.views.kernel.context import PAGE, KernelContext, choose_kernel
from tripletscope.dashboard.views.page import tab
from tripletscope.dashboard.views.pictures import embedded_pictures, picture_addresses

#: Of held-out error; a smaller difference is of no account.
_POINT = 0.01


@tab(PAGE, "Map", 2, needs=choose_kernel)
def show_map(here: KernelContext) -> None:
    """Kernel PCA or UMAP."""
    with here.side:
        options = parameter_form(here.session, kernel_map, f"{PAGE}.map")
    run = here.computed("kernel_map", options, "Computes a map from the similarities.")
    with here.picture:
        if run is None:
            here.empty(
                "Nothing has been computed yet",
                "Compute draws a map of the objects from the kernel."
            )
            return
        found: KernelMap = run.result()
        data, style = _shown(here, found)
        how = "UMAP"
        if len(found.shares):
            how = f"Kernel PCA; its axes explain {_listed(found.shares)} of the variance"
            if not np.allclose(found.shares, found.whole_shares):
                how += (
                    " that reducing the diagonal has left, and "
                    f"{_listed(found.whole_shares)} of that before"
                )
        text = f"{here.about} {how}."

        def draw(canvas: Canvas) -> Any:
            own = data if canvas.screen else replace(
                data, pictures=embedded_pictures(here.info, here.triplets.objects, data.pictures)
            )
            return embedding_map(own, style, caption=text, revision=run.key, canvas=canvas)

        def table() -> pd.DataFrame:
            axes = [f"x{c + 1}" for c in range(found.coordinates.shape[1])]
            places = pd.DataFrame(found.coordinates, columns=axes)
            return pd.concat([here.triplets.objects, places], axis=1)

        panels.figure_panel(
            here.session, draw, key="kernel.map.figure", alt=f"Map. {text}", caption=text,
            name=export.file_name(here.info.name, here.kernel.name, "map"), table=table,
            on_pick=here.session.select_positions,
            pictures=picture_addresses(here.info, here.triplets.objects, 320),
        )


def _listed(shares: np.ndarray) -> str:
    return ", ".join(f"{100 * share:.0f} %" for share in shares[:3])


def _shown(here: KernelContext, found: KernelMap) -> tuple[MapData, MapStyle]:
    objects, current = here.triplets.objects, here.session
    marks = {"points": "Points", "labels": "Labels"}
    addresses = picture_addresses(here.info, objects, 64)
    if addresses:
        marks["pictures"] = "Pictures"
    with st.container(horizontal=True):
        mark = pick(current, f"map.marks.plane@{here.info.id}", "Show", marks,
                    default=list(marks)[-1], width=130)
        colour = pick(current, f"kernel.colour@{here.info.id}", "Colour",
                      {"": "None", **{c: c for c in here.columns}},
                      default=current.drafts.get(f"map.colour@{here.info.id}"), width=180)
    selected = current.selected_positions(here.triplets)
    data = MapData(found.coordinates, objects, None, addresses, selected)
    return data, MapStyle(mark, colour or None, False)


@tab(PAGE, "Spectrum", 3, needs=choose_kernel)
def show_spectrum(here: KernelContext) -> None:
    """Eigenvalues beside those of shuffled answers."""
    with here.side:
        options = parameter_form(here.session, spectrum, f"{PAGE}.spectrum")
    run = here.computed(
        "spectrum", options, "Computes the components of the kernel and those of permuted answers."
    )
    with here.picture:
        if run is None:
            here.empty(
                "Nothing has been computed yet",
                "Compute shows which components of the kernel exceed chance, and how well the "
                "leading ones predict held-out answers.",
            )
            return
        found: Spectrum = run.result()
        text = (
            f"{here.about} Eigenvalues of the centred kernel, without reducing its diagonal, and "
            f"the range that holds {100 * (2 * found.level - 1):.0f} % of those of "
            f"{len(found.shuffled)} data sets with permuted answers."
        )

        def draw(canvas: Canvas) -> Any:
            return spectrum_figure(found, caption=text, canvas=canvas)

        def table() -> pd.DataFrame:
            return pd.DataFrame({
                "component": np.arange(1, len(found.eigenvalues) + 1),
                "eigenvalue": found.eigenvalues, "chance": found.threshold,
                "held-out error": pd.Series(found.errors).reindex(range(len(found.eigenvalues))),
            })

        panels.figure_panel(
            here.session, draw, key="kernel.spectrum.figure", alt=text, canvas=WIDE, caption=text,
            name=export.file_name(here.info.name, here.kernel.name, "spectrum"), table=table,
        )
        st.markdown(panels.plain(_of_components(found)))


def _of_components(found: Spectrum) -> str:
    """Components above chance, which are no dimensions, and what the leading ones predict.

    Another number is named only where it predicts better by a point at least.

    Silent on: alike (tests/dashboard/views/test_kernel.py::test_no_number_by_less_than_a_point).
    """
    said = (
        f"{count(found.n_signal, 'eigenvalue')} {'is' if found.n_signal == 1 else 'are'} larger "
        "than those of permuted answers. These are not dimensions: objects on one line have "
        "several components, as a curve has several powers."
    )
    if not np.isnan(found.errors).any():
        best = int(np.argmax(found.errors <= found.errors.min() + _POINT))
        said += (
            f" Held-out error is {found.errors[0]:.3f} with one component"
            + (f", {found.errors[best]:.3f} with {best + 1}, and not lower by more than a point "
               "with any other number." if best else ", and not lower by more than a point with "
               "any other number.")
        )
    return said + " How many dimensions there are is a question for the page Compare."
