"""What ``rocklake verify`` looks for: one declaration for each check, from which its help, its documentation, the
choice of what to repair and the table of planted damage in the tests derive."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Enum

from rocklake_server.store.base import Key


class Severity(Enum):
    """Damage makes a command fail; a notice is something that an operator may want to know."""

    DAMAGE = "damage"
    NOTICE = "notice"


@dataclass(frozen=True, slots=True)
class Check:
    """``repair`` says how ``rocklake repair`` mends it; ``None`` when nothing that could be done is provably right."""

    name: str
    meaning: str
    repair: str | None = None
    severity: Severity = Severity.DAMAGE


_REBUILT = "The entries are written anew from the rows, and those without a row are removed."
_RAISED = "The number is raised above what is there."
_RETIRED = "The rows are moved to the retired rows, from where they can be restored."

LAKE_LIST = Check(
    "lake-list", "Two lakes on the list of the store share a number, a number is not below the next, or a lake has no "
    "database.")  # fmt: skip
UNKNOWN_KEYS = Check(
    "unknown-keys", "A key belongs to no relation of the lake and to nothing that this version writes.")
KEY_ENCODING = Check("key-encoding", "A key begins as one of a relation, an index or a counter does and goes on wrong.")
VALUE_ENVELOPE = Check(
    "value-envelope", "A value does not begin with the encoding version and SDKV: it was written by something else, or "
    "by a newer version.")  # fmt: skip
VALUE_MESSAGE = Check("value-message", "The rest of a value is not the protobuf message that its key calls for.")
KEY_MATCHES_ROW = Check("key-matches-row", "The fields in a row's key are not those in the row.")
DEFINITIONS = Check(
    "definitions", "Two relations or indexes share a name or a number, two relations share keys, or a definition is "
    "stored under another relation's number.")  # fmt: skip
NOT_NULL = Check("not-null", "A row holds NULL in a column that was declared NOT NULL.")
NEGATIVE_COUNTS = Check("negative-counts", "A count, size or number of rows in a row is below 0.")
PRIMARY_KEYS = Check("primary-keys", "Two rows have the same primary key.")
TIE_BREAKERS = Check(
    "tie-breakers", "Rows share all their key fields: DuckLake wrote the same thing twice. Nothing is lost by it.",
    severity=Severity.NOTICE)  # fmt: skip
ROW_NUMBERS = Check(
    "row-numbers", "Two rows of the lake have the same ctid, by which DuckDB deletes.")
NEXT_ROW = Check("next-row", "The number that the next row's ctid is made from was given already.", _RAISED)
NEXT_RELATION = Check("next-relation", "The number that the next relation gets was given already.", _RAISED)
COUNTERS = Check("counters", "A counter of ids is not above an id that is there.", _RAISED)
STORED_BYTES = Check(
    "stored-bytes", "The size of the lake, kept with each commit, is not what its keys and values take. After ALTER "
    "TABLE that is expected: rows from before it count as if they had been written since.",
    "It is set to what they take.", Severity.NOTICE)  # fmt: skip
COMMIT_SEQUENCE = Check(
    "commit-sequence", "The commit sequence is missing, or is below that of a retired row, an audit record or the "
    "opening by its writer.")  # fmt: skip
RETIRED_ROWS = Check("retired-rows", "A retired row belongs to no relation that is or was in the lake.")
VERSION_ORDER = Check("version-order", "A version ends before it begins, or says no begin.")
OVERLAPPING_VERSIONS = Check(
    "overlapping-versions", "A snapshot sees two versions of the same thing, one of which has ended since.")
DUPLICATE_LIVE_ROWS = Check("duplicate-live-rows", "Two versions of the same thing have not ended.")
ORPHANED_VERSIONS = Check(
    "orphaned-versions", "A version ended at a snapshot at which no successor begins, and whose changes drop nothing "
    "that would explain it.")  # fmt: skip
BEYOND_NEWEST = Check("beyond-newest", "A version begins or ends at a snapshot that is newer than the newest.")
RETENTION = Check(
    "retention", "A snapshot below retain-from is still in the list, a pin is below it, or it is above the newest "
    "snapshot.")
SNAPSHOT_CHANGES = Check("snapshot-changes", "A snapshot has no row that says what it changed, or such a row has none.")
SNAPSHOT_GAPS = Check(
    "snapshot-gaps", "Snapshots between the oldest and the newest are missing and are not among the retired rows: they "
    "were expired and excised, or lost.", severity=Severity.NOTICE)  # fmt: skip
INDEXES = Check("indexes", "The secondary indexes of files are not what the rows call for.", _REBUILT)
MISSING_SCHEMAS = Check("missing-schemas", "A table, view or macro is in a schema that never was.")
MISSING_TABLES = Check("missing-tables", "A data or delete file belongs to a table that never was.")
ORPHANED_COLUMNS = Check("orphaned-columns", "A column or its tag belongs to a table that never was.", _RETIRED)
ORPHANED_STATISTICS = Check(
    "orphaned-statistics", "Statistics or partition values belong to a file or table that is not there.", _RETIRED)
ORPHANED_PARTS = Check(
    "orphaned-parts", "A part of a partitioning, sort order, mapping or macro belongs to one that is not there.",
    _RETIRED)
MISSING_DATA_FILES = Check("missing-data-files", "A delete file is for a data file that is not there.")
INLINED_TABLES = Check(
    "inlined-tables", "A table of inlined rows is registered and not there, or there and not registered.")
DATA_FILES = Check(
    "data-files", "A Parquet file that the lake names is not there, or has another size. Looked at with --data-files "
    "only.")  # fmt: skip

CHECKS: tuple[Check, ...] = tuple(check for check in globals().values() if isinstance(check, Check))
"""In the order in which they are declared."""

BY_NAME = {check.name: check for check in CHECKS}


@dataclass(frozen=True, slots=True)
class Finding:
    """One violation. ``key`` is the key at fault, in the lake's own store."""

    check: Check
    lake: str
    what: str
    key: Key | None = None


@dataclass(slots=True)
class Report:
    """What was found in one lake: all of it is counted, and the first ``kept_max`` of each check are kept."""

    lake: str
    kept_max: int = 1000
    counts: dict[Check, int] = field(default_factory=dict)
    kept: dict[Check, list[Finding]] = field(default_factory=dict)

    def add(self, check: Check, what: str, key: Key | None = None) -> None:
        self.counts[check] = self.counts.get(check, 0) + 1
        kept = self.kept.setdefault(check, [])
        if len(kept) < self.kept_max:
            kept.append(Finding(check, self.lake, what, key))

    def findings(self) -> Iterator[Finding]:
        """In the order of the checks."""
        for check in CHECKS:
            yield from self.kept.get(check, ())

    @property
    def damage(self) -> int:
        return sum(count for check, count in self.counts.items() if check.severity is Severity.DAMAGE)
