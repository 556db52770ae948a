"""What is fuzzed. A target takes any bytes; it may refuse them with an error of the catalog, and with nothing else."""

from __future__ import annotations

import asyncio
import base64
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product
from typing import Any

from rocklake_server.auth.rules import parse_rules
from rocklake_server.auth.scram import SCRAM, SCRAM_PLUS, ScramServer
from rocklake_server.auth.verifier import ScramVerifier
from rocklake_server.catalog.access import access_of
from rocklake_server.encoding.definitions import (
    decode_definition,
    decode_number,
    decode_reference,
    decode_system_text,
    encode_definition,
    encode_number,
    encode_reference,
    encode_system_text,
)
from rocklake_server.encoding.indexes import (
    decode_index_key,
    delete_file_key,
    file_table_key,
    registered_at_key,
    visible_at_key,
)
from rocklake_server.encoding.keys import decode_retired_key, decode_row_key, retired_key
from rocklake_server.errors import CatalogError, InternalProblem
from rocklake_server.pgformat.binary import binary_decoder
from rocklake_server.pgformat.copy_binary import SIGNATURE
from rocklake_server.pgformat.copy_binary_reader import BinaryCopyReader
from rocklake_server.pgformat.copy_csv_reader import CsvCopyReader
from rocklake_server.pgformat.copy_format import CsvFormat, Header
from rocklake_server.pgformat.copy_text import TextCopyReader
from rocklake_server.pgformat.text import text_decoder, text_encoder
from rocklake_server.schema.catalog_tables import VERSIONS
from rocklake_server.schema.model import Relation
from rocklake_server.schema.registry import tables_of
from rocklake_server.schema.types import STORABLE, ColumnType
from rocklake_server.session.copy_in import CopyReader
from rocklake_server.sql.parse import parse_statements
from rocklake_server.sql.statements import CopyOut, Query
from rocklake_server.store.base import Key
from rocklake_server.store.redo_record import (
    MAGIC,
    encoded_operations,
    encoded_record,
    holds_record_from,
    whole_records,
)
from rocklake_server.wire import messages as m
from rocklake_server.wire.authentication import cleartext_password, initial_response
from rocklake_server.wire.connection import ServerConnection
from rocklake_server.wire.layout import encode
from rocklake_server.wire.phases import Phase
from tests.corpus.catalog_data import definitions
from tests.corpus_loader import load
from tests.encoding.golden_keys import GOLDEN_KEYS
from tests.encoding.golden_values import GOLDEN_VALUES
from tests.pgformat.inputs import ODD_INPUTS
from tests.plan.driver import Driver
from tests.session.conversation import Place, place
from tests.strategies import live
from tests.wire.cases import FRONTEND_CASES, STARTUP_CASES
from tests.wire.conversation import READY, SCRIPTS, connection_in

PHASES = tuple(SCRIPTS)
MESSAGES_MAX = 10_000
CSV_FORMATS = (
    CsvFormat(), CsvFormat(escape="\\"), CsvFormat(header=Header.MATCH), CsvFormat(force_null=frozenset({0})),
)  # fmt: skip
REPLY_BYTES_MAX = 64 * 1024 * 1024


@dataclass(frozen=True)
class Target:
    """``run`` raises for a fault of ours; ``seeds`` are inputs to begin with."""

    name: str
    run: Callable[[bytes], None]
    seeds: Callable[[], Sequence[bytes]]


def refused(error: CatalogError) -> None:
    """An error that tells the client what is wrong with its bytes; not that the server is."""
    if isinstance(error, InternalProblem) or error.sqlstate == "XX000":
        raise AssertionError(f"an error of the server's own: {error}") from error


# -- the wire ---------------------------------------------------------------------------------------------------------


