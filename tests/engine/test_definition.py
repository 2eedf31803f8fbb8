"""Hostile and faulty files: refused before anything runs, with every fault named."""

import pytest

from app.engine.definition import load
from app.errors import Invalid
from tests.engine.diagrams import (
    BPMN,
    catch,
    end,
    events,
    node,
    on_message,
    on_timer,
    parallel,
    part,
    process,
    script,
    start,
    throw,
    timer,
    user,
    vote,
    xor,
)  # fmt: skip
from tests.engine.office import LANGUAGE

GOOD = process("p", [start(), user("a"), end()], "inicio > a\na > fim")


def refused(diagram: bytes, *more: bytes) -> Invalid:
    files = {"p.bpmn": diagram} | {f"m{n}.bpmn": data for n, data in enumerate(more)}
    with pytest.raises(Invalid) as caught:
        load("p", files, LANGUAGE)
    return caught.value


def with_doctype(doctype: str, text: str = "") -> bytes:
    body = GOOD.decode().split("?>", 1)[1].replace('name="a"', f'name="{text or "a"}"')
    return f'<?xml version="1.0"?>{doctype}{body}'.encode()


BILLION = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10))


@pytest.mark.parametrize(
    "data",
    [
        with_doctype("<!DOCTYPE d>"),
        with_doctype('<!DOCTYPE d SYSTEM "http://127.0.0.1:9/x.dtd">'),
        with_doctype('<!DOCTYPE d [<!ENTITY e SYSTEM "file:///etc/passwd">]>'),
        with_doctype('<!DOCTYPE d [<!ENTITY e "interna">]>', "&amp;e;"),
        with_doctype('<!DOCTYPE d [<!ENTITY % p SYSTEM "file:///etc/passwd"> %p;]>'),
        with_doctype(f'<!DOCTYPE d [<!ENTITY l0 "ha">{BILLION}]>'),
        with_doctype('<!DOCTYPE d [<!ENTITY e "interna">]>')
        .decode()
        .replace("?>", ' encoding="UTF-16"?>', 1)
        .encode("utf-16"),
    ],
)
def test_a_doctype_is_refused_in_any_form_and_encoding(data: bytes) -> None:
    error = refused(data)
    assert error.code == "definicao.doctype"
    assert "root:" not in str(error)


def test_entities_are_never_expanded() -> None:
    for text in ("&l9;", "&e;"):
        data = with_doctype(
            f'<!DOCTYPE d [<!ENTITY l0 "ha">{BILLION}<!ENTITY e SYSTEM "file:///etc/passwd">]>'
        )
        error = refused(data.replace(b'name="a"', f'name="{text}"'.encode()))
        assert error.code in ("definicao.doctype", "definicao.xml")
        assert "haha" not in str(error)
        assert "root:" not in str(error)


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b" " * 2_000_001, "definicao.tamanho"),
        (b"", "definicao.xml"),
        (b"<a>", "definicao.xml"),
        (b"\xff\xfe<", "definicao.xml"),
        (b'<?xml version="1.0" encoding="klingon"?><a/>', "definicao.xml"),
        (b"<a>" * 100_000, "definicao.xml"),
        (b"<a>" * 300 + b"</a>" * 300, "definicao.xml"),
        (b"<definitions/>", "definicao.raiz"),
        (b"<html xmlns='http://www.w3.org/1999/xhtml'/>", "definicao.raiz"),
    ],
)
def test_what_is_not_a_small_bpmn_file_is_refused(data: bytes, code: str) -> None:
    error = refused(data)
    assert error.code == code
    assert list(error.fields) == ["p.bpmn"]


def test_a_file_in_utf_16_without_doctype_is_welcome() -> None:
    data = GOOD.decode().replace("UTF-8", "UTF-16").encode("utf-16")
    assert set(load("p", {"p.bpmn": data}, LANGUAGE).elements) == {"inicio", "a", "fim"}


@pytest.mark.parametrize(
    "banned",
    [
        "inclusiveGateway", "complexGateway", "serviceTask", "sendTask", "receiveTask", "businessRuleTask", "task",
        "transaction", "adHocSubProcess", "dataObject", "dataObjectReference", "dataStoreReference", "ioSpecification",
        "signal", "import", "linkEventDefinition",
    ],
)  # fmt: skip
def test_a_banned_element_is_refused_by_id(banned: str) -> None:
    error = refused(process("p", [start(), user("a"), node(banned, "mau"), end()], "inicio > a\na > fim"))
    assert error.code == "definicao.elemento"
    assert error.fields["mau"] == f"{banned} não é permitido"


