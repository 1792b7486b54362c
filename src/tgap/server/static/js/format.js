// Numbers and sentences as the command line prints them. Pure: values in, text out.

/** 31 %, 4.2 %, 0.03 %, < 0.01 %: digit for digit what ``tgap.explain.wording.percent`` prints; less than all is never 100 %. */
export function percent(share) {
  const value = 100 * share;
  if (value > 0 && value < 0.01) return "< 0.01 %";
  if (value >= 99.5 && value < 100) return `${fixed(Math.min(value, 99.94), 1)} %`;
  const digits = value >= 9.95 || value === 0 ? 0 : value >= 0.995 ? 1 : 2;
  return `${fixed(value, digits)} %`;
}

/** A difference of probabilities in percentage points, signed: +8.4, −0.12; as ``tgap.explain.wording.points``. */
export function points(effect) {
  const value = 100 * Math.abs(effect);
  if (value < 0.005) return "0";
  const digits = value >= 9.95 ? 0 : value >= 0.995 ? 1 : 2;
  return `${effect > 0 ? "+" : "−"}${fixed(value, digits)}`;
}

/** ``toFixed``, but a number exactly half way goes to the even digit, as in Python. */
function fixed(value, digits) {
  const scaled = value * 10 ** digits;
  const halfWay = Number.isInteger(8 * value) && Math.abs(scaled % 1) === 0.5; // halves, quarters, eighths are exact
  if (!halfWay) return value.toFixed(digits);
  return ((2 * Math.round(scaled / 2)) / 10 ** digits).toFixed(digits);
}

/** 12,345. */
export const whole = (number) => Math.round(number).toLocaleString("en");

/** 1 fact, 1,200 facts. */
export const counted = (number, word) => `${whole(number)} ${word}${number === 1 ? "" : "s"}`;

/** A rank: 3, or 2.5 where answers share a place. */
export const place = (rank) => (Number.isInteger(rank) ? `${rank}` : rank.toFixed(1));

/** A name in at most ``most`` letters, cut in the middle: what tells people apart often stands at its end. */
export function shortened(name, most) {
  if (name.length <= most) return name;
  const tail = Math.ceil((most - 1) * 0.6);
  return `${name.slice(0, most - 1 - tail).trimEnd()}…${name.slice(name.length - tail).trimStart()}`;
}

/** Words in which no line ends between a number and its percent sign. */
export const unbroken = (words) => words.replaceAll(" %", "\u00a0%");

/** Words as a sentence: a capital in front, a full stop behind. */
export const sentence = (words) =>
  `${words.charAt(0).toUpperCase()}${words.slice(1)}${/[.!?…]$/.test(words) ? "" : "."}`;

/** How far a probability like this can be trusted, as ``tgap.explain.wording.calibration_words`` says it. */
export function calibrationWords({ answer, low, high, answers, right, calibrated, split }) {
  const given = [low, high].map((share) => Number((100 * share).toPrecision(6)));
  return `Answers given ${given[0]} to ${given[1]} % were right ${percent(right)} of the time (n = ${whole(answers)}, ${split}); calibrated, ${answer} has ${percent(calibrated)}.`;
}
