// What is typed from Ctrl+K until the search is there goes into its field.
const FIELD = '[role="dialog"] input[type="search"]', PATIENCE = 10000; // milliseconds
const EDITED = "input, textarea, select, [contenteditable=true]";

export default function () {
  if (window.tripletscopeTyped) return;
  window.tripletscopeTyped = true;
  let letters = null, until = 0, last = null; // the field that has been written in

  document.addEventListener("keydown", (event) => {
    const opens = (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey;
    const held = event.ctrlKey || event.metaKey || event.altKey;
    if (opens && event.key.toLowerCase() === "k") {
      letters = document.querySelector(FIELD) ? null : "";
      if (letters !== null) last = null;
      until = performance.now() + PATIENCE;
    } else if (letters === null || held) {
      return;
    } else if (event.key === "Escape" || performance.now() > until || event.target.matches?.(EDITED)) {
      letters = null;
    } else if (event.key === "Backspace") {
      letters = letters.slice(0, -1);
    } else if (event.key.length === 1 || event.key === "Enter") {
      if (event.key !== "Enter") letters += event.key;
      event.preventDefault(); // it would press what has the focus
      event.stopPropagation();
    }
  }, { capture: true });

  document.addEventListener("pointerdown", () => { letters = null; }, { capture: true });

  document.addEventListener("input", (event) => {
    if (event.target.matches?.(FIELD)) last = event.target;
  }, { capture: true });

  document.addEventListener("focusin", (event) => {
    const field = event.target;
    if (!field.matches?.(FIELD)) return;
    // A run of the page may replace the field, with what was written in it.
    if (last && last !== field && !last.isConnected && !field.value) letters = last.value + (letters ?? "");
    if (letters === null) return;
    const value = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value");
    value.set.call(field, field.value + letters); // as React sees it
    letters = null;
    field.dispatchEvent(new Event("input", { bubbles: true }));
  }, { capture: true });
}
