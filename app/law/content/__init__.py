"""From the bytes of a municipality's folder to plain, checked values, with every fault told by file and key.

Whoever wrote the folder is not trusted: sizes come first, then the encoding, then the shape. What the values mean
together is for `law/norm.py`.
"""
