/** What a Java program does with the server through pgjdbc. Prints one line for each check; ends with 1 if one failed. */

import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.sql.Timestamp;
import java.sql.Types;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Properties;
import java.util.UUID;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;
import org.postgresql.copy.CopyManager;

public class Jdbc {
    private static int failures = 0;

    interface Check {
        void run() throws Exception;
    }

    private static void check(String name, Check check) {
        try {
            check.run();
            System.out.println("ok " + name);
        } catch (Throwable problem) {
            failures++;
            System.out.println("FAILED " + name + ": " + problem);
        }
    }

    private static void same(Object expected, Object found) {
        if (!Objects.deepEquals(expected, found)) {
            throw new AssertionError("expected " + expected + ", found " + found);
        }
    }

    private static String url;
    private static Connection connection;

    private static Connection open(String... settings) throws SQLException {
        Properties properties = new Properties();
        properties.setProperty("user", "ada");
        for (String setting : settings) {
            String[] pair = setting.split("=");
            properties.setProperty(pair[0], pair[1]);
        }
        return DriverManager.getConnection(url, properties);
    }

    private static void execute(String... texts) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            for (String text : texts) {
                statement.execute(text);
            }
        }
    }

    /** The rows of a result, each with its columns between bars. */
    private static List<String> rows(ResultSet result, String... columns) throws SQLException {
        List<String> found = new ArrayList<>();
        while (result.next()) {
            List<String> row = new ArrayList<>();
            int count = columns.length == 0 ? result.getMetaData().getColumnCount() : columns.length;
            for (int index = 0; index < count; index++) {
                row.add(columns.length == 0 ? result.getString(index + 1) : result.getString(columns[index]));
            }
            found.add(String.join("|", row.stream().map(String::valueOf).toList()));
        }
        return found;
    }

    private static List<String> query(String text) throws SQLException {
        try (Statement statement = connection.createStatement(); ResultSet result = statement.executeQuery(text)) {
            return rows(result);
        }
    }

    public static void main(String[] arguments) throws Exception {
        url = arguments[0];
        connection = open();
        execute("CREATE TABLE t (a bigint PRIMARY KEY, b text, c numeric(10,2) NOT NULL DEFAULT 0)",
                "INSERT INTO t VALUES (1, 'one', 1.5), (2, 'two', 2), (3, NULL, 3)");
        metadata();
        statements();
        transactions();
        copies();
        connection.close();
        System.exit(failures == 0 ? 0 : 1);
    }

    private static void metadata() throws SQLException {
        DatabaseMetaData meta = connection.getMetaData();
        check("the server's version", () -> {
            same("PostgreSQL", meta.getDatabaseProductName());
            same(15, meta.getDatabaseMajorVersion());
        });
        check("catalogs and schemas", () -> {
            same(true, rows(meta.getCatalogs()).contains("lake"));
            same(true, rows(meta.getSchemas(), "TABLE_SCHEM").contains("public"));
            same(true, rows(meta.getTableTypes()).contains("TABLE"));
        });
        check("tables", () -> {
            same(List.of("public|t|TABLE"), rows(meta.getTables(null, "public", "t", new String[] {"TABLE"}),
                    "TABLE_SCHEM", "TABLE_NAME", "TABLE_TYPE"));
            same(List.of("t"), rows(meta.getTables(null, null, "t", null), "TABLE_NAME"));
        });
        check("columns", () -> same(
                List.of("a|-5|int8|19|0|NO|1", "b|12|text|2147483647|0|YES|2", "c|2|numeric|10|2|NO|3"),
                rows(meta.getColumns(null, "public", "t", "%"), "COLUMN_NAME", "DATA_TYPE", "TYPE_NAME", "COLUMN_SIZE",
                        "DECIMAL_DIGITS", "IS_NULLABLE", "ORDINAL_POSITION")));
        check("primary keys", () -> same(List.of("t|a|1|t_pkey"), rows(meta.getPrimaryKeys(null, "public", "t"),
                "TABLE_NAME", "COLUMN_NAME", "KEY_SEQ", "PK_NAME")));
        check("indexes", () -> same(List.of("f|t_pkey|1|a"), rows(meta.getIndexInfo(null, "public", "t", false, false),
                "NON_UNIQUE", "INDEX_NAME", "ORDINAL_POSITION", "COLUMN_NAME")));
        check("foreign keys", () -> {
            same(List.of(), rows(meta.getImportedKeys(null, "public", "t")));
            same(List.of(), rows(meta.getExportedKeys(null, "public", "t")));
        });
        check("functions and procedures", () -> {
            meta.getFunctions(null, null, "no%").close();
            meta.getProcedures(null, null, "no%").close();
        });
        check("types", () -> same(true, rows(meta.getTypeInfo(), "TYPE_NAME").containsAll(List.of("int8", "text"))));
        check("privileges", () -> meta.getTablePrivileges(null, "public", "t").close());
        check("best row identifier", () -> same(List.of("a"), rows(
                meta.getBestRowIdentifier(null, "public", "t", DatabaseMetaData.bestRowSession, false), "COLUMN_NAME")));
    }

    private static void statements() throws SQLException {
        check("a result's metadata", () -> {
            try (PreparedStatement statement = connection.prepareStatement("SELECT a, b AS other, c FROM t")) {
                ResultSetMetaData columns = statement.getMetaData();
                same("other", columns.getColumnLabel(2));
                same("b", ((org.postgresql.PGResultSetMetaData) columns).getBaseColumnName(2));
                same("t", columns.getTableName(1));
                same(Types.NUMERIC, columns.getColumnType(3));
                same(10, columns.getPrecision(3));
                same(2, columns.getScale(3));
                same(ResultSetMetaData.columnNoNulls, columns.isNullable(1));
                same(false, columns.isAutoIncrement(1));
            }
        });
        check("parameters' types", () -> {
            try (PreparedStatement statement = connection.prepareStatement("SELECT b FROM t WHERE a = ? AND b = ?")) {
                same(2, statement.getParameterMetaData().getParameterCount());
                same(Types.BIGINT, statement.getParameterMetaData().getParameterType(1));
            }
        });
        check("values in binary, by a statement prepared on the server", () -> {
            try (Connection binary = open("prepareThreshold=-1", "binaryTransfer=true");
                    PreparedStatement statement = binary.prepareStatement(
                            "SELECT ?::int4, ?::int8, ?::float8, ?::numeric, ?::text, ?::bool, ?::bytea, ?::uuid, "
                                    + "?::timestamptz, ?::int8[]")) {
                UUID uuid = UUID.fromString("01a22a8f-7421-711b-b6f5-516e8673243a");
                for (int round = 0; round < 8; round++) {
                    statement.setInt(1, round);
                    statement.setLong(2, 5_000_000_000L);
                    statement.setDouble(3, 0.1);
                    statement.setBigDecimal(4, new BigDecimal("-12345.6789"));
                    statement.setString(5, "naïve ☃");
                    statement.setBoolean(6, true);
                    statement.setBytes(7, new byte[] {0, -1});
                    statement.setObject(8, uuid);
                    statement.setTimestamp(9, Timestamp.from(java.time.Instant.parse("2024-02-29T01:02:03.004Z")));
                    statement.setArray(10, binary.createArrayOf("int8", new Long[] {1L, null, 3L}));
                    try (ResultSet result = statement.executeQuery()) {
                        result.next();
                        same(round, result.getInt(1));
                        same(5_000_000_000L, result.getLong(2));
                        same(0.1, result.getDouble(3));
                        same(new BigDecimal("-12345.6789"), result.getBigDecimal(4));
                        same("naïve ☃", result.getString(5));
                        same(true, result.getBoolean(6));
                        same(new byte[] {0, -1}, result.getBytes(7));
                        same(uuid, result.getObject(8));
                        same("2024-02-29T01:02:03.004Z", result.getTimestamp(9).toInstant().toString());
                        same(new Long[] {1L, null, 3L}, result.getArray(10).getArray());
                    }
                }
            }
        });
        check("dates and times of java.time", () -> {
            try (PreparedStatement statement = connection.prepareStatement("SELECT ?::date, ?::time, ?::timestamp")) {
                statement.setObject(1, java.time.LocalDate.of(2024, 2, 29));
                statement.setObject(2, java.time.LocalTime.of(1, 2, 3));
                statement.setObject(3, java.time.LocalDateTime.of(2024, 2, 29, 1, 2, 3));
                try (ResultSet result = statement.executeQuery()) {
                    result.next();
                    same(java.time.LocalDate.of(2024, 2, 29), result.getObject(1, java.time.LocalDate.class));
                    same(java.time.LocalTime.of(1, 2, 3), result.getObject(2, java.time.LocalTime.class));
                    same(java.time.LocalDateTime.of(2024, 2, 29, 1, 2, 3),
                            result.getObject(3, java.time.LocalDateTime.class));
                }
            }
        });
        check("a batch", () -> {
            try (PreparedStatement statement = connection.prepareStatement("INSERT INTO t VALUES (?, ?)")) {
                for (long key = 10; key < 210; key++) {
                    statement.setLong(1, key);
                    statement.setString(2, "row " + key);
                    statement.addBatch();
                }
                int[] counts = statement.executeBatch();
                same(200, Arrays.stream(counts).filter(count -> count == 1).count() == 200 ? 200 : -1);
            }
            try (Connection rewriting = open("reWriteBatchedInserts=true");
                    PreparedStatement statement = rewriting.prepareStatement("INSERT INTO t (a, b) VALUES (?, ?)")) {
                for (long key = 210; key < 310; key++) {
                    statement.setLong(1, key);
                    statement.setString(2, "row " + key);
                    statement.addBatch();
                }
                same(100, statement.executeBatch().length);
            }
            same(List.of("303"), query("SELECT count(*) FROM t"));
        });
        check("rows fetched in parts", () -> {
            connection.setAutoCommit(false);
            try (PreparedStatement statement = connection.prepareStatement("SELECT a FROM t ORDER BY a")) {
                statement.setFetchSize(17);
                int count = 0;
                try (ResultSet result = statement.executeQuery()) {
                    while (result.next()) {
                        count++;
                    }
                }
                same(303, count);
            } finally {
                connection.rollback();
                connection.setAutoCommit(true);
            }
        });
        check("a result that scrolls", () -> {
            try (Statement statement = connection.createStatement(
                    ResultSet.TYPE_SCROLL_INSENSITIVE, ResultSet.CONCUR_READ_ONLY);
                    ResultSet result = statement.executeQuery("SELECT a FROM t WHERE a < 10 ORDER BY a")) {
                result.last();
                same(3, result.getRow());
                result.first();
                same(1L, result.getLong(1));
            }
        });
        check("a result that is updated", () -> {
            try (Statement statement = connection.createStatement(
                    ResultSet.TYPE_SCROLL_INSENSITIVE, ResultSet.CONCUR_UPDATABLE);
                    ResultSet result = statement.executeQuery("SELECT a, b FROM t WHERE a = 3")) {
                result.next();
                result.updateString("b", "three");
                result.updateRow();
            }
            same(List.of("three"), query("SELECT b FROM t WHERE a = 3"));
        });
        check("several statements of one text", () -> {
            try (Statement statement = connection.createStatement()) {
                same(true, statement.execute("SELECT 1; UPDATE t SET b = 'x' WHERE a = 2; SELECT 2"));
                same(false, statement.getMoreResults());
                same(1, statement.getUpdateCount());
                same(true, statement.getMoreResults());
            }
        });
        check("simple queries only", () -> {
            try (Connection simple = open("preferQueryMode=simple");
                    PreparedStatement statement = simple.prepareStatement("SELECT b FROM t WHERE a = ?")) {
                statement.setLong(1, 1);
                same(List.of("one"), rows(statement.executeQuery()));
            }
        });
        check("a row limit", () -> {
            try (Statement statement = connection.createStatement()) {
                statement.setMaxRows(2);
                same(2, rows(statement.executeQuery("SELECT a FROM t")).size());
            }
        });
    }

    private static void transactions() throws SQLException {
        check("every isolation level", () -> {
            for (int level : new int[] {Connection.TRANSACTION_READ_UNCOMMITTED, Connection.TRANSACTION_READ_COMMITTED,
                    Connection.TRANSACTION_REPEATABLE_READ, Connection.TRANSACTION_SERIALIZABLE}) {
                try (Connection other = open()) {
                    other.setTransactionIsolation(level);
                    same(level, other.getTransactionIsolation());
                    other.setAutoCommit(false);
                    other.createStatement().execute("SELECT count(*) FROM t");
                    other.commit();
                }
            }
        });
        check("a savepoint", () -> {
            connection.setAutoCommit(false);
            try {
                execute("INSERT INTO t VALUES (1000, 'kept')");
                Savepoint savepoint = connection.setSavepoint("here");
                try {
                    execute("INSERT INTO t VALUES (1000, 'again')");
                    throw new AssertionError("a repeated key was taken");
                } catch (SQLException problem) {
                    same("23505", problem.getSQLState());
                }
                connection.rollback(savepoint);
                connection.commit();
            } finally {
                connection.setAutoCommit(true);
            }
            same(List.of("kept"), query("SELECT b FROM t WHERE a = 1000"));
        });
        check("a read-only connection", () -> {
            try (Connection other = open()) {
                other.setReadOnly(true);
                other.setAutoCommit(false);
                try {
                    other.createStatement().execute("DELETE FROM t");
                    throw new AssertionError("a read-only connection wrote");
                } catch (SQLException problem) {
                    same("25006", problem.getSQLState());
                }
            }
        });
        check("a timeout and a cancellation", () -> {
            try (Statement statement = connection.createStatement()) {
                statement.setQueryTimeout(1);
                statement.execute("SELECT pg_sleep(30)");
                throw new AssertionError("nothing was cancelled");
            } catch (SQLException problem) {
                same("57014", problem.getSQLState());
            }
            same(true, connection.isValid(5));
        });
        check("notices", () -> {
            try (Statement statement = connection.createStatement()) {
                statement.execute("DROP TABLE IF EXISTS nothing");
                same("table \"nothing\" does not exist, skipping", statement.getWarnings().getMessage());
            }
        });
        check("notifications", () -> {
            execute("LISTEN news");
            try (Connection other = open(); Statement statement = other.createStatement()) {
                statement.execute("NOTIFY news, 'one'");
            }
            PGNotification[] told = connection.unwrap(PGConnection.class).getNotifications(10_000);
            same("one", told[0].getParameter());
        });
    }

    private static void copies() throws SQLException {
        check("a copy in and out", () -> {
            CopyManager copy = connection.unwrap(PGConnection.class).getCopyAPI();
            same(2L, copy.copyIn("COPY t (a, b) FROM STDIN", new java.io.StringReader("2000\tx\n2001\t\\N\n")));
            java.io.StringWriter text = new java.io.StringWriter();
            copy.copyOut("COPY (SELECT a, b FROM t WHERE a >= 2000 ORDER BY a) TO STDOUT", text);
            same("2000\tx\n2001\t\\N\n", text.toString());
        });
        check("a copy in and out in CSV", () -> {
            CopyManager copy = connection.unwrap(PGConnection.class).getCopyAPI();
            String rows = "a,b\n2002,\"x, \"\"y\"\"\"\n2003,\n";
            same(2L, copy.copyIn("COPY t (a, b) FROM STDIN CSV HEADER", new java.io.StringReader(rows)));
            java.io.StringWriter text = new java.io.StringWriter();
            copy.copyOut("COPY (SELECT a, b FROM t WHERE a > 2001 ORDER BY a) TO STDOUT (FORMAT csv, HEADER)", text);
            same(rows, text.toString());
        });
        check("what an insert returns as generated keys", () -> {
            String insert = "INSERT INTO t (a, b) VALUES (?, 'made'), (2005, 'made')";
            try (PreparedStatement statement = connection.prepareStatement(insert, Statement.RETURN_GENERATED_KEYS)) {
                statement.setLong(1, 2004);
                same(2, statement.executeUpdate());
                ResultSet keys = statement.getGeneratedKeys();
                keys.next();
                same(2004L, keys.getLong("a"));
                same("made", keys.getString("b"));
                keys.next();
                same(2005L, keys.getLong(1));
            }
        });
    }
}
