// Runs in the page of `xfjit prof --diff`, behind its own script and common.js.
function run() {
  const shown = JSON.parse(document.getElementById("data").textContent);
  const rows = () => all("#rows tr");
  equal(all("#finding p").map((line) => line.textContent), shown.finding, "finding");
  equal(rows().map((row) => row.cells[0].textContent), shown.programs.map((pair) => pair.name), "programs");
  shown.programs.forEach((pair, number) => {
    const cells = [...rows()[number].cells].map((cell) => cell.textContent.trim());
    const fixed = (value, digits) => (value === null || value === undefined ? "-" : value.toFixed(digits));
    equal(cells.slice(1, 5), [pair.verdict, fixed(pair.before?.ns_per_vertex, 2), fixed(pair.after?.ns_per_vertex, 2), fixed(pair.ratio, 3)], pair.name);
    rows()[number].click();
    equal(document.getElementById("pair-title").textContent, `${pair.name}: ${pair.verdict}`, "title");
    equal(all("#pair li").map((line) => line.textContent), [...pair.guards_new, ...pair.guards_gone], "guards");
  });
  all("#columns button").forEach((head) => {
    head.click();
    equal(all("th[aria-sort]").map((cell) => cell.textContent), [head.textContent], "sorted by");
    equal(rows().length, shown.programs.length, "the same programs");
  });
  const search = document.getElementById("search");
  search.value = "gone";
  search.dispatchEvent(new Event("input"));
  equal(rows().length, shown.programs.filter((pair) => pair.verdict === "gone" || pair.name.includes("gone")).length, "found");
  press("Escape", search);
  rows()[0].click();
  press("j");
  press("k");
  check(rows()[0].classList.contains("chosen"), "chosen by key");
  looks();
}
