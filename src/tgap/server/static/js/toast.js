// A short word at the bottom of the window: that something was done. Screen readers hear it from the announcer.

import { h } from "./dom.js";

const SHOWN = 2600;
let element = null;
let timer = 0;

export function toast(words) {
  element?.remove();
  element = h("div", { class: "toast", "aria-hidden": "true" }, words);
  document.body.append(element);
  clearTimeout(timer);
  timer = setTimeout(() => element.remove(), SHOWN);
}
