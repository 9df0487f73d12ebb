"""Names of columns, and words for sides, in languages other than English.

Left out is what means something else in another language (Spanish *nombre* is a name, French
*nombre* a count; German *weiter* is a button), what tells a role only together with the question
(*Zeit*, *temps*, *tiempo* may be a clock or a response time), and single letters.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

#: By language and role. Options are said by what comes before their number or letter, and sides
#: by the words for left and right: `foreign_names` puts them together.
_ROLES: dict[str, dict[str, tuple[str, ...]]] = {
    "German": {
        "anchor": ("referenz", "referenzreiz", "referenzbild", "anker", "zentrum", "zielreiz",
                   "zielbild", "standardreiz", "vorlage", "reiz"),
        "option": ("option", "vergleich", "vergleichsreiz", "alternative", "auswahl"),
        "left": ("links", "linkes", "linker", "linke", "linkerreiz", "linkesbild",
                 "linkesobjekt"),
        "right": ("rechts", "rechtes", "rechter", "rechte", "rechterreiz", "rechtesbild",
                  "rechtesobjekt"),
        "thing": ("reiz", "bild", "objekt", "stimulus"),
        "choice": ("antwort", "wahl", "gewählt", "auswahl", "entscheidung", "reaktion", "urteil"),
        "near": ("näher", "nah", "ähnlich", "ähnlicher", "gewählt"),
        "far": ("entfernter", "fern", "unähnlich", "unähnlicher", "nichtgewählt"),
        "participant": ("versuchsperson", "vp", "vpn", "proband", "probandin", "teilnehmer",
                        "teilnehmerin", "teilnehmende", "teilnehmerinnen", "beobachter",
                        "beobachterin", "person", "befragte"),
        "response_time": ("reaktionszeit", "antwortzeit", "rz", "bearbeitungszeit"),
        "time": ("zeitstempel", "uhrzeit", "zeitpunkt"),
        "trial": ("durchgang", "durchlauf", "versuchsdurchgang"),
    },
    "French": {
        "anchor": ("référence", "ancre", "cible", "centre", "étalon", "modèle"),
        "option": ("option", "alternative", "comparaison", "choix"),
        "left": ("gauche", "degauche", "àgauche"),
        "right": ("droite", "droit", "dedroite", "àdroite"),
        "thing": ("image", "objet", "stimulus", "option"),
        "choice": ("réponse", "choix", "choisi", "choisie", "décision", "jugement", "sélection"),
        "near": ("proche", "plusproche", "semblable", "plussemblable", "similaire",
                 "plussimilaire"),
        "far": ("loin", "éloigné", "pluséloigné", "dissemblable", "moinssemblable", "nonchoisi"),
        "participant": ("participant", "participante", "sujet", "observateur", "observatrice",
                        "répondant", "personne", "volontaire"),
        "response_time": ("tempsderéponse", "tempsréponse", "tempsderéaction", "tempsréaction"),
        "time": ("horodatage",),
        "trial": ("essai", "numérodessai", "numéroessai"),
    },
    "Spanish": {
        "anchor": ("referencia", "ancla", "objetivo", "centro", "estándar", "modelo", "estímulo"),
        "option": ("opción", "alternativa", "comparación"),
        "left": ("izquierda", "izquierdo", "delaizquierda"),
        "right": ("derecha", "derecho", "deladerecha"),
        "thing": ("imagen", "objeto", "estímulo", "opción"),
        "choice": ("respuesta", "elección", "elegido", "elegida", "decisión", "juicio",
                   "selección"),
        "near": ("cercano", "máscercano", "cerca", "parecido", "másparecido", "similar",
                 "mássimilar"),
        "far": ("lejano", "máslejano", "lejos", "menosparecido", "noelegido"),
        "participant": ("participante", "sujeto", "observador", "observadora", "encuestado",
                        "persona"),
        "response_time": ("tiempoderespuesta", "tiemporespuesta", "tiempodereacción",
                          "tiemporeacción"),
        "time": ("marcadetiempo", "fechahora"),
        "trial": ("ensayo", "númerodeensayo"),
    },
    "Italian": {
        "anchor": ("riferimento", "ancora", "bersaglio", "centro", "modello", "stimolo"),
        "option": ("opzione", "alternativa", "confronto"),
        "left": ("sinistra", "sinistro", "asinistra", "disinistra"),
        "right": ("destra", "destro", "adestra", "didestra"),
        "thing": ("immagine", "oggetto", "stimolo", "opzione"),
        "choice": ("risposta", "scelta", "scelto", "decisione", "giudizio", "selezione"),
        "near": ("vicino", "piùvicino", "simile", "piùsimile"),
        "far": ("lontano", "piùlontano", "menosimile", "nonscelto"),
        "participant": ("partecipante", "soggetto", "osservatore", "osservatrice", "persona"),
        "response_time": ("tempodirisposta", "temporisposta", "tempodireazione",
                          "temporeazione"),
        "time": ("marcatemporale", "dataora"),
        "trial": ("prova", "numeroprova", "numerodiprova"),
    },
    "Portuguese": {
        "anchor": ("referência", "âncora", "alvo", "centro", "modelo", "estímulo"),
        "option": ("opção", "alternativa", "comparação"),
        "left": ("esquerda", "esquerdo", "àesquerda", "daesquerda"),
        "right": ("direita", "direito", "àdireita", "dadireita"),
        "thing": ("imagem", "objeto", "objecto", "estímulo", "opção"),
        "choice": ("resposta", "escolha", "escolhido", "escolhida", "decisão", "julgamento",
                   "seleção"),
        "near": ("próximo", "maispróximo", "perto", "parecido", "maisparecido", "semelhante",
                 "maissemelhante"),
        "far": ("distante", "maisdistante", "longe", "menosparecido", "nãoescolhido"),
        "participant": ("participante", "sujeito", "observador", "observadora", "respondente",
                        "pessoa"),
        "response_time": ("tempoderesposta", "temporesposta", "tempodereação", "temporeação"),
        "time": ("carimbodetempo", "datahora"),
        "trial": ("ensaio", "tentativa", "númerodoensaio"),
    },
    "Dutch": {
        "anchor": ("referentie", "anker", "doel", "doelstimulus", "standaard"),
        "option": ("optie", "alternatief", "vergelijking", "keuze"),
        "left": ("links", "linker", "linkerplaatje"),
        "right": ("rechts", "rechter", "rechterplaatje"),
        "thing": ("plaatje", "afbeelding", "object", "stimulus", "optie"),
        "choice": ("antwoord", "keuze", "gekozen", "reactie", "beslissing", "oordeel"),
        "near": ("dichtbij", "dichterbij", "gelijkend", "meergelijkend", "soortgelijk"),
        "far": ("verderaf", "verweg", "mindergelijkend", "nietgekozen"),
        "participant": ("deelnemer", "deelnemers", "proefpersoon", "ppn", "respondent",
                        "waarnemer", "persoon"),
        "response_time": ("reactietijd", "responstijd", "antwoordtijd"),
        "time": ("tijdstip", "tijdstempel"),
        "trial": ("beurt", "poging", "trialnummer"),
    },
    "Polish": {
        "anchor": ("odniesienie", "kotwica", "wzorzec", "cel", "centrum", "bodziecdocelowy",
                   "bodziec"),
        "option": ("opcja", "alternatywa", "porównanie"),
        "left": ("lewy", "lewa", "lewo", "lewe"),
        "right": ("prawy", "prawa", "prawo", "prawe"),
        "thing": ("obraz", "obiekt", "bodziec", "opcja"),
        "choice": ("odpowiedź", "wybór", "wybrany", "decyzja", "reakcja"),
        "near": ("bliższy", "bliski", "bliżej", "podobny", "bardziejpodobny"),
        "far": ("dalszy", "daleki", "niepodobny", "mniejpodobny", "niewybrany"),
        "participant": ("uczestnik", "uczestniczka", "badany", "badana", "osoba",
                        "obserwator", "respondent"),
        "response_time": ("czasreakcji", "czasodpowiedzi"),
        "time": ("znacznikczasu",),
        "trial": ("próba", "numerpróby"),
    },
    "Turkish": {
        "anchor": ("referans", "çapa", "hedef", "merkez", "standart", "uyaran"),
        "option": ("seçenek", "alternatif", "karşılaştırma"),
        "left": ("sol", "soldaki"),
        "right": ("sağ", "sağdaki"),
        "thing": ("görsel", "resim", "nesne", "uyaran", "seçenek"),
        "choice": ("yanıt", "cevap", "seçim", "seçilen", "tepki", "karar"),
        "near": ("yakın", "dahayakın", "benzer", "dahabenzer"),
        "far": ("uzak", "dahauzak", "benzemeyen", "seçilmeyen"),
        "participant": ("katılımcı", "denek", "gözlemci", "kişi", "kullanıcı"),
        "response_time": ("tepkisüresi", "yanıtsüresi", "tepkizamanı", "reaksiyonsüresi"),
        "time": ("zamandamgası",),
        "trial": ("deneme", "denemeno", "denemenumarası"),
    },
    "Russian": {
        "anchor": ("эталон", "якорь", "образец", "цель", "центр", "референс",
                   "стимул"),
        "option": ("вариант", "альтернатива", "опция"),
        "left": ("левый", "левая", "левое", "слева", "лево"),
        "right": ("правый", "правая", "правое", "справа", "право"),
        "thing": ("стимул", "объект", "картинка", "вариант"),
        "choice": ("ответ", "выбор", "выбран", "выбранный", "реакция", "решение"),
        "near": ("ближе", "ближний", "ближайший", "похожий", "болеепохожий"),
        "far": ("далекий", "дальний", "непохожий", "менеепохожий", "невыбранный"),
        "participant": ("участник", "испытуемый", "испытуемая", "наблюдатель", "респондент",
                        "человек"),
        "response_time": ("времяреакции", "времяответа"),
        "time": ("отметкавремени", "датавремя"),
        "trial": ("проба", "попытка", "номерпробы", "номерпопытки"),
    },
    "Japanese": {
        "anchor": ("基準", "参照", "基準刺激", "参照刺激", "中心", "中央", "ターゲット", "標的",
                   "刺激"),
        "option": ("選択肢", "比較刺激", "オプション"),
        "left": ("左", "左側", "左刺激"),
        "right": ("右", "右側", "右刺激"),
        "thing": ("画像", "刺激", "選択肢"),
        "choice": ("回答", "反応", "選択", "応答", "判断"),
        "near": ("近い", "近い方", "似ている", "類似"),
        "far": ("遠い", "遠い方", "似ていない", "非類似"),
        "participant": ("参加者", "被験者", "実験参加者", "回答者", "観察者"),
        "response_time": ("反応時間", "回答時間", "応答時間", "反応潜時"),
        "time": ("日時", "時刻", "タイムスタンプ"),
        "trial": ("試行", "試行番号", "試行数"),
    },
    "Chinese": {
        "anchor": ("参考", "参照物", "基准", "锚点", "目标", "參考", "基準點", "目標"),
        "option": ("选项", "备选", "選項"),
        "left": ("左", "左侧", "左边", "左图", "左側", "左邊", "左圖"),
        "right": ("右", "右侧", "右边", "右图", "右側", "右邊", "右圖"),
        "thing": ("图片", "刺激", "选项", "圖片"),
        "choice": ("回答", "选择", "答案", "反应", "被选", "選擇", "反應"),
        "near": ("近", "更近", "较近", "相似", "更相似", "較近"),
        "far": ("远", "更远", "较远", "不相似", "遠", "更遠", "較遠"),
        "participant": ("被试", "参与者", "受试者", "被試", "參與者", "受試者"),
        "response_time": ("反应时", "反应时间", "回答时间", "反應時", "反應時間"),
        "time": ("时间戳", "時間戳"),
        "trial": ("试次", "试次号", "試次"),
    },
}

_NUMBERED = {
    "participant": ("id", "nr", "no", "nummer", "code", "kode", "kod", "num", "numero", "номер",
                    "番号", "コード", "编号", "编码", "號", "編號"),
    "trial": ("nr", "no", "nummer", "id", "num", "numero", "番号", "编号", "序号", "編號"),
    "response_time": ("ms", "s", "sec", "sek", "inms", "ins", "enms", "msec", "мс", "с", "毫秒",
                      "秒", "ミリ秒"),
}
#: Romance languages put it first: *id participante*, *n° du sujet*.
_BEFORE = {
    "participant": ("id", "iddu", "idde", "iddel", "iddo", "code", "codigo", "numero", "номер"),
    "trial": ("numero", "no", "n"),
}

_ODD = (
    "außenseiter", "ungleiche", "intrus", "intruso", "différent", "diferente", "differente",
    "buitenbeentje", "niepasujący", "лишний", "仲間外れ", "仲間はずれ", "异类", "異類",
)
_GROUPS = (
    "gruppe", "bedingung", "geschlecht", "sprache", "groupe", "sexe", "langue", "grupo",
    "condición", "sexo", "idioma", "gruppo", "condizione", "sesso", "lingua", "condição",
    "groep", "conditie", "geslacht", "taal", "grupa", "warunek", "płeć", "grup", "koşul",
    "cinsiyet", "группа", "условие", "пол", "条件", "性別", "性别", "グループ", "组别", "組別",
)

_PLAIN = str.maketrans({"ı": "i", "ł": "l", "ø": "o", "ß": "ss", "đ": "d", "œ": "oe", "æ": "ae"})
_GERMAN = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue"})
#: Only Latin letters lose their marks: in kana and Cyrillic they make other letters.
_MARKS = re.compile("(?<=[\x00-\x7f])[\u0300-\u036f]+")


def spellings(word: str) -> tuple[str, ...]:
    """A word as it is, without accents, and with umlauts as ae, oe and ue."""
    word = word.casefold()
    if word.isascii():  # there are thousands
        return (word,)
    plain = _MARKS.sub("", unicodedata.normalize("NFD", word.translate(_PLAIN)))
    found = (word, unicodedata.normalize("NFC", plain), word.translate(_GERMAN))
    return tuple(dict.fromkeys(found))


def foreign_names(role: str) -> tuple[str, ...]:
    """Names of the columns of a role in all languages, in every spelling."""
    given = (name for said in _ROLES.values() for name in _names(said, role))
    return tuple(dict.fromkeys(spelt for name in given for spelt in spellings(name)))


def _names(said: dict[str, tuple[str, ...]], role: str) -> Iterator[str]:
    bare = said.get(role, ())
    if role == "time":  # as in English, the number of the trial is the time where there is no clock
        bare = (*bare, *_names(said, "trial"))
    yield from bare
    for name in bare:
        yield from (name + end for end in _NUMBERED.get(role, ()))
        yield from (start + name for start in _BEFORE.get(role, ()))
    if role in ("left", "right"):
        number, letter = ("1", "a") if role == "left" else ("2", "b")
        for side in bare:
            yield from (thing + side for thing in said["thing"])
        for option in said["option"]:
            yield from (option + number, option + letter)


def foreign_sides(role: str) -> tuple[str, ...]:
    """Words that stand in cells for the option on the left or on the right."""
    words = (word for said in _ROLES.values() for word in said[role])
    return tuple(dict.fromkeys(spelt for word in words for spelt in spellings(word)))


#: Words in cells for the middle of three, and for yes and no, as spreadsheets write them.
FOREIGN_MIDDLE = (
    "mitte", "milieu", "centro", "medio", "mezzo", "meio", "midden", "środek", "orta", "середина",
    "центр", "中", "中央", "中间", "中間",
)
FOREIGN_YES = (
    "wahr", "ja", "vrai", "oui", "verdadero", "sí", "vero", "sì", "verdadeiro", "sim", "waar",
    "prawda", "tak", "doğru", "evet", "истина", "да", "真", "是", "はい",
)
FOREIGN_NO = (
    "falsch", "nein", "faux", "non", "falso", "não", "onwaar", "nee", "fałsz", "nie", "yanlış",
    "hayır", "ложь", "нет", "偽", "假", "否", "いいえ",
)
FOREIGN_CELLS = frozenset(
    {*FOREIGN_MIDDLE, *FOREIGN_YES, *FOREIGN_NO, *foreign_sides("left"), *foreign_sides("right")}
)
FOREIGN_ODD = tuple(dict.fromkeys(s for word in _ODD for s in spellings(word)))
FOREIGN_GROUPS = tuple(dict.fromkeys(s for word in _GROUPS for s in spellings(word)))
