// A table that sorts by any of its columns, and shows what a search finds. A column has a name, a key that sorts, a text (null where the key is
// the text), and perhaps a class and something that is put before the text.
function sorting({ columns, items, sorted, texts, choose }) {
  const [head, body, search, count] = ["columns", "rows", "search", "count"].map(byId);
  let down = true;
  let chosen;
  const table = { shown: [], list, mark };
  columns.forEach(({ name, className }, column) => {
    const cell = make("th", undefined, className);
    cell.scope = "col";
    const button = make("button", name);
    button.type = "button";
    button.addEventListener("click", () => {
      down = column === sorted ? !down : typeof columns[column].key(items[0] ?? {}) !== "string";
      sorted = column;
      list();
    });
    cell.append(button);
    head.append(cell);
  });
  const rows = items.map((item, number) => {
    const row = make("tr");
    row.dataset.item = number;
    for (const { key, text, className, before } of columns) {
      const cell = make("td", undefined, className);
      if (before) cell.append(before(item));
      cell.append(text ? text(item) : key(item));
      row.append(cell);
    }
    onChoice(row, () => choose(number));
    return row;
  });

  function list() {
    const wanted = search.value.toLowerCase();
    const kept = items.map((_, number) => number);
    table.shown = kept.filter((number) => wanted === "" || texts(items[number]).some((text) => text.toLowerCase().includes(wanted)));
    const { key } = columns[sorted];
    table.shown.sort((a, b) => {
      const [x, y] = [key(items[a]), key(items[b])];
      const order = x === y ? 0 : x === null ? -1 : y === null ? 1 : x < y ? -1 : 1;
      return down ? -order : order;
    });
    [...head.children].forEach((cell, column) => {
      if (column === sorted) cell.setAttribute("aria-sort", down ? "descending" : "ascending");
      else cell.removeAttribute("aria-sort");
    });
    body.replaceChildren(...table.shown.map((number) => rows[number]));
    count.textContent = wanted === "" ? "" : `${table.shown.length} of ${items.length}`;
  }

  function mark(number) {
    chosen = number;
    rows.forEach((row, at) => {
      row.classList.toggle("chosen", at === chosen);
      row.setAttribute("aria-selected", at === chosen);
    });
  }

  search.addEventListener("input", list);
  search.addEventListener("keydown", (event) => {
    if (event.key === "Escape") { search.value = ""; list(); search.blur(); event.stopPropagation(); }
  });
  const step = (by) => {
    const at = table.shown.indexOf(chosen);
    const next = table.shown[Math.max(0, Math.min(at + by, table.shown.length - 1))];
    if (next === undefined) return;
    choose(next);
    reveal(rows[next]);
  };
  table.keys = { j: () => step(1), k: () => step(-1), "/": () => search.focus() };
  list();
  return table;
}

const time = (ns) => (ns >= 1e9 ? `${(ns / 1e9).toFixed(2)} s` : ns >= 1e6 ? `${(ns / 1e6).toFixed(2)} ms` : ns >= 1e3 ? `${(ns / 1e3).toFixed(2)} us` : `${ns.toFixed(0)} ns`);
const percent = (share) => `${(100 * share).toFixed(1)}%`;
const of = (value, digits) => (value === null || value === undefined ? "-" : value.toFixed(digits));
// A bar that is some part of its place.
function bar(share, className) {
  const bar = make("i", undefined, className);
  bar.style.width = `${Math.max(0, Math.min(100, 100 * share))}%`;
  return bar;
}
// The sentences at the top of a page.
function tell(sentences) {
  byId("finding").append(...sentences.map((sentence, number) => make("p", sentence, number === 0 ? "first" : "")));
}

// A program as it is shown: what people call it, if they do, and its name.
const called = (program) => (program.label ? `${program.label} (${program.name})` : program.name);
