// Runs in the playground's page, behind its own script and what pages' scripts have in common; tests/browser.rs gives `expected`.
const click = (id) => document.getElementById(id).click();
const text = (selector, within) => all(selector, within).map((element) => element.textContent);
const visible = (element) => element.getClientRects().length > 0;

// Sets the page as an address would.
function go(fields) {
  const hash = new URLSearchParams();
  for (const [name, value] of Object.entries(fields)) hash.set(name, typeof value === "object" ? JSON.stringify(value) : value);
  history.replaceState(null, "", `#${hash}`);
  recall();
  show();
}

// Whether pixels have been looked at: browsers warn of who does it twice.
let wasSeen = false;

function aProgram({ state, program, run, draw }) {
  go(state);
  const name = `${state.generation}: ${state.text.slice(0, 30)}`;
  if (run.error) {
    check(document.getElementById("said").textContent.startsWith(run.error), `error of ${name}`);
    return;
  }
  equal(text("#errors li"), [], `errors of ${name}`);
  equal(all("#slots-rows tr").map((row) => [row.cells[1].textContent, row.cells[2].textContent]), program.slots.map((slot) => [slot.words.join(" "), slot.text]), `slots of ${name}`);
  const outputs = run.outputs.flatMap((output) => [0, 1, 2, 3].map((at) => [output.hw[at], output.other[at], output.differs[at]]));
  const ones = (bits) => parseInt(bits, 16).toString(2).replaceAll("0", "").length;
  equal(all("#outputs-rows tr").map((row) => [row.cells[1].textContent.slice(0, 8), row.cells[2].textContent.slice(0, 8)]), outputs.map(([hw, other]) => [hw, other]), `outputs of ${name}`);
  equal(all("#outputs-rows tr").map((row) => text("mark", row.cells[2]).join("").length), outputs.map(([, , differs]) => ones(differs)), `marks of ${name}`);
  equal(all("#outputs-rows tr").map((row) => text(".binary i", row.cells[1]).join("")), outputs.map(([hw]) => parseInt(hw, 16).toString(2).padStart(32, "0")), `bits of ${name}`);
  equal(document.getElementById("drawn").dataset.digests, draw.digests.join(" "), `all vertices of ${name}`);
  if (!wasSeen) {
    wasSeen = true;
    const pixels = document.getElementById("picture").getContext("2d").getImageData(0, 0, 640, 480).data;
    check(pixels.filter((value, at) => at % 4 === 3 && value === 255).length > 50_000, `a picture of ${name}`);
  }

  // The stages, and the clocks.
  click("tab-stages");
  const select = document.getElementById("stage");
  for (const stage of program.stages) {
    select.value = stage.name;
    select.dispatchEvent(new Event("change"));
    equal(text("#lines li"), stage.lines.map(([, line]) => line), `${stage.name} of ${name}`);
  }
  equal(document.getElementById("diagram").textContent, program.clocks.diagram, `clocks of ${name}`);

  // Fields of a slot.
  const last = program.slots.length - 1;
  all("#slots-rows tr")[last].click();
  equal(document.getElementById("slot-title").textContent, `Slot ${program.slots[last].slot}: ${program.slots[last].text}`, "slot");
  program.fields.forEach(({ name: field, lo, hi }, at) => {
    equal(Number(all("#fields-rows tr")[at].cells[2].textContent), parseInt(program.slots[last].bits.slice(128 - hi, 128 - lo), 2), `${field} of ${name}`);
  });

  // Notations, back and forth.
  for (const notation of ["words", "opengl", "native"]) {
    const radio = document.querySelector(`#notations input[value=${notation}]`);
    if (program[notation] === null) {
      check(radio.disabled, `${notation} of ${name} cannot be said`);
      continue;
    }
    go(state);
    if (notation === program.notation) {
      check(radio.checked, `the notation of ${name}`);
      continue;
    }
    radio.click();
    equal(document.getElementById("text").value, program[notation], `${notation} of ${name}`);
    check(radio.checked && text("#errors li").length === 0, `${notation} of ${name} is read`);
  }
}

function someNumbers({ state, numbers }) {
  go({ ...state, tab: "numbers" });
  const name = JSON.stringify(state);
  const flaw = document.getElementById("numbers-flaw");
  if (numbers.error) {
    equal([flaw.hidden, flaw.textContent], [false, `${numbers.error}.`], name);
    return;
  }
  check(flaw.hidden, `no flaw in ${name}`);
  const rows = all("#numbers-rows tr").map((row) => [...row.cells].slice(1).map((cell) => [cell.textContent.slice(0, 8), text("mark", cell).join("").length]));
  const ones = (bits) => parseInt(bits, 16).toString(2).replaceAll("0", "").length;
  equal(rows, numbers.table.map((one) => one.results.map(({ bits, differs }) => [bits, ones(differs)])), name);
  equal(text("#numbers-rows tr.chosen td:first-child").map((line) => line.split("\n")[0]), [numbers.table[numbers.against].name], `chosen in ${name}`);
  const drawn = all("#parts .bits").map((row) => [...row.children].map((bit) => bit.textContent.replace("\u00a0", " ")).join("").trimEnd());
  equal(drawn, numbers.steps.flatMap((part) => part.steps.flatMap((step) => step.rows.map((row) => row.bits.trimEnd()))), `steps of ${name}`);
  check(all("#parts .bits").every((row) => row.getAttribute("aria-label").length > 4), `names of rows of ${name}`);
}

