"""The findings of the data set's first page."""

from __future__ import annotations

from collections.abc import Iterator

from tripletscope.core.models.embedding.default import DEFAULT_EMBEDDING
from tripletscope.core.studies.quality.verdict import verdict
from tripletscope.dashboard.report.document import Block, joined
from tripletscope.dashboard.report.material import Material
from tripletscope.dashboard.report.parts.part import part
from tripletscope.dashboard.results.findings import FINDINGS, SubjectResults
from tripletscope.dashboard.results.preregistration import status_of
from tripletscope.dashboard.results.presentation import Statement
from tripletscope.dashboard.words import words


@part("findings", "summary", 1)
def findings(material: Material) -> Iterator[Block]:
    """A paragraph for every finding whose results exist."""
    people = material.quality.participants
    named = "participant" in material.answers.answers
    results = SubjectResults(
        material.answers, material.map.fresh() if material.map else DEFAULT_EMBEDDING(),
        material.shown(), lambda: verdict(people if named else people.iloc[:0]),
    )
    for name, topic in FINDINGS.items():
        if not topic.applies(results) or topic.lacks(results):
            continue
        said = [part.text for part in topic.told(results) if isinstance(part, Statement)]
        if said:
            status = material.standing and status_of(material.standing, topic, results)
            title = words(f"finding {name}") + (f" ({status})" if status else "")
            yield joined(f"**{title}.**", *said)
