// The flow picture as SVG. It draws what the layout says and tells what is hovered, focused and chosen.

import { h, s } from "../dom.js";
import { percent } from "../format.js";
import { labelLinks, nodeBoxes } from "./labels.js";
import { isHeavy, layOut } from "./layout.js";
import { dashes, drawLabel, fitted, linkWords, measure, nodeWords } from "./parts.js";

const LETTER = 6; // pixels of a letter under the picture
const NARROWEST = 500;

export class WalkPicture {
  /** ``calls``: chooseLink(link), chooseNode(node), hoverLink(link or null), drawn(). */
  constructor(calls) {
    this.calls = calls;
    this.svg = s("svg", { class: "picture", role: "group", "aria-label": "The walk" });
    this.element = h(
      "div",
      {
        class: "picture-scroll",
        tabindex: "0",
        role: "region",
        "aria-label": "Picture of the walk; arrow keys move between its parts",
      },
      this.svg,
    );
    this.walk = null;
    this.threshold = 0.01;
    this.view = "attention";
    this.brush = null;
    this.path = null;
    this.chosen = null;
    this.svg.addEventListener("keydown", (event) => this.key(event));
    this.watcher = new ResizeObserver(() => this.fit());
    this.watcher.observe(this.element);
  }

  /** Draw a walk; ``view`` is the weight that widths and sizes mean: attention or answer_share. */
  show(walk, view, threshold) {
    this.walk = walk;
    this.view = view;
    this.threshold = threshold;
    this.path = null;
    this.chosen = null;
    this.progress = walk.length;
    this.draw();
  }

  fit() {
    const width = this.measure();
    if (this.walk && this.layout && Math.abs(width - this.layout.width) > 2) this.draw();
  }

  measure() {
    return Math.max(NARROWEST, Math.floor(this.element.clientWidth - 8) || NARROWEST);
  }

  setThreshold(threshold) {
    this.threshold = threshold;
    this.draw();
  }

  draw() {
    const layout = layOut(this.walk, { view: this.view, threshold: this.threshold, width: this.measure() });
    this.layout = layout;
    this.curtain = s("rect", { x: 0, y: 0, width: layout.width, height: layout.height });
    const lines = s("g", { "clip-path": "url(#curtain)" });
    for (const wait of layout.waits) lines.append(s("path", { class: "stay-line", d: wait.d, "data-path": wait.path }));
    this.linkElements = layout.links.map((drawn) => this.drawLink(drawn));
    lines.append(...this.linkElements);
    lines.append(...layout.bands.flatMap((band, step) => this.drawBand(band, step)));
    const boxes = nodeBoxes(layout.columns.slice(0, -1), (name) => fitted(name, layout.gap - 8).width);
    this.labels = labelLinks(layout.links, this.view, layout.gap - 40, measure, boxes);
    const names = s("g", { "clip-path": "url(#curtain)", "aria-hidden": "true" }, this.labels.map(drawLabel));
    this.sparks = s("g", {});
    this.headings = layout.columns.map((column, place) => this.heading(column, place));
    this.nodeElements = layout.columns.flatMap((column) => column.nodes.map((node) => this.drawNode(node)));
    this.svg.replaceChildren(
      s("defs", {}, s("clipPath", { id: "curtain" }, this.curtain)),
      ...layout.columns.map((column) =>
        s("line", { class: "rail", x1: column.x, x2: column.x, y1: 34, y2: layout.height - 6 }),
      ),
      ...this.headings,
      lines,
      names,
      this.sparks,
      ...this.nodeElements,
    );
    for (const [name, value] of Object.entries({
      width: layout.width,
      height: layout.height,
      viewBox: `0 0 ${layout.width} ${layout.height}`,
    })) {
      this.svg.setAttribute(name, value);
    }
    this.items = [...this.nodeElements, ...this.linkElements];
    for (const [place, item] of this.items.entries()) item.setAttribute("tabindex", place === 0 ? "0" : "-1");
    this.light();
    this.reveal(this.progress);
    this.calls.drawn();
  }

  heading(column, place) {
    const last = place === this.walk.length;
    const text = place === 0 ? "Start" : last ? `Step ${place}: answers` : `Step ${place}`;
    return s("text", { class: "heading", x: column.x, y: 22, "text-anchor": "middle", "data-column": place }, text);
  }

  /** What all that is not drawn carries together, and what stayed where it was. */
  drawBand({ share, width, x0, x1, y }, step) {
    const stayed = this.walk.steps[step][this.view === "attention" ? "self_loops" : "self_loops_share"];
    const whole = `other events ${percent(share)}, unmoved ${percent(stayed)}`;
    const words = whole.length * LETTER < x1 - x0 ? whole : `others ${percent(share)}`;
    return [
      s("line", { class: "band", x1: x0, x2: x1, y1: y, y2: y, "stroke-width": width.toFixed(1) }),
      s("text", { class: "band-words", x: (x0 + x1) / 2, y: y + 18, "text-anchor": "middle" }, words),
    ];
  }

  drawLink({ link, d, width }) {
    const kind = `link ${link.sign}${link.inverse ? " inverse" : ""}${isHeavy(link) ? " on-path" : ""}`;
    const element = s(
      "g",
      { class: kind, role: "button", "aria-label": linkWords(link, this.view), "data-step": link.step },
      s("path", { class: "hit", d }),
      s("path", {
        class: "line",
        d,
        "stroke-width": width.toFixed(1),
        "stroke-dasharray": link.inverse ? dashes(width) : null,
      }),
    );
    element.link = link;
    element.addEventListener("click", () => this.calls.chooseLink(link));
    element.addEventListener("pointerenter", (event) => this.calls.hoverLink(link, event));
    element.addEventListener("pointermove", (event) => this.calls.hoverLink(link, event));
    element.addEventListener("pointerleave", () => this.calls.hoverLink(null));
    element.addEventListener("focus", () => this.calls.hoverLink(link));
    element.addEventListener("blur", () => this.calls.hoverLink(null));
    return element;
  }