def read_messages(data: bytes) -> None:
    """Byte 0 is the phase, byte 1 how the rest is cut. What needs an answer is answered with ReadyForQuery."""
    connection = connection_in(PHASES[data[0] % len(PHASES)]) if data else ServerConnection()
    size = 1 + (data[1] if len(data) > 1 else 0)
    for start in range(2, len(data), size):
        try:
            connection.receive_data(data[start : start + size])
            _read_all(connection)
        except CatalogError as error:
            refused(error)
        assert connection.buffered_bytes <= len(data)


def _read_all(connection: ServerConnection) -> None:
    for _ in range(MESSAGES_MAX):
        if connection.phase in (Phase.QUERYING, Phase.FINISHING):
            connection.send(READY)
        if connection.next_message() is None:
            return
    raise AssertionError("the reader makes messages of nothing")


def message_seeds() -> list[bytes]:
    whole = b"".join(data for _, data in FRONTEND_CASES)
    cases = [*FRONTEND_CASES, *STARTUP_CASES]
    found = [bytes([phase, 3]) + data for phase in range(len(PHASES)) for _, data in cases[:: 1 + phase % 3]]
    return [*found, *(bytes([phase, 255]) + whole for phase in range(len(PHASES)))]


# -- COPY -------------------------------------------------------------------------------------------------------------


VERIFIER = ScramVerifier.of("pencil", salt=b"0123456789abcdef", iterations=1)


def log_in(data: bytes) -> None:
    """The answers to an authentication request, one a line. Nobody gets in by guessing."""
    end_point = None if data[:1] == b"n" else b"e" * 32
    try:
        scram = ScramServer(VERIFIER, is_genuine=True, end_point=end_point, nonce="server")
        first, _, final = data[1:].partition(b"\n")
        response = initial_response(m.PasswordMessage(first))
        scram.first(response.mechanism, response.data or b"")
        assert scram.final(final) is None, "a proof was guessed"
    except CatalogError as error:
        refused(error)
    try:
        assert not VERIFIER.matches(cleartext_password(m.PasswordMessage(data)))
    except CatalogError as error:
        refused(error)


def login_seeds() -> list[bytes]:
    seeds = [b"password\0", b"p\xc3\xa4ssword\0"]
    kinds = ((b"n", SCRAM, b"n,,", b""), (b"e", SCRAM_PLUS, b"p=tls-server-end-point,,", b"e" * 32))
    for (flag, mechanism, header, end_point), nonce, name in product(kinds, (b"client", b"+/=0", b"r"), b"abcd"):
        message = header + b"n=" + bytes([name]) + b",r=" + nonce
        bound = base64.b64encode(header + end_point)
        final = b"c=" + bound + b",r=" + nonce + b"server,p=" + base64.b64encode(bytes([name]) * 32)
        seeds.append(flag + mechanism.encode() + b"\0" + len(message).to_bytes(4, "big") + message + b"\n" + final)
    return seeds


def read_rules(data: bytes) -> None:
    try:
        for rule in parse_rules(data.decode("utf-8", "replace"), "hba file"):
            assert rule.place.startswith("hba file, line ")
    except CatalogError as error:
        refused(error)
    try:
        ScramVerifier.parse(data.decode("latin-1"))
    except CatalogError as error:
        refused(error)


def rules_seeds() -> list[bytes]:
    names = (b"all", b'lake,"all"', b"sameuser  # c\nhost a b all reject\nhost all")
    addresses = (b"10.0.0.0/8,::1/128", b"samehost", b"all")
    methods = (b"trust", b"scram-sha-256 clientcert=verify-full", b"cert")
    rules = [b"hostssl " + b" ".join((name, b"ada", *rest)) for name, *rest in product(names, addresses, methods)]
    return [*rules, str(VERIFIER).encode()]


def _copy_types(selector: int) -> list[ColumnType]:
    return [STORABLE[(selector + step * 7) % len(STORABLE)] for step in range(selector % 4)]


