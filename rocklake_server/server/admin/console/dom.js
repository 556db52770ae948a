// Elements from descriptions, and a page brought up to date in place: what has the focus, is scrolled or unfolded stays.
// Texts only ever become text nodes.

const SVG = "http://www.w3.org/2000/svg";

export function h(tag, attributes = {}, ...children) {
  return filled(document.createElement(tag), attributes, children);
}

export function s(tag, attributes = {}, ...children) {
  return filled(document.createElementNS(SVG, tag), attributes, children);
}

function filled(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name === "width%") element.style.width = `${value}%`;
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

// Make the children of `target` equal to `wanted`, keeping every node that can stay.
export function show(target, wanted) {
  const container = target.cloneNode(false);
  container.append(...wanted.flat(Infinity).filter(Boolean));
  alignChildren(target, container);
}

function alignChildren(old, wanted) {
  const keyed = new Map([...old.children].filter((child) => child.dataset?.key).map((child) => [child.dataset.key, child]));
  let at = old.firstChild;
  for (const next of [...wanted.childNodes]) {
    const known = next.dataset?.key ? keyed.get(next.dataset.key) : at;
    if (known && isAlike(known, next)) {
      if (known === at) at = at.nextSibling;
      else old.insertBefore(known, at);
      align(known, next);
    } else {
      old.insertBefore(next, at);
    }
  }
  while (at) {
    const following = at.nextSibling;
    at.remove();
    at = following;
  }
}

function isAlike(old, wanted) {
  return old.nodeType === wanted.nodeType && old.nodeName === wanted.nodeName && old.dataset?.key === wanted.dataset?.key;
}

function align(old, wanted) {
  if (old.nodeType === Node.TEXT_NODE) {
    if (old.data !== wanted.data) old.data = wanted.data;
    return;
  }
  for (const { name } of [...old.attributes]) {
    if (!wanted.hasAttribute(name) && !(name === "open" && old.nodeName === "DETAILS")) old.removeAttribute(name);
  }
  for (const { name, value } of wanted.attributes) {
    if (old.getAttribute(name) !== value) old.setAttribute(name, value);
  }
  alignChildren(old, wanted);
}

// A table with a caption that the heading before it says already, and headers for its columns and rows.
export function table(caption, columns, rows) {
  return h("div", { class: "scroll", role: "region", "aria-label": `${caption}, scrollable`, tabindex: "0" },
    h("table", {},
      h("caption", {}, h("span", { class: "unseen" }, caption)),
      h("thead", {}, h("tr", {}, columns.map((column) => h("th", {
        scope: "col", class: column.number ? "number" : null, "aria-sort": column.sorted ?? null,
      }, column.sort ? h("button", { type: "button", "data-sort-by": column.sort }, column.title) : column.title)))),
      h("tbody", {}, rows.map(({ key, cells }) => h("tr", { "data-key": key }, cells.map((cell, index) => index === 0
        ? h("th", { scope: "row" }, cell)
        : h("td", { class: columns[index].number ? "number" : null }, cell)))))));
}

export function card(id, title, note, ...content) {
  return h("section", { class: "card", "aria-labelledby": id, "data-key": id },
    h("header", {}, h("h2", { id }, title), note && h("p", { class: "quiet" }, note)),
    content);
}
