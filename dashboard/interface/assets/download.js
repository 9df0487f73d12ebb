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
      const scale = format === "png" ? data.dpi / 96 : 1;
      await Plotly.downloadImage(
        { data: figure.data, layout: figure.layout },
        { format, filename: data.name, width: data.width, height: data.height, scale },
      );
    };
    row.appendChild(button);
  }
}
