// Runs in the page of `xfjit prof`, behind its own script and common.js.
function run() {
  const shown = JSON.parse(document.getElementById("data").textContent);
  const rows = () => all("#rows tr");
  const names = () => rows().map((row) => row.cells[0].textContent);
  equal(document.getElementById("title").textContent, shown.capture, "title");

  // Without a click: the most expensive program, and what it is made of.
  const byCost = [...shown.programs].sort((a, b) => b.ns - a.ns);
  equal(names(), byCost.map((program) => program.name), "programs by cost");
  const title = () => document.getElementById("program-title").textContent;
  equal(title(), byCost[0].name, "the first one");
  equal(all("tr.chosen").map((row) => row.cells[0].textContent), [byCost[0].name], "chosen");
  shown.programs.forEach((program) => {
    rows().find((row) => row.cells[0].textContent === program.name).click();
    equal(title(), program.name, "title of the program");
    const slots = all("#program-body tbody tr").map((row) => [row.cells[0].textContent, row.cells[1].textContent, row.cells[2].textContent]);
    equal(slots, program.slots.map((slot) => [slot.place, slot.text, `${(100 * slot.share).toFixed(1)}%`]), `slots of ${program.name}`);
    equal(all("#program-body li").map((line) => line.textContent), program.guards, `guards of ${program.name}`);
  });

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
  const wanted = shown.programs.filter((program) => [program.name, program.tier, ...program.slots.map((slot) => slot.text), ...program.guards].some((text) => text.toLowerCase().includes("mul")));
  equal(rows().length, wanted.length, "found");
  equal(document.getElementById("count").textContent, `${wanted.length} of ${shown.programs.length}`, "count");
  press("Escape", search);
  equal(rows().length, shown.programs.length, "search ended");
  rows()[0].click();
  press("j");
  equal(title(), names()[Math.min(1, rows().length - 1)], "the next one");
  press("k");
  equal(title(), names()[0], "the one before");
  press("Enter", rows()[rows().length - 1]);
  equal(title(), names()[rows().length - 1], "the last one by Enter");
  press("/");
  check(document.activeElement === search, "search by key");
  search.blur();
  looks();
}
