"""The papers, a package each, whose `PAPER` holds all that is known of it.

A new paper is a new package here, or a module anywhere that `--papers` names or the entry point
group `tff_weights.papers`; nothing else has to be told.
"""
