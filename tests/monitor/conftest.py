"""Towns to act in, made once and copied."""

from tests.cases.fixtures import prepare_database, town

__all__ = ["prepare_database", "town"]
