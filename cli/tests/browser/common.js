// What scripts in pages have in common; tests/browser.rs puts it before them. Each defines run(); what comes of it stands in #result.
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

// Themes, whether everything can be read in them, and names for those who do not see it.
function looks() {
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
  equal(all("script, link, img, iframe").filter((element) => (element.src && !element.src.startsWith("data:")) || element.href).length, 0, "what is fetched");
  check(all("img").every((image) => image.alt !== ""), "texts for pictures");
  check(all("svg[role=img]").every((picture) => picture.querySelector("title")?.textContent), "titles of figures");
  check(all("[tabindex='0']").every((element) => element.matches("tr, [role=region]")), "what the keyboard reaches has a role");
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
