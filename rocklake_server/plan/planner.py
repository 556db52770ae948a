"""From a statement's text to a plan: the fast readers first, then the template's cached plan, then the parser."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

from sqlglot import exp

from rocklake_server.catalog.view import TransactionView
from rocklake_server.errors import (
    IndeterminateDatatype,
    StatementTooComplex,
    SyntaxProblem,
    TooManyColumns,
    Unsupported,
)
from rocklake_server.limits import COLUMNS_MAX
from rocklake_server.pgformat.numbers import decode_numeric
from rocklake_server.plan import (
    functions_sql,
    json_sets,
    json_sql,
    operators_further_sql,
    operators_sql,
    predicates_sql,
    subqueries,
)
from rocklake_server.plan.cache import TEMPLATE_CHARACTERS_MAX, PlanCache
from rocklake_server.plan.compiler import number_type, number_value
from rocklake_server.plan.ddl import DdlPlan
from rocklake_server.plan.dispatch import label
from rocklake_server.plan.expressions import ColumnRef, ParameterTypes
from rocklake_server.plan.lowering import select, set_operations
from rocklake_server.plan.lowering.query import Lowered, Output, QueryLowering
from rocklake_server.plan.lowering.targets import column_indexes, writable, writes_to
from rocklake_server.plan.lowering.writing import LoweredWrite, lower_delete, lower_insert, lower_update
from rocklake_server.plan.model import Plan, ResultColumn
from rocklake_server.plan.operators import GivenRows, Project
from rocklake_server.plan.registered import is_registered, named
from rocklake_server.plan.scan_shape import shape_of
from rocklake_server.plan.statement_plans import BoundPlan, Compiled, InsertPlan
from rocklake_server.plan.text_values import inferred
from rocklake_server.schema.model import Relation
from rocklake_server.schema.types import BIGINT, INTEGER, NUMERIC, TEXT, UNKNOWN, ColumnType, Value
from rocklake_server.sql.ddl import parse_ddl
from rocklake_server.sql.parse import parse_tree
from rocklake_server.sql.statements import Query, QueryKind
from rocklake_server.sql.template import LiteralList, Template, TemplateUnfit, parse_template, template_of
from rocklake_server.sql.values import (
    CteValues,
    ValuesSlice,
    ValuesUnfit,
    read_cte_values,
    read_insert_values,
)

REGISTERED = (
    functions_sql, json_sets, json_sql, operators_further_sql, operators_sql, predicates_sql, subqueries, select,
    set_operations,
)
"""The modules whose import fills the dispatch tables."""

SHORT_TEXT_CHARACTERS = 2000
"""Up to here a statement with a VALUES list costs less through its template than through the reader of lists."""

Given = tuple[str, tuple[str, ...], tuple[ColumnType, ...]]
_NEGATIVE_BOUNDS = (2**31, 2**63)
"""Numbers that are of the next smaller type with a minus before them."""

RETURNING_CHARACTERS = 2000
"""A RETURNING clause after rows that the reader of lists reads is looked for in so many characters at the end."""

_WRITES: dict[type[exp.Expr], Callable[[QueryLowering, Any], LoweredWrite]] = {
    exp.Insert: lower_insert, exp.Update: lower_update, exp.Delete: lower_delete,
}


def plan_statement(query: Query, view: TransactionView, cache: PlanCache | None = None,
                   parameter_types: Sequence[ColumnType] = (), *, constant_series: bool = False) -> Plan:
    """The plan of one statement over what ``view`` sees. ``parameter_types`` are those that Parse declared.
    ``constant_series`` is of QueryLowering, for a SELECT.

    Raises the errors of PostgreSQL's analysis, and Unsupported (0A000) naming what is not implemented.
    """
    try:
        known = PlanCache() if cache is None else cache
        return _plan(query, view, known, parameter_types, constant_series=constant_series)
    except RecursionError:
        raise StatementTooComplex.default() from None


def _plan(query: Query, view: TransactionView, cache: PlanCache, parameter_types: Sequence[ColumnType], *,
          constant_series: bool) -> Plan:
    if query.kind is QueryKind.DDL:
        return DdlPlan(parse_ddl(query.text, view.database), view)
    if not parameter_types:
        listed = query.kind is QueryKind.INSERT or query.kind is QueryKind.UPDATE
        fast = _fast(query, view, cache) if listed and not _comes_again(query, cache) else None
        if fast is not None:
            return fast
        template = query.template
        if template is not None:
            try:
                plan = _from_template(template, view, cache, constant_series=constant_series)
            except TemplateUnfit:
                pass  # a literal decides what the statement means: its own text is planned
            else:
                if plan.compiled.keepable == ():
                    cache.keep_constant(query.text, plan)
                return plan
    return BoundPlan(_compile(parse_tree(query.text), view, (), parameter_types, constant_series=constant_series))


def _comes_again(query: Query, cache: PlanCache) -> bool:
    """Whether compiling the template of a short VALUES list pays: its second statement is the first to use it."""
    if len(query.text) > SHORT_TEXT_CHARACTERS:
        return False
    template = query.template
    return template is not None and cache.saw(template.key)


def _fast(query: Query, view: TransactionView, cache: PlanCache) -> Plan | None:
    """Plans of statements whose VALUES lists the fast reader knows."""
    try:
        if query.kind is QueryKind.INSERT:
            return _fast_insert(query.text, view)
        if query.kind is QueryKind.UPDATE:
            listed = read_cte_values(query.text)
            return None if listed is None else _fast_update(listed, view, cache)
    except ValuesUnfit:
        return None
    return None


def _fast_insert(text: str, view: TransactionView) -> Plan | None:
    values = read_insert_values(text)
    if values is None:
        return None
    relation = writable(view, values.target)
    indexes = column_indexes(relation, values.columns)
    if values.width > len(indexes):
        raise SyntaxProblem("INSERT has more expressions than target columns")
    if values.width < len(indexes) and values.columns is not None:
        raise SyntaxProblem("INSERT has more target columns than expressions")

    if "$" in text or "returning" in text[-RETURNING_CHARACTERS:].lower():
        for _slice in values.slices():  # parameters in later rows and columns must be known before Describe
            pass

    def parsed(current: TransactionView) -> BoundPlan:
        return BoundPlan(_compile(parse_tree(text), current, (), ()))

    return InsertPlan(relation, indexes[: values.width], values, writes_to(relation), parsed)


def _fast_update(listed: CteValues, view: TransactionView, cache: PlanCache) -> Plan | None:
    """The statement after a CTE of literals, planned as a template of its own."""
    rest = template_of(listed.text[listed.rest_start:])
    slices: list[ValuesSlice] = list(listed.slices())
    if rest is None or not slices or len(listed.columns) > listed.width:
        return None
    kinds, rows = inferred(slices)
    names = listed.columns + tuple(f"column{number}" for number in range(len(listed.columns) + 1, listed.width + 1))
    try:
        plan = _from_template(rest, view, cache, (listed.name, names, kinds))
    except TemplateUnfit:
        return None
    return BoundPlan(plan.compiled, plan.slots, rows)


def _slots(template: Template) -> tuple[tuple[Value, ...], tuple[ColumnType, ...]]:
    """The literals' values, and the types that PostgreSQL gives to them."""
    values: list[Value] = []
    kinds: list[ColumnType] = []
    for literal in template.literals:
        if isinstance(literal, LiteralList):
            listed = literal.texts if literal.kind == "string" else tuple(map(number_value, literal.texts))
            values.append(listed)
            kinds.append(UNKNOWN if literal.kind == "string" else _widest(listed))
        elif literal.kind == "string":
            values.append(literal.text)
            kinds.append(UNKNOWN)
        else:
            number, kind = _number(literal.text)
            values.append(number)
            kinds.append(kind)
    return tuple(values), tuple(kinds)


