"""The errors a user can meet. Every message names the bad value, what was expected, and the remedy.

A ``TgapError`` is the user's to mend: the command line prints it as one line and exits with 2, the server turns it
into its JSON error. Anything else that escapes is our own bug and keeps its traceback.
"""


class TgapError(Exception):
    """Base of all errors that a user can mend."""


class DataError(TgapError):
    """A file of facts, a date or a stored dataset is not what it should be."""


class ConfigError(TgapError):
    """A setting is unknown or out of its range."""


class QueryError(TgapError):
    """A question names something that the dataset or the model does not have."""


class CapabilityError(QueryError):
    """A method is asked for something that it does not declare it can do (``tgap.capabilities``)."""


class RunError(TgapError):
    """A run folder or a checkpoint cannot be read or written."""


class TrainingError(TgapError):
    """Training cannot go on with these settings."""


class WorkerError(TgapError):
    """Another process or machine that takes part in the work was lost, or never came."""


class DownloadError(TgapError):
    """A public dataset could not be fetched or is not the file that was expected."""


class DependencyError(TgapError):
    """An optional part of the installation is missing."""


class EvaluationError(TgapError):
    """An evaluation cannot be done as asked, or a scorer gave scores that cannot be ranked."""
