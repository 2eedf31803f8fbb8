"""The closed language: what it evaluates, and the attacks that it refuses."""

import pytest

from app.engine.expression import (
    ExpressionFault,
    Language,
    condition,
    deadline,
    names,
    script,
)
from app.errors import Invalid
from tests.engine.diagrams import end, process, start, timer, user, vote, xor
from tests.engine.diagrams import script as script_task
from tests.engine.office import LANGUAGE, Office

DATA = {
    "x": 3,
    "nome": "Ana",
    "vazio": None,
    "sim": True,
    "lista": ["a", "b"],
    "votos": {"a": "P", "b": "P", "c": "I"},
}


def value(source: str) -> object:
    def call(name: str, args: tuple[object, ...]) -> object:
        return LANGUAGE.pure[name](*args) if name in LANGUAGE.pure else (name, *args)

    return condition(source, LANGUAGE).evaluate(DATA, call)


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("x == 3", True),
        ("1 < x <= 3", True),
        ("3 < x < 10", False),
        ("x != 3 or nome == 'Ana'", True),
        ("not sim", False),
        ("vazio is None", True),
        ("nome is not None and x >= 4", False),
        ("x in (1, 2, 3)", True),
        ("'c' not in lista", True),
        ("-1 < x", True),
        ("conta(votos, 'P') >= 2", True),
        ("maioria(votos)", "P"),
        ("escolha('recurso1.inicio') == 'x'", False),
        ("vazio or nome", "Ana"),
        ("[x, 'a']", [3, "a"]),
        ("", None),
    ],
)
def test_an_expression_has_the_value_a_reader_expects(source: str, expected: object) -> None:
    if source:
        assert value(source) == expected
    else:
        with pytest.raises(ExpressionFault, match="sintaxe"):
            value(source)


def test_and_or_stop_at_the_first_decisive_operand() -> None:
    asked: list[str] = []

    def call(name: str, args: tuple[object, ...]) -> bool:
        asked.append(name)
        return name == "pago"

    assert condition("pago() or escolha('x')", LANGUAGE).evaluate({}, call) is True
    assert condition("not pago() and escolha('x')", LANGUAGE).evaluate({}, call) is False
    assert asked == ["pago", "pago"]


def test_names_lists_variables_but_not_functions() -> None:
    assert names("conta(votos, opcao) >= 2 and pago() or x", LANGUAGE) == {"votos", "opcao", "x"}
    expression = condition("escolha('a.b') == y and prazo('defesa', base) > 'z'", LANGUAGE)
    assert set(expression.calls) == {("escolha", ("a.b",)), ("prazo", ("defesa", None))}


def test_a_script_is_assignments_and_orders() -> None:
    lines = script("\n   a = valor('x', 1) # nota\n\n cobrar(a)\n emitir('auto')\n", LANGUAGE)
    assert [(line.target, line.target or line.order) for line in lines] == [
        ("a", "a"),
        (None, "cobrar"),
        (None, "emitir"),
    ]
    assert lines[1].expression.names == {"a"}


def test_a_variable_may_share_the_name_of_the_fact_it_keeps() -> None:
    (line,) = script("pago = pago()", LANGUAGE)
    assert line.target == "pago"


@pytest.mark.parametrize(
    "source",
    ["prazo('defesa')", "escolha('x')", "ciencia", "prazo('a', b, c)", "'2026-01-01'", "not prazo('a', b)"],
)
def test_a_timer_is_nothing_but_prazo(source: str) -> None:
    with pytest.raises(ExpressionFault):
        deadline(source, LANGUAGE)


def test_an_unknown_variable_and_an_impossible_comparison_are_faults_not_errors() -> None:
    with pytest.raises(ExpressionFault, match="outra"):
        value("outra == 1")
    with pytest.raises(ExpressionFault, match="NoneType"):
        value("vazio > 1")
    with pytest.raises(ExpressionFault, match="int"):
        value("'a' in x")


