"use strict";
// Sorts and filters the tables. The URL fragment keeps the choices, as
// TABLE.sort=COLUMN[:descending] and TABLE.CONTROL=VALUE.
(() => {
  const step = 250; // rows shown at once, so that a long table stays quick
  const order = new Intl.Collator("en", { numeric: true });
  const state = new URLSearchParams();

  class Table {
    constructor(section) {
      this.name = section.id;
      this.body = section.querySelector("tbody");
      this.rows = [...this.body.rows];
      this.given = this.rows.slice();
      this.texts = new Map();
      this.heads = [...section.querySelectorAll("th")];
      this.filters = section.querySelector(".filters");
      this.output = section.querySelector("output");
      this.heads.forEach((head, column) => this.sortable(head, column));
      this.further = document.createElement("button");
      this.further.type = "button";
      this.further.className = "further";
      this.further.addEventListener("click", () => { this.limit *= 4; this.show(); });
      this.body.parentElement.after(this.further);
      this.limit = step;
      if (this.filters) {
        this.filters.hidden = false;
        this.filters.addEventListener("input", (event) => {
          remember(`${this.name}.${event.target.name}`, event.target.value);
          this.limit = step;
          this.show();
        });
      }
    }

    controls() { return this.filters ? [...this.filters.querySelectorAll("input, select")] : []; }

    sortable(head, column) {
      if (head.dataset.sort === "none") return;
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = head.textContent;
      button.addEventListener("click", () => {
        const next = { ascending: "descending", descending: "" }[head.getAttribute("aria-sort")] ?? "ascending";
        remember(`${this.name}.sort`, next && (next === "descending" ? `${column}:descending` : `${column}`));
        this.sort(column, next);
        this.show();
      });
      head.replaceChildren(button);
    }

    // sort orders the rows by a column; an empty direction restores the order
    // of the audit.
    sort(column, direction) {
      const head = this.heads[column];
      if (!head || head.dataset.sort === "none") return;
      this.heads.forEach((other) => other.removeAttribute("aria-sort"));
      this.rows = this.given.slice();
      if (!direction) return;
      head.setAttribute("aria-sort", direction);
      const isNumber = head.classList.contains("number");
      const sign = direction === "descending" ? -1 : 1;
      const compare = isNumber ? (a, b) => a - b : (a, b) => order.compare(a, b);
      this.rows = this.given
        .map((row) => [key(row.cells[column], isNumber), row])
        .sort((a, b) => sign * compare(a[0], b[0]))
        .map(([, row]) => row);
    }

    text(row) {
      if (!this.texts.has(row)) this.texts.set(row, row.textContent.toLowerCase());
      return this.texts.get(row);
    }

    // show hides rows that the filters exclude and rows beyond the limit.
    show() {
      const wanted = this.controls().filter((control) => control.value !== "").map((control) => {
        if (control.dataset.column === undefined) {
          const text = control.value.toLowerCase();
          return (row) => this.text(row).includes(text);
        }
        return (row) => row.cells[control.dataset.column].textContent === control.value;
      });
      let found = 0;
      for (const row of this.rows) {
        const fits = wanted.every((wants) => wants(row));
        if (fits) found++;
        row.hidden = !fits || found > this.limit;
      }
      this.body.append(...this.rows);
      this.further.hidden = found <= this.limit;
      const shown = Math.min(found, this.limit);
      this.further.textContent = `Show more, ${format(found - shown)} left`;
      if (this.output) this.output.textContent = `${format(shown)} of ${format(this.rows.length)} shown`;
    }

    restore() {
      for (const control of this.controls()) {
        const value = state.get(`${this.name}.${control.name}`);
        if (value !== null) control.value = value;
      }
      const [column, direction] = (state.get(`${this.name}.sort`) ?? "").split(":");
      if (column !== "") this.sort(Number(column), direction === "descending" ? direction : "ascending");
      this.show();
    }
  }

  function key(cell, isNumber) {
    const text = cell.dataset.value ?? cell.textContent;
    return isNumber ? Number(text.replace(/[^0-9.-]/g, "")) : text;
  }

  function format(n) { return n.toLocaleString("en"); }

  function remember(name, value) {
    if (value) state.set(name, value);
    else state.delete(name);
    history.replaceState(null, "", `#${state}`);
  }

  function read() {
    for (const [name, value] of new URLSearchParams(location.hash.slice(1))) {
      if (name.includes(".")) state.set(name, value);
    }
  }

  const tables = [...document.querySelectorAll("section")].filter((section) => section.querySelector("tbody")).map((section) => new Table(section));
  const restore = () => { read(); tables.forEach((table) => table.restore()); };
  addEventListener("hashchange", restore);
  restore();
})();
