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
const time = (ns) => (ns >= 1e9 ? `${(ns / 1e9).toFixed(2)} s` : ns >= 1e6 ? `${(ns / 1e6).toFixed(2)} ms` : ns >= 1e3 ? `${(ns / 1e3).toFixed(2)} us` : `${ns.toFixed(0)} ns`);
const percent = (share) => `${(100 * share).toFixed(1)}%`;
const of = (value, digits) => (value === null ? "-" : value.toFixed(digits));
const perVertex = (program) => (program.vertices > 0 ? program.ns / program.vertices : null);

byId("title").textContent = data.capture;
for (const [name, value] of [["a play takes", time(data.ns)], ["programs", data.programs.length], ["played", `${data.times} times`], ["by", data.target.split(" has_")[0]]]) {
  const item = make("li");
  item.append(`${name} `, make("b", value));
  byId("facts").append(item);
}

// Columns: heading, what is sorted by, and what is shown.
const columns = [
  ["program", (program) => program.name, null],
  ["share", (program) => program.share, null],
  ["time", (program) => program.ns, (program) => time(program.ns)],
  ["batches", (program) => program.batches, (program) => of(program.batches, 0)],
  ["vertices", (program) => program.vertices, (program) => of(program.vertices, 0)],
  ["ns/vertex", perVertex, (program) => of(perVertex(program), 2)],
  ["chip clocks", (program) => program.chip_clocks, (program) => of(program.chip_clocks, 2)],
  ["guarded", (program) => program.guarded, (program) => of(program.guarded, 0)],
  ["tier", (program) => program.tier, null],
];
let sorted = 1;
let down = true;
let chosen = 0;
let shown = [];

columns.forEach(([name, , text], column) => {
  const head = make("th", undefined, text ? "number" : "");
  head.scope = "col";
  const button = make("button", name);
  button.type = "button";
  button.addEventListener("click", () => {
    down = column === sorted ? !down : typeof columns[column][1](data.programs[0] ?? {}) !== "string";
    sorted = column;
    list();
  });
  head.append(button);
  byId("columns").append(head);
});

function list() {
  const wanted = byId("search").value.toLowerCase();
  const texts = (program) => [program.name, program.tier, ...program.slots.map((slot) => slot.text), ...program.guards];
  const kept = data.programs.map((program, number) => [program, number]);
  shown = kept.filter(([program]) => wanted === "" || texts(program).some((text) => text.toLowerCase().includes(wanted)));
  const key = columns[sorted][1];
  shown.sort(([a], [b]) => {
    const [x, y] = [key(a), key(b)];
    const order = x === y ? 0 : x === null ? -1 : y === null ? 1 : x < y ? -1 : 1;
    return down ? -order : order;
  });
  [...byId("columns").children].forEach((head, column) => {
    if (column === sorted) head.setAttribute("aria-sort", down ? "descending" : "ascending");
    else head.removeAttribute("aria-sort");
  });
  byId("rows").replaceChildren(...shown.map(([program, number]) => {
    const row = make("tr");
    row.tabIndex = 0;
    row.dataset.program = number;
    columns.forEach(([name, , text]) => {
      const cell = make("td", text ? text(program) : name === "share" ? "" : name === "tier" ? program.tier : program.name, text ? "number" : name === "share" ? "share" : "");
      if (name === "share") {
        const bar = make("i");
        bar.style.width = `${Math.max(1, 60 * program.share)}px`;
        cell.append(bar, ` ${percent(program.share)}`);
      }
      row.append(cell);
    });
    row.addEventListener("click", () => choose(number));
    row.addEventListener("keydown", (event) => {
      if (event.key === "Enter" || event.key === " ") {
        event.preventDefault();
        choose(number);
      }
    });
    return row;
  }));
  byId("count").textContent = wanted === "" ? "" : `${shown.length} of ${data.programs.length}`;
  mark();
}

