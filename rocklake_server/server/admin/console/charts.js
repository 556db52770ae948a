// Drawings, each with the same facts as text beside it.

import { h, s } from "./dom.js";
import { clock, count } from "./format.js";

const HEIGHT = 120;
const WIDTH = 720;
const SLOTS = 60;

// Commits of each of the last sixty minutes, the newest at the right; it still goes on.
export function minutes(known) {
  const most = Math.max(1, ...known.map((minute) => minute.commits));
  const step = WIDTH / SLOTS;
  const bars = known.map((minute, index) => {
    const tall = (minute.commits / most) * (HEIGHT - 6);
    return minute.commits > 0 && s("rect", {
      class: index === known.length - 1 ? "now" : "commits", x: (SLOTS - known.length + index) * step + 1.5,
      y: HEIGHT - Math.max(tall, 2), width: step - 3, height: Math.max(tall, 2), rx: 1.5,
    });
  });
  const total = known.reduce((sum, minute) => sum + minute.commits, 0);
  const label = `Commits per minute in the last ${known.length} minutes: ${count(total)} in all, at most ${count(most)} in one.`;
  return h("figure", { class: "chart" },
    s("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT + 1}`, preserveAspectRatio: "none", role: "img", "aria-label": label },
      s("line", { class: "rule", x1: 0, x2: WIDTH, y1: HEIGHT + 0.5, y2: HEIGHT + 0.5 }),
      s("line", { class: "rule", x1: 0, x2: WIDTH, y1: HEIGHT / 2, y2: HEIGHT / 2, "stroke-dasharray": "3 4" }),
      s("g", {}, bars)),
    h("div", { class: "axis", "aria-hidden": "true" }, h("span", {}, "60 minutes ago"),
      h("span", {}, `tallest bar: ${count(most)} a minute`), h("span", {}, "now")),
    h("details", { "data-key": "minutes" }, h("summary", {}, "The minutes as a table"),
      h("div", { class: "scroll", role: "region", "aria-label": "Minutes, scrollable", tabindex: "0" },
        h("table", {},
          h("caption", {}, h("span", { class: "unseen" }, "What was done in each minute, the newest first")),
          h("thead", {}, h("tr", {}, ["Minute", "Commits", "Statements", "Lost and run again", "Failed"].map(
            (title, index) => h("th", { scope: "col", class: index ? "number" : null }, title)))),
          h("tbody", {}, [...known].reverse().map((minute) => h("tr", { "data-key": minute.began },
            h("th", { scope: "row" }, clock(minute.began).slice(0, 5)),
            [minute.commits, minute.statements, minute.lost, minute.failed].map((value) => h("td", { class: "number" },
              count(value))))))))));
}

// Shares of a table's files by size; the words beside it say how many are small.
export function bands(files, names, small) {
  const total = files.reduce((sum, number) => sum + number, 0);
  if (!total) return h("span", { class: "quiet" }, "none");
  const told = files.map((number, index) => number && `${count(number)} ${names[index]}`).filter(Boolean).join(", ");
  return h("div", { class: "bands" },
    h("span", { class: "strip", role: "img", "aria-label": `Files by size: ${told}`, title: told },
      files.map((number, index) => number > 0 && h("span", { class: `band-${index}`, "width%": (100 * number) / total }))),
    h("span", { class: "quiet" }, small ? `${count(small)} small` : "none small"));
}

export function legend(names) {
  return h("ul", { class: "legend", "aria-label": "Sizes of files by colour" },
    names.map((name, index) => h("li", {}, h("i", { class: `band-${index}`, "aria-hidden": "true" }), name)));
}
