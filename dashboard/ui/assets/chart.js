// Draws a plotly figure that the page owns: zoom and camera survive an update, text and lines
// take the colours of the page, points can be clicked in any number of dimensions, and lassoed in the plane,
// lines across the plot and labels can be dragged, and pictures of the objects appear beside the
// pointer.

function dress(layout, style) {
  const colour = (name, otherwise) => style.getPropertyValue(name).trim() || otherwise;
  const text = colour("--st-text-color", "#1D2729");
  const line = colour("--st-border-color", "#D7DFE0");
  const base = layout.template.layout;
  base.font = { ...base.font, color: text, family: colour("--st-font", base.font.family) };
  for (const axis of ["xaxis", "yaxis"]) {
    base[axis] = {
      ...base[axis], gridcolor: line, linecolor: line, zerolinecolor: line, tickcolor: line,
    };
  }
  for (const axis of layout.scene ? ["xaxis", "yaxis", "zaxis"] : [])
    Object.assign(layout.scene[axis], { gridcolor: line, linecolor: line });
  base.hoverlabel = {
    ...base.hoverlabel, bgcolor: colour("--st-secondary-background-color", "#F3F6F6"),
    bordercolor: line, font: { ...(base.hoverlabel || {}).font, color: text },
  };
  base.modebar = { bgcolor: "rgba(0,0,0,0)", color: text, activecolor: colour("--st-primary-color", text) };
  if (layout.title && layout.title.font) layout.title.font.color = colour("--st-gray-text-color", text);
  return text;
}

function isNight(style) {
  const ground = /^#(..)(..)(..)/.exec(style.getPropertyValue("--st-background-color").trim());
  return Boolean(ground) && ground.slice(1).every((part) => parseInt(part, 16) < 128);
}

