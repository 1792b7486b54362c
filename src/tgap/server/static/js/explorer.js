// One question at a time: its answers, why the chosen one is what it is, and the picture of the way to it.

import { AnswersCard } from "./answers.js";
import { post, postForFile } from "./api.js";
import { chainsCard } from "./chains.js";
import { CompareCard } from "./compare.js";
import { debounced, h, reveal } from "./dom.js";
import { edgeTables } from "./edgetable.js";
import { exportMenu } from "./exports.js";
import { percent } from "./format.js";
import { answerOf, askedOf, body, words } from "./question.js";
import { ReasonsCard } from "./reasons.js";
import { failedState, loadingState } from "./states.js";
import { supportCard } from "./support.js";
import { SweepCard } from "./sweep.js";
import { walkOf } from "./walk/model.js";
import { WalkCard } from "./walkcard.js";
import { DRAWN, MEASURED } from "./wanted.js";

const TOP = 10;
const PLACES = ["answers", "compare", "reasons", "walk", "sweep", "paths"];
const BELOW = ["compare", "walk", "sweep", "paths"]; // what is empty while the reasons are on their way
const NARROW = 900; // pixels below which everything stands in one column

export class Explorer {
  /** ``page``: results, kept, model(), explains(), walking(), changeModel(name), timeline(), asked(question, push, compared), entity(name), fail(error), announce(text), tell(text). */
  constructor(page) {
    this.page = page;
    this.newest = null; // of what is being asked
    this.dragged = debounced((time) => this.ask({ ...this.question, time }, { quiet: true }), 140);
    const shared = {
      whatIf: (without, added) => this.whatIf(without, added),
      entity: page.entity,
      fail: page.fail,
    };
    this.answers = new AnswersCard({
      choose: (name) => this.choose(name),
      compare: (name) => this.compare({ ...this.question, answer: name }),
      more: (count) => this.lengthen(count),
      reveal: () => this.reveal(),
      explains: page.explains,
    });
    this.reasons = new ReasonsCard({
      ...shared,
      pin: () => page.kept.toggle(this.entry()),
      isPinned: () => page.kept.isPinned(this.entry()),
    });
    this.compareCard = new CompareCard({
      ...shared,
      close: () => this.compare(null),
      open: (question) => this.ask(question),
    });
    this.sweep = new SweepCard({
      ...shared,
      ask: (time) => this.ask({ ...this.question, time }),
      compare: (time) => this.compare({ ...this.question, time, answer: this.selected }),
    });
    this.walkCard = new WalkCard({
      ...shared,
      drag: this.dragged,
      settle: (time) => {
        this.dragged.cancel();
        this.ask({ ...this.question, time }, { quiet: true, settled: true });
      },
    });
    this.menu = exportMenu(
      () => ({
        question: this.question,
        prediction: this.prediction,
        explanation: { ...this.walk.document, ...reasonsOf(this.measured) },
        walk: this.walk,
        picture: this.walkCard.picture,
        report: () => postForFile("explain.html", this.asked()),
      }),
      page.tell,
    );
    this.reasons.element.querySelector(".card-head").append(this.menu);
    this.place = Object.fromEntries(PLACES.map((name) => [name, h("div", { class: `place-${name}` })]));
    this.place.answers.append(this.answers.element);
    this.side = h("div", { class: "column side" }, this.place.answers);
    this.grid = h(
      "div",
      { class: "grid" },
      this.side,
      h("div", { class: "column" }, ...PLACES.slice(1).map((name) => this.place[name])),
    );
    keepInSight(this.side);
  }

  /** Ask and show all there is. ``quiet``: the date is moving, what is shown stays, marked, until the new is there. */
  async ask(question, { push = true, quiet = false, settled = !quiet, truth = null, compared = null } = {}) {
    const { page } = this;
    const mine = this.begin();
    const before = this.prediction?.question.time;
    this.question = question;
    this.truth = truth ?? (!quiet && this.truth?.for === words(question) ? this.truth : null);
    page.asked(question, push && settled);
    this.clear(["compare"]);
    if (quiet) this.markStale(before);
    else this.wait();
    this.setBusy(true);
    try {
      const answered = this.predict(question, mine.signal);
      const drawn = this.explain(question, DRAWN, mine.signal); // asked at once: it needs no more than the question
      this.showPrediction(await answered, question, mine);
      if (!page.explains()) await this.showSupport(mine);
      await this.showWalk(drawn, mine, !quiet);
      if (settled) await this.measure(mine);
      if (compared && !mine.signal.aborted) this.compare(compared, false);
    } catch (error) {
      this.fail(error, mine, quiet);
    } finally {
      if (this.newest === mine && settled) this.setBusy(false); // while the date moves the reasons are still to come
    }
  }

