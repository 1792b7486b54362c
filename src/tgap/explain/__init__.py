"""From a trace to reasons: strongest edges, paths, displacement profile, deletion check; then text, JSON and pictures.

Nothing here repeats the forward pass: explanations read the ``Trace`` that the model left. Nothing here names a model
either: whatever is an ``Explainer`` can be explained.
"""
