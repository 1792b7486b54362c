"""Messages that name options: one text in Python, another where options are written otherwise."""

from __future__ import annotations

import pickle

from tgap.errors import ConfigError, DataError, Message, Option


def flag(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def test_an_error_in_parts() -> None:
    error = ConfigError("see only the past with ", Option("past_only"), ", or wait")
    assert str(error) == "see only the past with `past_only`, or wait"
    assert error.written(flag) == "see only the past with --past-only, or wait"


def test_an_error_of_plain_text() -> None:
    error = DataError("`not_an_option` is left as it stands")
    assert str(error) == error.written(flag) == "`not_an_option` is left as it stands"


def test_messages_are_joined_with_their_options() -> None:
    inner = Message("mend it or use ", Option("skip_bad"))
    error = DataError("a.csv: ", inner, "; ", Option("unit", quoted=False), " is 3")
    assert str(error) == "a.csv: mend it or use `skip_bad`; unit is 3"
    assert error.written(flag) == "a.csv: mend it or use --skip-bad; --unit is 3"


def test_errors_travel_between_processes() -> None:
    error = pickle.loads(pickle.dumps(ConfigError("give ", Option("past_only"))))  # noqa: S301  written above
    assert isinstance(error, ConfigError)
    assert str(error) == "give `past_only`"
    assert error.written(flag) == "give --past-only"
