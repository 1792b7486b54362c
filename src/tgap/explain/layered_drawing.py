"""The layered picture, drawn."""

from __future__ import annotations

from tgap.explain.drawing import Drawing, Ring, Shape, Stroke, Text, badge, key_lines, straight
from tgap.explain.layered import Picture
from tgap.explain.palette import ANSWER, COLOURS, INK, LEGEND, MUTED


def layered_drawing(picture: Picture) -> Drawing:
    """Shapes back to front: grid, ribbons, circles, numbers, names, keys, legend."""
    shapes: list[Shape] = [
        Text(16, 28, picture.title, size=16, bold=True),
        Text(16, 50, picture.subtitle, colour=MUTED),
    ]
    bottom = picture.lanes[-1].y + 14
    for x, heading in picture.columns:
        shapes.append(straight((x, 92), (x, bottom)))
        shapes.append(Text(x, 82, heading, anchor="middle", bold=True))
    for ribbon in picture.ribbons:
        dash = "dashed" if ribbon.dashed else "dotted" if ribbon.kind == "stay" else "solid"
        shapes.append(Stroke(ribbon.points, COLOURS[ribbon.kind], ribbon.width, dash, 0.75, ribbon.title))
    for dot in picture.dots:
        edge, width = (ANSWER, 4.0) if dot.answer else (INK, 1.3)
        shapes.append(Ring(dot.x, dot.y, dot.radius, "#FFFFFF", edge, width, dot.title))
        if dot.text:
            shapes.append(Text(dot.x, dot.y + dot.radius + 12, dot.text, size=10, anchor="middle", halo=True))
    for ribbon in picture.ribbons:
        if ribbon.number is not None:
            shapes += badge(ribbon.badge, ribbon.number, ribbon.kind, ribbon.title)
    for lane in picture.lanes:
        colour = ANSWER if lane.role == "answer" else MUTED if lane.role == "rest" else INK
        bold = lane.role in ("answer", "start")
        x = picture.columns[0][0] - 24
        shapes.append(Text(x, lane.y + 4, lane.label, anchor="end", bold=bold, colour=colour, title=lane.title))
    for step, (x, keys) in enumerate(picture.keys, start=1):
        shapes.append(Text(x, picture.keys_top + 14, f"Step {step}", size=11, bold=True))
        for place, key in enumerate(keys):
            shapes += key_lines(x, picture.keys_top + 38 + 34 * place, key)
    return Drawing(picture.width, picture.height, picture.title, (*shapes, *_legend(picture)))


def _legend(picture: Picture) -> list[Shape]:
    y = picture.legend_top + 22
    shapes: list[Shape] = [straight((16, y - 20), (picture.width - 16, y - 20))]
    x = 16.0
    for kind, dashed, words in LEGEND:
        dash = "dashed" if dashed else "dotted" if kind == "stay" else "solid"
        shapes.append(straight((x, y), (x + 40, y), COLOURS[kind], 4, dash))
        shapes.append(Text(x + 47, y + 4, words, size=11))
        x += 66 + 6.2 * len(words)
    words = "Circles and ribbons are as big as their part of this answer; every column adds up to all of it."
    return [*shapes, Text(16, y + 20, words, size=11, colour=MUTED)]
