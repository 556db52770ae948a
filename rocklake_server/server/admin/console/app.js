// The page: which part is shown, how it is kept up to date, and what keys and buttons do.

import { show, h } from "./dom.js";
import { clock, duration } from "./format.js";
import { lake, START } from "./lake.js";
import { overview } from "./overview.js";
import { sessions } from "./sessions.js";

const EVERY_MS = 5000;
const main = document.getElementById("main");
const health = document.getElementById("health");
const pause = document.getElementById("pause");
const theme = document.getElementById("theme");
const state = { route: null, view: { ...START }, server: null, lake: null, paused: false, asked: 0, timer: null };

function routeOf(hash) {
  const [page, ...rest] = hash.replace(/^#\/?/, "").split("/");
  if (page === "lake" && rest.length === 2) return { page, database: decodeURIComponent(rest[0]), schema: decodeURIComponent(rest[1]) };
  return { page: page === "sessions" ? page : "overview" };
}

async function fetched(path, parameters = {}) {
  const answer = await fetch(`data/${path}?${new URLSearchParams(parameters)}`, { headers: { Accept: "application/json" } });
  const isData = answer.headers.get("Content-Type")?.includes("json");
  const body = isData ? await answer.json() : { problem: await answer.text() };
  if (!answer.ok) throw new Error(body.problem);
  return body;
}

async function update() {
  clearTimeout(state.timer);
  const asked = ++state.asked;
  const { route } = state;
  try {
    const server = await fetched("server");
    const { database, schema } = route;
    const found = route.page === "lake" && server.is_open ? await fetched("lake", { database, schema }) : null;
    if (asked !== state.asked) return;
    Object.assign(state, { server, lake: found });
    draw();
  } catch (problem) {
    if (asked !== state.asked) return;
    tell("bad", problem instanceof TypeError ? "The server does not answer" : problem.message);
    const hasNothing = !state.server || (route.page === "lake" && !state.lake);
    if (hasNothing) show(main, [h("h1", {}, "Nothing to show"), h("p", { role: "alert" }, health.textContent)]);
  }
  if (!state.paused) state.timer = setTimeout(update, EVERY_MS);
}

function draw() {
  const { server, route } = state;
  tell(server.ready ? "good" : "bad", server.ready ? "Ready" : `Not ready: ${server.problem}`);
  if (!server.is_open) show(main, [h("h1", {}, "Starting"), h("p", {}, server.problem)]);
  else if (route.page === "lake") show(main, lake(state.lake, state.view, server.now));
  else show(main, route.page === "sessions" ? sessions(server) : overview(server));
  document.title = `${main.querySelector("h1").textContent} – RockLake`;
  show(document.getElementById("foot"), [
    h("span", {}, `RockLake ${server.version}`), h("span", {}, "store ", h("code", {}, server.store ?? "–")),
    h("span", {}, `as of ${clock(server.now)}`), h("span", {}, state.paused ? "paused" : `updated every ${duration(EVERY_MS / 1000)}`),
    h("span", {}, "read-only; nothing can be changed here"),
  ]);
}

// The text is set only when it changes, so that a screen reader says changes alone.
function tell(kind, text) {
  health.dataset.state = kind;
  if (health.textContent !== text) health.textContent = text;
}

function announce(text) {
  document.getElementById("announce").textContent = text;
}

async function follow() {
  if (location.hash === "#main") return;
  const isFirst = state.route === null;
  Object.assign(state, { route: routeOf(location.hash), view: { ...START }, lake: null });
  for (const link of document.querySelectorAll("nav a")) {
    if (link.dataset.page === state.route.page) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  await update();
  if (isFirst) return;
  main.focus({ preventScroll: true });
  window.scrollTo(0, 0);
  announce(document.title);
}

async function showOlder() {
  const { view, lake: data, route } = state;
  const last = view.older.at(-1) ?? data.timeline.at(-1);
  const more = await fetched("snapshots", { database: route.database, schema: route.schema, before: last.id });
  view.older = view.older.concat(more.timeline);
  view.isLast = more.is_last;
  draw();
  announce(`${more.timeline.length} older snapshots`);
}

main.addEventListener("click", (event) => {
  const by = event.target.closest("[data-sort-by]")?.dataset.sortBy;
  const { view } = state;
  if (by) {
    Object.assign(view, { sort: by, descending: view.sort === by ? !view.descending : by !== "name" });
    draw();
    announce(`Sorted by ${event.target.textContent}, ${view.descending ? "descending" : "ascending"}`);
  } else if (event.target.id === "older") {
    showOlder().catch((problem) => tell("bad", problem.message));
  }
});

main.addEventListener("input", (event) => {
  if (event.target.id !== "find") return;
  state.view.find = event.target.value;
  draw();
  announce(`${main.querySelectorAll("#tables-card tbody tr").length} tables`);
});

document.querySelector(".skip").addEventListener("click", (event) => {
  event.preventDefault();
  main.focus();
});

pause.addEventListener("click", () => {
  state.paused = !state.paused;
  pause.setAttribute("aria-pressed", String(state.paused));
  if (state.paused) {
    clearTimeout(state.timer);
    draw();
  } else {
    update();
  }
});

// The system's choice, unless one was made here.
const system = matchMedia("(prefers-color-scheme: dark)");

function applyTheme() {
  const isDark = (localStorage.getItem("theme") ?? (system.matches ? "dark" : "light")) === "dark";
  document.documentElement.dataset.theme = isDark ? "dark" : "light";
  theme.setAttribute("aria-pressed", String(isDark));
}

theme.addEventListener("click", () => {
  localStorage.setItem("theme", document.documentElement.dataset.theme === "dark" ? "light" : "dark");
  applyTheme();
});
system.addEventListener("change", applyTheme);
window.addEventListener("hashchange", follow);
document.addEventListener("visibilitychange", () => {
  if (document.hidden) clearTimeout(state.timer);
  else if (!state.paused) update();
});
applyTheme();
follow();
