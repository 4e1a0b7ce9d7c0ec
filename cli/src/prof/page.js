const hash = new URLSearchParams(location.hash.slice(1));
const { attached } = data;
const perVertex = (program) => (program.vertices > 0 ? program.ns / program.vertices : null);
const spread = (program) => (program.ns > 0 ? (program.ns_range[1] - program.ns_range[0]) / program.ns : 0);
head(data.capture, [
  ...(attached
    ? [["programs take", time(data.ns)], ["watched", `${of(attached.seconds, 1)} s`], ["programs", data.programs.length],
      ["records", `${attached.records.toLocaleString("en")}, ${attached.lost.toLocaleString("en")} lost`], ["by", data.target.split(" has_")[0]]]
    : [["a play takes", time(data.ns)], ["draws", data.over.draws.toLocaleString("en")], ["programs", data.programs.length],
      ["played", `${data.times} times`], ["by", data.target.split(" has_")[0]], ["arithmetic", data.arithmetic]]),
]);
tell(data.finding);

let chosen = 0;
const table = sorting({
  columns: [
    { name: "program", key: called },
    { name: "share", key: (program) => program.share, text: (program) => percent(program.share), className: "share", before: (program) => { const place = make("span"); place.append(bar(program.share)); return place; } },
    { name: "time", key: (program) => program.ns, text: (program) => time(program.ns), className: "number" },
    { name: "run again", key: (program) => program.fallback_ns / Math.max(program.ns, 1e-9), text: (program) => percent(program.fallback_ns / Math.max(program.ns, 1e-9)), className: "number" },
    { name: "ns/vertex", key: perVertex, text: (program) => of(perVertex(program), 2), className: "number minor" },
    { name: "noise", key: spread, text: (program) => percent(spread(program)), className: "number minor" },
    { name: "chip clocks", key: (program) => program.chip_clocks, text: (program) => of(program.chip_clocks, 2), className: "number minor" },
    { name: "vertices", key: (program) => program.vertices, text: (program) => of(program.vertices, 0), className: "number minor" },
    { name: "calls", key: (program) => program.batches, text: (program) => of(program.batches, 0), className: "number minor" },
    { name: "guarded", key: (program) => program.guarded, text: (program) => of(program.guarded, 0), className: "number minor" },
    { name: "tier", key: (program) => program.tier, className: "minor" },
  ],
  items: data.programs,
  sorted: 1,
  texts: (program) => [called(program), program.tier, ...program.slots.map((slot) => slot.text), ...program.guards.map((guard) => guard.text)],
  choose,
});

const unpacked = new Map();
function stagesOf(number) {
  if (!unpacked.has(number)) unpacked.set(number, data.details[number].stages ? unpack(data.details[number].stages) : null);
  return unpacked.get(number);
}

// A program: what it is, what its guards are about, what it looked like, what it reads.
function choose(number) {
  chosen = number;
  table.mark(number);
  const program = data.programs[number];
  byId("program-title").textContent = program ? called(program) : "No program";
  if (!program) {
    byId("about").replaceChildren(make("p", attached ? "No program has run." : "The capture contains no draws."));
    return;
  }
  plots.mark(number);
  byId("about").replaceChildren(...[looked(number), described(program), constants(program)].filter((part) => part));
  panes(number);
  remember();
}

function looked(number) {
  const { picture } = data.details[number];
  if (!picture) return null;
  const figure = make("figure");
  const image = make("img");
  image.src = picture.url;
  [image.width, image.height] = [picture.width, picture.height];
  const draw = `draw ${data.programs[number].draw + 1}, ${picture.vertices.toLocaleString("en")} vertices`;
  image.alt = `The output of ${draw}. ${picture.note}`;
  const lost = picture.lost ? ` ${picture.lost} ${picture.lost === 1 ? "vertex" : "vertices"} with a NaN or infinite position ${picture.lost === 1 ? "is" : "are"} left out.` : "";
  figure.append(image, make("figcaption", `The most expensive draw of this program: ${draw}.${lost}`), make("p", picture.note, "note"));
  return figure;
}

function described(program) {
  const part = make("div");
  const [calls, vertices] = [program.batches, program.vertices];
  part.append(make("p", `This program takes ${percent(program.share)} of the time: ${time(program.ns)}${attached ? "" : " a play"}, ${of(perVertex(program), 2)} ns a vertex${program.chip_clocks === null ? "" : `; on the chip ${of(program.chip_clocks, 1)} clocks a vertex`}. ${attached ? "" : `The middle half of the plays took ${time(program.ns_range[0])} to ${time(program.ns_range[1])}.`}`));
  part.append(make("p", `${calls.toLocaleString("en")} call${calls === 1 ? "" : "s"} of ${of(vertices / Math.max(calls, 1), 1)} vertices. Runs as ${program.tier.replace(/native, (\d+)/, "native code, $1 vertices at a time")}; ${program.code_bytes.toLocaleString("en")} bytes of code, compiled in ${time(1000 * program.compile_us)}.`));
  if (program.guards.length) {
    const [groups, left] = [program.guarded, program.guarded_vertices].map((count) => of(count, 0));
    part.append(make("p", `Native code leaves ${left} vert${left === "1" ? "ex" : "ices"} of ${groups} group${groups === "1" ? "" : "s"} to the interpreter${attached ? "" : " in a play"}. The interpreter takes ${time(program.fallback_ns)} for them, ${percent(program.fallback_ns / Math.max(program.ns, 1e-9))} of the program's time. The reasons:`));
    const list = make("ul");
    for (const guard of program.guards) list.append(make("li", guard.text));
    part.append(list);
  }
  return part;
}

