// Time under the walk: attention by date, beside the edges within reach. Drag the flag to ask about another date, brush
// a range to light the edges of that time.

import { h, s, sideOf } from "./dom.js";
import { percent } from "./format.js";
import { instantOf, TimeScale, ticks } from "./timescale.js";

const FLAG = 24;
const PLOT = 84;
const HEIGHT = FLAG + PLOT + 26;
const BAR = 3;

export class TimePanel {
  /** ``calls``: brush(range or null), drag(text), settle(text). */
  constructor(calls) {
    this.calls = calls;
    this.range = null;
    this.dragging = false;
    this.words = h("p", { class: "time-words quiet", "aria-live": "polite" });
    this.bars = s("g", {});
    this.marks = s("g", {});
    this.axis = s("g", {});
    this.brushBox = s("rect", { class: "brush", y: FLAG, height: PLOT, hidden: true });
    this.plot = s("rect", { class: "plot", y: FLAG, height: PLOT });
    this.flagBox = s("rect", { y: 1, height: FLAG - 5, rx: 6 });
    this.flagText = s("text", { y: 15 });
    this.handle = s(
      "g",
      { class: "handle", role: "slider", tabindex: "0", "aria-label": "Time that is asked about" },
      s("line", { class: "now-line", y1: FLAG - 4, y2: FLAG + PLOT }),
      this.flagBox,
      this.flagText,
    );
    this.svg = s(
      "svg",
      { class: "timeline", height: HEIGHT, role: "group", "aria-label": "Attention over time" },
      this.axis,
      this.brushBox,
      this.bars,
      this.marks,
      this.plot,
      this.handle,
    );
    this.chips = h("div", { class: "chips", role: "group", "aria-label": "Light edges of" });
    this.zoom = h("div", { class: "chips", role: "group", "aria-label": "Zoom" });
    this.element = h(
      "section",
      { class: "time", "aria-labelledby": "time-title" },
      h(
        "div",
        { class: "time-head" },
        h("h3", { id: "time-title" }, "When attention looked"),
        this.chips,
        h("span", { class: "grow" }),
        this.zoom,
      ),
      this.words,
      this.svg,
    );
    this.listen();
    new ResizeObserver(() => this.draw()).observe(this.element);
  }

  show(walk, timeline) {
    this.walk = walk;
    this.timeline = timeline;
    this.profile = walk.document.profile;
    if (!this.dragging) {
      this.instant = instantOf(timeline, walk);
      this.text = walk.document.question.time;
    }
    this.range = null;
    this.window ??= Infinity;
    this.draw();
    this.calls.brush(null);
  }

  draw() {
    const width = Math.floor(this.element.clientWidth);
    if (!this.walk || !width) return;
    this.scale = new TimeScale(this.timeline, this.instant, this.window, width);
    this.svg.setAttribute("viewBox", `0 0 ${width} ${HEIGHT}`);
    this.plot.setAttribute("x", this.scale.left);
    this.plot.setAttribute("width", this.scale.right - this.scale.left);
    this.drawAxis();
    this.drawBars();
    this.placeHandle(this.instant);
    this.drawChips();
    this.light();
  }

  drawAxis() {
    const bottom = FLAG + PLOT;
    this.axis.replaceChildren(
      s("line", { class: "axis", x1: this.scale.left, x2: this.scale.right, y1: bottom, y2: bottom }),
      ...ticks(this.timeline, this.scale).flatMap(({ x, text, anchor }) => [
        s("line", { class: "axis", x1: x, x2: x, y1: bottom, y2: bottom + 4 }),
        s("text", { x, y: bottom + 17, "text-anchor": anchor }, text),
      ]),
    );
  }

