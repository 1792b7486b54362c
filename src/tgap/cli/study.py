"""tgap study: the studies in ``tgap.studies``, each a command made from its entry."""

from __future__ import annotations

import click


class StudyGroup(click.Group):
    """Knows the studies by their files, and imports one only when it is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        """Names of all studies."""
        from tgap.studies import STUDIES

        return list(STUDIES.commands)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """The command of a study."""
        from tgap.cli.generated import command_of
        from tgap.studies import STUDIES

        name = STUDIES.commands.get(cmd_name)
        return None if name is None else command_of(STUDIES.find(name))

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """The list in ``tgap study --help``, without importing a study."""
        from tgap.studies import STUDIES

        with formatter.section("Commands"):
            formatter.write_dl([(title, STUDIES.summary(name)) for title, name in STUDIES.commands.items()])


@click.group("study", cls=StudyGroup)
def study() -> None:
    """Repeat the paper's studies on a run, or check its explanations."""
