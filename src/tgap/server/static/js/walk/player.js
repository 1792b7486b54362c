// Play the walk: a curtain opens from column to column while sparks carry attention along the links. A new walk is drawn
// whole at once; sparks run over it a first time to show which way it goes.

import { s, stillPlease } from "../dom.js";
import { along } from "./layout.js";

const STEP = 1500; // milliseconds a step
const MOST = 70; // sparks at once

export class Player {
  /** ``tell(step, playing)`` hears where the walk stands. */
  constructor(picture, tell) {
    this.picture = picture;
    this.tell = tell;
    this.progress = 0;
    this.playing = false;
    this.frame = 0;
  }

  get length() {
    return this.picture.walk.length;
  }

  /** A new walk: shown whole at once; ``fresh`` lets sparks run over it. */
  reset(fresh) {
    this.go(this.length);
    if (fresh && !stillPlease()) this.run(0, STEP / 2, () => {});
  }

  toggle() {
    if (this.playing) {
      this.stop();
      this.go(Math.ceil(this.progress));
      return;
    }
    if (this.progress >= this.length) this.progress = 0;
    if (stillPlease()) this.go(Math.floor(this.progress) + 1);
    else this.open();
  }

  /** Stand after ``step`` steps. */
  go(step) {
    this.stop();
    this.progress = Math.min(Math.max(step, 0), this.length);
    this.picture.reveal(this.progress);
    this.picture.follow(this.progress);
    this.tell(this.progress, false);
  }

  stop() {
    cancelAnimationFrame(this.frame);
    this.playing = false;
    this.picture.sparks?.replaceChildren();
  }

  /** Open the curtain from where the walk stands. */
  open() {
    this.playing = true;
    this.run(this.progress, STEP, (progress, entered) => {
      this.progress = progress;
      this.picture.reveal(progress);
      this.picture.follow(progress);
      if (entered !== null) this.tell(entered, true);
      if (progress >= this.length) this.go(this.length);
    });
  }

  /** Let sparks run from ``from`` to the end; ``moved(progress, step just entered or null)`` hears every frame. */
  run(from, duration, moved) {
    cancelAnimationFrame(this.frame);
    let progress = from;
    let last = performance.now();
    let step = -1;
    let sparks = [];
    const tick = (now) => {
      progress = Math.min(progress + Math.min(Math.max(now - last, 0), 60) / duration, this.length);
      last = now;
      const current = Math.min(Math.floor(progress), this.length - 1);
      const entered = current === step ? null : current;
      if (entered !== null) {
        step = current;
        sparks = this.ignite(step);
      }
      for (const spark of sparks) spark.move(progress - step);
      if (progress < this.length) this.frame = requestAnimationFrame(tick);
      else this.picture.sparks.replaceChildren();
      moved(progress, entered);
    };
    this.frame = requestAnimationFrame(tick);
  }

  /** Sparks of a step: more where more attention flows. */
  ignite(step) {
    const { view, layout } = this.picture;
    const drawn = layout.links.filter(({ link }) => link.step === step + 1);
    const total = drawn.reduce((sum, { link }) => sum + link[view], 0) || 1;
    const sparks = [];
    for (const { link, points, width } of drawn) {
      const count = Math.max(1, Math.round((MOST * link[view]) / total / 2));
      for (let place = 0; place < count && sparks.length < MOST; place += 1) {
        const circle = s("circle", { class: `spark ${link.sign}`, r: Math.min(2 + width / 5, 4.4).toFixed(1) });
        const delay = (place / count) * 0.16;
        sparks.push({
          circle,
          move(part) {
            const at = Math.min(Math.max((part - delay) / (0.97 - delay), 0), 1);
            const [x, y] = along(points, 1 - (1 - at) ** 1.4);
            circle.setAttribute("cx", x.toFixed(1));
            circle.setAttribute("cy", y.toFixed(1));
            circle.setAttribute("opacity", at <= 0 || at >= 1 ? 0 : 0.95);
          },
        });
      }
    }
    this.picture.sparks.replaceChildren(...sparks.map((spark) => spark.circle));
    return sparks;
  }
}
