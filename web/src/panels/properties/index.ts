// The panel on the right: everything about what is selected.

import type { App, SelectedKind } from "../../app";
import type { Kind, TableView } from "../../protocol";
import { button, dirty, h, lazyFold, rebuild, type Child } from "../dom";
import { icon, kindIcon } from "../icons";
import { rows, setCommand } from "../keys";
import { cableNamed, stillThere, tableOf, thingNamed } from "../scene-index";
import { remove } from "../remove";
import { cablePanel, type Live } from "./cable";
import { commandCommit, field, line, settle } from "./field";
import { sliding } from "./slider";
import { thingPanel } from "./thing";

export function mountProperties(app: App, panel: HTMLElement): void {
  let live: Live = () => undefined;
  let late = false;
  const build = (): void => {
    late = false;
    const made = content(app);
    rebuild(panel, made.content);
    live = made.live;
    live();
  };
  /** While a person types or slides, the panel waits. */
  const later = (): void => {
    if (sliding || (panel.contains(document.activeElement) && dirty(document.activeElement))) late = true;
    else build();
  };
  panel.addEventListener("focusout", () => {
    if (late) setTimeout(later);
  });
  panel.addEventListener("settled", () => {
    if (late) later();
  });
  app.on("selection", later);
  app.on("scene", (scene) => {
    const { selection } = app;
    if (!selection || stillThere(scene, selection)) {
      later();
      return;
    }
    // Nobody can go on typing about what is gone.
    if (dirty(document.activeElement) && panel.contains(document.activeElement)) {
      app.notice(`“${"cable" in selection ? selection.cable : selection.thing}” is no longer there: it was removed or renamed while you typed. `
        + "What you typed was not sent; undo brings it back.", "error");
      (document.activeElement as HTMLElement).blur();
    }
    app.select(null);
    build();
  });
  app.on("calm", () => {
    if (late && !sliding) later();
    live();
  });
  build();
}

function content(app: App): { content: Child[]; live: Live } {
  const { scene, selection } = app;
  const idle: Live = () => undefined;
  if (!scene) return { content: [h("p", { class: "quiet empty" }, "Waiting for the scene …")], live: idle };
  if (!selection) return { content: overview(app), live: idle };
  const kind = "cable" in selection ? "cable" : selection.kind;
  const name = "cable" in selection ? selection.cable : selection.thing;
  const cable = "cable" in selection ? cableNamed(scene, name) : null;
  const thing = "cable" in selection ? null : thingNamed(scene, name);
  const table = tableOf(scene, kind, name);
  const made = cable ? cablePanel(app, cable, "cable" in selection ? selection.at : undefined)
    : thing ? thingPanel(app, thing)
      : { content: [], live: idle };
  return {
    content: [head(app, kind, name), ...made.content, table ? allKeys(app, table, !cable && !thing) : null],
    live: made.live,
  };
}

/** What belongs to the scene and is not removed. */
const FIXED = ["start", "end", "world", "solve", "scene"];

function head(app: App, kind: SelectedKind, name: string): HTMLElement {
  const removable = !FIXED.includes(kind);
  const title = line("rename", kind === "connector" ? (name.split(".")[1] ?? name) : name, (to) => {
    if (to.trim() === "") {
      title.value = name;
      return;
    }
    void app.command(setCommand(kind, name, "name", to.trim())).then((done) => {
      if (!done) return;
      if (title.parentElement) settle(title.parentElement);
      const now = kind === "connector" ? `${name.split(".")[0] ?? ""}.${to.trim()}` : to.trim();
      app.select(kind === "cable" ? { cable: now } : { thing: now, kind });
    });
  });
  title.readOnly = !removable;
  title.classList.add("title-input");
  title.setAttribute("aria-label", "Name");
  return h("header", { class: "panel-head" }, icon(kindIcon(kind)),
    h("div", { class: "panel-title" }, title, h("small", {}, KIND_NAMES[kind] ?? kind)),
    removable ? button("trash", "Remove (Del)", () => void remove(app, kind, name), { id: "remove-selected" }) : null,
    button("close", "Deselect (Esc)", () => app.select(null)));
}

const KIND_NAMES: Record<string, string> = { start: "start of the cable", end: "end of the cable", eye: "eye", part: "rigid part" };

/** Every key of the table: those that are set, then those that may be. */
function allKeys(app: App, table: TableView, open: boolean): HTMLElement {
  const all = app.scene ? rows(table, app.scene) : [];
  const one = (row: (typeof all)[number]): HTMLElement => field(app, `key.${table.kind}.${row.path}`, row.key, row.value,
    commandCommit(app, (value) => setCommand(table.kind, table.name, row.path, value)));
  const set = all.filter((row) => row.set);
  const unset = all.filter((row) => !row.set);
  return lazyFold("keys", "All keys", open, () => [
    ...inGroups(set, one),
    unset.length > 0 ? lazyFold("keys.unset", `Not set (${unset.length})`, false, () => inGroups(unset, one)) : null,
  ]);
}

/** Keys of inner tables stand below the name of that table. */
function inGroups<T extends { path: string }>(all: readonly T[], one: (row: T) => HTMLElement): HTMLElement[] {
  const outer = (row: T): string => (row.path.includes(".") ? (row.path.split(".")[0] ?? "") : "");
  const groups = [...new Set(all.map(outer))].sort((a, b) => Number(a !== "") - Number(b !== ""));
  return groups.flatMap((group) => [
    ...(group === "" ? [] : [h("h4", { class: "key-group" }, group)]),
    ...all.filter((row) => outer(row) === group).map(one),
  ]);
}

const SCENE_TABLES: Partial<Record<Kind, string>> = { scene: "Title", world: "World", solve: "Solver" };

/** Nothing is selected: the scene itself. */
function overview(app: App): Child[] {
  const scene = app.scene;
  if (!scene) return [];
  const scenes = (["scene", "world", "solve"] as const).map((kind) => tableOf(scene, kind, "") ?? { kind, name: "", keys: {} });
  return [
    h("header", { class: "panel-head" }, icon("file"), h("div", { class: "panel-title" }, h("b", {}, scene.title || scene.name),
      h("small", {}, `${count(scene.cables.length, "cable")}, ${count(scene.things.length, "thing")}`))),
    scene.description ? h("p", { class: "description" }, scene.description) : null,
    h("p", { class: "quiet empty" }, "Click a cable or a thing in the view or in the tree to see and change it here."),
    ...scenes.map((table) => lazyFold(`scene.${table.kind}`, SCENE_TABLES[table.kind] ?? table.kind, false, () =>
      rows(table, { ...scene, keys: { ...scene.keys, scene: ["title", "description"] } }).map((row) => field(app, `key.${table.kind}.${row.path}`, row.key, row.value,
        commandCommit(app, (value) => setCommand(table.kind, table.name, row.path, value)))))),
  ];
}

function count(number: number, word: string): string {
  return `${number} ${word}${number === 1 ? "" : "s"}`;
}
