"""Facade for people: names in, ranked answers with reasons out.

>>> predictor = Predictor.from_run("icews14")  # doctest: +SKIP
>>> predictor.predict("North Korea", "Threaten", "?", "2014-04-29", top=3).to_frame()  # doctest: +SKIP
"""

from tgap.explain.explanation import Explanation
from tgap.explain.options import ExplainOptions
from tgap.explain.schema import Answer, Question
from tgap.predict.prediction import Prediction
from tgap.predict.predictor import Predictor
from tgap.predict.support import Support
from tgap.predict.what_if import WhatIf

__all__ = ["Answer", "ExplainOptions", "Explanation", "Prediction", "Predictor", "Question", "Support", "WhatIf"]
