"use strict";
for (const table of document.querySelectorAll("table.sortable")) {
  const body = table.tBodies[0];
  const key = (row, column) => {
    const text = row.cells[column].textContent.replace("\u2212", "-");
    const number = parseFloat(text);
    return Number.isNaN(number) ? text : number;
  };
  [...table.tHead.rows[0].cells].forEach((head, column) => {
    const button = document.createElement("button");
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      const sign = head.getAttribute("aria-sort") === "ascending" ? -1 : 1;
      for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", sign === 1 ? "ascending" : "descending");
      const compare = (a, b) => {
        const [x, y] = [key(a, column), key(b, column)];
        if (typeof x !== typeof y) return typeof x === "number" ? -1 : 1;
        return sign * (typeof x === "number" ? x - y : x.localeCompare(y));
      };
      body.append(...[...body.rows].sort(compare));
    });
  });
}
for (const figure of document.querySelectorAll("figure")) {
  const svg = figure.querySelector("svg");
  const source = () => new XMLSerializer().serializeToString(svg);
  const save = (href, end) => {
    const link = document.createElement("a");
    link.href = href;
    link.download = figure.dataset.name + end;
    link.click();
  };
  const line = document.createElement("p");
  line.className = "save";
  const add = (name, action) => {
    const button = document.createElement("button");
    button.textContent = "Save as " + name;
    button.addEventListener("click", action);
    line.append(button);
  };
  add("SVG", () => save("data:image/svg+xml;charset=utf-8," + encodeURIComponent(source()), ".svg"));
  add("PNG", () => {
    const image = new Image();
    image.onload = () => {
      const canvas = document.createElement("canvas");
      canvas.width = 2 * svg.getAttribute("width");
      canvas.height = 2 * svg.getAttribute("height");
      canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
      save(canvas.toDataURL("image/png"), ".png");
    };
    image.src = "data:image/svg+xml;charset=utf-8," + encodeURIComponent(source());
  });
  figure.append(line);
}
