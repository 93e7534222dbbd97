"""The pages of docs/ as topics: what the index lists, and which page answers a question.

Text in, topics out. Which directory has the pages is decided in `files`, the only module that reads them.

- `files`     where the pages are: in the wheel, or beside the package in a checkout
- `headings`  the parts of a page, and their anchors
- `index`     docs/README.md -> sections and topics, in its order; the site's navigation is made of the same
- `search`    words -> the topics that fit best
"""
