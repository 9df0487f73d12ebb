"""Excel workbooks."""

from __future__ import annotations

from xml.sax.saxutils import escape, quoteattr

from benchmarks.grammar.dice import NUMBERS, Dice, answers
from tests.core.reading.raw import workbook as raw

_PLACES = ("A0", "A-1", "XFD1", "XFE1", "ZZZ1", "ZZZZ1", "A1048577", "A99999999999", "1A", "1", "A",
           "a1", "$A$1", "A1:B2", "R1C1", "", "AAAAAAAAAA1", "Ä1", "A1 ", "A" * 3000 + "1")
_KINDS = ("s", "str", "n", "b", "e", "d", "inlineStr", "x", "")
_VALUES = ("1", "0", "-1", "999999", "1e999", "nan", "#REF!", "true", "2026-01-01T00:00:00",
           "", "99999999999999999999", "-99999999", "2958466", "0.5", "x", "1E+400",
           "_x005F_", "_x0000_")
_OUTSIDE = ' TargetMode="External"'
_CODES = ("0.00", "yyyy-mm-dd", "[h]:mm:ss", "@", "General", "[Red]", "y" * 300, '"', "[$-F800]",
          "\\", "d/m/y", "[" * 200, "0" * 5000)


def workbook(dice: Dice) -> tuple[str, bytes]:
    """A workbook."""
    dice.rate /= 4  # it has many nodes, and most deviations end it
    texts: list[str] = []
    n_sheets = dice.many(dice.choice((1, 1, 2)), 200)
    sheets = [_sheet(dice, texts) for _ in range(min(n_sheets, 4))]
    parts = raw.parts(
        sheet=sheets[0], strings=raw.strings(_strings(dice, texts)),
        styles=raw.styles(_styles(dice)),
        book=_book(dice, n_sheets), relations=_relations(dice, n_sheets),
        types=_types(dice, n_sheets),
    )
    for k, sheet in enumerate(sheets[1:], 2):
        parts[f"xl/worksheets/sheet{k}.xml"] = sheet
    content: dict[str, str | bytes] = {
        name: _bent(dice, text) for name, text in parts.items() if not dice.off(0.2)
    }
    if dice.off():
        content["xl/externalLinks/externalLink1.xml"] = (
            f'<externalLink xmlns="{raw.MAIN}"><externalBook r:id="rId1"/></externalLink>')
        content["xl/externalLinks/_rels/externalLink1.xml.rels"] = raw.relations(
            raw.relation("rId1", "externalLinkPath", "file:///etc/passwd", _OUTSIDE))
    if dice.off(0.3):
        content["xl/vbaProject.bin"] = dice.randbytes(200)
    return dice.choice(("a.xlsx", "a.xlsx", "a.xlsm", "a.csv")), raw.workbook(content)


def _bent(dice: Dice, text: str) -> str | bytes:
    """A part with a deviation of XML as such."""
    head, body = text[: text.index("?>") + 2], text[text.index("?>") + 2 :]
    if dice.off(0.2):
        body = dice.choice((
            '<!DOCTYPE x [<!ENTITY a "aaaa">]>', '<!DOCTYPE x SYSTEM "file:///etc/passwd">',
            "<?xml-stylesheet href='x'?>", "<!-- c -->", "<a>", "\0",
            "<!DOCTYPE x [" + "".join(
                f'<!ENTITY e{k} "{f"&e{k - 1};" * 10 if k else "lol"}">' for k in range(9)) + "]>",
        )) + body
    if dice.off(0.2):
        body = body.replace(raw.MAIN, dice.choice((
            "http://purl.oclc.org/ooxml/spreadsheetml/main", "x", "")))
    if dice.off(0.1):
        body = body.replace("<", "<x:", 1)
    if dice.off(0.2):
        body = body[: dice.randrange(len(body) + 1)]
    if dice.off(0.1):
        depth = dice.choice((100, 5000, 60_000))
        body = body.replace("</", "<a>" * depth + "</a>" * depth + "</", 1)
    if dice.off(0.1):
        return (head.replace("UTF-8", "UTF-16") + body).encode("utf-16", "surrogatepass")
    if dice.off(0.1):
        head = head.replace("UTF-8", dice.choice(("latin-1", "utf-7", "ebcdic", "x", "utf-32")))
    return (head + body).encode("utf-8", "surrogatepass")


