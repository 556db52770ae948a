"""COPY in both directions and formats, by simple Query and in a pipeline, with right and wrong streams."""

from __future__ import annotations

import struct
from collections.abc import Sequence

import pytest

from rocklake_server.catalog.view import Row
from rocklake_server.pgformat.copy_binary import TupleEncoder
from rocklake_server.wire import messages as m
from tests.session.conversation import Conversation, Place, text_of

HEADER = b"PGCOPY\n\xff\r\n\0" + bytes(8)
TRAILER = b"\xff\xff"
IN_BINARY = m.Query("COPY t FROM STDIN (FORMAT BINARY)")
IN_TEXT = m.Query("COPY t FROM STDIN")


def row(number: int | None, text: str | None) -> bytes:
    """A tuple of table ``t`` in the binary format."""
    first = struct.pack("!i", -1) if number is None else struct.pack("!iq", 8, number)
    data = (text or "").encode()
    return struct.pack("!h", 2) + first + struct.pack("!i", -1 if text is None else len(data)) + data


def streamed(stream: bytes, *cuts: int) -> list[m.CopyData]:
    ends = [*cuts, len(stream)]
    return [m.CopyData(stream[start:end]) for start, end in zip([0, *cuts], ends, strict=True)]


# In


async def test_text_rows_come_in_any_pieces(table: Conversation) -> None:
    stream = b"3\tthree\n4\t\\N\n5\ta\\tb\\\\\n"
    assert await table.say(IN_TEXT, *streamed(stream, 1, 2, 9, 10), m.CopyDone()) == [
        "copy in text 2",
        "COPY 3",
        "ready I",
    ]
    assert await table.rows("SELECT * FROM t WHERE a > 2 ORDER BY a") == ["3|three", "4|NULL", "5|a\tb\\"]


async def test_binary_rows_come_in_any_pieces(table: Conversation) -> None:
    stream = HEADER + row(3, "three") + row(4, None) + row(5, "") + TRAILER
    pieces = streamed(stream, 5, 19, 30, 31, len(stream) - 1)
    assert await table.say(IN_BINARY, *pieces, m.CopyDone()) == ["copy in binary 2", "COPY 3", "ready I"]
    assert await table.rows("SELECT * FROM t WHERE a > 2 ORDER BY a") == ["3|three", "4|NULL", "5|"]


async def test_an_empty_stream_is_no_rows_in_text_and_wrong_in_binary(table: Conversation) -> None:
    assert await table.say(IN_TEXT, m.CopyDone()) == ["copy in text 2", "COPY 0", "ready I"]
    assert await table.say(IN_BINARY, m.CopyDone()) == ["copy in binary 2", "ERROR 22P04", "ready I"]
    assert await table.say(IN_BINARY, m.CopyData(HEADER + TRAILER), m.CopyDone()) == [
        "copy in binary 2",
        "COPY 0",
        "ready I",
    ]


async def test_columns_in_another_order_and_options(table: Conversation) -> None:
    copy = m.Query("COPY public.t (b, a) FROM STDIN WITH (FORMAT text, DELIMITER '|', NULL 'nil')")
    assert await table.say(copy, m.CopyData(b"x|3\nnil|4\n"), m.CopyDone()) == ["copy in text 2", "COPY 2", "ready I"]
    assert await table.rows("SELECT * FROM t WHERE a > 2 ORDER BY a") == ["3|x", "4|NULL"]


@pytest.mark.parametrize(
    ("stream", "sqlstate"),
    [
        (b"3\tx\n4\n", "22P04"),
        (b"3\tx\n4\ty\tz\n", "22P04"),
        (b"3\tx\nfour\ty\n", "22P02"),
        (b"3\tx\n\\N\ty\n", "23502"),
        (b"3\tx\n1\ttwice\n", "23505"),
        (b"3\tx\n3\ttwice\n", "23505"),
        (b"3\tx\n4\t\xff\n", "22021"),
        (b"3\tx\n99999999999999999999\ty\n", "22003"),
    ],
)
async def test_nothing_of_a_wrong_text_stream_is_kept(table: Conversation, stream: bytes, sqlstate: str) -> None:
    assert await table.say(IN_TEXT, m.CopyData(stream), m.CopyDone()) == [
        "copy in text 2",
        f"ERROR {sqlstate}",
        "ready I",
    ]
    assert await table.rows("SELECT a FROM t ORDER BY a") == ["1", "2"]


