"use strict";
// The playground's page. The library computes (wasm.js); this shows what it says. Nothing that somebody wrote becomes markup.
const byId = (id) => document.getElementById(id);
const all = (selector, within = document) => [...within.querySelectorAll(selector)];
function make(tag, text, className) {
  const element = document.createElement(tag);
  if (text !== undefined) element.textContent = text;
  if (className) element.className = className;
  return element;
}

// The library.
let library;
let code;
async function load() {
  const packed = Uint8Array.from(atob(wasm), (letter) => letter.charCodeAt(0));
  const bytes = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  code = await WebAssembly.compile(await new Response(bytes).arrayBuffer());
  library = (await WebAssembly.instantiate(code)).exports;
}

// Its answer to a question: an object, with the member `error` if something is wrong; and a picture, if one was asked for.
function ask(question) {
  try {
    const bytes = new TextEncoder().encode(JSON.stringify(question));
    const room = library.room(bytes.length) >>> 0;
    new Uint8Array(library.memory.buffer, room, bytes.length).set(bytes);
    const length = library.ask() >>> 0;
    const answer = JSON.parse(new TextDecoder().decode(new Uint8Array(library.memory.buffer, library.answered() >>> 0, length)));
    const pixels = library.pictured() >>> 0;
    if (pixels) answer.pixels = new Uint8ClampedArray(library.memory.buffer.slice(pixels, pixels + 4 * answer.width * answer.height));
    return answer;
  } catch (flaw) {
    // It must not happen; a library in an unknown state is not asked again.
    library = new WebAssembly.Instance(code).exports;
    return { error: `the library failed: ${flaw}` };
  }
}

// What the page is set to; the address holds it.
const fresh = () => ({
  tab: "programs", text: "", generation: "kelvin", pair: false, legacy: false, beside: "ieee", vertex: 0, turn: 20, constants: {}, inputs: {},
  view: "outputs", function: "ADD", rules: "kelvin", a: "1.1", b: "-0.007", c: "16",
});
let state = fresh();
let about;
let shown; // The answer about the last program without errors.
let ran;

// The address. What it says wrongly is as if it did not say it; the library checks the rest.
let later;
function remember() {
  // Browsers count how often a page changes its address.
  clearTimeout(later);
  later = setTimeout(address, 300);
}

function address() {
  clearTimeout(later);
  const fields = new URLSearchParams();
  for (const [name, value] of Object.entries(state)) {
    const text = typeof value === "object" ? JSON.stringify(value) : String(value);
    const usual = fresh()[name];
    if (text !== (typeof usual === "object" ? JSON.stringify(usual) : String(usual))) fields.set(name, text);
  }
  history.replaceState(null, "", `#${fields}`);
}

function rows(text) {
  const kept = {};
  const given = JSON.parse(text);
  for (const [name, row] of Object.entries(given ?? {})) {
    if (/^\d{1,3}$/.test(name) && Array.isArray(row) && row.length === 4) kept[name] = row.map((value) => String(value).slice(0, 40));
  }
  return kept;
}

function recall() {
  const fields = new URLSearchParams(location.hash.slice(1));
  state = fresh();
  state.text = about.examples[0].text;
  for (const [name, value] of fields) {
    if (!Object.hasOwn(state, name)) continue;
    const usual = state[name];
    try {
      if (typeof usual === "string") state[name] = value;
      else if (typeof usual === "boolean") state[name] = value === "true";
      else if (typeof usual === "number") state[name] = Math.max(0, Math.trunc(Number(value)) || 0);
      else state[name] = rows(value);
    } catch {
      // It stays as it is without an address.
    }
  }
  state.turn = Math.min(state.turn, 359);
  state.vertex = Math.min(state.vertex, about.vertices - 1);
  const known = (name, of, usual) => { if (!of.some((one) => one.name === state[name])) state[name] = usual; };
  known("generation", about.generations, "kelvin");
  known("beside", about.beside, "ieee");
  known("function", about.functions, "ADD");
  if (!about.rules.includes(state.rules)) state.rules = "kelvin";
}