function atNight(json) {
  // Grey and bands would nearly vanish on dark ground.
  json = json.replaceAll("#5F6B6D", "#A9B4B6").replaceAll("rgba(95, 107, 109,", "rgba(169, 180, 182,")
    .replace(/("fillcolor": ?"rgba\([\d, ]+, )0\.16\)/g, (all, colour) => `${colour}0.3)`);
  // The colours of quantities as on dark ground, where the darkest ones would vanish.
  const scale = (name) => {
    const found = new RegExp(`"${name}":(\\[\\[.*?\\]\\])`).exec(json);
    return found ? JSON.parse(found[1]).map(([, colour]) => colour.slice(4, -1)) : [];
  };
  const light = scale("sequential"), dark = scale("sequentialminus");
  if (!light.length || light.length !== dark.length) return json;
  const instead = new Map(light.map((colour, k) => [colour, dark[k]]));
  return json.replace(/rgb(a?)\((\d+, \d+, \d+)(?=[,)])/g,
    (all, a, parts) => (instead.has(parts) ? `rgb${a}(${instead.get(parts)}` : all));
}

function ringed(traces, text, night) {
  // The ring around a selected point has the colour of the text, whatever the theme; on dark
  // ground, plates below pictures are bright enough for dark pictures and do not dazzle.
  for (const trace of traces) {
    const { name, marker, line, customdata } = trace;
    if (customdata) continue;
    if (name === "ring") for (const one of [marker, line, marker && marker.line]) if (one) one.color = text;
    if (name === "plates" && night) trace.fillcolor = "#B9C2C4";
  }
}

function objects(points) {
  const found = new Set();
  for (const point of points || []) {
    const value = point.customdata;
    const id = Array.isArray(value) ? value[0] : value;
    if (Number.isInteger(id)) found.add(id);
    // A cell of a matrix is about the objects of its row and of its column.
    const cells = point.data && point.data.meta && point.data.meta.cells;
    if (cells && Array.isArray(point.pointNumber))
      for (const place of point.pointNumber) [cells[place]].flat().forEach((one) => found.add(one));
  }
  return [...found];
}

function pointsOf(trace) {
  return Array.from(trace.customdata || [], (customdata) => ({ customdata }));
}

function listen(plot, tip) {
  const tell = plot.tell = (ids, mode) => plot.current.setTriggerValue("picked", { ids, mode, at: Date.now() });
  plot.on("plotly_selected", (event) => {
    if (!event || plot.busy || !plot.current.data.selectable) return;
    const ids = objects(event.points);
    if (ids.length || (event.points && event.points.length === 0 && (event.range || event.lassoPoints)))
      tell(ids, event.event && event.event.shiftKey ? "add" : "replace");
  });
  plot.on("plotly_deselect", () => plot.current.data.selectable && tell([], "replace"));
  plot.on("plotly_click", async (event) => {
    const ids = objects(event.points);
    if (!ids.length || !plot.current.data.selectable) return;
    // In space plotly tells of a press, which may begin a turn, and not of its keys.
    const press = event.event || plot.press || {};
    await plot.held;
    if (plot.dragged && plot.layout.scene) return;
    const more = press.shiftKey || press.ctrlKey || press.metaKey;
    tell(ids, more ? "toggle" : "replace");
  });
  plot.on("plotly_legendclick", (event) => {
    // An entry stands for objects, which are selected, or no longer if they were; plotly would hide
    // their points alone.
    const ids = objects(pointsOf(event.data[event.curveNumber]));
    if (!ids.length || !plot.current.data.selectable) return true;
    const chosen = new Set(objects(plot.data.flatMap(
      (trace) => pointsOf(trace).filter((_, k) => (trace.selectedpoints || []).includes(k)))));
    const press = event.event || {};
    if (press.shiftKey || press.ctrlKey || press.metaKey) tell(ids, "add");
    else tell(ids.length === chosen.size && ids.every((id) => chosen.has(id)) ? [] : ids, "replace");
    return false;
  });
  plot.on("plotly_legenddoubleclick", (event) =>
    !objects(pointsOf(event.data[event.curveNumber])).length);
  plot.on("plotly_relayout", (event) => {
    const shape = Object.keys(event).map((name) => /^shapes\[(\d+)\]/.exec(name)).find(Boolean);
    if (shape && !plot.busy) moved(plot, Number(shape[1]));
    if (!plot.busy && "scene.camera" in event) nameAnew(plot);
    if (plot.busy || !plot.layout.xaxis || !plot.layout.yaxis) return;
    if (!Object.keys(event).some((name) => /^[xy]axis/.test(name))) return;
    const zoom = [[...plot.layout.xaxis.range], [...plot.layout.yaxis.range]];
    plot.zoom = String(zoom) === plot.home ? null : zoom;
  });
  plot.on("plotly_relayouting", () => follow(plot));
  plot.on("plotly_afterplot", () => { plot.labels = null; layPictures(plot); oneStop(plot); });
  plot.on("plotly_hover", (event) => {
    fill(plot, event.points[0]);
    const [id, ...others] = objects(event.points);
    const source = (plot.current.data.pictures || {})[id];
    if (!source || others.length) return;
    tip.src = source;
    tip.style.display = "block";
    const frame = plot.getBoundingClientRect();
    const pointer = event.event || { clientX: frame.left, clientY: frame.top };
    const x = pointer.clientX - frame.left, y = pointer.clientY - frame.top;
    tip.style.left = `${x > frame.width / 2 ? x - 190 : x + 40}px`;
    tip.style.top = `${Math.min(Math.max(y - 75, 0), Math.max(frame.height - 160, 0))}px`;
  });
  plot.on("plotly_unhover", () => { tip.style.display = "none"; fill(plot, null); });
}

function fill(plot, point) {
  // The ellipse of the object that the pointer is on: its centre and squared shape are known.
  plot.querySelectorAll(".ts-ellipse").forEach((old) => old.remove());
  const shapes = point && point.data.meta && point.data.meta.ellipses;
  const layer = plot.querySelector(".hoverlayer");
  if (!shapes || !layer || !shapes[point.pointNumber]) return;
  const [a, b, c] = shapes[point.pointNumber];
  if (!(a > 0)) return;
  const { xaxis, yaxis } = layoutOf(plot);
  const across = Math.sqrt(a), along = b / across, up = Math.sqrt(Math.max(c - along * along, 0));
  const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
  const steps = Array.from({ length: 64 }, (_, k) => (2 * Math.PI * k) / 64).map((angle) => [
    pixels(xaxis, point.x + across * Math.cos(angle)),
    pixels(yaxis, point.y + along * Math.cos(angle) + up * Math.sin(angle)),
  ]);
  path.setAttribute("d", `M${steps.map((step) => step.join(",")).join("L")}Z`);
  path.setAttribute("class", "ts-ellipse");
  layer.appendChild(path);
}

function moved(plot, number) {
  // A line from edge to edge stays upright, or level, however it was dragged.
  const line = plot.layout.shapes[number];
  const [along, across] = line.yref === "paper" ? ["x", "y"] : ["y", "x"];
  const value = (line[`${along}0`] + line[`${along}1`]) / 2;
  const straight = { [`${along}0`]: value, [`${along}1`]: value, [`${across}0`]: 0, [`${across}1`]: 1 };
  Object.assign(line, straight);
  plot.look = null; // the page may send the same figure again, which now looks otherwise
  plot.busy = true;
  const part = (name) => `shapes[${number}].${name}`;
  plot.plotly
    .relayout(plot, Object.fromEntries(Object.entries(straight).map(([k, v]) => [part(k), v])))
    .finally(() => { plot.busy = false; });
  plot.current.setTriggerValue("moved", { name: line.name, value, at: Date.now() });
}

function hold(plot) {
  // From pressing a button on the plot to letting it go: plot.held is a promise.
  plot.addEventListener("pointerdown", (event) => {
    plot.press = event;
    plot.held = new Promise((go) => {
      const over = new AbortController();
      const release = (now) => {
        plot.dragged = Math.hypot(now.clientX - event.clientX, now.clientY - event.clientY) > 4;
        over.abort();
        plot.held = null;
        setTimeout(go);
      };
      for (const name of ["pointerup", "pointercancel", "blur"])
        window.addEventListener(name, release, { capture: true, signal: over.signal });
    });
  }, true);
}

// Labels that can be dragged: texts and notes called "label" with the number of the object.

function numbered(name) {
  const found = /^label (\d+)$/.exec(name || "");
  return found ? Number(found[1]) : null;
}

function labels(plot) {
  // Where each is, from the corner of the plot; looked up once for every drawing.
  if (plot.labels) return plot.labels;
  const corner = plot.getBoundingClientRect(), found = [];
  const add = (text, id) => {
    if (!text || id === null) return;
    const box = text.getBoundingClientRect();
    found.push({ text, id, left: box.left - corner.left, top: box.top - corner.top,
      width: box.width, height: box.height });
  };
  for (const note of plot.querySelectorAll(".annotation")) {
    const { name } = plot.layout.annotations[Number(note.dataset.index)] || {};
    add(note.querySelector(".annotation-text-g"), numbered(name));
  }
  for (const layer of plot.querySelectorAll(".scatterlayer .trace")) {
    const { ids } = layer.__data__[0].trace;
    if (!ids) continue;
    for (const point of layer.querySelectorAll(".textpoint"))
      add(point.querySelector("text"), numbered(ids[point.__data__.i]));
  }
  return (plot.labels = found);
}

function under(plot, event) {
  const corner = plot.getBoundingClientRect();
  const x = event.clientX - corner.left, y = event.clientY - corner.top;
  return labels(plot).find((label) => x >= label.left && x <= label.left + label.width
    && y >= label.top && y <= label.top + label.height);
}

function anchor(plot, id) {
  // The point that a label belongs to, from the corner of the plot.
  const { xaxis, yaxis } = layoutOf(plot);
  for (const { customdata, x, y } of tracesOf(plot)) {
    const place = customdata ? customdata.indexOf(id) : -1;
    if (place >= 0)
      return [placed(xaxis, x[place]), placed(yaxis, y[place])];
  }
  return null;
}

function draggable(plot) {
  const free = () => plot.current.data.labels && !plot.busy;
  plot.addEventListener("pointermove", (event) => {
    if (!event.buttons) plot.classList.toggle("ts-grab", free() && Boolean(under(plot, event)));
  });
  plot.addEventListener("pointerdown", (event) => {
    const label = free() && event.button === 0 && under(plot, event);
    if (!label) return;
    plot.grabbed = true;
    const over = new AbortController();
    const by = (now) => [now.clientX - event.clientX, now.clientY - event.clientY];
    const move = (now) => { label.text.style.translate = by(now).map((d) => `${d}px`).join(" "); };
    const end = (now) => {
      over.abort();
      plot.grabbed = false;
      const [x, y] = now.type === "pointerup" ? by(now) : [0, 0];
      const point = anchor(plot, label.id);
      if (Math.hypot(x, y) < 4 || !point) {
        label.text.style.translate = "";
        if (now.type === "pointerup" && plot.current.data.selectable)
          plot.tell([label.id], now.shiftKey || now.ctrlKey || now.metaKey ? "toggle" : "replace");
        return;
      }
      label.left += x;
      label.top += y;
      const text = label.text.querySelector("text") || label.text;
      const size = parseFloat(getComputedStyle(text).fontSize);
      plot.current.setTriggerValue("placed", {
        id: label.id, at: Date.now(),
        x: (label.left + label.width / 2 - point[0]) / size,
        y: (point[1] - label.top - label.height / 2) / size,
      });
    };
    window.addEventListener("pointermove", move, { signal: over.signal });
    for (const name of ["pointerup", "pointercancel"])
      window.addEventListener(name, end, { capture: true, signal: over.signal });
  }, true);
  // What plotly would take for the begin of a lasso, or of a zoom.
  for (const name of ["mousedown", "touchstart"])
    plot.addEventListener(name, (event) => {
      if (!plot.grabbed) return;
      event.stopPropagation();
      event.preventDefault();
    }, { capture: true, passive: false });
}

const sizeOf = ({ parentElement: home }) => home && `${home.offsetWidth} ${home.offsetHeight}`;

async function draw(plot, tip, root, turn) {
  const { data } = plot.current;
  if (!data.figure) return;
  const Plotly = await load(data.plotly);
  await plot.held; // an update would break off the lasso, or the turn, that is under way
  if (turn !== plot.turn) return; // a newer figure has come meanwhile

  const style = getComputedStyle(root);
  const figure = JSON.parse(isNight(style) ? atNight(data.figure) : data.figure);
  const text = dress(figure.layout, style);
  const look = JSON.stringify(figure) + data.height;
  tellSize(plot);
  const outlined = plot.layout && plot.layout.selections && plot.layout.selections.length;
  if (look === plot.look && !outlined) return;
  plot.classList.toggle("ts-night", isNight(style));
  ringed(figure.data, text, isNight(style));
  ownNames(plot, figure);
  ownPictures(plot, figure);
  // The outline of a lasso goes once its objects are marked.
  figure.layout.selections = [];
  figure.layout.selectionrevision = figure.layout.editrevision = turn;
  figure.layout.autosize = true;
  const config = {
    responsive: true, displaylogo: false, doubleClick: "reset",
    edits: { shapePosition: data.movable },
    displayModeBar: data.selectable ? true : "hover",
    modeBarButtons: [
      ...(figure.layout.scene
        ? [["orbitRotation", "pan3d", "zoom3d", "resetCameraDefault3d"]]
        : data.selectable
          ? [["lasso2d", "select2d", "pan2d", "zoom2d"], ["zoomIn2d", "zoomOut2d", "resetScale2d"]]
          : [["zoom2d", "pan2d", "resetScale2d"]]),
      ...(data.fills && document.fullscreenEnabled ? [[FULL]] : []),
    ],
  };
  // Plotly keeps a zoom by itself only where axes are free; those of a map share their scale.
  const revision = figure.layout.uirevision;
  const same = plot.revision === revision && plot.data;
  if (same && plot.zoom) {
    [figure.layout.xaxis.range, figure.layout.yaxis.range] = plot.zoom;
  }
  let size = sizeOf(plot); // before it is drawn: what changes meanwhile is seen
  plot.busy = true;
  plot.plotly = Plotly;
  for (const { text } of plot.labels || []) text.style.translate = "";
  plot.labels = null;
  try {
    await (same ? Plotly.react : Plotly.newPlot)(plot, figure.data, figure.layout, config);
  } finally {
    plot.busy = false;
  }
  plot.look = look;
  layPictures(plot);
  oneStop(plot);
  showWalked(plot);
  // The camera stands where it will once the scene has been drawn.
  requestAnimationFrame(() => requestAnimationFrame(() => plot.isConnected && nameAnew(plot)));
  if (!same) {
    plot.revision = revision;
    plot.zoom = null;
    plot.home = String([plot.layout.xaxis && plot.layout.xaxis.range, plot.layout.yaxis && plot.layout.yaxis.range]);
    listen(plot, tip);
  }
  if (!plot.watched) {
    plot.watched = true;
    hold(plot);
    draggable(plot);
    fillWindow(plot);
    walk(plot);
    new ResizeObserver(async () => {
      const now = sizeOf(plot);
      // It is called at once, too: to draw the map anew then would undo a drag that has begun.
      if (!plot.isConnected || !plot.data || now === size) return;
      size = now;
      tellSize(plot);
      await plot.held; // as an update would, it would move what is dragged
      if (plot.isConnected) await Plotly.Plots.resize(plot);
      if (plot.named) nameAnew(plot);
    }).observe(plot.parentElement);
  }
}

// A button that makes a file gives the focus away meanwhile, and dialogs listen only as long as
// they have it.
if (!window.tripletscopeEscape) {
  window.tripletscopeEscape = true;
  window.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && document.fullscreenElement) document.exitFullscreen();
    if (event.key !== "Escape" || document.activeElement !== document.body) return;
    const close = document.querySelector("[role=dialog] button[aria-label=Close]");
    if (close) close.click();
  });
}

