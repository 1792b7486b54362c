"""The web service and its page: JSON over ``tgap.predict``. Needs the extra ``tgap[serve]``.

``tgap.server.app.create_app(Service.from_run(...))`` is the whole application. Nothing is imported here, so that the
command line can look at a port or a token before it loads a model.
"""