@lru_cache(maxsize=4096)
def _number(text: str) -> tuple[Value, ColumnType]:
    """A number's value and type: the same few ids and counts come in every statement of a commit. Raises
    TemplateUnfit."""
    number = number_value(text)
    if number in _NEGATIVE_BOUNDS:
        raise TemplateUnfit
    kind = number_type(number)
    return (decode_numeric(text) if kind.oid == NUMERIC.oid else number), kind


def _widest(values: Sequence[Value]) -> ColumnType:
    found = {number_type(value).oid for value in values}
    if NUMERIC.oid in found:
        return NUMERIC
    return BIGINT if BIGINT.oid in found else INTEGER


def _from_template(template: Template, view: TransactionView, cache: PlanCache,
                   given: Given | None = None, *, constant_series: bool = False) -> BoundPlan:
    values, kinds = _slots(template)
    key = (template.key, tuple([kind.oid for kind in kinds]), given)
    compiled = cache.by_template(key, view)
    if compiled is None:
        compiled = _compile(parse_template(template.key), view, kinds, (), given, constant_series=constant_series)
        if len(template.key) <= TEMPLATE_CHARACTERS_MAX:
            cache.keep_template(key, compiled)
    return BoundPlan(compiled, values)


def _compile(tree: exp.Expr, view: TransactionView, slot_types: Sequence[ColumnType],
             parameter_types: Sequence[ColumnType], given: Given | None = None, *,
             constant_series: bool = False) -> Compiled:
    queries = QueryLowering(view, slot_types, ParameterTypes(parameter_types), constant_series=constant_series)
    if given is not None:
        name, columns, kinds = given
        outputs = tuple(Output(column, kind) for column, kind in zip(columns, kinds, strict=True))
        queries.ctes = {name: Lowered(GivenRows(), outputs)}
    lower = _WRITES.get(type(tree))
    if lower is not None:
        queries.constant_series = True
        relation, run, returning = lower(queries, tree)
        answered = None if returning is None else returning.columns
        return Compiled(answered, _parameters(queries), writes_to(relation), _named(queries), None, run)
    if not isinstance(tree, exp.Query | exp.Values):
        raise Unsupported(f"the statement {label(tree)} is not supported")
    lowered = _with_names(queries, queries.lower(tree).settled())
    if queries.per_row and queries.relations:
        raise Unsupported("LATERAL and functions in FROM beside relations of the lake are not supported here")
    if len(lowered.outputs) > COLUMNS_MAX:
        raise TooManyColumns(f"target lists can have at most {COLUMNS_MAX} entries")
    columns_of = tuple(
        ResultColumn(output.name, output.type, output.table_oid, output.attnum) for output in lowered.outputs
    )
    parameters = _parameters(queries)
    changing = queries.contextual or any(system.live is not None for system in queries.systems)
    keepable = None if queries.relations or changing or parameters else tuple(queries.systems)
    shape = None if parameters else shape_of(lowered.operator)
    return Compiled(columns_of, parameters, False, _named(queries), lowered, None, keepable, shape)


def _with_names(queries: QueryLowering, lowered: Lowered) -> Lowered:
    """A query whose OIDs of named objects know their names; it stays as it is when it has none."""
    if not any(is_registered(output.type) for output in lowered.outputs):
        return lowered
    queries.contextual = True
    references = [ColumnRef(output.type, index) for index, output in enumerate(lowered.outputs)]
    expressions = tuple(named(node) if is_registered(node.type) else node for node in references)
    return replace(lowered, operator=Project(lowered.operator, expressions))


def _parameters(queries: QueryLowering) -> tuple[ColumnType, ...]:
    """The types of $1 to the last that is declared or used. Raises IndeterminateDatatype for one that is neither."""
    types = queries.parameter_types
    numbers = range(1, types.highest + 1)
    for number in numbers:
        if number not in types.found and number not in types.used:
            raise IndeterminateDatatype(f"could not determine data type of parameter ${number}")
    return tuple(types.found.get(number, TEXT) for number in numbers)


def _named(queries: QueryLowering) -> tuple[tuple[str | None, str, Relation], ...]:
    """Each relation that the statement names, once."""
    return tuple({(schema, name): (schema, name, relation) for schema, name, relation in queries.relations}.values())
