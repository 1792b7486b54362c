"""tgap backtest: what forecasts would have been worth, window by window."""

from __future__ import annotations

from tgap.cli.generated import command_of
from tgap.studies import STUDIES

backtest = command_of(STUDIES.find("backtest"))
