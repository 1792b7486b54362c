from __future__ import annotations

from tgap.explain.wording import counted, percent, percent_change, short_label, shorten


def test_percentages_are_short() -> None:
    shares = (0, 0.00001, 0.0003, 0.012, 0.0999, 0.31, 1.0)
    assert [percent(share) for share in shares] == ["0 %", "< 0.01 %", "0.03 %", "1.2 %", "10 %", "31 %", "100 %"]


def test_long_names_end_in_an_ellipsis() -> None:
    assert shorten("North Korea", 11) == "North Korea"
    assert shorten("Association of Southeast Asian Nations", 15) == "Associa…Nations"


def test_a_drop_is_a_signed_change() -> None:
    assert [percent_change(drop) for drop in (0.31, -0.042, 0.00001)] == ["−31 %", "+4.2 %", "0 %"]


def test_an_inverse_relation_stays_one_when_it_is_shortened() -> None:
    assert short_label("Make an appeal or request", True, 20) == "Make…quest (inverse)"
    assert short_label("Threaten", False, 20) == "Threaten"


def test_one_has_no_plural() -> None:
    assert [counted(number, "edge") for number in (0, 1, 1200)] == ["0 edges", "1 edge", "1,200 edges"]
