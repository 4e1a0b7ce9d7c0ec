"use strict";
// What the page shows is in #data; nothing of it becomes markup.
const data = JSON.parse(document.getElementById("data").textContent);
const byId = (id) => document.getElementById(id);
function make(tag, text, className) {
  const element = document.createElement(tag);
  if (text !== undefined) element.textContent = text;
  if (className) element.className = className;
  return element;
}

// Scrolls what a line is in, and not the page.
function reveal(line) {
  const box = line.closest(".scroll");
  const at = line.getBoundingClientRect().top - box.getBoundingClientRect().top;
  if (at < 24 || at > box.clientHeight - 40) box.scrollTop += at - box.clientHeight / 2;
}

// What stands at the top of a page: names and values.
function head(title, facts) {
  byId("title").textContent = title;
  for (const [name, value] of facts) {
    const item = make("li");
    item.append(`${name} `, make("b", value));
    byId("facts").append(item);
  }
}

// The heads of a table's columns: names, or names with a class.
function heads(row, names) {
  for (const [name, className] of names) {
    const cell = make("th", name, className);
    cell.scope = "col";
    row.append(cell);
  }
}

// What a click on an element does, Enter and the space bar do.
function onChoice(element, act) {
  element.tabIndex = 0;
  element.addEventListener("click", act);
  element.addEventListener("keydown", (event) => {
    if (event.target !== element || (event.key !== "Enter" && event.key !== " ")) return;
    event.preventDefault();
    act();
  });
}

// Keys that work wherever nobody writes.
function onKeys(keys) {
  document.addEventListener("keydown", (event) => {
    if (event.target.matches("input, select, textarea") || event.ctrlKey || event.metaKey || event.altKey) return;
    const act = keys[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  });
}

const themes = ["system", "light", "dark"];
let theme = 0;
byId("theme").addEventListener("click", () => {
  theme = (theme + 1) % themes.length;
  byId("theme").textContent = `Theme: ${themes[theme]}`;
  if (theme === 0) delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = themes[theme];
});
