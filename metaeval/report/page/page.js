"use strict";
(() => {
  const DATA = JSON.parse(document.getElementById("data").textContent);
  const CURVES = DATA.curves;
  const SVG = "http://www.w3.org/2000/svg";
  const JUDGES = "inter-judge";

  /* Elements are made from names and texts alone, never from markup, so no text of a corpus can become one. */
  function make(space, name, attributes, parts) {
    const element = space ? document.createElementNS(space, name) : document.createElement(name);
    for (const [key, value] of Object.entries(attributes || {})) {
      if (value === null || value === undefined || value === false) continue;
      if (typeof value === "function") element.addEventListener(key, value);
      else element.setAttribute(key, value === true ? "" : value);
    }
    element.append(...parts.filter((part) => part !== null && part !== undefined));
    return element;
  }
  const el = (name, attributes, ...parts) => make(null, name, attributes, parts);
  const svg = (name, attributes, ...parts) => make(SVG, name, attributes, parts);
  /* Names of any script stand alone, so that none changes the order of the words around it. */
  const alone = (...parts) => el("bdi", null, ...parts);
  const listed = (names) => names.flatMap((name, k) => (k ? [", ", alone(name)] : [alone(name)]));
  const plural = (number, noun) => `${number} ${noun}${number === 1 ? "" : "s"}`;

  /* Tables */

  const columnOf = (table, name) => DATA.tables[table].columns.find((column) => column.name === name);
  const cell = (column, row) => column.words[column.at[row]];
  const of = (table, name, row) => {
    const column = columnOf(table, name);
    return column ? cell(column, row) : "";
  };
  const valueOf = (table, name, row) => {
    const column = columnOf(table, name);
    return column && column.values ? column.values[row] : null;
  };

  function tableCell(column, row) {
    const text = cell(column, row);
    const kind = { class: `of-${column.name}${column.values ? " number" : ""}` };
    if (column.name === "signature" && text) {
      return el("td", kind, el("details", null, el("summary", null, "show"), el("code", null, text)));
    }
    if (column.name === "verdict") {
      return el("td", kind, el("span", { class: "verdict", "data-verdict": text }, text));
    }
    return el("td", kind, text && !column.values ? alone(text) : text);
  }

  /* Each word must be in a row; a word such as length=10 must be all of a cell. */
  function rowFilter(table, query) {
    const words = query.toLowerCase().split(/\s+/).filter(Boolean);
    const searched = table.columns.filter((column) => column.name !== "signature");
    return (row) => words.every((word) => {
      const [name, wanted] = [word.slice(0, word.indexOf("=")), word.slice(word.indexOf("=") + 1)];
      const exact = word.includes("=") && table.columns.find((column) => column.name === name);
      if (exact) return cell(exact, row).toLowerCase() === wanted;
      return searched.some((column) => cell(column, row).toLowerCase().includes(word));
    });
  }

  function compareBy(column, direction) {
    if (column.values) {
      return (a, b) => {
        const [x, y] = [column.values[a], column.values[b]];
        if (x === null || y === null) return (x === null) - (y === null);
        return direction * (x - y);
      };
    }
    const collator = new Intl.Collator("en", { numeric: true });
    return (a, b) => direction * collator.compare(cell(column, a), cell(column, b));
  }

  function enliven(box) {
    const table = DATA.tables[box.dataset.table];
    const columns = table.columns.filter((column) => !column.same);
    const body = box.querySelector("tbody");
    const heads = [...box.querySelectorAll("thead th")];
    const old = box.querySelector(".more");
    if (old) old.remove();
    const state = { query: "", column: null, direction: 0, limit: DATA.first_rows };
    const count = el("output", { role: "status", "aria-live": "polite" });
    const more = el("p", { class: "more" });
    const search = el("input", {
      type: "search", autocomplete: "off", spellcheck: "false",
      input: () => { state.query = search.value; state.limit = DATA.first_rows; draw(); },
    });
    const id = `${box.dataset.table}-filter`;
    search.id = id;
    box.prepend(el("div", { class: "tools" },
      el("label", { for: id }, "Show rows with all these words (or column=value)", search), count));
    box.append(more);
    heads.forEach((head, place) => {
      const column = columns[place];
      head.setAttribute("aria-sort", "none");
      head.replaceChildren(el("button", {
        type: "button",
        click: () => {
          const next = state.column === column ? { 1: -1, [-1]: 0, 0: 1 }[state.direction] : 1;
          state.column = column;
          state.direction = next;
          heads.forEach((other) => other.setAttribute("aria-sort", "none"));
          head.setAttribute("aria-sort", { 1: "ascending", [-1]: "descending", 0: "none" }[next]);
          draw();
        },
      }, column.name));
    });

    function draw() {
      const keep = rowFilter(table, state.query);
      const rows = [];
      for (let row = 0; row < table.n; row += 1) if (keep(row)) rows.push(row);
      if (state.direction) rows.sort(compareBy(state.column, state.direction));
      const shown = rows.slice(0, state.limit);
      body.replaceChildren(...shown.map((row) =>
        el("tr", null, ...columns.map((column) => tableCell(column, row)))));
      count.textContent = rows.length === table.n ? plural(table.n, "row") : `${rows.length} of ${plural(table.n, "row")}`;
      more.replaceChildren();
      if (shown.length < rows.length) {
        more.append(`The first ${shown.length} of ${rows.length} rows. `, el("button", {
          type: "button", class: "act",
          click: () => {
            state.limit += DATA.first_rows;
            draw();
            (more.querySelector("button") || search).focus();
          },
        }, "Show more"));
      }
    }
    draw();
  }

  document.querySelectorAll(".table").forEach(enliven);
  const curvesRoom = document.getElementById("curves-room");
  if (!curvesRoom || !CURVES.parts.length) return;

  /* How lines look: colour, marker and dash, the same everywhere */

  const DASHES = ["", "9 4", "3 3", "9 3 2 3", "1 4"];
  const MARKS = [
    "M-4.5 0a4.5 4.5 0 1 0 9 0a4.5 4.5 0 1 0 -9 0z", "M-4 -4h8v8h-8z", "M0 -5.2L5 4H-5z", "M0 -5.8L5 0L0 5.8L-5 0z",
    "M0 5.2L5 -4H-5z", "M-1.7 -5h3.4v3.3h3.3v3.4h-3.3v3.3h-3.4v-3.3h-3.3v-3.4h3.3z",
    "M-5 -3L-3 -5L0 -2L3 -5L5 -3L2 0L5 3L3 5L0 2L-3 5L-5 3L-2 0z", "M-5 0L4 -5V5z",
  ];
  const STAR = "M0 -6.4L1.6 -2.2L6.1 -2L2.6 .8L3.8 5.2L0 2.7L-3.8 5.2L-2.6 .8L-6.1 -2L-1.6 -2.2z";
  const looks = new Map();
  CURVES.metrics.forEach((metric, place) => looks.set(metric, metric === JUDGES
    ? { class: "judges", mark: STAR, dash: "1 3" }
    : { class: `s${place % 8}`, mark: MARKS[place % 8], dash: DASHES[place % 5] }));
  const swatch = (metric) => {
    const look = looks.get(metric);
    return svg("svg", { class: `swatch ${look.class}`, width: 34, height: 14, viewBox: "-17 -7 34 14", "aria-hidden": "true" },
      svg("line", { class: "line", x1: -17, x2: 17, "stroke-dasharray": look.dash }), svg("path", { class: "mark", d: look.mark }));
  };

  /* A name can be broken behind its brackets and commas. */
  const named = (metric) => metric.split(/(?<=[(,])/).flatMap((piece, k) => (k ? [el("wbr"), piece] : [piece]));

  /* What is looked at */

  const state = { part: 0, place: 0, criterion: "", metric: "", hidden: new Set(), bands: true };
  const part = () => CURVES.parts[state.part];
  const placesOf = (one) => [...new Set(one.criteria.flatMap((criterion) =>
    criterion.lines.flatMap((line) => line.points.map((point) => point[0]))))].sort((a, b) => a - b);
  const place = () => placesOf(part())[state.place];
  const at = (value) => {
    if (CURVES.along === "length") return `documents of ${plural(value, "segment")}`;
    return CURVES.along === "references" ? plural(value, "reference") : "all documents";
  };
  const rowsAt = (line, value) => line.points.filter((point) => point[0] === value).map((point) => point[1]);
  const number = (name, row) => of("correlations", name, row);
  const limits = (row) => (number("lower", row) && number("lower", row) !== "nan"
    ? `[${number("lower", row)}, ${number("upper", row)}]` : "");
  const isDefined = (row) => valueOf("correlations", "mean", row) !== null;
  const causes = (row) => Object.entries(DATA.causes).filter(([name]) => valueOf("correlations", name, row))
    .map(([name, words]) => `${words}: ${number(name, row)}`).join("; ");
  const whyNone = (rows) => {
    const reasons = [...new Set(rows.map(causes).filter(Boolean))];
    return `No defined coefficient${reasons.length ? `: ${reasons.join("; ")}` : ""}.`;
  };
  const facts = (row) => [
    `${part().quantity}: ${number("mean", row)} ${limits(row)}`.trim(),
    number("sd", row) && number("sd", row) !== "nan" ? `standard deviation ${number("sd", row)}` : "",
    `${number("n_used", row)} used, ${number("n_undefined", row)} undefined`,
    causes(row),
    number("no_interval_because", row) ? `no interval: ${number("no_interval_because", row)}` : "",
  ].filter(Boolean);

  function look(metric, criterion, value, go) {
    state.metric = metric;
    state.criterion = criterion;
    state.place = Math.max(0, placesOf(part()).indexOf(value));
    update();
    if (go) {
      const heading = document.getElementById("disagreements-heading");
      heading.focus({ preventScroll: true });
      heading.scrollIntoView();
    }
  }

  function choice(label, names, current, changed) {
    const select = el("select", { change: () => changed(select.selectedIndex) },
      ...names.map((name, index) => el("option", { selected: index === current, dir: "auto" }, name)));
    select.selectedIndex = current;
    return el("label", null, label, select);
  }

  /* Curves */

  function ticks(low, high) {
    const rough = (high - low) / 5;
    const unit = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 5, 10].map((times) => times * unit).find((size) => size >= rough);
    const found = [];
    for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9; k += 1) found.push(k * step);
    return { values: found, digits: Math.max(0, -Math.floor(Math.log10(step) + 1e-9)) };
  }

  function drawChart(box, criterion) {
    const width = Math.max(260, box.clientWidth);
    const height = Math.max(250, Math.min(380, width * 0.62));
    const edge = { left: 52, right: 14, top: 10, bottom: 44 };
    const lines = criterion.lines.filter((line) => !state.hidden.has(line.metric));
    const points = lines.map((line) => line.points.map(([x, row]) => ({
      x, row, y: valueOf("correlations", "mean", row),
      low: valueOf("correlations", "lower", row), high: valueOf("correlations", "upper", row),
    })).filter((point) => point.y !== null));
    const all = points.flat();
    const empty = lines.length && !all.length ? whyNone(lines.flatMap((line) => line.points.map((point) => point[1]))) : "";
    const said = box.querySelector(".empty");
    if (said) said.remove();
    if (empty) {
      const before = box.querySelector("svg.plot");
      if (before) before.remove();
      box.append(el("p", { class: "empty" }, empty));
      return;
    }
    const places = placesOf(part());
    const heights = all.flatMap((point) => [point.y, ...(state.bands ? [point.low, point.high] : [])]).filter((y) => y !== null);
    let [low, high] = heights.length ? [Math.min(...heights), Math.max(...heights)] : [0, 1];
    if (!(high > low)) [low, high] = [low - 0.1, high + 0.1];
    const margin = 0.06 * (high - low);
    [low, high] = [low - margin, high + margin];
    const log = CURVES.along === "length" && places[0] > 0 && places[places.length - 1] / places[0] > 8;
    const scale = log ? Math.log : (x) => x;
    const [first, last] = [scale(places[0]), scale(places[places.length - 1])];
    const toX = (x) => edge.left + 8 + (width - edge.left - edge.right - 16) * (last > first ? (scale(x) - first) / (last - first) : 0.5);
    const toY = (y) => edge.top + (height - edge.top - edge.bottom) * (high - y) / (high - low);
    const picture = svg("svg", {
      class: "plot", viewBox: `0 0 ${width} ${height}`, height, role: "group",
      "aria-label": `${criterion.name}: ${part().quantity} by ${CURVES.axis}. Arrow keys move between points, Enter shows where metric and human judgments disagree.`,
    });
    const side = ticks(low, high);
    for (const y of side.values) {
      picture.append(
        svg("line", { class: Math.abs(y) < 1e-9 ? "grid-line zero" : "grid-line", x1: edge.left, x2: width - edge.right, y1: toY(y), y2: toY(y) }),
        svg("text", { x: edge.left - 6, y: toY(y) + 5, "text-anchor": "end" }, y.toFixed(side.digits)));
    }
    let free = -Infinity;
    for (const x of places) {
      const half = 4.5 * String(x).length;
      if (toX(x) - half < free + 4) continue;
      free = toX(x) + half;
      picture.append(svg("text", { x: toX(x), y: height - edge.bottom + 18, "text-anchor": "middle" }, String(x)));
    }
    picture.append(
      svg("text", { x: (edge.left + width - edge.right) / 2, y: height - 6, "text-anchor": "middle" }, CURVES.axis),
      svg("line", { class: "guide", x1: toX(place()), x2: toX(place()), y1: edge.top, y2: height - edge.bottom }));
    const tip = box.querySelector(".tip");
    const marks = [];
    lines.forEach((line, index) => {
      const style = looks.get(line.metric);
      const own = points[index];
      const group = svg("g", { class: style.class });
      const banded = own.filter((point) => point.low !== null && point.high !== null);
      if (state.bands && banded.length > 1) {
        const way = [...banded.map((p) => [p.x, p.low]), ...[...banded].reverse().map((p) => [p.x, p.high])];
        group.append(svg("polygon", { class: "band", points: way.map(([x, y]) => `${toX(x)},${toY(y)}`).join(" ") }));
      }
      group.append(svg("polyline", { class: "line", "stroke-dasharray": style.dash, points: own.map((p) => `${toX(p.x)},${toY(p.y)}`).join(" ") }));
      picture.append(group);
      own.forEach((point) => {
        const isChosen = line.metric === state.metric && criterion.name === state.criterion && point.x === place();
        const words = [`${line.metric}, ${criterion.name}, ${at(point.x)}`, ...facts(point.row)];
        const title = [...listed([line.metric, criterion.name]), `, ${at(point.x)}`];
        const mark = svg("g", {
          class: `point ${style.class}${isChosen ? " chosen" : ""}`, transform: `translate(${toX(point.x)} ${toY(point.y)})`,
          role: "button", tabindex: "-1", "aria-label": words.join("; "), "data-metric": line.metric, "data-x": point.x,
          pointerenter: () => show(title, words, point), pointerleave: hide, focus: () => show(title, words, point), blur: hide,
          click: () => look(line.metric, criterion.name, point.x, true),
          keydown: (event) => {
            if (event.key === "Enter" || event.key === " ") {
              event.preventDefault();
              look(line.metric, criterion.name, point.x, true);
            } else if (event.key === "Escape") hide();
            else step(event, line.metric, point.x, point.y);
          },
        }, svg("circle", { class: "ring", r: 11 }), svg("path", { class: "mark", d: style.mark }));
        marks.push({ mark, metric: line.metric, x: point.x, y: point.y });
      });
    });
    marks.forEach(({ mark }) => picture.append(mark));
    if (marks.length) (marks.find(({ x }) => x === place()) || marks[0]).mark.setAttribute("tabindex", "0");

    function step(event, metric, x, y) {
      const along = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
      const across = { ArrowUp: 1, ArrowDown: -1 }[event.key];
      if (!along && !across) return;
      event.preventDefault();
      const near = along
        ? marks.filter((one) => one.metric === metric && along * (one.x - x) > 0).sort((a, b) => along * (a.x - b.x))
        : marks.filter((one) => one.x === x && across * (one.y - y) > 0).sort((a, b) => across * (a.y - b.y));
      if (!near.length) return;
      marks.forEach(({ mark }) => mark.setAttribute("tabindex", "-1"));
      near[0].mark.setAttribute("tabindex", "0");
      near[0].mark.focus();
    }
    function show(title, words, point) {
      tip.replaceChildren(el("strong", null, ...title), ...words.slice(1).map((text) => el("div", null, text)));
      tip.hidden = false;
      const left = toX(point.x) > width / 2;
      tip.style.left = left ? "auto" : `${toX(point.x) + 14}px`;
      tip.style.right = left ? `${width - toX(point.x) + 14}px` : "auto";
      const top = picture.offsetTop || box.querySelector("h3").offsetHeight;
      tip.style.top = `${top + Math.max(0, Math.min(toY(point.y), height - tip.offsetHeight))}px`;
    }
    function hide() { tip.hidden = true; }
    const old = box.querySelector("svg.plot");
    if (old) old.replaceWith(picture);
    else box.append(picture);
  }

  /* The frame of the curves: made once; what it holds follows the state. */

  const tools = el("div", { class: "tools" });
  const told = el("p", { class: "facts" });
  const legend = el("ul", { class: "legend", "aria-label": "Lines; press to hide or show" });
  const charts = el("div", { class: "charts" });
  const slider = el("input", {
    type: "range", min: 0, step: 1, id: "slider", list: "slider-places",
    input: () => { state.place = Number(slider.value); update(true); },
  });
  const sliderValue = el("output", { for: "slider", role: "status", "aria-live": "polite" });
  const sliderRow = el("div", { class: "tools" },
    el("label", { for: "slider" }, CURVES.along === "length" ? "Length of the documents" : "Number of references", slider), sliderValue);
  const lists = el("div", { class: "lists" });
  const listHeading = el("h3", { id: "at-heading" });
  curvesRoom.append(tools, told);
  if (CURVES.along) curvesRoom.append(legend, charts);
  curvesRoom.append(listHeading);
  if (CURVES.along) curvesRoom.append(sliderRow);
  curvesRoom.append(lists);

  function frame() {
    const here = part().criteria.find((one) => one.name === state.criterion) || part().criteria[0];
    state.criterion = here.name;
    if (!here.lines.some((line) => line.metric === state.metric)) state.metric = here.lines[0].metric;
    tools.replaceChildren();
    if (CURVES.parts.length > 1) {
      tools.append(choice("Part of the run", CURVES.parts.map((one) => one.title), state.part, (index) => {
        const before = place();
        state.part = index;
        state.place = Math.max(0, placesOf(part()).indexOf(before));
        frame();
        update();
        tools.querySelector("select").focus();
      }));
    }
    if (CURVES.along) {
      const box = el("input", { type: "checkbox", change: () => { state.bands = box.checked; drawCharts(); } });
      box.checked = state.bands;
      tools.append(el("label", { class: "inline" }, box, "show intervals"));
    }
    const interval = part().interval;
    told.textContent = `${part().where}. ${part().quantity}${interval ? `, with the ${interval}` : ""}.${CURVES.along ? " Point at a mark, or move to it with the arrow keys, for its numbers; press it to see where metric and human judgments disagree most." : ""}`;
    const present = CURVES.metrics.filter((metric) => part().criteria.some((one) => one.lines.some((line) => line.metric === metric)));
    legend.replaceChildren(...present.map((metric) => {
      const button = el("button", {
        type: "button", "aria-pressed": String(!state.hidden.has(metric)),
        click: () => {
          if (!state.hidden.delete(metric)) state.hidden.add(metric);
          button.setAttribute("aria-pressed", String(!state.hidden.has(metric)));
          drawCharts();
        },
      }, swatch(metric), alone(metric));
      return el("li", null, button);
    }));
    charts.replaceChildren(...part().criteria.map((criterion) => {
      const tip = el("div", { class: "tip", "aria-hidden": "true" });
      tip.hidden = true;
      return el("div", { class: "chart", "data-criterion": criterion.name }, el("h3", null, alone(criterion.name)), tip);
    }));
    slider.max = placesOf(part()).length - 1;
  }
  function drawCharts() {
    if (CURVES.along) part().criteria.forEach((criterion, index) => drawChart(charts.children[index], criterion));
  }

  /* The ranking at one place */

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
    const found = part().criteria.map((criterion) => ({
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
      return el("div", { class: "wide", tabindex: "0", role: "region", "aria-label": `${criterion.name}, ${at(value)}` },
        el("table", { "data-criterion": criterion.name },
          el("caption", null, alone(criterion.name), `, ${at(value)}`),
          el("thead", null, el("tr", null, ...["", "metric", "mean, confidence interval", scale(), "why"].map((name, index) =>
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
                type: "button", class: "act", "aria-label": `Where ${metric} and human judgments disagree on ${criterion.name}`,
                click: () => look(metric, criterion.name, value, true),
              }, "show") : ""));
          }))));
    }));
    listHeading.textContent = CURVES.along ? `The metrics at one ${CURVES.along === "length" ? "length" : "number of references"}` : "The metrics in order";
    slider.value = state.place;
    sliderValue.textContent = at(value);
    slider.setAttribute("aria-valuetext", at(value));
  }

  /* From a point down to documents and segments */

  const KEYS = ["panel", "corpus", "preprocessing", "subset", "criterion", "length", "metric"];
  const known = new Map((DATA.disagreements.places || []).map((one) =>
    [JSON.stringify(KEYS.map((key) => String(one[key] ?? ""))), one]));
  const disagreementsRoom = document.getElementById("disagreements-room");
  const disagreementTools = el("div", { class: "tools" });
  const disagreementsFound = el("div", { "aria-live": "polite" });
  disagreementsRoom.append(disagreementTools, disagreementsFound);
  const text = (index) => DATA.disagreements.strings[index];
  const short = (value) => (value === null ? "–" : String(Number(value.toPrecision(4))));
  const signed = (value) => short(value).replace("-", "\u2212");

  function drawFlips() {
    const criteria = part().criteria.map((one) => one.name);
    const metrics = CURVES.metrics.filter((metric) => metric !== JUDGES);
    const places = placesOf(part());
    const hadFocus = disagreementTools.contains(document.activeElement) ? [...disagreementTools.querySelectorAll("select")].indexOf(document.activeElement) : -1;
    disagreementTools.replaceChildren(
      choice("Criterion", criteria, Math.max(0, criteria.indexOf(state.criterion)), (index) => look(state.metric, criteria[index], place())),
      choice("Metric", metrics, Math.max(0, metrics.indexOf(state.metric)), (index) => look(metrics[index], state.criterion, place())));
    if (CURVES.along) {
      disagreementTools.append(choice(CURVES.along === "length" ? "Segments in a document" : "References", places.map(String), state.place,
        (index) => look(state.metric, state.criterion, places[index])));
    }
    if (hadFocus >= 0) disagreementTools.querySelectorAll("select")[hadFocus].focus();
    disagreementsFound.replaceChildren(...disagreementsAt());
  }

  function disagreementsAt() {
    if (state.metric === JUDGES) return [el("p", null, "This line relates judges to judges; it has no texts to show.")];
    const criterion = part().criteria.find((one) => one.name === state.criterion);
    const line = criterion && criterion.lines.find((one) => one.metric === state.metric);
    const rows = line ? rowsAt(line, place()) : [];
    if (!rows.length) return [el("p", null, "This metric has no number here.")];
    const heading = [el("h3", null, alone(state.metric), " against ", alone(state.criterion), `, ${at(place())}`),
      el("p", { class: "facts" }, [CURVES.parts.length > 1 ? part().title : "", ...facts(rows[0])].filter(Boolean).join("; "))];
    return rows.reduce((shown, row) => {
      const one = known.get(JSON.stringify(KEYS.map((key) => of("correlations", key, row))));
      if (!isDefined(row) && !(one && one.documents.length)) return [...shown, el("p", null, whyNone([row]))];
      if (!one) return [...shown, el("p", null, "No documents were kept for this place; the note above says why.")];
      if (!one.documents.length) {
        return [...shown, el("p", null, "In no document do metric and human judgments put two systems in opposite orders.")];
      }
      return [...shown, ...one.documents.map((document_, index) => showDocument(one, document_, index))];
    }, heading);
  }

  function showDocument(one, entry, index) {
    const systems = DATA.disagreements.systems[one.corpus];
    const [a, b] = entry.systems.map((system) => systems[system]);
    const [m, p, mr, pr] = [entry.metric, entry.people, entry.metric_ranks, entry.people_ranks];
    const numbers = entry.segments.length > 1 ? `: ${entry.segments.join(", ")}` : "";
    const strong = (words) => el("strong", null, alone(words));
    return el("article", { class: "document" },
      el("h4", null, entry.document === "all" ? "The whole corpus" : `${index + 1}. Document ${entry.document}`),
      el("p", { class: "facts" }, `${plural(entry.n_segments, "segment")}${numbers}; ${entry.references.length ? entry.references.length === 1 ? "reference " : "references " : "no references"}`, ...listed(entry.references)),
      el("p", null, "The metric puts ", strong(a), ` (${signed(m[0])}, rank ${mr[0]} of ${systems.length}) above `, strong(b), ` (${signed(m[1])}, rank ${mr[1]}). `,
        "People put ", strong(b), ` (${signed(p[1])}, rank ${pr[1]}) above `, strong(a), ` (${signed(p[0])}, rank ${pr[0]}). `,
        `Apart by ${short(entry.by_metric)} and ${short(entry.by_people)} standard deviations ${one.average_by === "none" ? "of all documents and systems" : "of the systems"}: contradiction ${short(entry.contradiction)}.`),
      ...entry.causes.map((cause) => showSegment(one, entry, cause, [a, b])));
  }

  function showSegment(one, entry, cause, names) {
    const kept = (DATA.disagreements.segments[one.corpus] || {})[String(cause.segment)];
    const box = el("div", { class: "segment" });
    const id = kept && kept.id !== String(cause.segment) ? ` (${kept.id})` : "";
    box.append(el("h4", null, `Segment ${cause.segment}${id}`));
    const told_ = names.map((name, k) => {
      const judged = kept && ((kept.judgments[one.criterion] || {})[String(entry.systems[k])] || []);
      return {
        name, words: cause.grids ? text(kept.systems[String(entry.systems[k])]) : "(text not kept)",
        metric: cause.metric ? signed(cause.metric[k]) : "–", people: signed(cause.people[k]),
        judgments: cause.grids && judged ? judged.flatMap(([judge, score], n) => [n ? ", " : "", el("bdi", { dir: "ltr" }, alone(judge), `: ${signed(score)}`)]) : [],
      };
    });
    const line = (name, words) => el("tr", null, el("th", { scope: "row" }, alone(name)), el("td", { class: "text", colspan: 4, dir: "auto" }, words));
    box.append(el("div", { class: "wide", tabindex: "0", role: "region", "aria-label": `Texts of segment ${cause.segment}` },
      el("table", { class: "texts" },
        el("thead", null, el("tr", null, ...["", "text", "metric", "human", `judgments of ${one.criterion}`].map((name) => el("th", { scope: "col" }, name)))),
        el("tbody", null,
          kept && cause.grids && kept.source !== undefined ? line("source", text(kept.source)) : null,
          ...told_.map((row) => el("tr", null, el("th", { scope: "row" }, alone(row.name)), el("td", { class: "text", dir: "auto" }, row.words || "(empty)"),
            el("td", { class: "number", "data-label": "metric" }, row.metric), el("td", { class: "number", "data-label": "human" }, row.people),
            el("td", { "data-label": "judgments" }, ...row.judgments))),
          ...(kept && cause.grids ? entry.references.filter((name) => name in kept.references)
            .map((name) => line(name, text(kept.references[name]))) : [])))));
    (cause.grids || []).forEach((index, k) => {
      const more = el("details", {
        toggle: () => { if (more.open && more.children.length === 1) more.append(drawGrid(DATA.disagreements.grids[index], names[k])); },
      }, el("summary", null, "Bitext grid of ", alone(names[k])));
      box.append(more);
    });
    return box;
  }

  function drawGrid(grid, name) {
    const words = (index) => text(index).split(" ").filter(Boolean);
    const down = words(grid.candidate);
    const across = grid.references.map(([reference, index]) => [reference, words(index)]);
    const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnpqrstuvwxyz";
    const signs = new Map();
    grid.runs.forEach(([row, column, length, kept], run) => {
      for (let k = 0; k < length; k += 1) {
        const left = kept - k;
        signs.set(`${row + k} ${column + k}`, left >= 1 ? letters[run] || "#" : left > 0 ? "%" : "o");
      }
    });
    const heads = across.flatMap(([, tokens], k) => [...(k ? [el("td", { class: "gap" })] : []),
      ...tokens.map((token) => el("th", { scope: "col" }, el("span", { class: "word" }, token)))]);
    // Columns count over all references; each begins one column after the end of the one before it.
    const starts = across.map((_, k) => across.slice(0, k).reduce((sum, [, tokens]) => sum + tokens.length + 1, 0));
    const names = across.length < 2 ? [] : [el("tr", null, el("td", null), ...across.flatMap(([reference, tokens], k) => [
      ...(k ? [el("td", { class: "gap" })] : []), tokens.length ? el("th", { scope: "colgroup", colspan: tokens.length }, alone(reference)) : null]))];
    const body = down.map((token, row) => {
      const cells = across.flatMap(([, tokens], k) => [...(k ? [el("td", { class: "gap" })] : []),
        ...tokens.map((other, column) => {
          const sign = signs.get(`${row} ${starts[k] + column}`);
          const kept = sign !== undefined && sign !== "o";
          return el("td", { class: kept ? "hit kept" : token === other ? "hit" : null }, sign || (token === other ? "·" : ""));
        })]);
      return el("tr", null, el("th", { scope: "row" }, token), ...cells);
    });
    return el("div", { class: "wide", tabindex: "0", role: "region", "aria-label": `Bitext grid of ${name}` },
      el("table", { class: "grid-table" },
        el("caption", null, alone(name), " downwards, ", ...listed(across.map(([reference]) => reference)), ` across. Letters: the runs of the matching by ${DATA.disagreements.grid_metric}; o: hits that its cap deletes; %: a part of a hit; dots: other equal tokens.`),
        el("thead", null, ...names, el("tr", null, el("td", null), ...heads)),
        el("tbody", null, ...body)));
  }

  function update(keepSlider) {
    drawCharts();
    drawLists();
    drawFlips();
    if (keepSlider) slider.focus();
  }

  /* At first, a place where there is something to see. */
  state.place = Math.floor(placesOf(part()).length / 2);
  const candidates = part().criteria.flatMap((criterion) => criterion.lines.map((line) => [criterion.name, line.metric, rowsAt(line, place())[0]]));
  const disagreementsOf = (row) => (row === undefined ? undefined : known.get(JSON.stringify(KEYS.map((key) => of("correlations", key, row)))));
  [state.criterion, state.metric] = candidates.find(([, , row]) => disagreementsOf(row)?.documents.length) || candidates[0];
  frame();
  update();
  let [waiting, width] = [0, curvesRoom.clientWidth];
  new ResizeObserver(() => {
    if (curvesRoom.clientWidth === width) return; // as at first, or where only the height is another: focus and tip stay
    width = curvesRoom.clientWidth;
    cancelAnimationFrame(waiting);
    waiting = requestAnimationFrame(drawCharts);
  }).observe(curvesRoom);
})();
