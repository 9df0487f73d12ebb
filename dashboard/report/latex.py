"""A report as fragments for LaTeX."""

from __future__ import annotations

import re

from tripletscope.dashboard.report.document import (
    WIDTH,
    Block,
    Document,
    Listed,
    Paragraph,
    TextTable,
)
from tripletscope.dashboard.report.parts.parts import chapters
from tripletscope.dashboard.report.pictures import picture
from tripletscope.dashboard.report.references import bibtex, csl_json
from tripletscope.dashboard.results import Drawing
from tripletscope.dashboard.words import words

_SPECIAL = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "%": r"\%",
    "#": r"\#", "_": r"\_", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
    "<": r"\textless{}", ">": r"\textgreater{}", "–": "--", "σ": r"$\sigma$",
    "\N{NO-BREAK SPACE}": "~", "\N{NARROW NO-BREAK SPACE}": r"\,",
    '"': r"\textquotedbl{}",
    # After the end of a row or the beginning of an item these would be options.
    "[": "{[}", "]": "{]}", "*": "{*}", "\N{ASTERISK OPERATOR}": "{*}",
    "\N{FULLWIDTH COMMERCIAL AT}": "@",
}
_BOXES = {None: "", True: r"[$\boxtimes$]", False: r"[$\square$]"}
_TO_ESCAPE = re.compile("|".join(map(re.escape, _SPECIAL)))
_MAIN = r"""\documentclass[11pt,a4paper]{article}
\usepackage[T1]{fontenc}
\usepackage[english]{babel}
\usepackage{amssymb,booktabs,graphicx,longtable,natbib,tabularx}
\usepackage[hidelinks]{hyperref}
%% Figures bring texts for those who do not see them; graphicx knows "alt" since 2023.
\graphicspath{{figures/}}
\title{%(title)s}
\author{%(authors)s}
\date{%(made)s}
\begin{document}
\maketitle
\input{text}
\bibliographystyle{apalike}
\bibliography{references}
\end{document}
"""


def latex(document: Document) -> dict[str, bytes]:
    """Files by name: text, figure environments, tables by booktabs, and references."""
    drawings = [block for block in document.blocks() if isinstance(block, Drawing)]
    main = _MAIN % {
        "title": escaped(document.plain(document.title)), "authors": escaped(document.authors),
        "made": escaped(document.made),
    }
    figures = "\n".join(_block(document, drawing) for drawing in drawings)
    tables = "\n".join(
        _block(document, block) for block in document.blocks() if isinstance(block, TextTable)
    )
    return {
        "report.tex": main.encode(), "text.tex": _text(document).encode(),
        "figures.tex": figures.encode(), "tables.tex": tables.encode(),
        "references.bib": bibtex(document.references).encode(),
        "references.json": csl_json(document.references).encode(),
        **{f"figures/{_file(document, drawing)}.pdf": picture(drawing, "pdf", document.width)
           for drawing in drawings},
    }


def _text(document: Document) -> str:
    lines = []
    for title, sections in chapters(document):
        lines.append(rf"\section{{{escaped(title)}}}")
        for section in sections:
            if len(sections) > 1:
                lines.append(rf"\subsection{{{escaped(section.title)}}}")
            lines += [_block(document, block) for block in section.blocks]
    return "\n\n".join(lines) + "\n"


def _block(document: Document, block: Block) -> str:
    if isinstance(block, Paragraph):
        return marked(document, block.text)
    if isinstance(block, Listed):
        ticks = block.ticked or (None,) * len(block.items)
        items = "\n".join(
            rf"  \item{_BOXES[ticked]} {marked(document, item)}"
            for item, ticked in zip(block.items, ticks, strict=True)
        )
        return f"\\begin{{itemize}}\n{items}\n\\end{{itemize}}"
    if isinstance(block, TextTable):
        return _table(document, block)
    width = r"\linewidth" if document.width == WIDTH else f"{document.width:g}mm"
    return (
        "\\begin{figure}[tbp]\n  \\centering\n"
        f"  \\includegraphics[width={width}, alt={{{escaped(block.alt)}}}]"
        f"{{{_file(document, block)}}}\n"
        f"  \\caption{{{marked(document, block.caption)}}}\n"
        f"  \\label{{{document.labels[f'fig-{block.name}']}}}\n\\end{{figure}}"
    )


def _file(document: Document, drawing: Drawing) -> str:
    """Name of a figure's file, which cannot lead out of its folder."""
    return document.labels[f"fig-{drawing.name}"].removeprefix("fig-")


def _table(document: Document, table: TextTable) -> str:
    sides = "".join("r" if is_number else "X" for is_number in table.numbers)
    if "X" not in sides:
        sides = f"X{sides[1:]}"

    def row(cells: tuple[str, ...]) -> str:
        return f"    {' & '.join(marked(document, cell) for cell in cells)} \\\\"

    note = (f"\n  \\par\\smallskip\\footnotesize\\emph{{{escaped(words('note'))}}} "
            f"{marked(document, table.note)}") if table.note else ""
    rows = "\n".join(row(cells) for cells in table.shown)
    return (
        f"\\begin{{table}}[tbp]\n  \\caption{{{marked(document, table.caption)}}}\n"
        f"  \\label{{{document.labels[f'tab-{table.name}']}}}\n"
        f"  \\begin{{tabularx}}{{\\linewidth}}{{{sides}}}\n"
        f"    \\toprule\n{row(table.columns)}\n    \\midrule\n{rows}\n    \\bottomrule\n"
        f"  \\end{{tabularx}}{note}\n\\end{{table}}"
    )


def marked(document: Document, text: str) -> str:
    parts, cited = [], []
    for piece, style, target in document.pieces(text):
        if style == "reference" and target.startswith("ref-"):
            cited.append(target.removeprefix("ref-"))
        elif cited and piece == ")":
            parts[-1] = rf"\citep{{{','.join(cited)}}}"
            cited = []
        elif cited and piece == "; ":
            continue
        elif style == "reference":
            kind = words("figure" if target.startswith("fig-") else "table")
            parts.append(rf"{escaped(kind)}~\ref{{{document.labels[target]}}}")
        elif style == "plain":
            parts.append(escaped(piece))
        else:
            command = "textbf" if style == "strong" else "emph"
            parts.append(rf"\{command}{{{escaped(piece)}}}")
    return "".join(parts)


def escaped(text: str) -> str:
    return _TO_ESCAPE.sub(lambda match: _SPECIAL[match[0]], text)
