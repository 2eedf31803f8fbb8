"""What a template is given of a document: texts ready to be set, the crest, the code and where to check it.

Content comes from the seal and the norm; nothing is looked up here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from io import BytesIO

import segno

from app.documents.codes import grouped
from app.documents.text import Printable
from app.law.norm import DocumentKind, Norm
from app.values import Json, digest

_LONG = 240  # characters beyond which a field becomes a section of its own
_NOTE = (
    "Alguns caracteres do texto original não existem na fonte deste documento; onde havia um deles vê-se □ ou nada. "
    "O texto original está guardado no processo."
)
NOTHING = "—"
_VOTES = ("Assento", "Nome", "Voto")


@dataclass(frozen=True)
class Paper:
    """One issued document, as the press takes it from the drawer."""

    norm: Norm
    kind: DocumentKind
    number: str
    code: str
    issued_at: datetime
    content: Mapping[str, Json]

    @property
    def template(self) -> bytes:
        return self.norm.templates[f"{self.kind.template}.typ"]

    @property
    def template_digest(self) -> str:
        return digest(self.template)

    def order(self, address: str) -> Json:
        """What the typesetter is handed. `address` is where the public finds this site."""
        return {
            "template": self.template.decode(),
            "data": self._data(address),
            "timestamp": int(self.issued_at.timestamp()),
        }

    def _data(self, address: str) -> Json:
        text, norm = Printable(), self.norm
        where = address_of(address, self.code)
        data = {
            "titulo": text(self.content["title"]),
            "numero": self.number,
            "artigo": text(self.kind.article),
            "processo": text(self.content["case"]),
            "municipio": text(norm.municipality),
            "uf": text(norm.state),
            "orgao": text(norm.agency),
            "lei": text(self.content["law"]),
            "emitido": f"{self.issued_at.astimezone(norm.zone):%d/%m/%Y às %H:%M}",
            "campos": [_field(text, field) for field in standing(self.content)],
            "assinatura": _signature(text, self.content["signature"]),
            "endereco": where,
            "codigo": grouped(self.code),
            "qr": qr(where),
            "brasao": norm.crest.decode(),
        }
        return {**data, "nota": _NOTE if text.replaced else ""}


def address_of(address: str, code: str) -> str:
    """Where anybody checks the paper with this code."""
    return f"{address}/conferir/{grouped(code)}"


def qr(address: str) -> str:
    """The address as an SVG that a camera reads."""
    drawn = BytesIO()
    segno.make(address, error="m", micro=False).save(drawn, kind="svg", xmldecl=False, svgns=True, border=2)
    return drawn.getvalue().decode()


def standing(content: Mapping[str, Json]) -> list[Mapping[str, Json]]:
    """The fields that stand, on the PDF and on the page alike, with a dash where nothing is known.

    What the law asks for always stands; what it asks for only in some cases (`optional`), and any other field, stands
    with a text. Text of which nothing can be seen is none.
    """
    fields = [f if Printable()(f["text"]) else {**f, "text": ""} for f in content["fields"]]
    kept = (f for f in fields if f["text"] or (f["article"] and not f.get("optional")))
    return [{**f, "text": f["text"] or NOTHING} for f in kept]


def _field(text: Printable, field: Mapping[str, Json]) -> Json:
    shown = text(field["text"])
    rows = [[text(cell) for cell in row] for row in field.get("rows", ())]
    return {
        "rotulo": text(field["label"]),
        "artigo": text(field["article"]),
        "texto": shown,
        "longo": bool(rows) or len(shown) > _LONG or "\n" in shown,
        "colunas": list(_VOTES),
        "tabela": rows,
    }


def _signature(text: Printable, signer: Mapping[str, Json] | None) -> Json:
    """Who is to sign; None for a document that the clock issued."""
    if signer is None:
        return None
    return {
        "nome": text(signer["name"]),
        "cargo": text(signer["office"]),
        "matricula": text(signer["registration"]),
        "situacao": "a assinar",
    }
