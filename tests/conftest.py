"""Torch's threads must not spin while the kernels' threads work; said before torch is loaded, as our commands do."""

import os

os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
