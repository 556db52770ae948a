"""Calls of functions that return sets, as the tree spells them."""

from __future__ import annotations

from sqlglot import exp

from rocklake_server.errors import Unsupported
from rocklake_server.limits import ROWS_HELD_MAX
from rocklake_server.plan.calls import call_name
from rocklake_server.plan.compiler import Compiler
from rocklake_server.plan.dispatch import only
from rocklake_server.plan.relation_names import PG_CATALOG
from rocklake_server.plan.set_functions import SET_FUNCTIONS, SetCall, names_its_bounds, scalar_call, series

_OWN_NODES: dict[type[exp.Expr], str] = {
    exp.Unnest: "unnest", exp.Explode: "unnest", exp.GenerateSeries: "generate_series",
    exp.ExplodingGenerateSeries: "generate_series",
}


def _unqualified(node: exp.Expr) -> exp.Expr:
    if isinstance(node, exp.Dot) and isinstance(node.this, exp.Identifier) and node.this.name.lower() == PG_CATALOG:
        inner: exp.Expr = node.expression
        return inner
    return node


def set_name(node: exp.Expr) -> str | None:
    """The name of the set-returning function that ``node`` calls, if it does."""
    node = _unqualified(node)
    if type(node) in _OWN_NODES:
        return _OWN_NODES[type(node)]
    if isinstance(node, exp.Anonymous) and call_name(node) in SET_FUNCTIONS:
        return call_name(node)
    return None


def set_call(compiler: Compiler, node: exp.Expr) -> SetCall:
    """Raises UndefinedFunction, Unsupported."""
    node = _unqualified(node)
    name = set_name(node)
    compiler.queries.per_row = True
    if name is None:
        value = compiler.compile(node)  # names the call if it is not served
        return scalar_call(call_name(node), value)
    arguments = [compiler.compile(argument) for argument in _arguments(node)]
    if name == "generate_series" and names_its_bounds(arguments):
        if not compiler.queries.constant_series:
            raise Unsupported("generate_series between numbers that the statement names is not supported here")
        call = series(arguments, ROWS_HELD_MAX)
    else:
        call = SET_FUNCTIONS[name](arguments)
    if not call.argument.static:
        compiler.queries.contextual = True
    return call


def _arguments(node: exp.Expr) -> list[exp.Expr]:
    if isinstance(node, exp.Unnest | exp.Anonymous):
        only(node, "this", "expressions", "alias", "offset")
        return list(node.expressions)
    if isinstance(node, exp.Explode):
        only(node, "this", "expressions")
        return [node.this, *node.expressions]
    only(node, "start", "end", "step")
    return [node.args[name] for name in ("start", "end", "step") if node.args.get(name) is not None]
