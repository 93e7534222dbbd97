"""What `action.yml` runs on a runner of GitHub: shell and Python that need nothing installed.

- `install.sh`  acp-trace into an environment of its own
- `replay`      the inputs of the action → `acp-trace replay` → outputs and a job summary
"""
