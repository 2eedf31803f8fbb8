"""The closed language of conditions, scripts and deadlines. No Python runs from a diagram.

A condition compares names, constants and answers to questions; a script line is `x = <expression>` or
`order(arguments)`; a deadline is `prazo(key, base)`. The text is parsed with `ast`, checked node by node against an
allow-list and interpreted here: nothing is ever handed to `eval` or `exec`. SpiffWorkflow is unknown to this file.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache

from app.values import Json

MAX_EXPRESSION = 500
MAX_SCRIPT = 4000
MAX_NODES = 120
MAX_LINES = 40
MAX_CONSTANT = 1000
MAX_INT = 2**53
DEADLINE = "prazo"
RESERVED = frozenset({DEADLINE, "typename", "nrOfInstances", "nrOfCompletedInstances", "nrOfActiveInstances"})

Call = Callable[[str, tuple[Json, ...]], Json]


class ExpressionFault(ValueError):
    """The text is outside the language, or cannot be evaluated with the data at hand. Message in Portuguese."""


@dataclass(frozen=True, eq=False)
class Language:
    """The names that a diagram may call. `prazo` is always there.

    Attributes:
        pure: functions of their arguments only; never recorded.
        facts: questions put to `ask`; every answer is recorded.
        orders: what a script line may order; carried out by the caller.
    """

    pure: Mapping[str, Callable[..., Json]]
    facts: frozenset[str]
    orders: frozenset[str]

    def __post_init__(self) -> None:
        names = [*self.pure, *self.facts, *self.orders]
        if bad := {n for n in names if names.count(n) > 1 or n in RESERVED or not _is_name(n)}:
            raise ValueError(f"names used twice, reserved or malformed: {sorted(bad)}")

    @cached_property
    def functions(self) -> frozenset[str]:
        """What may be called inside an expression."""
        return frozenset(self.pure) | self.facts | {DEADLINE}

    @cached_property
    def vocabulary(self) -> tuple[str, ...]:
        """Identity of the language for caches: what it accepts, not how it answers."""
        return (*sorted(self.functions), "|", *sorted(self.orders))


@dataclass(frozen=True)
class Expression:
    """A checked expression: its text, the variables it reads and the functions it calls with which constants."""

    source: str
    tree: ast.expr
    names: frozenset[str]
    calls: tuple[tuple[str, tuple[Json, ...]], ...]

    def evaluate(self, scope: Mapping[str, Json], call: Call) -> Json:
        """The value, or ExpressionFault. Exceptions of `call` come out unchanged."""
        return _value(self.tree, scope, call)

    def arguments(self, scope: Mapping[str, Json], call: Call) -> tuple[Json, ...]:
        """The evaluated arguments of an expression that is one call, such as an order or a deadline."""
        assert isinstance(self.tree, ast.Call)
        return tuple(_value(argument, scope, call) for argument in self.tree.args)


@dataclass(frozen=True)
class Line:
    """One script line: `target = expression`, or an order when `target` is None."""

    target: str | None
    expression: Expression

    @property
    def order(self) -> str:
        tree = self.expression.tree
        assert isinstance(tree, ast.Call)
        assert isinstance(tree.func, ast.Name)
        return tree.func.id


def condition(source: str, language: Language) -> Expression:
    """Compile a gateway or completion condition, or the right side of a line. Raises ExpressionFault."""
    return _condition(source, language.functions)


def deadline(source: str, language: Language) -> Expression:
    """Compile a timer's text, which must be one `prazo(key, base)`. Raises ExpressionFault."""
    expression = _condition(source, language.functions)
    tree = expression.tree
    named = isinstance(tree, ast.Call) and isinstance(tree.func, ast.Name) and tree.func.id == DEADLINE
    if not named or not isinstance(tree, ast.Call) or len(tree.args) != 2:
        raise ExpressionFault("o temporizador precisa ser prazo('chave', data_base)")
    return expression


