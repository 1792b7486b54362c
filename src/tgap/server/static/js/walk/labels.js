// What the ribbons are called: relation and date where there is room, else a number that a list below spells out. Pure.

import { along } from "./layout.js";

const HEIGHT = 14; // of a line of text
const BADGE = 17; // of a number's circle
const PARTS = [0.5, 0.4, 0.6, 0.3, 0.7]; // places along a ribbon, in the order of preference
const MOST = 12; // ribbons that are called anything
const LEAST = 0.02; // share below which a ribbon is called nothing

/**
 * Labels for drawn links, heaviest first: {link, x, y, text} or {link, x, y, number}. ``measure(text)`` gives the width
 * of a text in pixels, ``room`` is the width between two columns that is free for one, ``boxes`` are places that are
 * taken already.
 */
export function labelLinks(drawn, view, room, measure, boxes = []) {
  const taken = [...boxes];
  const labels = [];
  let number = 0;
  const falling = [...drawn]
    .filter(({ link }) => link[view] >= LEAST)
    .sort((a, b) => b.link[view] - a.link[view])
    .slice(0, MOST);
  for (const { link, points } of falling) {
    const text = nameOf(link);
    const wide = { width: measure(text) + 8, height: HEIGHT };
    const place = wide.width <= room ? free(points, wide, taken) : null;
    if (place) {
      labels.push({ link, text, ...place });
      continue;
    }
    const small = free(points, { width: BADGE, height: BADGE }, taken);
    if (small) {
      number += 1;
      labels.push({ link, number, ...small });
    }
  }
  return labels;
}

/** The places of nodes and of the names below them: boxes that no ribbon's name should lie on. */
export function nodeBoxes(columns, measure) {
  return columns
    .flatMap(({ nodes }) => nodes)
    .flatMap(({ name, x, y, r }) => {
      const half = measure(name) / 2;
      const circle = { left: x - r, right: x + r, top: y - r, bottom: y + r };
      return [circle, { left: x - half, right: x + half, top: y + r, bottom: y + r + HEIGHT + 4 }];
    });
}

/** A ribbon's name: its strongest event, and how many others there are. */
export function nameOf(link) {
  const [event] = link.events;
  const more = link.size > 1 ? ` +${link.size - 1}` : "";
  return `${event.relation}, ${event.time}${more}`;
}

/** The same where there is room to say it: the step, both ends, and the others in words. */
export function spelledOut(link) {
  const [event] = link.events;
  const others = link.size - 1;
  const more = others ? ` and ${others} ${others === 1 ? "other" : "others"}` : "";
  return `Step ${link.step}, ${link.subject} → ${link.object}: ${event.relation}, ${event.time}${more}`;
}

/** The first place along a curve where a box meets no other; it is then taken. */
function free(points, { width, height }, taken) {
  for (const part of PARTS) {
    const [x, y] = along(points, part);
    const box = { left: x - width / 2, right: x + width / 2, top: y - height / 2, bottom: y + height / 2 };
    if (taken.some((other) => meet(box, other))) continue;
    taken.push(box);
    return { x, y };
  }
  return null;
}

const meet = (a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
