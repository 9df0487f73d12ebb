"""Kept plans, and what tells them apart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from tripletscope.core.engine.declared import parameters
from tripletscope.core.run import Run
from tripletscope.core.studies.design.plan import Plan, plan
from tripletscope.core.studies.design.scenario import Scenario
from tripletscope.dashboard.interface.controls import distinct
from tripletscope.dashboard.interface.theme import count
from tripletscope.dashboard.views.simulate.setting import SCENARIO, titled

(_DESIGNS,) = (p.spec.options for p in parameters(plan) if p.name == "design")


@dataclass(frozen=True)
class Kept:
    """A plan with what it was computed from.

    title: Of its method, with its settings: `titled`.
    options: Of `tripletscope.core.studies.design.plan.plan`.
    run: None as long as it is not computed.
    """

    title: str
    options: Mapping[str, Any]
    run: Run | None = None

    @classmethod
    def of(cls, run: Run) -> Kept:
        """What a run has computed."""
        return cls(titled(run.fresh()), run.options, run)

    @cached_property
    def plan(self) -> Plan:
        return self.run.result()

    @property
    def scenario(self) -> Scenario:
        return Scenario(**{name: self.options[name] for name in SCENARIO})

    @property
    def design(self) -> str:
        """The design in a word or two."""
        if self.options["design"] == "repeated":
            return f"{self.options['repeated']} times each"
        return _DESIGNS[self.options["design"]].partition(",")[0].lower()

    @property
    def facets(self) -> dict[str, str]:
        """What may tell it from others, in words."""
        return {
            "method": self.title, "design": self.design, "scenario": self.scenario.described,
            "most": f"up to {self.options['most']:,} answers",
            "repeats": count(self.options["repeats"], "simulation"),
            "seed": f"seed {self.options['seed']}",
        }

    @property
    def about(self) -> str:
        """Experiment and number of simulations, for captions."""
        return f"{self.scenario.described}; {self.facets['repeats']}"

    @property
    def way(self) -> str:
        """How questions are asked and answers learned from, for captions."""
        return f"{self.title}, {self.design}"

    @property
    def name(self) -> str:
        """Under which it is kept."""
        method, design, scenario, most, *_ = self.facets.values()
        return f"{method}, {design}: {scenario}, {most}"


def names_of(kept: Sequence[Kept]) -> list[str]:
    """Short names that tell plans apart: what is the same in all is left out."""
    facets = [one.facets for one in kept]
    values: dict[str, set[str]] = {}
    for one in facets:
        for name, words in one.items():
            values.setdefault(name, set()).add(words)
    differ = [name for name, different in values.items() if len(different) > 1]
    found = []
    for one in facets:
        first, *others = (one[name] for name in differ or ["method", "design"])
        found.append(f"{first} ({', '.join(others)})" if others else first)
    return distinct(found)


def groups(kept: Sequence[Kept]) -> list[list[int]]:
    """Positions of the plans that simulate the same people, who can be compared one by one."""
    found: dict[tuple, list[int]] = {}
    for number, one in enumerate(kept):
        found.setdefault((one.scenario, one.options["seed"]), []).append(number)
    return list(found.values())
