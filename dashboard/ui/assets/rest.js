// Whether the page rests: the server runs nothing for it, and nothing that somebody has just done
// may still be on its way there. A request of the page's own that comes after a click on a link
// names the page of before, and would bring it back; one that comes after a press could end the run
// that the press has begun; one below a lasso would draw the chart anew.
const PATIENCE = 3000; // milliseconds after a click or a key until it turns out that no run begins
const GONE = 15000; // after a click on a link until it turns out that it does not lead away
const QUIET = 400; // without a change, as one page gives way to another by two runs

const stateNow = () =>
  document.querySelector('[data-testid="stApp"]')?.dataset.testScriptState || "notRunning";

const hands = (window.tripletscopeHands ||= (() => {
  const seen = { acted: -PATIENCE, left: -GONE, to: "", changed: performance.now(), isHeld: false };
  const acts = (names, isHeld) => names.forEach((name) => window.addEventListener(name, (event) => {
    seen.acted = performance.now();
    seen.isHeld = isHeld && event.button === 0;
  }, { capture: true }));
  acts(["pointerdown"], true);
  // A menu of the browser, or a drag of a link, may be all that follows.
  acts(["click", "keydown", "popstate", "pointerup", "pointercancel", "contextmenu", "dragend", "blur"], false);
  window.addEventListener("click", (event) => {
    const link = event.target.closest?.("a[href]");
    const isElsewhere = event.ctrlKey || event.metaKey || event.shiftKey || link?.target || link?.download;
    if (!link || isElsewhere || link.origin !== location.origin) return;
    [seen.left, seen.to] = [performance.now(), link.pathname];
  }, { capture: true });
  let state = stateNow();
  new MutationObserver(() => {
    if (state === stateNow()) return;
    state = stateNow();
    [seen.acted, seen.changed] = [-PATIENCE, performance.now()];
  }).observe(document.body, { attributeFilter: ["data-test-script-state"], subtree: true });
  return seen;
})());

function isAtRest() {
  const now = performance.now();
  const isLeaving = hands.to !== location.pathname && now - hands.left < GONE;
  return stateNow() === "notRunning" && now - hands.acted >= PATIENCE
    && now - hands.changed >= QUIET && !isLeaving && !hands.isHeld;
}
