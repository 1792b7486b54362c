"""Searching for good settings, with Optuna (``pip install 'tgap[tune]'``).

``space`` says what may vary, ``proposals`` in which order it is tried one setting after the other, ``study`` is the
folder that many processes share, ``session`` the search itself, and ``report`` what it found.
"""