@pytest.mark.parametrize(
    "definition",
    [
        "signal", "conditional", "compensate", "cancel", "link",
    ],
)  # fmt: skip
@pytest.mark.parametrize("event", ["boundaryEvent", "intermediateCatchEvent", "endEvent", "startEvent"])
def test_a_banned_event_is_refused_by_id(event: str, definition: str) -> None:
    inner = f"<bpmn:{definition}EventDefinition/>"
    nodes = [start(), user("a"), node(event, "mau", inner, attachedToRef="a"), end()]
    assert "mau" in refused(process("p", nodes, "inicio > a\na > fim")).fields


@pytest.mark.parametrize("tag", ["preScript", "postScript", "serviceTaskOperator"])
def test_scripts_of_the_library_are_refused_naming_the_task(tag: str) -> None:
    inner = (
        f"<bpmn:extensionElements><spiffworkflow:{tag}>x = 1</spiffworkflow:{tag}></bpmn:extensionElements>"
    )
    error = refused(process("p", [start(), user("a", inner), end()], "inicio > a\na > fim"))
    assert error.code == "definicao.extensao"
    assert tag in error.fields["a"]


def test_extensions_of_other_engines_are_refused() -> None:
    inner = (
        '<bpmn:extensionElements><c:executionListener xmlns:c="http://camunda.org/schema/1.0/bpmn">'
        "<c:script>x</c:script></c:executionListener></bpmn:extensionElements>"
    )
    error = refused(process("p", [start(), user("a", inner), end()], "inicio > a\na > fim"))
    assert "executionListener" in error.fields["a"]


