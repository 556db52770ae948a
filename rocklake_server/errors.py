"""Every error a client can see. The class is the SQLSTATE (PostgreSQL manual, appendix A).

DuckLake retries a commit when the lower-cased message contains one of ``RETRY_WORDS``, whatever the SQLSTATE. The
fixed wording of a class therefore contains one of them exactly when ``retryable`` is set: when running the same
commit again on the same connection can succeed. Quoted identifiers are exempt. ``%`` never appears in a message,
since the client passes it through a format function. Keys of encrypted files are taken out of what is quoted.
"""

from __future__ import annotations

import re
from typing import ClassVar

RETRY_WORDS = ("primary key", "unique", "conflict", "concurrent")


_FILE_KEY = re.compile(r"[A-Za-z0-9+/]{22}==|[A-Za-z0-9+/]{43}=")


def without_file_keys(text: str) -> str:
    """``text`` without what looks like the key of an encrypted data file, as DuckLake writes them: an error that quotes
    what a client sent, or a value that does not fit a type, must not tell one."""
    return _FILE_KEY.sub("(a key)", text) if "=" in text else text


class CatalogError(Exception):
    """Base of all client-visible errors. ``str(error)`` is the message field; ``detail`` and ``hint`` go beside it."""

    sqlstate: ClassVar[str] = "XX000"
    severity: ClassVar[str] = "ERROR"
    retryable: ClassVar[bool] = False
    by_sqlstate: ClassVar[dict[str, type[CatalogError]]] = {}

    def __init__(self, message: str, *, detail: str | None = None, hint: str | None = None,
                 position: int | None = None) -> None:
        super().__init__(without_file_keys(message.replace("%", "percent")))
        self.detail = None if detail is None else without_file_keys(detail)
        self.hint = hint
        self.position = position

    def __init_subclass__(cls, *, sqlstate: str, severity: str = "ERROR", retryable: bool = False) -> None:
        super().__init_subclass__()
        if sqlstate in CatalogError.by_sqlstate:
            raise TypeError(f"SQLSTATE {sqlstate} is declared twice")
        cls.sqlstate, cls.severity, cls.retryable = sqlstate, severity, retryable
        CatalogError.by_sqlstate[sqlstate] = cls


class Unsupported(CatalogError, sqlstate="0A000"):
    """A clause, statement or type that the server does not implement; the message names it."""


class SyntaxProblem(CatalogError, sqlstate="42601"):
    """The text is not SQL that PostgreSQL would accept."""


class UndefinedTable(CatalogError, sqlstate="42P01"):
    """The statement names a relation that does not exist."""


class UndefinedColumn(CatalogError, sqlstate="42703"):
    """The statement names a column that does not exist."""


class UndefinedFunction(CatalogError, sqlstate="42883"):
    """The statement calls a function or operator that does not exist for its argument types."""


class UndefinedObject(CatalogError, sqlstate="42704"):
    """The statement names a type, setting or other object that does not exist."""


class UndefinedParameter(CatalogError, sqlstate="42P02"):
    """The statement names a parameter that it was not given."""


class AmbiguousColumn(CatalogError, sqlstate="42702"):
    """A column name fits more than one relation."""


class DuplicateTable(CatalogError, sqlstate="42P07"):
    """CREATE TABLE of a relation that exists."""


class DuplicateColumn(CatalogError, sqlstate="42701"):
    """A column name is given twice."""


class DuplicateSchema(CatalogError, sqlstate="42P06"):
    """CREATE SCHEMA of a schema that exists."""


class DuplicateObject(CatalogError, sqlstate="42710"):
    """A name that another object of its kind has."""


class DuplicatePreparedStatement(CatalogError, sqlstate="42P05"):
    """Parse of a named statement that exists."""


class UndefinedPreparedStatement(CatalogError, sqlstate="26000"):
    """Bind, Describe or Close of a statement that does not exist."""


class DuplicatePortal(CatalogError, sqlstate="42P03"):
    """Bind of a named portal, or DECLARE of a cursor, that exists."""


class UndefinedPortal(CatalogError, sqlstate="34000"):
    """Execute or Describe of a portal, or FETCH from a cursor, that does not exist."""


class UndefinedSchema(CatalogError, sqlstate="3F000"):
    """The statement names a schema that does not exist."""


class UndefinedDatabase(CatalogError, sqlstate="3D000"):
    """The startup message, or a statement, names a database that does not exist."""


class DuplicateDatabase(CatalogError, sqlstate="42P04"):
    """CREATE DATABASE of a database that exists."""


class DependentObjects(CatalogError, sqlstate="2BP01"):
    """DROP without CASCADE of an object that others depend on."""


