"""Lists that are narrowed by an address: what may be asked of them, and the words for it.

`asked.py` reads an address and never breaks on one; `words.py` holds names; `browsing.py` is the list of cases.
"""
