"""More than one process or machine: the same training, answers and search, dealt out. Nothing else knows of it."""
