// Numbers and sentences as the command line prints them. Pure: values in, text out.

/** 31 %, 4.2 %, 0.03 %, < 0.01 %: digit for digit what ``tgap.explain.wording.percent`` prints. */
export function percent(share) {
  const value = 100 * share;
  if (value > 0 && value < 0.01) return "< 0.01 %";
  const digits = value >= 9.95 || value === 0 ? 0 : value >= 0.995 ? 1 : 2;
  return `${fixed(value, digits)} %`;
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

/** Words as a sentence: a capital in front, a full stop behind. */
export const sentence = (words) =>
  `${words.charAt(0).toUpperCase()}${words.slice(1)}${/[.!?…]$/.test(words) ? "" : "."}`;
