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
  const group = (label, ...parts) => el("div", { class: "wide", tabindex: "0", role: "group", "aria-label": label }, ...parts);
  function choice(label, names, current, changed) {
    const select = el("select", { change: () => changed(select.selectedIndex) },
      ...names.map((name, index) => el("option", { selected: index === current, dir: "auto" }, name)));
    select.selectedIndex = current;
    return el("label", null, label, select);
  }
