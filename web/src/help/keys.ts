// The keyboard: one table for the handler and for the help.

import type { App, CameraView } from "../app";
import { dirty, typing } from "../panels/dom";
import { finish, nudge, type Way } from "../panels/nudge";
import { remove } from "../panels/remove";
import { save, saveAs } from "../panels/save";
import { toggleTheme } from "../panels/theme";
import { play, stepOnce } from "../panels/timeline";
import { TOOLS } from "../panels/tools";
import { openHelp } from "./help";

export interface Shortcut {
  /** As `event.key`, lower case; with `mod+` and `shift+` before it. */
  keys: string[];
  text: string;
  group: "Scene" | "Tools" | "View" | "Motion";
  run: (app: App, event: KeyboardEvent) => void;
  /** It goes further with Shift and less far with Alt. */
  steps?: boolean;
}

const look = (camera: CameraView) => (app: App): void => app.emit("camera", camera);
const toggle = (option: "perspective" | "directors" | "labels" | "stripe") => (app: App): void =>
  app.setOptions({ [option]: !app.options[option] });
const history = (op: "undo" | "redo") => (app: App): void => void app.ask(op);

const UNDO = ["mod+z"];
const REDO = ["mod+y", "mod+shift+z"];
const HISTORY = [...UNDO, ...REDO];

/** One press of an arrow: with Shift ten times as far, with Alt a tenth. */
const move = (way: Way) => (app: App, event: KeyboardEvent): void => {
  const screen = window.flexline?.screen();
  if (screen) nudge(app, way, event.shiftKey ? 10 : event.altKey ? 0.1 : 1, screen);
};

export const SHORTCUTS: Shortcut[] = [
  { keys: UNDO, text: "Undo", group: "Scene", run: history("undo") },
  { keys: REDO, text: "Redo", group: "Scene", run: history("redo") },
  { keys: ["mod+s"], text: "Save the scene file", group: "Scene", run: (app) => void save(app) },
  { keys: ["mod+shift+s"], text: "Save under another name", group: "Scene", run: saveAs },
  { keys: ["delete", "backspace"], text: "Remove what is selected", group: "Scene", run: removeSelected },
  { keys: ["f2"], text: "Rename what is selected", group: "Scene", run: () => {
    const title = document.querySelector<HTMLInputElement>("#properties .title-input");
    title?.focus();
    title?.select();
  } },
  { keys: ["escape"], text: "Back to selecting, then deselect", group: "Scene", run: (app) => {
    if (app.tool.name !== "select") app.use({ name: "select" });
    else app.select(null);
  } },
  { keys: ["?", "f1"], text: "Help", group: "Scene", run: (app) => openHelp(app) },
  { keys: ["t"], text: "Dark or light", group: "Scene", run: toggleTheme },
  ...TOOLS.map((tool): Shortcut => ({
    keys: [tool.key.toLowerCase()], text: tool.title, group: "Tools", run: (app) => app.use({ name: tool.name } as App["tool"]),
  })),
  { keys: ["g"], text: "Arrows: move what is selected", group: "Tools", run: (app) => app.setOptions({ gizmo: "move" }) },
  { keys: ["r"], text: "Rings: turn what is selected", group: "Tools", run: (app) => app.setOptions({ gizmo: "rotate" }) },
  { keys: ["arrowleft"], text: "Nudge what is selected; with Shift ×10, with Alt ÷10", group: "Tools", steps: true, run: move("left") },
  { keys: ["arrowright"], text: "Nudge to the right; on a cable, further along it", group: "Tools", steps: true, run: move("right") },
  { keys: ["arrowup"], text: "Nudge up", group: "Tools", steps: true, run: move("up") },
  { keys: ["arrowdown"], text: "Nudge down", group: "Tools", steps: true, run: move("down") },
  { keys: ["pageup"], text: "Nudge away from the eye", group: "Tools", steps: true, run: move("away") },
  { keys: ["pagedown"], text: "Nudge towards the eye", group: "Tools", steps: true, run: move("near") },
  { keys: ["f"], text: "Show everything", group: "View", run: look("fit") },
  { keys: ["z"], text: "Show what is selected", group: "View", run: look("selection") },
  { keys: ["0"], text: "From a corner", group: "View", run: look("iso") },
  { keys: ["1"], text: "Front", group: "View", run: look("front") },
  { keys: ["2"], text: "Back", group: "View", run: look("back") },
  { keys: ["3"], text: "Right", group: "View", run: look("right") },
  { keys: ["4"], text: "Left", group: "View", run: look("left") },
  { keys: ["5"], text: "Perspective or parallel", group: "View", run: toggle("perspective") },
  { keys: ["6"], text: "Bottom", group: "View", run: look("bottom") },
  { keys: ["7"], text: "Top", group: "View", run: look("top") },
  { keys: ["s"], text: "Stripe that shows twist", group: "View", run: toggle("stripe") },
  { keys: ["d"], text: "Frames along the cables", group: "View", run: toggle("directors") },
  { keys: ["x"], text: "Cut everything open along a plane", group: "View", run: (app) => app.emit("section", undefined) },
  { keys: ["l"], text: "Names", group: "View", run: toggle("labels") },
  { keys: [" "], text: "Play or pause motion", group: "Motion", run: (app) => play(app) },
  { keys: ["."], text: "One step of motion", group: "Motion", run: (app) => stepOnce(app) },
];

