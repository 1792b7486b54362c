"""A drawing as an SVG text: scales with the page, tells more on hover, asks nothing of the network."""

from __future__ import annotations

from html import escape

from tgap.data.display import shown
from tgap.drawing.palette import INK
from tgap.drawing.shapes import Drawing, Ring, Shape, Stroke, Text

_DASH = {"solid": "", "dashed": ' stroke-dasharray="9 5"', "dotted": ' stroke-dasharray="2 4"'}
_HALO = ' stroke="#ffffff" stroke-width="3" paint-order="stroke" stroke-linejoin="round"'


def drawing_svg(drawing: Drawing, *, alone: bool = False) -> str:
    """An ``<svg>`` element for a page, or with ``alone`` for a file of its own."""
    space = ' xmlns="http://www.w3.org/2000/svg"' if alone else ""
    size = f'viewBox="0 0 {drawing.width} {drawing.height}" width="{drawing.width}" height="{drawing.height}"'
    font = 'font-family="DejaVu Sans, Verdana, Arial, sans-serif"'
    parts = [
        f'<svg{space} {size} role="img" {font} fill="{INK}" style="max-width:100%;height:auto">',
        f"<title>{_text(drawing.title)}</title>",
        f'<rect width="{drawing.width}" height="{drawing.height}" fill="#ffffff"/>',
        *(_element(shape) for shape in drawing.shapes),
        "</svg>",
    ]
    return "\n".join(parts)


def _text(text: str) -> str:
    """Text that XML may hold: a name may have control characters, XML may not."""
    return escape(shown(text))


def _element(shape: Shape) -> str:
    title = f"<title>{_text(shape.title)}</title>" if shape.title else ""
    match shape:
        case Text():
            weight = "bold" if shape.bold else "normal"
            place = f'x="{shape.x:.1f}" y="{shape.y:.1f}" font-size="{shape.size:g}" text-anchor="{shape.anchor}"'
            look = f'font-weight="{weight}" fill="{shape.colour}"{_HALO if shape.halo else ""}'
            return f"<text {place} {look}>{title}{_text(shape.text)}</text>"
        case Ring():
            place = f'cx="{shape.x:.1f}" cy="{shape.y:.1f}" r="{shape.radius:.1f}"'
            look = f'fill="{shape.fill}" stroke="{shape.edge}" stroke-width="{shape.width:g}"'
            return f"<circle {place} {look}>{title}</circle>"
        case Stroke():
            (x, y), *rest = shape.points
            curve = f"M{x:.1f},{y:.1f} C" + " ".join(f"{x:.1f},{y:.1f}" for x, y in rest)
            look = f'stroke="{shape.colour}" stroke-width="{shape.width:.1f}" stroke-opacity="{shape.opacity:g}"'
            return f'<path d="{curve}" fill="none" {look}{_DASH[shape.dash]}>{title}</path>'
