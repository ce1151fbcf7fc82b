
  /* Tables and pictures as files */

  function save(name, content, type) {
    const address = URL.createObjectURL(new Blob([content], { type }));
    el("a", { download: name, href: address }).click();
    setTimeout(() => URL.revokeObjectURL(address), 60000);
  }
  /* A name that a spreadsheet would take for a formula stays a name. */
  const csvCell = (text) => {
    const plain = /^[=+@\t\r]|^-[^-\d\s]/.test(text) && Number.isNaN(Number(text)) ? `'${text}` : text;
    return /[",\r\n]/.test(plain) ? `"${plain.replace(/"/g, '""')}"` : plain;
  };
  /* By the mark at the beginning Excel knows that letters are UTF-8; others that read CSV skip it. */
  const csv = (rows) => `\ufeff${rows.map((row) => `${row.map((one) => csvCell(String(one))).join(",")}\r\n`).join("")}`;

  /* A drawing stands alone with its styles as attributes, on the ground of the page. */
  const STYLES = ["fill", "stroke", "stroke-width", "stroke-dasharray", "opacity", "font-family", "font-size", "text-anchor"];
  function asFile(picture) {
    const copy = picture.cloneNode(true);
    const [from, to] = [picture, copy].map((one) => [one, ...one.querySelectorAll("*")]);
    from.forEach((element, k) => {
      const style = getComputedStyle(element);
      STYLES.forEach((name) => to[k].setAttribute(name, style.getPropertyValue(name)));
      ["tabindex", "role", "class"].forEach((name) => to[k].removeAttribute(name));
    });
    const { width, height } = picture.viewBox.baseVal;
    copy.setAttribute("xmlns", SVG);
    copy.setAttribute("width", width);
    copy.setAttribute("height", height);
    copy.prepend(svg("rect", { width, height, fill: getComputedStyle(document.body).backgroundColor }));
    return new XMLSerializer().serializeToString(copy);
  }
  async function savePng(name, source) {
    const image = new Image();
    image.src = source;
    await image.decode();
    const canvas = el("canvas", { width: 2 * image.naturalWidth, height: 2 * image.naturalHeight });
    canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
    canvas.toBlob((blob) => save(name, blob, "image/png"));
  }
  const fileName = (...words) => words.join("-").replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-|-$/g, "");
  const saver = (format, name, act) => el("button", {
    type: "button", class: "act", "aria-label": `Save ${format}: ${name}`, click: act,
  }, `Save ${format}`);
  function pictureSavers(name, picture) {
    return el("p", { class: "savers" },
      saver("SVG", name, () => save(`${fileName(name)}.svg`, asFile(picture()), "image/svg+xml")),
      saver("PNG", name, () => savePng(`${fileName(name)}.png`, `data:image/svg+xml,${encodeURIComponent(asFile(picture()))}`)));
  }
  document.querySelectorAll("figure img").forEach((image) => {
    const [, type, content] = image.src.match(/^data:([^;]+);base64,(.*)$/);
    const name = image.dataset.name.replace(/\.[^.]*$/, "");
    const bytes = () => Uint8Array.from(atob(content), (letter) => letter.charCodeAt(0));
    image.closest("figure").append(el("p", { class: "savers" },
      type === "image/svg+xml" ? saver("SVG", name, () => save(`${name}.svg`, bytes(), type)) : null,
      saver("PNG", name, () => (type === "image/png" ? save(`${name}.png`, bytes(), type) : savePng(`${name}.png`, image.src)))));
  });
