// Follows a job by asking the server for its state, without running the page's script. Only when
// the page has something else to show is it asked to run, and never while it runs or may be about
// to, as between the two runs by which one page gives way to another: a request that was made for
// one page and comes after the other would bring the first one back.
const SOON = 150, EVERY = 500, AGAIN = 5000, QUIET = 400; // milliseconds

const app = () => document.querySelector('[data-testid="stApp"]');

// What somebody has just done may be on its way to the server while the page still seems to rest:
// until a run begins, or it turns out that none does.
const PATIENCE = 3000;
const hands = (window.tripletscopeHands ||= (() => {
  const seen = { at: -PATIENCE };
  for (const name of ["click", "keydown", "popstate"])
    window.addEventListener(name, () => { seen.at = performance.now(); }, { capture: true });
  if (app()) new MutationObserver(() => { seen.at = -PATIENCE; })
    .observe(app(), { attributeFilter: ["data-test-script-state"] });
  return seen;
})());

function idle() {
  const state = app() && app().dataset.testScriptState;
  return (!state || state === "notRunning") && performance.now() - hands.at >= PATIENCE;
}

export default function ({ data, parentElement, setTriggerValue }) {
  const box = parentElement.querySelector(".ts-watch");
  const words = box.querySelector(".ts-words"), bar = box.querySelector(".ts-bar");
  let asked = -AGAIN, quiet = null; // when the page was asked to run, and since when it rests
  let looks = 0;
  // This is called again for every run of the page: the newest call goes on alone.
  const turn = (box.turn = (box.turn || 0) + 1);
  const over = () => turn !== box.turn || !box.isConnected;

  function show(job) {
    words.textContent = job.words;
    bar.firstElementChild.style.transform = `scaleX(${job.share})`;
    bar.setAttribute("aria-valuenow", Math.round(100 * job.share));
    bar.setAttribute("aria-label", job.words);
  }

  async function look() {
    if (over()) return;
    let changed = false;
    try {
      const answer = await fetch(data.address, { cache: "no-store" });
      const job = answer.ok ? await answer.json() : null;
      if (over()) return;
      if (job) show(job);
      changed = !job || !job.active || job.step !== data.job.step;
    } catch { /* the server is away; it may come back */ }
    if (over()) return;
    const now = performance.now();
    quiet = idle() ? quiet ?? now : null;
    if (changed && quiet !== null && now - quiet >= QUIET && now - asked > AGAIN) {
      asked = now;
      setTriggerValue("turned", Date.now());
    }
    setTimeout(look, (looks += 1) < 10 ? SOON : EVERY); // many jobs are short
  }

  show(data.job);
  setTimeout(look, SOON);
  return () => { box.turn += 1; };
}
