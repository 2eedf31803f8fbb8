"""Copies of a whole database in one file: made while people work, believed only when read back, put in place whole.

`container.py` is the file, `aside.py` where it grows, `sqlite.py` and `postgresql.py` what each database can do;
`making.py` and `restoring.py` are the two acts. Whether a journal holds is asked of whoever calls (`Believe`): the
floor knows no chains.
"""

from app.store.backup.container import Manifest
from app.store.backup.making import Made, make
from app.store.backup.place import Believe, Place
from app.store.backup.restoring import Restored, restore

__all__ = ["Believe", "Made", "Manifest", "Place", "Restored", "make", "restore"]
