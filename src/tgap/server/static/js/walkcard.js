// The card of the walk: player, threshold, picture, legend, details and time, all linked.

import { linkDetail, nodeDetail } from "./detail.js";
import { h, icon } from "./dom.js";
import { edgeTables } from "./edgetable.js";
import { exportMenu } from "./exports.js";
import { counted, percent, whole } from "./format.js";
import { TimePanel } from "./timepanel.js";
import { hideTip, showTip } from "./tooltip.js";
import { calmThreshold } from "./walk/model.js";
import { WalkPicture } from "./walk/picture.js";
import { Player } from "./walk/player.js";

const LOWEST = -3.3; // the threshold's slider is a power of ten
const HIGHEST = -0.4;

export class WalkCard {
  /** ``calls``: drag(text), settle(text), whatIf(fact), exported(), tell(text). */
  constructor(calls) {
    this.calls = calls;
    this.picture = new WalkPicture({
      chooseLink: (link) => this.openLink(link),
      chooseNode: (node) => this.openNode(node),
      hoverLink: (link, event) => this.hover(link, event),
    });
    this.player = new Player(this.picture, (step, playing) => this.stand(step, playing));
    this.time = new TimePanel({
      brush: (range) => this.picture.setBrush(range),
      drag: calls.drag,
      settle: calls.settle,
    });
    this.title = h("h2", { id: "walk-title" });
    this.caption = h("p", { class: "caption quiet", id: "walk-caption", "aria-live": "polite" });
    this.detail = h("div", {});
    this.tables = h("div", {});
    this.element = h(
      "section",
      { class: "card walk-card", "aria-labelledby": "walk-title" },
      h(
        "div",
        { class: "card-head walk-head" },
        this.title,
        this.makePlayer(),
        this.makeThreshold(),
        exportMenu(calls.exported, calls.tell),
      ),
      this.caption,
      this.picture.element,
      legend(),
      this.detail,
      this.time.element,
      this.tables,
    );
  }

  makePlayer() {
    const step = (move) => () =>
      this.player.go((move < 0 ? Math.ceil(this.player.progress) : Math.floor(this.player.progress)) + move);
    this.back = h(
      "button",
      { type: "button", class: "icon-button", id: "step-back", "aria-label": "One step back", onclick: step(-1) },
      icon("back"),
    );
    this.forward = h(
      "button",
      { type: "button", class: "icon-button", id: "step-forward", "aria-label": "One step forward", onclick: step(1) },
      icon("forward"),
    );
    this.play = h("button", { type: "button", class: "button", id: "play", onclick: () => this.player.toggle() });
    this.dots = h("div", { class: "steps-dots", role: "group", "aria-label": "Steps" });
    return h("div", { class: "player" }, this.back, this.play, this.forward, this.dots);
  }

  makeThreshold() {
    this.slider = h("input", {
      type: "range",
      id: "threshold",
      min: LOWEST,
      max: HIGHEST,
      step: 0.05,
      "aria-label": "Smallest attention that is shown",
    });
    this.output = h("output", { for: "threshold" });
    this.slider.addEventListener("input", () => {
      const threshold = 10 ** Number(this.slider.value);
      this.showThreshold(threshold);
      this.picture.setThreshold(threshold);
    });
    return h("div", { class: "threshold" }, h("label", { for: "threshold" }, "Edges above"), this.slider, this.output);
  }

  showThreshold(threshold) {
    this.output.textContent = percent(threshold);
    this.slider.setAttribute("aria-valuetext", percent(threshold));
  }

  /** Show a walk; ``fresh`` lets sparks run over it once. */
  show(walk, timeline, fresh) {
    this.walk = walk;
    this.title.textContent = `The walk to ${walk.answer}`;
    const threshold = calmThreshold(walk, "attention");
    this.slider.value = Math.log10(threshold);
    this.showThreshold(threshold);
    this.close();
    hideTip();
    this.dots.replaceChildren(
      ...walk.document.steps.map((step) =>
        h(
          "button",
          {
            type: "button",
            "aria-label": `Step ${step.step}`,
            title: `Step ${step.step}`,
            onclick: () => this.player.go(step.step),
          },
          h("span", {}),
        ),
      ),
    );
    this.picture.show(walk, threshold);
    this.time.show(walk, timeline);
    this.player.reset(fresh);
    this.tables.replaceChildren(edgeTables(walk));
  }

  /** Where the walk stands, in words and dots. */
  stand(step, playing) {
    this.play.replaceChildren(icon(playing ? "pause" : "play"), playing ? "Pause" : "Play");
    this.back.disabled = !playing && step <= 0;
    this.forward.disabled = !playing && step >= this.walk.length;
    [...this.dots.children].forEach((dot, place) => {
      dot.classList.toggle("done", place < step);
      if (place === step - 1) dot.setAttribute("aria-current", "step");
      else dot.removeAttribute("aria-current");
    });
    const shown = playing ? step + 1 : step;
    const table = this.walk.document.steps[shown - 1];
    this.caption.textContent = table ? stepWords(table) : `Start: all attention is on ${this.walk.start}.`;
  }

  trace(path) {
    this.picture.setPath(path);
    this.time.mark(path === null ? [] : this.walk.paths[path].edges.map((edge) => edge.displacement));
  }

  hover(link, event) {
    this.time.mark(link ? link.events.map((other) => other.displacement) : []);
    if (link && event) showTip(event, tip(link));
    else hideTip();
  }

  openLink(link) {
    this.picture.setChosen(link.key);
    this.open(linkDetail(link, () => this.close(), this.calls.whatIf));
  }

  openNode(node) {
    this.picture.setChosen(null);
    this.open(nodeDetail(node, this.walk.document.question.time, () => this.close()));
  }

  open(panel) {
    hideTip();
    this.detail.replaceChildren(panel);
    panel.querySelector("h3").focus({ preventScroll: true });
    panel.scrollIntoView({ block: "nearest", behavior: "smooth" });
  }

  close() {
    this.detail.replaceChildren();
    this.picture.setChosen(null);
  }
}

function stepWords(table) {
  const held = table.nodes.slice(0, 3).map((node) => `${node.name} ${percent(node.attention)}`);
  return `After step ${table.step}: ${held.join(", ")}. ${whole(table.carried)} edges carried attention, ${percent(table.waiting)} stayed.`;
}

function tip(link) {
  const shown = link.events.slice(0, 4);
  return [
    h("div", {}, h("b", {}, `${link.subject} → ${link.object}`), ` ${percent(link.attention)}`),
    ...shown.map((event) =>
      h("div", {}, `${event.time} · ${event.relation}${event.inverse ? " (inverse)" : ""} · ${event.words}`),
    ),
    link.size > shown.length ? h("div", { class: "more" }, `${counted(link.size, "event")} in all`) : null,
  ].filter(Boolean);
}

function legend() {
  const line = (kind, text) => h("span", {}, h("i", { class: kind, "aria-hidden": "true" }), text);
  return h(
    "div",
    { class: "legend" },
    line("past", "past"),
    line("present", "same time as asked"),
    line("future", "future"),
    line("dashed", "walked against the fact"),
    line("dotted", "stays"),
    h("span", {}, "Bigger: more attention. Strong colours: the heaviest paths."),
  );
}