  /** Bins run outwards from the asked time, so that past, present and future never share one. */
  drawBars() {
    const { scale } = this;
    const middle = scale.x(this.instant);
    const bins = new Map();
    const reach = this.profile.displacements.reduce((sum, row) => sum + row.base, 0) || 1;
    for (const row of this.profile.displacements) {
      const x = scale.x(this.instant + row.displacement);
      if (x < scale.left - 1 || x > scale.right + 1) continue;
      const place =
        row.displacement === 0 ? 0 : Math.sign(row.displacement) * Math.max(1, Math.ceil(Math.abs(x - middle) / BAR));
      const bin = bins.get(place) ?? { attention: 0, base: 0, from: Infinity, to: -Infinity };
      bin.attention += row.attention;
      bin.base += row.base / reach;
      bin.from = Math.min(bin.from, row.displacement);
      bin.to = Math.max(bin.to, row.displacement);
      bins.set(place, bin);
    }
    const most = Math.max(...[...bins.values()].map((bin) => bin.attention), 1e-9);
    const high = (share) => Math.min(PLOT, PLOT * Math.sqrt(share / most));
    this.bars.replaceChildren(
      ...[...bins].flatMap(([place, bin]) => {
        const x = middle + place * BAR - BAR / 2;
        const element = s("rect", {
          class: `bar ${sideOf(place)}`,
          x: x.toFixed(1),
          width: BAR - 0.6,
          y: (FLAG + PLOT - high(bin.attention)).toFixed(1),
          height: high(bin.attention).toFixed(1),
        });
        element.bin = bin;
        const base = high(bin.base);
        return [
          s("rect", {
            class: "base",
            x: x.toFixed(1),
            width: BAR,
            y: (FLAG + PLOT - base).toFixed(1),
            height: base.toFixed(1),
          }),
          element,
        ];
      }),
    );
  }

  drawChips() {
    const unit = this.timeline.unit === "integer" ? "step" : this.timeline.unit;
    const last = this.timeline.span;
    const presets = [
      ["Past", [-Infinity, -1]],
      [`Same ${unit}`, [0, 0]],
      ["Future", [1, Infinity]],
    ];
    const same = (one, other) => one === other || (one && other && one[0] === other[0] && one[1] === other[1]);
    this.chips.replaceChildren(
      ...presets.map(([text, range]) =>
        h(
          "button",
          {
            type: "button",
            class: "chip",
            "aria-pressed": String(Boolean(same(this.range, range))),
            onclick: () => this.setRange(same(this.range, range) ? null : range),
          },
          text,
        ),
      ),
      h(
        "button",
        { type: "button", class: "chip clear", disabled: !this.range, onclick: () => this.setRange(null) },
        "Clear",
      ),
    );
    const windows = [30, 120, Infinity].filter((size) => size === Infinity || 2 * size < last);
    this.zoom.replaceChildren(
      ...(windows.length > 1 ? windows : []).map((size) =>
        h(
          "button",
          {
            type: "button",
            class: "chip",
            "aria-pressed": String(this.window === size),
            onclick: () => this.setWindow(size),
          },
          size === Infinity ? "All time" : `± ${size} ${unit}s`,
        ),
      ),
    );
  }

  setWindow(size) {
    this.window = size;
    this.draw();
  }

  setRange(range) {
    this.range = range;
    this.drawChips();
    this.light();
    this.calls.brush(range);
  }

  /** Words and lit bars for the range. */
  light() {
    const { range, scale } = this;
    this.svg.classList.toggle("brushed", range !== null);
    const inside = (row) => range && row.displacement >= range[0] && row.displacement <= range[1];
    for (const bar of this.bars.querySelectorAll(".bar")) {
      bar.classList.toggle("lit", range !== null && bar.bin.to >= range[0] && bar.bin.from <= range[1]);
    }
    this.brushBox.toggleAttribute("hidden", range === null);
    if (range === null) {
      const { attention, waiting, unit } = this.profile;
      this.words.textContent = `${percent(attention.past)} of attention in the past, ${percent(attention.present)} at the same ${unit === "integer" ? "time" : unit}, ${percent(attention.future)} in the future; ${percent(waiting)} stayed where it was. Grey: where edges are within reach.`;
      return;
    }
    const clip = (x) => Math.min(Math.max(x, scale.left), scale.right);
    const from = clip(scale.x(this.instant + Math.max(range[0], -1e9) - 0.5));
    const to = clip(scale.x(this.instant + Math.min(range[1], 1e9) + 0.5));
    this.brushBox.setAttribute("x", from);
    this.brushBox.setAttribute("width", Math.max(to - from, 2));
    const share = this.profile.displacements.filter(inside).reduce((sum, row) => sum + row.attention, 0);
    const ends = range.map((end) => this.textAt(this.instant + end));
    this.words.textContent = `${ends[0]} to ${ends[1]}: ${percent(share)} of attention. Edges of that time are lit.`;
  }

