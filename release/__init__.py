"""What a release needs, and no installation has: CONTRIBUTING.md, "A release".

`repository` has the one place in which our owner and name are written. `check` decides whether a tag may be
released, and writes its notes. `.github/workflows/release.yml` runs it, and so do the tests.
"""
