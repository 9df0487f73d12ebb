// Data in the browser: the participant, and answers without acknowledgement.
"use strict";

const Keeping = (() => {
  // One for each log: consent to one experiment is not consent to the next at the same address.
  let place = `tripletscope ${location.pathname} `;
  function of(log) {
    place = `tripletscope ${location.pathname} ${log} `;
  }

  // Where storage is blocked, the page's entry in the tab's history survives a reload.
  let kept = history.state?.kept ?? {};
  const entry = () => ({ ...history.state, kept });
  const inHistory = {
    getItem: (name) => kept[name] ?? null,
    setItem(name, value) {
      kept = { ...kept, [name]: value };
      history.replaceState(entry(), "");
    },
    removeItem(name) {
      delete kept[name];
      history.replaceState(entry(), "");
    },
    names: () => Object.keys(kept),
  };

  // Another entry of the same page, so that the button "back" does not leave it.
  function stay() {
    history.pushState(entry(), "");
  }

  function usable(kind) {
    try {
      const storage = window[kind];
      storage.setItem(`${place}?`, "");
      storage.removeItem(`${place}?`);
      return storage;
    } catch {
      return null;
    }
  }

  function shelf(storage) {
    // Values for a full storage, while the page is open.
    const unwritten = new Map();
    return {
      get(name) {
        const text = unwritten.get(name) ?? storage.getItem(place + name);
        try {
          return text === null ? null : JSON.parse(text);
        } catch {
          return null;
        }
      },
      set(name, value) {
        const text = JSON.stringify(value);
        try {
          storage.setItem(place + name, text);
          unwritten.delete(name);
        } catch {
          unwritten.set(name, text);
        }
      },
      remove(name) {
        unwritten.delete(name);
        try {
          storage.removeItem(place + name);
        } catch {
          // Some browsers limit changes of the entry; the next change writes it, too.
        }
      },
      names(start) {
        const written = (storage.names?.() ?? Object.keys(storage))
          .filter((name) => name.startsWith(place)).map((name) => name.slice(place.length));
        return [...new Set([...written, ...unwritten.keys()])]
          .filter((name) => name.startsWith(start));
      },
    };
  }

  const lasting = usable("localStorage");
  const ofTab = usable("sessionStorage");
  const browser = shelf(lasting ?? inHistory);
  const tab = shelf(ofTab ?? inHistory);

  // crypto.randomUUID is missing where the address is neither https nor this machine.
  function uuid() {
    const bytes = crypto.getRandomValues(new Uint8Array(16));
    bytes[6] = (bytes[6] & 0x0f) | 0x40;
    bytes[8] = (bytes[8] & 0x3f) | 0x80;
    const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
    return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
  }

  // The normal spelling of a participant's id (core/studies/experiment/participant.py), if it is
  // valid.
  function participantId(given) {
    const id = given.normalize("NFKC").replace(/(?!\p{Cn})[\p{Cf}\p{DI}]/gu, "")
      .replace(/[\s\x1c-\x1f\x85]+/g, " ").trim().normalize("NFKC");
    const isText = id && [...id].length <= 200 && !/\p{C}/u.test(id);
    const isAnother = /^".*"$|^[+-]?[0-9]+\.0+$/.test(id)
      || /^(na|n\/a|nan|null|none|<na>|nil|undefined|anonymous [0-9]+)$/i.test(id);
    return isText && !isAnother ? id : null;
  }

  // The id of a tab survives a reload, but not a copy of the tab: it is stored while the page
  // closes, and removed when it opens.
  function tabId() {
    const id = tab.get("tab") ?? uuid();
    if (!ofTab) {
      tab.set("tab", id);
      return id;
    }
    const takeUp = () => tab.remove("tab");
    takeUp();
    addEventListener("pagehide", () => tab.set("tab", id));
    addEventListener("pageshow", (event) => event.persisted && takeUp());
    return id;
  }

  return { of, browser, uuid, participantId, tabId, stay, lasts: lasting !== null };
})();

// Records without acknowledgement; they leave it once they are stored elsewhere.
class Outbox {
  // send(answers, events) returns the ids that are done; it throws without a connection.
  constructor(person, send, told) {
    this.start = `out ${JSON.stringify(person)} `; // never a prefix of another person's
    this.send = send;
    this.told = told; // of whether there is a connection
    this.wait = 0;
    this.busy = null;
    this.ended = false;
    addEventListener("online", () => this.retry());
    addEventListener("beforeunload", (event) => {
      // A reload finds the records again; without storage, closing the tab would lose them.
      if (!Keeping.lasts && this.records("answer").length) event.preventDefault();
    });
  }

  put(kind, record) {
    const name = `${this.start}${kind} ${record.id}`;
    Keeping.browser.set(name, record);
    return this.flush();
  }

  records(kind) {
    return Keeping.browser.names(`${this.start}${kind} `)
      .map((name) => Keeping.browser.get(name)).filter(Boolean)
      .sort((a, b) => a.clock_ms - b.clock_ms || a.at_ms - b.at_ms);
  }

  // The records of one request.
  batch(kind) {
    let room = 20000; // characters, of up to three bytes
    return this.records(kind).slice(0, 100).filter((record, place) => {
      room -= JSON.stringify(record).length;
      return room > 0 || !place;
    });
  }

  get keys() {
    return this.records("answer").map((record) => record.key);
  }

  flush() {
    this.more = true;
    this.busy ??= (async () => {
      try {
        while (this.more) {
          this.more = false;
          await this.empty();
        }
      } finally {
        this.busy = null;
      }
    })();
    return this.busy;
  }

  async empty() {
    while (!this.ended) {
      const answers = this.batch("answer");
      const events = this.batch("event");
      if (!answers.length && !events.length) return;
      try {
        for (const id of await this.send(answers, events)) {
          Keeping.browser.remove(`${this.start}answer ${id}`);
          Keeping.browser.remove(`${this.start}event ${id}`);
        }
        this.wait = 0;
        this.told(true);
      } catch (error) {
        if (!(error instanceof NoConnection)) { this.ended = true; throw error; }
        this.told(false);
        await this.pause();
      }
    }
  }

  // One second, then twice as long each time up to half a minute, with random variation.
  pause() {
    this.wait = Math.min(30000, Math.max(1000, this.wait * 2));
    return new Promise((resolve) => {
      this.retry = () => { clearTimeout(timer); resolve(); };
      const timer = setTimeout(resolve, this.wait * (0.75 + Math.random() / 2));
    });
  }

  retry() {}
}
