"""Reports as HTML for notebooks: short, without a script or a style sheet, on light and dark pages.

Notebooks show what `_repr_html_` gives as it is, next to the user's own output: so every string goes through
`markup.text`, colours are those of the page around, and a report links to nothing.
"""
