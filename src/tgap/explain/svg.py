"""The layered picture as an SVG text: scales with the page, tells dates on hover, asks nothing of the network."""

from __future__ import annotations

from html import escape

from tgap.explain.curves import BADGE, Key
from tgap.explain.palette import ANSWER, COLOURS, GRID, INK, LEGEND, MUTED
from tgap.explain.picture import Link, Picture


def picture_svg(picture: Picture, *, alone: bool = False) -> str:
    """An ``<svg>`` element for a page, or with ``alone`` for a file of its own."""
    space = ' xmlns="http://www.w3.org/2000/svg"' if alone else ""
    size = f'viewBox="0 0 {picture.width} {picture.height}" width="{picture.width}" height="{picture.height}"'
    font = 'font-family="DejaVu Sans, Verdana, Arial, sans-serif" font-size="12"'
    parts = [
        f'<svg{space} {size} role="img" {font} fill="{INK}" style="max-width:100%;height:auto">',
        f"<title>{escape(picture.title)}</title>",
        f'<rect width="{picture.width}" height="{picture.height}" fill="#ffffff"/>',
        _text(16, 28, picture.title, size=16, weight="bold"),
        _text(16, 50, picture.subtitle, size=12, colour=MUTED),
    ]
    bottom = picture.lanes[-1].y
    for x, heading in picture.columns:
        parts.append(_text(x, 82, heading, size=12, anchor="middle", weight="bold"))
        parts.append(f'<line x1="{x:.1f}" y1="92" x2="{x:.1f}" y2="{bottom + 14:.1f}" stroke="{GRID}"/>')
    parts += [_link(link) for link in picture.links]
    for dot in picture.dots:
        ring = f'stroke="{ANSWER}" stroke-width="4"' if dot.answer else f'stroke="{INK}" stroke-width="1.3"'
        parts.append(
            f'<circle cx="{dot.x:.1f}" cy="{dot.y:.1f}" r="{dot.radius:.1f}" fill="#ffffff" {ring}>'
            f"<title>{escape(dot.title)}</title></circle>"
        )
        if dot.text:
            parts.append(_text(dot.x, dot.y + dot.radius + 12, dot.text, size=10, anchor="middle", halo=True))
    parts += [_badge(link) for link in picture.links if link.number is not None]
    for lane in picture.lanes:
        weight = "bold" if lane.role else "normal"
        colour = ANSWER if lane.role == "answer" else INK
        label = _text(picture.columns[0][0] - 24, lane.y + 4, lane.label, anchor="end", weight=weight, colour=colour)
        parts.append(f"<g>{label}<title>{escape(lane.title)}</title></g>")
        parts.append(_text(picture.columns[-1][0] + 26, lane.y + 4, lane.final, weight=weight, colour=colour))
    for step, (x, keys) in enumerate(picture.keys, start=1):
        parts += _key_list(x, picture.keys_top, step, keys)
    parts += _legend(picture)
    parts.append("</svg>")
    return "\n".join(parts)


def _text(
    x: float,
    y: float,
    text: str,
    *,
    size: int = 12,
    anchor: str = "start",
    weight: str = "normal",
    colour: str = INK,
    halo: bool = False,
) -> str:
    around = ' stroke="#ffffff" stroke-width="3" paint-order="stroke" stroke-linejoin="round"' if halo else ""
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" text-anchor="{anchor}" font-weight="{weight}" '
        f'fill="{colour}"{around}>{escape(text)}</text>'
    )


def _link(link: Link) -> str:
    (x0, y0), *rest = link.points
    curve = f"M{x0:.1f},{y0:.1f} C" + " ".join(f"{x:.1f},{y:.1f}" for x, y in rest)
    dash = ' stroke-dasharray="9 5"' if link.dashed else ' stroke-dasharray="2 4"' if link.kind == "stay" else ""
    return (
        f'<path d="{curve}" fill="none" stroke="{COLOURS[link.kind]}" stroke-width="{link.width:.1f}" '
        f'stroke-opacity="0.8"{dash}><title>{escape(link.title)}</title></path>'
    )


def _badge(link: Link) -> str:
    x, y = link.badge
    ring = 'stroke="#ffffff" stroke-width="1.5"'
    return (
        f'<g><circle cx="{x:.1f}" cy="{y:.1f}" r="{BADGE}" fill="{COLOURS[link.kind]}" {ring}/>'
        f"{_text(x, y + 3.6, str(link.number), size=10, anchor='middle', weight='bold', colour='#ffffff')}"
        f"<title>{escape(link.title)}</title></g>"
    )


def _key_list(x: float, top: float, step: int, keys: tuple[Key, ...]) -> list[str]:
    parts = [_text(x, top + 14, f"Step {step}", size=11, weight="bold")]
    for place, key in enumerate(keys):
        y = top + 38 + 34 * place
        parts.append(f'<circle cx="{x + 9:.1f}" cy="{y - 4:.1f}" r="{BADGE}" fill="{COLOURS[key.kind]}"/>')
        parts.append(_text(x + 9, y - 0.4, str(key.number), size=10, anchor="middle", weight="bold", colour="#ffffff"))
        parts.append(_text(x + 24, y - 2, key.relation, size=11))
        parts.append(_text(x + 24, y + 12, key.details, size=10, colour=MUTED))
    return parts


def _legend(picture: Picture) -> list[str]:
    y = picture.legend_top + 22
    parts = [f'<line x1="16" y1="{y - 20}" x2="{picture.width - 16}" y2="{y - 20}" stroke="{GRID}"/>']
    x = 16.0
    for kind, dashed, words in LEGEND:
        dash = ' stroke-dasharray="9 5"' if dashed else ' stroke-dasharray="2 4"' if kind == "stay" else ""
        parts.append(
            f'<line x1="{x}" y1="{y}" x2="{x + 40}" y2="{y}" stroke="{COLOURS[kind]}" stroke-width="4"{dash}/>'
        )
        parts.append(_text(x + 47, y + 4, words, size=11))
        x += 66 + 6.2 * len(words)
    parts.append(_text(16, y + 20, "Circles and edges are as big as the attention they hold.", size=11, colour=MUTED))
    return parts