@pytest.mark.parametrize(
    ("stream", "sqlstate"),
    [
        (b"PGCOPX" + HEADER[6:] + row(3, "x") + TRAILER, "22P04"),
        (HEADER[:12], "22P04"),
        (HEADER + row(3, "x"), "22P04"),
        (HEADER + row(3, "x") + row(4, "y")[:-1], "22P04"),
        (HEADER + row(3, "x") + TRAILER + b"more", "22P04"),
        (HEADER + struct.pack("!hiq", 1, 8, 3) + TRAILER, "22P04"),
        (HEADER + struct.pack("!hiii", 2, 4, 3, -1) + TRAILER, "22P03"),
        (HEADER + row(3, "x") + row(None, "y") + TRAILER, "23502"),
        (HEADER + row(3, "x") + row(1, "twice") + TRAILER, "23505"),
        (HEADER + struct.pack("!hiqi", 2, 8, 3, 1) + b"\xff" + TRAILER, "22021"),
        (HEADER + struct.pack("!hiqi", 2, 8, 3, -2) + TRAILER, "22P04"),
    ],
)
async def test_nothing_of_a_wrong_binary_stream_is_kept(table: Conversation, stream: bytes, sqlstate: str) -> None:
    replies = await table.say(IN_BINARY, m.CopyData(stream), m.CopyDone())
    assert replies == ["copy in binary 2", f"ERROR {sqlstate}", "ready I"]
    assert await table.rows("SELECT a FROM t ORDER BY a") == ["1", "2"]


async def test_the_rest_of_a_stream_that_failed_is_passed_over(table: Conversation) -> None:
    late = (m.CopyData(b"5\tx\n"), m.CopyDone(), m.Query("SELECT 1 AS a"))
    assert await table.say(IN_TEXT, m.CopyData(b"9\n"), *late) == [
        "copy in text 2", "ERROR 22P04", "ready I", "columns a:23", "row 1", "SELECT 1", "ready I",
    ]  # fmt: skip


async def test_a_client_gives_up(table: Conversation) -> None:
    replies = await table.exchange(IN_TEXT, m.CopyData(b"3\tx\n"), m.CopyFail("changed my mind"))
    assert text_of(replies) == "COPY from stdin failed: changed my mind"
    assert await table.rows("SELECT count(*) FROM t") == ["2"]


async def test_a_failed_copy_fails_its_block(table: Conversation) -> None:
    await table.run("BEGIN", "INSERT INTO t VALUES (3, 'x')", "SAVEPOINT s")
    replies = await table.say(IN_TEXT, m.CopyData(b"4\ty\n9\n"), m.CopyDone())
    assert replies == ["copy in text 2", "ERROR 22P04", "ready E"]
    await table.run("ROLLBACK TO s", "COMMIT")
    assert await table.rows("SELECT a FROM t ORDER BY a") == ["1", "2", "3"]


async def test_copy_among_the_statements_of_a_text(table: Conversation) -> None:
    text = m.Query("INSERT INTO t VALUES (3, 'x'); COPY t FROM STDIN; SELECT count(*) FROM t")
    assert await table.say(text, m.CopyData(b"4\ty\n"), m.CopyDone()) == [
        "INSERT 0 1", "copy in text 2", "COPY 1", "columns count:20", "row 4", "SELECT 1", "ready I",
    ]  # fmt: skip


async def test_copy_in_a_pipeline(table: Conversation) -> None:
    opening = (m.Parse("", IN_TEXT.query, ()), m.Bind("", "", (), (), ()), m.Describe("P", ""), m.Execute("", 0))
    ending = (m.CopyData(b"3\tx\n"), m.Sync(), m.CopyDone(), m.Sync())
    assert await table.say(*opening, *ending) == ["parsed", "bound", "no data", "copy in text 2", "COPY 1", "ready I"]
    wrong = (m.CopyData(b"9\n"), m.CopyDone(), m.Sync())
    assert await table.say(*opening, *wrong) == [
        "parsed", "bound", "no data", "copy in text 2", "ERROR 22P04", "ready I",
    ]  # fmt: skip
    assert await table.rows("SELECT a FROM t ORDER BY a") == ["1", "2", "3"]


@pytest.mark.parametrize(
    ("text", "sqlstate"),
    [
        ("COPY nothing FROM STDIN", "42P01"),
        ("COPY t (c) FROM STDIN", "42703"),
        ("COPY t (a, a) FROM STDIN", "42701"),
        ("COPY pg_class FROM STDIN", "42501"),
        ("COPY t FROM '/etc/passwd'", "0A000"),
        ("COPY t TO PROGRAM 'cat'", "0A000"),
        ("COPY t FROM STDIN (FORMAT csv, ENCODING 'latin1')", "0A000"),
        ("COPY t FROM STDIN CSV FREEZE", "0A000"),
        ("COPY (DELETE FROM t) TO STDOUT", "0A000"),
        ("COPY nothing TO STDOUT", "42P01"),
        ("COPY (SELECT c FROM t) TO STDOUT", "42703"),
    ],
)
async def test_a_copy_that_cannot_be_done_is_refused(table: Conversation, text: str, sqlstate: str) -> None:
    assert await table.query(text) == [f"ERROR {sqlstate}", "ready I"]


