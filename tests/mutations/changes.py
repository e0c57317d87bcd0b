"""Small changes of a module that tests must notice: one operator, name, number or call each."""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Iterator

_PAIRS_OF_COMPARISONS = (
    (ast.Lt, ast.LtE),
    (ast.Gt, ast.GtE),
    (ast.Eq, ast.NotEq),
    (ast.In, ast.NotIn),
    (ast.Is, ast.IsNot),
)
_OPERATORS = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.Pow: ast.Mult,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.Mult,
}
_PAIRS_OF_NAMES = (
    ("maximum", "minimum"),
    ("reduce_sum", "reduce_mean"),
    ("reduce_max", "reduce_min"),
    ("reduce_all", "reduce_any"),
    ("zeros_like", "ones_like"),
    ("zeros", "ones"),
    ("logical_and", "logical_or"),
    ("subtract", "add"),
    ("exp", "log"),
    ("sqrt", "square"),
    ("cos", "sin"),
    ("floor", "ceil"),
)
_COMPARISONS, _NAMES = (
    {one: other for pair in pairs for one, other in (pair, pair[::-1])}
    for pairs in (_PAIRS_OF_COMPARISONS, _PAIRS_OF_NAMES)
)
_NAMES.update(divide_no_nan="divide", is_finite="is_nan")


@dataclasses.dataclass(frozen=True)
class Change:
    """One change of a module's source."""

    node: int  # Of the syntax tree, in the order of `ast.walk`.
    line: int
    source: str  # The whole module, as `ast.unparse` writes it.
    text: str  # The first line that differs, or the call that is left out.


def changes_of(source: str) -> list[Change]:
    """Returns every change of a module, in its order.

    Annotations, docstrings and the texts of errors stay as they are, and so does `__all__`.
    """
    tree = ast.parse(source)
    unchanged = ast.unparse(tree)
    changes = []
    for number, (node, is_skipped) in enumerate(zip(list(ast.walk(tree)), _skipped(tree))):
        if is_skipped:
            continue
        before = {
            name: list(value) if isinstance(value, list) else value
            for name, value in vars(node).items()
        }
        if _change(node) and (changed := ast.unparse(ast.fix_missing_locations(tree))) != unchanged:
            text = _first_difference(unchanged, changed)
            changes.append(Change(number, getattr(node, "lineno", 0), changed, text))
        vars(node).update(before)
    return sorted(changes, key=lambda change: (change.line, change.node))


def _skipped(tree: ast.Module) -> list[bool]:
    nodes = list(ast.walk(tree))
    skipped = {id(part) for node in nodes for root in _untested(node) for part in ast.walk(root)}
    return [id(node) in skipped for node in nodes]


def _untested(node: ast.AST) -> Iterator[ast.AST]:
    for field in ("annotation", "returns"):
        if getattr(node, field, None) is not None:
            yield getattr(node, field)
    if isinstance(node, ast.Raise):
        yield node
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        yield node
    if isinstance(node, ast.AnnAssign) and ast.unparse(node.annotation) == "TypeAlias":
        yield node
    if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
        yield node


def _change(node: ast.AST) -> bool:
    """Changes a node in its place, and returns whether there is something to be changed."""
    if isinstance(node, ast.Compare) and type(node.ops[0]) in _COMPARISONS:
        node.ops[0] = _COMPARISONS[type(node.ops[0])]()
    elif isinstance(node, (ast.BinOp, ast.AugAssign)) and type(node.op) in _OPERATORS:
        node.op = _OPERATORS[type(node.op)]()
    elif isinstance(node, ast.BoolOp):
        node.op = ast.Or() if isinstance(node.op, ast.And) else ast.And()
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        node.op = ast.UAdd()
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        node.operand = ast.UnaryOp(ast.Not(), node.operand)
    elif isinstance(node, ast.Constant) and isinstance(node.value, bool):
        node.value = not node.value
    elif isinstance(node, ast.Constant) and isinstance(node.value, (int, float)):
        node.value += 1
    elif isinstance(node, ast.Attribute) and node.attr in _NAMES:
        node.attr = _NAMES[node.attr]
    elif isinstance(node, ast.IfExp):
        node.body, node.orelse = node.orelse, node.body
    elif isinstance(node, (ast.If, ast.While)):
        node.test = ast.UnaryOp(ast.Not(), node.test)
    elif _is_where(node):
        node.args[1], node.args[2] = node.args[2], node.args[1]
    elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        node.value = ast.Constant(None)  # The call is left out.
    else:
        return False
    return True


def _is_where(node: ast.AST) -> bool:
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "where"
        and len(node.args) == 3
    )


def _first_difference(before: str, after: str) -> str:
    pairs = zip(before.splitlines(), after.splitlines())
    old, new = next((old.strip(), new.strip()) for old, new in pairs if old != new)
    return f"without {old}" if new == "None" else new
