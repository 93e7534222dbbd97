"""`acp-trace bisect`."""

from __future__ import annotations

import os
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from acp_trace.cli import build_options, common, options
from acp_trace.cli.build_options import BUILDS, Installing
from acp_trace.cli.command_classes import agent_of
from acp_trace.cli.errors import DIED, NOTHING, Misuse, fail

if TYPE_CHECKING:
    from acp_trace.builds.sources import BuildSource
    from acp_trace.builds.versions import Registry


@options.with_agent_settings
def bisect(
    ctx: typer.Context,
    trace: common.Trace,
    good: Annotated[
        str | None,
        typer.Option(
            metavar="BUILD",
            help="The good end of the range. With --builds, the first build is the default.",
            rich_help_panel=BUILDS,
        ),
    ] = None,
    bad: Annotated[
        str | None,
        typer.Option(
            metavar="BUILD",
            help="The bad end of the range. With --builds, the last build is the default.",
            rich_help_panel=BUILDS,
        ),
    ] = None,
    npm: Annotated[
        str | None,
        typer.Option(
            metavar="PACKAGE", help="Search the versions of this npm package.", rich_help_panel=BUILDS
        ),
    ] = None,
    pypi: Annotated[
        str | None,
        typer.Option(
            metavar="PACKAGE", help="Search the versions of this PyPI package.", rich_help_panel=BUILDS
        ),
    ] = None,
    git: Annotated[
        str | None,
        typer.Option(
            metavar="DIR",
            help="Search the commits of this git repository. ARGS are then the whole command.",
            rich_help_panel=BUILDS,
        ),
    ] = None,
    build_command: Annotated[
        str | None,
        typer.Option(
            metavar="CMD",
            help="With `--git`: the shell command that builds a commit, in its checkout.",
            rich_help_panel=BUILDS,
        ),
    ] = None,
    builds: build_options.BuildsFile = None,
    bin: build_options.Bin = None,
    pre: build_options.Pre = False,
    install_scripts: build_options.Scripts = None,
    python: build_options.Python = None,
    check: Annotated[
        str | None,
        typer.Option(
            metavar="WHAT",
            help="What makes a build bad: `divergence=CODE` or `finding=CODE`. By default any difference.",
        ),
    ] = None,
    check_command: Annotated[
        str | None,
        typer.Option(
            metavar="CMD",
            help="A build is bad if this shell command fails. ACP_TRACE_RUN names the trace of the run. Exit "
            "code 125 skips the build.",
        ),
    ] = None,
    find_fix: Annotated[
        bool, typer.Option("--find-fix", help="Find the first good build after bad ones.")
    ] = False,
    times: Annotated[
        str | None,
        typer.Option(
            metavar="N",
            help="Run each build up to N times, and judge flaky builds by how often they are bad. Default: "
            "1.",
        ),
    ] = None,
    jobs: Annotated[
        str | None, typer.Option(metavar="N", help="Run N replays of a build at the same time. Default: 1.")
    ] = None,
    again: Annotated[
        bool, typer.Option("--again", help="Start over, instead of continuing an interrupted search.")
    ] = False,
    json: common.Json = False,
    **settings: Any,
) -> None:
    """Find the build that changed how a recording replays.

    Arguments after `--` are passed to each build. Builds that cannot be tried are skipped. To continue after
    Ctrl-C, run the same command again. Exits with 0 if the change was found, with 2 if the good build is not
    good or the bad build is not bad, with 4 if there is nothing to try, with 5 if no build could be run.
    More: docs/builds.md.
    """
    from acp_trace.builds.checks import BadCheck
    from acp_trace.builds.checks import check as as_check
    from acp_trace.builds.kept import InUse, kept
    from acp_trace.cli import playable
    from acp_trace.cli.bisect_output import tell
    from acp_trace.cli.bisect_run import Bisect, SearchRequest
    from acp_trace.cli.build_runs import identity, recordings
    from acp_trace.record.afterwards import start_loader

    try:
        looked_for = as_check(check, check_command)
    except BadCheck as error:
        raise typer.BadParameter(str(error), param_hint="--check") from None
    (recording, *others) = recordings([trace], settings)
    if others:
        raise Misuse(f"{trace} is a directory: name one recording")
    runs, workers = playable.number("--times", times or "1"), playable.number("--jobs", jobs or "1")
    installing = Installing(bin, install_scripts or (), python, agent_of(ctx))
    ends = (bad, good) if find_fix else (good, bad)
    ways = {"--npm": npm, "--pypi": pypi, "--git": git, "--builds": builds}
    source = _source(ways, ends, build_command, installing, find_fix=find_fix, pre=pre)
    asked = SearchRequest(recording, source, looked_for, runs, workers, find_fix)
    question = repr((identity(recording), source.question, list(source.names), looked_for, runs, find_fix))
    try:
        with kept(common.home().path, "bisect", question) as file:
            made = Bisect(asked, file, again=again)
            try:
                done = made.run()
            except KeyboardInterrupt:
                common.note("interrupted: to continue from here, run the same command again")
                raise
            finally:
                start_loader()
    except InUse as error:
        raise Misuse(str(error)) from None
    raise typer.Exit(tell(done, asked, json=json))