  textAt(instant) {
    const { texts, step } = this.timeline;
    return texts[Math.min(Math.max(Math.round(instant / step), 0), texts.length - 1)];
  }

  /** Show the dates behind an edge. */
  mark(displacements) {
    this.marks.replaceChildren(
      ...displacements
        .map((displacement) => this.scale.x(this.instant + displacement))
        .filter((x) => x >= this.scale.left && x <= this.scale.right)
        .map((x) => s("line", { class: "tick-mark", x1: x, x2: x, y1: FLAG + PLOT - 1, y2: FLAG + PLOT + 7 })),
    );
  }

  placeHandle(instant) {
    const x = this.scale.x(instant);
    const { text } = this;
    const half = 10 + text.length * 3.6;
    const shift = Math.min(Math.max(x, half + 2), this.scale.right + this.scale.left - half - 2) - x;
    this.handle.setAttribute("transform", `translate(${x.toFixed(1)} 0)`);
    this.flagBox.setAttribute("x", (shift - half).toFixed(1));
    this.flagBox.setAttribute("width", (2 * half).toFixed(1));
    this.flagText.setAttribute("x", shift.toFixed(1));
    this.flagText.textContent = text;
    for (const [name, value] of Object.entries({
      valuemin: 0,
      valuemax: this.timeline.span,
      valuenow: Math.round(instant),
      valuetext: text,
    })) {
      this.handle.setAttribute(`aria-${name}`, value);
    }
  }

  moveTo(instant, settled) {
    const { span, step } = this.timeline;
    const snapped = Math.min(Math.max(Math.round(instant / step) * step, 0), Math.floor(span / step) * step);
    if (snapped === this.instant && !settled) return;
    this.instant = snapped;
    this.text = this.textAt(snapped);
    this.dragging = !settled;
    this.placeHandle(snapped);
    if (settled) this.calls.settle(this.text);
    else this.calls.drag(this.text);
  }

  listen() {
    const at = (event) => this.scale.instant(event.clientX - this.svg.getBoundingClientRect().left);
    this.handle.addEventListener("pointerdown", (event) => {
      event.preventDefault();
      this.handle.focus();
      this.handle.setPointerCapture(event.pointerId);
      this.dragging = true;
    });
    this.handle.addEventListener("pointermove", (event) => {
      if (this.dragging && this.handle.hasPointerCapture(event.pointerId)) this.moveTo(at(event), false);
    });
    const drop = (event) => {
      if (!this.dragging) return;
      this.handle.releasePointerCapture(event.pointerId);
      this.moveTo(this.instant, true);
    };
    this.handle.addEventListener("pointerup", drop);
    this.handle.addEventListener("pointercancel", drop);
    this.handle.addEventListener("keydown", (event) => {
      const { step, span } = this.timeline;
      const move = {
        ArrowLeft: -step,
        ArrowDown: -step,
        ArrowRight: step,
        ArrowUp: step,
        PageDown: -7 * step,
        PageUp: 7 * step,
        Home: -span,
        End: span,
      }[event.key];
      if (!move) return;
      event.preventDefault();
      this.moveTo(this.instant + move, true);
    });
    let begin = null;
    this.plot.addEventListener("pointerdown", (event) => {
      this.plot.setPointerCapture(event.pointerId);
      begin = { x: event.clientX, instant: at(event) };
    });
    this.plot.addEventListener("pointermove", (event) => {
      if (begin && Math.abs(event.clientX - begin.x) > 3) {
        const ends = [begin.instant, at(event)]
          .map((instant) => Math.round(instant - this.instant))
          .sort((a, b) => a - b);
        this.setRange(ends);
      }
    });
    this.plot.addEventListener("pointerup", (event) => {
      if (begin && Math.abs(event.clientX - begin.x) <= 3) this.setRange(null);
      begin = null;
    });
    this.element.addEventListener("keydown", (event) => {
      if (event.key === "Escape" && this.range) this.setRange(null);
    });
  }
}
