
  /* All segments that the page has: search over texts, judgments and scores */

  const segmentsRoom = document.getElementById("segments-room");
  const PER_PAGE = 10;
  const ORDERS = ["as in the corpus", "metric too high first", "metric too low first"];
  const browse = { query: "", order: 0, limit: PER_PAGE };
  const segmentChoices = el("div", { class: "tools" });
  const orderTools = el("div", { class: "tools" });
  const segmentsFound = el("div");
  const segmentSearch = el("input", {
    type: "search", autocomplete: "off", spellcheck: "false", id: "segments-filter",
    input: () => {
      browse.query = segmentSearch.value;
      browse.limit = PER_PAGE;
      keep("segments.find", browse.query);
      drawSegments();
    },
  });
  const segmentCount = el("output", { role: "status", "aria-live": "polite" });
  if (segmentsRoom) {
    segmentsRoom.append(
      el("p", { class: "facts" }, "Words look in texts, systems and judges; system=NAME, judge=NAME and segment=N in these alone; metric<0.2, human>4 and judgment=1 in numbers; \"words in quotes\" stand together."),
      el("div", { class: "tools" }, el("label", { for: "segments-filter" }, "Search segments", segmentSearch), segmentCount),
      segmentChoices, orderTools, markKey(), segmentsFound);
  }
  restoring(() => {
    browse.query = segmentSearch.value = kept("segments.find");
    browse.order = Math.max(0, ORDERS.indexOf(kept("segments.order")));
  });

  const meanOf = (values) => (values.length ? values.reduce((sum, one) => sum + one, 0) / values.length : null);
  /* Every candidate of the corpus of the chosen part, with its score by the chosen metric where the page has it. */
  function candidates() {
    const line = lineOf(state.metric, state.criterion) || part().criteria[0].lines[0];
    const row = rowsAt(line, place())[0] ?? line.points[0][1];
    const key = Object.fromEntries(["panel", "corpus", "preprocessing", "subset", "metric"].map((name) => [name, placeOf(row)[name]]));
    const scores = TEXTS.scores.find((one) => Object.entries(key).every(([name, value]) => one[name] === value));
    const names = TEXTS.systems?.[key.corpus] || [];
    const found = Object.entries(TEXTS.segments[key.corpus] || {}).flatMap(([segment, held]) => Object.keys(held.systems).map((system) => {
      const name = names[system];
      const judgments = (held.judgments[state.criterion] || {})[system] || [];
      const index = scores ? scores.names.indexOf(name) : -1;
      return {
        segment, held, system, name, judgments, metric: scores?.values[segment]?.[index] ?? null,
        human: meanOf(judgments.map(([, score]) => score)),
      };
    }));
    /* How much better the metric finds a candidate than the human judges do, in standard deviations of each. */
    const spread = (side) => {
      const values = found.map((one) => one[side]).filter((one) => one !== null);
      const mean = meanOf(values);
      return { mean, sd: Math.sqrt(meanOf(values.map((one) => (one - mean) ** 2))) || 1 };
    };
    const [metric, human] = [spread("metric"), spread("human")];
    const sides = scoresOf(state.metric);
    const [sign, humanSign] = sides ? [sides.metric.sign, sides.human.sign] : [1, 1];
    found.forEach((one) => {
      one.gap = one.metric === null || one.human === null ? null
        : sign * (one.metric - metric.mean) / metric.sd - humanSign * (one.human - human.mean) / human.sd;
    });
    return { found, hasScores: Boolean(scores), sides };
  }

  function candidateFilter(query) {
    const tests = wordsOf(query).map((word) => {
      const [, name, sign, wanted] = word.match(/^(system|judge|segment|metric|human|judgment)([=<>])(.+)$/) || [];
      const compare = (value) => value !== null && ({ "=": value === Number(wanted), "<": value < Number(wanted), ">": value > Number(wanted) })[sign];
      if (name === "system") return (one) => one.name.toLowerCase() === wanted;
      if (name === "segment") return (one) => one.segment === wanted || one.held.id.toLowerCase() === wanted;
      if (name === "judge") return (one) => one.judgments.some(([judge]) => judge.toLowerCase() === wanted);
      if (name === "judgment") return (one) => one.judgments.some(([, score]) => compare(score));
      if (name) return (one) => compare(one[name]);
      return (one) => [one.name, text(one.held.systems[one.system]), ...Object.values(one.held.references).map(text),
        one.held.source === undefined ? "" : text(one.held.source), ...one.judgments.map(([judge]) => judge)]
        .some((words) => words.toLowerCase().includes(word));
    });
    return (one) => tests.every((test) => test(one));
  }

  function drawSegments() {
    if (!segmentsRoom || !isOpen(segmentsRoom)) return;
    choices(segmentChoices);
    if (!orderTools.contains(document.activeElement)) {
      orderTools.replaceChildren(choice("Order", ORDERS, browse.order, (index) => {
        browse.order = index;
        keep("segments.order", index ? ORDERS[index] : "");
        drawSegments();
      }));
    }
    const { found, hasScores } = candidates();
    const chosen = found.filter(candidateFilter(browse.query));
    if (browse.order) {
      const way = browse.order === 1 ? -1 : 1;
      chosen.sort((a, b) => (a.gap === null) - (b.gap === null) || way * (a.gap - b.gap));
    }
    const bySegment = new Map();
    chosen.forEach((one) => bySegment.set(one.segment, [...(bySegment.get(one.segment) || []), one]));
    segmentCount.textContent = `${plural(chosen.length, "candidate")} in ${plural(bySegment.size, "segment")}`;
    const shown = [...bySegment.values()].slice(0, browse.limit);
    const more = bySegment.size > shown.length ? el("p", { class: "more" }, `The first ${shown.length} of ${bySegment.size} segments. `, el("button", {
      type: "button", class: "act", click: () => {
        browse.limit *= 2;
        drawSegments();
        (segmentsFound.querySelector(".more button") || segmentSearch).focus();
      },
    }, "Show more")) : null;
    segmentsFound.replaceChildren(...[
      hasScores ? null : el("p", { class: "facts" }, "The scores of segments by this metric are not on this page: scores.tsv has them."),
      ...shown.map((own) => el("div", { class: "segment" }, el("h3", null, nameOf(own[0].segment, own[0].held)),
        textsTable(own[0].segment, own[0].held, Object.keys(own[0].held.references), state.criterion, own))),
      more].filter(Boolean));
  }
