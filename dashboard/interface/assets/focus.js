// Puts the focus where somebody goes on, once for every turn, and again whenever it was lost: with
// what a page has taken away, the focus falls to the body, and the keyboard begins at the top.
const PATIENCE = 4000, EVERY = 60; // milliseconds

export default function ({ data }) {
  const turns = (window.tripletscopeTurns ||= {});
  const fresh = turns[data.name] !== data.turn;
  turns[data.name] = data.turn;
  const until = performance.now() + PATIENCE, began = document.activeElement;
  let gone = false;

  function move() {
    const now = document.activeElement, lost = !now || now === document.body;
    // Who has moved on meanwhile stays there.
    if (gone || !(lost || (fresh && now === began))) return;
    const target = document.querySelector(data.target);
    if (!target) {
      if (performance.now() < until) setTimeout(move, EVERY);
      return;
    }
    if (target.tabIndex < 0) target.setAttribute("tabindex", "-1");
    target.focus({ preventScroll: !data.scroll });
  }

  move();
  return () => { gone = true; };
}
