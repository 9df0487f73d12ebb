// The main picture of a page ends where the window does, and can have the whole screen.

const BENEATH = 28; // pixels in which what follows shows that it does
const SQUEEZED = 1.35; // times a window: a figure of rows that is seen as a whole
const LEAST = 0.55; // of the window, where much stands above the picture
const NEAR = [0.97, 1.08]; // of the size that it was drawn for: names that have room still have it

function scrolled(box) {
  // What scrolls as a whole: the page, beside its navigation.
  for (let above = box && box.parentElement; above; above = above.parentElement)
    if (/auto|scroll/.test(getComputedStyle(above).overflowY)) return above;
  return null;
}

function fit(plot) {
  const { fills, height } = plot.current.data;
  const box = plot.parentElement;
  const page = fills && scrolled(box);
  if (!page) {
    plot.style.height = `${height}px`;
    return;
  }
  const above = box.getBoundingClientRect().top - page.getBoundingClientRect().top + page.scrollTop;
  const room = Math.floor(Math.max(page.clientHeight - above - BENEATH, LEAST * page.clientHeight));
  const whole = document.fullscreenElement === box ? window.innerHeight : room;
  Object.assign(box.style, { height: `${whole}px`, overflow: fills === "part" ? "auto" : "" });
  plot.style.height = `${fills === "part" && height > SQUEEZED * whole ? height : whole}px`;
}

function fillWindow(plot) {
  // The room changes with the window, and with what comes and goes above the picture.
  const page = scrolled(plot.parentElement);
  if (!page) return;
  const seen = new ResizeObserver(() => (plot.isConnected ? fit(plot) : seen.disconnect()));
  for (const part of [page, ...page.children]) seen.observe(part);
  plot.parentElement.addEventListener("fullscreenchange", () => fit(plot));
}

function tellSize(plot) {
  // The server finds places for names; it learns where it had another size in mind.
  clearTimeout(plot.telling);
  const { drawn_for: known, fills } = plot.current.data;
  const now = [plot.clientWidth, plot.clientHeight];
  plot.isNear = !fills || !known || !now[0] || Boolean(document.fullscreenElement)
    || now.every((side, k) => side > NEAR[0] * known[k] && side < NEAR[1] * known[k]);
  if (plot.isNear) return;
  const tell = () => {
    if (!plot.isConnected) return;
    // The page runs anew for it: while it rests, and not below what is being written.
    if (!isAtRest() || document.querySelector('[role="dialog"], :is(input, textarea):focus')) {
      plot.telling = setTimeout(tell, 1000);
      return;
    }
    plot.current.setTriggerValue("measured", { width: now[0], height: now[1], at: Date.now() });
  };
  plot.telling = setTimeout(tell, 300);
}

const FULL = {
  name: "full", title: "Full screen (Esc ends it)",
  icon: { width: 24, height: 24, path: "M4 4h6v2H6v4H4zM14 4h6v6h-2V6h-4zM4 14h2v4h4v2H4zM18 14h2v6h-6v-2h4z" },
  click: (plot) => (document.fullscreenElement ? document.exitFullscreen() : plot.parentElement.requestFullscreen()),
};