def script(source: str, language: Language) -> tuple[Line, ...]:
    """Compile a script task. Raises ExpressionFault for anything but assignments and orders."""
    return _script(source, language.functions, language.orders)


def names(source: str, language: Language) -> frozenset[str]:
    """The variables that an expression reads; functions are not among them."""
    return condition(source, language).names


@lru_cache(maxsize=4096)
def _condition(source: str, functions: frozenset[str]) -> Expression:
    if len(source) > MAX_EXPRESSION:
        raise ExpressionFault(f"expressão com mais de {MAX_EXPRESSION} caracteres")
    tree = _parsed(source.strip(), "eval")
    assert isinstance(tree, ast.Expression)
    return _checked(source.strip(), tree.body, functions)


@lru_cache(maxsize=1024)
def _script(source: str, functions: frozenset[str], orders: frozenset[str]) -> tuple[Line, ...]:
    if len(source) > MAX_SCRIPT:
        raise ExpressionFault(f"roteiro com mais de {MAX_SCRIPT} caracteres")
    # XML editors indent scripts at will; indentation means nothing in a language without blocks.
    text = "\n".join(line.strip() for line in source.splitlines())
    tree = _parsed(text, "exec")
    assert isinstance(tree, ast.Module)
    if not 0 < len(tree.body) <= MAX_LINES:
        raise ExpressionFault(f"o roteiro precisa ter de 1 a {MAX_LINES} linhas")
    return tuple(_line(text, statement, functions, orders) for statement in tree.body)


def _line(text: str, statement: ast.stmt, functions: frozenset[str], orders: frozenset[str]) -> Line:
    source = ast.get_source_segment(text, statement) or ""
    match statement:
        case ast.Assign(targets=[ast.Name(id=target)], value=value):
            # `infrator = infrator(...)` is fine: only a call names a function, so neither can hide the other.
            if target in RESERVED or not _is_name(target):
                raise ExpressionFault(f"o nome {target} não pode receber valor")
            return Line(target, _checked(source, value, functions))
        case ast.Expr(value=ast.Call(func=ast.Name(id=name)) as call) if name in orders:
            # The order itself is not callable inside expressions, only as a whole line.
            inner = [_checked(source, argument, functions) for argument in call.args]
            if call.keywords:
                raise ExpressionFault("argumentos nomeados não são permitidos")
            read = frozenset[str]().union(*(expression.names for expression in inner))
            asked = tuple(made for expression in inner for made in expression.calls)
            return Line(None, Expression(source, call, read, asked))
    raise ExpressionFault(f"linha não permitida: {source[:60]!r}; use `x = expressão` ou `ordem(...)`")


def _parsed(text: str, mode: str) -> ast.AST:
    try:
        return ast.parse(text, mode=mode)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        reason = error.msg if isinstance(error, SyntaxError) else type(error).__name__
        raise ExpressionFault(f"erro de sintaxe: {reason}") from None


_COMPARE: dict[type[ast.cmpop], Callable[[Json, Json], bool]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.In: lambda left, right: left in right,
    ast.NotIn: lambda left, right: left not in right,
    ast.Is: operator.is_,
    ast.IsNot: operator.is_not,
}
_ALLOWED = (
    ast.Constant, ast.Name, ast.Load, ast.BoolOp, ast.And, ast.Or, ast.UnaryOp, ast.Not, ast.USub,
    ast.Compare, ast.Call, ast.List, ast.Tuple, *_COMPARE,
)  # fmt: skip


def _checked(source: str, tree: ast.expr, functions: frozenset[str]) -> Expression:
    nodes = list(ast.walk(tree))
    if len(nodes) > MAX_NODES:
        raise ExpressionFault("expressão complexa demais")
    for node in nodes:
        _check(node, functions)
    called = [node for node in nodes if isinstance(node, ast.Call)]
    heads = {id(node.func) for node in called}
    read = frozenset(node.id for node in nodes if isinstance(node, ast.Name) and id(node) not in heads)
    return Expression(source, tree, read, tuple(_called(node) for node in called))


