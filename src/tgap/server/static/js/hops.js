// A fact or a walk in words: entities, relations with an arrow in the direction of the stored fact, coloured dates.

import { h } from "./dom.js";

/** Date and displacement of an event. */
export function dateChip(event) {
  return h(
    "span",
    { class: `date ${event.sign}`, title: event.relative_time },
    `${event.time}, ${event.relative_time}`,
  );
}

/** Who did what to whom, without the date. */
export const factWords = (fact) => `${fact.subject} — ${fact.relation} → ${fact.object}`;

/** A relation with its arrow: an inverse edge was walked against the fact. */
export function arrow(edge) {
  return h(
    "span",
    { class: "relation" },
    edge.inverse ? `←\u2009${edge.relation}\u2009—` : `—\u2009${edge.relation}\u2009→`,
  );
}

/** A whole walk as a line of parts. */
export function hops(start, edges) {
  if (!edges.length)
    return h(
      "span",
      { class: "hops" },
      h("span", { class: "entity" }, start),
      h("span", { class: "relation" }, "attention stays here"),
    );
  return h(
    "span",
    { class: "hops" },
    h("span", { class: "entity" }, edges[0].subject),
    edges.map((edge) =>
      h("span", { class: "hop" }, arrow(edge), h("span", { class: "entity" }, edge.object), dateChip(edge)),
    ),
  );
}

/** The stored fact behind an edge, which may have been walked against it. */
export function factOf({ subject, object, inverse, ...rest }) {
  return inverse ? { ...rest, subject: object, object: subject } : { ...rest, subject, object };
}