class DatatypeMismatch(CatalogError, sqlstate="42804"):
    """An expression has a type that its place does not accept."""


class SubstringProblem(CatalogError, sqlstate="22011"):
    """A substring of negative length."""


class InvalidEscape(CatalogError, sqlstate="22025"):
    """A LIKE pattern that ends with its escape character."""


class InvalidEscapeSequence(CatalogError, sqlstate="22019"):
    """An escape that is longer than one character."""


class InvalidRegularExpression(CatalogError, sqlstate="2201B"):
    """A text that is no regular expression."""


class InvalidGrantOperation(CatalogError, sqlstate="0LP01"):
    """A role that would be a member of itself."""


class InsufficientPrivilege(CatalogError, sqlstate="42501"):
    """A write to a system catalog, or something that the role may not do."""


class ReservedName(CatalogError, sqlstate="42939"):
    """A name that is kept for the system."""


class CannotCoerce(CatalogError, sqlstate="42846"):
    """A cast between types that have none."""


class GroupingProblem(CatalogError, sqlstate="42803"):
    """A column outside GROUP BY, or an aggregate where none may stand."""


class WindowingProblem(CatalogError, sqlstate="42P20"):
    """A window function where none may stand, or a window that contradicts another one."""


class InvalidColumnReference(CatalogError, sqlstate="42P10"):
    """A position or expression that ORDER BY, GROUP BY or DISTINCT cannot mean."""


class DuplicateAlias(CatalogError, sqlstate="42712"):
    """A table name is given twice in FROM."""


class InvalidRowCount(CatalogError, sqlstate="2201W"):
    """A negative LIMIT."""


class InvalidRowOffset(CatalogError, sqlstate="2201X"):
    """A negative OFFSET."""


class IndeterminateDatatype(CatalogError, sqlstate="42P18"):
    """A parameter or array whose type nothing tells."""


class WrongObjectType(CatalogError, sqlstate="42809"):
    """The statement names an object of another kind than it needs."""


class InvalidTableDefinition(CatalogError, sqlstate="42P16"):
    """A table definition that contradicts itself."""


class InvalidTextRepresentation(CatalogError, sqlstate="22P02"):
    """A text that is not a value of its type."""


class InvalidBinaryRepresentation(CatalogError, sqlstate="22P03"):
    """Bytes that are not a value of their type."""


class BadCopyFileFormat(CatalogError, sqlstate="22P04"):
    """A COPY stream that ends early, has a wrong header or a wrong number of columns."""


class InvalidDatetime(CatalogError, sqlstate="22007"):
    """A text that is not a date or time."""


class DatetimeOverflow(CatalogError, sqlstate="22008"):
    """A date or time outside its type's range."""


class IntervalOverflow(CatalogError, sqlstate="22015"):
    """An interval with a field outside its type's range."""


class InvalidTimeZone(CatalogError, sqlstate="22009"):
    """A time zone offset that no place has."""


class NumericOutOfRange(CatalogError, sqlstate="22003"):
    """A number outside its type's range."""


class LogarithmProblem(CatalogError, sqlstate="2201E"):
    """A logarithm of zero or of a negative number."""


class PowerProblem(CatalogError, sqlstate="2201F"):
    """A root or power that has no real value."""


class DivisionByZero(CatalogError, sqlstate="22012"):
    """Division by zero."""


class StringTooLong(CatalogError, sqlstate="22001"):
    """A text longer than its type allows."""


class CharacterNotInRepertoire(CatalogError, sqlstate="22021"):
    """Bytes that are not text in the client's encoding."""


class UntranslatableCharacter(CatalogError, sqlstate="22P05"):
    """A character that the server cannot keep."""


class InvalidParameterValue(CatalogError, sqlstate="22023"):
    """A value that a setting or command does not accept."""


class CardinalityViolation(CatalogError, sqlstate="21000"):
    """A scalar subquery returned more than one row."""


class NotNullViolation(CatalogError, sqlstate="23502"):
    """A NULL in a column declared NOT NULL."""

    @classmethod
    def of(cls, relation: str, column: str) -> NotNullViolation:
        return cls(f'null value in column "{column}" of relation "{relation}" violates not-null constraint')


class UniqueViolation(CatalogError, sqlstate="23505", retryable=True):
    """A repeated primary key. DuckLake re-reads the newest snapshot and tries again."""

    @classmethod
    def of(cls, relation: str, detail: str | None = None) -> UniqueViolation:
        return cls(f'duplicate key value violates unique constraint "{relation}_pkey"', detail=detail)


class ActiveTransaction(CatalogError, sqlstate="25001"):
    """A statement that cannot run inside a transaction block."""


