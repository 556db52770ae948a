"""The server's own facts: database, tablespaces, access methods, and the settings that no session changes.

Settings that a session may SET are answered by SHOW, not here.
"""

from __future__ import annotations

from rocklake_server.catalog.view import TransactionView
from rocklake_server.limits import IDENTIFIER_BYTES_MAX
from rocklake_server.plan.system import oids
from rocklake_server.plan.system.relation import SystemRow, SystemRows, constant, from_view

_UTF8 = 6


def _database(view: TransactionView) -> SystemRows:
    return tuple(
        (
            found.oid, found.name, oids.OWNER, _UTF8, "c", found.is_template, found.allows_connections, -1, 0, 0,
            oids.DEFAULT_TABLESPACE, "C", "C", None, None, None,
        )
        for found in view.known_databases()
    )


def _setting(name: str, value: str, kind: str, description: str, *, bounded: bool = False) -> SystemRow:
    bound = value if bounded else None
    return (
        name, value, None, "Preset Options", description, None, "internal", kind, "default", bound,
        bound, None, value, value, None, None, False,
    )


RELATIONS = (
    from_view(
        "pg_catalog", "pg_database",
        "oid oid, datname name, datdba oid, encoding int4, datlocprovider char, datistemplate bool,"
        "datallowconn bool, datconnlimit int4, datfrozenxid xid, datminmxid xid, dattablespace oid,"
        "datcollate text, datctype text, daticulocale text, datcollversion text, datacl _aclitem",
        _database,
    ),
    constant(
        "pg_catalog", "pg_settings",
        "name text, setting text, unit text, category text, short_desc text, extra_desc text,"
        "context text, vartype text, source text, min_val text, max_val text, enumvals _text,"
        "boot_val text, reset_val text, sourcefile text, sourceline int4, pending_restart bool",
        (
            _setting("integer_datetimes", "on", "bool", "Datetimes are 64-bit integers."),
            _setting(
                "max_identifier_length", str(IDENTIFIER_BYTES_MAX), "integer", "Longest identifier, in bytes.",
                bounded=True,
            ),
            _setting("max_index_keys", "32", "integer", "Most columns of an index.", bounded=True),
            _setting("server_encoding", "UTF8", "string", "The encoding of the database."),
        ),
    ),
    constant(
        "pg_catalog", "pg_am", "oid oid, amname name, amhandler regproc, amtype char",
        ((oids.HEAP, "heap", 3, "t"), (oids.BTREE, "btree", 330, "i")),
    ),
    constant(
        "pg_catalog", "pg_tablespace",
        "oid oid, spcname name, spcowner oid, spcacl _aclitem, spcoptions _text",
        ((oids.DEFAULT_TABLESPACE, "pg_default", oids.OWNER, None, None),
         (oids.GLOBAL_TABLESPACE, "pg_global", oids.OWNER, None, None)),
    ),
)
