// client/transport.js without a server of ours: questions come from lists in data.js, and answers
// go to the place of the ZIP, as rows of TripletScope's table.
"use strict";

window.Elsewhere = (() => {
  const {
    told, lists, items, columns, sources, kinds, aboutObjects, sending, address, code,
    returnAddress,
  } = window.COLLECT;
  const query = new URLSearchParams(location.search);
  let person, parameters, isSimulated, mine, pavlovia;
  let isTakenOver = false;

  const place = () => `here ${person}`;
  const keep = () => { if (!isSimulated) Keeping.browser.set(place(), mine); };

  // Questions in lists are [kind, source, objects, right answer].
  const questions = (number) => [
    ...items.before.map((item) => ({ item, kind: "before" })),
    ...lists[number].map(([kind, source, shown, correct]) => ({
      kind: kinds[kind], source: sources[source], correct,
      shown: shown.map((object) => told.objects[object].id), n_chosen: told.n_chosen,
    })),
    ...items.after.map((item) => ({ item, kind: "after" })),
  ].map((question, k) => (
    { shown: [], correct: [], source: "questionnaire", key: `q${k + 1}`, ...question }));

  // One tab at a time, where the browser can tell: two would ask a person the same questions.
  const claimed = (how) => new Promise((resolve) => {
    if (isSimulated || !navigator.locks) resolve(true);
    else {
      navigator.locks.request(`${location.pathname} ${told.log} ${person}`, how, (lock) => {
        resolve(Boolean(lock));
        return lock && new Promise(() => {}); // until the page goes
      }).catch((error) => {
        isTakenOver ||= error.name === "AbortError";
        resolve(true); // a page from a disk may not use locks
      });
    }
  });
  async function claim(over) {
    if (over) return claimed({ steal: true });
    // A page that is being reloaded may still have the lock.
    for (let tries = 0; tries < 10; tries++) {
      if (await claimed({ ifAvailable: true })) return true;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    return false;
  }
  function hold() {
    if (isTakenOver) throw new Refused("Another tab has taken over.", "elsewhere");
  }

  // The list in the address, from 1; else the next one of this machine, or a random one.
  function whichList() {
    const asked = Number(query.get("list"));
    if (Number.isInteger(asked) && asked >= 1) return (asked - 1) % lists.length;
    if (sending !== "file") return Math.floor(Math.random() * lists.length);
    const next = Keeping.browser.get("next list") ?? 0;
    if (!isSimulated) Keeping.browser.set("next list", next + 1);
    return next % lists.length;
  }

  // Rows of the table, one for each object on a table; new columns come last.
  function rowsOf(answer) {
    const all = questions(mine.list);
    const number = all.findIndex((question) => question.key === answer.key);
    const { kind, source, shown, correct, item } = all[number];
    const [value] = answer.chosen;
    // Answers to items have two columns, in experiments with items.
    const asked = items.before.length + items.after.length > 0 && {
      item_name: item?.name ?? "",
      item_answer: item ? item.options[item.kind === "choice" ? value : -1] ?? value ?? "" : "",
    };
    const why = typeof answer.chosen === "string" ? answer.chosen : "";
    const care = told.skip || told.time_limit ? [why] : [];
    const cells = item ? [columns.slice(5, -6 - care.length).map(() => "")]
      : Answers.cells(told.asking, shown, answer.chosen, number + 1);
    return cells.map((some, place) => {
      const values = [
        person, number + 1, item ? "item" : told.task, kind, source, ...some, ...care,
        correct.length && !why ? Number(Answers.agree(told.asking, correct, answer.chosen)) : "",
        answer.rt_ms, new Date(answer.clock_ms).toISOString(), answer.shown_ms, answer.input,
        answer.key,
      ];
      return {
        ...Object.fromEntries(columns.map((column, k) => [column, values[k]])),
        id: cells.length > 1 ? `${answer.id}-${place + 1}` : answer.id,
        list: mine.list + 1, code: mine.code, began: mine.began, ...mine.device, ...asked,
        ...parameters,
      };
    });
  }

  // Spreadsheets run texts that look like formulas; marked as in core/data/cells.py.
  function marked(value) {
    const isFormula = /^'*[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/.test(value)
      && !/^'*[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(value);
    return isFormula ? `'${value}` : String(value);
  }

  function asCsv(rows) {
    const names = Object.keys(rows[0] ?? {});
    const cell = (value) => (/[",\n\r]/.test(value) ? `"${marked(value).replace(/"/g, '""')}"`
      : marked(value));
    return [names, ...rows.map((one) => names.map((name) => one[name] ?? ""))]
      .map((line) => line.map(cell).join(",")).join("\r\n") + "\r\n";
  }

  const toPavlovia = (command) => new Promise((resolve, reject) => {
    const errorCallback = () => reject(new NoConnection("pavlovia"));
    pavlovia.trial(null, { command, errorCallback }).then(resolve, errorCallback);
  });

  // Where rows go; the browser keeps those that can only be sent at the end.
  const ways = {
    file: { keeps: true },
    post: {
      async send(rows) {
        // A server on another host gets plain text without a preflight request.
        const response = await fetch(address, {
          method: "POST", headers: { "Content-Type": "text/plain" }, body: JSON.stringify(rows),
        }).catch(() => null);
        if (!response?.ok) throw new NoConnection(address);
      },
    },
    jatos: {
      begin: () => new Promise((resolve) => { jatos.onLoad(resolve); }),
      async send(rows) {
        try {
          await jatos.appendResultData(`${JSON.stringify(rows)}\n`);
        } catch {
          throw new NoConnection("jatos");
        }
      },
      // Without JATOS's last page: ours has the code and the way back.
      end: () => (jatos.endStudyWithoutRedirect ?? jatos.endStudyAjax).call(jatos),
    },
    pavlovia: {
      keeps: true,
      async begin() {
        pavlovia = new jsPsychPavlovia({
          data: { get: () => ({ csv: () => asCsv(mine.rows) }) },
          finishTrial() {}, getDisplayElement: () => document.createElement("div"),
        });
        await toPavlovia("init");
      },
      end: () => toPavlovia("finish"),
    },
  };
  const way = ways[sending];

  function download() {
    const link = document.createElement("a");
    const file = new Blob([asCsv(mine.rows)], { type: "text/csv" });
    link.href = URL.createObjectURL(file);
    link.download = `answers-${person.replace(/[^\w-]+/g, "_").slice(0, 60)}.csv`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60000);
  }

  function nextPerson() {
    Keeping.browser.remove("person");
    location.reload();
  }

  // Who left all questions about objects open has no code, as on our server.
  const farewell = () => ({
    ...(mine.isEmpty ? { state: "unanswered" } : {
      state: "finished", code: isSimulated ? "SIMULATED" : mine.code,
      address: returnAddress.replace("{code}", encodeURIComponent(mine.code)),
    }),
    ...(sending === "file" && { buttons: [
      [told.texts.download, download], [told.texts.next_person, nextPerson]] }),
  });

  return {
    async load() {
      await way.begin?.();
      return told;
    },

    // JATOS hides the address of participants from the page.
    parameters: () => (sending === "jatos" ? jatos.urlQueryParameters ?? {} : {}),

    async begin(about) {
      ({ person, parameters, simulated: isSimulated } = about);
      if (!await claim(about.take_over)) return { state: "elsewhere", token: "here", done: 0, left: 0 };
      mine = (!isSimulated && Keeping.browser.get(place())) || {
        list: whichList(), answered: [], rows: [], ended: false, isEmpty: true,
        code: code || Keeping.uuid().slice(0, 8).toUpperCase(), began: new Date().toISOString(),
        device: {
          window: `${about.device.width} × ${about.device.height}`, touch: about.device.touch,
          browser: about.device.agent,
        },
      };
      keep();
      const done = mine.answered.length;
      if (mine.ended) return { ...farewell(), done, left: 0 };
      const left = questions(mine.list).length - done;
      return { state: done ? "going_on" : "new", token: "here", done, left };
    },

    async next(have) {
      const open = questions(mine.list).filter(({ key }) => !mine.answered.includes(key));
      return {
        state: "going_on", left: open.length,
        questions: open.filter(({ key }) => !have.includes(key)).slice(0, 5),
      };
    },

    async send(answers, events) {
      hold();
      // The first answer to a question counts, also of two tabs.
      const given = answers.filter(({ key }, place) => !mine.answered.includes(key)
        && answers.findIndex((one) => one.key === key) === place);
      const rows = given.flatMap(rowsOf);
      if (!isSimulated && rows.length) await way.send?.(rows);
      if (way.keeps) mine.rows.push(...rows);
      mine.answered.push(...given.map(({ key }) => key));
      const about = questions(mine.list).filter(({ kind }) => aboutObjects.includes(kind));
      mine.isEmpty &&= !given.some(({ key, chosen }) => typeof chosen !== "string"
        && about.some((question) => question.key === key));
      keep();
      return {
        done: [...answers, ...events].map(({ id }) => id), state: null,
        left: questions(mine.list).length - mine.answered.length,
      };
    },

    async end() {
      hold();
      if (!isSimulated) await way.end?.();
      mine.ended = true;
      keep();
      if (sending === "file" && !isSimulated) download();
      return farewell();
    },

    // The browser keeps unsent rows, and sends them when the page is opened again.
    leave() {},
  };
})();
