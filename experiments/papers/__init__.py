"""The papers, a package each, whose `PAPER` holds all that is known of it.

A new paper is a new package here, or a module elsewhere that `--papers` or the entry point group
`tff_weights.papers` names. Nothing else has to be edited.
"""
