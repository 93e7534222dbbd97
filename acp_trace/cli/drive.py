"""`acp-trace drive`."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from acp_trace.cli import common, completion, options
from acp_trace.cli.command_classes import agent_of
from acp_trace.cli.errors import DIED, UNREADABLE, USAGE, Misuse, fail
from acp_trace.replay.declared import given

if TYPE_CHECKING:
    from acp_trace.replay.drive.scripted_run import ScriptedRun
    from acp_trace.replay.drive.waits import Stop
    from acp_trace.replay.faults.effects import FaultEffect
    from acp_trace.replay.settings import Settings
    from acp_trace.replay.written.announced import Announced
    from acp_trace.replay.written.exercises import DriveWish, ScriptPart
    from acp_trace.replay.written.steps import WrittenConversation
    from acp_trace.report.statements.driven import Driven

T = TypeVar("T")
#: The settings of a replay that say where an agent is and how it starts, and what is done wrong on purpose.
_SETTINGS = (
    "timeout",
    "cwd",
    "workspace",
    "agent_cwd",
    "home",
    "url",
    "headers",
    "ca",
    "allow_remote",
    "faults",
    "chaos",
)

#: The help of those whose help for a replay speaks of the recording.
_HELPS = {
    "timeout": "Give up after SECONDS of silence. Default: 60.",
    "agent_cwd": "Start AGENT in DIR. Default: the session's directory.",
    "faults": "Make a fault on purpose: 'KIND [VALUE] on METHOD [#N]', such as 'delay 5s on session/prompt "
    "#2'. The report says what AGENT did then. Repeatable. docs/faults.md lists the kinds.",
}


def drive(
    ctx: typer.Context,
    script: Annotated[
        str | None,
        typer.Argument(metavar="[SCRIPT]", help="A file with the steps of the client: docs/drive.md."),
    ] = None,
    prompt: Annotated[
        list[str] | None,
        typer.Option(metavar="TEXT", help="Send this prompt. Repeatable: all prompts go to one session."),
    ] = None,
    cancel_prompt: Annotated[
        str | None,
        typer.Option(
            metavar="TEXT", help="Send this prompt after the others, and cancel its turn at the first output."
        ),
    ] = None,
    everything: Annotated[
        bool,
        typer.Option(
            "--all", help="Try everything that the agent announces: run the script that --init prints."
        ),
    ] = False,
    init: Annotated[
        bool,
        typer.Option(
            "--init", help="Print a script that tries everything that the agent announces. Records nothing."
        ),
    ] = False,
    permission: Annotated[
        str | None,
        typer.Option(
            metavar="ANSWER",
            help="Without SCRIPT: answer permission requests with ANSWER: the kind, id or name of an option, "
            "or `cancelled`. Default: reject_once.",
        ),
    ] = None,
    login: Annotated[
        str | None, typer.Option(metavar="ID", help="Without SCRIPT: log in with this method first.")
    ] = None,
    as_: Annotated[
        str | None,
        typer.Option(
            "--as",
            metavar="CLIENT",
            help="Behave as this client did when it was recorded: acpx, jetbrains, python-sdk, toad or zed.",
            autocompletion=completion.words(completion.clients),
        ),
    ] = None,
    out: Annotated[
        str | None, typer.Option(metavar="FILE", help="Record into FILE, as `record --out` does.")
    ] = None,
    label: Annotated[
        list[str] | None, typer.Option(metavar="K=V", help="Add a label to the trace. Repeatable.")
    ] = None,
    model: Annotated[
        bool,
        typer.Option(
            "--model",
            help="Also record the calls of AGENT's language model, as `record` does.",
        ),
    ] = False,
    model_base: Annotated[
        list[str] | None,
        typer.Option(
            metavar="[NAME=]URL",
            help="Record the requests to this base URL of the model, as `record` does. Repeatable.",
        ),
    ] = None,
    json: common.Json = False,
    **settings: Any,
) -> None:
    """Talk to AGENT as a client, without an editor, and record it.

    Give prompts, a SCRIPT, or --all. AGENT works in a new directory unless you give --cwd. If the agent
    refuses a step, the report says so, and the conversation continues with the next step. Exits with 0 if all
    steps were sent, with 5 if the agent could not be started, ended too early or hung. The trace is kept
    unless the agent could not be started.
    """
    from acp_trace.cli.trace_options import labels
    from acp_trace.replay.written.exercises import CANCEL_PROMPT, DriveWish

    _check(script, prompt, cancel_prompt, permission, login, out, everything=everything or init, is_init=init)
    if out is not None:
        from acp_trace.cli.record import check_out

        check_out(out)
    wanted = DriveWish(prompt or (), cancel_prompt or CANCEL_PROMPT, permission or "reject_once", login)
    written, words = (None, ()) if script is None else _script(script)
    argv = agent_of(ctx) or list(words)
    chosen = _settings({key: value for key, value in settings.items() if value is not False}, argv)
    play = partial(_played, argv=argv, settings=chosen)
    parts: list[ScriptPart] = []
    if everything or init:
        first = replace(chosen, faults=(), chaos=None)
        written, parts, said = _exercises(partial(_played, argv=argv, settings=first), wanted)
        if init:
            _print_script(argv, written, parts, said, chosen.agent_cwd, json=json)
            return
    elif written is None:
        from acp_trace.replay.written.exercises import simple

        written = simple(wanted, cancels=cancel_prompt is not None)
    written = written if as_ is None else _acting_as(written, as_)
    words_of_model = _model(model_base or [], is_wanted=model, is_remote=chosen.url is not None)
    run = play(written, out=out, model=words_of_model, labels=labels(label or ()))
    raise typer.Exit(_tell(run, argv, out, json=json, features=everything))


def _check(
    script: str | None,
    prompt: list[str] | None,
    cancel_prompt: str | None,
    permission: str | None,
    login: str | None,
    out: str | None,
    *,
    everything: bool,
    is_init: bool,
) -> None:
    """Raises Misuse for words that do not go together."""
    given_ = {
        "--prompt": prompt,
        "--cancel-prompt": cancel_prompt,
        "--permission": permission,
        "--login": login,
    }
    if is_init and out is not None:
        raise Misuse("--init records nothing: leave out --out, and redirect the script: --init … > FILE")
    if script is not None and everything:
        raise Misuse("give either SCRIPT or --all or --init, not both")
    if script is not None and (named := [name for name, value in given_.items() if value]):
        raise Misuse(f"{named[0]} is for a conversation without SCRIPT: write it into SCRIPT")
    if script is None and not everything and not (prompt or cancel_prompt):
        raise Misuse("there is nothing to send: give --prompt TEXT, a SCRIPT, or --all")


def _script(name: str) -> tuple[WrittenConversation, Sequence[str]]:
    from acp_trace.replay.written.form import WrittenError, script
    from acp_trace.trace.os_errors import file_and_reason

    try:
        argv, written = script(Path(name).read_text(encoding="utf-8-sig"))
    except UnicodeDecodeError:
        fail(f"{name}: it is not UTF-8", USAGE)
    except WrittenError as error:
        fail(f"{name}: {error}", USAGE)
    except (OSError, ValueError) as error:  # ValueError: a name with a NUL
        fail(file_and_reason(error) if isinstance(error, OSError) else f"{name!r} is not a file", USAGE)
    return written, argv


def _acting_as(written: WrittenConversation, client: str) -> WrittenConversation:
    from acp_trace.replay.faults.agents import PREFIX
    from acp_trace.replay.written.profiles import PROFILES, acting_as

    if client.startswith(PREFIX):
        where = "only `mock` and `conform --client` can act as it"
        raise typer.BadParameter(f"{client} is an agent: {where}", param_hint="--as")
    if client not in PROFILES:
        raise typer.BadParameter(f"{client!r} is not one of {', '.join(PROFILES)}", param_hint="--as")
    return acting_as(written, client)


def _settings(options_: dict[str, Any], argv: Sequence[str]) -> Settings:
    from acp_trace.cli.playable import fail_lines
    from acp_trace.replay.settings import SettingError, Settings, changed

    if argv and options_.get("url") is not None:
        raise Misuse("give either AGENT or --url, not both")
    if not argv and options_.get("url") is None:
        raise Misuse("no agent was given: put its command after `--`, or give --url")
    try:
        return changed(Settings(), given(options_, str), Path.cwd())
    except SettingError as error:
        fail_lines(str(error))


def _model(bases: list[str], *, is_wanted: bool, is_remote: bool) -> dict[str, object] | None:
    from acp_trace.cli.record import model_words

    if not (is_wanted or bases):
        return None
    if is_remote:
        raise Misuse("--model needs an agent that acp-trace starts")
    return model_words(bases, everything=False)


def _played(
    written: WrittenConversation, *, argv: Sequence[str], settings: Settings, **more: Any
) -> ScriptedRun:
    """Play it, with a progress line. A signal ends it; the recording so far stays."""
    from acp_trace.cli.playable import fail_lines
    from acp_trace.replay.drive.scripted_run import drive as played
    from acp_trace.replay.settings import SettingError

    try:
        return _interruptible(lambda stop: played(written, argv, settings, stop=stop, **more), _say_kept)
    except SettingError as error:
        fail_lines(str(error))


def _say_kept(run: ScriptedRun) -> None:
    from acp_trace.report.safe import safe

    if run.entries:
        where = run.file if run.file is not None and run.file.endswith(".jsonl") else run.trace_id
        print(f"acp-trace: interrupted; what was recorded so far: {safe(where)}", file=sys.stderr)


def _interruptible(work: Callable[[Stop], T], on_interrupt: Callable[[T], None]) -> T:
    """Does it in a thread, so that a signal is felt, and the agent is ended before it ends us.

    `on_interrupt`: is given what there is after Ctrl-C.
    """
    from concurrent.futures import ThreadPoolExecutor

    from acp_trace.cli.signals import Deferred, Interruptible
    from acp_trace.record.afterwards import start_loader
    from acp_trace.replay.drive.waits import Stop, result_of

    with Deferred():
        stop, pool = Stop(), ThreadPoolExecutor(max_workers=1)
        try:
            future = pool.submit(work, stop)
            with Interruptible():
                return result_of(future)
        except KeyboardInterrupt:
            stop.set()
            pool.shutdown(wait=True)
            if future.exception() is None:
                on_interrupt(future.result())
            raise
        finally:
            stop.set()
            pool.shutdown(wait=True)
            stop.close()
            start_loader()


def _exercises(
    play: Callable[..., ScriptedRun], wanted: DriveWish
) -> tuple[WrittenConversation, list[ScriptPart], Announced]:
    """What tries all that the agent announces: asked in a session of its own, whose trace is not kept."""
    import tempfile

    from acp_trace.replay.plan.recording import read
    from acp_trace.replay.written.announced import announced
    from acp_trace.replay.written.exercises import conversation, exercises, first

    with tempfile.TemporaryDirectory(prefix="acp-trace-") as directory:
        run = play(first(wanted), out=os.path.join(directory, "first.jsonl"))
    refused = next((each for each in run.outcomes if each.status == "refused"), None)
    why = run.why or (None if refused is None else f"the agent refused {refused.step.shown}: {refused.why}")
    if why is not None:
        login = " (log in first: --login ID)" if refused is not None and "-32000" in refused.why else ""
        fail(f"{why}{login}", DIED)
    said = announced(read(run.entries))
    parts = exercises(said, wanted)
    return conversation(parts, wanted), parts, said


def _print_script(
    argv: Sequence[str],
    written: WrittenConversation,
    parts: Sequence[ScriptPart],
    said: Announced,
    agent_cwd: Path | str | None,
    *,
    json: bool,
) -> None:
    from acp_trace.replay.written.spelling import spelled
    from acp_trace.report.safe import safe_lines

    text = spelled(argv, written, parts, None if agent_cwd is None else str(agent_cwd))
    if json:
        common.print_json({"acp_trace_drive": 1, "script": text, "announced": said.capabilities})
    else:
        sys.stdout.write(safe_lines(text))


def _tell(run: ScriptedRun, argv: Sequence[str], out: str | None, *, json: bool, features: bool) -> int:
    """Print the result. Return the exit code."""
    from acp_trace.report.safe import safe

    if not run.started and not run.entries:
        fail(run.why or "", DIED)
    if not run.entries:
        fail(f"nothing was recorded: {'; '.join(run.losses) or f'{out} keeps nothing'}", UNREADABLE)
    found = _driven(run, argv, out)
    for loss in run.losses:
        print(f"acp-trace: {safe(loss)}", file=sys.stderr)
    if json:
        from acp_trace.report.json.driven import as_json

        common.print_json(as_json(found))
    else:
        from acp_trace.report.text.driven import report

        console = common.console()
        console.print(report(found, console.width, features=features), end="")
    if out is not None:
        from acp_trace.redact.watch import Watch

        watch = Watch()
        for entry in run.entries:
            watch.feed(entry.raw + b"\n")
        common.say_secrets(watch.words())
    return 0 if run.why is None else DIED


def _driven(run: ScriptedRun, argv: Sequence[str], out: str | None) -> Driven:
    """The session as reports want it."""
    from acp_trace.analyze.listing import command_name
    from acp_trace.cli.playing import shown_faults
    from acp_trace.replay.plan.recording import read
    from acp_trace.replay.written.announced import announced, exercised
    from acp_trace.report.statements.driven import Driven, DrivenPart
    from acp_trace.trace.parse import stderr_lines

    recording = read(run.entries)
    said = announced(recording)
    return Driven(
        run.trace_id,
        None if out is None else run.file,
        said.agent or (command_name(argv) if argv else ""),
        len(recording.messages),
        [DrivenPart(each.step.shown, each.status, each.why) for each in run.outcomes],
        run.stops,
        [DrivenPart(*feature) for feature in exercised(recording, said)],
        run.notes,
        run.why,
        shown_faults(_effects(run)),
        stderr_lines(run.entries),
    )


def _effects(run: ScriptedRun) -> Sequence[FaultEffect]:
    """The outcome of the deliberate faults."""
    if not run.faults:
        return ()
    from acp_trace.analyze.analyzer import Analyzer
    from acp_trace.replay.faults.effects import effects

    analyzer = Analyzer(envelopes=0)
    for entry in run.entries:
        analyzer.feed(entry)
    return effects(run.faults, run.hits, run.entries, analyzer.facts(), "client", died=run.why is not None)


options.with_settings(drive, _SETTINGS, _HELPS)
