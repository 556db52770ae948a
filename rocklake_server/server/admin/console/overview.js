// The server: what is wrong, what it does, its lakes.

import { minutes } from "./charts.js";
import { card, h, table } from "./dom.js";
import { bytes, count, duration, plural, share } from "./format.js";

const LEVELS = { problem: "Problem", warning: "Warning", advice: "Advice" };

export function lakeAddress(database, schema) {
  return `#/lake/${encodeURIComponent(database)}/${encodeURIComponent(schema)}`;
}

// What is between backticks is code.
function told(text) {
  return text.split("`").map((part, index) => (index % 2 ? h("code", {}, part) : part));
}

// `here` is the lake whose page this is.
export function findings(found, fine, here = false) {
  return card("findings", "Health", found.length ? plural(found.length, "finding") : null,
    h("div", { class: "body" }, found.length
      ? h("ul", { class: "findings" }, found.map((finding) => h("li", {
          class: "finding", "data-level": finding.level, "data-key": `${finding.lake?.database}/${finding.what}` },
        h("span", { class: "level" }, LEVELS[finding.level]),
        h("span", { class: "what" }, finding.what,
          finding.lake && !here && [" ", h("a", { href: lakeAddress(finding.lake.database, finding.lake.schema) }, "Show the lake")]),
        h("span", { class: "todo" }, told(finding.todo)))))
      : h("p", { class: "fine" }, fine)));
}

export function figures(facts) {
  return h("dl", { class: "figures" }, facts.map(([name, value, more]) => h("div", { "data-key": name },
    h("dt", {}, name), h("dd", {}, value), more && h("dd", { class: "more" }, more))));
}

export function overview(server) {
  const [before, now] = server.minutes.slice(-2);
  const lately = now ? `${count(before.commits)} in the last full minute` : `${count(before.commits)} in this minute`;
  return [
    h("div", { class: "head" }, h("h1", {}, "Overview"),
      h("p", { class: "quiet" }, `up for ${duration(server.uptime_s)}`)),
    findings(server.findings, "Nothing needs attention."),
    figures([
      ["Commits", count(server.commits.count), lately],
      ["Commit time", duration(server.commits.median_s), `99 of 100 within ${duration(server.commits.most_s)}`],
      ["Sessions", count(server.sessions.open), `${count(server.sessions.active)} active, at most ${count(server.sessions.limit)}`],
      ["Statements", count(server.statements.count), `typically ${duration(server.statements.median_s)}`],
      ["Loaded rows", bytes(server.memory.bytes), `${share(server.memory.bytes, server.memory.limit_bytes)} of ${bytes(server.memory.limit_bytes)}`],
    ]),
    card("activity", "Commits per minute", null, h("div", { class: "body" }, minutes(server.minutes))),
    lakes(server),
  ];
}

function lakes(server) {
  const hidden = server.lakes_count - server.lakes.length;
  const note = hidden > 0 ? `the first ${count(server.lakes.length)} of ${count(server.lakes_count)}` : null;
  const columns = [{ title: "Lake" }, { title: "State" }, { title: "Snapshots", number: true },
    { title: "Files", number: true }, { title: "Data", number: true }, { title: "Catalog", number: true }];
  return card("lakes", "Lakes", note, server.lakes.length
    ? table("Lakes", columns, server.lakes.map((lake) => ({
        key: `${lake.database}/${lake.schema}`,
        cells: [
          h("a", { href: lakeAddress(lake.database, lake.schema) }, lake.name), lake.state, count(lake.snapshots),
          count(lake.files), bytes(lake.file_bytes), bytes(lake.stored_bytes),
        ],
      })))
    : h("p", { class: "empty" }, "No lake yet. The first CREATE TABLE of a client makes one."));
}
