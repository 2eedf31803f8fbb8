"""The small municipality on both databases, and a nursery of processes, as for the crashes."""

from tests.crash.conftest import hamlet, nursery, prepare_database

__all__ = ["hamlet", "nursery", "prepare_database"]
