// The page of one entity: when it was active, with whom, in which relations, and its facts around a date.

import { get } from "./api.js";
import { debounced, h, reveal, s } from "./dom.js";
import { counted, whole } from "./format.js";
import { dateChip, factWords } from "./hops.js";
import { standing } from "./known.js";
import { TimeScale, ticks } from "./timescale.js";

const HEIGHT = 110;
const TOP = 6;
const BOTTOM = 84;
const FACTS = 60;

export class EntityView {
  /** ``page``: results, timeline(), entityAddress(state), ask(question), fail(error). */
  constructor(page) {
    this.page = page;
    this.looked = debounced(() => this.look(), 150);
    this.title = h("h1", { tabindex: "-1" });
    this.words = h("p", { class: "quiet" });
    this.svg = s("svg", { class: "activity", height: HEIGHT, role: "img", "aria-label": "Facts over time" });
    this.partners = h("ul", { class: "counts" });
    this.relations = h("ul", { class: "counts" });
    this.when = h("input", { id: "entity-time", type: "text", autocomplete: "off" });
    this.when.addEventListener("input", this.looked);
    this.filters = h("div", { class: "chips" });
    this.list = h("ul", { class: "detail-list entity-facts", "aria-live": "polite" });
    this.total = h("p", { class: "quiet" });
    const part = (title, list) => h("section", { class: "card entity-part" }, h("h2", {}, title), list);
    this.section = h(
      "section",
      { class: "card entity-part entity-list" },
      h("h2", {}, "Facts around"),
      h(
        "div",
        { class: "entity-filter" },
        h("label", { for: "entity-time", class: "unseen" }, "Date"),
        this.when,
        this.filters,
      ),
      this.total,
      this.list,
    );
    this.element = h(
      "div",
      { class: "entity-page" },
      h("section", { class: "card entity-head" }, this.title, this.words, this.svg, this.makeAsk()),
      part("With whom", this.partners),
      part("In which relations", this.relations),
      this.section,
    );
    new ResizeObserver(() => this.drawActivity()).observe(this.svg);
  }

  makeAsk() {
    const fill = (side) => () => this.page.fill({ [side]: this.found.entity, time: this.when.value });
    const button = (text, side) => h("button", { type: "button", class: "chip", onclick: fill(side) }, text);
    return h(
      "p",
      { class: "chips" },
      button("Ask what it does", "subject"),
      button("Ask what is done to it", "object"),
    );
  }

  /** ``state``: {entity, time, partner, relation}, as the address holds them. */
  async show(state) {
    this.state = state;
    this.title.textContent = state.entity;
    this.page.results.replaceChildren(this.element);
    try {
      const [found, timeline] = await Promise.all([get("entity", { entity: state.entity }), this.page.timeline()]);
      this.found = found;
      this.timeline = timeline;
      this.title.textContent = found.entity;
      this.words.textContent = found.total
        ? `${counted(found.total, "stored fact")} (bars: per ${counted(found.step, timeline.unit === "integer" ? "step" : timeline.unit)}), in ${whole(found.acting)} of them it acts; from ${found.first} to ${found.last}.`
        : "No stored fact holds this name.";
      this.when.value = state.time || found.last || timeline.last;
      this.drawActivity();
      await this.look();
      this.title.focus({ preventScroll: true });
    } catch (error) {
      this.page.fail(error);
    }
  }

  drawActivity() {
    const width = Math.floor(this.svg.clientWidth);
    if (!this.found || !width) return;
    const { activity, step } = this.found;
    const scale = new TimeScale(this.timeline, 0, Infinity, width);
    const most = Math.max(...activity, 1);
    const bar = Math.max(1, scale.unit * step - 0.6);
    this.svg.setAttribute("viewBox", `0 0 ${width} ${HEIGHT}`);
    this.svg.replaceChildren(
      s("text", { x: scale.left - 6, y: TOP + 8, "text-anchor": "end" }, whole(most)),
      s("line", { class: "axis", x1: scale.left, x2: scale.right, y1: BOTTOM, y2: BOTTOM }),
      ...activity.map((count, place) => {
        const high = ((BOTTOM - TOP) * count) / most;
        return s("rect", {
          class: "activity-bar",
          x: scale.x(place * step),
          y: BOTTOM - high,
          width: bar,
          height: high,
        });
      }),
      ...ticks(this.timeline, scale).map(({ x, text, anchor }) =>
        s("text", { x, y: BOTTOM + 17, "text-anchor": anchor }, text),
      ),
    );
  }

  /** Facts around the date, of the chosen partner and relation. */
  async look() {
    const { partner, relation } = this.state;
    this.drawCounts();
    try {
      const found = await get("facts", {
        entity: this.found.entity,
        time: this.when.value,
        limit: FACTS,
        partner,
        relation,
      });
      this.total.textContent = `${counted(found.total, "fact")}; those nearest to ${found.time}:`;
      const rows = found.facts.map((fact) => this.row(fact));
      this.list.replaceChildren(...rows);
      this.center(rows[nearest(found.facts)]);
      this.page.entityAddress({ ...this.state, time: found.time });
    } catch (error) {
      this.total.textContent = error.message;
      this.list.replaceChildren();
    }
  }

  /** Let the list begin around the date, not with the first of those before it. */
  center(row) {
    if (row)
      this.list.scrollTop = row.offsetTop - this.list.offsetTop - (this.list.clientHeight - row.offsetHeight) / 2;
  }

  row(fact) {
    const acts = fact.subject === this.found.entity;
    const ask = () =>
      this.page.ask({
        subject: acts ? fact.subject : "",
        relation: fact.relation,
        object: acts ? "" : fact.object,
        time: fact.time,
        answer: "",
      });
    return h(
      "li",
      {},
      dateChip(fact),
      h("span", { class: "what" }, factWords(fact)),
      h("span", { class: "number" }, standing(fact.split)),
      h("button", { type: "button", class: "link-button", onclick: ask }, "ask"),
    );
  }

  drawCounts() {
    const choose = (key, value) => () => {
      this.state = { ...this.state, [key]: this.state[key] === value ? "" : value };
      this.look().then(() => reveal(this.section));
    };
    const row = (key, name, facts) =>
      h(
        "li",
        {},
        h(
          "button",
          {
            type: "button",
            class: "count-row",
            "aria-pressed": String(this.state[key] === name),
            onclick: choose(key, name),
          },
          h("span", {}, name),
          h("span", { class: "number" }, whole(facts)),
        ),
      );
    this.partners.replaceChildren(...this.found.partners.map(({ name, facts }) => row("partner", name, facts)));
    this.relations.replaceChildren(
      ...this.found.relations.map(({ relation, facts }) => row("relation", relation, facts)),
    );
    const chosen = ["partner", "relation"].filter((key) => this.state[key]);
    this.filters.replaceChildren(
      ...chosen.map((key) =>
        h("button", { type: "button", class: "chip", onclick: choose(key, this.state[key]) }, `${this.state[key]} ✕`),
      ),
    );
  }
}

/** The place of the fact nearest to the date; they come in order of time. */
function nearest(facts) {
  const apart = facts.map(({ displacement }) => Math.abs(displacement));
  return apart.indexOf(Math.min(...apart));
}
