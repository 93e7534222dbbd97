"""Any input whatever: only a module's own errors come out, in bounded time and memory (`just fuzz`)."""
