// Who is connected.

import { card, h, table } from "./dom.js";
import { count, duration, plural } from "./format.js";

const COLUMNS = [{ title: "Session", number: false }, { title: "Database" }, { title: "User" }, { title: "Application" },
  { title: "From" }, { title: "State" }, { title: "Open for", number: true }, { title: "Statements", number: true }];

export function sessions(server) {
  const shown = server.session_list;
  const note = server.sessions.open > shown.length ? `the oldest ${count(shown.length)} of ${count(server.sessions.open)}` : null;
  return [
    h("div", { class: "head" }, h("h1", {}, "Sessions"),
      h("p", { class: "quiet" }, `${plural(server.sessions.open, "session")}, ${count(server.sessions.active)} active`)),
    card("session-list", "Open now", note, shown.length
      ? table("Open sessions", COLUMNS, shown.map((session) => ({
          key: String(session.id),
          cells: [String(session.id), session.database, session.user, session.application || "–", session.address || "local",
            session.state, duration(session.open_s), count(session.statements)],
        })))
      : h("p", { class: "empty" }, "Nobody is connected.")),
  ];
}
