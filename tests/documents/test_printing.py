"""The process that sets one paper: it gives the PDF, or the reason for none, and never more of either."""

from __future__ import annotations

import io
import json
import resource
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from app.documents import typesetter
from app.documents.printing import FAILED, TYPST, Unprintable, typeset
from tests.documents.paper import ADDRESS, paper, pdf_of


def test_the_process_gives_the_bytes_that_typst_gives_here() -> None:
    assert typeset(paper().order(ADDRESS)) == pdf_of(paper())
    assert TYPST == "0.15.2"
    assert typesetter.FAILED == FAILED


@pytest.mark.parametrize(
    ("template", "said"),
    [
        ("#nada", "o modelo não compila: unknown variable: nada"),
        ("#panic(json(bytes(sys.inputs.dados)).nome)", "o modelo não compila: panicked with"),
        ("#int(json(bytes(sys.inputs.dados)).nome)", "o modelo não compila: string contains invalid digits"),
        (
            '#set document(title: "x")\n#json(bytes(sys.inputs.dados)).nome 🚌',
            "o modelo não compila: PDF/A-2a, PDF/UA-1 error: the text … could not be displayed with font …",
        ),
    ],
)
def test_a_template_that_does_not_compile_says_why_but_none_of_the_text(template: str, said: str) -> None:
    with pytest.raises(Unprintable) as refused:
        typeset({"template": template, "data": {"nome": "Rita Alves"}, "timestamp": 0})
    assert str(refused.value) == said


def script(folder: Path, source: str) -> Path:
    path = folder / "script.py"
    path.write_text(source, "utf-8")
    return path


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", "foi encerrado (sinal 9)"),
        ("raise SystemExit(7)", "falhou (código 7)"),
        ("print('no pdf')", "falhou (código 0)"),
        ("raise MemoryError", "falhou (código 1)"),
    ],
)
def test_a_process_that_dies_is_told_as_such(tmp_path: Path, source: str, said: str) -> None:
    with pytest.raises(Unprintable, match="o processo que prepara o documento") as refused:
        typeset({}, script(tmp_path, source))
    assert said in str(refused.value)


def test_a_process_that_hangs_is_ended(tmp_path: Path) -> None:
    forever = script(tmp_path, "import threading; threading.Event().wait()")
    with pytest.raises(Unprintable, match=r"não ficou pronto em 0\.5 segundos"):
        typeset({}, forever, 0.5)


def test_the_process_gets_nothing_of_ours_but_the_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TRAMITA_SECRET_KEY", "segredo")
    source = "import os, sys; sys.stdout.write('%PDF-' + repr((dict(os.environ), os.listdir('.'))))"
    told = typeset({}, script(tmp_path, source)).decode()
    assert "segredo" not in told
    assert told.endswith("[])")


def test_the_process_bounds_itself_where_the_system_can(monkeypatch: pytest.MonkeyPatch) -> None:
    bounds: dict[int, tuple[int, int]] = {}
    monkeypatch.setattr(resource, "setrlimit", bounds.__setitem__)
    typesetter.limit()
    assert bounds[resource.RLIMIT_CPU] == (30, 30)
    assert bounds[resource.RLIMIT_AS] == (2 * 1024**3, 2 * 1024**3)
    monkeypatch.setitem(sys.modules, "resource", None)  # as on a system that has no such thing
    typesetter.limit()


def test_the_script_reads_an_order_and_writes_a_pdf(monkeypatch: pytest.MonkeyPatch) -> None:
    given, taken, told = paper().order(ADDRESS), io.BytesIO(), io.StringIO()
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(json.dumps(given).encode())))
    monkeypatch.setattr(sys, "stdout", SimpleNamespace(buffer=taken))
    assert typesetter.main() == 0
    assert taken.getvalue() == pdf_of(paper())
    monkeypatch.setattr(sys, "stderr", told)
    wrong = json.dumps({**given, "template": "#nada"}).encode()
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(wrong)))
    assert typesetter.main() == typesetter.FAILED
    assert told.getvalue() == "unknown variable: nada\n"
