// Where a stored fact stands: among those the model has learned from, or held out to test it. Pure.

/** ``splits`` hold the fact: train, valid, test. */
export const heldOut = (splits) =>
  splits.includes("train") ? "in its training data" : `held out (${splits.join(", ")})`;
