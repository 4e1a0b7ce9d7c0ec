head(`${data.before.name} and ${data.after.name}`, [
  ["before", `${time(data.before.ns)} a play, ${data.before.times} plays`], ["after", `${time(data.after.ns)} a play, ${data.after.times} plays`],
]);
tell(data.finding);
const change = (pair) => (pair.after?.ns ?? 0) - (pair.before?.ns ?? 0);
const signed = (ns) => `${ns < 0 ? "-" : "+"}${time(Math.abs(ns))}`;
const most = Math.max(...data.programs.map((pair) => Math.abs(change(pair))), 1e-9);
const table = sorting({
  columns: [
    { name: "program", key: called },
    { name: "verdict", key: (pair) => pair.verdict },
    { name: "before ns/vertex", key: (pair) => pair.before?.ns_per_vertex ?? null, text: (pair) => of(pair.before?.ns_per_vertex, 2), className: "number" },
    { name: "after ns/vertex", key: (pair) => pair.after?.ns_per_vertex ?? null, text: (pair) => of(pair.after?.ns_per_vertex, 2), className: "number" },
    { name: "ratio", key: (pair) => pair.ratio, text: (pair) => of(pair.ratio, 3), className: "number" },
    { name: "95% of ratios", key: (pair) => (pair.interval ? pair.interval.high - pair.interval.low : null), text: (pair) => (pair.interval ? `${pair.interval.low.toFixed(3)} to ${pair.interval.high.toFixed(3)}` : "-"), className: "number minor" },
    { name: "change of a play", key: (pair) => Math.abs(change(pair)), text: (pair) => signed(change(pair)), className: "share", before: (pair) => { const place = make("span"); place.append(bar(Math.abs(change(pair)) / most, change(pair) > 0 ? "chip" : "")); return place; } },
    { name: "guards", key: (pair) => pair.guards_new.length + pair.guards_gone.length, text: (pair) => (pair.guards_new.length + pair.guards_gone.length ? `+${pair.guards_new.length} -${pair.guards_gone.length}` : ""), className: "number minor" },
  ],
  items: data.programs,
  sorted: 6,
  texts: (pair) => [called(pair), pair.verdict, ...pair.guards_new, ...pair.guards_gone],
  choose,
});
function choose(number) {
  table.mark(number);
  const pair = data.programs[number];
  byId("pair-title").textContent = pair ? `${called(pair)}: ${pair.verdict}` : "No program";
  const parts = [];
  if (pair) {
    for (const [name, side] of [["Before", pair.before], ["After", pair.after]]) {
      parts.push(make("p", side ? `${name}: ${time(side.ns)} a play, ${percent(side.share)} of the play, ${of(side.ns_per_vertex, 2)} ns for each of ${side.vertices.toLocaleString("en")} vertices; ${side.code_bytes.toLocaleString("en")} bytes of code.` : `${name}: the program did not run.`));
    }
    for (const [name, guards] of [["New guards", pair.guards_new], ["Guards that are no longer raised", pair.guards_gone]]) {
      if (guards.length === 0) continue;
      const list = make("ul");
      for (const guard of guards) list.append(make("li", guard));
      parts.push(make("p", `${name}:`), list);
    }
  }
  byId("pair").replaceChildren(...parts);
}
onKeys(table.keys);
choose(0);
