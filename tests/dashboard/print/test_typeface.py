"""Letters of files: those of their texts, in two weights, and the same at any time."""

from __future__ import annotations

import base64
import io
import re
import time

import pytest
from fontTools.ttLib import TTFont

from tripletscope.dashboard.figures.fonts import font_file
from tripletscope.dashboard.print.typeface import _face_of, face_for


@pytest.mark.skipif(font_file() is None, reason="Streamlit's typeface is not here")
def test_a_text_has_its_letters_at_any_time(monkeypatch):
    first = face_for("ärger ☃")
    monkeypatch.setattr(time, "time", lambda: 2e9)
    _face_of.cache_clear()
    assert face_for("ärger ☃") == first
    assert face_for("ärger") == first, "it has no snowman"
    assert face_for("ß") != first
    fonts = [TTFont(io.BytesIO(base64.b64decode(found)))
             for found in re.findall(r"base64,([^)]+)\)", first)]
    assert [font["OS/2"].usWeightClass for font in fonts] == [400, 600]
    for font in fonts:
        assert {*"äAz09", "−", "α"} <= {chr(code) for code in font.getBestCmap()}
        assert ord("ß") not in font.getBestCmap()
        assert "fvar" not in font, "as variable letters they would be drawings in a PDF"
        assert "GPOS" in font, "letters are spaced in pairs"
