// Many questions: a table in, a table with answers and reasons out. Nothing is lost if some fail.

import { postForLines } from "./api.js";
import { batchTable, readQuestions } from "./csv.js";
import { h } from "./dom.js";
import { saveText } from "./exports.js";
import { percent, points } from "./format.js";
import { toAddress } from "./question.js";

const MOST = 256; // questions of one request
export const KINDS = {
  one: "one event decides it",
  few: "a few events decide it",
  pair: "the events of one pair decide it",
  many: "many events, none decides it",
  none: "no event speaks for it",
  stays: "attention stays where it was",
  unreached: "no attention arrived",
};
const STRONG = ["one", "few", "pair"];

export class BatchView {
  /** ``page``: results, explains(), model(), fail(error), tell(text). */
  constructor(page) {
    this.page = page;
    this.text = h("textarea", {
      id: "batch-text",
      rows: 8,
      spellcheck: "false",
      placeholder: "subject,relation,object,time\nNorth Korea,Threaten,?,2014-04-29",
    });
    this.file = h("input", { type: "file", id: "batch-file", accept: ".csv,text/csv,text/plain" });
    this.file.addEventListener("change", async () => {
      const [file] = this.file.files;
      if (file) this.text.value = await file.text();
    });
    this.why = h("input", { type: "checkbox", id: "batch-why", checked: true });
    this.start = h(
      "button",
      { type: "button", class: "button primary", id: "batch-start", onclick: () => this.run() },
      "Answer them",
    );
    this.stop = h(
      "button",
      { type: "button", class: "button", hidden: true, onclick: () => this.newest?.abort() },
      "Stop",
    );
    this.save = h(
      "button",
      { type: "button", class: "button", id: "batch-save", hidden: true, onclick: () => this.download() },
      "Save as CSV",
    );
    this.words = h("p", { class: "quiet", role: "status" });
    this.strong = h("input", { type: "checkbox", id: "batch-strong" });
    this.strong.addEventListener("change", () => this.draw());
    this.filter = h(
      "p",
      { class: "batch-filter", hidden: true },
      this.strong,
      h("label", { for: "batch-strong" }, "Only those with strong evidence: few events decide them"),
    );
    this.table = h("div", {});
    this.element = h(
      "section",
      { class: "card batch", "aria-labelledby": "batch-title" },
      h("h1", { id: "batch-title", tabindex: "-1" }, "Many questions"),
      h(
        "p",
        {},
        "One question per line: subject, relation, object, time, separated by commas or tabs. Write ? where the answer goes. A first line with these four words may stand above, in any order.",
      ),
      h("label", { for: "batch-text" }, "Questions"),
      this.text,
      h("p", { class: "batch-controls" }, h("label", { for: "batch-file" }, "or a file: "), this.file),
      h(
        "p",
        { class: "batch-controls" },
        this.why,
        h("label", { for: "batch-why" }, "with the reason for each best answer (slower)"),
      ),
      h("p", { class: "batch-controls" }, this.start, this.stop, this.save),
      this.words,
      this.filter,
      this.table,
    );
  }

  show() {
    this.why.disabled = !this.page.explains();
    this.why.checked &&= this.page.explains();
    this.page.results.replaceChildren(this.element);
    this.element.querySelector("h1").focus({ preventScroll: true });
  }

  async run() {
    const { questions, problem } = readQuestions(this.text.value, MOST);
    if (problem) {
      this.words.textContent = problem;
      this.text.focus();
      return;
    }
    this.newest?.abort();
    const mine = new AbortController();
    this.newest = mine;
    this.rows = questions.map((question) => ({ question, entry: null }));
    this.working(true);
    this.draw();
    try {
      const asked = questions.map((question) => ({ ...question, reason: this.why.checked, top: 3 }));
      await postForLines("bulk", { questions: asked }, (entry) => this.hear(entry), mine.signal);
    } catch (error) {
      if (error.name !== "AbortError") this.page.fail(error);
    } finally {
      if (this.newest === mine) this.working(false);
    }
  }

  working(now) {
    this.start.disabled = now;
    this.stop.hidden = !now;
    const done = this.rows.filter((row) => row.entry).length;
    this.save.hidden = now || done === 0;
    this.filter.hidden = now || !this.rows.some((row) => row.entry?.reason);
    if (!now) this.words.textContent = `${done} of ${this.rows.length} answered.`;
  }

  hear(entry) {
    this.rows[entry.index].entry = entry;
    this.words.textContent = `${this.rows.filter((row) => row.entry).length} of ${this.rows.length} …`;
    this.draw();
  }

  draw() {
    const shown = this.rows.filter(({ entry }) => !this.strong.checked || STRONG.includes(entry?.reason?.kind));
    this.table.replaceChildren(
      h(
        "div",
        { class: "table-scroll", tabindex: "0", role: "region", "aria-label": "Questions and answers" },
        h(
          "table",
          { class: "small-table batch-table" },
          h(
            "thead",
            {},
            h(
              "tr",
              {},
              ["Question", "Best answer", "", "Evidence", "Strongest event", "Effect"].map((text) =>
                h(text ? "th" : "td", text ? { scope: "col" } : {}, text),
              ),
            ),
          ),
          h(
            "tbody",
            {},
            shown.map((row) => this.row(row)),
          ),
        ),
      ),
    );
  }

  row({ question, entry }) {
    const named = {
      subject: question.subject ?? "",
      relation: question.relation,
      object: question.object ?? "",
      time: question.time,
      answer: "",
    };
    const asked = h(
      "td",
      {},
      h(
        "a",
        { href: toAddress(named, this.page.model()) },
        [named.subject || "?", named.relation, named.object || "?", named.time].join(" · "),
      ),
    );
    if (!entry) return h("tr", {}, asked, h("td", { class: "quiet", colspan: 5 }, "…"));
    if (entry.error) return h("tr", {}, asked, h("td", { class: "wrong-line", colspan: 5 }, entry.error.message));
    const [best] = entry.prediction.answers;
    const { reason } = entry;
    const strongest = reason?.strongest;
    return h(
      "tr",
      { title: reason?.sentence ?? "" },
      asked,
      h("td", {}, best?.name ?? "no answer"),
      h(
        "td",
        { class: "number" },
        best ? (entry.prediction.probabilities ? percent(best.score) : best.score.toFixed(3)) : "",
      ),
      h("td", {}, reason ? (KINDS[reason.kind] ?? "") : ""),
      h("td", {}, strongest ? `${strongest.subject} ${strongest.relation} ${strongest.object}, ${strongest.time}` : ""),
      h("td", { class: "number" }, strongest ? points(strongest.effect) : ""),
    );
  }

  download() {
    saveText("tgap-questions.csv", "text/csv", batchTable(this.rows));
    this.page.tell("Saved.");
  }
}
