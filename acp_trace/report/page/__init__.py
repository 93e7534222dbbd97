"""The page to look at: one HTML file that shows a trace, a diff or a replay. No I/O: bytes come out.

- `columns`   frames -> what lists and filters need of each, as arrays
- `parts`     facts and frames -> the named parts that the page reads, each as few as it needs
- `frame_parts` the parts that hold what frames say, made in several ways
- `condensed` the conversation in fewer frames
- `bundle`    the modules below `assets/scripts` -> one script
- `html`      script, styles and parts -> the file

The page computes nothing that Python computes: facts come from the documents of `report.json`. What people
see is in `assets`: plain ES modules and CSS, joined when a page is written.
"""
