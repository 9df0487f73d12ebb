"""Questions that a plan may ask, each with the one test that answers it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tripletscope.core.engine.method import Method
from tripletscope.core.features.explain import above_chance
from tripletscope.core.features.feature_model import FeatureModel
from tripletscope.core.people.weights import WeightedEuclidean
from tripletscope.core.similarity.clusters.agglomerative import AgglomerativeClustering
from tripletscope.core.similarity.clusters.counting import recommend_clusters


@dataclass(frozen=True)
class PlannedQuestion:
    """A question, and the test that answers it.

    task: Of the test.
    method: Makes the method of the test from that of the map and the columns.
    is_met: Whether a result of the task meets the criterion.
    of: Table with the columns that the question names: "answers", "objects", or empty for none.
    several: Whether it may name several columns.
    least: Fewest dimensions that the test can do with.
    """

    task: str
    method: Callable[[Method, Sequence[str]], Method]
    is_met: Callable[[Any], bool]
    of: str = ""
    several: bool = False
    least: int = 1

    def options(self, columns: Sequence[str]) -> Mapping[str, Any]:
        """Options of the task, where it names columns itself."""
        return {"columns": [*columns]} if self.task == "directions" else {}


#: By name, in the order of plans.
QUESTIONS: dict[str, PlannedQuestion] = {
    "clusters": PlannedQuestion(
        "count_clusters", lambda embedding, _: AgglomerativeClustering(basis=embedding),
        lambda result: (recommend_clusters(result).n_clusters or 1) > 1,
    ),
    "groups": PlannedQuestion(
        "compare_people", lambda *_: WeightedEuclidean(), lambda result: result.n_groups > 1,
        least=2,
    ),
    "conditions": PlannedQuestion(
        "compare_conditions", lambda _, columns: WeightedEuclidean(by=columns[0]),
        lambda result: result.weights_differ, of="answers", least=2,
    ),
    "directions": PlannedQuestion(
        "directions", lambda embedding, _: embedding,
        lambda result: not {"arrow", "separated"}.isdisjoint(result.found),
        of="objects", several=True,
    ),
    # Without data there are no features yet: their names stand for them.
    "features": PlannedQuestion(
        "explain", lambda _, columns: FeatureModel(content=[*columns]),
        lambda result: bool(above_chance(result.table)["significant"].any()),
        of="objects", several=True,
    ),
}


