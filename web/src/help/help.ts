// Help that can be read in five minutes.

import type { App } from "../app";
import { dialog } from "../panels/dialog";
import { button, h, type Child } from "../panels/dom";
import { openGallery } from "../panels/gallery";
import { icon } from "../panels/icons";
import { keyLabel, SHORTCUTS } from "./keys";

/** The book is in the program, beside the page. */
export const BOOK = "/book/guide/studio.html";

const MOUSE: [string, string][] = [
  ["Drag a cable", "pulls it at that point; let go and it springs back"],
  ["Ctrl + let go", "keeps it there: a clip is put on the cable"],
  ["Click", "selects a cable, at that place, or a thing"],
  ["Arrows and rings", "move and turn what is selected; its cables follow"],
  ["Drag beside things", "turns the view; right button moves it; the wheel goes nearer"],
  ["Double click in the tree", "shows the thing in the view"],
  ["Arrow keys", "nudge what is selected: left, right, up, down as on the screen, PgUp and PgDn away and near; with Shift ten times as far, with Alt a tenth. What is pressed in one go is one change"],
  ["Touch", "one finger on a cable pulls, beside it turns; two fingers move and zoom"],
];

const PANELS: [string, string][] = [
  ["Left: scene", "everything there is; the eye hides, a triangle says what is wrong. History lists what was done, by everybody"],
  ["Left, below: checks", "each rule with what is used of its limit; a click shows the worst place. Too short is explained here, with the length to add"],
  ["Right: properties", "everything about what is selected. Sliders show while they move and count as one change. A number may have its own unit: 0.4 m, 2 in, 30 %"],
  ["Below: plots", "curvature with its limit, twist, tension and moment along the cable; point at a curve to see the place, click to go there"],
  ["Below: motion", "play, pause, one step, record; the bar goes through what was recorded"],
  ["Small screens", "the three buttons at the top right fold the panels away and bring them back"],
  ["At the foot", "whether the state is in balance, how exactly, and how long it took"],
];

const WORDS: [string, string][] = [
  ["Equilibrium", "all forces are in balance: this is the shape at rest"],
  ["Unstable", "in balance like a pencil on its tip: the slightest touch changes it"],
  ["Too short", "the cable cannot reach; the view shows the nearest state, the checks say what is missing"],
  ["Conflict", "things are held so that no state suits all; each is named with the amount it is missed by"],
  ["Preview", "shown, not kept yet"],
];

const pairs = (list: readonly [string, string][]): HTMLElement =>
  h("dl", { class: "pairs" }, ...list.flatMap(([term, text]) => [h("dt", {}, term), h("dd", {}, text)]));

const section = (title: string, ...content: Child[]): HTMLElement => h("section", {}, h("h3", {}, title), ...content);

export function openHelp(app: App): void {
  const box = dialog("Help", "help",
    h("p", { class: "lead" }, "Cables, hoses and wires that bend, twist and hang as real ones do. Take one in your hand: everything follows at once. Nothing can be broken: every change can be undone, and is on the disk before it is answered."),
    h("div", { class: "actions" }, button("tour", "Three short tours", () => {
      box.close();
      void openGallery(app);
    }, { text: "Take a guided tour", kind: "primary" }),
    h("a", { class: "button", id: "book", href: BOOK, target: "_blank" }, icon("book"), h("span", { class: "button-text" }, "Read the book"))),
    h("div", { class: "columns" },
      section("Mouse and touch", pairs(MOUSE)),
      section("The panels", pairs(PANELS)),
      section("What the solver says", pairs(WORDS)),
      section("Several people", h("p", {}, "Open the same address in another window, or on another machine: all see and change one scene. When two change one value the last one wins, and both are told.")),
      section("Headset", h("p", {}, "Where the browser knows a headset, “Enter VR” appears at the top: grab with trigger, squeeze or pinch; sticks fly; both hands scale.")),
      section("Keyboard", ...keyboard())));
}

function keyboard(): HTMLElement[] {
  const groups = [...new Set(SHORTCUTS.map((each) => each.group))];
  return groups.map((group) => h("table", { class: "keys" }, h("caption", {}, group), h("tbody", {}, ...SHORTCUTS.filter((each) => each.group === group).map((each) =>
    h("tr", {}, h("td", {}, ...each.keys.flatMap((keys, index) => [index > 0 ? " " : "", h("kbd", {}, keyLabel(keys))])), h("td", {}, each.text))))));
}