def _sheet(dice: Dice, texts: list[str]) -> str:
    names, rows = answers(dice)
    if dice.off():
        rows = rows[:20] * dice.many(1, 100)
    number, made = 0, []
    for line in [names, *rows]:
        number = number + 1 if not dice.off(0.3) else dice.choice((
            number, number + 5, 1_048_576, 1_048_577, 2**31, 2**64, 0, -1, number + 100_000))
        cells = [_cell(dice, texts, one, k, number) for k, one in enumerate(dice.shuffled(line))]
        where = "" if dice.off() else str(number)
        if dice.off(0.1):
            where = dice.choice(("", "x", "1.5", "9" * 5000, "٣", "1e3", " 1"))
        made.append(raw.row(*cells, number=where))
    before = after = ""
    if dice.off(3):
        before = f'<dimension ref="{dice.choice(("A1", "A1:XFD1048576", "A1:A0", "", "x"))}"/>'
    if dice.off():
        before += dice.choice(("<cols>" + '<col min="1" max="16384" width="9"/>' * dice.few(5000)
                               + "</cols>", "<sheetViews/>", "<a/>" * dice.few(50_000)))
    if dice.off():
        ref = dice.choice(("A1:B2", "A1:XFD1048576", "", "B2:A1"))
        after = "<mergeCells>" + f'<mergeCell ref="{ref}"/>' * dice.few(5000) + "</mergeCells>"
    if dice.off():
        after += dice.choice((
            '<hyperlinks><hyperlink ref="A1" r:id="rId9"/></hyperlinks>', "<sheetData/>",
            f"<sheetData>{raw.ROWS}</sheetData>", '<legacyDrawing r:id="rId8"/>', "<tableParts/>",
            "<conditionalFormatting/>" * 30, "<extLst><ext/></extLst>",
        ))
    return raw.sheet("".join(made), before, after)


def _cell(dice: Dice, texts: list[str], one: str, column: int, number: int) -> str:
    place = f"{chr(65 + column % 26)}{number}"
    if dice.off():
        place = dice.choice(_PLACES)
    elif dice.random() < 0.1:
        place = ""
    more = f' s="{dice.number(0)}"' if dice.off(3) else ""
    safe = _safe(one)
    if dice.off():
        inner = dice.choice(("", "<v/>", "<f>A1+1</f><v>2</v>", "<f>SUM(A:A)</f>", "<is/>",
                             '<f t="shared" si="0" ref="A1:Z9"/><v>1</v>', "<v>1</v><v>2</v>",
                             '<f t="array" ref="A1:B9">{1}</f>', "<v><a/></v>", "<extLst/>",
                             '<f t="dataTable" ref="A1" dt2D="1" r1="A1" r2="B1"/>',
                             "<is><t>q</t></is>", f"<is>{'<r><t>a</t></r>' * dice.few(2000)}</is>",
                             f"<v>{dice.choice(_VALUES)}</v>"))
        return f'<c r="{place}" t="{dice.choice(_KINDS)}"{more}>{inner}</c>'
    kind = dice.randrange(4)
    if kind == 0:
        texts.append(one)
        index = dice.number(len(texts) - 1)
        return raw.cell(str(index), place, "s", more)
    if kind == 1 and one.replace(".", "", 1).isdigit() and one.isascii():
        return raw.cell(one, place, "n", more)
    if kind == 2:
        return f'<c r="{place}" t="inlineStr"{more}><is><t>{safe}</t></is></c>'
    return raw.cell(safe, place, "str", more)


def _safe(one: str) -> str:
    return escape("".join(sign if sign >= " " and sign != "\x7f" else "?" for sign in one))


