// Pictures at points. Plotly draws every picture anew with every step of a pan, a quarter of a
// second for 300 of them: here they lie in the layer that it moves as a whole.

function ownPictures(plot, figure) {
  const isOurs = ({ xref, yref, xanchor, yanchor }) =>
    xref === "x" && yref === "y" && xanchor === "center" && yanchor === "middle";
  const images = figure.layout.images || [];
  plot.pictures = images.filter(isOurs);
  figure.layout.images = images.filter((image) => !isOurs(image));
}

function layPictures(plot) {
  const { xaxis, yaxis } = layoutOf(plot);
  const home = layerOf(plot);
  plot.querySelectorAll(".ts-pictures").forEach((old) => old.parentNode !== home && old.remove());
  if (!home) return;
  const wanted = plot.pictures || [];
  const ground = getComputedStyle(plot).getPropertyValue("--st-background-color") || "#fff";
  let group = home.querySelector(".ts-pictures");
  if (!group && !wanted.length) return;
  group = group || drawn("g", "ts-pictures");
  home.appendChild(group); // above all else
  while (group.childElementCount > wanted.length) group.lastChild.remove();
  while (group.childElementCount < wanted.length) {
    const one = group.appendChild(drawn("g"));
    for (const part of ["rect", "rect", "image"]) one.appendChild(drawn(part));
  }
  const set = (node, now) => {
    for (const [name, value] of Object.entries(now))
      if (node.getAttribute(name) !== String(value)) node.setAttribute(name, value);
  };
  wanted.forEach(({ source, x, y, sizex, sizey, opacity, name }, k) => {
    const [gap, plate, image] = group.children[k].children;
    const width = Math.abs(xaxis.l2p(x + sizex) - xaxis.l2p(x));
    const height = Math.abs(yaxis.l2p(y + sizey) - yaxis.l2p(y));
    const left = xaxis.d2p(x) - width / 2, top = yaxis.d2p(y) - height / 2;
    set(image, { href: source, x: left, y: top, width, height, opacity: opacity ?? 1 });
    // Each on its own plate, with a gap around it: pictures that overlap stay apart.
    const [, rim, colour] = /^(\S+) (.*)$/.exec(name || "") || [];
    const around = (further) => ({ x: left - further, y: top - further,
      width: width + 2 * further, height: height + 2 * further });
    const edge = name ? width / 18 : 0;
    set(gap, { ...around(edge + rim / 2 + 1.5), fill: name ? ground : "none" });
    set(plate, { ...around(edge), fill: !name ? "none" : plot.matches(".ts-night") ? "#B9C2C4" : "#fff",
      stroke: name ? colour : "none", "stroke-width": rim || 0, opacity: opacity ?? 1 });
  });
}
