
  /* The metrics at one place, from the best down; of many criteria the chosen one, and all of them in one table */

  const SEVERAL = 3;
  /* A table of many criteria has no room on a telephone, where a list is chosen by name. */
  const narrow = matchMedia("(max-width: 700px)");
  narrow.addEventListener("change", () => drawLists());
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
  const lists = el("div", { class: "lists" });
  const together = el("div", { class: "together" });
  const key = el("p", { class: "facts" });
  if (CURVES.along) {
    curvesRoom.append(el("h3", null, `The metrics at one ${CURVES.along === "length" ? "length" : "number of references"}`), el("div", { class: "tools" },
      el("label", { for: "slider" }, CURVES.along === "length" ? "Length of the documents" : "Number of references", slider), sliderValue));
  }
  curvesRoom.append(el("div", { class: "standing" }, together, lists), key);
  const criteriaShown = () => (part().criteria.length > SEVERAL ? part().criteria.filter((one) => one.name === state.criterion) : part().criteria);

  const entryOf = (metric, row) => ({
    metric, row, ...Object.fromEntries(["mean", "lower", "upper", "words", "limits", "rank", "star", "p"].map((name) => [name, ROWS[name][row]])),
  });
  /* The entries of a criterion in the order of its ranking; the judges, whom it does not rank, come last. */
  function entriesOf(criterion, value) {
    const order = (row) => ROWS.order[row] ?? Infinity;
    return criterion.lines.flatMap((line) => rowsAt(line, value).slice(0, 1).map((row) => entryOf(line.metric, row)))
      .sort((a, b) => (order(a.row) < order(b.row) ? -1 : Number(order(a.row) > order(b.row))));
  }
  const starsOf = (entries) => [...new Set(entries.map((one) => ROWS.stars[ROWS.ranking[one.row]]).filter(Boolean))];

  function drawLists() {
    const value = place();
    const found = criteriaShown().map((criterion) => [criterion, entriesOf(criterion, value)]);
    const domain = domainOf(found.flatMap(([, entries]) => entries));
    lists.replaceChildren(...found.map(([criterion, entries]) => group(`${criterion.name}, ${at(value)}`,
      ...rankedTable({ "data-criterion": criterion.name }, [alone(criterion.name), `, ${at(value)}`], entries, domain, {
        chosen: ({ metric }) => metric === state.metric && criterion.name === state.criterion,
        last: {
          head: "texts",
          cell: ({ metric }) => (metric === JUDGES ? "" : el("button", {
            type: "button", class: "act", "aria-label": `show where ${metric} and human judgments disagree on ${criterion.name}`,
            click: () => look(metric, criterion.name, value, true),
          }, "show")),
        },
      }).filter(Boolean))));
    const every = part().criteria.flatMap((criterion) => entriesOf(criterion, value));
    const withP = every.some((one) => one.p !== null);
    key.textContent = [...starsOf(every).map((words) => `* ${words}.`), withP ? "p: of the hypothesis that no other metric is better." : ""].join(" ");
    drawTogether(value);
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
    const chosen = criteria.findIndex((one) => one.name === state.criterion);
    if (narrow.matches) {
      const focused = together.contains(document.activeElement);
      together.replaceChildren(el("div", { class: "tools" }, choice("Criterion", criteria.map((one) => one.name), chosen,
        (index) => look(state.metric, criteria[index].name, value))));
      if (focused) together.querySelector("select")?.focus();
      return;
    }
    const orders = criteria.map((criterion) => best(criterion, value));
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
          const text = row === undefined ? "" : `${ROWS.words[row]}${ROWS.star[row] ? "*" : ""}`;
          return el("td", { class: k === chosen ? "number chosen" : "number" }, orders[k][0] === metric ? el("strong", null, text) : text);
        })))))));
  }