function mark() {
  for (const row of byId("rows").children) {
    const is = Number(row.dataset.program) === chosen;
    row.classList.toggle("chosen", is);
    row.setAttribute("aria-selected", is);
  }
}

// A program: what it is, what its guards are about, and its slots here and on the chip.
function choose(number) {
  chosen = number;
  mark();
  const body = byId("program-body");
  const program = data.programs[chosen];
  byId("program-title").textContent = program ? program.name : "No program";
  if (!program) {
    body.replaceChildren(make("p", "Nothing was drawn."));
    return;
  }
  const parts = [make("p", `${program.tier}; ${program.code_bytes} bytes of code, compiled in ${time(1000 * program.compile_us)}. ${of(program.batches, 1)} batches of ${of(program.vertices / Math.max(program.batches, 1), 1)} vertices in a play.`)];
  if (program.guards.length) {
    parts.push(make("p", `Native code has left vertices of ${of(program.guarded, 0)} groups to the interpreter in a play, for these reasons:`));
    const list = make("ul");
    for (const guard of program.guards) list.append(make("li", guard));
    parts.push(list);
  }
  const legend = make("p", undefined, "legend");
  legend.append(make("i"), ` here, divided by ${data.divided_by}`);
  const clocks = program.slots.reduce((sum, slot) => sum + (slot.clocks ?? 0), 0);
  if (clocks > 0) legend.append("   ", make("i", undefined, "chip"), " on the chip, by clocks");
  parts.push(legend);
  const table = make("table");
  const head = table.createTHead().insertRow();
  for (const name of ["place", "instruction", "share", "ns/vertex", "clocks", "here and chip"]) {
    const cell = make("th", name, ["share", "ns/vertex", "clocks"].includes(name) ? "number" : "");
    cell.scope = "col";
    head.append(cell);
  }
  const most = Math.max(...program.slots.map((slot) => Math.max(slot.share, clocks > 0 ? (slot.clocks ?? 0) / clocks : 0)), 1e-9);
  const inside = table.createTBody();
  for (const slot of program.slots) {
    const row = inside.insertRow();
    const vertex = perVertex(program);
    row.append(make("td", slot.place), make("td", slot.text, "wrap"), make("td", percent(slot.share), "number"),
      make("td", of(vertex === null ? null : vertex * slot.share, 2), "number"), make("td", of(slot.clocks, 2), "number"));
    const pair = make("td", undefined, "pair");
    for (const share of [slot.share, ...(clocks > 0 ? [(slot.clocks ?? 0) / clocks] : [])]) {
      const bar = make("i");
      bar.style.width = `${(100 * share) / most}%`;
      pair.append(bar);
    }
    row.append(pair);
  }
  parts.push(table);
  body.replaceChildren(...parts);
  body.scrollTop = 0;
}

byId("search").addEventListener("input", list);
byId("search").addEventListener("keydown", (event) => {
  if (event.key === "Escape") { event.target.value = ""; list(); event.target.blur(); event.stopPropagation(); }
});
document.addEventListener("keydown", (event) => {
  if (event.target.matches("input") || event.ctrlKey || event.metaKey || event.altKey) return;
  const at = shown.findIndex(([, number]) => number === chosen);
  const next = { j: Math.min(at + 1, shown.length - 1), k: Math.max(at - 1, 0) }[event.key];
  if (next !== undefined && shown[next]) {
    choose(shown[next][1]);
    byId("rows").children[next].scrollIntoView({ block: "nearest" });
  } else if (event.key === "/") {
    event.preventDefault();
    byId("search").focus();
  }
});
const themes = ["system", "light", "dark"];
let theme = 0;
byId("theme").addEventListener("click", () => {
  theme = (theme + 1) % themes.length;
  byId("theme").textContent = `Theme: ${themes[theme]}`;
  if (theme === 0) delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = themes[theme];
});
list();
choose(0);
