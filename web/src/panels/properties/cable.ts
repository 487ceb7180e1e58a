// The panel of a cable.

import type { App } from "../../app";
import { bendWords } from "../../limits";
import type { Cable, Command } from "../../protocol";
import { tryCommand } from "../act";
import { button, fold, h, lazyFold, say, visible, type Child } from "../dom";
import { icon } from "../icons";
import { isTable, keyOf, rows, setCommand } from "../keys";
import { missing, onCable, positionAt, tableOf, worst } from "../scene-index";
import { digits, quantity, toSi, withUnit } from "../units";
import { cableForms } from "./cable-actions";
import { commandCommit, field } from "./field";
import { foldedForm } from "./form";
import { choosePart } from "./library";
import { sectionSliders, sectionSource } from "./section";
import { slider } from "./slider";

/** What the panel shows of the newest frame, without being built anew. */
export type Live = () => void;

export function cablePanel(app: App, cable: Cable, at: number | undefined): { content: Child[]; live: Live } {
  const scene = app.scene;
  if (!scene) return { content: [], live: () => undefined };
  const table = tableOf(scene, "cable", cable.name);
  const does = (command: Command): void => void tryCommand(app, command).then((answer) => {
    if ("error" in answer) app.notice(answer.error, "error");
  });
  const key = (path: string): HTMLElement => {
    const row = table ? rows(table, scene).find((each) => each.path === path) : undefined;
    return field(app, `cable.${path}`, keyOf("cable", path), row?.value, commandCommit(app, (value) => setCommand("cable", cable.name, path, value)));
  };
  const course = courseOf(app, cable, does);
  const curved = cable.model !== "mixed" && cable.model !== "nodal";
  const source = sectionSource(table);
  const limits = rows(table ?? { kind: "cable", name: cable.name, keys: {} }, scene).filter((row) => row.path.startsWith("limits."));
  return {
    content: [
      course.short,
      fold("cable.course", "Length and course", true, ...course.content),
      fold("cable.material", "Material", true,
        h("div", { class: "field", title: "A part of the material library" }, h("span", { class: "field-label" }, "Part"),
          h("div", { class: "field-value" }, button("search", "Choose from the material library",
            () => void choosePart(app, cable.part, (part) => does(partCommand(cable.name, part, source, table?.keys ?? {}))),
            { text: cable.part ?? (source === "section" ? "own shape and material" : "own values"), kind: "wide", id: "choose-part" }))),
        h("p", { class: "facts" }, [
          `⌀ ${withUnit(2 * cable.radius, "length", 3)}`,
          bendWords(cable.bend_limit),
          cable.max_tension === null ? "tension: no limit known" : `tension ≤ ${withUnit(cable.max_tension, "force", 3)}`,
          cable.max_twist === null ? "twist: no limit known" : `twist ≤ ${withUnit(cable.max_twist, "twist", 3)}`,
        ].join(" · ")),
        key("use"),
        ...sectionSliders(app, cable, table)),
      lazyFold("cable.handles", `Handles (${onCable(scene, cable.name).length})`, false, () => handles(app, cable)),
      lazyFold("cable.actions", "Actions", at !== undefined, () => [
        at === undefined ? null : h("p", { class: "facts" }, `Picked place: ${withUnit(at, "length")}`),
        ...cableForms(scene, cable, at).map((form) => foldedForm(app, form)),
      ]),
      lazyFold("cable.model", "Model", false, () => [key("model"), key(curved ? "elements" : "segments"),
        h("p", { class: "facts" }, `${cable.resolution} ${curved ? "elements" : "segments"}`)]),
      lazyFold("cable.limits", "Limits", false, () => limits.map((row) => key(row.path))),
    ],
    live: course.live,
  };
}

/** A new part takes the place of every other description. */
export function partCommand(cable: string, part: string, source: "section" | "measured" | "override", keys: Record<string, unknown>): Command {
  const set = (key: string, value: unknown): Command => ({ do: "set", kind: "cable", name: cable, key, value });
  const gone = source === "override" ? ["override", "bundle"].filter((key) => keys[key] !== undefined) : [source];
  const all = [...gone.map((key) => set(key, null)), set("part", part)];
  return all.length === 1 && all[0] ? all[0] : { do: "all", of: all };
}

