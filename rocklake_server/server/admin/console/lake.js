// One lake: its tables and files, and its snapshots with what each changed.

import { bands, legend } from "./charts.js";
import { card, h, table } from "./dom.js";
import { ago, bytes, count, duration, moment, plural } from "./format.js";
import { figures, findings } from "./overview.js";

const COLUMNS = [
  { title: "Table", sort: "name", of: (table) => `${table.schema}.${table.name}` },
  { title: "Rows", sort: "rows", number: true, of: (table) => table.rows },
  { title: "Files", sort: "files", number: true, of: (table) => table.files },
  { title: "Size", sort: "bytes", number: true, of: (table) => table.bytes },
  { title: "Files by size", sort: "small", of: (table) => table.small },
  { title: "Deleted rows", sort: "deleted", number: true, of: (table) => table.deleted_rows },
  { title: "Inlined rows", sort: "inlined", number: true, of: (table) => table.inlined_rows },
  { title: "In older snapshots", sort: "kept", number: true, of: (table) => table.kept_bytes },
];

export const START = { sort: "bytes", descending: true, find: "", older: [], isLast: false };

export function sorted(tables, view) {
  const { of } = COLUMNS.find((column) => column.sort === view.sort);
  const wanted = view.find.toLowerCase();
  const order = (one, other) => {
    const [left, right] = [of(one), of(other)];
    const compared = typeof left === "string" ? left.localeCompare(right) : left - right;
    return (view.descending ? -compared : compared) || one.table_id - other.table_id;
  };
  return tables.filter((table) => `${table.schema}.${table.name}`.toLowerCase().includes(wanted)).sort(order);
}

export function lake(data, view, now) {
  const title = data.schema === "public" ? data.database : `${data.database}/${data.schema}`;
  return [
    h("div", { class: "head" },
      h("p", { class: "crumb" }, h("a", { href: "#/" }, "Overview"), " › lake"),
      h("h1", {}, title),
      h("p", { class: "quiet" }, data.newest_snapshot === null ? "no snapshot yet" : `snapshot ${count(data.newest_snapshot)}, commit ${count(data.commit_sequence)}`)),
    data.findings.length > 0 && findings(data.findings, "", true),
    figures([
      ["Tables", count(data.tables_count)],
      ["Data files", count(data.files), data.is_counted ? `${count(data.small_files)} of them small` : "being counted…"],
      ["Data", bytes(data.file_bytes), data.is_counted ? `${bytes(data.kept_bytes)} only in older snapshots` : null],
      ["Snapshots", count(data.snapshots)],
      ["Catalog", bytes(data.stored_bytes), "keys and values stored"],
      ["Checkpoint", data.checkpoint_age_s === null ? "none" : `${duration(data.checkpoint_age_s)} ago`],
    ]),
    tables(data, view),
    timeline(data.timeline.concat(view.older), data, view, now),
  ];
}

function tables(data, view) {
  const shown = sorted(data.tables, view);
  const columns = COLUMNS.map((column) => ({
    ...column, sorted: column.sort === view.sort ? (view.descending ? "descending" : "ascending") : null,
  }));
  const hidden = data.tables_count - data.tables.length;
  const note = hidden > 0 ? `the largest ${count(data.tables.length)} of ${count(data.tables_count)}` : null;
  const find = h("label", { class: "field end" }, "Find a table", h("input", { type: "search", id: "find", "aria-controls": "tables-card" }));
  const whole = card("tables", "Tables", note);
  whole.id = "tables-card";
  if (data.tables.length > 1) whole.querySelector("header").append(find);
  whole.append(...(shown.length
    ? [h("div", { class: "body" }, legend(data.bands)), table("Tables", columns, shown.map((each) => ({
        key: String(each.table_id),
        cells: [`${each.schema}.${each.name}`, count(each.rows), count(each.files), bytes(each.bytes),
          bands(each.bands, data.bands, each.small), count(each.deleted_rows), count(each.inlined_rows),
          each.kept_files ? `${bytes(each.kept_bytes)} in ${plural(each.kept_files, "file")}` : "–"],
      })))]
    : [h("p", { class: "empty" }, data.tables.length ? "No table has that in its name." : "No table yet.")]));
  return whole;
}

function timeline(snapshots, data, view, now) {
  if (!snapshots.length) return card("timeline", "Snapshots", null, h("p", { class: "empty" }, "No snapshot yet."));
  return card("timeline", "Snapshots", "newest first", h("div", { class: "body" },
    h("ol", { class: "timeline" }, snapshots.map((snapshot) => h("li", {
        "data-key": String(snapshot.id), "data-newest": snapshot.id === data.newest_snapshot },
      h("p", { class: "moment" }, h("b", {}, `Snapshot ${count(snapshot.id)}`),
        snapshot.time && h("time", { class: "quiet", datetime: snapshot.time, title: moment(snapshot.time) },
          `${moment(snapshot.time)}, ${ago(snapshot.time, now)}`),
        snapshot.author && h("span", { class: "quiet" }, `by ${snapshot.author}`)),
      h("div", {}, snapshot.message && h("p", { class: "message" }, snapshot.message),
        h("ul", { class: "changes", "aria-label": `Changes of snapshot ${snapshot.id}` },
          snapshot.changes.map((change) => h("li", { "data-sort": change.sort }, change.text)),
          snapshot.more_changes > 0 && h("li", {}, `and ${count(snapshot.more_changes)} more`),
          !snapshot.changes.length && h("li", {}, "no change is named")))))),
    !(view.older.length ? view.isLast : data.is_last) && h("p", {}, h("button", { type: "button", id: "older" }, "Older snapshots"))));
}
