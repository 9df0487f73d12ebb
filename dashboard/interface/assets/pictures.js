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
  let group = home.querySelector(".ts-pictures");
  if (!group && !wanted.length) return;
  group = group || drawn("g", "ts-pictures");
  home.appendChild(group); // above all else
  while (group.childElementCount > wanted.length) group.lastChild.remove();
  while (group.childElementCount < wanted.length) group.appendChild(drawn("image"));
  wanted.forEach(({ source, x, y, sizex, sizey, opacity }, k) => {
    const image = group.children[k];
    const width = Math.abs(xaxis.l2p(x + sizex) - xaxis.l2p(x));
    const height = Math.abs(yaxis.l2p(y + sizey) - yaxis.l2p(y));
    const now = { href: source, x: xaxis.d2p(x) - width / 2, y: yaxis.d2p(y) - height / 2, width, height,
      opacity: opacity ?? 1 };
    for (const [name, value] of Object.entries(now))
      if (image.getAttribute(name) !== String(value)) image.setAttribute(name, value);
  });
}
