"""Colours of all pictures: of Okabe and Ito's palette, which people with any colour vision can tell apart."""

COLOURS = {"past": "#0072B2", "present": "#222222", "future": "#D55E00", "stay": "#8A8A8A"}
ANSWER = "#00785A"  # their bluish green, darkened until it can be read as text
BASE = "#B0B0B0"
INK, MUTED, GRID = "#1A1A1A", "#595959", "#E4E4E4"

# (kind, dashed, words) of the legend below the flow picture.
LEGEND = (
    ("past", False, "mostly past"),
    ("present", False, "same time as asked"),
    ("future", False, "future"),
    ("past", True, "dashed: against the facts' direction"),
    ("stay", False, "waits"),
)
