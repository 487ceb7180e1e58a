// Tours on the page: a card that shows one step at a time and goes on when it has been done.

import type { App } from "../app";
import { button, h, visible } from "../panels/dom";
import { icon } from "../panels/icons";
import { brakeHose } from "./brake-hose";
import { controlUnit } from "./control-unit";
import { pull } from "./pull";
import { pushAside } from "./push-aside";
import { ring } from "./ring";
import { thread } from "./thread";
import type { Tour, TourState } from "./tour";

export const TOURS: Tour[] = [brakeHose, controlUnit, ring, pushAside, thread, pull];

/** So long a step that is done is shown before the next one comes, ms. */
const PAUSE = 1400;
/** So long a person reads a step that was done when it came, ms. */
const READING = 7000;

export function mountTours(app: App, place: HTMLElement): void {
  const asked = new URLSearchParams(location.search).get("tour");
  const tour = TOURS.find((each) => each.name === asked);
  if (tour) new Guide(app, place, tour);
}

class Guide {
  private at = 0;
  private finished = false;
  private since = performance.now();
  private did: { verb: string; changes: string[] }[] = [];
  private before: TourState["scene"] | null = null;
  private holding = false;
  private timer = 0;
  private readonly off: (() => void)[];
  private readonly card = h("section", { class: "tour", id: "tour", "aria-live": "polite" });

  constructor(private readonly app: App, place: HTMLElement, private readonly tour: Tour) {
    place.append(this.card);
    const look = (): void => this.look();
    /** Panels are built anew then, and with them what is marked. */
    const rebuilt = (): void => {
      this.look();
      this.point(this.tour.steps[this.at]?.point ?? null);
    };
    this.off = [
      app.on("scene", rebuilt), app.on("calm", look), app.on("selection", rebuilt), app.on("findings", look),
      app.on("did", ({ verb, changes }) => {
        this.did.push({ verb, changes });
        this.look();
      }),
      app.on("clients", ({ hands }) => {
        this.holding = hands.some((hand) => hand.client === app.server.client);
        this.look();
      }),
    ];
    this.show();
  }

  private state(): TourState | null {
    const { scene, frame, findings, selection } = this.app;
    if (!scene) return null;
    this.before ??= scene;
    return { scene, before: this.before, frame: frame?.revision === scene.revision ? frame : null, findings, selection, holding: this.holding, did: this.did };
  }

  private look(): void {
    const state = this.state();
    if (!state || this.finished || !this.tour.steps[this.at]?.done?.(state)) return;
    this.finished = true;
    this.card.classList.add("done");
    const read = performance.now() - this.since;
    this.timer = window.setTimeout(() => this.go(this.at + 1), Math.max(PAUSE, READING - read * 4));
  }

  private go(to: number): void {
    window.clearTimeout(this.timer);
    this.at = Math.max(0, to);
    this.finished = false;
    this.did = [];
    this.before = this.app.scene;
    this.since = performance.now();
    this.show();
    this.look();
  }

  private end(): void {
    window.clearTimeout(this.timer);
    for (const off of this.off) off();
    this.point(null);
    this.card.remove();
    const query = new URLSearchParams(location.search);
    query.delete("tour");
    history.replaceState(null, "", `?${query.toString()}`);
  }

  private show(): void {
    const { steps, title } = this.tour;
    const step = steps[this.at];
    this.card.classList.remove("done");
    const close = button("close", "Leave the tour", () => this.end());
    if (!step) {
      this.point(null);
      this.card.replaceChildren(
        h("header", {}, icon("tick"), h("b", {}, "That was the tour"), close),
        h("p", {}, `“${title}” is done. Go on as you like: this is a scene like any other, and the gallery has more.`),
        h("footer", {}, button(null, "Back", () => this.go(steps.length - 1), { text: "Back" }), button(null, "Close", () => this.end(), { text: "Close", kind: "primary" })));
      return;
    }
    const back = button(null, "Back", () => this.go(this.at - 1), { text: "Back" });
    visible(back, this.at > 0);
    this.card.replaceChildren(
      h("header", {}, icon("tour"), h("b", {}, step.title), h("span", { class: "quiet" }, `${this.at + 1} of ${steps.length}`), close),
      h("p", {}, step.text),
      h("div", { class: "tour-done" }, icon("tick"), "Done"),
      h("footer", {}, back, button(null, step.done ? "Go on without doing it" : "Go on", () => this.go(this.at + 1), { text: step.done ? "Skip" : "Next", kind: step.done ? "" : "primary" })));
    this.point(step.point ?? null);
    if (step.fit) this.app.emit("camera", "fit");
  }

  /** What to press is marked. */
  private point(selector: string | null): void {
    for (const marked of document.querySelectorAll(".tour-point")) marked.classList.remove("tour-point");
    if (selector) document.querySelector(selector)?.classList.add("tour-point");
  }
}
