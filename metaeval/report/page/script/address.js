
  /* What is chosen, filtered and sorted stands behind the # of the address: #ANCHOR&name=value&...; a link shows it. */

  let anchor = "";
  let values = new URLSearchParams();
  const restorers = [];
  function readAddress() {
    const pieces = location.hash.slice(1).split("&");
    let name = "";
    try { name = decodeURIComponent(pieces[0]); } catch { /* no address of ours */ }
    anchor = name.includes("=") ? "" : name;
    return new URLSearchParams(pieces.slice(anchor === name ? 1 : 0).join("&"));
  }
  let writing = 0;
  function writeAddress() {
    writing = 0;
    const told = values.toString();
    const wanted = `#${encodeURIComponent(anchor)}${told ? `&${told}` : ""}`;
    if (wanted !== (location.hash || "#")) history.replaceState(null, "", wanted);
  }
  /* What is as it is without being asked for is left out. */
  function keep(name, value) {
    if (value === null || value === "") values.delete(name);
    else values.set(name, value);
    writing = writing || setTimeout(writeAddress, 50);
  }
  const kept = (name) => values.get(name) ?? "";
  function listIn(told) {
    try {
      return [JSON.parse(told)].flat();
    } catch {
      return []; // typed, or cut on its way
    }
  }
  /* A part calls this once, with what puts it into the state of the address. */
  function restoring(restore) {
    restorers.push(restore);
  }
  function restoreAll() {
    restorers.forEach((restore) => restore());
    const place = anchor && document.getElementById(anchor);
    if (place) place.scrollIntoView();
  }
  /* What is folded opens where the address names it, and stands in the address when a reader opens it. */
  const parts = [...document.querySelectorAll("details.part")];
  const partName = (one) => one.closest("section").id;
  parts.forEach((one) => one.addEventListener("toggle", () => keep("open", parts.filter((other) => other.open).map(partName).join(" "))));
  restoring(() => {
    const open = [...kept("open").split(" "), anchor];
    parts.forEach((one) => { one.open = open.includes(partName(one)); });
  });
  const isOpen = (room) => room.closest("details")?.open ?? true;
  values = readAddress();
  addEventListener("hashchange", () => {
    const told = readAddress();
    if ([...told].length || !anchor) {
      values = told;
      restoreAll();
    } else {
      parts.filter((one) => partName(one) === anchor).forEach((one) => { one.open = true; });
      writeAddress();
    }
  });