def _source(
    ways: dict[str, str | None],
    ends: tuple[str | None, str | None],
    command: str | None,
    installing: Installing,
    *,
    find_fix: bool,
    pre: bool,
) -> BuildSource:
    """The builds from the older end to the newer one. `ends`: these, as they were given. Raises Misuse."""
    asked = [option for option, value in ways.items() if value is not None]
    if len(asked) != 1:
        words = f"{' and '.join(asked)} cannot be combined: give" if asked else "no builds were given: give"
        raise Misuse(f"{words} one of {', '.join(ways)}")
    registry: Registry | None = "npm" if ways["--npm"] else "pypi" if ways["--pypi"] else None
    installing.check(registry)
    if command is not None and ways["--git"] is None:
        raise Misuse("--build-command needs --git")
    if (file := ways["--builds"]) is not None:
        source = _of_file(file, ends, installing, find_fix=find_fix)
    else:
        older, newer = ends
        if older is None or newer is None:
            raise Misuse("give both ends of the range: --good BUILD --bad BUILD")
        if registry is not None:
            package = ways["--npm"] or ways["--pypi"] or ""
            source = _of_registry(registry, package, (older, newer), installing, find_fix=find_fix, pre=pre)
        else:
            source = _of_repository(ways["--git"] or "", (older, newer), command, installing)
    if len(source.names) < 2:
        fail("there is nothing to try: a range needs at least two builds", NOTHING)
    return source


def _of_registry(
    registry: Registry,
    text: str,
    ends: tuple[str, str],
    installing: Installing,
    *,
    find_fix: bool,
    pre: bool,
) -> BuildSource:
    from acp_trace.builds.versions import SCHEMES, between, package, published_as

    with build_options.mistakes():
        name, wanted = package(registry, text)
        if wanted:
            raise Misuse(f"{text!r}: leave out the range: --good and --bad give it")
        listed = build_options.published(registry, name, installing.python)
        older, newer = (published_as(registry, each, listed) for each in ends)
        key = SCHEMES[registry].key
        if key(older) > key(newer):
            raise Misuse(_wrong_order(older, newer, find_fix=find_fix))
        versions = between(registry, listed, older, newer, pre=pre)
    return build_options.packages(registry, name, versions, installing)


def _of_file(
    file: str, ends: tuple[str | None, str | None], installing: Installing, *, find_fix: bool
) -> BuildSource:
    from acp_trace.builds.sources import Commands
    from acp_trace.trace import near_misses

    given = build_options.of_file(file)
    names = [build.name for build in given]
    places = []
    for end, at in zip(ends, (0, len(names) - 1), strict=True):
        if end is not None and end not in names:
            raise Misuse(f"{file} has no build {end!r}{near_misses.suggestion(end, names)}")
        places.append(at if end is None else names.index(end))
    first, last = places
    if first > last:
        raise Misuse(_wrong_order(names[first], names[last], find_fix=find_fix))
    return Commands(given[first : last + 1], installing.arguments)


def _of_repository(
    directory: str, ends: tuple[str, str], command: str | None, installing: Installing
) -> BuildSource:
    from acp_trace.builds import checkouts
    from acp_trace.builds.sources import Checkouts
    from acp_trace.builds.tools import Unavailable

    if not installing.arguments:
        raise Misuse("give the agent's command after `--`; its files are looked up in the checkout")
    if not os.path.isdir(directory):
        raise typer.BadParameter(f"there is no directory {directory}", param_hint="--git")
    repository = Path(os.path.realpath(directory))
    try:
        with build_options.mistakes():
            commits = checkouts.commits(repository, *ends, threading.Event())
    except Unavailable as error:
        fail(str(error), DIED)
    return Checkouts(common.home().path, repository, commits, installing.arguments, command)


def _wrong_order(older: str, newer: str, *, find_fix: bool) -> str:
    """The message for ends in the wrong order."""
    if find_fix:
        return f"the good build {newer} is older than the bad one, {older}: leave out --find-fix"
    return f"the good build {older} is newer than the bad one, {newer}: --find-fix finds the first good one"
