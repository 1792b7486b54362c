// Where a method has no walk: what can still be shown for an answer, and that it is no reason.

import { h } from "./dom.js";
import { sentence as asSentence, unbroken } from "./format.js";
import { dateChip, factOf, factWords } from "./hops.js";

/** ``found``: a document tgap.support/1; ``walking``: models that could tell why; ``ask(name)`` asks one of them. */
export function supportCard({ answer, facts, notes, sentence }, walking, ask) {
  const row = (edge) => h("li", {}, factWords(factOf(edge)), " ", dateChip(edge));
  return h(
    "section",
    { class: "card without-reasons", "aria-labelledby": "support-title" },
    h("div", { class: "card-head" }, h("h2", { id: "support-title" }, answer.name)),
    h("p", { class: "sentence" }, unbroken(sentence)),
    notes.map((note) => h("p", { class: "note" }, asSentence(note))),
    facts.length ? h("ul", { class: "facts" }, facts.map(row)) : null,
    ...(walking.length ? others(walking, ask) : advice()),
  );
}

function others(walking, ask) {
  const button = (name) => h("button", { type: "button", class: "chip", onclick: () => ask(name) }, name);
  return [
    h("p", { class: "quiet" }, "To see why an answer is what it is, ask a model that walks:"),
    h("div", { class: "chips" }, walking.map(button)),
  ];
}

const advice = () => [
  h("p", { class: "quiet" }, "To see why an answer is what it is, serve a run of a method that walks beside this one:"),
  h("pre", {}, "tgap serve RUN OTHER_RUN"),
];
