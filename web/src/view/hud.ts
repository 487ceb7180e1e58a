// One line above the view: what a person must know now.

import type { App } from "../app";
import type { Frame } from "../protocol";
import { short } from "./legend";

const TOOLS: Record<string, string> = {
  cable: "Click what the cable begins in, then what it ends in.  Esc ends it.",
  measure: "Click two points to measure between them.  Esc ends it.",
  clip: "Click a cable where it is to be held.  Esc ends it.",
  cut: "Click a cable where it is to be cut.  Esc ends it.",
  branch: "Click a cable where another is to leave it.  Esc ends it.",
  lengthen: "Click two places on a cable: the piece between them changes its length.  Esc ends it.",
};

export class Hud {
  private frame: Frame | null = null;

  constructor(private readonly app: App, private readonly root: HTMLElement) {
    app.on("tool", () => this.show());
    app.on("connection", () => this.show());
    app.on("scene", () => this.show());
  }

  update(frame: Frame): void {
    this.frame = frame;
    this.show();
  }

  private show(): void {
    const { app, root } = this;
    let text = "";
    let bad = false;
    const trailer = this.frame?.trailer;
    if (app.connection === "lost" && app.scene) {
      text = "The server cannot be reached. It is tried again; nothing that was done is lost.";
      bad = true;
    } else if (trailer && trailer.short.length > 0) {
      text = trailer.short
        .map(({ cable, missing }) => `"${cable || "the cable"}" is ${short(missing * 1000)} mm too short`)
        .join(", ");
      bad = true;
    } else if (app.tool.name !== "select") text = TOOLS[app.tool.name] ?? "";
    if (root.textContent !== text) root.textContent = text;
    root.classList.toggle("bad", bad);
  }
}
