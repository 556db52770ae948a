"""Function calls in the tree: sqlglot has classes of its own for well-known functions, PostgreSQL has names."""

from __future__ import annotations

from sqlglot import exp

from rocklake_server.plan.dispatch import only
from rocklake_server.sql.names import fold

CALLS: dict[type[exp.Expr], tuple[str, tuple[str, ...]]] = {
    exp.Lower: ("lower", ("this",)),
    exp.Upper: ("upper", ("this",)),
    exp.Length: ("length", ("this",)),
    exp.Replace: ("replace", ("this", "expression", "replacement")),
    exp.SplitPart: ("split_part", ("this", "delimiter", "part_index")),
    exp.Concat: ("concat", ("expressions",)),
    exp.ConcatWs: ("concat_ws", ("expressions",)),
    exp.Abs: ("abs", ("this",)),
    exp.Round: ("round", ("this", "decimals")),
    exp.Floor: ("floor", ("this",)),
    exp.Ceil: ("ceil", ("this",)),
    exp.Sign: ("sign", ("this",)),
    exp.ArrayAppend: ("array_append", ("this", "expression")),
    exp.ArrayPosition: ("array_position", ("this", "expression")),
    exp.ArrayRemove: ("array_remove", ("this", "expression")),
    exp.ArraySize: ("array_length", ("this", "expression")),
    exp.Format: ("format", ("this", "expressions")),
    exp.StringToArray: ("string_to_array", ("this", "expression", "null")),
    exp.ArrayToString: ("array_to_string", ("this", "expression", "null")),
    exp.StrPosition: ("strpos", ("this", "substr")),
    exp.Substring: ("substring", ("this", "start", "length")),
    exp.Left: ("left", ("this", "expression")),
    exp.Right: ("right", ("this", "expression")),
    exp.Trim: ("btrim", ("this", "expression")),
    exp.StartsWith: ("starts_with", ("this", "expression")),
    exp.MD5: ("md5", ("this",)),
    exp.Greatest: ("greatest", ("this", "expressions")),
    exp.Least: ("least", ("this", "expressions")),
    exp.Nullif: ("nullif", ("this", "expression")),
    exp.Coalesce: ("coalesce", ("this", "expressions")),
    exp.CurrentDatabase: ("current_database", ()),
    exp.CurrentSchema: ("current_schema", ()),
    exp.CurrentSchemas: ("current_schemas", ("this",)),
    exp.CurrentUser: ("current_user", ()),
    exp.SessionUser: ("session_user", ()),
    exp.CurrentVersion: ("version", ()),
    exp.CurrentTimestamp: ("now", ()),
    exp.CurrentDate: ("current_date", ()),
    exp.Count: ("count", ("this", "expressions")),
    exp.Sum: ("sum", ("this",)),
    exp.Avg: ("avg", ("this",)),
    exp.Min: ("min", ("this",)),
    exp.Max: ("max", ("this",)),
    exp.LogicalAnd: ("bool_and", ("this",)),
    exp.LogicalOr: ("bool_or", ("this",)),
    exp.GroupConcat: ("string_agg", ("this", "separator")),
    exp.ArrayAgg: ("array_agg", ("this",)),
}
"""Class -> (PostgreSQL's name, its arguments in order)."""

AGGREGATES = frozenset({
    exp.Count, exp.Sum, exp.Avg, exp.Min, exp.Max, exp.LogicalAnd, exp.LogicalOr, exp.GroupConcat, exp.ArrayAgg,
})

_FLAGS = ("safe", "coalesce", "ignore_nulls", "big_int", "position", "dialect")
_TRIMS = {"LEADING": "ltrim", "TRAILING": "rtrim"}


def call_name(node: exp.Expr) -> str:
    """The called function's folded name."""
    if isinstance(node, exp.Anonymous):
        return fold(str(node.this), quoted=False)
    if isinstance(node, exp.Trim):
        return _TRIMS.get(str(node.args.get("position") or "").upper(), "btrim")
    return CALLS[type(node)][0]


def call_arguments(node: exp.Expr) -> list[exp.Expr]:
    """The argument nodes in order. Raises Unsupported for anything beside them."""
    if isinstance(node, exp.Anonymous):
        only(node, "this", "expressions")
        return list(node.expressions)
    names = CALLS[type(node)][1]
    only(node, *names, *_FLAGS)
    found: list[exp.Expr] = []
    for name in names:
        value = node.args.get(name)
        if isinstance(value, list):
            found.extend(value)
        elif value is not None:
            found.append(value)
    return found