  /** Nothing to show yet, but soon. */
  wait() {
    this.page.results.replaceChildren(loadingState());
    this.setBusy(true);
  }

  /** Whether more is on its way: told to screen readers wherever a grey placeholder stands. */
  setBusy(busy) {
    if (busy) this.page.results.setAttribute("aria-busy", "true");
    else this.page.results.removeAttribute("aria-busy");
  }

  /** The best answers, and how the chosen one stands. One that is unknown spoils no list: the reasons will tell of it. */
  async predict(question, signal) {
    const asked = { ...body(question), top: TOP };
    try {
      return await post("predict", { ...asked, answer: answerOf(question) }, signal);
    } catch (error) {
      if (error.details?.field !== "answer") throw error;
      return post("predict", asked, signal);
    }
  }

  /** What is asked from now on makes everything before it void. */
  begin() {
    this.newest?.abort();
    this.newest = new AbortController();
    return this.newest;
  }

  leave() {
    this.newest?.abort();
    this.question = null;
    this.setBusy(false);
  }

  markStale(time) {
    for (const card of [this.answers, this.reasons]) card.markStale(time ?? null);
    this.grid.classList.toggle("stale", Boolean(time));
  }

  fail(error, mine, quiet = false) {
    if (error.name === "AbortError" || mine.signal.aborted) return;
    mine.abort();
    const { results } = this.page;
    const place = results.contains(this.grid) ? this.place.reasons : results;
    const words = error.code === "offline" ? "The question is kept above." : "Change the question above and ask again.";
    if (!quiet) {
      place.replaceChildren(failedState(words));
      if (place === this.place.reasons) this.clear(BELOW);
    }
    this.page.fail(error);
  }

  clear(places) {
    for (const name of places) this.place[name].replaceChildren();
  }

  showPrediction(prediction, question, mine) {
    if (mine.signal.aborted) return;
    this.prediction = prediction;
    this.selected = answerOf(question) ?? prediction.answers[0]?.name ?? "";
    if (prediction.asked) this.selected = prediction.asked.name;
    this.markStale(null);
    this.answers.show(prediction, this.selected, this.truth);
    const { results } = this.page;
    if (!results.contains(this.grid)) {
      this.place.reasons.replaceChildren(h("div", { class: "card" }, h("div", { class: "skeleton block" })));
      this.clear(BELOW);
      results.replaceChildren(this.grid);
    }
    const [best] = prediction.answers;
    const share = best && prediction.probabilities ? `, ${percent(best.score)}` : "";
    this.page.announce(best ? `${prediction.answers.length} answers. Best: ${best.name}${share}.` : "No answer.");
  }

  /** What a method without a walk leaves to show: the facts of the pair that lie nearest. */
  async showSupport(mine) {
    if (mine.signal.aborted || !this.selected) return;
    const found = await post("support", this.asked(), mine.signal);
    if (!mine.signal.aborted)
      this.place.reasons.replaceChildren(supportCard(found, this.page.walking(), this.page.changeModel));
  }

  /** An explanation of the chosen answer (where none is chosen: the best one); null where the method has none. */
  async explain(question, wanted, signal) {
    if (!this.page.explains()) return null;
    try {
      return await post("explain", { ...askedOf(question, answerOf(question)), ...wanted }, signal);
    } catch (error) {
      return error; // told where the reasons would be shown, after what is wrong with the question itself
    }
  }

