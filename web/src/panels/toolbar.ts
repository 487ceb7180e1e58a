// The bar at the top.

import type { App, CameraView, Quantity, Tool } from "../app";
import { BOOK, openHelp } from "../help/help";
import type { Mode } from "../protocol";
import { menu } from "./dialog";
import { button, h, say } from "./dom";
import { chooseFiles, exportMenu } from "./exchange";
import { foldingButtons } from "./folding";
import { openGallery } from "./gallery";
import { icon } from "./icons";
import { save, saveAs } from "./save";
import { newScene } from "./sessions";
import { theme, toggleTheme } from "./theme";
import { setMode } from "./timeline";
import { TOOLS } from "./tools";

const QUANTITIES: { value: Quantity; text: string }[] = [
  { value: "part", text: "Colour: part" },
  { value: "curvature", text: "Colour: bend utilisation" },
  { value: "twist", text: "Colour: twist" },
  { value: "tension", text: "Colour: tension" },
  { value: "moment", text: "Colour: moment" },
];

const MODES: { value: Mode; text: string; hint: string }[] = [
  { value: "off", text: "Off", hint: "Nothing is computed: the last state stays" },
  { value: "statics", text: "Statics", hint: "Always the shape at rest" },
  { value: "dynamics", text: "Dynamics", hint: "Motion in time, with inertia" },
];

export function mountToolbar(app: App, place: HTMLElement): void {
  const title = h("span", { class: "scene-title" });
  const undo = button("undo", "Undo (Ctrl+Z)", () => void app.ask("undo"), { text: "", id: "undo" });
  const redo = button("redo", "Redo (Ctrl+Y)", () => void app.ask("redo"), { text: "", id: "redo" });
  const tools = TOOLS.map((tool) => button(tool.icon, `${tool.title} (${tool.key}). ${tool.hint}`, () => app.use({ name: tool.name } as Tool), { id: `tool-${tool.name}` }));
  const modes = MODES.map((mode) => h("button", { type: "button", role: "radio", title: mode.hint, id: `mode-${mode.value}`, on: { click: () => setMode(app, mode.value) } }, mode.text));
  const quantity = h("select", { title: "What the colours of the cables show", "aria-label": "Colour", id: "quantity", on: {
    change: () => app.show(quantity.value as Quantity),
  } }, ...QUANTITIES.map(({ value, text }) => h("option", { value, selected: value === app.quantity }, text)));
  const views = button("view", "More views, and what is drawn", () => viewMenu(app, views), { text: "View", id: "view-menu" });
  const exporting = button("export", "Export", () => exportMenu(app, exporting), { text: "Export", id: "export" });
  const people = h("span", { class: "people", title: "People on this session" }, icon("people"), h("span", {}, "1"));
  const themed = button(theme() === "dark" ? "sun" : "moon", "Dark or light (T)", () => toggleTheme(app));
  place.append(
    h("div", { class: "group brand" }, h("b", {}, "Flexline"), title),
    h("div", { class: "group" },
      button("gallery", "Gallery of scenes, tours and sessions", () => void openGallery(app), { text: "Gallery", id: "open-gallery" }),
      button("file", "New scene", () => void newScene(app)),
      button("save", "Save the scene file (Ctrl+S)", () => void save(app), { id: "save" }),
      button("save_as", "Save under another name… (Ctrl+Shift+S)", () => saveAs(app), { id: "save-as" }),
      button("import", "Open a scene (.toml) or add surroundings (.stl, .obj); or drop files onto the page", () => chooseFiles(app)),
      exporting),
    h("div", { class: "group" }, undo, redo),
    h("div", { class: "group tools", role: "radiogroup", "aria-label": "Tool" }, ...tools),
    h("div", { class: "group" }, h("div", { class: "segmented", role: "radiogroup", "aria-label": "Simulation" }, ...modes)),
    h("div", { class: "group" }, quantity, views),
    h("span", { class: "spacer" }),
    h("div", { class: "group", role: "group", "aria-label": "Panels" }, ...foldingButtons(app)),
    h("div", { class: "group" }, people, h("span", { id: "vr-slot" }), themed,
      h("a", { class: "button", id: "open-book", href: BOOK, target: "_blank", title: "The book: guide, theory, reference", "aria-label": "The book" }, icon("book")),
      button("help", "Help (?)", () => openHelp(app), { id: "help" })),
  );
  const pressTool = (): void => {
    for (const [index, tool] of TOOLS.entries()) tools[index]?.setAttribute("aria-pressed", tool.name === app.tool.name ? "true" : "false");
  };
  app.on("tool", pressTool);
  pressTool();
  app.on("scene", (scene) => {
    say(title, scene.title || scene.name);
    document.title = `${scene.title || scene.name} – Flexline`;
    for (const [owner, count] of [[undo, scene.undo], [redo, scene.redo]] as const) {
      owner.disabled = count === 0;
      const text = owner.querySelector<HTMLElement>(".button-text");
      if (text) say(text, count === 0 ? "" : String(count));
    }
    for (const [index, mode] of MODES.entries()) modes[index]?.setAttribute("aria-checked", mode.value === scene.mode ? "true" : "false");
  });
  app.on("quantity", (now) => {
    quantity.value = now;
  });
  app.on("clients", ({ count }) => {
    const text = people.querySelector<HTMLElement>("span");
    if (text) say(text, String(count));
    people.classList.toggle("many", count > 1);
  });
  app.on("theme", (now) => themed.querySelector("svg")?.replaceWith(icon(now === "dark" ? "sun" : "moon")));
}

/** What has no button in the view itself. */
function viewMenu(app: App, owner: HTMLElement): void {
  const { options } = app;
  const look = (text: string, camera: CameraView, key: string) => ({ text, key, act: () => app.emit("camera", camera) });
  const toggle = (text: string, name: "grid" | "labels" | "translucent", key?: string) =>
    ({ text, on: options[name], ...(key && { key }), act: () => app.setOptions({ [name]: !options[name] }) });
  menu(owner, [
    look("Selection", "selection", "Z"), look("Back", "back", "2"), look("Left", "left", "4"), look("Bottom", "bottom", "6"),
    toggle("Names", "labels", "L"), toggle("Grid", "grid"), toggle("See through surroundings", "translucent"),
    { text: "Mouse as in CAD", hint: "Middle button turns, with Shift it moves; left only selects", on: options.mouse === "cad",
      act: () => app.setOptions({ mouse: options.mouse === "cad" ? "orbit" : "cad" }) },
  ]);
}
