// The panel of a port, part, connector, junction, clip, eye, pulley, bead or obstacle, and of the ends of a single cable.

import type { App } from "../../app";
import type { Command, Quantity, Thing, Vector } from "../../protocol";
import { button, fold, h, say, type Child } from "../dom";
import { nudging } from "../nudge";
import { cablesAt, positionOf, tableOf } from "../scene-index";
import { digits, quantity, withUnit } from "../units";
import type { Live } from "./cable";
import { pathThrough, POINTS } from "./constraint";
import { line, settle } from "./field";
import { foldedForm, typedForm, type Form } from "./form";
import { makeFlexible } from "../flexible";

/** Does it, and says whether it was done; a refusal is told. */
type Does = (command: Command) => Promise<boolean>;

/** What can be taken by a position. */
const MOVES = ["port", "part", "clip", "eye", "pulley", "bead", "junction", "start", "end", "obstacle"];
/** What cables alone may hold. */
const FOLLOWS = ["part", "clip", "eye", "pulley", "bead", "junction"];

export function thingPanel(app: App, thing: Thing): { content: Child[]; live: Live } {
  const does: Does = async (command) => (await app.command(command)) !== null;
  const place = placeOf(app, thing, does);
  const users = cablesAt(app.scene, thing.name);
  return {
    content: [
      fold("thing.place", "Place", true, ...place.content),
      fold("thing.hold", "Hold", true, ...holdOf(app, thing, does)),
      users.length > 0 || thing.cable
        ? fold("thing.cables", "Cables", true,
          ...[...new Set([...(thing.cable ? [thing.cable] : []), ...users.map((cable) => cable.name)])].map((name) =>
            h("div", { class: "handle-row" },
              button(null, `Select ${name}`, () => app.select({ cable: name }), { text: name, kind: "link" }),
              users.some((cable) => cable.name === name) && thing.kind !== "part" && !app.scene?.single
                ? button("close", `Take ${name} off here: its end becomes free`, () => does({ do: "separate", at: thing.name, cable: name }))
                : null)))
        : null,
      ...forms(thing, positionOf(app, thing) ?? [0, 0, 0]).map((form) => foldedForm(app, form)),
    ],
    live: place.live,
  };
}

function placeOf(app: App, thing: Thing, does: Does): { content: Child[]; live: Live } {
  const inputs: HTMLInputElement[] = [];
  const nudge = h("select", { title: "Step of these buttons and of the arrow keys", "aria-label": "Step", id: "nudge", on: {
    change: () => (nudging.step = Number(nudge.value) / 1000),
  } }, ...["0.1", "1", "5", "20", "100"].map((step) =>
    h("option", { value: step, selected: Number(step) / 1000 === nudging.step }, `${step} mm`)));
  const output = h("p", { class: "facts", data: { live: "position" } });
  const update = (): void => {
    const position = positionOf(app, thing);
    if (!position) return;
    for (const [index, input] of inputs.entries()) {
      if (document.activeElement !== input) input.value = input.defaultValue = digits((position[index] ?? 0) * 1000, 6);
    }
    if (inputs.length === 0) say(output, `Now at ${position.map((each) => digits(each * 1000)).join(", ")} mm`);
    else if (thing.at !== null) say(output, `On ${thing.cable ?? "its cable"} at ${withUnit(thing.at, "length")}`);
  };
  if (!MOVES.includes(thing.kind)) return { content: [output], live: update };
  const moveTo = (index: number, text: string): void => {
    const position = positionOf(app, thing);
    const value = Number(text.replace(",", "."));
    if (!position || !Number.isFinite(value)) {
      app.notice(`“${text}” is no length: a number of millimetres is wanted here.`, "error");
      return;
    }
    const at = (axis: 0 | 1 | 2): Quantity => (axis === index ? `${value} mm` : quantity(position[axis], "length"));
    void does({ do: "move", name: thing.name, to: [at(0), at(1), at(2)] }).then((done) => {
      const row = done ? inputs[index]?.parentElement : null;
      if (row) settle(row);
    });
  };
  const move = (axis: number, sign: number): void => {
    const by: [Quantity, Quantity, Quantity] = [0, 0, 0];
    by[axis] = `${sign * Number(nudge.value)} mm`;
    does({ do: "move", name: thing.name, by });
  };
  const start: Vector = positionOf(app, thing) ?? [0, 0, 0];
  const rows = ["x", "y", "z"].map((axis, index) => {
    const input = line(`thing.${axis}`, digits(start[index] === undefined ? 0 : start[index] * 1000, 6), (text) => moveTo(index, text));
    inputs.push(input);
    return h("div", { class: "field short-label" }, h("label", { class: `field-label axis-${axis}`, for: `thing.${axis}` }, axis),
      h("div", { class: "field-value" }, input, h("span", { class: "unit" }, "mm"),
        button(null, `Move back along ${axis}`, () => move(index, -1), { text: "−" }),
        button(null, `Move on along ${axis}`, () => move(index, 1), { text: "+" })));
  });
  return { content: [...rows, h("div", { class: "field short-label" }, h("label", { class: "field-label", for: "nudge" }, "Step"), h("div", { class: "field-value" }, nudge)), output], live: update };
}

