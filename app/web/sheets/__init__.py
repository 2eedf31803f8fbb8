"""What pages show of a case, put in order for the eye: facts, terms, who may act, what an act caused.

Reads through the rooms below and arranges; it judges nothing that those rooms have not judged.
"""
