
  /* From a point down to documents and segments */

  /* In how many standard deviations metric and judgments must differ between two systems, at least. */
  const LEAST = ["0", "0.1", "0.25", "0.5", "1"];
  const USUAL = "0.1";
  const disagreementsRoom = document.getElementById("disagreements-room");
  const disagreementTools = el("div", { class: "tools" });
  const thresholdTools = el("div", { class: "tools" });
  const disagreementsFound = el("div", { "aria-live": "polite" });
  disagreementsRoom.append(disagreementTools, thresholdTools, disagreementsFound);
  restoring(() => { state.least = Number(LEAST.includes(kept("least")) ? kept("least") : USUAL); });

  function drawDisagreements() {
    choices(disagreementTools);
    if (!thresholdTools.contains(document.activeElement)) {
      thresholdTools.replaceChildren(choice("Least difference of the systems by metric and judgments (standard deviations)", LEAST, LEAST.indexOf(String(state.least)), (index) => {
        state.least = Number(LEAST[index]);
        keep("least", LEAST[index] === USUAL ? "" : LEAST[index]);
        disagreementsFound.replaceChildren(...disagreementsAt());
      }));
    }
    disagreementsFound.replaceChildren(...disagreementsAt());
  }

  function disagreementsAt() {
    if (state.metric === JUDGES) return [el("p", null, "This line relates judges to judges; it has no texts to show.")];
    const line = lineOf(state.metric, state.criterion);
    const rows = line ? rowsAt(line, place()) : [];
    if (!rows.length) return [el("p", null, "This metric has no number here.")];
    const heading = [el("h3", null, alone(state.metric), " against ", alone(state.criterion), `, ${at(place())}`),
      el("p", { class: "facts" }, [CURVES.parts.length > 1 ? part().title : "", ...facts(rows[0])].filter(Boolean).join("; "))];
    return rows.reduce((shown, row) => {
      const documents = TEXTS.documents?.[TEXTS.of[row]];
      if (!isDefined(row) && !documents?.length) return [...shown, el("p", null, whyNone([row]))];
      if (!documents) return [...shown, el("p", null, "No documents were kept for this place; the note above says why.")];
      if (!documents.length) {
        return [...shown, el("p", null, "In no document do metric and human judgments put two systems in opposite orders.")];
      }
      const clear = documents.filter((one) => Math.min(one.by_metric, one.by_people) >= state.least);
      const small = documents.length - clear.length;
      const about = { corpus: placeOf(row).corpus, criterion: state.criterion, pooled: placeOf(row).average_by === "none" };
      return [...shown, ...clear.map((one, index) => showDocument(about, one, index)),
        small ? el("p", { class: "facts" }, `${plural(small, "smaller disagreement")} of this place not shown: by metric or judgments the systems differ by less than ${state.least} standard deviations.`) : null].filter(Boolean);
    }, heading);
  }

  function showDocument(one, entry, index) {
    const systems = TEXTS.systems[one.corpus];
    const [a, b] = entry.systems.map((system) => systems[system]);
    const [m, p, mr, pr] = [entry.metric, entry.people, entry.metric_ranks, entry.people_ranks];
    const numbers = entry.segments.length > 1 ? `: ${entry.segments.join(", ")}` : "";
    const strong = (words) => el("strong", null, alone(words));
    return el("details", { class: "document" },
      el("summary", null, el("h4", null, entry.document === "all" ? "The whole corpus" : `${index + 1}. Document ${entry.document}`, ": the metric prefers ",
        alone(a), ", human judges ", alone(b))),
      el("p", { class: "facts" }, `${plural(entry.n_segments, "segment")}${numbers}; ${entry.references.length ? entry.references.length === 1 ? "reference " : "references " : "no references"}`, ...listed(entry.references)),
      el("p", null, "The metric puts ", strong(a), ` (${signed(m[0])}, rank ${mr[0]} of ${systems.length}) above `, strong(b), ` (${signed(m[1])}, rank ${mr[1]}). `,
        "Human judges rank ", strong(b), ` (${signed(p[1])}, rank ${pr[1]}) above `, strong(a), ` (${signed(p[0])}, rank ${pr[0]}). `,
        `Apart by ${short(entry.by_metric)} and ${short(entry.by_people)} standard deviations ${one.pooled ? "of all documents and systems" : "of the systems"}: contradiction ${short(entry.contradiction)}.`),
      ...entry.causes.map((cause) => showSegment(one, entry, cause, [a, b])));
  }

  function showSegment(one, entry, cause, names) {
    const held = TEXTS.segments[one.corpus]?.[cause.segment];
    const box = el("div", { class: "segment" }, el("h4", null, nameOf(cause.segment, held)));
    if (!held) {
      box.append(el("p", null, "The texts of this segment have no room on this page."));
      return box;
    }
    box.append(textsTable(cause.segment, held, entry.references, one.criterion, names.map((name, k) => ({
      name, system: String(entry.systems[k]), metric: cause.metric && cause.metric[k], human: cause.people[k],
    }))));
    (cause.grids || []).filter((index) => TEXTS.grids[index]).forEach((index, k) => {
      const more = el("details", {
        toggle: () => { if (more.open && more.children.length === 1) more.append(drawGrid(TEXTS.grids[index], names[k])); },
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
    return group(`Bitext grid of ${name}`,
      el("table", { class: "grid-table" },
        el("caption", null, alone(name), " downwards, ", ...listed(across.map(([reference]) => reference)), ` across. Letters: the runs of the matching by ${DATA.grid_metric}; o: hits that its cap deletes; %: a part of a hit; dots: other equal tokens.`),
        el("thead", null, ...names, el("tr", null, el("td", null), ...heads)),
        el("tbody", null, ...body)));
  }