E = '<bpmn:errorEventDefinition errorRef="e"/>'
DECLARED = '<bpmn:error id="e" errorCode="E"/>'
TASK_LOOP = (
    "<bpmn:multiInstanceLoopCharacteristics><bpmn:loopDataInputRef>a</bpmn:loopDataInputRef>"
    "</bpmn:multiInstanceLoopCharacteristics>"
)
LOOP = '<bpmn:standardLoopCharacteristics id="laco"/>'
DURATION = (
    "<bpmn:timerEventDefinition><bpmn:timeDuration>'P1D'</bpmn:timeDuration></bpmn:timerEventDefinition>"
)
BOTH = '<bpmn:messageEventDefinition messageRef="m_x"/><bpmn:timerEventDefinition/>'
EVENT_BODY = part("c", [start("si"), end("sf")], "si > sf", triggeredByEvent="true")
BAD_BODY = part("c", [start("si"), script("s", "x ="), end("sf")], "si > s\ns > sf")
SCRIPT_VOTE = node("scriptTask", "v", f"<bpmn:script>x = 1</bpmn:script>{TASK_LOOP}")
LOOSE = on_timer("b", "x", "prazo('a', b)")
BODY = part("c", [start("si"), end("sf")], "si > sf")
FAULTY = {
    "no start": ([user("a"), end()], "a > fim", "p"),
    "two starts": ([start(), start("i2"), user("a"), end()], "inicio > a\ni2 > a\na > fim", "p"),
    "no end": ([start(), user("a")], "inicio > a\na > a", "p"),
    "dangling flow": ([start(), user("a"), end()], "inicio > a\na > fim\na > nada", "f_a_nada"),
    "flow across a border": ([start(), BODY, end()], "inicio > c\nc > fim\nsi > fim", "f_si_fim"),
    "two flows between a pair": ([start(), xor("g"), end()], "inicio > g\ng > fim : True\ng > fim : False", "f_g_fim"),
    "unreachable": ([start(), user("a"), user("b"), end()], "inicio > a\na > fim\nb > fim", "b"),
    "dead end": ([start(), user("a"), user("b"), end()], "inicio > a\na > b\nb > a\na > fim", "a"),
    "nothing leaves": ([start(), xor("g"), user("b"), end()], "inicio > g\ng > b : True\ng > fim : False", "b"),
    "flow into a start": ([start(), user("a"), end()], "inicio > a\na > inicio\na > fim", "inicio"),
    "flow out of an end": ([start(), user("a"), end()], "inicio > a\na > fim\nfim > a", "fim"),
    "implicit split": ([start(), user("a"), end(), end("f2")], "inicio > a\na > fim\na > f2", "a"),
    "condition missing": ([start(), xor("g"), end(), end("f2")], "inicio > g\ng > fim : True\ng > f2", "f_g_f2"),
    "condition where none counts": ([start(), user("a"), end()], "inicio > a : True\na > fim", "f_inicio_a"),
    "condition broken": ([start(), xor("g"), end()], "inicio > g\ng > fim : x ==", "f_g_fim"),
    "condition of a stranger": ([start(), xor("g"), end()], "inicio > g\ng > fim : rouba(x)", "f_g_fim"),
    "default elsewhere": ([start(), xor("g", default="z"), end()], "inicio > g\ng > fim", "g"),
    "script empty": ([start(), node("scriptTask", "s"), end()], "inicio > s\ns > fim", "s"),
    "script broken": ([start(), script("s", "x ="), end()], "inicio > s\ns > fim", "s"),
    "script of a stranger": ([start(), script("s", "apagar('tudo')"), end()], "inicio > s\ns > fim", "s"),
    "timer without date": (
        [start(), node("intermediateCatchEvent", "t", "<bpmn:timerEventDefinition/>"), end()],
        "inicio > t\nt > fim",
        "t",
    ),
    "timer with duration": (
        [start(), node("intermediateCatchEvent", "t", DURATION), end()],
        "inicio > t\nt > fim",
        "t",
    ),
    "timer of another function": ([start(), timer("t", "escolha('x')"), end()], "inicio > t\nt > fim", "t"),
    "timer at the start": ([node("startEvent", "i", "<bpmn:timerEventDefinition/>"), end()], "i > fim", "i"),
    "catch without definition": ([start(), node("intermediateCatchEvent", "t"), end()], "inicio > t\nt > fim", "t"),
    "two definitions": (
        [start(), node("intermediateCatchEvent", "t", BOTH), end()],
        "inicio > t\nt > fim",
        "t",
    ),
    "message without reference": (
        [start(), node("intermediateCatchEvent", "t", "<bpmn:messageEventDefinition/>"), end()],
        "inicio > t\nt > fim",
        "t",
    ),
    "message with a taken name": ([start(), catch("t", "seen_events"), end()], "inicio > t\nt > fim", "t"),
    "message that is no name": ([start(), catch("t", "um aviso"), end()], "inicio > t\nt > fim", "t"),
    "border of nothing": ([start(), user("a"), LOOSE, end()], "inicio > a\na > fim\nb > fim", "b"),
    "border of a gateway": ([start(), xor("g"), on_message("b", "g", "x"), end()], "inicio > g\ng > fim\nb > fim", "b"),
    "error nobody catches": ([start(), end("fim", E)], "inicio > fim", "fim"),
    "error without reference": ([start(), end("fim", "<bpmn:errorEventDefinition/>")], "inicio > fim", "fim"),
    "border of an unknown error": (
        [start(), user("a"), node("boundaryEvent", "b", E.replace('"e"', '"x"'), attachedToRef="a"), end()],
        "inicio > a\na > fim\nb > fim",
        "b",
    ),
    "event gateway into a task": ([start(), events("g"), user("a"), end()], "inicio > g\ng > a\na > fim", "g"),
    "event gateway twice the same": (
        [start(), events("g"), catch("a", "x"), catch("b", "x"), end()],
        "inicio > g\ng > a\ng > b\na > fim\nb > fim",
        "g",
    ),
    "parallel event gateway": (
        [start(), events("g", eventGatewayType="Parallel"), catch("a", "x"), end()],
        "inicio > g\ng > a\na > fim",
        "g",
    ),
    "event sub-process": ([start(), EVENT_BODY, end()], "inicio > c\nc > fim", "c"),
    "compensation": ([start(), user("a", isForCompensation="true"), end()], "inicio > a\na > fim", "a"),
    "fault inside a sub-process": ([start(), BAD_BODY, end()], "inicio > c\nc > fim", "s"),
    "vote without output": ([start(), user("v", TASK_LOOP), end()], "inicio > v\nv > fim", "v"),
    "vote on a script": ([start(), SCRIPT_VOTE, end()], "inicio > v\nv > fim", "v"),
    "vote with a broken condition": ([start(), vote("v", "votos.x"), end()], "inicio > v\nv > fim", "v"),
    "standard loop": ([start(), user("a", LOOP), end()], "inicio > a\na > fim", "laco"),
    "call of nothing": ([start(), node("callActivity", "c"), end()], "inicio > c\nc > fim", "c"),
    "call of itself": ([start(), node("callActivity", "c", calledElement="p"), end()], "inicio > c\nc > fim", "c"),
    "reserved id": ([start(), user("End"), end()], "inicio > End\nEnd > fim", "End"),
    "strange id": ([start(), user("a.b"), end()], "inicio > a.b\na.b > fim", "a.b"),
    "accented id": ([start(), user("ação"), end()], "inicio > ação\nação > fim", "ação"),
    "double id": ([start(), user("a"), user("a"), end()], "inicio > a\na > fim", "a"),
}  # fmt: skip


@pytest.mark.parametrize("fault", FAULTY)
def test_a_faulty_diagram_is_refused_naming_the_element(fault: str) -> None:
    nodes, path, element = FAULTY[fault]
    assert element in refused(process("p", nodes, path, extra=DECLARED)).fields


