"""Methods of other packages, which join by an entry point.

A package declares its methods in its pyproject.toml, by the name that users write:

    [project.entry-points."tgap.methods"]
    nearest = "mine.nearest:METHOD"

``METHOD`` is a ``tgap.learner.Method`` of the same name. Installing a package is the user's choice, so such a method
may be named in files, unlike ``package.module:Class``. A broken one is left out with a warning that names its package.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib.metadata import EntryPoint, entry_points

from tgap.errors import ConfigError
from tgap.learner import Method

GROUP = "tgap.methods"


class MethodWarning(UserWarning):
    """A method of another package cannot be used; the message names the package."""


@dataclass(frozen=True)
class InstalledMethod:
    """A method that a package declares."""

    entry: EntryPoint

    @property
    def name(self) -> str:
        """As users write it."""
        return self.entry.name

    @property
    def package(self) -> str:
        """The distribution that declares it."""
        return self.entry.dist.name if self.entry.dist is not None else self.entry.module

    def load(self) -> Method:
        """The method; whatever is wrong with it is an error that names the package."""
        try:
            method = self.entry.load()
        except Exception as error:
            raise self._broken(f"it cannot be imported ({type(error).__name__}: {error})") from error
        if not isinstance(method, Method):
            raise self._broken("it is not a tgap.learner.Method")
        if method.name != self.name:
            raise self._broken(f"its own name is {method.name!r}")
        return method

    def _broken(self, reason: str) -> ConfigError:
        return ConfigError(
            f"the method {self.name!r} of the package {self.package} is broken: {self.entry.value}: {reason}; "
            f"mend, update or uninstall {self.package}"
        )


def installed_methods() -> dict[str, InstalledMethod]:
    """What installed packages declare, by name; the first package that declares a name has it."""
    found: dict[str, InstalledMethod] = {}
    for entry in entry_points(group=GROUP):
        found.setdefault(entry.name, InstalledMethod(entry))
    return found
