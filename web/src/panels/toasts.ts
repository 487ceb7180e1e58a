// Sentences for the person: in the view, where the eyes are, and transparent for the pointer; gone after a while, errors
// later than others.

import type { App } from "../app";
import { button, h } from "./dom";
import { icon } from "./icons";
import { sentence } from "./sentence";

const MOST = 4;

export function mountToasts(app: App, place: HTMLElement): void {
  document.getElementById("view")?.append(place);
  app.on("notice", ({ message: told, kind }) => {
    const message = sentence(told);
    const same = [...place.children].find((each) => each.querySelector("span")?.textContent === message);
    same?.remove();
    const toast = h("div", { class: `toast ${kind}` },
      icon(kind === "error" ? "warning" : kind === "good" ? "tick" : "help"), h("span", {}, message),
      button("close", "Close", () => toast.remove()));
    place.append(toast);
    while (place.children.length > MOST) place.firstElementChild?.remove();
    const life = (kind === "error" ? 9000 : 4500) + 30 * message.length;
    window.setTimeout(() => toast.remove(), life);
  });
  app.on("did", ({ client, changes, status }) => {
    if (client !== app.server.client && changes.length > 0) app.notice(`Another person: ${changes.join("; ")}`);
    else if (status && /short|conflict|infeasible|folded|slipped|wound up/.test(status)) app.notice(status, "error");
  });
  let lost = false;
  app.on("connection", (state) => {
    if (state === "lost" && !lost) app.notice("The connection to the studio is lost. It is tried again; nothing that was answered is lost.", "error");
    if (state === "open" && lost) app.notice("Connected again.", "good");
    lost = state !== "open";
  });
}
