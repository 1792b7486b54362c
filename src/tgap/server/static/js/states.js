// What stands in the results' place before, while and instead of an answer.

import { h, s } from "./dom.js";

/** Before the first question. */
export function emptyState(card) {
  const who = card
    ? ` The dataset ${card.dataset.name} has ${card.dataset.entities.toLocaleString("en")} names from ${card.dataset.timeline.first} to ${card.dataset.timeline.last}.`
    : "";
  const walks = card?.explains !== false;
  const how = walks
    ? "Attention then walks from fact to fact, through past and future, and where it gathers is the answer."
    : `${card.scorer} then ranks all names; it has no walk to show, so beside each answer stand the nearest facts of the pair.`;
  const kind = (name, text) => h("span", { class: name }, text);
  return h(
    "div",
    { class: "empty" },
    drawing(),
    h("h1", {}, walks ? "Ask who did what, and see how the answer is found" : "Ask who did what, and to whom"),
    h("p", {}, `Leave the subject or the object open and name a date. ${how}${who}`),
    h(
      "p",
      { class: "legend-inline" },
      kind("past", "before the date"),
      kind("present", "on the date"),
      kind("future", "after the date"),
    ),
  );
}

function drawing() {
  const ribbon = (d, kind, width) =>
    s("path", { d, class: kind, stroke: "currentColor", "stroke-width": width, opacity: 0.75 });
  const dot = (x, y, r, kind) => s("circle", { cx: x, cy: y, r, class: kind, fill: "currentColor" });
  return s(
    "svg",
    { viewBox: "0 0 560 150", "aria-hidden": "true" },
    ribbon("M40 75C120 75 130 30 210 30", "past", 9),
    ribbon("M40 75C120 75 130 118 210 118", "future", 5),
    ribbon("M40 75H210", "present", 1.6),
    ribbon("M210 30C290 30 300 62 380 62", "past", 7),
    ribbon("M210 118C290 118 300 62 380 62", "future", 4),
    ribbon("M210 75C290 75 300 122 380 122", "present", 1.6),
    ribbon("M380 62C450 62 450 40 516 40", "past", 9),
    ribbon("M380 62C450 62 450 110 516 110", "future", 2),
    dot(40, 75, 13, "present"),
    dot(210, 30, 9, "past"),
    dot(210, 75, 4, "present"),
    dot(210, 118, 7, "future"),
    dot(380, 62, 10, "past"),
    dot(380, 122, 4, "present"),
    dot(516, 40, 13, "drawing-answer"),
    dot(516, 110, 5, "present"),
  );
}

/** While the first answer is on its way. */
export function loadingState() {
  const line = (width) => {
    const element = h("div", { class: "skeleton line" });
    element.style.width = `${width}%`;
    return element;
  };
  return h(
    "div",
    { class: "grid", "aria-hidden": "true" },
    h("div", { class: "card place-answers" }, [70, 84, 60, 76, 52, 66, 48].map(line)),
    h("div", { class: "card place-walk" }, line(40), h("div", { class: "skeleton block" })),
  );
}

/** Under a notice: what can be done now. */
export function failedState(words) {
  return h("div", { class: "failed" }, drawing(), h("p", {}, words));
}

/** A notice above the results. */
export function notice(words, ...actions) {
  return h("div", { class: "notice" }, h("span", {}, words), ...actions);
}
