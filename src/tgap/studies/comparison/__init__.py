"""Many methods on one dataset, ranked alike, in one table: train what is missing, rank, compare, write it down."""
