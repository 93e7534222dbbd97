"""Which variables a recording may set in the environment of a replay's agent."""

from __future__ import annotations

from typing import Any, Literal

import pytest

from acp_trace.model.key_variables import KEY_VARIABLES
from acp_trace.model.proxy import environment, profiles
from acp_trace.model.recorded_environment import RecordedBase, RecordedEnvironment
from acp_trace.replay.recorded_variables import RecordedVariables, recorded_variables

_URL = "http://127.0.0.1:11434/v1"
#: What a loader, a shell, a runtime, a tool or acp-trace itself reads.
_HARMFUL = (
    "PYTHONPATH", "PYTHONHOME", "PYTHONSTARTUP", "LD_PRELOAD", "LD_LIBRARY_PATH", "DYLD_INSERT_LIBRARIES",
    "NODE_OPTIONS", "NODE_PATH", "BASH_ENV", "ENV", "BASH_FUNC_git%%", "PERL5OPT", "RUBYOPT", "JAVA_TOOL_OPTIONS",
    "GIT_CONFIG_GLOBAL", "GIT_SSH_COMMAND", "GIT_ASKPASS", "SSH_AUTH_SOCK", "PATH", "HOME", "TMPDIR", "SHELL", "IFS",
    "SSL_CERT_FILE", "SSLKEYLOGFILE", "NODE_EXTRA_CA_CERTS", "HTTPS_PROXY", "http_proxy", "ALL_PROXY", "NO_PROXY",
    "no_proxy", "ACP_TRACE_HOME", "ACP_TRACE_MODEL_MAP", "ACP_TRACE_MODEL_BASE", "ACP_TRACE_API_KEY", "GITHUB_TOKEN",
    "GH_TOKEN", "NPM_TOKEN", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "CLAUDE_CONFIG_DIR", "CODEX_HOME",
    "openai_api_key", "OPENAI_API_KEY ", "OPENAI_API_KEY\0", "X=OPENAI_API_KEY", "", "A" * 100_000, "\ud800",
    "OPENAI_BASE_URL#/a", "OPENCODE_CONFIG_CONTENT", "OPENCODE_CONFIG_CONTENT#/mcp/x/baseURL",
    "OPENCODE_CONFIG_CONTENT#/provider/__proto__/options/baseURL", "CODEX_CONFIG#/notify",
    "CODEX_CONFIG#/model_providers/constructor/base_url", "CODEX_CONFIG#/model_providers/a=b/base_url",
)  # fmt: skip


def _bases(*names: str, url: str = _URL) -> RecordedEnvironment:
    return RecordedEnvironment(bases=tuple(RecordedBase(name, url) for name in names))


def _of(
    recorded: RecordedEnvironment,
    *repeated: str,
    mode: Literal["recorded", "live"] = "recorded",
    **given: str,
) -> RecordedVariables:
    return recorded_variables(recorded, given, repeated, mode, environment.SET)


def _notes(found: RecordedVariables) -> list[tuple[str, str]]:
    return [(each.code, each.message) for each in found.incidents]


@pytest.mark.parametrize("mode", ["recorded", "live"])
def test_what_runs_code_or_leads_elsewhere_is_not_set(mode: Literal["recorded", "live"]) -> None:
    """Neither as a key nor as a base URL; a note names it, and no set value comes of it."""
    found = _of(_bases(*_HARMFUL), mode=mode)
    assert (found.bases, found.keys) == ((), ())
    assert {each.name for each in found.variables} == set(_HARMFUL)
    assert not any(each.is_set for each in found.variables)
    ((code, message),) = _notes(found)
    assert code == "variable-left-out"
    assert (
        f"PYTHONPATH, PYTHONHOME, PYTHONSTARTUP, LD_PRELOAD, LD_LIBRARY_PATH and {len(_HARMFUL) - 5} more"
        in message
    )
    assert "--model-base NAME" in message
    found = _of(RecordedEnvironment(secrets=_HARMFUL), mode=mode)
    assert (found.bases, found.keys) == ((), ())


def test_what_agents_read_is_set() -> None:
    """Each variable and each place of the tables, and each key; what the environment has is no key to give."""
    places = [
        f"{name}{place.replace('*', 'my-llm')}" for name, all_ in profiles.PLACES.items() for place in all_
    ]
    names = [*profiles.VARIABLES, *(place.replace("/", "#/", 1) for place in places)]
    found = _of(_bases(*names))
    assert found.bases == tuple(f"{name}={_URL}" for name in names)
    found = _of(RecordedEnvironment(secrets=tuple(sorted(KEY_VARIABLES))), XAI_API_KEY="mine")
    assert set(found.keys) == KEY_VARIABLES - {"XAI_API_KEY"}
    assert all(each.is_set and each.why for each in found.variables)
    assert not found.incidents


