// What was done, by whom; undo and redo.

import type { App } from "../app";
import { button, h } from "./dom";

interface Done {
  client: number;
  verb: string;
  changes: string[];
  time: Date;
}

const MOST = 500;

export function mountHistory(app: App, place: HTMLElement): void {
  const all: Done[] = [];
  const list = h("ol", { class: "history" });
  const counts = h("span", { class: "quiet" });
  app.on("did", ({ client, verb, changes }) => {
    const done: Done = { client, verb, changes, time: new Date() };
    all.push(done);
    list.prepend(row(app, done));
    while (all.length > MOST) {
      all.shift();
      list.lastElementChild?.remove();
    }
  });
  app.on("scene", (scene) => {
    counts.textContent = `${scene.undo} to undo · ${scene.redo} to redo`;
  });
  place.append(
    h("div", { class: "panel-tools" },
      button("undo", "Undo (Ctrl+Z)", () => void app.ask("undo"), { text: "Undo" }),
      button("redo", "Redo (Ctrl+Y)", () => void app.ask("redo"), { text: "Redo" }),
      button("history", "Back to the scene the session began with; this can be undone too", () => void app.ask("revert"), { text: "Begin again" })),
    counts, list);
}

function row(app: App, done: Done): HTMLElement {
  const who = done.client === app.server.client ? "you" : `person ${done.client}`;
  return h("li", { class: done.client === app.server.client ? "" : "other" },
    h("b", {}, done.verb.replaceAll("-", " ")), h("small", {}, `${who}, ${done.time.toLocaleTimeString()}`),
    ...done.changes.map((change) => h("p", {}, change)));
}
