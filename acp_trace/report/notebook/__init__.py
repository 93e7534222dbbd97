"""Reports as HTML for notebooks: short, without a script or a style sheet, on light and dark pages.

Notebooks show what `_repr_html_` gives as it is, next to the user's own output: so every string goes through
`markup.text`, colours are those of the page around, and a report links to nothing.

- `comparisons`  a comparison or a replay in a notebook: its verdict, and each cause with both sides of it
- `markup`       the few elements that a report in a notebook is made of
- `tables`       a table of rows in a notebook: the first and the last of them, and how many there are
- `traces`       one trace in a notebook: who talked to whom, what breaks the protocol, and how the turns
                 ended
"""
