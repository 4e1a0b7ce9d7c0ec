const hash = new URLSearchParams(location.hash.slice(1));
let chosen = -1;
const panes = {};
const rows = [];

head(data.title, data.facts);

// Places: slots of a program, or parts of a configuration.
byId("places-title").textContent = data.of;
heads(byId("columns"), (data.has_words ? ["slot", "words", "instruction", "code"] : ["part", "what it is", "code"]).map((name) => [name, name]));
data.places.forEach((place, number) => {
  const row = make("tr");
  row.append(make("td", place.name));
  if (data.has_words) row.append(make("td", place.words.map((word) => word.toString(16).padStart(8, "0")).join(" "), "words"));
  row.append(make("td", place.text, "wrap"));
  const heat = make("td", undefined, "heat");
  heat.append(make("i"));
  row.append(heat);
  onChoice(row, () => choose(number));
  row.addEventListener("mouseenter", () => hover(number, true));
  row.addEventListener("mouseleave", () => hover(number, false));
  byId("rows").append(row);
  rows.push(row);
});

function hover(number, on) {
  if (rows[number]) rows[number].classList.toggle("hover", on);
  for (const pane of Object.values(panes)) {
    for (const line of pane.lines.get(number) ?? []) line.classList.toggle("hover", on);
  }
}

class Pane {
  constructor(id, first) {
    this.id = id;
    const section = byId(id);
    section.append(byId("stage").content.cloneNode(true));
    this.select = section.querySelector("select");
    this.search = section.querySelector("input");
    this.count = section.querySelector("output");
    this.note = section.querySelector(".note");
    this.scroll = section.querySelector(".scroll");
    this.list = section.querySelector("ol");
    this.scroll.setAttribute("aria-label", `${id} stage`);
    data.stages.forEach((stage, number) => this.select.append(new Option(stage.title, number)));
    const wanted = data.stages.findIndex((stage) => stage.name === hash.get(id));
    this.select.value = wanted >= 0 ? wanted : first;
    this.select.addEventListener("change", () => { this.show(); mark(true); remember(); });
    this.search.addEventListener("input", () => this.find());
    this.search.addEventListener("keydown", (event) => {
      if (event.key === "Enter") this.step(event.shiftKey ? -1 : 1);
      if (event.key === "Escape") { this.search.value = ""; this.find(); this.search.blur(); event.stopPropagation(); }
    });
    this.show();
  }

  get stage() { return data.stages[this.select.value]; }

  show() {
    const lines = linesOf(this.stage.lines, { choose: (place) => choose(place, this), hover });
    [this.all, this.lines] = [lines.all, lines.of];
    this.list.replaceChildren(...this.all);
    this.note.textContent = this.stage.note;
    this.find();
    if (this.id === "right") heat(this.stage);
  }

  find() {
    const wanted = this.search.value.toLowerCase();
    this.found = wanted === "" ? [] : this.all.filter((line) => line.textContent.toLowerCase().includes(wanted));
    const found = new Set(this.found);
    for (const line of this.all) {
      line.classList.toggle("found", found.has(line));
      line.classList.remove("now");
    }
    this.at = -1;
    this.tell();
    if (this.found.length) this.step(1);
  }

  step(by) {
    const count = this.found.length;
    if (!count) return;
    if (this.at >= 0) this.found[this.at].classList.remove("now");
    this.at = (this.at + by + count) % count;
    this.found[this.at].classList.add("now");
    reveal(this.found[this.at]);
    this.tell();
  }

  tell() {
    const instructions = this.stage.instructions;
    this.count.textContent = this.search.value === ""
      ? `${instructions} instruction${instructions === 1 ? "" : "s"}${this.stage.bytes ? `, ${this.stage.bytes} bytes` : ""}`
      : this.found.length ? `${this.at + 1} of ${this.found.length}` : "nothing found";
  }
}

// How much of a stage each place is.
function heat(stage) {
  const counts = data.places.map(() => 0);
  for (const [place, , isHead] of stage.lines) if (place >= 0 && !isHead) counts[place] += 1;
  const most = Math.max(1, ...counts);
  rows.forEach((row, number) => {
    const bar = row.querySelector(".heat i");
    bar.style.width = `${(100 * counts[number]) / most}%`;
    row.querySelector(".heat").title = `${counts[number]} instructions`;
    row.dataset.count = counts[number];
  });
}

