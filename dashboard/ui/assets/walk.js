// A figure in the plane is walked by keyboard: arrows go to the neighbour on that side, Space
// selects it with those selected before, Enter alone.

const TOWARDS = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
const WALKED = "Arrow keys go from object to object, Space selects.";

function walkable(plot) {
  // Objects with their points in pixels.
  const { xaxis, yaxis } = layoutOf(plot);
  return tracesOf(plot).flatMap(({ type, customdata, x, y, xaxis: of, hovertext, index, selectedpoints }) =>
    !customdata || !/^scatter(gl)?$/.test(type) || of !== "x" ? [] : [...customdata].map((id, k) => ({
      id, curveNumber: index, pointNumber: k, at: [placed(xaxis, x[k]), placed(yaxis, y[k])],
      isSelected: Boolean(selectedpoints && selectedpoints.includes(k)),
      name: String((hovertext && hovertext[k]) || id).split("<br>")[0].replace(/<[^>]*>/g, ""),
    })).filter(({ id: one, at }) => Number.isInteger(one) && at.every(Number.isFinite)));
}

function beside(all, here, [right, down]) {
  // The nearest on a side, those straight ahead before those aslant.
  const far = ({ at }) => {
    const [x, y] = [at[0] - here.at[0], at[1] - here.at[1]];
    const along = x * right + y * down, across = Math.abs(x * down) + Math.abs(y * right);
    return along > 0 ? along + 2 * across : Infinity;
  };
  return all.reduce((best, one) => (far(one) < far(best) ? one : best), here);
}

function showWalked(plot) {
  const here = plot.walked !== undefined && document.activeElement === plot
    && walkable(plot).find(({ id }) => id === plot.walked);
  if (!here) return;
  const { curveNumber, pointNumber } = here;
  plot.plotly.Fx.hover(plot, [{ curveNumber, pointNumber }]);
  const said = plot.parentElement.querySelector(".ts-said");
  said.textContent = here.isSelected ? `${here.name}, selected` : here.name;
}

function oneStop(plot) {
  // The tools are one stop of the keyboard; arrows go from tool to tool.
  plot.querySelectorAll(".modebar-btn").forEach((tool, k) => { tool.tabIndex = k ? -1 : 0; });
}

function walk(plot) {
  plot.addEventListener("keydown", (event) => {
    const tools = [...plot.querySelectorAll(".modebar-btn")], place = tools.indexOf(event.target);
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (place < 0 || !step) return;
    tools[(place + step + tools.length) % tools.length].focus();
    event.preventDefault();
  });
  plot.addEventListener("keydown", (event) => {
    if (event.target !== plot || !plot.current.data.selectable || layoutOf(plot).scene) return;
    if (event.altKey || event.ctrlKey || event.metaKey) return; // keys of the browser
    const { key } = event;
    if (key in TOWARDS) {
      const all = walkable(plot), here = all.find(({ id }) => id === plot.walked);
      const middle = [0, 1].map((k) => all.reduce((sum, { at }) => sum + at[k] / all.length, 0));
      const away = ({ at }) => Math.hypot(at[0] - middle[0], at[1] - middle[1]);
      const next = here ? beside(all, here, TOWARDS[key])
        : all.reduce((best, one) => (!best || away(one) < away(best) ? one : best), null);
      plot.walked = next ? next.id : undefined;
      showWalked(plot);
    } else if ((key === " " || key === "Enter") && plot.walked !== undefined) {
      plot.tell([plot.walked], key === " " ? "toggle" : "replace");
    } else return;
    event.preventDefault();
    event.stopPropagation();
  });
  plot.addEventListener("blur", () => plot.plotly.Fx.unhover(plot));
}
