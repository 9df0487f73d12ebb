// Follows a job by asking the server for its state, without running the page's script. Only when
// the page has something else to show is it asked to run, and only while it rests.
const SOON = 150, EVERY = 500, AGAIN = 5000; // milliseconds

export default function ({ data, parentElement, setTriggerValue }) {
  const box = parentElement.querySelector(".ts-watch");
  const words = box.querySelector(".ts-words"), bar = box.querySelector(".ts-bar");
  let asked = -AGAIN, looks = 0; // when the page was asked to run, and how often the server
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
    if (changed && isAtRest() && now - asked > AGAIN) {
      asked = now;
      setTriggerValue("turned", Date.now());
    }
    setTimeout(look, (looks += 1) < 10 ? SOON : EVERY); // many jobs are short
  }

  show(data.job);
  setTimeout(look, SOON);
  return () => { box.turn += 1; };
}
