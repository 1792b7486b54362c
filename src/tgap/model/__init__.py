"""T-GAP as modules in the paper's order."""
