"""Tramita: administrative procedures of municipal transport departments, on legal time."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from flask import Flask

    from app.settings import Settings
    from app.store import Store


def create_app(settings: Settings, store: Store | None = None) -> Flask:
    """The web application of one municipality over an open store.

    Without a store it opens the database that the settings name; it never migrates one. Imported late: whoever
    imports a lower room must not load Flask with it.
    """
    from app import web
    from app.clock import clock_for
    from app.store import Store, connect

    return web.build(settings, store or Store(connect(settings.database_url), clock_for(demo=settings.demo)))
