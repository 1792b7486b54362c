// The list of kept questions: pins first, then what was asked last.

import { h, icon } from "./dom.js";
import { percent } from "./format.js";
import { keyOf } from "./kept.js";
import { toAddress, words } from "./question.js";

const dialog = document.getElementById("kept");

/** ``calls``: open(entry), compare(entry) or null where nothing is shown to compare with, shown: the key of what is. */
export function showKept(kept, calls) {
  const draw = () => {
    const { history, pins } = kept.all;
    dialog.replaceChildren(
      h(
        "div",
        { class: "dialog-head" },
        h("h2", { id: "kept-title" }, "Kept questions"),
        h(
          "button",
          { type: "button", class: "icon-button", "aria-label": "Close", onclick: () => dialog.close() },
          icon("close"),
        ),
      ),
      h("h3", {}, "Pinned"),
      list(pins, "Pin a question beside its reasons to keep it here."),
      h("h3", {}, "Asked last"),
      list(history, "Nothing has been asked yet."),
      history.length
        ? h(
            "button",
            {
              type: "button",
              class: "link-button",
              onclick: () => {
                kept.forget();
                draw();
              },
            },
            "Forget these",
          )
        : null,
      h("p", { class: "quiet" }, "They are kept in this browser only."),
    );
  };
  const list = (entries, empty) =>
    entries.length ? h("ul", { class: "kept-list" }, entries.map(row)) : h("p", { class: "quiet" }, empty);
  const row = (entry) =>
    h(
      "li",
      {},
      h(
        "a",
        {
          href: toAddress(entry.question, entry.model),
          onclick: (event) => {
            event.preventDefault();
            dialog.close();
            calls.open(entry);
          },
        },
        words(entry.question),
      ),
      h("span", { class: "quiet" }, `${entry.answer}${entry.score === null ? "" : ` ${percent(entry.score)}`}`),
      calls.compare && keyOf(entry) !== calls.shown
        ? h(
            "button",
            {
              type: "button",
              class: "link-button",
              onclick: () => {
                dialog.close();
                calls.compare(entry);
              },
            },
            "compare",
          )
        : null,
      h(
        "button",
        {
          type: "button",
          class: "link-button",
          onclick: () => {
            kept.toggle(entry);
            draw();
          },
        },
        kept.isPinned(entry) ? "unpin" : "pin",
      ),
    );
  draw();
  if (!dialog.open) dialog.showModal();
}
