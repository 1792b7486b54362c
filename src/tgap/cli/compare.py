"""tgap compare: train what is missing, rank everything under one protocol, write one table."""

from __future__ import annotations

from tgap.cli.generated import command_of
from tgap.studies import STUDIES

compare = command_of(STUDIES.find("compare"))
