"""Learning the weights: batches, schedule, weight average, loop, checkpoints and what listens to them."""
