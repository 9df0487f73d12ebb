// Loads plotly once, however many charts ask for it.
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
