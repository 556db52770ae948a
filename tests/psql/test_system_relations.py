"""psql lists the system relations as PostgreSQL does, as far as there are any; clients that do not ask see none."""

from __future__ import annotations

import psycopg
import pytest

from rocklake_server.plan.system.own_relations import OwnRelation, own_relations
from rocklake_server.plan.system_relations import SYSTEM_RELATIONS
from tests.psql.sides import Sides, psql

pytestmark = pytest.mark.postgres

COMMANDS = (r"\dtS", r"\dvS", r"\dS", r"\dt pg_catalog.*", r"\dv information_schema.*", r"\dt", r"\dS pg_cl*",
            r"\dm information_schema.*")  # fmt: skip


def own() -> list[OwnRelation]:
    """Every one that is declared, which the modules that declare them have to be imported for."""
    found = list(own_relations())
    assert {(each.schema, each.name) for each in found} == {name for name in SYSTEM_RELATIONS if name[0] != "rocklake"}
    return found


def listed(shown: str) -> list[str]:
    """The lines of a list, without its titles and count."""
    return [line for line in shown.splitlines() if line.count("|") == 3 and not line.startswith("Schema|")]


@pytest.mark.parametrize("command", COMMANDS)
def test_a_list_is_postgresqls_without_what_is_not_there(sides: Sides, command: str) -> None:
    name = sides.lakes[0].database
    script = f"\\echo # list\n{command}\n"
    ours, theirs = (listed(psql(dsn[name], script)["list"]) for dsn in (sides.rocklake, sides.postgres))
    there = {(each.schema, each.name) for each in own()}
    wanted = [line for line in theirs if line.split("|")[0] == "public" or tuple(line.split("|")[:2]) in there]
    assert ours == wanted
    assert len(ours) > 5 or "pg_cl" in command or command.startswith(r"\dm")


def test_a_system_relation_is_described(sides: Sides) -> None:
    name = sides.lakes[0].database
    script = "\\echo # description\n\\d pg_roles\n"
    ours, theirs = (psql(dsn[name], script)["description"].splitlines() for dsn in (sides.rocklake, sides.postgres))
    assert ours[0] == theirs[0] == 'View "pg_catalog.pg_roles"'
    assert [line.split("|")[:2] for line in ours] == [line.split("|")[:2] for line in theirs]


@pytest.mark.parametrize("relation", ["pg_class", "pg_attribute"])
def test_what_is_listed_follows_the_setting(sides: Sides, relation: str) -> None:
    dsn = sides.rocklake[sides.lakes[0].database]
    count = f"SELECT count(*) FROM {relation} x JOIN pg_class c ON {'c' if relation == 'pg_class' else 'x'}." + (
        "oid = x.oid" if relation == "pg_class" else "attrelid = c.oid") + " WHERE c.relnamespace = 11"
    system = [each for each in own() if each.schema == "pg_catalog"]
    every = len(system) if relation == "pg_class" else sum(len(each.columns) for each in system)
    with psycopg.connect(dsn, autocommit=True) as plain:
        def found() -> int:
            (number,) = plain.execute(count).fetchone() or (None,)
            assert isinstance(number, int)
            return number

        assert found() == 0
        plain.execute("SET rocklake.system_relations = on")
        assert found() == every
        plain.execute("RESET rocklake.system_relations")
        assert found() == 0
        plain.execute("BEGIN")
        plain.execute("SET LOCAL rocklake.system_relations = on")
        plain.execute("SAVEPOINT s")
        plain.execute("SET rocklake.system_relations = off")
        assert found() == 0
        plain.execute("ROLLBACK TO s")
        assert found() == every
        plain.execute("COMMIT")
        assert found() == 0
        with pytest.raises(psycopg.errors.InvalidParameterValue):
            plain.execute("SET rocklake.system_relations = some")
    with psycopg.connect(dsn, application_name="psql", autocommit=True) as as_psql:
        assert as_psql.execute(count).fetchone() == (every,)
    with psycopg.connect(dsn, application_name="psql", options="-c rocklake.system_relations=off") as as_psql:
        assert as_psql.execute(count).fetchone() == (0,)


def test_oids_are_given_once(sides: Sides) -> None:
    oids = [each.oid for each in own()]
    assert len(set(oids)) == len(oids)
    with psycopg.connect(sides.postgres[sides.lakes[0].database]) as postgres:
        known = dict(postgres.execute(
            "SELECT relname::text, relkind::text FROM pg_class WHERE relnamespace = 'pg_catalog'::regnamespace"
        ).fetchall())
    assert {each.name: each.kind for each in own() if each.schema == "pg_catalog"}.items() <= known.items()
