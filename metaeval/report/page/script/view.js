
  /* A run without curves, such as a set of tasks, has tables alone. */
  if (!CURVES.parts.length) {
    restoreAll();
    return;
  }

  /* What is looked at: a part of the run, a place on its axis, a criterion and a metric */

  const state = { part: 0, place: 0, criterion: "", metric: "", lit: new Set(), only: false, bands: true };
  const part = () => CURVES.parts[state.part];
  const placesOf = (one) => [...new Set(one.criteria.flatMap((criterion) =>
    criterion.lines.flatMap((line) => line.points.map((point) => point[0]))))].sort((a, b) => a - b);
  const place = () => placesOf(part())[state.place];
  const at = (value) => {
    if (CURVES.along === "length") return `documents of ${plural(value, "segment")}`;
    return CURVES.along === "references" ? plural(value, "reference") : part().documents;
  };
  const metricsHere = () => CURVES.metrics.filter((metric) =>
    part().criteria.some((one) => one.lines.some((line) => line.metric === metric)));
  const lineOf = (metric, criterion) => part().criteria.find((one) => one.name === criterion)?.lines.find((line) => line.metric === metric);
  const rowsAt = (line, value) => line.points.filter((point) => point[0] === value).map((point) => point[1]);
  const ROWS = DATA.rows;
  const placeOf = (row) => ROWS.places[ROWS.place[row]];
  const isDefined = (row) => ROWS.mean[row] !== null;
  const whyNone = (rows) => {
    const reasons = [...new Set(rows.map((row) => ROWS.undefined[row]).filter(Boolean))];
    return `No defined coefficient${reasons.length ? `: ${reasons.join("; ")}` : ""}.`;
  };
  const facts = (row) => [
    `${part().quantity}: ${ROWS.words[row]} ${ROWS.limits[row]}`.trim(), ...ROWS.facts[row], ROWS.undefined[row],
  ].filter(Boolean);

  /* Metric and criterion must be of the part. */
  function settle() {
    const here = part().criteria.find((one) => one.name === state.criterion) || part().criteria[0];
    state.criterion = here.name;
    if (!here.lines.some((line) => line.metric === state.metric)) state.metric = best(here, place())[0] || here.lines[0].metric;
    state.place = Math.min(state.place, placesOf(part()).length - 1);
  }
  /* The metrics at a place in the order of its ranking. */
  function best(criterion, value) {
    const order = (line) => ROWS.order[rowsAt(line, value)[0]];
    return criterion.lines.filter((line) => rowsAt(line, value).length && line.metric !== JUDGES)
      .sort((a, b) => order(a) - order(b)).map((line) => line.metric);
  }

  function look(metric, criterion, value, go) {
    state.metric = metric;
    state.criterion = criterion;
    state.place = Math.max(0, placesOf(part()).indexOf(value));
    tell();
    update();
    if (go) {
      const first = disagreementsFound.querySelector("details.document");
      if (first) first.open = true;
      const heading = document.getElementById("disagreements-heading");
      heading.focus({ preventScroll: true });
      heading.scrollIntoView();
    }
  }
  /* A view that differs from that of an opened page stands in the address. */
  function tell() {
    keep("part", state.part ? part().title : "");
    keep("criterion", state.criterion);
    keep("metric", state.metric);
    keep("at", CURVES.along && state.place !== placesOf(part()).length - 1 ? String(place()) : "");
  }
  restoring(() => {
    state.part = Math.max(0, CURVES.parts.findIndex((one) => one.title === kept("part")));
    const places = placesOf(part());
    state.place = places.map(String).includes(kept("at")) ? places.map(String).indexOf(kept("at")) : places.length - 1;
    [state.criterion, state.metric] = [kept("criterion"), kept("metric")];
    settle();
    /* Many lines are a thicket: the best stand out unless others were chosen. */
    const many = metricsHere().length > MANY;
    const lit = values.has("lit") ? new Set(listIn(kept("lit"))) : new Set(many ? best(part().criteria[0], place()).slice(0, 3) : []);
    state.lit = new Set(metricsHere().filter((metric) => lit.has(metric)));
    state.only = kept("only") === "yes";
    state.bands = kept("intervals") !== "no";
  });

  /* The choices of criterion and metric, the same in each part of the page */
  function choices(box) {
    const criteria = part().criteria.map((one) => one.name);
    const metrics = metricsHere().filter((metric) => metric !== JUDGES);
    const places = placesOf(part());
    const focused = [...box.querySelectorAll("select")].indexOf(document.activeElement);
    box.replaceChildren(
      choice("Criterion", criteria, Math.max(0, criteria.indexOf(state.criterion)), (index) => look(state.metric, criteria[index], place())),
      choice("Metric", metrics, Math.max(0, metrics.indexOf(state.metric)), (index) => look(metrics[index], state.criterion, place())));
    if (CURVES.along) {
      box.append(choice(CURVES.along === "length" ? "Segments in a document" : "References", places.map(String), state.place,
        (index) => look(state.metric, state.criterion, places[index])));
    }
    if (focused >= 0) box.querySelectorAll("select")[focused]?.focus();
  }
