// What a JavaScript program does with the server through node-postgres. Prints one line for each check; ends with 1 if
// one failed. Arguments: the port.
"use strict";

const assert = require("assert");
const { Client, Pool } = require("pg");
const Cursor = require("pg-cursor");

const where = { host: "127.0.0.1", port: Number(process.argv[2]), user: "ada", database: "lake" };
let failures = 0;

async function check(name, run) {
  try {
    await run();
    console.log(`ok ${name}`);
  } catch (problem) {
    failures += 1;
    console.log(`FAILED ${name}: ${problem.message}`);
  }
}

async function opened() {
  const client = new Client(where);
  await client.connect();
  return client;
}

async function main() {
  const client = await opened();
  await client.query("CREATE TABLE t (a bigint PRIMARY KEY, b text)");
  await client.query("INSERT INTO t VALUES ($1,$2),($3,$4)", [1, "one", 2, "two"]);

  await check("a query with parameters", async () => {
    const found = await client.query("SELECT a, b FROM t WHERE a = $1", [1]);
    assert.deepStrictEqual(found.rows, [{ a: "1", b: "one" }]);
    assert.deepStrictEqual(found.fields.map((field) => field.name), ["a", "b"]);
    assert.strictEqual(found.rowCount, 1);
  });
  await check("values of many types", async () => {
    const moment = new Date("2024-02-29T01:02:03.004Z");
    const values = [7, 1.5, "naïve ☃", true, Buffer.from([0, 255]), moment, ["a", "b c", null], { x: [1, null] }, null];
    const { rows } = await client.query({
      text: "SELECT $1::int, $2::float8, $3::text, $4::bool, $5::bytea, $6::timestamptz, $7::text[], $8::jsonb, $9::int",
      values,
      rowMode: "array",
    });
    assert.deepStrictEqual(rows, [values]);
  });
  await check("a prepared statement by name", async () => {
    for (const key of [1, 2, 1]) {
      const { rows } = await client.query({ name: "by-key", text: "SELECT b FROM t WHERE a = $1", values: [key] });
      assert.deepStrictEqual(rows, [{ b: key === 1 ? "one" : "two" }]);
    }
  });
  await check("several statements of one text", async () => {
    const found = await client.query("SELECT 1 AS a; SELECT 2 AS b");
    assert.deepStrictEqual(found.map((each) => each.rows), [[{ a: 1 }], [{ b: 2 }]]);
  });
  await check("a cursor", async () => {
    await client.query("BEGIN");
    const cursor = client.query(new Cursor("SELECT v FROM (VALUES (1), (2), (3), (4), (5)) s (v) ORDER BY v"));
    const sizes = [];
    for (let rows = await cursor.read(2); rows.length > 0; rows = await cursor.read(2)) {
      sizes.push(rows.length);
    }
    await cursor.close();
    await client.query("COMMIT");
    assert.deepStrictEqual(sizes, [2, 2, 1]);
  });
  await check("a cursor that is closed early", async () => {
    const cursor = client.query(new Cursor("SELECT a FROM t ORDER BY a"));
    assert.deepStrictEqual(await cursor.read(1), [{ a: "1" }]);
    await cursor.close();
    assert.strictEqual((await client.query("SELECT count(*) FROM t")).rows[0].count, "2");
  });
  await check("an error", async () => {
    await assert.rejects(client.query("INSERT INTO t VALUES (1, 'x')"), (error) => {
      assert.strictEqual(error.code, "23505");
      assert.strictEqual(error.severity, "ERROR");
      return true;
    });
    await client.query("SELECT 1");
  });
  await check("a transaction that is rolled back", async () => {
    await client.query("BEGIN ISOLATION LEVEL SERIALIZABLE");
    await client.query("DELETE FROM t");
    await client.query("ROLLBACK");
    assert.strictEqual((await client.query("SELECT count(*) FROM t")).rows[0].count, "2");
  });
  await check("notifications", async () => {
    const told = new Promise((resolve) => client.once("notification", resolve));
    await client.query("LISTEN news");
    const other = await opened();
    await other.query("SELECT pg_notify($1, $2)", ["news", "one"]);
    await other.end();
    const { channel, payload } = await told;
    assert.deepStrictEqual([channel, payload], ["news", "one"]);
  });
  await check("notices", async () => {
    const told = new Promise((resolve) => client.once("notice", resolve));
    await client.query("DROP TABLE IF EXISTS nothing");
    assert.strictEqual((await told).message, 'table "nothing" does not exist, skipping');
  });
  await check("a pool", async () => {
    const pool = new Pool({ ...where, max: 3 });
    const found = await Promise.all([1, 2, 3, 4, 5, 6].map((n) => pool.query("SELECT $1::int AS n", [n])));
    assert.deepStrictEqual(found.map((each) => each.rows[0].n), [1, 2, 3, 4, 5, 6]);
    await pool.end();
  });
  await client.end();
  process.exit(failures === 0 ? 0 : 1);
}

main();
