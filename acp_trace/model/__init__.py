"""The model's side: what an agent sends to its language model, next to what it sends to its client.

How it gets into a trace:

- `wire`       bytes of a connection -> requests and responses as they go past (a package)
- `providers`  which requests go to a language model, judged by their shape: these are recorded whole
- `late`  finds secrets that were written before they were known
- `secrets`    secrets that must not be written, and how they are cut out
- `credentials`  where secrets are: which headers, which parts of them, which members of a login
- `mistakes`   what is reported of a parser's error: nothing that it quotes
- `journal`    traffic -> what is written of it, as `records`; `open_exchange` is an exchange in progress
- `exchange`   entries of a trace -> exchanges, with whole bodies
- `recorded_environment`  what a trace says of its agent's environment: directories, names of keys, base URLs
- `key_variables`  variables that hold keys of models: a replay may give them a dummy
- `proxy`      the process between an agent and its providers, or in their place (a package)

The messages, read from the bodies without I/O and without raising:

- `shapes`       one shape for all providers: `Prompt` (what the agent sent), `Answer` (what came back)
- `fields`       reading JSON whose shape is not certain
- `framing`      pieces of a response -> its events: SSE, lines, binary frames … (a package)
- `forms`        a module for each wire form: a request -> `Prompt`, events -> `Answer` (a package)
- `problems`     what a provider says when it refuses, and how long to wait
- `recognition`  which form a request has, and which provider answers it
- `draft`        an answer while it arrives, as the forms fill it
- `reading`      one request and its response -> `Prompt` and `Answer`
- `sockets`      messages of a WebSocket -> the calls in it
- `calls`        exchanges -> the calls among them, and which are retries
- `call_reader`  entries of a trace -> its calls, each as soon as it is over
- `join`         the ACP session and the turn of a call, and how they were found
- `turn_time`    how the time of a turn was spent: client, model, tools, the agent itself

How two traces, or a recording and its run, differ; and which call answers which request:

- `text_diff`, `value_diff`, `prompt_diff`  how two prompts differ, as briefly as a reader wants it
- `restored`     a difference with its lines in their original words
- `changes`, `change_words`  what differs between the calls of two traces: each change once, in a line
- `matching`     a request of a replay -> the recorded call that answers it (a package)
- `serving`      a recorded response -> what a replay serves of it; refusals (a package)
- `comparison`   the calls of two traces: which correspond, and what differs
- `losses`     what a recorded request sends to the model and the request of a run leaves out
- `seen_traffic`  what went through the proxy, if none of it was a model call

Only `proxy`, and the parsers that it uses, need the packages of the extra `acp-trace[model]`.
"""
