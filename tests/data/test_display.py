"""Names are shown so that they cannot act: escapes, overrides and line ends are spelt out, letters are not."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tgap.data.display import shown


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("Ann\x1b[31m", r"Ann\x1b[31m"),
        ("a\nb\tc\rd\x00e\x7f\x9b", r"a\nb\tc\rd\x00e\x7f\x9b"),
        ("evil\u202ecod.exe", r"evil\u202ecod.exe"),
        ("\u2066\u2069\u200e\u200f\ufeff\u00ad", r"\u2066\u2069\u200e\u200f\ufeff\xad"),
        ("\u2028\u2029", r"\u2028\u2029"),
        ("\ud800", r"\ud800"),
        ("Găgăuzia\u00a0 'x' \"y\" \\n", "Găgăuzia\u00a0 'x' \"y\" \\n"),
        ("می\u200cخواهم", "می\u200cخواهم"),
        ("👩\u200d🚀 日本 Ελλάδα", "👩\u200d🚀 日本 Ελλάδα"),
        ("", ""),
    ],
)
def test_what_acts_is_spelt_out(name: str, text: str) -> None:
    assert shown(name) == text


def test_odd_spaces_are_told_where_it_matters() -> None:
    assert shown("B\u00a0 \u3000c", spaces=True) == r"B\xa0 \u3000c"


@given(st.text(st.characters(codec=None)))
def test_nothing_that_acts_is_left(name: str) -> None:
    left = shown(name).replace("\u200c", "").replace("\u200d", "")
    assert not {unicodedata.category(mark) for mark in left} & {"Cc", "Cf", "Cs", "Zl", "Zp", "Cn"}
    assert shown(shown(name)) == shown(name)
