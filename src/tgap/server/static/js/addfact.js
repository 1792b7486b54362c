// An event that did not happen, to be tried out: what would the answer be if it had?

import { combobox } from "./combobox.js";
import { h } from "./dom.js";

const PARTS = { subject: "Who", relation: "does what", object: "to whom", time: "when" };

export class AddFact {
  /** ``ask([subject, relation, object, time])`` is called with a complete event. */
  constructor(ask) {
    this.inputs = Object.fromEntries(Object.keys(PARTS).map((part) => [part, input(part)]));
    const { subject, relation, object, time } = this.inputs;
    this.element = h(
      "details",
      { class: "add-fact" },
      h("summary", {}, "Add an event that did not happen"),
      h(
        "form",
        {
          onsubmit: (event) => {
            event.preventDefault();
            ask(Object.values(this.inputs).map(({ value }) => value.trim()));
          },
        },
        Object.entries(PARTS).map(([part, label]) => field(this.inputs[part], label)),
        h("button", { type: "submit", class: "button", id: "ask-with" }, "Ask again with it"),
      ),
    );
    combobox(
      subject,
      "entity",
      () => ({}),
      () => relation.focus(),
    );
    combobox(
      relation,
      "relation",
      () => ({ subject: subject.value, object: object.value }),
      () => object.focus(),
    );
    combobox(
      object,
      "entity",
      () => ({}),
      () => time.focus(),
    );
  }

  /** Begin with what is asked, and the answer that comes after the one that is shown. */
  reset({ subject, relation, object, time }, other) {
    const filled = { subject: subject || other, relation, object: subject ? other : object, time };
    for (const [part, value] of Object.entries(filled)) this.inputs[part].value = value ?? "";
  }
}

function input(part) {
  return h("input", { id: `added-${part}`, type: "text", autocomplete: "off", required: true, spellcheck: "false" });
}

function field(element, label) {
  return h("div", { class: "added-field" }, h("label", { for: element.id }, label), element);
}
