// The page's requests to the server of an experiment; client/elsewhere.js works without one.
"use strict";

class NoConnection extends Error {}
// The server ends this page, with a page of text.
class Refused extends Error {
  constructor(why, page) {
    super(why);
    this.page = page || "wrong_address";
  }
}

const Server = {
  async load() {
    return (await this.request("experiment.json")).json();
  },

  async begin(about) {
    const begun = await this.post("begin", about);
    this.about = { token: begun.token ?? about.token, tab: about.tab };
    return begun;
  },

  next(have) {
    return this.post("next", { ...this.about, have });
  },

  // Ids that were stored or refused: none is sent again.
  async send(answers, events) {
    const done = [];
    let state = null;
    let left = null;
    if (answers.length) {
      const said = await this.post("answers", { ...this.about, answers });
      done.push(...said.stored, ...said.refused.map((one) => one.id));
      ({ state, left } = said);
    }
    if (events.length) {
      const said = await this.post("events", { ...this.about, events });
      done.push(...events.map((one) => one.id));
      state = said.state;
    }
    return { done, state, left };
  },

  end() {
    return this.post("end", this.about);
  },

  // Sends the rest as the page closes, and that it closes, so that another tab may go on.
  leave(answers, event) {
    for (const [path, body] of [
      ["answers", answers.length && { answers }], ["events", { events: [event] }]]) {
      if (body) this.request(path, { ...this.about, ...body }, true).catch(() => {});
    }
  },

  async post(path, body) {
    return (await this.request(path, body)).json();
  },

  // Relative addresses, so that the experiment may live below any path of a proxy.
  async request(path, body, keepalive = false) {
    const patience = new AbortController();
    const timer = setTimeout(() => patience.abort(), 15000);
    let response;
    try {
      response = await fetch(path, {
        keepalive, cache: "no-store", signal: patience.signal,
        ...(body && {
          method: "POST", headers: { "Content-Type": "application/json" },
          body: JSON.stringify(body),
        }),
      });
    } catch {
      throw new NoConnection(path);
    } finally {
      clearTimeout(timer);
    }
    if (response.ok) return response;
    // Too many requests at once, or a server or proxy that is starting.
    if (response.status >= 500 || response.status === 408 || response.status === 429) {
      throw new NoConnection(path);
    }
    const said = await response.json().catch(() => ({}));
    throw new Refused(said.why ?? String(response.status), said.state);
  },
};