def test_a_language_does_not_give_one_name_two_meanings() -> None:
    for pure, facts, orders in (
        ({"a": len}, {"a"}, set()),
        ({}, {"prazo"}, set()),
        ({}, {"_x"}, set()),
        ({}, set(), {"a b"}),
    ):
        with pytest.raises(ValueError, match="reserved"):
            Language(pure, frozenset(facts), frozenset(orders))


ATTACKS = [
    "__import__('os').system('touch canario')",
    "open('/etc/passwd')",
    "().__class__.__base__.__subclasses__()",
    "escolha.__globals__['os']",
    "conta.__code__",
    "[c for c in ().__class__.__mro__]",
    "(lambda: 1)()",
    "{c: 1 for c in lista}",
    "9 ** 9 ** 9",
    "'a' * 1000000000",
    "x + 1",
    "x if sim else 0",
    "votos['a']",
    "lista[0]",
    "f'{x.__class__}'",
    "(x := 5)",
    "exec('1')",
    "eval('1')",
    "getattr(x, 'real')",
    "votos.update(votos)",
    "escolha(*lista)",
    "escolha(chave='x')",
    "_privado",
    "__builtins__",
    "conta(votos, 'P')('x')",
    "emitir('auto')",
    "x is 3",
    "1.5",
    "b'bytes'",
    "...",
    "1j",
    "-nome",
    "~x",
    "{'a': 1}",
    "{1, 2}",
    "await x",
    "yield x",
    "x; y",
    "99999999999999999999",
    "'" + "a" * 1001 + "'",
    "x" + " or x" * 200,
    "<".join("x" * 200),
    "(" * 300 + "x" + ")" * 300,
    "not " * 140 + "x",
    "x\x00",
    "import os",
    "print",  # no such variable: refused when evaluated
]


@pytest.mark.parametrize("source", ATTACKS)
def test_an_attack_in_a_condition_is_refused(source: str) -> None:
    with pytest.raises(ExpressionFault):
        value(source)


@pytest.mark.parametrize(
    "source",
    [
        "import os",
        "x = __import__('os')",
        "x.y = 1",
        "votos['a'] = 'P'",
        "x, y = 1, 2",
        "x = y = 1",
        "x += 1",
        "x: int = 1",
        "del x",
        "while True: pass",
        "for x in lista: emitir(x)",
        "def f(): pass",
        "class A: pass",
        "if sim: emitir('a')",
        "with open('x'): pass",
        "prazo = 1",
        "_x = 1",
        "typename = 1",
        "nrOfInstances = 9",
        "escolha('x')",
        "emitir(doc='x')",
        "emitir(*lista)",
        "x = emitir('a')",
        "emitir",
        "raise x",
        "global x",
        "",
        "# nada",
        "x = 1\n" * 41,
        "x = '" + "a" * 4000 + "'",
        "x = '" + "a" * 1001 + "'",
    ],
)
def test_an_attack_in_a_script_is_refused(source: str) -> None:
    with pytest.raises(ExpressionFault):
        script(source, LANGUAGE)


@pytest.mark.parametrize("source", ["__import__('os').system('true')", "().__class__", "open('x')"])
@pytest.mark.parametrize("where", ["condition", "script", "timer", "vote"])
def test_an_attack_anywhere_in_a_diagram_is_refused_naming_the_element(where: str, source: str) -> None:
    nodes = {
        "condition": xor("alvo"),
        "script": script_task("alvo", f"x = {source}"),
        "timer": timer("alvo", source),
        "vote": vote("alvo", source),
    }
    condition_of = f" : {source}" if where == "condition" else ""
    diagram = process(
        "p",
        [start(), nodes[where], user("a"), end()],
        f"inicio > alvo\nalvo > a{condition_of}\na > fim",
    )
    with pytest.raises(Invalid) as refused:
        Office({"p.bpmn": diagram}).definition()
    assert list(refused.value.fields) == ["f_alvo_a" if where == "condition" else "alvo"]
