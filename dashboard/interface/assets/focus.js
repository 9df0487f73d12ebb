// Puts the focus where somebody goes on, once for every turn. With what a page has taken away, the
// focus falls to the body, and the keyboard would begin at the top again.
const PATIENCE = 4000, EVERY = 60; // milliseconds

export default function ({ data }) {
  const turns = (window.tripletscopeTurns ||= {});
  if (turns[data.name] === data.turn) return;
  const until = performance.now() + PATIENCE, began = document.activeElement;
  let gone = false;

  function move() {
    if (gone) return;
    const now = document.activeElement, lost = !now || now === document.body;
    const target = document.querySelector(data.target);
    // A dialog takes the focus as a whole when it comes, before or after this.
    if (!lost && now !== began && !now.contains(target)) {
      turns[data.name] = data.turn; // who has moved on stays there
    } else if (target && (lost || data.take)) {
      turns[data.name] = data.turn;
      if (target.tabIndex < 0) target.setAttribute("tabindex", "-1");
      target.focus({ preventScroll: true });
    } else if (performance.now() < until) {
      setTimeout(move, EVERY);
    }
  }

  move();
  return () => { gone = true; };
}
