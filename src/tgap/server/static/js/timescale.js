// Between instants of a dataset's timeline, their texts, and pixels.

const MARGIN = 18;
const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** Linear from instants to pixels: the whole timeline, or a window around the asked time. */
export class TimeScale {
  constructor(timeline, instant, window, width) {
    this.left = MARGIN;
    this.right = width - MARGIN;
    const all = window === Infinity;
    this.first = all ? Math.min(0, instant) : instant - window;
    this.last = all ? Math.max(timeline.span, instant, this.first + 1) : instant + window;
  }

  x(instant) {
    return this.left + ((instant - this.first) / (this.last - this.first)) * (this.right - this.left);
  }

  instant(x) {
    return this.first + ((x - this.left) / (this.right - this.left)) * (this.last - this.first);
  }
}

const numeric = (text) => /^-?\d+$/.test(text);
const later = (one, other) => (numeric(one) && numeric(other) ? Number(one) > Number(other) : one > other);

/** The instant of a text by looking between its neighbours; exact where the timeline has every instant. */
function placeOf(timeline, text) {
  const { texts, step } = timeline;
  let low = 0;
  let high = texts.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (later(texts[middle], text)) high = middle;
    else low = middle + 1;
  }
  return Math.max(low - 1, 0) * step;
}

/** The instant that a walk asks about. Outside the timeline an event's displacement tells where it lies. */
export function instantOf(timeline, walk) {
  const { time } = walk.document.question;
  const exact = timeline.texts.indexOf(time);
  if (exact >= 0) return exact * timeline.step;
  const event = walk.document.steps.flatMap((step) => step.edges)[0];
  return event ? placeOf(timeline, event.time) - event.displacement : placeOf(timeline, time);
}

/** A few labelled instants: beginnings of months and years where times are days, else evenly spread. */
export function ticks(timeline, scale) {
  const room = Math.max(2, Math.floor((scale.right - scale.left) / 84));
  const { texts, step } = timeline;
  const from = Math.max(0, Math.ceil(scale.first / step));
  const to = Math.min(texts.length - 1, Math.floor(scale.last / step));
  const isDays = timeline.unit === "day" && /^\d{4}-\d{2}-\d{2}$/.test(texts[0]);
  const found = isDays && step === 1 ? months(texts, from, to, room) : spread(texts, from, to, room);
  return found.map(([place, text]) => {
    const x = scale.x(place * step);
    const anchor = x < scale.left + 30 ? "start" : x > scale.right - 30 ? "end" : "middle";
    return { x, text, anchor };
  });
}

function months(texts, from, to, room) {
  const begins = [];
  for (let place = from; place <= to; place += 1) if (texts[place].endsWith("-01")) begins.push(place);
  if (begins.length < 2) return spread(texts, from, to, room);
  const every = [1, 2, 3, 6, 12, 24, 60, 120].find((count) => begins.length / count <= room) ?? 240;
  return begins
    .filter((place) => (12 * Number(texts[place].slice(0, 4)) + Number(texts[place].slice(5, 7)) - 1) % every === 0)
    .map((place) => {
      const month = Number(texts[place].slice(5, 7));
      const year = texts[place].slice(0, 4);
      return [place, every % 12 === 0 ? year : `${MONTHS[month - 1]} ${year}`];
    });
}

function spread(texts, from, to, room) {
  const count = Math.min(room, to - from + 1, 8);
  if (count < 2) return from <= to ? [[from, texts[from]]] : [];
  return Array.from({ length: count }, (_, place) => {
    const at = Math.round(from + ((to - from) * place) / (count - 1));
    return [at, texts[at]];
  });
}
