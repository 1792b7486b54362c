// The card of the picture: switch, player, threshold, picture with its key, details and time, all linked.

import { linkDetail, nodeDetail } from "./detail.js";
import { h, icon, reveal } from "./dom.js";
import { counted, percent } from "./format.js";
import { factOf, factWords } from "./hops.js";
import { TimePanel } from "./timepanel.js";
import { hideTip, showTip } from "./tooltip.js";
import { spelledOut } from "./walk/labels.js";
import { calmThreshold, VIEWS } from "./walk/model.js";
import { wholeOf } from "./walk/parts.js";
import { WalkPicture } from "./walk/picture.js";
import { Player } from "./walk/player.js";

const LOWEST = -3.3; // the threshold's slider is a power of ten
const HIGHEST = -0.4;

export class WalkCard {
  /** ``calls``: drag(text), settle(text), whatIf(without), entity(name), fail(error). */
  constructor(calls) {
    this.calls = calls;
    this.view = VIEWS.answer;
    this.picture = new WalkPicture({
      chooseLink: (link) => this.openLink(link),
      chooseNode: (node) => this.openNode(node),
      hoverLink: (link, event) => this.hover(link, event),
      drawn: () => this.drawKey(),
    });
    this.player = new Player(this.picture, (step, playing) => this.stand(step, playing));
    this.time = new TimePanel({
      brush: (range) => this.picture.setBrush(range),
      drag: calls.drag,
      settle: calls.settle,
    });
    this.title = h("h2", { id: "walk-title" });
    this.caption = h("p", { class: "caption quiet", id: "walk-caption", "aria-live": "polite" });
    this.key = h("ol", { class: "picture-key" });
    this.detail = h("div", {});
    this.element = h(
      "section",
      { class: "card walk-card", "aria-labelledby": "walk-title" },
      h(
        "div",
        { class: "card-head walk-head" },
        this.title,
        this.makeSwitch(),
        this.makePlayer(),
        this.makeThreshold(),
      ),
      this.caption,
      this.picture.element,
      this.key,
      legend(),
      this.detail,
      this.time.element,
    );
  }

  /** All attention, or only what arrived at this answer. */
  makeSwitch() {
    const option = (name, text) =>
      h(
        "button",
        { type: "button", "data-view": name, "aria-pressed": "false", onclick: () => this.setView(VIEWS[name]) },
        text,
      );
    this.options = [option("answer", "This answer"), option("all", "All attention")];
    return h("div", { class: "switch", role: "group", "aria-label": "What is shown" }, this.options);
  }

