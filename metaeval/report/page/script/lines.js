
  /* How lines look: colour, marker and dash, the same everywhere; and the legend, which highlights and isolates */

  const MANY = 6;
  const DASHES = ["", "9 4", "3 3", "9 3 2 3", "1 4"];
  const MARKS = [
    "M-4.5 0a4.5 4.5 0 1 0 9 0a4.5 4.5 0 1 0 -9 0z", "M-4 -4h8v8h-8z", "M0 -5.2L5 4H-5z", "M0 -5.8L5 0L0 5.8L-5 0z",
    "M0 5.2L5 -4H-5z", "M-1.7 -5h3.4v3.3h3.3v3.4h-3.3v3.3h-3.4v-3.3h-3.3v-3.4h3.3z",
    "M-5 -3L-3 -5L0 -2L3 -5L5 -3L2 0L5 3L3 5L0 2L-3 5L-5 3L-2 0z", "M-5 0L4 -5V5z",
  ];
  const STAR = "M0 -6.4L1.6 -2.2L6.1 -2L2.6 .8L3.8 5.2L0 2.7L-3.8 5.2L-2.6 .8L-6.1 -2L-1.6 -2.2z";
  const looks = new Map();
  /* Of 64 metrics no two have the same colour and marker. */
  const styled = (number) => ({ class: `s${number % 8}`, mark: MARKS[(number + Math.floor(number / 8)) % 8], dash: DASHES[number % 5] });
  for (const metric of CURVES.metrics)
    looks.set(metric, metric === JUDGES ? { class: "judges", mark: STAR, dash: "1 3" } : styled(CURVES.style_numbers[metric]));
  const swatch = (metric) => {
    const look = looks.get(metric);
    return svg("svg", { class: `swatch ${look.class}`, width: 34, height: 14, viewBox: "-17 -7 34 14", "aria-hidden": "true" },
      svg("line", { class: "line", x1: -17, x2: 17, "stroke-dasharray": look.dash }), svg("path", { class: "mark", d: look.mark }));
  };

  /* A name can be broken behind its brackets and commas. */
  const named = (metric) => metric.split(/(?<=[(,])/).flatMap((piece, k) => (k ? [el("wbr"), piece] : [piece]));

  const isShown = (metric) => !state.only || !state.lit.size || state.lit.has(metric);
  const hasBand = (metric) => state.bands && (state.lit.size ? state.lit.has(metric) : metricsHere().length <= MANY);
  /* All lines but those that stand out are pale. */
  function paint(over) {
    for (const line of document.querySelectorAll(".chart [data-metric]")) {
      const metric = line.dataset.metric;
      line.classList.toggle("pale", over ? metric !== over : state.lit.size > 0 && !state.lit.has(metric));
    }
  }
  function drawLegend(legend, changed) {
    const told = () => {
      keep("lit", JSON.stringify([...state.lit]));
      keep("only", state.only ? "yes" : "");
      changed();
      drawLegend(legend, changed);
    };
    const focused = legend.contains(document.activeElement) ? document.activeElement.dataset.of : null;
    const only = el("input", { type: "checkbox", "data-of": "only", change: () => { state.only = only.checked; told(); } });
    only.checked = state.only;
    legend.replaceChildren(
      ...metricsHere().map((metric) => el("li", null, el("button", {
        type: "button", "aria-pressed": String(state.lit.has(metric)), "data-of": `m ${metric}`,
        pointerenter: () => paint(metric), pointerleave: () => paint(), focus: () => paint(metric), blur: () => paint(),
        click: () => {
          if (!state.lit.delete(metric)) state.lit.add(metric);
          told();
        },
      }, swatch(metric), alone(metric)))),
      el("li", null, el("label", { class: "inline" }, only, "only those highlighted")),
      el("li", null, el("button", { type: "button", "data-of": "none", click: () => { state.lit.clear(); told(); } }, "highlight none")));
    [...legend.querySelectorAll("[data-of]")].find((one) => one.dataset.of === focused)?.focus();
  }
