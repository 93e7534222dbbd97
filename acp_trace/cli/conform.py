"""`acp-trace conform`."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from acp_trace.cli import ci_output, common, completion, options
from acp_trace.cli.command_classes import agent_of
from acp_trace.cli.errors import DIED, DIFFERS, NOTHING, Misuse, fail, unread

if TYPE_CHECKING:
    from acp_trace.conform.drive import Probed
    from acp_trace.conform.judge import Conformance
    from acp_trace.conform.requirement import Side
    from acp_trace.report.statements.kit import KitBeside
    from acp_trace.trace.entries import Entry


def conform(
    ctx: typer.Context,
    traces: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="TRACE",
            help="Judge these recordings, or those in these directories, instead of driving a peer. "
            f"Each is {common.NAMED}.",
            autocompletion=completion.traces,
        ),
    ] = None,
    client: Annotated[
        bool,
        typer.Option("--client", help="Try or judge a client instead of an agent. Its command follows `--`."),
    ] = False,
    prompt: Annotated[
        list[str] | None,
        typer.Option(metavar="TEXT", help="Send this prompt. Repeatable: one turn each."),
    ] = None,
    cancel_prompt: Annotated[
        str | None,
        typer.Option(
            metavar="TEXT", help="Send this prompt in turns that are cancelled. It must take some seconds."
        ),
    ] = None,
    login: Annotated[
        str | None,
        typer.Option(metavar="ID", help="Log in with this method at the start of each conversation."),
    ] = None,
    url: Annotated[
        str | None,
        typer.Option(
            metavar="URL",
            help="Try the agent that serves ACP at URL, on this machine, over HTTP or WebSocket.",
        ),
    ] = None,
    agent_cwd: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Start AGENT in DIR. Default: a new, empty directory.")
    ] = None,
    timeout: Annotated[
        str | None,
        typer.Option(
            metavar="SECONDS",
            help="How long the agent may be silent, or the client may run, before it counts as hanging. "
            "Default: 60; 30 for a client.",
        ),
    ] = None,
    traces_to: Annotated[
        str | None,
        typer.Option(
            "--traces",
            metavar="DIR",
            help="Write the traces to DIR, a new or empty directory, instead of the store.",
        ),
    ] = None,
    as_: Annotated[
        list[str] | None,
        typer.Option(
            "--as",
            metavar="AGENT",
            help="With --client: run the client only with this faulty agent, such as agent:ignores-cancel. "
            "Repeatable. docs/faults.md lists the agents. By default, the client runs once for "
            "each behaviour in docs/conform.md.",
            autocompletion=completion.words(completion.agents),
        ),
    ] = None,
    tck: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Compare the verdicts with a JSON report of acp-tck. With neither TRACE nor AGENT, judge "
            "the report's transcripts.",
        ),
    ] = None,
    junit: options.Junit = None,
    html: options.Html = None,
    badge: Annotated[str | None, typer.Option(metavar="FILE", help="Write a badge to FILE, as SVG.")] = None,
    json_file: options.JsonFile = None,
    json: common.Json = False,
) -> None:
    """Check whether an agent or a client conforms to the protocol.

    With `-- AGENT`, holds short conversations, each with a new process, and judges their recordings by the
    requirements of the test kit acp-tck and of acp-trace. With TRACEs, judges these recordings. Exits with 1
    if a mandatory requirement or a requirement of an announced capability fails, with 5 if the peer could not
    be run. More: docs/conform.md.
    """
    peer = agent_of(ctx)
    _check(
        peer,
        traces or [],
        url,
        client=client,
        prompt=prompt,
        cancel_prompt=cancel_prompt,
        login=login,
        agent_cwd=agent_cwd,
        has_report=bool(tck),
    )
    if as_ and not (peer and client):
        raise Misuse("--as works only if a client is driven: add `--client -- CLIENT`")
    from acp_trace.cli.reports import Reports
    from acp_trace.conform.judge import judge

    reports = Reports(junit=junit, html=html, badge=badge, json_file=json_file, json=json)
    reports.check(traces or [])

    side: Side = "client" if client else "agent"
    kit = None
    if tck is not None:
        from acp_trace.cli.kit_report import KitReport

        kit = KitReport(tck)
    if peer or url is not None:
        agents = options.agents(as_ or ())
        directory = _directory(traces_to)
        probed = _probed(
            peer, url, prompt, cancel_prompt, login, agent_cwd, timeout, directory, agents, is_client=client
        )
    else:
        if timeout is not None or traces_to is not None:
            raise Misuse(
                f"{'--timeout' if timeout else '--traces'} works only if a peer is driven: add `-- AGENT`"
            )
        is_of_kit = kit is not None and not traces
        probed = kit.transcripts() if kit and is_of_kit else _recorded(traces or [], keeps=html is not None)
    conformance = judge(probed.traces, side, probed.notes)
    beside = None if kit is None else kit.beside(conformance)
    with unread():
        if html is not None:
            from acp_trace.cli.page_output import write_conform

            write_conform(html, conformance, probed.files)
        reports.write(
            lambda: _document(conformance, beside),
            junit=lambda: _junit(conformance),
            badge=lambda: _badge(conformance),
        )
        if reports.leaves_text:
            from acp_trace.report.text.conform import report

            console = common.console()
            width = min(console.width, 80)
            console.print(report(conformance, width), end="", soft_wrap=True)
            if probed.stderr:
                from acp_trace.report.text.last_output import last_output

                said = last_output(probed.stderr, len(probed.stderr), width)
                console.print(said, end="", soft_wrap=True)
            if beside is not None:
                from acp_trace.report.text.conform_kit import beside as kit_text

                console.print(kit_text(beside, width), end="", soft_wrap=True)
    raise typer.Exit(_code(conformance, probed, is_driven=bool(peer or url)))


def _check(
    peer: Sequence[str],
    traces: Sequence[str],
    url: str | None,
    *,
    client: bool,
    prompt: Sequence[str] | None,
    cancel_prompt: str | None,
    login: str | None,
    agent_cwd: Path | None,
    has_report: bool,
) -> None:
    """Refuses what does not go together. Raises Misuse."""
    given = [name for name, is_given in (("-- AGENT", peer), ("--url", url), ("TRACE", traces)) if is_given]
    if len(given) > 1:
        raise Misuse(f"give either {given[0]} or {given[1]}, not both")
    if client and has_report:
        raise Misuse("--tck works only for an agent: acp-tck has no requirements for clients")
    if not given and not has_report:
        raise Misuse("give a peer to drive (`-- AGENT`, or `--client -- CLIENT`), or TRACEs to judge")
    if client and url is not None:
        raise Misuse("--url works only for an agent: leave out --client")
    is_driven_agent = (peer or url is not None) and not client
    if agent_cwd is not None and (client or not peer):
        raise Misuse("--agent-cwd works only with `-- AGENT`, and without --client")
    if agent_cwd is not None and not agent_cwd.is_dir():
        raise typer.BadParameter(f"{agent_cwd} is not a directory", param_hint="--agent-cwd")
    for name, value in (("--prompt", prompt), ("--cancel-prompt", cancel_prompt), ("--login", login)):
        if value is not None and not is_driven_agent:
            raise Misuse(f"{name} works only if an agent is driven: add `-- AGENT`")
        if value is not None and not all(
            text.strip() for text in ([value] if isinstance(value, str) else value)
        ):
            raise typer.BadParameter("the text is empty", param_hint=name)


def _directory(named: str | None) -> Path | None:
    """The directory for traces, made if it is missing. Ends with exit code 2 if it cannot be used."""
    if named is None:
        return None
    path = Path(named)
    try:
        path.mkdir(exist_ok=True)
        if any(path.iterdir()):
            raise typer.BadParameter(f"{named} is not empty: name a new directory", param_hint="--traces")
    except OSError as error:
        from acp_trace.trace.os_errors import reason

        raise typer.BadParameter(f"{named}: {reason(error)}", param_hint="--traces") from None
    return path.resolve()


def _probed(
    peer: Sequence[str],
    url: str | None,
    prompt: Sequence[str] | None,
    cancel_prompt: str | None,
    login: str | None,
    agent_cwd: Path | None,
    timeout: str | None,
    traces: Path | None,
    agents: Sequence[str],
    *,
    is_client: bool,
) -> Probed:
    """Drives the peer. Ends with 5 if it could not be run, and with 2 for a wrong setting."""
    from acp_trace.conform.drive import CannotRun, ProbeSettings, Probing
    from acp_trace.conform.probes import CANCEL_PROMPT, PROMPT
    from acp_trace.replay.drive.waits import Stop
    from acp_trace.replay.remote_agent import remote_agent
    from acp_trace.replay.settings import SettingError, Settings, seconds
    from acp_trace.report.safe import safe

    try:
        limit = None if timeout is None else seconds(timeout)
    except SettingError as error:
        raise typer.BadParameter(str(error), param_hint="--timeout") from None
    replay = Settings(url=url, timeout_ns=limit, agent_cwd=agent_cwd)
    try:
        remote_agent(replay)
    except SettingError as error:
        raise Misuse(str(error)) from None
    stop = Stop()
    try:
        with _progress() as tick:
            if is_client:
                from acp_trace.conform import drive_client
                from acp_trace.conform.behaviours import BEHAVIOURS, BY_NAME

                settings = drive_client.ClientSettings(peer, limit or drive_client.TIMEOUT_NS, traces)
                wanted = [BY_NAME[name] for name in agents] or BEHAVIOURS
                return drive_client.run_client(settings, stop, tick, wanted)
            how = ProbeSettings(
                tuple(peer),
                tuple(prompt or (PROMPT,)),
                cancel_prompt or CANCEL_PROMPT,
                traces,
                replay,
                login,
            )
            return Probing(how, stop, tick).run()
    except CannotRun as error:
        fail(str(error), DIED)
    except KeyboardInterrupt:
        where = "the store" if traces is None else str(traces)
        print(f"acp-trace: interrupted; the traces so far are in {safe(where)}", file=sys.stderr)
        raise
    finally:
        stop.close()
        if traces is None:
            from acp_trace.record.afterwards import start_loader

            start_loader()


@contextmanager
def _progress() -> Iterator[Callable[[str], None]]:
    """A function to call with the name of the next probe. A terminal shows it, on stderr.

    Without a terminal, stderr gets a line for each that is over, as from `matrix`.
    """
    if not sys.stderr.isatty():
        names: list[str] = []

        def begin(name: str) -> None:
            for before in names[-1:]:
                common.note(f"tried {before}")
            names.append(name)

        yield begin
        for last in names[-1:]:
            common.note(f"tried {last}")
        return
    from rich.console import Console

    with Console(stderr=True).status("trying …") as status:
        yield lambda name: status.update(f"trying {name} …")


def _recorded(traces: Sequence[str], *, keeps: bool) -> Probed:
    """The traces, read. `keeps`: also their entries, for the page."""
    from acp_trace.cli import playable
    from acp_trace.conform.drive import Probed
    from acp_trace.conform.evidence import evidence

    probed = Probed([], [], [])
    for name in dict.fromkeys(playable.unfolded(traces)):
        with common.opened(name) as source:
            entries: list[Entry] = list(source.entries()) if keeps else []
            shown = ci_output.path_from_here(name) or source.name
            probed.traces.append(evidence(shown, entries or source.entries()))
            if keeps:
                probed.files.append((shown, entries))
    return probed


def _document(conformance: Conformance, beside: KitBeside | None) -> object:
    from acp_trace.report.json.conform import document

    return document(conformance, beside)


def _junit(conformance: Conformance) -> bytes:
    from acp_trace.report.ci.conform_junit import junit

    return junit(conformance)


def _badge(conformance: Conformance) -> bytes:
    from acp_trace.report.badge import badge
    from acp_trace.report.statements.conformance import badge_word

    word, good = badge_word(conformance)
    return badge("ACP", word, good=good)


def _code(conformance: Conformance, probed: Probed, *, is_driven: bool) -> int:
    """The exit code."""
    spoke = [
        trace.facts.trace.frames_agent if conformance.side == "agent" else trace.facts.trace.frames_client
        for trace in probed.traces
    ]
    ended = all(trace.aborted is None for trace in probed.traces)
    if is_driven and ended and not any(spoke):
        return DIED
    if not is_driven and not any(spoke):
        return NOTHING
    return 0 if conformance.ok else DIFFERS
