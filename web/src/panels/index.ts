// Everything around the view.

import "../style/controls.css";
import "../style/properties.css";
import "../style/below.css";
import "../style/overlays.css";
import type { App } from "../app";
import { mountKeyboard } from "../help/keys";
import { mountTours } from "../tours";
import { mountChecks } from "./checks";
import { h } from "./dom";
import { mountDropping } from "./exchange";
import { mountHistory } from "./history";
import { mountPlots } from "./plots";
import { mountProperties } from "./properties";
import { mountStatus } from "./status";
import { mountTheme } from "./theme";
import { mountTimeline } from "./timeline";
import { mountToasts } from "./toasts";
import { mountToolbar } from "./toolbar";
import { mountTools } from "./tools";
import { mountTree } from "./tree";

function place(id: string): HTMLElement {
  const found = document.getElementById(id);
  if (!found) throw new Error(`The page has no #${id}.`);
  return found;
}

export function mountPanels(app: App): void {
  mountToasts(app, place("toasts"));
  mountTheme(app);
  mountToolbar(app, place("toolbar"));
  mountLeft(app, place("tree"));
  mountProperties(app, place("properties"));
  mountPlots(app, place("plots"));
  mountTimeline(app, place("timeline"));
  mountStatus(app, place("status"));
  mountTools(app);
  mountKeyboard(app);
  mountDropping(app);
  mountTours(app, place("view"));
}

/** Left: the scene or its history, and the checks below. */
function mountLeft(app: App, left: HTMLElement): void {
  const scene = h("section", { class: "tab-body", id: "scene-tab" });
  const history = h("section", { class: "tab-body", id: "history-tab", hidden: true });
  const checks = h("section", { class: "checks", id: "checks" });
  const tabs = [{ text: "Scene", body: scene }, { text: "History", body: history }].map(({ text, body }, index, all) =>
    h("button", { type: "button", role: "tab", "aria-selected": index === 0 ? "true" : "false", on: { click: () => {
      for (const [other, each] of all.entries()) {
        each.body.hidden = each.body !== body;
        tabs[other]?.setAttribute("aria-selected", each.body === body ? "true" : "false");
      }
    } } }, text));
  left.append(h("div", { class: "tabs", role: "tablist" }, ...tabs), scene, history, checks);
  mountTree(app, scene);
  mountHistory(app, history);
  mountChecks(app, checks);
}
