// One line above the view: what a person must know now, or may do first.

import type { App, Tool } from "../app";
import type { Frame } from "../frame";
import type { SceneView } from "../protocol";
import { short } from "./legend";

/** What to click next. */
export function nextClick(tool: Tool): string {
  switch (tool.name) {
    case "select":
      return "";
    case "cable":
      return tool.from === undefined
        ? "New cable: click what it begins in – a port, connector, junction, clip, eye or bead.  Esc ends it."
        : `From “${tool.from}”: now click what it ends in.  Esc ends it.`;
    case "measure":
      return "Click two points to measure between them.  Esc ends it.";
    case "clip":
      return "Click a cable where it is to be held.  Esc ends it.";
    case "port":
      return "Click the surface of an obstacle: a port is put there, square to it.  Esc ends it.";
    case "eye":
      return "Select a cable, then click the surface of an obstacle: the cable slides through an eye there.  Esc ends it.";
    case "obstacle":
      return "Click the surface of an obstacle: a post is put there, square to it.  Esc ends it.";
    case "flexible":
      return tool.from === undefined
        ? `Click “${tool.obstacle}” where the flexible stretch begins; rings are its ends and branches.  Esc ends it.`
        : `Now click where the stretch of “${tool.obstacle}” ends.  Esc ends it.`;
    case "cut":
      return "Click a cable where it is to be cut.  Esc ends it.";
    case "branch":
      return "Click a cable where another is to leave it.  Esc ends it.";
    case "lengthen":
      return tool.cable === undefined
        ? "Click a place on a cable: the piece from there to a second place changes its length.  Esc ends it."
        : `Now click a second place on “${tool.cable}”.  Esc ends it.`;
  }
}

/** What to do first, for somebody who has not pulled a cable yet. */
export function invitation(scene: Pick<SceneView, "cables" | "single">): string {
  const [cable, more] = scene.cables;
  if (!cable) return "";
  // A ring cannot be pulled at a point.
  if (scene.single && cable.to === "start") return `Click “${cable.name || "the ring"}”, then wind it up on the right: “+1” is one turn.`;
  const what = more ? "any cable" : cable.name ? `“${cable.name}”` : "the cable";
  return `Pull ${what} anywhere: it follows your hand, and springs back when you let go.`;
}

/** Kept in the browser: whoever has pulled once knows how. */
const PULLED = "flexline.pulled";

export class Hud {
  private frame: Frame | null = null;

  constructor(private readonly app: App, private readonly root: HTMLElement) {
    app.on("tool", () => this.show());
    app.on("connection", () => this.show());
    app.on("scene", () => this.show());
    app.on("clients", ({ hands }) => {
      if (!hands.some((hand) => hand.client === app.server.client)) return;
      localStorage.setItem(PULLED, "yes");
      this.show();
    });
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
    } else if (app.tool.name !== "select") text = nextClick(app.tool);
    else if (app.scene?.mode === "statics" && !localStorage.getItem(PULLED) && !document.getElementById("tour")) text = invitation(app.scene);
    if (root.textContent !== text) root.textContent = text;
    root.classList.toggle("bad", bad);
  }
}
