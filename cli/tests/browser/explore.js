// Runs in the page of `xfjit explore`, behind its own script and common.js.
function run() {
  const shown = JSON.parse(document.getElementById("data").textContent);
  const stageOf = (pane) => shown.stages[pane.querySelector("select").value];
  equal(document.getElementById("title").textContent, shown.title, "title");
  equal(all("#facts b").map((value) => value.textContent), shown.facts.map(([, value]) => value), "facts");
  const rows = all("#rows tr");
  equal(rows.length, shown.places.length, "rows");
  check(rows.every((row, at) => row.textContent.includes(shown.places[at].text)), "texts of rows");

  // A place, in both panes and with its fields.
  const panes = all("section.stage");
  for (const at of new Set([0, Math.floor(rows.length / 2), rows.length - 1])) {
    rows[at].click();
    const place = shown.places[at];
    equal(document.getElementById("detail-title").textContent, `${place.label}: ${place.text}`, "title of the detail");
    for (const pane of panes) {
      const lines = stageOf(pane).lines.filter(([of]) => of === at).map(([, text]) => text);
      equal(all("li.chosen", pane).map((line) => line.textContent), lines, `lines of ${place.name}`);
    }
    const fields = all("#detail tbody tr");
    equal(fields.length, shown.fields.length, "fields");
    fields.forEach((row, field) => {
      equal(Number(row.cells[2].textContent), place.values[field], `${shown.fields[field].name} of ${place.name}`);
      row.dispatchEvent(new MouseEvent("mouseenter"));
      const bits = all(".bits .on").map((bit) => bit.textContent).join("");
      const { lo, hi } = shown.fields[field];
      equal(bits, place.values[field].toString(2).padStart(hi - lo, "0"), `bits of ${shown.fields[field].name}`);
      row.dispatchEvent(new MouseEvent("mouseleave"));
    });
    equal(all(".bits .on").length, 0, "bits behind");
  }
  if (shown.has_words) check(all("#detail a").every((link) => /^https:.*#/.test(link.href)), "links");
  rows[rows.length - 1].click();
  equal(all(".chosen").length, 0, "chosen twice is none");

  // Every stage, in the pane whose bars it makes.
  const right = document.getElementById("right");
  const select = right.querySelector("select");
  shown.stages.forEach((stage, number) => {
    select.value = number;
    select.dispatchEvent(new Event("change"));
    equal(all("li", right).map((line) => line.textContent), stage.lines.map(([, text]) => text), `lines of ${stage.name}`);
    const instructions = stage.lines.filter(([, , isHead]) => !isHead).length;
    if (stage.instructions) equal(stage.instructions, instructions, stage.name);
    check(right.querySelector("output").textContent.startsWith(`${stage.instructions} instruction`), `count of ${stage.name}`);
    const counts = shown.places.map((_, at) => stage.lines.filter(([of, , isHead]) => of === at && !isHead).length);
    equal(rows.map((row) => Number(row.dataset.count)), counts, `bars of ${stage.name}`);
    check(location.hash.includes(`right=${stage.name}`), "address");
  });

  // Search.
  const left = document.getElementById("left");
  const search = left.querySelector("input");
  search.value = "MUL";
  search.dispatchEvent(new Event("input"));
  const wanted = stageOf(left).lines.filter(([, text]) => text.toLowerCase().includes("mul")).length;
  equal(all("li.found", left).length, wanted, "found");
  if (wanted > 1) {
    equal(left.querySelector("output").textContent, `1 of ${wanted}`, "first of those found");
    press("Enter", search);
    equal(left.querySelector("output").textContent, `2 of ${wanted}`, "second of those found");
    equal(all("li.now", left).length, 1, "where it is");
  }
  search.value = "nowhere at all";
  search.dispatchEvent(new Event("input"));
  equal(left.querySelector("output").textContent, "nothing found", "nothing");
  press("Escape", search);
  equal(search.value, "", "search ended");

  // The keyboard.
  press("j");
  press("j");
  equal(all("tr.chosen").length, rows.length > 0 ? 1 : 0, "chosen by key");
  check(rows[Math.min(1, rows.length - 1)]?.getAttribute("aria-selected") === "true", "the second one");
  press("k");
  check(rows[0]?.classList.contains("chosen"), "the first one again");
  press("Escape");
  equal(all("tr.chosen").length, 0, "none");
  press("Enter", rows[0]);
  check(rows[0].classList.contains("chosen"), "chosen by Enter");
  press("/");
  check(document.activeElement === search, "search by key");
  search.blur();

  looks();
}
