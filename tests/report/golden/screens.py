"""The screens, made now: name -> text. Without colour, which means nothing that the text does not say."""

from __future__ import annotations

from collections.abc import Callable
from io import StringIO
from pathlib import Path

from rich.console import Console

from acp_trace.analyze import facts
from acp_trace.analyze.analyzer import Analyzer
from acp_trace.analyze.facts import Facts
from acp_trace.compare.timings import Timings, timings
from acp_trace.model.calls import model_calls
from acp_trace.model.comparison import compare_calls
from acp_trace.model.exchange import ModelExchange, exchanges_in
from acp_trace.normalize.moved_places import MovedPlaces
from acp_trace.replay.conversation.explain import explained
from acp_trace.replay.drive.agent_start import ExplainedStart
from acp_trace.replay.plan.builder import plan
from acp_trace.replay.plan.recording import read
from acp_trace.replay.recorded_variables import AgentVariable
from acp_trace.report.ci.places import Place
from acp_trace.report.frame_rows import Timer
from acp_trace.report.selection import select
from acp_trace.report.statements.replays import Replayed
from acp_trace.report.text import differences, model_diff, plans, replays
from acp_trace.report.text import event_list as eventlist
from acp_trace.report.text import frame_list as framelist
from acp_trace.report.text import mask_proposals as learned
from acp_trace.report.text.call_list import call_list
from acp_trace.report.text.model_diff import Compared
from acp_trace.report.text.prompt import prompt
from acp_trace.report.text.show import Page, show
from acp_trace.trace.parse import Parser
from tests.compare.conversation import (
    Edit,
    base,
    both,
    chunk,
    compared,
    drop,
    file,
    instead,
    put,
    reader,
    tool,
)
from tests.reading.talk import answer, stop, up
from tests.replay.facing import entries
from tests.report import model_story, turn_story
from tests.report.story import frames, story
from tests.support import trace

