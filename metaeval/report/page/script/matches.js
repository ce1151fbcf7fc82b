
  /* Texts of a segment, with what a candidate and the references have in common */

  const TEXTS = DATA.texts;
  const text = (index) => TEXTS.strings[index];
  const short = (value) => (value === null ? "–" : String(Number(value.toPrecision(4))));
  const signed = (value) => short(value).replace("-", "\u2212");
  const nameOf = (number_, held) => `Segment ${number_}${held && held.id !== String(number_) ? ` (${held.id})` : ""}`;

  /* Words, numbers and signs; scripts without blanks are cut into characters. */
  const TOKEN = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]|[\p{L}\p{M}\p{N}]+|[^\s]/gu;
  const tokensOf = (words) => [...words.matchAll(TOKEN)].map((found) =>
    ({ from: found.index, to: found.index + found[0].length, word: found[0].toLowerCase() }));

  /* For each token of one text how long the longest run of equal tokens is that it is in; capital letters do not count. */
  function runsIn(tokens, others) {
    const longest = new Array(tokens.length).fill(0);
    for (const other of others) {
      let before = [];
      tokens.forEach((token, row) => {
        const here = new Array(other.length).fill(0);
        other.forEach(({ word }, column) => {
          if (word !== token.word) return;
          here[column] = 1 + (before[column - 1] || 0);
          for (let back = 0; back < here[column]; back += 1) longest[row - back] = Math.max(longest[row - back], here[column]);
        });
        before = here;
      });
    }
    return longest;
  }

  /* A text, each run of equal tokens marked by its length. */
  function marked(words, others) {
    const tokens = tokensOf(words);
    const runs = runsIn(tokens, others.map(tokensOf));
    const found = [];
    let done = 0;
    for (let k = 0; k < tokens.length; k += 1) {
      if (!runs[k]) continue;
      let end = k;
      while (end + 1 < tokens.length && runs[end + 1] === runs[k]) end += 1;
      const [from, to] = [tokens[k].from, tokens[end].to];
      found.push(words.slice(done, from), el("mark", { class: `n${Math.min(4, runs[k])}` }, words.slice(from, to)));
      done = to;
      k = end;
    }
    return [...found, words.slice(done)];
  }
  const markKey = () => el("p", { class: "facts" }, "Marked: words that candidate and reference share, by the length of the run: ",
    ...["1", "2", "3", "4 or more"].flatMap((name, k) => [el("mark", { class: `n${k + 1}` }, name), " "]),
    "(capital letters do not count; a metric may count otherwise). In references, the matches of the candidate whose name is pressed.");

  /* Source, candidates with their scores and judgments, and references; the pressed candidate is marked in references. */
  function textsTable(number_, held, references, criterion, rows) {
    let pressed = 0;
    const own = references.filter((name) => name in held.references).map((name) => [name, text(held.references[name])]);
    const words = rows.map((row) => (row.system in held.systems ? text(held.systems[row.system]) : null));
    const line = (name, ...parts) => el("tr", null, el("th", { scope: "row" }, alone(name)), el("td", { class: "text", colspan: 4, dir: "auto" }, ...parts));
    const body = el("tbody");
    const draw = () => body.replaceChildren(
      ...(held.source === undefined ? [] : [line("source", text(held.source))]),
      ...rows.map((row, k) => {
        const judged = (held.judgments[criterion] || {})[row.system] || [];
        const head = el("button", {
          type: "button", "aria-pressed": String(k === pressed),
          click: () => {
            pressed = k;
            draw();
            body.querySelector("[aria-pressed=true]").focus();
          },
        }, alone(row.name));
        return el("tr", null, el("th", { scope: "row" }, own.length ? head : alone(row.name)),
          el("td", { class: "text", dir: "auto" }, ...(words[k] === null ? ["(text not kept)"] : words[k] ? marked(words[k], own.map(([, one]) => one)) : ["(empty)"])),
          el("td", { class: "number", "data-label": "metric" }, signed(row.metric)),
          el("td", { class: "number", "data-label": "human" }, signed(row.human)),
          el("td", { "data-label": "judgments" }, ...judged.flatMap(([judge, score], n) =>
            [n ? ", " : "", el("bdi", { dir: "ltr" }, alone(judge), `: ${signed(score)}`)])));
      }),
      ...own.map(([name, one]) => line(name, ...marked(one, words[pressed] ? [words[pressed]] : []))));
    draw();
    return group(`Texts of segment ${number_}`, el("table", { class: "texts" },
      el("thead", null, el("tr", null, ...["system", "text", "metric", "human", `judgments of ${criterion}`].map((name) => el("th", { scope: "col" }, name)))),
      body));
  }
