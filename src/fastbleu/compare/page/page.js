"use strict";
// Sort a table when a column's heading is clicked, show only the rows that contain the words of a search, and open the
// segment to which a link leads.

function sortKey(row, column) {
  const cell = row.cells[column];
  if (cell.dataset.value === undefined) return cell.textContent.trim();
  const number = Number(cell.dataset.value);
  return Number.isNaN(number) ? -Infinity : number;
}

function sortRows(table, column, descending) {
  const body = table.tBodies[0];
  const keyed = Array.from(body.rows, (row) => [sortKey(row, column), row]);
  const sign = descending ? -1 : 1;
  keyed.sort(([a], [b]) => sign * (typeof a === "number" ? a - b || 0 : a.localeCompare(b, "en", { numeric: true })));
  table.classList.add("sorted");
  body.append(...keyed.map(([, row]) => row));
}

function addSorting(table) {
  const heads = Array.from(table.tHead.rows[0].cells);
  heads.forEach((head, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      // The first click sorts numbers in descending order, and text in ascending order.
      const first = table.tBodies[0].rows[0];
      const numbers = first && first.cells[column].dataset.value !== undefined;
      const before = head.getAttribute("aria-sort");
      const descending = before ? before === "ascending" : numbers;
      heads.forEach((other) => other.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", descending ? "descending" : "ascending");
      sortRows(table, column, descending);
    });
  });
}

function labelled(text, input) {
  const label = document.createElement("label");
  label.append(text, input);
  return label;
}

function addFilter(table) {
  const rows = Array.from(table.tBodies[0].rows, (row) => [row, row.textContent.toLocaleLowerCase()]);
  const search = document.createElement("input");
  search.type = "search";
  const bar = document.createElement("div");
  bar.className = "bar";
  bar.append(labelled("show rows with ", search));
  let flag = null;
  if (table.dataset.flag) {
    flag = document.createElement("input");
    flag.type = "checkbox";
    const label = labelled(flag, " " + table.dataset.flag);
    bar.append(label);
  }
  const shown = document.createElement("output");
  bar.append(shown);
  const apply = () => {
    const words = search.value.toLocaleLowerCase().split(/\s+/).filter(Boolean);
    let left = 0;
    for (const [row, text] of rows) {
      row.hidden = !words.every((word) => text.includes(word)) || (flag && flag.checked && !("flagged" in row.dataset));
      left += row.hidden ? 0 : 1;
    }
    shown.textContent = left + " of " + rows.length + " " + table.dataset.rows;
  };
  search.addEventListener("input", apply);
  if (flag) flag.addEventListener("change", apply);
  apply();
  const scroll = table.closest(".scroll");
  scroll.before(bar);
}

document.querySelectorAll("table.sorts").forEach(addSorting);
document.querySelectorAll("table.filters").forEach(addFilter);

function openTarget() {
  const target = document.getElementById(location.hash.slice(1));
  const details = target && target.closest("details");
  if (details) details.open = true;
}

addEventListener("hashchange", openTarget);
openTarget();
