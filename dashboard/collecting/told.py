"""What a participant's browser receives of an experiment: nothing that gives answers away."""

from __future__ import annotations

from typing import Any

from tripletscope.core.studies.experiment.experiment import Experiment
from tripletscope.core.studies.experiment.question import ASKINGS
from tripletscope.dashboard.collecting.texts import page_texts


def told(experiment: Experiment, log: str) -> dict[str, Any]:
    """Objects, texts, and how questions look.

    log: Name of the log; browsers keep nothing for another log at the same address.
    """
    texts = page_texts(experiment)
    return {
        "log": log,
        "title": experiment.title,
        "objects": [
            {"id": one.id, "medium": one.medium, "content": one.content, "label": one.label}
            for one in experiment.objects
        ],
        "texts": texts,
        "task": experiment.task,
        "asking": {**vars(ASKINGS[experiment.task]), "levels": experiment.levels},
        "n_chosen": experiment.n_chosen,
        "size": experiment.size,
        "labels": experiment.labels,
        "least_ms": experiment.least_ms,
        "desktop_only": experiment.desktop_only,
        "break_every": experiment.break_every,
        "background": experiment.background,
        "language": texts["language"],
        "parameters": list(experiment.parameters),
        "n_before": len(experiment.before) + experiment.n_practice,
    }
