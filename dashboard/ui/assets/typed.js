// What is typed from Ctrl+K until the search is there goes into its field.
const FIELD = '[role="dialog"] input[type="search"]';
const PATIENCE = 10000, GAP = 2000; // milliseconds until the field is there, and until its successor is
const EDITED = "input, textarea, select, [contenteditable=true]";

export default function () {
  if (window.tripletscopeTyped) return;
  window.tripletscopeTyped = true;
  let letters = null, until = 0, last = null, written = 0; // the field that was written in, and when
  let isWhole = false; // whether the letters are all of its words, or what comes after them

  document.addEventListener("keydown", (event) => {
    const opens = (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey;
    const held = event.ctrlKey || event.metaKey || event.altKey;
    if (opens && event.key.toLowerCase() === "k") {
      letters = document.querySelector(FIELD) ? null : "";
      isWhole = false;
      if (letters !== null) last = null;
      until = performance.now() + PATIENCE;
      return;
    }
    if (event.key === "Escape" || event.key === "Tab") last = null;
    // A run of the page replaces the field: what is typed until the next one is there goes on.
    const isGone = last && !last.isConnected && performance.now() - written < GAP;
    if (letters === null && isGone && event.key.length === 1 && !held && !event.target.matches?.(EDITED)) {
      [letters, isWhole, last] = [last.value, true, null];
      until = performance.now() + PATIENCE;
    }
    if (letters === null || held) {
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

  document.addEventListener("pointerdown", (event) => {
    letters = null;
    if (!event.target.matches?.(FIELD)) last = null;
  }, { capture: true });

  document.addEventListener("input", (event) => {
    if (event.target.matches?.(FIELD)) [last, written] = [event.target, performance.now()];
  }, { capture: true });

  document.addEventListener("focusin", (event) => {
    const field = event.target;
    if (!field.matches?.(FIELD)) return;
    // A run of the page may replace the field, with what was written in it.
    if (last && last !== field && !last.isConnected && !field.value) letters = last.value + (letters ?? "");
    if (letters === null) return;
    const value = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value");
    value.set.call(field, (isWhole ? "" : field.value) + letters); // as React sees it
    letters = null;
    isWhole = false;
    field.dispatchEvent(new Event("input", { bubbles: true }));
  }, { capture: true });
}
