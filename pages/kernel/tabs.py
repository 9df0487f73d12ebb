"""What a kernel's components and neighbours tell: a tab for each task."""

from __future__ import annotations

from functools import partial
from typing import Any

from tripletscope.dashboard.figures.colours import is_quantity
from tripletscope.dashboard.results import MapLook
from tripletscope.dashboard.results.colouring import first_colouring
from tripletscope.dashboard.ui.controls import pick
from tripletscope.dashboard.ui.page import tab
from tripletscope.dashboard.ui.pictures import picture_addresses
from tripletscope.dashboard.ui.task import is_soon, show_task
from tripletscope.pages.kernel.context import PAGE, KernelContext, choose_kernel

#: Objects whose classes are learned within a few seconds.
_FEW = 60
#: What is not asked for where a support vector machine predicts classes.
_BY_MACHINE = {
    "kind": "classes", "learner": "svm", "answers": "fitted", "max_samples": 1.0,
    "multiclass": "pooled",
}


def _marks(context: KernelContext) -> dict[str, Any]:
    """How objects are shown, as on the page of maps."""
    info, current, objects = context.info, context.session, context.triplets.objects
    marks = {"points": "Points", "labels": "Labels"}
    if picture_addresses(info, objects, 64):
        marks["pictures"] = "Pictures"
    chosen = pick(current, f"map.marks.plane@{info.id}", "Show", marks, default=list(marks)[-1])
    colour = context.pick_column(
        f"kernel.colour@{info.id}",
        default=current.drafts.get(f"map.colour@{info.id}", first_colouring(objects, {})),
    )
    return {"looks": {"": MapLook(chosen, colour or "")}}


def _labels(context: KernelContext) -> list[str]:
    """Columns of categories."""
    return [name for name in context.columns if not is_quantity(context.triplets.objects[name])]


def _no_labels(context: KernelContext) -> tuple[str, str] | None:
    if _labels(context):
        return None
    return (
        "There are no labels",
        "Classes are learned from a categorical column of the stimulus metadata. Add one on the "
        "page Data.",
    )


@tab(PAGE, "Map", 2, needs=choose_kernel)
def show_map(context: KernelContext) -> None:
    """The leading components of the kernel as a map."""
    show_task(
        context, "kernel_map", at_once=is_soon(context, 1e-5), further=partial(_marks, context),
        about="Computes a map from the similarities.",
        promise="Compute draws a map of the objects from the kernel.",
    )


@tab(PAGE, "Spectrum", 3, needs=choose_kernel)
def show_spectrum(context: KernelContext) -> None:
    """Which components exceed chance."""
    show_task(
        context, "spectrum", at_once=is_soon(context, 5e-5),
        about="Computes the components of the kernel and those of permuted answers.",
        promise="Compute shows which components of the kernel exceed chance, and how well the "
        "leading ones predict held-out answers.",
    )


@tab(PAGE, "Classes", 4, needs=choose_kernel)
def show_classes(context: KernelContext) -> None:
    """How well a support vector machine predicts a column from the kernel."""
    show_task(
        context, "predict_column", refused=_no_labels(context), given=lambda method: _BY_MACHINE,
        columns={"objects": _labels(context)}, at_once=context.info.n_objects <= _FEW,
        about="Predicts held-out labels by a support vector machine; inner folds choose its "
        "penalty. Forests and nearest neighbours on the same folds are on the page Trees.",
        promise="Compute shows how well labels are predicted from similarities to labelled "
        "objects.",
    )
