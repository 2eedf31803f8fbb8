"""Going back: a page for annulling, one for setting an expiry aside, one for correcting.

Each shows what would happen before anybody does it, and comes back with what was typed when the act is refused.
"""
