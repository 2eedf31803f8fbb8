"""What the diagram asked and was told, in the words of the norm: choices by their labels, terms and papers by name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from app.cases.history.moment import Answer
from app.law.norm import Norm
from app.values import Json, Money, Units, parse_instant
from app.web.language import N_
from app.web.sheets.replay.flow import plain
from app.web.sheets.replay.names import Names

_QUESTIONS = {
    "assentos": N_("Assentos do colegiado"),
    "certeza": N_("Com que certeza se lê o valor"),
    "escolha": N_("Escolha do município"),
    "fator_reincidencia": N_("Fator de reincidência"),
    "infrator": N_("Quem responde pela infração"),
    "pago": N_("O devido está todo recolhido?"),
    "pago_alem_de": N_("O recolhido passa deste valor?"),
    "pago_algo": N_("Algo foi recolhido?"),
    "pago_ao_menos": N_("O recolhido chega a este valor?"),
    "pago_ate": N_("O devido foi recolhido dentro do prazo?"),
    "parametro": N_("Valor fixado"),
    "prazo": N_("Fim do prazo"),
    "primario": N_("É a primeira vez do infrator?"),
    "tem_documento": N_("O documento foi emitido?"),
    "tempestividade": N_("Em que prazo a petição foi carimbada"),
    "valor_multa": N_("Valor da multa na tabela"),
}
_UNTIMELY = {"intempestiva": N_("fora do prazo"), "nenhuma": N_("nenhuma petição")}


@dataclass(frozen=True)
class Asked:
    """A question, what it is about and its answer. `until`: the first late instant, when the answer is a term's end."""

    seq: int
    question: str
    about: str
    text: str
    article: str = ""
    until: datetime | None = None


def asked(names: Names, told: Answer) -> Asked:
    norm, args = names.norm, told.args
    if told.question == "prazo":
        return Asked(
            told.seq, _QUESTIONS["prazo"], _term(norm, args[0]), "", until=parse_instant(told.answer)
        )
    say = _SAID.get(told.question)
    if say is None:  # a word that diagrams have learnt since, or one without need of more words
        about = ", ".join(plain(names, arg) for arg in args)
        return Asked(told.seq, _QUESTIONS.get(told.question, told.question), about, plain(names, told.answer))
    about, text = say(names, args, told.answer)
    article = norm.choices[args[0]].article if told.question == "escolha" and args[0] in norm.choices else ""
    return Asked(told.seq, _QUESTIONS[told.question], about, text, article)


Args = tuple[Json, ...]
Said = tuple[str, str]  # what it is about, and the answer


def _choice(names: Names, args: Args, answer: Json) -> Said:
    choice = names.norm.choices.get(args[0])
    return str(args[0]), choice.labels.get(answer, str(answer)) if choice else str(answer)


def _parameter(names: Names, args: Args, answer: Json) -> Said:
    known = names.norm.parameters.get(args[0])
    if known is None:
        return str(args[0]), plain(names, answer)
    text = plain(names, answer)
    if known.type == "unidades":
        text = f"{Units(answer)} {names.norm.unit_name}"
    elif known.type == "reais":
        text = str(Money(answer))
    elif known.type == "percentual":
        text = f"{answer}%"
    times = f" × {args[1]}" if len(args) > 1 and args[1] != 1 else ""
    return known.label + times, text


def _certainty(names: Names, args: Args, answer: Json) -> Said:
    table = names.norm.tables.get(args[0])
    words = table.settings.get("certezas", {}) if table else {}
    return str(args[1]), str(words.get(answer, answer))


def _seats(names: Names, args: Args, answer: Json) -> Said:
    board = names.norm.boards.get(args[0])
    if board is None:
        return str(args[0]), plain(names, answer)
    return board.name, ", ".join(seat.name for seat in board.seats if seat.key in answer)


def _timely(names: Names, args: Args, answer: Json) -> Said:
    kind = names.norm.filings.get(args[0])
    return kind.name if kind else str(args[0]), _UNTIMELY.get(answer) or _term(names.norm, answer)


def _fine(names: Names, args: Args, answer: Json) -> Said:
    return str(args[1]), f"{Units(answer)} {names.norm.unit_name}"


def _worth(names: Names, args: Args, answer: Json) -> Said:
    return f"{Units(args[0])} {names.norm.unit_name}", plain(names, answer)


def _within(names: Names, args: Args, answer: Json) -> Said:
    return _term(names.norm, args[0]), plain(names, answer)


def _issued(names: Names, args: Args, answer: Json) -> Said:
    kind = names.norm.documents.get(args[0])
    return kind.title if kind else str(args[0]), plain(names, answer)


def _code(at: int) -> Callable[[Names, Args, Json], Said]:
    return lambda names, args, answer: (str(args[at]) if len(args) > at else "", plain(names, answer))


def _term(norm: Norm, key: Json) -> str:
    return norm.deadlines[key].name if key in norm.deadlines else str(key)


_SAID: dict[str, Callable[[Names, Args, Json], Said]] = {
    "assentos": _seats,
    "certeza": _certainty,
    "escolha": _choice,
    "fator_reincidencia": _code(1),
    "infrator": _code(1),
    "pago_alem_de": _worth,
    "pago_ao_menos": _worth,
    "pago_ate": _within,
    "parametro": _parameter,
    "primario": _code(3),
    "tem_documento": _issued,
    "tempestividade": _timely,
    "valor_multa": _fine,
}