def test_all_faults_are_told_at_once_those_of_one_element_together() -> None:
    diagram = process(
        "p",
        [start(), script("s", "x ="), timer("t", "1"), user("solta"), end()],
        "inicio > s\ns > t\nt > fim\nt > nada",
    )
    error = refused(diagram)
    assert error.code == "definicao.invalida"
    assert set(error.fields) == {"s", "t", "solta", "f_t_nada"}
    assert "nenhum fluxo chega" in error.fields["solta"]
    assert "nenhum fluxo sai" in error.fields["solta"]


def test_faults_of_all_files_are_told_by_file() -> None:
    error = refused(b"<a>", b"<b>")
    assert set(error.fields) == {"p.bpmn", "m0.bpmn"}


def test_calls_in_a_circle_over_two_files_are_refused() -> None:
    one = process("p", [start(), node("callActivity", "c", calledElement="q"), end()], "inicio > c\nc > fim")
    two = process(
        "q", [start("i2"), node("callActivity", "d", calledElement="p"), end("f2")], "i2 > d\nd > f2"
    )
    assert set(refused(one, two).fields) == {"c", "d"}


def test_calls_in_a_circle_beyond_the_caller_are_refused_too() -> None:
    one = process("p", [start(), node("callActivity", "c", calledElement="q"), end()], "inicio > c\nc > fim")
    two = process(
        "q", [start("i2"), node("callActivity", "d", calledElement="q"), end("f2")], "i2 > d\nd > f2"
    )
    assert set(refused(one, two).fields) == {"d"}


def test_ids_must_differ_across_files() -> None:
    two = process("q", [start("i2"), user("a"), end("f2")], "i2 > a\na > f2")
    assert "a" in refused(GOOD, two).fields


def test_a_process_that_is_not_there_or_not_executable_is_refused() -> None:
    assert refused(GOOD.replace(b'isExecutable="true"', b"")).code == "definicao.processo"
    assert refused(process("outro", [start(), end()], "inicio > fim")).code == "definicao.processo"


def test_the_digest_depends_on_process_names_and_bytes_and_nothing_else() -> None:
    two = process("q", [start("i2"), user("b"), end("f2")], "i2 > b\nb > f2")
    known = load("p", {"p.bpmn": GOOD, "q.bpmn": two}, LANGUAGE)
    assert load("p", {"q.bpmn": two, "p.bpmn": GOOD}, LANGUAGE) is known
    digests = {
        known.digest,
        load("p", {"p.bpmn": GOOD}, LANGUAGE).digest,
        load("q", {"p.bpmn": GOOD, "q.bpmn": two}, LANGUAGE).digest,
        load("p", {"p2.bpmn": GOOD}, LANGUAGE).digest,
        load("p", {"p.bpmn": GOOD + b"\n"}, LANGUAGE).digest,
    }
    assert len(digests) == 5


def test_the_definition_lists_elements_and_awaited_messages_of_the_processes_in_use() -> None:
    diagram = process(
        "p",
        [start(), user("a", name="Lavrar   auto", estado="AUTUADO"), on_message("b", "a", "desiste"),
         catch("c", "aviso"), throw("d", "saida"), parallel("s"), end(), end("f2")],
        "inicio > a\na > c\nc > d\nd > s\ns > fim\nb > f2",
    )  # fmt: skip
    definition = load(
        "p", {"p.bpmn": diagram, "q.bpmn": process("q", [start("qi"), end("qf")], "qi > qf")}, LANGUAGE
    )
    assert definition.messages == {"desiste", "aviso"}
    assert set(definition.elements) == {"inicio", "a", "b", "c", "d", "s", "fim", "f2"}
    assert (definition.elements["a"].name, definition.elements["a"].kind) == ("Lavrar auto", "userTask")
    assert definition.elements["a"].properties == {"estado": "AUTUADO"}


def test_comments_notes_and_drawing_are_allowed() -> None:
    more = (
        "<!-- nota --><bpmn:textAnnotation id='n'><bpmn:text>nota</bpmn:text></bpmn:textAnnotation>"
        "<bpmn:association id='as' sourceRef='a' targetRef='n'/>"
    )
    diagram = GOOD.replace(b"</bpmn:process>", f"{more}</bpmn:process>".encode())
    drawing = b'<di:BPMNDiagram xmlns:di="http://www.omg.org/spec/BPMN/20100524/DI" id="dg"/>'
    load("p", {"p.bpmn": diagram.replace(b"</bpmn:definitions>", drawing + b"</bpmn:definitions>")}, LANGUAGE)
    assert BPMN in diagram.decode()


def test_the_cache_forgets_the_oldest_definition() -> None:
    first = load("p", {"p.bpmn": GOOD}, LANGUAGE)
    for number in range(64):
        load("p", {"p.bpmn": GOOD + b" " * (number + 1)}, LANGUAGE)
    assert load("p", {"p.bpmn": GOOD}, LANGUAGE) is not first
