"""Where a field of an official document may get its value, as the norm writes it: `caso.numero`, `prazo.defesa`."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from types import MappingProxyType

from app.law.content.forms import form_fields
from app.law.provisions import Choice
from app.values import Json

#: Besides `formulario.…`, `dado.…`, `unidades.…`, `prazo.…`, `multa.…`, `parametro.…`,
#: `texto:…` and `se.…:…|…` (a flow variable that is yes or no, and what to write for each);
#: `dado.…:<form>.<field>`, a flow variable as an option of a form's field is called;
#: `protocolo.<petition>.numero` and `.carimbo`, of the filing whose form the document shows;
#: `a_correr.<term>.<option>`: a term in words, until it begins, where the choice `<term>.inicio` has that option.
SOURCES = frozenset(
    {
        "caso.numero",
        "caso.aberto_em",
        "infrator.nome",
        "infrator.documento",
        "transportador.nome",
        "outorga.linha",
        "autor.nome",
        "autor.matricula",
        "autor.cargo",
        "ato.data",
        "cobranca.ufp",
        "cobranca.valor",
        "cobranca.pago",
        "cobranca.devolucao",
        "cobranca.unidade",
        "cobranca.ato_unidade",
        "cobranca.recolhimentos",
        "votos",
    }
)


FILED = frozenset({"numero", "carimbo"})  # what is told of a filing
WORDED = re.compile(r"dado\.([a-z0-9_]+):([a-z0-9_]+)\.([a-z0-9_]+)")
CONDITION = re.compile(r"se\.([a-z0-9_]+):([^|]+)\|([^|]+)")


def source_problem(
    source: str,
    forms: Mapping[str, tuple[Json, Json]],
    deadlines: Collection[str],
    columns: Collection[str],
    parameters: Collection[str] = (),
    choices: Mapping[str, Choice] = MappingProxyType({}),
    filings: Collection[str] = (),
) -> str | None:
    """Why a document field cannot get its value, or None.

    Args:
        columns: of the tables by which processes charge.
    """
    if worded := WORDED.fullmatch(source):
        source = f"formulario.{worded[2]}.{worded[3]}"
    kind, _, rest = source.partition(".")
    if not source or source.startswith("texto:") or source in SOURCES or CONDITION.fullmatch(source):
        return None
    if kind == "parametro":
        return None if rest in parameters else f"o parâmetro {rest!r} não existe na norma"
    if kind in ("dado", "unidades") and rest:
        return None
    if kind == "prazo":
        return None if rest in deadlines else f"o prazo {rest!r} não existe na norma"
    if kind == "multa":
        told = f"a coluna {rest!r} não existe na tabela de nenhum processo (processos.….tabela)"
        return None if rest in columns else told
    form, _, name = rest.partition(".")
    if kind == "protocolo" and name in FILED:
        return None if form in filings else f"o tipo de petição {form!r} não existe na norma"
    if kind == "a_correr":
        told = f"a escolha {form}.inicio não existe ou não tem a opção {name!r}"
        choice = choices.get(f"{form}.inicio")
        return None if form in deadlines and choice and name in choice.options else told
    if kind != "formulario":
        return f"a origem {source!r} não existe"
    if form not in forms:
        return f"o formulário {form!r} não existe na norma"
    return None if name in form_fields(forms[form][0]) else f"o formulário {form} não tem o campo {name!r}"
