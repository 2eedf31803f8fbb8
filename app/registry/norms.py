"""Norms as published on this site: content by digest, the version in force, what a case is pinned to."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime
from functools import partial
from pathlib import Path

from sqlalchemy import select

from app import audit
from app.engine.expression import Language
from app.errors import Conflict, Invalid, NotFound
from app.law.content.raw import check_sizes
from app.law.content.sections import Faults
from app.law.norm import Norm, load_norm
from app.registry import diagrams
from app.store import Reader, Tx, blobs
from app.store.tables import blob, norm_file, norm_version


def read_content(root: Path, slug: str) -> dict[str, bytes]:
    """The files of a municipality under `bpmn/<slug>` and `forms/<slug>`, by path relative to `root`.

    What is called `demonstracao` is an invented world for demos and stories and no part of the norm.
    Raises Invalid when there is no such folder, or when it is too large to be a law: sizes are asked before reading.
    """
    paths, faults = {}, Faults()
    for folder in (root / "bpmn" / slug, root / "forms" / slug):
        for path in sorted(folder.rglob("*")):
            invented = "demonstracao" in path.relative_to(folder).parts[0]
            if path.is_file() and not path.name.startswith(".") and not invented:
                paths[path.relative_to(root).as_posix()] = path
                if not path.resolve().is_relative_to(folder.resolve()):
                    faults.add(
                        path.relative_to(root).as_posix(), "", "o arquivo é um atalho para fora da pasta"
                    )
    if f"bpmn/{slug}/norma.toml" not in paths:
        raise Invalid(f"Não há norma em bpmn/{slug}/norma.toml.", code="norma.inexistente")
    check_sizes({name: path.stat().st_size for name, path in paths.items()}, faults)
    faults.raise_if_any()
    return {name: path.read_bytes() for name, path in paths.items()}


def publish(
    tx: Tx,
    files: Mapping[str, bytes],
    in_force_from: date | None,
    approved_by: str,
    *,
    language: Language,
) -> Norm:
    """Stores a norm's content as a version in force from a day, by the act that approved it.

    Args:
        in_force_from: the law's own day of publication when not given.
        language: the words that diagrams may use; a norm whose diagrams would not run is not published.
    Raises Invalid with every fault of the content, Conflict when this very content was published before.
    """
    norm = load_norm(files, partial(diagrams.faults, language=language))
    since = in_force_from or norm.published_on
    if tx.first(select(norm_version.c.digest).where(norm_version.c.digest == norm.digest)):
        raise Conflict("Esta versão da norma já foi publicada.", code="norma.repetida")
    row = {"digest": norm.digest, "slug": norm.slug, "approved_by": approved_by}
    tx.add(norm_version, published_at=tx.now, in_force_from=since, **row)
    for path, data in sorted(files.items()):
        stored = blobs.keep(tx, data)
        tx.add(norm_file, norm_digest=norm.digest, path=path, blob_digest=stored)
    body = {**row, "in_force_from": since.isoformat(), "files": sorted(files)}
    audit.append(tx, f"norma:{norm.slug}", "publish_norm", body)
    return norm


def in_force(reader: Reader, slug: str, instant: datetime) -> Norm:
    """The version that new cases take at an instant, by its local day. NotFound when none has been published."""
    rows = reader.all(
        select(norm_version.c.digest, norm_version.c.in_force_from)
        .where(norm_version.c.slug == slug)
        .order_by(norm_version.c.in_force_from.desc(), norm_version.c.published_at.desc())
    )
    for row in rows:
        norm = by_digest(reader, row["digest"])
        if row["in_force_from"] <= instant.astimezone(norm.zone).date():
            return norm
    raise NotFound(f"Nenhuma norma de {slug} está em vigor.", code="norma.sem_vigencia")


def by_digest(reader: Reader, digest: str) -> Norm:
    """A published version, parsed once per process."""
    cached = _parsed.get(digest)
    if cached is None:
        rows = reader.all(
            select(norm_file.c.path, blob.c.bytes)
            .join(blob, blob.c.digest == norm_file.c.blob_digest)
            .where(norm_file.c.norm_digest == digest)
        )
        if not rows:
            raise NotFound("Versão da norma desconhecida.", code="norma.desconhecida")
        cached = _parsed[digest] = load_norm({r["path"]: bytes(r["bytes"]) for r in rows})
    return cached


_parsed: dict[str, Norm] = {}  # content-addressed and immutable, so it may be shared by threads
