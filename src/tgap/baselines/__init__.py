"""The other methods, one file each: settings, scorer or module, and the ``Method`` that the table of methods names."""
