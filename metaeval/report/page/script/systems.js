
  /* The systems: a metric against human judges, or against another metric, each point named; and where their orders differ */

  const SYSTEMS = DATA.systems;
  const systemsRoom = document.getElementById("systems-room");
  const systemTools = el("div", { class: "tools" });
  const againstTools = el("div", { class: "tools" });
  const systemsFound = el("div", { class: "systems" });
  if (systemsRoom) systemsRoom.append(systemTools, againstTools, systemsFound);
  restoring(() => { state.against = metricsHere().includes(kept("against")) ? kept("against") : ""; });

  /* The last row of a line has the longest documents, for which the scores of systems are kept. */
  function scoresOf(metric) {
    const line = lineOf(metric, state.criterion);
    const row = line && line.points.map((point) => point[1]).reverse().find((one) => SYSTEMS.rows[one] && (CURVES.along !== "references" || rowsAt(line, place()).includes(one)));
    if (row === undefined) return null;
    const [names, scores, human, sign, humanSign] = SYSTEMS.rows[row];
    const list = (index) => SYSTEMS.lists[index];
    return { row, names: list(names), metric: { name: metric, values: list(scores), sign }, human: { name: `human scores, ${state.criterion}`, values: list(human), sign: humanSign } };
  }
  const rankOf = (side, chosen, k) => 1 + chosen.filter((other) => side.sign * side.values[other] > side.sign * side.values[k]).length;

  function drawSystems() {
    if (!systemsRoom || !isOpen(systemsRoom)) return;
    choices(systemTools);
    const others = metricsHere().filter((metric) => metric !== state.metric && metric !== JUDGES);
    if (!againstTools.contains(document.activeElement)) {
      againstTools.replaceChildren(choice("Against", ["human scores", ...others], 1 + others.indexOf(state.against), (index) => {
        state.against = index ? others[index - 1] : "";
        keep("against", state.against);
        drawSystems();
      }));
    }
    const here = scoresOf(state.metric);
    const there = state.against && state.against !== state.metric ? scoresOf(state.against) : here;
    /* Each list of names is held once. */
    if (!here || !there || there.names !== here.names) {
      systemsFound.replaceChildren(el("p", null, "This page has no scores of systems for this choice."));
      return;
    }
    const other = there === here ? here.human : there.metric;
    const chosen = here.names.map((_, k) => k).filter((k) => here.metric.values[k] !== null && other.values[k] !== null);
    const { length } = placeOf(here.row);
    const where = CURVES.along === "length" ? `means over documents of ${length} segments` : CURVES.along === "references" ? at(place()) : "the whole corpus";
    const rows = chosen.map((k) => ({ k, by: rankOf(here.metric, chosen, k), to: rankOf(other, chosen, k) }))
      .sort((a, b) => Math.abs(b.by - b.to) - Math.abs(a.by - a.to) || a.to - b.to);
    const picture = el("div", { class: "chart", "data-criterion": state.criterion });
    systemsFound.replaceChildren(picture, group("Ranks of the systems", el("table", null,
      el("caption", null, "Ranks of the systems, those that differ most first: ", alone(here.metric.name), " and ", alone(other.name), `; ${where}.`),
      el("thead", null, el("tr", null, ...["system", here.metric.name, "rank", other.name, "rank", "difference"].map((name, k) =>
        el("th", { scope: "col", class: k ? "number" : null }, alone(name))))),
      el("tbody", null, ...rows.map(({ k, by, to }) => el("tr", null, el("th", { scope: "row" }, alone(here.names[k])),
        ...[signed(here.metric.values[k]), by, signed(other.values[k]), to, by === to ? "0" : signed(by - to)].map((one) => el("td", { class: "number" }, String(one)))))))));
    picture.append(drawScatter(picture, here, other, chosen), pictureSavers(`systems ${here.metric.name} ${other.name}`, () => picture.querySelector("svg")));
  }

  function drawScatter(box, here, other, chosen) {
    const width = Math.max(260, box.clientWidth);
    const height = Math.max(260, Math.min(460, width * 0.75));
    const edge = { left: 62, right: 20, top: 14, bottom: 48 };
    const axis = (side, from, to) => {
      const own = chosen.map((k) => side.values[k]);
      let [low, high] = [Math.min(...own), Math.max(...own)];
      const room = 0.08 * (high - low) || 0.5;
      [low, high] = [low - room, high + room];
      const [first, last] = side.sign < 0 ? [high, low] : [low, high];
      return { ...ticks(low, high), to: (value) => from + (to - from) * (value - first) / (last - first) };
    };
    const [x, y] = [axis(here.metric, edge.left, width - edge.right), axis(other, height - edge.bottom, edge.top)];
    const label = (side) => `${side.name}${side.sign < 0 ? " (axis inverted: lower is better)" : ""}`;
    const fits = (words, most) => (words.length * 7 > most ? `${words.slice(0, Math.floor(most / 7) - 1)}…` : words);
    const picture = svg("svg", {
      class: "plot scatter", viewBox: `0 0 ${width} ${height}`, height, role: "img",
      "aria-label": `Each system's ${label(here.metric)} against ${label(other)}; the table beside has the numbers.`,
    });
    for (const value of x.values) {
      picture.append(svg("line", { class: "grid-line", x1: x.to(value), x2: x.to(value), y1: edge.top, y2: height - edge.bottom }),
        svg("text", { x: x.to(value), y: height - edge.bottom + 18, "text-anchor": "middle" }, value.toFixed(x.digits)));
    }
    for (const value of y.values) {
      picture.append(svg("line", { class: "grid-line", x1: edge.left, x2: width - edge.right, y1: y.to(value), y2: y.to(value) }),
        svg("text", { x: edge.left - 6, y: y.to(value) + 5, "text-anchor": "end" }, value.toFixed(y.digits)));
    }
    picture.append(
      svg("text", { x: (edge.left + width - edge.right) / 2, y: height - 8, "text-anchor": "middle" }, fits(label(here.metric), width - edge.left)),
      svg("text", { "text-anchor": "middle", transform: `translate(14 ${(edge.top + height - edge.bottom) / 2}) rotate(-90)` }, fits(label(other), height - edge.top)));
    /* A name stands where it covers neither a point nor another name; where there is no such place, a tip has it. */
    const taken = chosen.map((k) => [x.to(here.metric.values[k]), y.to(other.values[k])]).map(([a, b]) => [a - 5, b - 5, a + 5, b + 5]);
    const free = (one) => one[0] > edge.left && one[2] < width && one[1] > 0 && one[3] < height - edge.bottom
      && taken.every((old) => one[2] < old[0] || one[0] > old[2] || one[3] < old[1] || one[1] > old[3]);
    for (const k of chosen) {
      const [a, b] = [x.to(here.metric.values[k]), y.to(other.values[k])];
      const name = here.names[k];
      const long = 7.6 * name.length;
      picture.append(svg("circle", { class: "mark s0", cx: a, cy: b, r: 5, "data-system": name },
        svg("title", null, `${name}: ${signed(here.metric.values[k])}, ${signed(other.values[k])}`)));
      const places = [[8, 5], [-8 - long, 5], [-long / 2, -9], [-long / 2, 20], [8, -8], [8, 18], [-8 - long, -8], [-8 - long, 18]];
      const found = places.map(([right, down]) => [a + right, b + down - 12, a + right + long, b + down + 3]).find(free);
      if (!found) continue;
      taken.push(found);
      // Letters may be wider than was reckoned: a name on the left ends before its mark.
      const [anchor, at] = found[2] < a ? ["end", found[2]] : ["start", found[0]];
      picture.append(svg("text", { class: "system", x: at, y: found[3] - 3, "text-anchor": anchor }, name));
    }
    return picture;
  }
