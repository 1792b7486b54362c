"""From a trace to reasons: flow to an answer, measured effects, chains, walks, profiles; then text, JSON and pictures.

Shares are read from the ``Trace`` that the forward pass left; effects ask the model again with facts taken away.
Nothing here names a model: whatever is a ``Walker`` can be explained.
"""