FOLDER = Path(__file__).resolve().parent
_START = ExplainedStart(
    ("node", "/home/somebody/a-project/with-a-long-path/dist/agent.js"),
    ["/home/somebody/a-project/with-a-long-path/dist/agent.js"],
    "the run's directory: in the recording, it started in /home/somebody/a-project/with-a-long-path, its session's directory",
    "yours",
    "the recorded answers, without a network",
    [
        AgentVariable("PWD", True, "the directory in which the agent starts"),
        AgentVariable("OLDPWD", False, "removed: it is from your environment"),
        *(
            AgentVariable(name, True, "all certificates to trust: with that of the proxy")
            for name in ("SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "GIT_SSL_CAINFO")
        ),
    ],
)


def _console(width: int) -> tuple[Console, StringIO]:
    out = StringIO()
    console = Console(file=out, width=width, color_system=None, highlight=False, markup=False, emoji=False)
    return console, out


def read_model(lines: bytes) -> list[ModelExchange]:
    """The exchanges with a model in the lines of a trace."""
    return exchanges_in(Parser().feed(lines))


def _show(width: int, *sections: str, since: int = 0) -> str:
    return _page(select(story(), since_frame=since), width, *sections)


def _page(found: Facts, width: int, *sections: str) -> str:
    console, out = _console(width)
    show(console, Page(found, [], False, width, False), sections)
    return out.getvalue()


def _show_model(width: int) -> str:
    """Of a trace with its model's side: what stands there of the calls."""
    return _page(turn_story.story(), width, "overview", "findings", "timeline", "model", "cancellations")


def _follow(*, alone: bool) -> str:
    console, out = _console(120)
    parser, analyzer, timer = Parser(), Analyzer(), Timer()
    for entry in parser.feed(trace(*frames(), step=40_000_000)):
        if (frame := analyzer.feed(entry)) is not None:
            fresh, row = analyzer.fresh(frame.session_id), timer.row(frame)
            if not alone:
                console.print(framelist.line(row, 120), soft_wrap=True)
            for line in eventlist.lines(frame, fresh, alone=alone, work=alone):
                console.print(line, soft_wrap=True)
    return out.getvalue()


#: What a newer build of an agent might do.
_NEWER = both(
    instead("initialized", answer(0, protocolVersion=1, agentInfo={"name": "agent", "version": "2"},
                                  agentCapabilities={"loadSession": True, "sessionCapabilities": {"list": {}}})),
    drop("fs read", "fs text", "title"),
    put("hello 1", chunk("really ")),
    instead("edit end", tool("c2", "failed")),
    put("found", ("agent", "npm WARN deprecated")),
    put("found", *(up("plan", entries=[]) for _ in range(3))),
    instead("stop 2", stop(4)),
    instead("stop 3", stop(5, "refusal")),
)  # fmt: skip


def _diff(width: int, edit: Edit = _NEWER, *masks: str) -> str:
    console, out = _console(width)
    found = compared(file(base()), file(edit(base())), masks=masks)
    names = ["traces/expected.jsonl", "traces/got.jsonl"]
    places = [Place(name, name) for name in names]
    text = differences.report(found, names, places, width, all_=False)
    console.print(text, end="", soft_wrap=True)
    return out.getvalue()


#: What Node writes as it dies.
_CRASH = (
    "node:internal/modules/cjs/loader:1147",
    "  throw err;",
    "  ^",
    "",
    "Error: Cannot find module '/agent/dist/model.js'",
    "    at Module._resolveFilename (node:internal/modules/cjs/loader:1144:15)",
    "",
    "Node.js v20.11.1",
)


def _times(trace_file: bytes) -> Timings:
    return timings(reader(trace_file).facts())


def _replay(width: int, edit: Edit | None) -> str:
    """A replay of a build that does this; None for the same build."""
    console, out = _console(width)
    found = compared(file(base()), file(edit(base()) if edit else base()))
    died = edit is not None
    budgets, hints = (), ("if the new behaviour is right: `acp-trace review` …",)
    made = Replayed(
        "traces/cancel.jsonl",
        found,
        found.equal,
        died,
        15,
        12 if died else 15,
        1_230_000_000,
        budgets if died else ("budget turn.duration max < 2s: 13.0 ms over 3 samples",),
        hints if died else (),
        timings=(_times(file(base())), _times(file(edit(base()) if edit else base()))),
        logs=34,
        last_logs=_CRASH,
    )
    places = [Place(made.name, made.name), Place(made.live_id)]
    console.print(replays.report(made, places, width, all_=False), end="", soft_wrap=True)
    return out.getvalue()


def _explain(width: int) -> str:
    console, out = _console(width)
    steps = explained(plan(read(entries(file(base()))), "client"))
    console.print(plans.report("traces/cancel.jsonl", steps, width, _START), end="", soft_wrap=True)
    return out.getvalue()


def _learned(width: int) -> str:
    console, out = _console(width)
    rows = [
        ("/params/update/title:string", 5, 'session_info_update /params/update/title "A" → "B"', True),
        ("/result/authMethods/*/_meta/env/HOME:string", 2, "initialize /result/authMethods/0 …", True),
        ("frame-missing", 1, "agent_message_chunk is no longer sent", False),
    ]
    console.print(learned.report("traces/cancel.jsonl", "exact", 5, rows, width), end="", soft_wrap=True)
    return out.getvalue()


def _calls(width: int) -> str:
    console, out = _console(width)
    console.print(call_list(_model_facts(), width, with_session=False), end="")
    return out.getvalue()


def _call(number: int, *, all_: bool = False) -> str:
    console, out = _console(80)
    call = model_calls(read_model(model_story.story()))[number - 1]
    for line in prompt(call, _model_facts()[number - 1], all_=all_):
        console.print(line, soft_wrap=True)
    return out.getvalue()


def _model_facts() -> list[facts.ModelCall]:
    analyzer = Analyzer()
    for entry in Parser().feed(model_story.story()):
        analyzer.feed(entry)
    return analyzer.facts().model_calls


def _model_diff(width: int, *, newer: bool = True, all_: bool = False) -> str:
    console, out = _console(width)
    was = model_calls(read_model(model_story.story()))
    now = model_calls(read_model(model_story.story(newer=newer, directory="/home/two")))
    found = compare_calls(was, now, MovedPlaces.of([("/w/one", "/home/two")]))
    rows = [Compared("old.jsonl", "small 1.0", 4), Compared("new.jsonl", "small 2.0", 4)]
    text = model_diff.report(rows, found, width, all_=all_)
    console.print(text, end="", soft_wrap=True)
    return out.getvalue()


SCREENS: dict[str, Callable[[], str]] = {
    "show-60": lambda: _show(60),
    "show-80": lambda: _show(80),
    "show-140": lambda: _show(140),
    "show-model-60": lambda: _show_model(60),
    "show-model-80": lambda: _show_model(80),
    "show-model-140": lambda: _show_model(140),
    "show-since": lambda: _show(100, "timeline", "findings", since=18),
    "diff-60": lambda: _diff(60),
    "diff-80": lambda: _diff(80),
    "diff-140": lambda: _diff(140),
    "diff-equal-80": lambda: _diff(80, instead("stop 3", stop(5, "refusal")), "/result/stopReason:string"),
    "replay-60": lambda: _replay(60, _NEWER),
    "replay-80": lambda: _replay(80, _NEWER),
    "replay-140": lambda: _replay(140, _NEWER),
    "replay-passed-80": lambda: _replay(80, None),
    "replay-explain-80": lambda: _explain(80),
    "replay-learn-80": lambda: _learned(80),
    "model-60": lambda: _calls(60),
    "model-80": lambda: _calls(80),
    "model-140": lambda: _calls(140),
    "model-call-140": lambda: _call(4),
    "model-call-all-140": lambda: _call(3, all_=True),
    "model-diff-60": lambda: _model_diff(60),
    "model-diff-80": lambda: _model_diff(80),
    "model-diff-all-140": lambda: _model_diff(140, all_=True),
    "model-diff-equal-80": lambda: _model_diff(80, newer=False),
    "follow": lambda: _follow(alone=False),
    "follow-events": lambda: _follow(alone=True),
}
