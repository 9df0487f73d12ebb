"""Settings of the papers, where they differ from the defaults."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from tripletscope.core.engine.declared import parameters
from tripletscope.core.engine.registry import TASKS, registry

#: Citations of the documents.
DOCUMENTS = {
    "thesis": "Haghiri (2020)",
    "forests": "Haghiri, Garreau & von Luxburg (2018)",
    "uncertainty": "Lohaus, Hennig & von Luxburg (2019)",
    "kernels": "Kleindessner & von Luxburg (2017)",
}
#: Kinds of methods that have presets.
KINDS = ("embedding", "kernel", "cluster", "scale")
#: Not part of a paper's settings.
LEFT_OPEN = ("seed", "n_components", "n_clusters", "order_leaves", "column", "kind", "answers")


@dataclass(frozen=True)
class Preset:
    """The settings of one paper that differ from the defaults, without seeds and sizes of the data.

    title: For menus, captions and scripts.
    cited: The paper in full.
    method: Parameters of methods, by the name of the method.
    options: Options of tasks, by the name of the task; also those of `propose`, which is no task.
    """

    title: str
    cited: str
    method: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    options: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)


#: By the keys of `DOCUMENTS`.
PRESETS: dict[str, Preset] = {
    "thesis": Preset(
        title=f"As in {DOCUMENTS['thesis']}",
        cited="Haghiri, S. (2020). Comparison-based methods in machine learning (doctoral thesis, "
        "University of Tübingen). Section 4.3.",
        method={
            "ste": {"n_init": 10, "init": "random", "prior": 0.0},
            "tste": {"n_init": 10, "init": "random", "prior": 0.0, "alpha": 1.0},
            "soe": {"n_init": 10, "init": "random", "prior": 0.0},
        },
    ),
    # Leaves of one object and a hundred trees are among the values that are tried.
    "forests": Preset(
        title=f"As in {DOCUMENTS['forests']}",
        cited="Haghiri, S., Garreau, D., & von Luxburg, U. (2018). Comparison-based random "
        "forests. Proceedings of the 35th International Conference on Machine Learning. Section 4.",
        options={"predict_column": {"multiclass": "summed", "folds": 10}},
    ),
    "uncertainty": Preset(
        title=f"As in {DOCUMENTS['uncertainty']}",
        cited="Lohaus, M., Hennig, P., & von Luxburg, U. (2019). Uncertainty estimates for ordinal "
        "embeddings. arXiv:1906.11655. Sections 3 to 5.",
        options={
            "bootstrap": {
                "replicates": 20, "scheme": "subsample", "unit": "answers", "share": 0.4,
                "rescale": False, "align": "replicate",
            },
            "posterior": {
                "sampler": "plain", "variance": 15.0, "most": 500, "effective": 10_000,
                "chains": 1, "warm_up": 0.0,
            },
            "propose": {"strategy": "uncertain", "batch": "top"},
            "compare_active": {"batch": "top"},
        },
    ),
    # Kernels with a reduced diagonal and k-means with five restarts are the defaults. The paper's
    # GNMDS stayed at its start, which no setting of a converging GNMDS repeats.
    "kernels": Preset(
        title=f"As in {DOCUMENTS['kernels']}",
        cited="Kleindessner, M., & von Luxburg, U. (2017). Kernel functions based on triplet "
        "comparisons. Advances in Neural Information Processing Systems 30. Section 4.",
        method={
            "agglomerative": {"linkage": "complete"},
        },
    ),
}


def settings_as_published(name: str) -> dict[str, dict[str, Any]]:
    """Settings of a method or a task in the papers, by citation."""
    return {
        DOCUMENTS[document]: dict(settings)
        for document, preset in PRESETS.items()
        for listed in (preset.method, preset.options)
        if (settings := listed.get(name))
    }


def published_in(name: str, values: Mapping[str, Any]) -> str:
    """Citation of the paper with these settings of a method or a task, or "".

    values: All parameters. Those that the paper leaves out must be at their defaults, except
        `LEFT_OPEN`.
    """
    owner = _owner(name)
    usual = {p.name: p.default for p in parameters(owner)} if owner else {}
    for cited, settings in settings_as_published(name).items():
        expected = {**usual, **settings}
        if all(values.get(p) == value for p, value in expected.items() if p not in LEFT_OPEN):
            return cited
    return ""


def _owner(name: str) -> Callable | None:
    """The method, or the function of the task, of a name."""
    for kind in KINDS:
        if name in registry(kind):
            return registry(kind)[name]
    return TASKS[name].function if name in TASKS else None
