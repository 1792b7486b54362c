// How much of an explanation is asked for: the same everywhere, so that what was asked once is not computed again.

/** For the picture: quick. */
export const DRAWN = { effects: 0, edges: 10, bundles: 40, paths: 6, chains: 5 };

/** For the reasons: a forward pass for each event. */
export const MEASURED = { effects: 20, edges: 1, paths: 1, chains: 1 };
