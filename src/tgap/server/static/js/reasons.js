// Why this answer: the sentence, then every event that was taken away with its measured effect. Tick events to ask again
// without them; what then happens stands beside the list.

import { AddFact } from "./addfact.js";
import { breakable, datesWhole, h } from "./dom.js";
import { calibrationWords, counted, percent, place, points, sentence, shortened, unbroken } from "./format.js";
import { dateChip, factWords } from "./hops.js";
import { WhatIf } from "./whatif.js";

export class ReasonsCard {
  /** ``calls``: whatIf(without) promises what would happen, entity(name) opens one, pin(), isPinned(), fail(error). */
  constructor(calls) {
    this.calls = calls;
    this.ticked = new Map();
    this.title = h("h2", { id: "reasons-title", tabindex: "-1" });
    this.stale = h("span", { class: "stale-mark", hidden: true });
    this.pin = h(
      "button",
      { type: "button", class: "chip", id: "pin-button", "aria-pressed": "false", onclick: () => this.togglePin() },
      "Pin",
    );
    this.about = h("button", {
      type: "button",
      class: "chip",
      id: "about-answer",
      onclick: () => calls.entity(this.answer),
    });
    this.sentence = h("p", { class: "sentence", "aria-live": "polite" });
    this.remarks = h("div", {});
    this.body = h("div", { class: "reasons-body" });
    this.whatIf = new WhatIf(calls);
    this.addFact = new AddFact((fact) => this.whatIf.ask([...this.ticked.values()], [fact]));
    this.element = h(
      "section",
      { class: "card reasons-card", "aria-labelledby": "reasons-title" },
      h("div", { class: "card-head" }, this.title, this.stale, h("span", { class: "grow" }), this.about, this.pin),
      this.sentence,
      this.remarks,
      this.body,
    );
  }

  /** Say that what is shown is about another time than the one that is being asked about. */
  markStale(time) {
    this.stale.hidden = time === null;
    this.stale.textContent = time === null ? "" : `still of ${time}`;
    this.element.classList.toggle("stale", time !== null);
  }

  /** The answer is known, its reasons are being measured. */
  wait(answer) {
    this.answer = answer;
    this.title.textContent = `Why ${answer}?`;
    this.about.textContent = `About ${shortened(answer, 24)}`;
    this.drawPin();
    this.sentence.textContent = "Taking its events away one by one …";
    this.remarks.replaceChildren();
    this.body.replaceChildren(h("div", { class: "skeleton line" }), h("div", { class: "skeleton line short" }));
  }

  togglePin() {
    this.calls.pin();
    this.drawPin();
  }

  drawPin() {
    const pinned = this.calls.isPinned();
    this.pin.textContent = pinned ? "Pinned" : "Pin";
    this.pin.setAttribute("aria-pressed", String(pinned));
  }

  /** ``other``: the best of the other answers. */
  show(document, other) {
    this.document = document;
    this.addFact.reset(document.question, other);
    this.ticked.clear();
    this.title.textContent = `Why ${document.answer.name}?`;
    this.sentence.replaceChildren(...datesWhole(unbroken(document.sentence ?? document.reach.sentence)));
    this.remarks.replaceChildren(
      ...(document.calibration
        ? [h("p", { class: "quiet calibration" }, unbroken(calibrationWords(document.calibration)))]
        : []),
      ...document.notes.map((note) => h("p", { class: "note" }, sentence(note))),
    );
    this.whatIf.reset(document);
    const { evidence, flips, groups, sufficient } = document;
    this.body.replaceChildren(
      ...(evidence.length
        ? [h("div", { class: "evidence-grid" }, this.makeEvidence(evidence), this.whatIf.element)]
        : [this.whatIf.element]),
      this.addFact.element,
      ...(flips ? [this.makeFlip(flips)] : []),
      ...(groups.length || sufficient ? [more(document)] : []),
    );
    this.tell();
  }

  makeEvidence(rows) {
    const largest = Math.max(...rows.map((row) => Math.abs(row.effect)), 1e-9);
    this.boxes = rows.map((row) => this.makeRow(row, largest));
    this.ask = h(
      "button",
      { type: "button", class: "button primary", id: "ask-without", onclick: () => this.askWithout() },
      "Ask again without them",
    );
    this.clear = h("button", { type: "button", class: "link-button", onclick: () => this.untick() }, "untick all");
    this.count = h("span", { class: "quiet", "aria-live": "polite" });
    return h(
      "div",
      { class: "evidence-part" },
      h("h3", {}, "What each event does"),
      h(
        "p",
        { class: "quiet" },
        `Each taken out of the data by itself and everything computed again: + speaks for ${this.document.answer.name}, − against it (percentage points).`,
      ),
      h("ol", { class: "evidence" }, this.boxes),
      h("div", { class: "evidence-foot" }, this.ask, this.count, this.clear),
    );
  }

