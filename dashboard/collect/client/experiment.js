// The experiment for participants: a timeline of jsPsych, which presents, measures and collects.
// This arranges its parts, and hands answers to the outbox.
"use strict";

(async () => {
  const address = new URLSearchParams(location.search);
  const simulation = ["data-only", "visual"].find((mode) => mode === address.get("simulate"));
  const isPreview = address.has("preview");
  const transport = window.Elsewhere ?? Server;
  const { element } = Stimuli;
  const notice = document.querySelector("#notice");

  const jsPsych = initJsPsych({ on_trial_start: () => { notice.textContent = ""; } });
  const content = () => jsPsych.getDisplayElement();

  let told;
  try {
    told = await patiently(() => transport.load());
  } catch (error) {
    document.body.append(element("p", "page", `${error.message}`));
    return;
  }
  const { texts } = told;
  Keeping.of(told.log);
  for (const [name, value] of Object.entries(transport.parameters?.() ?? {})) {
    if (!address.has(name)) address.set(name, value);
  }
  document.documentElement.lang = told.language;
  document.title = texts.title;
  Stimuli.start(told, jsPsych);

  // Who this is, and what happens ---------------------------------------------------------------

  const person = whoThisIs();
  const tab = isPreview || simulation ? Keeping.uuid() : Keeping.tabId();
  const queue = []; // questions that wait for their turn
  const ready = new Set(); // files that are loaded
  const events = []; // before there is an outbox
  let outbox = null;
  let current = null; // the question that is shown
  let last = null; // the one before, of the same list
  let done = 0;
  let all = 0;
  let final = null; // the last page
  let asking = null;
  let input = "mouse";
  let handedOverLate = 0;
  let isShortcut = false; // keys of the browser, such as Alt and an arrow to go back

  function whoThisIs() {
    if (isPreview || simulation) return `${simulation ? "simulated" : "preview"}-${Keeping.uuid()}`;
    // Only the first parameter identifies people; a study's id, for example, is everybody's.
    const given = address.get(told.parameters[0]);
    if (given) return Keeping.participantId(given);
    return Keeping.browser.get("person") ?? Keeping.uuid();
  }

  const token = isPreview || simulation ? null : Keeping.browser.get(`token ${person}`);
  addEventListener("pointerdown", (event) => {
    input = event.pointerType === "touch" ? "touch" : "mouse";
  }, true);
  addEventListener("keydown", (event) => {
    input = "keyboard";
    isShortcut = event.altKey || event.ctrlKey || event.metaKey;
  }, true);
  // A busy browser hands events over late, with their times.
  for (const kind of ["click", "keydown"]) {
    addEventListener(kind, (event) => {
      const late = performance.now() - event.timeStamp;
      if (event.isTrusted) handedOverLate = late > 0 && late < 5000 ? late : 0;
    }, true);
  }

  // Somebody who needs longer has an address that says how many times as long; 0 is for no limit.
  const times = Number(address.get("more_time") || 1); // an empty one was not filled in
  const more = times >= 0 ? Math.min(times, 1000) : 1;
  const DAY = 86400; // seconds: browsers end longer clocks at once
  const limit = Math.min(Math.round(10 * told.time_limit * more) / 10, DAY); // 0 for none

  function moment() {
    return { id: Keeping.uuid(), at_ms: performance.now(), clock_ms: Date.now() };
  }

  function happened(what) {
    events.push({ ...moment(), what });
    if (outbox) for (const event of events.splice(0)) outbox.put("event", event);
  }

  // Requests are repeated until there is a connection.
  async function patiently(what) {
    for (let wait = 1000; ; wait = Math.min(2 * wait, 30000)) {
      try {
        const said = await what();
        if (told) connected(true);
        return said;
      } catch (error) {
        if (!(error instanceof NoConnection)) throw error;
        if (told) connected(false);
        await new Promise((resolve) => {
          const timer = setTimeout(again, wait);
          function again() {
            clearTimeout(timer);
            removeEventListener("online", again);
            resolve();
          }
          addEventListener("online", again);
        });
      }
    }
  }

  function connected(is) {
    const words = is ? "" : texts.offline;
    const offline = document.querySelector("#offline");
    if (offline.textContent !== words) offline.textContent = words; // said once
    const page = document.querySelector("#waiting");
    if (page && page.dataset.says !== String(is)) {
      page.dataset.says = String(is);
      page.innerHTML = is ? "" : texts.no_connection;
    }
  }

  // Ends ------------------------------------------------------------------------------------------

  // The experiment stops with a page, whatever is shown now.
  function stop(name, more = {}) {
    if (final) return;
    final = { name, ...more };
    jsPsych.abortExperiment("");
  }

  function refused(error) {
    console.error(error);
    if (error instanceof Refused) stop(error.page);
    else throw error;
  }

  async function takeOver() {
    await patiently(() => transport.begin({ ...about(), take_over: true }));
    location.reload();
  }

  const buttons = {
    elsewhere: ["go_on_here", takeOver],
    paused: ["try_again", () => location.reload()],
    not_loaded: ["try_again", () => location.reload()],
    wrong_address: ["try_again", () => location.reload()],
  };

  function showFinal() {
    document.querySelector("#progress").hidden = true;
    const page = element("div", "page");
    page.innerHTML = texts[final.name === "finished" ? "end" : final.name];
    if (final.code) {
      const line = element("p", "code", `${texts.your_code}: `);
      line.append(element("strong", "", final.code));
      page.append(line);
    }
    if (/^https?:\/\//.test(final.address ?? "")) {
      const link = element("a", "jspsych-btn main", texts.return);
      // Panels such as SONA get back the parameters of the address.
      link.href = told.parameters.reduce((one, name) => one.replaceAll(
        `{${name}}`, encodeURIComponent(address.get(name) ?? "")), final.address);
      page.append(link);
    }
    for (const [words, action] of final.buttons ?? (
      buttons[final.name] ? [[texts[buttons[final.name][0]], buttons[final.name][1]]] : [])) {
      const button = element("button", "jspsych-btn main", words);
      button.addEventListener("click", action);
      page.append(button);
    }
    content().replaceChildren(page);
    page.tabIndex = -1;
    page.focus();
    document.documentElement.dataset.end = final.name;
  }

  // Begin -----------------------------------------------------------------------------------------

  function about() {
    return {
      person, tab, token, simulated: Boolean(simulation || isPreview),
      preview: address.get("preview"),
      parameters: Object.fromEntries(told.parameters
        .filter((name) => address.has(name)).map((name) => [name, address.get(name).slice(0, 500)])),
      device: {
        width: innerWidth, height: innerHeight, touch: navigator.maxTouchPoints > 0,
        agent: navigator.userAgent.slice(0, 300),
      },
    };
  }

  async function begin() {
    const begun = await patiently(() => transport.begin(about()));
    if (begun.state === "unknown") { // deleted, with the consent
      Keeping.browser.remove(`token ${person}`);
      location.reload();
      await new Promise(() => {});
    }
    done = begun.done;
    all = begun.done + begun.left;
    if (begun.token && !simulation && !isPreview) {
      Keeping.browser.set(`token ${person}`, begun.token);
      // For people without an id, after consent.
      if (!address.get(told.parameters[0])) Keeping.browser.set("person", person);
    }
    outbox = new Outbox(person, deliver, connected);
    if (["paused", "closed"].includes(begun.state) && begun.token && outbox.keys.length) {
      // Earlier answers count; the last one ends the experiment.
      await outbox.flush();
      if (final) return;
    } else if (!["new", "going_on"].includes(begun.state)) {
      stop(begun.state, begun);
      return;
    }
    // Answers from before a reload; the first reply says whether they had arrived, so that none
    // counts twice. Without a connection, nobody waits for it.
    done = Math.min(all, done + outbox.keys.length);
    await Promise.race([
      outbox.flush().catch(refused), new Promise((resolve) => setTimeout(resolve, 1000))]);
    if (final) return;
    if (begun.state === "going_on") happened("reload");
    happened("begin");
    if (told.time_limit && more !== 1) happened(`more-time-${String(more).replace(".", "-")}`);
    addEventListener("pagehide", () => transport.leave(
      outbox.batch("answer"), { ...moment(), what: "left" }));
    document.addEventListener("visibilitychange", () => {
      happened(document.hidden ? "hidden" : "visible");
    });
    for (const what of ["online", "offline"]) addEventListener(what, () => happened(what));
    addEventListener("offline", () => connected(false));
    let resized = 0;
    addEventListener("resize", () => {
      clearTimeout(resized);
      resized = setTimeout(() => happened("resize"), 1000);
    });
    // The browser's button "back" stays here, and a message explains what to do.
    Keeping.stay();
    addEventListener("popstate", () => {
      Keeping.stay();
      notice.textContent = texts.kept;
    });
    ask();
  }

  async function deliver(answers, records) {
    const { done: ids, state, left } = await transport.send(answers, records);
    if (left !== null) done = all - left - (outbox.keys.length - answers.length);
    if (["excluded", "closed", "paused"].includes(state)) stop(state);
    return ids;
  }

  // Questions -------------------------------------------------------------------------------------

  // Requests more questions, one request at a time; returns the state.
  function ask() {
    asking ??= (async () => {
      const have = [...queue, ...(current ? [current] : [])].map((question) => question.key);
      const said = await patiently(() => transport.next([...new Set([...have, ...outbox.keys])]));
      const known = new Set([...have, ...outbox.keys, ...answered]);
      queue.push(...said.questions.filter((question) => !known.has(question.key)));
      for (const question of queue.slice(0, 5)) load(question.shown);
      return said;
    })().finally(() => { asking = null; });
    return asking;
  }

  const answered = new Set();

  // The next question with its files, if one is left.
  async function nextQuestion() {
    while (!final) {
      if (queue.length) {
        const question = queue.shift();
        await load(question.shown);
        return question;
      }
      const said = await ask();
      if (said.state === "finished") return null;
      if (["excluded", "closed", "paused"].includes(said.state)) {
        // Answers on their way may be the last ones.
        if (outbox.keys.length) await outbox.flush();
        else stop(said.state);
        continue;
      }
      if (!queue.length) {
        if (!said.left && !outbox.keys.length) return null;
        // The next questions may depend on answers on their way.
        await Promise.race([outbox.flush(), new Promise((resolve) => setTimeout(resolve, 300))]);
      }
    }
    return null;
  }

  // Loads all files before the first question; of very many, those of the next questions.
  const everything = Stimuli.files(told.objects.map((object) => object.id));
  const isMuch = Object.values(everything).flat().length > 300;

  async function load(ids) {
    if (!isMuch) return;
    const kinds = {
      images: jsPsych.pluginAPI.preloadImages, audio: jsPsych.pluginAPI.preloadAudio,
      video: jsPsych.pluginAPI.preloadVideo,
    };
    await Promise.all(Object.entries(Stimuli.files(ids)).map(async ([kind, files]) => {
      const missing = files.filter((file) => !ready.has(file));
      if (!missing.length) return;
      await patiently(() => new Promise((resolve, reject) => {
        kinds[kind](missing, resolve, () => {}, () => reject(new NoConnection("files")));
      }));
      for (const file of missing) ready.add(file);
    }));
  }

  // Pages -----------------------------------------------------------------------------------------

  // Screen readers begin at the focus.
  function readFrom(text) {
    if (!text) return; // simulated without being shown
    text.tabIndex = -1;
    text.focus({ preventScroll: true });
  }

  // Enter and the space bar press the only button of a page, or follow the focused link.
  function enterPresses(button) {
    jsPsych.pluginAPI.getKeyboardResponse({
      valid_responses: ["Enter", " "], persist: true,
      callback_function: () => (document.activeElement.closest("a") ?? button()).click(),
    });
  }

  // A page of text with a button, or with two that keys do not press.
  const page = (html, words, more = {}) => ({
    type: jsPsychHtmlButtonResponse, stimulus: html, choices: [words],
    button_html: () => '<button type="button" class="jspsych-btn main"></button>',
    css_classes: ["page"],
    simulation_options: { data: { response: 0, rt: 400 } },
    ...more,
    on_load: () => {
      for (const button of content()?.querySelectorAll("[data-choice]") ?? []) {
        button.textContent = [words, more.otherwise][button.dataset.choice];
      }
      readFrom(content()?.querySelector("#jspsych-html-button-response-stimulus"));
      if (!more.otherwise) enterPresses(() => content().querySelector(".main"));
      more.on_load?.();
    },
    on_finish: (data) => {
      jsPsych.pluginAPI.cancelAllKeyboardResponses();
      more.on_finish?.(data);
    },
  });
  function readInstructions() {
    const next = content()?.querySelector("#jspsych-instructions-next");
    if (!next) return;
    next.textContent = texts.continue;
    content().querySelector("#jspsych-instructions-back")?.replaceChildren(texts.back);
    readFrom(content().querySelector(".text"));
  }

  const only = (when, ...timeline) => ({ timeline, conditional_function: when });

  function showProgress() {
    const bar = document.querySelector("#progress");
    bar.hidden = !all || Boolean(final);
    bar.querySelector("progress").value = all ? done / all : 0;
    bar.querySelector("span").textContent = texts.progress
      .replace("{done}", done).replace("{all}", all);
  }

  // One question ----------------------------------------------------------------------------------

  const { answer: kind, is_anchored: anchored, in_order: inOrder, levels } = told.asking;
  const SKIP = "-"; // a key that every keyboard has, and no scale
  const LONG = 1000; // milliseconds for which a button is not dead without a word
  const isTable = kind === "piles" || kind === "positions";
  const isSlider = kind === "number" && levels > 11;
  // Buttons without objects: two words, or levels.
  const said = kind === "words" ? [texts.same, texts.different]
    : kind === "number" ? [...Array(levels).keys()].map((k) => String(k + 1)) : null;
  const options = (question) => Answers.options(told.asking, question.shown);
  // Whether an answer takes several steps, with a button for the last one.
  const composed = (question) => Boolean(question.item) || isTable || isSlider || (!said && question.n_chosen > 1);
  let shownAt = null; // the frame in which the stimuli appeared
  let loadedAt = 0;
  let chosen = []; // of an answer in several steps
  let why = null; // the line that says why a button is dead
  let silence = null;
  let unanswered = ""; // "skipped", or "late" after the time limit
  let lates = 0; // in a row

  // Ends a question without an answer.
  function leaveOpen(how) {
    if (unanswered) return;
    unanswered = how;
    jsPsych.finishTrial({ response: null, rt: performance.now() - loadedAt });
  }

  const note = document.querySelector("#left");
  const MOST_LATE = 3; // in a row
  const WARNED = 10; // seconds before the end of a limit that is at least twice as long

  // Counts from now, while the page is seen.
  function countDown() {
    const bar = document.querySelector("#time");
    const { key } = current;
    const place = `time ${person}`; // after a reload, what was left goes on
    const kept = Keeping.browser.get(place);
    let left = kept?.key === key ? kept.left : 1000 * limit;
    let since = null;
    let timers = [];
    function rest() {
      timers.forEach(clearTimeout);
      timers = [];
      if (since !== null) left -= performance.now() - since;
      since = null;
      keep();
    }
    function keep() {
      if (!isPreview) Keeping.browser.set(place, { key, left });
    }
    function go() {
      if (document.hidden || since !== null) return;
      since = performance.now();
      keep();
      timers = [setTimeout(() => leaveOpen("late"), left)];
      if (limit >= 2 * WARNED && left >= 1000 * WARNED) {
        timers.push(setTimeout(() => {
          note.textContent = texts.seconds_left.replace("{n}", WARNED);
        }, left - 1000 * WARNED));
      }
    }
    bar.replaceChildren(element("div", "")); // which begins anew
    const past = left / 1000 - limit;
    for (const [what, seconds] of [["duration", limit], ["delay", past]]) {
      bar.firstChild.style.setProperty(`animation-${what}`, `${seconds}s`, "important");
    }
    bar.hidden = false;
    bar.classList.toggle("resting", document.hidden);
    document.addEventListener("visibilitychange", () => {
      bar.classList.toggle("resting", document.hidden);
      if (document.hidden) rest();
      else go();
    }, { signal: leaving.signal });
    addEventListener("pagehide", rest, { signal: leaving.signal });
    addEventListener("pageshow", go, { signal: leaving.signal });
    leaving.signal.addEventListener("abort", () => {
      rest();
      Keeping.browser.remove(place);
      bar.hidden = true;
    });
    go();
  }

  function showQuestion() {
    loadedAt = performance.now(); // as jsPsych begins to count
    shownAt = null;
    chosen = [];
    unanswered = "";
    showProgress();
    const above = content()?.querySelector("#jspsych-html-button-response-stimulus");
    const group = content()?.querySelector("#jspsych-html-button-response-btngroup");
    if (!group) { // simulated without being shown
      if (queue.length < 3) ask().catch(refused);
      return;
    }
    const { item } = current;
    const choices = item || isTable || isSlider ? [] : said ?? options(current);
    const hints = choices.length === 2 ? ["←", "→"] : choices.map((_, k) => (said ? "" : k + 1));
    const slots = choices.map((ids, number) => Stimuli.option(ids, number, hints[number]));
    above.append(element("h1", "asked", item ? item.text : texts.question));
    if (anchored && !item) above.append(Stimuli.above(current.shown.slice(0, 1)));
    if (said && !item) above.append(Stimuli.above(current.shown));
    if (kind === "number" && !item) above.append(Answers.ends(texts.scale_low, texts.scale_high));
    let heard = false;
    let late = false;
    let update = null;
    let lacking = "";
    why = element("p", "why");
    why.setAttribute("role", "status");
    if (item || isTable || isSlider) {
      update = (values, reason = "") => {
        chosen = values ?? [];
        lacking = reason;
        enable();
      };
      above.append(item ? Answers.item(item, texts, update)
        : isTable ? Answers.table(told.asking, current, texts, update)
          : Answers.slider(told.asking, texts, update));
      group.classList.add("below");
    } else if (composed(current)) {
      const tiles = element("div", "options");
      tiles.append(...slots);
      above.append(tiles);
      group.classList.add("below");
      group.hidden = !inOrder;
      lacking = inOrder ? open() : "";
      slots.forEach((slot, number) => {
        slot.addEventListener("click", () => choose(slots, number, group));
        slot.firstChild.setAttribute("aria-pressed", "false");
      });
    } else {
      group.classList.add("options");
      if (said) group.classList.add(kind === "number" ? "levels" : "words");
      slots.forEach((slot, number) => {
        const place = group.children[number];
        place.className = "slot";
        place.append(...slot.childNodes);
      });
    }
    // Disabled buttons, and places beside buttons, are no answers.
    content().addEventListener("click", (event) => {
      const button = event.target.closest("button");
      if (button ? button.disabled : event.isTrusted) event.stopPropagation();
    }, { capture: true, signal: leaving.signal });
    const isDead = composed(current) && !group.hidden; // for a while
    if (isDead || content().querySelector("[data-sound]") || told.least_ms >= LONG) group.after(why);
    const skip = told.skip && !item ? element("button", "jspsych-btn skip", texts.skip) : null;
    if (skip) {
      const hint = element("kbd", "");
      hint.dataset.key = SKIP;
      hint.ariaHidden = "true";
      skip.append(hint);
      Object.assign(skip, { type: "button", disabled: true, ariaKeyShortcuts: SKIP });
      skip.addEventListener("click", () => leaveOpen("skipped"));
      content().append(skip);
    }
    content().classList.remove("moved");
    content().addEventListener("pointermove", ({ pointerType, movementX, movementY }) => {
      if (pointerType === "mouse" && (movementX || movementY)) content().classList.add("moved");
    }, { signal: leaving.signal });
    Stimuli.fit();
    const buttons = content().querySelectorAll("button.option");
    let isCounting = !limit || item || simulation;
    function enable() {
      const isSoon = heard && !late && told.least_ms < LONG;
      why.textContent = heard && late || isSoon ? lacking : texts.perceive_first;
      if (!heard || !late) return;
      for (const button of skip ? [...buttons, skip] : buttons) button.disabled = false;
      if (!isCounting) countDown();
      isCounting = true;
      if (update) group.querySelector(".done").disabled = !chosen.length;
    }
    for (const button of buttons) button.disabled = true;
    silence = simulation ? null : Stimuli.play(content(), () => { heard = true; enable(); });
    heard ||= Boolean(simulation);
    handedOverLate = 0;
    const there = performance.now();
    if (queue.length < 3) ask().catch(refused);
    requestAnimationFrame((frame) => {
      // A late frame may have a time before the stimuli were there.
      shownAt = Math.max(frame, there);
      jsPsych.pluginAPI.setTimeout(() => { late = true; enable(); }, told.least_ms);
    });
    const keys = choices.map((_, k) => String(k + 1));
    if (skip) keys.push(SKIP);
    if (choices.length === 2) keys.push("ArrowLeft", "ArrowRight");
    if (choices.length > 9) keys.push("0");
    jsPsych.pluginAPI.getKeyboardResponse({
      valid_responses: keys, persist: true,
      callback_function: ({ key }) => {
        if (key === SKIP) {
          if (!isShortcut) skip.click();
          return;
        }
        const number = { arrowleft: 0, arrowright: 1, 0: 9 }[key.toLowerCase()] ?? key - 1;
        if (!isShortcut && !buttons[number].disabled) buttons[number].click();
      },
    });
    if (simulation && update) {
      chosen = Answers.byLot(told.asking, current);
      group.querySelector(".done").disabled = false;
    } else if (simulation && composed(current)) {
      for (const number of Answers.byLot(told.asking, current)) choose(slots, number, group);
    }
    for (const button of isTable ? group.querySelectorAll(".done") : []) {
      Answers.tapped(button);
      // A key that is held presses nothing, neither here nor for jsPsych.
      button.addEventListener("keydown", (event) => {
        if (event.repeat) { event.preventDefault(); event.stopPropagation(); }
      });
    }
    // In a text, Enter begins a line.
    for (const button of item?.kind === "text" ? [] : group.querySelectorAll(".done")) {
      jsPsych.pluginAPI.getKeyboardResponse({
        valid_responses: ["Enter"], persist: true,
        callback_function: () => {
          // With the focus on an open option, Enter chooses it.
          const focused = document.activeElement.closest(".option, .head, .reading, .skip");
          const isOwn = focused?.matches(".head, .skip"); // with no part in the answer
          (focused && (button.disabled || isOwn) ? focused : button).click();
        },
      });
    }
  }

  // How many options of an order are still to be chosen.
  const open = () => texts.left_open.replace("{n}", current.n_chosen - chosen.length);

  // Chooses an option, or takes it back; the last one enables jsPsych's button.
  function choose(slots, number, group) {
    const full = chosen.length === current.n_chosen;
    if (chosen.includes(number)) chosen = chosen.filter((one) => one !== number);
    else if (!full) chosen.push(number);
    slots.forEach((slot, place) => {
      const rank = chosen.indexOf(place);
      slot.classList.toggle("chosen", rank >= 0);
      slot.firstChild.setAttribute("aria-pressed", String(rank >= 0));
      slot.firstChild.dataset.rank = rank >= 0 && inOrder ? rank + 1 : "";
    });
    const button = group.querySelector("button");
    button.disabled = chosen.length < current.n_chosen;
    why.textContent = inOrder && button.disabled ? open() : "";
    if (!inOrder && !button.disabled && !simulation) button.click();
  }

  let leaving = new AbortController();

  function take(data) {
    leaving.abort();
    leaving = new AbortController();
    silence?.();
    jsPsych.pluginAPI.cancelAllKeyboardResponses();
    if (final) return;
    // In simulations, one question in twenty is skipped.
    if (simulation && told.skip && !current.item && Math.random() < 0.05) unanswered = "skipped";
    else if (data.response !== null) unanswered = "";
    if (unanswered) chosen = unanswered;
    else if (!composed(current)) chosen = [data.response + (kind === "number" ? 1 : 0)];
    // Simulated without being shown.
    else if (!chosen.length) chosen = Answers.byLot(told.asking, current);
    const answer = {
      ...moment(), key: current.key, chosen,
      // jsPsych counts from making the question, a frame before it is seen, to hearing of the
      // response.
      rt_ms: simulation ? data.rt
        : Math.max(0, data.rt - (unanswered === "late" ? 0 : handedOverLate) - ((shownAt ?? loadedAt) - loadedAt)),
      shown_ms: shownAt ?? loadedAt,
      input: unanswered === "late" ? "" : simulation ? "mouse" : input,
    };
    lates = unanswered === "late" ? lates + 1 : 0;
    note.textContent = lates ? texts.time_over : "";
    answered.add(current.key);
    last = { ...current, answer: answer.chosen, unanswered };
    current = null;
    done += 1;
    outbox.put("answer", answer).catch(refused);
  }

  const question = {
    type: jsPsychHtmlButtonResponse, stimulus: "", css_classes: ["question"],
    choices: () => (composed(current) ? [""] : (said ?? options(current)).map(() => "")),
    button_html: () => (composed(current)
      ? '<button type="button" class="jspsych-btn main done" disabled></button>' : "<div></div>"),
    grid_columns: 1, grid_rows: null, post_trial_gap: simulation ? 0 : 150,
    on_load: () => {
      showQuestion();
      for (const button of content()?.querySelectorAll(".done") ?? []) {
        button.textContent = texts.done;
      }
    },
    on_finish: take,
  };

  // After practice: whether the answer was right, and the right one.
  const feedback = page("", texts.continue, {
    css_classes: ["question"],
    on_load: () => {
      const above = content()?.querySelector("#jspsych-html-button-response-stimulus");
      if (!above) return;
      const words = element("div", "feedback");
      words.setAttribute("role", "status");
      const isRight = Answers.agree(told.asking, last.correct, last.answer);
      words.innerHTML = isRight ? texts.right : texts.wrong;
      words.classList.add(isRight ? "right" : "wrong");
      const tiles = element("div", "options");
      options(last).forEach((ids, number) => {
        const slot = Stimuli.option(ids, number, "");
        slot.firstChild.disabled = true;
        const rank = last.correct.indexOf(number);
        slot.classList.toggle("expected", rank >= 0);
        slot.classList.toggle("chosen", last.answer.includes(number));
        if (rank >= 0 && inOrder) slot.firstChild.dataset.rank = rank + 1;
        tiles.append(slot);
      });
      above.append(words);
      if (anchored) above.append(Stimuli.above(last.shown.slice(0, 1)));
      above.append(tiles);
      for (const button of above.querySelectorAll(".replay")) button.remove();
      content().querySelector("#jspsych-html-button-response-btngroup").classList.add("below");
      Stimuli.fit();
    },
  });

  // What is said beside the instructions, also beside an experiment's own.
  const care = [
    told.skip && texts.how_skip.replace("{skip}", texts.skip),
    limit && texts.how_limit.replace("{seconds}", limit),
    (told.skip || limit) && texts.how_unanswered,
  ].filter(Boolean).map((words) => element("p", "", words).outerHTML).join("");

  // The whole -------------------------------------------------------------------------------------

  const call = (func) => ({
    type: jsPsychCallFunction, async: true,
    func: (finish) => {
      const waiting = element("div", "page");
      waiting.id = "waiting";
      content()?.append(waiting);
      func().catch(refused).finally(finish);
    },
  });

  let isPractising = false;
  let isOver = false;

  const timeline = [
    {
      type: jsPsychBrowserCheck, features: ["mobile"],
      inclusion_function: ({ mobile }) => !told.desktop_only || !(
        mobile || !matchMedia("(any-pointer: fine)").matches),
      exclusion_message: () => { final = { name: "desktop_only" }; return ""; },
      simulation_options: { data: { mobile: false } },
    },
    only(() => !person, call(async () => stop("wrong_id"))),
    only(() => !token, page(texts.consent, texts.agree, {
      choices: ["", ""], otherwise: texts.disagree,
      button_html: (_, number) => (
        `<button type="button" class="jspsych-btn ${["main", "other"][number]}"></button>`),
      on_finish: ({ response }) => {
        if (response === 0) happened("consent");
        else stop("declined");
      },
    })),
    call(begin),
    {
      type: jsPsychPreload, show_progress_bar: false, continue_after_error: true,
      ...(isMuch ? {} : everything),
      message: '<div class="page loading"><p></p><progress max="1" value="0"></progress></div>',
      on_load: () => {
        const words = content()?.querySelector(".loading p");
        if (words) words.textContent = texts.loading;
      },
      on_success: () => {
        const bar = content()?.querySelector(".loading progress");
        if (bar) bar.value += 1 / Object.values(everything).flat().length;
      },
      on_finish: ({ success }) => { if (!success) stop("not_loaded"); },
    },
    only(() => !done, {
      type: jsPsychInstructions, css_classes: ["page"],
      pages: texts.instructions.map((html, k) => (
        `<div class="text">${html}${k + 1 < texts.instructions.length ? "" : care}</div>`)),
      on_load: () => {
        readInstructions();
        enterPresses(() => content().querySelector("#jspsych-instructions-next"));
      },
      on_page_change: readInstructions,
      on_finish: () => jsPsych.pluginAPI.cancelAllKeyboardResponses(),
      show_clickable_nav: true, button_label_next: texts.continue,
      button_label_previous: texts.back, allow_backward: texts.instructions.length > 1,
      simulation_options: { data: { rt: 400 } },
    }),
    // After a reload, browsers play sounds only once the page was touched.
    only(() => done && everything.audio.length, page("", texts.continue)),
    {
      timeline: [
        call(async () => {
          last = null;
          current = await nextQuestion();
          isOver = !current;
        }),
        only(() => current?.kind === "practice" && !isPractising,
          page(texts.practice, texts.continue, { on_finish: () => { isPractising = true; } })),
        only(() => current && isPractising && current.kind !== "practice",
          page(texts.practised, texts.continue, { on_finish: () => { isPractising = false; } })),
        only(() => Boolean(current), question),
        only(() => last?.kind === "practice" && last.correct.length && !last.unanswered, feedback),
        // Nobody may be there: questions that only pass are lost.
        only(() => lates >= MOST_LATE && done < all,
          page(texts.still_there, texts.continue, {
            on_finish: () => { lates = 0; note.textContent = ""; },
          })),
        only(() => told.break_every && last && last.kind !== "practice" && done < all
          && done > told.n_before && (done - told.n_before) % told.break_every === 0,
        page(() => texts.break.replace("{done}", done).replace("{all}", all), texts.continue)),
      ],
      loop_function: () => !isOver && !final,
    },
    call(async () => {
      const slow = setTimeout(() => {
        const waiting = document.querySelector("#waiting");
        if (waiting && !waiting.innerHTML) waiting.innerHTML = texts.saving;
      }, 500);
      await outbox.flush();
      const said = await patiently(() => transport.end());
      final = { ...said, name: said.state };
      clearTimeout(slow);
    }),
  ];

  const number = Number(address.get("number") ?? 1);
  const wanted = simulation ? Number(address.get("n") ?? 1) : 1;
  if (simulation || isPreview) {
    const banner = document.querySelector("#banner");
    banner.textContent = simulation ? `${texts.simulated} (${number}/${wanted})` : texts.preview;
    banner.hidden = false;
  }
  if (simulation) await jsPsych.simulate(timeline, simulation);
  else await jsPsych.run(timeline);
  if (number < wanted && final.name === "finished") {
    address.set("number", number + 1);
    location.replace(`?${address}`);
  } else {
    showFinal();
  }
})();
