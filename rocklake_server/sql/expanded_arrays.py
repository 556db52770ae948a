"""``information_schema._pg_expandarray`` in a SELECT list, which pgjdbc asks for keys and indexes.

It returns a set of rows of ``x``, an element, and ``n``, its number (PostgreSQL's information_schema.sql). There are no
values of row types here, so the call becomes ``LATERAL unnest(..) WITH ORDINALITY`` beside FROM: a field of it is a
column of that, and a whole row, which only its fields can be asked of, two columns named after it.
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from rocklake_server.errors import Unsupported
from rocklake_server.sql.names import fold
from rocklake_server.sql.trees import parsed_trees

NAME = "_pg_expandarray"

_FIELDS = ("x", "n")
_LATERAL = f"SELECT 1 FROM d, LATERAL unnest(y) WITH ORDINALITY AS {NAME} (x, n)"


def expanded(tree: exp.Expression) -> exp.Expression:
    """The tree without such calls. Raises Unsupported for a SELECT that expands more than one array."""
    for select in list(tree.find_all(exp.Select)):
        _expand(select)
    for node in list(tree.find_all(exp.Dot)):
        field, inner = _field(node), node.this
        if field is not None and isinstance(inner, exp.Paren) and isinstance(inner.this, exp.Column):
            column = inner.this
            column.this.replace(exp.to_identifier(f"{_name(column.this)}.{field}", quoted=True))
            node.replace(column)
    return tree


def _expand(select: exp.Select) -> None:
    arrays: list[exp.Expr] = []
    projections: list[exp.Expr] = []
    for projection in select.expressions:
        value, alias = projection.unalias(), projection.args.get("alias")
        field = _field(value)
        array = _array(value.this.unnest() if field is not None else value)
        if array is None:
            projections.append(projection)
            continue
        arrays.append(array)
        if field is not None:
            projections.append(exp.alias_(_column(field), alias or field))
        else:
            name = NAME if alias is None else _name(alias)
            projections += [exp.alias_(_column(each), f"{name}.{each}", quoted=True) for each in _FIELDS]
    if not arrays:
        return
    if any(array != arrays[0] for array in arrays):
        raise Unsupported(f"{NAME}() of several arrays is not supported")
    select.set("expressions", projections)
    select.append("joins", _join(arrays[0]))


def _field(node: exp.Expr) -> str | None:
    """The field that ``(..).x`` or ``(..).n`` asks for."""
    if isinstance(node, exp.Dot) and isinstance(node.this, exp.Paren) and isinstance(node.expression, exp.Identifier):
        name = _name(node.expression)
        return name if name in _FIELDS else None
    return None


def _array(node: exp.Expr) -> exp.Expr | None:
    """The argument of a call."""
    call = node.expression if isinstance(node, exp.Dot) else node
    if not isinstance(call, exp.Anonymous) or str(call.this).lower() != NAME or len(call.expressions) != 1:
        return None
    argument: exp.Expr = call.expressions[0]
    return argument


def _column(field: str) -> exp.Expr:
    column = exp.column(field, NAME)
    return column if field == "x" else exp.cast(column, "int")


def _join(array: exp.Expr) -> exp.Expr:
    (tree,) = parsed_trees(_LATERAL)
    assert tree is not None
    joins: Sequence[exp.Expr] = tree.args["joins"]
    unnest = joins[0].find(exp.Unnest)
    assert unnest is not None
    unnest.set("expressions", [array.copy()])
    return joins[0].pop()


def _name(identifier: exp.Expr) -> str:
    return fold(identifier.name, quoted=bool(identifier.args.get("quoted")))
