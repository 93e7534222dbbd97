"""What in a trace breaks, or strains, the protocol. docs/findings.md is made from `codes`.

- `codes`      the table of all codes: severity, meaning, the rule behind each
- `requirements`  those of the conformance kit that a code shows broken
- `collector`  takes findings in, and counts what is listed once only
- `stream_order`  which of them follow from order alone, and are doubted between streams of HTTP
- `wire`       rules about one message: JSON-RPC, methods, ids, capabilities
- `payloads`   members of parameters, results and updates: missing, of another type, unknown
- `lost_lines`       lines whose message the other side did not get, and what they name
- `unreadable`  lines that are no JSON, and what stands in them
- `unanswered`  requests that are open when a trace ends
- `crash`      whether the agent crashed
- `model_calls`  calls of the model that go on after a cancel

What needs the state of a session is said where that is: `cancellation`, `metadata`, `options`, `modes` …
"""
