"""Norms as published on this site: content by digest, the version in force, what a case is pinned to."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime
from pathlib import Path

from sqlalchemy import insert, select

from app import audit
from app.errors import Conflict, Invalid, NotFound
from app.law.norm import Norm, load_norm
from app.store import Reader, Tx, blobs
from app.store.tables import blob, norm_file, norm_version


def read_content(root: Path, slug: str) -> dict[str, bytes]:
    """The files of a municipality under `bpmn/<slug>` and `forms/<slug>`, by path relative to `root`.

    What is called `demonstracao` is an invented world for demos and stories and no part of the norm.
    Raises Invalid when there is no such folder.
    """
    files = {}
    for room in ("bpmn", "forms"):
        folder = root / room / slug
        for path in sorted(folder.rglob("*")):
            invented = "demonstracao" in path.relative_to(folder).parts[0]
            if path.is_file() and not path.name.startswith(".") and not invented:
                files[path.relative_to(root).as_posix()] = path.read_bytes()
    if f"bpmn/{slug}/norma.toml" not in files:
        raise Invalid(f"Não há norma em bpmn/{slug}/norma.toml.", code="norma.inexistente")
    return files


def publish(tx: Tx, files: Mapping[str, bytes], in_force_from: date, approved_by: str) -> Norm:
    """Stores a norm's content as a version in force from a day, by the act that approved it."""
    norm = load_norm(files)
    if tx.first(select(norm_version.c.digest).where(norm_version.c.digest == norm.digest)):
        raise Conflict("Esta versão da norma já foi publicada.", code="norma.repetida")
    row = {"digest": norm.digest, "slug": norm.slug, "approved_by": approved_by}
    tx.write(insert(norm_version).values(published_at=tx.now, in_force_from=in_force_from, **row))
    for path, data in sorted(files.items()):
        stored = blobs.keep(tx, data)
        tx.write(insert(norm_file).values(norm_digest=norm.digest, path=path, blob_digest=stored))
    body = {**row, "in_force_from": in_force_from.isoformat(), "files": sorted(files)}
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