  drawNode(node) {
    const last = node.column === this.walk.length;
    const role = last && node.name === this.walk.answer ? " answer" : node.column === 0 ? " start" : "";
    const label = last ? this.labelBeside(node, Boolean(role)) : this.labelBelow(node);
    const element = s(
      "g",
      {
        class: `node${role}`,
        role: "button",
        "aria-label": `${node.name}, ${nodeWords(node, this.view)}`,
        "data-column": node.column,
        "data-name": node.name,
      },
      s("title", {}, `${node.name}: ${nodeWords(node, this.view)}`),
      s("circle", { cx: node.x, cy: node.y, r: node.r.toFixed(1) }),
      label,
    );
    element.node = node;
    element.addEventListener("click", () => this.calls.chooseNode(node));
    return element;
  }

  labelBelow(node) {
    const { text, width } = fitted(node.name, this.layout.gap - 8, node.column === 0);
    const fits = node.column > 0 || width / 2 < node.x - 4;
    return s(
      "text",
      { class: "label", x: fits ? node.x : 6, y: node.y + node.r + 14, "text-anchor": fits ? "middle" : "start" },
      text,
    );
  }

  /** Name and weight of an answer, one below the other. */
  labelBeside(node, bold) {
    const x = node.x + node.r + 8;
    const { text } = fitted(node.name, this.layout.width - x - 4, bold);
    return s(
      "text",
      { class: "label", x, y: node.y - 2 },
      text,
      s("tspan", { class: "amount", x, dy: 14 }, percent(node.weight)),
    );
  }

  /** Light what the brush, a path or a choice singles out. */
  light() {
    const { brush, path, chosen } = this;
    this.svg.classList.toggle("brushed", brush !== null);
    this.svg.classList.toggle("pathed", path !== null && brush === null);
    for (const element of this.linkElements ?? []) {
      const { link } = element;
      element.classList.toggle(
        "lit",
        brush !== null && link.events.some((event) => event.displacement >= brush[0] && event.displacement <= brush[1]),
      );
      element.classList.toggle("traced", path !== null && link.walks.includes(path));
      element.classList.toggle("chosen", chosen === link.key);
    }
    for (const line of this.svg.querySelectorAll(".stay-line"))
      line.classList.toggle("traced", Number(line.dataset.path) === path);
  }

  setBrush(brush) {
    this.brush = brush;
    this.light();
  }

  setPath(path) {
    this.path = path;
    this.light();
  }

  setChosen(key) {
    this.chosen = key;
    this.light();
  }

  /** Focus the part that was opened last, after what it opened is closed. */
  refocus(part) {
    const found = this.items.find((item) => (part.key ? item.link?.key === part.key : same(item.node, part)));
    (found ?? this.element).focus();
  }

  /** Show the walk up to ``progress`` steps (a fraction is the way to the next column). */
  reveal(progress) {
    this.progress = progress; // drawn anew (another threshold or width), the walk stands where it stood
    const { columns, width } = this.layout;
    const step = Math.min(Math.floor(progress), this.walk.length);
    const here = columns[step];
    const next = columns[Math.min(step + 1, this.walk.length)];
    const edge = step >= this.walk.length ? width : here.x + (next.x - here.x) * (progress - step);
    this.curtain.setAttribute("width", Math.max(edge, 0).toFixed(1));
    for (const element of [...this.nodeElements, ...this.headings]) {
      element.classList.toggle("later", Number(element.dataset.column) > progress + 0.06);
    }
  }

  /** Where the picture is wider than its place, keep what is newest after ``progress`` steps in sight. */
  follow(progress) {
    const { element, layout } = this;
    const newest = progress >= this.walk.length ? layout.width : layout.columns[0].x + layout.gap * (progress + 0.4);
    if (layout.width > element.clientWidth) element.scrollLeft = newest - element.clientWidth;
  }

  /** One tab stop; arrows move to the nearest part in their direction, Enter opens it. */
  key(event) {
    const from = event.target.closest?.(".node, .link");
    if (!from) return;
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      from.dispatchEvent(new MouseEvent("click", { bubbles: true }));
      return;
    }
    const direction = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1] }[event.key];
    if (!direction) return;
    event.preventDefault();
    const to = this.nearest(from, direction);
    if (!to) return;
    from.setAttribute("tabindex", "-1");
    to.setAttribute("tabindex", "0");
    to.focus();
  }

  nearest(from, [dx, dy]) {
    const [x, y] = centre(from);
    let best = null;
    let least = Infinity;
    for (const item of this.items) {
      const [ox, oy] = centre(item);
      const ahead = (ox - x) * dx + (oy - y) * dy;
      const aside = Math.abs((ox - x) * dy) + Math.abs((oy - y) * dx);
      if (item === from || ahead <= 1 || ahead + 3 * aside >= least) continue;
      best = item;
      least = ahead + 3 * aside;
    }
    return best;
  }
}

const same = (node, other) => node?.name === other.name && node.column === other.column;

function centre(item) {
  const box = item.querySelector("circle, .line").getBBox();
  return [box.x + box.width / 2, box.y + box.height / 2];
}
