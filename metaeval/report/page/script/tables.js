
  /* Tables: sorted by their heads, filtered, and as files */

  const cell = (column, row) => column.words[column.at[row]];

  function tableCell(column, row) {
    const text = cell(column, row);
    const kind = {
      "data-column": column.name,
      class: column.values ? "number" : null,
      "data-cluster": column.clusters ? column.clusters[row] : null,
    };
    return el("td", kind, text && !column.values ? alone(text) : text);
  }

  /* Words stand between blanks; quotes hold some together. */
  const wordsOf = (query) => (query.toLowerCase().match(/(?:[^\s"]|"[^"]*(?:"|$))+/g) || []).map((word) => word.replace(/"/g, ""));
  /* Each word must be in a row; length=10 must be all of a cell, and p<0.05 compares numbers. */
  function rowFilter(table, query) {
    const tests = wordsOf(query).map((word) => {
      const place = word.search(/[=<>]/);
      const column = place > 0 && table.columns.find((one) => one.name.toLowerCase() === word.slice(0, place));
      const wanted = word.slice(place + 1);
      if (column && word[place] === "=") return (row) => cell(column, row).toLowerCase() === wanted;
      if (column && column.values && wanted && Number.isFinite(Number(wanted))) {
        return (row) => column.values[row] !== null && (word[place] === "<" ? column.values[row] < Number(wanted) : column.values[row] > Number(wanted));
      }
      return (row) => table.columns.some((one) => cell(one, row).toLowerCase().includes(word));
    });
    return (row) => tests.every((test) => test(row));
  }

  const collator = new Intl.Collator("en", { numeric: true });
  function compareBy(column, direction) {
    if (!column.values) return (a, b) => direction * collator.compare(cell(column, a), cell(column, b));
    return (a, b) => {
      const [x, y] = [column.values[a], column.values[b]];
      return x === null || y === null ? (x === null) - (y === null) : direction * (x - y);
    };
  }

  function enliven(box) {
    const own = box.dataset.table;
    const table = DATA.tables[own];
    const columns = table.columns.filter((column) => !column.same);
    const body = box.querySelector("tbody");
    const heads = [...box.querySelectorAll("thead th")];
    box.querySelector(".more")?.remove();
    const state = { query: "", column: null, direction: 0, limit: DATA.first_rows };
    const count = el("output", { role: "status", "aria-live": "polite" });
    const more = el("p", { class: "more" });
    const search = el("input", {
      type: "search", autocomplete: "off", spellcheck: "false", id: `${own}-filter`,
      input: () => {
        state.query = search.value;
        state.limit = DATA.first_rows;
        keep(`${own}.find`, state.query);
        draw();
      },
    });
    box.prepend(el("div", { class: "tools" },
      el("label", { for: search.id }, "Show rows with all these words (or column=value, column<number)", search), count,
      saver("CSV", own, () => save(`${own}.csv`, csv([table.columns.map((column) => column.name),
        ...chosen().map((row) => table.columns.map((column) => column.values?.[row] ?? cell(column, row)))]), "text/csv"))));
    box.append(more);
    heads.forEach((head, place) => {
      const column = columns[place];
      head.replaceChildren(el("button", {
        type: "button",
        click: () => {
          state.direction = state.column === column ? { 1: -1, [-1]: 0, 0: 1 }[state.direction] : 1;
          state.column = column;
          keep(`${own}.sort`, state.direction ? `${state.direction < 0 ? "-" : ""}${column.name}` : "");
          draw();
        },
      }, column.name));
      const task = table.tasks?.[place];
      if (task) head.append(el("a", { href: `#tasks&${new URLSearchParams({ "tasks.find": `task="${task}"` })}`, "aria-label": `its rows: ${task}` }, "its rows"));
    });

    function chosen() {
      const has = rowFilter(table, state.query);
      const rows = [];
      for (let row = 0; row < table.n; row += 1) if (has(row)) rows.push(row);
      return state.direction ? rows.sort(compareBy(state.column, state.direction)) : rows;
    }
    function draw() {
      const rows = chosen();
      const shown = rows.slice(0, state.limit);
      heads.forEach((head, place) => head.setAttribute("aria-sort",
        columns[place] === state.column ? { 1: "ascending", [-1]: "descending", 0: "none" }[state.direction] : "none"));
      body.replaceChildren(...shown.map((row) => el("tr", null, ...columns.map((column) => tableCell(column, row)))));
      count.textContent = rows.length === table.n ? plural(table.n, "row") : `${rows.length} of ${plural(table.n, "row")}`;
      more.replaceChildren();
      if (shown.length < rows.length) {
        more.append(`The first ${shown.length} of ${rows.length} rows. `, el("button", {
          type: "button", class: "act",
          click: () => {
            state.limit *= 4;
            draw();
            (more.querySelector("button") || search).focus();
          },
        }, "Show more"));
      }
    }
    restoring(() => {
      const sorted = kept(`${own}.sort`);
      state.column = columns.find((column) => [column.name, `-${column.name}`].includes(sorted)) || null;
      state.direction = state.column ? (state.column.name === sorted ? 1 : -1) : 0;
      state.query = search.value = kept(`${own}.find`);
      draw();
    });
  }
  document.querySelectorAll(".table").forEach(enliven);
