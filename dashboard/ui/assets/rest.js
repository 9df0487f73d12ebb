// Whether the page rests: the server runs nothing for it, and nothing that somebody has just done
// may still be on its way there. A request of the page's own that comes after a click on a link
// names the page of before, and would bring it back; one that comes after a press could end the run
// that the press has begun; one below a lasso would draw the chart anew.
const PATIENCE = 3000; // milliseconds after a click or a key until it turns out that no run begins
const GONE = 15000; // after a click on a link until it turns out that it does not lead away
const QUIET = 400; // without a change, as one page gives way to another by two runs

const hands = (window.tripletscopeHands ||= (() => {
  const app = document.querySelector('[data-testid="stApp"]');
  const seen = {
    app, acted: -PATIENCE, left: -GONE, to: "", changed: performance.now(), isHeld: false,
  };
  for (const name of ["click", "keydown", "popstate", "pointerdown", "pointerup", "pointercancel"])
    window.addEventListener(name, () => {
      seen.acted = performance.now();
      seen.isHeld = name === "pointerdown" || (seen.isHeld && !name.startsWith("pointer"));
    }, { capture: true });
  window.addEventListener("click", (event) => {
    const link = event.target.closest?.("a[href]");
    if (!link || link.target || link.origin !== location.origin) return;
    [seen.left, seen.to] = [performance.now(), link.pathname];
  }, { capture: true });
  if (app) new MutationObserver(() => {
    seen.acted = -PATIENCE;
    seen.changed = performance.now();
  }).observe(app, { attributeFilter: ["data-test-script-state"] });
  return seen;
})());

function isAtRest() {
  const now = performance.now(), state = hands.app?.dataset.testScriptState;
  const isLeaving = hands.to !== location.pathname && now - hands.left < GONE;
  return (!state || state === "notRunning") && now - hands.acted >= PATIENCE
    && now - hands.changed >= QUIET && !isLeaving && !hands.isHeld;
}
