"""The file of a copy: a plain tar with a manifest and the data. Nobody needs this program to look into one."""

from __future__ import annotations

import hashlib
import json
import tarfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, fields
from io import BytesIO
from pathlib import Path
from typing import IO, Any

from app.errors import Refused
from app.values import parse_instant

FORMAT = "tramita-copia-1"
_MANIFEST, _DATA = "manifesto.json", "dados"
_PIECE = 1024 * 1024
_LARGEST_MANIFEST = 64 * 1024

_FOREIGN = "{name} não é uma cópia de segurança do Tramita."
_DAMAGED = "{name} está danificado ou incompleto: a soma dos seus bytes não confere. Use outra cópia."


@dataclass(frozen=True)
class Manifest:
    """What a copy says of itself. `proved`: how it was read back when it was made."""

    dialect: str
    revision: str
    program: str
    created_at: str
    sha256: str
    size: int
    entries: int
    streams: int
    heads: str
    proved: str
    format: str = FORMAT


def pack(part: Path, manifest: Manifest, data: Path) -> None:
    told = json.dumps(asdict(manifest), ensure_ascii=False, indent=1).encode()
    with tarfile.open(part, "x:") as tar:
        for name, size, source in ((_MANIFEST, len(told), BytesIO(told)), (_DATA, manifest.size, None)):
            member = tarfile.TarInfo(name)
            member.size, member.mode = size, 0o600
            if source is not None:
                tar.addfile(member, source)
                continue
            with data.open("rb") as opened:
                tar.addfile(member, opened)


def unpack(file: Path, data: Path | None) -> Manifest:
    """Reads a copy from its first byte to its last, its data into `data`. Refused when anything is not as it says."""
    with _opened(file) as tar:
        manifest = _manifest(file, tar)
        member = tar.next()
        if member is None or member.name != _DATA or not member.isreg():
            raise _foreign(file)
        source = tar.extractfile(member)
        assert source is not None  # a regular file
        found = _copied(source, data)
        if found != (manifest.size, manifest.sha256):
            raise Refused(_DAMAGED.format(name=file.name), code="copia.danificada")
    return manifest


def sum_of(path: Path) -> tuple[int, str]:
    """Size and SHA-256 of a file."""
    with path.open("rb") as opened:
        return _copied(opened, None)


def _copied(source: IO[bytes], target: Path | None) -> tuple[int, str]:
    total, size = hashlib.sha256(), 0
    out = target.open("xb") if target else None
    try:
        while piece := source.read(_PIECE):
            total.update(piece)
            size += len(piece)
            if out is not None:
                out.write(piece)
    finally:
        if out is not None:
            out.close()
    return size, total.hexdigest()


@contextmanager
def _opened(file: Path) -> Iterator[tarfile.TarFile]:
    with file.open("rb") as opened:
        try:
            with tarfile.open(fileobj=opened, mode="r:") as tar:
                yield tar
        except tarfile.ReadError as error:
            if "unexpected end" in str(error):
                raise Refused(_DAMAGED.format(name=file.name), code="copia.danificada") from error
            raise _foreign(file) from error
        except (ValueError, LookupError, TypeError) as error:
            # What tarfile makes of headers that make no sense.
            raise _foreign(file) from error


def _manifest(file: Path, tar: tarfile.TarFile) -> Manifest:
    member = tar.next()
    if member is None or member.name != _MANIFEST or not member.isreg() or member.size > _LARGEST_MANIFEST:
        raise _foreign(file)
    source = tar.extractfile(member)
    assert source is not None  # a regular file
    try:
        told: Any = json.loads(source.read())
    except (ValueError, RecursionError):
        raise _foreign(file) from None
    if not isinstance(told, dict):
        raise _foreign(file)
    if str(told.get("format", "")).startswith("tramita-copia-") and told["format"] != FORMAT:
        raise Refused(
            f"{file.name} foi feito por uma versão mais nova do Tramita: atualize o Tramita e repita o comando.",
            code="copia.mais_nova",
        )
    wanted = {f.name: f.type for f in fields(Manifest)}
    kinds = {"str": str, "int": int}
    if set(told) != set(wanted) or not all(type(told[n]) is kinds[str(k)] for n, k in wanted.items()):
        raise _foreign(file)
    try:
        parse_instant(told["created_at"])  # it is shown on a terminal
    except ValueError:
        raise _foreign(file) from None
    return Manifest(**told)


def _foreign(file: Path) -> Refused:
    return Refused(_FOREIGN.format(name=file.name), code="copia.estranha")
