"""What in a trace breaks, or strains, the protocol. docs/findings.md is made from `codes`.

- `codes`      the table of all codes: severity, meaning, the rule behind each
- `collector`  takes findings in, and counts what is listed once only
- `stream_order`  which of them follow from order alone, and are doubted between streams of HTTP
- `wire`       rules about one message: JSON-RPC, methods, ids, capabilities
- `cancelled`  rules about how cancels end; `model_calls` about calls of the model after them

What needs the state of a session is said where that is: `metadata`, `options`, `modes`, `turns` …
"""
