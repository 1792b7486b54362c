// Probability over time: how the best answers would stand if the question were asked about other dates.

import { postForLines } from "./api.js";
import { h, s } from "./dom.js";
import { percent, shortened } from "./format.js";
import { body, sightOf } from "./question.js";
import { apart, highest, lines, nearest, shareTicks } from "./sweepchart.js";
import { TimeScale, textAt, ticks } from "./timescale.js";
import { hideTip, showTip } from "./tooltip.js";

const HEIGHT = 210;
const TOP = 12;
const BOTTOM = 182;
const NAMES = 150; // pixels at the right for the names of the lines
const LETTER = 7; // pixels of a letter in such a name
const POINTS = 41;
const FOLLOWED = 5;
const WINDOWS = [30, 120, Infinity];
const LATER = 7; // units of time to the date that is offered for comparison

export class SweepCard {
  /** ``calls``: ask(time) asks about another date, compare(time) shows it beside this one, fail(error). */
  constructor(calls) {
    this.calls = calls;
    this.window = 30;
    this.points = [];
    this.start = h(
      "button",
      { type: "button", class: "button", id: "sweep-button", onclick: () => this.run() },
      "Follow the best answers",
    );
    this.zoom = h("div", { class: "chips", role: "group", "aria-label": "Stretch of time" });
    this.words = h("p", { class: "quiet", "aria-live": "polite" });
    this.svg = s("svg", {
      class: "sweep-chart",
      height: HEIGHT,
      role: "img",
      "aria-label": "Probability over time",
      hidden: true,
    });
    this.table = h("details", { class: "sweep-table", hidden: true });
    this.other = h("input", { type: "text", id: "other-time", autocomplete: "off", required: true });
    this.element = h(
      "section",
      { class: "card sweep-card", "aria-labelledby": "sweep-title" },
      h(
        "div",
        { class: "card-head" },
        h("h2", { id: "sweep-title" }, "Probability over time"),
        h("span", { class: "grow" }),
        this.zoom,
        this.start,
      ),
      this.words,
      this.svg,
      this.table,
      this.makeComparison(),
    );
    this.listen();
    new ResizeObserver(() => this.draw()).observe(this.element);
  }

  /** Another date beside the one that is shown. */
  makeComparison() {
    const compare = (event) => {
      event.preventDefault();
      this.calls.compare(this.other.value.trim());
    };
    return h(
      "form",
      { class: "other-date", onsubmit: compare },
      h("label", { for: "other-time" }, "Side by side with"),
      this.other,
      h("button", { type: "submit", class: "button", id: "compare-dates" }, "Compare"),
    );
  }

  /** Another question: nothing is followed yet. */
  reset(question, prediction, instant, timeline) {
    this.stop();
    Object.assign(this, { question, instant, timeline, points: [] });
    const listed = prediction.answers.slice(0, FOLLOWED).map((answer) => answer.name);
    const asked = prediction.asked?.name;
    this.answers = asked && !listed.includes(asked) ? [...listed.slice(0, FOLLOWED - 1), asked] : listed;
    this.words.textContent = `The same question about other dates, for ${this.answers.join(", ")}.`;
    this.other.value = textAt(timeline, instant + LATER);
    for (const part of [this.svg, this.table]) part.toggleAttribute("hidden", true);
    this.drawZoom();
  }

  stop() {
    this.newest?.abort();
    this.start.disabled = false;
  }

  drawZoom() {
    const { unit, span } = this.timeline;
    const windows = WINDOWS.filter((size) => size === Infinity || 2 * size < span);
    const words = (size) => (size === Infinity ? "All time" : `± ${size} ${unit === "integer" ? "step" : unit}s`);
    if (!windows.includes(this.window)) this.window = Infinity;
    this.zoom.replaceChildren(
      ...windows.map((size) =>
        h(
          "button",
          {
            type: "button",
            class: "chip",
            "aria-pressed": String(size === this.window),
            onclick: () => {
              this.window = size;
              this.drawZoom();
              if (this.points.length) this.run();
            },
          },
          words(size),
        ),
      ),
    );
  }

