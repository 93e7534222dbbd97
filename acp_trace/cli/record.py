"""`acp-trace record`: the one command whose start-up time a client feels. Imports nothing heavy."""

from __future__ import annotations

import os
from typing import Annotated, Any

import typer

from acp_trace.cli.listening import AllowOrigin, AllowRemote, ListenOptions, TlsCert, TlsKey


def record(
    agent: Annotated[
        list[str] | None,
        typer.Argument(metavar="AGENT...", help="The agent's command, after `--`."),
    ] = None,
    out: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Record only into FILE, not into the spool. Its directory is created. An existing FILE is "
            "kept as NAME.1.jsonl, NAME.2.jsonl and so on. FILE is a capture until AGENT has ended, then "
            "JSON Lines.",
        ),
    ] = None,
    label: Annotated[
        list[str] | None,
        typer.Option(metavar="K=V", help="Add a label to the trace. Repeatable."),
    ] = None,
    workspace_snapshot: Annotated[
        bool,
        typer.Option(
            "--workspace-snapshot",
            help="Save the files in the sessions' directories with the trace, so that `replay` can use them. "
            "Leaves out files that git ignores, and files that may contain secrets.",
        ),
    ] = False,
    workspace_snapshot_limit: Annotated[
        str | None,
        typer.Option(
            metavar="MB", help="Save at most MB megabytes of files, the smallest first. Default: 50."
        ),
    ] = None,
    workspace_snapshot_secrets: Annotated[
        bool,
        typer.Option(
            "--workspace-snapshot-secrets", help="Also save files that may contain secrets, such as `.env`."
        ),
    ] = False,
    model: Annotated[
        bool,
        typer.Option(
            "--model",
            help="Also record the traffic between AGENT and its language model, through a proxy. API keys "
            "are not recorded. Needs `pip install 'acp-trace[model]'`. ACP_TRACE_MODEL=1 does the same.",
        ),
    ] = False,
    model_all: Annotated[
        bool,
        typer.Option("--model-all", help="Record HTTP bodies for all hosts, not only for language models."),
    ] = False,
    model_base: Annotated[
        list[str] | None,
        typer.Option(
            metavar="[NAME=]URL",
            help="Record the requests to this base URL, such as the URL of a local model. In AGENT's "
            "environment, the variable NAME (default: OPENAI_BASE_URL) is set to the URL of the recording "
            "proxy. Repeatable. If a variable such as OLLAMA_HOST contains a base URL on this machine, "
            "requests to that URL are recorded too; `--model-base off` prevents this.",
        ),
    ] = None,
    listen: Annotated[
        str | None,
        typer.Option(
            metavar="ADDRESS",
            help="Start no agent: listen at ADDRESS, such as 127.0.0.1:4180, for clients that speak ACP over "
            "HTTP or WebSocket. Needs `pip install 'acp-trace[http]'`.",
        ),
    ] = None,
    upstream: Annotated[
        str | None,
        typer.Option(metavar="URL", help="With --listen: forward everything to the agent at URL."),
    ] = None,
    allow_remote: AllowRemote = False,
    allow_origin: AllowOrigin = None,
    tls_cert: TlsCert = None,
    tls_key: TlsKey = None,
    upstream_ca: Annotated[
        str | None,
        typer.Option(
            metavar="FILE", help="If --upstream is https or wss: trust the certificates in FILE, in PEM."
        ),
    ] = None,
    header: Annotated[
        list[str] | None,
        typer.Option(
            metavar="'NAME: VALUE'",
            help="Add this header to requests to --upstream, if the client does not send it. ${VARIABLE} is "
            "filled in from the environment. The header is never recorded. Repeatable.",
        ),
    ] = None,
    no_load: Annotated[
        bool,
        typer.Option("--no-load", help="Leave the trace in the spool; the next command imports it."),
    ] = False,
) -> None:
    """Run AGENT, and record the messages between it and its client.

    Put this in your client's configuration, in front of the agent's command. Every byte is written to the
    trace, then forwarded unchanged. Exits as the agent did: with its exit code, or by the same signal. Writes
    nothing to stdout. Writes to stderr only in these cases: something is lost; the --out file stays a
    capture; the agent cannot be started (exit 127); --model saw no model calls although there were prompts;
    the traffic looks like MCP or LSP; you start the recorder in a terminal.

    With --out FILE, the recorder converts the capture to JSON Lines when AGENT has ended. The conversion
    takes about 0.05 s for 10 MB, 0.2 s for 100 MB, 0.6 s for 300 MB. If the recorder is killed before that,
    FILE stays a capture, which every command can read. To watch the frames as they happen, use `acp-trace
    frames --follow FILE`.

    With --listen, the recorder is a proxy in front of an agent that is already running. It prints the URL for
    the client, and runs until Ctrl-C. Each connection becomes a separate trace.
    """
    from acp_trace.cli.record_network import Network, check
    from acp_trace.cli.record_network import record as record_network
    from acp_trace.cli.trace_options import labels
    from acp_trace.record import recorder

    if out is not None:
        check_out(out)
    listening = ListenOptions(listen, allow_remote, tls_cert, tls_key, allow_origin or ())
    network = Network(listening, upstream, upstream_ca, header or ())
    of_agent = {
        "--workspace-snapshot": workspace_snapshot,
        "--model": model,
        "--model-all": model_all,
        "--model-base": model_base,
    }
    if check(network, agent or [], [name for name, value in of_agent.items() if value]):
        record_network(network, out=out, labels=labels(label or ()), load=not no_load)
        return
    limit = _bytes(workspace_snapshot_limit)
    more: dict[str, Any] = {"snapshot_limit": limit} if workspace_snapshot else {}
    if workspace_snapshot and workspace_snapshot_secrets:
        more["snapshot_secrets"] = True
    if model or model_all or model_base or _is_on(os.environ.get("ACP_TRACE_MODEL", "")):
        more["model"] = model_words(model_base or [], everything=model_all)
    recorder.record(agent or [], out=out, labels=labels(label or ()), load=not no_load, **more)


