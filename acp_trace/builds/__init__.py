"""Builds of an agent: which exist, how each is installed, and what recordings show about them.

`matrix` replays recordings against many builds, `bisect` finds the build that changed something. Pure:

- `semver`     versions and ranges of npm
- `versions`   which published versions are meant, in which order: npm and PyPI
- `command_lines`  builds that are given as commands: `NAME=COMMAND`, and files of them
- `search`     the search of `bisect`: what was found goes in, the next build comes out
- `rates`      what a flaky build is like
- `checks`     what `bisect` looks for in a run
- `judged`     a finished replay -> what is kept of it
- `grid`       the cells of `matrix`: verdicts, and which of them are new
- `bisection`  what `bisect` has tried and found, and its document

With I/O:

- `tools`      npm, pip, uv and git as processes
- `cached`     a directory for each build, used only when complete
- `npm`, `pypi`, `checkouts`  the builds of a registry, or of a repository
- `sources`    where builds come from: their names in order, and the command of each
- `clients`    one client, to which `mock` plays a recorded agent
- `ahead`      builds that are installed while others are replayed
- `kept`       the results so far, for the next run
"""
