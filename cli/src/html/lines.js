// Lines of a stage: place, text, and whether it is about those that follow. Those of a place are found by it, and answer together.
function linesOf(lines, { choose, hover }) {
  const of = new Map();
  const all = lines.map(([place, text, isHead]) => {
    const line = make("li", text, isHead ? "head" : "");
    if (place >= 0) {
      line.dataset.place = place;
      if (!of.has(place)) of.set(place, []);
      of.get(place).push(line);
      line.addEventListener("click", () => choose(place));
      line.addEventListener("mouseenter", () => hover(place, true));
      line.addEventListener("mouseleave", () => hover(place, false));
    }
    return line;
  });
  return { all, of };
}