// Bits of a word, in groups of sign, exponent and fraction, with those marked in which a second word has a one.
function binary(hex, differs) {
  const bits = (text) => parseInt(text, 16).toString(2).padStart(32, "0");
  const [own, other] = [bits(hex), bits(differs)];
  const whole = make("span", undefined, "binary");
  for (const [from, to] of [[0, 1], [1, 9], [9, 32]]) {
    const group = make("i");
    for (let at = from; at < to;) {
      let end = at + 1;
      while (end < to && other[end] === other[at]) end += 1;
      const text = own.slice(at, end);
      group.append(other[at] === "1" ? make("mark", text) : text);
      at = end;
    }
    whole.append(group);
  }
  return whole;
}

const count = (differs) => parseInt(differs, 16).toString(2).replaceAll("0", "").length;

function heads(row, names) {
  row.replaceChildren(...names.map((name) => {
    const head = make("th", name);
    head.scope = "col";
    return head;
  }));
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

// Tabs: arrows go to the next one, Home and End to the first and last.
function tabs(list, act) {
  const buttons = all("[role=tab]", list);
  const choose = (button, focus) => {
    for (const one of buttons) {
      const is = one === button;
      one.setAttribute("aria-selected", is);
      one.tabIndex = is ? 0 : -1;
      byId(one.getAttribute("aria-controls")).hidden = !is;
    }
    if (focus) button.focus();
  };
  buttons.forEach((button, at) => {
    button.addEventListener("click", () => { choose(button, false); act(button.getAttribute("aria-controls")); });
    button.addEventListener("keydown", (event) => {
      const to = { ArrowRight: at + 1, ArrowDown: at + 1, ArrowLeft: at - 1, ArrowUp: at - 1, Home: 0, End: buttons.length - 1 }[event.key];
      if (to === undefined) return;
      event.preventDefault();
      const next = buttons[(to + buttons.length) % buttons.length];
      choose(next, true);
      act(next.getAttribute("aria-controls"));
    });
  });
  return (panel) => choose(buttons.find((button) => button.getAttribute("aria-controls") === panel) ?? buttons[0], false);
}

// Programs.

const program = () => ({ text: state.text, generation: state.generation, pair: state.pair, legacy: state.legacy });
const running = () => ({ ...program(), constants: state.constants, inputs: state.inputs, beside: state.beside, vertex: state.vertex, turn: state.turn });

function update() {
  const answer = ask({ ask: "program", ...program() });
  const said = byId("said");
  const isWrong = Boolean(answer.error);
  byId("text").setAttribute("aria-invalid", isWrong);
  byId("errors").hidden = !answer.errors;
  byId("errors").replaceChildren(...(answer.errors ?? []).map(flaw));
  for (const radio of all("#notations input")) radio.disabled = isWrong;
  if (isWrong) {
    const stale = shown ? " The results are those of the last program without errors." : "";
    said.textContent = `${answer.error}.${stale}`;
    return;
  }
  shown = answer;
  said.textContent = `${answer.facts.slots} of ${answer.facts.most} slots.${answer.facts.terminated ? "" : " It has no END."}`;
  for (const radio of all("#notations input")) {
    radio.checked = radio.value === answer.notation;
    radio.disabled = radio.value === "opengl" && answer.opengl === null;
  }
  if (answer.opengl === null) said.textContent += ` It has no text in OpenGL's language: ${answer.unsaid[0]}.`;
  showSlots();
  showStage();
  showClocks();
  run();
  remember();
}

function flaw(error) {
  const item = make("li");
  const to = make("button", `line ${error.line}, column ${error.column}: ${error.message}`);
  to.type = "button";
  to.addEventListener("click", () => {
    const text = byId("text");
    text.focus();
    text.setSelectionRange(error.from, error.from + Math.max(error.units, 1));
  });
  const line = state.text.split("\n")[error.line - 1] ?? "";
  const before = [...line].slice(0, error.column - 1).map((letter) => (letter === "\t" ? "\t" : " ")).join("");
  const place = make("pre", `${line}\n${before}${"^".repeat(Math.min(error.length, Math.max(1, line.length - error.column + 1)))}`);
  place.setAttribute("aria-hidden", "true");
  item.append(to, place);
  if (error.help) item.append(make("div", `help: ${error.help}`));
  return item;
}

// One vertex, and the picture.
function run() {
  const answer = ask({ ask: "run", ...running() });
  if (answer.error) {
    byId("said").textContent = `${answer.error}.`;
    return;
  }
  ran = answer;
  showConstants();
  showOutputs();
  draw();
}

function draw() {
  const canvas = byId("picture");
  const pen = canvas.getContext("2d");
  const answer = ask({ ask: "draw", ...running(), width: canvas.width, height: canvas.height, other: byId("drawn-by").value === "other" });
  pen.clearRect(0, 0, canvas.width, canvas.height);
  byId("turn-says").textContent = `${state.turn}°`;
  if (answer.error) {
    byId("drawn").textContent = `${answer.error}.`;
    return;
  }
  pen.putImageData(new ImageData(answer.pixels, answer.width, answer.height), 0, 0);
  const parts = [`${answer.vertices} vertices in the interpreter, ${answer.triangles} triangles.`];
  parts.push(`${answer.differing} of ${answer.words} words differ between hw and ${ran.beside}.`);
  if (answer.left_out) parts.push(`${answer.left_out} triangles are left out: they are behind the eye, are not numbers, or cover too many pixels.`);
  if (answer.ended) parts.push(`${answer.ended} vertices were stopped: they ran too many slots, or their stack was too deep.`);
  byId("drawn").textContent = parts.join(" ");
  byId("drawn").dataset.digests = answer.digests.join(" ");
}

// Sliders for a row of constants.
function showConstants() {
  const select = byId("row");
  const names = ran.constants.map(({ row, name }) => `c[${row}]${name ? `: ${name}` : ""}`);
  if (JSON.stringify(all("option", select).map((option) => option.textContent)) !== JSON.stringify(names)) {
    const before = select.value;
    select.replaceChildren(...ran.constants.map(({ row }, at) => new Option(names[at], row)));
    // A colour is a better first choice than a row of a matrix.
    const first = ran.constants.find(({ name }) => name.includes("colour")) ?? ran.constants[0];
    select.value = ran.constants.some(({ row }) => String(row) === before) ? before : String(first?.row ?? "");
    sliders();
  }
  byId("constants").hidden = names.length === 0;
}

function sliders() {
  const row = ran.constants.find(({ row }) => String(row) === byId("row").value);
  byId("sliders").replaceChildren(...(row ? ["x", "y", "z", "w"].map((name, at) => {
    const line = make("div", undefined, "component");
    const slider = make("input");
    const field = make("input");
    const value = Number(row.text[at]);
    const span = Number.isFinite(value) ? Math.max(1, 2 * Math.abs(value)) : 1;
    Object.assign(slider, { type: "range", min: -span, max: span, step: span / 200 });
    slider.value = Number.isFinite(value) ? value : 0;
    slider.setAttribute("aria-label", `${name} of c[${row.row}]`);
    field.value = row.text[at];
    field.setAttribute("aria-label", `${name} of c[${row.row}], a number or bits`);
    field.spellcheck = false;
    const set = (text) => {
      const now = state.constants[row.row] ?? [...row.text];
      now[at] = text;
      state.constants[row.row] = now;
      soon(run);
    };
    slider.addEventListener("input", () => { field.value = String(Number(Number(slider.value).toPrecision(6))); set(field.value); });
    field.addEventListener("change", () => set(field.value));
    line.append(make("span", name), slider, field);
    return line;
  }) : []));
}

// What happens often is done once for each picture of the screen.
let waiting = new Set();
function soon(act) {
  if (waiting.size === 0) {
    requestAnimationFrame(() => {
      const acts = waiting;
      waiting = new Set();
      for (const one of acts) one();
      remember();
    });
  }
  waiting.add(act);
}

function showOutputs() {
  heads(byId("outputs-head"), ["register", "hw", ran.beside, "bits that differ"]);
  const lines = [];
  for (const output of ran.outputs) {
    ["x", "y", "z", "w"].forEach((name, at) => {
      const line = make("tr");
      const head = make("td", `${output.name}.${name}`);
      const cell = (hex, text) => {
        const cell = make("td");
        cell.append(`${hex}  ${text}\n`, binary(hex, output.differs[at]));
        return cell;
      };
      line.append(head, cell(output.hw[at], output.hw_text[at]), cell(output.other[at], output.other_text[at]));
      const differing = count(output.differs[at]);
      line.append(make("td", differing ? String(differing) : "none", "number"));
      lines.push(line);
    });
  }
  byId("outputs-rows").replaceChildren(...lines);
  const fields = ran.inputs.map(({ register, name, text }) => {
    const line = make("div");
    line.append(make("span", `v${register}${name ? ` ${name}` : ""}`));
    text.forEach((value, at) => {
      const field = make("input");
      field.value = value;
      field.spellcheck = false;
      field.setAttribute("aria-label", `${"xyzw"[at]} of v${register}`);
      field.addEventListener("change", () => {
        const now = state.inputs[register] ?? [...text];
        now[at] = field.value;
        state.inputs[register] = now;
        soon(run);
      });
      line.append(field);
    });
    return line;
  });
  const inputs = make("div", undefined, "inputs");
  inputs.append(...fields);
  // Who writes in one of them goes on writing there.
  const focused = all("#inputs input").indexOf(document.activeElement);
  byId("inputs").replaceChildren(inputs);
  if (focused >= 0) all("#inputs input")[focused]?.focus();
}

// Slots, and the fields of one.
function showSlots() {
  const { reads, writes } = shown.facts;
  byId("facts").textContent = `Reads ${reads.map((one) => one.name).join(" ") || "nothing"}; writes ${writes.join(" ") || "nothing"}.`;
  heads(byId("slots-head"), ["slot", "words", "instruction"]);
  byId("slots-rows").replaceChildren(...shown.slots.map((slot, at) => {
    const line = make("tr");
    line.append(make("td", String(slot.slot)), make("td", slot.words.join(" "), "faint"), make("td", slot.text));
    onChoice(line, () => chooseSlot(at));
    return line;
  }));
  chooseSlot(0);
}

function chooseSlot(at) {
  const slot = shown.slots[at];
  all("#slots-rows tr").forEach((line, number) => line.classList.toggle("chosen", number === at));
  byId("slot-title").textContent = `Slot ${slot.slot}: ${slot.text}`;
  const bits = byId("slot-bits");
  bits.setAttribute("aria-label", `The bits of the slot: ${slot.words.join(" ")}`);
  bits.replaceChildren(...[...slot.bits].map((bit) => make("span", bit, bit === "1" ? "one" : "")));
  heads(byId("fields-head"), ["bits", "field", "value", "meaning"]);
  byId("fields-rows").replaceChildren(...shown.fields.map(({ name, lo, hi, meaning, inner }) => {
    const line = make("tr");
    const value = parseInt(slot.bits.slice(128 - hi, 128 - lo), 2);
    line.append(make("td", hi - lo === 1 ? String(lo) : `${hi - 1}..${lo}`), make("td", inner ? `  ${name}` : name), make("td", String(value)), make("td", meaning, "wrap"));
    const light = (on) => () => all("span", bits).slice(128 - hi, 128 - lo).forEach((bit) => bit.classList.toggle("on", on));
    line.addEventListener("mouseenter", light(true));
    line.addEventListener("mouseleave", light(false));
    return line;
  }));
  all("#lines li").forEach((line) => line.classList.toggle("chosen", line.dataset.place === String(at)));
}

function showStage() {
  // There may be thousands of lines: they are made once somebody looks.
  if (byId("stages").hidden || !shown) return;
  const select = byId("stage");
  const { stages } = shown;
  const note = byId("stage-note");
  byId("lines").replaceChildren();
  byId("stage-count").textContent = "";
  if (stages.error) {
    note.textContent = `${stages.error}.`;
    return;
  }
  if (select.options.length === 0) stages.forEach((stage) => select.append(new Option(stage.title, stage.name)));
  const stage = stages.find(({ name }) => name === select.value) ?? stages[0];
  note.textContent = `${stage.note} The operations of the slot that is chosen under "Words and bits" are marked.`;
  byId("stage-count").textContent = `${stage.operations} operations`;
  const chosen = all("#slots-rows tr").findIndex((line) => line.classList.contains("chosen"));
  byId("lines").replaceChildren(...stage.lines.map(([place, text, head]) => {
    const line = make("li", text, head ? "head" : place === chosen ? "chosen" : "");
    line.dataset.place = place;
    return line;
  }));
}

function showClocks() {
  const { clocks } = shown;
  const tables = ["clocks", "boards"].map((name) => byId(`${name}-rows`));
  if (clocks.error) {
    byId("clocks-says").textContent = `${clocks.error}.`;
    for (const table of tables) table.replaceChildren();
    byId("diagram").textContent = "";
    return;
  }
  const number = (value) => value.toFixed(2);
  byId("clocks-says").textContent = `A vertex takes ${number(clocks.clocks)} clocks, ${number(clocks.waits)} of them waiting; alone it takes ${clocks.latency}. `
    + `${clocks.at_a_time} vertices are worked on at a time, of ${clocks.under_way} under way. The vector unit works ${clocks.vector} % of the time, the scalar unit ${clocks.scalar} %.`;
  byId("clocks-note").textContent = clocks.note;
  heads(byId("clocks-head"), ["slot", "runs", "waits for results", "for units", "for branches", "instruction"]);
  tables[0].replaceChildren(...clocks.slots.map((slot) => {
    const line = make("tr");
    line.append(make("td", String(slot.slot), "number"));
    for (const value of [slot.runs, slot.results, slot.units, slot.branches]) line.append(make("td", number(value), "number"));
    line.append(make("td", slot.text));
    return line;
  }));
  byId("diagram").textContent = clocks.diagram;
  heads(byId("boards-head"), ["board", "MHz", "units", "million vertices a second"]);
  tables[1].replaceChildren(...clocks.boards.map((board) => {
    const line = make("tr");
    line.append(make("td", board.board), make("td", String(board.mhz), "number"), make("td", String(board.units), "number"), make("td", (board.vertices / 1e6).toFixed(1), "number"));
    return line;
  }));
}

// Numbers.

function numbers() {
  if (byId("numbers").hidden) return;
  const answer = ask({ ask: "numbers", a: state.a, b: state.b, c: state.c, function: state.function, rules: state.rules });
  const described = about.functions.find(({ name }) => name === state.function);
  byId("function-says").textContent = `${described.name}: ${described.what}.`;
  ["a", "b", "c"].forEach((name, at) => { byId(name).closest("label").hidden = at >= described.operands; });
  byId("numbers-flaw").hidden = !answer.error;
  byId("numbers-flaw").textContent = answer.error ? `${answer.error}.` : "";
  if (answer.error) return;
  answer.operands.forEach(({ bits, text }, at) => { byId(`${"abc"[at]}-says`).textContent = `${bits}, ${text}`; });
  const chip = answer.table[answer.against];
  byId("against").textContent = `Marked bits differ from ${chip.name}. Choose another row to compare with that, and to see its steps.`;
  heads(byId("numbers-head"), ["arithmetic", ...described.components.map((component) => (component ? `result, ${component}` : "result"))]);
  const focused = all("#numbers-rows tr").indexOf(document.activeElement);
  byId("numbers-rows").replaceChildren(...answer.table.map((one, at) => {
    const line = make("tr");
    const name = make("td");
    name.append(`${one.name}\n`, make("span", one.what, "faint"));
    name.className = "wrap";
    line.append(name, ...one.results.map(({ bits, text, differs }) => {
      const cell = make("td");
      cell.append(`${bits}  ${text}\n`, binary(bits, differs));
      return cell;
    }));
    line.classList.toggle("chosen", at === answer.against);
    onChoice(line, () => { state.rules = one.rules; numbers(); });
    return line;
  }));
  if (focused >= 0) all("#numbers-rows tr")[focused]?.focus();
  const named = ({ name, what, kind, rules }) => new Option(kind === "preset" ? `${name}: ${what}` : name, rules);
  byId("rules").replaceChildren(...answer.table.map(named));
  byId("rules").value = chip.rules;
  byId("steps-title").textContent = `Step by step: ${described.name} of ${chip.name}`;
  byId("parts").replaceChildren(...answer.steps.flatMap(part));
  remember();
}

// The way to a component: a title, and for each step a text and rows of bits under each other.
function part({ component, result, steps }) {
  const places = Math.max(...steps.flatMap((step) => step.rows.map((row) => row.bits.trimEnd().length)));
  const title = component ? [make("h3", `Component ${component}: ${result}`)] : [];
  return [...title, ...steps.map((step) => {
    const whole = make("div", undefined, "step");
    whole.append(make("h4", step.title), make("p", step.text));
    for (const row of step.rows) {
      const bits = make("div", undefined, "bits");
      bits.setAttribute("role", "img");
      bits.setAttribute("aria-label", `${row.label}${row.sign ? `, ${row.sign === "+" ? "plus" : "minus"}` : ""}: ${row.says}`);
      bits.style.setProperty("--places", places);
      [...row.bits.slice(0, places)].forEach((bit, at) => bits.append(make("b", bit === " " ? "\u00a0" : bit, `bit ${row.kinds[at] === "-" ? "none" : row.kinds[at]}`)));
      const label = make("div", `${row.sign} ${row.label}`, "bits-label");
      label.setAttribute("aria-hidden", "true");
      whole.append(label, bits);
    }
    return whole;
  })];
}

// What the page is set to, in its controls.
function show() {
  byId("text").value = state.text;
  byId("generation").value = state.generation;
  byId("pair").checked = state.pair;
  byId("legacy").checked = state.legacy;
  byId("turn").value = state.turn;
  byId("vertex").value = state.vertex;
  for (const name of ["a", "b", "c"]) byId(name).value = state[name];
  for (const radio of all("#functions input")) radio.checked = radio.value === state.function;
  besides();
  openTab(state.tab);
  openView(state.view);
  update();
  numbers();
}

// The arithmetics to compare hw with depend on the chip, and so do legacy rules.
function besides() {
  const possible = about.beside.filter(({ generations }) => generations.includes(state.generation));
  if (!possible.some(({ name }) => name === state.beside)) state.beside = "ieee";
  byId("beside").replaceChildren(...possible.map(({ name }) => new Option(name === "ieee" ? name : `preset ${name}`, name)));
  byId("beside").value = state.beside;
  byId("drawn-by").options[1].textContent = byId("beside").selectedOptions[0].textContent;
  byId("legacy-label").hidden = state.generation === "kelvin";
}

async function copied(button) {
  address();
  const before = button.textContent;
  try {
    await navigator.clipboard.writeText(location.href);
    button.textContent = "Copied";
  } catch {
    button.textContent = "It is in the address";
  }
  setTimeout(() => { button.textContent = before; }, 2000);
}

let openTab;
let openView;
function listen() {
  openTab = tabs(all("[role=tablist]")[0], (panel) => { state.tab = panel; numbers(); remember(); });
  openView = tabs(byId("results").querySelector("[role=tablist]"), (panel) => { state.view = panel; showStage(); remember(); });
  const on = (id, event, act) => byId(id).addEventListener(event, act);
  let timer;
  on("text", "input", () => {
    state.text = byId("text").value;
    clearTimeout(timer);
    timer = setTimeout(update, 200);
  });
  on("example", "change", () => {
    const example = about.examples[byId("example").value];
    if (!example) return;
    Object.assign(state, { text: example.text, generation: example.generation, constants: {}, inputs: {} });
    byId("row").replaceChildren();
    show();
  });
  on("generation", "change", () => { state.generation = byId("generation").value; besides(); update(); });
  on("pair", "change", () => { state.pair = byId("pair").checked; update(); });
  on("legacy", "change", () => { state.legacy = byId("legacy").checked; update(); });
  for (const radio of all("#notations input")) {
    radio.addEventListener("change", () => { byId("text").value = state.text = shown[radio.value]; update(); });
  }
  on("turn", "input", () => { state.turn = Number(byId("turn").value); soon(run); });
  on("drawn-by", "change", draw);
  on("row", "change", sliders);
  on("reset", "click", () => { delete state.constants[byId("row").value]; run(); sliders(); remember(); });
  on("reset-all", "click", () => { state.constants = {}; run(); sliders(); remember(); });
  on("beside", "change", () => { state.beside = byId("beside").value; besides(); run(); remember(); });
  on("vertex", "change", () => {
    state.vertex = Math.min(Math.max(0, Math.trunc(Number(byId("vertex").value)) || 0), about.vertices - 1);
    byId("vertex").value = state.vertex;
    run();
    remember();
  });
  on("reset-inputs", "click", () => { state.inputs = {}; run(); remember(); });
  on("stage", "change", showStage);
  for (const name of ["a", "b", "c"]) on(name, "input", () => { state[name] = byId(name).value; numbers(); });
  on("rules", "change", () => { state.rules = byId("rules").value; numbers(); });
  on("link", "click", () => copied(byId("link")));
  on("numbers-link", "click", () => copied(byId("numbers-link")));
  addEventListener("hashchange", () => { recall(); show(); });
}

// The choices that the library names.
function fill() {
  byId("built").textContent = `Version ${about.version}; library built from sources ${about.sources}. Everything runs here; nothing is sent anywhere.`;
  byId("example").append(new Option("Choose one", ""), ...about.examples.map(({ name }, at) => new Option(name, at)));
  byId("generation").append(...about.generations.map(({ name, known }) => new Option(`${name}: ${known}`, name)));
  byId("vertex").max = about.vertices - 1;
  // Until there is a table, which has those of the function.
  byId("rules").append(...about.rules.map((name) => new Option(name.replaceAll("_", " "), name)));
  byId("functions").append(make("span", "Function", "faint"), ...about.functions.map(({ name }) => {
    const label = make("label");
    const radio = make("input");
    Object.assign(radio, { type: "radio", name: "function", value: name });
    radio.addEventListener("change", () => { state.function = name; numbers(); });
    label.append(radio, ` ${name}`);
    return label;
  }));
}

const themes = ["system", "light", "dark"];
let theme = 0;
byId("theme").addEventListener("click", () => {
  theme = (theme + 1) % themes.length;
  byId("theme").textContent = `Theme: ${themes[theme]}`;
  if (theme === 0) delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = themes[theme];
});

load().then(() => {
  about = ask({ ask: "about" });
  fill();
  listen();
  recall();
  show();
  document.documentElement.dataset.ready = "yes";
}).catch((flaw) => {
  byId("failure").hidden = false;
  byId("failure").textContent = `The library could not be loaded: ${flaw}. This page needs a browser of 2023 or later.`;
  document.documentElement.dataset.ready = "no";
});
