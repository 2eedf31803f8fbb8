"""Answers typed into a form of the registers, read field by field: every fault is found before anything is refused."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import date

from app.errors import Invalid
from app.registry.enrolment import cnpj
from app.values import Json, blank, keepable, parse_day

OLDEST, NEWEST = 1900, 2200  # years that a grant or a paper may name

FAULTS = {
    "ausente": "Preencha este campo.",
    "sem_letras": "Escreva ao menos uma letra ou um número.",
    "longo": "Escreva no máximo {value} caracteres.",
    "caracteres": "Há caracteres que não podem ser gravados.",
    "opcao": "Escolha uma das opções.",
    "data": "Informe uma data válida, por exemplo 15/03/2026.",
    "futuro": "A data está no futuro.",
    "fim": "O fim vem antes do início.",
    "cnpj": "Este CNPJ não existe: confira os números e os dois dígitos finais.",
    "cnpj_repetido": "Já há um transportador com este CNPJ.",
    "matricula_repetida": "Já há uma pessoa com esta matrícula.",
    "linha_outorgada": "Este transportador já tem outorga desta linha em parte deste período.",
    "codigo_do_pessoal": "Este código é de infração do pessoal de tráfego: registre-o na página da pessoa.",
    "codigo_do_transportador": "Este código é de infração do transportador: registre-o na página dele.",
}


class Typed:
    """One form's answers; what cannot stand is noted in `faults` and comes back empty."""

    def __init__(self, answers: Mapping[str, Json]) -> None:
        self.answers = answers
        self.faults: dict[str, str] = {}

    def text(self, name: str, longest: int) -> str:
        """A text with at least one letter or digit, on one or more lines."""
        value = self.answers.get(name)
        found = value.strip() if isinstance(value, str) else ""
        if blank(found):
            return self._wrong(name, "ausente")
        if not any(c.isalnum() for c in found):
            return self._wrong(name, "sem_letras")
        if len(found) > longest:
            self.faults[name] = FAULTS["longo"].format(value=longest)
            return ""
        return found if keepable(found) else self._wrong(name, "caracteres")

    def line(self, name: str, longest: int) -> str:
        """The same on one line: of a name, a number or a line's code, which stand inside sentences and tables."""
        return " ".join(self.text(name, longest).split())

    def one_of(self, name: str, options: Collection[str]) -> str:
        value = self.answers.get(name)
        if value in (None, ""):
            return self._wrong(name, "ausente")
        return str(value) if value in options else self._wrong(name, "opcao")

    def day(self, name: str) -> date | None:
        """A day that must be told."""
        if self.answers.get(name) in (None, ""):
            self._wrong(name, "ausente")
            return None
        return self.day_if_any(name)

    def day_if_any(self, name: str) -> date | None:
        value = self.answers.get(name)
        if value in (None, ""):
            return None
        try:
            day = parse_day(str(value))
        except ValueError:
            day = date.min
        if OLDEST <= day.year <= NEWEST:
            return day
        self._wrong(name, "data")
        return None

    def cnpj(self, name: str) -> str:
        typed = self.text(name, 40)
        return (cnpj.written(typed) or self._wrong(name, "cnpj")) if typed else ""

    def refuse_if(self, wrong: bool, name: str, fault: str) -> None:
        if wrong and name not in self.faults:
            self._wrong(name, fault)

    def check(self) -> None:
        """Raises Invalid with every fault noted so far."""
        if self.faults:
            raise Invalid(
                "O formulário tem problemas; nada foi gravado.",
                code="cadastro.invalido",
                fields=self.faults,
            )

    def _wrong(self, name: str, fault: str) -> str:
        self.faults[name] = FAULTS[fault]
        return ""