  makePlayer() {
    const step = (move) => () =>
      this.player.go((move < 0 ? Math.ceil(this.player.progress) : Math.floor(this.player.progress)) + move);
    const button = (id, label, picture, onclick) =>
      h("button", { type: "button", class: "icon-button", id, "aria-label": label, onclick }, icon(picture));
    this.back = button("step-back", "One step back", "back", step(-1));
    this.forward = button("step-forward", "One step forward", "forward", step(1));
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
      "aria-label": "Smallest share that is drawn",
    });
    this.output = h("output", { for: "threshold" });
    this.slider.addEventListener("input", () => {
      const threshold = 10 ** Number(this.slider.value);
      this.showThreshold(threshold);
      this.picture.setThreshold(threshold);
    });
    return h(
      "div",
      { class: "threshold" },
      h("label", { for: "threshold" }, "Ribbons above"),
      this.slider,
      this.output,
    );
  }

  showThreshold(threshold) {
    this.output.textContent = percent(threshold);
    this.slider.setAttribute("aria-valuetext", percent(threshold));
  }

  setView(view) {
    this.view = view;
    this.redraw();
    this.time.setView(view);
    this.player.go(this.player.length);
  }

  /** Show a walk; ``fresh`` lets sparks run over it once. */
  show(walk, timeline, fresh) {
    this.walk = walk;
    this.close();
    hideTip();
    const dot = ({ step }) =>
      h(
        "button",
        { type: "button", "aria-label": `Step ${step}`, title: `Step ${step}`, onclick: () => this.player.go(step) },
        h("span", {}),
      );
    this.dots.replaceChildren(...walk.steps.map(dot));
    this.redraw();
    this.time.show(walk, timeline, this.view);
    this.player.reset(fresh);
  }

  redraw() {
    const mine = this.view === VIEWS.answer;
    this.title.textContent = mine ? `The way to ${this.walk.answer}` : "Where all attention went";
    for (const option of this.options)
      option.setAttribute("aria-pressed", String(VIEWS[option.dataset.view] === this.view));
    const threshold = calmThreshold(this.walk, this.view);
    this.slider.value = Math.log10(threshold);
    this.showThreshold(threshold);
    this.picture.show(this.walk, this.view, threshold);
  }

  /** The numbered ribbons, spelled out. */
  drawKey() {
    const numbered = this.picture.labels.filter((label) => label.number);
    this.key.replaceChildren(
      ...numbered.map(({ link }) =>
        h(
          "li",
          {},
          h("button", { type: "button", class: "link-button", onclick: () => this.openLink(link) }, spelledOut(link)),
        ),
      ),
    );
    this.key.hidden = numbered.length === 0;
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
    this.caption.textContent = shown
      ? stepWords(this.walk, shown, this.view)
      : `Start: all attention is on ${this.walk.start}.`;
  }

  trace(path) {
    this.picture.setPath(path);
    this.time.mark(path === null ? [] : this.walk.paths[path].edges.map((edge) => edge.displacement));
  }

  hover(link, event) {
    this.time.mark(link ? link.events.map((other) => other.displacement) : []);
    if (link && event) showTip(event, tip(link, this.view));
    else hideTip();
  }

  openLink(link) {
    this.picture.setChosen(link.key);
    this.open(linkDetail(link, this.view, { ...this.calls, close: () => this.close(link) }));
  }

  openNode(node) {
    this.picture.setChosen(null);
    const { time } = this.walk.document.question;
    this.open(nodeDetail(node, this.view, time, { ...this.calls, close: () => this.close(node) }));
  }

  open(panel) {
    hideTip();
    this.detail.replaceChildren(panel);
    panel.querySelector("h3").focus({ preventScroll: true });
    reveal(panel);
  }

  /** Close what is open; ``part`` of the picture opened it and is focused again. */
  close(part = null) {
    this.detail.replaceChildren();
    this.picture.setChosen(null);
    if (part) this.picture.refocus(part);
  }
}

function stepWords(walk, shown, view) {
  const holding = [...walk.nodes[shown].values()].filter((node) => node[view] > 0);
  const column = holding.sort((a, b) => b[view] - a[view]);
  const held = column.slice(0, 3).map((node) => `${node.name} ${percent(node[view])}`);
  const { carried } = walk.document.steps[shown - 1];
  const step = walk.steps[shown - 1];
  const stayed = percent(view === "attention" ? step.self_loops : step.self_loops_share);
  const crossed = view === "attention" ? `Attention crossed ${counted(carried, "event")}; ` : "";
  return `After step ${shown}: ${held.join(", ")} ${wholeOf(view)}. ${crossed}${stayed} stayed where it was.`;
}

function tip(link, view) {
  const shown = link.events.slice(0, 4);
  return [
    h("div", {}, h("b", {}, `${link.subject} → ${link.object}`), ` ${percent(link[view])} ${wholeOf(view)}`),
    ...shown.map((event) => h("div", {}, `${event.time} · ${factWords(factOf(event))} · ${event.relative_time}`)),
    link.size > shown.length ? h("div", { class: "more" }, `${counted(link.size, "event")} in all`) : null,
  ].filter(Boolean);
}

function legend() {
  const line = (kind, text) => h("span", {}, h("i", { class: kind, "aria-hidden": "true" }), text);
  return h(
    "div",
    { class: "legend" },
    line("past", "before the date"),
    line("present", "on the date"),
    line("future", "after the date"),
    line("dashed", "walked against the event"),
    line("dotted", "stays where it is"),
    h("span", {}, "Wider: a larger share. Strong colours: the heaviest single walks."),
  );
}
