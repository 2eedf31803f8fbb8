"""Click speaks Portuguese here: help pages, and what it says of a command it cannot understand."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from typing import Any, NoReturn

import click

from app.cli.faults import expected
from app.settings import port_number

_HELP = {"options_metavar": "[OPÇÕES]"}


class Port(click.ParamType[int]):
    """A port number, refused in the words of the settings."""

    name = "número"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        try:
            return port_number(str(value), "--port")
        except ValueError as error:
            raise click.UsageError(str(error), ctx) from None


class Command(click.Command):
    """One command, with its help page in Portuguese."""

    def __init__(self, *args: Any, **told: Any) -> None:
        super().__init__(*args, **{**_HELP, **told})

    def format_usage(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        formatter.write_usage(ctx.command_path, " ".join(self.collect_usage_pieces(ctx)), prefix="Uso: ")

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        options = [param for param in self.get_params(ctx) if isinstance(param, click.Option)]
        told = [record for option in options if (record := option.get_help_record(ctx))]
        with formatter.section("Opções"):
            formatter.write_dl(told)

    def get_help_option(self, ctx: click.Context) -> click.Option | None:
        option = super().get_help_option(ctx)
        if option is not None:
            option.help = "Mostra esta ajuda."
        return option


class Group(Command, click.Group):
    """Commands under one name; the outermost one also tells every fault, in one sentence, on stderr."""

    command_class = Command
    group_class = type

    def __init__(self, *args: Any, **told: Any) -> None:
        super().__init__(*args, **{"subcommand_metavar": "COMANDO [ARGUMENTOS]…", **told})

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        super().format_options(ctx, formatter)
        commands = [(name, self.commands[name].get_short_help_str(200)) for name in self.list_commands(ctx)]
        with formatter.section("Comandos"):
            formatter.write_dl(commands)

    def invoke(self, ctx: click.Context) -> Any:
        with expected():
            return super().invoke(ctx)

    def main(self, *args: Any, **told: Any) -> NoReturn:
        for stream in (sys.stdout, sys.stderr):
            # A terminal that has no ✓, or a file name that is not text, must not end a command.
            reconfigure: Callable[..., None] | None = getattr(stream, "reconfigure", None)
            if reconfigure is not None:
                reconfigure(errors="backslashreplace")
        try:
            code = super().main(*args, **{**told, "standalone_mode": False})
        except click.Abort:
            click.echo("Interrompido.", err=True)
            code = 1
        except click.ClickException as error:
            click.echo(_in_portuguese(error), err=True)
            code = error.exit_code
        sys.exit(code if isinstance(code, int) else 0)


def _in_portuguese(error: click.ClickException) -> str:
    if not isinstance(error, click.UsageError) or isinstance(error, click.exceptions.NoArgsIsHelpError):
        return error.format_message()
    help_of = f" Veja {error.ctx.command_path} --help." if error.ctx else ""
    return _misunderstood(error) + help_of


def _misunderstood(error: click.UsageError) -> str:
    if isinstance(error, click.NoSuchOption):
        return f"Não há a opção {error.option_name}."
    if isinstance(error, click.exceptions.NoSuchCommand):
        return f"Não há o comando {error.command_name}."
    if isinstance(error, click.MissingParameter):
        missing = error.param.make_metavar(error.ctx) if error.param and error.ctx else "um argumento"
        return f"Falta {missing.strip('[].…')}."
    if isinstance(error, click.BadOptionUsage):
        return f"A opção {error.option_name} foi usada com um valor a mais ou a menos."
    if extra := re.match(r"Got unexpected extra arguments? \((.*)\)", error.message):
        return f"Sobra no comando: {extra[1]}."
    return error.message
