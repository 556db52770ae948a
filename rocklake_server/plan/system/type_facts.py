"""What pg_type and pg_proc say of the server's types beyond schema.types: layout, category and the I/O
functions.

The numbers are those of PostgreSQL 15's catalogs (PostgreSQL manual, System Catalogs: pg_type,
pg_opclass).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from rocklake_server.schema.types import ColumnType


@dataclass(frozen=True, slots=True)
class TypeFacts:
    """``io`` is the OIDs of the input, output, receive and send functions, ``typmod_io`` those of the
    modifier's input and output, ``operator_class`` the default B-tree operator class; 0 is none."""

    category: str
    preferred: bool
    by_value: bool
    align: str
    storage: str
    collation: int
    io: tuple[int, int, int, int]
    typmod_io: tuple[int, int] = (0, 0)
    operator_class: int = 0
    subscript: int = 0
    analyze: int = 0


ARRAY_IO = (750, 751, 2400, 2401)
ARRAY_SUBSCRIPT = 6179
RAW_ARRAY_SUBSCRIPT = 6180
ARRAY_ANALYZE = 3816

_SCALARS = {
    "bool": TypeFacts("B", True, True, "c", "p", 0, (1242, 1243, 2436, 2437), (0, 0), 10003),
    "bytea": TypeFacts("U", False, False, "i", "x", 0, (1244, 31, 2412, 2413), (0, 0), 10006),
    "char": TypeFacts("Z", False, True, "c", "p", 0, (1245, 33, 2434, 2435), (0, 0), 10007),
    "name": TypeFacts(
        "S", False, False, "c", "p", 950, (34, 35, 2422, 2423), (0, 0), 10028, RAW_ARRAY_SUBSCRIPT
    ),
    "int8": TypeFacts("N", False, True, "d", "p", 0, (460, 461, 2408, 2409), (0, 0), 3124),
    "int2": TypeFacts("N", False, True, "s", "p", 0, (38, 39, 2404, 2405), (0, 0), 1979),
    "int4": TypeFacts("N", False, True, "i", "p", 0, (42, 43, 2406, 2407), (0, 0), 1978),
    "regproc": TypeFacts("N", False, True, "i", "p", 0, (44, 45, 2444, 2445)),
    "text": TypeFacts("S", True, False, "i", "x", 100, (46, 47, 2414, 2415), (0, 0), 3126),
    "oid": TypeFacts("N", True, True, "i", "p", 0, (1798, 1799, 2418, 2419), (0, 0), 1981),
    "tid": TypeFacts("U", False, False, "s", "p", 0, (48, 49, 2438, 2439), (0, 0), 10050),
    "xid": TypeFacts("U", False, True, "i", "p", 0, (50, 51, 2440, 2441)),
    "float4": TypeFacts("N", False, True, "i", "p", 0, (200, 201, 2424, 2425), (0, 0), 10012),
    "float8": TypeFacts("N", True, True, "d", "p", 0, (214, 215, 2426, 2427), (0, 0), 3123),
    "unknown": TypeFacts("X", False, False, "c", "p", 0, (109, 110, 2416, 2417)),
    "bpchar": TypeFacts("S", False, False, "i", "x", 100, (1044, 1045, 2430, 2431), (2913, 2914), 10004),
    "varchar": TypeFacts("S", False, False, "i", "x", 100, (1046, 1047, 2432, 2433), (2915, 2916), 3126),
    "date": TypeFacts("D", False, True, "i", "p", 0, (1084, 1085, 2468, 2469), (0, 0), 3122),
    "time": TypeFacts("D", False, True, "d", "p", 0, (1143, 1144, 2470, 2471), (2909, 2910), 10038),
    "timestamp": TypeFacts("D", False, True, "d", "p", 0, (1312, 1313, 2474, 2475), (2905, 2906), 3128),
    "timestamptz": TypeFacts("D", True, True, "d", "p", 0, (1150, 1151, 2476, 2477), (2907, 2908), 3127),
    "interval": TypeFacts("T", True, False, "d", "p", 0, (1160, 1161, 2478, 2479), (2903, 2904), 10022),
    "timetz": TypeFacts("D", False, False, "d", "p", 0, (1350, 1351, 2472, 2473), (2911, 2912), 10041),
    "numeric": TypeFacts("N", False, False, "i", "m", 0, (1701, 1702, 2460, 2461), (2917, 2918), 3125),
    "regclass": TypeFacts("N", False, True, "i", "p", 0, (2218, 2219, 2452, 2453)),
    "regtype": TypeFacts("N", False, True, "i", "p", 0, (2220, 2221, 2454, 2455)),
    "void": TypeFacts("P", False, True, "i", "p", 0, (2298, 2299, 3120, 3121)),
    "json": TypeFacts("U", False, False, "i", "x", 0, (321, 322, 323, 324)),
    "jsonb": TypeFacts("U", False, False, "i", "x", 0, (3806, 3804, 3805, 3803), (0, 0), 10087, 6098),
    "uuid": TypeFacts("U", False, False, "c", "p", 0, (2952, 2953, 2961, 2962), (0, 0), 10065),
    "regprocedure": TypeFacts("N", False, True, "i", "p", 0, (2212, 2213, 2446, 2447)),
    "regoper": TypeFacts("N", False, True, "i", "p", 0, (2214, 2215, 2448, 2449)),
    "regoperator": TypeFacts("N", False, True, "i", "p", 0, (2216, 2217, 2450, 2451)),
    "regnamespace": TypeFacts("N", False, True, "i", "p", 0, (4084, 4085, 4087, 4088)),
    "regrole": TypeFacts("N", False, True, "i", "p", 0, (4098, 4092, 4094, 4095)),
    "int2vector": TypeFacts("A", False, False, "i", "p", 0, (40, 41, 2410, 2411), (0, 0), 0, ARRAY_SUBSCRIPT),
    "oidvector": TypeFacts("A", False, False, "i", "p", 0, (54, 55, 2420, 2421), (0, 0), 10032, ARRAY_SUBSCRIPT),
}


def facts_of(column_type: ColumnType) -> TypeFacts:
    """The facts of a scalar, vector or array type."""
    if column_type.typname in _SCALARS:
        return _SCALARS[column_type.typname]
    assert column_type.element is not None
    element = _SCALARS[column_type.element.typname]
    return replace(
        element, category="A", preferred=False, by_value=False, align="d" if element.align == "d" else "i",
        storage="x", io=ARRAY_IO, operator_class=_ARRAY_OPERATOR_CLASS, subscript=ARRAY_SUBSCRIPT,
        analyze=ARRAY_ANALYZE,
    )


def io_function_names(column_type: ColumnType) -> tuple[str, str, str, str]:
    """The names of the functions in ``TypeFacts.io``."""
    if column_type.typname not in _SCALARS:
        return "array_in", "array_out", "array_recv", "array_send"
    stem = column_type.typname + ("_" if column_type.typname in _NAMED_WITH_UNDERSCORE else "")
    return f"{stem}in", f"{stem}out", f"{stem}recv", f"{stem}send"


_ARRAY_OPERATOR_CLASS = 10000
_NAMED_WITH_UNDERSCORE = frozenset(
    ("date", "time", "timestamp", "timestamptz", "interval", "timetz", "numeric", "void", "uuid", "json", "jsonb")
)