class NoActiveTransaction(CatalogError, sqlstate="25P01"):
    """A statement that needs a transaction block."""


class FailedTransaction(CatalogError, sqlstate="25P02"):
    """A statement other than ROLLBACK in a transaction block that failed."""

    @classmethod
    def default(cls) -> FailedTransaction:
        return cls("current transaction is aborted, commands ignored until end of transaction block")


class ReadOnlyTransaction(CatalogError, sqlstate="25006"):
    """A write in a READ ONLY transaction."""


class UndefinedSavepoint(CatalogError, sqlstate="3B001"):
    """ROLLBACK TO or RELEASE of a savepoint that does not exist."""


class SerializationFailure(CatalogError, sqlstate="40001", retryable=True):
    """Another transaction committed a change to a row or relation that this one wrote."""

    @classmethod
    def update(cls) -> SerializationFailure:
        return cls("could not serialize access due to concurrent update")

    @classmethod
    def delete(cls) -> SerializationFailure:
        return cls("could not serialize access due to concurrent delete")


class DeadlockDetected(CatalogError, sqlstate="40P01", retryable=True):
    """Waiting would close a cycle of transactions that wait for each other."""

    @classmethod
    def default(cls) -> DeadlockDetected:
        return cls("deadlock detected between concurrent transactions")


class LockNotAvailable(CatalogError, sqlstate="55P03"):
    """A wait for another transaction lasted longer than lock_timeout."""


class ObjectNotInPrerequisiteState(CatalogError, sqlstate="55000"):
    """The object is not in a state that the command needs."""


class QueueOverflow(CatalogError, sqlstate="53400", severity="FATAL"):
    """A session does not take what waits for it."""


class ObjectInUse(CatalogError, sqlstate="55006"):
    """The object cannot be dropped or renamed while others use it."""


class FixedSetting(CatalogError, sqlstate="55P02"):
    """SET of a setting that nobody can change."""


class QueryCanceled(CatalogError, sqlstate="57014"):
    """A CancelRequest or statement_timeout ended the statement."""


class AdminShutdown(CatalogError, sqlstate="57P01", severity="FATAL"):
    """The server is stopping."""


class IdleInTransaction(CatalogError, sqlstate="25P03", severity="FATAL"):
    """A client that left its block open longer than idle_in_transaction_session_timeout."""


class IdleSession(CatalogError, sqlstate="57P05", severity="FATAL"):
    """A client that said nothing for longer than idle_session_timeout."""


class CannotConnectNow(CatalogError, sqlstate="57P03", severity="FATAL"):
    """The server is starting, draining or has lost its lake."""


class TooManyConnections(CatalogError, sqlstate="53300", severity="FATAL"):
    """The server has as many sessions as it allows."""


class OutOfMemory(CatalogError, sqlstate="53200"):
    """What a client asks for or sends does not fit into the memory that the server allows it."""


class ProgramLimitExceeded(CatalogError, sqlstate="54000"):
    """A key or value larger than the server's limits."""


class StatementTooComplex(CatalogError, sqlstate="54001"):
    """A statement that is nested too deeply."""

    @classmethod
    def default(cls) -> StatementTooComplex:
        return cls("stack depth limit exceeded", hint="Nest the statement less deeply.")


class TooManyColumns(CatalogError, sqlstate="54011"):
    """A relation with more columns than the wire can carry."""


class ProtocolViolation(CatalogError, sqlstate="08P01"):
    """A message that the protocol does not allow here."""


class ProtocolFatal(CatalogError, sqlstate="08004", severity="FATAL"):
    """A startup that the server rejects."""


class InvalidAuthorization(CatalogError, sqlstate="28000", severity="FATAL"):
    """A user that may not connect."""


class InvalidPassword(CatalogError, sqlstate="28P01", severity="FATAL"):
    """A login that failed: a wrong password, or a user that does not exist. Nothing tells which."""


class OutcomeUnknown(CatalogError, sqlstate="08007", severity="FATAL"):
    """The store failed while a commit was written and could not be read back: it may or may not be there."""


class StoreUnavailable(CatalogError, sqlstate="58030"):
    """The object store cannot be reached or refuses; nothing was written."""


class UndefinedFile(CatalogError, sqlstate="58P01"):
    """There is no database, or no file of one, at the place that a command names."""


class CorruptValue(CatalogError, sqlstate="XX001"):
    """A stored key or value is not what this server writes; the message names the key."""


class FormatVersionUnsupported(CatalogError, sqlstate="XX002"):
    """The lake was written in a catalog format that this server does not know."""


class InternalProblem(CatalogError, sqlstate="XX000"):
    """A fault of the server itself; the log has its traceback."""
