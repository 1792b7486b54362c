"""Documents and traces as pictures and pages: SVG, PNG, PDF and HTML.

Nothing here is needed to make a document: ``tgap.explain`` never loads matplotlib or the template engine.
"""