def _strings(dice: Dice, texts: list[str]) -> str:
    made = []
    for one in dice.shuffled(texts):
        safe = _safe(one)
        made.append(f"<si><t>{safe}</t></si>" if not dice.off() else dice.choice((
            f"<si><r><rPr><b/></rPr><t>{safe}</t></r><r><t>x</t></r></si>", "<si/>",
            "<si><t/></si>", "<t>a</t>", "<si><a/></si>",
            f"<si>{'<r/>' * dice.few(5000)}</si>", "<si><si/></si>",
            f'<si><t>{safe}</t><rPh sb="0" eb="9"><t>p</t></rPh></si>',
            f"<si><t>{'x' * dice.few(200_000)}</t></si>",
        )))
    return "".join(made)


def _styles(dice: Dice) -> str:
    formats = "".join(
        f'<numFmt numFmtId="{dice.number(164 + k)}" formatCode={quoteattr(dice.choice(_CODES))}/>'
        for k in range(dice.few(5)))
    styles = "".join(
        f'<xf numFmtId="{dice.number(dice.choice((0, 14, 22, 46, 164, 165)))}"/>'
        for _ in range(dice.many(4, 5000)))
    if dice.off():
        styles += '<xf numFmtId="x"/><xf/>'
    return f"<numFmts>{formats}</numFmts><cellXfs>{styles}</cellXfs>"


def _book(dice: Dice, n: int) -> str:
    def sheet(k: int) -> str:
        title = quoteattr(_safe(dice.word(f"s{k}")))
        target = quoteattr(_safe(dice.word(f"rId{k if k < 4 else 1}")))
        state = dice.choice((' state="hidden"', ' state="x"')) if dice.off() else ""
        return f'<sheet name={title} sheetId="{dice.number(k)}" r:id={target}{state}/>'

    sheets = "".join(sheet(k) for k in range(1, n + 1))
    more = ""
    if dice.off():
        more = dice.choice((
            '<workbookPr date1904="1"/>', '<workbookPr date1904="x"/>', "<calcPr/>",
            "<definedNames>" + '<definedName name="a">one!$A$1</definedName>' * dice.few(5000)
            + "</definedNames>", '<bookViews><workbookView activeTab="99"/></bookViews>',
            '<externalReferences><externalReference r:id="rId1"/></externalReferences>',
            '<pivotCaches><pivotCache cacheId="1" r:id="rId1"/></pivotCaches>',
            '<workbookProtection workbookPassword="x" lockStructure="1"/>',
        ))
    return raw.book(sheets, more)


def _relations(dice: Dice, n: int) -> str:
    found = []
    for k in range(1, min(n, 4) + 1):
        target = f"worksheets/sheet{k}.xml" if not dice.off() else dice.choice((
            "sharedStrings.xml", "workbook.xml", "../[Content_Types].xml", "../../x", "/etc/passwd",
            "file:///etc/passwd", "http://127.0.0.1/x", "", ".", "worksheets/", "styles.xml",
            "/xl/worksheets/sheet1.xml", "_rels/workbook.xml.rels", "vbaProject.bin",
        ))
        kind = "worksheet" if not dice.off() else dice.choice((
            "chartsheet", "externalLink", "x", "styles", "dialogsheet"))
        mode = _OUTSIDE if dice.off() else ""
        found.append(raw.relation(f"rId{k}", kind, target, mode))
    found += [raw.relation("rId98", "sharedStrings", "sharedStrings.xml"),
              raw.relation("rId99", "styles", "styles.xml")]
    return raw.relations(*dice.shuffled(found))


def _types(dice: Dice, n: int) -> str:
    more = [raw.override(raw.STRINGS, "sharedStrings"), raw.override(raw.STYLES, "styles")]
    more += [raw.override(f"xl/worksheets/sheet{k}.xml", "worksheet") for k in range(2, n + 1)]
    if dice.off():
        more.append(raw.override(dice.choice(("xl/x.xml", "../x", "", raw.SHEET, raw.BOOK)),
                                 dice.choice(("sharedStrings", "sheet.main", "x", "chartsheet"))))
    if dice.off(0.2):
        more *= dice.choice(NUMBERS[:9])
    return raw.types(*dice.shuffled(more))