  makeRow(row, largest) {
    const box = h("input", { type: "checkbox", "aria-label": `Take away ${factWords(row)} on ${row.time}` });
    box.addEventListener("change", () => this.tick(row, box.checked));
    const bar = h("span", { class: `effect-bar ${row.effect < 0 ? "against" : "for"}` });
    bar.style.width = `${(100 * Math.abs(row.effect)) / largest}%`;
    const line = h(
      "label",
      { class: "evidence-row" },
      box,
      h("span", { class: "points" }, points(row.effect)),
      h("span", { class: "effect-track", "aria-hidden": "true" }, bar),
      h(
        "span",
        { class: "event" },
        h("b", {}, breakable(row.subject)),
        ` ${row.relation} `,
        h("b", {}, breakable(row.object)),
        " ",
        dateChip(row),
      ),
      h("span", { class: "then" }, `leaves ${percent(row.probability)}`),
    );
    return h("li", {}, line);
  }

  tick(row, wanted) {
    if (wanted) this.ticked.set(keyOf(row), row);
    else this.ticked.delete(keyOf(row));
    this.tell();
  }

  /** Tick exactly these facts, those of a flip, and ask. */
  tickOnly(facts) {
    const wanted = new Set(facts.map(keyOf));
    this.ticked = new Map(facts.map((fact) => [keyOf(fact), fact]));
    this.document.evidence.forEach((row, index) => {
      this.boxes[index].querySelector("input").checked = wanted.has(keyOf(row));
    });
    this.tell();
    this.askWithout();
  }

  untick() {
    this.tickNone();
    this.tell();
    this.whatIf.reset(this.document);
    this.boxes[0]?.querySelector("input").focus();
  }

  tickNone() {
    this.ticked.clear();
    for (const box of this.boxes) box.querySelector("input").checked = false;
  }

  tell() {
    if (!this.ask) return;
    const { size } = this.ticked;
    this.ask.disabled = size === 0;
    this.clear.hidden = size === 0;
    this.count.textContent = size
      ? `${counted(size, "event")} ticked`
      : "Tick events to see what would be without them.";
  }

  askWithout() {
    return this.whatIf.ask([...this.ticked.values()]);
  }

  makeFlip(flip) {
    const which = flip.facts.length === 1 ? "this event" : `these ${flip.facts.length} events`;
    return h(
      "div",
      { class: "flip" },
      h("h3", {}, "What would change the answer"),
      h(
        "p",
        {},
        `Without ${which} `,
        h("b", {}, flip.answer),
        unbroken(
          ` would come first with ${percent(flip.answer_probability)}; ${this.document.answer.name} would have ${percent(flip.probability)} (rank ${place(flip.rank)}).`,
        ),
      ),
      factList(flip.facts),
      h(
        "button",
        { type: "button", class: "button", id: "try-flip", onclick: () => this.tickOnly(flip.facts) },
        "Take these away",
      ),
    );
  }
}

const SHOWN = 4; // facts of a list before it is folded

/** Facts with their dates; a long list is folded. */
export function factList(facts) {
  const item = (fact) => h("li", {}, factWords(fact), " ", dateChip(fact));
  const rest = facts.slice(SHOWN);
  return h(
    "div",
    {},
    h("ul", { class: "facts" }, facts.slice(0, SHOWN).map(item)),
    rest.length
      ? h("details", {}, h("summary", {}, `and ${rest.length} more`), h("ul", { class: "facts" }, rest.map(item)))
      : null,
  );
}

const keyOf = (fact) => [fact.subject, fact.relation, fact.object, fact.time].join("\u0000");

/** What events do together, and how few are enough. */
function more({ answer, groups, sufficient }) {
  return h(
    "details",
    { class: "more-reasons" },
    h("summary", {}, "Events together, and how few are enough"),
    groups.length
      ? table(
          ["Taken away together", "Effect", "Leaves", "Rank"],
          groups.map((group) => [
            groupWords(group),
            points(group.effect),
            percent(group.probability),
            place(group.rank),
          ]),
        )
      : null,
    sufficient && [
      h(
        "p",
        { class: "quiet" },
        `Of the ${counted(sufficient.touching, "event")} of ${answer.name} only the first that speak for it are left, beside all events of others:`,
      ),
      table(
        ["Events left", "Probability", "Rank", "Of what it is now"],
        sufficient.rows.map((row) => [`${row.facts}`, percent(row.probability), place(row.rank), percent(row.kept)]),
      ),
    ],
  );
}

/** Which events a group holds, by its code. */
export function groupWords({ kind, facts, subject, relation, object, since, until }) {
  if (kind === "first") return `the ${facts} that carried most`;
  if (kind === "time") return `all ${facts} of ${since}`;
  return `${facts} of ${subject} ${relation} ${object}, ${since} to ${until}`;
}

function table(head, rows) {
  return h(
    "div",
    { class: "table-scroll", tabindex: "0", role: "region", "aria-label": head[0] },
    h(
      "table",
      { class: "small-table" },
      h(
        "thead",
        {},
        h(
          "tr",
          {},
          head.map((text) => h("th", { scope: "col" }, text)),
        ),
      ),
      h(
        "tbody",
        {},
        rows.map((row) =>
          h(
            "tr",
            {},
            row.map((text, index) => h("td", { class: index ? "number" : "" }, text)),
          ),
        ),
      ),
    ),
  );
}
