
  /* The metrics at one place, from the best down; of many criteria the chosen one, and all of them in one table */

  const SEVERAL = 3;
  const slider = el("input", {
    type: "range", min: 0, step: 1, id: "slider",
    input: () => {
      state.place = Number(slider.value);
      tell();
      update();
      slider.focus();
    },
  });
  const sliderValue = el("output", { for: "slider", role: "status", "aria-live": "polite" });
  const listHeading = el("h3", { id: "at-heading" });
  const lists = el("div", { class: "lists" });
  const together = el("div", { class: "together" });
  curvesRoom.append(listHeading);
  if (CURVES.along) {
    curvesRoom.append(el("div", { class: "tools" },
      el("label", { for: "slider" }, CURVES.along === "length" ? "Length of the documents" : "Number of references", slider), sliderValue));
  }
  curvesRoom.append(together, lists);
  const criteriaShown = () => (part().criteria.length > SEVERAL ? part().criteria.filter((one) => one.name === state.criterion) : part().criteria);

  function drawBar(metric, row, [low, high]) {
    const x = (value) => 8 + 144 * (value - low) / (high - low);
    const [mean, from, to] = ["mean", "lower", "upper"].map((name) => valueOf("correlations", name, row));
    const picture = svg("svg", { class: "bar", width: 160, height: 18, viewBox: "0 0 160 18", "aria-hidden": "true" },
      svg("line", { class: "base", x1: 0, x2: 160, y1: 9, y2: 9 }));
    if (low <= 0 && high >= 0) picture.append(svg("line", { class: "zero", x1: x(0), x2: x(0), y1: 1, y2: 17 }));
    if (mean !== null && from !== null && to !== null) {
      for (const [x1, x2, y1, y2] of [[from, to, 9, 9], [from, from, 5, 13], [to, to, 5, 13]]) {
        picture.append(svg("line", { x1: x(x1), x2: x(x2), y1, y2 }));
      }
    }
    if (mean !== null) picture.append(svg("path", { class: "mark", d: looks.get(metric).mark, transform: `translate(${x(mean)} 9)` }));
    return picture;
  }

  function drawLists() {
    const value = place();
    const found = criteriaShown().map((criterion) => ({
      criterion,
      rows: criterion.lines.map((line) => [line.metric, rowsAt(line, value)]).filter(([, rows]) => rows.length),
    }));
    const numbers = found.flatMap(({ rows }) => rows.flatMap(([, own]) =>
      ["mean", "lower", "upper"].map((name) => valueOf("correlations", name, own[0])))).filter((one) => one !== null);
    const [least, most] = numbers.length ? [Math.min(...numbers), Math.max(...numbers)] : [0, 1];
    const domain = most > least ? [least, most] : [least - 0.1, most + 0.1];
    const digits = domain[1] - domain[0] < 0.1 ? 3 : 2;
    const scale = () => el("span", { class: "scale" }, el("span", null, domain[0].toFixed(digits)), el("span", null, domain[1].toFixed(digits)));
    lists.replaceChildren(...found.map(({ criterion, rows }) => {
      const mean = (own) => valueOf("correlations", "mean", own[0]);
      rows.sort(([, a], [, b]) => (mean(a) === null) - (mean(b) === null) || mean(b) - mean(a));
      /* Equal means share a rank; an undefined one has none. */
      const means = rows.filter(([metric]) => metric !== JUDGES).map(([, own]) => mean(own)).filter((one) => one !== null);
      const rank = (own) => (mean(own) === null ? "" : String(1 + means.filter((one) => one > mean(own)).length));
      return group(`${criterion.name}, ${at(value)}`,
        el("table", { "data-criterion": criterion.name },
          el("caption", null, alone(criterion.name), `, ${at(value)}`),
          el("thead", null, el("tr", null, ...["rank", "metric", "mean, confidence interval", scale(), "disagreements"].map((name, index) =>
            el("th", { scope: "col", class: index === 2 ? "number" : null }, name)))),
          el("tbody", null, ...rows.map(([metric, own]) => {
            const isMetric = metric !== JUDGES;
            const isChosen = metric === state.metric && criterion.name === state.criterion;
            return el("tr", { class: isChosen ? "chosen" : null },
              el("td", { class: "number" }, isMetric ? rank(own) : ""),
              el("td", null, el("span", { class: "name" }, swatch(metric), alone(...named(metric)))),
              el("td", { class: "number" }, `${number("mean", own[0])} `, el("span", { class: "limits" }, limits(own[0]))),
              el("td", { class: looks.get(metric).class }, drawBar(metric, own[0], domain)),
              el("td", null, isMetric ? el("button", {
                type: "button", class: "act", "aria-label": `show where ${metric} and human judgments disagree on ${criterion.name}`,
                click: () => look(metric, criterion.name, value, true),
              }, "show") : ""));
          }))));
    }));
    drawTogether(value);
    listHeading.textContent = CURVES.along ? `The metrics at one ${CURVES.along === "length" ? "length" : "number of references"}` : "The metrics in order";
    slider.max = placesOf(part()).length - 1;
    slider.value = state.place;
    sliderValue.textContent = at(value);
    slider.setAttribute("aria-valuetext", at(value));
  }

  /* Metrics down and criteria across; the best of a criterion is bold, and a cell leads to its list. */
  function drawTogether(value) {
    const { criteria } = part();
    together.hidden = criteria.length <= SEVERAL;
    if (together.hidden) return;
    const orders = criteria.map((criterion) => best(criterion, value));
    const chosen = criteria.findIndex((one) => one.name === state.criterion);
    const metrics = [...new Set([...orders[chosen], ...orders.flat()])];
    together.replaceChildren(group("Metrics by criteria", el("table", { class: "criteria" },
      el("caption", null, `${part().quantity}, ${at(value)}; in the order of the chosen criterion, the best of each bold. Press a criterion to choose it.`),
      el("thead", null, el("tr", null, el("th", { scope: "col" }, "metric"), ...criteria.map((criterion, k) =>
        el("th", { scope: "col", class: k === chosen ? "number chosen" : "number", "aria-current": k === chosen ? "true" : null },
          el("button", { type: "button", click: () => look(state.metric, criterion.name, value) }, alone(criterion.name)))))),
      el("tbody", null, ...metrics.map((metric) => el("tr", null, el("th", { scope: "row" }, alone(...named(metric))),
        ...criteria.map((criterion, k) => {
          const line = lineOf(metric, criterion.name);
          const row = line && rowsAt(line, value)[0];
          const text = row === undefined ? "" : number("mean", row);
          return el("td", { class: k === chosen ? "number chosen" : "number" }, orders[k][0] === metric ? el("strong", null, text) : text);
        })))))));
  }