  async showWalk(asked, mine, fresh) {
    const found = await asked;
    if (mine.signal.aborted || !found || !this.selected) return;
    if (found instanceof Error) throw found;
    const timeline = await this.page.timeline();
    if (mine.signal.aborted) return;
    this.walk = walkOf(found);
    this.measured = null;
    if (!this.place.reasons.contains(this.reasons.element)) this.place.reasons.replaceChildren(this.reasons.element);
    this.reasons.wait(this.walk.answer);
    if (!this.place.walk.contains(this.walkCard.element)) this.place.walk.replaceChildren(this.walkCard.element);
    this.walkCard.show(this.walk, timeline, fresh);
    if (!this.place.sweep.contains(this.sweep.element)) this.place.sweep.replaceChildren(this.sweep.element);
    this.sweep.reset(this.question, this.prediction, found.instant, timeline);
    this.place.paths.replaceChildren(
      chainsCard(this.walk, (path) => this.walkCard.trace(path)),
      edgeTables(this.walk),
    );
  }

  /** Effects of taking events away: they take longer, so they come after the picture. */
  async measure(mine) {
    if (mine.signal.aborted || !this.page.explains() || !this.walk) return;
    const found = await this.explain({ ...this.question, answer: this.selected }, MEASURED, mine.signal);
    if (mine.signal.aborted) return;
    if (found instanceof Error) throw found;
    this.measured = found;
    this.reasons.show(found, this.prediction.answers.find(({ name }) => name !== this.selected)?.name);
    this.page.kept.remember(this.entry());
  }

  /** What is shown, as it is kept in the browser. */
  entry() {
    const listed = this.prediction.answers.find(({ name }) => name === this.selected) ?? this.prediction.asked;
    const score = this.prediction.probabilities ? (listed?.score ?? null) : null;
    return {
      model: this.page.model(),
      question: { ...this.question, answer: this.selected },
      answer: this.selected,
      score,
    };
  }

  /** Show what is chosen beside another question's answer; null takes the comparison away. */
  compare(other, push = true) {
    const mine = { ...this.question, answer: this.selected };
    if (push) this.page.asked(mine, true, other);
    if (!other) {
      this.clear(["compare"]);
      return;
    }
    this.place.compare.replaceChildren(this.compareCard.element);
    this.compareCard.show(mine, other, this.newest.signal);
  }

  /** Why another answer is what it is. */
  async choose(name) {
    const mine = this.begin();
    this.selected = name;
    this.question = { ...this.question, answer: name };
    this.page.asked(this.question, true);
    this.answers.show(this.prediction, name, this.truth);
    const walks = this.page.explains();
    if (walks) this.reasons.wait(name);
    this.page.announce(`Why ${name}?`);
    if (innerWidth < NARROW) {
      reveal(this.place.reasons, "start");
      if (walks) this.reasons.title.focus({ preventScroll: true });
    }
    this.setBusy(true);
    try {
      if (!walks) await this.showSupport(mine);
      await this.showWalk(this.explain(this.question, DRAWN, mine.signal), mine, true);
      await this.measure(mine);
    } catch (error) {
      this.fail(error, mine, true);
    } finally {
      if (this.newest === mine) this.setBusy(false);
    }
  }

  async lengthen(count) {
    try {
      this.prediction = await post("predict", { ...this.asked(), top: count });
      this.answers.show(this.prediction, this.selected, this.truth);
    } catch (error) {
      this.page.fail(error);
    }
  }

  whatIf(without, added = []) {
    return post("what-if", { ...this.asked(), without, added, top: 3 });
  }

  /** The question with its open side open, and the answer that is looked at. */
  asked() {
    return askedOf(this.question, this.selected || null);
  }

  reveal() {
    this.truth = { ...this.truth, revealed: true };
    this.answers.show(this.prediction, this.selected, this.truth);
    this.page.announce(`The true answer is ${this.truth.answers[0]}.`);
  }
}

/** What only the slower explanation knows. */
function reasonsOf(measured) {
  if (!measured) return {};
  const { sentence, kind, evidence, groups, flips, sufficient } = measured;
  return { sentence, kind, evidence, groups, flips, sufficient };
}

/** A column that is higher than the window stops with its end in sight, a lower one with its beginning. */
function keepInSight(column) {
  const stick = () => column.style.setProperty("--stick", `${Math.min(12, innerHeight - column.offsetHeight - 12)}px`);
  new ResizeObserver(stick).observe(column);
  addEventListener("resize", stick);
}
