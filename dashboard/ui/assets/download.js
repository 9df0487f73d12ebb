// Draws a figure in the browser and saves it, where the server cannot draw.

export default function ({ data, parentElement }) {
  const row = parentElement.querySelector(".ts-save");
  row.replaceChildren();
  for (const format of ["svg", "png"]) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = format.toUpperCase();
    button.onclick = async () => {
      const Plotly = await load(data.plotly);
      const figure = JSON.parse(data.figure);
      const scale = format === "png" ? (data.dpi / 96) * data.scale : 1;
      let content = await Plotly.toImage(
        { data: figure.data, layout: figure.layout },
        { format, width: data.width, height: data.height, scale },
      );
      if (format === "svg") content = sized(content);
      const link = document.createElement("a");
      link.href = content;
      link.download = `${data.name}.${format}`;
      link.click();
    };
    row.appendChild(button);
  }

  // Figures are laid out larger or smaller than they are on paper.
  function sized(address) {
    const svg = decodeURIComponent(address.slice(address.indexOf(",") + 1));
    const millimetres = (pixels) => `${((data.scale * pixels * 25.4) / 96).toFixed(3)}mm`;
    const size = `width="${millimetres(data.width)}" height="${millimetres(data.height)}"`;
    const there = svg.replace(/ width="[\d.]+" height="[\d.]+"/, ` ${size}`);
    return `data:image/svg+xml,${encodeURIComponent(there)}`;
  }
}
