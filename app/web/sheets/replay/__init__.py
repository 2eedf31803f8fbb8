"""A case as it stood at one entry of its journal, put in the words of its norm for the page that replays it.

What holds is decided by `cases.history`; here it only gets its words.
"""
