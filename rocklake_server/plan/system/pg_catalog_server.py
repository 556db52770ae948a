"""The server's own facts: database, tablespaces, access methods, and the settings of the session that asks.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocklake_server.catalog.view import TransactionView
from rocklake_server.plan.system import oids
from rocklake_server.plan.system.relation import SystemRow, SystemRows, constant, from_view, live
from rocklake_server.plan.system.setting_facts import SETTING_FACTS

if TYPE_CHECKING:
    from rocklake_server.plan.model import Context

_UTF8 = 6
_NO_OFFSET = (0, 0, 0)


def _database(view: TransactionView) -> SystemRows:
    return tuple(
        (
            found.oid, found.name, oids.OWNER, _UTF8, "c", found.is_template, found.allows_connections, -1, 0, 0,
            oids.DEFAULT_TABLESPACE, "C", "C", None, None, None,
        )
        for found in view.known_databases()
    )


def _settings(context: Context) -> list[SystemRow]:
    """The settings of the session, its own ones with a dot in their name left out."""
    rows: list[SystemRow] = []
    for name, unit, category, description, level, kind, least, greatest in SETTING_FACTS:
        value = context.settings.get(name.lower())
        if value is not None:
            rows.append((name, value, unit, category, description, None, level, kind, "session", least, greatest,
                         None, None, None, None, None, False))
    return rows


RELATIONS = (
    from_view(
        "pg_catalog", "pg_database",
        "oid oid, datname name, datdba oid, encoding int4, datlocprovider char, datistemplate bool,"
        "datallowconn bool, datconnlimit int4, datfrozenxid xid, datminmxid xid, dattablespace oid,"
        "datcollate text, datctype text, daticulocale text, datcollversion text, datacl _aclitem",
        _database,
    ),
    constant(
        "pg_catalog", "pg_language",
        "oid oid, lanname name, lanowner oid, lanispl bool, lanpltrusted bool, lanplcallfoid oid, laninline oid,"
        "lanvalidator oid, lanacl _aclitem",
        ((oids.INTERNAL_LANGUAGE, "internal", oids.OWNER, False, False, 0, 0, 2246, None),),
    ),
    constant(
        "pg_catalog", "pg_timezone_names", "name text, abbrev text, utc_offset interval, is_dst bool",
        (("UTC", "UTC", _NO_OFFSET, False),),
    ),
    constant(
        "pg_catalog", "pg_timezone_abbrevs", "abbrev text, utc_offset interval, is_dst bool",
        (("UTC", _NO_OFFSET, False),),
    ),
    live(
        "pg_catalog", "pg_settings",
        "name text, setting text, unit text, category text, short_desc text, extra_desc text,"
        "context text, vartype text, source text, min_val text, max_val text, enumvals _text,"
        "boot_val text, reset_val text, sourcefile text, sourceline int4, pending_restart bool",
        _settings,
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
