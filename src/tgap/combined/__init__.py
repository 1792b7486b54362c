"""Methods that are made of other runs."""
