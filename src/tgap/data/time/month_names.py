"""Names of months in seven languages of Europe, lower case, with their usual abbreviations."""

from __future__ import annotations

_NAMES = (
    "january jan januar jänner janvier janv enero ene gennaio gen janeiro januari",
    "february feb februar februari février fevrier févr fevr febrero febbraio fevereiro fev",
    "march mar märz maerz mär mrz mars marzo março marco maart mrt",
    "april apr avril avr abril abr aprile",
    "may mai mayo maggio mag maio mei",
    "june jun juni juin junio giugno giu junho",
    "july jul juli juillet juil julio luglio lug julho",
    "august aug août aout agosto ago augustus",
    "september sep sept septembre septiembre setiembre settembre set setembro",
    "october oct oktober okt octobre octubre ottobre ott outubro out",
    "november nov novembre noviembre novembro",
    "december dec dezember dez décembre decembre déc diciembre dic dicembre dezembro",
)
MONTHS = {name: month for month, names in enumerate(_NAMES, start=1) for name in names.split()}
