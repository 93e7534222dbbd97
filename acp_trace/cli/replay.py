"""`acp-trace replay`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from acp_trace.cli import common, options, pending
from acp_trace.cli.command_classes import FORGOTTEN, agent_of
from acp_trace.cli.errors import Misuse
from acp_trace.replay.declared import given

if TYPE_CHECKING:
    from acp_trace.cli.outcome import Outputs
    from acp_trace.cli.playable import Playable
    from acp_trace.replay.drive.replay_and_compare import ComparedRun
    from acp_trace.report.statements.replays import Replayed


@options.with_settings
def replay(
    ctx: typer.Context,
    traces: common.Recordings,
    save: Annotated[
        str | None, typer.Option(metavar="FILE", help="Also write the trace of the run to FILE.")
    ] = None,
    update: Annotated[
        bool, typer.Option("--update", help="Accept the run as the new recording. Refused in CI.")
    ] = False,
    learn: Annotated[
        str | None,
        typer.Option(
            metavar="N", help="Run N times, and propose masks for values that vary. Changes nothing."
        ),
    ] = None,
    explain: Annotated[
        bool,
        typer.Option(
            "--explain", help="Print the plan: what is sent when, and what is rewritten. Starts nothing."
        ),
    ] = False,
    watch: Annotated[
        list[str] | None,
        typer.Option("--watch", metavar="PATH", help="Replay again whenever PATH changes. Repeatable."),
    ] = None,
    jobs: Annotated[
        str | None, typer.Option(metavar="N", help="Replay N recordings at the same time. Default: 1.")
    ] = None,
    fail_fast: Annotated[
        bool, typer.Option("--fail-fast/--keep-going", help="Stop at the first failure, or continue.")
    ] = False,
    all_: options.AllDivergences = False,
    html: options.Html = None,
    junit: options.Junit = None,
    github: options.Github = False,
    json_file: options.JsonFile = None,
    json: common.Json = False,
    **settings: Any,
) -> None:
    """Play the recorded client to AGENT, and report the differences.

    Give the agent's command after `--`, or as `agent` in NAME.replay.toml next to the trace. That file may
    also contain settings, in place of options. The run is recorded, too. Exits with 1 if something differs,
    with 2 if a mask matched nothing, with 4 if nothing could be compared, with 5 if the agent could not be
    started, died or hung. More: docs/replay.md.
    """
    from acp_trace.cli import playable
    from acp_trace.report.safe import safe
    from acp_trace.store.catalog import UnknownTrace

    agent = agent_of(ctx)
    if agent and settings["url"] is not None:
        raise Misuse("give either AGENT or --url, not both")
    overrides = given({keyword: value for keyword, value in settings.items() if value is not False}, str)

    def recordings() -> list[Playable]:
        try:
            return [playable.recorded(one, overrides, agent) for one in playable.unfolded(traces)]
        except UnknownTrace as error:
            if agent or len(traces) < 2:
                raise
            raise Misuse(f"{safe(error.why)}; {FORGOTTEN}") from None

    chosen = recordings()
    if settings["allow_terminal"] and any(playable.settings.unmatched != "workspace" for playable in chosen):
        raise typer.BadParameter("needs `--unmatched workspace`", param_hint="--allow-terminal")
    _say_stored(chosen)
    if html is not None and (explain or learn is not None):
        raise Misuse(f"--html works only for replays: leave out {'--explain' if explain else '--learn'}")
    faulty = playable.check_faults(chosen, "client")
    if explain:
        _explain(chosen, json=json)
        return
    from acp_trace.cli.outcome import Outputs
    from acp_trace.cli.reports import Reports

    reports = Reports(junit=junit, html=html, json_file=json_file, json=json, github=github)
    how = Outputs(reports, all_=all_, save=save, update=update)
    _check(chosen, how)
    if faulty and (update or learn is not None):
        raise Misuse(f"{'--update' if update else '--learn'} works only for runs without faults on purpose")
    if learn is not None:
        from acp_trace.cli.learning import learned

        learned(chosen, playable.number("--learn", learn), exact=settings["match"] is None, json=json)
        return
    workers = playable.number("--jobs", jobs or "1")
    if watch:
        from acp_trace.cli.watching import OwnFiles, watching

        own = OwnFiles(
            [*reports.files(), *([save] if save else [])],
            [one.path for one in chosen if one.path],
            rewrites=update,
        )
        watching(watch, lambda: _run(recordings(), how, workers, fail_fast=fail_fast), own)
        return
    raise typer.Exit(_run(chosen, how, workers, fail_fast=fail_fast))


def _say_stored(recordings: list[Playable]) -> None:
    """Says which sessions an agent must have in its store, before anything is started."""
    import sys

    from acp_trace.replay.drive.agent_start import is_usable
    from acp_trace.replay.plan.recording import read
    from acp_trace.replay.stored_sessions import notes
    from acp_trace.report.safe import safe

    for playable in recordings:
        if not any(
            b'"session/load"' in each.data or b'"session/resume"' in each.data for each in playable.entries
        ):
            continue
        for note in notes(read(playable.entries), playable.settings, is_usable):
            print(f"acp-trace: {safe(playable.name)}: {safe(note.message)}", file=sys.stderr)


def _run(recordings: list[Playable], how: Outputs, jobs: int, *, fail_fast: bool) -> int:
    """Replays all of them, and tells; the exit code."""
    from acp_trace.cli.outcome import Teller
    from acp_trace.cli.playing import play_all

    teller = Teller(how)
    with teller.progress(len(recordings)) as tick:

        def take(recording: Playable, judged: ComparedRun, replayed: Replayed) -> None:
            teller.take(recording, judged, replayed)
            tick()

        play_all(recordings, take, jobs=jobs, fail_fast=fail_fast)
    return teller.end(len(recordings))


def _explain(recordings: list[Playable], *, json: bool) -> None:
    from acp_trace.cli.playable import reached
    from acp_trace.replay.conversation.explain import explained
    from acp_trace.replay.drive import agent_home, model_side
    from acp_trace.replay.drive.agent_start import ExplainedStart, explained_start, is_usable
    from acp_trace.replay.plan.builder import plan
    from acp_trace.replay.plan.recording import read
    from acp_trace.replay.stored_sessions import kept

    plans = []
    for playable in recordings:
        recording = read(playable.entries)
        if (remote := reached(playable)) is not None:
            start = ExplainedStart(
                (remote.address.shown,), [], "not started: it already runs at this URL", "its own", "its own"
            )
        else:
            model = model_side.explained(recording, playable.settings)
            environment = agent_home.explained_environment(playable.settings)
            of_model = model_side.variables(recording, playable.settings, environment)
            start = explained_start(recording, playable.argv, playable.settings, model, of_model)
        directories = kept(recording, playable.settings, is_usable)
        plans.append((playable.name, start, explained(plan(recording, "client"), directories)))
    if json:
        common.print_json([{"trace": name, "agent": start, "steps": steps} for name, start, steps in plans])
        return
    from acp_trace.report.text.plans import report

    with common.paged() as out:
        for name, start, steps in plans:
            out.print(report(name, steps, out.width, start), end="", soft_wrap=True)


def _check(recordings: list[Playable], how: Outputs) -> None:
    """Refuses what cannot be, before an agent is started. Raises Lacking."""
    from acp_trace.cli.playable import reached
    from acp_trace.cli.playing import in_ci
    from acp_trace.replay.drive import model_side
    from acp_trace.replay.settings import settings_path, without_model

    for playable in recordings:
        if reached(playable) is None and not playable.argv:
            raise Misuse(
                f"{playable.name} has no agent: add `-- AGENT` or `--url URL`, or `agent` or `url` in its "
                ".replay.toml"
            )
        if (why := without_model(playable.settings, playable.entries)) is not None:
            raise Misuse(f"{playable.name} {why}")
        if how.update and playable.path is None:
            raise typer.BadParameter(f"{playable.name} is not a file", param_hint="--update")
        model_side.check(playable.entries, playable.settings)
    if how.update and in_ci():
        raise typer.BadParameter(
            "recordings are not rewritten in CI (the variable CI is set)", param_hint="--update"
        )
    if how.save and len(recordings) > 1:
        raise typer.BadParameter("accepts the run of only one TRACE", param_hint="--save")
    files = [playable.path for playable in recordings if playable.path is not None]
    how.check([str(read) for path in files for read in (path, settings_path(path), pending.of(path))])