async def test_a_client_that_leaves_in_the_middle_leaves_nothing(server: Place, table: Conversation) -> None:
    other = await server.client()
    assert await other.say(IN_TEXT, m.CopyData(b"3\tx\n")) == ["copy in text 2"]
    await other.leave()
    await table.run("INSERT INTO t VALUES (3, 'mine')")


async def test_a_client_that_terminates_in_the_middle_leaves_nothing(server: Place, table: Conversation) -> None:
    other = await server.client()
    assert await other.say(IN_BINARY, m.CopyData(HEADER + row(3, "x")), m.Terminate()) == ["copy in binary 2"]
    assert other.task.done()
    await table.run("INSERT INTO t VALUES (3, 'mine')")


async def test_csv_rows_come_in_any_pieces(table: Conversation) -> None:
    stream = b'b,a\n"th""ree",3\n,4\n"",5\n"two\nlines",6\n'
    copy = m.Query("COPY t (b, a) FROM STDIN (FORMAT csv, HEADER match)")
    pieces = streamed(stream, 1, 2, 9, 10, 11, len(stream) - 9)
    assert await table.say(copy, *pieces, m.CopyDone()) == ["copy in text 2", "COPY 4", "ready I"]
    assert await table.rows("SELECT * FROM t WHERE a > 2 ORDER BY a") == ["3|th\"ree", "4|NULL", "5|", "6|two\nlines"]


async def test_nothing_of_a_csv_stream_that_fails_late_is_kept(table: Conversation) -> None:
    rows = b"".join(b"%d,x\n" % number for number in range(10, 3000))
    replies = await table.say(m.Query("COPY t FROM STDIN CSV"), m.CopyData(rows + b"3000\n"), m.CopyDone())
    assert replies == ["copy in text 2", "ERROR 22P04", "ready I"]
    assert await table.rows("SELECT count(*) FROM t") == ["2"]


# Out


async def test_binary_out_has_one_tuple_per_message(table: Conversation) -> None:
    """The header is never alone: DuckDB's reader takes it to come with a tuple."""
    replies = await table.exchange(m.Query("COPY (SELECT a, b FROM t) TO STDOUT (FORMAT BINARY)"))
    assert [bytes(reply.data) for reply in replies if isinstance(reply, m.CopyData)] == [
        HEADER + row(1, "one"), row(2, "two"), TRAILER,
    ]  # fmt: skip
    kinds = [type(reply) for reply in replies]
    assert kinds[0] is m.CopyOutResponse
    assert kinds[-3:] == [m.CopyDone, m.CommandComplete, m.ReadyForQuery]


@pytest.mark.parametrize(
    "source", ["t", "(SELECT * FROM t)", "(SELECT * FROM t WHERE a > 5)", "(SELECT a FROM t LIMIT 0)"]
)
async def test_an_empty_result_is_header_and_trailer(client: Conversation, source: str) -> None:
    await client.run("CREATE TABLE t (a bigint, b text)")
    replies = await client.exchange(m.Query(f"COPY {source} TO STDOUT (FORMAT BINARY)"))
    assert [bytes(reply.data) for reply in replies if isinstance(reply, m.CopyData)] == [HEADER + TRAILER]
    width = 1 if "LIMIT" in source else 2
    assert (await client.query(f"COPY {source} TO STDOUT")) == [
        f"copy out text {width}",
        "copy done",
        "COPY 0",
        "ready I",
    ]


async def test_text_out_escapes_and_takes_options(table: Conversation) -> None:
    await table.run("INSERT INTO t VALUES (3, E'a\\tb\\\\c\\nd|e'), (4, NULL)")
    assert await table.query("COPY t TO STDOUT") == [
        "copy out text 2",
        r"data b'1\tone\n'", r"data b'2\ttwo\n'", r"data b'3\ta\\tb\\\\c\\nd|e\n'", r"data b'4\t\\N\n'",
        "copy done", "COPY 4", "ready I",
    ]  # fmt: skip
    replies = await table.query("COPY t (b) TO STDOUT (DELIMITER '|', NULL '-')")
    assert replies[3:5] == [r"data b'a\\tb\\\\c\\nd\\|e\n'", r"data b'-\n'"]


