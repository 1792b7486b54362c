// Where a stored fact stands: among those the model has learned from, held out to test it, or appended later. Pure.

/** ``splits`` hold the fact: train, valid, test, context. */
export function heldOut(splits) {
  if (splits.includes("train")) return "in its training data";
  return splits.includes("context") ? "appended after training" : `held out (${splits.join(", ")})`;
}

/** The same of one fact, in a word or two. */
export const standing = (split) => ({ train: "learned from", context: "appended" })[split] ?? "held out";
