// Loads plotly once, however many charts ask for it, and has its undocumented parts: nothing else
// uses them. They may change with any of its versions (tests/dashboard/test_parts.py).
const scripts = (window.tripletscopeScripts ||= new Map());

function load(source) {
  if (!scripts.has(source)) {
    scripts.set(source, new Promise((resolve, reject) => {
      const tag = document.createElement("script");
      tag.src = source;
      tag.onload = () => resolve(window.Plotly);
      tag.onerror = () => { scripts.delete(source); reject(new Error(source)); };
      document.head.appendChild(tag);
    }));
  }
  return scripts.get(source);
}

// The layout and the traces with all defaults, as they are drawn.
const layoutOf = (plot) => plot._fullLayout;
const tracesOf = (plot) => plot._fullData;
// The scene of a figure in space.
const sceneOf = (plot) => layoutOf(plot).scene && layoutOf(plot).scene._scene;
// The layer that is moved as a whole by a pan; null before it is drawn.
function layerOf(plot) {
  const { _plots } = layoutOf(plot);
  return _plots && _plots.xy && _plots.xy.plot && _plots.xy.plot.node();
}

// Pixels of a number on a scale, or of any value of the axis, from the corner of the plot.
const pixels = (axis, number) => axis._offset + axis.l2p(number);
const placed = (axis, value) => axis._offset + axis.d2p(value);
