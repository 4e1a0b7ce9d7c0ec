// Plots: draws of the capture from left to right, several of them in a column if there are many.
const plots = (() => {
  const SVG = "http://www.w3.org/2000/svg";
  const draw = (tag, attributes) => {
    const element = document.createElementNS(SVG, tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    return element;
  };
  const { draws, each, parts } = data.over;
  // Of a process, columns are intervals of time.
  const unit = data.attached ? "interval" : "draw";
  const count = Math.max(1, Math.ceil(draws / each));
  const zeros = () => new Float64Array(count);
  // Everything by column: calls, vertices, time, clocks of the chip, and the program that took most time.
  const clocks = (program, vertices) => (data.programs[program].chip_clocks ?? 0) * vertices;
  const sums = { calls: zeros(), vertices: zeros(), ns: zeros(), clocks: zeros() };
  const most = new Array(count).fill(null);
  for (const [column, program, calls, vertices, ns] of parts) {
    sums.calls[column] += calls;
    sums.vertices[column] += vertices;
    sums.ns[column] += ns;
    sums.clocks[column] += clocks(program, vertices);
    if (most[column] === null || most[column].ns < ns) most[column] = { program, ns };
  }
  const name = (column) => {
    const [first, last] = [column * each + 1, Math.min(draws, (column + 1) * each)];
    return first === last ? `${unit} ${first}` : `${unit}s ${first} to ${last}`;
  };
  const whole = (value) => value.toLocaleString("en");

  // A figure with its caption, its picture, and what its sides are. Pictures are stretched: their units are columns and percent.
  function figure(title, most, label, width, className) {
    const element = make("figure", undefined, className);
    const caption = make("figcaption");
    caption.append(make("b", title), ` up to ${most}`);
    const picture = draw("svg", { viewBox: `0 0 ${width} 100`, preserveAspectRatio: "none", role: "img" });
    const text = draw("title", {});
    text.textContent = label;
    picture.append(text, draw("line", { class: "axis", x1: 0, x2: width, y1: 100, y2: 100 }));
    const ticks = make("div", undefined, "ticks");
    ticks.append(make("span", `${unit} 1`), make("span", whole(draws)));
    element.append(caption, picture, ticks);
    byId("figures").append(element);
    return picture;
  }
  // What is pointed at, above everything else.
  function hits(picture, text, choose) {
    for (let column = 0; column < count; column++) {
      const hit = draw("rect", { class: "hit", x: column, y: 0, width: 1, height: 100 });
      const title = draw("title", {});
      title.textContent = `${name(column)}: ${text(column)}${most[column] ? `; most time: ${called(data.programs[most[column].program])}` : ""}`;
      hit.append(title);
      hit.addEventListener("click", () => { if (most[column]) choose(most[column].program); });
      picture.append(hit);
    }
  }

  const stacks = [];
  const dots = [];
  return {
    sums, name, count,
    start(choose) {
      if (parts.length === 0) return;
      const total = (values) => values.reduce((sum, value) => sum + value, 0);
      const gap = count > 60 ? 0 : 0.12;
      for (const [title, key, text, className] of [["Time", "ns", time, "wide"], ["Vertices", "vertices", whole, ""], ["Calls", "calls", whole, ""]]) {
        const top = Math.max(...sums[key]) || 1;
        const label = `${title} over the capture: ${text(total(sums[key]))} in all, ${text(top)} at most in ${each === 1 ? `a${data.attached ? "n" : ""} ${unit}` : `${each} ${unit}s`}`;
        const picture = figure(title, text(top), label, count, className);
        const group = draw("g", {});
        picture.append(group);
        stacks.push({ key, top, group, gap });
        hits(picture, (column) => text(sums[key][column]), choose);
      }
      const chip = total(sums.clocks);
      if (chip > 0) {
        const parts = [sums.ns, sums.clocks].map((values) => values.map((value) => value / (total(values) || 1)));
        const top = Math.max(...parts[0], ...parts[1]) || 1;
        const label = "The share of the total time, here and on the chip. Where the lines differ, this machine is slow at work that is fast on the chip, or the reverse.";
        const picture = figure("Here and on the chip", percent(top), label, count, "");
        ["host", "chip"].forEach((className, which) => {
          let path = "";
          parts[which].forEach((part, column) => { const y = (100 - (100 * part) / top).toFixed(2); path += `${column ? "L" : "M"}${column} ${y}H${column + 1}`; });
          picture.append(draw("path", { class: className, d: path }));
        });
        hits(picture, (column) => `here ${percent(parts[0][column])}, on the chip ${percent(parts[1][column])}`, choose);
      }
      // Programs: how long a vertex takes here and on the chip.
      const all = data.programs.map((program, number) => ({ number, program, x: program.chip_clocks, y: program.vertices > 0 ? program.ns / program.vertices : null }));
      const known = all.filter(({ x, y }) => x > 0 && y > 0);
      if (known.length > 1) {
        const scale = (values, size) => {
          const [low, high] = [Math.min(...values), Math.max(...values)].map(Math.log);
          return (value) => (high > low ? 8 + ((size - 16) * (Math.log(value) - low)) / (high - low) : size / 2);
        };
        const [right, up] = [scale(known.map(({ x }) => x), 220), scale(known.map(({ y }) => y), 100)];
        const [slow, long] = [known.reduce((a, b) => (a.y > b.y ? a : b)), known.reduce((a, b) => (a.x > b.x ? a : b))];
        const picture = figure("Programs: ns a vertex", of(slow.y, 1), `Programs by the cost of a vertex here and on the chip: ${called(slow.program)} takes the most time here, and ${called(long.program)} the most clocks on the chip`, 220, "");
        picture.setAttribute("preserveAspectRatio", "xMidYMid meet");
        const ticks = picture.nextSibling;
        ticks.replaceChildren(make("span", `${of(Math.min(...known.map(({ x }) => x)), 0)} chip clocks`), make("span", of(long.x, 0)));
        for (const { number, program, x, y } of [...known].sort((a, b) => b.program.share - a.program.share)) {
          const dot = draw("circle", { class: "dot", cx: right(x), cy: 100 - up(y), r: 3 + 9 * Math.sqrt(program.share) });
          const title = draw("title", {});
          title.textContent = `${called(program)}: ${of(y, 2)} ns and ${of(x, 1)} clocks a vertex`;
          dot.append(title);
          dot.addEventListener("click", () => choose(number));
          dots[number] = dot;
          picture.append(dot);
        }
      }
      byId("columns-table").addEventListener("toggle", () => this.table(), { once: true });
    },
    // The chosen program's part of each column.
    mark(chosen) {
      const mine = { calls: zeros(), vertices: zeros(), ns: zeros() };
      for (const [column, program, calls, vertices, ns] of parts) {
        if (program !== chosen) continue;
        mine.calls[column] += calls;
        mine.vertices[column] += vertices;
        mine.ns[column] += ns;
      }
      for (const { key, top, group, gap } of stacks) {
        const paths = [["rest", ""], ["mine", ""]];
        for (let column = 0; column < count; column++) {
          const [low, high] = [(100 * mine[key][column]) / top, (100 * sums[key][column]) / top];
          const [left, wide] = [column + gap / 2, 1 - gap];
          if (high > low) paths[0][1] += `M${left} ${(100 - low).toFixed(2)}h${wide}V${(100 - high).toFixed(2)}h-${wide}Z`;
          if (low > 0) paths[1][1] += `M${left} 100h${wide}V${(100 - low).toFixed(2)}h-${wide}Z`;
        }
        group.replaceChildren(...paths.map(([className, d]) => draw("path", { class: className, d })));
      }
      dots.forEach((dot, number) => dot.classList.toggle("chosen", number === chosen));
      const legend = byId("plots-legend");
      if (parts.length === 0) return;
      legend.replaceChildren(make("i"), called(data.programs[chosen]), make("i", undefined, "rest"), "all others", ...(sums.clocks.some((clocks) => clocks > 0) ? [make("i"), "line: here", make("i", undefined, "chip"), "line: on the chip"] : []),
        `. ${each > 1 ? `A column is ${each} draws. ` : ""}Click a column to see the program that takes the most time in it.`);
    },
    table() {
      const table = make("table");
      heads(table.createTHead().insertRow(), [[`${unit}s`], ["time", "number"], ["vertices", "number"], ["calls", "number"], ["chip clocks", "number"], ["most time"]]);
      const inside = table.createTBody();
      for (let column = 0; column < count; column++) {
        const row = inside.insertRow();
        row.append(make("td", name(column)), make("td", time(sums.ns[column]), "number"), make("td", whole(sums.vertices[column]), "number"), make("td", whole(sums.calls[column]), "number"),
          make("td", whole(Math.round(sums.clocks[column])), "number"), make("td", most[column] ? called(data.programs[most[column].program]) : "-"));
      }
      byId("columns-table").querySelector(".scroll").replaceChildren(table);
    },
  };
})();