def _copied(make: Callable[[list[ColumnType]], CopyReader], data: bytes) -> None:
    """Byte 0 chooses the columns, byte 1 how the stream is cut: the rows are the same however it is."""
    types = _copy_types(data[0] if data else 0)
    size = 1 + (data[1] if len(data) > 1 else 0)
    stream = data[2:]
    pieces = [stream[start : start + size] for start in range(0, len(stream), size)]
    assert _rows_of(make(types), pieces) == _rows_of(make(types), [stream])


def _rows_of(reader: CopyReader, pieces: Sequence[bytes]) -> str:
    """The rows, or the kind of error: an error hides rows of the piece that has it."""
    rows: list[Any] = []
    try:
        for piece in pieces:
            rows += reader.feed(piece)
        rows += reader.finish() or ()
    except CatalogError as error:
        refused(error)
        return error.sqlstate
    return repr(rows)


def copy_text(data: bytes) -> None:
    _copied(lambda types: TextCopyReader(types, [f"c{number}" for number in range(len(types))]), data)


def copy_csv(data: bytes) -> None:
    options = CSV_FORMATS[(data[0] if data else 0) % len(CSV_FORMATS)]
    _copied(lambda types: CsvCopyReader(types, [f"c{number}" for number in range(len(types))], options), data)


def copy_binary(data: bytes) -> None:
    _copied(BinaryCopyReader, data)


def copy_text_seeds() -> list[bytes]:
    lines = (b"1\t2\t3\n", b"\\N\t\\N\n", b"a\\tb\n", b"a\\\nb\n", b"1\r\n2\r\n", b"\\x41\\101\\v\n", b"x\n\\.\n",
             b"\\\\\n")  # fmt: skip
    return [bytes([selector, selector % 9]) + line for selector in range(16) for line in (*lines, b"".join(lines))]


def copy_csv_seeds() -> list[bytes]:
    lines = (b"1,2,3\n", b',""\n', b'"a""b",c\n', b'"a\nb"\n', b"1\r\n2\r\n", b"1\r2\r", b"c0\n", b"x\n\\.\n",
             b'"\\"",\n')  # fmt: skip
    return [bytes([selector, selector % 9]) + line for selector in range(16) for line in (*lines, b"".join(lines))]


def copy_binary_seeds() -> list[bytes]:
    head = SIGNATURE + bytes(8)
    found = []
    for selector in range(32):
        for length in (-1, 0, 1, 2, 4, 8, 12, 16):
            field = length.to_bytes(4, "big", signed=True) + bytes(max(length, 0))
            count = selector % 4
            row = count.to_bytes(2, "big") + field * count
            found.append(bytes([selector, length & 0xFF]) + head + row * 2 + b"\xff\xff")
    return found


# -- values -----------------------------------------------------------------------------------------------------------


def decode_text_value(data: bytes) -> None:
    """Byte 0 is the type. What is read can be written, and reads again as the same."""
    column_type = STORABLE[(data[0] if data else 0) % len(STORABLE)]
    decode, render = text_decoder(column_type), text_encoder(column_type)
    try:
        value = decode(data[1:].decode("utf-8", "replace").replace("\0", ""))
    except CatalogError as error:
        refused(error)
        return
    shown = render(value)
    assert render(decode(shown)) == shown


def decode_binary_value(data: bytes) -> None:
    column_type = STORABLE[(data[0] if data else 0) % len(STORABLE)]
    try:
        value = binary_decoder(column_type)(data[1:])
    except CatalogError as error:
        refused(error)
        return
    text_encoder(column_type)(value)


def text_value_seeds() -> list[bytes]:
    numbers = {column_type.oid: number for number, column_type in enumerate(STORABLE)}
    return sorted({
        bytes([numbers[column_type.oid]]) + text.encode()
        for column_type, texts in ODD_INPUTS if column_type.oid in numbers
        for text in texts
    })


