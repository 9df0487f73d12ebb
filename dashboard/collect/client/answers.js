// Answers and their controls, by kind of question (core/studies/experiment/question.py).
"use strict";

const Answers = (() => {
  // Everything shown but the anchor.
  function options({ is_anchored: anchored, size, step }, shown) {
    const rest = shown.slice(Number(anchored));
    const made = [];
    for (let k = 0; k + size <= rest.length; k += step) made.push(rest.slice(k, k + size));
    return made;
  }

  // Whether two answers are the same; levels, within a fifth of the scale.
  function agree({ answer, in_order: inOrder, levels }, first, second) {
    if (answer === "number") return Math.abs(first[0] - second[0]) <= Math.floor((levels - 1) / 5);
    // The correct ranking may have only its first objects.
    if (inOrder) return first.every((one, rank) => second[rank] === one);
    return [...first].sort().join() === [...second].sort().join();
  }

  // A random answer.
  function byLot(asking, question) {
    const { shown, item } = question;
    const any = (n) => Math.floor(n * Math.random());
    if (item) {
      if (item.kind === "text") return ["…"];
      if (item.kind === "choice") return [any(item.options.length)];
      const low = item.kind === "scale" ? 1 : item.low;
      return [Math.min(item.high, low + any(item.high - low + 1))];
    }
    if (asking.answer === "number") return [1 + any(asking.levels)];
    if (asking.answer === "piles") return shown.map(() => any(Math.max(1, shown.length / 3)));
    if (asking.answer === "positions") {
      return shown.flatMap(() => onTable(2 * Math.random() - 1, 2 * Math.random() - 1));
    }
    const places = options(asking, shown).map((_, k) => k).sort(() => Math.random() - 0.5);
    return places.slice(0, question.n_chosen);
  }

  // The nearest place on a round table of radius 1, rounded.
  function onTable(x, y) {
    const far = Math.max(1, Math.hypot(x, y));
    return [x / far, y / far].map((one) => Math.round(10000 * one) / 10000);
  }

  // Cells of the table of answers (core/studies/experiment/results.py).
  function cells(asking, shown, values, place) {
    const { answer, size, in_order: inOrder } = asking;
    if (typeof values === "string") { // no answer
      if (inOrder) return [[...shown, ...options(asking, shown).flat(), "", ""]];
      const seen = size === 2 ? options(asking, shown).flat() : shown;
      return [[...seen, ...Array(asking.n_chosen ?? 1).fill("")]];
    }
    if (answer === "number") return [[...shown, ...values]];
    if (answer === "words") return [[...shown, 1 - values[0]]];
    if (answer === "piles") return shown.map((id, k) => [id, `${place}.${values[k] + 1}`]);
    if (answer === "positions") return shown.map((id, k) => [id, values[2 * k], values[2 * k + 1]]);
    const all = options(asking, shown);
    if (size === 2) return [[...all.flat(), values[0] + 1]];
    const named = values.map((k) => all[k][0]);
    if (!inOrder) return [[...shown, ...named]];
    const rest = all.flat().filter((_, k) => !values.includes(k));
    return [[...shown, ...named, ...rest, named.length, 1]];
  }

  // The control of a questionnaire's item (core/studies/experiment/items.py). It tells the answer,
  // if there is one, and otherwise why there is none.
  function item(asked, texts, update) {
    const made = Stimuli.element("div", `item ${asked.kind}`);
    const without = () => (asked.required ? update(null, texts.answer_needed) : update([null]));
    without();
    made.append(...{ choice: choices, scale: places, text: writing, number: counting }[asked.kind](
      asked, texts, update, without));
    return made;
  }

  function radios(values, words, update) {
    const { element } = Stimuli;
    return values.map((value, k) => {
      const line = element("label", "");
      const button = element("input", "");
      Object.assign(button, { type: "radio", name: "item", value });
      button.addEventListener("change", () => update([value]));
      line.append(button, element("span", "", words[k]));
      return line;
    });
  }

  function choices({ options: names }, _, update) {
    return radios(names.map((_name, k) => k), names, update);
  }

  // Levels in one row on any screen, below the names of its ends.
  function places({ options: names, high, text }, _, update) {
    const { element } = Stimuli;
    const values = [...Array(high).keys()].map((k) => k + 1);
    const row = element("div", "places");
    row.append(...radios(values, values, update));
    row.setAttribute("role", "radiogroup");
    row.setAttribute("aria-label", `${text} 1: ${names[0]}, ${high}: ${names[1]}`);
    return [ends(...names), row];
  }

  // The names of a scale's ends.
  function ends(low, high) {
    const { element } = Stimuli;
    const made = element("div", "ends");
    made.append(element("span", "", low), element("span", "", high));
    return made;
  }

  const MOST_WRITTEN = 2000; // as in core/studies/experiment/items.py

  function writing({ text }, texts, update, without) {
    const field = Stimuli.element("textarea", "");
    field.setAttribute("aria-label", text);
    field.addEventListener("input", () => {
      // Word processors copy invalid characters.
      const value = field.value.replace(/[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]/gu, " ");
      const over = [...value].length - MOST_WRITTEN;
      if (!value.trim()) without();
      else if (over > 0) update(null, texts.too_long.replace("{n}", over));
      else update([value]);
    });
    return [field];
  }

  // A field for a number that says its range, and what it understood. What may mean two numbers, or
  // has marks between thousands, is asked for.
  function counting({ low, high, text }, texts, update, without) {
    const { element } = Stimuli;
    const shown = (value) => Numbers.shown(value, texts.language);
    const inRange = (words) => words.replace("{low}", shown(low)).replace("{high}", shown(high));
    const field = element("input", "");
    Object.assign(field, {
      type: "text", inputMode: "decimal", autocomplete: "off", enterKeyHint: "done", maxLength: 60,
    });
    const range = element("p", "range", inRange(texts.number_range));
    const said = element("p", "understood");
    range.id = "range";
    said.setAttribute("role", "status");
    field.setAttribute("aria-label", text);
    field.setAttribute("aria-describedby", range.id);

    function understood(value) {
      said.replaceChildren(texts.understood.replace("{number}", shown(value)));
      update([value]);
    }

    function ask(values) {
      said.replaceChildren(...values.map((value) => {
        const button = element("button", "jspsych-btn reading", shown(value));
        button.type = "button";
        button.addEventListener("click", () => understood(value));
        return button;
      }));
      update(null, texts.which_number);
    }

    field.addEventListener("input", () => {
      const { plain, grouped } = Numbers.readings(field.value);
      const isIn = (value) => low <= value && value <= high;
      const values = [...grouped, ...plain].filter(isIn);
      said.replaceChildren();
      const isNumber = plain.length + grouped.length > 0;
      range.classList.toggle("wrong", isNumber && !values.length);
      field.ariaInvalid = String(Boolean(field.value.trim()) && !values.length);
      if (!field.value.trim()) without();
      else if (!isNumber) update(null, texts.not_a_number);
      else if (!values.length) update(null, inRange(texts.out_of_range));
      else if (grouped.some(isIn)) ask(values);
      else understood(values[0]);
    });
    return [field, range, said];
  }

  // A slider without a value until it is touched.
  function slider({ levels }, texts, update) {
    const { element } = Stimuli;
    const range = element("input", "slider untouched");
    Object.assign(range, { type: "range", min: 1, max: levels, step: 1 });
    range.value = Math.round((1 + levels) / 2);
    range.setAttribute("aria-label", `${texts.scale_low} – ${texts.scale_high}`);
    const told = () => {
      range.classList.remove("untouched");
      update([Number(range.value)]);
    };
    for (const kind of ["input", "pointerup"]) range.addEventListener(kind, told);
    update(null, texts.answer_needed);
    return range;
  }

  // Presses a button by a finger at once: browsers take the first tap after a drag for its end.
  function tapped(button) {
    button.addEventListener("touchend", (event) => {
      const { clientX, clientY } = event.changedTouches[0];
      const isOver = document.elementFromPoint(clientX, clientY)?.closest("button") === button;
      if (button.disabled || !isOver || !event.cancelable) return;
      event.preventDefault(); // no second click, which what comes next would get
      button.click();
    });
  }

  // Objects that mouse, finger or keys move from a tray into piles or onto a round table.
  function table(asking, question, texts, update) {
    const { element, box } = Stimuli;
    const isRound = asking.answer === "positions";
    const board = element("div", `board ${isRound ? "arranging" : "sorting"}`);
    const tray = element("div", "tray");
    const area = element("div", isRound ? "round" : "piles");
    const boxes = []; // of piles
    const where = question.shown.map(() => null); // a pile, or a place
    let held = null; // the object that was chosen last

    const things = question.shown.map((id, k) => {
      const thing = element("button", "thing");
      const name = texts.option.replace("{n}", k + 1);
      thing.type = "button";
      thing.append(box(id, name));
      thing.setAttribute("aria-label", Stimuli.nameOf(id) || name);
      thing.addEventListener("focus", () => hold(k));
      thing.addEventListener("pointerdown", (event) => drag(k, event));
      thing.addEventListener("keydown", (event) => press(k, event));
      return thing;
    });
    tray.append(...things);
    board.append(tray, area);
    if (!isRound) addBox();
    told();

    function hold(k) {
      held = k;
      things.forEach((thing, other) => thing.classList.toggle("held", other === k));
    }

    function told() {
      const open = where.filter((one) => one === null).length;
      tray.classList.toggle("empty", !open);
      // Piles are numbered by their beginning, without empty ones.
      const used = boxes.map((_, pile) => pile).filter((pile) => where.includes(pile));
      if (open) update(null, texts.left_open.replace("{n}", open));
      else update(isRound ? where.flat() : where.map((pile) => used.indexOf(pile)));
    }

    function back(k) {
      where[k] = null;
      tray.append(things[k]);
      things[k].focus();
      told();
    }

    function addBox() {
      const pile = boxes.length;
      const made = element("div", "pile");
      const words = texts.pile.replace("{n}", pile + 1);
      const head = element("button", "head", words);
      head.type = "button";
      head.addEventListener("click", () => { if (held !== null) sort(held, pile); });
      tapped(head);
      made.addEventListener("pointerup", ({ target }) => {
        if (held !== null && !target.closest("button")) sort(held, pile);
      });
      made.append(head);
      Object.assign(made, { role: "group", ariaLabel: words }); // which is read with each object
      boxes.push(made);
      area.append(made);
    }

    function sort(k, pile) {
      where[k] = pile;
      boxes[pile].append(things[k]);
      if (pile === boxes.length - 1 && boxes.length < things.length) addBox();
      const next = where.indexOf(null); // so that one number after the other sorts all
      things[next < 0 ? k : next].focus({ preventScroll: true });
      told();
    }

    function arrange(k, x, y) {
      where[k] = onTable(x, y);
      const [left, up] = where[k];
      things[k].style.left = `${50 + 50 * left}%`;
      things[k].style.top = `${50 - 50 * up}%`;
      if (things[k].parentElement !== area) area.append(things[k]);
      things[k].focus({ preventScroll: true });
      told();
    }

    function drop(k, x, y) {
      if (isRound) {
        const round = area.getBoundingClientRect();
        const radius = round.width / 2;
        const off = [(x - round.left) / radius - 1, 1 - (y - round.top) / radius];
        // Places a little over the edge of the table are on it; others are none.
        if (Math.hypot(...off) <= 1.15) arrange(k, ...off);
        else if (where[k] !== null) back(k);
        return;
      }
      const over = document.elementsFromPoint(x, y);
      const pile = boxes.findIndex((one) => over.includes(one));
      if (pile >= 0) sort(k, pile);
      else if (over.includes(tray)) back(k);
    }

    function drag(k, event) {
      if (event.button) return;
      const thing = things[k];
      const start = [event.clientX, event.clientY];
      // A place is the centre of an object, not where the pointer holds it.
      const frame = thing.getBoundingClientRect();
      const off = [frame.left + frame.width / 2 - start[0], frame.top + frame.height / 2 - start[1]];
      let isMoved = false;
      thing.focus({ preventScroll: true });
      thing.setPointerCapture(event.pointerId);
      const over = new AbortController();
      thing.addEventListener("pointermove", ({ clientX, clientY }) => {
        const by = [clientX - start[0], clientY - start[1]];
        isMoved ||= Math.hypot(...by) > 4;
        if (!isMoved) return;
        thing.classList.add("dragged");
        thing.style.translate = `${by[0]}px ${by[1]}px`;
      }, { signal: over.signal });
      for (const kind of ["pointerup", "pointercancel"]) {
        thing.addEventListener(kind, ({ clientX, clientY }) => {
          over.abort();
          thing.classList.remove("dragged");
          thing.style.translate = "";
          if (!isMoved || kind === "pointercancel") return;
          if (isRound) drop(k, clientX + off[0], clientY + off[1]);
          else drop(k, clientX, clientY);
        }, { signal: over.signal });
      }
    }

    function press(k, event) {
      const steps = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
      const { key } = event;
      if (event.altKey || event.ctrlKey || event.metaKey) return;
      if (key in steps) {
        event.preventDefault(); // the page does not scroll
        if (!isRound) {
          const all = [...board.querySelectorAll(".thing")];
          const to = all.indexOf(things[k]) + steps[key][0] - steps[key][1];
          all[Math.max(0, Math.min(all.length - 1, to))].focus();
        } else if (where[k] === null) {
          arrange(k, 0, 0);
        } else {
          const by = event.shiftKey ? 0.01 : 0.05;
          arrange(k, where[k][0] + by * steps[key][0], where[k][1] + by * steps[key][1]);
        }
      } else if (key === "Backspace" || key === "Delete" || key === "0") {
        if (where[k] !== null) back(k);
      } else if (key === "Enter" || key === " ") {
        // The last one leads to the button, which another press presses.
        event.preventDefault();
        event.stopPropagation();
        const next = where.indexOf(null);
        (next < 0 ? document.querySelector(".done") : things[next]).focus();
      } else if (!isRound && /^[1-9]$/.test(key) && boxes[key - 1]) {
        sort(k, key - 1);
      }
    }

    return board;
  }

  return { options, agree, byLot, cells, ends, item, slider, table, tapped };
})();
