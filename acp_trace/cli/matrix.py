"""`acp-trace matrix`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from acp_trace.cli import build_options, common, options
from acp_trace.cli.build_options import BUILDS, Installing
from acp_trace.cli.command_classes import agent_of
from acp_trace.cli.errors import NOTHING, Misuse, fail

if TYPE_CHECKING:
    from acp_trace.builds.kept import KeptFile
    from acp_trace.builds.sources import BuildSource
    from acp_trace.builds.versions import Registry
    from acp_trace.cli.matrix_run import Matrix, MatrixRequest
    from acp_trace.cli.playable import Playable
    from acp_trace.cli.reports import Reports


class _How(NamedTuple):
    """How a matrix is made, and where it goes."""

    times: int
    jobs: int
    again: bool
    is_mock: bool
    reports: Reports


@options.with_agent_settings
def matrix(
    ctx: typer.Context,
    traces: common.Recordings,
    build: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=COMMAND", help="Add a build by its command. Repeatable.", rich_help_panel=BUILDS
        ),
    ] = None,
    npm: Annotated[
        str | None,
        typer.Option(
            metavar="PACKAGE@RANGE",
            help="Versions of an npm package: `1.17.0..1.18.33`, `^1.2`, `>=1.2 <2`, `1.0.0 || 1.2.x`.",
            rich_help_panel=BUILDS,
        ),
    ] = None,
    pypi: Annotated[
        str | None,
        typer.Option(
            metavar="PACKAGE@RANGE",
            help="Versions of a PyPI package: `0.9.0..0.10.46`, `>=0.9,<1`.",
            rich_help_panel=BUILDS,
        ),
    ] = None,
    builds: build_options.BuildsFile = None,
    bin: build_options.Bin = None,
    newest: Annotated[
        str | None,
        typer.Option(metavar="N", help="Only the newest N versions of the range.", rich_help_panel=BUILDS),
    ] = None,
    pre: build_options.Pre = False,
    install_scripts: build_options.Scripts = None,
    python: build_options.Python = None,
    mock: Annotated[
        bool,
        typer.Option("--mock", help="Play the recorded agents to clients.", rich_help_panel=BUILDS),
    ] = False,
    client: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=COMMAND",
            help="With `--mock`: a client. `{agent}` in COMMAND, or the variable ACP_TRACE_AGENT, is the "
            "agent's command. Repeatable.",
            rich_help_panel=BUILDS,
        ),
    ] = None,
    times: Annotated[
        str | None, typer.Option(metavar="N", help="Replay each recording N times. Default: 1.")
    ] = None,
    jobs: Annotated[
        str | None, typer.Option(metavar="N", help="Run N replays at the same time. Default: 1.")
    ] = None,
    again: Annotated[
        bool,
        typer.Option("--again", help="Replay everything again, even what an earlier `matrix` replayed."),
    ] = False,
    html: options.Html = None,
    junit: options.Junit = None,
    json_file: options.JsonFile = None,
    json: common.Json = False,
    **settings: Any,
) -> None:
    """Replay recordings against many builds, and show which pass.

    Arguments after `--` are passed to each build. Results are kept: to continue after Ctrl-C, run the same
    command again. The next `matrix` marks results that are new or have changed. Exits with 1 if something
    differs, with 4 if nothing could be compared, with 5 if a build could not be installed or started, died or
    hung. More: docs/builds.md.
    """
    from acp_trace.cli import playable
    from acp_trace.cli.build_runs import recordings
    from acp_trace.cli.reports import Reports

    reports = Reports(junit=junit, html=html, json_file=json_file, json=json)
    chosen = recordings(traces, settings)
    reports.check(str(each.path) for each in chosen if each.path is not None)
    count, workers = playable.number("--times", times or "1"), playable.number("--jobs", jobs or "1")
    installing = Installing(bin, install_scripts or (), python, agent_of(ctx))
    how = _How(count, workers, again, mock, reports)
    if mock or client:
        if not (mock and client):
            raise Misuse("--mock and --client NAME=COMMAND belong together")
        if build or npm or pypi or builds:
            raise Misuse("--mock plays to clients, not to builds")
        raise typer.Exit(_of_clients(chosen, client, settings, how))
    newest_ = None if newest is None else playable.number("--newest", newest)
    source = _source(build, npm, pypi, builds, installing, newest=newest_, pre=pre)
    raise typer.Exit(_of_builds(chosen, source, how))


def _source(
    build: list[str] | None,
    npm: str | None,
    pypi: str | None,
    file: str | None,
    installing: Installing,
    *,
    newest: int | None,
    pre: bool,
) -> BuildSource:
    """The builds that are asked for. Raises Misuse."""
    from acp_trace.builds.command_lines import distinct, named
    from acp_trace.builds.sources import Commands
    from acp_trace.builds.versions import chosen, package

    ways = {"--build": build, "--npm": npm, "--pypi": pypi, "--builds": file}
    asked = [option for option, value in ways.items() if value]
    if len(asked) != 1:
        words = (
            f"{' and '.join(asked)} cannot be combined: give one" if asked else "no build was given: give one"
        )
        raise Misuse(f"{words} of --build, --builds, --npm and --pypi")
    registry: Registry | None = "npm" if npm else "pypi" if pypi else None
    installing.check(registry)
    with build_options.mistakes():
        if registry is None:
            given = build_options.of_file(file) if file else distinct([named(each) for each in build or ()])
            return Commands(given, installing.arguments)
        name, wanted = package(registry, npm or pypi or "")
        listed = build_options.published(registry, name, installing.python)
        versions = chosen(registry, wanted, listed, newest=newest, pre=pre)
    if not versions:
        fail(f"{name} has no version in {wanted or 'any range'}", NOTHING)
    return build_options.packages(registry, name, versions, installing)


def _of_clients(chosen: list[Playable], clients: list[str], given: Mapping[str, Any], how: _How) -> int:
    """The matrix of clients. Raises Misuse."""
    from acp_trace.builds.command_lines import distinct, named
    from acp_trace.builds.sources import Commands
    from acp_trace.cli.client_matrix import ClientMatrix, options_of

    with build_options.mistakes():
        source = Commands(distinct([named(each) for each in clients]))
    words = options_of(given)
    return _run(chosen, source, how, lambda asked, file: ClientMatrix(asked, file, words, again=how.again))


def _of_builds(chosen: list[Playable], source: BuildSource, how: _How) -> int:
    from acp_trace.cli.matrix_run import Matrix

    return _run(chosen, source, how, lambda asked, file: Matrix(asked, file, again=how.again))


def _run(
    chosen: list[Playable], source: BuildSource, how: _How, make: Callable[[MatrixRequest, KeptFile], Matrix]
) -> int:
    """Try what is due and report all cells, even if interrupted. Return the exit code."""
    from acp_trace.builds.kept import InUse, kept
    from acp_trace.cli.matrix_output import tell
    from acp_trace.cli.matrix_run import MatrixRequest
    from acp_trace.record.afterwards import start_loader

    try:
        with kept(common.home().path, "matrix", f"{how.is_mock} {source.question}") as file:
            made = make(MatrixRequest(chosen, source, how.times, how.jobs), file)
            try:
                made.run()
            except BaseException:
                if made.grid.cells:
                    tell(made.grid, how.reports)
                raise
            finally:
                start_loader()
            return tell(made.grid, how.reports)
    except InUse as error:
        raise Misuse(str(error)) from None
