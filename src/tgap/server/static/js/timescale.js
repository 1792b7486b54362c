// From instants and shares to pixels of the time panel. Pure: numbers in, pixels and paths out.

const LEFT = 54; // room for the labels of the share axis
const RIGHT = 18;
const LABEL = 84; // pixels that a date needs
const LEVELS = [0.5, 0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001]; // shares that may be labelled
const APART = 15; // pixels between two labels of shares

/** Linear from instants to pixels: the whole timeline, or a window around an instant. */
export class TimeScale {
  constructor(timeline, instant, window, width) {
    this.left = LEFT;
    this.right = width - RIGHT;
    const all = window === Infinity;
    this.first = all ? Math.min(0, instant) : instant - window;
    this.last = all ? Math.max(timeline.span, instant, this.first + 1) : instant + window;
  }

  /** Pixels of one unit of time. */
  get unit() {
    return (this.right - this.left) / (this.last - this.first);
  }

  x(instant) {
    return this.left + (instant - this.first) * this.unit;
  }

  instant(x) {
    return this.first + (x - this.left) / this.unit;
  }

  clip(x) {
    return Math.min(Math.max(x, this.left), this.right);
  }
}

/** Labelled instants: the finest level of the timeline's round instants that has room, else evenly spread ones. */
export function ticks(timeline, scale) {
  const room = Math.max(2, Math.floor((scale.right - scale.left) / LABEL));
  const inside = (level) => level.filter(({ instant }) => instant >= scale.first && instant <= scale.last);
  const fitting = timeline.ticks.map(inside).filter((level) => level.length >= 2 && level.length <= room);
  const chosen = fitting.at(-1) ?? spread(timeline, scale, Math.min(room, 8));
  return chosen.map(({ instant, text }) => {
    const x = scale.x(instant);
    const anchor = x < scale.left + 30 ? "start" : x > scale.right - 30 ? "end" : "middle";
    return { x, text, anchor };
  });
}

function spread({ texts, step }, scale, room) {
  const from = Math.max(0, Math.ceil(scale.first / step));
  const to = Math.min(texts.length - 1, Math.floor(scale.last / step));
  const count = Math.min(room, to - from + 1);
  if (count < 2) return from <= to ? [{ instant: from * step, text: texts[from] }] : [];
  return Array.from({ length: count }, (_, place) => {
    const at = Math.round(from + ((to - from) * place) / (count - 1));
    return { instant: at * step, text: texts[at] };
  });
}

/** Root scale from shares to heights, so that small shares can be seen, with the shares to label. */
export function rootScale(most, height) {
  const top = Math.max(most, 1e-9);
  const high = (share) => height * Math.sqrt(Math.min(share / top, 1));
  const marks = [];
  for (const share of LEVELS) {
    const place = high(share);
    if (share <= top && place > APART && !marks.some((mark) => Math.abs(mark.high - place) < APART)) {
      marks.push({ share, high: place });
    }
  }
  return { high, marks };
}

/** Bars as one path: ``bars`` are {x, high}, ``width`` and ``bottom`` pixels. */
export function barPath(bars, width, bottom) {
  return bars
    .filter(({ high }) => high > 0)
    .map(
      ({ x, high }) =>
        `M${(x - width / 2).toFixed(1)} ${bottom}v-${high.toFixed(1)}h${width.toFixed(1)}v${high.toFixed(1)}z`,
    )
    .join("");
}

/** The text of the instant nearest to ``instant``; a timeline with few texts gives that of the nearest it has. */
export function textAt({ texts, step }, instant) {
  return texts[Math.min(Math.max(Math.round(instant / step), 0), texts.length - 1)];
}
