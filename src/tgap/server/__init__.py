"""The web service and its page: operations of ``tgap.asking`` over HTTP. Needs the extra ``tgap[serve]``.

``tgap.server.app.create_app(model)`` is the whole application. Nothing is imported here, so that the
command line can look at a port or a token before it loads a model.
"""
