"""Strings of five words or more in core, outside of docstrings, by what they are for.

    python benchmarks/strings.py [FOLDER] [--list]

Errors: in what is raised or warned of, and its remedies. Declared: labels and helps of parameters.
Others: titles of tasks and rules, notes of a reading, sources. What a result says stands in the
dashboard's sentences instead.
"""

from __future__ import annotations

import argparse
import ast
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from benchmarks.report import print_table

DECLARED = {"Number", "Choice", "Switch", "Column", "MethodParameter"}
WORDS = 5


def purpose(above: tuple[ast.AST, ...]) -> str:
    """What the string below some nodes is for."""
    for node in reversed(above):
        name = getattr(getattr(node, "func", None), "attr", getattr(
            getattr(node, "func", None), "id", ""))
        if isinstance(node, ast.Raise) or name.endswith(("Error", "Warning", "warn")):
            return "errors"
        if name in DECLARED:
            return "declared"
    return "others"


def strings(node: ast.AST, above: tuple[ast.AST, ...] = ()) -> Iterator[tuple[str, int, str]]:
    """Purpose, line and text of each string."""
    if isinstance(node, ast.JoinedStr):
        text = "".join(getattr(part, "value", "") if isinstance(part, ast.Constant) else " x "
                       for part in node.values)
    elif isinstance(node, ast.Constant):
        text = node.value if isinstance(node.value, str) else ""
    elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        return  # a docstring
    else:
        for inner in ast.iter_child_nodes(node):
            yield from strings(inner, (*above, node))
        return
    if len(text.split()) >= WORDS:
        yield purpose(above), node.lineno, text


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", type=Path, nargs="?",
                        default=Path(__file__).parent.parent / "core")
    parser.add_argument("--list", action="store_true", help="print those that are no others'")
    given = parser.parse_args()
    found = [
        (path.relative_to(given.folder), *string) for path in sorted(given.folder.rglob("*.py"))
        for string in strings(ast.parse(path.read_text("utf-8")))
    ]
    counted = Counter((path.parts[0], kind) for path, kind, _, _ in found)
    kinds = ("errors", "declared", "others")
    rooms = sorted({room for room, _ in counted})
    rows = [(room, *(counted[room, kind] for kind in kinds)) for room in rooms]
    rows.append(("all", *(sum(row[k] for row in rows) for k in (1, 2, 3))))
    print_table(("room", *kinds), rows)
    if given.list:
        for path, kind, line, text in found:
            if kind == "others":
                print(f"{path}:{line} {text[:100]!r}")


if __name__ == "__main__":
    main()
