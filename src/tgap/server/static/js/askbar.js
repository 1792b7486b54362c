// The bar with the four parts of a question. An empty subject or object is what is asked for.

import { combobox } from "./combobox.js";
import { h, icon } from "./dom.js";
import { missingPart } from "./question.js";

export class AskBar {
  /** ``calls``: ask(question) when one is complete, missing(words) when something is lacking. */
  constructor(form, calls) {
    this.form = form;
    this.calls = calls;
    this.times = [];
    this.inputs = {};
    const swap = h(
      "button",
      {
        type: "button",
        class: "icon-button swap",
        "aria-label": "Swap direction",
        title: "Ask the other way round",
        onclick: () => this.swap(),
      },
      icon("swap"),
    );
    form.append(
      this.field("subject", "Subject", "?"),
      this.field("relation", "Relation", "does what"),
      swap,
      this.field("object", "Object", "?"),
      this.field("time", "When", "date"),
      this.makeSight(),
      h("button", { type: "submit", class: "button primary ask-go" }, "Ask"),
    );
    const { subject, relation, object, time } = this.inputs;
    time.after(this.makeCalendar());
    combobox(
      subject,
      "entity",
      () => ({}),
      () => this.next(relation),
    );
    combobox(
      relation,
      "relation",
      () => ({ subject: subject.value, object: object.value }),
      () => this.next(time),
    );
    combobox(
      object,
      "entity",
      () => ({}),
      () => this.next(time),
    );
    time.addEventListener("keydown", (event) => this.stepTime(event));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.submit();
    });
  }

  field(name, label, placeholder) {
    const input = h("input", {
      id: `ask-${name}`,
      name,
      type: "text",
      placeholder,
      autocomplete: "off",
      autocapitalize: "off",
      spellcheck: "false",
    });
    input.addEventListener("input", () => this.complain(name, false));
    this.inputs[name] = input;
    return h("div", { class: `field field-${name}` }, h("label", { for: input.id }, label), input);
  }

  get question() {
    const value = (name) => this.inputs[name].value.trim().replace(/^\?$/, "");
    return {
      subject: value("subject"),
      relation: value("relation"),
      object: value("object"),
      time: value("time"),
      sight: value("sight"),
      answer: "",
    };
  }

  set question(question) {
    for (const [name, input] of Object.entries(this.inputs)) {
      input.value = question[name] || "";
      this.complain(name, false);
    }
  }

  /** Mark a field whose name the server does not know. */
  complain(name, wrong = true) {
    const input = this.inputs[name];
    if (!input) return;
    input.parentElement.classList.toggle("wrong", wrong);
    if (wrong) input.setAttribute("aria-invalid", "true");
    else input.removeAttribute("aria-invalid");
  }

  /** The dataset's time: its texts are stepped through with the arrow keys, and a calendar opens where they are dates. */
  set timeline({ texts, first, last, iso_dates: dates }) {
    this.times = texts;
    this.inputs.time.placeholder = texts.length ? `e.g. ${texts[texts.length >> 1]}` : "";
    this.calendar.hidden = !dates;
    this.picker.min = first;
    this.picker.max = last;
  }

  /** A button that opens the browser's own calendar. */
  makeCalendar() {
    this.picker = h("input", { type: "date", class: "date-picker", tabindex: "-1", "aria-hidden": "true" });
    this.picker.addEventListener("change", () => {
      this.inputs.time.value = this.picker.value;
      if (this.complete()) this.submit();
    });
    const open = () => {
      this.picker.value = this.inputs.time.value;
      this.picker.showPicker?.();
    };
    const label = { "aria-label": "Choose a date", title: "Choose a date" };
    const button = h("button", { type: "button", class: "calendar", onclick: open, ...label }, icon("calendar"));
    this.calendar = h("span", { class: "calendar-place", hidden: true }, button, this.picker);
    return this.calendar;
  }

  /** What may be known while answering. */
  makeSight() {
    const select = h(
      "select",
      { id: "ask-sight", name: "sight" },
      h("option", { value: "" }, "everything"),
      h("option", { value: "past" }, "only the past"),
    );
    select.addEventListener("change", () => this.complete() && this.submit());
    this.inputs.sight = select;
    return h("div", { class: "field field-sight" }, h("label", { for: select.id }, "Knowing"), select);
  }

  swap() {
    const { subject, object } = this.inputs;
    [subject.value, object.value] = [object.value, subject.value];
    if (this.complete()) this.submit();
    else (subject.value ? subject : object).focus();
  }

  next(input) {
    if (this.complete()) this.submit();
    else input.focus();
  }

  complete() {
    return missingPart(this.question) === null;
  }

  submit() {
    const lacking = missingPart(this.question);
    if (!lacking) {
      this.calls.ask(this.question);
      return;
    }
    const [name, words] = lacking;
    this.complain(name);
    this.calls.missing(words);
    this.inputs[name].focus();
  }

  stepTime(event) {
    const step = { ArrowUp: 1, ArrowDown: -1 }[event.key];
    const at = this.times.indexOf(this.inputs.time.value.trim());
    if (!step || at < 0) return;
    event.preventDefault();
    this.inputs.time.value = this.times[Math.min(Math.max(at + step, 0), this.times.length - 1)];
  }
}
