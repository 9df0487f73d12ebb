"""Dimensions of objects that people can name."""

from __future__ import annotations

from collections.abc import Iterator

from tripletscope.core.run import Run
from tripletscope.dashboard.report.document import Block, TextTable, joined
from tripletscope.dashboard.report.material import Material
from tripletscope.dashboard.report.parts.part import part
from tripletscope.dashboard.results.dimensions import against, facts_table, fitted_again
from tripletscope.dashboard.words import unmarked, words

#: Highest objects of a dimension in the table.
_HIGHEST = 5


@part("interpretable", "results", 2.5)
def interpretable(material: Material) -> Iterator[Block]:
    """Number, predictions, reproducibility and names of dimensions."""
    for number, fit in enumerate(material.all_of("fit", "dimensions"), 1):
        yield from material.blocks_of(fit)
        has_any = bool(fit.arrays["embedding_"].size)
        again = fitted_again(material.shown(), fit) if has_any else []
        curves = [
            run for task in ("penalty_curve", "number_curve") for run in material.all_of(task)
            if run.complete and (run.method, run.parameters) == (fit.method, fit.parameters)
        ]
        for run in (*again[:1], *curves):
            yield from material.blocks_of(run)
        if not has_any:
            continue
        table = _table(material, fit, number, again)
        names, d = material.dimension_names.get(fit.key, {}), len(table.rows)
        yield joined(words(
            "dimensions named" if names else "dimensions unnamed", place=f"@tab-{table.name}",
            named=words.whole(len(names)), number=words.count(d, "dimension"),
        ))
        yield table
    for run in material.all_of("shared_dimensions"):
        yield from material.blocks_of(run)


def _table(material: Material, fit: Run, number: int, again: list[Run]) -> TextTable:
    """A row for each dimension: name, highest objects, share, reproducibility."""
    facts = facts_table(material.shown(), fit, _HIGHEST)
    columns = {"position": facts["dimension"].map(words.whole)}
    if facts["name"].any():
        columns["name"] = facts["name"].map(unmarked)
    columns |= {"highest": facts["highest"].map(unmarked), "share": facts["share"].map(words.share)}
    note = ""
    if again:
        columns["again"] = facts["reproduced"].map(words.share)
        note = words("dimensions note", against=against(again[0].result()))
    return TextTable(
        f"dimensions-{number}", words("dimensions caption", method=words.method(fit.fresh())),
        tuple(words(f"dimensions {name}") for name in columns),
        tuple(zip(*columns.values(), strict=True)), note,
    )