def test_what_the_user_repeats_is_set() -> None:
    """A base URL and a key; the report says so. What leads to the proxy is not."""
    recorded = RecordedEnvironment(
        secrets=("MY_KEY",), bases=(RecordedBase("MY_URL", _URL), RecordedBase("NO_PROXY", _URL))
    )
    found = _of(recorded, "MY_KEY", "MY_URL", "NO_PROXY", "OTHER")
    assert (found.bases, found.keys) == ((f"MY_URL={_URL}",), ("MY_KEY",))
    (permitted, said), (left_out, why) = _notes(found)
    assert (permitted, left_out) == ("variable-permitted", "variable-left-out")
    assert said == "set for the agent because you named them: MY_URL, MY_KEY"
    assert "NO_PROXY: left out: acp-trace sets this variable itself" in why
    assert "OTHER: left out: the recording does not name this variable" in why


def test_a_url_that_the_user_gives() -> None:
    """It takes the place of the recorded one, in every mode; what leads to the proxy does not."""
    recorded = _bases("OPENAI_BASE_URL", "OPENAI_BASE_URL")
    for mode in ("recorded", "live"):
        found = _of(recorded, "OPENAI_BASE_URL=http://127.0.0.1:9", "HTTPS_PROXY=http://h", mode=mode)
        assert found.bases == ("OPENAI_BASE_URL=http://127.0.0.1:9",)
        assert [each.is_set for each in found.variables] == [True, False]
    assert _of(recorded).bases == (f"OPENAI_BASE_URL={_URL}",)


def test_the_real_model_is_where_the_user_says() -> None:
    """A recording would send the user's key to its own URL. The environment may say where the model is."""
    recorded = RecordedEnvironment(
        secrets=("OPENAI_API_KEY", "NPM_TOKEN"),
        bases=(RecordedBase("OPENAI_BASE_URL", "https://evil.example/v1"),),
    )
    found = _of(recorded, mode="live")
    assert (found.bases, found.keys) == ((), ())
    assert {each.name for each in found.variables} == {"OPENAI_BASE_URL", "OPENAI_API_KEY"}
    found = _of(recorded, mode="live", OPENAI_API_KEY="x", OPENAI_BASE_URL="http://127.0.0.1:1")
    assert (found.bases, found.variables, found.incidents) == ((), (), ())
    found = _of(recorded, "OPENAI_BASE_URL", mode="live", OPENAI_API_KEY="x")
    assert found.bases == ("OPENAI_BASE_URL=https://evil.example/v1",)


@pytest.mark.parametrize("repeated", [(), ("OPENAI_BASE_URL",)])
@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1:1/x ./evil.so", "http://127.0.0.1:1/x:.", "http://127.0.0.1:1/x,api.openai.com", "http://h/\n",
        "http://h/x\0", "http://h/$(x)", "http://h/`x`", "http://h/;x", "http://h/?a=b c", "http://h:0/", "http://h:99999/",
        "http:///x", "ftp://h", "/x", "", "http://h/" + "x" * 3000, "http://h/%zz", "http://h/ü", "http://a@b@c/",
    ],
)  # fmt: skip
def test_a_url_with_more_than_a_base_url_needs(url: str, repeated: tuple[str, ...]) -> None:
    """It is not used, also if its name is permitted."""
    found = _of(_bases("OPENAI_BASE_URL", url=url), *repeated)
    assert found.bases == ()
    assert found.variables[0].why == "left out: its URL has more than a base URL needs"


@pytest.mark.parametrize(
    ("url", "rebuilt"),
    [
        ("HTTP://Me:pw@LocalHost:08080/v1?a=b#f", "http://localhost:8080/v1?a=b"),
        (
            "https://<cut>@h/<cut>/v1?key=<cut>&sig=<cut>",
            "https://h/acp-trace/v1?key=acp-trace&sig=acp-trace",
        ),
        ("http://[::1]:4/a%20b", "http://[::1]:4/a%20b"),
        (
            "https://gateway.example/v1?api-version=2024-02-01",
            "https://gateway.example/v1?api-version=2024-02-01",
        ),
    ],
)
def test_a_url_is_built_again(url: str, rebuilt: str) -> None:
    """Without login and fragment, and with a dummy for what was cut out of it."""
    assert RecordedBase("X", url).rebuilt == rebuilt


def test_the_tables_name_nothing_that_is_read_otherwise() -> None:
    """No prefix of a loader, a shell, a runtime, a tool or acp-trace, and nothing that leads to the proxy."""
    prefixes = (
        "ACP_TRACE", "BASH", "CARGO", "CURL", "DYLD", "GIT", "GH_", "GLIBC", "JAVA", "LD_", "LC_", "NODE", "NPM", "PERL",
        "PIP", "PYTHON", "RUBY", "RUST", "SSH", "SSL", "SUDO", "XDG",
    )  # fmt: skip
    allowed = {"GITHUB_COPILOT_TOKEN"}
    tables: Any = {*KEY_VARIABLES, *profiles.VARIABLES, *profiles.DOCUMENTS}
    assert not [name for name in tables - allowed if name.startswith(prefixes) or name in environment.SET]
    assert not [
        name
        for name in KEY_VARIABLES
        if not name.endswith(("_KEY", "_APIKEY", "_TOKEN", "_AUTH", "_BEDROCK"))
    ]