function keyboard() {
  go({});
  const tabs = all("[role=tab]");
  check(tabs.every((tab) => document.getElementById(tab.getAttribute("aria-controls"))), "panels of tabs");
  const results = all("#results [role=tab]");
  press("ArrowRight", results[0]);
  equal([results[1].getAttribute("aria-selected"), document.activeElement.id], ["true", "tab-slots"], "the next tab");
  check(visible(document.getElementById("slots")) && !visible(document.getElementById("outputs")), "its panel");
  press("End", results[1]);
  equal(document.activeElement.id, "tab-clocks", "the last tab");
  press("ArrowRight", results[3]);
  equal(document.activeElement.id, "tab-outputs", "the first one again");
  press("ArrowRight", all("[role=tab]")[0]);
  check(visible(document.getElementById("numbers")) && state.tab === "numbers", "numbers by key");
  const rows = all("#numbers-rows tr[tabindex]");
  equal(rows.length, all("#numbers-rows tr").length, "arithmetics that can be chosen");
  press("Enter", rows[0]);
  equal(document.getElementById("rules").value, "celsius", "a chip by key");
  press("Enter", all("#numbers-rows tr[tabindex]").at(-1));
  equal(document.getElementById("rules").selectedIndex, rows.length - 1, "a preset by key");
}

// Waits until the picture is another one.
async function changed(before) {
  while (document.getElementById("drawn").dataset.digests === before) await new Promise((done) => setTimeout(done, 10));
}

function sliders() {
  go({});
  const before = document.getElementById("drawn").dataset.digests;
  const slider = document.querySelector(".component input[type=range]");
  check(all(".component input[type=range]").length === 4, "a slider for each component");
  slider.value = "0.25";
  slider.dispatchEvent(new Event("input"));
  return changed(before).then(() => {
    check(document.getElementById("drawn").dataset.digests !== before, "a slider changes the vertices");
    address();
    check(decodeURIComponent(location.hash).includes("constants="), "and the address");
    click("reset");
    equal(document.getElementById("drawn").dataset.digests, before, "reset");
    go({ text: "MOV oPos, v0\nMUL oD0, v3, k0" });
    equal(text("#errors button"), ["line 2, column 14: `k0` is not a register"], "an error");
    all("#errors button")[0].click();
    const field = document.getElementById("text");
    equal([field.selectionStart, field.selectionEnd, field.getAttribute("aria-invalid")], [26, 28, "true"], "its place");
  });
}

// What can be seen, and what those are told who do not see it.
function looksOfThePage() {
  check(all("input, select, textarea").every((control) => (control.labels.length === 1 && control.labels[0].textContent.trim() !== "") || control.getAttribute("aria-label")), "names of controls");
  check(all("button").every((button) => button.textContent.trim() !== ""), "names of buttons");
  check(all("section, [role=region], [role=img], [role=tabpanel], [role=tablist], [role=radiogroup]").every((part) => part.hasAttribute("aria-label") || part.hasAttribute("aria-labelledby")), "names of regions");
  check(all("th").every((head) => head.scope === "col" && head.textContent !== ""), "heads of columns");
  const ids = all("[id]").map((element) => element.id);
  equal(new Set(ids).size, ids.length, "ids");
  check(all("[src], link").every((element) => !/^(\w+:)?\/\//.test(element.getAttribute("src") ?? element.getAttribute("href"))), "nothing comes from elsewhere");
  for (const theme of ["light", "dark"]) {
    click("theme");
    check(document.getElementById("theme").textContent.includes(theme), `theme ${theme}`);
    for (const tab of all("[role=tab]").filter((tab) => visible(tab) || tab.closest("#results"))) {
      tab.click();
      const [ratio, where] = contrast();
      check(ratio >= 4.5, `contrast ${ratio.toFixed(2)} in ${theme}: ${where}`);
    }
    click("tab-programs");
  }
  click("theme");
  const wide = (when) => check(document.documentElement.scrollWidth <= innerWidth, `${when}: ${document.documentElement.scrollWidth} of ${innerWidth}`);
  for (const tab of all("[role=tab]")) {
    tab.click();
    wide(tab.id);
  }
  // As wide as a telephone.
  if (innerWidth < 600) {
    document.body.style.width = "390px";
    for (const tab of all("[role=tab]")) {
      tab.click();
      const beyond = all("body *").filter((element) => visible(element) && !element.closest(".scroll *, pre, .unseen, textarea") && element.getBoundingClientRect().right > 391);
      equal(beyond.map((element) => `${element.tagName} ${element.id} ${element.className}`), [], `beyond 390 pixels in ${tab.id}`);
    }
  }
}

async function test() {
  while (!document.documentElement.dataset.ready) await new Promise((done) => setTimeout(done, 20));
  equal(document.documentElement.dataset.ready, "yes", "the library is there");
  if (expected.hostile) {
    check(all("img").length === 0 && all("#programs script, #numbers script").length === 0, "markup");
    check(all("[role=tab][aria-selected=true]").length === 2, "tabs");
    equal({}.x, undefined, "prototypes");
    check(document.getElementById("said").textContent !== "" && document.getElementById("failure").hidden, "the page says what is wrong");
    check(document.getElementById("generation").value !== "" && document.getElementById("rules").value !== "", "choices");
    return;
  }
  expected.programs.forEach(aProgram);
  expected.numbers.forEach(someNumbers);
  keyboard();
  await sliders();
  go({});
  looksOfThePage();
}

test().catch((error) => result.failures.push(`${error}: ${error.stack}`)).then(() => {
  // The first ones are enough, and a message must not be too long.
  result.failures = result.failures.slice(0, 20).map((text) => text.slice(0, 2000));
  console.log(`result of the test: ${encodeURIComponent(JSON.stringify(result))}`);
});
