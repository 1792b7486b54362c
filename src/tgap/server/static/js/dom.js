// Elements without strings of markup: text is always set as text, so a name can never become code.

const SVG = "http://www.w3.org/2000/svg";

function fill(element, properties, children) {
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "text") element.textContent = value;
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  for (const child of children.flat()) {
    if (child !== null && child !== undefined && child !== false) element.append(child);
  }
  return element;
}

/** An HTML element: h("button", {class: "button", onclick: go}, "Go"). */
export function h(tag, properties = {}, ...children) {
  return fill(document.createElement(tag), properties, children);
}

/** An SVG element. */
export function s(tag, properties = {}, ...children) {
  return fill(document.createElementNS(SVG, tag), properties, children);
}

const PATHS = {
  play: "M8 5v14l11-7z",
  pause: "M8 5v14M16 5v14",
  back: "M6 5v14M18 6l-8 6 8 6z",
  forward: "M18 5v14M6 6l8 6-8 6z",
  swap: "M4 9h14M14 5l4 4-4 4M20 15H6M10 11l-4 4 4 4",
  dice: "M5 5h14v14H5zM9 9h.01M15 15h.01M15 9h.01M9 15h.01M12 12h.01",
  auto: "M12 3a9 9 0 1 0 0 18zM12 3a9 9 0 0 1 0 18",
  light:
    "M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM12 2v2M12 20v2M2 12h2M20 12h2M5 5l1.5 1.5M17.5 17.5L19 19M19 5l-1.5 1.5M6.5 17.5L5 19",
  dark: "M20 14.5A8.5 8.5 0 0 1 9.5 4 8.5 8.5 0 1 0 20 14.5z",
  close: "M6 6l12 12M18 6L6 18",
  calendar: "M5 7h14v12H5zM5 11h14M9 4v4M15 4v4",
  share: "M12 15V4M8 7.5L12 4l4 3.5M5 13v6h14v-6",
};

/** A small line drawing for a button; the button's own label tells what it does. */
export function icon(name) {
  return s("svg", { viewBox: "0 0 24 24", "aria-hidden": "true" }, s("path", { d: PATHS[name] }));
}

export const stillPlease = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

/** Scroll only as far as it takes to see ``element``; nothing moves where it is in sight. */
export function reveal(element, block = "nearest") {
  element.scrollIntoView({ block, behavior: stillPlease() ? "auto" : "smooth" });
}

/** A name whose lines may end behind the marks that join its words. */
export const breakable = (name) =>
  name.split(/(?<=[_/])/).flatMap((part, place) => (place ? [h("wbr"), part] : [part]));

/** Words in which no line ends inside a date. */
export const datesWhole = (words) =>
  words.split(/(\d{4}-\d\d-\d\d)/).map((part, place) => (place % 2 ? h("span", { class: "solid" }, part) : part));

/** Call ``work`` once the calls stop coming for ``wait`` milliseconds. */
export function debounced(work, wait) {
  let timer = 0;
  const later = (...values) => {
    clearTimeout(timer);
    timer = setTimeout(() => work(...values), wait);
  };
  later.cancel = () => clearTimeout(timer);
  return later;
}
