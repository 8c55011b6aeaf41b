// What the lattice's figure gains by a script: zoom, and the details of each node. Without it all of it is still drawn.
(() => {
  "use strict";
  const SATISFIES = 1, UNKNOWN = 2, MINIMAL = 4, WINNER = 8, BOUND = 16;
  const DEEPEST = 24, NEAR = 8, STEP = 1.5;
  const SVG = "http://www.w3.org/2000/svg";
  const count = (value) => (value === null ? "not counted" : value.toLocaleString("en-US"));

  function nodeDetails(data, [levels, suppressed, classes, loss, flags]) {
    const standing = flags & UNKNOWN ? "not known: the search did not need it"
      : [flags & SATISFIES ? "satisfies" : "fails", flags & MINIMAL ? "minimal" : "", flags & WINNER ? "the winner" : ""]
        .filter(Boolean).join(", ");
    const chosen = levels.map((level, place) => {
      const plain = `level ${level}`, word = data.words[place][level];
      return [data.names[place], word === undefined || word === plain ? plain : `${plain}, such as ${word}`];
    });
    const measured = loss === null ? "not measured" : `${flags & BOUND ? "at least " : ""}${loss.toFixed(2)} %`;
    return [["standing", standing], ...chosen, ["height", String(levels.reduce((sum, level) => sum + level, 0))],
      ["suppressed rows", count(suppressed)], ["classes", count(classes)], ["loss", measured]];
  }

  function cellDetails(data, [height, low, high, satisfying, failing, unknown, minimal, winner]) {
    const loss = low === null ? "not known" : `${low} to ${high} %`;
    return [["height", String(height)], ["loss", loss], ["nodes", count(satisfying + failing + unknown)],
      ["satisfy", count(satisfying)], ["fail", count(failing)], ["not known", count(unknown)],
      ["minimal", count(minimal)], ["the winner", winner ? "among them" : "not among them"]];
  }

  function shape(name, kind, parent) {
    const made = document.createElementNS(SVG, name);
    made.setAttribute("class", kind);
    parent.append(made);
    return made;
  }

  // A drawing: where its things lie, what is seen of it, and the marks of the one that is looked at.
  class Stage {
    constructor(panel, layout, items, neighbours) {
      Object.assign(this, layout, { panel, items, neighbours });
      const { width, height } = panel.viewBox.baseVal;
      this.whole = { x: 0, y: 0, width, height };
      this.view = { ...this.whole };
      this.box = document.createElement("div");
      this.box.className = "stage";
      this.box.tabIndex = 0;
      this.box.setAttribute("role", "group");
      this.box.setAttribute("aria-label", `${panel.querySelector("title").textContent}: arrows go to the next node, ` +
        "plus and minus zoom, shift with arrows moves the drawing");
      panel.replaceWith(this.box);
      this.box.append(panel);
      this.near = shape("path", "near", panel);
      this.cursor = shape("rect", "cursor", panel);
      // The order of the eye: line by line, from the left to the right.
      this.order = items.map((_, place) => place)
        .sort((one, other) => this.y(one) - this.y(other) || this.x(one) - this.x(other));
    }
    x(place) { return this.at[2 * place]; }
    y(place) { return this.at[2 * place + 1]; }
    middle(place) { return [this.x(place) + this.size[0] / 2, this.y(place) + this.size[1] / 2]; }
    get shown() { return this.box.getClientRects().length > 0 && this.panel.getClientRects().length > 0; }

    spot(event) {
      const { left, top, width, height } = this.panel.getBoundingClientRect();
      return [this.view.x + (event.clientX - left) / width * this.view.width,
        this.view.y + (event.clientY - top) / height * this.view.height];
    }

    // The thing under a spot, or one that is very near.
    found([x, y]) {
      let best = -1, nearest = NEAR * this.view.width / this.whole.width;
      for (let place = 0; place < this.items.length; place++) {
        const dx = Math.max(this.x(place) - x, 0, x - this.x(place) - this.size[0]);
        const dy = Math.max(this.y(place) - y, 0, y - this.y(place) - this.size[1]);
        const away = Math.hypot(dx, dy);
        if (away < nearest) { nearest = away; best = place; }
      }
      return best;
    }

    mark(place) {
      const set = (name, value) => this.cursor.setAttribute(name, value);
      set("x", this.x(place) - 2); set("y", this.y(place) - 2); set("rx", 3);
      set("width", this.size[0] + 4); set("height", this.size[1] + 4);
      const [width, height] = this.size;
      this.near.setAttribute("d", this.neighbours(place)
        .map((other) => `M${this.x(other)} ${this.y(other)}h${width}v${height}h${-width}z`).join(""));
    }

    // Shows a part of the drawing that is not larger than the whole, and lies within it.
    look(view) {
      const width = Math.min(Math.max(view.width, this.whole.width / DEEPEST), this.whole.width);
      const height = width * this.whole.height / this.whole.width;
      this.view = { width, height,
        x: Math.min(Math.max(view.x, 0), this.whole.width - width),
        y: Math.min(Math.max(view.y, 0), this.whole.height - height) };
      this.panel.setAttribute("viewBox", `${this.view.x} ${this.view.y} ${width} ${height}`);
      this.box.classList.toggle("zoomed", width < this.whole.width);
    }

    zoom(factor, [x, y] = [this.view.x + this.view.width / 2, this.view.y + this.view.height / 2]) {
      const width = Math.min(Math.max(this.view.width / factor, this.whole.width / DEEPEST), this.whole.width);
      const share = width / this.view.width;
      this.look({ width, x: x - (x - this.view.x) * share, y: y - (y - this.view.y) * share });
    }

    pan(across, down) { this.look({ ...this.view, x: this.view.x + across, y: this.view.y + down }); }

    // Moves the drawing as far as the thing is seen.
    reveal(place) {
      const [x, y] = this.middle(place), { view } = this;
      const inside = (value, start, length) => value > start && value < start + length;
      if (!inside(x, view.x, view.width) || !inside(y, view.y, view.height)) {
        this.look({ ...view, x: x - view.width / 2, y: y - view.height / 2 });
      }
    }

    beside(place, step) {
      const next = this.order.indexOf(place) + step;
      return this.order[Math.min(Math.max(next, 0), this.order.length - 1)];
    }

    // The nearest thing of the next line above (-1) or below (1).
    beyond(place, way) {
      const lines = [...new Set(this.order.map((one) => this.y(one)))];
      const line = lines[lines.indexOf(this.y(place)) + way];
      const there = this.order.filter((one) => this.y(one) === line);
      const away = (one) => Math.abs(this.x(one) - this.x(place));
      return there.reduce((best, one) => (best < 0 || away(one) < away(best) ? one : best), -1);
    }
  }

  function beside(data) {
    if (data.kind !== "nodes") return () => [];
    const places = new Map(data.items.map(([levels], place) => [levels.join(), place]));
    return (place) => {
      const [levels] = data.items[place];
      const moved = (at, by) => levels.map((level, one) => (one === at ? level + by : level)).join();
      return levels.flatMap((_, at) => [places.get(moved(at, -1)), places.get(moved(at, 1))])
        .filter((other) => other !== undefined);
    };
  }

  function explore(figure) {
    const source = figure.querySelector('script[type="application/json"]');
    if (!source) return;
    const data = JSON.parse(source.textContent);
    if (!data.items.length) return;
    const neighbours = beside(data);
    const stages = [...figure.querySelectorAll(".panel")]
      .map((panel, place) => new Stage(panel, data.layouts[place], data.items, neighbours));
    const winner = Math.max(data.items.findIndex((item) => (data.kind === "nodes" ? item[4] & WINNER : item[7])), 0);
    let chosen = winner;
    let details = figure.querySelector(".details");
    if (!details) {
      details = document.createElement("dl");
      details.className = "details";
      figure.querySelector(".view").append(details);
    }
    details.setAttribute("aria-live", "polite");

    const show = (place) => {
      const rows = (data.kind === "nodes" ? nodeDetails : cellDetails)(data, data.items[place]);
      details.replaceChildren(...rows.map(([what, value]) => {
        const row = document.createElement("div");
        row.append(document.createElement("dt"), document.createElement("dd"));
        row.firstChild.textContent = what;
        row.lastChild.textContent = value;
        return row;
      }));
      for (const stage of stages) stage.mark(place);
    };
    const choose = (place) => { if (place >= 0) { chosen = place; show(place); } };
    const seen = () => stages.find((stage) => stage.shown) ?? stages[0];
    figure.querySelector(".view").before(tools(seen, () => { choose(winner); seen().reveal(winner); }));
    for (const stage of stages) {
      watchKeys(stage, () => chosen, (place) => { choose(place); if (place >= 0) stage.reveal(place); }, winner);
      watchPointers(stage, (place) => show(place < 0 ? chosen : place), choose);
    }
    // The details of the winner stand there already.
    if (data.kind === "nodes") show(chosen);
    else for (const stage of stages) stage.mark(chosen);
  }

  function tools(seen, home) {
    const bar = document.createElement("div");
    bar.className = "tools";
    const button = (words, said, act) => {
      const made = document.createElement("button");
      made.type = "button";
      made.dataset.words = words;
      made.setAttribute("aria-label", said);
      made.addEventListener("click", act);
      bar.append(made);
    };
    button("+", "zoom in", () => seen().zoom(STEP));
    button("\u2212", "zoom out", () => seen().zoom(1 / STEP));
    button("whole", "show the whole lattice", () => seen().look(seen().whole));
    button("winner", "go to the winner", home);
    return bar;
  }

  function watchKeys(stage, chosen, choose, winner) {
    const pans = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
    stage.box.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      const pan = pans[event.key], step = stage.view.width / 8;
      if (pan && event.shiftKey) stage.pan(pan[0] * step, pan[1] * step);
      else if (pan && pan[0]) choose(stage.beside(chosen(), pan[0]));
      else if (pan) choose(stage.beyond(chosen(), pan[1]));
      else if (event.key === "Home") choose(winner);
      else if (event.key === "+" || event.key === "=") stage.zoom(STEP);
      else if (event.key === "-") stage.zoom(1 / STEP);
      else if (event.key === "0") stage.look(stage.whole);
      else return;
      event.preventDefault();
    });
    stage.box.addEventListener("wheel", (event) => {
      const ready = event.ctrlKey || event.metaKey || document.activeElement === stage.box;
      const out = event.deltaY > 0 && stage.view.width >= stage.whole.width;
      if (!ready || out) return;
      event.preventDefault();
      stage.zoom(event.deltaY < 0 ? 1.2 : 1 / 1.2, stage.spot(event));
    }, { passive: false });
  }

  function watchPointers(stage, show, choose) {
    const down = new Map();
    let moved = false;
    const spread = () => {
      const [one, other] = [...down.values()];
      return Math.hypot(one.clientX - other.clientX, one.clientY - other.clientY);
    };
    stage.box.addEventListener("pointerdown", (event) => {
      moved = down.size > 0;
      down.set(event.pointerId, event);
    });
    stage.box.addEventListener("pointermove", (event) => {
      const last = down.get(event.pointerId);
      if (!last) { show(stage.found(stage.spot(event))); return; }
      const across = event.clientX - last.clientX, along = event.clientY - last.clientY;
      if (down.size === 2) {
        const before = spread();
        down.set(event.pointerId, event);
        if (before > 0) stage.zoom(spread() / before, stage.spot(event));
      } else if (moved || Math.hypot(across, along) > 4) {
        moved = true;
        const scale = stage.view.width / stage.panel.getBoundingClientRect().width;
        stage.pan(-across * scale, -along * scale);
        down.set(event.pointerId, event);
        if (stage.box.classList.contains("zoomed")) stage.box.setPointerCapture(event.pointerId);
      }
    });
    for (const end of ["pointerup", "pointercancel"]) {
      stage.box.addEventListener(end, (event) => {
        if (end === "pointerup" && down.has(event.pointerId) && !moved) choose(stage.found(stage.spot(event)));
        down.delete(event.pointerId);
      });
    }
    stage.box.addEventListener("pointerleave", (event) => {
      if (!event.buttons) { down.clear(); show(-1); }
    });
  }

  // An entry of a legend hides or shows its line.
  function switchable(figure, entry) {
    const toggle = () => {
      const off = entry.classList.toggle("off");
      entry.setAttribute("aria-pressed", String(!off));
      for (const line of figure.querySelectorAll(`.panel .line[data-line="${entry.dataset.line}"]`)) {
        line.classList.toggle("off", off);
      }
    };
    const button = document.createElement("div");
    button.className = entry.className;
    button.dataset.line = entry.dataset.line;
    button.append(...entry.childNodes);
    entry.className = "";
    entry.append(button);
    entry = button;
    entry.tabIndex = 0;
    entry.setAttribute("role", "button");
    entry.setAttribute("aria-pressed", "true");
    entry.addEventListener("click", toggle);
    entry.addEventListener("keydown", (event) => {
      if (event.key === "Enter" || event.key === " ") { event.preventDefault(); toggle(); }
    });
  }

  for (const figure of document.querySelectorAll(".figure")) {
    for (const entry of figure.querySelectorAll(".legend .entry")) switchable(figure, entry);
    if (figure.classList.contains("lattice")) explore(figure);
  }
  // Paper shows the whole of it.
  addEventListener("beforeprint", () => {
    for (const panel of document.querySelectorAll(".figure.lattice .panel")) {
      panel.setAttribute("viewBox", `0 0 ${panel.getAttribute("width")} ${panel.getAttribute("height")}`);
    }
  });
})();
