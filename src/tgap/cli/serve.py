"""tgap serve: the explorer in the browser and the REST API."""

from __future__ import annotations

import click

from tgap.cli.ask_options import dataset_option


@click.command("serve")
@click.argument("runs", nargs=-1, required=True, metavar="RUN...")
@dataset_option
@click.option("--host", metavar="HOST", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option(
    "--port", type=click.IntRange(0, 65535), default=8080, show_default=True, help="Port; 0 takes any free one."
)
@click.option(
    "--token",
    envvar="TGAP_TOKEN",
    metavar="TEXT",
    help="Token that every request must bring. Better given as TGAP_TOKEN, where no list of processes shows it.",
)
@click.option("--insecure", is_flag=True, help="Listen on another host than this machine without a token.")
@click.option("--threads", type=click.IntRange(min=1), metavar="N", help="Processor threads. [default: all cores]")
@click.option(
    "--waiting",
    type=click.IntRange(min=1),
    metavar="N",
    default=256,
    show_default=True,
    help="Requests that may wait for their turn; further ones, and those that could not be answered in time, get 503.",
)
@click.option(
    "--timeout",
    type=click.FloatRange(min=0, min_open=True),
    metavar="SECONDS",
    default=30.0,
    show_default=True,
    help="Longest time for one answer; then 504.",
)
@click.option("--open", "open_browser", is_flag=True, help="Open the explorer in the browser.")
@click.option("--quiet", is_flag=True, help="No log line for each request.")
def serve(
    runs: tuple[str, ...],
    dataset: str | None,
    host: str,
    port: int,
    token: str | None,
    insecure: bool,
    threads: int | None,
    waiting: int,
    timeout: float,
    open_browser: bool,
    quiet: bool,
) -> None:
    """Serve one or several RUNs: a page to ask questions and see why, and a REST API.

    RUN is a run folder or the name of a pretrained model, or, with --dataset, a method that needs no training or a
    scorer of your own (package.module:Class); among several the page lets the reader choose. Only this machine can
    reach the server unless --host says otherwise; then a token is needed. A RUN that is served alone answers about
    --dataset, too, if it knows its relations by name; among several each run keeps to its own.

    \b
    Examples:
      tgap serve icews14
      tgap serve runs/mine --port 9000 --open
      tgap serve runs/tgap runs/recency icews14
      TGAP_TOKEN=secret tgap serve icews14 --host 0.0.0.0
    """
    _check_installed()
    from tgap.errors import ConfigError
    from tgap.server.log import say, structured_log
    from tgap.server.serving import address_of, is_loopback, listen, names_of
    from tgap.server.serving import serve as serve_app

    local = is_loopback(host)
    if token is not None and (not token.strip() or token != token.strip() or not token.isascii()):
        raise ConfigError("the token is empty or holds spaces or special letters; choose plain letters and digits")
    if not local and token is None and not insecure:
        raise ConfigError(
            f"host {host} lets other machines ask; give a token with TGAP_TOKEN or --token, or say --insecure"
        )
    bound = listen(host, port)
    address = address_of(bound)

    def started() -> None:
        click.echo(f"Explorer and API: {address}  (Ctrl-C stops)")
        if open_browser:
            import webbrowser

            webbrowser.open(address)

    with structured_log(access=not quiet):
        say("loading", runs=list(runs))
        from tgap.kernels import set_threads
        from tgap.server.app import create_app
        from tgap.server.limits import Limits
        from tgap.server.models import Models

        app = create_app(
            Models.from_runs(runs, dataset),
            limits=Limits(waiting=waiting, seconds=timeout),
            token=token,
            hosts=names_of(host) if local else None,
            initialise=lambda: set_threads(threads),
        )
        say("listening", runs=list(runs), address=address)
        serve_app(app, bound, started)


def _check_installed() -> None:
    """Say how to install what is missing, before anything is loaded."""
    from importlib.util import find_spec

    from tgap.errors import DependencyError

    missing = [name for name in ("fastapi", "uvicorn", "prometheus_client") if find_spec(name) is None]
    if missing:
        raise DependencyError(
            f"the server needs {' and '.join(missing)}, not installed yet; run: pip install 'tgap[serve]'"
        )
