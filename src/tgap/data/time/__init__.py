"""Time in datasets: ``read_times`` turns texts into instants on a ``Timeline``, which prints them again."""

from tgap.data.time.calendar import MONDAY, date_from_days
from tgap.data.time.reading import EXPECTED, Times, are_dates, are_times, read_times
from tgap.data.time.timeline import UNITS, Timeline, Unit, When

__all__ = [
    "EXPECTED",
    "MONDAY",
    "UNITS",
    "Timeline",
    "Times",
    "Unit",
    "When",
    "are_dates",
    "are_times",
    "date_from_days",
    "read_times",
]
