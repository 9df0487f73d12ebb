"""Whether the answers are enough, and which prior predicts best."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

from tripletscope.core.engine.method import Method, methods
from tripletscope.core.models.embedding.default import DEFAULT_EMBEDDING
from tripletscope.core.run import Run
from tripletscope.dashboard.ui.ceiling_advice import PAGE
from tripletscope.dashboard.ui.context import Context
from tripletscope.dashboard.ui.controls import number, pick, pressed
from tripletscope.dashboard.ui.opened_map import fit_now
from tripletscope.dashboard.ui.page import open_page, tab
from tripletscope.dashboard.ui.task import is_soon, show_task

#: Methods that choose their dimensions themselves, or whose prior plays another role.
_UNTUNED = ("lore", "gnmdsk")


def _pick(context: Context, place: str, embeddings: Iterable[type[Method]]) -> type[Method]:
    titles = {method.name: method.title for method in embeddings}
    name = pick(
        context.session, f"{place}.method", "Method", titles, default=DEFAULT_EMBEDDING.name
    )
    return methods("embedding")[name]


def _of_curve(context: Context) -> Method:
    method = _pick(context, "compare.curve", methods("embedding").values())
    d = number(context.session, "compare.curve.d", "Dimensions", 1, 20, 2) or 2
    return method(n_components=d)


def _of_tuning(context: Context) -> Method:
    tuned = (method for name, method in methods("embedding").items() if name not in _UNTUNED)
    return _pick(context, "compare.tune", tuned)()


def _use(context: Context, run: Run) -> None:
    """Fit the map whose prior predicts best."""
    if pressed(context.session, "compare.tune.use", "Fit this map", icon=":material/scatter_plot:"):
        fit_now(context, run.fresh().set_params(**run.result().setting()))
        open_page("embedding")


@tab(PAGE, "Learning curve", 3)
def show_learning(context: Context) -> None:
    """How the error falls with the number of answers."""
    show_task(
        context, "learning_curve", method=partial(_of_curve, context),
        at_once=is_soon(context, 1e-4),
        about="Fits to growing subsets of the answers and predicts the same held-out answers.",
        promise="Compute shows how the error falls with the number of answers, and whether more "
        "answers would help.",
    )


@tab(PAGE, "Hyperparameters", 4)
def show_tuning(context: Context) -> None:
    """Which prior strength predicts best."""
    show_task(
        context, "tune", method=partial(_of_tuning, context), after=partial(_use, context),
        at_once=is_soon(context, 5e-4),
        about="Cross-validates five prior strengths in several numbers of dimensions.",
        promise="With few answers, a shrinking prior and an average over restarts predict better "
        "than the best single map. Compute finds the best prior strength.",
    )