async def test_csv_out_quotes_what_needs_it(table: Conversation) -> None:
    await table.run("INSERT INTO t VALUES (3, E'a\"b,c\\nd'), (4, NULL), (5, '')")
    assert await table.query("COPY t TO STDOUT CSV HEADER") == [
        "copy out text 2", r"data b'a,b\n'", r"data b'1,one\n'", r"data b'2,two\n'",
        r"""data b'3,"a""b,c\nd"\n'""", r"data b'4,\n'", r"""data b'5,""\n'""", "copy done", "COPY 5", "ready I",
    ]  # fmt: skip


async def test_copy_out_sees_its_own_transaction_and_reads_only(table: Conversation) -> None:
    await table.run("BEGIN", "INSERT INTO t VALUES (3, 'x')")
    assert (await table.query("COPY t TO STDOUT"))[-2:] == ["COPY 3", "ready T"]
    await table.run("ROLLBACK", "BEGIN READ ONLY")
    assert (await table.query("COPY t TO STDOUT"))[-2:] == ["COPY 2", "ready T"]


async def test_a_copy_out_in_a_pipeline(table: Conversation) -> None:
    text = "COPY (SELECT a FROM t WHERE a = 1) TO STDOUT"
    assert await table.say(m.Parse("", text, ()), m.Bind("", "", (), (), ()), m.Execute("", 0), m.Sync()) == [
        "parsed", "bound", "copy out text 1", r"data b'1\n'", "copy done", "COPY 1", "ready I",
    ]  # fmt: skip


async def test_rows_that_were_encoded_before_others_followed_are_not_encoded_again(
    client: Conversation, monkeypatch: pytest.MonkeyPatch
) -> None:
    encoded: list[int] = []
    framed = TupleEncoder.framed

    def counted(encoder: TupleEncoder, rows: Sequence[Row]) -> bytes:
        encoded.append(len(rows))
        return framed(encoder, rows)

    monkeypatch.setattr(TupleEncoder, "framed", counted)
    await client.run("CREATE TABLE t (a bigint PRIMARY KEY, b text)")
    await client.run(f"INSERT INTO t VALUES {', '.join(f'({n}, NULL)' for n in range(200))}")
    for statement, fresh in (
        ("SELECT 1", 200), ("SELECT 1", 0), ("INSERT INTO t VALUES (200, 'x')", 1),
        ("INSERT INTO t VALUES (201, 'y'); INSERT INTO t VALUES (202, 'z')", 2), ("DELETE FROM t WHERE a = 7", 202),
        ("INSERT INTO t VALUES (203, '')", 1), ("UPDATE t SET b = 'u' WHERE a = 0", 203),
    ):  # fmt: skip
        await client.run(statement)
        held = [line.split("|") for line in await client.rows("SELECT a, b FROM t ORDER BY ctid")]
        encoded.clear()
        sent = await client.exchange(m.Query("COPY t TO STDOUT (FORMAT BINARY)"))
        data = b"".join(bytes(reply.data) for reply in sent if isinstance(reply, m.CopyData))
        assert data == HEADER + b"".join(row(int(a), None if b == "NULL" else b) for a, b in held) + TRAILER
        assert sum(encoded) == fresh, statement


@pytest.mark.parametrize("count", [63, 64, 65, 5000])
async def test_what_goes_out_comes_in_again(client: Conversation, count: int) -> None:
    """Around the sizes where encodings are cached and chunks split; the second reading uses the cache."""
    await client.run("CREATE TABLE t (a bigint PRIMARY KEY, b text)")
    stream = HEADER + b"".join(row(n, None if n % 7 == 0 else f"text {n}") for n in range(count)) + TRAILER
    replies = await client.say(IN_BINARY, m.CopyData(stream), m.CopyDone())
    assert replies == ["copy in binary 2", f"COPY {count}", "ready I"]
    for _ in range(2):
        sent = await client.exchange(m.Query("COPY t TO STDOUT (FORMAT BINARY)"))
        data = [bytes(reply.data) for reply in sent if isinstance(reply, m.CopyData)]
        assert len(data) == count + 1
        assert b"".join(data) == stream
    limited = await client.exchange(
        m.Query(f"COPY (SELECT * FROM t WHERE a >= 3 LIMIT {count - 5}) TO STDOUT (FORMAT BINARY)")
    )
    assert len([reply for reply in limited if isinstance(reply, m.CopyData)]) == count - 4
