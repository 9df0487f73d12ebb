// Puts the focus where somebody goes on, once for every turn. With what a page has taken away, the
// focus falls to the body, and the keyboard would begin at the top again.
const PATIENCE = 4000, EVERY = 60; // milliseconds

export default function ({ data }) {
  const turns = (window.tripletscopeTurns ||= {}), had = turns[data.name];
  // Once for every turn, and again where a run has replaced what had it.
  if (had?.turn === data.turn && (!data.take || had.target?.isConnected)) return;
  const until = performance.now() + PATIENCE, began = document.activeElement;
  let gone = false;

  function move() {
    if (gone) return;
    const now = document.activeElement, lost = !now || now === document.body;
    const target = document.querySelector(data.target);
    // A dialog takes the focus as a whole when it comes, before or after this and what is in it.
    const isHere = target ? now?.contains(target) : data.take;
    if (!lost && now !== began && !isHere) {
      turns[data.name] = { turn: data.turn, target: now }; // who has moved on stays there
    } else if (target && (lost || data.take)) {
      turns[data.name] = { turn: data.turn, target };
      if (target.tabIndex < 0) target.setAttribute("tabindex", "-1");
      target.focus({ preventScroll: true });
    } else if (performance.now() < until) {
      setTimeout(move, EVERY);
    }
  }

  move();
  return () => { gone = true; };
}
