"""Alembic's entry point: runs revisions in one write transaction of the database it is given."""

from alembic import context

from app.store.database import Database
from app.store.schema import metadata

database: Database = context.config.attributes["database"]

with database.writing() as connection:
    context.configure(
        connection=connection,
        target_metadata=metadata,
        transactional_ddl=True,
        render_as_batch=False,
        compare_type=True,
    )
    context.run_migrations()
