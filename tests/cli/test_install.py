"""`install`, `uninstall`, `where --client`: the file comes back to the byte, and whatever is odd is one line."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from acp_trace.cli import install
from tests.commands import Commands
from tests.posix import named_pipe
from tests.rights import limited
from tests.support import ACP_TRACE, Home

_ZED = b"""\xef\xbb\xbf// Zed settings\r
{\r
  "theme": "One Dark", // mine\r
  "agent_servers": {\r
    "My Agent": { "type": "custom", "command": "opencode", "args": ["acp"], },\r
    "Claude": { "type": "registry" }, /* built in */\r
  },\r
}"""


@pytest.fixture
def zed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The settings of Zed, as a person keeps them, in a home of their own."""
    for name in ("XDG_CONFIG_HOME", "FLATPAK_XDG_CONFIG_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setattr(sys, "platform", "linux")
    file = tmp_path / ".config" / "zed" / "settings.json"
    file.parent.mkdir(parents=True)
    file.write_bytes(_ZED)
    file.chmod(0o640)
    return file


def _beside(file: Path) -> list[str]:
    return sorted(each.name for each in file.parent.iterdir() if each != file)


def test_there_and_back(commands: Commands, zed: Path) -> None:
    """With a copy in between, and nothing left in the end."""
    said = commands.passes("install", "zed", "--yes")
    assert "My Agent is recorded from now on" in said
    assert '-    "My Agent": { "type": "custom", "command": "opencode"' in said
    assert (
        f'"command": "{sys.executable}", "args": ["-EP", "-m", "acp_trace", "record", "--", "opencode", "acp"]'
        in (zed.read_text("utf-8-sig"))
    )
    assert zed.stat().st_mode & 0o777 == 0o640
    assert [(zed.parent / name).read_bytes() for name in _beside(zed)] == [_ZED]
    assert "is recorded already" in commands.passes("install", "zed", "--yes")
    assert "no longer recorded" in commands.passes("uninstall", "zed", "--yes")
    assert zed.read_bytes() == _ZED
    assert _beside(zed) == []
    assert "not put a recorder" in commands.passes("uninstall", "zed", "--yes")


def test_secrets_beside_the_command_are_not_shown(commands: Commands, zed: Path) -> None:
    """The shown difference has no value of a secret name, however it stands there; the file is written with all."""
    secrets = [f"planted{number}value" for number in range(8)]
    agent = {
        "type": "custom",
        "command": f"env A_TOKEN={secrets[0]} opencode",
        "args": ["acp", "--api-key", secrets[0], f"--token={secrets[1]}"],
        "env": {
            "OPENAI_API_KEY": secrets[2],
            "HTTPS_PROXY": f"http://me:{secrets[3]}@proxy:1",
            "NODE_ENV": "production",
            "MY_PAT": f'a\\"{secrets[4]}',
            "PIN": "sk-" + "proj-abcdefgh1234567890",
        },
        "headers": {"X-UserToken": secrets[5]},
        "credentials": {"any": [secrets[6]]},
    }
    file = {"agent_servers": {"My Agent": agent}}
    lines = json.dumps(file, indent=2).replace('"NODE_ENV"', f'// "OLD_TOKEN": "{secrets[7]}",\n"NODE_ENV"')
    for text in (lines, json.dumps(file)):
        zed.write_text(text)
        for words in (["install", "zed"], ["install", "zed", "--json"]):
            said = commands(*words).out
            assert "opencode" in said
            assert "<hidden>" in said
            assert [secret for secret in (*secrets, "abcdefgh1234567890") if secret in said] == []
        commands.passes("install", "zed", "--yes")
        assert all(secret in zed.read_text() for secret in secrets[:7])
        assert "planted" not in commands.passes("uninstall", "zed", "--yes")


def test_what_others_changed_meanwhile_stays(commands: Commands, zed: Path) -> None:
    """Only the recorder's words are taken out, and the copy is kept: it is another file."""
    commands.passes("install", "zed", "--yes")
    zed.write_bytes(zed.read_bytes().replace(b"One Dark", b"One Light"))
    commands.passes("uninstall", "zed", "--yes")
    assert zed.read_bytes() == _ZED.replace(b"One Dark", b"One Light")
    assert len(_beside(zed)) == 1


def test_nothing_is_changed_without_a_yes(commands: Commands, zed: Path) -> None:
    """The difference is shown, and the exit code says it."""
    for words in (["install", "zed"], ["install", "zed", "--json"]):
        said = commands(*words)
        assert said.code == 1
        assert "acp_trace" in said.out
        assert "--yes" in said.err
    assert zed.read_bytes() == _ZED
    assert _beside(zed) == []


def test_a_file_that_was_not_there(commands: Commands, zed: Path) -> None:
    """Is made, and is gone again afterwards."""
    zed.unlink()
    assert commands("install", "zed").code == 2
    assert commands("install", "zed", "x").code == 2
    report = json.loads(commands.passes("install", "zed", "x", "--yes", "--json", "--", "opencode", "acp"))
    assert (report["state"], report["file"], report["backup"]) == ("installed", str(zed), None)
    assert zed.exists()
    assert commands.json("uninstall", "zed", "x", "--yes")["state"] == "uninstalled"
    assert not zed.exists()
    assert commands("uninstall", "zed").code == 2


def test_an_added_agent_has_its_whole_path(
    commands: Commands, zed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A client that was not started from a shell has another PATH; a path and an unknown name stay as typed."""
    agent = tmp_path / "bin" / "my-agent"
    agent.parent.mkdir()
    agent.write_text("#!/bin/sh\n")
    agent.chmod(0o755)
    monkeypatch.setenv("PATH", f"{agent.parent}:{os.environ['PATH']}")
    for named, written in (("my-agent", str(agent)), ("./my-agent", "./my-agent"), ("missing", "missing")):
        commands.passes("install", "zed", named, "--yes", "--", named, "acp")
        assert f'"{written}", "acp"' in zed.read_text("utf-8-sig").replace("\n", " ")
    assert commands.json("uninstall", "zed", "--yes")["state"] == "uninstalled"
    assert zed.read_bytes() == _ZED


def test_a_link_stays_a_link(commands: Commands, zed: Path, tmp_path: Path) -> None:
    """What it leads to is changed: people keep such files in a repository."""
    kept = tmp_path / "dotfiles.json"
    zed.rename(kept)
    zed.symlink_to(kept)
    commands.passes("install", "zed", "--yes")
    assert zed.is_symlink()
    assert b"acp_trace" in kept.read_bytes()
    commands.passes("uninstall", "zed", "--yes")
    assert kept.read_bytes() == _ZED


@pytest.mark.parametrize(
    ("words", "code", "why"),
    [
        (["install", "zedd"], 2, "did you mean zed?"),
        (["install", "toad"], 2, "acp-trace doctor --client toad"),
        (["install", "zed", "Claude"], 2, "has no command in the file"),
        (["install", "zed", "Clade"], 2, "did you mean"),
        (["install", "zed", "My Agent", "--", "x"], 2, "leave its command out"),
        (["install", "zed", "--", "x"], 2, "install zed NAME --"),
        (["uninstall", "zed", "Claude"], 2, "has no command in the file"),
        (["uninstall", "zed", "nobody"], 2, "there is no agent nobody"),
        (["where", "--client", "zedd"], 2, "did you mean zed?"),
    ],
)
def test_what_cannot_be_done(commands: Commands, zed: Path, words: list[str], code: int, why: str) -> None:
    """One line, and the file is as it was."""
    said = commands(*words)
    assert (said.code, said.err.count("\n")) == (code, 1), said
    assert why in said.err
    assert zed.read_bytes() == _ZED


@pytest.mark.parametrize(
    ("content", "code", "why"),
    [
        (b"{", 3, "is not JSON"),
        (b"\xff", 3, "is not UTF-8"),
        (b"[]", 2, "is not an object"),
        (b"", 3, "it is empty: write {} into it"),
        (b"\xef\xbb\xbf \n// later\n", 3, "it is empty: write {} into it"),
        (b'{"agent_servers": {"a": {"command": "\t"}}}', 3, "invalid control character\n"),
        (b'{"agent_servers": {"a": {"command": 1}}}', 2, "the command of a is not a string"),
        (b'{"agent_servers": {"a": {"command": "x"}, "a": {"command": "y"}}}', 2, "two agents a"),
        (b'{"agent_servers": {}}', 2, "no agent with its own command"),
        (b'{"agent_servers": {"a": {"command": "a"}, "b": {"command": "b"}}}', 2, "name one: a, b"),
    ],
)
def test_files_that_cannot_be_changed(
    commands: Commands, zed: Path, content: bytes, code: int, why: str
) -> None:
    """One line says why."""
    zed.write_bytes(content)
    said = commands("install", "zed", "--yes")
    assert (said.code, said.err.count("\n")) == (code, 1), said
    assert why in said.err
    assert zed.read_bytes() == content


def test_tabs_are_shown_as_space(commands: Commands, zed: Path) -> None:
    """As an editor shows them: not as what drives a terminal, which is spelled out."""
    zed.write_text('{"agent_servers":\n\t{"a": {"command": "x"}}}')
    said = commands.passes("install", "zed", "--yes")
    assert '\n-    {"a": {"command": "x"}}}\n' in said
    assert "\\t" not in said


def test_what_others_write_while_it_asks_is_not_lost(
    commands: Commands, zed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An editor may save the file between the difference and the answer."""
    saved = _ZED.replace(b"One Dark", b"Ayu")

    def agreed(file: Path, **_: bool) -> bool:
        return file.write_bytes(saved) > 0

    monkeypatch.setattr(install, "_agreed", agreed)
    said = commands("install", "zed")
    assert (said.code, zed.read_bytes(), _beside(zed)) == (1, saved, [])
    assert "was changed meanwhile" in said.err


def test_what_only_its_owner_may_read_is_never_open(
    commands: Commands, zed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Such a file has keys in `env`: neither it nor its copy may be read by others, not for a moment."""
    zed.chmod(0o600)
    modes: list[int] = []
    make = os.open

    def watched(path: str, flags: int, mode: int = 0o777, **more: Any) -> int:
        if flags & os.O_CREAT and Path(path).parent == zed.parent:
            modes.append(mode)
        return make(path, flags, mode, **more)

    monkeypatch.setattr(os, "open", watched)
    commands.passes("install", "zed", "--yes")
    assert modes == [0o600, 0o600]
    assert {each.stat().st_mode & 0o777 for each in zed.parent.iterdir()} == {0o600}


def test_what_is_not_a_file_is_not_read(commands: Commands, zed: Path) -> None:
    """A pipe would be waited for without end."""
    zed.unlink()
    named_pipe(zed)
    said = commands("install", "zed", "--yes")
    assert (said.code, said.err.count("\n")) == (3, 1)
    assert "is not a regular file" in said.err


def test_a_file_that_may_not_be_read(home: Home, zed: Path, tmp_path: Path) -> None:
    """One line, as for every file that cannot be read."""
    words = limited(tmp_path)
    if words is None:
        pytest.skip("this system cannot take rights from root")
    zed.chmod(0)
    done = subprocess.run(
        [*words, *ACP_TRACE, "install", "zed", "--config", zed, "--yes"],
        env=home.environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (3, f"acp-trace: {zed}: Permission denied\n")


def test_a_file_that_may_not_be_written(commands: Commands, zed: Path) -> None:
    """Is not replaced either, and a directory in its place is told."""
    zed.chmod(0o444)
    said = commands("install", "zed", "--yes")
    assert (said.code, zed.read_bytes(), _beside(zed)) == (3, _ZED, [])
    assert "read-only" in said.err
    os.chmod(zed, 0o644)
    zed.unlink()
    zed.mkdir()
    assert commands("install", "zed", "--yes").code == 3


@pytest.mark.parametrize("client", ["zed", "jetbrains", "acpx", "toad", "codecompanion", "avante"])
def test_what_to_write_by_hand(commands: Commands, zed: Path, client: str) -> None:
    """With the real path of this Python; and where, if the client has a file."""
    assert zed.exists()
    said = commands("where", "--client", client)
    assert said.code == 0
    assert sys.executable in said.out
    assert "opencode" in said.out
    report = commands.json("where", "--client", client)
    assert report["snippet"] == said.out
    assert (report["file"] is None) == (not said.err)
    if client in ("zed", "jetbrains", "acpx"):
        file = zed.parent / "copied.json"
        file.write_text(said.out)
        assert "is recorded already" in commands.passes("install", client, "--config", file)
