// Questions kept in the browser: the last ones that were asked, and those that were pinned. Nothing leaves the machine.

const KEY = "tgap-kept";
const MOST = 50; // questions of the history

/** The same question to the same model about the same answer is kept once. */
export const keyOf = ({ model, question }) =>
  [model, question.subject, question.relation, question.object, question.time, question.answer].join("\u0000");

export class Kept {
  /** ``storage`` is the browser's own, or anything with getItem and setItem; without any it lasts as long as the page. */
  constructor(storage) {
    this.storage = storage;
    this.memory = { history: [], pins: [] };
  }

  get all() {
    try {
      const { history, pins } = JSON.parse(this.storage.getItem(KEY));
      if (Array.isArray(history) && Array.isArray(pins)) return { history, pins };
    } catch {
      return this.memory; // forbidden, or not ours
    }
    return this.memory;
  }

  /** An entry {model, question, answer, score, sentence}: newest first, each once. */
  remember(entry) {
    const { history, pins } = this.all;
    const others = history.filter((other) => keyOf(other) !== keyOf(entry));
    this.write({ history: [entry, ...others].slice(0, MOST), pins });
  }

  /** Pin an entry, or take the pin away. */
  toggle(entry) {
    const { history, pins } = this.all;
    const others = pins.filter((other) => keyOf(other) !== keyOf(entry));
    this.write({ history, pins: others.length === pins.length ? [entry, ...pins] : others });
  }

  isPinned(entry) {
    return this.all.pins.some((other) => keyOf(other) === keyOf(entry));
  }

  forget() {
    this.write({ history: [], pins: this.all.pins });
  }

  write(all) {
    this.memory = all;
    try {
      this.storage.setItem(KEY, JSON.stringify(all));
    } catch {
      this.memory = all; // full or forbidden: kept as long as the page
    }
  }
}