// Milliseconds until a figure of what is computed is asked for again: the longer that takes, the less
// changes, and most of the time is for what computes.
const pause = (age, took) => Math.max(500, Math.min(age / 10, 3000), 5 * took);

export default function ({ data, parentElement, setTriggerValue }) {
  const box = parentElement.querySelector(".ts-chart");
  const plot = box.querySelector(".ts-plot");
  const tip = box.querySelector(".ts-tip");
  const turn = (plot.turn = (plot.turn || 0) + 1);
  plot.current = { data, setTriggerValue };
  fit(plot);
  // Not a picture to those who do not see it: its tools are buttons.
  plot.setAttribute("role", "figure");
  plot.setAttribute("aria-label", data.selectable ? `${data.alt} ${WALKED}` : data.alt);
  plot.tabIndex = data.selectable ? 0 : -1;
  // One after the other: two drawings at once would leave a mixture.
  const drawn = () => (plot.queue = (plot.queue || Promise.resolve())
    .then(() => draw(plot, tip, parentElement, turn))
    .catch((error) => {
      console.error("The figure could not be drawn.", error);
      if (!plot.data) box.querySelector(".ts-trouble").hidden = false;
    }));
  drawn();
  const over = () => turn !== plot.turn || !plot.isConnected;
  async function follow() {
    if (over()) return;
    const asked = performance.now();
    try {
      const answer = document.hidden ? null : await fetch(data.live, { cache: "no-store" });
      const figure = answer?.status === 200 ? await answer.text() : "";
      if (figure && !over()) {
        plot.current.data = { ...data, figure };
        await drawn();
      }
    } catch { /* the server is away; it may come back */ }
    setTimeout(follow, pause(asked - plot.begun, performance.now() - asked));
  }
  if (data.live && plot.live !== data.live) [plot.live, plot.begun] = [data.live, performance.now()];
  if (data.live) setTimeout(follow, data.figure ? pause(0, 0) : 0);
  return () => { plot.turn += 1; tip.style.display = "none"; };
}
