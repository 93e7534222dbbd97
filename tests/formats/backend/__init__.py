"""A real backend of OpenTelemetry, and what it says of the traces that are sent to it: `just backend`."""
