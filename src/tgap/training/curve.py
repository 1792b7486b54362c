"""curve.png: training loss and validation metrics over epochs, redrawn after every validation."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

from tgap.evaluation import HEADLINE
from tgap.evaluation.protocols import RAW
from tgap.runs.files import write_bytes, writing
from tgap.runs.folder import RunFolder
from tgap.training.events import Listener, Stopped, Validated

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_LINES = (
    ("MRR", HEADLINE, "mrr", "C0", "-"),
    ("MRR", RAW, "mrr", "C0", ":"),
    ("Hits@1", HEADLINE, "hits1", "C1", "-"),
    ("Hits@10", HEADLINE, "hits10", "C2", "-"),
)


class Curve(Listener):
    """Draws from metrics.jsonl, so it must be told after the listener that writes that."""

    def __init__(self, folder: RunFolder) -> None:
        self._folder = folder

    def on_validation(self, event: Validated) -> None:  # noqa: ARG002  the file has it
        """Redraw."""
        self._draw()

    def on_stop(self, event: Stopped) -> None:  # noqa: ARG002
        """Redraw with the last steps."""
        self._draw()

    def _draw(self) -> None:
        lines = self._folder.metrics()
        path = self._folder.curve_file
        with writing(path):
            write_bytes(path, draw_curve(lines, self._folder.path.name))


def draw_curve(metrics: list[dict[str, Any]], title: str) -> bytes:
    """PNG of the lines of a metrics.jsonl."""
    buffer = io.BytesIO()
    curve_figure(metrics, title).savefig(buffer, format="png", dpi=110)
    return buffer.getvalue()


def curve_figure(metrics: list[dict[str, Any]], title: str) -> Figure:
    """Picture of the lines of a metrics.jsonl: loss and rate on the left, validation on the right."""
    from matplotlib.figure import Figure  # noqa: PLC0415  half a second that only this needs

    figure = Figure(figsize=(10, 4), layout="constrained")  # no pyplot: no global state, no display
    figure.suptitle(title)
    loss, valid = figure.subplots(1, 2)
    steps = [line for line in metrics if line["kind"] == "steps"]
    loss.plot([line["epochs"] for line in steps], [line["loss"] for line in steps], color="C3", linewidth=0.8)
    loss.set(xlabel="epochs", ylabel="training loss", xlim=(0, None))
    rate = loss.twinx()
    rate.plot([line["epochs"] for line in steps], [line["rate"] for line in steps], color="0.6", linewidth=0.8)
    rate.set(ylabel="learning rate (grey)", ylim=(0, None))
    _draw_validations(valid, [line for line in metrics if line["kind"] == "validation"])
    return figure


def _draw_validations(valid: Axes, rounds: list[dict[str, Any]]) -> None:
    if not rounds:
        valid.set_axis_off()
        valid.text(0.5, 0.5, "no validation yet", ha="center", va="center", transform=valid.transAxes)
        return
    for label, protocol, name, color, style in _LINES:
        heights = [line["validation"][protocol.name][name] for line in rounds]
        valid.plot(
            [line["epochs"] for line in rounds],
            heights,
            style,
            color=color,
            marker=".",
            label=f"{label}, {protocol.title}",
        )
    valid.set(xlabel="epochs", ylabel="validation", xlim=(0, None))
    valid.grid(alpha=0.3)
    valid.legend(fontsize="small")
