// Objects on the screen: every stimulus in a box of one size, as large as fits; sounds in turn.
"use strict";

const Stimuli = (() => {
  const KEYS = { "←": "ArrowLeft", "→": "ArrowRight" };
  let told, jsPsych, byId, texts;

  function start(experiment, made) {
    told = experiment;
    jsPsych = made;
    texts = told.texts;
    byId = new Map(told.objects.map((object) => [object.id, object]));
    document.documentElement.style.setProperty("--behind", told.background);
    document.documentElement.classList.toggle("dark", isDark(told.background));
    addEventListener("resize", fit);
    // Browsers play no sound before the page was touched.
    for (const kind of ["pointerdown", "keydown"]) {
      addEventListener(kind, () => jsPsych.pluginAPI.audioContext());
    }
  }

  function isDark(colour) {
    const parts = [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16) / 255);
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2] < 0.45;
  }

  const element = (kind, className, text) => {
    const made = document.createElement(kind);
    if (className) made.className = className;
    if (text !== undefined) made.textContent = text;
    return made;
  };
  const fileOf = (object) => `stimuli/${encodeURIComponent(object.content)}`;

  // One letter size for all, so that the longest text fits into its box.
  function letterSize(size) {
    const all = told.objects.filter((object) => object.medium === "text");
    const longest = Math.max(1, ...all.map((object) => object.content.length));
    const word = Math.max(1, ...all.flatMap((o) => o.content.split(/\s+/).map((w) => w.length)));
    const area = Math.sqrt((0.8 * size * size) / (longest * 0.62 * 1.35));
    return Math.max(11, Math.min(size * 0.24, area, (0.92 * size) / (0.62 * word)));
  }

  function box(id, words) {
    const object = byId.get(id) ?? { id, medium: "text", content: id, label: "" };
    const frame = element("figure", `stimulus ${object.medium}`);
    const inside = element("div", "inside");
    frame.append(inside);
    const name = object.label || words;
    if (object.medium === "text") {
      const text = element("span", "", object.content);
      text.dir = "auto"; // from the left or from the right
      inside.append(text);
    } else if (object.medium === "colour") {
      inside.style.backgroundColor = object.content;
      described(inside, name);
    } else if (object.medium === "picture") {
      const picture = element("img");
      picture.alt = name;
      picture.decoding = "sync"; // painted in the frame that is measured
      picture.draggable = false;
      picture.src = fileOf(object);
      inside.append(picture);
    } else if (object.medium === "video") {
      const video = element("video");
      Object.assign(video, { muted: true, loop: true, playsInline: true });
      video.autoplay = !matchMedia("(prefers-reduced-motion: reduce)").matches;
      video.src = jsPsych.pluginAPI.getVideoBuffer(fileOf(object)) ?? fileOf(object);
      video.setAttribute("aria-label", name);
      inside.append(video);
    } else {
      inside.innerHTML = '<svg viewBox="0 0 24 24" aria-hidden="true"><path d="M4 9v6h4l5 4V5L8 9z"/>'
        + '<path class="waves" d="M16 8.5a5 5 0 0 1 0 7M18.5 6a8.5 8.5 0 0 1 0 12"/></svg>';
      described(inside, name);
      frame.dataset.sound = fileOf(object);
    }
    if (told.labels && object.label) frame.append(element("figcaption", "", object.label));
    return frame;
  }

  function described(made, name) {
    made.setAttribute("role", "img");
    made.setAttribute("aria-label", name);
  }

  // Above the options: an anchor, or two objects that are judged.
  function above(ids) {
    const frame = element("div", "anchor");
    const row = element("div", "row");
    row.append(...ids.map((id, k) => box(
      id, ids.length > 1 ? texts.option.replace("{n}", k + 1) : texts.anchor)));
    frame.append(row);
    frame.append(...replay(frame));
    return frame;
  }

  // The visible name of an object.
  function nameOf(id) {
    const object = byId.get(id);
    return object?.label || (object?.medium === "text" ? object.content : "");
  }

  // An option: a button with one stimulus, the two of a pair, or a word.
  function option(ids, number, hint) {
    const slot = element("div", "slot");
    const button = element("button", "option");
    const words = texts.option.replace("{n}", number + 1);
    button.type = "button";
    // The key is seen, and no part of what the button is called: it is told of as a key.
    const key = element("kbd");
    key.dataset.key = hint;
    if (hint) button.setAttribute("aria-keyshortcuts", KEYS[hint] ?? hint);
    if (typeof ids === "string") {
      button.append(element("span", "", ids), key);
      slot.append(button);
      return slot;
    }
    const names = ids.map(nameOf).filter(Boolean).join(", ");
    button.setAttribute("aria-label", [words, names].filter(Boolean).join(": "));
    button.append(...ids.flatMap((id) => [box(id, words), " "]), key);
    slot.append(button, ...replay(button));
    return slot;
  }

  // What is played by a button: sounds, and videos where less motion is wanted.
  const PLAYED = "[data-sound], video:not([autoplay])";

  // Buttons that play something again, beside the button that chooses it.
  function replay(frame) {
    return [...frame.querySelectorAll(PLAYED)].map((played, number) => {
      const button = element("button", "replay", `▶ ${texts.play}`);
      const named = played.closest("[aria-label]") ?? played.querySelector("[aria-label]");
      button.type = "button";
      button.dataset.number = number;
      button.setAttribute("aria-label", `${texts.play}: ${named.getAttribute("aria-label")}`);
      return button;
    });
  }

  // The largest size at which everything fits, up to the experiment's; equal for all stimuli.
  function fit() {
    const content = document.querySelector("#jspsych-content");
    if (!content?.querySelector(".stimulus")) return;
    const group = content.querySelector(".options");
    const first = group?.querySelector(".slot");
    const wide = first?.querySelectorAll(".stimulus").length ?? 0;
    const n = group?.children.length ?? 0;
    const rowsAbove = content.querySelector(".anchor") ? 1 : 0;
    const gap = 12;
    const style = getComputedStyle(content);
    // Padding and border around stimuli, labels, and the rest of the page.
    content.style.setProperty("--size", "100px");
    content.style.setProperty("--letters", "11px");
    const around = wide ? first.offsetWidth - wide * 100 - (wide - 1) * gap : 0;
    const under = wide ? first.offsetHeight - 100 : 0;
    const aboveUnder = rowsAbove ? content.querySelector(".anchor").offsetHeight - 100 : 0;
    let other = parseFloat(style.paddingTop) + parseFloat(style.paddingBottom) + 8;
    for (const one of content.querySelectorAll(
      `.asked, .below, .why, .feedback, .ends, .slider, .skip${wide ? "" : ", .options"}`)) {
      other += one.offsetHeight + 16;
    }
    const width = document.documentElement.clientWidth - parseFloat(style.paddingLeft)
      - parseFloat(style.paddingRight);
    const height = innerHeight - document.querySelector("header").offsetHeight - other
      - rowsAbove * (aboveUnder + gap);
    const board = content.querySelector(".board");
    if (board) { fitBoard(content, board, width, height); return; }
    const best = { size: 0 };
    if (!wide) { // words or a scale below the objects
      const beside = content.querySelectorAll(".anchor .stimulus").length;
      const across = (width - 24 - gap * (beside - 1)) / beside;
      best.size = Math.floor(Math.min(across, Math.max(height, 64), told.size));
    }
    // Two options stand side by side; two pairs one above the other on a phone.
    for (let columns = n; wide && columns >= (n === 2 && wide === 1 ? 2 : 1); columns--) {
      if (n === 3 && columns === 2) continue; // a row or a column, in which none stands alone
      const rows = Math.ceil(n / columns);
      const across = ((width - gap * (columns - 1)) / columns - around - gap * (wide - 1)) / wide;
      const down = (height - rows * (under + gap)) / (rows + rowsAbove);
      const size = Math.floor(Math.min(across, Math.max(down, 64), told.size));
      if (size > best.size) Object.assign(best, { size, columns });
    }
    content.style.setProperty("--size", `${Math.max(best.size, 40)}px`);
    content.style.setProperty("--letters", `${letterSize(Math.max(best.size, 40))}px`);
    if (!wide) return;
    // Rows of nearly equal length, so that no object stands alone.
    const columns = Math.ceil(n / Math.ceil(n / (best.columns ?? 1)));
    group.style.width = `${columns * (first.offsetWidth + gap)}px`;
  }

  // The largest size at which a table has room for all objects.
  function fitBoard(content, board, width, height) {
    const things = [...board.querySelectorAll(".thing")];
    const n = things.length;
    const isRound = board.matches(".arranging");
    const isText = told.objects.every((object) => object.medium === "text");
    const least = 44; // of what a finger takes hold of
    const gap = 6;
    let size = Math.min(told.size, isText ? 60 : 110);
    let tall = 0;
    let round = 0;
    for (; size > 24; size -= 2) {
      let [rows, across] = [1, 0];
      for (const one of things) {
        const wide = isText ? one.offsetWidth : Math.max(least, size + 8);
        if (across + wide > width) [rows, across] = [rows + 1, 0];
        across += wide + gap;
      }
      const each = isText ? Math.max(...things.map((one) => one.offsetHeight))
        : Math.max(least, size + (told.labels ? 28 : 8));
      tall = rows * (each + gap);
      round = Math.min(width, height - tall - 12);
      if (isRound ? round >= 2 * Math.sqrt(n) * size : tall <= 0.3 * height) break;
    }
    content.style.setProperty("--size", `${size}px`);
    content.style.setProperty("--letters", "15px");
    if (!isRound) {
      const widest = Math.max(...things.map((one) => one.offsetWidth));
      content.style.setProperty("--pile", `${Math.max(2 * size + 50, widest + 20)}px`);
      return;
    }
    // The table stays where it is while the tray becomes empty.
    board.querySelector(".tray").style.minHeight = `${tall}px`;
    round = Math.max(round, 220);
    board.querySelector(".round").style.width = `${round}px`;
    // All together cover at most half of the table.
    const grip = Math.min(least, round * Math.sqrt(Math.PI / 8 / n));
    content.style.setProperty("--grip", `${grip}px`);
  }

  // Plays all sounds in order; calls back after the last one.
  function play(content, heard) {
    const frames = [...content.querySelectorAll("[data-sound]")];
    const waiting = new Set(frames);
    let current = null;

    async function one(frame) {
      stop();
      const player = await jsPsych.pluginAPI.getAudioPlayer(frame.dataset.sound);
      if (!frame.isConnected) return;
      const seconds = player.webAudioBuffer?.duration ?? player.audio?.duration ?? 0;
      const over = () => {
        if (current?.frame !== frame) return;
        stop();
        waiting.delete(frame);
        const next = frames.find((other) => waiting.has(other));
        if (frame.closest(".thing")) return;
        if (next) one(next);
        else heard();
      };
      // Without a loudspeaker, the end of a sound never comes.
      const timer = setTimeout(over, 1000 * seconds + 1000);
      current = { frame, player, over, timer };
      frame.classList.add("playing");
      player.addEventListener("ended", over);
      player.play();
    }

    function stop() {
      if (!current) return;
      const { frame, player, over, timer } = current;
      current = null;
      clearTimeout(timer);
      frame.classList.remove("playing");
      player.removeEventListener("ended", over);
      player.stop(); // makes it playable again
    }

    // A video goes on or stops.
    const again = (played) => {
      if (played.dataset.sound) one(played);
      else if (played.paused) played.play().catch(() => {});
      else played.pause();
    };
    for (const played of content.querySelectorAll(PLAYED.replace(/^|, /g, "$&.thing "))) {
      played.closest(".thing").addEventListener("focus", () => again(played));
    }
    for (const button of content.querySelectorAll(".replay")) {
      const played = button.parentElement.querySelectorAll(PLAYED)[button.dataset.number];
      button.addEventListener("click", (event) => {
        event.stopPropagation(); // it is no answer
        again(played);
      });
    }
    // On a table, each sound plays when it is chosen.
    if (frames.length && !frames[0].closest(".thing")) one(frames[0]);
    else heard();
    return stop;
  }

  // Files of some objects, by the kinds in which jsPsych loads them.
  function files(ids) {
    const found = { picture: [], sound: [], video: [] };
    for (const id of new Set(ids)) {
      const object = byId.get(id);
      if (object && object.medium in found) found[object.medium].push(fileOf(object));
    }
    return { images: found.picture, audio: found.sound, video: found.video };
  }

  return { start, above, box, nameOf, option, fit, play, files, element };
})();
