
  /* A ranked list: the metrics of a place in order, with their intervals as bars on one scale */

  /* Of an entry: its metric, rank, star and p as the ranking has them, its value and limits as words and as numbers. */
  function drawBar(entry, [low, high], mark) {
    const x = (value) => 8 + 104 * (value - low) / (high - low);
    const picture = svg("svg", { class: "bar", width: 120, height: 18, viewBox: "0 0 120 18", "aria-hidden": "true" },
      svg("line", { class: "base", x1: 0, x2: 120, y1: 9, y2: 9 }));
    if (low <= 0 && high >= 0) picture.append(svg("line", { class: "zero", x1: x(0), x2: x(0), y1: 1, y2: 17 }));
    const { mean, lower, upper } = entry;
    if (mean !== null && lower !== null && upper !== null) {
      for (const [x1, x2, y1, y2] of [[lower, upper, 9, 9], [lower, lower, 5, 13], [upper, upper, 5, 13]]) {
        picture.append(svg("line", { x1: x(x1), x2: x(x2), y1, y2 }));
      }
    }
    if (mean !== null) picture.append(svg("path", { class: "mark", d: mark, transform: `translate(${x(mean)} 9)` }));
    return picture;
  }

  function domainOf(entries) {
    const numbers = entries.flatMap((one) => [one.mean, one.lower, one.upper]).filter((one) => one !== null);
    const [least, most] = numbers.length ? [Math.min(...numbers), Math.max(...numbers)] : [0, 1];
    return most > least ? [least, most] : [least - 0.1, most + 0.1];
  }

  /* More metrics than these are shown on request. */
  const FIRST_METRICS = 15;
  function rankedTable(attributes, caption, entries, domain, { chosen = () => false, last = null } = {}) {
    const digits = domain[1] - domain[0] < 0.1 ? 3 : 2;
    const scale = el("span", { class: "scale" }, el("span", null, domain[0].toFixed(digits)), el("span", null, domain[1].toFixed(digits)));
    const withP = entries.some((one) => one.p !== null);
    const heads = [["rank", "number"], ["metric", null], ["coefficient", "number"], [scale, null], ...(withP ? [["p", "number"]] : []), ...(last ? [[last.head, null]] : [])];
    const rowOf = (entry) => {
      const look = looks.get(entry.metric);
      return el("tr", { class: chosen(entry) ? "chosen" : null },
        el("td", { class: "number" }, entry.rank === null ? "" : String(entry.rank)),
        el("td", null, el("span", { class: "name" }, look ? swatch(entry.metric) : null, el("span", null, alone(...named(entry.metric)), entry.star ? "*" : ""))),
        el("td", { class: "number" }, `${entry.words} `, el("span", { class: "limits" }, entry.limits)),
        el("td", { class: look ? look.class : "s0" }, drawBar(entry, domain, look ? look.mark : MARKS[0])),
        withP ? el("td", { class: "number" }, entry.p || "") : null,
        last ? el("td", null, last.cell(entry)) : null);
    };
    const body = el("tbody", null, ...entries.slice(0, entries.length > FIRST_METRICS + 3 ? FIRST_METRICS : entries.length).map(rowOf));
    const table = el("table", { ...attributes, class: "ranked" }, el("caption", null, ...caption),
      el("thead", null, el("tr", null, ...heads.map(([name, kind]) => el("th", { scope: "col", class: kind }, name)))), body);
    const more = body.children.length < entries.length ? el("p", { class: "more" }, `The first ${body.children.length} of ${entries.length} metrics. `, el("button", {
      type: "button", class: "act", click: () => {
        body.append(...entries.slice(body.children.length).map(rowOf));
        more.remove();
      },
    }, "Show all")) : null;
    return [table, more];
  }

  const averageRoom = document.getElementById("average-room");
  if (averageRoom) {
    const { title, note } = averageRoom.dataset;
    averageRoom.append(group(title, ...rankedTable({}, [title], DATA.average, domainOf(DATA.average)).filter(Boolean)), el("p", { class: "facts" }, note));
  }