def binary_value_seeds() -> list[bytes]:
    bodies = [b"", b"\0", b"\1", bytes(2), bytes(4), bytes(8), bytes(12), bytes(16), b"\xff" * 8, bytes(20), b"text",
              b"\0\1\0\0\0\0\0\0\0\1"]  # fmt: skip
    return [bytes([number]) + body for number in range(len(STORABLE)) for body in bodies]


# -- bytes on disk ----------------------------------------------------------------------------------------------------


@cache
def _relations() -> tuple[Relation, ...]:
    return tuple(live(table) for table in tables_of(VERSIONS[-1]))


def decode_stored(data: bytes) -> None:
    """Byte 0 is the relation, byte 1 the key's length; the value follows."""
    relations = _relations()
    relation = relations[(data[0] if data else 0) % len(relations)]
    cut = 2 + (data[1] if len(data) > 1 else 0)
    key, value = data[2:cut], data[cut:]
    for decode in (
        lambda: decode_row_key(relation, key),
        lambda: decode_retired_key(key),
        lambda: decode_index_key(key),
        lambda: access_of(relation).codec.decode(key, value),
        lambda: decode_definition(key, value),
        lambda: decode_reference(key, value),
        lambda: decode_number(key, value),
        lambda: decode_system_text(key, value),
    ):
        try:
            decode()
        except CatalogError as error:
            refused(error)


def stored_seeds() -> list[bytes]:
    numbers = {relation.name: number for number, relation in enumerate(_relations())}
    values = {name: bytes.fromhex(text) for name, _row, text in GOLDEN_VALUES}
    system = (encode_definition(_relations()[0]), encode_reference(), encode_number(7), encode_system_text("lake"))
    indexes = (retired_key(3, b"\x04key"), registered_at_key(1, 2, 3), visible_at_key(1, None, 3), file_table_key(4),
               delete_file_key(5))  # fmt: skip
    found = [(numbers[name], bytes.fromhex(text), values[name]) for name, _fields, text in GOLDEN_KEYS]
    found += [(0, key, value) for key in indexes for value in system]
    return [bytes([number, len(key)]) + key + value for number, key, value in found if len(key) < 256]


# -- statements -------------------------------------------------------------------------------------------------------


@cache
def _driver() -> Driver:
    driver = Driver()
    for text in definitions("duckdb-1.5"):
        asyncio.run(driver.run(text))
    return driver


@cache
def _loop() -> asyncio.AbstractEventLoop:
    return asyncio.new_event_loop()


def plan_and_run(data: bytes) -> None:
    """The text's statements, planned and run over the catalog's tables."""
    driver = _driver()
    text = data.decode("utf-8", "replace").replace("\0", " ")
    try:
        for statement in parse_statements(text):
            if isinstance(statement, CopyOut) and statement.query is not None:
                statement = statement.query
            if isinstance(statement, Query):
                _loop().run_until_complete(_planned(driver, statement.text))
    except CatalogError as error:
        refused(error)


async def _planned(driver: Driver, text: str) -> None:
    plan = driver.plan(text)
    if not plan.parameters:
        await plan.run(driver.context())
    for relation in driver.view.known[64:]:
        driver.view.known.remove(relation)
    for rows in driver.view.content.values():
        del rows[32:]


def statement_seeds() -> list[bytes]:
    return sorted({entry.text.encode() for entry in load() if len(entry.text) < 4000})


# -- a whole session --------------------------------------------------------------------------------------------------


def converse(data: bytes) -> None:
    """The bytes as what a client sends after its login, to a session on an engine of its own."""
    _loop().run_until_complete(_conversation(data))


async def _conversation(data: bytes) -> None:
    async with place() as server:
        await _fill(server)
        client = await server.client()
        replies = await client.exchange_bytes(data)
        assert sum(len(encode(reply)) for reply in replies) < REPLY_BYTES_MAX
        failures = [reply.fields for reply in replies if isinstance(reply, m.ErrorResponse)]
        assert not [fields for fields in failures if fields["C"] == "XX000"], failures
        if client.task.done() and (error := client.task.exception()) is not None:
            raise error