function choose(number, from) {
  chosen = number === chosen && !from ? -1 : number;
  mark(true, from);
  detail();
  remember();
}

function mark(scrolls, from) {
  rows.forEach((row, number) => {
    row.classList.toggle("chosen", number === chosen);
    row.setAttribute("aria-selected", number === chosen);
  });
  if (scrolls && rows[chosen] && from) reveal(rows[chosen]);
  for (const pane of Object.values(panes)) {
    for (const line of pane.all) line.classList.remove("chosen");
    const lines = pane.lines.get(chosen) ?? [];
    for (const line of lines) line.classList.add("chosen");
    if (scrolls && pane !== from && lines.length) reveal(lines[0]);
  }
}

// The fields of a slot, with its bits; or of a part, what is known of it.
function detail() {
  const body = byId("detail-body");
  const place = data.places[chosen];
  if (!place) {
    byId("detail-title").textContent = data.has_words ? "Fields of a slot" : "A part";
    body.replaceChildren(make("p", data.has_words ? "Click a slot to see the meaning of its bits." : "Click a part to see its instructions."));
    return;
  }
  byId("detail-title").textContent = `${place.label}: ${place.text}`;
  const parts = [];
  for (const text of place.facts) parts.push(make("p", text));
  if (place.rule) parts.push(make("p", `Rules: ${place.rule}`));
  if (data.has_words) {
    const bits = make("div", undefined, "bits");
    bits.setAttribute("aria-hidden", "true");
    const cells = new Map();
    place.words.forEach((word, index) => {
      for (let bit = 31; bit >= 0; bit--) {
        const value = (word >>> bit) & 1;
        const number = 32 * (3 - index) + bit;
        const cell = make("span", value, value ? "one" : "");
        if (!data.fields.some((field) => field.lo <= number && number < field.hi)) cell.classList.add("none");
        cell.title = `d${index} bit ${bit}`;
        cells.set(number, cell);
        bits.append(cell);
      }
    });
    parts.push(bits);
    const table = make("table");
    heads(table.createTHead().insertRow(), [["field"], ["bits"], ["value"], ["meaning"]]);
    const inside = table.createTBody();
    data.fields.forEach((field, index) => {
      const row = inside.insertRow();
      const value = place.values[index];
      row.append(make("td", field.inner ? `  ${field.name}` : field.name), make("td", field.hi - field.lo === 1 ? `${field.lo}` : `${field.hi - 1}:${field.lo}`),
        make("td", field.hi - field.lo > 9 ? `0x${value.toString(16)}` : `${value}`), make("td", field.meaning, "wrap"));
      const light = (on) => {
        row.classList.toggle("hover", on);
        for (let bit = field.lo; bit < field.hi; bit++) cells.get(bit)?.classList.toggle("on", on);
      };
      row.addEventListener("mouseenter", () => light(true));
      row.addEventListener("mouseleave", () => light(false));
      if (!field.has_inner) {
        for (let bit = field.lo; bit < field.hi; bit++) {
          cells.get(bit)?.addEventListener("mouseenter", () => light(true));
          cells.get(bit)?.addEventListener("mouseleave", () => light(false));
        }
      }
    });
    parts.push(table);
  }
  body.replaceChildren(...parts);
  body.scrollTop = 0;
}

// The address keeps what is shown, so that it can be sent to somebody.
function remember() {
  const state = new URLSearchParams();
  if (chosen >= 0) state.set("at", data.places[chosen].name);
  for (const [id, pane] of Object.entries(panes)) state.set(id, pane.stage.name);
  history.replaceState(null, "", `#${state}`);
}

panes.left = new Pane("left", data.first[0]);
panes.right = new Pane("right", data.first[1]);
chosen = data.places.findIndex((place) => place.name === hash.get("at"));
mark(chosen >= 0, {});
detail();

const last = data.places.length - 1;
onKeys({
  j: () => choose(Math.min(chosen + 1, last), {}),
  k: () => choose(Math.max(chosen - 1, 0), {}),
  Escape: () => { chosen = -1; mark(false); detail(); remember(); },
  "/": () => panes.left.search.focus(),
});
