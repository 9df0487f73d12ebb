"""Names in encodings of many countries: guessed, told, and changed."""

from __future__ import annotations

import pytest

from tripletscope.core.reading import load, propose
from tripletscope.core.reading.interpretation.interpret import interpret

NAMES = {
    "cp932": "りんご みかん ぶどう 東京 大阪 猫 犬 鳥",
    "euc_jp": "りんご みかん ぶどう 東京 大阪 ねこ いぬ とり",
    "gb18030": "苹果 香蕉 葡萄 北京 上海 猫 狗 鸟 西瓜 桌子 椅子 电脑",
    "big5": "蘋果 香蕉 葡萄 貓 狗 鳥 西瓜 桌子 椅子 電腦",
    "euc_kr": "사과 바나나 포도 고양이 개 책상 의자",
    "cp1251": "яблоко груша слива вишня кошка собака",
    "cp1253": "μήλο αχλάδι γάτα σκύλος πορτοκάλι",
    "cp1250": "jabłko gruszka śliwka wiśnia żółw źrebię",
    "cp1252": "Apfel Äpfel Bär Löwe müde café naïve",
}
CZECH = "jablko hruška švestka třešeň kočka pes"


def file_of(names: str, encoding: str) -> bytes:
    words = names.split()
    rows = [
        f"p{k % 3},{words[k % len(words)]},{words[(k + 1) % len(words)]},"
        f"{words[(k + 3) % len(words)]}\n" for k in range(40)
    ]
    return ("subject,anchor,near,far\n" + "".join(rows)).encode(encoding)


@pytest.mark.parametrize(("encoding", "names"), [*NAMES.items(), ("cp1250", CZECH)])
def test_names_come_as_they_were_written(encoding, names):
    table = load(file_of(names, encoding))
    assert table.encoding == encoding
    assert set(interpret(table, propose(table)[0]).triplets.ids) == set(names.split())
    (note,) = [note for note in table.notes if note.startswith("The text is")]
    assert "such as " in note
    assert any(name in note for name in names.split() if not name.isascii())


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_unicode_is_no_question(encoding):
    table = load(file_of(NAMES["cp1251"], encoding))
    assert set(interpret(table, propose(table)[0]).triplets.ids) == set(NAMES["cp1251"].split())


def test_another_encoding_can_be_asked_for():
    table = load(file_of(NAMES["cp1251"], "cp1251"), encoding="koi8-r")
    assert "яблоко" not in interpret(table, propose(table)[0]).triplets.ids