function courseOf(app: App, cable: Cable, does: (command: Command) => void): { short: HTMLElement; content: Child[]; live: Live } {
  const name = cable.name;
  const index = app.scene?.cables.indexOf(cable) ?? -1;
  const turns = h("output", { class: "turns" });
  const wound = h("span", { class: "facts", title: "Twist from its beginning to its end; the rest of a turn went into the shape" });
  const found = h("span", { class: "facts" });
  const short = h("div", { class: "callout bad", hidden: true });
  const sentence = h("p", {});
  const longer = button("lengthen", "Makes the cable as long as it must be, and 2 % more", () => does(lengthenCommand(cable, missing(app.frame?.trailer, name), worst(app.frame?.trailer, name)?.between)),
    { text: "Lengthen", kind: "primary", id: "lengthen-short" });
  short.append(icon("warning"), h("div", {}, sentence, longer));
  const live = (): void => {
    const trailer = app.frame?.trailer;
    const turn = trailer?.turns[index];
    say(turns, turnWord(cable.twist / (2 * Math.PI)));
    say(wound, turn === undefined ? "" : `Wound up in the cable: ${turn.toFixed(2)} turns`);
    const length = trailer?.lengths[index];
    const other = length !== undefined && (cable.routed || Math.abs(length - cable.length) > 1e-4);
    say(found, other ? `Length now: ${withUnit(length, "length")}` : "");
    visible(found, other);
    const lack = missing(trailer, name);
    visible(short, lack > 0);
    if (lack > 0) {
      say(sentence, `Too short: ${withUnit(lack, "length", 3)} are missing between its ends. The view shows the nearest state.`);
      const by = longer.querySelector<HTMLElement>(".button-text");
      if (by) say(by, `Lengthen by ${withUnit(reserve(cable, lack), "length", 3)}`);
    }
  };
  const turnBy = (by: number): void => does({ do: "turn", cable: name, by: `${by} turns` });
  const content: Child[] = [
    cable.routed ? null : slider(app, { id: "cable.length", label: "Length", dimension: "length", hint: "What lies on the cable keeps its place on it.",
      value: cable.length, min: cable.length * 0.6, max: cable.length * 1.6, command: (length) => ({ do: "set-length", cable: name, length }) }),
    found,
    ...routing(app, cable, does),
    h("div", { class: "field tall", title: "Turns the far end about its tangent; full turns count" }, h("span", { class: "field-label" }, "Turn of the end"),
      h("div", { class: "field-value turns-row" },
        button(null, "One turn back", () => turnBy(-1), { text: "−1" }), button(null, "A quarter back", () => turnBy(-0.25), { text: "−¼" }), turns,
        button(null, "A quarter on", () => turnBy(0.25), { text: "+¼" }), button(null, "One turn on", () => turnBy(1), { text: "+1", id: "turn-on" }))),
    wound,
    h("div", { class: "field" }, h("span", { class: "field-label" }, "Ends"),
      h("div", { class: "field-value links" }, link(app, cable.from), "→", link(app, cable.to))),
  ];
  return { short, content, live };
}

function turnWord(turns: number): string {
  const text = digits(Math.abs(turns) < 1e-9 ? 0 : turns, 3);
  return `${text} ${text === "1" ? "turn" : "turns"}`;
}

/** What is added where length lacks: a little more than that, so that it is not taut. */
export function reserve(cable: Pick<Cable, "length">, lack: number): number {
  return Math.ceil((lack + 0.02 * cable.length) * 1000) / 1000;
}

/** Makes a cable longer where it lacks something; between two clips nothing beyond them moves along. */
export function lengthenCommand(cable: Pick<Cable, "name" | "length">, lack: number, between?: [number, number]): Command {
  const by = quantity(reserve(cable, lack), "length");
  const whole = !between || between[1] - between[0] > 0.999999 * cable.length;
  return { do: "set-length", cable: cable.name, ...(whole ? {} : { between }), by };
}

/** A name that selects. */
export function link(app: App, name: string): HTMLElement {
  const thing = app.scene?.things.find((each) => each.name === name);
  if (!thing) return h("span", { class: "quiet" }, name === "" ? "–" : name);
  return button(null, `Select ${name}`, () => app.select({ thing: thing.name, kind: thing.kind }), { text: name, kind: "link" });
}

function routing(app: App, cable: Cable, does: (command: Command) => void): Child[] {
  const name = cable.name;
  const box = h("input", { type: "checkbox", id: "cable.route", checked: cable.routed, on: { change: () => {
    // What is refused is not shown as done.
    box.checked = cable.routed;
    does(cable.routed ? { do: "route", cable: name, on: false } : { do: "route", cable: name, slider: 0.5 });
  } } });
  return [
    h("div", { class: "field", title: "The cable takes as much length as it likes and pays for it with tension" },
      h("label", { class: "field-label", for: "cable.route" }, "Finds its own length"), h("div", { class: "field-value" }, box)),
    cable.routed
      ? h("div", { class: "straight-bent" }, slider(app, { id: "cable.slider", label: "Straight ↔ bent", dimension: "number",
        hint: "0: straight, 1: bent. Near 1 a heavy cable sags.", value: routeShare(app, cable), min: 0, max: 1,
        command: (value) => ({ do: "route", cable: name, slider: Number(value) }) }))
      : null,
  ];
}

/** Where the slider of a routed cable stands: λ = 0.02 · 30^slider · chord, the inverse of what `route` does. */
export function slope(bendLength: number, chord: number): number {
  return Math.min(1, Math.max(0, Math.log(bendLength / (0.02 * chord)) / Math.log(30)));
}

function routeShare(app: App, cable: Cable): number {
  const route = tableOf(app.scene, "cable", cable.name)?.keys["route"];
  if (!isTable(route)) return 0.5;
  const tension = toSi(route["tension"]);
  const bendLength = toSi(route["bend_length"]) ?? (tension ? Math.sqrt(cable.bend / tension) : null);
  const clips = onCable(app.scene, cable.name).filter((thing) => thing.kind === "clip");
  const stops = [0, ...clips.map((clip) => clip.at ?? 0), Infinity].map((s) => positionAt(app, cable, s));
  let way = 0;
  for (const [index, stop] of stops.slice(1).entries()) {
    const before = stops[index];
    if (!stop || !before) return 0.5;
    way += Math.hypot(stop[0] - before[0], stop[1] - before[1], stop[2] - before[2]);
  }
  const chord = way / (stops.length - 1);
  return bendLength && chord > 0 ? slope(bendLength, chord) : 0.5;
}

function handles(app: App, cable: Cable): Child[] {
  const all = onCable(app.scene, cable.name);
  if (all.length === 0) return [h("p", { class: "quiet" }, "None yet. Use the clip tool (C), or “Add a handle” below.")];
  return all.map((thing) => h("div", { class: "handle-row" },
    link(app, thing.name), h("span", { class: "quiet" }, `${thing.at === null ? "" : withUnit(thing.at, "length")} · ${thing.hold}`),
    button("trash", `Remove ${thing.name}`, () => void app.command({ do: "remove", name: thing.name }))));
}