  async run() {
    this.stop();
    const mine = new AbortController();
    this.newest = mine;
    this.points = [];
    this.start.disabled = true;
    this.svg.removeAttribute("hidden");
    const scale = this.makeScale();
    const at = (instant) => textAt(this.timeline, instant);
    const { subject, relation, object } = body(this.question);
    const asked = { subject, relation, object: subject ? null : object, ...sightOf(this.question) };
    const wanted = { ...asked, since: at(scale.first), until: at(scale.last), points: POINTS, answers: this.answers };
    try {
      await postForLines("sweep", wanted, (entry) => this.hear(entry), mine.signal);
    } catch (error) {
      if (error.name !== "AbortError") this.calls.fail(error);
    } finally {
      if (this.newest === mine) this.finish();
    }
  }

  hear({ point }) {
    if (!point) return;
    this.points.push(point);
    this.words.textContent = `${this.points.length} of ${POINTS} dates …`;
    this.draw();
  }

  finish() {
    this.start.disabled = false;
    this.words.textContent =
      "Point at the chart to read it, press to ask about that date. Where the training data hold the asked fact of a date, it is in sight there.";
    const row = (point) =>
      h(
        "tr",
        {},
        h("th", { scope: "row" }, point.time),
        point.answers.map(({ score }) => h("td", { class: "number" }, percent(score))),
      );
    this.table.replaceChildren(
      h("summary", {}, "The same as a table"),
      h(
        "div",
        { class: "table-scroll", tabindex: "0", role: "region", "aria-label": "Probability over time" },
        h(
          "table",
          { class: "small-table" },
          h(
            "thead",
            {},
            h(
              "tr",
              {},
              h("td", {}),
              this.answers.map((name) => h("th", { scope: "col" }, name)),
            ),
          ),
          h("tbody", {}, this.points.map(row)),
        ),
      ),
    );
    this.table.hidden = !this.points.length;
  }

  makeScale() {
    const width = Math.floor(this.element.clientWidth) - Math.min(NAMES, this.element.clientWidth * 0.3);
    return new TimeScale(this.timeline, this.instant, this.window, width);
  }

  draw() {
    const width = Math.floor(this.element.clientWidth);
    if (!this.points.length || !width) return;
    this.scale = this.makeScale();
    const { scale } = this;
    const most = highest(this.points);
    const y = (share) => BOTTOM - ((BOTTOM - TOP) * share) / most;
    const drawn = lines(this.points, (instant) => scale.x(instant), y);
    const names = apart(
      drawn.map(({ end }) => end[1]),
      14,
      BOTTOM,
    );
    const now = scale.x(this.instant);
    this.svg.setAttribute("viewBox", `0 0 ${width} ${HEIGHT}`);
    this.svg.replaceChildren(
      ...shareTicks(most).flatMap((share) => [
        s("line", { class: "axis level", x1: scale.left, x2: scale.right, y1: y(share), y2: y(share) }),
        s("text", { x: scale.left - 6, y: y(share) + 4, "text-anchor": "end" }, percent(share)),
      ]),
      ...ticks(this.timeline, scale).map(({ x, text, anchor }) =>
        s("text", { x, y: BOTTOM + 18, "text-anchor": anchor }, text),
      ),
      s("line", { class: "now-line", x1: now, x2: now, y1: TOP, y2: BOTTOM }),
      ...drawn.flatMap(({ name, d, end, corners }, place) => [
        s("path", { class: `curve curve-${place}`, d }),
        ...(corners.length < 2 ? [s("circle", { class: `dot-${place}`, cx: end[0], cy: end[1], r: 2.5 })] : []),
        s(
          "text",
          { class: `curve-name name-${place}`, x: scale.right + 8, y: names[place] + 4 },
          s("title", {}, name),
          shortened(name, Math.floor((width - scale.right - 8) / LETTER)),
        ),
      ]),
    );
  }

  listen() {
    const pointed = (event) => {
      if (!this.points.length || !this.scale) return null;
      const x = event.clientX - this.svg.getBoundingClientRect().left;
      return nearest(this.points, this.scale.instant(this.scale.clip(x)));
    };
    this.svg.addEventListener("pointermove", (event) => {
      const point = pointed(event);
      if (!point) return;
      const best = this.answers.includes(point.best.name) ? [] : [point.best];
      showTip(event, [
        h("div", {}, h("b", {}, point.time)),
        ...point.answers.map(({ name, score }) => h("div", {}, `${name} ${percent(score)}`)),
        ...best.map(({ name, score }) => h("div", { class: "more" }, `first: ${name} ${percent(score)}`)),
      ]);
    });
    this.svg.addEventListener("pointerleave", hideTip);
    this.svg.addEventListener("click", (event) => {
      const point = pointed(event);
      if (point) this.calls.ask(point.time);
    });
  }
}
