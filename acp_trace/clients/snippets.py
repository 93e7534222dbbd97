"""What to write into a client's configuration by hand: `doctor --client` prints it. Pure. docs/clients.md."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from acp_trace.clients import configuration, recorder
from acp_trace.clients.launch import quoted
from acp_trace.clients.table import EditableClient

#: The example agent, as in docs/clients.md.
AGENT = ("opencode", "acp")
_TRACED = "OpenCode (traced)"

#: For clients whose configuration is a program, or a command line: `{words}` is all words of the command as a
#: list of strings, `{python}` the first and `{rest}` the others, `{line}` one string for a shell.
_TEMPLATES = {
    "toad": "toad acp {line}\n",
    "codecompanion": """\
require("codecompanion").setup({{
  adapters = {{
    acp = {{
      opencode = function()
        return require("codecompanion.adapters").extend("opencode", {{
          commands = {{ default = {{ {words} }} }},
        }})
      end,
    }},
  }},
}})
""",
    "avante": """\
require("avante").setup({{
  provider = "opencode",
  acp_providers = {{
    ["opencode"] = {{
      command = {python},
      args = {{ {rest} }},
      env = {{ HOME = os.getenv("HOME"), ACP_TRACE_HOME = os.getenv("ACP_TRACE_HOME") }},
    }},
  }},
}})
""",
}


def snippet(client: EditableClient, python: str, agent: Sequence[str] = AGENT) -> str:
    """Return the text that starts an agent with the recorder before it, as this client wants it.

    `python`: the absolute path of the interpreter. Ends with a newline.
    """
    words = [*recorder.words(python), *agent]
    template = _TEMPLATES.get(client.name)
    if template is None:
        return configuration.by_hand(client, _TRACED, agent, python)
    return template.format(
        python=quoted(words[0]),
        rest=", ".join(map(quoted, words[1:])),
        words=", ".join(map(quoted, words)),
        line=shlex.quote(shlex.join(words)),
    )