def _check(node: ast.AST, functions: frozenset[str]) -> None:
    if not isinstance(node, _ALLOWED):
        raise ExpressionFault(f"construção não permitida: {type(node).__name__}")
    match node:
        case ast.Name(id=name) if not _is_name(name):
            raise ExpressionFault(f"nome não permitido: {name}")
        case ast.Constant(value=value):
            _check_constant(value)
        case ast.Call(func=ast.Name(id=name), keywords=[]) if name in functions:
            pass
        case ast.Call(func=ast.Name(id=name), keywords=[]):
            raise ExpressionFault(f"função desconhecida: {name}")
        case ast.Call():
            raise ExpressionFault("só se chamam funções conhecidas, pelo nome e com argumentos simples")
        case ast.UnaryOp(op=ast.USub(), operand=operand) if not _is_number(operand):
            raise ExpressionFault("o sinal de menos só vale antes de um número")
        case ast.Compare(ops=ops, comparators=comparators):
            for operation, right in zip(ops, comparators, strict=True):
                none = isinstance(right, ast.Constant) and right.value is None
                if isinstance(operation, ast.Is | ast.IsNot) and not none:
                    raise ExpressionFault("`is` só compara com None; use ==")


def _check_constant(value: object) -> None:
    if not (value is None or isinstance(value, bool | int | str)):
        raise ExpressionFault(f"constante não permitida: {type(value).__name__}")
    if isinstance(value, str) and len(value) > MAX_CONSTANT:
        raise ExpressionFault("texto longo demais")
    if isinstance(value, int) and value >= MAX_INT:
        raise ExpressionFault("número grande demais")


def _is_name(name: str) -> bool:
    return name.isidentifier() and not name.startswith("_")


def _is_number(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and type(node.value) is int


def _called(node: ast.Call) -> tuple[str, tuple[Json, ...]]:
    assert isinstance(node.func, ast.Name)
    values = (arg.value if isinstance(arg, ast.Constant) else None for arg in node.args)
    return node.func.id, tuple(values)


def _value(node: ast.expr, scope: Mapping[str, Json], call: Call) -> Json:
    match node:
        case ast.Constant(value=value):
            return value
        case ast.Name(id=name):
            if name not in scope:
                raise ExpressionFault(f"a variável {name} ainda não tem valor")
            return scope[name]
        case ast.Call(func=ast.Name(id=name), args=args):
            return call(name, tuple(_value(argument, scope, call) for argument in args))
        case ast.BoolOp():
            return _logic(node, scope, call)
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return not _value(operand, scope, call)
        case ast.UnaryOp(operand=operand):
            return -_value(operand, scope, call)
        case ast.Compare():
            return _comparison(node, scope, call)
        case ast.List(elts=items) | ast.Tuple(elts=items):
            return [_value(item, scope, call) for item in items]
    raise AssertionError(f"unchecked node {type(node).__name__}")  # pragma: no cover


def _logic(node: ast.BoolOp, scope: Mapping[str, Json], call: Call) -> Json:
    stop_at = isinstance(node.op, ast.Or)
    value: Json = None
    for item in node.values:
        value = _value(item, scope, call)
        if bool(value) is stop_at:
            break
    return value


def _comparison(node: ast.Compare, scope: Mapping[str, Json], call: Call) -> bool:
    left = _value(node.left, scope, call)
    for operation, comparator in zip(node.ops, node.comparators, strict=True):
        right = _value(comparator, scope, call)
        try:
            holds = _COMPARE[type(operation)](left, right)
        except TypeError:
            kinds = f"{type(left).__name__} e {type(right).__name__}"
            raise ExpressionFault(f"não se comparam {kinds} em {ast.unparse(node)}") from None
        if not holds:
            return False
        left = right
    return True
