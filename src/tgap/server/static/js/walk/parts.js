// Small parts of the picture: texts cut to fit, names of ribbons, words about links and entities.

import { s } from "../dom.js";
import { counted, percent, shortened } from "../format.js";

const pen = document.createElement("canvas").getContext("2d");
const FONT = 'Inter, "Segoe UI", system-ui, -apple-system, Roboto, Arial, sans-serif';

/** Width in pixels of a ribbon's name. */
export function measure(text) {
  pen.font = `400 11px ${FONT}`;
  return pen.measureText(text).width;
}

/** A name cut in the middle to a width in pixels, and the width it then has. */
export function fitted(name, room, bold) {
  pen.font = `${bold ? 650 : 400} 12.5px ${FONT}`;
  let text = name;
  for (let most = name.length; most > 4 && pen.measureText(text).width > room; most -= 1) {
    text = shortened(name, most - 1);
  }
  return { text, width: pen.measureText(text).width };
}

export function drawLabel({ x, y, text, number }) {
  if (text) return s("text", { class: "ribbon-name", x, y: y + 4, "text-anchor": "middle" }, text);
  return s(
    "g",
    { class: "badge" },
    s("circle", { cx: x, cy: y, r: 8 }),
    s("text", { x, y: y + 4, "text-anchor": "middle" }, String(number)),
  );
}

/** Dashes in keeping with a line's width. */
export const dashes = (width) => `${(5 + 0.9 * width).toFixed(1)} ${(3 + 0.45 * width).toFixed(1)}`;

/** What a weight is a share of. */
export const wholeOf = (view) => (view === "attention" ? "of all attention" : "of this answer");

export function nodeWords(node, view) {
  return node.column === 0
    ? "the walk starts here"
    : `${percent(node.weight)} ${wholeOf(view)} after step ${node.column}`;
}

export function linkWords(link, view) {
  const against = link.inverse ? ", against their direction" : "";
  return `Step ${link.step}: ${link.subject} to ${link.object}, ${percent(link[view])} ${wholeOf(view)} over ${counted(link.size, `${link.sign} event`)}${against}`;
}
