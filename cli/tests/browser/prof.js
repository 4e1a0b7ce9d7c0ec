// Runs in the page of `xfjit prof`, behind its own script and common.js.
function run() {
  const shown = JSON.parse(document.getElementById("data").textContent);
  const rows = () => all("#rows tr");
  const names = () => rows().map((row) => row.cells[0].textContent);
  equal(document.getElementById("title").textContent, shown.capture, "title");
  equal(all("#finding p").map((line) => line.textContent), shown.finding, "finding");

  // Without a click: the most expensive program, and what it is made of.
  const byCost = [...shown.programs].sort((a, b) => b.ns - a.ns);
  equal(names(), byCost.map((program) => program.name), "programs by cost");
  const title = () => document.getElementById("program-title").textContent;
  equal(title(), byCost[0].name, "the first one");
  equal(all("#rows tr.chosen").map((row) => row.cells[0].textContent), [byCost[0].name], "chosen");
  const text = (column, row) => row.cells[column].textContent.trim();
  shown.programs.forEach((program, number) => {
    const row = rows().find((row) => row.cells[0].textContent === program.name);
    equal([text(1, row), text(4, row)], [`${(100 * program.share).toFixed(1)}%`, program.vertices ? (program.ns / program.vertices).toFixed(2) : "-"], `figures of ${program.name}`);
    row.click();
    equal(title(), program.name, "title of the program");
    equal(all("#about ul li").map((line) => line.textContent), program.guards.map((guard) => guard.text), `guards of ${program.name}`);

    // Slots in the order of the program, with their part of its time.
    const short = (place) => place.replace(/^slot /, "");
    const slots = all("#slots tr").map((line) => [text(0, line), text(1, line), text(2, line)]);
    const want = program.slots.map((slot) => [short(slot.place), slot.text, `${(100 * slot.share).toFixed(1)}%`]);
    equal([...slots].sort(), [...want].sort(), `slots of ${program.name}`);
    if (program.slots.every((slot) => slot.text)) equal(slots.map(([slot]) => Number(slot)), slots.map(([slot]) => Number(slot)).sort((a, b) => a - b), "order of slots");

    // What belongs together: a slot, operations and machine code.
    const stages = shown.details[number].stages ? unpack(shown.details[number].stages) : [];
    ["ir", "code"].forEach((id, which) => {
      const lines = all(`#${id} li:not(.absent)`).map((line) => line.textContent);
      equal(lines, (stages[which]?.lines ?? []).map(([, line]) => line), `lines of ${id} of ${program.name}`);
    });
    for (const index of new Set([0, program.slots.length - 1])) {
      const slot = program.slots[index];
      const line = all("#slots tr").find((line) => text(0, line) === short(slot.place) && text(1, line) === slot.text);
      line.click();
      equal(all("#slots tr.chosen").length, 1, "one slot is chosen");
      ["ir", "code"].forEach((id, which) => {
        const want = (stages[which]?.lines ?? []).filter(([place]) => place === index).map(([, text]) => text);
        equal(all(`#${id} li.chosen`).map((line) => line.textContent), want, `${id} of ${slot.place}`);
      });
      line.click();
      equal(all("#panes .chosen").length, 0, "none");
    }
    if (stages.length) check(stages[0].lines.some(([place]) => place >= 0), `operations of ${program.name} have places`);

    // Constants as numbers, with the bits of the JSON.
    const constants = all(".constants tbody tr").map((line) => [text(0, line), ...[1, 2, 3, 4].map((column) => text(column, line))]);
    const floats = new DataView(new ArrayBuffer(4));
    const value = (bits) => { floats.setUint32(0, bits); const value = floats.getFloat32(0); return Number.isFinite(value) ? String(Number(value.toPrecision(6))) : String(value); };
    equal(constants, program.constants.map(({ row, bits }) => [`c[${row}]`, ...bits.map(value)]), `constants of ${program.name}`);
    const { picture } = shown.details[number];
    equal(all("#about img").map((image) => [image.src, image.width]), picture ? [[picture.url, picture.width]] : [], `picture of ${program.name}`);
  });

  // Plots, and the table behind them: the sums are those of the parts, the chosen program's part is marked.
  const figures = all("#figures svg");
  check(figures.length >= 3 && figures.every((figure) => figure.querySelector("title").textContent !== ""), "figures have titles");
  const details = document.getElementById("columns-table");
  details.open = true;
  details.dispatchEvent(new Event("toggle"));
  const columns = all("tbody tr", details);
  equal(columns.length, Math.ceil(shown.over.draws / shown.over.each), "columns");
  const whole = (text) => Number(text.replaceAll(",", ""));
  [["vertices", 3, 2], ["calls", 2, 3]].forEach(([name, part, cell]) => {
    const sum = shown.over.parts.reduce((sum, parts) => sum + parts[part], 0);
    equal(columns.reduce((sum, row) => sum + whole(row.cells[cell].textContent), 0), sum, `sum of ${name}`);
    equal(sum, shown.programs.reduce((sum, program) => sum + (name === "calls" ? program.batches : program.vertices), 0), `${name} of all programs`);
  });
  const hit = all("#figures .wide .hit")[0];
  hit.dispatchEvent(new MouseEvent("click", { bubbles: true }));
  const first = shown.over.parts.filter(([column]) => column === 0).sort((a, b) => b[4] - a[4])[0];
  equal(title(), shown.programs[first[1]].name, "the program of a column");
  check(all("#figures .wide .mine")[0].getAttribute("d") !== "", "its part is marked");

  // Every column sorts, both ways.
  const heads = () => all("#columns button");
  heads().forEach((_, column) => {
    const orders = [0, 1].map(() => {
      heads()[column].click();
      return [all("th[aria-sort]").map((head) => head.textContent), names()];
    });
    equal(orders[0][0], [heads()[column].textContent], "sorted by");
    equal([...orders[0][1]].sort(), [...orders[1][1]].sort(), "the same programs");
    const cells = new Set(rows().map((row) => row.cells[column].textContent));
    if (cells.size === rows().length) equal(orders[0][1], [...orders[1][1]].reverse(), `both ways by ${heads()[column].textContent}`);
  });

  // Search finds instructions.
  const search = document.getElementById("search");
  search.value = "MUL";
  search.dispatchEvent(new Event("input"));
  const wanted = shown.programs.filter((program) => [program.name, program.tier, ...program.slots.map((slot) => slot.text), ...program.guards.map((guard) => guard.text)].some((text) => text.toLowerCase().includes("mul")));
  equal(rows().length, wanted.length, "found");
  equal(document.getElementById("count").textContent, `${wanted.length} of ${shown.programs.length}`, "count");
  press("Escape", search);
  equal(rows().length, shown.programs.length, "search ended");

  // The keyboard: programs, and the slots of one.
  rows()[0].click();
  press("j");
  equal(title(), names()[Math.min(1, rows().length - 1)], "the next one");
  press("k");
  equal(title(), names()[0], "the one before");
  press("Enter", rows()[rows().length - 1]);
  equal(title(), names()[rows().length - 1], "the last one by Enter");
  check(location.hash.includes(encodeURIComponent(title())), "address");
  press("n");
  equal(all("#slots tr.chosen").map((line) => text(0, line)), [text(0, all("#slots tr")[0])], "the first slot");
  press("Escape");
  equal(all("#slots tr.chosen").length, 0, "no slot");
  press("/");
  check(document.activeElement === search, "search by key");
  search.blur();
  looks();
}
