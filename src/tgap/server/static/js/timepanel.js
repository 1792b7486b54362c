// Time under the walk: attention by date, beside the edges within reach. Drag the flag to ask about another date, brush
// a range to light the edges of that time.

import { h, s } from "./dom.js";
import { percent, unbroken } from "./format.js";
import { barPath, rootScale, TimeScale, textAt, ticks } from "./timescale.js";
import { hideTip, showTip } from "./tooltip.js";

const FLAG = 24;
const PLOT = 92;
const BOTTOM = FLAG + PLOT;
const HEIGHT = BOTTOM + 26;
const NEAR = 6; // pixels from a bar within which the pointer means it
const SIGNS = ["past", "present", "future"];
const SIDES = { past: [-Infinity, -1], present: [0, 0], future: [1, Infinity] };

export class TimePanel {
  /** ``calls``: brush(range or null), drag(text), settle(text). */
  constructor(calls) {
    this.calls = calls;
    this.range = null;
    this.dragging = false;
    this.window = Infinity;
    this.words = h("p", { class: "time-words quiet", "aria-live": "polite" });
    this.axis = s("g", {});
    this.base = s("path", { class: "base" });
    this.bars = s("g", {});
    this.marks = s("g", {});
    this.ghost = s("line", { class: "ghost", y1: FLAG, y2: BOTTOM, hidden: true });
    this.brushBox = s("rect", { class: "brush", y: FLAG, height: PLOT, hidden: true });
    this.plot = s("rect", { class: "plot", y: FLAG, height: PLOT });
    this.flagBox = s("rect", { y: 1, height: FLAG - 5, rx: 6 });
    this.flagText = s("text", { y: 15 });
    this.handle = s(
      "g",
      { class: "handle", role: "slider", tabindex: "0", "aria-label": "Time that is asked about" },
      s("line", { class: "now-line", y1: FLAG - 4, y2: BOTTOM }),
      this.flagBox,
      this.flagText,
    );
    this.svg = s(
      "svg",
      { class: "timeline", height: HEIGHT, role: "group", "aria-label": "Attention over time" },
      this.axis,
      this.brushBox,
      this.base,
      this.bars,
      this.marks,
      this.ghost,
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
        h("h3", { id: "time-title" }, "When"),
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

  /** The word for one unit of time. */
  get unit() {
    return this.timeline.unit === "integer" ? "step" : this.timeline.unit;
  }

  show(walk, timeline, view) {
    this.timeline = timeline;
    this.document = walk.document;
    this.view = view;
    this.shown = walk.document.instant; // what the bars are about; the flag may be on its way elsewhere
    if (!this.dragging) {
      this.instant = this.shown;
      this.text = walk.document.question.time;
    }
    this.range = null;
    this.draw();
    this.calls.brush(null);
  }

  setView(view) {
    this.view = view;
    this.draw();
  }

  /** {displacement, share} of what is looked at: all attention, or this answer. */
  get rows() {
    const { profile, shares } = this.document;
    if (this.view !== "attention") return shares.times;
    return profile.displacements.map(({ displacement, attention }) => ({ displacement, share: attention }));
  }

  draw() {
    const width = Math.floor(this.element.clientWidth);
    if (!this.document || !width) return;
    this.scale = new TimeScale(this.timeline, this.shown, this.window, width);
    this.svg.setAttribute("viewBox", `0 0 ${width} ${HEIGHT}`);
    this.plot.setAttribute("x", this.scale.left);
    this.plot.setAttribute("width", this.scale.right - this.scale.left);
    this.heights = rootScale(Math.max(...this.rows.map((row) => row.share), 0), PLOT);
    this.drawAxis();
    this.drawBars();
    this.placeHandle(this.instant);
    this.drawChips();
    this.light();
  }

  drawAxis() {
    const { left, right } = this.scale;
    const level = (y) => s("line", { class: "axis level", x1: left, x2: right, y1: y, y2: y });
    this.axis.replaceChildren(
      s("line", { class: "axis", x1: left, x2: right, y1: BOTTOM, y2: BOTTOM }),
      ...this.heights.marks.flatMap(({ share, high }) => [
        level(BOTTOM - high),
        s("text", { x: left - 6, y: BOTTOM - high + 4, "text-anchor": "end" }, percent(share)),
      ]),
      ...ticks(this.timeline, this.scale).flatMap(({ x, text, anchor }) => [
        s("line", { class: "axis", x1: x, x2: x, y1: BOTTOM, y2: BOTTOM + 4 }),
        s("text", { x, y: BOTTOM + 17, "text-anchor": anchor }, text),
      ]),
    );
  }

  /** One bar a displacement; where they are narrower than a pixel they stand in front of each other. */
  drawBars() {
    const { scale, heights } = this;
    const { profile } = this.document;
    const width = Math.max(1.2, 0.8 * scale.unit * profile.bin);
    const placed = (rows, share) =>
      rows
        .map((row) => ({ row, x: scale.x(this.shown + row.displacement), high: heights.high(share(row)) }))
        .filter(({ x }) => x >= scale.left && x <= scale.right);
    const bars = placed(this.rows, (row) => row.share);
    this.drawn = bars;
    this.base.setAttribute(
      "d",
      barPath(
        placed(profile.displacements, (row) => row.base_share),
        width,
        BOTTOM,
      ),
    );
    const within = ([low, high]) => bars.filter(({ row }) => row.displacement >= low && row.displacement <= high);
    this.bars.replaceChildren(
      ...SIGNS.map((sign) => s("path", { class: `bar ${sign}`, d: barPath(within(SIDES[sign]), width, BOTTOM) })),
      ...SIGNS.map((sign) => s("path", { class: `bar lit ${sign}` })),
    );
    this.lightBars = (range) => {
      for (const [place, sign] of SIGNS.entries()) {
        const [low, high] = SIDES[sign];
        const lit = range ? within([Math.max(low, range[0]), Math.min(high, range[1])]) : [];
        this.bars.children[SIGNS.length + place].setAttribute("d", barPath(lit, width, BOTTOM));
      }
    };
  }

  drawChips() {
    const names = { past: "Past", present: `Same ${this.unit}`, future: "Future" };
    const same = (one, other) => Boolean(one && other && one[0] === other[0] && one[1] === other[1]);
    const chip = (text, pressed, onclick) =>
      h("button", { type: "button", class: "chip", "aria-pressed": String(pressed), onclick }, text);
    this.chips.replaceChildren(
      ...SIGNS.map((sign) => {
        const pressed = same(this.range, SIDES[sign]);
        return chip(names[sign], pressed, () => this.setRange(pressed ? null : SIDES[sign]));
      }),
      h(
        "button",
        { type: "button", class: "chip clear", disabled: !this.range, onclick: () => this.setRange(null) },
        "Clear",
      ),
    );
    const windows = [30, 120, Infinity].filter((size) => size === Infinity || 2 * size < this.timeline.span);
    const words = (size) => (size === Infinity ? "All time" : `± ${size} ${this.unit}s`);
    const zooms = windows.map((size) => chip(words(size), this.window === size, () => this.setWindow(size)));
    this.zoom.replaceChildren(...(windows.length > 1 ? zooms : []));
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
    this.lightBars(range);
    this.brushBox.toggleAttribute("hidden", range === null);
    this.words.textContent = unbroken(this.tell());
    if (range === null) return;
    const from = scale.clip(scale.x(this.shown + range[0] - 0.5));
    const to = scale.clip(scale.x(this.shown + range[1] + 0.5));
    this.brushBox.setAttribute("x", from);
    this.brushBox.setAttribute("width", Math.max(to - from, 2));
  }

  tell() {
    const { profile, shares, question } = this.document;
    if (this.text !== question.time)
      return `Everything here is still about ${question.time}; asking about ${this.text} …`;
    const mine = this.view !== "attention";
    const parts = mine ? shares : { ...profile.attention, self_loops: profile.self_loops };
    const what = mine ? "of this answer's way" : "of all attention";
    const per = profile.bin > 1 ? `${profile.bin} ${this.unit}s` : this.unit;
    const scale = `Height: share per ${per}, on a root scale; grey: if it were spread over all events within reach.`;
    const { range } = this;
    if (range === null) {
      return `${percent(parts.past)} ${what} lies before the ${this.unit} asked about, ${percent(parts.present)} on it, ${percent(parts.future)} after it; ${percent(parts.self_loops)} stayed where it was. ${scale}`;
    }
    const side = SIGNS.find((sign) => SIDES[sign] === range);
    const ends = range.map((end) => textAt(this.timeline, this.shown + end));
    const share = side ? `: ${percent(parts[side])} ${what}` : "";
    return `${ends[0]} to ${ends[1]}${share}. Ribbons with events of that time are lit. ${scale}`;
  }

  /** Show the dates behind an edge. */
  mark(displacements) {
    this.marks.replaceChildren(
      ...displacements
        .map((displacement) => this.scale.x(this.shown + displacement))
        .filter((x) => x >= this.scale.left && x <= this.scale.right)
        .map((x) => s("line", { class: "tick-mark", x1: x, x2: x, y1: BOTTOM - 1, y2: BOTTOM + 7 })),
    );
  }

  /** What the bar under the pointer stands for. */
  point(event) {
    const x = event.clientX - this.svg.getBoundingClientRect().left;
    const near = this.drawn.filter((bar) => Math.abs(bar.x - x) <= NEAR);
    if (!near.length) {
      hideTip();
      return;
    }
    const { row } = near.reduce((one, other) => (Math.abs(other.x - x) < Math.abs(one.x - x) ? other : one));
    showTip(event, [
      h("div", {}, h("b", {}, textAt(this.timeline, this.shown + row.displacement))),
      h("div", {}, `${percent(row.share)} ${this.view === "attention" ? "of all attention" : "of this answer's way"}`),
    ]);
  }

  placeHandle(instant) {
    const shown = this.scale.clip(this.scale.x(this.shown));
    this.ghost.toggleAttribute("hidden", instant === this.shown);
    for (const end of ["x1", "x2"]) this.ghost.setAttribute(end, shown);
    const x = this.scale.clip(this.scale.x(instant));
    const { text } = this;
    const half = 10 + text.length * 3.6;
    const shift = Math.min(Math.max(x, half + 2), this.scale.right + 16 - half) - x;
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
    this.text = textAt(this.timeline, snapped);
    this.dragging = !settled;
    this.placeHandle(snapped);
    this.words.textContent = unbroken(this.tell());
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
    this.handle.addEventListener("keydown", (event) => this.key(event));
    this.listenToPlot(at);
    this.element.addEventListener("keydown", (event) => {
      if (event.key === "Escape" && this.range) this.setRange(null);
    });
  }

  key(event) {
    const { step, span } = this.timeline;
    const moves = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, PageDown: -7, PageUp: 7 };
    const ends = { Home: 0, End: span };
    if (event.key in moves) this.moveTo(this.instant + moves[event.key] * step, true);
    else if (event.key in ends) this.moveTo(ends[event.key], true);
    else return;
    event.preventDefault();
  }

  /** Brush a range; a click takes it away. */
  listenToPlot(at) {
    let begin = null;
    this.plot.addEventListener("pointerdown", (event) => {
      this.plot.setPointerCapture(event.pointerId);
      begin = { x: event.clientX, instant: at(event) };
    });
    this.plot.addEventListener("pointermove", (event) => {
      if (!begin) this.point(event);
      else if (Math.abs(event.clientX - begin.x) > 3) {
        const ends = [begin.instant, at(event)].map((instant) => Math.round(instant - this.shown));
        this.setRange(ends.sort((a, b) => a - b));
      }
    });
    this.plot.addEventListener("pointerleave", hideTip);
    this.plot.addEventListener("pointerup", (event) => {
      if (begin && Math.abs(event.clientX - begin.x) <= 3) this.setRange(null);
      begin = null;
    });
  }
}