function holdOf(app: App, thing: Thing, does: Does): Child[] {
  const name = thing.name;
  const rows: Child[] = [];
  const table = tableOf(app.scene, thing.kind, name);
  if (thing.kind === "clip") {
    rows.push(segmented(["clamped", "pinned", "free"], thing.hold, (hold) => does({ do: "set-handle", name, hold })));
    rows.push(slides(thing, (axes) => does({ do: "set-handle", name, slides: axes })));
  } else if (thing.kind === "part") {
    rows.push(segmented(["fixed", "position", "free"], String(table?.keys["hold"] ?? "free"),
      (hold) => does({ do: "set", kind: "part", name, key: "hold", value: hold })));
    rows.push(slides(thing, (axes) => does({ do: "set", kind: "part", name, key: "slides", value: axes.length > 0 ? axes : null })));
  } else if (thing.kind === "start" || thing.kind === "end") {
    rows.push(h("p", { class: "facts" }, `Held ${thing.hold}; change it below under “All keys”.`));
  } else if (thing.kind === "obstacle") {
    rows.push(h("p", { class: "facts" }, "Cables cannot enter it; they are pushed along when it moves."));
    if (app.scene?.obstacles.find((each) => each.name === name)?.form === "mesh") {
      rows.push(h("div", { class: "actions" }, button("cable", "A hose or harness that is a mesh becomes cables: all of it, or a stretch", () => void makeFlexible(app, name), { text: "Make it flexible …" })));
    }
  } else if (thing.kind === "port") rows.push(h("p", { class: "facts" }, "A port is held where it is; cables follow when it moves."));
  if (FOLLOWS.includes(thing.kind)) {
    rows.push(h("div", { class: "actions" }, button("close", "Lets go: it follows its cables from now on", () => does({ do: "release", name }), { text: "Let go" })));
  }
  if (app.scene?.mode === "dynamics" && !["connector", "eye", "pulley", "obstacle"].includes(thing.kind)) {
    rows.push(h("div", { class: "actions" }, button("motion", "Lets go until motion begins anew: it falls or swings", () => void app.ask("release", { name }), { text: "Let go in motion" })));
  }
  return rows;
}

function slides(thing: Thing, set: (axes: string[]) => void): HTMLElement {
  const names = ["x", "y", "z"];
  const on = new Set(names.filter((_, index) => thing.slides[index]));
  return h("div", { class: "field", title: "Axes of the world along which it may move" }, h("span", { class: "field-label" }, "Slides along"),
    h("div", { class: "field-value axes" }, ...names.map((axis) => h("label", { class: `axis-${axis}` },
      h("input", { type: "checkbox", checked: on.has(axis), data: { focus: `thing.slides.${axis}` }, on: { change: (event) => {
        if ((event.target as HTMLInputElement).checked) on.add(axis);
        else on.delete(axis);
        set(names.filter((each) => on.has(each)));
      } } }), axis))));
}

/** A row of which one is chosen. */
export function segmented<W extends string>(of: readonly W[], chosen: string, choose: (value: W) => void): HTMLElement {
  return h("div", { class: "segmented", role: "radiogroup" }, ...of.map((each) => h("button", {
    type: "button", role: "radio", "aria-checked": each === chosen ? "true" : "false", on: { click: () => choose(each) },
  }, each)));
}

function forms(thing: Thing, here: Vector): Form[] {
  const name = thing.name;
  const made: Form[] = [];
  if (thing.kind === "clip") {
    made.push(typedForm({
      id: "slide-line", title: "Slide on a line", icon: "motion", act: "Let it slide",
      hint: "The handle slides along a straight line through where it is, and turns freely.",
      fields: [{ name: "direction", label: "Direction", input: { is: "vector", dimension: "number", value: ["1", "0", "0"] } }],
      command: ({ direction }) => ({ do: "set-handle", name, line: { direction } }),
    }), typedForm({
      id: "slide-path", title: "Slide on a path", icon: "motion", act: "Let it slide",
      hint: "The handle slides along a smooth path through points of the world, and turns freely.",
      fields: [
        { name: "points", label: "Points", hint: POINTS, input: { is: "points", value: pathThrough(here) } },
        { name: "closed", label: "Closed", hint: "It returns to where it begins", input: { is: "flag" } },
      ],
      command: ({ points, closed }) => ({ do: "set-handle", name, path: { points, ...(closed === true && { closed }) } }),
    }));
  }
  if (thing.kind === "part") {
    made.push(typedForm({
      id: "add-connector", title: "Add a connector", icon: "connector", act: "Add connector",
      hint: "Where a cable plugs in, in the axes of the part.",
      fields: [
        { name: "name", label: "Name", input: { is: "text", value: "plug" } },
        { name: "position", label: "Position", input: { is: "vector", dimension: "length", value: ["0", "0", "0"] } },
        { name: "tangent", label: "Tangent", input: { is: "vector", dimension: "number", value: ["1", "0", "0"] } },
      ],
      command: (values) => ({ do: "add", kind: "connector", on: name, with: values }),
    }));
  }
  if (MOVES.includes(thing.kind) && !["bead", "junction", "eye", "pulley"].includes(thing.kind)) {
    made.push(typedForm({
      id: "orient", title: "Orientation", icon: "turn", act: "Turn",
      hint: thing.kind === "obstacle" ? "Where its own z points: bars run along it, a plane is open to it."
        : "Direction of the cable through it, from its beginning to its end; up is where the first axis leans to.",
      fields: [
        { name: "tangent", label: "Tangent", input: { is: "vector", dimension: "number", value: ["1", "0", "0"] } },
        { name: "up", label: "Up", input: { is: "vector", dimension: "number" }, optional: true },
      ],
      command: ({ tangent, up }) => ({ do: "move", name, by: [0, 0, 0], frame: { tangent, ...(up !== undefined && { up }) } }),
    }));
  }
  return made;
}
