"""Prepares `.venv` and the browser assets: `python tools/setup.py [--dev]`. Standard library only.

What is already right is left alone: each step writes its stamp last, so a run that was stopped at any moment is
finished, or redone, by the next one. Written so that an old Python can at least read it and say what it lacks.
"""
# ruff: noqa: UP036

import sys

if sys.version_info < (3, 11):
    sys.exit(
        "Tramita precisa do Python 3.11 ou mais novo; este é o {}.{}.\n"
        "Instale um mais novo ou aponte para ele: make run PYTHON=python3.12".format(*sys.version_info)
    )

import contextlib
import fcntl
import hashlib
import importlib.util
import os
import shutil
import signal
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
BIN = VENV / "bin"
FRONTEND = ROOT / "frontend"
BUILD = ROOT / "app" / "web" / "static" / "build"
UV_LOCK = ROOT / "tools" / "uv.txt"
BROKEN_OFF = VENV / ".tramita-installing"  # stands while packages are being written


def main() -> None:
    folders = [path for path in (ROOT, VENV, BUILD.parent) if path.exists()]
    if locked := [str(path) for path in folders if not os.access(path, os.W_OK | os.X_OK)]:
        fail(
            f"Falta permissão para gravar em {', '.join(locked)}.",
            "Copie o Tramita para uma pasta sua, ou peça a quem administra a máquina; depois repita o comando.",
        )
    with alone():
        make_venv()
        install("deps", [ROOT / "requirements.lock", ROOT / "pyproject.toml"], then=install_ourselves)
        if "--dev" in sys.argv:
            install("dev", [ROOT / "requirements-dev.lock", VENV / ".tramita-deps"])
        build_assets()


@contextlib.contextmanager
def alone():
    """One set-up at a time; a second one waits for the first and then finds everything done."""
    with open(__file__, "rb") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say("outra preparação está em andamento; esperando por ela")
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def make_venv() -> None:
    """A virtual environment of this very folder and Python, with the pinned uv in it."""
    stamp, wanted = VENV / ".tramita-venv", digest([UV_LOCK])
    if not BROKEN_OFF.exists() and BIN.joinpath("python").exists():
        if reads(stamp) == wanted:
            return
        if not stamp.exists() and usable_uv():
            write(stamp, wanted)
            return
    for module in ("venv", "ensurepip"):
        if importlib.util.find_spec(module) is None:
            fail(
                f"Falta o módulo '{module}' do Python {sys.version_info[0]}.{sys.version_info[1]}.",
                "No Debian e no Ubuntu: sudo apt install python3-venv (ou python3.11-venv etc.).",
                "Em outros sistemas, instale o Python completo. Depois repita o comando.",
            )
    say("criando o ambiente em .venv")
    shutil.rmtree(VENV, ignore_errors=True)
    run(sys.executable, "-m", "venv", str(VENV), what="criar o ambiente virtual")
    pip = (str(BIN / "python"), "-m", "pip", "install", "-q", "--disable-pip-version-check")
    run(*pip, "--require-hashes", "-r", str(UV_LOCK), what="instalar o uv")
    write(stamp, wanted)


def usable_uv() -> bool:
    """Whether `.venv`, made by somebody else, runs this Python and holds the uv we pin."""
    version = UV_LOCK.read_text(encoding="utf-8").split()[0].split("==")[1]
    try:
        uv = subprocess.run([str(BIN / "uv"), "--version"], capture_output=True, text=True, check=False)
        code = "import sys; sys.exit(sys.version_info < (3, 11))"
        python = subprocess.run([str(BIN / "python"), "-c", code], capture_output=True, check=False)
    except OSError:
        return False
    return uv.returncode == 0 and uv.stdout.split()[1:2] == [version] and python.returncode == 0


def install(name, inputs, then=None) -> None:
    """The packages of a lock file (`inputs[0]`), each checked by its hash."""
    stamp, wanted = VENV / f".tramita-{name}", digest(inputs)
    if reads(stamp) == wanted:
        return
    say(f"instalando os pacotes de {inputs[0].name}")
    write(BROKEN_OFF, name)
    uv("install", "--require-hashes", "-r", str(inputs[0]), what="instalar os pacotes")
    if then is not None:
        then()
    BROKEN_OFF.unlink()
    write(stamp, wanted)


def install_ourselves() -> None:
    # Without isolation the locked setuptools builds it: nothing outside the lock file is downloaded.
    uv("install", "--no-deps", "--no-build-isolation", "-e", str(ROOT), what="instalar o próprio Tramita")


def uv(*arguments, what) -> None:
    run(str(BIN / "uv"), "pip", *arguments, "-q", "-p", str(BIN / "python"), what=what)


def build_assets() -> None:
    inputs = [FRONTEND / "package-lock.json", FRONTEND / "package.json", FRONTEND / "build.mjs"]
    inputs += [*sorted((FRONTEND / "src").iterdir()), ROOT / "tools" / "assets.py"]
    stamp, wanted = BUILD / ".stamp", digest(inputs)
    if reads(stamp) == wanted:
        return
    say("montando os arquivos do navegador")
    run(str(BIN / "python"), str(ROOT / "tools" / "assets.py"), what="montar os arquivos do navegador")
    write(stamp, wanted)


def digest(paths) -> str:
    """What a step depends on: its files, this folder (scripts name it) and the Python that is asked for."""
    total = hashlib.sha256(f"{ROOT} {sys.version_info[:2]}".encode())
    for path in paths:
        total.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return total.hexdigest()


def reads(path: Path) -> str:
    return path.read_text(encoding="utf-8") if path.exists() else ""


def write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")


def run(*command, what) -> None:
    # In a group of its own it does not hear Ctrl+C, and so prints no traceback about it; we end it instead.
    child = subprocess.Popen(command, cwd=ROOT, process_group=0)
    try:
        code = child.wait()
    except KeyboardInterrupt:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(child.pid, signal.SIGTERM)
        child.wait()
        raise
    if code:
        fail(
            f"Não foi possível {what}; a mensagem acima diz por quê.",
            "Confira a conexão com a internet e repita o comando: ele continua de onde parou.",
        )


def say(text: str) -> None:
    print(f"tramita: {text}", flush=True)


def fail(*lines: str) -> None:
    sys.exit("\n".join(lines))


if __name__ == "__main__":
    for ending in (signal.SIGTERM, signal.SIGHUP):  # a closed terminal must not leave a child at work
        signal.signal(ending, signal.default_int_handler)
    try:
        main()
    except KeyboardInterrupt:
        sys.exit("\nInterrompido. Repita o comando quando quiser: ele continua de onde parou.")
    except OSError as error:  # the disk is full, a file went away or belongs to somebody else
        fail(
            f"Não foi possível preparar o Tramita: {error}.",
            "Resolva isso e repita o comando: ele continua daí.",
        )
