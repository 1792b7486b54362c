// Where a method has no walk: what can still be shown for an answer, and that it is no reason.

import { h } from "./dom.js";
import { unbroken } from "./format.js";
import { dateChip, factOf, factWords } from "./hops.js";

/** ``found``: a document tgap.support/1. */
export function supportCard({ answer, facts, notes, sentence }) {
  const row = (edge) => h("li", {}, factWords(factOf(edge)), " ", dateChip(edge));
  return h(
    "section",
    { class: "card without-reasons", "aria-labelledby": "support-title" },
    h("div", { class: "card-head" }, h("h2", { id: "support-title" }, answer.name)),
    h("p", { class: "sentence" }, unbroken(sentence)),
    notes.map((note) => h("p", { class: "note" }, note)),
    facts.length ? h("ul", { class: "facts" }, facts.map(row)) : null,
    h(
      "p",
      { class: "quiet" },
      "To see why an answer is what it is, serve a run of a method that walks beside this one:",
    ),
    h("pre", {}, "tgap serve RUN OTHER_RUN"),
  );
}