def _is_on(value: str) -> bool:
    return value.lower() not in ("", "0", "false", "no", "off")


def model_words(bases: list[str], *, everything: bool) -> dict[str, object]:
    """What the proxy is to do, in its own words (`acp_trace.model.proxy.settings`)."""
    from acp_trace.model.proxy import settings

    hosts = os.environ.get(settings.MAP, "")
    if os.environ.get(settings.BASE) == settings.OFF:
        bases = [*bases, settings.OFF]
    try:
        settings.hosts(hosts)
    except settings.BadSetting as bad:
        raise typer.BadParameter(str(bad), param_hint=settings.MAP) from None
    try:
        [settings.base(text) for text in bases if text != settings.OFF]
    except settings.BadSetting as bad:
        raise typer.BadParameter(str(bad), param_hint="--model-base") from None
    return {"everything": everything, "hosts": hosts, "bases": bases}


def _bytes(megabytes: str | None) -> int:
    text = "50" if megabytes is None else megabytes
    if not text.isascii() or not text.isdigit() or not int(text[:9]) > 0 or len(text) > 8:
        raise typer.BadParameter(
            f"{text!r} is not a number of megabytes above 0", param_hint="--workspace-snapshot-limit"
        )
    return int(text) * 1_000_000


def check_out(out: str) -> None:
    """Raises BadParameter if no trace can be recorded into this file. Makes its directory."""
    from acp_trace.record.outfile import obstacle, refused

    if not out:
        raise typer.BadParameter("the name is empty: give a file", param_hint="--out")
    problem = f"is {what}: give a file" if (what := refused(out)) else None
    if problem is None and (why := obstacle(out)):
        problem = f"cannot be written: {why}"
    if problem is not None:
        from acp_trace.report.safe import safe

        raise typer.BadParameter(f"{safe(out)} {safe(problem)}", param_hint="--out")