async def _fill(server: Place) -> None:
    client = await server.client()
    await client.run("CREATE TABLE t (a bigint PRIMARY KEY, b text)", "INSERT INTO t VALUES (1, 'one'), (2, NULL)")
    await client.leave()


def conversation_seeds() -> list[bytes]:
    texts = [
        "SELECT * FROM t", "BEGIN; INSERT INTO t VALUES (3, 'x'); COMMIT", "UPDATE t SET b = 'y' WHERE a = 1",
        "COPY t TO STDOUT (FORMAT binary)", "COPY t FROM STDIN", "COPY (SELECT a FROM t) TO STDOUT", "SET a.b = '1'",
        "SAVEPOINT s; ROLLBACK TO s", "SHOW ALL", "DISCARD ALL", "CREATE TEMP TABLE u (x int) ON COMMIT DROP",
        "SELECT a, count(*) FROM t GROUP BY a ORDER BY 1 DESC LIMIT 1", "DELETE FROM t WHERE a IN (1, 2)",
        "ALTER TABLE t ADD COLUMN c int DEFAULT 7", "SELECT relname FROM pg_class WHERE relname LIKE 't%'",
        "INSERT INTO t VALUES (1, 'z') ON CONFLICT (a) DO UPDATE SET b = excluded.b",
    ]  # fmt: skip
    queries = [encode(m.Query(text)) for text in texts]
    pipelines = [
        b"".join(map(encode, (m.Parse("", text, ()), m.Bind("", "", (), (), (1,)), m.Describe("P", ""),
                              m.Execute("", 1), m.Sync())))
        for text in texts
    ]  # fmt: skip
    copied = encode(m.Query("COPY t FROM STDIN")) + encode(m.CopyData(b"5\tfive\n")) + encode(m.CopyDone())
    named = b"".join(map(encode, (m.Parse("s", "SELECT b FROM t WHERE a = $1", (20,)),
                                  m.Bind("p", "s", (1,), (bytes(7) + b"\1",), ()), m.Execute("p", 0),
                                  m.Close("S", "s"), m.Flush(), m.Sync())))  # fmt: skip
    return [*queries, *pipelines, copied, named, b"".join(queries[:4]), *(data for _, data in FRONTEND_CASES)]


# -- the redo journal -------------------------------------------------------------------------------------------------


def read_journal(data: bytes) -> None:
    """Whole records are those that an encoder makes; what is behind them is no more than looked at."""
    end = len(MAGIC)
    for record in whole_records(data):
        assert data[end : end + record.size_bytes] == encoded_record(record.number, record.body)
        end += record.size_bytes
        assert holds_record_from(data, record.number)
        try:
            record.batch()
        except CatalogError as error:
            refused(error)
    holds_record_from(data[end:], 0)


def journal_seeds() -> list[bytes]:
    bodies = [
        b"".join(encoded_operations([(Key(bytes([number]) * number), b"v" * number if number % 3 else None)] * 2))
        for number in range(1, 40)
    ]
    records = [encoded_record(number, body) for number, body in enumerate(bodies, 2**32)]
    return [MAGIC, *(MAGIC + b"".join(records[:count]) for count in range(1, len(records)))]


TARGETS = {
    target.name: target
    for target in (
        Target("wire", read_messages, message_seeds),
        Target("login", log_in, login_seeds),
        Target("rules", read_rules, rules_seeds),
        Target("copy-text", copy_text, copy_text_seeds),
        Target("copy-csv", copy_csv, copy_csv_seeds),
        Target("copy-binary", copy_binary, copy_binary_seeds),
        Target("text-values", decode_text_value, text_value_seeds),
        Target("binary-values", decode_binary_value, binary_value_seeds),
        Target("stored", decode_stored, stored_seeds),
        Target("journal", read_journal, journal_seeds),
        Target("statements", plan_and_run, statement_seeds),
        Target("session", converse, conversation_seeds),
    )
}
