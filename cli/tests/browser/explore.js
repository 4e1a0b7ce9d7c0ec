// Runs in the page of `xfjit explore`, behind its own script. What comes of it stands in #result for tests/browser.rs.
"use strict";
const result = { failures: [], checks: 0 };
addEventListener("error", (event) => result.failures.push(`error: ${event.message}`));
const check = (is, text) => {
  result.checks += 1;
  if (!is) result.failures.push(text);
};
const equal = (left, right, text) => check(JSON.stringify(left) === JSON.stringify(right), `${text}: ${JSON.stringify(left)}, not ${JSON.stringify(right)}`);
const all = (selector, within = document) => [...within.querySelectorAll(selector)];
const press = (key, target = document.body) => target.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));

// Contrast as WCAG 2 defines it.
function contrast() {
  const parse = (text) => (text.match(/[\d.]+/g) ?? [0, 0, 0, 0]).map(Number);
  const light = ([r, g, b]) => {
    const part = (value) => (value / 255 <= 0.04045 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4);
    return 0.2126 * part(r) + 0.7152 * part(g) + 0.0722 * part(b);
  };
  let worst = [99, ""];
  for (const element of all("body *")) {
    const own = [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim() !== "");
    if (!own || element.closest("script, style, noscript, template, [aria-hidden]") || element.getClientRects().length === 0) continue;
    let behind = element;
    while (behind && parse(getComputedStyle(behind).backgroundColor)[3] === 0) behind = behind.parentElement;
    const ground = behind ? parse(getComputedStyle(behind).backgroundColor) : [255, 255, 255];
    const [a, b] = [light(parse(getComputedStyle(element).color)), light(ground)].sort((x, y) => y - x);
    const ratio = (a + 0.05) / (b + 0.05);
    if (ratio < worst[0]) worst = [ratio, `${element.tagName} ${element.className} ${element.textContent.slice(0, 40)}`];
  }
  return worst;
}

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

  // Themes, and whether everything can be read in them.
  const button = document.getElementById("theme");
  const grounds = new Set();
  for (const theme of ["light", "dark"]) {
    button.click();
    equal(button.textContent, `Theme: ${theme}`, "theme");
    grounds.add(getComputedStyle(document.body).backgroundColor);
    const [ratio, where] = contrast();
    check(ratio >= 4.5, `contrast ${ratio} in ${theme}: ${where}`);
  }
  equal(grounds.size, 2, "grounds");
  button.click();
  equal(button.textContent, "Theme: system", "theme");

  // Names for those who do not see it.
  check(document.documentElement.lang === "en" && document.title !== "", "language and title");
  check(all("input, select").every((control) => control.labels.length === 1 && control.labels[0].textContent.trim() !== ""), "labels");
  check(all("button").every((control) => control.textContent.trim() !== ""), "names of buttons");
  check(all("th").every((head) => head.scope === "col" && head.textContent !== ""), "heads of columns");
  check(all("section, [role=region]").every((part) => part.hasAttribute("aria-label") || part.hasAttribute("aria-labelledby")), "names of regions");
  const ids = all("[id]").map((element) => element.id);
  equal(new Set(ids).size, ids.length, "ids");
  check(document.documentElement.scrollWidth <= innerWidth, `wider than the window: ${document.documentElement.scrollWidth} of ${innerWidth}`);
  equal(all("script, link, img, iframe").filter((element) => element.src || element.href).length, 0, "what is fetched");
}
addEventListener("load", () => {
  try {
    run();
  } catch (error) {
    result.failures.push(`${error}: ${error.stack}`);
  }
  const text = document.createElement("pre");
  text.id = "result";
  text.textContent = encodeURIComponent(JSON.stringify(result));
  document.body.append(text);
});
