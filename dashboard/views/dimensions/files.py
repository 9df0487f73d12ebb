"""Everything about some dimensions in one file."""

from __future__ import annotations

import pandas as pd

from tripletscope.core.run import Run
from tripletscope.dashboard import export
from tripletscope.dashboard.keeping.services import services
from tripletscope.dashboard.printing.browser import can_render
from tripletscope.dashboard.printing.composition import PRESETS, Composition
from tripletscope.dashboard.printing.render import FORMATS, NEED_BROWSER
from tripletscope.dashboard.reproduce.recipe import reproduction
from tripletscope.dashboard.results.dimensions import weights_table
from tripletscope.dashboard.results.showing import drawn
from tripletscope.dashboard.views.dimensions.context import DimensionsContext


def object_table(context: DimensionsContext) -> pd.DataFrame:
    """A row for each object, with its weights in the dimensions, which have their names."""
    data = context.data
    return weights_table(data.objects, data.weights, data.names)


def runs_of(context: DimensionsContext) -> list[Run]:
    """The fit and what was computed beside it."""
    tasks = ("cross_validate", "split_error", "penalty_curve")
    runs = [context.find(context.method, task) for task in tasks]
    return [context.fit, *filter(None, (*runs, *context.again, context.resampled))]


def everything(context: DimensionsContext, facts: pd.DataFrame) -> bytes:
    """Figures, tables, settings and a script that computes all of it again, as one ZIP."""
    name = export.file_name(context.info.name, "dimensions")
    runs, data = runs_of(context), context.data
    files = {
        f"{name}.csv": export.csv(object_table(context)),
        f"{name}-table.csv": export.csv(facts),
        **reproduction(
            context.info, services().workspace.cleaning(context.info), runs,
            named={context.fit.key: data.names},
        ),
    }
    if data.sd is not None:
        deviations = weights_table(data.objects, data.sd, data.names)
        files[f"{name}-sd.csv"] = export.csv(deviations)
    possible = can_render()
    composition = Composition(**PRESETS["Two columns"])
    for drawing in drawn(context.shown(*runs)):
        for form in FORMATS:
            if possible or form not in NEED_BROWSER:
                title = export.file_name(context.info.name, drawing.name)
                files[f"{title}.{form}"] = drawing.file(form, composition)
    return export.bundle(files)
