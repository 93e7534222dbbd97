"""docs/replay.md, What is rewritten: the folders of the live run in place of the recorded ones."""

from __future__ import annotations

from typing import Any

import pytest

from tests.reading.talk import answer, ask, call, hello, prompt, refuse, reply, stop, up
from tests.replay.lines import (
    reads,
)
from tests.replay.playbook import Playbook, recorded


def said(id: Any, *blocks: dict[str, Any], session: str = "s") -> Any:
    """A prompt of these blocks."""
    return ask(id, "session/prompt", sessionId=session, prompt=list(blocks))


def words(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


def new(cwd: str, **more: Any) -> Any:
    return ask("new s", "session/new", cwd=cwd, **more)


def test_the_cwd_and_what_lies_below_it_are_those_of_the_live_run() -> None:
    """Where the tables say that there are paths; `/work` is not in `/workshop`."""
    servers = [{"name": "x", "command": "/work/bin/x", "args": ["--root=/work", "/workshop"], "env": []}]
    moved = [{"name": "x", "command": "/tmp/9/bin/x", "args": ["--root=/tmp/9", "/workshop"], "env": []}]
    blocks = (
        words('read /work/a.txt and /workshop/b in /work. Or /my/work, (/work/c), "/work" or /work-2'),
        {"type": "resource_link", "uri": "file:///work/a.txt", "name": "/work/a.txt"},
        {"type": "resource", "resource": {"uri": "file:///work/a%20b", "text": "/work"}},
        words("see file:///work/x and file:///workshop/x, /work.txt and /work..."),
    )
    turned = (
        words('read /tmp/9/a.txt and /workshop/b in /tmp/9. Or /my/work, (/tmp/9/c), "/tmp/9" or /work-2'),
        {"type": "resource_link", "uri": "file:///tmp/9/a.txt", "name": "/work/a.txt"},
        {"type": "resource", "resource": {"uri": "file:///tmp/9/a%20b", "text": "/work"}},
        words("see file:///tmp/9/x and file:///workshop/x, /work.txt and /tmp/9..."),
    )  # fmt: skip
    made = answer("new s", sessionId="s")
    of = recorded(*hello(), new("/work", mcpServers=servers), made, said(1, *blocks), stop(1))
    with Playbook(of, folders={"/work": "/tmp/9"}) as book:
        book(*hello(), new("/tmp/9", mcpServers=moved), made, said(1, *turned), stop(1))


def test_a_recording_of_windows_is_played_on_linux() -> None:
    """Its paths are sent as those of the run, and what the agent asks for there is what was recorded."""
    made = answer("new s", sessionId="s")
    text = words(r'read C:\work\src\new.ts, c:/Work/b and "C:\workshop\a"')
    moved = words(r'read /tmp/9/src/new.ts, /tmp/9/b and "C:\workshop\a"')
    path, live = (
        call(1, "fs/read_text_file", sessionId="s", path=each)
        for each in (r"C:\work\src\new.ts", "/tmp/9/src/new.ts")
    )
    done = reply(1, content="x")
    of = recorded(*hello(), new(r"C:\work"), made, said(1, text), path, done, stop(1))
    with Playbook(of, folders={r"C:\work": "/tmp/9"}) as book:
        book(*hello(), new("/tmp/9"), made, said(1, moved), live, done, stop(1))


def test_errors_and_output_name_the_folders_of_the_live_run() -> None:
    """Agents show them: with the recorded folders in them, each run would look different."""
    made = answer("new s", sessionId="s")
    shell = call(1, "terminal/create", sessionId="s", command="pwd"), reply(1, terminalId="t")
    asked = call(2, "terminal/output", sessionId="s", terminalId="t")
    said, turned = (
        (
            refuse(0, -32603, f"No such file: '{cwd}/a.txt'"),
            reply(2, output=f"{cwd}\n/workshop", truncated=False),
        )
        for cwd in ("/work", "/tmp/9")
    )
    start = (*hello(), new("/work"), made, prompt(1))
    of = recorded(*start, reads(0, "/work/a.txt"), said[0], *shell, asked, said[1], stop(1))
    with Playbook(of, folders={"/work": "/tmp/9"}) as book:
        book(*hello(), new("/tmp/9"), made, prompt(1), reads(0, "/tmp/9/a.txt"), turned[0])
        book(*shell, asked, turned[1], stop(1))


def test_a_folder_with_a_blank_is_written_with_an_escape_in_a_uri() -> None:
    """In both runs."""
    made = answer("new s", sessionId="s")
    link = {"type": "resource_link", "uri": "file:///my%20work/a", "name": "a"}
    of = recorded(*hello(), new("/my work"), made, said(1, link), stop(1))
    with Playbook(of, folders={"/my work": "/tmp/a b"}) as book:
        book(*hello(), new("/tmp/a b"), made, said(1, {**link, "uri": "file:///tmp/a%20b/a"}), stop(1))


@pytest.mark.parametrize("folder", ["/", "C:\\", "/work/"])
def test_a_root_is_another_folder_where_it_stands_alone(folder: str) -> None:
    """It is in every path, so that only the whole of it is taken."""
    made = answer("new s", sessionId="s")
    of = recorded(*hello(), new(folder), made, said(1, words("/etc C:\\x")), stop(1))
    with Playbook(of, folders={folder: "/tmp/9"}) as book:
        book(*hello(), new("/tmp/9"), made, said(1, words("/etc C:\\x")), stop(1))


def test_a_folder_in_a_folder_is_found_first() -> None:
    """The longest that fits is meant."""
    inner = [ask("new t", "session/new", cwd=cwd) for cwd in ("/w/in", "/y")]
    made = answer("new s", sessionId="s"), answer("new t", sessionId="t")
    text = [said(1, words(one)) for one in ("/w/in/a /w/a /w/inn", "/y/a /x/a /x/inn")]
    of = recorded(*hello(), new("/w"), made[0], inner[0], made[1], text[0], stop(1))
    with Playbook(of, folders={"/w": "/x", "/w/in": "/y"}) as book:
        book(*hello(), new("/x"), made[0], inner[1], made[1], text[1], stop(1))


def test_a_played_agent_learns_the_folder_from_its_client() -> None:
    """Its requests and tool calls are about files in there."""
    made = answer("new s", sessionId="s")
    at = [up("tool_call", toolCallId="c", title=f"Read {cwd}/a", kind="read", locations=[{"path": f"{cwd}/a"}],
             rawInput={"path": f"{cwd}/a"}) for cwd in ("/w", "/elsewhere")]  # fmt: skip
    of = recorded(
        *hello(), new("/w"), made, prompt(1), at[0], reads(0, "/w/a"), reply(0, content="A"), stop(1)
    )
    with Playbook(of, "agent") as book:
        book(*hello(), new("/elsewhere"), made, prompt(1), at[1], reads(0, "/elsewhere/a"))
        book(reply(0, content="A"), stop(1))
