"""`tramita people`: what an administrator records of the people who work here. No rule lives here."""

from __future__ import annotations

import click

from app.cli.opening import settings_now, working_store
from app.cli.portuguese import Group
from app.people import set_email
from app.store import INSTALLER


@click.group(cls=Group)
def people() -> None:
    """Pessoas da administração."""


@people.command()
@click.argument("login", metavar="ACESSO")
@click.argument("address", metavar="ENDEREÇO")
def email(login: str, address: str) -> None:
    """Registra o e-mail de uma pessoa; um endereço vazio ("") retira o que havia."""
    with working_store(settings_now()) as store, store.act(INSTALLER) as tx:
        set_email(tx, login, address.strip())
    click.echo(f"E-mail de {login} {'registrado' if address.strip() else 'retirado'}.")