function removeSelected(app: App): void {
  const selection = app.selection;
  if (!selection) return;
  if ("cable" in selection) void remove(app, "cable", selection.cable);
  else if (!["start", "end", "world", "solve", "scene"].includes(selection.kind)) void remove(app, selection.kind, selection.thing);
}

/** How a key event is written in the table. */
export function chord(event: Pick<KeyboardEvent, "key" | "ctrlKey" | "metaKey" | "shiftKey">): string {
  const key = event.key.toLowerCase();
  const mod = event.ctrlKey || event.metaKey ? "mod+" : "";
  // The shift that makes a question mark is part of the character.
  const shift = event.shiftKey && (mod !== "" || key.length > 1) ? "shift+" : "";
  return `${mod}${shift}${key}`;
}

export function shortcutFor(pressed: string): Shortcut | null {
  const plain = pressed.replace("shift+", "");
  return SHORTCUTS.find((each) => each.keys.includes(pressed) || (each.steps && each.keys.includes(plain))) ?? null;
}

export function mountKeyboard(app: App): void {
  window.addEventListener("pointerdown", () => void finish(), { capture: true });
  window.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || document.querySelector("dialog[open]")) return;
    // A button with the focus is pressed by the space bar.
    if (event.key === " " && event.target instanceof HTMLButtonElement) return;
    const pressed = chord(event);
    // Keys belong to a field, but for these: in one that has been taken there is nothing of its own to undo.
    const general = pressed === "mod+s" || pressed === "mod+shift+s" || (!dirty(event.target) && HISTORY.includes(pressed));
    if (typing(event.target) && !general) return;
    const found = shortcutFor(pressed);
    if (!found || (event.altKey && !found.steps)) return;
    // Arrows elsewhere go through lists and sliders.
    if (found.steps && event.target !== document.body && !(event.target instanceof HTMLCanvasElement)) return;
    event.preventDefault();
    // What was nudged is done before anything else is.
    if (!found.steps) void finish().then(() => found.run(app, event));
    else found.run(app, event);
  });
}

/** A key as people write it. */
export function keyLabel(keys: string): string {
  const names: Record<string, string> = { arrowleft: "←", arrowright: "→", arrowup: "↑", arrowdown: "↓", pageup: "PgUp", pagedown: "PgDn", mod: "Ctrl", shift: "Shift", " ": "Space", delete: "Del", escape: "Esc", backspace: "⌫" };
  return keys.split("+").map((key) => names[key] ?? (key.length === 1 ? key.toUpperCase() : key[0]?.toUpperCase() + key.slice(1))).join("+");
}
