"""What a kernel's components and neighbours tell: a tab for each task."""

from __future__ import annotations

from typing import Any

from tripletscope.dashboard.figures.colours import is_quantity
from tripletscope.dashboard.results import MapLook
from tripletscope.dashboard.results.colouring import first_colouring
from tripletscope.dashboard.ui.controls import pick
from tripletscope.dashboard.ui.pictures import picture_addresses
from tripletscope.dashboard.ui.task import task_tab
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


task_tab(
    PAGE, "Map", 2, "kernel_map", name="map", needs=choose_kernel, further=_marks,
    seconds=1e-5,
    about="Computes a map from the similarities.",
    promise="Compute draws a map of the objects from the kernel.",
)
task_tab(
    PAGE, "Spectrum", 3, "spectrum", name="spectrum", needs=choose_kernel, seconds=5e-5,
    about="Computes the components of the kernel and those of permuted answers.",
    promise="Compute shows which components of the kernel exceed chance, and how well the leading "
    "ones predict held-out answers.",
)
task_tab(
    PAGE, "Classes", 4, "predict_column", name="classes", needs=choose_kernel, refuse=_no_labels,
    at_once=lambda context: context.info.n_objects <= _FEW,
    given=lambda context, method: _BY_MACHINE,
    columns=lambda context: {"objects": _labels(context)},
    about="Predicts held-out labels by a support vector machine; inner folds choose its penalty. "
    "Forests and nearest neighbours on the same folds are on the page Trees.",
    promise="Compute shows how well labels are predicted from similarities to labelled objects.",
)
