
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
    const lines = criterion.lines.filter((line) => isShown(line.metric));
    const points = lines.map((line) => line.points.map(([x, row]) => ({
      x, row, y: ROWS.mean[row], low: ROWS.lower[row], high: ROWS.upper[row],
    })).filter((point) => point.y !== null));
    const all = points.flat();
    const empty = lines.length && !all.length ? whyNone(lines.flatMap((line) => line.points.map((point) => point[1]))) : "";
    const said = box.querySelector(".empty");
    if (said) said.remove();
    if (empty) {
      const before = box.querySelector("svg.plot");
      if (before) before.remove();
      box.querySelector(".savers").before(el("p", { class: "empty" }, empty));
      return;
    }
    const places = placesOf(part());
    const heights = lines.flatMap((line, k) => points[k].flatMap((point) =>
      [point.y, ...(hasBand(line.metric) ? [point.low, point.high] : [])])).filter((y) => y !== null);
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
      const group = svg("g", { class: style.class, "data-metric": line.metric });
      const banded = own.filter((point) => point.low !== null && point.high !== null);
      if (hasBand(line.metric) && banded.length > 1) {
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
    else box.querySelector(".savers").before(picture);
  }

  /* The frame of the curves: made once; what it holds follows the state. */

  const curvesRoom = document.getElementById("curves-room");
  const tools = el("div", { class: "tools" });
  const told = el("p", { class: "facts" });
  const legend = el("ul", { class: "legend", "aria-label": "Lines; press to highlight" });
  const charts = el("div", { class: "charts" });
  curvesRoom.append(tools, told);
  if (CURVES.along) curvesRoom.append(legend, charts);

  function frame() {
    tools.replaceChildren();
    if (CURVES.parts.length > 1) {
      tools.append(choice("Part of the run", CURVES.parts.map((one) => one.title), state.part, (index) => {
        const before = place();
        state.part = index;
        state.place = Math.max(0, placesOf(part()).indexOf(before));
        settle();
        tell();
        frame();
        update();
        tools.querySelector("select").focus();
      }));
    }
    if (CURVES.along) {
      const box = el("input", {
        type: "checkbox",
        change: () => {
          state.bands = box.checked;
          keep("intervals", state.bands ? "" : "no");
          drawCharts();
        },
      });
      box.checked = state.bands;
      tools.append(el("label", { class: "inline" }, box, "show intervals"));
    }
    const { interval, no_interval: noInterval } = part();
    told.textContent = `${part().where}. ${part().quantity}${interval ? `, with the ${interval}` : noInterval ? `; ${noInterval}` : ""}.${CURVES.along ? " Point at a mark, or move to it with the arrow keys, for its numbers; press it to see where metric and human judgments disagree most. Press a name to highlight its line." : ""}`;
    drawLegend(legend, drawCharts);
    charts.replaceChildren(...part().criteria.map((criterion) => {
      const tip = el("div", { class: "tip", "aria-hidden": "true" });
      tip.hidden = true;
      const box = el("div", { class: "chart", "data-criterion": criterion.name }, el("h3", null, alone(criterion.name)), tip,
        pictureSavers(`curves ${criterion.name}`, () => box.querySelector("svg.plot")));
      return box;
    }));
  }
  function drawCharts() {
    if (!CURVES.along) return;
    part().criteria.forEach((criterion, index) => drawChart(charts.children[index], criterion));
    paint();
  }
