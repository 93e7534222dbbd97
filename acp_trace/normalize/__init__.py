"""The differences that are normal between two runs of the same agent, and how values are compared. Pure.

Two traces are compared, and a request of a run is compared with the recorded ones. Both comparisons need to
know what belongs to a run alone: its directories, its ids, its times. That knowledge is only here. Text in a
recognisable form is found anywhere; the rest is known by its name or its place; everything else is compared.

Recognisable forms (`forms` replaces all of them):

- `ids`                words that name a session, a call, an object in memory
- `times`              moments
- `figures`            durations, usage, costs, numbers of processes and ports

Known by name:

- `directories`        the directories of one trace, from which the paths inside are named
- `moved_directories`  paths of one trace -> those of another
- `moved_places`       directories of a recording and of a run: one name for both, for every spelling
- `spellings`          the ways in which a text may spell a directory
- `windows`            paths of Windows: which are the same file, and which are in a directory
- `windows_spellings`  the ways in which a text may spell a directory of Windows, and the path below it
- `programs`           where the agent's program was installed, and where it is now
- `bindings`           ids that a side invents: their places in messages, and which matches which

Values:

- `pointers`           where two values differ
- `masks`              the grammar of `--mask`, what it hides, and how often
- `normalizer`         one side's values with all that in one form, as far as a level requires
- `quotes`             whether one text quotes another
"""
