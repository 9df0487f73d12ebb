// Maps in space: labels find places anew once the map is turned.

const SIDES = [[1, 0], [1, 1], [1, -1], [0, 1], [0, -1], [-1, 0], [-1, 1], [-1, -1]]; // to the right and up
const FEW = 20; // selected objects whose labels matter more than the points below them
const SQUARE = 2; // pixels of what is noted as taken

function drawn(tag, name) {
  const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
  if (name) node.setAttribute("class", name);
  return node;
}

function ownNames(plot, figure) {
  // Labels are drawn here: plotly writes those that appear later in half the size.
  plot.names = figure.data.filter(({ meta }) => meta && meta.radius);
  // So are a few rings, which a crowd would hide.
  plot.rings = figure.data.filter(({ name, type, x }) => name === "ring" && type === "scatter3d" && x.length <= 300);
  for (const trace of [...plot.names, ...plot.rings]) trace.visible = false;
  plot.named = null;
}

function projector(plot) {
  // Tells where a point of the scene is seen, from the corner of the plot.
  const scene = sceneOf(plot);
  const { model, view, projection } = scene.glplot.cameraParams;
  const times = (m, v) => [0, 1, 2, 3].map((r) => m[r] * v[0] + m[r + 4] * v[1] + m[r + 8] * v[2] + m[r + 12] * v[3]);
  const box = scene.container.getBoundingClientRect(), corner = plot.getBoundingClientRect();
  const scale = scene.dataScale;
  return (x, y, z) => {
    const at = times(view, times(model, [x * scale[0], y * scale[1], z * scale[2], 1]));
    const [a, b, , w] = times(projection, at);
    if (!(w > 0)) return null; // behind the camera, or nowhere
    return [box.left - corner.left + (0.5 + a / w / 2) * box.width,
      box.top - corner.top + (0.5 - b / w / 2) * box.height];
  };
}

function inSpace(plot, use) {
  // Every point of the objects that is shown, with the number of its object.
  const project = projector(plot);
  for (const trace of tracesOf(plot)) {
    if (trace.type !== "scatter3d" || trace.visible !== true || !trace.customdata) continue;
    trace.customdata.forEach((id, k) => {
      const at = project(trace.x[k], trace.y[k], trace.z[k]);
      if (at) use(id, at);
    });
  }
  return project;
}

function nameAnew(plot) {
  // Each label goes to the first place at its point that is free, those that matter most first.
  const old = plot.querySelector(".ts-names");
  if (old) old.remove();
  if (!plot.names || !layoutOf(plot).scene) return;
  const sheet = plot.appendChild(drawn("svg", "ts-names"));
  plot.named = [];
  for (const { x, y, z, marker } of plot.rings)
    x.forEach((_, k) => {
      const node = sheet.appendChild(drawn("circle"));
      node.setAttribute("r", marker.size);
      node.setAttribute("style", `fill: none; stroke: ${marker.line.color}; stroke-width: ${marker.line.width}`);
      plot.named.push({ node, place: [x[k], y[k], z[k]], away: [0, 0] });
    });
  if (!plot.names.length) return follow(plot);
  const columns = Math.ceil(plot.clientWidth / SQUARE), rows = Math.ceil(plot.clientHeight / SQUARE);
  const taken = new Uint8Array(columns * rows);
  const squares = (left, top, right, bottom) =>
    [left, top, right, bottom].map((edge, k) => (k < 2 ? Math.floor : Math.ceil)(edge / SQUARE));
  const inside = ([left, top, right, bottom]) => left >= 0 && top >= 0 && right <= columns && bottom <= rows;
  const isFree = (box) => {
    if (!inside(box)) return false;
    for (let y = box[1]; y < box[3]; y++)
      if (taken.subarray(y * columns + box[0], y * columns + box[2]).includes(1)) return false;
    return true;
  };
  const take = (box) => {
    for (let y = box[1]; y < box[3]; y++) taken.fill(1, y * columns + box[0], y * columns + box[2]);
  };
  const reach = plot.names[0].meta.radius;
  const project = inSpace(plot, (id, [x, y]) => {
    const box = squares(x - reach, y - reach, x + reach, y + reach);
    if (inside(box)) take(box);
  });
  const pen = document.createElement("canvas").getContext("2d");
  for (const { text, textfont, meta } of plot.names) {
    const { size, weight, color } = textfont;
    pen.font = `${weight || 400} ${size}px ${layoutOf(plot).font.family}`;
    const group = sheet.appendChild(drawn("g"));
    group.setAttribute("style", `font: ${pen.font}; fill: ${color || layoutOf(plot).font.color}`);
    text.forEach((name, k) => {
      const place = [meta.x[k], meta.y[k], meta.z[k]], at = project(...place);
      if (!at) return;
      const half = [pen.measureText(name).width / 2 + 2, size / 2], gap = reach + 2;
      const spots = SIDES.map(([right, up]) => {
        const away = [right * (half[0] + gap), -up * (half[1] + gap)];
        const [x, y] = [at[0] + away[0], at[1] + away[1]];
        return { away, box: squares(x - half[0], y - half[1], x + half[0], y + half[1]) };
      });
      // Those of a few selected objects lie on points rather than nowhere.
      const over = weight && text.length <= FEW;
      const spot = spots.find(({ box }) => isFree(box)) || (over && spots.find(({ box }) => inside(box)));
      if (!spot) return;
      take(spot.box);
      const node = group.appendChild(drawn("text"));
      node.innerHTML = name; // it is escaped
      plot.named.push({ node, place, away: spot.away });
    });
  }
  follow(plot);
}

function follow(plot) {
  // Labels go with their points while the map is turned.
  if (!plot.named || !layoutOf(plot).scene) return;
  const project = projector(plot);
  for (const { node, place, away } of plot.named) {
    const at = project(...place);
    node.setAttribute("visibility", at ? "visible" : "hidden");
    if (at) node.setAttribute("transform", `translate(${at[0] + away[0]},${at[1] + away[1]})`);
  }
}