const words = new DataView(new ArrayBuffer(4));
function number(bits) {
  words.setUint32(0, bits);
  const value = words.getFloat32(0);
  return Number.isFinite(value) ? String(Number(value.toPrecision(6))) : String(value);
}

function constants(program) {
  if (program.constants.length === 0) return null;
  const part = make("div");
  part.append(make("h3", `Constants that the program reads${program.is_indexed ? " (it also reads others by an index)" : ""}, in draw ${program.draw + 1}`));
  const scroll = make("div", undefined, "scroll");
  scroll.tabIndex = 0;
  scroll.setAttribute("role", "region");
  scroll.setAttribute("aria-label", "Constants");
  const table = make("table", undefined, "constants");
  heads(table.createTHead().insertRow(), [["row"], ["x", "number"], ["y", "number"], ["z", "number"], ["w", "number"], ["changes", "number"]]);
  const inside = table.createTBody();
  for (const { row, bits, changes } of program.constants) {
    const line = inside.insertRow();
    line.append(make("td", `c[${row}]`), ...bits.map((word) => make("td", number(word), "number")), make("td", changes, "number"));
  }
  scroll.append(table);
  part.append(scroll);
  return part;
}

// Microcode, operations and machine code side by side: what comes of a slot has its place among the slots of the report.
heads(byId("slot-columns"), [["slot"], ["instruction"], ["share", "number"], ["ns/vertex", "number"], ["clocks", "number minor"], ["here, chip"]]);
let place = -1;
let order = [];
let rows = new Map();
let lines = [];

function panes(at) {
  const program = data.programs[at];
  const numbers = program.slots.map((slot, index) => [index, Number((slot.place.match(/^slot (\d+)$/) ?? [0, -1])[1])]);
  // As they follow each other; parts of a configuration by cost.
  order = numbers.sort(([a, x], [b, y]) => x - y || a - b).map(([index]) => index);
  const clocks = program.slots.reduce((sum, slot) => sum + (slot.clocks ?? 0), 0);
  const legend = byId("slots-legend");
  legend.replaceChildren(make("i"), `time here, divided by ${program.divided_by}`);
  if (clocks > 0) legend.append(make("i", undefined, "chip"), "clocks on the chip");
  const shares = (slot) => [slot.share, ...(clocks > 0 ? [(slot.clocks ?? 0) / clocks] : [])];
  const most = Math.max(...program.slots.flatMap(shares), 1e-9);
  const vertex = perVertex(program);
  rows = new Map();
  byId("slots-title").textContent = program.slots.some((slot) => slot.text) ? "Microcode" : "Parts of the configuration";
  byId("slots").replaceChildren(...order.map((index) => {
    const slot = program.slots[index];
    const row = make("tr");
    row.append(make("td", slot.place.replace(/^slot /, "")), make("td", slot.text, "wrap"), make("td", percent(slot.share), "number"),
      make("td", of(vertex === null ? null : vertex * slot.share, 2), "number"), make("td", of(slot.clocks, 2), "number minor"));
    const pair = make("td", undefined, "pair");
    shares(slot).forEach((share, which) => pair.append(bar(share / most, which ? "chip" : "")));
    row.append(pair);
    onChoice(row, () => choosePlace(index));
    row.addEventListener("mouseenter", () => hover(index, true));
    row.addEventListener("mouseleave", () => hover(index, false));
    rows.set(index, row);
    return row;
  }));
  const stages = stagesOf(at);
  const absent = "This page contains this part only for the most expensive programs. xfjit explore shows all of any program.";
  lines = ["ir", "code"].map((id, which) => {
    const stage = stages && stages[which];
    const made = linesOf(stage ? stage.lines : [], { choose: (place) => choosePlace(place, id), hover });
    const note = stage ? stage.note : stages ? "This program has no machine code: the interpreter runs it." : absent;
    byId(id).replaceChildren(...(note ? [make("li", note, "head absent")] : []), ...made.all);
    byId(`${id}-title`).textContent = stage ? `${stage.title}: ${stage.instructions} instructions${stage.bytes ? `, ${stage.bytes} bytes with routines for few vertices` : ""}` : which ? "Machine code" : "Operations of the chip";
    return { id, ...made };
  });
  place = -1;
}

function hover(index, on) {
  rows.get(index)?.classList.toggle("hover", on);
  for (const { of } of lines) for (const line of of.get(index) ?? []) line.classList.toggle("hover", on);
}

function choosePlace(index, from) {
  place = index === place && !from ? -1 : index;
  for (const [at, row] of rows) {
    row.classList.toggle("chosen", at === place);
    row.setAttribute("aria-selected", at === place);
  }
  if (from && rows.has(place)) reveal(rows.get(place));
  for (const { id, all, of } of lines) {
    for (const line of all) line.classList.remove("chosen");
    const own = of.get(place) ?? [];
    for (const line of own) line.classList.add("chosen");
    if (id !== from && own.length) reveal(own[0]);
  }
}

function stepPlace(by) {
  const at = order.indexOf(place);
  const next = order[Math.max(0, Math.min(at + by, order.length - 1))];
  if (next === undefined || next === place) return;
  choosePlace(next, "keys");
}

// The address keeps which program is shown.
function remember() {
  history.replaceState(null, "", `#${new URLSearchParams({ program: data.programs[chosen].name })}`);
}

onKeys({ ...table.keys, n: () => stepPlace(1), p: () => stepPlace(-1), Escape: () => choosePlace(-1, "keys") });
plots.start(choose);
choose(Math.max(0, data.programs.findIndex((program) => program.name === hash.get("program"))));
